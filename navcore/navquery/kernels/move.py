"""A short walk towards a point, sliding along walls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...jit import borrowing, inlined, kernel
from ...types import F32, I32, U32, AnyInt
from ..query_filter import Rule
from ..query_mesh import BORDER, WALL, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, SUCCESS
from .nearest_polygon import roomy
from .points import (
    FAR,
    HALF,
    ZERO,
    LinesFrom,
    Point32,
    between,
    corner,
    distance,
    is_finite,
    is_inside,
    passes,
    put,
    row_of,
    to_segment,
)

_MAX_NODES, _MAX_BEHIND_EDGE = 64, 8
_MAX_WAITING = 48
_SLACK = np.float32(0.001)


class MoveRows(NamedTuple):
    """What `move_rows` writes, beside the polygons."""

    status: U32
    reached: F32  # (N, 3)
    counts: I32  # polygons


class WalkRoom(NamedTuple):
    """Room for the polygons that one walk looks at, its nodes."""

    polygons: I32
    parents: I32
    closed: npt.NDArray[np.bool_]
    queue: I32
    behind: I32  # of one edge


@kernel
def walk_room() -> WalkRoom:
    polygons, parents = np.empty(_MAX_NODES, np.int32), np.empty(_MAX_NODES, np.int32)
    closed, queue = np.empty(_MAX_NODES, np.bool_), np.empty(_MAX_NODES, np.int32)
    return WalkRoom(polygons, parents, closed, queue, np.empty(_MAX_BEHIND_EDGE, np.int32))


@kernel
def move_rows(
    mesh: QueryMesh, asked: LinesFrom, rule: Rule, max_path: int, begin: int, end: int, rows: MoveRows
) -> I32:
    """Where each walk ends, and its polygons, walk after walk. Recast: dtNavMeshQuery::moveAlongSurface."""
    mesh, asked, rule, rows = QueryMesh(*mesh), LinesFrom(*asked), Rule(*rule), MoveRows(*rows)
    found = np.empty(1024, np.int32)
    total = 0
    room = walk_room()
    polygons, parents = room.polygons, room.parents
    starts, from_points, to_points = asked.polygons, asked.starts, asked.ends  # once: it is not free
    status, reached, counts = rows.status, rows.reached, rows.counts
    for row in range(begin, end):
        status[row], counts[row] = INVALID, 0
        here, there = row_of(from_points, row), row_of(to_points, row)
        put(reached, row, (ZERO, ZERO, ZERO))
        if starts[row] < 0 or not (is_finite(here) and is_finite(there)):
            continue
        best, point = walk(mesh, room, starts[row], here, there, rule.include, rule.exclude)
        put(reached, row, point)
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
        counts[row] = min(length, max_path)
        status[row] = SUCCESS | (BUFFER_TOO_SMALL if length >= max_path else np.uint32(0))
        total += counts[row]
    return found[:total].copy()


@borrowing
def walk(
    mesh: QueryMesh, room: WalkRoom, start: AnyInt, here: Point32, there: Point32, include: AnyInt, exclude: AnyInt
) -> tuple[int, Point32]:
    """The node in which a walk ends, and its point."""
    outline, records = mesh.outline, mesh.polygons
    polygons, parents, closed, queue, behind = room
    center = between(here, there, HALF)
    reach = distance(here, there) * HALF + _SLACK
    reach *= reach
    polygons[0], parents[0], closed[0], queue[0] = start, -1, True, 0
    nodes, first, waiting = 1, 0, 1
    best, smallest, reached = -1, FAR, here
    while waiting > 0:
        node = queue[first % _MAX_NODES]
        first, waiting = first + 1, waiting - 1
        polygon = polygons[node]
        if is_inside(outline, records, polygon, there):
            return node, there
        count = records[polygon].corners
        for i in range(count):
            j = i - 1 if i > 0 else count - 1
            a, b = corner(outline, polygon, j), corner(outline, polygon, i)
            others = _behind(mesh, polygon, j, include, exclude, behind)
            if others == 0:
                away, part = to_segment(there, a, b)
                if away < smallest:
                    smallest, best, reached = away, node, between(a, b, part)
                continue
            for k in range(others):
                other = _node_of(polygons, nodes, behind[k])
                if other == nodes:
                    if nodes == _MAX_NODES:
                        continue
                    polygons[nodes], parents[nodes], closed[nodes] = behind[k], -1, False
                    nodes += 1
                if closed[other] or to_segment(center, a, b)[0] > reach or waiting == _MAX_WAITING:
                    continue
                parents[other], closed[other] = node, True
                queue[(first + waiting) % _MAX_NODES] = other
                waiting += 1
    return best, reached


@inlined
def _node_of(polygons: I32, nodes: AnyInt, polygon: AnyInt) -> AnyInt:
    """The node of a polygon; the number of nodes where there is none yet."""
    for node in range(nodes):
        if polygons[node] == polygon:
            return node
    return nodes


@borrowing
def _behind(mesh: QueryMesh, polygon: AnyInt, edge: AnyInt, include: AnyInt, exclude: AnyInt, behind: I32) -> int:
    """Write the polygons behind an edge that pass the filter; returns how many."""
    polygons, links = mesh.polygons, mesh.links
    across = mesh.neighbors[polygon, edge]
    if across == WALL:
        return 0
    if across != BORDER:
        behind[0] = across
        return 1 if passes(polygons, across, include, exclude) else 0
    count = 0
    for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
        target = links[link].target
        if links[link].edge == edge and count < _MAX_BEHIND_EDGE and passes(polygons, target, include, exclude):
            behind[count] = target
            count += 1
    return count
