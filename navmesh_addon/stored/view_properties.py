"""What the viewport shows of navmeshes and their stages: properties of `Scene.navmesh`, stored with the scene."""

from __future__ import annotations

import zlib
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from .. import events
from ..blender_types import RELATIVE_PATH, not_none

# --- How agents walk the tested way: how many at once, how fast, and how long where it is baked.

MOST = 200  # agents at a time
NO_HEAT = "NONE"

WALK_PROPERTIES: dict[str, Any] = {
    "walk_agents": IntProperty(
        name="Agents", description="How many agents are added, or baked", default=1, min=1, max=MOST
    ),
    "walk_speed": FloatProperty(
        name="Speed (m/s)",
        description="The most that agents walk, in metres a second. Counts for the next walk",
        default=1.5,
        min=0.01,
        soft_max=10.0,
        max=100.0,
    ),
    "walk_seconds": FloatProperty(
        name="Seconds",
        description="How long the baked walk is; 0 until all have arrived, ten minutes at most",
        default=0.0,
        min=0.0,
        max=600.0,
        precision=1,
    ),
    "walk_seed": IntProperty(
        name="Seed", description="Who of those that have to wait holds back when: the same seed, the same walk", min=0
    ),
    "walk_heat": EnumProperty(
        name="Heat",
        description="What of the walk is drawn on the ground",
        items=(
            (NO_HEAT, "Nothing", "Agents and their trails alone"),
            ("TIME_LOST", "Time Lost", "Where agents lose time, beyond what each would need alone"),
            ("DENSITY", "Density", "How long agents are there on their way, for each square metre"),
            ("WAITING", "Waiting", "Where agents stand"),
        ),
    ),
}


# --- What the tool Navmesh Edit does with the mouse.

SELECT, PAINT_AREA, PAINT_BLOCK, UNBLOCK = "SELECT", "AREA", "BLOCK", "UNBLOCK"
BRUSHES = (
    (SELECT, "Pick", "Pick polygons: click, Shift-click, drag a box; L for the island", "RESTRICT_SELECT_OFF", 0),
    (PAINT_AREA, "Area", "Paint an area along the ground", "BRUSH_DATA", 1),
    (PAINT_BLOCK, "Block", "Paint where there is no ground any more", "CANCEL", 2),
    (UNBLOCK, "Unblock", "Take away what is blocked by hand", "CHECKMARK", 3),
)

EDIT_PROPERTIES: dict[str, Any] = {
    "edit_brush": EnumProperty(name="Mouse", description="What the mouse does on the navmesh", items=BRUSHES),
    "edit_radius": FloatProperty(
        name="Radius", description="Of the brush ([ and ])", default=1.0, min=0.01, soft_max=20.0, unit="LENGTH"
    ),
    "edit_area": IntProperty(name="Area", description="Area type that the brush paints", default=2, min=0, max=63),
}


VIEWS = (
    ("NONE", "Navmesh", "The finished navmesh"),
    ("SLOPE", "Slope", "How steep the level is, and what is too steep"),
    (
        "VOXELS",
        "Solid Cells",
        "What is solid, and whether an agent may stand on it. Recast: heightfield of spans (voxels)",
    ),
    ("COMPACT", "Open Ground", "Where there is room above the ground. Recast: compact heightfield"),
    ("REASONS", "Why Not Walkable", "Why ground is not walkable, cell by cell"),
    ("DISTANCE", "Distance to Edges", "How far it is to the nearest edge. Recast: distance field"),
    ("WATER", "How Regions Grow", "How regions fill the ground from the middles to the edges. Recast: watershed"),
    ("REGIONS", "Regions", "Which region each cell belongs to"),
    ("CONNECTIONS", "Neighbors", "Which regions touch each other. Recast: region graph"),
    ("RAW_CONTOURS", "Borders by Cell", "Outlines of regions, cell by cell. Recast: raw contours"),
    ("CONTOURS", "Simplified Borders", "Outlines of regions with few corners. Recast: contours"),
    (
        "TRIANGLES",
        "Cut into Triangles",
        "Outlines divided into triangles, before they are merged. Recast: triangulation",
    ),
    ("POLYGONS", "Merged Polygons", "Convex polygons, which agents walk on. Recast: polygon mesh"),
    ("DETAIL", "Height Detail", "Triangles that follow the ground. Recast: detail mesh"),
    ("TREE", "Search Boxes", "The boxes in which Detour looks for polygons: its bounding volume tree"),
    ("TILES", "Tiles", "Where tiles lie, and how long each took"),
    ("MEADOW", "Larger Pieces", "Outlines divided into convex pieces, split by split: Meadow mapping, to compare with"),
)

