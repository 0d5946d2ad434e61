"""One tree of cheapest ways from a start, over the nodes of Detour's paths: Dijkstra, "A note on two problems", 1959.

What a node is, where it lies and what a way costs is as in `kernels/find_path.py`; there is no end to be nearer to, so
the nodes are settled in the order of what the way to them costs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import GROUND
from ..geometry.connected_parts import numbered_by_ground, sizes_from_above, strong_parts
from ..jit import borrowing, inlined, kernel
from ..types import F32, F64, I32, I64, U8, AnyBool, AnyInt
from .answers import Corridors, PathCosts, Paths
from .batches import TREE_PIECE, as_room, in_pieces, joined, offsets_of, usable
from .kernels.nearest_polygon import roomy
from .kernels.node_pool import (
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
from .kernels.points import (
    ZERO,
    Float32,
    Point32,
    PointPairs,
    PointsOn,
    RowCounts,
    admits,
    cost_of,
    distance,
    is_finite,
    row_of,
)
from .paths import Ask, nearest_of, paths_through
from .query_filter import Rule, rule_of
from .query_mesh import QueryMesh
from .status import INVALID, OUT_OF_NODES, PARTIAL, SUCCESS, PathStatus

# --- From each of many starts to each of many ends: costs, or paths with their lines.

_NO_WAY = SUCCESS | PARTIAL  # and no polygons


class _FoundTable(NamedTuple):
    """N starts to M ends."""

    starts: PointsOn  # (N,)
    ends: PointsOn  # (M,)
    table: TableRows
    polygons: I32  # those of all paths, if they were asked for


def costs_to_many(ask: Ask, here: F32, there: F32, half: F32) -> PathCosts:
    """The table of costs."""
    found = _found(ask, here, there, half, with_polygons=False)
    became = found.table.became
    status = np.full(became.shape, PathStatus.COMPLETE, np.uint8)
    status[became == NOWHERE] = PathStatus.UNREACHABLE
    status[became == UNFINISHED] = PathStatus.OUT_OF_NODES
    status[:, found.ends.polygons < 0] = PathStatus.NO_END
    status[found.starts.polygons < 0] = PathStatus.NO_START
    status[:, ~usable(there)] = PathStatus.NOT_FINITE
    status[~usable(here)] = PathStatus.NOT_FINITE
    known = (status == PathStatus.COMPLETE) | (status == PathStatus.UNREACHABLE)
    return PathCosts(np.where(known, found.table.costs, np.float32(np.nan)), status)


def paths_to_many(ask: Ask, here: F32, there: F32, half: F32, crossings: str, most: int) -> Paths:
    """Row i · M + j leads from start i to end j."""
    found, m, n = _found(ask, here, there, half, with_polygons=True), len(there), len(here)
    became, counts = found.table.became.ravel(), found.table.counts.ravel()
    pairs = PointPairs(
        np.repeat(found.starts.polygons, m), np.tile(found.ends.polygons, n),
        np.repeat(found.starts.points, m, axis=0), np.tile(found.ends.points, (n, 1)),
    )  # fmt: skip
    finite = (usable(here)[:, None] & usable(there)).ravel()
    status = np.where(became == FOUND, SUCCESS, _NO_WAY)
    status[became == UNFINISHED] |= OUT_OF_NODES
    corridors = Corridors(
        offsets_of(counts), ask.names.names(found.polygons), status, pairs.ends, np.repeat(found.table.expanded, m)
    )
    paths = paths_through(ask, pairs, finite, corridors, found.polygons, crossings, most)
    paths.status[paths.status == PathStatus.PARTIAL] = PathStatus.UNREACHABLE
    paths.missing[counts == 0] = np.nan
    return paths


def _found(ask: Ask, here: F32, there: F32, half: F32, with_polygons: bool) -> _FoundTable:
    nodes, rule = as_room("max_nodes", ask.max_nodes, 0), rule_of(ask.filter)
    starts, ends = (
        PointsOn(*nearest_of(ask.mesh, rule, points, half, ask.threads, ask.progress)) for points in (here, there)
    )
    n, m = len(here), len(there)
    table = TableRows(
        np.empty((n, m), np.uint8), np.empty((n, m), np.float32), np.empty((n, m), np.int32), np.empty(n, np.int32)
    )
    before = (ask.mesh, starts, _by_polygon(ends, len(ask.mesh.polygons)), rule, TreeLimits(nodes, with_polygons))
    pieces = in_pieces(many_rows, n, before, (table,), ask.threads, ask.progress, TREE_PIECE)
    return _FoundTable(starts, ends, table, joined(pieces))


def _by_polygon(ends: PointsOn, polygons: int) -> EndsByPolygon:
    there: I64 = np.flatnonzero(ends.polygons >= 0)
    order = there[np.argsort(ends.polygons[there], kind="stable")]
    begin = np.concatenate([[0], np.cumsum(np.bincount(ends.polygons[there], minlength=polygons))])
    return EndsByPolygon(ends.points, begin.astype(np.int64), order.astype(np.int32))


# --- The islands of a mesh that is asked; with a filter, those of the agents that it is for.


def mesh_islands(mesh: QueryMesh, rule: Rule | None) -> tuple[I32, F64]:
    """The island of each polygon, and the square metres of each island. Polygons that do not pass are on none."""
    polygons = mesh.polygons
    starts = np.append(polygons["first_link"], len(mesh.links)).astype(np.int64)
    targets, passes = np.ascontiguousarray(mesh.links["target"]), np.ones(len(polygons), bool)
    if rule is not None:
        passes = (polygons["flags"] & rule.include != 0) & (polygons["flags"] & rule.exclude == 0)
        open_ways = passes[targets] & np.repeat(passes, np.diff(starts))
        starts, targets = np.concatenate([[0], np.cumsum(open_ways)])[starts], targets[open_ways]
    ground = (polygons["kind"] == GROUND) & passes
    return numbered_by_ground(
        strong_parts(starts, targets), ground, sizes_from_above(mesh.outline, polygons["corners"])
    )


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
    mesh, asked, ends = QueryMesh(*mesh), PointsOn(*asked), EndsByPolygon(*ends)
    rule, limits, rows = Rule(*rule), TreeLimits(*limits), TableRows(*rows)
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
    mesh: QueryMesh, pool: NodePool, rule: Rule, start: AnyInt, here: Point32, ends: EndsByPolygon, best: F32,
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
def _largest(best: F32, ends: I32) -> Float32:
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
    mesh, asked, rule, rows = QueryMesh(*mesh), PointsOn(*asked), Rule(*rule), RowCounts(*rows)
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
    mesh, rule, rows = QueryMesh(*mesh), Rule(*rule), RowCounts(*rows)
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
