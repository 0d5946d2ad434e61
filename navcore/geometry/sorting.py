"""Sorting inside kernels: Numba's own takes longer to compile than most kernels."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..types import I32, I64


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
