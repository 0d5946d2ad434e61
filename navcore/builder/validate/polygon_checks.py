"""Invariants 1 to 7 and 14: what a polygon mesh tells about itself, and 8: no two polygons of a region overlap.

All arithmetic is on integers, so the answers are exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.arrays import order_of, power_of_two
from ...geometry.predicates import area2
from ...jit import kernel
from ...types import I32, I64, NO_INDEX, PORTAL, U8, U16, U32, WALKABLE, X, Y, Z
from .invariants import (
    AREA_ID,
    BOUNDS,
    CONCAVE,
    CORNERS,
    DOUBLE,
    FLIPPED,
    NEIGHBORS,
    OVERLAP,
    SHARED_EDGE,
    UNUSED,
    ZERO_AREA,
)

_UNUSABLE = CORNERS | ZERO_AREA | FLIPPED | CONCAVE  # of no use for comparing polygons with others
_END, _NEXT = 0, 1  # columns of edges: the vertex at the end, the next edge that starts at the same vertex
_LOW_X, _LOW_Z, _HIGH_X, _HIGH_Z = 0, 1, 2, 3  # columns of boxes


class MeshShape(NamedTuple):
    """A polygon mesh by itself, as in PolygonMesh, and how far it may reach."""

    vertices: U16  # (V, 3)
    polygons: U16  # (P, N)
    neighbors: U16  # (P, N)
    region: U16  # (P,)
    area: U8  # (P,)
    limits: tuple[int, int, int, bool]  # greatest x, y and z of a corner; whether it is a tile with portals


@kernel
def check_shape(shape: MeshShape, flags: U32, vertex_flags: U8) -> bool:
    """Set the bits of polygons (P,) and vertices (V,) that break an invariant; whether any does."""
    vertices, polygons, neighbors, region, area, limits = shape
    sizes, edges = np.empty(polygons.shape[0], np.int32), np.empty((polygons.size, 2), np.int32)
    heads, links = np.empty(power_of_two(2 * vertices.shape[0]), np.int32), np.empty(vertices.shape[0], np.int32)
    heads[:] = -1
    bad = _polygons(vertices, polygons, area, limits, sizes, flags, vertex_flags)
    bad |= _vertices(vertices, heads, links, vertex_flags)
    bad |= _edges(vertices, polygons, neighbors, limits, sizes, edges, heads, flags)
    keys, boxes = np.empty(sizes.shape[0], np.int64), np.empty((sizes.shape[0], 4), np.int32)
    _boxes_and_keys(vertices, polygons, region, sizes, flags, keys, boxes)
    bad |= _overlaps(vertices, polygons, region, sizes, boxes, order_of(keys), flags)
    return bad


@kernel
def _polygons(
    vertices: U16, polygons: U16, area: U8, limits: tuple[int, int, int, bool], sizes: I32, flags: U32, vertex_flags: U8
) -> bool:
    """Each polygon for itself: corners, bounds, winding, convexity, area id."""
    width, top, depth, _ = limits
    count, most, bad = vertices.shape[0], polygons.shape[1], False
    for polygon in range(polygons.shape[0]):
        broken, size = 0, 0
        while size < most and polygons[polygon, size] != NO_INDEX:
            size += 1
        sizes[polygon] = size
        for i in range(most):
            vertex = np.int32(polygons[polygon, i])
            if i >= size:
                if vertex != NO_INDEX:
                    broken |= CORNERS
                continue
            if vertex >= count:
                broken |= CORNERS
                continue
            vertex_flags[vertex] |= UNUSED  # for now: used; turned around below
            x, y, z = np.int32(vertices[vertex, X]), np.int32(vertices[vertex, Y]), np.int32(vertices[vertex, Z])
            if x > width or y > top or z > depth:
                broken |= BOUNDS
            for j in range(i):
                if polygons[polygon, j] == vertex:
                    broken |= CORNERS
        if size < 3:
            broken |= CORNERS
        if area[polygon] > WALKABLE:
            broken |= AREA_ID
        if broken & CORNERS == 0:
            broken |= _winding(vertices, polygons, polygon, size)
        flags[polygon] |= broken
        bad |= broken != 0
    return bad


@kernel
def _corner(vertices: U16, polygons: U16, polygon: int, i: int) -> tuple[np.int32, np.int32]:
    vertex = polygons[polygon, i]
    return np.int32(vertices[vertex, X]), np.int32(vertices[vertex, Z])


@kernel
def _winding(vertices: U16, polygons: U16, polygon: int, size: int) -> int:
    """Is the polygon's area positive, and does every corner lie left of every edge or on it?"""
    ax, az = _corner(vertices, polygons, polygon, 0)
    doubled = np.int64(0)
    bx, bz = _corner(vertices, polygons, polygon, 1)
    for i in range(2, size):
        cx, cz = _corner(vertices, polygons, polygon, i)
        doubled += area2(ax, az, bx, bz, cx, cz)
        bx, bz = cx, cz
    if doubled == 0:
        return ZERO_AREA
    if doubled > 0:
        return FLIPPED
    ax, az = _corner(vertices, polygons, polygon, size - 1)
    for i in range(size):
        bx, bz = _corner(vertices, polygons, polygon, i)
        for j in range(size):
            cx, cz = _corner(vertices, polygons, polygon, j)
            if area2(ax, az, bx, bz, cx, cz) > 0:
                return CONCAVE
        ax, az = bx, bz
    return 0


