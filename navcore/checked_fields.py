"""Fields that are checked when a part of a scene is made: what each accepts; all else is refused by its name."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar

import numpy as np

from .area_types import AREA_TYPES, AreaType, as_area_types
from .errors import BadInput
from .resolution import RESOLUTIONS
from .types import WALKABLE

FARTHEST = float(np.finfo(np.float32).max)  # metres; beyond it a coordinate would be infinite to the builder
MAX_AREA, MAX_FLAGS, MAX_ID = WALKABLE, 0xFFFF, 0xFFFF_FFFF

# What numbers mostly are: asked first, as it is quick.
_PLAIN: dict[type, type] = {numbers.Real: float, numbers.Integral: int}

_CHECKS: dict[type, tuple[tuple[str, Callable[[str, Any], Any]], ...]] = {}  # of the fields of each class

_Part = TypeVar("_Part", bound="CheckedFields")


def refused(why: str) -> BadInput:
    return BadInput(why, "BAD_SCENE")


def shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _is_number(value: object, kind: type) -> bool:
    return type(value) is _PLAIN[kind] or (isinstance(value, kind) and not isinstance(value, (bool, np.bool_)))


def finite(name: str, value: Any, low: float = -math.inf, above: bool = False) -> float:
    if _is_number(value, numbers.Real) and abs(value) <= FARTHEST and (value > low or (value == low and not above)):
        return float(value)
    wanted = "a finite number" if low == -math.inf else f"a number {'above' if above else 'of at least'} {low:g}"
    raise refused(f"{name} must be {wanted}, not {shown(value)}.")


def not_negative(name: str, value: Any) -> float:
    return finite(name, value, 0.0)


def positive(name: str, value: Any) -> float:
    return finite(name, value, 0.0, above=True)


def _whole(name: str, value: Any, most: int) -> int:
    if _is_number(value, numbers.Integral) and 0 <= value <= most:
        return int(value)
    raise refused(f"{name} must be a whole number from 0 to {most}, not {shown(value)}.")


def area_id(name: str, value: Any) -> int:
    return _whole(name, value, MAX_AREA)


def area_id_or_none(name: str, value: Any) -> int | None:
    return None if value is None else area_id(name, value)


def resolution_or_none(name: str, value: Any) -> float | None:
    if value is None or (_is_number(value, numbers.Real) and value in RESOLUTIONS):
        return None if value is None else float(value)
    listed = " or ".join(f"{scale:g}" for scale in RESOLUTIONS)
    raise refused(f"{name} must be {listed}, times the cell size of the level, not {shown(value)}.")


def flags(name: str, value: Any) -> int:
    return _whole(name, value, MAX_FLAGS)


def one_flag(name: str, value: Any) -> int:
    flag = flags(name, value)
    if flag & (flag - 1):
        raise refused(f"{name} must be one flag (1, 2, 4, 8 …), or 0 for none, not {shown(value)}.")
    return flag


def item_id(name: str, value: Any) -> int:
    return _whole(name, value, MAX_ID)


def text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    raise refused(f"{name} must be text, not {shown(value)}.")


def true_or_false(name: str, value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise refused(f"{name} must be true or false, not {shown(value)}.")


def _numbers(name: str, value: Any, wanted: tuple[str, ...]) -> tuple[float, ...]:
    if type(value) is tuple and len(value) == len(wanted):
        if all(type(number) is float and abs(number) <= FARTHEST for number in value):
            return value
    listed = as_list(value)
    if listed is None or len(listed) != len(wanted):
        raise refused(f"{name} must be [{', '.join(wanted)}], not {shown(value)}.")
    return tuple(finite(f"{label} of {name}", number) for label, number in zip(wanted, listed, strict=True))


def point(name: str, value: Any) -> tuple[float, ...]:
    return _numbers(name, value, ("x", "y", "z"))


def outline(name: str, value: Any) -> tuple[tuple[float, ...], ...]:
    listed = as_list(value)
    if listed is None or len(listed) < 3:
        instead = shown(value) if listed is None else f"{len(listed)}"
        raise refused(f"{name} must be at least 3 points [x, z], not {instead}.")
    return tuple(_numbers(f"point {i}", point, ("x", "z")) for i, point in enumerate(listed, 1))


def outline_or_none(name: str, value: Any) -> tuple[tuple[float, ...], ...]:
    listed = as_list(value)
    return () if value is None or (listed is not None and len(listed) == 0) else outline(name, value)


def points(name: str, value: Any) -> tuple[tuple[float, ...], ...]:
    listed = as_list(value)
    if listed is None or len(listed) < 3:
        instead = shown(value) if listed is None else f"{len(listed)}"
        raise refused(f"{name} must be at least 3 points [x, y, z], not {instead}.")
    return tuple(point(f"{name} {i}", at) for i, at in enumerate(listed))


def corner_lists(name: str, value: Any) -> tuple[tuple[int, ...], ...]:
    listed = as_list(value)
    if not listed:
        raise refused(f"{name} must be lists of vertex numbers, not {shown(value)}.")
    return tuple(_corners(f"{name} {i}", face) for i, face in enumerate(listed))


def _corners(name: str, value: Any) -> tuple[int, ...]:
    listed = as_list(value)
    if listed is None or len(listed) < 3 or len(set(map(str, listed))) < len(listed):
        raise refused(f"{name} must be at least 3 different vertex numbers, not {shown(value)}.")
    return tuple(_whole(name, corner, MAX_ID) for corner in listed)


def box(name: str, value: Any) -> tuple[float, ...] | None:
    if value is None:
        return None
    corners = _numbers(name, value, ("x0", "y0", "z0", "x1", "y1", "z1"))
    for axis, a in (("x", 0), ("z", 2), ("y", 1)):
        if corners[a] > corners[a + 3] or (axis != "y" and corners[a] == corners[a + 3]):
            relation = "at least" if axis == "y" else "above"
            raise refused(f"{axis}1 of {name} must be {relation} {axis}0 = {corners[a]:g}, not {corners[a + 3]:g}.")
    return corners


def area_table(name: str, value: Any) -> Mapping[int, AreaType]:
    if value is None:
        return AREA_TYPES
    if not isinstance(value, Mapping):
        raise refused(f"{name} must map area ids to flags, not {shown(value)}.")
    return as_area_types(value)


def mapped_names(name: str, value: Any) -> Mapping[str, int | str]:
    """Names → areas as they were given; those that are called by name are looked up when the area table is known."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise refused(f"{name} must map names to areas, not {shown(value)}.")
    for pattern, area in value.items():
        text(f"a name in {name}", pattern)
        if not isinstance(area, str):
            area_id(f"{shown(pattern)} in {name}", area)
    return dict(value)


