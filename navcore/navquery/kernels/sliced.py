"""A search for a corridor that is done a few steps at a time, and may cut corners. Recast: the sliced path queries."""

from __future__ import annotations

import numpy as np

from ...jit import inlined, kernel
from ...types import F32, I32, I64, AnyBool, AnyInt
from ..query_mesh import SIDES, QueryMesh
from .nearest import roomy
from .node_pool import (
    CLOSED,
    COST,
    LEFT_OVER,
    NO_NODE,
    NODE_KEY,
    OPEN,
    PARENT,
    SPOT,
    STATE,
    TOTAL,
    WAITING,
    NodePool,
    new_pool,
    node_of,
    parent_polygon,
    pop,
    push,
    rise,
)
from .points import FAR, ONE, ZERO, Float, Point, cost_of, distance, passes, put, row_of
from .raycast import ray_rows

# Where a search stands: the node that is nearest to the end so far, whether the pool was too small, whether it is over.
BEST, FULL, OVER = 0, 1, 2
# Rays that look for shortcuts: none, those of Detour that end with their first polygon, those that go on.
NO_RAYS, SHORT_RAYS, RAYS = 0, 1, 2
_SHORTCUT = 6  # column of `numbers`: 1 where the way from the parent is a ray
SCALE = np.float32(0.999)  # of the heuristic
_RADII = np.float32(50)  # of the agent: farther back no shortcut is looked for


@kernel
def begin_sliced(mesh: QueryMesh, start: int, here: F32, there: F32, most_nodes: int) -> tuple[NodePool, I64]:
    """The first node of a search, and where the search stands. Recast: dtNavMeshQuery::initSlicedFindPath."""
    pool = new_pool(mesh, most_nodes)
    if start < 0:
        return pool, np.zeros(3, np.int64)
    first = node_of(pool.known, pool.marks, pool.counts, start * SIDES)
    least = distance(row_of(here, 0), row_of(there, 0)) * SCALE
    put(pool.numbers, first, row_of(here, 0))
    pool.numbers[first, COST], pool.numbers[first, TOTAL], pool.numbers[first, LEFT_OVER] = ZERO, least, least
    pool.numbers[first, _SHORTCUT], pool.marks[first, STATE] = ZERO, OPEN
    push(pool.heap, pool.totals, pool.marks, pool.counts, first, least)
    return pool, np.zeros(3, np.int64)


@kernel
def go_on(
    mesh: QueryMesh, pool: NodePool, stands: I64, goal: int, there: F32, costs: F32, include: int, exclude: int,
    rays: int, steps: int,
) -> int:  # fmt: skip
    """Up to so many steps of a search; how many were made. Recast: dtNavMeshQuery::updateSlicedFindPath."""
    marks, counts = pool.marks, pool.counts
    for step in range(steps):
        if counts[WAITING] == 0:
            stands[OVER] = 1
        if stands[OVER]:
            return step
        node = pop(pool.heap, pool.totals, marks, counts)
        marks[node, STATE] = CLOSED
        if marks[node, NODE_KEY] // SIDES == goal:
            stands[BEST], stands[OVER] = node, 1
            return step + 1
        _expand(mesh, pool, stands, node, goal, row_of(there, 0), costs, include, exclude, rays)
    return steps


@kernel
def _expand(
    mesh: QueryMesh, pool: NodePool, stands: I64, node: AnyInt, goal: AnyInt, aim: Point, costs: F32, include: int,
    exclude: int, rays: AnyInt,
) -> None:  # fmt: skip
    """Look at what one node leads to."""
    polygons, links, numbers, marks = mesh.polygons, mesh.links, pool.numbers, pool.marks
    polygon, came_from = marks[node, NODE_KEY] // SIDES, parent_polygon(marks, node)
    if not _may_look_back(mesh, numbers, marks, node):
        rays = NO_RAYS
    for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
        target = links[link].target
        if target == came_from or not passes(polygons, target, include, exclude):
            continue
        other = node_of(pool.known, marks, pool.counts, target * SIDES)
        if other == NO_NODE:
            stands[FULL] = 1
            continue
        if marks[other, PARENT] >= 0 and marks[other, PARENT] == marks[node, PARENT]:
            continue
        if marks[other, STATE] == 0:
            put(numbers, other, row_of(mesh.middles, link))
        parent, way = _way_to(mesh, pool, node, row_of(numbers, other), target, rays, costs, include, exclude)
        left_over = distance(row_of(numbers, other), aim) * SCALE
        if target == goal:
            way, left_over = way + cost_of(row_of(numbers, other), aim, polygons, target, costs), ZERO
        if _taken(pool, other, parent, parent != node, way, left_over) and left_over < numbers[stands[BEST], LEFT_OVER]:
            stands[BEST] = other


