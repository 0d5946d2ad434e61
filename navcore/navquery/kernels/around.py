"""What lies around a point by the way there: walls, and polygons within a distance."""

from __future__ import annotations

import numpy as np

from ...detour.byte_layout import CONNECTION
from ...jit import inlined, kernel
from ...types import F32, I32, I64, U8, U32, AnyBool, AnyInt
from ..query_mesh import (
    BORDER,
    SIDES,
    WALL,
    QueryMesh,
)
from ..status import BUFFER_TOO_SMALL, INVALID, OUT_OF_NODES, SUCCESS
from .nearest import roomy
from .node_pool import (
    CLOSED,
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
    new_pool,
    node_of,
    parent_polygon,
    pop,
    push,
    rise,
)
from .points import (
    HALF,
    ONE,
    ZERO,
    Float,
    Point,
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
from .shapes import meets


@kernel
def wall_rows(
    mesh: QueryMesh, starts: I32, points: F32, radius: Float, include: int, exclude: int, most_nodes: int,
    begin: int, end: int, status: U32, distances: F32, walls: F32, normals: F32, hit: U8,
) -> None:  # fmt: skip
    """The nearest wall of each point. Recast: dtNavMeshQuery::findDistanceToWall.

    Where there is none within `radius`, its place and normal are NaN (Recast leaves them undefined).
    """
    pool = new_pool(mesh, most_nodes)
    nothing = (np.float32(np.nan), np.float32(np.nan), np.float32(np.nan))
    for row in range(begin, end):
        center = row_of(points, row)
        status[row], distances[row], hit[row] = INVALID, ZERO, 0
        put(walls, row, (ZERO, ZERO, ZERO))
        put(normals, row, (ZERO, ZERO, ZERO))
        if starts[row] < 0 or not is_finite(center):
            continue
        full, within, found, wall = _nearest_wall(mesh, pool, starts[row], center, radius, include, exclude)
        status[row] = SUCCESS | (OUT_OF_NODES if full else np.uint32(0))
        distances[row], hit[row] = np.sqrt(within), found
        put(walls, row, wall if found else nothing)
        x, y, z = center[0] - wall[0], center[1] - wall[1], center[2] - wall[2]
        scale = ONE / np.sqrt(x * x + y * y + z * z)
        put(normals, row, (x * scale, y * scale, z * scale) if found else nothing)


@kernel
def _nearest_wall(
    mesh: QueryMesh, pool: NodePool, start: AnyInt, center: Point, radius: Float, include: AnyInt, exclude: AnyInt
) -> tuple[bool, Float, bool, Point]:
    """Whether the pool was too small, the squared distance, whether there is a wall, and where."""
    outline, polygons, links, portals = mesh.outline, mesh.polygons, mesh.links, mesh.portals
    numbers, marks, heap, totals = pool.numbers, pool.marks, pool.heap, pool.totals
    known, counts = pool.known, pool.counts
    within = radius * radius
    full, found, wall = False, False, center
    _begin_search(pool, start, center)
    while counts[WAITING] > 0:
        node = pop(heap, totals, marks, counts)
        marks[node, STATE] = CLOSED
        polygon = marks[node, NODE_KEY] // SIDES
        came_from = parent_polygon(marks, node)
        count = polygons[polygon].corners
        for i in range(count):
            j = i - 1 if i > 0 else count - 1
            if _is_wall(mesh, polygon, j, include, exclude):
                a, b = corner(outline, polygon, j), corner(outline, polygon, i)
                away, part = to_segment(center, a, b)
                if away <= within:
                    within, wall, found = away, between(a, b, part), True
        for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
            target = links[link].target
            if target == came_from or polygons[target].kind == CONNECTION:
                continue
            a, b = edge_of(outline, polygons, polygon, links[link].edge)
            if to_segment(center, a, b)[0] > within or not passes(polygons, target, include, exclude):
                continue
            other = node_of(known, marks, counts, target * SIDES)
            if other == NO_NODE:
                full = True
                continue
            if marks[other, STATE] == CLOSED:
                continue
            if marks[other, STATE] == 0:
                put(numbers, other, middle_of(corner(portals, link, 0), corner(portals, link, 1)))
            way = numbers[node, TOTAL] + distance(row_of(numbers, node), row_of(numbers, other))
            _reach(pool, other, node, way)
    return full, within, found, wall


@inlined
def _begin_search(pool: NodePool, start: AnyInt, center: Point) -> None:
    counts = pool.counts
    counts[NODES] = counts[WAITING] = 0
    first = node_of(pool.known, pool.marks, counts, start * SIDES)
    put(pool.numbers, first, center)
    pool.numbers[first, TOTAL], pool.marks[first, STATE] = ZERO, OPEN
    push(pool.heap, pool.totals, pool.marks, counts, first, ZERO)


@inlined
def _reach(pool: NodePool, other: AnyInt, node: AnyInt, way: Float) -> None:
    """A way to a node, taken where it is the first or a shorter one."""
    numbers, marks = pool.numbers, pool.marks
    waits = marks[other, STATE] == OPEN
    if waits and not way < numbers[other, TOTAL]:
        return
    marks[other, PARENT], numbers[other, TOTAL], marks[other, STATE] = node, way, OPEN
    if waits:
        rise(pool.heap, pool.totals, marks, marks[other, SPOT], other, way)
    else:
        push(pool.heap, pool.totals, marks, pool.counts, other, way)


@kernel
def _is_wall(mesh: QueryMesh, polygon: AnyInt, edge: AnyInt, include: AnyInt, exclude: AnyInt) -> AnyBool:
    """Whether nobody passes an edge. On a tile border the first link alone decides, as in Detour."""
    polygons, links = mesh.polygons, mesh.links
    across = mesh.neighbors[polygon, edge]
    if across == WALL:
        return True
    if across != BORDER:
        return not passes(polygons, across, include, exclude)
    for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
        if links[link].edge == edge:
            return not passes(polygons, links[link].target, include, exclude)
    return True


@kernel
def around_rows(
    mesh: QueryMesh, starts: I32, points: F32, radius: Float, shapes: F32, cuts: I64, costs: F32, include: int,
    exclude: int, most_nodes: int, most: int, begin: int, end: int, status: U32, counts: I32,
) -> tuple[I32, I32, F32]:  # fmt: skip
    """Polygons around each point, from which they are entered, and the cost of the way there; row after row.

    A row without corners of a shape asks for a circle. Recast: dtNavMeshQuery::findPolysAroundCircle and
    findPolysAroundShape.
    """
    found, parents, costs_there = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.float32)
    total = 0
    pool = new_pool(mesh, most_nodes)
    for row in range(begin, end):
        center = row_of(points, row)
        status[row], counts[row] = INVALID, 0
        if starts[row] < 0 or not is_finite(center):
            continue
        shape = shapes[cuts[row] : cuts[row + 1]]
        full, count = flood(mesh, pool, starts[row], center, radius, shape, costs, include, exclude)
        kept = min(count, most)
        if total + kept > len(found):
            size = max(2 * len(found), total + kept)
            found, parents = roomy(found, total, size), roomy(parents, total, size)
            more = np.empty(len(found), np.float32)
            more[:total] = costs_there[:total]
            costs_there = more
        for k in range(kept):
            node = pool.heap[k]
            found[total + k] = pool.marks[node, NODE_KEY] // SIDES
            parents[total + k] = parent_polygon(pool.marks, node)
            costs_there[total + k] = pool.numbers[node, TOTAL]
        status[row] = SUCCESS | (OUT_OF_NODES if full else np.uint32(0))
        if kept < count:
            status[row] |= BUFFER_TOO_SMALL
        counts[row] = kept
        total += kept
    return found[:total].copy(), parents[:total].copy(), costs_there[:total].copy()


