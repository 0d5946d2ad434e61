"""What the viewport shows of navmeshes and their stages: properties of `Scene.navmesh`, stored with the scene."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from bpy.props import BoolProperty, EnumProperty, StringProperty

from ..blender_types import RELATIVE_PATH

if TYPE_CHECKING:
    import bpy

VIEWS = (
    ("NONE", "Navmesh", "The finished navmesh"),
    ("SLOPE", "Slope", "How steep the level is, and what is too steep"),
    ("VOXELS", "Voxels", "Solid spans, and whether an agent may stand on them"),
    ("COMPACT", "Open Ground", "Where there is room above the ground"),
    ("REASONS", "Reasons", "Why ground is not walkable"),
    ("DISTANCE", "Distance", "How far it is to the nearest edge"),
    ("WATER", "Rising Water", "How the watershed fills the ground from the middles to the edges"),
    ("REGIONS", "Regions", "Which region each cell belongs to"),
    ("CONNECTIONS", "Connections", "Which regions touch each other"),
    ("RAW_CONTOURS", "Raw Contours", "Outlines of regions, cell by cell"),
    ("CONTOURS", "Contours", "Simplified outlines of regions"),
    ("TRIANGLES", "Triangles", "Outlines divided into triangles, before they are merged"),
    ("POLYGONS", "Polygons", "Convex polygons"),
    ("DETAIL", "Detail", "Triangles that follow the ground"),
    ("TREE", "Tree", "The boxes in which Detour looks for polygons"),
    ("TILES", "Tiles", "Where tiles lie, and how long each took"),
    ("MEADOW", "Meadow", "Outlines divided into convex islands, split by split"),
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


VIEW_PROPERTIES: dict[str, Any] = {
    "view": EnumProperty(
        name="View",
        description="What the viewport shows: the finished navmesh, or what a stage of the last build made",
        items=VIEWS,
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
}
