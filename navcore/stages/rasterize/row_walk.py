"""One row of cells: a row polygon is cut at column lines, and each piece becomes a span of its column.

Cutting a polygon again and again copies its corners again and again. Here nothing is copied: seen along x, a convex
polygon is two chains that go up from its lowest corner, the *leaving* one in the order of the corners, the *entering*
one against it. At each line the chains advance past the corners that lie below, and one crossing is computed on each,
from the previous crossing on: the same float operations on the same operands as cutting, hence the same bits. What a
piece needs is only the range of its y.

The rules for corners that lie exactly on a line follow from cutting, too: the last corner that the entering chain has
passed is replaced by its crossing, any other one belongs to both sides. Where rounding has made a polygon so wavy that
the corners below a line would not be one run, or has put a crossing beyond the next line, the row is cut literally.
"""

# mypy: disable-error-code="arg-type, assignment, return-value"
# (Python's types can't tell the integers and floats of kernels apart; annotations of kernels are for readers.)
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import borrowing, inlined, kernel
from ...types import F32, HIGHEST_VX, X, Y, Z
from .clipping import ROW_CELL, ROW_REST, ROW_SPARE, split
from .grid_frame import DONE, TOO_TALL, TOO_WILD, RasterFrame
from .spans import Columns, insert_span

_FAR = np.float32(np.inf)
_HIGHEST = np.float32(HIGHEST_VX)
_NEAR = np.float32(1 << 18)  # cells: so far out a crossing can't be put beyond the next line by rounding
_ALONG_X = np.int64(X)  # an axis, typed: the compiler makes a version of its own for each literal


class RowPolygon(NamedTuple):
    """A polygon within one row of cells."""

    xs: F32  # (count or more,) metres
    ys: F32
    corners: int  # how many


@borrowing
def rasterize_row(
    polygon: RowPolygon, frame: RasterFrame, columns: Columns, row: int, area: np.int64, work: F32
) -> int:
    """Insert the spans of a polygon into the columns of one row; its first cell is `row`."""
    xs, ys, count = polygon
    least, most, lowest = xs[0], xs[0], np.int64(0)
    low, high = ys[0], ys[0]
    for corner in range(1, count):
        if xs[corner] < least:
            least, lowest = xs[corner], corner
        most = max(most, xs[corner])
        low, high = min(low, ys[corner]), max(high, ys[corner])
    begin, end = _columns_of(least, most, frame)
    if begin >= end:
        return DONE
    if begin + 1 == end and most <= _line(frame, begin):
        return _emit((low, high), frame, columns, row + begin, row + end, area)
    x = begin
    if count <= 3 or _is_bitonic(xs, count, lowest):
        if low == high and max(max(-least, most), max(-frame.x, frame.x_end)) < frame.cell_size * _NEAR:
            x, status = _fill_level(polygon, (least, most), begin, end, frame, columns, row, area)
        else:
            x, status = _walk(polygon, lowest, begin, end, frame, columns, row, area)
        if x == end:
            return status
    return split_row(polygon, x, frame, columns, row, area, work)


@inlined
def _columns_of(least: np.float32, most: np.float32, frame: RasterFrame) -> tuple[int, int]:
    """The columns begin:end of an x range (0, 0 for none), from -1 on: what is a column or more beside the grid must
    be cut off there."""
    first, last = (least - frame.x) * frame.columns_per_metre, (most - frame.x) * frame.columns_per_metre
    begin, end = np.int64(0), np.int64(0)
    if last > -1 and first < frame.width:
        # Compared before they are cast: a triangle may reach farther than an integer does.
        begin = np.int64(first) if first > -1 else np.int64(-1)
        end = np.int64(last) + 1 if last < frame.width else np.int64(frame.width)
    return begin, end


@inlined
def _line(frame: RasterFrame, column: int) -> np.float32:
    """Where a column ends. (Not where the next one begins, computed from its own number: float32 tells them apart.)"""
    return (frame.x + np.float32(column) * frame.cell_size) + frame.cell_size


@inlined
def _after(corner: int, count: int) -> int:
    return corner + 1 if corner + 1 < count else 0


@inlined
def _before(corner: int, count: int) -> int:
    return corner - 1 if corner > 0 else count - 1


@inlined
def _is_bitonic(xs: F32, count: int, lowest: int) -> bool:
    """Whether x only ascends and then only descends, seen from the lowest corner on."""
    corner = lowest
    descending = False
    for _ in range(count - 1):
        after = _after(corner, count)
        if xs[after] < xs[corner]:
            descending = True
        elif xs[after] > xs[corner] and descending:
            return False
        corner = after
    return True


