"""Convex polygons seen from above: what meets them, and which of them overlap."""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...types import F32, AnyBool, AnyInt
from ..query_mesh import PolygonRows
from .points import ONE, ZERO, Point, corner, row_of

_PARALLEL = np.float32(1e-6)
_TOUCHING = 1e-4  # metres that polygons which only touch may lie in each other
_ROUNDING = 2.0**-21  # the same as a part of their coordinates


@kernel
def meets(shape: F32, a: Point, b: Point) -> bool:
    """Whether a segment has a point in a convex shape, or on its outline. Recast: dtIntersectSegmentPoly2D."""
    enters, leaves = ZERO, ONE
    dx, dz = b[0] - a[0], b[2] - a[2]
    before = row_of(shape, len(shape) - 1)
    for i in range(len(shape)):
        here = row_of(shape, i)
        ex, ez = here[0] - before[0], here[2] - before[2]
        n = ez * (a[0] - before[0]) - ex * (a[2] - before[2])
        d = dz * ex - dx * ez
        if abs(d) < _PARALLEL:
            if n < ZERO:
                return False
        elif d < ZERO:
            enters = max(enters, n / d)
        else:
            leaves = min(leaves, n / d)
        if enters > leaves:
            return False
        before = here
    return True


@kernel
def overlap(outline: F32, polygons: PolygonRows, one: AnyInt, other: AnyInt) -> AnyBool:
    """Whether two polygons cover common ground seen from above; those that only touch do not.

    No edge of either may part them. Recast: dtOverlapPolyPoly2D.
    """
    return not _parted(outline, polygons, one, other) and not _parted(outline, polygons, other, one)


@kernel
def _parted(outline: F32, polygons: PolygonRows, one: AnyInt, other: AnyInt) -> bool:
    """Whether `other` lies beyond one of the edges of `one`."""
    count = polygons[one].corners
    largest = 0.0
    for k in range(count):
        largest = max(largest, abs(float(outline[one, k, 0])), abs(float(outline[one, k, 2])))
    slack = max(_TOUCHING, _ROUNDING * largest)
    for k in range(count):
        a, b = corner(outline, one, k), corner(outline, one, k + 1 if k + 1 < count else 0)
        ex, ez = float(b[0]) - float(a[0]), float(b[2]) - float(a[2])
        length = np.sqrt(ex * ex + ez * ez)
        beyond = True
        for m in range(polygons[other].corners):
            wx, wz = float(outline[other, m, 0]) - float(a[0]), float(outline[other, m, 2]) - float(a[2])
            if ez * wx - ex * wz > slack * length:  # on the inner side
                beyond = False
                break
        if beyond:
            return True
    return False
