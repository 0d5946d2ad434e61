"""Stage 9, welding: corners at one place become one vertex.

Corners weld when x and z are equal and y differs by 2 at most. Of several candidates the newest one is taken, which
depends on the order of arrival: so this runs in one piece, over all contours in their order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.arrays import power_of_two
from ...jit import kernel
from ...types import BORDER_VERTEX, I32, LINK, U8, U16, AnyInt, Contours

WELD_HEIGHT = 2  # vx
_LOW_16_BITS = 0xFFFF  # Recast's coordinates are of this kind
_HASH_X, _HASH_Z = 0x8DA6B343, 0xCB1AB31F


class VertexTable(NamedTuple):
    """Vertices so far, and the chains that find them by place."""

    vertices: U16  # (V, 3) vx
    heads: I32  # (a power of two,) newest vertex of each bucket, -1 for none
    links: I32  # (V,) next older vertex of the same bucket


@kernel
def vertex_table(room: AnyInt) -> VertexTable:
    """An empty table for up to `room` vertices."""
    heads = np.empty(power_of_two(max(room, 64)), np.int32)
    for bucket in range(heads.shape[0]):
        heads[bucket] = -1
    return VertexTable(np.empty((room, 3), np.uint16), heads, np.empty(room, np.int32))


@kernel
def bucket_of(x: np.int32, z: np.int32, buckets: int) -> np.int64:
    """Recast: computeVertexHash (with 4096 buckets; more of them only make chains shorter)."""
    return (_HASH_X * np.int64(x) + _HASH_Z * np.int64(z)) & (buckets - 1)


@kernel
def weld(
    vertices: U16, heads: I32, links: I32, count: int, x: np.int32, y: np.int32, z: np.int32, height: int
) -> np.int32:
    """The id of the vertex at a place; `count`, the next id, if it had to be made. Recast: addVertex."""
    x, y, z = x & _LOW_16_BITS, y & _LOW_16_BITS, z & _LOW_16_BITS
    bucket = bucket_of(x, z, heads.shape[0])
    vertex = heads[bucket]
    while vertex >= 0:
        if np.int32(vertices[vertex, 0]) == x and np.int32(vertices[vertex, 2]) == z:
            if abs(np.int32(vertices[vertex, 1]) - y) <= height:
                return vertex
        vertex = links[vertex]
    vertices[count, 0], vertices[count, 1], vertices[count, 2] = x, y, z
    links[count] = heads[bucket]
    heads[bucket] = count
    return np.int32(count)


@kernel
def weld_corners(contours: Contours, corners: AnyInt, vertex_of: I32, height: int) -> tuple[U16, U8]:
    """(V, 3) vertices of up to so many corners; (V,) 1 where one lies on a tile's border and is to be removed.

    Writes the vertex of every contour point. Recast: addVertex.
    """
    first, points = contours.first, contours.points
    vertices, heads, links = vertex_table(corners)
    removable = np.zeros(corners, np.uint8)
    count = 0
    for contour in range(first.shape[0] - 1 if corners > 0 else 0):
        if first[contour + 1] - first[contour] < 3:
            continue
        for corner in range(first[contour], first[contour + 1]):
            x, y, z = points[corner, 0], points[corner, 1], points[corner, 2]
            vertex = weld(vertices, heads, links, count, x, y, z, height)
            if vertex == count:
                count += 1
            vertex_of[corner] = vertex
            if points[corner, LINK] & BORDER_VERTEX:
                removable[vertex] = 1
    return vertices[:count], removable[:count]
