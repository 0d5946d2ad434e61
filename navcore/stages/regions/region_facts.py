"""What is known about each region before regions are joined: its size, where it begins, what lies above and below."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...types import I16, I32, U8, CompactHeightfield
from .region_ids import POLL_EVERY
from .region_pairs import FEW_PAIRS, Pairs, PairsByRegion, add_pair, no_pairs, pairs_by_region, with_room

_BLOCK = 64  # columns that are looked at together


class RegionFacts(NamedTuple):
    """One row per id from 0 to the next free one (N of them), whether a span has it or not."""

    size: I32  # (N,) spans
    start: I32  # (N,) the first span in raster order, -1 for none
    area: U8  # (N,) area id
    overlapping: U8  # (N,) 1 where a region lies above itself
    floors: PairsByRegion  # other regions that share a column with it


@kernel
def find_facts(compact: CompactHeightfield, region: I16, next_id: int, cancelled: U8) -> RegionFacts:
    """Count and place all regions below `next_id`; not complete once `cancelled` is set. Borders are not regions."""
    ids = next_id + 1
    size, start = np.zeros(ids, np.int32), np.empty(ids, np.int32)
    area, overlapping = np.zeros(ids, np.uint8), np.zeros(ids, np.uint8)
    _measure(region, compact.area, size, start, area, cancelled)
    floors = no_pairs(FEW_PAIRS)
    column, room = _meet_in_columns(compact.first, region, overlapping, floors, 0, cancelled)
    while column >= 0:
        floors = with_room(floors, room)
        column, room = _meet_in_columns(compact.first, region, overlapping, floors, column, cancelled)
    return RegionFacts(size, start, area, overlapping, pairs_by_region(floors, ids))


@kernel
def _measure(region: I16, span_area: U8, size: I32, start: I32, area: U8, cancelled: U8) -> None:
    """Sizes and starts, by runs of the same region. (Long runs are cut, so that cancelling is seen.)"""
    for own in range(start.shape[0]):
        start[own] = -1
    span = 0
    while span < region.shape[0] and cancelled[0] == 0:
        own = region[span]
        begin, end = span, min(span + POLL_EVERY, region.shape[0])
        while span < end and region[span] == own:
            span += 1
        if own > 0:
            if size[own] == 0:
                start[own] = begin
                area[own] = span_area[begin]
            size[own] += span - begin


@kernel
def _meet_in_columns(
    first: I32, region: I16, overlapping: U8, floors: Pairs, column: int, cancelled: U8
) -> tuple[int, int]:
    """Enter the regions of each column into `floors`; returns -1, or the column to resume at and the room it needs."""
    table, listed, used = floors
    columns = first.shape[0] - 1
    before = 0  # the last column that was entered: the next one is mostly like it
    while column < columns and cancelled[0] == 0:
        block = min(column + _BLOCK, columns)
        if _tallest(first, column, block) < 2:
            column = block
            continue
        for c in range(column, block):
            begin, end = first[c], first[c + 1]
            if end - begin < 2 or (before < c and _same(first, region, before, c)):
                continue
            room = (end - begin) * (end - begin)
            if listed.shape[0] - used[0] < room:
                return c, room
            before = c
            for i in range(begin, end):
                for j in range(begin, end):
                    if i != j and region[i] > 0 and region[j] > 0:
                        if region[i] == region[j]:
                            overlapping[region[i]] = 1
                        else:
                            add_pair(table, listed, used, region[i], region[j])
        column = block
    return -1, 0


@kernel
def _tallest(first: I32, begin: int, end: int) -> np.int32:
    """The most spans in one of these columns. (Reads several columns at a time; most of a level has one storey.)"""
    offsets = first[begin : end + 1]
    most = np.int32(0)
    for k in range(offsets.shape[0] - 1):
        most = max(most, np.int32(offsets[k + 1] - offsets[k]))
    return most


@kernel
def _same(first: I32, region: I16, column: int, other: int) -> bool:
    """Do two columns hold the same regions?"""
    begin, there = first[column], first[other]
    spans = first[column + 1] - begin
    if spans != first[other + 1] - there:
        return False
    k = 0
    while k < spans and region[begin + k] == region[there + k]:
        k += 1
    return k == spans
