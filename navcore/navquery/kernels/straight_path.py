"""The shortest line through a corridor of polygons: Detour's string pulling."""

from __future__ import annotations

import numpy as np

from ...detour.byte_layout import CONNECTION
from ...jit import inlined, kernel
from ...types import F32, I32, I64, U8, U32, AnyBool, AnyInt
from ..query_mesh import NO_POLYGON, LinkRows, PolygonRows, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, PARTIAL, SUCCESS
from .points import (
    ONE,
    ZERO,
    Float,
    Point,
    between,
    is_finite,
    on_boundary,
    portal,
    put,
    row_of,
    same_place,
    to_segment,
    turn,
)

START, END, OFF_MESH = 1, 2, 4  # flags of a point. Recast: dtStraightPathFlags
AREA_CROSSINGS, ALL_CROSSINGS = 1, 2  # Recast: dtStraightPathOptions
_FIRST, _COUNT, _MOST = 0, 1, 2  # of `room`: where a line begins, its points, and how many it may have
_RIGHT, _JUMPS, _GATE = 3, 6, 8  # columns of gates: left end, right end, whether a link begins; half a cache line
_OPEN, _AT_LEFT, _AT_RIGHT = 0, 1, 2  # whether the funnel closes, and at which of its sides
_TOUCHES = np.float32(0.001) * np.float32(0.001)
_PARALLEL = np.float32(1e-6)
_GOES_ON = np.uint32(1 << 29)  # Recast: DT_IN_PROGRESS


@kernel
def straight_rows(
    mesh: QueryMesh, from_points: F32, to_points: F32, firsts: I64, corridors: I32, options: int, most: int,
    begin: int, end: int, status: U32, counts: I32,
) -> tuple[F32, U8, I32]:  # fmt: skip
    """Points, flags and polygons of each row's line, one after the other. Recast: dtNavMeshQuery::findStraightPath.

    Row r has the corridor corridors[firsts[r]:firsts[r + 1]]. NO_POLYGON is entered at the end.
    """
    points, flags = np.empty((1024, 3), np.float32), np.empty(1024, np.uint8)
    entered, gates = np.empty(1024, np.int32), np.empty((256, _GATE), np.float32)
    room = np.zeros(3, np.int64)
    room[_MOST] = most
    outline, polygons, links, portals = mesh.outline, mesh.polygons, mesh.links, mesh.portals  # once: it is not free
    for row in range(begin, end):
        first, last = firsts[row], firsts[row + 1] - 1
        status[row], counts[row] = INVALID, 0
        if last < first:
            continue
        room[_FIRST] += room[_COUNT]
        room[_COUNT] = 0
        if room[_FIRST] + 3 * (last - first) + 6 > len(points):
            points, flags, entered = _larger(points, flags, entered, room[_FIRST], 3 * (last - first) + 6)
        if last - first > len(gates):
            gates = np.empty((2 * (last - first), _GATE), np.float32)
        here, there = row_of(from_points, row), row_of(to_points, row)
        if is_finite(here) and is_finite(there) and _are_polygons(corridors, first, last):
            status[row] = _pull(
                outline, polygons, links, portals, here, there, corridors, first, last, options, gates, points, flags,
                entered, room,
            )  # fmt: skip
        counts[row] = room[_COUNT]
    total = room[_FIRST] + room[_COUNT]
    return points[:total].copy(), flags[:total].copy(), entered[:total].copy()


@inlined
def _are_polygons(corridors: I32, first: AnyInt, last: AnyInt) -> bool:
    smallest = corridors[first]
    for k in range(first + 1, last + 1):
        smallest = min(smallest, corridors[k])
    return smallest >= 0


@kernel
def _larger(points: F32, flags: U8, entered: I32, used: int, more: int) -> tuple[F32, U8, I32]:
    size = max(2 * len(points), used + more)
    more_points, more_flags = np.empty((size, 3), np.float32), np.empty(size, np.uint8)
    more_entered = np.empty(size, np.int32)
    more_points[:used], more_flags[:used], more_entered[:used] = points[:used], flags[:used], entered[:used]
    return more_points, more_flags, more_entered


