"""A search for a corridor that is done a few steps at a time, and may cut corners. Recast: the sliced path queries."""

from __future__ import annotations

import numpy as np

from ...detour.byte_layout import CONNECTION
from ...jit import borrowing, kernel
from ...types import F32, I32, I64, AnyBool, AnyInt
from ..query_filter import Rule
from ..query_mesh import SIDES, QueryMesh
from .nearest_polygon import roomy
from .node_pool import (
    NO_NODE,
    UNSEEN,
    WAITING,
    NodePool,
    begin_search,
    node_of,
    offer,
    parent_polygon,
    place_of,
    polygon_of,
    settle,
    stand,
)
from .points import FAR, ONE, ZERO, Float32, LinesFrom, Point32, cost_of, distance, passes, put, row_of
from .raycast import RayRows, ray_rows

# Where a search stands: the node that is nearest to the end so far, whether the pool was too small, whether it is over.
BEST, FULL, OVER = 0, 1, 2
# Rays that look for shortcuts: none, those of Detour that end with their first polygon, those that go on.
NO_RAYS, SHORT_RAYS, RAYS = 0, 1, 2
SCALE = np.float32(0.999)  # of the heuristic
_RADII = np.float32(50)  # of the agent: farther back no shortcut is looked for


@kernel
def begin_sliced(pool: NodePool, start: int, here: F32, there: F32) -> None:
    """The first node of a search. Recast: dtNavMeshQuery::initSlicedFindPath."""
    begin_search(pool, start, row_of(here, 0), distance(row_of(here, 0), row_of(there, 0)) * SCALE)


@kernel
def go_on(
    mesh: QueryMesh, pool: NodePool, stands: I64, goal: int, there: F32, rule: Rule, rays: int, steps: int
) -> int:
    """Up to so many steps of a search; how many were made. Recast: dtNavMeshQuery::updateSlicedFindPath."""
    for step in range(steps):
        if pool.counts[WAITING] == 0:
            stands[OVER] = 1
        if stands[OVER]:
            return step
        node = settle(pool)
        if polygon_of(pool, node) == goal:
            stands[BEST], stands[OVER] = node, 1
            return step + 1
        _expand(mesh, pool, rule, stands, node, goal, row_of(there, 0), rays)
    if pool.counts[WAITING] == 0:  # nothing is left to look at: it is over in this very call
        stands[OVER] = 1
    return steps


@kernel
def _expand(
    mesh: QueryMesh, pool: NodePool, rule: Rule, stands: I64, node: AnyInt, goal: AnyInt, aim: Point32, rays: AnyInt
) -> None:
    """Look at what one node leads to."""
    polygons, links, nodes, marks = mesh.polygons, mesh.links, pool.nodes, pool.marks
    polygon, came_from = polygon_of(pool, node), parent_polygon(pool, node)
    if not _may_look_back(mesh, pool, node):
        rays = NO_RAYS
    for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
        target = links[link].target
        if target == came_from or not passes(polygons, target, rule.include, rule.exclude):
            continue
        other = node_of(pool, target * SIDES)
        if other == NO_NODE:
            stands[FULL] = 1
            continue
        if marks[other].parent >= 0 and marks[other].parent == marks[node].parent:
            continue
        if marks[other].state == UNSEEN:
            stand(pool, other, row_of(mesh.middles, link))
        entry = place_of(nodes[other])
        parent, cost = _path_to(mesh, pool, rule, node, entry, target, rays)
        left_over = distance(entry, aim) * SCALE
        if target == goal:
            cost, left_over = cost + cost_of(entry, aim, polygons, target, rule.costs), ZERO
        if offer(pool, other, parent, cost, cost + left_over):
            nodes[other].left_over, nodes[other].shortcut = left_over, ONE if parent != node else ZERO
            if left_over < nodes[stands[BEST]].left_over:
                stands[BEST] = other


@borrowing
def _may_look_back(mesh: QueryMesh, pool: NodePool, node: AnyInt) -> AnyBool:
    """Whether a node lies so near to its parent that what it leads to may be reached from there right away."""
    parent = pool.marks[node].parent
    if parent < 0:
        return False
    here, there = pool.nodes[node], pool.nodes[parent]
    x, y, z = here.x - there.x, here.y - there.y, here.z - there.z
    limit = mesh.tiles[mesh.polygons[polygon_of(pool, 0)].tile].agent_radius * _RADII  # that of the first tile
    return x * x + y * y + z * z < limit * limit


@kernel
def _path_to(
    mesh: QueryMesh, pool: NodePool, rule: Rule, node: AnyInt, entry: Point32, target: AnyInt, rays: AnyInt
) -> tuple[np.int32, Float32]:
    """From which node the entry of a polygon is reached, and the cost of the path."""
    nodes, parent, polygon = pool.nodes, pool.marks[node].parent, polygon_of(pool, node)
    # From a link's polygon a ray that goes on may begin at the link's other end.
    if rays == SHORT_RAYS or (rays == RAYS and mesh.polygons[polygon_of(pool, parent)].kind != CONNECTION):
        crossed, arrives, cost = _ray(mesh, rule, polygon_of(pool, parent), place_of(nodes[parent]), entry)
        # On another floor a ray may end above or below the entry; Detour's ray looks at one polygon alone.
        if arrives and (len(crossed) == 1 if rays == SHORT_RAYS else crossed[-1] == polygon or crossed[-1] == target):
            return parent, nodes[parent].cost + cost
    cost = cost_of(place_of(nodes[node]), entry, mesh.polygons, polygon, rule.costs)
    return np.int32(node), nodes[node].cost + cost


@kernel
def _ray(mesh: QueryMesh, rule: Rule, polygon: AnyInt, here: Point32, there: Point32) -> tuple[I32, bool, Float32]:
    """The polygons of a ray, whether nothing is in the way, and what it costs."""
    asked = LinesFrom(np.full(1, polygon, np.int32), np.empty((1, 3), np.float32), np.empty((1, 3), np.float32))
    put(asked.starts, 0, here)
    put(asked.ends, 0, there)
    rows = RayRows(
        np.empty(1, np.uint32), np.empty(1, np.float32), np.empty((1, 3), np.float32), np.empty(1, np.float32),
        np.empty(1, np.int32), np.empty(1, np.int32),
    )  # fmt: skip
    found = ray_rows(mesh, asked, rule, True, len(mesh.polygons), 0, 1, rows)
    return found, rows.parts[0] == FAR, rows.cost[0]


@kernel
def path_back(mesh: QueryMesh, pool: NodePool, node: int, rule: Rule) -> I32:
    """The polygons from the first node to this one; where a ray leads from one to the next, those that it crosses."""
    nodes, marks = pool.nodes, pool.marks
    backwards, count = np.empty(64, np.int32), 0
    at = np.int32(node)
    while at >= 0:
        backwards = roomy(backwards, count, count + 1)
        backwards[count] = polygon_of(pool, at)
        count += 1
        parent = marks[at].parent
        if parent >= 0 and nodes[at].shortcut != ZERO:
            first, last = polygon_of(pool, parent), polygon_of(pool, at)
            crossed = _ray(mesh, rule, first, place_of(nodes[parent]), place_of(nodes[at]))[0]
            end = len(crossed) - 1 if crossed[-1] == last else len(crossed)
            backwards = roomy(backwards, count, count + end)
            for k in range(end - 1, 0, -1):
                backwards[count] = crossed[k]
                count += 1
        at = parent
    return backwards[:count][::-1].copy()
