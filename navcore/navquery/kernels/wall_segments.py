"""The pieces of a polygon's outline as crowds need them, none over another: walls, and portals to what lies behind."""

from __future__ import annotations

import numpy as np

from ...detour.byte_layout import CONNECTION
from ...jit import inlined, kernel
from ...types import F32, I32, AnyBool, AnyInt
from ..query_filter import Rule
from ..query_mesh import BORDER, NO_POLYGON, WALL, LinkRows, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, SUCCESS
from .points import Point32, RowCounts, between, edge_of, passes

_PART, _WHOLE = np.float32(1) / np.float32(255), 255  # of an edge, in a link
_EDGE, _FROM, _TO, _BEHIND = range(4)  # columns of pieces


@kernel
def segment_rows(
    mesh: QueryMesh, polygons: I32, rule: Rule, portals: AnyBool, max_segments: int, begin: int, end: int,
    rows: RowCounts,
) -> tuple[F32, I32]:  # fmt: skip
    """Both ends of each piece, and the polygon behind it or NO_POLYGON: polygon after polygon, along its edges."""
    mesh, rule, rows = QueryMesh(*mesh), Rule(*rule), RowCounts(*rows)
    pieces, owners, total = np.empty((64, 4), np.int32), np.empty(end - begin, np.int64), 0
    status, counts = rows
    for row in range(begin, end):
        status[row], counts[row] = INVALID, 0
        owners[row - begin] = total
        if polygons[row] < 0:
            continue
        status[row] = SUCCESS
        if mesh.polygons[polygons[row]].kind == CONNECTION:  # a link has no sides
            continue
        pieces, after = _pieces_of(mesh, polygons[row], rule.include, rule.exclude, portals, pieces, total)
        if after - total > max_segments:
            status[row] |= BUFFER_TOO_SMALL
        counts[row] = min(after - total, max_segments)
        total += counts[row]
    ends = np.empty((total, 2, 3), np.float32)
    for row in range(begin, end):
        for k in range(owners[row - begin], owners[row - begin] + counts[row]):
            a, b = edge_of(mesh.outline, mesh.polygons, polygons[row], pieces[k, _EDGE])
            ends[k, 0, 0], ends[k, 0, 1], ends[k, 0, 2] = _along(a, b, pieces[k, _FROM])
            ends[k, 1, 0], ends[k, 1, 1], ends[k, 1, 2] = _along(a, b, pieces[k, _TO])
    return ends, pieces[:total, _BEHIND].copy()


@inlined
def _along(a: Point32, b: Point32, part: AnyInt) -> Point32:
    return b if part == _WHOLE else between(a, b, np.float32(part) * _PART)


@kernel
def _pieces_of(
    mesh: QueryMesh, polygon: AnyInt, include: AnyInt, exclude: AnyInt, portals: AnyBool, pieces: I32, count: int
) -> tuple[I32, int]:
    """Append the pieces of a polygon's edges, those of the edge that ends in its first corner first, as Detour does."""
    corners = mesh.polygons[polygon].corners
    for i in range(corners):
        edge = i - 1 if i > 0 else corners - 1
        across = mesh.neighbors[polygon, edge]
        if across == BORDER:
            pieces, count = _border(mesh, polygon, edge, include, exclude, portals, pieces, count)
        elif across == WALL or not passes(mesh.polygons, across, include, exclude):
            pieces, count = _added(pieces, count, edge, 0, _WHOLE, NO_POLYGON)
        elif portals:
            pieces, count = _added(pieces, count, edge, 0, _WHOLE, across)
    return pieces, count


@kernel
def _border(
    mesh: QueryMesh, polygon: AnyInt, edge: AnyInt, include: AnyInt, exclude: AnyInt, portals: AnyBool, pieces: I32,
    count: int,
) -> tuple[I32, int]:  # fmt: skip
    """Append the pieces of an edge on a tile's border: what no neighbor that passes the filter covers is a wall."""
    links = mesh.links
    covered, last = 0, -1
    while True:
        link = _next_link(mesh, polygon, edge, include, exclude, last)
        low = links[link].low if link >= 0 else _WHOLE
        if low > covered:
            pieces, count = _added(pieces, count, edge, covered, low, NO_POLYGON)
        if link < 0:
            return pieces, count
        if portals:
            pieces, count = _added(pieces, count, edge, low, links[link].high, links[link].target)
        covered, last = max(covered, links[link].high), int(link)


@kernel
def _next_link(
    mesh: QueryMesh, polygon: AnyInt, edge: AnyInt, include: AnyInt, exclude: AnyInt, last: AnyInt
) -> np.int64:
    """The link across an edge that begins next behind the last one, of those that lead on; -1: there is none."""
    polygons, links = mesh.polygons, mesh.links
    best, least = np.int64(-1), np.int64(1) << 62
    after = _order(links, last, polygons[polygon].first_link) if last >= 0 else np.int64(-1)
    for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
        target = links[link].target
        if (
            links[link].edge != edge
            or polygons[target].kind == CONNECTION
            or not passes(polygons, target, include, exclude)
        ):
            continue
        order = _order(links, link, polygons[polygon].first_link)
        if after < order < least:
            best, least = np.int64(link), order
    return best


@inlined
def _order(links: LinkRows, link: AnyInt, first: AnyInt) -> np.int64:
    """Links in the order in which they begin; of those that begin together, in the order of the list."""
    return (np.int64(links[link].low) << 32) + np.int64(link - first)


@inlined
def _added(pieces: I32, count: int, edge: AnyInt, low: AnyInt, high: AnyInt, behind: AnyInt) -> tuple[I32, int]:
    if count == len(pieces):
        larger = np.empty((2 * count, 4), np.int32)
        larger[:count] = pieces
        pieces = larger
    pieces[count, _EDGE], pieces[count, _FROM], pieces[count, _TO], pieces[count, _BEHIND] = edge, low, high, behind
    return pieces, count + 1
