"""What a scene holds beside triangles: bounds, volumes that mark areas, links; as JSON gives them, checked by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, TypeVar

from . import checked_fields as check
from .area_types import AreaType, building_area
from .files.strict_json import load_json


@dataclass(frozen=True, kw_only=True)
class _Volume(check.CheckedFields):
    """Walkable spans inside get the area's id; 0 makes them not walkable.

    One with the name of a door gets polygons exactly under it, and may leave the ground its own area. Volumes of one
    name are one door. One with a resolution changes the cells of all tiles that it touches, seen from above; it may
    leave the ground its own area, too. No Recast ancestor.
    """

    shape: ClassVar[str]
    area: int | None = check.by(check.area_id_or_none, None)  # None: what is said below alone
    door: str = check.by(check.text, "")
    closed: bool = check.by(check.true_or_false, False)  # while it is, no filter of any game lets pass there
    ability: int = check.by(check.one_flag, 0)  # the flag that an open one asks for in place of its area's; 0: none
    resolution: float | None = check.by(check.resolution_or_none, None)  # of RESOLUTIONS: times the level's cell size

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.area is None and not self.door and self.resolution is None:
            raise check.refused("area is missing.")
        if self.area == 0 and self.door:
            raise check.refused("area of a door must be one that is walkable, not 0. Leave it out, or leave out door.")
        if not self.door and (self.closed or self.ability):
            raise check.refused("closed and ability are said of doors: give its name in door.")

    def to_mapping(self) -> dict[str, Any]:
        """Without what is said of doors, and of resolution, where it says nothing of them."""
        values = super().to_mapping()
        own = [] if self.door else ["door", "closed", "ability"]
        own += ["area"] if self.area is None else []
        own += ["resolution"] if self.resolution is None else []
        return {"shape": self.shape, **{name: value for name, value in values.items() if name not in own}}


@dataclass(frozen=True, kw_only=True)
class BoxVolume(_Volume):
    """A box along the axes. Recast: rcMarkBoxArea."""

    shape = "box"
    min: tuple[float, float, float] = check.by(check.point)
    max: tuple[float, float, float] = check.by(check.point)

    def __post_init__(self) -> None:
        super().__post_init__()
        for axis, low, high in zip("xyz", self.min, self.max, strict=True):
            if low > high:
                raise check.refused(f"{axis} of max must be at least {axis} of min = {low:g}, not {high:g}.")


@dataclass(frozen=True, kw_only=True)
class CylinderVolume(_Volume):
    """An upright cylinder on the center of its base. Recast: rcMarkCylinderArea."""

    shape = "cylinder"
    base: tuple[float, float, float] = check.by(check.point)
    radius: float = check.by(check.not_negative)
    height: float = check.by(check.not_negative)


@dataclass(frozen=True, kw_only=True)
class ConvexVolume(_Volume):
    """An upright prism over an outline of (x, z), which may be any simple polygon. Recast: rcMarkConvexPolyArea."""

    shape = "convex"
    min_height: float = check.by(check.finite)
    max_height: float = check.by(check.finite)
    points: tuple[tuple[float, float], ...] = check.by(check.outline)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_heights(self)


def _check_heights(outlined: ConvexVolume | _Outlined) -> None:
    low, high = outlined.min_height, outlined.max_height
    if low > high:
        raise check.refused(f"max_height must be at least min_height = {low:g}, not {high:g}.")


GivenVolume: TypeAlias = BoxVolume | CylinderVolume | ConvexVolume
_SHAPES: dict[str, type[GivenVolume]] = {kind.shape: kind for kind in (BoxVolume, CylinderVolume, ConvexVolume)}


@dataclass(frozen=True, kw_only=True)
class Link(check.CheckedFields):
    """A jump, ladder or teleport between two points. Recast: an off-mesh connection of dtNavMeshCreateParams."""

    start: tuple[float, float, float] = check.by(check.point)
    end: tuple[float, float, float] = check.by(check.point)
    radius: float = check.by(check.positive, 0.6)  # metres around either point in which an agent may take it
    bidirectional: bool = check.by(check.true_or_false, True)
    area: int = check.by(check.area_id, 5)  # a jump, as RecastDemo has it
    flags: int = check.by(check.flags, 8)  # likewise
    id: int = check.by(check.item_id, 0)  # the game's own
    name: str = check.by(check.text, "")  # for messages

    def to_mapping(self) -> dict[str, Any]:
        """Without a name where it has none: most files that links go to hold no names."""
        values = super().to_mapping()
        return values if self.name else {key: value for key, value in values.items() if key != "name"}


@dataclass(frozen=True, kw_only=True)
class Seed(check.CheckedFields):
    """A place from which agents set out, a spawn point for one. No Recast ancestor."""

    point: tuple[float, float, float] = check.by(check.point)
    name: str = check.by(check.text, "")  # for messages


@dataclass(frozen=True, kw_only=True)
class _Edit(check.CheckedFields):
    """Something that somebody changed by hand."""

    kind: ClassVar[str]

    def to_mapping(self) -> dict[str, Any]:
        return {"kind": self.kind, **super().to_mapping()}


@dataclass(frozen=True, kw_only=True)
class Drop(_Edit):
    """A mark that says “not this one”: builds leave out the island that it stands on. No Recast ancestor.

    It drops the island that it was put on and no other: where that has grown to more than twice `m2`, its square metres
    when it was marked, or is the largest of the navmesh, it stays, with a warning.
    """

    kind = "drop"
    at: tuple[float, float, float] = check.by(check.point)
    m2: float = check.by(check.not_negative)
    name: str = check.by(check.text, "")  # for messages


@dataclass(frozen=True, kw_only=True)
class _Outlined(_Edit):
    """An edit of the ground within an outline of (x, z), between two heights."""

    outline: tuple[tuple[float, float], ...] = check.by(check.outline)
    min_height: float = check.by(check.finite)
    max_height: float = check.by(check.finite)
    name: str = check.by(check.text, "")  # for messages
    cells: int = check.by(check.item_id, 0)  # that it marked when it was made; 0 where nobody knows

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_heights(self)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """The outline, as volumes call it."""
        return self.outline


@dataclass(frozen=True, kw_only=True)
class Block(_Outlined):
    """No ground within an outline, exactly as drawn: nothing is kept clear around it. No Recast ancestor."""

    kind = "block"

    @property
    def area(self) -> int:
        """Not walkable."""
        return 0


@dataclass(frozen=True, kw_only=True)
class AreaEdit(_Outlined):
    """Ground of another area within an outline, exactly as drawn. No Recast ancestor."""

    kind = "area"
    area: int = check.by(check.area_id)


@dataclass(frozen=True, kw_only=True)
class KeepEdit(_Edit):
    """A place whose island stays however small it is; for pruning it is a seed. No Recast ancestor."""

    kind = "keep"
    at: tuple[float, float, float] = check.by(check.point)
    name: str = check.by(check.text, "")  # for messages


@dataclass(frozen=True, kw_only=True)
class PatchEdit(_Edit):
    """Ground that somebody has modelled: walkable at any slope, nothing of it eroded. No Recast ancestor.

    It takes the place of what lies within a step of its faces, and of all ground within its outline at its heights:
    from a step, or as many metres as `below` and `above` say where that is more.
    """

    kind = "patch"
    vertices: tuple[tuple[float, float, float], ...] = check.by(check.points)
    faces: tuple[tuple[int, ...], ...] = check.by(check.corner_lists)
    area: int = check.by(check.area_id, 63)
    outline: tuple[tuple[float, float], ...] = check.by(check.outline_or_none, ())
    below: float = check.by(check.not_negative, 0.0)
    above: float = check.by(check.not_negative, 0.0)
    name: str = check.by(check.text, "")  # for messages
    cells: int = check.by(check.item_id, 0)  # as above

    def __post_init__(self) -> None:
        super().__post_init__()
        most = max((corner for face in self.faces for corner in face), default=-1)
        if most >= len(self.vertices):
            raise check.refused(f"faces names vertex {most}, and there are {len(self.vertices)}.")
        if self.area == 0:
            raise check.refused("area of a patch must be one that is walkable, not 0. Use a block.")

    def heights(self, step: float) -> tuple[float, float]:
        """From where to where it takes the place of ground within its outline."""
        levels = [vertex[1] for vertex in self.vertices]
        return min(levels) - max(step, self.below), max(levels) + max(step, self.above)


Volume: TypeAlias = GivenVolume | Block | AreaEdit | KeepEdit | PatchEdit
"""What marks the ground of a level, in order: volumes, then edits."""


def door_of(volume: Volume) -> GivenVolume | None:
    """The volume, where it is a door."""
    return volume if isinstance(volume, (BoxVolume, CylinderVolume, ConvexVolume)) and volume.door else None


def marks_ground(volume: Volume) -> bool:
    """Whether it says anything of the ground itself, beside the cells that it is built with."""
    return not isinstance(volume, _Volume) or volume.area is not None or bool(volume.door)


Edit: TypeAlias = Drop | Block | AreaEdit | KeepEdit | PatchEdit
_EDITS: dict[str, Any] = {"drop": Drop, "block": Block, "area": AreaEdit, "keep": KeepEdit, "patch": PatchEdit}


def as_volumes(items: Iterable[GivenVolume | Mapping[str, Any]]) -> list[GivenVolume]:
    """Volumes from dataclasses or from the mappings of a scene file, in order."""
    volumes = [_volume(item, f"volume {i}") for i, item in enumerate(check.sequence("volumes", items), 1)]
    doors: dict[str, tuple[int, GivenVolume]] = {}
    for number, volume in enumerate(volumes, 1):
        if volume.door:
            first, other = doors.setdefault(volume.door, (number, volume))
            if (volume.closed, volume.ability) != (other.closed, other.ability):
                raise check.refused(
                    f"volume {number}: the door “{volume.door}” has another closed or ability than in volume {first}. "
                    "Volumes of one name are one door: give both the same, or one of them another name."
                )
    return volumes


def as_links(items: Iterable[Link | Mapping[str, Any]]) -> list[Link]:
    """Links from dataclasses or from the mappings of a scene file, in order."""
    return [_link(item, f"link {i}") for i, item in enumerate(check.sequence("links", items), 1)]


def as_seeds(items: Iterable[Seed | Mapping[str, Any] | Sequence[float]]) -> list[Seed]:
    """Seeds from dataclasses, from [x, y, z], or from the mappings of a scene file, in order."""
    return [_seed(item, f"seed {i}") for i, item in enumerate(check.sequence("seeds", items), 1)]


def as_edits(items: Iterable[Edit | Mapping[str, Any]]) -> list[Edit]:
    """What was changed by hand, from dataclasses or from the mappings of a scene file, in order."""
    return [_edit(item, f"edit {i}") for i, item in enumerate(check.sequence("edits", items), 1)]


_Part = TypeVar("_Part", bound=check.CheckedFields)
_OneEdit = TypeVar("_OneEdit", Drop, Block, AreaEdit, KeepEdit, PatchEdit)


def as_edits_of(kind: type[_OneEdit], items: Iterable[_OneEdit | Mapping[str, Any]]) -> list[_OneEdit]:
    """Edits of one kind, from dataclasses or mappings; their kind may be left out."""
    name = kind.kind
    made: list[_OneEdit] = []
    for number, item in enumerate(check.sequence(name, items), 1):
        edit = _edit({"kind": name, **item} if isinstance(item, Mapping) else item, f"{name} {number}")
        if not isinstance(edit, kind):
            raise check.refused(f"{name} {number} must be of kind {name}, not {edit.kind}.")
        made.append(edit)
    return made


def as_drops(items: Iterable[Drop | Mapping[str, Any]]) -> list[Drop]:
    """Islands that are left out, from dataclasses or mappings; their kind may be left out."""
    return as_edits_of(Drop, items)


def _volume(item: Any, where: str) -> GivenVolume:
    if isinstance(item, (BoxVolume, CylinderVolume, ConvexVolume)):
        return item
    if isinstance(item, (Block, AreaEdit, KeepEdit, PatchEdit)):
        raise check.refused(f"{where} is an edit ({item.kind}). Give it in edits.")
    return _one_of(_SHAPES, "shape", item, where)


def _link(item: Any, where: str) -> Link:
    return item if isinstance(item, Link) else check.part_from(Link, where, check.mapping(where, item))


def _edit(item: Any, where: str) -> Edit:
    if isinstance(item, _Edit):
        return item  # type: ignore[return-value]  # there are no others
    return _one_of(_EDITS, "kind", item, where)


def _one_of(kinds: Mapping[str, type[_Part]], field: str, item: Any, where: str) -> _Part:
    """A part of the kind that one of its fields names."""
    values = check.mapping(where, item)
    name = values.pop(field, None)
    if not isinstance(name, str) or name not in kinds:
        raise check.refused(f"{where}: {field} must be one of {', '.join(kinds)}, not {check.shown(name)}.")
    return check.part_from(kinds[name], f"{where} ({name})", values)


def _seed(item: Any, where: str) -> Seed:
    if isinstance(item, Seed):
        return item
    values = {"point": item} if check.as_list(item) is not None else check.mapping(where, item)
    return check.part_from(Seed, where, values)


@dataclass(frozen=True, kw_only=True)
class Scene(check.CheckedFields):
    """Everything that a scene file holds."""

    bounds: tuple[float, ...] | None = check.by(check.box, None)  # low corner, then high; None for the triangles' own
    volumes: tuple[GivenVolume, ...] = check.by(lambda _, value: tuple(as_volumes(value)), ())
    links: tuple[Link, ...] = check.by(lambda _, value: tuple(as_links(value)), ())
    seeds: tuple[Seed, ...] = check.by(lambda _, value: tuple(as_seeds(value)), ())  # where agents set out
    edits: tuple[Edit, ...] = check.by(lambda _, value: tuple(as_edits(value)), ())  # what was changed by hand
    area_types: Mapping[int, AreaType] = check.by(check.area_table, None)  # what each area of runtime data means
    # Names of materials, and of groups (those of an .obj, nodes of a .glb), with *, ? and [ ] as in file names, and the
    # area that their triangles get: an id, 0 for not walkable, or a name in the area table.
    materials: Mapping[str, int | str] = check.by(check.mapped_names, None)
    groups: Mapping[str, int | str] = check.by(check.mapped_names, None)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.named_areas()  # refuses names that no area has

    def named_areas(self) -> tuple[dict[str, int], dict[str, int]]:
        """`materials` and `groups` with the ids that areas have while building: 63 for plain ground."""
        known = {kind.name: building_area(area) for area, kind in self.area_types.items()}
        return check.with_ids("materials", self.materials, known), check.with_ids("groups", self.groups, known)

    @classmethod
    def from_file(cls, path: str | Path) -> Scene:
        """A scene from a JSON file of untrusted origin."""
        return load_scene(load_json(path, "scene"))


def load_scene(mapping: object) -> Scene:
    """A scene from the mapping that a scene file holds; anything else is refused by name."""
    return Scene.from_mapping(check.mapping("A scene", mapping))
