"""The point of one tile's ground that is nearest to a given one, as kernels that linking and queries share."""

from __future__ import annotations

import numpy as np

from ..geometry.segments import part_along
from ..jit import kernel
from .byte_layout import BOUNDARY_BITS, cut

MOST_CANDIDATES = 128  # polygons looked at in one tile
_CANDIDATE = 8  # nodes of the tree that take as long as one of them, its triangles left out
_FAR = np.float32(3.4028234663852886e38)
_ZERO, _ONE = np.float32(0), np.float32(1)
_FLAT = np.float32(1e-6)


@kernel
def nearest_in_tile(data, center, half_extents, found, work):
    """The polygon nearest to `center` among those in the box around it, or −1; its nearest point goes to `found`.

    A point above or below a polygon counts as near as it is beyond the agent's climb; ties are won by the first seen.
    What is looked at is taken off `work[0]`; when that is used up, the answer is worth nothing.
    Recast: dtNavMesh::findNearestPolyInTile.
    """
    tile = cut(data)
    climb = tile.header[0]["agent_max_climb"]
    candidates = np.empty(MOST_CANDIDATES, np.int32)
    best = np.int32(-1)
    smallest = _FAR
    point = np.empty(3, np.float32)
    for k in range(polygons_in_box(tile, center, half_extents, candidates, work)):
        work[0] -= _CANDIDATE + np.int64(tile.detail_meshes["triangles"][candidates[k]])
        over = closest_point(tile, candidates[k], center, point)
        dx, dy, dz = center[0] - point[0], center[1] - point[1], center[2] - point[2]
        if over:
            distance = abs(dy) - climb
            distance = distance * distance if distance > _ZERO else _ZERO
        else:
            distance = dx * dx + dy * dy + dz * dz
        if distance < smallest:
            smallest = distance
            best = candidates[k]
            for axis in range(3):
                found[axis] = point[axis]
    return best


@kernel
def polygons_in_box(tile, center, half_extents, candidates, work):
    """Write the ground polygons whose box touches the given one, in the order of the tree; returns how many.

    Recast: dtNavMesh::queryPolygonsInTile.
    """
    if len(tile.nodes) == 0:
        return _scanned(tile, center, half_extents, candidates, work)
    low, high = np.empty(3, np.int32), np.empty(3, np.int32)
    header = tile.header[0]
    scale = header["cells_per_metre"]
    for axis in range(3):
        near, far = header["bounds_min"][axis], header["bounds_max"][axis]
        a = min(max(center[axis] - half_extents[axis], near), far) - near
        b = min(max(center[axis] + half_extents[axis], near), far) - near
        low[axis] = _low_16_bits(scale * a) & 0xFFFE
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
def _low_16_bits(value):
    """As the reference platform turns a float into 16 bits; what 32 bits cannot hold becomes 0."""
    if not abs(value) < np.float32(2147483648.0):
        return np.int32(0)
    return np.int32(value) & np.int32(0xFFFF)


@kernel
def _scanned(tile, center, half_extents, candidates, work):
    """The same for a tile without a tree."""
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
def closest_point(tile, polygon, position, found):
    """Write the point of a ground polygon closest to `position`; True where `position` is above or below the polygon.

    Recast: dtNavMesh::closestPointOnPoly.
    """
    corners = np.empty((3, 3), np.float32)
    over = _inside(tile, polygon, position)
    if over:
        first = np.int64(tile.detail_meshes["first_triangle"][polygon])
        for triangle in range(first, first + np.int64(tile.detail_meshes["triangles"][polygon])):
            _corners(tile, polygon, triangle, corners)
            if _height(corners, position, found):
                return True
    _closest_on_edges(tile, polygon, position, not over, corners, found)
    if over:  # no triangle quite reaches the point: only the height is taken from the nearest edge
        found[0], found[2] = position[0], position[2]
    return over


@kernel
def _inside(tile, polygon, position):
    """Whether the polygon's outline goes around the point. Recast: dtPointInPolygon."""
    vertices, corner_of = tile.vertices, tile.polygons["vertices"]
    count = np.int64(tile.polygons["corners"][polygon])
    x, z = position[0], position[2]
    inside = False
    for corner in range(count):
        a = corner_of[polygon, corner]
        b = corner_of[polygon, corner - 1 if corner > 0 else count - 1]
        ax, az, bx, bz = vertices[a, 0], vertices[a, 2], vertices[b, 0], vertices[b, 2]
        if (az > z) != (bz > z) and x < (bx - ax) * (z - az) / (bz - az) + ax:
            inside = not inside
    return inside


@kernel
def _corners(tile, polygon, triangle, corners):
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
def _height(corners, position, found):
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
    found[0], found[1], found[2] = position[0], height, position[2]
    return True


@kernel
def _closest_on_edges(tile, polygon, position, outline_only, corners, found):
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
            outline = (flags >> (2 * a)) & 1 != 0
            if not outline and (outline_only or triangles[triangle, a] < triangles[triangle, b]):
                continue  # inner edges belong to two triangles; one of them is enough
            distance, t = _to_segment(corners, a, b, position)
            if distance < smallest:
                smallest = distance
                for axis in range(3):
                    found[axis] = corners[a, axis] + (corners[b, axis] - corners[a, axis]) * t


@kernel
def _to_segment(corners, a, b, position):
    """Squared distance on the ground from a point to an edge, and where on the edge. Recast: dtDistancePtSegSqr2D."""
    ex, ez = corners[b, 0] - corners[a, 0], corners[b, 2] - corners[a, 2]
    wx, wz = position[0] - corners[a, 0], position[2] - corners[a, 2]
    t = part_along(ex * wx + ez * wz, ex * ex + ez * ez)
    dx = corners[a, 0] + t * ex - position[0]
    dz = corners[a, 2] + t * ez - position[2]
    return dx * dx + dz * dz, t
