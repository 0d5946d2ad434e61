"""Stage 9, joining: the polygon meshes of tiles → one mesh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import BadInput, TooLarge
from ...jit import kernel
from ...types import F32, I32, NO_INDEX, PORTAL, PORTAL_SIDE_MASK, U16, Grid, PolygonMesh
from .adjacency import connect_polygons
from .weld import WELD_HEIGHT, VertexTable, vertex_table, weld

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

    All must have the same cell sizes and vertices per polygon. Heights count from each mesh's own floor, so tiles need
    one floor in common, as those of one level have. Recast: rcMergePolyMeshes.
    """
    if not meshes:
        raise BadInput("There are no polygon meshes to merge.")
    total, most = sum(len(m.polygons) for m in meshes), meshes[0].polygons.shape[1]
    if total > MAX_POLYGONS:
        raise TooLarge(f"The merged mesh would have {total:,} polygons (limit {MAX_POLYGONS:,}): keep the tiles apart.")
    grid = _whole_grid(meshes)
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
