"""POLYGONS and TRIANGLES: the polygons of the finished mesh, and the triangles that they were merged from."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from ..build_warning import Point
from ..jit import kernel
from ..result.draped_edges import INNER, draped_edges
from ..result.navmesh import Tile
from ..stages.polygons.triangulate import X, Z, ear_room, triangulate
from ..types import F32, I32, I64, U8, AnyInt
from .contour_rings import Rings, rings_of
from .ground_triangles import (
    EDGE_NAMES,
    area_name,
    corners_of,
    edges_of,
    fans_of,
    ground_of,
    named_polygon,
    polygon_areas,
    tiles_of,
)
from .outline_picture import (
    CORNER_COLOR,
    WALL_COLOR,
    areas_of,
    crosses,
    is_shown,
    lift_of,
    of_kinds,
    picture_of,
    raised,
    same_color,
    triangle_at,
)
from .picture import Color, LegendRow, Picture, Shown, ViewedPiece
from .region_colors import colors_of_regions, region_rows


class ContourTriangles(NamedTuple):
    """T triangles."""

    corners: I32  # (T, 3) rows of the contours' points
    contour: I32  # (T,)
    unfinished: U8  # (contours,) 1 where no further ear was found


@kernel
def triangulate_contours(first: I32, points: I32, cancelled: U8) -> ContourTriangles:
    """The triangles of all contours, one after the other."""
    contours, largest = first.shape[0] - 1, np.int64(3)
    for k in range(contours):
        largest = max(largest, np.int64(first[k + 1] - first[k]))
    room = ear_room(largest)
    ring, triangles = room.ring, room.triangles
    corners, contour = np.empty((points.shape[0], 3), np.int32), np.empty(points.shape[0], np.int32)
    unfinished, used = np.zeros(contours, np.uint8), 0
    for k in range(contours):
        begin, size = first[k], first[k + 1] - first[k]
        if size < 3:
            continue
        for i in range(size):
            ring[i, X], ring[i, Z] = points[begin + i, 0], points[begin + i, 2]
        made = triangulate(ring, room.ears, room.boxes, triangles, size, cancelled)
        unfinished[k] = 1 if made <= 0 else 0
        count: AnyInt = abs(made)
        for t in range(count):
            for i in range(3):
                corners[used, i] = begin + triangles[t, i]
            contour[used] = k
            used += 1
    return ContourTriangles(corners[:used].copy(), contour[:used].copy(), unfinished)


BEFORE, AFTER = "before", "after"
TRIANGLE_VARIANTS = ((BEFORE, "Before Merging"), (AFTER, "After Merging"))
DIAGONAL_COLOR: Color = (255, 160, 32, 220)
TRIANGLE_COLOR: Color = (128, 128, 128, 128)
_OPACITY = 128
_CUT, _OUTLINE = 0, 1
_EDGES: tuple[tuple[str, Color], ...] = (("Cuts", DIAGONAL_COLOR), ("Outlines", WALL_COLOR))


def draw_triangles(piece: ViewedPiece, shown: Shown) -> Picture:
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


def _found(piece: ViewedPiece) -> ContourTriangles:
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


def triangles_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
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


_OPACITY = 128


def draw_polygons(piece: ViewedPiece, shown: Shown) -> Picture:
    """Polygons along the ground, as the detail mesh has it; their corners are crosses."""
    tiles = tiles_of(piece)
    ground = ground_of(tiles)
    drawn = is_shown(ground.triangles, shown)
    colors, regions = [np.zeros((0, 4), np.uint8)], []
    ends = np.searchsorted(ground.tile, np.arange(len(tiles) + 1))
    for number, tile in enumerate(tiles):
        part = slice(int(ends[number]), int(ends[number + 1]))
        own, place = tile.polygon_mesh.region, tile.key if piece.navmesh.tile_grid else None
        polygons = ground.polygon[part][drawn[part]]
        colors.append(colors_of_regions(own, place, _OPACITY)[polygons])
        regions += region_rows(piece, place, own[np.unique(polygons)])
    lines, kinds = edges_of(tiles)
    lines_drawn = is_shown(lines, shown)
    line_colors, rows = of_kinds(kinds[lines_drawn], EDGE_NAMES)
    corners = _corners(piece, shown)
    marks = crosses(corners, piece.settings.cell_size)
    return picture_of(
        raised(ground.triangles[drawn], lift_of(piece)), np.concatenate(colors),
        raised(np.concatenate([lines[lines_drawn], marks]), lift_of(piece)),
        np.concatenate([line_colors, same_color(len(marks), CORNER_COLOR)]),
        [*rows, LegendRow("Corners", CORNER_COLOR, len(corners)), *_added_up(regions)],
    )  # fmt: skip


def _corners(piece: ViewedPiece, shown: Shown) -> F32:
    """Those within the slice."""
    corners = np.concatenate([np.zeros((0, 3), np.float32), *map(corners_of, tiles_of(piece))])
    return corners[is_shown(corners[:, None], shown)]


def _added_up(rows: list[LegendRow]) -> list[LegendRow]:
    """One row for all tiles where they have no rows of their own."""
    counts: Counter[LegendRow] = Counter()
    for row in rows:
        counts[row._replace(count=0)] += row.count
    return [row._replace(count=count) for row, count in counts.items()]


def polygons_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """The polygon, its area, size and region."""
    tiles = tiles_of(piece)
    ground = ground_of(tiles)
    row = triangle_at(ground.triangles, shown, point)
    if row < 0:
        return ""
    number, polygon = int(ground.tile[row]), int(ground.polygon[row])
    mesh = tiles[number].polygon_mesh
    area, region = area_name(piece, int(mesh.area[polygon])), int(mesh.region[polygon])
    size = polygon_areas(ground, number, polygon)
    where = f"region {region}" if region else "several regions"
    return f"{named_polygon(piece, tiles[number], polygon)}, area {area}, {size:.1f} m², {where}"
