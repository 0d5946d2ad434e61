"""Smoothing: each walkable span takes the median of the areas around it."""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...threads import Workers
from ...types import I32, NOT_WALKABLE, U8, CompactHeightfield
from .span_bands import bands_of_spans


def median_filter_walkable_area(compact: CompactHeightfield, workers: Workers) -> CompactHeightfield:
    """Give each walkable span the median of its area and its neighbors', so that specks vanish.

    Recast: rcMedianFilterWalkableArea.
    """
    links = compact.neighbors.reshape(-1)
    area = np.empty_like(compact.area)
    bands = bands_of_spans(len(area), workers)
    workers.run(_median, [(links, compact.area, area, *band) for band in bands])
    return compact._replace(area=area)


@kernel
def _median(links: I32, old: U8, new: U8, begin: int, end: int) -> None:
    """`links[4 * span + direction]` is a neighbor: a flat array is faster to read than an (O, 4) one."""
    around = np.empty(9, np.uint8)
    for span in range(begin, end):
        own = old[span]
        new[span] = own
        if own == NOT_WALKABLE:
            continue
        around[:] = own
        others = 0
        for direction in range(4):
            near = links[4 * span + direction]
            for place in range(2 * direction, 2 * direction + 2):  # the neighbor, then the corner reached through it
                if near >= 0:
                    area = old[near]
                    if area != NOT_WALKABLE and area != own:
                        around[place] = area
                        others += 1
                    near = links[4 * near + ((direction + 1) & 3)]
        if others > 4:  # else at least five of the nine are its own
            new[span] = _middle_of_nine(around)


@kernel
def _middle_of_nine(values: U8) -> np.uint8:
    """The fifth of nine values in order; `values` is sorted."""
    for i in range(1, 9):
        value = values[i]
        place = i
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value
    return values[4]
