"""A list that answers as if it were sorted, and sorts only as much of itself as it is asked about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..types import I64, U8

SMALL = 12  # blocks up to this size are sorted at once


class Ranking(NamedTuple):
    """`key` is cut into blocks. What is in a block belongs there, but has no order yet; `cut` marks where blocks begin.

    A key is distance² · capacity + number: all keys of a list differ, and equal distances are ordered by number, as by
    a stable sort. Exact while distance² · capacity < 2⁶³.
    """

    key: I64  # (capacity,)
    cut: U8  # (capacity + 1,) 1 where a block begins, and behind the last one
    extent: I64  # (2,) how far `key` is written; how far old lists will be asked about
    fresh: I64  # (capacity,) the next list, to be filled by the caller


def empty_ranking(capacity: int) -> Ranking:
    return Ranking(
        np.empty(capacity, np.int64),
        np.empty(capacity + 1, np.uint8),
        np.zeros(2, np.int64),
        np.empty(capacity, np.int64),
    )


@kernel
def clear_ranking(ranking, asked):
    """Forget everything. Ranks of `asked` and more will only be asked about in a list that is that long itself."""
    ranking.extent[0], ranking.extent[1] = 0, asked


@kernel
def rank_anew(key, cut, extent, fresh, count):
    """Lay the `count` fresh keys, sorted, over the beginning of the list. What lies behind them stays as it is.

    The block that the end of the new list would cut in two is cut there first: then every block still holds exactly
    what it would hold if all lists had been sorted, this one and those before.
    """
    if count == 0:
        return
    if count < extent[0] and count < extent[1]:
        _settle(key, cut, count)
    else:
        extent[0] = count
    for i in range(count):
        key[i] = fresh[i]
        cut[i] = 0
    cut[0] = cut[count] = 1


@kernel
def ranked(key, cut, extent, rank):
    """The number stored at `rank` of the sorted list, -1 if nothing was ever written there."""
    if rank >= extent[0]:
        return np.int64(-1)
    if not (cut[rank] and cut[rank + 1]):
        _settle(key, cut, rank)
    return key[rank] % key.shape[0]


@kernel
def _settle(key, cut, rank):
    """Bring the key of this rank to its place: quicksort, but only the part in which it lies."""
    low, high = rank, rank + 1
    while not cut[low]:
        low -= 1
    while not cut[high]:
        high += 1
    while high - low > SMALL:
        middle = _partition(key, low, high)
        cut[middle] = cut[middle + 1] = 1
        if rank == middle:
            return
        if rank < middle:
            high = middle
        else:
            low = middle + 1
    for i in range(low + 1, high):
        value, j = key[i], i
        while j > low and key[j - 1] > value:
            key[j] = key[j - 1]
            j -= 1
        key[j] = value
    for i in range(low, high):
        cut[i] = 1


@kernel
def _partition(key, low, high):
    """Move smaller keys before and greater ones behind a pivot (the middle one of three); returns where it ends up."""
    last, middle = high - 1, (low + high) // 2
    a, b, c = key[low], key[middle], key[last]
    if (a < b) == (b < c):
        pivot = middle
    elif (b < a) == (a < c):
        pivot = low
    else:
        pivot = last
    key[pivot], key[last] = key[last], key[pivot]
    value, place = key[last], low
    for i in range(low, last):
        if key[i] < value:
            key[i], key[place] = key[place], key[i]
            place += 1
    key[last], key[place] = key[place], value
    return place
