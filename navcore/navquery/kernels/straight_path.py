"""The shortest line through a corridor of polygons: Detour's string pulling."""

from __future__ import annotations

import numpy as np

from ...detour.byte_layout import CONNECTION
from ...jit import inlined, kernel
from ...types import F32, I32, I64, U8, U32, AnyBool, AnyInt
from ..query_mesh import AREA, KIND, NO_POLYGON, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, PARTIAL, SUCCESS
from .points import (
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
_COUNT, _MOST = 0, 1  # of `room`
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
    entered = np.empty(1024, np.int32)
    total = 0
    room = np.zeros(2, np.int64)
    for row in range(begin, end):
        corridor = corridors[firsts[row] : firsts[row + 1]]
        status[row], counts[row] = INVALID, 0
        if len(corridor) == 0:
            continue
        longest = 3 * len(corridor) + 3
        if total + longest > len(points):
            points, flags, entered = _larger(points, flags, entered, total, total + longest)
        here, there = row_of(from_points, row), row_of(to_points, row)
        room[_COUNT], room[_MOST] = 0, most
        if is_finite(here) and is_finite(there) and corridor.min() >= 0:
            status[row] = _pull(
                mesh, here, there, corridor, options, points[total:], flags[total:], entered[total:], room
            )
        counts[row] = room[_COUNT]
        total += room[_COUNT]
    return points[:total].copy(), flags[:total].copy(), entered[:total].copy()


@kernel
def _larger(points: F32, flags: U8, entered: I32, used: int, wanted: int) -> tuple[F32, U8, I32]:
    size = max(2 * len(points), wanted)
    more_points, more_flags = np.empty((size, 3), np.float32), np.empty(size, np.uint8)
    more_entered = np.empty(size, np.int32)
    more_points[:used], more_flags[:used], more_entered[:used] = points[:used], flags[:used], entered[:used]
    return more_points, more_flags, more_entered


@kernel
def _pull(
    mesh: QueryMesh, here: Point, there: Point, corridor: I32, options: AnyInt, points: F32, flags: U8, entered: I32,
    room: I64,
) -> np.uint32:  # fmt: skip
    """One line; the funnel of left and right is narrowed portal by portal, and begins anew where it closes."""
    outline, facts, links, portals = mesh.outline, mesh.facts, mesh.links, mesh.portals
    last = len(corridor) - 1
    apex = on_boundary(outline, facts, corridor[0], here)
    goal = on_boundary(outline, facts, corridor[last], there)
    said = _append(points, flags, entered, room, apex, START, corridor[0])
    if said != _GOES_ON:
        return said
    if last > 0:
        left = right = apex
        at = at_left = at_right = 0
        left_polygon = right_polygon = corridor[0]
        left_jumps = right_jumps = False
        i = 0
        while i <= last:
            jumps, following = False, np.int32(NO_POLYGON)
            new_left = new_right = goal
            if i < last:
                following = corridor[i + 1]
                found, new_left, new_right = portal(facts, links, portals, corridor[i], following)
                jumps = facts[following, KIND] == CONNECTION
                if not found:
                    return _break_off(mesh, corridor, at, i, there, options, points, flags, entered, room)
                if i == 0 and to_segment(apex, new_left, new_right)[0] < _TOUCHES:
                    i += 1
                    continue
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
                said = _corner(mesh, corridor, begins, at, apex, polygon, jumps, options, points, flags, entered, room)
                if said != _GOES_ON:
                    return said
                left = right = apex
                at_left = at_right = at
                i = at + 1
        if options != 0:
            said = _cross(mesh, corridor, at, last, goal, options, points, flags, entered, room)
            if said != _GOES_ON:
                return said
    _append(points, flags, entered, room, goal, END, NO_POLYGON)
    return SUCCESS | _too_small(room)


@kernel
def _break_off(
    mesh: QueryMesh, corridor: I32, at: AnyInt, last: AnyInt, there: Point, options: AnyInt, points: F32, flags: U8,
    entered: I32, room: I64,
) -> np.uint32:  # fmt: skip
    """No link leads on: the line ends where this polygon is nearest to the goal."""
    goal = on_boundary(mesh.outline, mesh.facts, corridor[last], there)
    if options != 0:
        _cross(mesh, corridor, at, last, goal, options, points, flags, entered, room)
    _append(points, flags, entered, room, goal, 0, corridor[last])
    return SUCCESS | PARTIAL | _too_small(room)


@inlined
def _too_small(room: I64) -> np.uint32:
    return BUFFER_TOO_SMALL if room[_COUNT] >= room[_MOST] else np.uint32(0)


@kernel
def _corner(
    mesh: QueryMesh, corridor: I32, at: AnyInt, corner: AnyInt, point: Point, polygon: AnyInt, jumps: AnyBool,
    options: AnyInt, points: F32, flags: U8, entered: I32, room: I64,
) -> np.uint32:  # fmt: skip
    """The line turns at a corner of the funnel."""
    if options != 0:
        said = _cross(mesh, corridor, at, corner, point, options, points, flags, entered, room)
        if said != _GOES_ON:
            return said
    flag = END if polygon < 0 else (OFF_MESH if jumps else 0)
    return _append(points, flags, entered, room, point, flag, polygon)


@kernel
def _append(points: F32, flags: U8, entered: I32, room: I64, point: Point, flag: AnyInt, polygon: AnyInt) -> np.uint32:
    """One more point; where it is at the last one's place, that one stays and is entered otherwise."""
    count = room[_COUNT]
    if count > 0 and same_place(row_of(points, count - 1), point):
        flags[count - 1], entered[count - 1] = flag, polygon
        return _GOES_ON
    put(points, count, point)
    flags[count], entered[count] = flag, polygon
    room[_COUNT] = count + 1
    if room[_COUNT] >= room[_MOST]:
        return SUCCESS | BUFFER_TOO_SMALL
    return SUCCESS if flag == END else _GOES_ON


@kernel
def _cross(
    mesh: QueryMesh, corridor: I32, first: AnyInt, end: AnyInt, target: Point, options: AnyInt, points: F32, flags: U8,
    entered: I32, room: I64,
) -> np.uint32:  # fmt: skip
    """Points where a piece of the line leaves polygons. Recast: dtNavMeshQuery::appendPortals."""
    begin = row_of(points, room[_COUNT] - 1)
    for i in range(first, end):
        here, there = corridor[i], corridor[i + 1]
        found, left, right = portal(mesh.facts, mesh.links, mesh.portals, here, there)
        if not found:
            break
        if options & AREA_CROSSINGS and mesh.facts[here, AREA] == mesh.facts[there, AREA]:
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
