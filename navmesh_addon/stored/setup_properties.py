"""Properties of a setup: what one agent's navmesh is built from, with which settings, and its tint."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from .. import events
from .preset_files import usual_agent
from .setting_properties import setting_properties, write_values
from .view_properties import COLORS

if TYPE_CHECKING:
    from .setting_properties import SettingValue

# --- Which objects a navmesh is built from, as setups and navmesh objects store it. Plain Python: safe on any thread.

SELECTED, COLLECTION, VISIBLE, LISTED = "SELECTED", "COLLECTION", "VISIBLE", "LISTED"
SKIP_NAMES = "*-noimp, UCX_*, *-colonly"  # what Godot and Unreal call objects that are not to be seen or stood on
KINDS = ("MESH", "CURVE", "SURFACE", "FONT", "META")


class Sources(NamedTuple):
    """Which objects to build from."""

    scope: str = SELECTED
    collection: str = ""
    names: tuple[str, ...] = ()  # of the objects, for LISTED
    skip_names: str = SKIP_NAMES
    only_names: str = ""  # where given, only objects with such names
    kinds: tuple[str, ...] = KINDS
    scale: float = 1.0  # times which the level is as large: 0.01 where it was drawn in centimetres

    @classmethod
    def from_mapping(cls, stored: Mapping[str, Any]) -> Sources:
        """Those that a navmesh remembers; older versions know no scale. Raises KeyError, TypeError, ValueError."""
        lists = {name: tuple(map(str, stored[name])) for name in ("names", "kinds")}
        words = {name: str(stored[name]) for name in ("scope", "collection", "skip_names", "only_names")}
        return cls(**lists, **words, scale=float(stored.get("scale", 1.0)))  # type: ignore[arg-type]


FIRST_NAME = "Navmesh"  # of a setup that nobody named
SCOPES = (
    ("SELECTED", "Selected Objects", "Build from the selected objects"),
    ("COLLECTION", "Collection", "Build from what a collection and those in it show"),
    ("VISIBLE", "Everything Visible", "Build from all that the viewport shows"),
    ("LISTED", "Same as Last Time", "Build from the objects that the last build used"),
)


# --- How finely a level is looked at: cells of a size that fits the agent.

OWN = "OWN"
DETAILS = (
    ("COARSE", "Coarse", "Two cells to the agent's radius: quick, for large levels and first looks", 2),
    ("NORMAL", "Normal", "Three cells to the agent's radius, as usual", 3),
    (
        "FINE",
        "Fine",
        "Five cells to the agent's radius: follows narrow places closely, and takes three times as long",
        5,
    ),
)
_LOWER = 0.6  # of a cell's width is its height, or less
_NEAR = 0.01  # relative: presets write few digits
_DIGITS = 5  # after the point, as many as presets write


def _detail_of(setup: NavmeshSetup) -> int:
    """How many cells go to the radius, where that is one of the usual numbers; 0 for other sizes of cells."""
    sizes = ((count, setup.agent_radius / count) for *_, count in DETAILS)
    return next((count for count, size in sizes if abs(setup.cell_size - size) <= _NEAR * size), 0)


def _set_detail(setup: NavmeshSetup, count: int) -> None:
    """Cells of which so many go to the radius, and of which a climb is a whole number, two or more."""
    radius, climb = setup.agent_radius, setup.agent_max_climb
    if not count or radius <= 0:
        return
    setup.cell_size = size = _rounded(radius / count, 1, lambda cell: math.ceil(_cells(radius, cell)) == count)
    steps = max(2, math.ceil(climb / (size * _LOWER) - _NEAR))
    height = climb / steps if climb > 0 else size * _LOWER
    setup.cell_height = _rounded(height, -1, lambda cell: climb <= 0 or math.floor(_cells(climb, cell)) == steps)


def _rounded(value: float, way: int, is_fine: Callable[[float], bool]) -> float:
    """With few digits; a last digit more or less where rounding would take a cell or add one."""
    few = round(value, _DIGITS)
    return few if is_fine(few) else round(few + way * 10.0**-_DIGITS, _DIGITS)


def _cells(length: float, cell: float) -> float:
    """As builds divide."""
    return _single(_single(length) / _single(cell))


def _single(value: float) -> float:
    """Rounded to 32 bits."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def _tint_again(setup: NavmeshSetup, _context: bpy.types.Context) -> None:
    events.setup_tint_changed.happened(setup.uid)


