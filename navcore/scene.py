"""What a scene holds beside triangles: bounds, volumes that mark areas, links; as JSON gives them, checked by name."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from .area_types import AREA_TYPES, AreaType, area_types, building_area
from .errors import BadInput
from .files.strict_json import load_json
from .types import WALKABLE

FARTHEST = float(np.finfo(np.float32).max)  # metres; beyond it a coordinate would be infinite to the builder
MOST_AREA, MOST_FLAGS, MOST_ID = WALKABLE, 0xFFFF, 0xFFFF_FFFF

_PLAIN: dict[type, type] = {
    numbers.Real: float,
    numbers.Integral: int,
}  # what numbers mostly are: asked first, as it is quick

_CHECKS: dict[type, tuple[tuple[str, Callable[[str, Any], Any]], ...]] = {}  # of the fields of each class

_Part = TypeVar("_Part", bound="_Checked")


def _refused(why: str) -> BadInput:
    return BadInput(why, "BAD_SCENE")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _is_number(value: object, kind: type) -> bool:
    return type(value) is _PLAIN[kind] or (isinstance(value, kind) and not isinstance(value, (bool, np.bool_)))


def _number(name: str, value: Any, low: float = -math.inf, above: bool = False) -> float:
    if _is_number(value, numbers.Real) and abs(value) <= FARTHEST and (value > low or (value == low and not above)):
        return float(value)
    wanted = "a finite number" if low == -math.inf else f"a number {'above' if above else 'of at least'} {low:g}"
    raise _refused(f"{name} must be {wanted}, not {_shown(value)}.")


def _not_negative(name: str, value: Any) -> float:
    return _number(name, value, 0.0)


def _positive(name: str, value: Any) -> float:
    return _number(name, value, 0.0, above=True)


def _whole(name: str, value: Any, most: int) -> int:
    if _is_number(value, numbers.Integral) and 0 <= value <= most:
        return int(value)
    raise _refused(f"{name} must be a whole number from 0 to {most}, not {_shown(value)}.")


def _area(name: str, value: Any) -> int:
    return _whole(name, value, MOST_AREA)


def _flags(name: str, value: Any) -> int:
    return _whole(name, value, MOST_FLAGS)


def _id(name: str, value: Any) -> int:
    return _whole(name, value, MOST_ID)


def _name(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    raise _refused(f"{name} must be text, not {_shown(value)}.")


def _true_or_false(name: str, value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise _refused(f"{name} must be true or false, not {_shown(value)}.")


def _numbers(name: str, value: Any, wanted: tuple[str, ...]) -> tuple[float, ...]:
    if type(value) is tuple and len(value) == len(wanted):
        if all(type(number) is float and abs(number) <= FARTHEST for number in value):
            return value
    listed = _listed(value)
    if listed is None or len(listed) != len(wanted):
        raise _refused(f"{name} must be [{', '.join(wanted)}], not {_shown(value)}.")
    return tuple(_number(f"{label} of {name}", number) for label, number in zip(wanted, listed, strict=True))


def _point(name: str, value: Any) -> tuple[float, ...]:
    return _numbers(name, value, ("x", "y", "z"))


def _outline(name: str, value: Any) -> tuple[tuple[float, ...], ...]:
    listed = _listed(value)
    if listed is None or len(listed) < 3:
        instead = _shown(value) if listed is None else f"{len(listed)}"
        raise _refused(f"{name} must be at least 3 points [x, z], not {instead}.")
    return tuple(_numbers(f"point {i}", point, ("x", "z")) for i, point in enumerate(listed, 1))


def _box(name: str, value: Any) -> tuple[float, ...] | None:
    if value is None:
        return None
    corners = _numbers(name, value, ("x0", "y0", "z0", "x1", "y1", "z1"))
    for axis, a in (("x", 0), ("z", 2), ("y", 1)):
        if corners[a] > corners[a + 3] or (axis != "y" and corners[a] == corners[a + 3]):
            relation = "at least" if axis == "y" else "above"
            raise _refused(f"{axis}1 of {name} must be {relation} {axis}0 = {corners[a]:g}, not {corners[a + 3]:g}.")
    return corners


def _area_table(name: str, value: Any) -> Mapping[int, AreaType]:
    if value is None:
        return AREA_TYPES
    if not isinstance(value, Mapping):
        raise _refused(f"{name} must map area ids to flags, not {_shown(value)}.")
    return area_types(value)


def _mapped_names(name: str, value: Any) -> Mapping[str, int | str]:
    """Names → areas as they were given; those that are called by name are looked up when the area table is known."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _refused(f"{name} must map names to areas, not {_shown(value)}.")
    for pattern, area in value.items():
        _name(f"a name in {name}", pattern)
        if not isinstance(area, str):
            _area(f"{_shown(pattern)} in {name}", area)
    return dict(value)


