"""Shortest paths between points, as `find_paths` answers them."""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import CONNECTION, GROUND
from ..errors import BadInput
from ..geometry.arrays import numbers_in_ranges
from ..jit import borrowing, kernel
from ..navquery.answers import Paths, StraightPaths
from ..navquery.batches import as_room, in_pieces, joined, offsets_of, usable
from ..navquery.kernels.on_polygon import closest_on_ground
from ..navquery.kernels.points import FAR, Point32, put, row_of
from ..navquery.kernels.straight_path import END, OFF_MESH, START
from ..navquery.paths import MOST, Ask, check_choices, measured, nearest_of
from ..navquery.query_filter import Rule
from ..navquery.query_mesh import QueryMesh
from ..navquery.status import BUFFER_TOO_SMALL, INVALID, OUT_OF_NODES, PARTIAL, SUCCESS, PathStatus
from ..types import F32, F64, I32, I64, U8, U32, AnyArray, AnyBool, AnyInt, Bools, Records
from .any_angle_search import ENDED, ENDS, JUMPS, NO_ROOM, NO_TURN, NOT_FOUND, Aim, SearchPool, larger, new_pool, search
from .shortest_lattice import Lattice, LatticePoint
from .shortest_mesh import ShortestMesh, inside, shortest_mesh

# --- The shortest paths of a range of rows; where an end cannot be reached, to the closest point that can be.

_NEAR = 1 / 16384  # metres; a step may be larger. Recast: dtVequal
FOUND, CLOSEST, OUT, SKIPPED = range(4)  # CLOSEST: the path ends at the closest point that can be reached
_NOTHING, _NODES, _CHAIN, _LINES = range(4)  # what there is not enough room for
_USED = np.dtype((np.record, [("polygons", np.int64), ("points", np.int64)]))


class AskedRows(NamedTuple):
    """N rows: from a point of a polygon to another one."""

    starts: I32
    ends: I32
    from_points: F32  # (N, 3)
    to_points: F32  # (N, 3)
    max_nodes: int  # 0: what a sound mesh may need


class RowResults(NamedTuple):
    """What became of N rows, and how many polygons and points they have."""

    became: U8
    polygon_counts: I32
    point_counts: I32
    expanded: I32


class LineRoom(NamedTuple):
    """Room for lines and their polygons, one row's after the other."""

    polygons: I32
    points: F32  # (., 3)
    flags: U8
    entered: I32  # which of its row's polygons is entered at each point; -1 at the end
    used: Records  # (1,)


class _Desk(NamedTuple):
    """What a thread writes on."""

    pool: SearchPool
    lines: LineRoom
    chain: I32  # nodes from the first to the last
    seen: I32  # (P,) in which search
    waiting: I32  # (P,)


@kernel
def shortest_rows(
    mesh: QueryMesh, flat: ShortestMesh, lattice: Lattice, asked: AskedRows, begin: int, end: int, results: RowResults
) -> tuple[I32, F32, U8, I32]:
    """Polygons, points, flags and which polygon is entered at each point, one row after the other.

    A search that is out of nodes has found no path: its line is its start.
    """
    mesh, flat, lattice = QueryMesh(*mesh), ShortestMesh(*flat), Lattice(*lattice)
    asked, results = AskedRows(*asked), RowResults(*results)
    pool, lines, chain = new_pool(len(flat.vertices)), _new_lines(1024), np.empty(256, np.int32)
    seen, waiting = np.zeros(len(flat.polygons), np.int32), np.empty(len(flat.polygons), np.int32)
    done = begin
    while done < end:
        desk = _Desk(pool, lines, chain, seen, waiting)
        done, wants = _some_rows(mesh, flat, lattice, asked, desk, done, end, results)
        if wants == _NODES:
            pool = larger(pool)
        if wants == _CHAIN:
            chain = np.empty(2 * len(chain), np.int32)
        if wants == _LINES:
            lines = _twice_as_long(lines)
    many, count = lines.used[0].polygons, lines.used[0].points
    return (
        lines.polygons[:many].copy(), lines.points[:count].copy(), lines.flags[:count].copy(),
        lines.entered[:count].copy(),
    )  # fmt: skip


