"""From the last node of a search back to its start: the points of the line and the polygons that it leads through."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel
from ..navquery.kernels.points import Point, put, row_of
from ..navquery.kernels.straight_path import END, OFF_MESH, START
from ..types import F32, I32, I64, U8, AnyBool, AnyInt
from .pool import BEFORE, ENDS, ENTRY, JUMPS, LEFT, NO_TURN, PARENT, PLACE, RIGHT, ROOT, TURN

POLYGONS, POINTS = 0, 1  # of `used`


class Lines(NamedTuple):
    """Room for lines and their polygons, one row's after the other."""

    polygons: I32
    points: F32  # (., 3)
    flags: U8
    entered: I32  # which of its row's polygons is entered at each point; -1 at the end
    used: I64  # (2,) polygons, points


@kernel
def new_lines(room: int) -> Lines:
    return Lines(np.empty(room, np.int32), np.empty((room, 3), np.float32), np.empty(room, np.uint8),
                 np.empty(room, np.int32), np.zeros(2, np.int64))  # fmt: skip


@kernel
def lines_with_room(lines: Lines, wanted: int) -> Lines:
    """The lines themselves, or larger copies where there is no room for so many more points or polygons."""
    used = lines.used.max()
    if used + wanted <= len(lines.flags):
        return lines
    more = new_lines(max(2 * len(lines.flags), used + wanted))
    more.polygons[:used], more.points[:used] = lines.polygons[:used], lines.points[:used]
    more.flags[:used], more.entered[:used] = lines.flags[:used], lines.entered[:used]
    more.used[:] = lines.used
    return more


@inlined
def length_of(rows: I32, node: AnyInt) -> int:
    """How many nodes lead to this one, itself included."""
    count = 0
    while node >= 0:
        node = rows[node, PARENT]
        count += 1
    return count


@inlined
def chain_of(rows: I32, node: AnyInt, length: AnyInt, chain: I32) -> None:
    """Write the nodes from the first one to this."""
    for place in range(length - 1, -1, -1):
        chain[place] = node
        node = rows[node, PARENT]


@kernel
def write_line(
    places: F32, jumps: I32, rows: I32, chain: I32, length: AnyInt, here: Point, there: Point, near: float,
    polygons: I32, points: F32, flags: U8, entered: I32, used: I64,
) -> None:  # fmt: skip
    """Append the line and the polygons of a search that has ended. Points are not repeated that are `near`."""
    begun = used[POLYGONS]
    polygons[begun] = rows[chain[0], PLACE]
    used[POLYGONS] += 1
    _point(points, flags, entered, used, here, START, 0)
    for k in range(1, length):
        node, parent = chain[k], chain[k - 1]
        last = np.int32(used[POLYGONS] - begun - 1)
        if rows[node, RIGHT] == JUMPS:
            _turn(places, points, flags, entered, used, rows[node, LEFT], last, near)
            link = rows[node, ENTRY]
            begins = len(places) - 2 * len(jumps) + 2 * link
            polygons[used[POLYGONS]], polygons[used[POLYGONS] + 1] = jumps[link, 0], rows[node, PLACE]
            used[POLYGONS] += 2
            _point(points, flags, entered, used, row_of(places, begins), OFF_MESH, last + 1)
            _point(points, flags, entered, used, row_of(places, begins + 1), 0, last + 2)
            continue
        if rows[node, ROOT] != rows[parent, ROOT]:
            if rows[node, TURN] != NO_TURN and rows[node, BEFORE] != rows[parent, ROOT]:
                _turn(places, points, flags, entered, used, rows[node, BEFORE], last, near)
            _turn(places, points, flags, entered, used, rows[node, ROOT], last, near)
        if rows[node, PLACE] != polygons[used[POLYGONS] - 1]:
            polygons[used[POLYGONS]] = rows[node, PLACE]
            used[POLYGONS] += 1
        if rows[node, RIGHT] == ENDS:
            entering = np.int32(used[POLYGONS] - begun - 1)
            _turn(places, points, flags, entered, used, rows[node, LEFT], entering, near)
    last_point = used[POINTS] - 1
    if flags[last_point] == 0 and _is_near(points, last_point, there, near):
        used[POINTS] = last_point
    _point(points, flags, entered, used, there, END, -1)


@inlined
def _turn(
    places: F32, points: F32, flags: U8, entered: I32, used: I64, vertex: AnyInt, enters: AnyInt, near: float
) -> None:
    """A vertex, unless there is none or the line is there already."""
    if vertex >= 0 and not _is_near(points, used[POINTS] - 1, row_of(places, vertex), near):
        _point(points, flags, entered, used, row_of(places, vertex), 0, enters)


@inlined
def _is_near(points: F32, number: AnyInt, point: Point, near: float) -> AnyBool:
    return abs(points[number, 0] - point[0]) <= near and abs(points[number, 2] - point[2]) <= near


@inlined
def _point(points: F32, flags: U8, entered: I32, used: I64, point: Point, flag: AnyInt, enters: AnyInt) -> None:
    number = used[POINTS]
    put(points, number, point)
    flags[number], entered[number] = flag, enters
    used[POINTS] = number + 1
