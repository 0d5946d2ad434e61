"""TRIANGLES: what contours are cut into, and what is left of the cuts once triangles are merged."""

from __future__ import annotations

import numpy as np

from ...result.draped_edges import INNER, draped_edges
from ...result.navmesh import Tile
from ...types import F32, I64, U8
from ..picture import Color, LegendRow, Picture, Piece, Point, Shown
from ..region_colors import colors_of_regions, region_rows
from .contour_triangles import ContourTriangles, triangulate_contours
from .drawn import WALL_COLOR, areas_of, is_shown, lift_of, of_kinds, picture_of, raised, triangle_at
from .ground import fans_of
from .rings import Rings, rings_of

BEFORE, AFTER = "before", "after"
TRIANGLE_VARIANTS = ((BEFORE, "Before Merging"), (AFTER, "After Merging"))
DIAGONAL_COLOR: Color = (255, 160, 32, 220)
TRIANGLE_COLOR: Color = (128, 128, 128, 128)
_OPACITY = 128
_CUT, _OUTLINE = 0, 1
_EDGES: tuple[tuple[str, Color], ...] = (("Cuts", DIAGONAL_COLOR), ("Outlines", WALL_COLOR))


def draw_triangles(piece: Piece, shown: Shown) -> Picture:
    """Straight triangles at the heights of the outlines, or the polygons that they were merged into."""
    mesh = piece.stages["polygon_mesh"]
    rings = rings_of(piece)
    found = _found(piece)
    if shown.variant == AFTER:
        triangles, polygon = fans_of(mesh)
        region = mesh.region[polygon]
        edges = draped_edges(Tile(0, 0, mesh, None))
        lines, kinds = edges.points, np.where(edges.kind == INNER, _CUT, _OUTLINE)
    else:
        triangles, region = rings.points[found.corners], rings.region[found.contour]
        lines, kinds = _edges(rings, found)
    drawn, drawn_lines = is_shown(triangles, shown), is_shown(lines, shown)
    lift = lift_of(piece)
    line_colors, rows = of_kinds(kinds[drawn_lines], _EDGES)
    counts = [
        LegendRow("Triangles before merging", TRIANGLE_COLOR, len(found.corners)),
        LegendRow("Polygons after merging", TRIANGLE_COLOR, len(mesh.polygons)),
        LegendRow("Outlines cut up in part", WALL_COLOR, int(found.unfinished.sum())),
    ]
    return picture_of(
        raised(triangles[drawn], lift), colors_of_regions(region[drawn], piece.tile, _OPACITY),
        raised(lines[drawn_lines], lift), line_colors,
        [*counts, *rows, *region_rows(piece, piece.tile, region[drawn])],
    )  # fmt: skip


def _found(piece: Piece) -> ContourTriangles:
    contours = piece.stages["contours"]
    found: ContourTriangles = triangulate_contours(contours.first, contours.points, np.zeros(1, np.uint8))
    return found


def _edges(rings: Rings, found: ContourTriangles) -> tuple[F32, U8]:
    """Every edge once, and whether it is an outline's."""
    start = found.corners.astype(np.int64)
    end = np.roll(start, -1, axis=1)
    count = np.int64(len(rings.points))
    pairs: I64 = np.unique(np.minimum(start, end) * count + np.maximum(start, end))
    low, high = pairs // count, pairs % count
    outer = (rings.after[low] == high) | (rings.after[high] == low)
    return np.stack([rings.points[low], rings.points[high]], axis=1), np.where(outer, _OUTLINE, _CUT).astype(np.uint8)


def triangles_at(piece: Piece, shown: Shown, point: Point) -> str:
    """The triangle, or the polygon, and its region."""
    mesh = piece.stages["polygon_mesh"]
    if shown.variant == AFTER:
        triangles, polygon = fans_of(mesh)
        row = triangle_at(triangles, shown, point)
        if row < 0:
            return ""
        own = areas_of(triangles[polygon == polygon[row]]).sum()
        return f"Polygon {polygon[row]} of region {mesh.region[polygon[row]]}, {own:.1f} m²"
    rings, found = rings_of(piece), _found(piece)
    triangles = rings.points[found.corners]
    row = triangle_at(triangles, shown, point)
    if row < 0:
        return ""
    own = areas_of(triangles[row : row + 1]).sum()
    number = row - int(np.searchsorted(found.contour, found.contour[row]))
    return f"Triangle {number} of region {rings.region[found.contour[row]]}, {own:.1f} m²"
