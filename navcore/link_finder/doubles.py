"""Links that say the same as others: jumps found from both sides, and small ones beside wider ones."""

from __future__ import annotations

import numpy as np

from ..jit import borrowing, kernel
from ..types import F64, I64, AnyInt, Bools
from .rules import DROP
from .wide import CHAIN, CORNERS, KIND

_SAME, _SAME_TURNED = 0.5, 0.8  # metres from the edges of a wider link, within which all corners of one say the same
_MOST_BUCKETS = 1000  # along each side of a level
_BESIDE = 1.0  # metres from the middles of a wider link to those of one that is narrower than an agent


def says_something(links: F64, agent_width: float) -> Bools:
    """Which links say something of their own; of two that say the same, the wider one, then the first."""
    if len(links) < 2:
        return np.ones(len(links), np.bool_)
    widths = widths_of(links)
    order = np.argsort(-np.round(widths, 6), kind="stable")
    corners = np.ascontiguousarray(links[:, CORNERS:CHAIN]).reshape(-1, 4, 3)
    kinds = links[:, KIND].astype(np.int64)
    return _kept_kernel(kinds, corners, *_boxes_kernel(corners), order, widths < agent_width)


def widths_of(links: F64) -> F64:
    """Metres of the edges where links start, seen from above."""
    left, right = CORNERS, CORNERS + 3
    return np.hypot(links[:, right] - links[:, left], links[:, right + 2] - links[:, left + 2])


@kernel
def _boxes_kernel(corners: F64) -> tuple[F64, F64]:
    """The lowest and the highest corner of the boxes around links, so wide that those beside them touch."""
    low, high = np.empty((len(corners), 3)), np.empty((len(corners), 3))
    for link in range(len(corners)):
        for axis in range(3):
            least = most = corners[link, 0, axis]
            for corner in range(1, 4):
                least, most = min(least, corners[link, corner, axis]), max(most, corners[link, corner, axis])
            low[link, axis], high[link, axis] = least - _BESIDE, most + _BESIDE
    return low, high


@kernel
def _kept_kernel(kinds: I64, corners: F64, low: F64, high: F64, order: I64, is_narrow: Bools) -> Bools:
    """In order, each link is compared with those kept before whose boxes touch its own: they lie in buckets near by."""
    is_kept = np.zeros(len(order), np.bool_)
    if len(order) == 0:
        return is_kept
    side = 0.0  # of a bucket: no box is longer
    for axis in (0, 2):
        begins = low[:, axis]
        side = max(side, (high[:, axis] - begins).max(), (begins.max() - begins.min()) / _MOST_BUCKETS)
    first_x, first_z = int(np.floor(low[:, 0].min() / side)), int(np.floor(low[:, 2].min() / side))
    columns = int(np.floor(low[:, 0].max() / side)) - first_x + 1
    rows = int(np.floor(low[:, 2].max() / side)) - first_z + 1
    newest, older = np.full(columns * rows, -1, np.int64), np.empty(len(order), np.int64)
    for one in order:
        column, row = int(np.floor(low[one, 0] / side)) - first_x, int(np.floor(low[one, 2] / side)) - first_z
        is_kept[one] = True
        for near in range(max(row - 1, 0), min(row + 2, rows)):
            for bucket in range(max(column - 1, 0) + near * columns, min(column + 2, columns) + near * columns):
                other = newest[bucket]
                while other >= 0 and is_kept[one]:
                    is_kept[one] = not _says_no_more(kinds, corners, low, high, is_narrow, one, other)
                    other = older[other]
        if is_kept[one]:
            older[one], newest[column + row * columns] = newest[column + row * columns], one
    return is_kept


@borrowing
def _says_no_more(kinds: I64, corners: F64, low: F64, high: F64, is_narrow: Bools, one: AnyInt, other: AnyInt) -> bool:
    """Whether a link says the same as one that comes before it, or is narrow and beside that one."""
    if (
        kinds[other] != kinds[one]
        or low[one, 0] > high[other, 0] or high[one, 0] < low[other, 0]
        or low[one, 2] > high[other, 2] or high[one, 2] < low[other, 2]
    ):  # fmt: skip
        return False
    both_ways = kinds[one] != DROP
    return says_the_same(corners[one], corners[other], both_ways) or (
        is_narrow[one] and _is_beside(corners[one], corners[other], both_ways)
    )


@borrowing
def says_the_same(one: F64, other: F64, both_ways: bool) -> bool:
    """Whether a link starts and ends where a wider one does, or the other way round."""
    for turned in range(2 if both_ways else 1):
        start, end, near = (2, 0, _SAME_TURNED) if turned else (0, 2, _SAME)  # of the other
        if (
            distance_to(one[0], other[start], other[start + 1]) <= near
            and distance_to(one[1], other[start], other[start + 1]) <= near
            and distance_to(one[2], other[end], other[end + 1]) <= near
            and distance_to(one[3], other[end], other[end + 1]) <= near
        ):
            return True
    return False


@borrowing
def _is_beside(one: F64, other: F64, both_ways: bool) -> bool:
    """Whether the middles of both ends of two links are near each other."""
    for turned in range(2 if both_ways else 1):
        start, end = (2, 0) if turned else (0, 2)
        if (
            _middles_apart(one, 0, other, start) <= _BESIDE
            and _middles_apart(one, 2, other, end) <= _BESIDE
        ):  # fmt: skip
            return True
    return False


@borrowing
def _middles_apart(one: F64, edge: int, other: F64, other_edge: int) -> float:
    total = 0.0
    for axis in range(3):
        away = one[edge, axis] + one[edge + 1, axis] - other[other_edge, axis] - other[other_edge + 1, axis]
        total += away * away / 4
    return np.sqrt(total)


@borrowing
def distance_to(point: F64, a: F64, b: F64) -> float:
    """The distance between a point and a segment."""
    square, dot = 0.0, 0.0
    for axis in range(3):
        along = b[axis] - a[axis]
        square += along * along
        dot += (point[axis] - a[axis]) * along
    part = min(max(dot / square, 0.0), 1.0) if square > 1e-12 else 0.0
    total = 0.0
    for axis in range(3):
        away = a[axis] + (b[axis] - a[axis]) * part - point[axis]
        total += away * away
    return np.sqrt(total)
