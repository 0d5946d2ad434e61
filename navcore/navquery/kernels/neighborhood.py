"""The polygons next to a point that can be drawn on one sheet of paper: none lies above another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...detour.byte_layout import CONNECTION
from ...jit import borrowing, inlined, kernel
from ...types import F32, I32, AnyBool, AnyInt
from ..query_filter import Rule
from ..query_mesh import NO_POLYGON, PolygonRows, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, SUCCESS
from .nearest_polygon import roomy
from .points import ONE, ZERO, Float32, Point32, PointsOn, RowCounts, corner, is_finite, passes, row_of, to_segment

_PARALLEL = np.float32(1e-6)
_NODES, _WAITING = 64, 48  # of one search, as Detour has them
_APART = np.float32(1e-4)
_TOUCHING = 1e-4  # metres that polygons which only touch may lie in each other
_ROUNDING = 2.0**-21  # the same as a part of their coordinates


@kernel
def meets(shape: F32, a: Point32, b: Point32) -> bool:
    """Whether a segment has a point in a convex shape, or on its outline. Recast: dtIntersectSegmentPoly2D."""
    enters, leaves = ZERO, ONE
    dx, dz = b[0] - a[0], b[2] - a[2]
    before = row_of(shape, len(shape) - 1)
    for i in range(len(shape)):
        here = row_of(shape, i)
        ex, ez = here[0] - before[0], here[2] - before[2]
        n = ez * (a[0] - before[0]) - ex * (a[2] - before[2])
        d = dz * ex - dx * ez
        if abs(d) < _PARALLEL:
            if n < ZERO:
                return False
        elif d < ZERO:
            enters = max(enters, n / d)
        else:
            leaves = min(leaves, n / d)
        if enters > leaves:
            return False
        before = here
    return True


# --- As Detour has it.


class _Search(NamedTuple):
    """What one search knows."""

    nodes: I32  # (64,) the polygons that were looked at
    closed: npt.NDArray[np.bool_]  # (64,) whether it is decided about them
    waiting: I32  # (48,) the polygons to go on from, a ring
    found: I32  # polygons, and from which each is entered
    parents: I32


@kernel
def neighborhood_rows(
    mesh: QueryMesh, asked: PointsOn, radius: Float32, rule: Rule, max_polygons: int, begin: int, end: int,
    rows: RowCounts,
) -> tuple[I32, I32]:  # fmt: skip
    """Polygons around each point and from which each is entered, row after row: those entered first come first.

    No search looks at more than 64. Recast: dtNavMeshQuery::findLocalNeighbourhood.
    """
    mesh, asked, rule, rows = QueryMesh(*mesh), PointsOn(*asked), Rule(*rule), RowCounts(*rows)
    found, parents = np.empty(256, np.int32), np.empty(256, np.int32)
    nodes, closed, waiting = np.empty(_NODES, np.int32), np.empty(_NODES, np.bool_), np.empty(_WAITING, np.int32)
    total = 0
    starts, points, status, counts = asked.polygons, asked.points, rows.status, rows.counts
    for row in range(begin, end):
        status[row], counts[row] = INVALID, 0
        if starts[row] < 0 or not is_finite(row_of(points, row)):
            continue
        found, parents = roomy(found, total, total + _NODES), roomy(parents, total, total + _NODES)
        search = _Search(nodes, closed, waiting, found[total:], parents[total:])
        count, full = _spread(mesh, search, starts[row], row_of(points, row), radius * radius, rule, max_polygons)
        status[row] = SUCCESS | (BUFFER_TOO_SMALL if full else np.uint32(0))
        counts[row] = count
        total += count
    return found[:total].copy(), parents[:total].copy()


@borrowing
def _spread(
    mesh: QueryMesh, search: _Search, start: AnyInt, center: Point32, within: Float32, rule: Rule, max_polygons: int
) -> tuple[int, bool]:
    """The polygons around one point: how many, and whether there were more than `max_polygons`."""
    polygons, links, found, parents = mesh.polygons, mesh.links, search.found, search.parents
    search.nodes[0], search.closed[0], search.waiting[0] = start, True, start
    found[0], parents[0] = start, NO_POLYGON
    looked_at, count, full, first, last = 1, 1, False, 0, 1
    while first < last:
        polygon = search.waiting[first % _WAITING]
        first += 1
        for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
            target = links[link].target
            node = _node_of(search, target, looked_at)
            if node == _NODES:
                continue
            looked_at = max(looked_at, node + 1)
            if search.closed[node] or polygons[target].kind == CONNECTION:
                continue
            if not passes(polygons, target, rule.include, rule.exclude):
                continue
            left, right = corner(mesh.portals, link, 0), corner(mesh.portals, link, 1)
            if np.isnan(left[0]) or to_segment(center, left, right)[0] > within:
                continue
            search.closed[node] = True
            if _lies_over(mesh, polygon, target, found, count):
                continue
            if count < max_polygons:
                found[count], parents[count] = target, polygon
                count += 1
            else:
                full = True
            if last - first < _WAITING:
                search.waiting[last % _WAITING] = target
                last += 1
    return count, full


@borrowing
def _node_of(search: _Search, polygon: AnyInt, count: int) -> int:
    """The number of a polygon among those looked at, a new one where it is not yet; 64 where there is no room."""
    for node in range(count):
        if search.nodes[node] == polygon:
            return node
    if count < _NODES:
        search.nodes[count], search.closed[count] = polygon, False
    return count


@borrowing
def _lies_over(mesh: QueryMesh, polygon: AnyInt, new: AnyInt, found: I32, count: int) -> bool:
    """Whether a polygon lies above or below one of those found that `polygon` is not linked to."""
    first, end = mesh.polygons[polygon].first_link, mesh.polygons[polygon].end_link
    for k in range(count):
        is_linked = False
        for link in range(first, end):
            is_linked |= mesh.links[link].target == found[k]
        if not is_linked and not (
            _told_apart(mesh.outline, mesh.polygons, new, found[k], new)
            or _told_apart(mesh.outline, mesh.polygons, new, found[k], found[k])
        ):
            return True
    return False


@kernel
def _told_apart(outline: F32, polygons: PolygonRows, one: AnyInt, other: AnyInt, by: AnyInt) -> bool:
    """Whether an edge of the polygon `by` parts one from the other, by a little. Recast: dtOverlapPolyPoly2D."""
    count = polygons[by].corners
    for k in range(count):
        a, b = corner(outline, by, k - 1 if k > 0 else count - 1), corner(outline, by, k)
        x, z = b[2] - a[2], -(b[0] - a[0])
        low, high = _projected(outline, polygons, one, x, z)
        others_low, others_high = _projected(outline, polygons, other, x, z)
        if low + _APART > others_high or high - _APART < others_low:
            return True
    return False


@inlined
def _projected(outline: F32, polygons: PolygonRows, polygon: AnyInt, x: Float32, z: Float32) -> tuple[Float32, Float32]:
    """From where to where a polygon reaches in a direction."""
    low = high = x * outline[polygon, 0, 0] + z * outline[polygon, 0, 2]
    for k in range(1, polygons[polygon].corners):
        reach = x * outline[polygon, k, 0] + z * outline[polygon, k, 2]
        low, high = min(low, reach), max(high, reach)
    return low, high


# --- Without limits, and sound however far from the origin.


@kernel
def overlap(outline: F32, polygons: PolygonRows, one: AnyInt, other: AnyInt) -> AnyBool:
    """Whether two polygons cover common ground seen from above, that is no edge of either parts them.

    Those that only touch do not.
    """
    return not _parted(outline, polygons, one, other) and not _parted(outline, polygons, other, one)


@kernel
def _parted(outline: F32, polygons: PolygonRows, one: AnyInt, other: AnyInt) -> bool:
    """Whether `other` lies beyond one of the edges of `one`."""
    count = polygons[one].corners
    largest = 0.0
    for k in range(count):
        largest = max(largest, abs(float(outline[one, k, 0])), abs(float(outline[one, k, 2])))
    slack = max(_TOUCHING, _ROUNDING * largest)
    for k in range(count):
        a, b = corner(outline, one, k), corner(outline, one, k + 1 if k + 1 < count else 0)
        ex, ez = float(b[0]) - float(a[0]), float(b[2]) - float(a[2])
        length = np.sqrt(ex * ex + ez * ez)
        beyond = True
        for m in range(polygons[other].corners):
            wx, wz = float(outline[other, m, 0]) - float(a[0]), float(outline[other, m, 2]) - float(a[2])
            if ez * wx - ex * wz > slack * length:  # on the inner side
                beyond = False
                break
        if beyond:
            return True
    return False


@kernel
def flat_neighborhood_rows(
    mesh: QueryMesh, asked: PointsOn, radius: Float32, rule: Rule, max_polygons: int, begin: int, end: int,
    rows: RowCounts,
) -> tuple[I32, I32]:  # fmt: skip
    """The same with room for all, and told apart with room for rounding: what shares an edge never overlaps."""
    mesh, asked, rule, rows = QueryMesh(*mesh), PointsOn(*asked), Rule(*rule), RowCounts(*rows)
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
def _reaches(mesh: QueryMesh, center: Point32, radius: Float32, link: AnyInt, rule: Rule) -> AnyBool:
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
