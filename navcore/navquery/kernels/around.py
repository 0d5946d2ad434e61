"""What lies around a point by the way there: walls, and polygons within a distance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...detour.byte_layout import CONNECTION
from ...jit import borrowing, kernel
from ...types import F32, I32, I64, U8, U32, AnyBool, AnyInt
from ..query_filter import Rule
from ..query_mesh import BORDER, SIDES, WALL, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, OUT_OF_NODES, SUCCESS
from .nearest_polygon import roomy
from .neighborhood import meets
from .node_pool import (
    CLOSED,
    NO_NODE,
    UNSEEN,
    WAITING,
    NodePool,
    begin_search,
    new_pool,
    node_of,
    offer,
    parent_polygon,
    place_of,
    polygon_of,
    settle,
    stand,
)
from .points import (
    HALF,
    ONE,
    ZERO,
    Float32,
    Point32,
    PointsOn,
    RowCounts,
    between,
    corner,
    cost_of,
    distance,
    edge_of,
    is_finite,
    middle_of,
    passes,
    put,
    row_of,
    to_segment,
)


class WallRows(NamedTuple):
    """What `wall_rows` writes: of each point its nearest wall."""

    status: U32
    distances: F32
    walls: F32  # (N, 3) where
    normals: F32
    hit: U8  # 1: there is one within the radius


class Reach(NamedTuple):
    """How far from each point polygons may lie: within a circle, or a convex shape where a row has corners."""

    radius: Float32
    corners: F32  # of all shapes
    cuts: I64  # row r has corners[cuts[r]:cuts[r + 1]]
    max_nodes: int  # 0: no limit
    max_polygons: int


@kernel
def wall_rows(
    mesh: QueryMesh, asked: PointsOn, radius: Float32, rule: Rule, max_nodes: int, begin: int, end: int, rows: WallRows
) -> None:
    """The nearest wall of each point. Recast: dtNavMeshQuery::findDistanceToWall.

    Where there is none within `radius`, its place and normal are NaN (Recast leaves them undefined).
    """
    mesh, asked, rule, rows = QueryMesh(*mesh), PointsOn(*asked), Rule(*rule), WallRows(*rows)
    pool = new_pool(mesh, max_nodes)
    starts, points = asked.polygons, asked.points  # once: it is not free
    status, distances, walls, normals, hit = rows.status, rows.distances, rows.walls, rows.normals, rows.hit
    nothing = (np.float32(np.nan), np.float32(np.nan), np.float32(np.nan))
    for row in range(begin, end):
        center = row_of(points, row)
        status[row], distances[row], hit[row] = INVALID, ZERO, 0
        put(walls, row, (ZERO, ZERO, ZERO))
        put(normals, row, (ZERO, ZERO, ZERO))
        if starts[row] < 0 or not is_finite(center):
            continue
        full, within, found, wall = _nearest_wall(mesh, pool, rule, starts[row], center, radius)
        status[row] = SUCCESS | (OUT_OF_NODES if full else np.uint32(0))
        distances[row], hit[row] = np.sqrt(within), found
        put(walls, row, wall if found else nothing)
        x, y, z = center[0] - wall[0], center[1] - wall[1], center[2] - wall[2]
        scale = ONE / np.sqrt(x * x + y * y + z * z)
        put(normals, row, (x * scale, y * scale, z * scale) if found else nothing)


@borrowing
def _nearest_wall(
    mesh: QueryMesh, pool: NodePool, rule: Rule, start: AnyInt, center: Point32, radius: Float32
) -> tuple[bool, Float32, bool, Point32]:
    """Whether the pool was too small, the squared distance, whether there is a wall, and where."""
    outline, polygons, links, portals = mesh.outline, mesh.polygons, mesh.links, mesh.portals
    nodes, marks = pool.nodes, pool.marks
    within = radius * radius
    full, found, wall = False, False, center
    begin_search(pool, start, center, ZERO)
    while pool.counts[WAITING] > 0:
        node = settle(pool)
        polygon = polygon_of(pool, node)
        came_from = parent_polygon(pool, node)
        count = polygons[polygon].corners
        for i in range(count):
            j = i - 1 if i > 0 else count - 1
            if _is_wall(mesh, polygon, j, rule):
                a, b = corner(outline, polygon, j), corner(outline, polygon, i)
                away, part = to_segment(center, a, b)
                if away <= within:
                    within, wall, found = away, between(a, b, part), True
        for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
            target = links[link].target
            if target == came_from or polygons[target].kind == CONNECTION:
                continue
            a, b = edge_of(outline, polygons, polygon, links[link].edge)
            if to_segment(center, a, b)[0] > within or not passes(polygons, target, rule.include, rule.exclude):
                continue
            other = node_of(pool, target * SIDES)
            if other == NO_NODE:
                full = True
                continue
            if marks[other].state == CLOSED:
                continue
            if marks[other].state == UNSEEN:
                stand(pool, other, middle_of(corner(portals, link, 0), corner(portals, link, 1)))
            cost = nodes[node].total + distance(place_of(nodes[node]), place_of(nodes[other]))
            offer(pool, other, node, cost, cost)
    return full, within, found, wall


@borrowing
def _is_wall(mesh: QueryMesh, polygon: AnyInt, edge: AnyInt, rule: Rule) -> AnyBool:
    """Whether nobody passes an edge. On a tile border the first link alone decides, as in Detour."""
    polygons, links = mesh.polygons, mesh.links
    across = mesh.neighbors[polygon, edge]
    if across == WALL:
        return True
    if across != BORDER:
        return not passes(polygons, across, rule.include, rule.exclude)
    for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
        if links[link].edge == edge:
            return not passes(polygons, links[link].target, rule.include, rule.exclude)
    return True


@kernel
def around_rows(
    mesh: QueryMesh, asked: PointsOn, reach: Reach, rule: Rule, begin: int, end: int, rows: RowCounts
) -> tuple[I32, I32, F32]:
    """Polygons around each point, from which they are entered, and the cost of the path there; row after row.

    Recast: dtNavMeshQuery::findPolysAroundCircle and findPolysAroundShape.
    """
    mesh, asked, reach, rule, rows = QueryMesh(*mesh), PointsOn(*asked), Reach(*reach), Rule(*rule), RowCounts(*rows)
    found, parents, costs_there = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.float32)
    total = 0
    pool = new_pool(mesh, reach.max_nodes)
    starts, points, status, counts = asked.polygons, asked.points, rows.status, rows.counts  # once: it is not free
    corners, cuts, heap, nodes = reach.corners, reach.cuts, pool.heap, pool.nodes
    for row in range(begin, end):
        center = row_of(points, row)
        status[row], counts[row] = INVALID, 0
        if starts[row] < 0 or not is_finite(center):
            continue
        shape = corners[cuts[row] : cuts[row + 1]]
        full, count = flood(mesh, pool, rule, starts[row], center, reach.radius, shape)
        kept = min(count, reach.max_polygons)
        if total + kept > len(found):
            size = max(2 * len(found), total + kept)
            found, parents = roomy(found, total, size), roomy(parents, total, size)
            more = np.empty(len(found), np.float32)
            more[:total] = costs_there[:total]
            costs_there = more
        for k in range(kept):
            node = heap[k]
            found[total + k], parents[total + k] = polygon_of(pool, node), parent_polygon(pool, node)
            costs_there[total + k] = nodes[node].total
        status[row] = SUCCESS | (OUT_OF_NODES if full else np.uint32(0))
        if kept < count:
            status[row] |= BUFFER_TOO_SMALL
        counts[row] = kept
        total += kept
    return found[:total].copy(), parents[:total].copy(), costs_there[:total].copy()


@kernel
def flood(
    mesh: QueryMesh, pool: NodePool, rule: Rule, start: AnyInt, center: Point32, radius: Float32, shape: F32
) -> tuple[bool, int]:
    """The polygons that a circle reaches, or a shape where it has corners, by the cost of the path there.

    Whether the pool was too small, and how many there are: their nodes are the first of `pool.heap`, in order.
    """
    order = np.empty(len(pool.marks), np.int32)
    full, count = _flood(mesh, pool, rule, start, center, radius, shape, order)
    pool.heap[:count] = order[:count]  # it is empty by now
    return full, count


@borrowing
def _flood(
    mesh: QueryMesh, pool: NodePool, rule: Rule, start: AnyInt, center: Point32, radius: Float32, shape: F32, order: I32
) -> tuple[bool, int]:
    polygons, links, nodes, marks = mesh.polygons, mesh.links, pool.nodes, pool.marks
    within = radius * radius
    full, count = False, 0
    begin_search(pool, start, center, ZERO)
    while pool.counts[WAITING] > 0:
        node = settle(pool)
        polygon = polygon_of(pool, node)
        came_from = parent_polygon(pool, node)
        order[count] = node
        count += 1
        for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
            target = links[link].target
            if target == came_from or not passes(polygons, target, rule.include, rule.exclude):
                continue
            left, right = corner(mesh.portals, link, 0), corner(mesh.portals, link, 1)
            if np.isnan(left[0]):
                continue
            if not meets(shape, left, right) if len(shape) else to_segment(center, left, right)[0] > within:
                continue
            other = node_of(pool, target * SIDES)
            if other == NO_NODE:
                full = True
                continue
            if marks[other].state == CLOSED:
                continue
            if marks[other].state == UNSEEN:
                stand(pool, other, between(left, right, HALF))
            cost = nodes[node].total + cost_of(
                place_of(nodes[node]), place_of(nodes[other]), polygons, polygon, rule.costs
            )
            offer(pool, other, node, cost, cost)
    return full, count
