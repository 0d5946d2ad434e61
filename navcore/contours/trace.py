"""Walk around every region, along the edges of its cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..threads import Workers
from ..types import AREA_BORDER, BORDER_REGION, BORDER_VERTEX, I32, U8, U16, CompactHeightfield, Regions

SPANS_AT_ONCE = 1 << 22  # between two looks at the cancel flag


class Outlines(NamedTuple):
    """Walked outlines, all concatenated. Points are (x, y, z, link of the edge that ends there)."""

    first: I32  # (K + 1,)
    points: I32  # (., 4) vx, border included
    region: U16  # (K,)
    area: U8  # (K,)


def trace_outlines(compact: CompactHeightfield, regions: Regions, workers: Workers) -> Outlines:
    """One closed walk per outline and per hole of each region. Recast: walkContour.

    Recast cuts a walk after 39,999 steps and turns; this one goes on to the end.
    """
    spans = compact.floor.shape[0]
    sides = np.empty(spans, np.uint8)
    jobs = [(compact.neighbors, regions.region, sides, *band) for band in workers.bands(spans, 200_000, SPANS_AT_ONCE)]
    foreign = sum(workers.run(_mark_sides, jobs))
    # Every point uses up one foreign side, every walk has a point: memory that is not needed is never touched.
    points = np.empty((foreign, 4), np.int32)
    first = np.zeros(foreign + 1, np.int32)
    starts = np.empty(foreign, np.int32)
    count = 0
    for begin in range(0, spans, SPANS_AT_ONCE):
        workers.progress.check()
        end = min(begin + SPANS_AT_ONCE, spans)
        count = _walk_all(compact, regions.region, sides, points, first, starts, (begin, end, count))
    starts = starts[:count]
    first = first[: count + 1].copy()
    return Outlines(first, points[: first[count]], regions.region[starts], compact.area[starts])


@kernel
def _mark_sides(neighbors, region, sides, begin, end):
    """Bit d of `sides` is set where another region (or nothing) lies across direction d; returns how many bits are."""
    total = 0
    for span in range(begin, end):
        own = np.int32(region[span])
        bits = 0
        if own != 0 and own & BORDER_REGION == 0:
            for direction in range(4):
                neighbor = neighbors[span, direction]
                if neighbor < 0 or np.int32(region[neighbor]) != own:
                    bits |= 1 << direction
                    total += 1
        sides[span] = bits
    return total


@kernel
def _walk_all(compact, region, sides, points, first, starts, state):
    """Start a walk at every span of begin … end that still has a foreign side; returns the number of walks so far.

    One walk a span: what it leaves there is another loop through the same cell, found from a later cell of that loop.
    """
    width, columns, floor = compact.width, compact.first, compact.floor
    neighbors, area = compact.neighbors, compact.area
    begin, end, count = state
    for span in range(begin, end):
        if sides[span] == 0:
            continue
        if sides[span] == 15:  # a region of one cell
            sides[span] = 0
            continue
        column = _column_of(columns, span)
        x, z = column % width, column // width
        starts[count] = span
        first[count + 1] = _walk(floor, neighbors, area, region, sides, points, first[count], span, x, z)
        count += 1
    return count


@kernel
def _column_of(columns, span):
    """The column that owns a span: the last one that begins at or before it."""
    low, high = 0, columns.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if columns[middle] <= span:
            low = middle
        else:
            high = middle
    return low


@kernel
def _walk(floor, neighbors, area, region, sides, points, count, span, x, z):
    """Follow the region's edge from `span` until back at the first side; returns the number of points.

    Links that are not mutual (two floors of one column within reach of one span) can trap a walk in a circle that adds
    no points. It is noticed by coming back to a state remembered 8, 16, 32 … steps after the last point (Brent).
    """
    direction = 0
    while not sides[span] >> direction & 1:
        direction += 1
    first_span, first_direction = span, direction
    own_area = area[span]
    trap_span, trap_direction, quiet, patience = -1, 0, 0, 8
    while True:
        if sides[span] >> direction & 1:
            neighbor = neighbors[span, direction]
            y, link = _corner(floor, neighbors, area, region, span, direction)
            if neighbor >= 0:
                link |= np.int32(region[neighbor])
                if area[neighbor] != own_area:
                    link |= AREA_BORDER
            points[count, 0] = x + (direction == 1 or direction == 2)
            points[count, 1] = y
            points[count, 2] = z + (direction <= 1)
            points[count, 3] = link
            count += 1
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
def _corner(floor, neighbors, area, region, span, direction):
    """Height of the corner that ends side `direction`: the highest of the floors that meet there; and its link bits."""
    turned = (direction + 1) & 3
    y = np.int32(floor[span])
    own, across, diagonal, beside = np.int32(region[span]) | np.int32(area[span]) << 16, 0, 0, 0
    neighbor = neighbors[span, direction]
    if neighbor >= 0:
        y = max(y, np.int32(floor[neighbor]))
        across = np.int32(region[neighbor]) | np.int32(area[neighbor]) << 16
        far = neighbors[neighbor, turned]
        if far >= 0:
            y = max(y, np.int32(floor[far]))
            diagonal = np.int32(region[far]) | np.int32(area[far]) << 16
    neighbor = neighbors[span, turned]
    if neighbor >= 0:
        y = max(y, np.int32(floor[neighbor]))
        beside = np.int32(region[neighbor]) | np.int32(area[neighbor]) << 16
        far = neighbors[neighbor, direction]
        if far >= 0:  # over this way there may lie another floor than over the first
            y = max(y, np.int32(floor[far]))
            diagonal = np.int32(region[far]) | np.int32(area[far]) << 16
    if (own | across | diagonal | beside) & BORDER_REGION == 0:
        return y, 0
    if own == 0 or across == 0 or diagonal == 0 or beside == 0:
        return y, 0
    if (
        _on_border(own, across, diagonal, beside)
        or _on_border(across, diagonal, beside, own)
        or _on_border(diagonal, beside, own, across)
        or _on_border(beside, own, across, diagonal)
    ):
        return y, BORDER_VERTEX
    return y, 0


@kernel
def _on_border(a, b, c, d):
    """Do a and b lie in one strip of the tile's border, c and d inside the tile on ground of one area?"""
    return a == b and a & BORDER_REGION != 0 and (c | d) & BORDER_REGION == 0 and c >> 16 == d >> 16
