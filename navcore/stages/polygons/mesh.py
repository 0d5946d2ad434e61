"""Stage 9, in order: weld, triangulate, merge, remove border vertices, connect."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import TooLarge
from ...geometry.grid import without_border
from ...jit import kernel
from ...threads import Workers
from ...types import I32, NO_INDEX, PORTAL, U8, U16, Contours, Grid, PolygonMesh
from .adjacency import connect_polygons, mark_portals
from .merge import merge_polygons, merge_room
from .remove import Polygons, put_row, remove_vertices
from .triangulate import X, Z, ear_room, triangulate
from .weld import WELD_HEIGHT, weld_corners

MOST_CORNERS = 65_533
MOST_COLUMNS = 65_535  # along x or z: vertices are 16-bit
_CORNERS_A_THREAD = 3_000  # less is not worth a thread


class Plan(NamedTuple):
    """What is to be done about contours, and where it goes."""

    contours: Contours
    corners: int  # of all contours that have three or more
    order: I32  # those contours
    largest: int  # corners of one
    vertex_of: I32  # (.,) of every contour point, welded
    vertices: U16  # (V, 3)
    removable: U8  # (V,) 1 where a vertex lies on a tile's border and is to be removed
    first_row: I32  # (K,) where each contour's polygons go
    polygons: Polygons  # a contour's polygons, gaps behind them
    made: I32  # (K,) number of polygons
    bad: U8  # (K,) 1 where a contour could not be triangulated


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
    inner, cancelled = without_border(grid), workers.progress.cancelled
    wanted, sizes = (vertices_per_polygon, weld_height_vx), (inner.width, inner.depth, grid.border)
    if workers.alone(len(contours.points), 2 * _CORNERS_A_THREAD):
        corners, arrays, capacity, bad, failed = build_alone(contours, wanted, sizes, cancelled)
        _check_limits(inner, corners)
    else:
        plan = _plan(contours, wanted)
        _check_limits(inner, plan.corners)
        workers.run(_fill_contours, [(plan, share, cancelled) for share in _shares(plan, workers)])
        arrays, failed = _finished(plan, sizes, cancelled)
        capacity, bad = len(plan.polygons.region), plan.bad
    workers.progress.check()
    vertices, polygons, neighbors, region, area = arrays
    if grid.border > 0:
        _check_portals(len(polygons))
    if notes is not None:
        notes += _sentences(contours, bad, failed)
    error = np.float32(max_edge_error_vx)
    return PolygonMesh(vertices, polygons, neighbors, region, area, capacity, error, inner)


@kernel
def build_alone(contours, wanted, sizes, cancelled):
    """The number of corners, the arrays of the mesh, its capacity, which contours went wrong, and how many holes."""
    plan = _plan(contours, wanted)
    _fill_contours(plan, plan.order, cancelled)
    arrays, failed = _finished(plan, sizes, cancelled)
    return plan.corners, arrays, plan.polygons.region.shape[0], plan.bad, failed


@kernel
def _plan(contours, wanted):
    """Room for everything, and vertices. With more corners than there may be, only their number: nothing is to do."""
    most, weld_height = wanted
    first, count = contours.first, contours.region.shape[0]
    first_row, order = np.empty(count, np.int32), np.empty(count, np.int32)
    corners, room, used, largest = 0, 0, 0, 3
    for contour in range(count):
        size = np.int64(first[contour + 1] - first[contour])
        first_row[contour] = room
        if size >= 3:
            order[used] = contour
            used += 1
            corners += size
            room += size - 2
            largest = max(largest, size)
    vertex_of = np.empty(contours.points.shape[0], np.int32)
    fits = corners <= MOST_CORNERS
    vertices, removable = weld_corners(contours, corners if fits else 0, vertex_of, weld_height)
    order = order[: used if fits else 0]
    polygons = Polygons(np.empty((room, most), np.uint16), np.empty(room, np.uint16), np.empty(room, np.uint8))
    made, bad = np.zeros(count, np.int32), np.zeros(count, np.uint8)
    return Plan(contours, corners, order, largest, vertex_of, vertices, removable, first_row, polygons, made, bad)


def _shares(plan: Plan, workers: Workers) -> list[I32]:
    """The contours of each thread: large ones first, dealt out in turn, so that every thread gets its share of them."""
    hands = len(workers.bands(plan.corners, _CORNERS_A_THREAD))
    if hands == 1:
        return [plan.order]
    sizes = np.diff(plan.contours.first)[plan.order]
    order = plan.order[np.argsort(-sizes, kind="stable")]
    return [order[hand::hands].copy() for hand in range(min(hands, len(order)))]


@kernel
def _fill_contours(plan, order, cancelled):
    """Triangulate and merge the contours in `order`, each for itself."""
    contours, vertex_of, vertices = plan.contours, plan.vertex_of, plan.vertices
    first, points = contours.first, contours.points
    corners, region, area = plan.polygons
    ears, room = ear_room(plan.largest), merge_room(plan.largest - 2, corners.shape[1])
    ring, triangles, rows = ears.ring, ears.triangles, room.rows
    for index in range(order.shape[0]):
        contour = order[index]
        begin, row = first[contour], plan.first_row[contour]
        size = first[contour + 1] - begin
        for i in range(size):
            ring[i, X], ring[i, Z] = points[begin + i, 0], points[begin + i, 2]
        made = triangulate(ring, ears.ears, ears.boxes, triangles, size, cancelled)
        count = abs(made)
        for t in range(count):
            for i in range(3):
                rows[t, i] = vertex_of[begin + triangles[t, i]]
            rows[t, -1] = 3
            region[row + t], area[row + t] = contours.region[contour], contours.area[contour]
        if corners.shape[1] > 3 and count > 1:
            count = merge_polygons(room, count, vertices, region[row:], area[row:], cancelled)
        for i in range(count):
            put_row(rows, i, corners, row + i)
        plan.made[contour], plan.bad[contour] = count, 1 if made <= 0 else 0
        if cancelled[0]:
            return


@kernel
def _finished(plan, sizes, cancelled):
    """The arrays of the mesh, and how many holes at a tile's border could not be filled."""
    width, depth, border = sizes
    count = _close_gaps(plan.polygons, plan.first_row, plan.made)
    count, vertex_count, failed = remove_vertices(plan.polygons, count, plan.vertices, plan.removable, cancelled)
    corners, region, area = plan.polygons
    vertices, polygons = plan.vertices[:vertex_count].copy(), corners[:count].copy()
    neighbors = np.empty_like(polygons)
    for polygon in range(count):
        for i in range(polygons.shape[1]):
            neighbors[polygon, i] = NO_INDEX
    connect_polygons(polygons, neighbors, vertex_count)
    if border > 0:
        mark_portals(vertices, polygons, neighbors, width, depth)
    return (vertices, polygons, neighbors, region[:count].copy(), area[:count].copy()), failed


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


def _sentences(contours: Contours, bad: U8, failed: int) -> list[str]:
    """One about each contour that went wrong, and one about holes that stayed open."""
    first = contours.first
    sentences = (
        []
        if not bad.any()
        else [
            f"Contour {contour} ({first[contour + 1] - first[contour]} corners) could not be triangulated: it crosses "
            "itself or is a hole that no outline took in. Polygons there may overlap or be missing."
            for contour in np.flatnonzero(bad)
        ]
    )
    if failed:
        sentences.append(f"{failed} holes at the tile's border could not be filled; polygons there may be missing.")
    return sentences


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
