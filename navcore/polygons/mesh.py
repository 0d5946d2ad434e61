"""Stage 9, in order: weld, triangulate, merge, remove border vertices, connect."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import TooLarge
from ..grid import without_border
from ..jit import kernel
from ..threads import Workers
from ..types import I32, NO_INDEX, U8, U16, Contours, Grid, PolygonMesh
from .adjacency import PORTAL, connect_polygons, mark_portals
from .merge import merge_polygons, merge_room
from .remove import Polygons, put_row, remove_vertices
from .triangulate import X, Z, ear_room, triangulate
from .weld import WELD_HEIGHT, weld_corners

MOST_CORNERS = 65_533
MOST_COLUMNS = 65_535  # along x or z: vertices are 16-bit
_CORNERS_A_THREAD = 3_000  # less is not worth a thread


class ContourJob(NamedTuple):
    """What is to be done about contours, and where it goes."""

    first: I32  # (K + 1,) into points and vertex_of
    points: I32  # (., 4)
    vertex_of: I32  # (.,) welded
    vertices: U16  # (V, 3)
    first_row: I32  # (K,) where each contour's polygons go
    region: U16  # (K,)
    area: U8  # (K,)
    polygons: Polygons  # written: a contour's polygons, gaps behind them
    made: I32  # (K,) written: number of polygons
    bad: U8  # (K,) written: 1 where a contour could not be triangulated


@kernel
def _contours_kernel(job, order, ears, room, cancel):
    """Triangulate and merge the contours in `order`, each for itself."""
    first, points, vertex_of, vertices = job.first, job.points, job.vertex_of, job.vertices
    corners, region, area = job.polygons.corners, job.polygons.region, job.polygons.area
    ring, triangles, rows = ears.ring, ears.triangles, room.rows
    for index in range(order.shape[0]):
        contour = order[index]
        begin, row = first[contour], job.first_row[contour]
        size = first[contour + 1] - begin
        for i in range(size):
            ring[i, X], ring[i, Z] = points[begin + i, 0], points[begin + i, 2]
        made = triangulate(ring, ears.ears, ears.boxes, triangles, size, cancel)
        count = abs(made)
        for t in range(count):
            for i in range(3):
                rows[t, i] = vertex_of[begin + triangles[t, i]]
            rows[t, -1] = 3
            region[row + t], area[row + t] = job.region[contour], job.area[contour]
        if corners.shape[1] > 3 and count > 1:
            count = merge_polygons(room, count, vertices, region[row:], area[row:], cancel)
        for i in range(count):
            put_row(rows, i, corners, row + i)
        job.made[contour], job.bad[contour] = count, 1 if made <= 0 else 0
        if cancel[0]:
            return


@kernel
def _close_gaps(polygons, first_row, made):
    """Move all polygons to the front, in contour order; returns how many there are."""
    corners, region, area = polygons.corners, polygons.region, polygons.area
    count = 0
    for contour in range(made.shape[0]):
        for row in range(first_row[contour], first_row[contour] + made[contour]):
            for i in range(corners.shape[1]):
                corners[count, i] = corners[row, i]
            region[count], area[count] = region[row], area[row]
            count += 1
    return count


def build_polygon_mesh(
    grid: Grid,
    contours: Contours,
    vertices_per_polygon: int,
    max_edge_error_vx: np.float32,
    workers: Workers,
    notes: list[str] | None = None,
    weld_height_vx: int = WELD_HEIGHT,
) -> PolygonMesh:
    """Convex polygons of up to `vertices_per_polygon` corners that fill the contours.

    `grid` is the compact grid, border included. Sentences about contours that could not be triangulated are
    appended to `notes`. Corners at one place weld up to a height of `weld_height_vx`. Recast: rcBuildPolyMesh.
    """
    notes = [] if notes is None else notes
    inner = without_border(grid)
    sizes = np.diff(contours.first)
    sizes[sizes < 3] = 0
    corners = int(sizes.sum())
    _check_limits(inner, corners)
    vertices, vertex_of, removable = weld_corners(contours, corners, weld_height_vx)
    vertex_count = len(vertices)
    polygons, count = _fill_contours(contours, sizes, vertices, vertex_of, vertices_per_polygon, workers, notes)
    if removable.any():
        count, vertex_count, bad = remove_vertices(polygons, count, vertices, removable, workers.progress.flag)
        workers.progress.check()
        if bad:
            notes.append(f"{bad} holes at the tile's border could not be filled; polygons there may be missing.")
    mesh = PolygonMesh(
        vertices[:vertex_count].copy(),
        polygons.corners[:count].copy(),
        np.full((count, vertices_per_polygon), NO_INDEX, np.uint16),
        polygons.region[:count].copy(),
        polygons.area[:count].copy(),
        len(polygons.region),
        np.float32(max_edge_error_vx),
        inner,
    )
    connect_polygons(mesh.polygons, mesh.neighbors, vertex_count)
    if grid.border > 0:
        _check_portals(count)
        mark_portals(mesh.vertices, mesh.polygons, mesh.neighbors, inner.width, inner.depth)
    return mesh


def _check_limits(grid: Grid, corners: int) -> None:
    if corners > MOST_CORNERS:
        raise TooLarge(
            f"The outlines have {corners:,} corners (limit {MOST_CORNERS:,}): use tiles (tile_size) or raise "
            "Edge Max Error or Cell Size."
        )
    if max(grid.width, grid.depth) > MOST_COLUMNS:
        raise TooLarge(
            f"The grid is {grid.width:,} × {grid.depth:,} cells (limit {MOST_COLUMNS:,} on each side): use tiles "
            "(tile_size) or raise Cell Size."
        )


def _check_portals(polygons: int) -> None:
    if polygons > PORTAL - 1:
        raise TooLarge(
            f"The tile has {polygons:,} polygons (limit {PORTAL - 1:,}): use smaller tiles (tile_size) or raise "
            "Edge Max Error or Cell Size."
        )


def _fill_contours(
    contours: Contours,
    sizes: I32,
    vertices: U16,
    vertex_of: I32,
    vertices_per_polygon: int,
    workers: Workers,
    notes: list[str],
) -> tuple[Polygons, int]:
    """The polygons of all contours in their order, with room for every triangle, and how many there are."""
    rows = np.maximum(sizes - 2, 0)
    room = int(rows.sum())
    polygons = Polygons(
        np.empty((room, vertices_per_polygon), np.uint16), np.empty(room, np.uint16), np.empty(room, np.uint8)
    )
    first_row = np.cumsum(rows, dtype=np.int32) - rows
    made, bad = np.zeros(len(sizes), np.int32), np.zeros(len(sizes), np.uint8)
    job = ContourJob(
        contours.first, contours.points, vertex_of, vertices, first_row, contours.region, contours.area,
        polygons, made, bad,
    )  # fmt: skip
    jobs = []
    # Large contours first, dealt out in turn, so that every thread gets its share of them.
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)].astype(np.int32)
    hands = len(workers.bands(int(sizes.sum()), _CORNERS_A_THREAD))
    for hand in range(hands):
        share = order[hand::hands].copy()
        if len(share):
            largest = int(sizes[share[0]])
            scratch = ear_room(largest), merge_room(largest - 2, vertices_per_polygon)
            jobs.append((job, share, *scratch, workers.progress.flag))
    workers.run(_contours_kernel, jobs)
    workers.progress.check()
    for contour in np.flatnonzero(bad):
        notes.append(
            f"Contour {contour} ({sizes[contour]} corners) could not be triangulated: it crosses itself or is a hole "
            "that no outline took in. Polygons there may overlap or be missing."
        )
    return polygons, _close_gaps(polygons, first_row, made)
