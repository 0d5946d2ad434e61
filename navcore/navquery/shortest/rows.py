"""The shortest ways of a range of rows; where an end cannot be reached, to the closest point that can be."""

from __future__ import annotations

import numpy as np

from ...jit import inlined, kernel
from ...types import F32, F64, I32, U8, AnyInt
from ..kernels.on_polygon import closest_on_ground
from ..kernels.points import FAR, Point, row_of
from ..query_mesh import QueryMesh
from .edges import ACROSS, ALSO, POLYGON, inside
from .lines import POINTS, POLYGONS, chain_of, lines_with_room, new_lines, write_line
from .pool import NODES, new_pool
from .search import NOT_FOUND, search
from .shortest_mesh import ShortestMesh

_NEAR = 1 / 16384  # metres; a step may be larger. Recast: dtVequal
FOUND, CLOSEST, OUT, SKIPPED = range(4)  # CLOSEST: the way ends at the closest point that can be reached


@kernel
def shortest_rows(
    mesh: QueryMesh, flat: ShortestMesh, prices: F64, origin: F64, step: float, starts: I32, ends: I32,
    from_points: F32, to_points: F32, most: int, begin: int, end: int, became: U8, polygon_counts: I32,
    point_counts: I32, expanded: I32,
) -> tuple[I32, F32, U8, I32]:  # fmt: skip
    """Polygons, points, flags and which polygon is entered at each point, one row after the other.

    A search that is out of nodes has found no way: its line is its start.
    """
    pool, lines = new_pool(len(flat.spots)), new_lines(1024)
    seen, waiting = np.zeros(len(flat.islands), np.int32), np.empty(len(flat.islands), np.int32)
    for row in range(begin, end):
        became[row], polygon_counts[row], point_counts[row], expanded[row] = SKIPPED, 0, 0, 0
        start, goal = starts[row], ends[row]
        here, there = row_of(from_points, row), row_of(to_points, row)
        if start < 0 or goal < 0:
            continue
        x, z = _spot(flat, start, here, origin, step)
        node, out = NOT_FOUND, False
        if flat.islands[start] == flat.islands[goal]:
            to_x, to_z = _spot(flat, goal, there, origin, step)
            pool, node, out = search(flat, prices, pool, start, x, z, goal, to_x, to_z, most)
            expanded[row] = pool.counts[NODES]
        became[row] = OUT if out else FOUND
        if node == NOT_FOUND and not out:
            goal, there = _closest(mesh, flat, start, there, seen, row - begin + 1, waiting)
            to_x, to_z = _spot(flat, goal, there, origin, step)
            pool, node, out = search(flat, prices, pool, start, x, z, goal, to_x, to_z, most)
            expanded[row] += pool.counts[NODES]
            became[row] = OUT if out else CLOSEST
        if node == NOT_FOUND:
            node, there, became[row] = np.int64(0), here, OUT
        chain = chain_of(pool, node)
        lines = lines_with_room(lines, 4 * len(chain) + 4)
        polygons, points = lines.used[POLYGONS], lines.used[POINTS]
        write_line(flat, pool, chain, here, there, max(_NEAR, 2 * step), lines)
        polygon_counts[row], point_counts[row] = lines.used[POLYGONS] - polygons, lines.used[POINTS] - points
    many, count = lines.used[POLYGONS], lines.used[POINTS]
    return (
        lines.polygons[:many].copy(), lines.points[:count].copy(), lines.flags[:count].copy(),
        lines.entered[:count].copy(),
    )  # fmt: skip


@kernel
def _closest(
    mesh: QueryMesh, flat: ShortestMesh, start: AnyInt, there: Point, seen: I32, row: AnyInt, waiting: I32
) -> tuple[AnyInt, Point]:
    """The polygon and the point; of equals the one that was reached first. `seen` is marked with the row."""
    edges = flat.edges
    waiting[0], count, done = start, 1, 0
    seen[start] = row
    best, closest, smallest = np.int32(start), there, float(FAR)
    while done < count:
        polygon = waiting[done]
        done += 1
        away, point = closest_on_ground(mesh, polygon, there, smallest)
        if away < smallest:
            best, closest, smallest = polygon, point, away
        for each in range(flat.first[polygon], flat.first[polygon + 1]):
            edge = np.int32(each)
            while edge >= 0:
                if edges[edge, ACROSS] >= 0:
                    count = _reach(edges[edges[edge, ACROSS], POLYGON], seen, row, waiting, count)
                edge = edges[edge, ALSO]
        for jump in range(flat.first_jump[polygon], flat.first_jump[polygon + 1]):
            count = _reach(flat.jumps[jump, 2], seen, row, waiting, count)
    return best, closest


@inlined
def _reach(polygon: AnyInt, seen: I32, row: AnyInt, waiting: I32, count: int) -> int:
    if seen[polygon] == row:
        return count
    seen[polygon] = row
    waiting[count] = polygon
    return count + 1


@inlined
def _spot(flat: ShortestMesh, polygon: AnyInt, point: Point, origin: F64, step: float) -> tuple[AnyInt, AnyInt]:
    """The spot of a point of a polygon."""
    x, z = int(np.rint((point[0] - origin[0]) / step)), -int(np.rint((point[2] - origin[1]) / step))
    return inside(flat.spots, flat.edges, flat.first, polygon, x, z)
