"""Which polygons of two neighboring tiles meet along the border between them: kernels over the tiles' sections."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .byte_layout import EXTERNAL

_MARGIN = np.float32(0.01)  # metres by which edges must overlap at each end, and may lie apart
_ZERO, _TWO = np.float32(0), np.float32(2)


@kernel
def border_edges(tile, side):
    """(., 4) polygon, edge and both vertices of every edge on one side of the tile, in order."""
    neighbors, corners, corner_of = tile.polygons["neighbors"], tile.polygons["corners"], tile.polygons["vertices"]
    sought = np.int32(EXTERNAL) | np.int32(side)
    count = 0
    for polygon in range(tile.header[0]["first_connection"]):
        for edge in range(np.int32(corners[polygon])):
            count += np.int32(neighbors[polygon, edge]) == sought
    edges = np.empty((count, 4), np.int32)
    count = 0
    for polygon in range(tile.header[0]["first_connection"]):
        for edge in range(np.int32(corners[polygon])):
            if np.int32(neighbors[polygon, edge]) == sought:
                edges[count, 0], edges[count, 1] = polygon, edge
                edges[count, 2] = corner_of[polygon, edge]
                edges[count, 3] = corner_of[polygon, edge + 1 if edge + 1 < np.int32(corners[polygon]) else 0]
                count += 1
    return edges


@kernel
def meeting_polygons(tile, edge, other, facing, side, climb, found, shared):
    """Find the polygons of the other tile that meet an edge: one for each of the `facing` edges, at most one a polygon.

    Writes as many as there is room for, and from where to where along the border they meet; returns how many there are.
    Recast: dtNavMesh::findConnectingPolys.
    """
    across, along = (0, 2) if side % 4 == 0 else (2, 0)
    here = _slab(tile.vertices, edge, along)
    plane = tile.vertices[edge[2], across]
    count = 0
    last = np.int32(-1)
    for k in range(len(facing)):
        polygon = facing[k, 0]
        if polygon == last or abs(plane - other.vertices[facing[k, 2], across]) > _MARGIN:
            continue
        there = _slab(other.vertices, facing[k], along)
        if _overlap(here, there, climb):
            if count < len(found):
                found[count] = polygon
                shared[count, 0] = max(here[0], there[0])
                shared[count, 1] = min(here[2], there[2])
            count += 1
            last = polygon
    return count


@kernel
def _slab(vertices, edge, along):
    """An edge seen along the border: position and height of its nearer end, then of its farther one.

    Recast: calcSlabEndPoints.
    """
    a, b = edge[2], edge[3]
    if not vertices[a, along] < vertices[b, along]:
        a, b = b, a
    return vertices[a, along], vertices[a, 1], vertices[b, along], vertices[b, 1]


@kernel
def _overlap(a, b, climb):
    """Whether two slabs overlap and an agent can step from one to the other. Recast: overlapSlabs."""
    low = max(a[0] + _MARGIN, b[0] + _MARGIN)
    high = min(a[2] - _MARGIN, b[2] - _MARGIN)
    if low > high:
        return False
    slope_a = (a[3] - a[1]) / (a[2] - a[0])
    slope_b = (b[3] - b[1]) / (b[2] - b[0])
    base_a = a[1] - slope_a * a[0]
    base_b = b[1] - slope_b * b[0]
    at_low = (slope_b * low + base_b) - (slope_a * low + base_a)
    at_high = (slope_b * high + base_b) - (slope_a * high + base_a)
    if at_low * at_high < _ZERO:
        return True
    step = climb * _TWO
    most = step * step
    return at_low * at_low <= most or at_high * at_high <= most
