"""Faces that are fans of triangles already: which of those fans are right, and the others cut anew in their place.

A fan is right where none of its triangles is turned over, as in every convex polygon, and stays as it is. A polygon is
looked at along the axis that its normal is nearest to. A triangle no higher than a millionth of the polygon's size,
or than float32 is fine where it lies, is not turned over: decimal places and rounding move corners on a straight edge
that far, and a fold as narrow covers nothing.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...geometry.arrays import numbers_in_ranges
from ...kernels.plain_python import standing_in
from ...types import F32, F64, I32, I64, U8
from .ear_cutting import BITS, cut_rings
from .line_kernel import CORNERS, FIRST

_FLAT, _FINE = 2.0**-20, 2.0**-22  # how high a fold may be, of the polygon's size and of its largest coordinate
_FEW = 1 << 14  # pairs of corners and edges that plain Python looks at sooner than the kernel is compiled


def cut_polygons(vertices: F32, triangles: I32, polygons: I64, cancelled: U8) -> I64:
    """Cut anew, in `triangles`, those `polygons` (see `read_lines`) whose fan is wrong.

    Returns the rows of those that cannot be cut without covering a place twice; they keep their fan.
    """
    wrong: list[_Wrong] = []
    for count in np.unique(polygons[:, CORNERS]):
        if count > 3:
            same = polygons[polygons[:, CORNERS] == count]
            corners = _corners_of_fans(triangles, same)
            points = vertices[corners].astype(np.float64)
            right, axis, sign = _look_at_fans(points)
            bad = np.flatnonzero(~right)
            ring = _flattened(points[bad], axis[bad], sign[bad]).reshape(-1, 2)
            wrong.append(_Wrong(same[bad], corners[bad].ravel(), ring))
    if not any(len(some.polygons) for some in wrong):
        return polygons[:0]
    return _cut(_Wrong(*map(np.concatenate, zip(*wrong, strict=True))), triangles, cancelled)


class _Wrong(NamedTuple):
    """Polygons whose fan is wrong, and their corners one polygon after the other."""

    polygons: I64  # (P, 3)
    corners: I32  # vertex numbers
    ring: I64  # (., 2) where they are seen


def _corners_of_fans(triangles: I32, polygons: I64) -> I32:
    """(P, N) vertex numbers of polygons with N corners each."""
    first, count = polygons[:, FIRST], int(polygons[0, CORNERS])
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


def _cut(wrong: _Wrong, triangles: I32, cancelled: U8) -> I64:
    """Write what the rings are cut into over their fans; returns the rows of those that can't be cut."""
    counts = wrong.polygons[:, CORNERS]
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    cut, done = np.empty((len(wrong.ring) - 2 * len(counts), 3), np.int32), np.zeros(len(counts), np.uint8)
    with standing_in() if int((counts * counts).sum()) <= _FEW else nullcontext():
        cut_rings(wrong.ring, first, cut, done, cancelled)
    kept = np.repeat(done == 1, counts - 2)
    made = wrong.corners[(cut + np.repeat(first[:-1], counts - 2)[:, None])[kept]]
    triangles[numbers_in_ranges(wrong.polygons[:, FIRST], counts - 2)[kept]] = made
    return wrong.polygons[done == 0]