@kernel
def _new_lines(room: int) -> LineRoom:
    return LineRoom(np.empty(room, np.int32), np.empty((room, 3), np.float32), np.empty(room, np.uint8),
                    np.empty(room, np.int32), np.zeros(1, _USED))  # fmt: skip


@kernel
def _twice_as_long(lines: LineRoom) -> LineRoom:
    room = len(lines.flags)
    more = _new_lines(2 * room)
    more.polygons[:room], more.points[:room] = lines.polygons, lines.points
    more.flags[:room], more.entered[:room], more.used[0] = lines.flags, lines.entered, lines.used[0]
    return more


@borrowing
def _some_rows(
    mesh: QueryMesh, flat: ShortestMesh, lattice: Lattice, asked: AskedRows, desk: _Desk, begin: int, end: int,
    results: RowResults,
) -> tuple[int, int]:  # fmt: skip
    """Rows as far as there is room; returns the row that wants more, and of what."""
    pool, lines, used, chain = desk.pool, desk.lines, desk.lines.used[0], desk.chain
    for row in range(begin, end):
        results.became[row], results.expanded[row] = SKIPPED, 0
        results.polygon_counts[row], results.point_counts[row] = 0, 0
        start, goal = asked.starts[row], asked.ends[row]
        here, there = row_of(asked.from_points, row), row_of(asked.to_points, row)
        if start < 0 or goal < 0:
            continue
        spot = _spot(flat, lattice, start, here)
        node, how = NOT_FOUND, ENDED
        for attempt in range(2):
            if attempt == 0 and flat.polygons[start].island != flat.polygons[goal].island:
                continue
            if attempt > 0:
                if node != NOT_FOUND or how != ENDED:
                    break
                goal, there = _closest(mesh, flat, desk, start, there)
            aim = Aim(np.int64(goal), _spot(flat, lattice, goal, there), np.int64(flat.polygons[goal].number))
            node, how = search(flat, pool, start, spot, aim, asked.max_nodes)
            if how == NO_ROOM:
                return row, _NODES
            results.expanded[row] += pool.state[0].nodes
            results.became[row] = CLOSEST if attempt > 0 else FOUND
        if node == NOT_FOUND:
            node, there, results.became[row] = np.int64(0), here, OUT
        length = _length_of(pool, node)
        if length > len(chain):
            return row, _CHAIN
        if max(used.polygons, used.points) + 4 * length + 4 > len(lines.flags):
            return row, _LINES
        _write_chain(pool, node, chain[:length])
        results.polygon_counts[row], results.point_counts[row] = -used.polygons, -used.points
        _write_line(flat, desk, length, here, there, max(_NEAR, 2 * lattice.step))
        results.polygon_counts[row] += used.polygons
        results.point_counts[row] += used.points
    return end, _NOTHING


@borrowing
def _spot(flat: ShortestMesh, lattice: Lattice, polygon: AnyInt, point: Point32) -> LatticePoint:
    """The spot of a point of a polygon."""
    x = np.int64(np.rint((point[0] - lattice.origin[0]) / lattice.step))
    z = -np.int64(np.rint((point[2] - lattice.origin[1]) / lattice.step))
    own = flat.polygons[polygon]
    return inside(flat.vertices, flat.edges, own.first_edge, own.end_edge, LatticePoint(x, z))


@borrowing
def _closest(
    mesh: QueryMesh, flat: ShortestMesh, desk: _Desk, start: AnyInt, there: Point32
) -> tuple[np.int32, Point32]:
    """Flood fill from a polygon: the polygon and the point that are closest; of equals what was reached first."""
    edges, mark = flat.edges, desk.pool.state[0].search + 1
    desk.waiting[0], count, done = start, 1, 0
    desk.seen[start] = mark
    best, closest, smallest = np.int32(start), there, float(FAR)
    while done < count:
        polygon = desk.waiting[done]
        done += 1
        away, point = closest_on_ground(mesh, polygon, there, smallest)
        if away < smallest:
            best, closest, smallest = polygon, point, away
        for each in range(flat.polygons[polygon].first_edge, flat.polygons[polygon].end_edge):
            edge = np.int32(each)
            while edge >= 0:
                if edges[edge].across >= 0:
                    count = _wait(desk, edges[edges[edge].across].polygon, mark, count)
                edge = edges[edge].also
        for jump in range(flat.polygons[polygon].first_jump, flat.polygons[polygon].end_jump):
            count = _wait(desk, flat.jumps[jump].end, mark, count)
    return best, closest