def _with_ids(where: str, areas: Mapping[str, int | str], known: Mapping[str, int]) -> dict[str, int]:
    """The same with ids in the place of the names of areas."""
    for name, area in areas.items():
        if isinstance(area, str) and area not in known:
            raise _refused(f"{_shown(name)} in {where}: there is no area {_shown(area)}; {_nearest(area, known)}")
    return {name: known[area] if isinstance(area, str) else int(area) for name, area in areas.items()}


def _listed(value: Any) -> list[Any] | tuple[Any, ...] | None:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return value if isinstance(value, (list, tuple)) else None


def _nearest(name: object, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(str(name)[:60], known, 1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}."


def _checked(check: Callable[[str, Any], Any], default: Any = MISSING) -> Any:
    """Declare a field: `check` returns the accepted value or raises."""
    return field(default=default, metadata={"check": check})


def _checks_of(kind: type[Any]) -> tuple[tuple[str, Callable[[str, Any], Any]], ...]:
    if kind not in _CHECKS:
        _CHECKS[kind] = tuple((f.name, f.metadata["check"]) for f in fields(kind))
    return _CHECKS[kind]


@dataclass(frozen=True, kw_only=True)
class _Checked:
    """Fields are checked when an instance is made, which may be from names and values."""

    def __post_init__(self) -> None:
        for name, check in _checks_of(type(self)):
            given = getattr(self, name)
            accepted = check(name, given)
            if accepted is not given:
                object.__setattr__(self, name, accepted)

    @classmethod
    def unchecked(cls: type[_Part], **values: Any) -> _Part:
        """One of all fields, whose values are what the checks would make of them: to make many takes a while."""
        made = object.__new__(cls)
        made.__dict__.update(values)
        return made

    @classmethod
    def from_mapping(cls: type[_Part], values: Mapping[str, Any]) -> _Part:
        known = {f.name: f for f in fields(cls)}
        for name in values:
            if name not in known:
                raise _refused(f"{_shown(name)} is not known; {_nearest(name, known)}")
        for name, declared in known.items():
            if name not in values and declared.default is MISSING:
                raise _refused(f"{name} is missing.")
        return cls(**values)

    def to_mapping(self) -> dict[str, Any]:
        """Names and values, ready for JSON."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}


def _plain(value: Any) -> Any:
    if isinstance(value, _Checked):
        return value.to_mapping()
    if isinstance(value, AreaType):
        return value.to_mapping()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


@dataclass(frozen=True, kw_only=True)
class _Volume(_Checked):
    """Walkable spans inside get the area's id; 0 makes them not walkable."""

    shape: ClassVar[str]
    area: int = _checked(_area)

    def to_mapping(self) -> dict[str, Any]:
        return {"shape": self.shape, **super().to_mapping()}


@dataclass(frozen=True, kw_only=True)
class BoxVolume(_Volume):
    """A box along the axes. Recast: rcMarkBoxArea."""

    shape = "box"
    min: tuple[float, float, float] = _checked(_point)
    max: tuple[float, float, float] = _checked(_point)

    def __post_init__(self) -> None:
        super().__post_init__()
        for axis, low, high in zip("xyz", self.min, self.max, strict=True):
            if low > high:
                raise _refused(f"{axis} of max must be at least {axis} of min = {low:g}, not {high:g}.")


@dataclass(frozen=True, kw_only=True)
class CylinderVolume(_Volume):
    """An upright cylinder on the center of its base. Recast: rcMarkCylinderArea."""

    shape = "cylinder"
    base: tuple[float, float, float] = _checked(_point)
    radius: float = _checked(_not_negative)
    height: float = _checked(_not_negative)


@dataclass(frozen=True, kw_only=True)
class ConvexVolume(_Volume):
    """An upright prism over an outline of (x, z), which may be any simple polygon. Recast: rcMarkConvexPolyArea."""

    shape = "convex"
    min_height: float = _checked(_number)
    max_height: float = _checked(_number)
    points: tuple[tuple[float, float], ...] = _checked(_outline)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_height > self.max_height:
            raise _refused(f"max_height must be at least min_height = {self.min_height:g}, not {self.max_height:g}.")


Volume: TypeAlias = BoxVolume | CylinderVolume | ConvexVolume
_SHAPES: dict[str, type[Volume]] = {kind.shape: kind for kind in (BoxVolume, CylinderVolume, ConvexVolume)}


@dataclass(frozen=True, kw_only=True)
class Link(_Checked):
    """A jump, ladder or teleport between two points. Recast: an off-mesh connection of dtNavMeshCreateParams."""

    start: tuple[float, float, float] = _checked(_point)
    end: tuple[float, float, float] = _checked(_point)
    radius: float = _checked(_positive, 0.6)  # metres around either point in which an agent may take it
    bidirectional: bool = _checked(_true_or_false, True)
    area: int = _checked(_area, 5)  # a jump, as RecastDemo has it
    flags: int = _checked(_flags, 8)  # likewise
    id: int = _checked(_id, 0)  # the game's own
    name: str = _checked(_name, "")  # for messages

    def to_mapping(self) -> dict[str, Any]:
        """Without a name where it has none: most files that links go to hold no names."""
        values = super().to_mapping()
        return values if self.name else {key: value for key, value in values.items() if key != "name"}


@dataclass(frozen=True, kw_only=True)
class Seed(_Checked):
    """A place from which agents set out, a spawn point for one. No Recast ancestor."""

    point: tuple[float, float, float] = _checked(_point)
    name: str = _checked(_name, "")  # for messages


def as_volumes(items: Iterable[Volume | Mapping[str, Any]]) -> list[Volume]:
    """Volumes from dataclasses or from the mappings of a scene file, in order."""
    return [_volume(item, f"volume {i}") for i, item in enumerate(_sequence("volumes", items), 1)]


def as_links(items: Iterable[Link | Mapping[str, Any]]) -> list[Link]:
    """Links from dataclasses or from the mappings of a scene file, in order."""
    return [_link(item, f"link {i}") for i, item in enumerate(_sequence("links", items), 1)]


def as_seeds(items: Iterable[Seed | Mapping[str, Any] | Sequence[float]]) -> list[Seed]:
    """Seeds from dataclasses, from [x, y, z], or from the mappings of a scene file, in order."""
    return [_seed(item, f"seed {i}") for i, item in enumerate(_sequence("seeds", items), 1)]


def _volume(item: Any, where: str) -> Volume:
    if isinstance(item, (BoxVolume, CylinderVolume, ConvexVolume)):
        return item
    values = _mapping(where, item)
    shape = values.pop("shape", None)
    if not isinstance(shape, str) or shape not in _SHAPES:
        raise _refused(f"{where}: shape must be one of {', '.join(_SHAPES)}, not {_shown(shape)}.")
    return _checked_part(_SHAPES[shape], f"{where} ({shape})", values)


def _link(item: Any, where: str) -> Link:
    return item if isinstance(item, Link) else _checked_part(Link, where, _mapping(where, item))


def _seed(item: Any, where: str) -> Seed:
    if isinstance(item, Seed):
        return item
    return _checked_part(Seed, where, {"point": item} if _listed(item) is not None else _mapping(where, item))


def _checked_part(kind: type[_Part], where: str, values: dict[str, Any]) -> _Part:
    try:
        return kind.from_mapping(values)
    except BadInput as error:
        raise _refused(f"{where}: {error}") from None


def _mapping(where: str, item: Any) -> dict[str, Any]:
    if isinstance(item, Mapping):
        return dict(item)
    raise _refused(f"{where} must be an object with names and values, not {_shown(item)}.")


def _sequence(name: str, value: Any) -> list[Any]:
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return list(value)
    raise _refused(f"{name} must be a list, not {_shown(value)}.")


@dataclass(frozen=True, kw_only=True)
class Scene(_Checked):
    """Everything that a scene file holds."""

    bounds: tuple[float, ...] | None = _checked(_box, None)  # low corner, then high; None for those of the triangles
    volumes: tuple[Volume, ...] = _checked(lambda _, value: tuple(as_volumes(value)), ())
    links: tuple[Link, ...] = _checked(lambda _, value: tuple(as_links(value)), ())
    seeds: tuple[Seed, ...] = _checked(lambda _, value: tuple(as_seeds(value)), ())  # where agents set out
    area_types: Mapping[int, AreaType] = _checked(_area_table, None)  # what each area of runtime data means
    # Names of materials, and of groups (those of an .obj, nodes of a .glb), with *, ? and [ ] as in file names, and the
    # area that their triangles get: an id, 0 for not walkable, or a name in the area table.
    materials: Mapping[str, int | str] = _checked(_mapped_names, None)
    groups: Mapping[str, int | str] = _checked(_mapped_names, None)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.named_areas()  # refuses names that no area has

    def named_areas(self) -> tuple[dict[str, int], dict[str, int]]:
        """`materials` and `groups` with the ids that areas have while building: 63 for plain ground."""
        known = {kind.name: building_area(area) for area, kind in self.area_types.items()}
        return _with_ids("materials", self.materials, known), _with_ids("groups", self.groups, known)

    @classmethod
    def from_file(cls, path: str | Path) -> Scene:
        """A scene from a JSON file of untrusted origin."""
        return load_scene(load_json(path, "scene"))


def load_scene(mapping: object) -> Scene:
    """A scene from the mapping that a scene file holds; anything else is refused by name."""
    return Scene.from_mapping(_mapping("A scene", mapping))