@inlined
def _pull(
    outline: F32, polygons: PolygonRows, links: LinkRows, portals: F32, here: Point, there: Point, corridors: I32,
    first: AnyInt, last: AnyInt, options: AnyInt, gates: F32, points: F32, flags: U8, entered: I32, room: I64,
) -> np.uint32:  # fmt: skip
    """One line; the funnel of left and right is narrowed gate by gate, and begins anew where it closes."""
    steps = last - first
    apex = on_boundary(outline, polygons, corridors[first], here)
    goal = on_boundary(outline, polygons, corridors[last], there)
    said = _append(points, flags, entered, room, apex, START, corridors[first])
    if said != _GOES_ON:
        return said
    known = _gather(polygons, links, portals, corridors, first, steps, gates)
    left = right = apex
    at = at_left = at_right = np.int64(0)
    left_polygon, right_polygon, left_jumps, right_jumps = corridors[first], corridors[first], False, False
    begins_in_gate = known > 0 and to_segment(apex, row_of(gates, 0), _right_of(gates, 0))[0] < _TOUCHES
    i = np.int64(1) if steps == 0 or begins_in_gate else np.int64(0)
    while i <= steps:
        jumps, following = False, np.int32(NO_POLYGON)
        new_left = new_right = goal
        if i < steps:
            if i >= known:
                return _break_off(
                    outline, polygons, links, portals, corridors, first, at, i, there, options, points, flags, entered,
                    room,
                )  # fmt: skip
            new_left, new_right = row_of(gates, i), _right_of(gates, i)
            following, jumps = corridors[first + i + 1], gates[i, _JUMPS] != ZERO
        closed = _OPEN
        if turn(apex, right, new_right) <= ZERO:
            if same_place(apex, right) or turn(apex, left, new_right) > ZERO:
                right, right_polygon, right_jumps, at_right = new_right, following, jumps, i
            else:
                closed = _AT_LEFT
        if closed == _OPEN and turn(apex, left, new_left) >= ZERO:
            if same_place(apex, left) or turn(apex, right, new_left) < ZERO:
                left, left_polygon, left_jumps, at_left = new_left, following, jumps, i
            else:
                closed = _AT_RIGHT
        i += 1
        if closed != _OPEN:
            begins, polygon, jumps = at, left_polygon, left_jumps
            apex, at = left, at_left
            if closed == _AT_RIGHT:
                apex, at, polygon, jumps = right, at_right, right_polygon, right_jumps
            said = _corner(
                polygons, links, portals, corridors, first, begins, at, apex, polygon, jumps, options, points, flags,
                entered, room,
            )  # fmt: skip
            if said != _GOES_ON:
                return said
            left = right = apex
            at_left = at_right = at
            i = at + 1
    if options != 0:
        said = _cross(
            polygons, links, portals, corridors, first, at, steps, goal, options, points, flags, entered, room
        )
        if said != _GOES_ON:
            return said
    _append(points, flags, entered, room, goal, END, NO_POLYGON)
    return SUCCESS | _too_small(room)


@inlined
def _corner(
    polygons: PolygonRows, links: LinkRows, portals: F32, corridors: I32, first: AnyInt, begins: AnyInt, at: AnyInt,
    point: Point, polygon: AnyInt, jumps: AnyBool, options: AnyInt, points: F32, flags: U8, entered: I32, room: I64,
) -> np.uint32:  # fmt: skip
    """The line turns at a corner of the funnel."""
    if options != 0:
        said = _cross(
            polygons, links, portals, corridors, first, begins, at, point, options, points, flags, entered, room
        )
        if said != _GOES_ON:
            return said
    flag = END if polygon < 0 else (OFF_MESH if jumps else 0)
    return _append(points, flags, entered, room, point, flag, polygon)


@inlined
def _right_of(gates: F32, gate: AnyInt) -> Point:
    return gates[gate, _RIGHT], gates[gate, _RIGHT + 1], gates[gate, _RIGHT + 2]


