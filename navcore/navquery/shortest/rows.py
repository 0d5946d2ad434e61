"""The shortest ways of a range of rows."""

from __future__ import annotations

import numpy as np

from ...jit import inlined, kernel
from ...types import F32, F64, I32, U8, AnyInt
from ..kernels.points import Point, row_of
from ..query_mesh import QueryMesh
from .closest import closest_within_reach
from .cones import cross, steps_between
from .lines import POINTS, POLYGONS, chain_of, lines_with_room, new_lines, write_line
from .pool import NODES, new_pool
from .search import NOT_FOUND, search
from .shortest_mesh import FOLLOWING, VERTEX, ShortestMesh

FOUND, CLOSEST, OUT, SKIPPED = range(4)  # CLOSEST: the way ends at the closest point that can be reached
_NEAR = 2  # steps around a spot in which one inside of its polygon is looked for


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
        x, z = _inside(flat, start, here, origin, step)
        node, out = NOT_FOUND, False
        if flat.islands[start] == flat.islands[goal]:
            to_x, to_z = _inside(flat, goal, there, origin, step)
            pool, node, out = search(flat, prices, pool, start, x, z, goal, to_x, to_z, most)
            expanded[row] = pool.counts[NODES]
        became[row] = OUT if out else FOUND
        if node == NOT_FOUND and not out:
            goal, there = closest_within_reach(mesh, flat, start, there, seen, row - begin + 1, waiting)
            to_x, to_z = _inside(flat, goal, there, origin, step)
            pool, node, out = search(flat, prices, pool, start, x, z, goal, to_x, to_z, most)
            expanded[row] += pool.counts[NODES]
            became[row] = OUT if out else CLOSEST
        if node == NOT_FOUND:
            node, there, became[row] = np.int64(0), here, OUT
        chain = chain_of(pool, node)
        lines = lines_with_room(lines, 4 * len(chain) + 4)
        polygons, points = lines.used[POLYGONS], lines.used[POINTS]
        write_line(flat, pool, chain, here, there, lines)
        polygon_counts[row], point_counts[row] = lines.used[POLYGONS] - polygons, lines.used[POINTS] - points
    many, count = lines.used[POLYGONS], lines.used[POINTS]
    return (
        lines.polygons[:many].copy(), lines.points[:count].copy(), lines.flags[:count].copy(),
        lines.entered[:count].copy(),
    )  # fmt: skip


@kernel
def _inside(flat: ShortestMesh, polygon: AnyInt, point: Point, origin: F64, step: float) -> tuple[AnyInt, AnyInt]:
    """The spot of a point; where that is outside of its polygon by rounding, the one nearby that is not."""
    x, z = int(np.rint((point[0] - origin[0]) / step)), -int(np.rint((point[2] - origin[1]) / step))
    best_x, best_z, least = x, z, 2 * _NEAR * _NEAR + 1
    if _holds(flat, polygon, x, z):
        return x, z
    for dx in range(-_NEAR, _NEAR + 1):
        for dz in range(-_NEAR, _NEAR + 1):
            if dx * dx + dz * dz < least and _holds(flat, polygon, x + dx, z + dz):
                best_x, best_z, least = x + dx, z + dz, dx * dx + dz * dz
    if least > 2 * _NEAR * _NEAR:  # a polygon without an inside
        nearest = _nearest_corner(flat, polygon, x, z)
        return flat.spots[nearest, 0], flat.spots[nearest, 1]
    return best_x, best_z


@kernel
def _nearest_corner(flat: ShortestMesh, polygon: AnyInt, x: AnyInt, z: AnyInt) -> np.int32:
    nearest, least = flat.edges[flat.first[polygon], VERTEX], np.inf
    for edge in range(flat.first[polygon], flat.first[polygon + 1]):
        corner = flat.edges[edge, VERTEX]
        away = steps_between(x, z, flat.spots[corner, 0], flat.spots[corner, 1])
        if away < least:
            nearest, least = corner, away
    return nearest


@inlined
def _holds(flat: ShortestMesh, polygon: AnyInt, x: AnyInt, z: AnyInt) -> bool:
    """Whether a spot lies inside a polygon or on its outline."""
    spots, edges = flat.spots, flat.edges
    for edge in range(flat.first[polygon], flat.first[polygon + 1]):
        a, b = edges[edge, VERTEX], edges[edges[edge, FOLLOWING], VERTEX]
        if cross(spots[a, 0], spots[a, 1], spots[b, 0], spots[b, 1], x, z) < 0:
            return False
    return True
