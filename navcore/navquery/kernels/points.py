"""Points and polygons: closest points, heights, portals, distances; helpers of every question."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ...detour.byte_layout import BOUNDARY_BITS, CONNECTION
from ...geometry.point_in_polygon import ray_crosses
from ...geometry.segments import part_along
from ...jit import inlined, kernel
from ...types import F32, I32, U8, U32, AnyBool, AnyInt
from ..query_mesh import LinkRows, PolygonRows

Point32: TypeAlias = tuple[np.float32, np.float32, np.float32]
Float32: TypeAlias = np.float32

FARTHEST = np.float32(1e18)  # metres
FAR = np.float32(3.4028234663852886e38)
ZERO, ONE, HALF = np.float32(0), np.float32(1), np.float32(0.5)
_FLAT = np.float32(1e-6)
_NEAR = np.float32(1 / 16384) * np.float32(1 / 16384)
_OUTLINE_BITS = 2  # of each edge in a detail triangle's fourth byte


class PointsOn(NamedTuple):
    """N points, each asked about with a polygon; NO_POLYGON: nothing is known of it."""

    polygons: I32  # (N,)
    points: F32  # (N, 3)


class LinesFrom(NamedTuple):
    """N straight lines, each from a point of a polygon."""

    polygons: I32  # (N,)
    starts: F32  # (N, 3)
    ends: F32


class PointPairs(NamedTuple):
    """N starts and N ends, each with its polygon."""

    first: I32  # (N,) polygons; NO_POLYGON where there is none near enough
    last: I32
    starts: F32  # (N, 3) points on them
    ends: F32


class RowCounts(NamedTuple):
    """What became of each row, and how many items it has."""

    status: U32
    counts: I32


@inlined
def passes(polygons: PolygonRows, polygon: AnyInt, include: AnyInt, exclude: AnyInt) -> AnyBool:
    """Whether a filter lets a polygon pass. Recast: dtQueryFilter::passFilter."""
    return admits(polygons[polygon].flags, include, exclude)


@inlined
def admits(flags: AnyInt, include: AnyInt, exclude: AnyInt) -> AnyBool:
    return flags & include != 0 and flags & exclude == 0


@inlined
def between(a: Point32, b: Point32, t: Float32) -> Point32:
    """The point at part `t` of the way from a to b. Recast: dtVlerp."""
    return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t


@inlined
def distance(a: Point32, b: Point32) -> Float32:
    """Recast: dtVdist."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    return np.sqrt(x * x + y * y + z * z)


@inlined
def cost_of(a: Point32, b: Point32, polygons: PolygonRows, polygon: AnyInt, costs: F32) -> Float32:
    """The cost of a way through a polygon. Recast: dtQueryFilter::getCost."""
    return distance(a, b) * costs[polygons[polygon].area]


@inlined
def turn(a: Point32, b: Point32, c: Point32) -> Float32:
    """Twice the area of a triangle seen from above. Recast: dtTriArea2D."""
    bx, bz, cx, cz = b[0] - a[0], b[2] - a[2], c[0] - a[0], c[2] - a[2]
    return cx * bz - bx * cz


@inlined
def same_place(a: Point32, b: Point32) -> AnyBool:
    """Recast: dtVequal."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    return x * x + y * y + z * z < _NEAR


@inlined
def corner(outline: F32, polygon: AnyInt, number: AnyInt) -> Point32:
    return outline[polygon, number, 0], outline[polygon, number, 1], outline[polygon, number, 2]


@inlined
def row_of(points: F32, row: AnyInt) -> Point32:
    return points[row, 0], points[row, 1], points[row, 2]


@inlined
def put(points: F32, row: AnyInt, point: Point32) -> None:
    points[row, 0], points[row, 1], points[row, 2] = point


@inlined
def is_finite(point: Point32) -> AnyBool:
    """Whether a point can be computed with: products of its coordinates must be finite, too."""
    return abs(point[0]) <= FARTHEST and abs(point[1]) <= FARTHEST and abs(point[2]) <= FARTHEST


@kernel
def to_segment(point: Point32, a: Point32, b: Point32) -> tuple[Float32, Float32]:
    """Squared distance on the ground to a segment, and where on it. Recast: dtDistancePtSegSqr2D."""
    ex, ez = b[0] - a[0], b[2] - a[2]
    t = part_along(ex * (point[0] - a[0]) + ez * (point[2] - a[2]), ex * ex + ez * ez)
    dx = a[0] + t * ex - point[0]
    dz = a[2] + t * ez - point[2]
    return dx * dx + dz * dz, t


@kernel
def is_inside(outline: F32, polygons: PolygonRows, polygon: AnyInt, point: Point32) -> bool:
    """Whether the polygon's outline goes around the point. Recast: dtPointInPolygon."""
    count = polygons[polygon].corners
    x, z = point[0], point[2]
    inside = False
    for i in range(count):
        j = i - 1 if i > 0 else count - 1
        ax, az = outline[polygon, i, 0], outline[polygon, i, 2]
        bx, bz = outline[polygon, j, 0], outline[polygon, j, 2]
        if ray_crosses(x, z, ax, az, bx, bz):
            inside = not inside
    return inside


