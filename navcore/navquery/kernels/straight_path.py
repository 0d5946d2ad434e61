"""The funnel: the shortest line through a corridor of polygons, Detour's string pulling."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...detour.byte_layout import CONNECTION
from ...jit import borrowing, inlined, kernel
from ...types import F32, I32, I64, U8, AnyBool, AnyInt
from ..query_mesh import NO_POLYGON, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, PARTIAL, SUCCESS
from .points import (
    ONE,
    ZERO,
    Float32,
    Point32,
    RowCounts,
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
_FIRST, _COUNT, _MAX = 0, 1, 2  # of `room`: where a line begins, its points, and how many it may have
_OPEN, _AT_LEFT, _AT_RIGHT = 0, 1, 2  # whether the funnel closes, and at which of its sides
_TOUCHES = np.float32(0.001) * np.float32(0.001)
_PARALLEL = np.float32(1e-6)
_GOES_ON = np.uint32(1 << 29)  # Recast: DT_IN_PROGRESS

_F = np.float32
_GATE = np.dtype(
    (
        np.record,
        [
            ("left_x", _F), ("left_y", _F), ("left_z", _F), ("right_x", _F), ("right_y", _F), ("right_z", _F),
            ("jumps", _F),  # not 0: a link begins
            ("spare", _F),  # half a cache line
        ],
    )
)  # fmt: skip
_Gates: TypeAlias = npt.NDArray[np.void]  # of _GATE


class LinesThrough(NamedTuple):
    """Row r has the corridor polygons[first[r]:first[r + 1]], and leads from a start to an end."""

    starts: F32  # (N, 3)
    ends: F32
    first: I64
    polygons: I32


class _Through(NamedTuple):
    """What lines are pulled through."""

    corridors: I32
    options: int
    gates: _Gates  # of one corridor


class _LinesSoFar(NamedTuple):
    """Where lines are written."""

    points: F32
    flags: U8
    entered: I32
    room: I64  # _FIRST, _COUNT, _MAX


@kernel
def straight_rows(
    mesh: QueryMesh, asked: LinesThrough, options: int, max_points: int, begin: int, end: int, rows: RowCounts
) -> tuple[F32, U8, I32]:
    """Points, flags and polygons of each row's line, one after the other. Recast: dtNavMeshQuery::findStraightPath.

    NO_POLYGON is entered at the end.
    """
    mesh, asked, rows = QueryMesh(*mesh), LinesThrough(*asked), RowCounts(*rows)
    room = np.zeros(3, np.int64)
    room[_MAX] = max_points
    lines = _LinesSoFar(np.empty((1024, 3), np.float32), np.empty(1024, np.uint8), np.empty(1024, np.int32), room)
    corridors, firsts, status, counts = asked.polygons, asked.first, rows.status, rows.counts  # once: it is not free
    from_points, to_points, room_for, gates_for = asked.starts, asked.ends, len(lines.points), 256
    through = _Through(corridors, options, np.empty(256, _GATE))
    for row in range(begin, end):
        first, last = firsts[row], firsts[row + 1] - 1
        status[row], counts[row] = INVALID, 0
        if last < first:
            continue
        room[_FIRST] += room[_COUNT]
        room[_COUNT] = 0
        if room[_FIRST] + 3 * (last - first) + 6 > room_for:
            lines = _larger(lines, 3 * (last - first) + 6)
            room_for = len(lines.points)
        if last - first > gates_for:
            gates_for = 2 * (last - first)
            through = _Through(corridors, options, np.empty(gates_for, _GATE))
        here, there = row_of(from_points, row), row_of(to_points, row)
        if is_finite(here) and is_finite(there) and _are_polygons(corridors, first, last):
            status[row] = _pull(mesh, through, lines, first, last, here, there)
        counts[row] = room[_COUNT]
    total = room[_FIRST] + room[_COUNT]
    return lines.points[:total].copy(), lines.flags[:total].copy(), lines.entered[:total].copy()


@inlined
def _are_polygons(corridors: I32, first: AnyInt, last: AnyInt) -> bool:
    smallest = corridors[first]
    for k in range(first + 1, last + 1):
        smallest = min(smallest, corridors[k])
    return smallest >= 0


@kernel
def _larger(lines: _LinesSoFar, more: int) -> _LinesSoFar:
    used = lines.room[_FIRST]
    size = max(2 * len(lines.points), used + more)
    points, flags, entered = np.empty((size, 3), np.float32), np.empty(size, np.uint8), np.empty(size, np.int32)
    points[:used], flags[:used], entered[:used] = lines.points[:used], lines.flags[:used], lines.entered[:used]
    return _LinesSoFar(points, flags, entered, lines.room)


@borrowing
def _pull(
    mesh: QueryMesh, through: _Through, lines: _LinesSoFar, first: AnyInt, last: AnyInt, here: Point32, there: Point32
) -> np.uint32:
    """One line; the funnel of left and right is narrowed gate by gate, and begins anew where it closes."""
    corridors, gates, steps = through.corridors, through.gates, last - first
    apex = on_boundary(mesh.outline, mesh.polygons, corridors[first], here)
    goal = on_boundary(mesh.outline, mesh.polygons, corridors[last], there)
    status = _append(lines, apex, START, corridors[first])
    if status != _GOES_ON:
        return status
    known = _gather(mesh, through, first, steps)
    left = right = apex
    at = at_left = at_right = np.int64(0)
    left_polygon, right_polygon, left_jumps, right_jumps = corridors[first], corridors[first], False, False
    begins_in_gate = known > 0 and to_segment(apex, _left_of(gates[0]), _right_of(gates[0]))[0] < _TOUCHES
    i = np.int64(1) if steps == 0 or begins_in_gate else np.int64(0)
    while i <= steps:
        jumps, following = False, np.int32(NO_POLYGON)
        new_left = new_right = goal
        if i < steps:
            if i >= known:
                return _break_off(mesh, through, lines, first + at, first + i, there)
            new_left, new_right = _left_of(gates[i]), _right_of(gates[i])
            following, jumps = corridors[first + i + 1], gates[i].jumps != ZERO
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
            status = _corner(mesh, through, lines, first + begins, first + at, apex, polygon, jumps)
            if status != _GOES_ON:
                return status
            left = right = apex
            at_left = at_right = at
            i = at + 1
    if through.options != 0:
        status = _cross(mesh, through, lines, first + at, last, goal)
        if status != _GOES_ON:
            return status
    _append(lines, goal, END, NO_POLYGON)
    return SUCCESS | _too_small(lines)


@borrowing
def _corner(
    mesh: QueryMesh, through: _Through, lines: _LinesSoFar, begins: AnyInt, ends: AnyInt, point: Point32,
    polygon: AnyInt, jumps: AnyBool,
) -> np.uint32:  # fmt: skip
    """The line turns at a corner of the funnel."""
    if through.options != 0:
        status = _cross(mesh, through, lines, begins, ends, point)
        if status != _GOES_ON:
            return status
    flag = END if polygon < 0 else (OFF_MESH if jumps else 0)
    return _append(lines, point, flag, polygon)


@inlined
def _left_of(gate: np.record) -> Point32:
    return gate.left_x, gate.left_y, gate.left_z


@inlined
def _right_of(gate: np.record) -> Point32:
    return gate.right_x, gate.right_y, gate.right_z


@borrowing
def _gather(mesh: QueryMesh, through: _Through, first: AnyInt, steps: AnyInt) -> AnyInt:
    """What each step of a corridor leads through; returns how many, up to the first step for which there is no link."""
    corridors = through.corridors
    for i in range(steps):
        following = corridors[first + i + 1]
        found, left, right = portal(mesh.polygons, mesh.links, mesh.portals, corridors[first + i], following)
        if not found:
            return i
        gate = through.gates[i]
        gate.left_x, gate.left_y, gate.left_z = left
        gate.right_x, gate.right_y, gate.right_z = right
        gate.jumps = ONE if mesh.polygons[following].kind == CONNECTION else ZERO
    return steps


@borrowing
def _break_off(
    mesh: QueryMesh, through: _Through, lines: _LinesSoFar, begins: AnyInt, ends: AnyInt, there: Point32
) -> np.uint32:
    """No link leads on: the line ends where this polygon is nearest to the goal."""
    polygon = through.corridors[ends]
    goal = on_boundary(mesh.outline, mesh.polygons, polygon, there)
    if through.options != 0:
        _cross(mesh, through, lines, begins, ends, goal)
    last = row_of(lines.points, lines.room[_FIRST] + lines.room[_COUNT] - 1)
    if lines.room[_COUNT] < lines.room[_MAX] or same_place(last, goal):  # else Recast writes behind the end of its room
        _append(lines, goal, 0, polygon)
    return SUCCESS | PARTIAL | _too_small(lines)


@borrowing
def _too_small(lines: _LinesSoFar) -> np.uint32:
    return BUFFER_TOO_SMALL if lines.room[_COUNT] >= lines.room[_MAX] else np.uint32(0)


@borrowing
def _append(lines: _LinesSoFar, point: Point32, flag: AnyInt, polygon: AnyInt) -> np.uint32:
    """One more point; where it is at the last one's place, that one stays and is entered otherwise."""
    points, flags, entered, room = lines
    count = room[_COUNT]
    place = room[_FIRST] + count
    if count > 0 and same_place(row_of(points, place - 1), point):
        flags[place - 1], entered[place - 1] = flag, polygon
        return _GOES_ON
    put(points, place, point)
    flags[place], entered[place] = flag, polygon
    room[_COUNT] = count + 1
    if count + 1 >= room[_MAX]:
        return SUCCESS | BUFFER_TOO_SMALL
    return SUCCESS if flag == END else _GOES_ON


