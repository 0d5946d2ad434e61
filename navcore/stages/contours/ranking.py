"""A list that answers as if it were sorted, and sorts only as much of itself as it is asked about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...types import I64, U8, AnyInt

SMALL = 12  # blocks up to this size are sorted at once
LENGTH, ASKED, ROW = 0, 1, 2  # slots of `state`


class Ranking(NamedTuple):
    """Keys cut into blocks. What is in a block belongs there, but has no order yet; `cut` marks where blocks begin.

    A key is distance² · capacity + number: all keys of a list differ, and equal distances are ordered by number, as by
    a stable sort. Exact while distance² · capacity < 2⁶³.
    """

    keys: I64  # (2, capacity) the list, and room for the next one
    cut: U8  # (capacity + 1,) 1 where a block begins, and behind the last one
    state: I64  # (3,) how long the list is; how far old lists will be asked about; which row of `keys` is the list


def empty_ranking(capacity: int) -> Ranking:
    return Ranking(np.empty((2, capacity), np.int64), np.empty(capacity + 1, np.uint8), np.zeros(3, np.int64))


@kernel
def clear_ranking(ranking: Ranking, asked: int) -> None:
    """Forget everything. Ranks of `asked` and more will only be asked about in a list that is that long itself."""
    ranking.state[LENGTH], ranking.state[ASKED] = 0, asked


@kernel
def next_keys(ranking: Ranking) -> I64:
    """Where to write the next list."""
    return ranking.keys[1 - ranking.state[ROW]]


@kernel
def rank_anew(ranking: Ranking, count: int, lowest: int) -> None:
    """Lay the `count` new keys, sorted, over the beginning of the list. What lies behind them stays as it is.

    The block that the end of the new list would cut in two is cut there first: then every block still holds exactly
    what it would hold if all lists had been sorted, this one and those before. `lowest` is the place of the lowest key.
    """
    keys, cut, state = ranking
    if count == 0:
        return
    old, new = keys[state[ROW]], keys[1 - state[ROW]]
    if count < state[LENGTH] and count < state[ASKED]:
        _settle(old, cut, count)
        for i in range(count, state[LENGTH]):
            new[i] = old[i]
    else:
        state[LENGTH] = count
    state[ROW] = 1 - state[ROW]
    for i in range(count):
        cut[i] = 0
    new[0], new[lowest] = new[lowest], new[0]
    cut[0] = cut[1] = cut[count] = 1


@kernel
def ranked(ranking: Ranking, rank: AnyInt) -> np.int64:
    """The number stored at `rank` of the sorted list, -1 if nothing was ever written there."""
    keys, cut, state = ranking
    if rank >= state[LENGTH]:
        return np.int64(-1)
    key = keys[state[ROW]]
    if not (cut[rank] and cut[rank + 1]):
        _settle(key, cut, rank)
    return key[rank] % key.shape[0]


@kernel
def _settle(key: I64, cut: U8, rank: AnyInt) -> None:
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
def _partition(key: I64, low: AnyInt, high: AnyInt) -> AnyInt:
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
