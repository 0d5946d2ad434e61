"""Stage 9, in order: weld, triangulate, merge, remove border vertices, connect."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ...build_warning import BuildWarning
from ...errors import TooLarge
from ...geometry.grid import place_in_grid, without_border
from ...jit import kernel
from ...threads import Workers
from ...types import I32, NO_INDEX, PORTAL, U8, U16, AnyInt, Contours, Grid, PolygonMesh
from .adjacency import connect_polygons, mark_portals
from .merge import SIZE, merge_polygons, merge_room
from .remove import PolygonsInTheMaking, put_row, remove_vertices
from .triangulate import X, Z, ear_room, triangulate
from .weld import WELD_HEIGHT, weld_corners

MeshArrays: TypeAlias = tuple[U16, U16, U16, U16, U8]  # vertices, polygons, neighbors, region, area

MAX_CORNERS = 65_533
MAX_COLUMNS = 65_535  # along x or z: vertices are 16-bit
_CORNERS_A_THREAD = 3_000  # less is not worth a thread
_WAY_OUT = "Lower Edge Max Error or Cell Size, and leave Repair on."


class UnfinishedMesh(NamedTuple):
    """Contours, and room for the polygon mesh that is made of them."""

    contours: Contours
    corners: AnyInt  # of all contours that have three or more
    order: I32  # those contours
    largest: AnyInt  # corners of one
    vertex_of: I32  # (.,) of every contour point, welded
    vertices: U16  # (V, 3)
    removable: U8  # (V,) 1 where a vertex lies on a tile's border and is to be removed
    first_row: I32  # (K,) where each contour's polygons go
    polygons: PolygonsInTheMaking  # a contour's polygons, gaps behind them
    polygon_counts: I32  # (K,)
    bad: U8  # (K,) 1 where a contour could not be triangulated


def build_polygon_mesh(
    grid: Grid,
    contours: Contours,
    vertices_per_polygon: int,
    max_edge_error_vx: np.float32,
    workers: Workers,
    notes: list[BuildWarning] | None = None,
    weld_height_vx: int = WELD_HEIGHT,
) -> PolygonMesh:
    """Convex polygons of up to `vertices_per_polygon` corners that fill the contours.

    `grid` is the compact grid, border included. Warnings about contours that could not be triangulated are
    appended to `notes`. Corners at one place weld up to a height of `weld_height_vx`. Recast: rcBuildPolyMesh.
    """
    inner, cancelled = without_border(grid), workers.progress.cancelled
    rules, sizes = (vertices_per_polygon, weld_height_vx), (inner.width, inner.depth, grid.border)
    if workers.in_one_call(len(contours.points), 2 * _CORNERS_A_THREAD):
        corners, arrays, capacity, bad, failed = polygons_in_one_call(contours, rules, sizes, cancelled)
        _check_limits(inner, corners)
    else:
        mesh = _begin_mesh(contours, rules)
        _check_limits(inner, mesh.corners)
        workers.run(_fill_contours, [(mesh, share, cancelled) for share in _shares(mesh, workers)])
        arrays, failed = _finish_mesh(mesh, sizes, cancelled)
        capacity, bad = len(mesh.polygons.region), mesh.bad
    workers.progress.check()
    vertices, polygons, neighbors, region, area = arrays
    if grid.border > 0:
        _check_portals(len(polygons))
    if notes is not None:
        notes += _warnings(contours, inner, bad, failed)
    error = np.float32(max_edge_error_vx)
    return PolygonMesh(vertices, polygons, neighbors, region, area, capacity, error, inner)


@kernel
def polygons_in_one_call(
    contours: Contours, rules: tuple[int, int], sizes: tuple[int, int, int], cancelled: U8
) -> tuple[AnyInt, MeshArrays, int, U8, int]:
    """The number of corners, the arrays of the mesh, its capacity, which contours went wrong, and how many holes."""
    mesh = _begin_mesh(contours, rules)
    _fill_contours(mesh, mesh.order, cancelled)
    arrays, failed = _finish_mesh(mesh, sizes, cancelled)
    return mesh.corners, arrays, mesh.polygons.region.shape[0], mesh.bad, failed


@kernel
def _begin_mesh(contours: Contours, rules: tuple[int, int]) -> UnfinishedMesh:
    """Weld the vertices and make room for all else. With more corners than there may be, only count them."""
    most, weld_height = rules
    first, count = contours.first, contours.region.shape[0]
    first_row, order = np.empty(count, np.int32), np.empty(count, np.int32)
    corners, room, used, largest = np.int64(0), np.int64(0), 0, np.int64(3)
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
    fits = corners <= MAX_CORNERS
    vertices, removable = weld_corners(contours, corners if fits else 0, vertex_of, weld_height)
    order = order[: used if fits else 0]
    polygons = PolygonsInTheMaking(
        np.empty((room, most), np.uint16), np.empty(room, np.uint16), np.empty(room, np.uint8)
    )
    counts, bad = np.zeros(count, np.int32), np.zeros(count, np.uint8)
    return UnfinishedMesh(
        contours, corners, order, largest, vertex_of, vertices, removable, first_row, polygons, counts, bad
    )


def _shares(mesh: UnfinishedMesh, workers: Workers) -> list[I32]:
    """The contours of each thread: large ones first, dealt out in turn, so that every thread gets its share of them."""
    hands = len(workers.bands(int(mesh.corners), _CORNERS_A_THREAD))
    if hands == 1:
        return [mesh.order]
    sizes = np.diff(mesh.contours.first)[mesh.order]
    order = mesh.order[np.argsort(-sizes, kind="stable")]
    return [order[hand::hands].copy() for hand in range(min(hands, len(order)))]


@kernel
def _fill_contours(mesh: UnfinishedMesh, order: I32, cancelled: U8) -> None:
    """Triangulate and merge the contours in `order`, each for itself."""
    contours, vertex_of, vertices = mesh.contours, mesh.vertex_of, mesh.vertices
    first, points = contours.first, contours.points
    corners, region, area = mesh.polygons
    ears, room = ear_room(mesh.largest), merge_room(mesh.largest - 2, corners.shape[1])
    ring, triangles, rows = ears.ring, ears.triangles, room.rows
    for index in range(order.shape[0]):
        contour = order[index]
        begin, row = first[contour], mesh.first_row[contour]
        size = first[contour + 1] - begin
        for i in range(size):
            ring[i, X], ring[i, Z] = points[begin + i, 0], points[begin + i, 2]
        triangle_count = triangulate(ring, ears.ears, ears.boxes, triangles, size, cancelled)
        count: AnyInt = abs(triangle_count)
        for t in range(count):
            for i in range(3):
                rows[t, i] = vertex_of[begin + triangles[t, i]]
            rows[t, SIZE] = 3
            region[row + t], area[row + t] = contours.region[contour], contours.area[contour]
        if corners.shape[1] > 3 and count > 1:
            count = merge_polygons(room, count, vertices, region[row:], area[row:], cancelled)
        for i in range(count):
            put_row(rows, i, corners, row + i)
        mesh.polygon_counts[contour], mesh.bad[contour] = count, 1 if triangle_count <= 0 else 0
        if cancelled[0]:
            return


@kernel
def _finish_mesh(mesh: UnfinishedMesh, sizes: tuple[int, int, int], cancelled: U8) -> tuple[MeshArrays, int]:
    """The arrays of the mesh, and how many holes at a tile's border could not be filled."""
    width, depth, border = sizes
    count = _close_gaps(mesh.polygons, mesh.first_row, mesh.polygon_counts)
    count, vertex_count, failed = remove_vertices(mesh.polygons, count, mesh.vertices, mesh.removable, cancelled)
    corners, region, area = mesh.polygons
    vertices, polygons = mesh.vertices[:vertex_count].copy(), corners[:count].copy()
    neighbors = np.empty_like(polygons)
    for polygon in range(count):
        for i in range(polygons.shape[1]):
            neighbors[polygon, i] = NO_INDEX
    connect_polygons(polygons, neighbors, vertex_count)
    if border > 0:
        mark_portals(vertices, polygons, neighbors, width, depth)
    return (vertices, polygons, neighbors, region[:count].copy(), area[:count].copy()), failed


