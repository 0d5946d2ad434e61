"""The shortest ways of a range of rows; where an end cannot be reached, to the closest point that can be."""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from ..navquery.kernels.on_polygon import closest_on_ground
from ..navquery.kernels.points import FAR, Point, row_of
from ..navquery.query_mesh import QueryMesh
from ..types import F32, F64, I32, I64, U8, AnyInt
from .edges import ACROSS, ALSO, POLYGON, inside
from .lines import POINTS, POLYGONS, chain_of, length_of, lines_with_room, new_lines, write_line
from .pool import NODES, SEARCH, larger, new_pool
from .search import ENDED, NO_ROOM, NOT_FOUND, search
from .shortest_mesh import ShortestMesh

_NEAR = 1 / 16384  # metres; a step may be larger. Recast: dtVequal
FOUND, CLOSEST, OUT, SKIPPED = range(4)  # CLOSEST: the way ends at the closest point that can be reached

_NOTHING, _NODES, _CHAIN, _LINES = range(4)  # what there is not enough room for


@kernel
def shortest_rows(
    mesh: QueryMesh, flat: ShortestMesh, prices: F64, origin: F64, step: float, starts: I32, ends: I32,
    from_points: F32, to_points: F32, most: int, begin: int, end: int, became: U8, polygon_counts: I32,
    point_counts: I32, expanded: I32,
) -> tuple[I32, F32, U8, I32]:  # fmt: skip
    """Polygons, points, flags and which polygon is entered at each point, one row after the other.

    A search that is out of nodes has found no way: its line is its start.
    """
    pool, lines, chain = new_pool(len(flat.spots)), new_lines(1024), np.empty(256, np.int32)
    seen, waiting = np.zeros(len(flat.islands), np.int32), np.empty(len(flat.islands), np.int32)
    done = begin
    while done < end:
        rows, numbers, heap, totals, best, owners, counts = pool
        polygons, points, flags, entered, used = lines
        done, wants = _some_rows(
            mesh, flat, flat.spots, flat.edges, flat.turns, flat.nested, flat.islands, flat.first, flat.first_jump,
            flat.jumps, flat.places, prices, origin, step, starts, ends, from_points, to_points, most, done, end,
            became, polygon_counts, point_counts, expanded, rows, numbers, heap, totals, best, owners, counts, chain,
            polygons, points, flags, entered, used, seen, waiting,
        )  # fmt: skip
        if wants == _NODES:
            pool = larger(pool)
        if wants == _CHAIN:
            chain = np.empty(2 * len(chain), np.int32)
        if wants == _LINES:
            lines = lines_with_room(lines, 2 * len(lines.flags))
    many, count = lines.used[POLYGONS], lines.used[POINTS]
    return (
        lines.polygons[:many].copy(), lines.points[:count].copy(), lines.flags[:count].copy(),
        lines.entered[:count].copy(),
    )  # fmt: skip


@kernel
def _some_rows(
    mesh: QueryMesh, flat: ShortestMesh, spots: I32, edges: I32, turns: I32, nested: I32, islands: I32, first: I64,
    first_jump: I64, jumps: I32, places: F32, prices: F64, origin: F64, step: float, starts: I32, ends: I32,
    from_points: F32, to_points: F32, most: int, begin: int, end: int, became: U8, polygon_counts: I32,
    point_counts: I32, expanded: I32, rows: I32, numbers: F64, heap: I32, totals: F64, best: F64, owners: I32,
    counts: I64, chain: I32, polygons: I32, points: F32, flags: U8, entered: I32, used: I64, seen: I32, waiting: I32,
) -> tuple[int, int]:  # fmt: skip
    """Rows as far as there is room; returns the row that wants more, and of what.

    Arrays one by one, and none that is made anew: to count who uses an array would cost as much as a short search.
    """
    for row in range(begin, end):
        became[row], polygon_counts[row], point_counts[row], expanded[row] = SKIPPED, 0, 0, 0
        start, goal = starts[row], ends[row]
        here, there = row_of(from_points, row), row_of(to_points, row)
        if start < 0 or goal < 0:
            continue
        x, z = _spot(spots, edges, first, start, here, origin, step)
        node, how = NOT_FOUND, ENDED
        for attempt in range(2):
            if attempt == 0 and islands[start] != islands[goal]:
                continue
            if attempt > 0:
                if node != NOT_FOUND or how != ENDED:
                    break
                goal, there = _closest(mesh, flat, start, there, seen, counts[SEARCH] + 1, waiting)
            to_x, to_z = _spot(spots, edges, first, goal, there, origin, step)
            node, how = search(
                spots, edges, turns, nested, first, first_jump, jumps, prices, rows, numbers, heap, totals, best,
                owners, counts, start, x, z, goal, to_x, to_z, most,
            )  # fmt: skip
            if how == NO_ROOM:
                return row, _NODES
            expanded[row] += counts[NODES]
            became[row] = CLOSEST if attempt > 0 else FOUND
        if node == NOT_FOUND:
            node, there, became[row] = np.int64(0), here, OUT
        length = length_of(rows, node)
        if length > len(chain) or used.max() + 4 * length + 4 > len(flags):
            return row, _CHAIN if length > len(chain) else _LINES
        chain_of(rows, node, length, chain)
        polygon_counts[row], point_counts[row] = -used[POLYGONS], -used[POINTS]
        write_line(
            places, jumps, rows, chain, length, here, there, max(_NEAR, 2 * step), polygons, points, flags, entered,
            used,
        )  # fmt: skip
        polygon_counts[row] += used[POLYGONS]
        point_counts[row] += used[POINTS]
    return end, _NOTHING


@kernel
def _closest(
    mesh: QueryMesh, flat: ShortestMesh, start: AnyInt, there: Point, seen: I32, mark: AnyInt, waiting: I32
) -> tuple[AnyInt, Point]:
    """The polygon and the point; of equals the one that was reached first. `mark` is for what was seen this time."""
    edges = flat.edges
    waiting[0], count, done = start, 1, 0
    seen[start] = mark
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
                    count = _reach(edges[edges[edge, ACROSS], POLYGON], seen, mark, waiting, count)
                edge = edges[edge, ALSO]
        for jump in range(flat.first_jump[polygon], flat.first_jump[polygon + 1]):
            count = _reach(flat.jumps[jump, 2], seen, mark, waiting, count)
    return best, closest


@inlined
def _reach(polygon: AnyInt, seen: I32, mark: AnyInt, waiting: I32, count: int) -> int:
    if seen[polygon] == mark:
        return count
    seen[polygon] = mark
    waiting[count] = polygon
    return count + 1


@inlined
def _spot(
    spots: I32, edges: I32, first: I64, polygon: AnyInt, point: Point, origin: F64, step: float
) -> tuple[AnyInt, AnyInt]:
    """The spot of a point of a polygon."""
    x, z = int(np.rint((point[0] - origin[0]) / step)), -int(np.rint((point[2] - origin[1]) / step))
    return inside(spots, edges, first, polygon, x, z)
