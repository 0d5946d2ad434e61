"""What the viewport shows of navmeshes and their stages: properties of `Scene.navmesh`, stored with the scene."""

from __future__ import annotations

from typing import Any

from bpy.props import BoolProperty, EnumProperty, FloatProperty

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


VIEW_PROPERTIES: dict[str, Any] = {
    "view": EnumProperty(
        name="View",
        description="What the viewport shows: the finished navmesh, or what a stage of the last build made",
        items=VIEWS,
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
