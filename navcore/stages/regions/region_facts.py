"""What is known about each region before regions are joined: its size, where it begins, what lies above and below.

Also how many ids there are, what a kernel returns in place of the next free one, and sets of pairs of regions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import Cancelled, TooLarge
from ...geometry.arrays import power_of_two
from ...jit import kernel, stands_in_for
from ...types import BORDER_REGION, I16, I32, U8, CompactHeightfield

POLL_EVERY = 1 << 18  # spans between two looks at the cancel flag
LAST_ID = BORDER_REGION - 1  # before small regions are joined or removed
STOPPED = -1  # the caller has cancelled
TOO_MANY = -2  # a region would need an id that means a tile's border


def checked(next_id: int) -> int:
    """`next_id`, or the error it stands for."""
    if next_id == STOPPED:
        raise Cancelled
    if next_id == TOO_MANY:
        raise TooLarge(
            f"The floor falls into more than {LAST_ID:,} regions before small ones are joined or removed "
            "(that many is the limit). Use tiles, raise Cell Size or select less."
        )
    return next_id


FEW_PAIRS = 1024  # room to begin with
_BITS = 16  # of a region's id, in a pair
_OTHER = (1 << _BITS) - 1  # what masks a pair's second id


class RegionPairs(NamedTuple):
    """A set of (region, other), kept as region << _BITS | other."""

    table: I32  # (power of two,) an open hash table, 0 for free; at most half full
    listed: I32  # (half of that,) as they came
    used: I32  # (1,) how many are listed


class PairsByRegion(NamedTuple):
    """The same, by region: those of region r are other[first[r]:first[r + 1]]."""

    first: I32  # (N + 1,)
    other: I32


@kernel
def no_pairs(room: int) -> RegionPairs:
    """An empty set with room for at least `room` pairs."""
    size = power_of_two(2 * room)
    return RegionPairs(np.zeros(size, np.int32), np.empty(size // 2, np.int32), np.zeros(1, np.int32))


@kernel
def add_pair(table: I32, listed: I32, used: I32, region: int, other: int) -> None:
    """Put the pair into the set if it isn't there; there must be room for it."""
    pair = (np.int64(region) << _BITS) | np.int64(other)
    mask = table.shape[0] - 1
    slot = ((pair * 0x9E3779B1) >> 17) & mask  # by the golden ratio
    while table[slot] != 0:
        if table[slot] == pair:
            return
        slot = (slot + 1) & mask
    table[slot] = pair
    listed[used[0]] = pair
    used[0] += 1


@kernel
def with_room(pairs: RegionPairs, room: int) -> RegionPairs:
    """The same pairs with room for `room` more, and twice as large at least."""
    larger = no_pairs(max(pairs.used[0] + room, 2 * pairs.listed.shape[0]))
    table, listed, used = larger
    for i in range(pairs.used[0]):
        add_pair(table, listed, used, pairs.listed[i] >> _BITS, pairs.listed[i] & _OTHER)
    return larger


@kernel
def pairs_by_region(pairs: RegionPairs, regions: int) -> PairsByRegion:
    """Group pairs by their region, in the same order."""
    listed, count = pairs.listed, pairs.used[0]
    first, other = np.zeros(regions + 1, np.int32), np.empty(count, np.int32)
    for i in range(count):
        first[(listed[i] >> _BITS) + 1] += 1
    for region in range(first.shape[0] - 1):
        first[region + 1] += first[region]
    place = first.copy()
    for i in range(count):
        region = listed[i] >> _BITS
        other[place[region]] = listed[i] & _OTHER
        place[region] += 1
    return PairsByRegion(first, other)


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


@stands_in_for(_measure)
def _measure_by_arrays(region: I16, span_area: U8, size: I32, start: I32, area: U8, cancelled: U8) -> None:
    start[:] = -1
    if cancelled[0] == 0:
        spans = np.flatnonzero(region > 0)
        owners, first = np.unique(region[spans], return_index=True)
        start[owners], area[owners] = spans[first], span_area[spans[first]]
        size += np.bincount(region[spans], minlength=len(size)).astype(np.int32)


@kernel
def _meet_in_columns(
    first: I32, region: I16, overlapping: U8, floors: RegionPairs, column: int, cancelled: U8
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
