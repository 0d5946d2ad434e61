"""Rings of corners → triangles that cover what the ring goes around, each place once.

Every cut takes one corner off the ring: the triangle of it and its neighbors. However that is done, what the ring
winds around is the sum of what the triangles wind around. So where no triangle is turned over the result is right,
holes on a bridge and repeated corners included; and where the ring crosses itself so that some must be, it is said.
"""

from __future__ import annotations

import numpy as np

from ...geometry.predicates import area2
from ...jit import kernel
from ...types import I32, I64, U8, AnyBool, AnyInt

BITS = 29  # of a coordinate, so that predicates are exact
_BLOCKED, _EAR = 0, 1


@kernel
def cut_rings(points: I64, first: I64, triangles: I32, done: U8, cancelled: U8) -> None:
    """Ring r is points[first[r]:first[r + 1]], (x, y) each, its inside where `area2` is positive.

    Its triangles, three corners of the ring each, are triangles[first[r] - 2 · r:]; done[r] is 1 where none of them is
    turned over. No Recast ancestor.
    """
    for ring in range(len(first) - 1):
        begin, end = first[ring], first[ring + 1]
        done[ring] = _cut_ring(points[begin:end], triangles[begin - 2 * ring : end - 2 * ring - 2], cancelled)


@kernel
def _cut_ring(points: I64, triangles: I32, cancelled: U8) -> int:
    """Cut the first ear, go on behind it, and so on around the ring."""
    left = len(points)
    before, after = np.empty(left, np.int64), np.empty(left, np.int64)
    for i in range(left):
        before[i], after[i] = (i - 1) % left, (i + 1) % left
    ears = np.empty(left, np.uint8)
    for i in range(left):
        ears[i] = _EAR if _is_ear(points, before, after, i) else _BLOCKED
    corner, passed = np.int64(0), 0
    while left > 2:
        if passed == left or cancelled[0]:
            return 0
        one, other = before[corner], after[corner]
        if ears[corner] == _BLOCKED:
            corner, passed = other, passed + 1
            continue
        row = len(points) - left
        triangles[row, 0], triangles[row, 1], triangles[row, 2] = one, corner, other
        after[one], before[other] = other, one
        left -= 1
        # A diagonal that lies inside what is left lay inside the whole: others cannot become ears by this cut.
        ears[one] = _EAR if _is_ear(points, before, after, one) else _BLOCKED
        ears[other] = _EAR if _is_ear(points, before, after, other) else _BLOCKED
        corner, passed = after[other], 0
    return 1


@kernel
def _is_ear(points: I64, before: I64, after: I64, corner: AnyInt) -> bool:
    """Can the corner be cut off? It must not turn inwards, and no edge of the ring may enter its triangle.

    Touching does not count. A corner that does not turn at all, or turns back, has a triangle without inside.
    """
    one, other = before[corner], after[corner]
    ax, ay, bx, by = points[one, 0], points[one, 1], points[corner, 0], points[corner, 1]
    cx, cy = points[other, 0], points[other, 1]
    turn = area2(ax, ay, bx, by, cx, cy)
    if turn <= 0:
        return bool(turn == 0)
    low_x, high_x, low_y, high_y = min(ax, bx, cx), max(ax, bx, cx), min(ay, by, cy), max(ay, by, cy)
    begin = other
    while begin != one:
        end = after[begin]
        px, py, qx, qy = points[begin, 0], points[begin, 1], points[end, 0], points[end, 1]
        begin = end
        if max(px, qx) <= low_x or min(px, qx) >= high_x or max(py, qy) <= low_y or min(py, qy) >= high_y:
            continue
        if _enters(px, py, qx, qy, ax, ay, bx, by, cx, cy):
            return False
    return True


@kernel
def _enters(
    px: AnyInt, py: AnyInt, qx: AnyInt, qy: AnyInt,
    ax: AnyInt, ay: AnyInt, bx: AnyInt, by: AnyInt, cx: AnyInt, cy: AnyInt,
) -> AnyBool:  # fmt: skip
    """Has segment pq a point inside triangle abc? Not if the line of one of the four edges is between them."""
    if px == qx and py == qy:
        return False  # the edges before and after it say it
    if area2(ax, ay, bx, by, px, py) <= 0 and area2(ax, ay, bx, by, qx, qy) <= 0:
        return False
    if area2(bx, by, cx, cy, px, py) <= 0 and area2(bx, by, cx, cy, qx, qy) <= 0:
        return False
    if area2(cx, cy, ax, ay, px, py) <= 0 and area2(cx, cy, ax, ay, qx, qy) <= 0:
        return False
    a, b, c = area2(px, py, qx, qy, ax, ay), area2(px, py, qx, qy, bx, by), area2(px, py, qx, qy, cx, cy)
    return not ((a >= 0 and b >= 0 and c >= 0) or (a <= 0 and b <= 0 and c <= 0))
