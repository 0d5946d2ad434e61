"""A short walk towards a point, sliding along walls."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...jit import inlined, kernel
from ...types import F32, I32, U32, AnyInt
from ..query_mesh import BORDER, WALL, LinkRows, PolygonRows, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, SUCCESS
from .nearest import roomy
from .points import FAR, HALF, ZERO, between, corner, distance, is_finite, is_inside, passes, put, row_of, to_segment

MOST_NODES, MOST_BEHIND_EDGE = 64, 8
_MOST_WAITING = 48
_SLACK = np.float32(0.001)


@kernel
def move_rows(
    mesh: QueryMesh, starts: I32, from_points: F32, to_points: F32, include: int, exclude: int, most: int,
    begin: int, end: int, status: U32, reached: F32, counts: I32,
) -> I32:  # fmt: skip
    """Where each walk ends, and its polygons, walk after walk. Recast: dtNavMeshQuery::moveAlongSurface."""
    found = np.empty(1024, np.int32)
    total = 0
    polygons, parents = np.empty(MOST_NODES, np.int32), np.empty(MOST_NODES, np.int32)
    closed, queue = np.empty(MOST_NODES, np.bool_), np.empty(MOST_NODES, np.int32)
    behind = np.empty(MOST_BEHIND_EDGE, np.int32)
    outline, neighbors, facts, links = mesh.outline, mesh.neighbors, mesh.polygons, mesh.links  # once: it is not free
    for row in range(begin, end):
        status[row], counts[row] = INVALID, 0
        here, there = row_of(from_points, row), row_of(to_points, row)
        put(reached, row, (ZERO, ZERO, ZERO))
        if starts[row] < 0 or not (is_finite(here) and is_finite(there)):
            continue
        best = walk(
            outline, neighbors, facts, links, starts[row], row, from_points, to_points, include, exclude, polygons,
            parents, closed, queue, behind, reached,
        )  # fmt: skip
        length, node = 0, best
        while node >= 0:
            length, node = length + 1, parents[node]
        if total + length > len(found):
            found = roomy(found, total, total + length)
        place, node = length, best
        while node >= 0:
            place -= 1
            found[total + place] = polygons[node]
            node = parents[node]
        counts[row] = min(length, most)
        status[row] = SUCCESS | (BUFFER_TOO_SMALL if length >= most else np.uint32(0))
        total += counts[row]
    return found[:total].copy()


@inlined
def walk(
    outline: F32, neighbors: I32, facts: PolygonRows, links: LinkRows, start: AnyInt, row: AnyInt, from_points: F32,
    to_points: F32, include: AnyInt, exclude: AnyInt, polygons: I32, parents: I32, closed: npt.NDArray[np.bool_],
    queue: I32, behind: I32, reached: F32,
) -> int:  # fmt: skip
    """The node in which a walk ends; its point goes to `reached`."""
    here, there = row_of(from_points, row), row_of(to_points, row)
    center = between(here, there, HALF)
    reach = distance(here, there) * HALF + _SLACK
    reach *= reach
    polygons[0], parents[0], closed[0], queue[0] = start, -1, True, 0
    nodes, first, waiting = 1, 0, 1
    best, smallest = -1, FAR
    put(reached, row, here)
    while waiting > 0:
        node = queue[first % MOST_NODES]
        first, waiting = first + 1, waiting - 1
        polygon = polygons[node]
        if is_inside(outline, facts, polygon, there):
            put(reached, row, there)
            return node
        count = facts[polygon].corners
        for i in range(count):
            j = i - 1 if i > 0 else count - 1
            a, b = corner(outline, polygon, j), corner(outline, polygon, i)
            others = _behind(neighbors, facts, links, polygon, j, include, exclude, behind)
            if others == 0:
                away, part = to_segment(there, a, b)
                if away < smallest:
                    put(reached, row, between(a, b, part))
                    smallest, best = away, node
                continue
            for k in range(others):
                other = _node_of(polygons, nodes, behind[k])
                if other == nodes:
                    if nodes == MOST_NODES:
                        continue
                    polygons[nodes], parents[nodes], closed[nodes] = behind[k], -1, False
                    nodes += 1
                if closed[other] or to_segment(center, a, b)[0] > reach or waiting == _MOST_WAITING:
                    continue
                parents[other], closed[other] = node, True
                queue[(first + waiting) % MOST_NODES] = other
                waiting += 1
    return best


@inlined
def _node_of(polygons: I32, nodes: AnyInt, polygon: AnyInt) -> AnyInt:
    """The node of a polygon; the number of nodes where there is none yet."""
    for node in range(nodes):
        if polygons[node] == polygon:
            return node
    return nodes


@inlined
def _behind(
    neighbors: I32,
    polygons: PolygonRows,
    links: LinkRows,
    polygon: AnyInt,
    edge: AnyInt,
    include: AnyInt,
    exclude: AnyInt,
    behind: I32,
) -> int:
    """Write the polygons behind an edge that pass the filter; returns how many."""
    across = neighbors[polygon, edge]
    if across == WALL:
        return 0
    if across != BORDER:
        behind[0] = across
        return 1 if passes(polygons, across, include, exclude) else 0
    count = 0
    for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
        target = links[link].target
        if links[link].edge == edge and count < MOST_BEHIND_EDGE and passes(polygons, target, include, exclude):
            behind[count] = target
            count += 1
    return count