@kernel
def flood(
    mesh: QueryMesh, pool: NodePool, start: AnyInt, center: Point, radius: Float, shape: F32, costs: F32,
    include: AnyInt, exclude: AnyInt,
) -> tuple[bool, int]:  # fmt: skip
    """The polygons that a circle reaches, or a shape where it has corners, by the cost of the way there.

    Whether the pool was too small, and how many there are: their nodes are the first of `pool.heap`, in order.
    """
    polygons, links, portals = mesh.polygons, mesh.links, mesh.portals
    numbers, marks, heap, totals = pool.numbers, pool.marks, pool.heap, pool.totals
    known, counts = pool.known, pool.counts
    order = np.empty(len(marks), np.int32)
    within = radius * radius
    full, count = False, 0
    _begin_search(pool, start, center)
    while counts[WAITING] > 0:
        node = pop(heap, totals, marks, counts)
        marks[node, STATE] = CLOSED
        polygon = marks[node, NODE_KEY] // SIDES
        came_from = parent_polygon(marks, node)
        order[count] = node
        count += 1
        for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
            target = links[link].target
            if target == came_from or not passes(polygons, target, include, exclude):
                continue
            left, right = corner(portals, link, 0), corner(portals, link, 1)
            if np.isnan(left[0]):
                continue
            if not meets(shape, left, right) if len(shape) else to_segment(center, left, right)[0] > within:
                continue
            other = node_of(known, marks, counts, target * SIDES)
            if other == NO_NODE:
                full = True
                continue
            if marks[other, STATE] == CLOSED:
                continue
            if marks[other, STATE] == 0:
                put(numbers, other, between(left, right, HALF))
            way = numbers[node, TOTAL] + cost_of(
                row_of(numbers, node), row_of(numbers, other), polygons, polygon, costs
            )
            _reach(pool, other, node, way)
    heap[:count] = order[:count]  # it is empty by now
    return full, count
