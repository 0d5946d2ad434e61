"""The polygons next to a point that can be drawn on one sheet of paper: none lies above another."""

from __future__ import annotations

import numpy as np

from ...detour.byte_layout import CONNECTION
from ...jit import borrowing, kernel
from ...types import I32, AnyBool, AnyInt
from ..query_filter import Rule
from ..query_mesh import NO_POLYGON, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, SUCCESS
from .convex_overlaps import overlap
from .nearest_polygon import roomy
from .points import Float, Point, PointsOn, RowCounts, corner, is_finite, passes, row_of, to_segment


@kernel
def neighborhood_rows(
    mesh: QueryMesh, asked: PointsOn, radius: Float, rule: Rule, max_polygons: int, begin: int, end: int,
    rows: RowCounts,
) -> tuple[I32, I32]:  # fmt: skip
    """Polygons around each point and from which each is entered, row after row: those entered first come first.

    Recast: dtNavMeshQuery::findLocalNeighbourhood.
    """
    found, parents = np.empty(256, np.int32), np.empty(256, np.int32)
    seen_by = np.full(len(mesh.polygons), -1, np.int64)  # the last row that has decided about a polygon
    total = 0
    starts, points, status, counts = asked.polygons, asked.points, rows.status, rows.counts
    for row in range(begin, end):
        status[row], counts[row] = INVALID, 0
        if starts[row] < 0 or not is_finite(row_of(points, row)):
            continue
        found, parents = roomy(found, total, total + 1), roomy(parents, total, total + 1)
        found[total], parents[total], seen_by[starts[row]] = starts[row], NO_POLYGON, row
        count, k, full = 1, 0, False
        while k < count:
            polygon = found[total + k]
            for link in range(mesh.polygons[polygon].first_link, mesh.polygons[polygon].end_link):
                target = mesh.links[link].target
                if seen_by[target] == row or not _reaches(mesh, row_of(points, row), radius, link, rule):
                    continue
                seen_by[target] = row
                if _covers(mesh, target, found[total : total + count]):
                    continue
                if count == max_polygons:
                    full = True
                    continue
                found, parents = (
                    roomy(found, total + count, total + count + 1),
                    roomy(parents, total + count, total + count + 1),
                )
                found[total + count], parents[total + count] = target, polygon
                count += 1
            k += 1
        status[row] = SUCCESS | (BUFFER_TOO_SMALL if full else np.uint32(0))
        counts[row] = count
        total += count
    return found[:total].copy(), parents[:total].copy()


@borrowing
def _reaches(mesh: QueryMesh, center: Point, radius: Float, link: AnyInt, rule: Rule) -> AnyBool:
    """Whether a link leads to ground that passes the filter, over an edge that the circle touches."""
    target = mesh.links[link].target
    if mesh.polygons[target].kind == CONNECTION or not passes(mesh.polygons, target, rule.include, rule.exclude):
        return False
    left, right = corner(mesh.portals, link, 0), corner(mesh.portals, link, 1)
    return not np.isnan(left[0]) and to_segment(center, left, right)[0] <= radius * radius


@kernel
def _covers(mesh: QueryMesh, polygon: AnyInt, others: I32) -> bool:
    """Whether a polygon lies above or below one of others; those beside it only touch it."""
    covers = False
    for other in others:
        covers |= bool(overlap(mesh.outline, mesh.polygons, polygon, other))
    return covers
