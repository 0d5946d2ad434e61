"""Stage 9, in order: weld, triangulate, merge, remove border vertices, connect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ...build_warning import BuildWarning
from ...errors import BadInput, TooLarge
from ...geometry.grid import place_in_grid, without_border
from ...jit import kernel
from ...threads import Workers
from ...types import F32, I32, NO_INDEX, PORTAL, PORTAL_SIDE_MASK, U8, U16, AnyInt, Contours, Grid, PolygonMesh
from .adjacency import connect_polygons, mark_portals
from .again import PolygonMemory, PolygonsBefore, take_over
from .merge import SIZE, merge_polygons, merge_room
from .remove import PolygonsInTheMaking, put_row, remove_vertices
from .triangulate import X, Z, ear_room, triangulate
from .weld import WELD_HEIGHT, VertexTable, vertex_table, weld, weld_corners

# --- Stage 9, joining: the polygon meshes of tiles → one mesh.

MAX_VERTICES = MAX_POLYGONS = 65_534
_LOW_16_BITS = 0xFFFF  # Recast's coordinates are of this kind


@kernel
def _weld_mesh(vertices: U16, offset_x: int, offset_z: int, table: VertexTable, count: int, vertex_of: I32) -> int:
    """Weld the vertices of one mesh; returns the new number of vertices."""
    all_vertices, heads, links = table.vertices, table.heads, table.links
    for i in range(vertices.shape[0]):
        x, y, z = np.int32(vertices[i, 0]), np.int32(vertices[i, 1]), np.int32(vertices[i, 2])
        vertex = weld(all_vertices, heads, links, count, x + offset_x, y, z + offset_z, WELD_HEIGHT)
        if vertex == count:
            count += 1
        vertex_of[i] = vertex
    return count


@kernel
def _append_mesh(
    source: U16, source_neighbors: U16, vertex_of: I32, outer: I32, polygons: U16, neighbors: U16, first: int
) -> None:
    """Copy the polygons of one mesh behind those before it. `outer[side]`: 1 where that side is the whole mesh's."""
    for polygon in range(source.shape[0]):
        for i in range(source.shape[1]):
            if source[polygon, i] == NO_INDEX:
                break
            polygons[first + polygon, i] = vertex_of[source[polygon, i]]
        for i in range(source.shape[1]):
            link = np.int32(source_neighbors[polygon, i])
            side = link & PORTAL_SIDE_MASK
            if link != NO_INDEX and link & PORTAL and side < 4 and outer[side]:
                neighbors[first + polygon, i] = link


def merge_polygon_meshes(meshes: Sequence[PolygonMesh]) -> PolygonMesh:
    """One mesh of the meshes of tiles: vertices at one place welded, polygons connected, outer portals kept.

    All must have the same cell height and vertices per polygon; where some have larger cells, the merged one has the
    smallest. Heights count from each mesh's own floor, so tiles need one floor in common, as those of one level have.
    Recast: rcMergePolyMeshes.
    """
    if not meshes:
        raise BadInput("There are no polygon meshes to merge.")
    sizes = {float(mesh.grid.cell_size) for mesh in meshes}
    meshes = meshes if len(sizes) == 1 else [_in_cells(mesh, np.float32(min(sizes))) for mesh in meshes]
    total, most = sum(len(m.polygons) for m in meshes), meshes[0].polygons.shape[1]
    if total > MAX_POLYGONS:
        raise TooLarge(f"The merged mesh would have {total:,} polygons (limit {MAX_POLYGONS:,}): keep the tiles apart.")
    grid = _whole_grid(meshes)
    if len(sizes) > 1 and max(grid.width, grid.depth) > MAX_COLUMNS:
        raise TooLarge(
            f"The merged mesh would have {grid.width:,} × {grid.depth:,} cells of {grid.cell_size:g} m (limit "
            f"{MAX_COLUMNS:,} on each side): keep the tiles apart."
        )
    polygons, neighbors = (np.full((total, most), NO_INDEX, np.uint16) for _ in range(2))
    table = vertex_table(sum(len(m.vertices) for m in meshes))
    count, first = 0, 0
    for mesh in meshes:
        x, z, outer = _place(mesh.grid, grid)
        vertex_of = np.empty(len(mesh.vertices), np.int32)
        count = _weld_mesh(mesh.vertices, x, z, table, count, vertex_of)
        _append_mesh(mesh.polygons, mesh.neighbors, vertex_of, outer, polygons, neighbors, first)
        first += len(mesh.polygons)
    if count > MAX_VERTICES:
        raise TooLarge(f"The merged mesh would have {count:,} vertices (limit {MAX_VERTICES:,}): keep the tiles apart.")
    connect_polygons(polygons, neighbors, count)
    region, area = (np.concatenate([getattr(m, name) for m in meshes]) for name in ("region", "area"))
    return PolygonMesh(table.vertices[:count].copy(), polygons, neighbors, region, area, 0, np.float32(0), grid)


