"""Which polygons of two neighboring tiles meet along the border between them: kernels over the tiles' sections."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..jit import kernel
from ..types import F32, I32
from .byte_layout import EXTERNAL, Sections

_MARGIN = np.float32(0.01)  # metres by which edges must overlap at each end, and may lie apart
_ZERO, _TWO = np.float32(0), np.float32(2)
POLYGON, EDGE, START, END = 0, 1, 2, 3  # columns of border edges; the last two are vertices
SHARED_LOW, SHARED_HIGH = 0, 1  # columns of `shared`: where along the border two edges meet
_LOW, _LOW_HEIGHT, _HIGH, _HIGH_HEIGHT = 0, 1, 2, 3  # of a slab

_Slab: TypeAlias = tuple[np.float32, np.float32, np.float32, np.float32]


@kernel
def border_edges(tile: Sections, side: int) -> I32:
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
                edges[count, POLYGON], edges[count, EDGE] = polygon, edge
                edges[count, START] = corner_of[polygon, edge]
                edges[count, END] = corner_of[polygon, edge + 1 if edge + 1 < np.int32(corners[polygon]) else 0]
                count += 1
    return edges


@kernel
def meeting_polygons(
    tile: Sections, edge: I32, other: Sections, facing: I32, side: int, climb: np.float32, polygons: I32, shared: F32
) -> int:
    """Find the polygons of the other tile that meet an edge: one for each of the `facing` edges, at most one a polygon.

    Writes as many as there is room for, and from where to where along the border they meet; returns how many there are.
    Recast: dtNavMesh::findConnectingPolys.
    """
    across, along = (0, 2) if side % 4 == 0 else (2, 0)
    here = _slab(tile.vertices, edge, along)
    plane = tile.vertices[edge[START], across]
    count = 0
    last = np.int32(-1)
    for k in range(len(facing)):
        polygon = facing[k, POLYGON]
        if polygon == last or abs(plane - other.vertices[facing[k, START], across]) > _MARGIN:
            continue
        there = _slab(other.vertices, facing[k], along)
        if _overlap(here, there, climb):
            if count < len(polygons):
                polygons[count] = polygon
                shared[count, SHARED_LOW] = max(here[_LOW], there[_LOW])
                shared[count, SHARED_HIGH] = min(here[_HIGH], there[_HIGH])
            count += 1
            last = polygon
    return count


@kernel
def _slab(vertices: F32, edge: I32, along: int) -> _Slab:
    """Place along the border and height of an edge's nearer end, then of its farther one. Recast: calcSlabEndPoints."""
    a, b = edge[START], edge[END]
    if not vertices[a, along] < vertices[b, along]:
        a, b = b, a
    return vertices[a, along], vertices[a, 1], vertices[b, along], vertices[b, 1]


@kernel
def _overlap(a: _Slab, b: _Slab, climb: np.float32) -> bool | np.bool_:
    """Whether two slabs overlap and an agent can step from one to the other. Recast: overlapSlabs."""
    low = max(a[_LOW] + _MARGIN, b[_LOW] + _MARGIN)
    high = min(a[_HIGH] - _MARGIN, b[_HIGH] - _MARGIN)
    if low > high:
        return False
    slope_a = (a[_HIGH_HEIGHT] - a[_LOW_HEIGHT]) / (a[_HIGH] - a[_LOW])
    slope_b = (b[_HIGH_HEIGHT] - b[_LOW_HEIGHT]) / (b[_HIGH] - b[_LOW])
    base_a = a[_LOW_HEIGHT] - slope_a * a[_LOW]
    base_b = b[_LOW_HEIGHT] - slope_b * b[_LOW]
    at_low = (slope_b * low + base_b) - (slope_a * low + base_a)
    at_high = (slope_b * high + base_b) - (slope_a * high + base_a)
    if at_low * at_high < _ZERO:
        return True
    step = climb * _TWO
    limit = step * step
    return at_low * at_low <= limit or at_high * at_high <= limit
