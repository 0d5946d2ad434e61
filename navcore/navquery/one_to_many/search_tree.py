"""One tree of cheapest ways from a start, over the nodes of Detour's paths: Dijkstra, "A note on two problems", 1959.

What a node is, where it lies and what a way costs is as in `kernels/find_path.py`; there is no end to be nearer to, so
the nodes are settled in the order of what the way to them costs.
"""

from __future__ import annotations

import numpy as np

from ...jit import inlined, kernel
from ...types import F32, I32, I64, U8, U32, AnyBool, AnyInt
from ..kernels.nearest import roomy
from ..kernels.node_pool import (
    CLOSED,
    COST,
    NO_NODE,
    NODE_KEY,
    NODES,
    OPEN,
    PARENT,
    SPOT,
    STATE,
    TOTAL,
    WAITING,
    chain_length,
    new_pool,
    node_of,
    parent_polygon,
    pop,
    push,
    rise,
    write_chain,
)
from ..kernels.points import ZERO, Float, Point, admits, cost_of, distance, is_finite, put, row_of
from ..query_mesh import SIDES, LinkRows, PolygonRows, QueryMesh
from ..status import INVALID, OUT_OF_NODES, SUCCESS

NEVER = np.float32(np.inf)  # what it costs to get where no way leads
NOWHERE, FOUND, UNFINISHED = 0, 1, 2  # what became of an end: no way, a way, no way yet when the nodes were used up


@inlined
def begin_tree(
    numbers: F32, marks: I32, heap: I32, totals: F32, known: I32, counts: I64, start: AnyInt, here: Point
) -> AnyInt:
    """Forget the tree before, and begin one; returns its first node."""
    counts[NODES] = counts[WAITING] = 0
    first = node_of(known, marks, counts, start * SIDES)
    put(numbers, first, here)
    numbers[first, COST], numbers[first, TOTAL], marks[first, STATE] = ZERO, ZERO, OPEN
    push(heap, totals, marks, counts, first, ZERO)
    return first


@inlined
def grow(
    polygons: PolygonRows, links: LinkRows, middles: F32, numbers: F32, marks: I32, heap: I32, totals: F32, known: I32,
    counts: I64, node: AnyInt, costs: F32, include: AnyInt, exclude: AnyInt,
) -> AnyBool:  # fmt: skip
    """Look at where one gets from a node that is settled; returns whether nodes were missing."""
    polygon = marks[node, NODE_KEY] // SIDES
    came_from = parent_polygon(marks, node)
    place, so_far, price = row_of(numbers, node), numbers[node, COST], costs[polygons[polygon].area]
    full = False
    for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
        if links[link].target == came_from or not admits(links[link].flags_there, include, exclude):
            continue
        other = node_of(known, marks, counts, links[link].key)
        if other == NO_NODE:
            full = True
            continue
        state = marks[other, STATE]
        if state == CLOSED:
            continue
        if state == 0:
            put(numbers, other, row_of(middles, link))
        way = so_far + distance(place, row_of(numbers, other)) * price
        if state == OPEN and not way < numbers[other, TOTAL]:
            continue
        marks[other, PARENT], numbers[other, COST], numbers[other, TOTAL] = node, way, way
        marks[other, STATE] = OPEN
        if state == OPEN:
            rise(heap, totals, marks, marks[other, SPOT], other, way)
        else:
            push(heap, totals, marks, counts, other, way)
    return full


@kernel
def many_rows(
    mesh: QueryMesh, starts: I32, from_points: F32, to_points: F32, ends_of: I64, ends: I32, costs: F32, include: int,
    exclude: int, most_nodes: int, with_polygons: bool, begin: int, end: int, became: U8, best: F32, counts: I32,
    expanded: I32,
) -> I32:  # fmt: skip
    """What it costs from each start to each end, and, if asked for, the polygons of all ways, one after the other.

    `ends[ends_of[p]:ends_of[p + 1]]` are the numbers of the ends that lie in polygon p. `became`, `best` and `counts`
    have a row for each start and a column for each end.
    """
    found = np.empty(1024, np.int32)
    total = 0
    pool = new_pool(mesh, most_nodes)
    polygons, links, middles = mesh.polygons, mesh.links, mesh.middles
    numbers, marks, heap, totals = pool.numbers, pool.marks, pool.heap, pool.totals
    known, sizes = pool.known, pool.counts
    arrived = np.empty(len(to_points), np.int32)
    for row in range(begin, end):
        expanded[row] = 0
        for k in range(len(to_points)):
            became[row, k], best[row, k], counts[row, k], arrived[k] = NOWHERE, NEVER, 0, NO_NODE
        here = row_of(from_points, row)
        if starts[row] < 0 or not is_finite(here):
            continue
        full = _tree_to_ends(
            polygons, links, middles, numbers, marks, heap, totals, known, sizes, starts[row], here, to_points, ends_of,
            ends, costs, include, exclude, best[row], arrived,
        )  # fmt: skip
        expanded[row] = sizes[NODES]
        for k in range(len(to_points)):
            if arrived[k] == NO_NODE:
                became[row, k] = UNFINISHED if full else NOWHERE
                continue
            became[row, k] = FOUND
            if with_polygons:
                length = chain_length(marks, arrived[k])
                found = roomy(found, total, total + length)
                total += length
                write_chain(marks, arrived[k], found, total)
                counts[row, k] = length
    return found[:total].copy()


