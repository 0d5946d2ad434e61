"""The corridor of polygons from one to another: Detour's A* over the middles of what polygons share."""

from __future__ import annotations

import numpy as np

from ...detour.byte_layout import GROUND, INSIDE
from ...jit import inlined, kernel
from ...types import F32, I32, U32, AnyBool, AnyInt
from ..query_mesh import END_LINK, FIRST_LINK, KIND, NO_POLYGON, SIDE, TARGET, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, OUT_OF_NODES, PARTIAL, SUCCESS
from .nearest import roomy
from .node_pool import CLOSED, NO_NODE, NODES, OPEN, SIDES, WAITING, NodePool, new_pool, node_of, pop, push, rise
from .points import (
    FAR,
    ZERO,
    Float,
    Point,
    closest_point,
    cost_of,
    distance,
    is_finite,
    middle_of,
    passes,
    portal,
    put,
    row_of,
)


@kernel
def path_rows(
    mesh: QueryMesh, starts: I32, ends: I32, from_points: F32, to_points: F32, costs: F32, include: int, exclude: int,
    scale: Float, most_nodes: int, most: int, closest: AnyBool, begin: int, end: int, status: U32, counts: I32,
    aims: F32, expanded: I32,
) -> I32:  # fmt: skip
    """The polygons of each path, one path after the other. Recast: dtNavMeshQuery::findPath.

    `aims` gets where each path goes to: the asked end, or the point of the last polygon that is nearest to it.
    `closest`: a path that cannot end in the end polygon ends where it comes nearest to the asked end.
    """
    found = np.empty(1024, np.int32)
    total = 0
    pool = new_pool(mesh, most_nodes)
    for row in range(begin, end):
        here, there = row_of(from_points, row), row_of(to_points, row)
        status[row], counts[row], expanded[row] = INVALID, 0, 0
        put(aims, row, there)
        if starts[row] < 0 or ends[row] < 0 or not (is_finite(here) and is_finite(there)):
            continue
        if starts[row] == ends[row]:
            found = roomy(found, total, total + 1)
            found[total], counts[row], status[row] = starts[row], 1, SUCCESS
            total += 1
            continue
        best, full = _search(mesh, pool, starts[row], ends[row], here, there, costs, include, exclude, scale)
        expanded[row] = pool.counts[NODES]
        said = SUCCESS | (OUT_OF_NODES if full else np.uint32(0))
        if pool.keys[best] // SIDES != ends[row]:
            said |= PARTIAL
            if closest:
                best = _closest_node(mesh, pool, there)
        length = _length(pool.parent, best)
        kept = min(length, most)
        found = roomy(found, total, total + length)
        _write(pool.parent, pool.keys, best, found, total + length)
        if kept < length:
            said |= BUFFER_TOO_SMALL
        last = found[total + kept - 1]
        if last != ends[row]:
            _, point = closest_point(mesh.outline, mesh.facts, mesh.triangles, mesh.marks, last, there)
            put(aims, row, point)
        status[row], counts[row] = said, kept
        total += kept
    return found[:total].copy()


@kernel
def _search(
    mesh: QueryMesh, pool: NodePool, start: AnyInt, goal: AnyInt, here: Point, there: Point, costs: F32,
    include: AnyInt, exclude: AnyInt, scale: Float,
) -> tuple[np.int32, bool]:  # fmt: skip
    """The node in which the way ends, and whether the pool was too small. `scale` is that of the heuristic."""
    outline, facts, links = mesh.outline, mesh.facts, mesh.links
    at, cost, total, parent, flags = pool.at, pool.cost, pool.total, pool.parent, pool.flags
    keys, heap, spot, known, counts = pool.keys, pool.heap, pool.spot, pool.known, pool.counts
    counts[NODES] = counts[WAITING] = 0
    first = node_of(known, keys, parent, flags, counts, start * SIDES)
    put(at, first, here)
    cost[first], total[first], flags[first] = ZERO, distance(here, there) * scale, OPEN
    push(heap, spot, total, counts, first)
    best, least = np.int32(first), total[first]
    full = False
    while counts[WAITING] > 0:
        node = pop(heap, spot, total, counts)
        flags[node] = (flags[node] & ~OPEN) | CLOSED
        polygon = keys[node] // SIDES
        if polygon == goal:
            return node, full
        came_from = keys[parent[node]] // SIDES if parent[node] >= 0 else np.int32(NO_POLYGON)
        place = row_of(at, node)
        for link in range(facts[polygon, FIRST_LINK], facts[polygon, END_LINK]):
            target = links[link, TARGET]
            if target == came_from or not passes(facts, target, include, exclude):
                continue
            other = node_of(known, keys, parent, flags, counts, target * SIDES + _side_of(links[link, SIDE]))
            if other == NO_NODE:
                full = True
                continue
            if flags[other] == 0:
                _, left, right = portal(outline, facts, links, polygon, target)
                put(at, other, middle_of(left, right))
            entry = row_of(at, other)
            way = cost[node] + cost_of(place, entry, facts, polygon, costs)
            left_over = ZERO
            if target == goal:
                way = way + cost_of(entry, there, facts, target, costs)
            else:
                left_over = distance(entry, there) * scale
            whole = way + left_over
            if flags[other] & (OPEN | CLOSED) and whole >= total[other]:
                continue
            parent[other], cost[other], total[other] = node, way, whole
            flags[other] &= ~CLOSED
            if flags[other] & OPEN:
                rise(heap, spot, total, spot[other], other)
            else:
                flags[other] |= OPEN
                push(heap, spot, total, counts, other)
            if left_over < least:
                least, best = left_over, np.int32(other)
    return best, full


@inlined
def _side_of(side: AnyInt) -> AnyInt:
    """Polygons that are entered across different tile borders are different nodes."""
    return 0 if side == INSIDE else side >> 1


@kernel
def _closest_node(mesh: QueryMesh, pool: NodePool, there: Point) -> np.int32:
    """The node that was reached whose polygon comes nearest to a point; of equals the one that was reached first."""
    best, smallest = np.int32(0), FAR
    for node in range(pool.counts[NODES]):
        polygon = pool.keys[node] // SIDES
        if pool.flags[node] & CLOSED and mesh.facts[polygon, KIND] == GROUND:
            _, point = closest_point(mesh.outline, mesh.facts, mesh.triangles, mesh.marks, polygon, there)
            away = distance(point, there)
            if away < smallest:
                best, smallest = np.int32(node), away
    return best


@inlined
def _length(parent: I32, node: AnyInt) -> int:
    length = 0
    while node >= 0:
        node = parent[node]
        length += 1
    return length


@inlined
def _write(parent: I32, keys: I32, node: AnyInt, found: I32, end: AnyInt) -> None:
    """Write the polygons of a chain of nodes, the last one just before `end`."""
    while node >= 0:
        end -= 1
        found[end] = keys[node] // SIDES
        node = parent[node]