@kernel
def _vertices(vertices: U16, heads: I32, links: I32, vertex_flags: U8) -> bool:
    """Vertices that no polygon uses, and vertices at one place."""
    bad, mask = False, heads.shape[0] - 1
    for vertex in range(vertices.shape[0]):
        vertex_flags[vertex] ^= UNUSED
        x, y, z = np.int64(vertices[vertex, X]), np.int64(vertices[vertex, Y]), np.int64(vertices[vertex, Z])
        bucket = ((x * 0x9E3779B1 + y * 0x85EBCA6B + z * 0xC2B2AE35) >> 9) & mask
        other = heads[bucket]
        while other >= 0:
            if vertices[other, X] == x and vertices[other, Y] == y and vertices[other, Z] == z:
                vertex_flags[vertex] |= DOUBLE
                break
            other = links[other]
        links[vertex] = heads[bucket]
        heads[bucket] = vertex
        bad |= vertex_flags[vertex] != 0
    return bad


@kernel
def _edges(
    vertices: U16, polygons: U16, neighbors: U16, limits: tuple[int, int, int, bool], sizes: I32, edges: I32,
    heads: I32, flags: U32,
) -> bool:  # fmt: skip
    """No edge may run twice in one direction; neighbors must be those across the edges, both ways."""
    most, bad = polygons.shape[1], False
    heads[:] = -1
    for polygon in range(polygons.shape[0]):
        if flags[polygon] & CORNERS != 0:
            continue
        for i in range(sizes[polygon]):
            a, b = polygons[polygon, i], np.int32(polygons[polygon, i + 1 if i + 1 < sizes[polygon] else 0])
            edge = polygon * most + i
            other = heads[a]
            while other >= 0:
                if edges[other, _END] == b:
                    flags[polygon] |= SHARED_EDGE
                    flags[other // most] |= SHARED_EDGE
                    bad = True
                other = edges[other, _NEXT]
            edges[edge, _END], edges[edge, _NEXT] = b, heads[a]
            heads[a] = edge
    for polygon in range(polygons.shape[0]):
        if flags[polygon] & (CORNERS | SHARED_EDGE) != 0:
            continue
        for i in range(sizes[polygon]):
            a, b = polygons[polygon, i], polygons[polygon, i + 1 if i + 1 < sizes[polygon] else 0]
            across = heads[b]
            while across >= 0 and edges[across, _END] != a:
                across = edges[across, _NEXT]
            named = np.int32(neighbors[polygon, i])
            if across >= 0:
                if named == across // most or flags[across // most] & SHARED_EDGE != 0:
                    continue
            elif named == NO_INDEX or _is_portal(vertices, a, b, named, limits):
                continue
            flags[polygon] |= NEIGHBORS
            bad = True
    return bad


@kernel
def _is_portal(vertices: U16, a: np.uint16, b: np.int32, named: np.int32, limits: tuple[int, int, int, bool]) -> bool:
    """Does edge ab lie on the side of the tile that the portal names?"""
    width, _, depth, tiled = limits
    side = named ^ PORTAL
    if not tiled or side < 0 or side > 3:
        return False
    axis = X if side & 1 == 0 else Z
    line = 0
    if side == 1:
        line = depth
    elif side == 2:
        line = width
    return vertices[a, axis] == line and vertices[b, axis] == line


@kernel
def _boxes_and_keys(vertices: U16, polygons: U16, region: U16, sizes: I32, flags: U32, keys: I64, boxes: I32) -> None:
    """The box of each polygon, and a key that sorts by region, then by least x. Unusable ones go last."""
    for polygon in range(polygons.shape[0]):
        if flags[polygon] & _UNUSABLE != 0 or region[polygon] == 0:
            keys[polygon] = np.int64(1) << 62
            continue
        low_x, low_z = _corner(vertices, polygons, polygon, 0)
        high_x, high_z = low_x, low_z
        for i in range(1, sizes[polygon]):
            x, z = _corner(vertices, polygons, polygon, i)
            low_x, high_x, low_z, high_z = min(low_x, x), max(high_x, x), min(low_z, z), max(high_z, z)
        boxes[polygon, _LOW_X], boxes[polygon, _LOW_Z] = low_x, low_z
        boxes[polygon, _HIGH_X], boxes[polygon, _HIGH_Z] = high_x, high_z
        keys[polygon] = (np.int64(region[polygon]) << 32) | np.int64(low_x)


@kernel
def _overlaps(vertices: U16, polygons: U16, region: U16, sizes: I32, boxes: I32, order: I32, flags: U32) -> bool:
    """Compare polygons of one region whose boxes overlap. (Region 0 is several: they may lie above each other.)"""
    bad = False
    for at in range(order.shape[0]):
        p = order[at]
        if flags[p] & _UNUSABLE != 0 or region[p] == 0:
            break
        own, low_z, high_x, high_z = region[p], boxes[p, _LOW_Z], boxes[p, _HIGH_X], boxes[p, _HIGH_Z]
        for other in range(at + 1, order.shape[0]):
            q = order[other]
            if region[q] != own or flags[q] & _UNUSABLE != 0 or boxes[q, _LOW_X] >= high_x:
                break
            if boxes[q, _LOW_Z] >= high_z or boxes[q, _HIGH_Z] <= low_z:
                continue
            if not _apart(vertices, polygons, sizes, p, q) and not _apart(vertices, polygons, sizes, q, p):
                flags[p] |= OVERLAP
                flags[q] |= OVERLAP
                bad = True
    return bad


@kernel
def _apart(vertices: U16, polygons: U16, sizes: I32, p: int, q: int) -> bool:
    """Has p an edge with all of q on its outer side?"""
    ax, az = _corner(vertices, polygons, p, sizes[p] - 1)
    for i in range(sizes[p]):
        bx, bz = _corner(vertices, polygons, p, i)
        outside = True
        for j in range(sizes[q]):
            cx, cz = _corner(vertices, polygons, q, j)
            if area2(ax, az, bx, bz, cx, cz) < 0:
                outside = False
                break
        if outside:
            return True
        ax, az = bx, bz
    return False
