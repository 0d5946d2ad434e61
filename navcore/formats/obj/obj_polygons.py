"""Faces that are fans of triangles already: which of those fans are right, and the others cut anew in their place.

A fan is right where none of its triangles is turned over, as in every convex polygon, and stays as it is. A polygon is
looked at along the axis that its normal is nearest to. A triangle no higher than a millionth of the polygon's size,
or than float32 is fine where it lies, is not turned over: decimal places and rounding move corners on a straight edge
that far, and a fold as narrow covers nothing.

Ear clipping makes rings of corners into triangles that cover what the ring goes around, each place once.

Every cut takes one corner off the ring: the triangle of it and its neighbors. However that is done, what the ring
winds around is the sum of what the triangles wind around. So where no triangle is turned over the result is right,
holes on a bridge and repeated corners included; and where the ring crosses itself so that some must be, it is said.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...geometry.arrays import numbers_in_ranges
from ...geometry.predicates import area2
from ...jit import kernel
from ...kernels.plain_python import standing_in
from ...types import F32, F64, I32, I64, U8, AnyBool, AnyInt, Records

BITS = 29  # of a coordinate, so that predicates are exact
_BLOCKED, _EAR = 0, 1
_FLAT, _FINE = 2.0**-20, 2.0**-22  # how high a fold may be, of the polygon's size and of its largest coordinate
_FEW = 1 << 14  # pairs of corners and edges that plain Python looks at sooner than the kernel is compiled


def cut_polygons(vertices: F32, triangles: I32, polygons: Records, cancelled: U8) -> Records:
    """Cut anew, in `triangles`, those `polygons` (of FACE) whose fan is wrong.

    Returns the rows of those that cannot be cut without covering a place twice; they keep their fan.
    """
    wrong: list[_WrongFans] = []
    for count in np.unique(polygons["corners"]):
        if count > 3:
            same = polygons[polygons["corners"] == count]
            corners = _corners_of_fans(triangles, same)
            points = vertices[corners].astype(np.float64)
            right, axis, sign = _look_at_fans(points)
            bad = np.flatnonzero(~right)
            ring = _flattened(points[bad], axis[bad], sign[bad]).reshape(-1, 2)
            wrong.append(_WrongFans(same[bad], corners[bad].ravel(), ring))
    if not any(len(some.polygons) for some in wrong):
        return polygons[:0]
    return _cut(_WrongFans(*map(np.concatenate, zip(*wrong, strict=True))), triangles, cancelled)


class _WrongFans(NamedTuple):
    """Polygons whose fan is wrong, and their corners one polygon after the other."""

    polygons: Records  # (P,) of FACE
    corners: I32  # vertex numbers
    ring: I64  # (., 2) where they are seen


def _corners_of_fans(triangles: I32, polygons: Records) -> I32:
    """(P, N) vertex numbers of polygons with N corners each."""
    first, count = polygons["triangle"], int(polygons["corners"][0])
    rest = triangles[first[:, None] + np.arange(count - 2), 2]
    return np.concatenate([triangles[first, :2], rest], axis=1)


def _look_at_fans(points: F64) -> tuple[npt.NDArray[np.bool_], I64, F64]:
    """Of polygons (P, N, 3): whether the fan is right, the axis along which they are looked at, and from which side."""
    spokes = points[:, 1:] - points[:, :1]
    turns = _cross(spokes[:, :-1], spokes[:, 1:])
    normal = turns.sum(1)
    balanced = ~normal.any(1)  # as much is on one side as on the other
    axis = np.where(balanced[:, None], np.abs(turns).sum(1), np.abs(normal)).argmax(1)
    sign = np.where(np.take_along_axis(normal, axis[:, None], 1)[:, 0] < 0, -1.0, 1.0)
    long = np.sqrt((spokes * spokes).sum(2))
    fold = np.maximum(_FLAT * long.max(1), _FINE * np.abs(points).max((1, 2)))[:, None]
    areas = np.take_along_axis(turns, axis[:, None, None], 2)[:, :, 0] * sign[:, None]
    right = (areas >= -fold * np.maximum(long[:, :-1], long[:, 1:])).all(1)
    return right, axis, sign


def _cross(a: F64, b: F64) -> F64:
    """The cross products of vectors; NumPy's own takes several times as long."""
    (ax, ay, az), (bx, by, bz) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def _flattened(points: F64, axis: I64, sign: F64) -> I64:
    """Polygons (P, N, 3) as seen along an axis each: (P, N, 2) whole numbers, counter-clockwise.

    The larger side gets 2²⁹ steps: less than float32 can tell apart across a polygon.
    """
    seen = np.stack([np.take_along_axis(points, (axis + turn)[:, None, None] % 3, 2)[:, :, 0] for turn in (1, 2)], -1)
    seen -= seen.min(1, keepdims=True)
    _, exponent = np.frexp(seen.max((1, 2)))
    steps = np.rint(np.ldexp(seen, BITS - exponent[:, None, None])).astype(np.int64)
    steps[:, :, 0] *= sign.astype(np.int64)[:, None]
    return steps


def _cut(wrong: _WrongFans, triangles: I32, cancelled: U8) -> Records:
    """Write what the rings are cut into over their fans; returns the rows of those that can't be cut."""
    counts = wrong.polygons["corners"]
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    cut, done = np.empty((len(wrong.ring) - 2 * len(counts), 3), np.int32), np.zeros(len(counts), np.uint8)
    with standing_in() if int((counts * counts).sum()) <= _FEW else nullcontext():
        cut_rings(wrong.ring, first, cut, done, cancelled)
    kept = np.repeat(done == 1, counts - 2)
    made = wrong.corners[(cut + np.repeat(first[:-1], counts - 2)[:, None])[kept]]
    triangles[numbers_in_ranges(wrong.polygons["triangle"], counts - 2)[kept]] = made
    return wrong.polygons[done == 0]


# --- ear clipping


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
        beside = max(px, qx) <= low_x or min(px, qx) >= high_x or max(py, qy) <= low_y or min(py, qy) >= high_y
        if not beside and _enters(points, begin, end, one, corner, other):
            return False
        begin = end
    return True


@kernel
def _enters(points: I64, begin: AnyInt, end: AnyInt, one: AnyInt, corner: AnyInt, other: AnyInt) -> AnyBool:
    """Has an edge a point inside the triangle? Not if the line of one of the four edges is between them."""
    px, py, qx, qy = points[begin, 0], points[begin, 1], points[end, 0], points[end, 1]
    ax, ay, bx, by = points[one, 0], points[one, 1], points[corner, 0], points[corner, 1]
    cx, cy = points[other, 0], points[other, 1]
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
