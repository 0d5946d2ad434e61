"""One tree of cheapest ways from a start, over the nodes of Detour's paths: Dijkstra, "A note on two problems", 1959.

What a node is, where it lies and what a way costs is as in `kernels/find_path.py`; there is no end to be nearer to, so
the nodes are settled in the order of what the way to them costs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import borrowing, inlined, kernel
from ...types import F32, I32, I64, U8, AnyBool, AnyInt
from ..kernels.nearest_polygon import roomy
from ..kernels.node_pool import (
    CLOSED,
    NO_NODE,
    NODES,
    UNSEEN,
    WAITING,
    NodePool,
    begin_search,
    chain_length,
    new_pool,
    node_of,
    offer,
    parent_polygon,
    place_of,
    polygon_of,
    settle,
    stand,
    write_chain,
)
from ..kernels.points import (
    ZERO,
    Float,
    Point,
    PointsOn,
    RowCounts,
    admits,
    cost_of,
    distance,
    is_finite,
    row_of,
)
from ..query_filter import Rule
from ..query_mesh import QueryMesh
from ..status import INVALID, OUT_OF_NODES, SUCCESS

NEVER = np.float32(np.inf)  # what it costs to get where no way leads
NOWHERE, FOUND, UNFINISHED = 0, 1, 2  # what became of an end: no way, a way, no way yet when the nodes were used up


class EndsByPolygon(NamedTuple):
    """M ends: polygon p has those with the numbers numbers[first[p]:first[p + 1]]."""

    points: F32  # (M, 3)
    first: I64
    numbers: I32


class TreeLimits(NamedTuple):
    """How far a tree may grow, and what is kept of it."""

    max_nodes: int  # 0: no limit
    with_polygons: bool


class TableRows(NamedTuple):
    """What `many_rows` writes: a row for each start, with a column for each end."""

    became: U8  # NOWHERE, FOUND or UNFINISHED
    costs: F32
    counts: I32  # polygons of each path
    expanded: I32  # (N,) nodes


@borrowing
def grow(mesh: QueryMesh, pool: NodePool, rule: Rule, node: AnyInt) -> AnyBool:
    """Look at where one gets from a node that is settled; returns whether nodes were missing."""
    polygons, links, nodes, marks = mesh.polygons, mesh.links, pool.nodes, pool.marks
    polygon = np.uint32(polygon_of(pool, node))
    came_from, it, own = parent_polygon(pool, node), nodes[np.uint32(node)], polygons[polygon]
    place, so_far, price = place_of(it), it.cost, rule.costs[np.uint32(own.area)]
    full = False
    for k in range(own.first_link, own.end_link):
        link = links[np.uint32(k)]
        if link.target == came_from or not admits(link.flags_there, rule.include, rule.exclude):
            continue
        other = node_of(pool, link.key)
        if other == NO_NODE:
            full = True
            continue
        state = marks[np.uint32(other)].state
        if state == CLOSED:
            continue
        if state == UNSEEN:
            stand(pool, other, row_of(mesh.middles, np.uint32(k)))
        cost = so_far + distance(place, place_of(nodes[np.uint32(other)])) * price
        offer(pool, other, node, cost, cost)
    return full


@kernel
def many_rows(
    mesh: QueryMesh, asked: PointsOn, ends: EndsByPolygon, rule: Rule, limits: TreeLimits, begin: int, end: int,
    rows: TableRows,
) -> I32:  # fmt: skip
    """What it costs from each start to each end, and, if asked for, the polygons of all paths, one after the other."""
    found = np.empty(1024, np.int32)
    total = 0
    pool = new_pool(mesh, limits.max_nodes)
    count = len(ends.points)
    arrived = np.empty(count, np.int32)
    became, best, counts, expanded = rows
    starts, points, marks, sizes = asked.polygons, asked.points, pool.marks, pool.counts  # once: it is not free
    for row in range(begin, end):
        expanded[row] = 0
        for k in range(count):
            became[row, k], best[row, k], counts[row, k], arrived[k] = NOWHERE, NEVER, 0, NO_NODE
        start, here = starts[row], row_of(points, row)
        if start < 0 or not is_finite(here):
            continue
        full = _tree_to_ends(mesh, pool, rule, start, here, ends, best[row], arrived)
        expanded[row] = sizes[NODES]
        for k in range(count):
            if arrived[k] == NO_NODE:
                became[row, k] = UNFINISHED if full else NOWHERE
                continue
            became[row, k] = FOUND
            if limits.with_polygons:
                length = chain_length(marks, arrived[k])
                found = roomy(found, total, total + length)
                total += length
                write_chain(marks, arrived[k], found, total)
                counts[row, k] = length
    return found[:total].copy()


@borrowing
def _tree_to_ends(
    mesh: QueryMesh, pool: NodePool, rule: Rule, start: AnyInt, here: Point, ends: EndsByPolygon, best: F32,
    arrived: I32,
) -> AnyBool:  # fmt: skip
    """Grow a tree until no end can be reached for less; returns whether nodes were missing.

    An end in the start's own polygon is reached straight away, as in Detour.
    """
    first = begin_search(pool, start, here, ZERO)
    unseen, enough, full = len(ends.numbers), ZERO, False
    while pool.counts[WAITING] > 0 and (unseen > 0 or pool.totals[0] < enough):
        node = settle(pool)
        polygon = polygon_of(pool, node)
        if polygon != start or node == first:
            place, so_far = place_of(pool.nodes[node]), pool.nodes[node].cost
            for k in range(ends.first[polygon], ends.first[polygon + 1]):
                this = ends.numbers[k]
                whole = so_far + cost_of(place, row_of(ends.points, this), mesh.polygons, polygon, rule.costs)
                if whole < best[this]:
                    unseen -= 1 if arrived[this] == NO_NODE else 0
                    best[this], arrived[this] = whole, node
                    if unseen == 0 and enough == ZERO:
                        enough = _largest(best, ends.numbers)
        if grow(mesh, pool, rule, node):
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
    mesh: QueryMesh, asked: PointsOn, max_costs: F32, rule: Rule, max_nodes: int, begin: int, end: int, rows: RowCounts
) -> tuple[I32, I32, F32]:
    """The polygons whose entrances cost no more than `max_costs`, cheapest first; row after row.

    With them from which polygon each is entered, and what that costs. Of several entrances the cheapest counts.
    """
    found, parents, prices = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.float32)
    total = 0
    pool = new_pool(mesh, max_nodes)
    nodes, totals, sizes = pool.nodes, pool.totals, pool.counts  # once: it is not free
    starts, points, status, counts = asked.polygons, asked.points, rows.status, rows.counts
    last_row = np.full(len(mesh.polygons), -1, np.int64)  # in which each polygon was found
    for row in range(begin, end):
        here = row_of(points, row)
        status[row], counts[row] = INVALID, 0
        if starts[row] < 0 or not is_finite(here):
            continue
        before, full = total, False
        begin_search(pool, starts[row], here, ZERO)
        while sizes[WAITING] > 0 and totals[0] <= max_costs[row]:
            node = settle(pool)
            polygon = polygon_of(pool, node)
            if last_row[polygon] != row:
                last_row[polygon] = row
                if total == len(found):
                    found, parents = roomy(found, total, total + 1), roomy(parents, total, total + 1)
                    prices = _roomy_prices(prices, len(found))
                found[total], parents[total] = polygon, parent_polygon(pool, node)
                prices[total] = nodes[node].cost
                total += 1
            if grow(mesh, pool, rule, node):
                full = True
        status[row], counts[row] = SUCCESS | (OUT_OF_NODES if full else np.uint32(0)), total - before
    return found[:total].copy(), parents[:total].copy(), prices[:total].copy()


@kernel
def _roomy_prices(prices: F32, size: int) -> F32:
    larger = np.empty(size, np.float32)
    larger[: len(prices)] = prices
    return larger


@kernel
def reachable_rows(
    mesh: QueryMesh, starts: I32, everything: bool, rule: Rule, begin: int, end: int, rows: RowCounts
) -> I32:
    """The polygons to which ways lead from each start, itself included, fewest steps first. Recast: Prune's flood."""
    found = np.empty(1024, np.int32)
    total = 0
    polygons, links, status, counts = mesh.polygons, mesh.links, rows.status, rows.counts
    last_row = np.full(len(polygons), -1, np.int64)  # in which each polygon was found
    for row in range(begin, end):
        status[row], counts[row] = INVALID, 0
        if starts[row] < 0:
            continue
        found = roomy(found, total, total + 1)
        first = done = total
        found[total], last_row[starts[row]] = starts[row], row
        total += 1
        while done < total:
            polygon = found[done]
            done += 1
            for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
                target = links[link].target
                if last_row[target] != row and (
                    everything or admits(links[link].flags_there, rule.include, rule.exclude)
                ):
                    last_row[target] = row
                    if total == len(found):
                        found = roomy(found, total, total + 1)
                    found[total] = target
                    total += 1
        status[row], counts[row] = SUCCESS, total - first
    return found[:total].copy()
