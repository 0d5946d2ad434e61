"""A* to the corridor of polygons from one to another, as Detour does it: over the middles of what polygons share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...detour.byte_layout import GROUND
from ...jit import borrowing, kernel
from ...types import F32, I32, U32, AnyBool, AnyInt
from ..query_filter import Rule
from ..query_mesh import QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, OUT_OF_NODES, PARTIAL, SUCCESS
from .nearest_polygon import roomy
from .node_pool import (
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
from .on_polygon import closest_on_ground
from .points import (
    FAR,
    ZERO,
    Float32,
    Point32,
    PointPairs,
    admits,
    closest_point,
    cost_of,
    distance,
    is_finite,
    put,
    row_of,
)


class PathLimits(NamedTuple):
    """What searches for corridors keep to."""

    scale: Float32  # of the heuristic
    max_nodes: int  # 0: none
    max_path: int  # polygons
    closest: AnyBool  # a path that cannot end in the end polygon ends where it comes nearest to the asked end


class CorridorRows(NamedTuple):
    """What searches for corridors write, beside the polygons."""

    status: U32
    counts: I32  # polygons
    aims: F32  # where each path goes to: the asked end, or the point of the last polygon that is nearest to it
    expanded: I32  # nodes


@kernel
def path_rows(
    mesh: QueryMesh, asked: PointPairs, rule: Rule, limits: PathLimits, begin: int, end: int, rows: CorridorRows
) -> I32:
    """The polygons of each path, one path after the other. Recast: dtNavMeshQuery::findPath."""
    mesh, asked, rule = QueryMesh(*mesh), PointPairs(*asked), Rule(*rule)
    limits, rows = PathLimits(*limits), CorridorRows(*rows)
    found = np.empty(1024, np.int32)
    total = 0
    pool = new_pool(mesh, limits.max_nodes)
    starts, ends, from_points, to_points = asked.first, asked.last, asked.starts, asked.ends  # once: it is not free
    status, counts, aims, expanded = rows.status, rows.counts, rows.aims, rows.expanded
    marks, sizes = pool.marks, pool.counts
    for row in range(begin, end):
        here, there = row_of(from_points, row), row_of(to_points, row)
        status[row], counts[row], expanded[row] = INVALID, 0, 0
        put(aims, row, there)
        if starts[row] < 0 or ends[row] < 0 or not (is_finite(here) and is_finite(there)):
            continue
        if starts[row] == ends[row]:
            if total == len(found):
                found = roomy(found, total, total + 1)
            found[total], counts[row], status[row] = starts[row], 1, SUCCESS
            total += 1
            continue
        best, full = _search(mesh, pool, rule, starts[row], ends[row], here, there, limits.scale)
        expanded[row] = sizes[NODES]
        ended = SUCCESS | (OUT_OF_NODES if full else np.uint32(0))
        if polygon_of(pool, best) != ends[row]:
            ended |= PARTIAL
            if limits.closest:
                best, nearest = _closest_node(mesh, pool, there)
        length = chain_length(marks, best)
        kept = min(length, limits.max_path)
        if total + length > len(found):
            found = roomy(found, total, total + length)
        write_chain(marks, best, found, total + length)
        if kept < length:
            ended |= BUFFER_TOO_SMALL
        last = found[total + kept - 1]
        if last != ends[row]:
            if not limits.closest or kept < length:
                _, nearest = closest_point(mesh.outline, mesh.polygons, mesh.triangles, mesh.marks, last, there)
            put(aims, row, nearest)
        status[row], counts[row] = ended, kept
        total += kept
    return found[:total].copy()


@borrowing
def _search(
    mesh: QueryMesh,
    pool: NodePool,
    rule: Rule,
    start: AnyInt,
    goal: AnyInt,
    here: Point32,
    there: Point32,
    scale: Float32,
) -> tuple[np.int32, bool]:
    """The node in which the path ends, and whether the pool was too small. `scale` is that of the heuristic.

    A node lies in the middle of what polygons share across the link by which it is first seen.
    """
    polygons, links, nodes, marks = mesh.polygons, mesh.links, pool.nodes, pool.marks
    smallest = distance(here, there) * scale
    best = begin_search(pool, start, here, smallest)
    full = False
    while pool.counts[WAITING] > 0:
        node = settle(pool)
        polygon = polygon_of(pool, node)
        if polygon == goal:
            return node, full
        came_from = parent_polygon(pool, node)
        it, own = nodes[np.uint32(node)], polygons[np.uint32(polygon)]
        place, so_far, price = place_of(it), it.cost, rule.costs[np.uint32(own.area)]
        for k in range(own.first_link, own.end_link):
            link = links[np.uint32(k)]
            target = link.target
            if target == came_from or not admits(link.flags_there, rule.include, rule.exclude):
                continue
            other = node_of(pool, link.key)
            if other == NO_NODE:
                full = True
                continue
            seen = nodes[np.uint32(other)]
            if marks[np.uint32(other)].state == UNSEEN:
                stand(pool, other, row_of(mesh.middles, np.uint32(k)))
                seen.left_over = distance(place_of(seen), there) * scale
            entry = place_of(seen)
            cost = so_far + distance(place, entry) * price
            left_over = seen.left_over
            if target == goal:
                cost, left_over = cost + cost_of(entry, there, polygons, target, rule.costs), ZERO
            if offer(pool, other, node, cost, cost + left_over) and left_over < smallest:
                smallest, best = left_over, np.int32(other)
    return best, full


@kernel
def _closest_node(mesh: QueryMesh, pool: NodePool, there: Point32) -> tuple[np.int32, Point32]:
    """The node that was reached whose ground comes nearest to a point, and where; of equals the one reached first."""
    best, smallest, nearest = np.int32(0), float(FAR), place_of(pool.nodes[0])
    for node in range(pool.counts[NODES]):
        polygon = polygon_of(pool, node)
        if pool.marks[node].state == CLOSED and mesh.polygons[polygon].kind == GROUND:
            away, point = closest_on_ground(mesh, polygon, there, smallest)
            if away < smallest:
                best, smallest, nearest = np.int32(node), away, point
    return best, nearest
