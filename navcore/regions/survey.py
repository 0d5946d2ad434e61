"""What is known about each region before regions are joined: its size, where it begins, what lies above and below."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..types import I32, U8, U16, CompactHeightfield
from .pairs import Others, add_pair, by_region, no_pairs, with_room


class Survey(NamedTuple):
    """One row per id from 0 to the next free one (N of them), whether a span has it or not."""

    size: I32  # (N,) spans
    start: I32  # (N,) the first span in raster order, -1 for none
    area: U8  # (N,) area id
    overlapping: U8  # (N,) 1 where a region lies above itself
    floors: Others  # other regions that share a column with it


def survey_regions(compact: CompactHeightfield, region: U16, next_id: int) -> Survey:
    """Count and place all regions below `next_id`. Borders are not regions."""
    ids = next_id + 1
    size, start = np.zeros(ids, np.int32), np.full(ids, -1, np.int32)
    area, overlapping = np.zeros(ids, np.uint8), np.zeros(ids, np.uint8)
    signed = region.view(np.int16)
    _measure(signed, compact.area, size, start, area)
    floors, column = no_pairs(), 0
    while True:
        column, room = _meet_in_columns(compact.first, signed, overlapping, floors, column)
        if column < 0:
            break
        floors = with_room(floors, room)
    return Survey(size, start, area, overlapping, by_region(floors, ids))


@kernel
def _measure(region, span_area, size, start, area):
    span = 0
    while span < region.shape[0]:
        own = region[span]
        begin = span
        while span < region.shape[0] and region[span] == own:
            span += 1
        if own > 0:
            if size[own] == 0:
                start[own] = begin
                area[own] = span_area[begin]
            size[own] += span - begin


@kernel
def _meet_in_columns(first, region, overlapping, floors, column):
    """Enter the regions of each column into `floors`. Where there is no room: (column to resume at, room needed)."""
    table, listed, count = floors
    before = 0  # the last column with several spans: the next one is mostly like it
    for c in range(column, first.shape[0] - 1):
        begin, end = first[c], first[c + 1]
        if end - begin < 2:
            continue
        same = end - begin == first[before + 1] - first[before] and before < c
        j = first[before]
        i = begin
        while same and i < end:
            same = region[i] == region[j]
            i += 1
            j += 1
        if same:
            continue
        if listed.shape[0] - count[0] < (end - begin) * (end - begin):
            return c, (end - begin) * (end - begin)
        before = c
        for i in range(begin, end):
            for j in range(begin, end):
                if i != j and region[i] > 0 and region[j] > 0:
                    if region[i] == region[j]:
                        overlapping[region[i]] = 1
                    else:
                        add_pair(table, listed, count, region[i], region[j])
    return -1, 0
