"""The corridor of polygons from one to another: Detour's A* over the middles of what polygons share."""

from __future__ import annotations

import numpy as np

from ...detour.byte_layout import GROUND
from ...jit import inlined, kernel
from ...types import F32, I32, I64, U32, AnyBool, AnyInt
from ..query_mesh import (
    SIDES,
    LinkRows,
    PolygonRows,
    QueryMesh,
)
from ..status import BUFFER_TOO_SMALL, INVALID, OUT_OF_NODES, PARTIAL, SUCCESS
from .nearest import roomy
from .node_pool import (
    CLOSED,
    COST,
    LEFT_OVER,
    NO_NODE,
    NODE_KEY,
    NODES,
    OPEN,
    PARENT,
    SPOT,
    STATE,
    TOTAL,
    WAITING,
    NodePool,
    chain_length,
    new_pool,
    node_of,
    parent_polygon,
    pop,
    push,
    rise,
    write_chain,
)
from .on_polygon import closest_on_ground
from .points import (
    FAR,
    ZERO,
    Float,
    Point,
    admits,
    closest_point,
    cost_of,
    distance,
    is_finite,
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
    polygons, links, middles = mesh.polygons, mesh.links, mesh.middles  # once, not for each row: it is not free
    numbers, marks, heap, totals = pool.numbers, pool.marks, pool.heap, pool.totals
    known, sizes = pool.known, pool.counts
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
        best, full = _search(
            polygons, links, middles, numbers, marks, heap, totals, known, sizes, starts[row], ends[row], here, there,
            costs, include, exclude, scale,
        )  # fmt: skip
        expanded[row] = sizes[NODES]
        said = SUCCESS | (OUT_OF_NODES if full else np.uint32(0))
        if marks[best, NODE_KEY] // SIDES != ends[row]:
            said |= PARTIAL
            if closest:
                best, nearest = _closest_node(mesh, pool, there)
        length = chain_length(marks, best)
        kept = min(length, most)
        if total + length > len(found):
            found = roomy(found, total, total + length)
        write_chain(marks, best, found, total + length)
        if kept < length:
            said |= BUFFER_TOO_SMALL
        last = found[total + kept - 1]
        if last != ends[row]:
            if not closest or kept < length:
                _, nearest = closest_point(mesh.outline, mesh.polygons, mesh.triangles, mesh.marks, last, there)
            put(aims, row, nearest)
        status[row], counts[row] = said, kept
        total += kept
    return found[:total].copy()


@inlined
def _search(
    polygons: PolygonRows, links: LinkRows, middles: F32, numbers: F32, marks: I32, heap: I32, totals: F32, known: I32,
    counts: I64, start: AnyInt, goal: AnyInt, here: Point, there: Point, costs: F32, include: AnyInt, exclude: AnyInt,
    scale: Float,
) -> tuple[np.int32, bool]:  # fmt: skip
    """The node in which the way ends, and whether the pool was too small. `scale` is that of the heuristic.

    A node lies in the middle of what polygons share across the link by which it is first seen.
    """
    counts[NODES] = counts[WAITING] = 0
    best = np.int32(node_of(known, marks, counts, start * SIDES))
    least = distance(here, there) * scale
    put(numbers, best, here)
    numbers[best, COST], numbers[best, TOTAL], marks[best, STATE] = ZERO, least, OPEN
    numbers[best, LEFT_OVER] = least
    push(heap, totals, marks, counts, best, least)
    full = False
    while counts[WAITING] > 0:
        node = pop(heap, totals, marks, counts)
        marks[node, STATE] = CLOSED
        polygon = marks[node, NODE_KEY] // SIDES
        if polygon == goal:
            return node, full
        came_from = parent_polygon(marks, node)
        place, so_far, price = row_of(numbers, node), numbers[node, COST], costs[polygons[polygon].area]
        for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
            target = links[link].target
            if target == came_from or not admits(links[link].flags_there, include, exclude):
                continue
            other = node_of(known, marks, counts, links[link].key)
            if other == NO_NODE:
                full = True
                continue
            state = marks[other, STATE]
            if state == 0:
                put(numbers, other, row_of(middles, link))
                numbers[other, LEFT_OVER] = distance(row_of(numbers, other), there) * scale
            entry = row_of(numbers, other)
            way = so_far + distance(place, entry) * price
            left_over = numbers[other, LEFT_OVER]
            if target == goal:
                way, left_over = way + cost_of(entry, there, polygons, target, costs), ZERO
            whole = way + left_over
            if state != 0 and not whole < numbers[other, TOTAL]:
                continue
            marks[other, PARENT], numbers[other, COST], numbers[other, TOTAL] = node, way, whole
            marks[other, STATE] = OPEN
            if state == OPEN:
                rise(heap, totals, marks, marks[other, SPOT], other, whole)
            else:
                push(heap, totals, marks, counts, other, whole)
            if left_over < least:
                least, best = left_over, np.int32(other)
    return best, full


@kernel
def _closest_node(mesh: QueryMesh, pool: NodePool, there: Point) -> tuple[np.int32, Point]:
    """The node that was reached whose ground comes nearest to a point, and where; of equals the one reached first."""
    best, smallest, nearest = np.int32(0), float(FAR), row_of(pool.numbers, 0)
    for node in range(pool.counts[NODES]):
        polygon = pool.marks[node, NODE_KEY] // SIDES
        if pool.marks[node, STATE] == CLOSED and mesh.polygons[polygon].kind == GROUND:
            away, point = closest_on_ground(mesh, polygon, there, smallest)
            if away < smallest:
                best, smallest, nearest = np.int32(node), away, point
    return best, nearest