def _in_cells(mesh: PolygonMesh, cell_size: np.float32) -> PolygonMesh:
    """The same mesh, with vertices in cells of another size."""
    wide = round(float(mesh.grid.cell_size / cell_size))
    grid = mesh.grid._replace(cell_size=cell_size, width=mesh.grid.width * wide, depth=mesh.grid.depth * wide)
    return mesh._replace(vertices=mesh.vertices * np.array([wide, 1, wide], np.uint16), grid=grid)


def _whole_grid(meshes: Sequence[PolygonMesh]) -> Grid:
    """The grid around all tiles. Its border is 0, as the merged mesh belongs to no tile."""
    first = meshes[0].grid
    low, high = first.bounds_min.copy(), first.bounds_max.copy()
    for mesh in meshes[1:]:
        np.minimum(low, mesh.grid.bounds_min, out=low)
        np.maximum(high, mesh.grid.bounds_max, out=high)
    width, depth = (_cells(high[a], low[a], first.cell_size) for a in (0, 2))
    return first._replace(width=width, depth=depth, border=0, bounds_min=low, bounds_max=high)


def _cells(high: np.float32, low: np.float32, cell_size: np.float32) -> int:
    return int(np.floor(np.float32((high - low) / cell_size) + np.float32(0.5)))


def _place(tile: Grid, whole: Grid) -> tuple[int, int, I32]:
    """How many cells a tile's corner lies inside, and which of its sides (x−, z+, x+, z−) are sides of the whole."""

    def cells(high: F32, low: F32, axis: int) -> int:
        return _cells(high[axis], low[axis], whole.cell_size) & _LOW_16_BITS

    x, z = (cells(tile.bounds_min, whole.bounds_min, axis) for axis in (0, 2))
    far_x, far_z = (cells(whole.bounds_max, tile.bounds_max, axis) for axis in (0, 2))
    return x, z, np.array([x == 0, far_z == 0, far_x == 0, z == 0], np.int32)


MeshArrays: TypeAlias = tuple[U16, U16, U16, U16, U8]  # vertices, polygons, neighbors, region, area

MAX_CORNERS = 65_533
MAX_COLUMNS = 65_535  # along x or z: vertices are 16-bit
_CORNERS_A_THREAD = 1_000  # less is not worth a thread
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
    memory: PolygonMemory | None = None,
) -> PolygonMesh:
    """Convex polygons of up to `vertices_per_polygon` corners that fill the contours.

    `grid` is the compact grid, border included. Warnings about contours that could not be triangulated are
    appended to `notes`. Corners at one place weld up to a height of `weld_height_vx`. Polygons that `memory` has
    are taken over where their outline is the same; nothing else comes out. Recast: rcBuildPolyMesh.
    """
    inner, cancelled = without_border(grid), workers.progress.cancelled
    rules, sizes = (vertices_per_polygon, weld_height_vx), (inner.width, inner.depth, grid.border)
    before = None if memory is None else memory.before
    if before is None and workers.in_one_call(len(contours.points), 2 * _CORNERS_A_THREAD):
        corners, arrays, capacity, bad, failed = polygons_in_one_call(contours, rules, sizes, cancelled)
        _check_limits(inner, corners)
    else:
        mesh = _begin_mesh(contours, rules)
        _check_limits(inner, mesh.corners)
        order = mesh.order if before is None else _left_to_fill(before, mesh)
        workers.run(_fill_contours, [(mesh, share, cancelled) for share in _shares(contours, order, workers)])
        arrays, failed = _finish_mesh(mesh, sizes, cancelled)
        capacity, bad = len(mesh.polygons.region), mesh.bad
    workers.progress.check()
    vertices, polygons, neighbors, region, area = arrays
    if grid.border > 0:
        _check_portals(len(polygons))
    elif memory is not None:  # on a border corners are taken out of polygons
        memory.before = PolygonsBefore(contours, polygons, region, bad, weld_height_vx)
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
def _left_to_fill(before: PolygonsBefore, mesh: UnfinishedMesh) -> I32:
    """The contours whose polygons are not those from before; the others get theirs."""
    if mesh.order.shape[0] == 0:
        return mesh.order
    corners, region, area = mesh.polygons
    taken = take_over(before, mesh.contours, mesh.vertex_of, mesh.first_row, corners, mesh.polygon_counts)
    left, count = np.empty(mesh.order.shape[0], np.int32), 0
    for index in range(mesh.order.shape[0]):
        contour = mesh.order[index]
        if taken[contour] == 0:
            left[count] = contour
            count += 1
            continue
        for row in range(mesh.first_row[contour], mesh.first_row[contour] + mesh.polygon_counts[contour]):
            region[row], area[row] = mesh.contours.region[contour], mesh.contours.area[contour]
    return left[:count]


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


def _shares(contours: Contours, order: I32, workers: Workers) -> list[I32]:
    """The contours of each thread: large ones first, dealt out in turn, so that every thread gets its share of them."""
    if workers.count == 1:
        return [order]
    sizes = np.diff(contours.first)[order]
    hands = len(workers.bands(int(sizes.sum()), _CORNERS_A_THREAD))
    if hands == 1:
        return [order]
    order = order[np.argsort(-sizes, kind="stable")]
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
