"""Pairs of regions, each once and in the order of first sight: which lie in one column, which are neighbors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..types import I32


class Pairs(NamedTuple):
    """A set of (region, other), kept as region << 16 | other."""

    table: I32  # (power of two,) an open hash table, 0 for free; at most half full
    listed: I32  # (half of that,) as they came
    used: I32  # (1,) how many are listed


class Others(NamedTuple):
    """The same, by region: those of region r are other[first[r]:first[r + 1]]."""

    first: I32  # (N + 1,)
    other: I32


def no_pairs(room: int = 1024) -> Pairs:
    """An empty set with room for at least `room` pairs."""
    size = 1 << (2 * room - 1).bit_length()
    return Pairs(np.zeros(size, np.int32), np.empty(size // 2, np.int32), np.zeros(1, np.int32))


def with_room(pairs: Pairs, room: int) -> Pairs:
    """The same pairs with room for `room` more, and twice as large at least."""
    larger = no_pairs(max(int(pairs.used[0]) + int(room), 2 * len(pairs.listed)))
    _copy(pairs, larger)
    return larger


def by_region(pairs: Pairs, regions: int) -> Others:
    """Group pairs by their region, order kept."""
    grouped = Others(np.zeros(regions + 1, np.int32), np.empty(pairs.used[0], np.int32))
    _group(pairs, grouped)
    return grouped


@kernel
def add_pair(table, listed, used, region, other):
    """Put the pair into the set if it isn't there; there must be room for it."""
    pair = (np.int64(region) << 16) | np.int64(other)
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
def _copy(pairs, larger):
    table, listed, used = larger
    for i in range(pairs.used[0]):
        add_pair(table, listed, used, pairs.listed[i] >> 16, pairs.listed[i] & 0xFFFF)


@kernel
def _group(pairs, grouped):
    listed, count = pairs.listed, pairs.used[0]
    first, other = grouped
    for i in range(count):
        first[(listed[i] >> 16) + 1] += 1
    for region in range(first.shape[0] - 1):
        first[region + 1] += first[region]
    place = first.copy()
    for i in range(count):
        region = listed[i] >> 16
        other[place[region]] = listed[i] & 0xFFFF
        place[region] += 1
