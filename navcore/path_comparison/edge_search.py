"""A* over the middles of shared edges, each edge a place of its own: the field's classic before string pulling.

Detour's search knows a polygon by one entrance, whichever was seen first; here every edge counts, so that of all lines
over middles of edges the cheapest is found.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..detour.byte_layout import GROUND
from ..jit import inlined, kernel
from ..navquery.kernels.nearest import roomy
from ..navquery.kernels.points import Point, closest_point, is_finite, passes, put, row_of
from ..navquery.query_mesh import QueryMesh
from ..navquery.status import INVALID, PARTIAL, SUCCESS
from ..types import F32, F64, I32, U32, AnyInt

Place: TypeAlias = tuple[np.float64, np.float64, np.float64]

_NOWHERE = -1


class EdgePool(NamedTuple):
    """Room for a search over L links, and one more for the end."""

    middles: F64  # (L + 1, 3)
    owners: I32  # (L + 1,) the polygon that each link leaves
    costs: F64  # (L + 1,) from the start
    parents: I32  # (L + 1,) the link before
    seen: I32  # (L + 1,) the search that reached it last
    closed: I32  # likewise that left it


@kernel
def edge_rows(
    mesh: QueryMesh, starts: I32, ends: I32, from_points: F32, to_points: F32, costs: F32, include: int, exclude: int,
    least: float, begin: int, end: int, status: U32, counts: I32, aims: F32, expanded: I32,
) -> I32:  # fmt: skip
    """The polygons of each way over middles of edges, one way after the other.

    `least` is what a metre costs at least, and not above 1. `aims` gets where each way goes to: the asked end, or the
    point of the last polygon that is nearest to it.
    """
    found = np.empty(1024, np.int32)
    total = 0
    pool = _new_pool(mesh)
    links = len(mesh.links)
    for row in range(begin, end):
        here, there = row_of(from_points, row), row_of(to_points, row)
        status[row], counts[row], expanded[row] = INVALID, 0, 0
        put(aims, row, there)
        if starts[row] < 0 or ends[row] < 0 or not (is_finite(here) and is_finite(there)):
            continue
        last = np.int32(_NOWHERE)
        if starts[row] != ends[row]:
            way, opened = _search(
                mesh, pool, starts[row], ends[row], here, there, costs, include, exclude, least, row - begin + 1
            )
            last, expanded[row] = np.int32(way), opened
        status[row] = SUCCESS
        if last == links:
            last = pool.parents[links]
        elif starts[row] != ends[row]:
            status[row] |= PARTIAL
        length, link = 1, last
        while link >= 0:
            length, link = length + 1, pool.parents[link]
        found = roomy(found, total, total + length)
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
    return EdgePool(
        middles, owners, np.empty(room, np.float64), np.empty(room, np.int32), np.zeros(room, np.int32),
        np.zeros(room, np.int32),
    )  # fmt: skip


@kernel
def _search(
    mesh: QueryMesh, pool: EdgePool, start: AnyInt, goal: AnyInt, here: Point, there: Point, costs: F32,
    include: AnyInt, exclude: AnyInt, least: float, number: AnyInt,
) -> tuple[AnyInt, int]:  # fmt: skip
    """The link by which the way arrives, and how many were opened. The end itself is the one after all links.

    Where the end is out of reach: the link that lies nearest to it, -1 for none.
    """
    polygons, links = mesh.polygons, mesh.links
    end = np.int32(len(links))
    for axis in range(3):
        pool.middles[end, axis] = there[axis]
    heap, totals = np.empty(256, np.int32), np.empty(256, np.float64)
    waiting = opened = 0
    best = np.int32(_NOWHERE)
    polygon, came_from, so_far = start, np.int32(_NOWHERE), 0.0
    place = np.float64(here[0]), np.float64(here[1]), np.float64(here[2])
    nearest, before = _away(pool.middles[end], place), np.int32(_NOWHERE)
    while True:
        price = np.float64(costs[polygons[polygon].area])
        first, last = polygons[polygon].first_link, polygons[polygon].end_link
        for link in range(first, last + 1):
            other = end if link == last else np.int32(link)
            if other == end:
                if polygon != goal:
                    continue
            elif links[other].target == came_from or not passes(polygons, links[other].target, include, exclude):
                continue
            if np.isnan(pool.middles[other, 0]) or pool.closed[other] == number:
                continue
            way = so_far + _away(pool.middles[other], place) * price
            if pool.seen[other] == number and way >= pool.costs[other]:
                continue
            left_over = 0.0 if other == end else _away(pool.middles[end], _place(pool.middles, other))
            pool.seen[other], pool.costs[other], pool.parents[other] = number, way, before
            if waiting == len(heap):
                heap, totals = _doubled(heap, totals)
            _push(heap, totals, waiting, other, way + left_over * least)
            waiting += 1
        before = np.int32(_NOWHERE)
        while waiting > 0 and before == _NOWHERE:
            top = np.int32(_pop(heap, totals, waiting))
            waiting -= 1
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
def _place(middles: F64, link: AnyInt) -> Place:
    return middles[link, 0], middles[link, 1], middles[link, 2]


@inlined
def _away(a: F64, b: Place) -> Any:
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    return np.sqrt(x * x + y * y + z * z)


@kernel
def _doubled(heap: I32, totals: F64) -> tuple[I32, F64]:
    return np.append(heap, heap), np.append(totals, totals)


@inlined
def _push(heap: I32, totals: F64, count: AnyInt, node: AnyInt, total: float) -> None:
    """The least total is on top; of equals the least link."""
    place = count
    while place > 0:
        above = (place - 1) >> 1
        if not (total < totals[above] or (total == totals[above] and node < heap[above])):
            break
        heap[place], totals[place] = heap[above], totals[above]
        place = above
    heap[place], totals[place] = node, total


@inlined
def _pop(heap: I32, totals: F64, count: AnyInt) -> AnyInt:
    top, size = heap[0], count - 1
    node, total = heap[size], totals[size]
    place, child = 0, 1
    while child < size:
        if child + 1 < size and (
            totals[child + 1] < totals[child] or (totals[child + 1] == totals[child] and heap[child + 1] < heap[child])
        ):
            child += 1
        if not (totals[child] < total or (totals[child] == total and heap[child] < node)):
            break
        heap[place], totals[place] = heap[child], totals[child]
        place, child = child, 2 * child + 1
    heap[place], totals[place] = node, total
    return top