@borrowing
def _walk(
    polygon: RowPolygon,
    lowest: int,
    begin: int,
    end: int,
    frame: RasterFrame,
    columns: Columns,
    row: int,
    area: np.int64,
) -> tuple[int, int]:
    """Walk both chains from column to column. Returns where to go on literally (`end` for nowhere), and a status."""
    xs, ys, count = polygon
    leaving, entering, ahead = _after(lowest, count), _before(lowest, count), count - 1  # corners not passed yet
    lx, ly, ex, ey = xs[lowest], ys[lowest], xs[lowest], ys[lowest]  # where each chain is
    ux, uy, vx, vy = xs[leaving], ys[leaving], xs[entering], ys[entering]  # the corner that each goes to
    both_low, both_high, fresh = _FAR, -_FAR, True  # the y of what both sides of the last line share
    for x in range(begin, end):
        line = _line(frame, x)
        low, high, both_low, both_high = both_low, both_high, _FAR, -_FAR
        tied = False  # the last corner that the entering chain has passed is on the line
        if fresh:
            if lx > line:
                continue
            tied = lx == line
            if not tied:
                low, high = ly, ly
        elif not (lx < line and ex < line):
            return x, DONE
        alone, fresh = tied, False  # alone: no other corner is below or on the line, nothing is left of it
        if ux <= line or vx <= line:
            alone = False
            while ahead > 0 and ux <= line:
                lx, ly = ux, uy
                low, high = min(low, ly), max(high, ly)
                if lx == line:
                    both_low, both_high = min(both_low, ly), max(both_high, ly)
                leaving, ahead = _after(leaving, count), ahead - 1
                ux, uy = xs[leaving], ys[leaving]
            while ahead > 0 and vx <= line:
                if tied:
                    both_low, both_high = min(both_low, ey), max(both_high, ey)
                ex, ey = vx, vy
                tied = ex == line
                if not tied:
                    low, high = min(low, ey), max(high, ey)
                entering, ahead = _before(entering, count), ahead - 1
                vx, vy = xs[entering], ys[entering]
            low, high = min(low, both_low), max(high, both_high)
            if ahead == 0 and x + 1 < end and _count_on(xs, count, line) > 2:
                return x, DONE
        if ahead > 0:
            lx, ly = _crossing(lx, ly, ux, uy, line)
            ex, ey = _crossing(vx, vy, ex, ey, line)
            both_low, both_high = min(both_low, min(ly, ey)), max(both_high, max(ly, ey))
            low, high = min(low, both_low), max(high, both_high)
        if x >= 0 and not alone and _emit((low, high), frame, columns, row + x, row + x + 1, area) != DONE:
            return end, TOO_TALL
        if ahead == 0:
            break
    return end, DONE


@borrowing
def _fill_level(
    polygon: RowPolygon,
    reach: tuple[np.float32, np.float32],
    begin: int,
    end: int,
    frame: RasterFrame,
    columns: Columns,
    row: int,
    area: np.int64,
) -> tuple[int, int]:
    """`_walk` where all corners are equally high, as floors are: a crossing's height is known, and its x is not needed.

    (p + 0 · t is p, and near the grid no crossing is rounded beyond the next line.) `reach`: the least and the most x.
    """
    xs, ys, count = polygon
    least, most = reach
    while begin < end and least > _line(frame, begin):
        begin += 1
    last = end - 1
    while last > begin and most <= _line(frame, last - 1):
        last -= 1
    if begin < end:
        line = _line(frame, begin)
        if least == line and _count_up_to(xs, count, line) == 1:  # a corner alone
            begin += 1
    literal = last + 1 < end and begin <= last and most <= _line(frame, last)
    literal = literal and _count_on(xs, count, _line(frame, last)) > 2
    stop = last if literal else last + 1
    begin = max(begin, np.int64(0))
    if begin < stop:
        status = _emit((ys[0], ys[0]), frame, columns, row + begin, row + stop, area)
        if status != DONE:
            return end, status
    return (last if literal else end), DONE


@inlined
def _crossing(
    px: np.float32, py: np.float32, qx: np.float32, qy: np.float32, line: np.float32
) -> tuple[np.float32, np.float32]:
    """Where the edge from p to q meets the line: always computed in the order of the corners."""
    to_p = line - px
    t = to_p / (to_p - (line - qx))
    return px + (qx - px) * t, py + (qy - py) * t


@inlined
def _count_up_to(xs: F32, count: int, line: np.float32) -> int:
    below = 0
    for corner in range(count):
        if xs[corner] <= line:
            below += 1
    return below


@inlined
def _count_on(xs: F32, count: int, line: np.float32) -> int:
    on = 0
    for corner in range(count):
        if xs[corner] == line:
            on += 1
    return on


@kernel
def split_row(
    polygon: RowPolygon, emit_from: int, frame: RasterFrame, columns: Columns, row: int, area: np.int64, work: F32
) -> int:
    """`rasterize_row` by literal cutting; columns before `emit_from` have their spans already."""
    xs, ys, count = polygon
    rest, cell, spare = work[ROW_REST], work[ROW_CELL], work[ROW_SPARE]
    least, most = xs[0], xs[0]
    for corner in range(count):
        rest[corner, X], rest[corner, Y], rest[corner, Z] = xs[corner], ys[corner], np.float32(0)
        least, most = min(least, xs[corner]), max(most, xs[corner])
    begin, end = _columns_of(least, most, frame)
    for x in range(begin, end):
        lows, highs = split(rest, count, _line(frame, x), _ALONG_X, cell, spare)
        if lows < 0:
            return TOO_WILD
        rest, spare = spare, rest
        count = highs
        if lows >= 3 and x >= max(emit_from, 0):
            low, high = cell[0, Y], cell[0, Y]
            for corner in range(1, lows):
                low, high = min(low, cell[corner, Y]), max(high, cell[corner, Y])
            if _emit((low, high), frame, columns, row + x, row + x + 1, area) != DONE:
                return TOO_TALL
    return DONE


@borrowing
def _emit(
    heights: tuple[np.float32, np.float32], frame: RasterFrame, columns: Columns, begin: int, end: int, area: np.int64
) -> int:
    """Insert what lies between two heights (metres) into columns begin:end, unless that is outside the bounds."""
    low, high = heights[0] - frame.y, heights[1] - frame.y
    if high < 0 or low > frame.tall:
        return DONE
    low, high = max(low, np.float32(0)) * frame.voxels_per_metre, min(high, frame.tall) * frame.voxels_per_metre
    if not (low < _HIGHEST and high <= _HIGHEST):
        return TOO_TALL
    bottom = np.int64(low)
    top = max(np.int64(np.ceil(high)), bottom + 1)
    cells, pool = columns
    for column in range(begin, end):
        insert_span(cells, pool, column, bottom, top, area, frame.merge_threshold)
    return DONE
