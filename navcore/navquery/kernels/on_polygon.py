"""Points of a polygon that is known: the closest one, the closest on its outline, the height."""

from __future__ import annotations

from ...detour.byte_layout import CONNECTION
from ...jit import kernel
from ...types import F32, I32, U8, U32, AnyBool
from ..query_mesh import KIND, QueryMesh
from ..status import INVALID, SUCCESS
from .points import ZERO, closest_point, corner, height_at, is_finite, on_boundary, put, row_of, to_segment


@kernel
def closest_rows(
    mesh: QueryMesh, polygons: I32, points: F32, outline_only: AnyBool, begin: int, end: int, status: U32,
    closest: F32, over: U8,
) -> None:  # fmt: skip
    """Recast: dtNavMeshQuery::closestPointOnPoly, and closestPointOnPolyBoundary for the outline only."""
    for row in range(begin, end):
        point = row_of(points, row)
        status[row], over[row] = INVALID, 0
        put(closest, row, (ZERO, ZERO, ZERO))
        if polygons[row] < 0 or not is_finite(point):
            continue
        if outline_only:
            put(closest, row, on_boundary(mesh.outline, mesh.facts, polygons[row], point))
        else:
            above, place = closest_point(mesh.outline, mesh.facts, mesh.triangles, mesh.marks, polygons[row], point)
            over[row] = above
            put(closest, row, place)
        status[row] = SUCCESS


@kernel
def height_rows(mesh: QueryMesh, polygons: I32, points: F32, begin: int, end: int, status: U32, heights: F32) -> None:
    """Recast: dtNavMeshQuery::getPolyHeight."""
    outline, facts = mesh.outline, mesh.facts
    for row in range(begin, end):
        point = row_of(points, row)
        status[row], heights[row] = INVALID, ZERO
        polygon = polygons[row]
        if polygon < 0 or not is_finite((point[0], ZERO, point[2])):
            continue
        if facts[polygon, KIND] == CONNECTION:
            start, end_point = corner(outline, polygon, 0), corner(outline, polygon, 1)
            _, part = to_segment(point, start, end_point)
            status[row], heights[row] = SUCCESS, start[1] + (end_point[1] - start[1]) * part
            continue
        found, height = height_at(outline, facts, mesh.triangles, mesh.marks, polygon, point)
        if found:
            status[row], heights[row] = SUCCESS, height