def with_ids(where: str, areas: Mapping[str, int | str], known: Mapping[str, int]) -> dict[str, int]:
    """The same with ids in the place of the names of areas."""
    for name, area in areas.items():
        if isinstance(area, str) and area not in known:
            raise refused(f"{shown(name)} in {where}: there is no area {shown(area)}; {_nearest(area, known)}")
    return {name: known[area] if isinstance(area, str) else int(area) for name, area in areas.items()}


def as_list(value: Any) -> list[Any] | tuple[Any, ...] | None:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return value if isinstance(value, (list, tuple)) else None


def _nearest(name: object, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(str(name)[:60], known, 1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}."


def by(check: Callable[[str, Any], Any], default: Any = MISSING) -> Any:
    """Declare a field: `check` returns the accepted value or raises."""
    return field(default=default, metadata={"check": check})


def _checks_of(kind: type[Any]) -> tuple[tuple[str, Callable[[str, Any], Any]], ...]:
    if kind not in _CHECKS:
        _CHECKS[kind] = tuple((f.name, f.metadata["check"]) for f in fields(kind))
    return _CHECKS[kind]


@dataclass(frozen=True, kw_only=True)
class CheckedFields:
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
                raise refused(f"{shown(name)} is not known; {_nearest(name, known)}")
        for name, declared in known.items():
            if name not in values and declared.default is MISSING:
                raise refused(f"{name} is missing.")
        return cls(**values)

    def to_mapping(self) -> dict[str, Any]:
        """Names and values, ready for JSON."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}


def _plain(value: Any) -> Any:
    if isinstance(value, CheckedFields):
        return value.to_mapping()
    if isinstance(value, AreaType):
        return value.to_mapping()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def part_from(kind: type[_Part], where: str, values: dict[str, Any]) -> _Part:
    try:
        return kind.from_mapping(values)
    except BadInput as error:
        raise refused(f"{where}: {error}") from None


def mapping(where: str, item: Any) -> dict[str, Any]:
    if isinstance(item, Mapping):
        return dict(item)
    raise refused(f"{where} must be an object with names and values, not {shown(item)}.")


def sequence(name: str, value: Any) -> list[Any]:
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return list(value)
    raise refused(f"{name} must be a list, not {shown(value)}.")