@kernel
def _close_gaps(polygons: PolygonsInTheMaking, first_row: I32, counts: I32) -> int:
    """Move all polygons to the front, in contour order; returns how many there are."""
    corners, region, area = polygons.corners, polygons.region, polygons.area
    count = 0
    for contour in range(counts.shape[0]):
        for row in range(first_row[contour], first_row[contour] + counts[contour]):
            for i in range(corners.shape[1]):
                corners[count, i] = corners[row, i]
            region[count], area[count] = region[row], area[row]
            count += 1
    return count


def _warnings(contours: Contours, inner: Grid, bad: U8, failed: int) -> list[BuildWarning]:
    """One about each contour that went wrong, and one about holes that stayed open."""
    first, warnings = contours.first, []
    for contour in np.flatnonzero(bad):
        text = (
            f"Contour {contour} ({first[contour + 1] - first[contour]} corners) could not be triangulated: it crosses "
            f"itself or is a hole that no outline took in. Polygons there may overlap or be missing. {_WAY_OUT}"
        )
        place = place_in_grid(inner, contours.points[first[contour], :3])
        warnings.append(BuildWarning("POLYGONS", text, place))
    if failed:
        text = f"{failed} holes at the tile's border could not be filled: polygons there may be missing. {_WAY_OUT}"
        warnings.append(BuildWarning("POLYGONS", text))
    return warnings


def _check_limits(grid: Grid, corners: AnyInt) -> None:
    if corners > MAX_CORNERS:
        raise TooLarge(
            f"The outlines have {corners:,} corners (limit {MAX_CORNERS:,}): use tiles (tile_size) or raise "
            "Edge Max Error or Cell Size."
        )
    if max(grid.width, grid.depth) > MAX_COLUMNS:
        raise TooLarge(
            f"The grid is {grid.width:,} × {grid.depth:,} cells (limit {MAX_COLUMNS:,} on each side): use tiles "
            "(tile_size) or raise Cell Size."
        )


def _check_portals(polygons: int) -> None:
    if polygons > PORTAL - 1:
        raise TooLarge(
            f"The tile has {polygons:,} polygons (limit {PORTAL - 1:,}): use smaller tiles (tile_size) or raise "
            "Edge Max Error or Cell Size."
        )
