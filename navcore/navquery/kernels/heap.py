"""A priority queue for searches: a binary heap, the least key on top.

Detour's, whose order of equals counts, is in node_pool.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import borrowing, inlined, kernel
from ...types import F64, I32, I64, AnyBool, AnyInt


class Heap(NamedTuple):
    """What waits in a search."""

    items: I32
    keys: F64
    size: I64  # (1,) how many wait


@kernel
def new_heap(room: int) -> Heap:
    return Heap(np.empty(room, np.int32), np.empty(room), np.zeros(1, np.int64))


@inlined
def _comes_first(key: float, item: AnyInt, other_key: float, other: AnyInt, by_item: bool) -> AnyBool:
    return key < other_key or (by_item and key == other_key and item < other)


@borrowing
def push(heap: Heap, item: AnyInt, key: float, by_item: bool = False) -> None:
    """Let an item wait, where there is room. `by_item`: of equal keys the least item is on top, here and in `pop`."""
    place = heap.size[0]
    heap.size[0] = place + 1
    while place > 0:
        above = (place - 1) >> 1
        if not _comes_first(key, item, heap.keys[above], heap.items[above], by_item):
            break
        heap.items[place], heap.keys[place] = heap.items[above], heap.keys[above]
        place = above
    heap.items[place], heap.keys[place] = item, key


@borrowing
def pop(heap: Heap, by_item: bool = False) -> np.int32:
    """Take out the item with the least key."""
    items, keys = heap.items, heap.keys
    first = items[0]
    size = heap.size[0] - 1
    heap.size[0] = size
    last, key = items[size], keys[size]
    place, child = np.int64(0), np.int64(1)
    while child < size:
        if child + 1 < size and _comes_first(keys[child + 1], items[child + 1], keys[child], items[child], by_item):
            child += 1
        if not _comes_first(keys[child], items[child], key, last, by_item):
            break
        items[place], keys[place] = items[child], keys[child]
        place = child
        child = 2 * place + 1
    if size > 0:
        items[place], keys[place] = last, key
    return first