def _color_scene(setup: NavmeshSetup, _context: bpy.types.Context) -> None:
    setup.id_data.navmesh.color_by = setup.color_by


class NavmeshSetup(bpy.types.PropertyGroup):
    """One row of `Scene.navmesh.setups`"""

    if TYPE_CHECKING:  # beside all settings
        uid: str
        version: int
        scope: str
        collection: bpy.types.Collection | None
        listed: str
        skip_names: str
        only_names: str
        kinds: set[str]
        scale: float
        prune: bool
        color_by: str
        keep_stages: bool
        as_one: bool
        outcome: str
        detail: str
        agent_radius: float
        agent_max_climb: float
        cell_size: float
        cell_height: float
        generate_links: bool
        tint: Sequence[float]
    __annotations__ = {
        "name": StringProperty(name="Name", description="Name of the agent, and of its navmesh", default=FIRST_NAME),
        "uid": StringProperty(options={"HIDDEN"}),
        "version": IntProperty(options={"HIDDEN"}),
        "scope": EnumProperty(name="From", description="What the navmesh is built from", items=SCOPES),
        "collection": PointerProperty(name="Collection", type=bpy.types.Collection),
        "listed": StringProperty(options={"HIDDEN"}),  # names, one on a line
        "skip_names": StringProperty(
            name="Leave Out Names",
            description="Patterns separated by commas: such objects are not used",
            default=SKIP_NAMES,
        ),
        "only_names": StringProperty(
            name="Only Names", description="Patterns separated by commas: where given, only such objects are used"
        ),
        "kinds": EnumProperty(
            name="Types",
            description="Types of objects that are used",
            items=[(kind, "Text" if kind == "FONT" else kind.title(), "") for kind in KINDS],
            options={"ENUM_FLAG"},
            default=set(KINDS),
        ),
        "scale": FloatProperty(
            name="Level Scale",
            description="The level is built this many times as large: 0.01 where it was drawn in centimetres. Agents "
            "and cells keep their sizes, objects stay as they are, files are in metres",
            default=1.0,
            min=1e-6,
            max=1e6,
            soft_min=0.001,
            soft_max=1000.0,
            precision=5,
        ),
        "prune": BoolProperty(
            name="Only What Seeds Reach",
            description="Leave out ground that no seed can reach: roofs, the inside of closed props. "
            "Mark empties where agents set out as Seed",
        ),
        "detail": EnumProperty(
            name="Detail",
            description="How finely the level is looked at: sets both sizes of cells from the agent's radius",
            items=[(OWN, "Own", "Cells of another size", 0), *DETAILS],
            get=_detail_of,
            set=_set_detail,
        ),
        "color_by": EnumProperty(
            name="Color By",
            description="As older files and scripts have it: the scene's own Color By follows it",
            items=COLORS,
            options={"HIDDEN"},
            update=_color_scene,
        ),
        "keep_stages": BoolProperty(
            name="Keep Stages",
            description="Keep what every stage made, to look at it in the viewport. Takes much memory",
        ),
        "as_one": BoolProperty(
            name="Build as One",
            description="One navmesh for all setups of the scene: height and radius of each are a size of agents, "
            "with a flag that its filter excludes in the game. All else is as this setup says",
        ),
        "outcome": StringProperty(options={"HIDDEN"}),  # see `intent_results.py`
        "tint": FloatVectorProperty(
            name="Tint",
            description="Color of this agent's navmesh. Reset it to its default to see the area types' own colors",
            subtype="COLOR",
            default=(0.0, 0.45, 0.75),
            min=0.0,
            max=1.0,
            update=_tint_again,
        ),
        **setting_properties(usual_agent()),
    }

    def set_metres(self, **values: SettingValue) -> None:
        """Set some settings, in metres and degrees whatever the scene's unit scale is. For presets and scripts."""
        write_values(self, values, self.id_data.unit_settings.scale_length)
