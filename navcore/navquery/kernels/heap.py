"""A heap of what waits in a search, the least key on top, for searches of our own.

Detour's, whose order of equals counts, is in node_pool.py.
"""

from __future__ import annotations

import numpy as np

from ...jit import inlined
from ...types import F64, I32, I64, AnyInt

WAITING = 1  # column of `counts`: how many wait


@inlined
def push(heap: I32, keys: F64, counts: I64, item: AnyInt, key: float) -> None:
    place = counts[WAITING]
    counts[WAITING] = place + 1
    while place > 0:
        above = (place - 1) >> 1
        if not keys[above] > key:
            break
        heap[place], keys[place] = heap[above], keys[above]
        place = above
    heap[place], keys[place] = item, key


@inlined
def pop(heap: I32, keys: F64, counts: I64) -> np.int32:
    least = heap[0]
    size = counts[WAITING] - 1
    counts[WAITING] = size
    last, key = heap[size], keys[size]
    place, child = np.int64(0), np.int64(1)
    while child < size:
        if child + 1 < size and keys[child] > keys[child + 1]:
            child += 1
        if not key > keys[child]:
            break
        heap[place], keys[place] = heap[child], keys[child]
        place = child
        child = 2 * place + 1
    if size > 0:
        heap[place], keys[place] = last, key
    return least
