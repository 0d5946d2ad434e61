"""What artists say about objects, collections and materials: use it or not, which area, whether it is a volume or link.

Each of these can be said in the panel, or by a custom property where levels come out of a pipeline: `navmesh_use` (true
or false) and `navmesh_area` (a number) on an object or a collection.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, cast, overload

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from .. import events
from ..blender_types import has_property

ROLE = "navmesh_role"  # custom property on what we made, which no build takes as input
SETUP = "navmesh_setup"  # likewise: the identity of the setup that it belongs to
USE, AREA = "navmesh_use", "navmesh_area"
FACE_AREA = "navmesh_area"  # integer face attribute: 0 says nothing, 1 … 62 an area type, 63 walkable, −1 not walkable
AS_BUILT = (
    ".navmesh_as_built"  # integer face attribute that lists leave out: which polygon it was when built; `face_keys`
)
POLYGON_MESH, DETAIL_MESH = "polygon_mesh", "detail_mesh"
EDITS = ("BLOCK", "AREA", "KEEP", "PATCH")  # uses of objects that change the finished ground by hand
NOT_WALKABLE, UNSET, PLAIN = -1, 0, 63
_NUMBER = re.compile(r"\.\d{3,}$")

_USES = (
    ("AUTO", "By Rules", "Used unless its name, its collection or its type is left out"),
    ("INCLUDE", "Always", "Used whatever its name or its collection says"),
    ("EXCLUDE", "Never", "Not used"),
    ("VOLUME", "Area Volume", "Not built from: gives its area to the ground inside its outline. Must be convex"),
    (
        "LINK",
        "Link",
        "Not built from: a jump, ladder or teleport. A curve links its ends, an empty itself and its target",
    ),
    ("BOUNDS", "Bounds", "Not built from: the navmesh is built within its box"),
    ("SEED", "Seed", "Not built from: agents set out here, as from a spawn point. Pruning keeps what they can reach"),
    ("DROP", "Dropped Island", "Not built from: the island of the navmesh that it stands on is left out, and no other"),
    ("BLOCK", "Edit: Block", "Not built from: no ground within its outline, exactly as drawn. Every build heeds it"),
    ("AREA", "Edit: Area", "Not built from: gives its area to the ground within its outline, exactly as drawn"),
    ("KEEP", "Edit: Keep", "Not built from: the island that it stands on stays, however small it is"),
    ("PATCH", "Edit: Patch", "Not built from: its faces are ground at any slope, and take the place of what is there"),
    ("NAVMESH", "Navmesh", "Not built from: its faces are the navmesh themselves, exactly where they lie"),
    ("DOOR", "Door", "Not built from: has polygons of its own under it, which a game opens and closes. Must be convex"),
    (
        "RESOLUTION",
        "Resolution",
        "Not built from: tiles that it touches, seen from above, have finer or coarser cells. Must be convex",
    ),
    ("OBSTACLE", "Obstacle", "Not built from: comes and goes while a game runs. With Obstacles shows what it cuts out"),
)
# Of objects that say something without being part of the level.
MARKERS = tuple(use for use, *_ in _USES if use not in ("AUTO", "INCLUDE", "EXCLUDE"))
RESOLUTIONS = (
    ("QUARTER", "¼", "Cells a quarter as wide: sixteen in the place of one"),
    ("HALF", "½", "Cells half as wide: four in the place of one"),
    ("DOUBLE", "2×", "Cells twice as wide: one in the place of four. Tile Size has to be an even number"),
)
_SCALES = {"QUARTER": 0.25, "HALF": 0.5, "DOUBLE": 2.0}
OBSTACLE_SHAPES = (
    ("BOX", "Box", "The box along its own axes, upright"),
    ("CYLINDER", "Cylinder", "The upright cylinder around it"),
    ("CUT", "Own Outline", "Its outline seen from above, as up to 16 boxes side by side: engines know boxes alone"),
)


# --- What an area or a link asks of an agent, by name.

ABILITIES = (
    ("WALK", "Walk", "Agents that walk", "NONE", 1),
    ("SWIM", "Swim", "Agents that swim", "NONE", 2),
    ("DOORS", "Doors", "Agents that open doors", "NONE", 4),
    ("JUMP", "Jump", "Agents that jump", "NONE", 8),
    ("DISABLED", "Disabled", "What a game switches off for a while", "NONE", 16),
    *((f"A{n + 1}", f"Ability {n + 1}", f"The game's own: bit {n}, {1 << n}", "NONE", 1 << n) for n in range(5, 16)),
)


_NO_ABILITY = "AREA"
DOOR_ASKS = ((_NO_ABILITY, "As Its Ground", "Whoever may walk on its ground passes an open one", "NONE", 0), *ABILITIES)
_BITS = {name: bit for name, _, _, _, bit in DOOR_ASKS}


def abilities_in_words(flags: int) -> str:
    """What bits ask for."""
    return ", ".join(name.lower() for _, name, _, _, bit in ABILITIES if flags & bit) or "nobody"


def abilities_of(name: str) -> Any:
    """A property that shows the bits of another one as abilities that are switched on and off."""
    return EnumProperty(
        name="Abilities",
        description="What is asked of an agent: one of these is enough",
        items=ABILITIES,
        options={"ENUM_FLAG"},
        get=lambda owner: getattr(owner, name),
        set=lambda owner, flags: setattr(owner, name, flags),
    )


def _use_changed(marks: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Volumes and bounds are outlines that no picture shows; what they looked like comes back with another use."""
    object_: Any = marks.id_data
    mark: Any = marks
    if context.scene is not None:
        _say_metres(mark, context.scene)
    is_outline = mark.use in _OUTLINES and object_.type == "MESH"
    if is_outline and not mark.is_outline and object_.display_type == "TEXTURED":
        mark.is_outline, mark.was_rendered = True, not object_.hide_render
        object_.display_type, object_.hide_render = "WIRE", True
    elif mark.is_outline and not is_outline:
        mark.is_outline = False
        if object_.display_type == "WIRE":
            object_.display_type, object_.hide_render = "TEXTURED", not mark.was_rendered
    _mark_changed(marks, context)


