"""A bounding tree over the triangles of a level, four boxes to a node, so that a processor looks at them at once.

Boxes are halved where their surfaces suggest that rays meet the fewest triangles. Four triangles at most lie in a leaf,
as a block whose numbers stand side by side. Nothing here depends on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, kernel
from ..types import F32, F64, I32, I64, AnyInt

WIDE = 4  # boxes of a node, triangles of a leaf
NOTHING = np.iinfo(np.int32).max  # where a node has fewer boxes
_BINS = 16  # places along an axis at which a box may be cut
_LEVELS = 24  # of halves by their surfaces; deeper ones are halved by number, so that the tree ends
DEEPEST = 192  # nodes that wait at most: 3 of each of at most (24 + 31) / 2 levels, and more room than that
_FAR, _ENDLESS = np.float32(3e38), np.float32(np.inf)


class TriangleTree(NamedTuple):
    """N nodes over B blocks of triangles. Coordinates are those that were given, as float32."""

    boxes: F32  # (N, 6, 4) lowest x, y, z and highest x, y, z of each of four boxes
    inside: I32  # (N, 4) what is in each: a node, a block as −1 − its number, or NOTHING
    corners: F32  # (B, 9, 4) x, y, z of the first, second and third corner of four triangles; 0 where there are fewer
    numbers: I32  # (B, 4) which triangles they are, −1 where there are fewer


def tree_of(vertices: F32, triangles: I32) -> TriangleTree:
    """The tree of triangles that are safe to index."""
    count = max(len(triangles), 1)
    boxes, inside = np.empty((count, 6, WIDE), np.float32), np.full((count, WIDE), NOTHING, np.int32)
    corners, numbers = np.zeros((count, 9, WIDE), np.float32), np.full((count, WIDE), -1, np.int32)
    tree = TriangleTree(boxes, inside, corners, numbers)
    nodes, blocks = _grow_kernel(vertices, triangles, tree)
    return TriangleTree(boxes[:nodes].copy(), inside[:nodes].copy(), corners[:blocks].copy(), numbers[:blocks].copy())


@kernel
def _grow_kernel(vertices: F32, triangles: I32, tree: TriangleTree) -> tuple[int, int]:
    """Write all nodes and blocks; how many there are."""
    count = len(triangles)
    bounds = np.empty((count, 6), np.float32)
    for t in range(count):
        for axis in range(3):
            a, b, c = vertices[triangles[t, 0], axis], vertices[triangles[t, 1], axis], vertices[triangles[t, 2], axis]
            bounds[t, axis], bounds[t, 3 + axis] = min(a, min(b, c)), max(a, max(b, c))
    order = np.arange(count)
    waiting, cuts = np.empty((DEEPEST, 4), np.int64), np.empty((WIDE, 2), np.int64)
    bins, sides = np.empty((_BINS, 7)), np.empty(_BINS)
    tree.boxes[0] = _FAR
    nodes, blocks, left = 1, 0, 0
    if count > 0:
        waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, count, 0, 0
        left = 1
    while left > 0:
        left -= 1
        begin, end, node, depth = waiting[left]
        pieces = _cut_twice(bounds, order, begin, end, depth, cuts, bins, sides)
        tree.boxes[node] = _FAR
        for k in range(pieces):
            _put_box(bounds, order, cuts[k, 0], cuts[k, 1], tree.boxes, node, k)
            if cuts[k, 1] - cuts[k, 0] <= WIDE:
                _put_block(vertices, triangles, order, cuts[k, 0], cuts[k, 1], tree, blocks)
                tree.inside[node, k] = -1 - blocks
                blocks += 1
            else:
                tree.inside[node, k] = nodes
                waiting[left, 0], waiting[left, 1] = cuts[k, 0], cuts[k, 1]
                waiting[left, 2], waiting[left, 3] = nodes, depth + 2
                left += 1
                nodes += 1
    return nodes, blocks


@kernel
def _cut_twice(
    bounds: F32, order: I64, begin: int, end: int, depth: int, cuts: I64, bins: F64, sides: F64
) -> int:  # fmt: skip
    """Cut a range of triangles into up to four pieces; how many."""
    cuts[0, 0], cuts[0, 1] = begin, end
    pieces = 1
    for turn in range(2):
        now = pieces
        for k in range(now):
            low, high = cuts[k, 0], cuts[k, 1]
            if high - low <= WIDE:
                continue
            middle = _cut(bounds, order, low, high, depth + turn, bins, sides)
            cuts[k, 1] = middle
            cuts[pieces, 0], cuts[pieces, 1] = middle, high
            pieces += 1
    return pieces


@kernel
def _cut(bounds: F32, order: I64, begin: int, end: int, depth: int, bins: F64, sides: F64) -> int:
    """Put a range of triangles into two halves, neither of them empty; where the second begins."""
    best, chosen, place = np.inf, -1, 0
    for axis in range(3):
        low, high = np.inf, -np.inf
        for k in range(begin, end):
            middle = np.float64(bounds[order[k], axis]) + bounds[order[k], 3 + axis]
            low, high = min(low, middle), max(high, middle)
        if not high > low or depth >= _LEVELS:
            continue
        _fill_bins(bounds, order, begin, end, axis, low, high, bins)
        _sweep(bins, sides)
        for cut in range(_BINS - 1):
            if 0 < sides[cut] < best:
                best, chosen, place = sides[cut], axis, cut
    if chosen < 0:  # all in one place, or deep down: by number
        return (begin + end) // 2
    low, high = np.inf, -np.inf
    for k in range(begin, end):
        middle = np.float64(bounds[order[k], chosen]) + bounds[order[k], 3 + chosen]
        low, high = min(low, middle), max(high, middle)
    i, j = begin, end - 1
    while i <= j:
        if _bin_of(bounds, order[i], chosen, low, high) <= place:
            i += 1
        else:
            order[i], order[j] = order[j], order[i]
            j -= 1
    return i


@borrowing
def _bin_of(bounds: F32, triangle: AnyInt, axis: int, low: float, high: float) -> int:
    middle = np.float64(bounds[triangle, axis]) + bounds[triangle, 3 + axis]
    return min(int((middle - low) * (_BINS / (high - low))), _BINS - 1)


@borrowing
def _fill_bins(
    bounds: F32, order: I64, begin: int, end: int, axis: int, low: float, high: float, bins: F64
) -> None:  # fmt: skip
    """In each bin the box around its triangles, and how many there are."""
    for cut in range(_BINS):
        for k in range(3):
            bins[cut, k], bins[cut, 3 + k] = np.inf, -np.inf
        bins[cut, 6] = 0
    for k in range(begin, end):
        triangle = order[k]
        cut = _bin_of(bounds, triangle, axis, low, high)
        for side in range(3):
            bins[cut, side] = min(bins[cut, side], bounds[triangle, side])
            bins[cut, 3 + side] = max(bins[cut, 3 + side], bounds[triangle, 3 + side])
        bins[cut, 6] += 1


@borrowing
def _sweep(bins: F64, sides: F64) -> None:
    """What a cut behind each bin costs: surface times number of both sides; −1 where one side is empty."""
    for way in range(2):
        x0, y0, z0, x1, y1, z1, count = np.inf, np.inf, np.inf, -np.inf, -np.inf, -np.inf, 0.0
        for step in range(_BINS - 1):
            cut = step if way == 0 else _BINS - 1 - step
            x0, y0, z0 = min(x0, bins[cut, 0]), min(y0, bins[cut, 1]), min(z0, bins[cut, 2])
            x1, y1, z1 = max(x1, bins[cut, 3]), max(y1, bins[cut, 4]), max(z1, bins[cut, 5])
            count += bins[cut, 6]
            x, y, z = x1 - x0, y1 - y0, z1 - z0
            cost = (x * y + y * z + z * x + 1e-30) * count if count > 0 else -1.0
            if way == 0:
                sides[cut] = cost
            else:
                sides[cut - 1] = sides[cut - 1] + cost if sides[cut - 1] > 0 and cost > 0 else -1.0


@borrowing
def _put_box(bounds: F32, order: I64, begin: int, end: int, boxes: F32, node: int, k: int) -> None:
    for axis in range(3):
        low, high = bounds[order[begin], axis], bounds[order[begin], 3 + axis]
        for i in range(begin + 1, end):
            low, high = min(low, bounds[order[i], axis]), max(high, bounds[order[i], 3 + axis])
        # A bit larger: then a ray along a side of the box is inside, where 0 is divided by 0 otherwise.
        boxes[node, axis, k], boxes[node, 3 + axis, k] = np.nextafter(low, -_ENDLESS), np.nextafter(high, _ENDLESS)


@borrowing
def _put_block(
    vertices: F32, triangles: I32, order: I64, begin: int, end: int, tree: TriangleTree, block: int
) -> None:  # fmt: skip
    for i in range(begin, end):
        triangle = order[i]
        tree.numbers[block, i - begin] = triangle
        for corner in range(3):
            for axis in range(3):
                tree.corners[block, 3 * corner + axis, i - begin] = vertices[triangles[triangle, corner], axis]
