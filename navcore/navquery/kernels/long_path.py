"""Long ways: over the gates of districts first, then from polygon to polygon through the parts that were chosen."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ...jit import borrowing, inlined, kernel
from ...types import F32, I32, AnyBool, AnyInt, Records
from ..query_filter import Rule
from ..query_mesh import QueryMesh
from .district_ways import NEVER, NO_GATE, Districts, cost_to_gate, spread
from .heap import Heap, new_heap, pop, push
from .nearest_polygon import at_least, roomy
from .node_pool import (
    NO_NODE,
    NODES,
    UNSEEN,
    WAITING,
    NodePool,
    begin_search,
    chain_length,
    new_pool,
    node_of,
    offer,
    parent_polygon,
    place_of,
    polygon_of,
    settle,
    stand,
    write_chain,
)
from .on_polygon import closest_on_ground
from .points import (
    FAR,
    ONE,
    ZERO,
    Float32,
    Point32,
    PointPairs,
    PointsOn,
    admits,
    between,
    corner,
    cost_of,
    distance,
    is_finite,
    put,
    row_of,
)

_STOP = np.dtype((np.record, [("cost", np.float32), ("parent", np.int32), ("search", np.int32), ("closed", np.int32)]))
_GUIDE = np.dtype(
    (
        np.record,
        [
            ("search", np.int32),  # in which its part may be entered
            ("x", np.float32), ("y", np.float32), ("z", np.float32),  # where ways from there head
            ("left", np.float32),  # what is left from there
        ],
    )
)  # fmt: skip


_Ends: TypeAlias = tuple[AnyInt, Point32, AnyInt, Point32]  # a polygon and a place on it, twice


class LongAsk(NamedTuple):
    """What is the same for all rows."""

    scale: Float32  # of the heuristic
    hurry: Float32  # by how much the search over gates overrates what is left of the way: it looks at fewer
    trust: Float32  # likewise the search from polygon to polygon, which knows the way from the next gate on
    near: int  # ends that lie so few districts apart are left to the whole search


class LongRows(NamedTuple):
    """What `long_rows` writes, beside the polygons."""

    counts: I32  # polygons of each path; 0: it is left to the whole search
    expanded: I32  # nodes


class _GateSearch(NamedTuple):
    """Room for one search over G gates, the last stop being the end, and what it says of K parts."""

    stops: Records  # (G + 1,)
    heap: Heap
    at_end: F32  # of each gate of the last part what the end costs from there
    guides: Records  # (K,)
    number: I32  # (1,) of the search


@kernel
def _new_gate_search(districts: Districts) -> _GateSearch:
    gates, parts = len(districts.gates), len(districts.first) - 1
    return _GateSearch(
        np.zeros(gates + 1, _STOP), new_heap(len(districts.ways) + 2 * gates + 2), np.empty(gates, np.float32),
        np.zeros(parts, _GUIDE), np.zeros(1, np.int32),
    )  # fmt: skip


@kernel
def long_rows(
    mesh: QueryMesh, asked: PointPairs, rule: Rule, ask: LongAsk, districts: Districts, begin: int, end: int,
    rows: LongRows,
) -> I32:  # fmt: skip
    """The polygons of each long path that was found, one path after the other."""
    mesh, asked, rule = QueryMesh(*mesh), PointPairs(*asked), Rule(*rule)
    ask, districts, rows = LongAsk(*ask), Districts(*districts), LongRows(*rows)
    found = np.empty(1024, np.int32)
    total = 0
    pool, search = new_pool(mesh, 0), _new_gate_search(districts)
    starts, ends, from_points, to_points = asked.first, asked.last, asked.starts, asked.ends  # once: it is not free
    counts, expanded, marks, sizes = rows.counts, rows.expanded, pool.marks, pool.counts
    part_of, places = districts.part_of, districts.places
    for row in range(begin, end):
        counts[row], expanded[row] = 0, 0
        here, there = row_of(from_points, row), row_of(to_points, row)
        start, goal = starts[row], ends[row]
        if start < 0 or goal < 0 or not (is_finite(here) and is_finite(there)):
            continue
        if part_of[start] < 0 or part_of[goal] < 0 or _is_near(places, part_of[start], part_of[goal], ask.near):
            continue
        both = start, here, goal, there
        if not _over_gates(mesh, pool, rule, districts, search, ask, both):
            continue
        _guide(districts, search, part_of[start], there)
        node = _through_parts(mesh, pool, rule, (part_of, search.guides, search.number[0]), ask, both)
        if node < 0:
            continue
        length = chain_length(marks, node)
        found = roomy(found, total, total + length)
        total += length
        write_chain(marks, node, found, total)
        counts[row], expanded[row] = length, sizes[NODES]
    return found[:total].copy()


@kernel
def ends_within_reach(
    mesh: QueryMesh, asked: PointPairs, districts: Districts, begin: int, end: int, rows: PointsOn
) -> None:
    """The end of each way; of ends that nothing leads to the closest point of all ground that hangs together."""
    mesh, asked, districts, rows = QueryMesh(*mesh), PointPairs(*asked), Districts(*districts), PointsOn(*rows)
    tiles, boxes, part_of, masses = mesh.tiles, mesh.boxes, districts.part_of, districts.masses
    starts, ends, to_points, polygons, points = asked.first, asked.last, asked.ends, rows.polygons, rows.points
    for row in range(begin, end):
        polygons[row], there = ends[row], row_of(to_points, row)
        put(points, row, there)
        if starts[row] < 0 or ends[row] < 0 or part_of[starts[row]] < 0 or part_of[ends[row]] < 0:
            continue
        own = masses[part_of[starts[row]]]
        if masses[part_of[ends[row]]] == own:
            continue
        smallest = float(FAR)
        for tile in range(len(tiles)):
            for polygon in range(tiles[tile].first_polygon, tiles[tile].first_connection):
                part = part_of[polygon]
                if part < 0 or masses[part] != own or at_least(boxes, polygon, there) >= smallest:
                    continue
                away, point = closest_on_ground(mesh, polygon, there, smallest)
                if away < smallest:
                    smallest, polygons[row] = away, polygon
                    put(points, row, point)


@inlined
def _is_near(places: I32, one: AnyInt, other: AnyInt, near: AnyInt) -> AnyBool:
    return abs(places[one, 0] - places[other, 0]) <= near and abs(places[one, 1] - places[other, 1]) <= near


@borrowing
def _over_gates(
    mesh: QueryMesh,
    pool: NodePool,
    rule: Rule,
    districts: Districts,
    search: _GateSearch,
    ask: LongAsk,
    ends: _Ends,
) -> bool:
    """A* from gate to gate; whether it came to the end."""
    gates, first, ways, stops, heap = districts.gates, districts.first, districts.ways, search.stops, search.heap
    start, here, goal, there = ends
    last, at_end, finish = districts.part_of[goal], search.at_end, len(gates)
    spread(mesh, pool, rule, districts.part_of, goal, there)
    for gate in range(first[last], first[last + 1]):
        at_end[gate - first[last]] = cost_to_gate(mesh, pool, rule, gates[gate])
    spread(mesh, pool, rule, districts.part_of, start, here)
    search.number[0] += 1
    heap.size[0] = 0
    own = districts.part_of[start]
    for gate in range(first[own], first[own + 1]):
        _stop(
            search,
            gate,
            NO_GATE,
            cost_to_gate(mesh, pool, rule, gates[gate]),
            gates[gate],
            there,
            ask.scale * ask.hurry,
        )
    while heap.size[0] > 0:
        reached = np.int64(pop(heap))
        stop = stops[reached]
        if stop.closed == 1:
            continue
        stop.closed = 1
        if reached == finish:
            return True
        it = gates[reached]
        if it.into == last:
            left = at_end[it.twin - first[last]] if it.twin >= 0 else NEVER
            if left == NEVER:  # no way leads there from the end: perhaps one leads from there to the end
                left = distance((it.x, it.y, it.z), there)
            _arrive(search, finish, reached, stop.cost + left)
        begin = districts.way_first[reached] - first[it.into]
        for other in range(first[it.into], first[it.into + 1]):
            if other != it.twin:
                _stop(
                    search, other, reached, stop.cost + ways[begin + other], gates[other], there, ask.scale * ask.hurry
                )
    return False


@borrowing
def _arrive(search: _GateSearch, stop: AnyInt, parent: AnyInt, cost: Float32) -> bool:
    """Whether a stop is reached for the first time in this search, or for less before it was left.

    So each way between gates is taken once at most, and the heap has room for all.
    """
    it, this = search.stops[stop], search.number[0]
    if it.search == this and (it.closed == 1 or not cost < it.cost):
        return False
    it.cost, it.parent, it.search, it.closed = cost, parent, this, 0
    if stop == len(search.stops) - 1:
        push(search.heap, stop, float(cost))
    return True


@borrowing
def _stop(
    search: _GateSearch, stop: AnyInt, parent: AnyInt, cost: Float32, gate: np.record, there: Point32, scale: Float32
) -> None:
    """A stop at a gate."""
    if cost < NEVER and _arrive(search, stop, parent, cost):
        push(search.heap, stop, float(cost + distance((gate.x, gate.y, gate.z), there) * scale))


@borrowing
def _guide(districts: Districts, search: _GateSearch, start: AnyInt, there: Point32) -> None:
    """Say which parts may be entered and where ways head there: to the next gate.

    Those are the parts that the gates lead through, from `start` on, and all beside them.
    """
    gates, first, stops, guides = districts.gates, districts.first, search.stops, search.guides
    this, finish = search.number[0], len(gates)
    whole = stops[finish].cost
    for turn in range(2):  # those beside first: what the gates lead through stands above them
        ahead, behind = finish, stops[finish].parent
        while True:
            part = gates[behind].into if behind >= 0 else start
            x, y, z, left = there[0], there[1], there[2], ZERO
            if ahead != finish:
                x, y, z, left = gates[ahead].x, gates[ahead].y, gates[ahead].z, whole - stops[ahead].cost
            if turn == 1:
                _head(guides[part], this, x, y, z, left)
            else:
                for gate in range(first[part], first[part + 1]):
                    if guides[gates[gate].into].search != this:
                        _head(guides[gates[gate].into], this, x, y, z, left)
            if behind < 0:
                break
            ahead, behind = behind, stops[behind].parent


@inlined
def _entrance(mesh: QueryMesh, link: AnyInt, place: Point32, aim: Point32) -> Point32:
    """Where a straight line from a place to where ways head crosses what is shared, or the end that it passes by.

    Detour's search takes the middle, with which a way through wide polygons looks longer than the line that is pulled.
    """
    left, right = corner(mesh.portals, link, 0), corner(mesh.portals, link, 1)
    dx, dz, ex, ez = aim[0] - place[0], aim[2] - place[2], right[0] - left[0], right[2] - left[2]
    across = dx * ez - dz * ex
    part = (dx * (place[2] - left[2]) - dz * (place[0] - left[0])) / across
    if not (np.isfinite(part) and np.isfinite(left[0])):
        return row_of(mesh.middles, link)
    return between(left, right, min(max(part, ZERO), ONE))


@inlined
def _head(guide: np.record, this: AnyInt, x: Float32, y: Float32, z: Float32, left: Float32) -> None:
    guide.search, guide.x, guide.y, guide.z, guide.left = this, x, y, z, left


@borrowing
def _through_parts(
    mesh: QueryMesh, pool: NodePool, rule: Rule, allowed: tuple[I32, Records, AnyInt], ask: LongAsk, ends: _Ends
) -> AnyInt:
    """A* as in `find_path.py`, through parts that may be entered; the last node, or NO_NODE."""
    polygons, links, nodes, marks = mesh.polygons, mesh.links, pool.nodes, pool.marks
    start, here, goal, there = ends
    part_of, guides, this = allowed
    begin_search(pool, start, here, ZERO)
    while pool.counts[WAITING] > 0:
        node = settle(pool)
        polygon = polygon_of(pool, node)
        if polygon == goal:
            return node
        came_from = parent_polygon(pool, node)
        it, own = nodes[np.uint32(node)], polygons[np.uint32(polygon)]
        place, so_far, price = place_of(it), it.cost, rule.costs[np.uint32(own.area)]
        for k in range(own.first_link, own.end_link):
            link = links[np.uint32(k)]
            target = link.target
            if target == came_from or not admits(link.flags_there, rule.include, rule.exclude):
                continue
            guide = guides[part_of[np.uint32(target)]]
            if guide.search != this:
                continue
            other = node_of(pool, link.key)
            if other == NO_NODE:
                continue
            seen = nodes[np.uint32(other)]
            if marks[np.uint32(other)].state == UNSEEN:
                stand(pool, other, _entrance(mesh, np.uint32(k), place, (guide.x, guide.y, guide.z)))
                to = place_of(seen)
                seen.left_over = max(
                    distance(to, there) * ask.scale,
                    (distance(to, (guide.x, guide.y, guide.z)) * ask.scale + guide.left) * ask.trust,
                )
            entry = place_of(seen)
            cost = so_far + distance(place, entry) * price
            left_over = seen.left_over
            if target == goal:
                cost, left_over = cost + cost_of(entry, there, polygons, target, rule.costs), ZERO
            offer(pool, other, node, cost, cost + left_over)
    return np.int32(NO_NODE)
