"""The views of cells, in the order of the stages."""

from __future__ import annotations

from ..picture import View
from .open_cells import compact_at, distance_at, draw_compact, draw_distance, draw_water, water_at
from .reason_cells import draw_reasons, reason_at
from .region_cells import BORDER, connections_at, draw_connections, draw_regions, regions_at
from .slope import draw_slope, slope_at
from .voxels import VARIANTS, draw_voxels, voxels_at

_OPEN = ("grid", "eroded")
_ALL_FILTERS = ("grid", "low_hanging", "ledges", "low_height", "compact", "eroded", "regions")

CELL_VIEWS: tuple[View, ...] = (
    View(
        "SLOPE", "Slope", "The level's own triangles in grey; amber where they are too steep",
        ("grid", "triangle_areas"), draw_slope, slope_at,
    ),
    View(
        "VOXELS", "Voxels", "Matter as boxes: green where an agent can stand on it, red where it can't",
        ("grid", "low_height", "eroded"), draw_voxels, voxels_at, VARIANTS,
    ),
    View(
        "COMPACT", "Open Space", "Floors with room for an agent; black where its center can't stand",
        _OPEN, draw_compact, compact_at,
    ),
    View(
        "REASONS", "Reasons", "Of every surface, why there is no navmesh on it",
        _ALL_FILTERS, draw_reasons, reason_at,
    ),
    View(
        "DISTANCE", "Distance", "How far it is to the nearest edge: white is farthest",
        (*_OPEN, "distance"), draw_distance, distance_at,
    ),
    View(
        "WATER", "Water", "The watershed at work: water rises from the spots farthest from any edge",
        (*_OPEN, "distance", "regions"), draw_water, water_at,
    ),
    View(
        "REGIONS", "Regions", "Which cells one outline goes around",
        (*_OPEN, "regions"), draw_regions, regions_at, (("regions", "Regions"), (BORDER, "With Borders of Tiles")),
    ),
    View(
        "CONNECTIONS", "Connections", "Which regions touch",
        (*_OPEN, "regions"), draw_connections, connections_at,
    ),
)  # fmt: skip
