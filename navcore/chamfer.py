"""How far each open span is from the nearest edge, times two: the two sweeps that erosion and the distance field share.

A step along x or z counts 2, a diagonal one 3; a diagonal leads through the one neighbor that Recast goes through.
Spans of one column never interact, so that sweeping in the order of the span indices is sweeping row by row.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from .jit import kernel
from .threads import Workers
from .types import U16, CompactHeightfield

LEAST_SPANS = 250_000  # in one band: fewer are swept sooner than a thread wakes up


def edge_distance(compact: CompactHeightfield, same_area: bool, workers: Workers) -> U16:
    """(O,) chamfer distance to the nearest edge span; that one's own is 0, and none is 1.

    An edge span lacks a neighbor or, with `same_area`, has one of another area; without it, it is one that is not
    walkable or has such a neighbor. No distance exceeds twice the shorter side of the grid, so that 16 bits hold it.

    Bands of rows are swept at once, each as if nothing lay before it. Then each is swept again, in order, now from the
    true row before it and up to the first row that comes out as it was: the rest had been computed from that very row.
    """
    distance = np.empty(len(compact.floor), np.uint16)
    bands = row_bands(compact, workers)
    shared = (compact, distance, workers.progress.flag)
    _sweep_bands(_sweep_forward, (same_area, *shared), bands, workers)
    _sweep_bands(_sweep_back, shared, bands[::-1], workers)
    return distance


def _sweep_bands(
    sweep: Callable[..., None], shared: tuple[Any, ...], bands: list[tuple[int, int]], workers: Workers
) -> None:
    workers.run(sweep, [(*shared, *band, False) for band in bands])
    for band in bands[1:]:
        sweep(*shared, *band, True)
    workers.progress.check()  # a sweep returns early when it was cancelled


def row_bands(compact: CompactHeightfield, workers: Workers) -> list[tuple[int, int]]:
    """Ranges of rows with about as many spans each, one a thread."""
    if compact.width == 0:
        return []
    ends = [end for _, end in workers.bands(len(compact.floor), LEAST_SPANS)]
    rows = np.searchsorted(compact.first[:: compact.width], ends[:-1])
    return list(pairwise([0, *(int(row) for row in rows), compact.depth]))


@kernel
def _sweep_forward(same_area, compact, distance, flag, begin, end, mend):
    """Rows in ascending order: finds the edges, and distances by way of the row before and the span to the left."""
    width, first, neighbors, area = compact.width, compact.first, compact.neighbors, compact.area
    known = np.int32(0) if mend else first[begin * width]  # what lies before is another thread's
    for row in range(begin, end):
        if flag[0] != 0:
            return
        changed = False
        for span in range(first[row * width], first[(row + 1) * width]):
            left, after, right, before = neighbors[span, 0], neighbors[span, 1], neighbors[span, 2], neighbors[span, 3]
            value = np.int32(0)
            if (left | after | right | before) >= 0 and _inside(area, span, left, after, right, before, same_area):
                value = np.int32(distance[left]) + np.int32(2)
                corner = neighbors[left, 3]
                if corner >= known:
                    value = min(value, np.int32(distance[corner]) + np.int32(3))
                if before >= known:
                    value = min(value, np.int32(distance[before]) + np.int32(2))
                corner = neighbors[before, 2]
                if corner >= known:
                    value = min(value, np.int32(distance[corner]) + np.int32(3))
            changed |= np.int32(distance[span]) != value
            distance[span] = value
        if mend and not changed:
            return


@kernel
def _inside(area, span, left, after, right, before, same_area):
    """Whether a span with four neighbors is no edge by its areas. Bitwise: these branches would be hard to predict."""
    own = area[span]
    if same_area:
        return (area[left] == own) & (area[after] == own) & (area[right] == own) & (area[before] == own)
    return (own != 0) & (area[left] != 0) & (area[after] != 0) & (area[right] != 0) & (area[before] != 0)


@kernel
def _sweep_back(compact, distance, flag, begin, end, mend):
    """Rows in descending order: shorter distances by way of the row after and the span to the right."""
    width, first, neighbors = compact.width, compact.first, compact.neighbors
    known = first[-1] if mend else first[end * width]  # what lies from here on is another thread's
    for row in range(end - 1, begin - 1, -1):
        if flag[0] != 0:
            return
        changed = False
        for span in range(first[(row + 1) * width] - 1, first[row * width] - 1, -1):
            old = np.int32(distance[span])
            if old <= 2:  # an edge, or as near to one as can be
                continue
            after, right = neighbors[span, 1], neighbors[span, 2]  # both exist, as it is no edge
            value = min(old, np.int32(distance[right]) + np.int32(2))
            corner = neighbors[right, 1]
            if 0 <= corner < known:
                value = min(value, np.int32(distance[corner]) + np.int32(3))
            if after < known:
                value = min(value, np.int32(distance[after]) + np.int32(2))
            corner = neighbors[after, 0]
            if 0 <= corner < known:
                value = min(value, np.int32(distance[corner]) + np.int32(3))
            changed |= value != old
            distance[span] = value
        if mend and not changed:
            return
