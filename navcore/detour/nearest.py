"""The ground polygon of one tile that is nearest to a point: Detour's search, as kernels for linking and for queries.

It has two steps: candidates (`polygons_in_box` takes them from the tree, `scanned_polygons` from all polygons), and the
`nearest_of` them. How many there are, in which order, and how far away the nearest point may lie is up to the caller.
"""

from __future__ import annotations

import numpy as np

from ..geometry.point_in_polygon import ray_crosses
from ..geometry.segments import part_along
from ..jit import kernel
from ..types import F32, I32, I64, U8
from .byte_layout import BOUNDARY_BITS, Sections, split_sections

MOST_CANDIDATES = 128  # polygons of one tile that linking looks at
_CANDIDATE = 8  # nodes of the tree that take as long as one of them, its triangles left out
ENDLESS = np.int64(2**62)  # more than anybody can look at
_FAR = np.float32(3.4028234663852886e38)
_ANYWHERE = np.float32(np.inf)
_ZERO, _ONE = np.float32(0), np.float32(1)
_FLAT = np.float32(1e-6)
_LOW_16_BITS = np.int32(0xFFFF)
_TREE_STEP = 0xFFFE  # the boxes of a tree begin at even numbers and end at odd ones
_OUTLINE_BITS = 2  # of each edge in a detail triangle's fourth byte


@kernel
def nearest_in_tile(data: U8, center: F32, half_extents: F32, nearest: F32, work: I64) -> np.int32:
    """The polygon nearest to `center` among the first in the box around it, or -1; its point goes to `nearest`.

    What is looked at is taken off `work[0]`; when that is used up, the answer is worth nothing.
    Recast: dtNavMesh::findNearestPolyInTile.
    """
    tile = split_sections(data)
    candidates = np.empty(MOST_CANDIDATES, np.int32)
    count = polygons_in_box(tile, center, half_extents, candidates, work)
    return nearest_of(tile, candidates[:count], center, _ANYWHERE, _ANYWHERE, nearest, work)[0]


@kernel
def nearest_within(
    data: U8, center: F32, aside: np.float32, above: np.float32, nearest: F32
) -> tuple[np.int32, np.float32]:
    """The polygon nearest to `center` whose nearest point is within `aside` (x, z) and `above` (y) of it, or -1.

    With it goes the squared distance, as `nearest_of` counts it, and to `nearest` the point. Every polygon of the tile
    is looked at, in order.
    """
    tile = split_sections(data)
    candidates = np.empty(len(tile.polygons), np.int32)
    half_extents = np.array([aside, _ANYWHERE, aside], np.float32)
    work = np.full(1, ENDLESS, np.int64)
    count = scanned_polygons(tile, center, half_extents, candidates, work)
    return nearest_of(tile, candidates[:count], center, aside, above, nearest, work)


@kernel
def nearest_of(
    tile: Sections, candidates: I32, center: F32, aside: np.float32, above: np.float32, nearest: F32, work: I64
) -> tuple[np.int32, np.float32]:
    """The candidate nearest to `center`, or -1, and its squared distance; its nearest point goes to `nearest`.

    Only points within `aside` (x, z) and `above` (y) of `center` count. A point above or below a polygon counts as near
    as it is beyond the agent's climb; ties are won by the first candidate. Recast: dtFindNearestPolyQuery::process.
    """
    climb = tile.header[0]["agent_max_climb"]
    best, smallest = np.int32(-1), _FAR
    point = np.empty(3, np.float32)
    for k in range(len(candidates)):
        work[0] -= _CANDIDATE + np.int64(tile.detail_meshes["triangles"][candidates[k]])
        over = closest_point(tile, candidates[k], center, point)
        dx, dy, dz = abs(center[0] - point[0]), abs(center[1] - point[1]), abs(center[2] - point[2])
        if dx > aside or dy > above or dz > aside:
            continue
        height = max(dy - climb, _ZERO) if over else dy
        distance = dx * dx + height * height + dz * dz
        if distance < smallest:
            smallest = distance
            best = candidates[k]
            for axis in range(3):
                nearest[axis] = point[axis]
    return best, smallest


