"""Putting the mesh together: polygons with the corners they lacked, vertices numbered anew, neighbors."""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...types import F32, I32, U8, Grid, StitchedMesh
from .stitched_borders import BorderEdges, Corners
from .welded_vertices import Welds

_HASH_X, _HASH_Y, _HASH_Z = 0x8DA6B343, 0xD8163841, 0xCB1AB31F
_FEWEST_BUCKETS = 64
_HIGHER, _CORNER, _NEXT = 0, 1, 2  # columns of edges: the vertex at the higher end, the corner, the next in the list


def assembled(corners: Corners, edges: BorderEdges, welds: Welds, area: U8, grid: Grid) -> StitchedMesh:
    """The finished mesh; vertices in the order in which polygons use them."""
    edge_of = np.full(len(corners.vertex), -1, np.int32)
    edge_of[edges.corner] = np.arange(len(edges.corner), dtype=np.int32)
    first = np.zeros_like(corners.first)
    ids = np.empty(len(corners.vertex) + len(welds.corner_at), np.int32)
    total = _fill_kernel(corners, edges, welds, edge_of, first, ids)
    used = np.empty(total, np.int32)
    numbers = ids[:total].copy()
    count = _number_kernel(welds.points, numbers, used)
    vertices = _in_metres(welds.points[used[:count]], grid)
    neighbors = connected(first, numbers, count)
    return StitchedMesh(vertices, first, numbers, neighbors, area, grid.cell_size)


def connected(first: I32, corners: I32, vertex_count: int) -> I32:
    """The polygon across each edge, -1 for none: two that walk along it in opposite directions."""
    neighbors = np.full(len(corners), -1, np.int32)
    _connect_kernel(
        first, corners, neighbors, np.full(vertex_count, -1, np.int32), np.empty((len(corners), 3), np.int32)
    )
    return neighbors


def _in_metres(points: I32, grid: Grid) -> F32:
    step = np.array([grid.cell_size, grid.cell_height, grid.cell_size], np.float32)
    return grid.bounds_min + points.astype(np.float32) * step


@kernel
def _fill_kernel(corners: Corners, edges: BorderEdges, welds: Welds, edge_of: I32, first: I32, ids: I32) -> int:
    """Write the vertices of every polygon, those between the ends of a border edge included; returns how many."""
    own_first, vertex, become, corner_at = corners.first, corners.vertex, welds.vertex, welds.corner_at
    cell, near = edges.cell, edges.near
    total = 0
    for polygon in range(len(own_first) - 1):
        begin = total
        for corner in range(own_first[polygon], own_first[polygon + 1]):
            total = _append(ids, begin, total, become[vertex[corner]])
            edge = edge_of[corner]
            if edge < 0:
                continue
            length = cell[edge + 1] - cell[edge]
            for i in range(1, length):
                step = i if near[edge] == vertex[corner] else length - i
                between = corner_at[cell[edge] + edge + step]
                if between >= 0:
                    total = _append(ids, begin, total, become[between])
        while total > begin + 1 and ids[total - 1] == ids[begin]:
            total -= 1
        first[polygon + 1] = total
    return total


@kernel
def _append(ids: I32, begin: int, total: int, v: np.int32) -> int:
    """Write one more corner, unless welding has made it the one before; returns how many there are then."""
    if total > begin and ids[total - 1] == v:
        return total
    ids[total] = v
    return total + 1


@kernel
def _number_kernel(points: I32, ids: I32, used: I32) -> int:
    """Number vertices in the order of their use, those at one place alike; returns how many there are."""
    buckets = _FEWEST_BUCKETS
    while buckets < len(ids):
        buckets *= 2
    heads = np.full(buckets, -1, np.int32)
    links = np.empty(len(ids), np.int32)
    number = np.full(len(points), -1, np.int32)
    count = 0
    for corner in range(len(ids)):
        v = ids[corner]
        if number[v] < 0:
            x, y, z = np.int64(points[v, 0]), np.int64(points[v, 1]), np.int64(points[v, 2])
            bucket = (_HASH_X * x + _HASH_Y * y + _HASH_Z * z) & (buckets - 1)
            known = heads[bucket]
            while known >= 0:
                w = used[known]
                if points[w, 0] == x and points[w, 1] == y and points[w, 2] == z:
                    break
                known = links[known]
            if known < 0:
                known = np.int32(count)
                used[count], links[count], heads[bucket] = v, heads[bucket], count
                count += 1
            number[v] = known
        ids[corner] = number[v]
    return count


@kernel
def _connect_kernel(first: I32, corners: I32, neighbors: I32, heads: I32, edges: I32) -> None:
    """Hang each edge that runs to a higher vertex on its lower one; then let those that come back find it."""
    used = 0
    for polygon in range(len(first) - 1):
        for corner in range(first[polygon], first[polygon + 1]):
            a = corners[corner]
            b = corners[corner + 1 if corner + 1 < first[polygon + 1] else first[polygon]]
            if a < b:
                edges[used, _HIGHER], edges[used, _CORNER], edges[used, _NEXT] = b, corner, heads[a]
                neighbors[corner] = -2 - polygon  # until somebody comes back
                heads[a] = used
                used += 1
    for polygon in range(len(first) - 1):
        for corner in range(first[polygon], first[polygon + 1]):
            a = corners[corner]
            b = corners[corner + 1 if corner + 1 < first[polygon + 1] else first[polygon]]
            if a <= b:
                continue
            edge = heads[b]
            while edge >= 0 and edges[edge, _HIGHER] != a:
                edge = edges[edge, _NEXT]
            if edge >= 0 and neighbors[edges[edge, _CORNER]] != -2 - polygon:
                across = edges[edge, _CORNER]
                neighbors[corner] = -2 - neighbors[across]
                neighbors[across] = polygon
                edges[edge, _HIGHER] = -1  # taken
    for corner in range(len(corners)):
        neighbors[corner] = max(neighbors[corner], np.int32(-1))
