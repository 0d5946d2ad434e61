"""From the last node of a search back to its start: the points of the line and the polygons that it leads through."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import inlined, kernel
from ...types import F32, I32, I64, U8, AnyBool, AnyInt
from ..kernels.points import Point, put, row_of
from ..kernels.straight_path import END, OFF_MESH, START
from .pool import BEFORE, ENDS, ENTRY, JUMPS, LEFT, NO_TURN, PARENT, PLACE, RIGHT, ROOT, TURN, Pool
from .shortest_mesh import ShortestMesh

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


@kernel
def chain_of(pool: Pool, node: AnyInt) -> I32:
    """The nodes from the first one to this."""
    count, at = 0, node
    while at >= 0:
        at = pool.rows[at, PARENT]
        count += 1
    chain = np.empty(count, np.int32)
    while node >= 0:
        count -= 1
        chain[count] = node
        node = pool.rows[node, PARENT]
    return chain


@kernel
def write_line(
    flat: ShortestMesh, pool: Pool, chain: I32, here: Point, there: Point, near: float, lines: Lines
) -> None:
    """Append the line and the polygons of a search that has ended. Points are not repeated that are `near`."""
    rows, jumps, polygons, used = pool.rows, flat.jumps, lines.polygons, lines.used
    begun = used[POLYGONS]
    polygons[begun] = rows[chain[0], PLACE]
    used[POLYGONS] += 1
    _point(lines, here, START, 0)
    for k in range(1, len(chain)):
        node, parent = chain[k], chain[k - 1]
        last = np.int32(used[POLYGONS] - begun - 1)
        if rows[node, RIGHT] == JUMPS:
            _turn(flat, lines, rows[node, LEFT], last, near)
            link = rows[node, ENTRY]
            begins = len(flat.spots) - 2 * len(jumps) + 2 * link
            polygons[used[POLYGONS]], polygons[used[POLYGONS] + 1] = jumps[link, 0], rows[node, PLACE]
            used[POLYGONS] += 2
            _point(lines, row_of(flat.places, begins), OFF_MESH, last + 1)
            _point(lines, row_of(flat.places, begins + 1), 0, last + 2)
            continue
        if rows[node, ROOT] != rows[parent, ROOT]:
            if rows[node, TURN] != NO_TURN and rows[node, BEFORE] != rows[parent, ROOT]:
                _turn(flat, lines, rows[node, BEFORE], last, near)
            _turn(flat, lines, rows[node, ROOT], last, near)
        if rows[node, PLACE] != polygons[used[POLYGONS] - 1]:
            polygons[used[POLYGONS]] = rows[node, PLACE]
            used[POLYGONS] += 1
        if rows[node, RIGHT] == ENDS:
            _turn(flat, lines, rows[node, LEFT], np.int32(used[POLYGONS] - begun - 1), near)
    last_point = used[POINTS] - 1
    if lines.flags[last_point] == 0 and _is_near(lines.points, last_point, there, near):
        used[POINTS] = last_point
    _point(lines, there, END, -1)


@inlined
def _turn(flat: ShortestMesh, lines: Lines, vertex: AnyInt, entered: AnyInt, near: float) -> None:
    """A vertex, unless there is none or the line is there already."""
    if vertex >= 0 and not _is_near(lines.points, lines.used[POINTS] - 1, row_of(flat.places, vertex), near):
        _point(lines, row_of(flat.places, vertex), 0, entered)


@inlined
def _is_near(points: F32, number: AnyInt, point: Point, near: float) -> AnyBool:
    return abs(points[number, 0] - point[0]) <= near and abs(points[number, 2] - point[2]) <= near


@inlined
def _point(lines: Lines, point: Point, flag: AnyInt, entered: AnyInt) -> None:
    number = lines.used[POINTS]
    put(lines.points, number, point)
    lines.flags[number], lines.entered[number] = flag, entered
    lines.used[POINTS] = number + 1
