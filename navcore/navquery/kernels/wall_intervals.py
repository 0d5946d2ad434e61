"""The walls of a polygon as Detour has them: along an edge on a tile's border between the intervals of its links."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import borrowing, inlined, kernel
from ...types import F32, I32, AnyBool, AnyInt
from ..query_filter import Rule
from ..query_mesh import BORDER, NO_POLYGON, WALL, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, SUCCESS
from .nearest_polygon import roomy
from .points import Point32, RowCounts, between, edge_of, passes

_MOST = 16  # intervals along an edge, those before its start and behind its end included
_WHOLE = np.float32(255)


class _Intervals(NamedTuple):
    """Those along one edge, in order, in 255ths of it."""

    lows: I32  # (16,)
    highs: I32
    behind: I32  # the polygon there, or NO_POLYGON


class _Segments(NamedTuple):
    """Where one polygon's segments are written."""

    ends: F32  # (., 2, 3)
    behind: I32


@kernel
def interval_rows(
    mesh: QueryMesh, polygons: I32, rule: Rule, portals: AnyBool, max_segments: int, begin: int, end: int,
    rows: RowCounts,
) -> tuple[F32, I32]:  # fmt: skip
    """Both ends of each piece, and the polygon behind it or NO_POLYGON: polygon after polygon, along its edges.

    Recast: dtNavMeshQuery::getPolyWallSegments.
    """
    mesh, rule, rows = QueryMesh(*mesh), Rule(*rule), RowCounts(*rows)
    ends, behind, total = np.empty((256, 2, 3), np.float32), np.empty(256, np.int32), 0
    found = _Intervals(np.empty(_MOST, np.int32), np.empty(_MOST, np.int32), np.empty(_MOST, np.int32))
    status, counts = rows.status, rows.counts
    for row in range(begin, end):
        status[row], counts[row] = INVALID, 0
        if polygons[row] < 0:
            continue
        room = 2 * _MOST * mesh.outline.shape[1]
        if total + room > len(behind):
            larger = np.empty((2 * len(behind) + room, 2, 3), np.float32)
            larger[:total] = ends[:total]
            ends, behind = larger, roomy(behind, total, len(larger))
        count = _segments_of(mesh, polygons[row], rule, portals, found, _Segments(ends[total:], behind[total:]))
        status[row] = SUCCESS | (BUFFER_TOO_SMALL if count > max_segments else np.uint32(0))
        counts[row] = min(count, max_segments)
        total += counts[row]
    return ends[:total].copy(), behind[:total].copy()


@borrowing
def _segments_of(
    mesh: QueryMesh, polygon: AnyInt, rule: Rule, portals: AnyBool, found: _Intervals, into: _Segments
) -> int:
    """Write the segments of a polygon, those of the edge that ends in its first corner first; how many there are."""
    count, corners = 0, mesh.polygons[polygon].corners
    for i in range(corners):
        edge = i - 1 if i > 0 else corners - 1
        a, b = edge_of(mesh.outline, mesh.polygons, polygon, edge)
        across = mesh.neighbors[polygon, edge]
        if across == BORDER:
            intervals = _intervals_of(mesh, polygon, edge, rule, found)
            for k in range(1, intervals):
                low, high = found.lows[k], found.highs[k]
                if portals and found.behind[k] != NO_POLYGON:
                    count = _segment(into, count, _along(a, b, low), _along(a, b, high), found.behind[k])
                if found.highs[k - 1] != low:  # where links overlap it leads backwards
                    count = _segment(into, count, _along(a, b, found.highs[k - 1]), _along(a, b, low), NO_POLYGON)
        elif across == WALL or not passes(mesh.polygons, across, rule.include, rule.exclude):
            count = _segment(into, count, a, b, NO_POLYGON)
        elif portals:
            count = _segment(into, count, a, b, across)
    return count


@borrowing
def _intervals_of(mesh: QueryMesh, polygon: AnyInt, edge: AnyInt, rule: Rule, found: _Intervals) -> int:
    """The intervals of the links across an edge that pass the filter, one before its start, and one behind its end."""
    count = 0
    for k in range(mesh.polygons[polygon].first_link, mesh.polygons[polygon].end_link):
        link = mesh.links[k]
        if link.edge == edge and passes(mesh.polygons, link.target, rule.include, rule.exclude):
            count = _insert(found, count, link.low, link.high, link.target)
    count = _insert(found, count, -1, 0, NO_POLYGON)
    return _insert(found, count, 255, 256, NO_POLYGON)


@borrowing
def _insert(found: _Intervals, count: int, low: AnyInt, high: AnyInt, behind: AnyInt) -> int:
    """Put an interval before the first one that begins where it ends, or later; what has no room is dropped."""
    if count == _MOST:
        return count
    lows, highs, polygons = found
    place = 0
    while place < count and high > lows[place]:
        place += 1
    for k in range(count, place, -1):
        lows[k], highs[k], polygons[k] = lows[k - 1], highs[k - 1], polygons[k - 1]
    lows[place], highs[place], polygons[place] = low, high, behind
    return count + 1


@inlined
def _along(a: Point32, b: Point32, part: AnyInt) -> Point32:
    return between(a, b, np.float32(part) / _WHOLE)


@borrowing
def _segment(into: _Segments, count: int, a: Point32, b: Point32, behind: AnyInt) -> int:
    for axis in range(3):
        into.ends[count, 0, axis], into.ends[count, 1, axis] = a[axis], b[axis]
    into.behind[count] = behind
    return count + 1