@inlined
def _height_in(triangles: F32, number: AnyInt, point: Point32) -> tuple[bool, Float32]:
    """The height of a triangle at a point above or below it. Recast: dtClosestHeightPointTriangle."""
    ax, ay, az = corner(triangles, number, 0)
    bx, by, bz = corner(triangles, number, 1)
    cx, cy, cz = corner(triangles, number, 2)
    cx, cz, bx, bz = cx - ax, cz - az, bx - ax, bz - az
    px, pz = point[0] - ax, point[2] - az
    denominator = cx * bz - cz * bx
    u = bz * px - bx * pz
    v = cx * pz - cz * px
    backwards = denominator < ZERO
    u, v, size = -u if backwards else u, -v if backwards else v, abs(denominator)
    # Without branches: which of the four comparisons fails is hard to foresee.
    if not ((size >= _FLAT) & (u >= ZERO) & (v >= ZERO) & (u + v <= size)):
        return False, ZERO
    return True, ay + ((cy - ay) * u + (by - ay) * v) / size


@kernel
def _closest_on_edges(
    polygons: PolygonRows, triangles: F32, marks: U8, polygon: AnyInt, point: Point32, outline_only: AnyBool
) -> Point32:
    """The closest point on the edges of a polygon's detail triangles. Recast: closestPointOnDetailEdges."""
    smallest = FAR
    closest = point
    for number in range(polygons[polygon].first_triangle, polygons[polygon].end_triangle):
        flags = np.int32(marks[number, 3])
        if outline_only and flags & BOUNDARY_BITS == 0:
            continue
        for turn in range(3):
            a, b = (turn + 2) % 3, turn
            on_outline = (flags >> (_OUTLINE_BITS * a)) & 1 != 0
            if not on_outline and (outline_only or marks[number, a] < marks[number, b]):
                continue  # inner edges belong to two triangles; one of them is enough
            start, end = corner(triangles, number, a), corner(triangles, number, b)
            away, t = to_segment(point, start, end)
            if away < smallest:
                smallest = away
                closest = between(start, end, t)
    return closest


@kernel
def height_at(
    outline: F32, polygons: PolygonRows, triangles: F32, marks: U8, polygon: AnyInt, point: Point32
) -> tuple[bool, Float32]:
    """The height of a ground polygon at a point above or below it. Recast: dtNavMesh::getPolyHeight."""
    if polygons[polygon].kind == CONNECTION or not is_inside(outline, polygons, polygon, point):
        return False, ZERO
    for number in range(polygons[polygon].first_triangle, polygons[polygon].end_triangle):
        found, height = _height_in(triangles, number, point)
        if found:
            return True, height
    return True, _closest_on_edges(polygons, triangles, marks, polygon, point, False)[1]


@kernel
def closest_point(
    outline: F32, polygons: PolygonRows, triangles: F32, marks: U8, polygon: AnyInt, point: Point32
) -> tuple[bool, Point32]:
    """The point of a polygon closest to another, and whether that is above or below the polygon.

    Recast: dtNavMeshQuery::closestPointOnPoly.
    """
    over, height = height_at(outline, polygons, triangles, marks, polygon, point)
    if over:
        return True, (point[0], height, point[2])
    if polygons[polygon].kind == CONNECTION:
        start, end = corner(outline, polygon, 0), corner(outline, polygon, 1)
        _, t = to_segment(point, start, end)
        return False, between(start, end, t)
    return False, _closest_on_edges(polygons, triangles, marks, polygon, point, True)


@kernel
def on_boundary(outline: F32, polygons: PolygonRows, polygon: AnyInt, point: Point32) -> Point32:
    """The point itself where the polygon's outline goes around it, else the nearest one on the outline.

    Recast: dtNavMeshQuery::closestPointOnPolyBoundary.
    """
    if is_inside(outline, polygons, polygon, point):
        return point
    count = polygons[polygon].corners
    smallest = FAR
    closest = point
    for k in range(count):
        start, end = corner(outline, polygon, k), corner(outline, polygon, k + 1 if k + 1 < count else 0)
        away, t = to_segment(point, start, end)
        if away < smallest:
            smallest = away
            closest = between(start, end, t)
    return closest


@inlined
def portal(
    polygons: PolygonRows, links: LinkRows, portals: F32, here: AnyInt, there: AnyInt
) -> tuple[AnyBool, Point32, Point32]:
    """Left and right end of what two polygons share; False where no link leads there.

    The first link counts where several lead there. Recast: dtNavMeshQuery::getPortalPoints.
    """
    for link in range(polygons[here].first_link, polygons[here].end_link):
        if links[link].target == there:
            left = corner(portals, link, 0)
            return not np.isnan(left[0]), left, corner(portals, link, 1)
    return False, (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO)


@inlined
def edge_of(outline: F32, polygons: PolygonRows, polygon: AnyInt, edge: AnyInt) -> tuple[Point32, Point32]:
    """Both ends of a polygon's edge."""
    return corner(outline, polygon, edge), corner(
        outline, polygon, edge + 1 if edge + 1 < polygons[polygon].corners else 0
    )


@inlined
def middle_of(a: Point32, b: Point32) -> Point32:
    return (a[0] + b[0]) * HALF, (a[1] + b[1]) * HALF, (a[2] + b[2]) * HALF
