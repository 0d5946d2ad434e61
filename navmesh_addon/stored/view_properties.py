"""What the viewport shows of navmeshes and their stages: properties of `Scene.navmesh`, stored with the scene."""

from __future__ import annotations

from typing import Any

from bpy.props import EnumProperty

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

VIEW_PROPERTIES: dict[str, Any] = {
    "view": EnumProperty(
        name="View",
        description="What the viewport shows: the finished navmesh, or what a stage of the last build made",
        items=VIEWS,
    ),
}