@borrowing
def _wait(desk: _Desk, polygon: AnyInt, mark: AnyInt, count: int) -> int:
    if desk.seen[polygon] == mark:
        return count
    desk.seen[polygon] = mark
    desk.waiting[count] = polygon
    return count + 1


# From the last node of a search back to its start: the points of the line and the polygons that it leads through ------


@borrowing
def _length_of(pool: SearchPool, node: AnyInt) -> int:
    """How many nodes lead to this one, itself included."""
    count, at = 0, np.int64(node)
    while at >= 0:
        at = np.int64(pool.nodes[at].parent)
        count += 1
    return count


@borrowing
def _write_chain(pool: SearchPool, node: AnyInt, chain: I32) -> None:
    """Write the nodes from the first one to this."""
    at = np.int64(node)
    for place in range(len(chain) - 1, -1, -1):
        chain[place] = at
        at = np.int64(pool.nodes[at].parent)


@borrowing
def _write_line(flat: ShortestMesh, desk: _Desk, length: int, here: Point32, there: Point32, near: float) -> None:
    """Append the line and the polygons of a search that has ended. Points are not repeated that are `near`."""
    lines, nodes, used = desk.lines, desk.pool.nodes, desk.lines.used[0]
    begun = used.polygons
    _polygon(lines, nodes[desk.chain[0]].place)
    _point(lines, here, START, 0)
    for k in range(1, length):
        node, parent = nodes[desk.chain[k]], nodes[desk.chain[k - 1]]
        last = used.polygons - begun - 1
        if node.right == JUMPS:
            _turn(flat, lines, node.left, last, near)
            jump = flat.jumps[node.entry]
            _polygon(lines, jump.link)
            _polygon(lines, node.place)
            _point(lines, row_of(flat.places, jump.vertex), OFF_MESH, last + 1)
            _point(lines, row_of(flat.places, jump.vertex + 1), 0, last + 2)
            continue
        if node.root != parent.root:
            if node.turn != NO_TURN and node.before != parent.root:
                _turn(flat, lines, node.before, last, near)
            _turn(flat, lines, node.root, last, near)
        if node.place != lines.polygons[used.polygons - 1]:
            _polygon(lines, node.place)
        if node.right == ENDS:
            _turn(flat, lines, node.left, used.polygons - begun - 1, near)
    last_point = used.points - 1
    if lines.flags[last_point] == 0 and _is_near(lines.points, last_point, there, near):
        used.points = last_point
    _point(lines, there, END, -1)


@borrowing
def _turn(flat: ShortestMesh, lines: LineRoom, vertex: AnyInt, enters: AnyInt, near: float) -> None:
    """A vertex, unless there is none or the line is there already."""
    if vertex >= 0 and not _is_near(lines.points, lines.used[0].points - 1, row_of(flat.places, vertex), near):
        _point(lines, row_of(flat.places, vertex), 0, enters)


@borrowing
def _is_near(points: F32, number: AnyInt, point: Point32, near: float) -> AnyBool:
    return abs(points[number, 0] - point[0]) <= near and abs(points[number, 2] - point[2]) <= near


@borrowing
def _point(lines: LineRoom, point: Point32, flag: AnyInt, enters: AnyInt) -> None:
    number = lines.used[0].points
    put(lines.points, number, point)
    lines.flags[number], lines.entered[number] = flag, enters
    lines.used[0].points = number + 1


@borrowing
def _polygon(lines: LineRoom, polygon: AnyInt) -> None:
    lines.polygons[lines.used[0].polygons] = polygon
    lines.used[0].polygons += 1


_MAX_KEPT = 8  # filters


class FilteredMesh(NamedTuple):
    """What a filter lets pass, ready to be searched."""

    mesh: ShortestMesh
    lattice: Lattice
    ground_areas: I32
    link_areas: I32


def _filtered(mesh: QueryMesh, include: int, exclude: int) -> FilteredMesh:
    polygons = mesh.polygons[(mesh.polygons["flags"] & include != 0) & (mesh.polygons["flags"] & exclude == 0)]
    areas = (np.unique(polygons["area"][polygons["kind"] == kind]) for kind in (GROUND, CONNECTION))
    return FilteredMesh(*shortest_mesh(mesh, include, exclude), *areas)