BUILD, MARK, TEST = "BUILD", "MARK", "TEST"
TABS = (
    (BUILD, "Build", "The navmesh, its agent, and what it is built from"),
    (MARK, "Mark", "What objects are for: areas, links, volumes, seeds; what was found, and what can be reached"),
    (TEST, "Test", "Ways on the navmesh, why there is none, agents that walk, and views"),
)
"""The tabs of the panel."""

_SWITCHES = (
    ("show_navmesh", "Navmesh", "Draw the navmesh over the viewport (Ctrl Alt N)", True),
    ("draw_surface", "Surface", "Its ground in the colors of its areas, where the mesh objects are hidden", True),
    ("draw_edges", "Edges", "Edges between polygons, along the ground", True),
    ("draw_walls", "Walls", "Walls along the ground, and borders of tiles in white", True),
    ("draw_links", "Links", "Arcs over links; red, and seen through walls, where one is attached to nothing", True),
    ("draw_vertices", "Vertices", "A short post at every corner of a polygon", False),
    ("draw_helpers", "Helpers", "Volumes, bounds and seeds, as the navmesh was built with them", False),
    ("draw_x_ray", "X-Ray", "Show, weaker, also what something stands before", False),
    (
        "draw_hidden",
        "Even Where Hidden",
        "Draw the navmesh also where its mesh objects are hidden: they are not needed for the picture",
        False,
    ),
)
LAST, BEFORE, FILE = "LAST", "BEFORE", "FILE"
_SIDES = (
    (LAST, "The Last Build", "The navmesh of the active setup", "NONE", 0),
    (
        BEFORE,
        "Before the Last Build",
        "The navmesh whose place the last build took, of the active setup or of the one it is compared with",
        "NONE",
        1,
    ),
    (FILE, "File…", "A navmesh file of any format that is read", "NONE", 2),
)
_listed: list[tuple[str, str, str, str, int]] = []  # Blender keeps no texts of a list that is made anew


