"""A* over the middles of shared edges, each edge a place of its own: the field's classic before string pulling.

Detour's search knows a polygon by one entrance, whichever was seen first; here every edge counts, so that of all lines
over middles of edges the cheapest is found.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..detour.byte_layout import GROUND
from ..geometry.arrays import grown
from ..jit import borrowing, inlined, kernel
from ..navquery.kernels.heap import Heap, new_heap, pop, push
from ..navquery.kernels.points import closest_point, is_finite, passes, put, row_of
from ..navquery.query_filter import Rule
from ..navquery.query_mesh import QueryMesh
from ..navquery.status import INVALID, PARTIAL, SUCCESS
from ..types import F32, F64, I32, U32, AnyInt

_NOWHERE = -1
_Metres: TypeAlias = tuple[np.float64, np.float64, np.float64]


class EdgePool(NamedTuple):
    """Room for a search over L links, and one more for the end."""

    middles: F64  # (L + 1, 3)
    owners: I32  # (L + 1,) the polygon that each link leaves
    costs: F64  # (L + 1,) from the start
    parents: I32  # (L + 1,) the link before
    seen: I32  # (L + 1,) the search that reached it last
    closed: I32  # likewise that left it
    heap: Heap  # of links


class AskedEdgePaths(NamedTuple):
    """N rows: from a point of a polygon to another one, through what a filter lets pass."""

    starts: I32
    ends: I32
    from_points: F32  # (N, 3)
    to_points: F32
    rule: Rule
    min_price: float  # what a metre costs at least, and not above 1


@kernel
def edge_rows(
    mesh: QueryMesh, asked: AskedEdgePaths, begin: int, end: int, status: U32, counts: I32, aims: F32, expanded: I32
) -> I32:
    """The polygons of each path over middles of edges, one path after the other.

    `aims` gets where each path goes to: the asked end, or the point of the last polygon that is nearest to it.
    """
    mesh, asked = QueryMesh(*mesh), AskedEdgePaths(*asked)
    found = np.empty(1024, np.int32)
    total = 0
    pool = _new_pool(mesh)
    links, starts, ends = len(mesh.links), asked.starts, asked.ends
    for row in range(begin, end):
        here, there = row_of(asked.from_points, row), row_of(asked.to_points, row)
        status[row], counts[row], expanded[row] = INVALID, 0, 0
        put(aims, row, there)
        if starts[row] < 0 or ends[row] < 0 or not (is_finite(here) and is_finite(there)):
            continue
        last = np.int32(_NOWHERE)
        if starts[row] != ends[row]:
            way, opened = _search(mesh, pool, asked, row, row - begin + 1)
            last, expanded[row] = np.int32(way), opened
        status[row] = SUCCESS
        if last == links:
            last = pool.parents[links]
        elif starts[row] != ends[row]:
            status[row] |= PARTIAL
        length, link = 1, last
        while link >= 0:
            length, link = length + 1, pool.parents[link]
        found = grown(found, total, total + length)
        total += length
        place, link = total - 1, last
        while link >= 0:
            found[place] = mesh.links[link].target
            place, link = place - 1, pool.parents[link]
        found[place] = starts[row]
        if found[total - 1] != ends[row]:
            _, point = closest_point(mesh.outline, mesh.polygons, mesh.triangles, mesh.marks, found[total - 1], there)
            put(aims, row, point)
        counts[row] = length
    return found[:total].copy()


@kernel
def _new_pool(mesh: QueryMesh) -> EdgePool:
    room = len(mesh.links) + 1
    middles, owners = np.empty((room, 3), np.float64), np.empty(room, np.int32)
    for polygon in range(len(mesh.polygons)):
        for link in range(mesh.polygons[polygon].first_link, mesh.polygons[polygon].end_link):
            owners[link] = polygon
            for axis in range(3):
                middles[link, axis] = (np.float64(mesh.portals[link, 0, axis]) + mesh.portals[link, 1, axis]) / 2
    waiting = 1 + room  # each link is left once at most, for those of its polygon and the end
    for link in range(len(mesh.links)):
        target = mesh.polygons[mesh.links[link].target]
        waiting += target.end_link - target.first_link + 1
    return EdgePool(
        middles, owners, np.empty(room, np.float64), np.empty(room, np.int32), np.zeros(room, np.int32),
        np.zeros(room, np.int32), new_heap(waiting),
    )  # fmt: skip


@borrowing
def _search(mesh: QueryMesh, pool: EdgePool, asked: AskedEdgePaths, row: int, number: AnyInt) -> tuple[AnyInt, int]:
    """The link by which the path arrives, and how many were opened. The end itself is the one after all links.

    Where the end is out of reach: the link that lies nearest to it, -1 for none.
    """
    polygons, links, rule = mesh.polygons, mesh.links, asked.rule
    start, goal, end = asked.starts[row], asked.ends[row], np.int32(len(links))
    here, there = row_of(asked.from_points, row), row_of(asked.to_points, row)
    for axis in range(3):
        pool.middles[end, axis] = there[axis]
    heap, opened = pool.heap, 0
    heap.size[0] = 0
    best = np.int32(_NOWHERE)
    polygon, came_from, so_far = start, np.int32(_NOWHERE), 0.0
    place = np.float64(here[0]), np.float64(here[1]), np.float64(here[2])
    nearest, before = _away(pool.middles[end], place), np.int32(_NOWHERE)
    while True:
        price = np.float64(rule.costs[polygons[polygon].area])
        first, last = polygons[polygon].first_link, polygons[polygon].end_link
        for link in range(first, last + 1):
            other = end if link == last else np.int32(link)
            if other == end:
                if polygon != goal:
                    continue
            else:
                target = links[other].target
                if target == came_from or not passes(polygons, target, rule.include, rule.exclude):
                    continue
            if np.isnan(pool.middles[other, 0]) or pool.closed[other] == number:
                continue
            way = so_far + _away(pool.middles[other], place) * price
            if pool.seen[other] == number and way >= pool.costs[other]:
                continue
            left_over = 0.0 if other == end else _away(pool.middles[end], _place(pool.middles, other))
            pool.seen[other], pool.costs[other], pool.parents[other] = number, way, before
            push(heap, other, way + left_over * asked.min_price, True)
        before = np.int32(_NOWHERE)
        while heap.size[0] > 0 and before == _NOWHERE:
            top = pop(heap, True)
            if pool.closed[top] != number:
                before = top
        if before < 0:
            return best, opened
        pool.closed[before] = number
        opened += 1
        if before == end:
            return end, opened
        polygon, came_from = links[before].target, pool.owners[before]
        place, so_far = _place(pool.middles, before), pool.costs[before]
        gap = _away(pool.middles[end], place)
        if gap < nearest and polygons[polygon].kind == GROUND:
            best, nearest = before, gap


@inlined
def _place(middles: F64, link: AnyInt) -> _Metres:
    return middles[link, 0], middles[link, 1], middles[link, 2]


@inlined
def _away(a: F64, b: _Metres) -> Any:
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    return np.sqrt(x * x + y * y + z * z)