@kernel
def polygons_in_box(tile: Sections, center: F32, half_extents: F32, candidates: I32, work: I64) -> int:
    """Write the ground polygons whose box touches the given one, in the order of the tree; returns how many.

    Recast: dtNavMesh::queryPolygonsInTile.
    """
    if len(tile.nodes) == 0:
        return scanned_polygons(tile, center, half_extents, candidates, work)
    low, high = np.empty(3, np.int32), np.empty(3, np.int32)
    header = tile.header[0]
    scale = header["cells_per_metre"]
    for axis in range(3):
        near, far = header["bounds_min"][axis], header["bounds_max"][axis]
        a = min(max(center[axis] - half_extents[axis], near), far) - near
        b = min(max(center[axis] + half_extents[axis], near), far) - near
        low[axis] = _low_16_bits(scale * a) & _TREE_STEP
        high[axis] = _low_16_bits(scale * b + _ONE) | 1
    boxes, leaves = tile.nodes["box"], tile.nodes["polygon"]
    count = 0
    node = 0
    while node < len(leaves) and count < len(candidates) and work[0] >= 0:
        work[0] -= 1
        touches = True
        for axis in range(3):
            if low[axis] > boxes[node, axis + 3] or high[axis] < boxes[node, axis]:
                touches = False
        if leaves[node] >= 0 and touches:
            candidates[count] = leaves[node]
            count += 1
        if leaves[node] >= 0 or touches:
            node += 1
        else:
            node -= leaves[node]
    return count


@kernel
def _low_16_bits(value: np.float32) -> np.int32:
    """As the reference platform turns a float into 16 bits; what 32 bits cannot hold becomes 0."""
    if not abs(value) < np.float32(2147483648.0):
        return np.int32(0)
    return np.int32(value) & _LOW_16_BITS


@kernel
def scanned_polygons(tile: Sections, center: F32, half_extents: F32, candidates: I32, work: I64) -> int:
    """The same for a tile without a tree, and exactly: with the polygons' corners, in the order of polygons."""
    count = 0
    vertices = tile.vertices
    corner_of, corners = tile.polygons["vertices"], tile.polygons["corners"]
    for polygon in range(tile.header[0]["first_connection"]):
        work[0] -= np.int64(corners[polygon])
        if count == len(candidates) or work[0] < 0:
            break
        touches = True
        for axis in range(3):
            low = high = vertices[corner_of[polygon, 0], axis]
            for corner in range(1, np.int32(corners[polygon])):
                value = vertices[corner_of[polygon, corner], axis]
                low = min(low, value)
                high = max(high, value)
            if center[axis] - half_extents[axis] > high or center[axis] + half_extents[axis] < low:
                touches = False
        if touches:
            candidates[count] = polygon
            count += 1
    return count


@kernel
def closest_point(tile: Sections, polygon: int, position: F32, closest: F32) -> bool:
    """Write the point of a ground polygon closest to `position`; True where `position` is above or below the polygon.

    Recast: dtNavMesh::closestPointOnPoly.
    """
    corners = np.empty((3, 3), np.float32)
    over = _is_inside(tile, polygon, position)
    if over:
        first = np.int64(tile.detail_meshes["first_triangle"][polygon])
        for triangle in range(first, first + np.int64(tile.detail_meshes["triangles"][polygon])):
            _corners(tile, polygon, triangle, corners)
            if _at_height(corners, position, closest):
                return True
    _closest_on_edges(tile, polygon, position, not over, corners, closest)
    if over:  # no triangle quite reaches the point: only the height is taken from the nearest edge
        closest[0], closest[2] = position[0], position[2]
    return over


