"""The views of outlines and meshes, in the order of the stages."""

from __future__ import annotations

from ..picture import View
from .contours import (
    CONTOUR_VARIANTS,
    contours_at,
    draw_contours,
    draw_raw_contours,
    raw_contour_at,
)
from .detail import detail_at, draw_detail
from .meadow_view import draw_meadow, meadow_at
from .polygon_views import TRIANGLE_VARIANTS, draw_polygons, draw_triangles, polygons_at, triangles_at
from .tiles import draw_tiles, tiles_at
from .tree import draw_tree, tree_at

_CONTOURS = ("grid", "contours")
_MESH = (*_CONTOURS, "polygon_mesh")

OUTLINE_VIEWS: tuple[View, ...] = (
    View(
        "RAW_CONTOURS", "Raw Contours", "Every step of the walk around each region, and what lies across",
        _CONTOURS, draw_raw_contours, raw_contour_at,
    ),
    View(
        "CONTOURS", "Contours", "Outlines after simplifying, holes joined to them",
        _CONTOURS, draw_contours, contours_at, CONTOUR_VARIANTS,
    ),
    View(
        "TRIANGLES", "Triangles", "What outlines are cut into, and the polygons that triangles are merged into",
        _MESH, draw_triangles, triangles_at, TRIANGLE_VARIANTS,
    ),
    View(
        "POLYGONS", "Polygons", "Polygons in the colors of their regions; walls stand out, borders of tiles are white",
        (), draw_polygons, polygons_at,
    ),
    View(
        "DETAIL", "Detail", "The triangles that follow the ground, and the samples they were made of",
        (), draw_detail, detail_at,
    ),
    View(
        "TREE", "Tree", "The boxes that queries walk through to find polygons; the level chooses the depth",
        (), draw_tree, tree_at,
    ),
    View(
        "TILES", "Tiles", "Bounds of tiles, how many polygons each has, and how long it took to build",
        (), draw_tiles, tiles_at,
    ),
    View(
        "MEADOW", "Meadow", "Outlines divided by Meadow mapping, split by split; the level chooses how many splits",
        _MESH, draw_meadow, meadow_at,
    ),
)  # fmt: skip