class ShortestMeshes:
    """The meshes that were asked so far, one for each filter, made when they are first asked for."""

    def __init__(self, mesh: QueryMesh) -> None:
        self._mesh, self._lock = mesh, threading.Lock()
        self._made: dict[tuple[int, int], FilteredMesh] = {}

    def for_flags(self, include: int, exclude: int) -> FilteredMesh:
        with self._lock:
            if (include, exclude) not in self._made:
                while len(self._made) >= _MAX_KEPT:
                    del self._made[next(iter(self._made))]
                self._made[include, exclude] = _filtered(self._mesh, include, exclude)
            return self._made[include, exclude]


class Found(NamedTuple):
    """What the search finds for N rows."""

    became: U8
    polygon_counts: I32
    point_counts: I32
    expanded: I32
    polygons: I32  # from here on one row after the other
    points: F32
    flags: U8
    entered: I32


def exact_paths_of(
    ask: Ask, meshes: ShortestMeshes, crossings: str, max_points: int, here: F32, there: F32, half: F32
) -> Paths:
    """Shortest paths between the navmesh nearest to each start and that nearest to each end.

    Raises BadInput where areas cost differently.
    """
    check_choices(ask)
    if crossings != "none":
        raise BadInput(
            f"crossings is {crossings!r}, which the shortest path does not have. Ask with exact=False, or for "
            "straight_paths through the polygons of the shortest path.",
            "WRONG_QUESTION",
        )
    rule = ask.filter.rule()
    made = meshes.for_flags(rule.include, rule.exclude)
    price, ratios = _prices(made, rule)
    first, start = nearest_of(ask.mesh, rule, here, half, ask.threads, ask.progress)
    last, end = nearest_of(ask.mesh, rule, there, half, ask.threads, ask.progress)
    found = search_of(ask, made, ratios, first, last, start, end)
    kept, polygons_cut, points_cut = _kept(found, as_room("max_path", ask.max_path, MOST), max_points)
    names = ask.names.names(kept.polygons)
    offsets, polygon_offsets = offsets_of(kept.point_counts), offsets_of(kept.polygon_counts)
    steps_in = np.repeat(polygon_offsets[:-1], kept.point_counts) + kept.entered
    entered = np.where(kept.entered >= 0, kept.polygons[np.maximum(steps_in, 0)] if len(kept.polygons) else -1, -1)
    search, straight = _detour_words(found, polygons_cut, points_cut)
    line = StraightPaths(offsets, kept.points, kept.flags, ask.names.names(entered.astype(np.int32)), straight)
    length, ends = measured(line, np.ones(len(line.points)))
    weights = np.where(kept.flags & OFF_MESH != 0, rule.costs[ask.mesh.polygons["area"][entered]], price)
    finite = usable(here) & usable(there)
    status = _honest(found, polygons_cut | points_cut, finite, first, last)
    gaps = np.sqrt(((ends - end).astype(np.float64) ** 2).sum(axis=1))
    missing = np.where(status == PathStatus.COMPLETE, 0, np.where(status < PathStatus.NO_START, gaps, np.nan))
    return Paths(
        status, length, offsets, line.points, line.flags, line.references, polygon_offsets, names,
        measured(line, weights)[0], missing.astype(np.float32), search, straight, found.expanded,
    )  # fmt: skip


def search_of(ask: Ask, made: FilteredMesh, ratios: F64, first: I32, last: I32, start: F32, end: F32) -> Found:
    """The paths between points of polygons; `ratios` is what a metre of each link's area costs, in metres of ground."""
    flat, jumps, n = made.mesh, made.mesh.jumps, len(first)
    prices = jumps["length"] * ratios[ask.mesh.polygons["area"][jumps["link"]]] / made.lattice.step
    asked = AskedRows(first, last, start, end, as_room("max_nodes", ask.max_nodes, 0))
    results = RowResults(np.empty(n, np.uint8), *(np.empty(n, np.int32) for _ in range(3)))
    before = (ask.mesh, flat._replace(prices=prices), made.lattice, asked)
    pieces = in_pieces(shortest_rows, n, before, (results,), ask.threads, ask.progress)
    polygons, points, flags, entered = (joined([piece[k] for piece in pieces]) for k in range(4))
    return Found(*results, polygons, points, flags, entered)