@inlined
def _tree_to_ends(
    polygons: PolygonRows, links: LinkRows, middles: F32, numbers: F32, marks: I32, heap: I32, totals: F32, known: I32,
    counts: I64, start: AnyInt, here: Point, to_points: F32, ends_of: I64, ends: I32, costs: F32, include: AnyInt,
    exclude: AnyInt, best: F32, arrived: I32,
) -> AnyBool:  # fmt: skip
    """Grow a tree until no end can be reached for less; returns whether nodes were missing.

    An end in the start's own polygon is reached straight away, as in Detour.
    """
    first = begin_tree(numbers, marks, heap, totals, known, counts, start, here)
    unseen, enough, full = len(ends), ZERO, False
    while counts[WAITING] > 0 and (unseen > 0 or totals[0] < enough):
        node = pop(heap, totals, marks, counts)
        marks[node, STATE] = CLOSED
        polygon = marks[node, NODE_KEY] // SIDES
        if polygon != start or node == first:
            place, so_far = row_of(numbers, node), numbers[node, COST]
            for k in range(ends_of[polygon], ends_of[polygon + 1]):
                this = ends[k]
                whole = so_far + cost_of(place, row_of(to_points, this), polygons, polygon, costs)
                if whole < best[this]:
                    unseen -= 1 if arrived[this] == NO_NODE else 0
                    best[this], arrived[this] = whole, node
                    if unseen == 0 and enough == ZERO:
                        enough = _largest(best, ends)
        if grow(polygons, links, middles, numbers, marks, heap, totals, known, counts, node, costs, include, exclude):
            full = True
    return full


@inlined
def _largest(best: F32, ends: I32) -> Float:
    largest = ZERO
    for k in range(len(ends)):
        largest = max(largest, best[ends[k]])
    return largest


@kernel
def within_rows(
    mesh: QueryMesh, starts: I32, points: F32, most_costs: F32, costs: F32, include: int, exclude: int,
    most_nodes: int, begin: int, end: int, status: U32, counts: I32,
) -> tuple[I32, I32, F32]:  # fmt: skip
    """The polygons whose entrances cost no more than `most_costs`, cheapest first; row after row.

    With them from which polygon each is entered, and what that costs. Of several entrances the cheapest counts.
    """
    found, parents, prices = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.float32)
    total = 0
    pool = new_pool(mesh, most_nodes)
    polygons, links, middles = mesh.polygons, mesh.links, mesh.middles
    numbers, marks, heap, totals = pool.numbers, pool.marks, pool.heap, pool.totals
    known, sizes = pool.known, pool.counts
    last_row = np.full(len(polygons), -1, np.int64)  # in which each polygon was found
    for row in range(begin, end):
        here = row_of(points, row)
        status[row], counts[row] = INVALID, 0
        if starts[row] < 0 or not is_finite(here):
            continue
        before, full = total, False
        begin_tree(numbers, marks, heap, totals, known, sizes, starts[row], here)
        while sizes[WAITING] > 0 and totals[0] <= most_costs[row]:
            node = pop(heap, totals, marks, sizes)
            marks[node, STATE] = CLOSED
            polygon = marks[node, NODE_KEY] // SIDES
            if last_row[polygon] != row:
                last_row[polygon] = row
                if total == len(found):
                    found, parents = roomy(found, total, total + 1), roomy(parents, total, total + 1)
                    prices = _roomy_prices(prices, len(found))
                found[total], parents[total] = polygon, parent_polygon(marks, node)
                prices[total] = numbers[node, COST]
                total += 1
            if grow(
                polygons, links, middles, numbers, marks, heap, totals, known, sizes, node, costs, include, exclude
            ):
                full = True
        status[row], counts[row] = SUCCESS | (OUT_OF_NODES if full else np.uint32(0)), total - before
    return found[:total].copy(), parents[:total].copy(), prices[:total].copy()


@kernel
def _roomy_prices(prices: F32, size: int) -> F32:
    larger = np.empty(size, np.float32)
    larger[: len(prices)] = prices
    return larger