@kernel
def _is_inside(tile: Sections, polygon: int, position: F32) -> bool:
    """Whether the polygon's outline goes around the point. Recast: dtPointInPolygon."""
    vertices, corner_of = tile.vertices, tile.polygons["vertices"]
    count = np.int64(tile.polygons["corners"][polygon])
    x, z = position[0], position[2]
    inside = False
    for corner in range(count):
        a = corner_of[polygon, corner]
        b = corner_of[polygon, corner - 1 if corner > 0 else count - 1]
        ax, az, bx, bz = vertices[a, 0], vertices[a, 2], vertices[b, 0], vertices[b, 2]
        if ray_crosses(x, z, ax, az, bx, bz):
            inside = not inside
    return inside


@kernel
def _corners(tile: Sections, polygon: int, triangle: int, corners: F32) -> None:
    """Copy the corners of a detail triangle, which are polygon corners first, then detail vertices of its own."""
    count = np.int64(tile.polygons["corners"][polygon])
    first = np.int64(tile.detail_meshes["first_vertex"][polygon])
    for k in range(3):
        v = np.int64(tile.detail_triangles[triangle, k])
        for axis in range(3):
            if v < count:
                corners[k, axis] = tile.vertices[tile.polygons["vertices"][polygon, v], axis]
            else:
                corners[k, axis] = tile.detail_vertices[first + v - count, axis]


@kernel
def _at_height(corners: F32, position: F32, closest: F32) -> bool:
    """Write the point of a triangle above or below `position`; False where there is none.

    Recast: dtClosestHeightPointTriangle.
    """
    ax, ay, az = corners[0, 0], corners[0, 1], corners[0, 2]
    cx, cz = corners[2, 0] - ax, corners[2, 2] - az
    bx, bz = corners[1, 0] - ax, corners[1, 2] - az
    px, pz = position[0] - ax, position[2] - az
    denominator = cx * bz - cz * bx
    if abs(denominator) < _FLAT:
        return False
    u = bz * px - bx * pz
    v = cx * pz - cz * px
    if denominator < _ZERO:
        denominator, u, v = -denominator, -u, -v
    if not (u >= _ZERO and v >= _ZERO and u + v <= denominator):
        return False
    height = ay + ((corners[2, 1] - ay) * u + (corners[1, 1] - ay) * v) / denominator
    closest[0], closest[1], closest[2] = position[0], height, position[2]
    return True


@kernel
def _closest_on_edges(
    tile: Sections, polygon: int, position: F32, outline_only: bool, corners: F32, closest: F32
) -> None:
    """Write the closest point on the edges of a polygon's detail triangles. Recast: closestPointOnDetailEdges."""
    smallest = _FAR
    triangles = tile.detail_triangles
    first = np.int64(tile.detail_meshes["first_triangle"][polygon])
    for triangle in range(first, first + np.int64(tile.detail_meshes["triangles"][polygon])):
        flags = np.int32(triangles[triangle, 3])
        if outline_only and flags & BOUNDARY_BITS == 0:
            continue
        _corners(tile, polygon, triangle, corners)
        for turn in range(3):
            a, b = (turn + 2) % 3, turn
            outline = (flags >> (_OUTLINE_BITS * a)) & 1 != 0
            if not outline and (outline_only or triangles[triangle, a] < triangles[triangle, b]):
                continue  # inner edges belong to two triangles; one of them is enough
            distance, t = _to_segment(corners, a, b, position)
            if distance < smallest:
                smallest = distance
                for axis in range(3):
                    closest[axis] = corners[a, axis] + (corners[b, axis] - corners[a, axis]) * t


@kernel
def _to_segment(corners: F32, a: int, b: int, position: F32) -> tuple[np.float32, np.float32]:
    """Squared distance on the ground from a point to an edge, and where on the edge. Recast: dtDistancePtSegSqr2D."""
    ex, ez = corners[b, 0] - corners[a, 0], corners[b, 2] - corners[a, 2]
    wx, wz = position[0] - corners[a, 0], position[2] - corners[a, 2]
    t = part_along(ex * wx + ez * wz, ex * ex + ez * ez)
    dx = corners[a, 0] + t * ex - position[0]
    dz = corners[a, 2] + t * ez - position[2]
    return dx * dx + dz * dz, t
