"""Walk around every region, along the edges of its cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import borrowing, kernel, stands_in_for
from ...threads import Workers
from ...types import AREA_BORDER, BORDER_REGION, BORDER_VERTEX, I32, LINK, U8, U16, AnyInt, CompactHeightfield, Regions

SPANS_AT_ONCE = 1 << 19  # between two looks at the cancel flag
_POLL = 0xFFFF  # points, or eights of spans, between two looks at it, less one
_ALL_SIDES = 0b1111  # of a span: it is a region of one cell


class WalkedOutlines(NamedTuple):
    """Walked outlines, all concatenated. Points are (x, y, z, link of the edge that ends there)."""

    first: I32  # (K + 1,)
    points: I32  # (., 4) vx, border included
    region: U16  # (K,)
    area: U8  # (K,)


class WalkedSpans(NamedTuple):
    """What a walk looks at."""

    floor: U16  # (O,) vx
    neighbors: I32  # (O, 4)
    area: U8  # (O,)
    region: U16  # (O,)
    bordered: bool  # whether there is a tile's border
    sides: U8  # (O or more,) which sides of each are still to be walked along
    cancelled: U8


def trace_outlines(compact: CompactHeightfield, regions: Regions, workers: Workers) -> WalkedOutlines:
    """One closed walk per outline and per hole of each region. Recast: walkContour.

    Recast cuts a walk after 39,999 steps and turns; this one goes on to the end.
    """
    region, spans, cancelled = regions.region, compact.floor.shape[0], workers.progress.cancelled
    sides = no_sides(spans)
    jobs = [(compact.neighbors, region, sides, *band) for band in workers.bands(spans, 200_000, SPANS_AT_ONCE)]
    foreign, bordered = zip(*workers.run(mark_sides, jobs), strict=True)
    outlines: WalkedOutlines = walk_all(compact, region, any(bordered), sides, sum(foreign), cancelled)
    workers.progress.check()
    return outlines


@kernel
def no_sides(spans: int) -> U8:
    """(spans rounded up to eights,) marks for `mark_sides` to set, none set where there is no span."""
    sides = np.empty((spans + 7) // 8 * 8, np.uint8)
    sides[spans:] = 0
    return sides


@kernel
def mark_sides(neighbors: I32, region: U16, sides: U8, begin: int, end: int) -> tuple[int, bool]:
    """Set bit d of `sides`, and no others, where another region (or nothing) lies across direction d.

    Returns how many bits are set, and whether there is a tile's border.
    """
    total, bordered = 0, False
    for span in range(begin, end):
        own, sides[span] = region[span], 0
        if own == 0 or own & BORDER_REGION != 0:
            bordered |= own != 0
            continue
        a, b, c, d = neighbors[span, 0], neighbors[span, 1], neighbors[span, 2], neighbors[span, 3]
        if a | b | c | d >= 0:  # most spans lie inside their region; unsigned, as Numba then need not test for a[-1]
            a, b, c, d = np.uint32(a), np.uint32(b), np.uint32(c), np.uint32(d)
            if region[a] == own and region[b] == own and region[c] == own and region[d] == own:
                continue
        bits = 0
        for direction in range(4):
            neighbor = neighbors[span, direction]
            if neighbor < 0 or region[neighbor] != own:
                bits |= 1 << direction
                total += 1
        sides[span] = bits
    return total, bordered


@stands_in_for(mark_sides)
def _mark_sides_by_arrays(neighbors: I32, region: U16, sides: U8, begin: int, end: int) -> tuple[int, bool]:
    own, beside = region[begin:end], neighbors[begin:end]
    in_border = own & BORDER_REGION != 0
    counts = (own != 0) & ~in_border
    foreign = counts[:, None] & ((beside < 0) | (region[np.maximum(beside, 0)] != own[:, None]))
    sides[begin:end] = foreign @ np.array((1, 2, 4, 8), np.uint8)
    return int(np.count_nonzero(foreign)), bool(in_border.any())


@kernel
def walk_all(
    compact: CompactHeightfield, region: U16, bordered: bool, sides: U8, foreign: int, cancelled: U8
) -> WalkedOutlines:
    """Start a walk at every span that still has a foreign side. Stops if cancelled.

    `foreign` is the number of foreign sides. One walk a span: what it leaves there is another loop through the same
    cell, found from a later cell of that loop.
    """
    width, columns, floor = compact.width, compact.first, compact.floor
    spans = WalkedSpans(floor, compact.neighbors, compact.area, region, bordered, sides, cancelled)
    # Every point uses up one foreign side, every walk has a point: memory that is not needed is never touched.
    points = np.empty((foreign, 4), np.int32)
    first, starts = np.empty(foreign + 1, np.int32), np.empty(foreign, np.int32)
    first[0], count = 0, 0
    scanned = sides.view(np.uint64)  # eight spans in one number
    for eight in range(scanned.shape[0]):
        if eight & _POLL == 0 and cancelled[0] != 0:
            break
        if scanned[eight] == 0:
            continue
        for span in range(8 * eight, 8 * eight + 8):
            if sides[span] == 0 or cancelled[0] != 0:
                continue
            if sides[span] == _ALL_SIDES:
                sides[span] = 0
                continue
            column = _column_of(columns, span)
            x, z = column % width, column // width
            end = _walk(spans, points, first[count], span, x, z)
            starts[count] = span
            count += 1
            first[count] = end
    own_region, own_area = np.empty(count, np.uint16), np.empty(count, np.uint8)
    for k in range(count):
        own_region[k], own_area[k] = region[starts[k]], compact.area[starts[k]]
    return WalkedOutlines(first[: count + 1].copy(), points[: first[count]], own_region, own_area)


@kernel
def _column_of(columns: I32, span: int) -> int:
    """The column that owns a span: the last one that begins at or before it."""
    low, high = 0, columns.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if columns[middle] <= span:
            low = middle
        else:
            high = middle
    return low


@borrowing
def _walk(spans: WalkedSpans, points: I32, count: int, span: int, x: int, z: int) -> int:
    """Follow the region's edge from `span` until back at the first side, or cancelled; returns the number of points.

    Links that are not mutual (two floors of one column within reach of one span) can trap a walk in a circle that adds
    no points. It is noticed by coming back to a state remembered 8, 16, 32 … steps after the last point (Brent).
    """
    floor, neighbors, area, region, bordered, sides, cancelled = spans
    direction = 0
    while not sides[span] >> direction & 1:
        direction += 1
    first_span, first_direction = span, direction
    own_area = area[span]
    trap_span, trap_direction, quiet, patience = -1, 0, 0, 8
    while True:
        if sides[span] >> direction & 1:
            neighbor = neighbors[span, direction]
            link: AnyInt = 0
            if bordered and _is_border_vertex(neighbors, area, region, span, direction):
                link = BORDER_VERTEX
            if neighbor >= 0:
                link |= np.int32(region[neighbor])
                if area[neighbor] != own_area:
                    link |= AREA_BORDER
            points[count, 0] = x + (direction == 1 or direction == 2)
            points[count, 1] = _corner_height(floor, neighbors, span, direction)
            points[count, 2] = z + (direction <= 1)
            points[count, LINK] = link
            count += 1
            if count & _POLL == 0 and cancelled[0] != 0:
                return count
            sides[span] ^= 1 << direction
            direction = (direction + 1) & 3
            trap_span, quiet, patience = -1, 0, 8
        else:
            neighbor = neighbors[span, direction]
            if neighbor < 0:
                return count
            span = neighbor
            x += (direction == 2) - (direction == 0)
            z += (direction == 1) - (direction == 3)
            direction = (direction + 3) & 3
            quiet += 1
            if span == trap_span and direction == trap_direction:
                return count
            if quiet == patience:
                trap_span, trap_direction, patience = span, direction, patience * 2
        if span == first_span and direction == first_direction:
            return count


@kernel
def _corner_height(floor: U16, neighbors: I32, span: int, direction: int) -> np.int32:
    """The highest of the floors that meet at the end of side `direction`. Recast: getCornerHeight."""
    turned = (direction + 1) & 3
    y = np.int32(floor[span])
    for way, other in ((direction, turned), (turned, direction)):  # they may lead to different floors of one column
        neighbor = neighbors[span, way]
        if neighbor >= 0:
            y = max(y, np.int32(floor[neighbor]))
            far = neighbors[neighbor, other]
            if far >= 0:
                y = max(y, np.int32(floor[far]))
    return y


@kernel
def _is_border_vertex(neighbors: I32, area: U8, region: U16, span: int, direction: int) -> bool:
    """Does the corner that ends side `direction` only separate a tile's border from its inside? (It can go later.)"""
    turned = (direction + 1) & 3
    across, beside = neighbors[span, direction], neighbors[span, turned]
    if across < 0 or beside < 0:
        return False
    diagonal = neighbors[beside, direction]  # the way that Recast goes last counts
    if diagonal < 0:
        diagonal = neighbors[across, turned]
    if diagonal < 0:
        return False
    a, b = _code(area, region, span), _code(area, region, across)
    c, d = _code(area, region, diagonal), _code(area, region, beside)
    if a == 0 or b == 0 or c == 0 or d == 0:
        return False
    return _on_border(a, b, c, d) or _on_border(b, c, d, a) or _on_border(c, d, a, b) or _on_border(d, a, b, c)


@kernel
def _code(area: U8, region: U16, span: int) -> np.int32:
    return np.int32(region[span]) | np.int32(area[span]) << 16


@kernel
def _on_border(a: np.int32, b: np.int32, c: np.int32, d: np.int32) -> bool:
    """Do a and b lie in one strip of the tile's border, c and d inside the tile on ground of one area?"""
    return a == b and a & BORDER_REGION != 0 and (c | d) & BORDER_REGION == 0 and c >> 16 == d >> 16