def _sides(stored: Any, _context: bpy.types.Context | None) -> list[tuple[str, str, str, str, int]]:
    """What can be compared, for `Scene.navmesh`. A setup's number is made of its identity, so that removing another one
    changes no choice."""
    setups = [
        (setup.uid, setup.name, f"The navmesh of “{setup.name}”", "NONE", 3 + zlib.crc32(setup.uid.encode()) // 4)
        for setup in stored.setups
    ]
    _listed[:] = [*_SIDES, *setups]
    return _listed


COLORS = (
    ("AREA", "Area", "Each area type in its color"),
    ("REGION", "Region", "Neighboring regions in different colors"),
    ("ISLAND", "Island", "Parts that no path joins in different colors"),
    ("POLYGON", "Polygon", "Polygons in different colors, to tell them apart"),
    ("CLEARANCE", "Clearance", "How wide an agent may be that stands in a polygon: red where it is narrow"),
    ("COST", "Cost", "How dear a metre is, as the area type says: red where agents would rather not go"),
    ("SIZE", "Size", "For how many of the sizes of agents a polygon is too small, where the navmesh is for several"),
    ("SLOPE", "Slope", "How steep the ground of a polygon is on average: red where it is steep"),
)


def _color_again(stored: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    events.color_by_changed.happened(stored.id_data.session_uid, stored.color_by)  # type: ignore[attr-defined] # a NavmeshScene


FORMS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "VOXELS": (
        ("walkable", "Walkable or Not", ""), ("dense", "Dense Voxels", ""), ("solid", "Solid Spans", ""),
        ("compact", "Open Spans", ""),
    ),
    "REGIONS": (("regions", "Regions", ""), ("border", "With Borders of Tiles", "")),
    "CONTOURS": (
        ("simplified", "Simplified", ""), ("both", "Raw and Simplified", ""),
        ("bridges", "With Bridges to Holes", ""),
    ),
    "TRIANGLES": (("before", "Before Merging", ""), ("after", "After Merging", "")),
}  # fmt: skip
"""Of views that have several: a test compares them with navcore's."""
LEVELED = frozenset({"WATER", "TREE", "MEADOW"})
"""Views that show a course of events."""


def form_of(view: str) -> str:
    """The property that chooses the form of a view."""
    return f"view_form_{view.lower()}"


def _live_again(stored: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    events.live_switched.happened(not_none(stored.id_data).session_uid)


VIEW_PROPERTIES: dict[str, Any] = {
    "tab": EnumProperty(name="Tab", description="What of the panel is shown", items=TABS),
    "live": BoolProperty(
        name="Live",
        description="Follow the level while you work: what changed of the active setup's navmesh is built again and "
        "shown at once, and written when you rest or save",
        update=_live_again,
    ),
    "live_paused": BoolProperty(
        name="Pause", description="Follow nothing until this is switched off", update=_live_again
    ),
    "view": EnumProperty(
        name="View",
        description="What the viewport shows: the finished navmesh, or what a stage of the last build made",
        items=VIEWS,
    ),
    **{
        name: BoolProperty(name=label, description=description, default=default)
        for name, label, description, default in _SWITCHES
    },
    "isolated_island": IntProperty(
        name="Isolated Island",
        description="The only island of the active setup that is drawn, as navmesh_island has it. -1: all are",
        default=-1,
        min=-1,
    ),
    "hidden_for_island": StringProperty(options={"HIDDEN"}),  # JSON: names of the mesh objects that isolating hid
    "with_obstacles": BoolProperty(
        name="With Obstacles",
        description="Draw the active setup's navmesh as a game has it that cuts out the obstacles of the scene",
        update=lambda _stored, _context: events.obstacles_switched.happened(),
    ),
    "hidden_for_obstacles": StringProperty(options={"HIDDEN"}),  # JSON: names of the mesh objects that this hid
    "draw_fade": FloatProperty(
        name="Fade",
        description="Distance at which nothing is left of the drawn navmesh, in metres. 0: it does not fade",
        default=0.0,
        min=0.0,
        soft_max=1000.0,
        subtype="DISTANCE",
    ),
    "compare_a": EnumProperty(name="From", description="What is compared", items=_sides, default=1),
    "compare_b": EnumProperty(name="To", description="What it is compared with", items=_sides, default=0),
    **{
        f"compare_file_{side}": StringProperty(
            name="File", description="The navmesh file to compare", subtype="FILE_PATH", options=RELATIVE_PATH
        )
        for side in "ab"
    },
    "compare_x_ray": BoolProperty(
        name="Through Objects",
        description="Show what changed behind and inside of objects, too, but weaker",
        default=True,
    ),
    "compare_answer": StringProperty(options={"HIDDEN"}),  # JSON, as `navcore compare --json` has it
    "color_by": EnumProperty(
        name="Color By",
        description="What the colors of all navmeshes of the scene show. They change at once",
        items=COLORS,
        update=_color_again,
    ),
    "view_level": FloatProperty(
        name="Level",
        description="How far a course of events is: the water's level, the depth of a tree, the number of splits",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    ),
    "view_tile_only": BoolProperty(
        name="One Tile", description="Show the tile at the 3D cursor alone, of a navmesh that is built in tiles"
    ),
    "view_cut_below": BoolProperty(name="Cut Below", description="Leave out what lies lower than a height"),
    "view_lowest": FloatProperty(
        name="Lowest", description="What lies lower is cut away", subtype="DISTANCE", default=-1.0
    ),
    "view_cut_above": BoolProperty(name="Cut Above", description="Leave out what lies higher than a height"),
    "view_highest": FloatProperty(
        name="Highest", description="What lies higher is cut away", subtype="DISTANCE", default=2.0
    ),
    **{
        form_of(view): EnumProperty(name="Form", description="Which form of the view is shown", items=forms)
        for view, forms in FORMS.items()
    },
}
