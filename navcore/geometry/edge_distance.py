"""How far each open span is from the nearest edge, times two: the two sweeps that erosion and the distance field share.

A step along x or z counts 2, a diagonal one 3; a diagonal leads through the one neighbor that Recast goes through.
Spans of one column never interact, so that sweeping in the order of the span indices is sweeping row by row.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from ..jit import borrowing, kernel
from ..threads import Workers
from ..types import I32, NOT_WALKABLE, U8, U16, CompactHeightfield, Records

STEP, DIAGONAL = np.int32(2), np.int32(3)
MAX_DISTANCE = 0xFFFF  # what its 16 bits hold
ROWS_AT_ONCE = 16  # when mending
MIN_SPANS = 250_000  # in one band: fewer are swept sooner than a thread wakes up

# One record a span is a third faster to read than a row of an (O, 4) array, whose length the compiler can't know.
# Indices are made unsigned for the same reason: so they can't mean places counted from the end.
SIDES = np.dtype((np.record, [("left", np.int32), ("after", np.int32), ("right", np.int32), ("before", np.int32)]))
Sides: TypeAlias = Records  # (O,) of SIDES


def sides_of(compact: CompactHeightfield) -> Sides:
    """(O,) the neighbors in directions 0 to 3 as named fields: left and right along x, before and after along z."""
    return np.ascontiguousarray(compact.neighbors).view(SIDES).reshape(-1)


def edge_distance(compact: CompactHeightfield, same_area: bool, workers: Workers) -> U16:
    """(O,) chamfer distance to the nearest edge span; that one's own is 0, and none is 1.

    An edge span lacks a neighbor or, with `same_area`, has one of another area; without it, it is one that is not
    walkable or has such a neighbor. No distance exceeds twice the shorter side of the grid, so that 16 bits hold it.

    Bands of rows are swept at once, each as if nothing lay before it. Then, in order, each is mended: swept again from
    the true row before it, up to a row that comes out as it was, since what follows had been computed from that very
    row. Among obstacles this is soon; on an open plain it may be the end of the band.
    """
    sides, cancelled = sides_of(compact), workers.progress.cancelled
    if workers.in_one_call(len(sides)):
        return edge_distance_in_one_call(compact, sides, same_area, cancelled)
    row_starts = compact.first[:: max(compact.width, 1)].copy()
    distance = np.empty(len(sides), np.uint16)
    bands = _bands_of_rows(row_starts, workers)
    common = (row_starts, sides, distance, cancelled)
    _sweep_bands(_sweep_forward, (same_area, compact.area, *common), bands, workers)
    _sweep_bands(_sweep_back, common, [rows[::-1] for rows in reversed(bands)], workers)
    return distance


def _bands_of_rows(row_starts: I32, workers: Workers) -> list[range]:
    """Bands of rows with about as many spans each, one a thread."""
    cuts = [end for _, end in workers.bands(int(row_starts[-1]), MIN_SPANS)][:-1]
    rows = [0, *np.searchsorted(row_starts, cuts).tolist(), len(row_starts) - 1]
    return [range(begin, end) for begin, end in pairwise(rows) if begin < end]


def _sweep_bands(sweep: Callable[..., None], arrays: tuple[Any, ...], bands: list[range], workers: Workers) -> None:
    """Sweep all rows in the order of the bands and of the rows in them."""
    row_starts, _, distance, _ = arrays[-4:]
    workers.run(sweep, [(*arrays, (rows.start, rows.stop), False) for rows in bands])
    for rows in bands[1:]:
        for i in range(0, len(rows), ROWS_AT_ONCE):
            some = rows[i : i + ROWS_AT_ONCE]
            last = slice(row_starts[some[-1]], row_starts[some[-1] + 1])
            was = distance[last].copy()
            sweep(*arrays, (some.start, some.stop), True)
            if np.array_equal(distance[last], was):
                break
    workers.progress.check()  # a sweep that was cancelled returned early


@kernel
def edge_distance_in_one_call(compact: CompactHeightfield, sides: Sides, same_area: bool, cancelled: U8) -> U16:
    """All rows in one go."""
    width, rows, first = compact.width, compact.depth, compact.first
    row_starts, distance = np.empty(rows + 1, np.int32), np.empty(sides.shape[0], np.uint16)
    for row in range(rows + 1):
        row_starts[row] = first[row * width]
    _sweep_forward(same_area, compact.area, row_starts, sides, distance, cancelled, (0, rows), False)
    _sweep_back(row_starts, sides, distance, cancelled, (rows - 1, -1), False)
    return distance


@kernel
def _sweep_forward(
    same_area: bool,
    area: U8,
    row_starts: I32,
    sides: Sides,
    distance: U16,
    cancelled: U8,
    rows: tuple[int, int],
    mend: bool,
) -> None:
    """Rows in ascending order: finds the edges, and distances by way of the row before and the span to the left."""
    begin, end = rows
    value = np.int32(0)
    for row in range(begin, end):
        if cancelled[0] != 0:
            return
        row_before = mend or row != begin  # else it is another thread's
        for span in range(np.uint64(row_starts[row]), np.uint64(row_starts[row + 1])):
            beside = value  # of the previous span, mostly the one to the left
            value = np.int32(0)
            if _within(sides[span], area, area[span], same_area):
                left, before = np.uint32(sides[span].left), np.uint32(sides[span].before)
                if left + np.uint64(1) != span:
                    beside = np.int32(distance[left])
                value = beside + STEP
                if row_before:
                    value = min(value, np.int32(distance[before]) + STEP)
                    value = _by_corners(sides[left].before, sides[before].right, distance, value)
            distance[span] = value


@borrowing
def _by_corners(one: np.int32, other: np.int32, distance: U16, value: np.int32) -> np.int32:
    """A distance, or a shorter one by way of two spans across a corner; −1: there is none."""
    if one >= 0:
        value = min(value, np.int32(distance[np.uint32(one)]) + DIAGONAL)
    if other >= 0:
        value = min(value, np.int32(distance[np.uint32(other)]) + DIAGONAL)
    return value


@kernel
def _within(side: np.record, area: U8, own: np.uint8, same_area: bool) -> bool:
    """Whether a span is no edge. The tests of areas are bitwise: branches would be hard to predict."""
    if (side.left | side.after | side.right | side.before) < 0:
        return False
    west, south = area[np.uint32(side.left)], area[np.uint32(side.after)]
    east, north = area[np.uint32(side.right)], area[np.uint32(side.before)]
    if same_area:
        return (west == own) & (south == own) & (east == own) & (north == own)
    return (
        (own != NOT_WALKABLE) & (west != NOT_WALKABLE) & (south != NOT_WALKABLE)
        & (east != NOT_WALKABLE) & (north != NOT_WALKABLE)
    )  # fmt: skip


@kernel
def _sweep_back(row_starts: I32, sides: Sides, distance: U16, cancelled: U8, rows: tuple[int, int], mend: bool) -> None:
    """Rows in descending order: shorter distances by way of the row after and the span to the right."""
    begin, end = rows
    value = np.int32(0)
    for row in range(begin, end, -1):
        if cancelled[0] != 0:
            return
        row_after = mend or row != begin
        for place in range(row_starts[row + 1] - 1, row_starts[row] - 1, -1):
            span = np.uint64(place)
            beside = value
            value = np.int32(distance[span])
            if value > STEP:  # then it is no edge, so that it has four neighbors, and is not beside one
                after, right = np.uint32(sides[span].after), np.uint32(sides[span].right)
                if right != span + np.uint64(1):
                    beside = np.int32(distance[right])
                value = min(value, beside + STEP)
                if row_after:
                    value = min(value, np.int32(distance[after]) + STEP)
                    value = _by_corners(sides[right].after, sides[after].left, distance, value)
                distance[span] = value


# --- where it is known already which spans are edges


@kernel
def distance_from_edges(compact: CompactHeightfield, sides: Sides, inner: U16, bit: np.uint16, cancelled: U8) -> U16:
    """(O,) what `edge_distance` returns where the spans without a bit in `inner` (O,) are the edges.

    Links of edges may lead anywhere: what lies beside an edge is 2 from it, and no way through its links is shorter.
    """
    width, rows, first = compact.width, compact.depth, compact.first
    row_starts, distance = np.empty(rows + 1, np.int32), np.empty(sides.shape[0], np.uint16)
    for row in range(rows + 1):
        row_starts[row] = first[row * width]
    _sweep_from_edges(inner, bit, row_starts, sides, distance, cancelled)
    _sweep_back(row_starts, sides, distance, cancelled, (rows - 1, -1), False)
    return distance


@kernel
def _sweep_from_edges(inner: U16, bit: np.uint16, row_starts: I32, sides: Sides, distance: U16, cancelled: U8) -> None:
    """What `_sweep_forward` does with all rows."""
    value = np.int32(0)
    for row in range(row_starts.shape[0] - 1):
        if cancelled[0] != 0:
            return
        for span in range(np.uint64(row_starts[row]), np.uint64(row_starts[row + 1])):
            beside = value  # of the previous span, mostly the one to the left
            value = np.int32(0)
            if inner[span] & bit != 0:
                left, before = np.uint32(sides[span].left), np.uint32(sides[span].before)
                if left + np.uint64(1) != span:
                    beside = np.int32(distance[left])
                value = min(beside + STEP, np.int32(distance[before]) + STEP)
                if value > STEP:  # else one of the two is an edge
                    value = _by_corners(sides[left].before, sides[before].right, distance, value)
            distance[span] = value
