"""Arrays: one that grows, sorting (merge sort), hash table sizes, numbers in ranges, and union-find."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from ..jit import kernel
from ..types import I32, I64, AnyArray, AnyInt

_Array = TypeVar("_Array", bound=AnyArray)


@kernel
def grown(rows: _Array, used: AnyInt, wanted: AnyInt) -> _Array:
    """The array itself where it has room for `wanted` rows, else a copy of those in use, at least twice as long."""
    if wanted <= rows.shape[0]:
        return rows
    larger = np.empty((max(2 * rows.shape[0], wanted), *rows.shape[1:]), rows.dtype)
    larger[:used] = rows[:used]
    return larger  # type: ignore[return-value]


@kernel
def power_of_two(minimum: AnyInt) -> int:
    """The smallest power of two that is not less than `minimum` nor than 2: the size of a tree or a hash table."""
    size = 2
    while size < minimum:
        size *= 2
    return size


@kernel
def order_of(keys: I64) -> I32:
    """(N,) the places of `keys` in ascending order, equal ones as they come."""
    count = keys.shape[0]
    order, merged = np.empty(count, np.int32), np.empty(count, np.int32)
    for i in range(count):
        order[i] = i
    run = 1
    while run < count:
        for begin in range(0, count, 2 * run):
            middle, end = min(begin + run, count), min(begin + 2 * run, count)
            left, right = begin, middle
            for place in range(begin, end):
                if left < middle and (right == end or keys[order[left]] <= keys[order[right]]):
                    merged[place] = order[left]
                    left += 1
                else:
                    merged[place] = order[right]
                    right += 1
        order, merged = merged, order
        run *= 2
    return order


def numbers_in_ranges(first: AnyArray, counts: AnyArray) -> I64:
    """first[0], first[0] + 1, … counts[0] of them, then those of the next range: rows that lie one after the other."""
    ends = np.cumsum(counts, dtype=np.int64)
    return np.repeat(first - (ends - counts), counts) + np.arange(int(ends[-1]) if len(ends) else 0)


@kernel
def root_of(parents: I32, member: np.int32) -> np.int32:
    """Union-find: who stands for all that `member` was joined to, the root of a chain of parents, halved on the way."""
    while parents[member] != member:
        parents[member] = parents[parents[member]]
        member = parents[member]
    return member


@kernel
def join(parents: I32, one: np.int32, other: np.int32) -> None:
    """Make two one; the lower of the two roots stands for both, so that the first member does in the end."""
    a, b = root_of(parents, one), root_of(parents, other)
    parents[max(a, b)] = min(a, b)


@kernel
def flatten(parents: I32) -> None:
    """Afterwards every member's parent is its root."""
    for member in range(len(parents)):
        parents[member] = root_of(parents, np.int32(member))