@borrowing
def _cross(
    mesh: QueryMesh, through: _Through, lines: _LinesSoFar, begins: AnyInt, ends: AnyInt, target: Point32
) -> np.uint32:
    """Points where a piece of the line leaves polygons. Recast: dtNavMeshQuery::appendPortals."""
    polygons, corridors = mesh.polygons, through.corridors
    begin = row_of(lines.points, lines.room[_FIRST] + lines.room[_COUNT] - 1)
    for i in range(begins, ends):
        here, there = corridors[i], corridors[i + 1]
        found, left, right = portal(polygons, mesh.links, mesh.portals, here, there)
        if not found:
            break
        if through.options & AREA_CROSSINGS and polygons[here].area == polygons[there].area:
            continue
        crosses, part = _crossing(begin, target, left, right)
        if crosses:
            status = _append(lines, between(left, right, part), 0, there)
            if status != _GOES_ON:
                return status
    return _GOES_ON


@inlined
def _crossing(a: Point32, b: Point32, c: Point32, d: Point32) -> tuple[bool, Float32]:
    """Where on the line c → d the line a → b crosses it, seen from above. Recast: dtIntersectSegSeg2D."""
    ux, uz, vx, vz = b[0] - a[0], b[2] - a[2], d[0] - c[0], d[2] - c[2]
    wx, wz = a[0] - c[0], a[2] - c[2]
    denominator = ux * vz - uz * vx
    if abs(denominator) < _PARALLEL:
        return False, ZERO
    return True, (ux * wz - uz * wx) / denominator