def _prices(made: FilteredMesh, rule: Rule) -> tuple[float, F64]:
    """What a metre of ground costs, and of each area how many metres of ground a metre of a link costs.

    Raises BadInput where ground costs differently here and there, or links cost less than ground.
    """
    ground, links = made.ground_areas, made.link_areas
    costs = rule.costs[ground]
    if len(np.unique(costs)) > 1:
        low, high = ground[costs.argmin()], ground[costs.argmax()]
        raise BadInput(
            f"A metre costs {rule.costs[low]:g} in area {low} and {rule.costs[high]:g} in area {high}: the shortest "
            "path is not the cheapest. Use the funnel (exact=False), or give equal costs.",
            "UNEQUAL_COSTS",
        )
    price = float(costs[0]) if len(costs) else 1.0
    cheap = [area for area in links.tolist() if rule.costs[area] < price or (price == 0 and rule.costs[area] > 0)]
    if cheap:
        raise BadInput(
            f"A metre of the links in area {cheap[0]} costs {rule.costs[cheap[0]]:g}, and a metre of ground {price:g}: "
            "where links are cheap, the shortest path is not the cheapest. Use the funnel (exact=False), or let links "
            "cost as much as the ground, or more.",
            "UNEQUAL_COSTS",
        )
    return price, rule.costs.astype(np.float64) / price if price > 0 else np.ones(len(rule.costs))


def _kept(found: Found, max_path: int, max_points: int) -> tuple[Found, Bools, Bools]:
    """The answers as far as there is room for them; which rows have fewer polygons now, and which fewer points."""
    polygons_cut = found.polygon_counts > max_path
    rows = np.repeat(np.arange(len(found.became)), found.point_counts)
    kept_points = ~polygons_cut[rows] | ((found.entered >= 0) & (found.entered < max_path))
    within = _ranks(np.bincount(rows[kept_points], minlength=len(found.became)))
    some = np.flatnonzero(kept_points)
    cut_rows = np.bincount(rows[some[within >= max_points]], minlength=len(found.became)) > 0
    some = some[within < max_points]
    polygons = np.flatnonzero(_ranks(found.polygon_counts) < max_path)
    kept = found._replace(
        polygon_counts=np.minimum(found.polygon_counts, min(max_path, 2**31 - 1)).astype(np.int32),
        point_counts=np.bincount(rows[some], minlength=len(found.became)).astype(np.int32),
        polygons=found.polygons[polygons], points=found.points[some], flags=found.flags[some],
        entered=found.entered[some],
    )  # fmt: skip
    return kept, polygons_cut, cut_rows


def _ranks(counts: AnyArray) -> I64:
    """0, 1, … for each row."""
    return numbers_in_ranges(np.zeros(len(counts), np.int64), counts)


def _detour_words(found: Found, polygons_cut: Bools, points_cut: Bools) -> tuple[U32, U32]:
    """What Detour would say of such corridors and lines."""
    search = np.full(len(found.became), SUCCESS, np.uint32)
    search[found.became == CLOSEST] |= PARTIAL
    search[found.became == OUT] |= PARTIAL | OUT_OF_NODES
    straight = np.full(len(found.became), SUCCESS, np.uint32)
    search[polygons_cut] |= BUFFER_TOO_SMALL
    straight[points_cut] |= BUFFER_TOO_SMALL
    search[found.became == SKIPPED] = straight[found.became == SKIPPED] = INVALID
    return search, straight


def _honest(found: Found, cut: Bools, finite: Bools, first: I32, last: I32) -> U8:
    """A `PathStatus` for each row; what says most about the row comes last and wins."""
    status = np.full(len(first), PathStatus.COMPLETE, np.uint8)
    status[found.became == CLOSEST] = PathStatus.PARTIAL
    status[cut] = PathStatus.TRUNCATED
    status[found.became == OUT] = PathStatus.OUT_OF_NODES
    status[last < 0] = PathStatus.NO_END
    status[first < 0] = PathStatus.NO_START
    status[~finite] = PathStatus.NOT_FINITE
    return status
