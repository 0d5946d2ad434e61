"""What the viewport shows of navmeshes and their stages: properties of `Scene.navmesh`, stored with the scene."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty

from .. import events

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

COLORS = (
    ("AREA", "Area", "Each area type in its color"),
    ("REGION", "Region", "Neighboring regions in different colors"),
    ("ISLAND", "Island", "Parts that no path joins in different colors"),
    ("POLYGON", "Polygon", "Polygons in different colors, to tell them apart"),
    ("CLEARANCE", "Clearance", "How wide an agent may be that stands in a polygon: red where it is narrow"),
    ("COST", "Cost", "How dear a metre is, as the area type says: red where agents would rather not go"),
    ("SLOPE", "Slope", "How steep the ground of a polygon is on average: red where it is steep"),
)


def _color_again(stored: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    events.color_by_changed.happened(stored.id_data.session_uid, stored.color_by)  # type: ignore[attr-defined] # a NavmeshScene


VIEW_PROPERTIES: dict[str, Any] = {
    "view": EnumProperty(
        name="View",
        description="What the viewport shows: the finished navmesh, or what a stage of the last build made",
        items=VIEWS,
    ),
    "color_by": EnumProperty(
        name="Color By",
        description="What the colors of all navmeshes of the scene show. They change at once",
        items=COLORS,
        update=_color_again,
    ),
}