_LENGTHS = {"LINK": ("link_radius",), **dict.fromkeys(EDITS, ("edit_below", "edit_above"))}
_OUTLINES = ("VOLUME", "BOUNDS", "BLOCK", "AREA", "PATCH", "DOOR", "RESOLUTION")


def _say_metres(mark: Any, scene: Any) -> None:
    """The usual lengths of a use are metres, of the level or of an agent, in a scene of any unit."""
    stored, metres = scene.navmesh, scene.unit_settings.scale_length
    if mark.use in EDITS:
        metres *= (stored.setups[min(stored.active, len(stored.setups) - 1)] if stored.setups else stored.draft).scale
    for name in _LENGTHS.get(mark.use, ()) if metres != 1 else ():
        if not mark.is_property_set(name):
            setattr(mark, name, mark.bl_rna.properties[name].default / metres)


def _mark_changed(_owner: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """A mark changed: navmeshes may be out of date."""
    events.mark_changed.happened()


_AREA: dict[str, Any] = {"default": UNSET, "min": NOT_WALKABLE, "max": PLAIN, "update": _mark_changed}


def _can_end_link(_: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return bool(candidate.type == "EMPTY")


class NavmeshObject(bpy.types.PropertyGroup):
    """`Object.navmesh`"""

    if TYPE_CHECKING:
        use: str
        area: int
        link_end: bpy.types.Object | None
        link_radius: float
        link_bidirectional: bool
        link_area: int
        link_flags: int
        link_abilities: set[str]
        link_id: int
        drop_m2: float
        drop_setup: str
        edit_setup: str
        edit_below: float
        edit_above: float
        edit_footprint: str
        edit_made: str
        door_name: str
        door_closed: bool
        door_asks: str
        obstacle_shape: str
        resolution: str
    __annotations__ = {
        "use": EnumProperty(
            name="Use", description="What a build does with this object", items=_USES, update=_use_changed
        ),
        # Whether its use made it an outline, and whether pictures showed it before.
        "is_outline": BoolProperty(options={"HIDDEN"}),
        "was_rendered": BoolProperty(options={"HIDDEN"}),
        "area": IntProperty(
            name="Area", description="Area type of its faces: 0 as others say, -1 not walkable", **_AREA
        ),
        "link_end": PointerProperty(
            name="To",
            description="The empty where the link ends",
            type=bpy.types.Object,
            poll=_can_end_link,
            update=_mark_changed,
        ),
        "link_radius": FloatProperty(
            name="Radius",
            description="How near an agent must come to take the link",
            default=0.6,
            soft_min=0.01,
            unit="LENGTH",
            update=_mark_changed,
        ),
        "link_bidirectional": BoolProperty(
            name="Both Ways", description="Agents may also go back", default=True, update=_mark_changed
        ),
        "link_area": IntProperty(
            name="Area", description="Area type of the link", default=5, min=0, max=PLAIN - 1, update=_mark_changed
        ),
        "link_flags": IntProperty(
            name="Flags",
            description="Abilities that the link asks of an agent, as bits",
            default=8,
            min=0,
            max=0xFFFF,
            update=_mark_changed,
        ),
        "link_abilities": abilities_of("link_flags"),
        "link_id": IntProperty(
            name="Id", description="The game's own number for this link", min=0, update=_mark_changed
        ),
        "drop_m2": FloatProperty(
            name="Had",
            description="Square metres that the island had when it was dropped. Where it has grown to more than twice, "
            "or is the largest of the navmesh, it is not dropped, and the build says so",
            min=0.0,
            update=_mark_changed,
        ),
        "drop_setup": StringProperty(
            name="Setup",
            description="The identity of the setup that builds without the island; empty for all",
            update=_mark_changed,
        ),
        "edit_setup": StringProperty(
            name="Setup",
            description="The identity of the setup that heeds it; empty for all",
            update=_mark_changed,
        ),
        "edit_below": FloatProperty(
            name="Below",
            description="How far below its faces it marks ground",
            default=0.5,
            min=0.0,
            unit="LENGTH",
            update=_mark_changed,
        ),
        "edit_above": FloatProperty(
            name="Above",
            description="How far above its faces it marks ground",
            default=1.0,
            min=0.0,
            unit="LENGTH",
            update=_mark_changed,
        ),
        # Outlines in its own coordinates whose ground a patch takes the place of, beside that at its faces, as JSON.
        "edit_footprint": StringProperty(options={"HIDDEN"}, update=_mark_changed),
        # Square metres that it marked when it was made, by setup and what it was then, as JSON.
        "edit_made": StringProperty(options={"HIDDEN"}),
        "door_name": StringProperty(
            name="Door",
            description="What games and path tests call it. Empty: its object's name. Those of one name are one door, "
            "as both wings of a gate",
            update=_mark_changed,
        ),
        "door_closed": BoolProperty(
            name="Closed",
            description="Nobody passes it. Its polygons stay, and a game opens it: with Live it costs no build",
            update=_mark_changed,
        ),
        "door_asks": EnumProperty(
            name="Asks For",
            description="The ability that it asks of an agent while it is open, in place of what its ground asks for",
            items=DOOR_ASKS,
            update=_mark_changed,
        ),
        "obstacle_shape": EnumProperty(
            name="Shape", description="What of it stands in the way", items=OBSTACLE_SHAPES, update=_mark_changed
        ),
        "resolution": EnumProperty(
            name="Cells",
            description="How wide cells are in tiles that it touches. Where several touch a tile the finest counts",
            items=RESOLUTIONS,
            default="HALF",
            update=_mark_changed,
        ),
    }


class NavmeshCollection(bpy.types.PropertyGroup):
    """`Collection.navmesh`"""

    if TYPE_CHECKING:
        exclude: bool
        area: int
    __annotations__ = {
        "exclude": BoolProperty(
            name="Leave Out", description="Objects of this collection are not used", update=_mark_changed
        ),
        "area": IntProperty(
            name="Area", description="Area type of its objects: 0 as others say, -1 not walkable", **_AREA
        ),
    }


class NavmeshMaterial(bpy.types.PropertyGroup):
    """`Material.navmesh`"""

    if TYPE_CHECKING:
        area: int
    __annotations__ = {
        "area": IntProperty(name="Area", description="Area type of faces with this material: 0 as others say", **_AREA),
    }


Marked = bpy.types.Object | bpy.types.Collection | bpy.types.Material


@overload
def marks_of(owner: bpy.types.Object) -> NavmeshObject: ...
@overload
def marks_of(owner: bpy.types.Collection) -> NavmeshCollection: ...
@overload
def marks_of(owner: bpy.types.Material) -> NavmeshMaterial: ...
@overload
def marks_of(owner: Marked) -> NavmeshObject | NavmeshCollection | NavmeshMaterial: ...
def marks_of(owner: Marked) -> NavmeshObject | NavmeshCollection | NavmeshMaterial:
    """What artists said in the panel about an object, a collection or a material: its property `navmesh`."""
    return owner.navmesh  # type: ignore[union-attr] # stubs know no properties of ours


def setup_of(object_: bpy.types.Object) -> str:
    """The identity of the setup whose builds heed a mark, "" for all."""
    marks = marks_of(object_)
    return str(marks.drop_setup if object_use(object_) == "DROP" else marks.edit_setup)


def door_of(object_: bpy.types.Object, owner: str = "") -> str:
    """The name of a door; `owner` is the object that shows it as an instance: each of these is a door of its own."""
    name = str(marks_of(object_).door_name).strip() or object_.name
    return f"{owner}/{name}" if owner else name


def asked_by_door(object_: bpy.types.Object) -> int:
    """The ability that a door asks for, as a bit; 0: none beside that of its ground."""
    return _BITS[str(marks_of(object_).door_asks)]


def resolution_of(object_: bpy.types.Object) -> float:
    """How many times as wide cells are in the tiles that it touches."""
    return _SCALES[str(marks_of(object_).resolution)]


def is_ours(owner: Marked) -> bool:
    """Whether we made this object, collection or material."""
    return has_property(owner, ROLE)


def object_use(object_: bpy.types.Object) -> str:
    """One of the uses above; the custom property counts where the panel says nothing."""
    use = str(marks_of(object_).use)
    if use != "AUTO" or not has_property(object_, USE):
        return use
    return "INCLUDE" if object_[USE] else "EXCLUDE"


def names_in_lists() -> Callable[[bpy.types.Object], str]:
    """What lists call an object: by its name; in full, with its file, where it is linked and called as one that is not.

    For as long as nobody renames one: to ask Blender for the other of a name would go through all objects each time.
    """
    own = {object_.name for object_ in bpy.data.objects if object_.library is None}
    return lambda one: one.name_full if one.library is not None and one.name in own else one.name


def area_of(owner: Marked) -> int:
    """Area that an object, a collection or a material asks for, 0 for none."""
    area = int(marks_of(owner).area)
    if area == UNSET and isinstance(owner.get(AREA), int):
        area = max(NOT_WALKABLE, min(PLAIN, owner[AREA]))
    return area


def excludes(collection: bpy.types.Collection) -> bool:
    """Whether a collection leaves its objects out."""
    if is_ours(collection) or marks_of(collection).exclude:
        return True
    return has_property(collection, USE) and not collection[USE]


def matches(name: str, patterns: str) -> str:
    """The first of the patterns (separated by commas) that a name fits, else "". Blender's `.001` does not count."""
    plain = _NUMBER.sub("", name).lower()
    return next((pattern for pattern, fits in _compiled(patterns) if fits.match(plain)), "")


@lru_cache(64)  # asked for every object
def _compiled(patterns: str) -> list[tuple[str, re.Pattern[str]]]:
    stripped = (pattern.strip() for pattern in patterns.split(","))
    return [(pattern, re.compile(fnmatch.translate(pattern.lower()))) for pattern in stripped if pattern]


def _overridable(group: type) -> type:
    """What overrides of a library's objects say is kept in files, too; not what is computed, which Blender would set
    while a file is loaded."""
    for deferred in group.__annotations__.values():
        if "set" not in deferred.keywords:
            deferred.keywords["override"] = {"LIBRARY_OVERRIDABLE"}
    return group


_MARKS = {"Object": NavmeshObject, "Collection": NavmeshCollection, "Material": NavmeshMaterial}
POINTERS = {name: _overridable(group) for name, group in _MARKS.items()}


def keep_overrides(*_: object) -> None:
    """Before a file is saved: Blender 5 loses what an override says where it, or the library's own, was never asked for
    its marks since the file was opened."""
    groups: tuple[Iterable[Marked], ...] = (bpy.data.objects, bpy.data.collections, bpy.data.materials)
    for one in chain(*groups):
        library = one.override_library
        if library is not None and library.reference is not None:
            area_of(one), area_of(cast("Marked", library.reference))


HANDLERS = (("save_pre", keep_overrides),)