@inlined
def _may_look_back(mesh: QueryMesh, numbers: F32, marks: I32, node: AnyInt) -> AnyBool:
    """Whether a node lies so near to its parent that what it leads to may be reached from there right away."""
    parent = marks[node, PARENT]
    if parent < 0:
        return False
    x, y, z = (
        numbers[node, 0] - numbers[parent, 0], numbers[node, 1] - numbers[parent, 1],
        numbers[node, 2] - numbers[parent, 2],
    )  # fmt: skip
    limit = mesh.tiles[mesh.polygons[marks[0, NODE_KEY] // SIDES].tile].agent_radius * _RADII  # that of the first tile
    return x * x + y * y + z * z < limit * limit


@kernel
def _way_to(
    mesh: QueryMesh, pool: NodePool, node: AnyInt, entry: Point, target: AnyInt, rays: AnyInt, costs: F32,
    include: int, exclude: int,
) -> tuple[np.int32, Float]:  # fmt: skip
    """From which node the entry of a polygon is reached, and the cost of the way."""
    numbers, marks = pool.numbers, pool.marks
    parent, polygon = marks[node, PARENT], marks[node, NODE_KEY] // SIDES
    if rays != NO_RAYS:
        behind, place = marks[parent, NODE_KEY] // SIDES, row_of(numbers, parent)
        crossed, arrives, cost = _ray(mesh, behind, place, entry, costs, include, exclude)
        # On another floor a ray may end above or below the entry; Detour's ray looks at one polygon alone.
        if arrives and (len(crossed) == 1 if rays == SHORT_RAYS else crossed[-1] == polygon or crossed[-1] == target):
            return parent, numbers[parent, COST] + cost
    return np.int32(node), numbers[node, COST] + cost_of(row_of(numbers, node), entry, mesh.polygons, polygon, costs)


@kernel
def _ray(
    mesh: QueryMesh, polygon: AnyInt, here: Point, there: Point, costs: F32, include: int, exclude: int
) -> tuple[I32, bool, Float]:
    """The polygons of a ray, whether nothing is in the way, and what it costs."""
    start, begins, ends = np.full(1, polygon, np.int32), np.empty((1, 3), np.float32), np.empty((1, 3), np.float32)
    put(begins, 0, here)
    put(ends, 0, there)
    status, edges, counts = np.empty(1, np.uint32), np.empty(1, np.int32), np.empty(1, np.int32)
    parts, normals, cost = np.empty(1, np.float32), np.empty((1, 3), np.float32), np.empty(1, np.float32)
    found = ray_rows(
        mesh, start, begins, ends, costs, include, exclude, True, len(mesh.polygons), 0, 1, status, parts, normals,
        cost, edges, counts,
    )  # fmt: skip
    return found, parts[0] == FAR, cost[0]


@inlined
def _taken(pool: NodePool, other: AnyInt, parent: AnyInt, shortcut: AnyBool, way: Float, left_over: Float) -> AnyBool:
    """Take a way to a node where it is the first or a better one; whether it was."""
    numbers, marks = pool.numbers, pool.marks
    state, whole = marks[other, STATE], way + left_over
    if state != 0 and not whole < numbers[other, TOTAL]:
        return False
    marks[other, PARENT], marks[other, STATE] = parent, OPEN
    numbers[other, COST], numbers[other, TOTAL], numbers[other, LEFT_OVER] = way, whole, left_over
    numbers[other, _SHORTCUT] = ONE if shortcut else ZERO
    if state == OPEN:
        rise(pool.heap, pool.totals, marks, marks[other, SPOT], other, whole)
    else:
        push(pool.heap, pool.totals, marks, pool.counts, other, whole)
    return True


@kernel
def way_back(mesh: QueryMesh, pool: NodePool, node: int, costs: F32, include: int, exclude: int) -> I32:
    """The polygons from the first node to this one; where a ray leads from one to the next, those that it crosses."""
    numbers, marks = pool.numbers, pool.marks
    backwards, count = np.empty(64, np.int32), 0
    at = np.int32(node)
    while at >= 0:
        backwards = roomy(backwards, count, count + 1)
        backwards[count] = marks[at, NODE_KEY] // SIDES
        count += 1
        parent = marks[at, PARENT]
        if parent >= 0 and numbers[at, _SHORTCUT] != ZERO:
            first, last = marks[parent, NODE_KEY] // SIDES, marks[at, NODE_KEY] // SIDES
            crossed = _ray(mesh, first, row_of(numbers, parent), row_of(numbers, at), costs, include, exclude)[0]
            end = len(crossed) - 1 if crossed[-1] == last else len(crossed)
            backwards = roomy(backwards, count, count + end)
            for k in range(end - 1, 0, -1):
                backwards[count] = crossed[k]
                count += 1
        at = parent
    return backwards[:count][::-1].copy()