@inlined
def _gather(
    polygons: PolygonRows, links: LinkRows, portals: F32, corridors: I32, first: AnyInt, steps: AnyInt, gates: F32
) -> AnyInt:  # fmt: skip
    """What each step of a corridor leads through; returns how many, up to the first step for which there is no link."""
    for i in range(steps):
        following = corridors[first + i + 1]
        found, left, right = portal(polygons, links, portals, corridors[first + i], following)
        if not found:
            return i
        put(gates, i, left)
        gates[i, _RIGHT], gates[i, _RIGHT + 1], gates[i, _RIGHT + 2] = right
        gates[i, _JUMPS] = ONE if polygons[following].kind == CONNECTION else ZERO
    return steps


@kernel
def _break_off(
    outline: F32, polygons: PolygonRows, links: LinkRows, portals: F32, corridors: I32, first: AnyInt, at: AnyInt,
    last: AnyInt, there: Point, options: AnyInt, points: F32, flags: U8, entered: I32, room: I64,
) -> np.uint32:  # fmt: skip
    """No link leads on: the line ends where this polygon is nearest to the goal."""
    polygon = corridors[first + last]
    goal = on_boundary(outline, polygons, polygon, there)
    if options != 0:
        _cross(polygons, links, portals, corridors, first, at, last, goal, options, points, flags, entered, room)
    _append(points, flags, entered, room, goal, 0, polygon)
    return SUCCESS | PARTIAL | _too_small(room)


@inlined
def _too_small(room: I64) -> np.uint32:
    return BUFFER_TOO_SMALL if room[_COUNT] >= room[_MOST] else np.uint32(0)


@inlined
def _append(points: F32, flags: U8, entered: I32, room: I64, point: Point, flag: AnyInt, polygon: AnyInt) -> np.uint32:
    """One more point; where it is at the last one's place, that one stays and is entered otherwise."""
    count = room[_COUNT]
    place = room[_FIRST] + count
    if count > 0 and same_place(row_of(points, place - 1), point):
        flags[place - 1], entered[place - 1] = flag, polygon
        return _GOES_ON
    put(points, place, point)
    flags[place], entered[place] = flag, polygon
    room[_COUNT] = count + 1
    if count + 1 >= room[_MOST]:
        return SUCCESS | BUFFER_TOO_SMALL
    return SUCCESS if flag == END else _GOES_ON


@kernel
def _cross(
    polygons: PolygonRows, links: LinkRows, portals: F32, corridors: I32, first: AnyInt, at: AnyInt, end: AnyInt,
    target: Point, options: AnyInt, points: F32, flags: U8, entered: I32, room: I64,
) -> np.uint32:  # fmt: skip
    """Points where a piece of the line leaves polygons. Recast: dtNavMeshQuery::appendPortals."""
    begin = row_of(points, room[_FIRST] + room[_COUNT] - 1)
    for i in range(first + at, first + end):
        here, there = corridors[i], corridors[i + 1]
        found, left, right = portal(polygons, links, portals, here, there)
        if not found:
            break
        if options & AREA_CROSSINGS and polygons[here].area == polygons[there].area:
            continue
        crosses, part = _crossing(begin, target, left, right)
        if crosses:
            said = _append(points, flags, entered, room, between(left, right, part), 0, there)
            if said != _GOES_ON:
                return said
    return _GOES_ON


@inlined
def _crossing(a: Point, b: Point, c: Point, d: Point) -> tuple[bool, Float]:
    """Where on the line c → d the line a → b crosses it, seen from above. Recast: dtIntersectSegSeg2D."""
    ux, uz, vx, vz = b[0] - a[0], b[2] - a[2], d[0] - c[0], d[2] - c[2]
    wx, wz = a[0] - c[0], a[2] - c[2]
    denominator = ux * vz - uz * vx
    if abs(denominator) < _PARALLEL:
        return False, ZERO
    return True, (ux * wz - uz * wx) / denominator
