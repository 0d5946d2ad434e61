"""Points of a polygon that is known: the closest one, the closest on its outline, the height."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ...detour.byte_layout import CONNECTION
from ...geometry.segments import part_along
from ...jit import inlined, kernel
from ...types import F32, U8, U32, AnyBool, AnyInt
from ..query_mesh import QueryMesh
from ..status import INVALID, SUCCESS
from .points import (
    ZERO,
    Point32,
    PointsOn,
    closest_point,
    corner,
    height_at,
    is_finite,
    on_boundary,
    put,
    row_of,
    to_segment,
)

Space: TypeAlias = tuple[float, float, float]


class ClosestRows(NamedTuple):
    """What `closest_rows` writes."""

    status: U32
    points: F32  # (N, 3)
    over: U8  # 1: the asked point is above or below the polygon


@kernel
def closest_rows(
    mesh: QueryMesh, asked: PointsOn, outline_only: AnyBool, begin: int, end: int, rows: ClosestRows
) -> None:
    """Recast: dtNavMeshQuery::closestPointOnPoly, and closestPointOnPolyBoundary for the outline only."""
    mesh, asked, rows = QueryMesh(*mesh), PointsOn(*asked), ClosestRows(*rows)
    polygons, points = asked
    status, closest, over = rows
    for row in range(begin, end):
        point = row_of(points, row)
        status[row], over[row] = INVALID, 0
        put(closest, row, (ZERO, ZERO, ZERO))
        if polygons[row] < 0 or not is_finite(point):
            continue
        if outline_only:
            put(closest, row, on_boundary(mesh.outline, mesh.polygons, polygons[row], point))
        else:
            above, place = closest_point(mesh.outline, mesh.polygons, mesh.triangles, mesh.marks, polygons[row], point)
            over[row] = above
            put(closest, row, place)
        status[row] = SUCCESS


@kernel
def height_rows(mesh: QueryMesh, asked: PointsOn, begin: int, end: int, status: U32, heights: F32) -> None:
    """Recast: dtNavMeshQuery::getPolyHeight."""
    mesh, asked = QueryMesh(*mesh), PointsOn(*asked)
    outline, records = mesh.outline, mesh.polygons
    polygons, points = asked
    for row in range(begin, end):
        point = row_of(points, row)
        status[row], heights[row] = INVALID, ZERO
        polygon = polygons[row]
        if polygon < 0 or not is_finite((point[0], ZERO, point[2])):
            continue
        if records[polygon].kind == CONNECTION:
            start, end_point = corner(outline, polygon, 0), corner(outline, polygon, 1)
            _, part = to_segment(point, start, end_point)
            status[row], heights[row] = SUCCESS, start[1] + (end_point[1] - start[1]) * part
            continue
        found, height = height_at(outline, records, mesh.triangles, mesh.marks, polygon, point)
        if found:
            status[row], heights[row] = SUCCESS, height


@kernel
def closest_on_ground(mesh: QueryMesh, polygon: AnyInt, point: Point32, within: float) -> tuple[float, Point32]:
    """The squared distance to the point of a polygon's ground that is closest in space, and that point.

    What is not nearer than `within`, squared, is not looked for. This is not closestPointOnPoly, which looks straight
    up and down first: on a slope what is beside a point may be nearer than what is below it.
    """
    polygons, triangles = mesh.polygons, mesh.triangles
    best, closest = within, point
    if _to_box(mesh.boxes, polygon, point) >= best:
        return best, closest
    p = _in_space(point)
    for number in range(polygons[polygon].first_triangle, polygons[polygon].end_triangle):
        a, b, c = (
            _in_space(corner(triangles, number, 0)), _in_space(corner(triangles, number, 1)),
            _in_space(corner(triangles, number, 2)),
        )  # fmt: skip
        for place in (_below(p, a, b, c), _on_line(p, a, b), _on_line(p, b, c), _on_line(p, c, a)):
            away = _dot(_minus(place, p), _minus(place, p))
            if away < best:
                best, closest = away, (np.float32(place[0]), np.float32(place[1]), np.float32(place[2]))
    return best, closest


@inlined
def _to_box(boxes: F32, polygon: AnyInt, point: Point32) -> float:
    """Not more than the squared distance to a polygon's ground."""
    total = 0.0
    for axis in range(3):
        low, high, at = float(boxes[polygon, axis]), float(boxes[polygon, axis + 3]), float(point[axis])
        away = max(low - at, at - high, 0.0)
        total += away * away
    return total


@inlined
def _below(p: Space, a: Space, b: Space, c: Space) -> Space:
    """Where the perpendicular from a point meets a triangle; one of its corners where it passes it by."""
    ab, ac, ap = _minus(b, a), _minus(c, a), _minus(p, a)
    aa, bb, cc, pb, pc = _dot(ab, ab), _dot(ab, ac), _dot(ac, ac), _dot(ap, ab), _dot(ap, ac)
    area = aa * cc - bb * bb
    u, v = pb * cc - pc * bb, pc * aa - pb * bb
    if not (area > 0 and u >= 0 and v >= 0 and u + v <= area):
        return a
    u, v = u / area, v / area
    return a[0] + ab[0] * u + ac[0] * v, a[1] + ab[1] * u + ac[1] * v, a[2] + ab[2] * u + ac[2] * v


@inlined
def _on_line(p: Space, a: Space, b: Space) -> Space:
    """The point of a segment that is closest in space."""
    ab = _minus(b, a)
    part = part_along(_dot(_minus(p, a), ab), _dot(ab, ab))
    return a[0] + ab[0] * part, a[1] + ab[1] * part, a[2] + ab[2] * part


@inlined
def _minus(a: Space, b: Space) -> Space:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def _dot(a: Space, b: Space) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def _in_space(point: Point32) -> Space:
    return float(point[0]), float(point[1]), float(point[2])
