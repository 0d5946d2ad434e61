"""Islands that were too small to stay: walkable ground that is in no region."""

from __future__ import annotations

import numpy as np

from ...geometry.arrays import root_of
from ...geometry.connected_parts import joined_parts
from ...jit import borrowing, kernel, stands_in_for
from ...types import I32, NOT_WALKABLE, U8, U16, CompactHeightfield

_SPANS_AT_ONCE = 1 << 8  # between two looks at the cancel flag


def count_removed(compact: CompactHeightfield, region: U16, cancelled: U8) -> int:
    """How many islands of walkable ground are in no region (O,); not complete once `cancelled` is set."""
    return int(_count_removed(compact.neighbors, compact.area, region, cancelled))


@kernel
def _count_removed(neighbors: I32, area: U8, region: U16, cancelled: U8) -> int:
    """Spans in no region are few, and only their labels are written."""
    count = 0
    for begin in range(0, region.shape[0], _SPANS_AT_ONCE):
        if cancelled[0] != 0:
            return 0
        count += _how_many(area, region, begin, min(begin + _SPANS_AT_ONCE, region.shape[0]))
    label, gone, listed = np.empty(region.shape[0], np.int32), np.empty(count, np.int32), 0
    for begin in range(0, region.shape[0], _SPANS_AT_ONCE):
        end = min(begin + _SPANS_AT_ONCE, region.shape[0])
        if listed == count or cancelled[0] != 0:
            break
        if _how_many(area, region, begin, end) == 0:
            continue
        for span in range(np.uint64(begin), np.uint64(end)):
            if region[span] == 0 and area[span] != NOT_WALKABLE:
                gone[listed], label[span] = span, span
                listed += 1
    parts = listed
    for number in range(listed):
        if cancelled[0] != 0:
            break
        span = gone[number]
        for direction in range(np.uint64(4)):
            beside = neighbors[np.uint32(span), direction]
            if beside < 0 or region[np.uint32(beside)] != 0 or area[np.uint32(beside)] == NOT_WALKABLE:
                continue
            a, b = root_of(label, span), root_of(label, beside)
            if a != b:
                label[max(a, b)] = min(a, b)
                parts -= 1
    return parts


@borrowing
def _how_many(area: U8, region: U16, begin: int, end: int) -> int:
    count = 0
    for span in range(np.uint64(begin), np.uint64(end)):
        count += (region[span] == 0) & (area[span] != NOT_WALKABLE)
    return count


@stands_in_for(_count_removed)
def _count_removed_by_arrays(neighbors: I32, area: U8, region: U16, _cancelled: U8) -> int:
    gone = np.flatnonzero((region == 0) & (area != NOT_WALKABLE))
    if len(gone) == 0:
        return 0
    beside = neighbors[gone]
    number = np.minimum(np.searchsorted(gone, beside), len(gone) - 1)
    one, direction = np.nonzero(gone[number] == beside)
    return int(joined_parts(len(gone), one, number[one, direction]).max()) + 1
