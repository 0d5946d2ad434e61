"""Pairs of regions, each once and in the order of first sight: which lie in one column, which are neighbors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.arrays import power_of_two
from ...jit import kernel
from ...types import I32

FEW_PAIRS = 1024  # room to begin with
_BITS = 16  # of a region's id, in a pair
_OTHER = (1 << _BITS) - 1  # what masks a pair's second id


class Pairs(NamedTuple):
    """A set of (region, other), kept as region << _BITS | other."""

    table: I32  # (power of two,) an open hash table, 0 for free; at most half full
    listed: I32  # (half of that,) as they came
    used: I32  # (1,) how many are listed


class PairsByRegion(NamedTuple):
    """The same, by region: those of region r are other[first[r]:first[r + 1]]."""

    first: I32  # (N + 1,)
    other: I32


@kernel
def no_pairs(room: int) -> Pairs:
    """An empty set with room for at least `room` pairs."""
    size = power_of_two(2 * room)
    return Pairs(np.zeros(size, np.int32), np.empty(size // 2, np.int32), np.zeros(1, np.int32))


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
def with_room(pairs: Pairs, room: int) -> Pairs:
    """The same pairs with room for `room` more, and twice as large at least."""
    larger = no_pairs(max(pairs.used[0] + room, 2 * pairs.listed.shape[0]))
    table, listed, used = larger
    for i in range(pairs.used[0]):
        add_pair(table, listed, used, pairs.listed[i] >> _BITS, pairs.listed[i] & _OTHER)
    return larger


@kernel
def pairs_by_region(pairs: Pairs, regions: int) -> PairsByRegion:
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
