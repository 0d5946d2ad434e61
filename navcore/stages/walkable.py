"""Stage 1: which triangles are flat enough to stand on."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..jit import kernel
from ..threads import Workers
from ..types import F32, I32, NOT_WALKABLE, U8, WALKABLE, Geometry

_MIN_TRIANGLES = 50_000  # a thread is not worth waking for fewer
_MAX_TRIANGLES = 4_000_000  # so that cancelling is seen


def classify_triangles(geometry: Geometry, max_slope: float, workers: Workers) -> Geometry:
    """The same triangles, each with an area id: NOT_WALKABLE where it is too steep.

    Areas that the user gave stay on what is flatter than `max_slope` degrees; without any, what is flat is WALKABLE.
    """
    if len(geometry.area) == 0:
        return geometry._replace(area=mark_walkable_triangles(*geometry[:2], max_slope, workers))
    return geometry._replace(area=clear_unwalkable_triangles(*geometry, max_slope, workers))


def mark_walkable_triangles(vertices: F32, triangles: I32, max_slope: float, workers: Workers | None = None) -> U8:
    """Area ids (T,): WALKABLE where a triangle faces up and is flatter than `max_slope` degrees, else NOT_WALKABLE.

    `vertices` (V, 3), `triangles` (T, 3). The comparison is strict, so at 0 degrees nothing is walkable, and a
    triangle without area never is. Recast: rcMarkWalkableTriangles.
    """
    area = np.empty(len(triangles), np.uint8)
    _run(_mark_kernel, (vertices, triangles, _least_normal_y(max_slope), area), workers)
    return area


def clear_unwalkable_triangles(
    vertices: F32, triangles: I32, area: U8, max_slope: float, workers: Workers | None = None
) -> U8:
    """`area` (T,) anew, with NOT_WALKABLE where a triangle is as steep as `max_slope` degrees or steeper.

    `vertices` (V, 3), `triangles` (T, 3). A triangle without area keeps its id. Recast: rcClearUnwalkableTriangles.
    """
    area = area.copy()
    _run(_clear_kernel, (vertices, triangles, _least_normal_y(max_slope), area), workers)
    return area


def _least_normal_y(max_slope: float) -> np.float32:
    """The y of a unit normal on the steepest walkable slope.

    The cosine is taken in double precision and rounded, so that it is the same number on every platform; a C library's
    own float cosine differs from it by one unit in the last place at 15 of the 900 tenths of a degree.
    """
    radians = np.float32(np.float32(max_slope) / np.float32(180)) * np.float32(math.pi)
    return np.float32(math.cos(float(radians)))


def _run(mark: Callable[..., Any], arguments: tuple[Any, ...], workers: Workers | None) -> None:
    """Call `mark(*arguments, begin, end)` for all triangles, in bands where there are workers."""
    length = len(arguments[1])
    if workers is None:
        mark(*arguments, 0, length)
    else:
        bands = workers.bands(length, _MIN_TRIANGLES, _MAX_TRIANGLES)
        workers.run(mark, [(*arguments, *band) for band in bands])


@kernel
def _mark_kernel(vertices: F32, triangles: I32, least_normal_y: np.float32, area: U8, begin: int, end: int) -> None:
    for triangle in range(begin, end):
        steepness = _normal_y(vertices, triangles, triangle)
        area[triangle] = WALKABLE if steepness > least_normal_y else NOT_WALKABLE


@kernel
def _clear_kernel(vertices: F32, triangles: I32, least_normal_y: np.float32, area: U8, begin: int, end: int) -> None:
    for triangle in range(begin, end):
        if _normal_y(vertices, triangles, triangle) <= least_normal_y:
            area[triangle] = NOT_WALKABLE


@kernel
def _normal_y(vertices: F32, triangles: I32, triangle: int) -> np.float32:
    """The y of a triangle's unit normal; NaN where the triangle has no area."""
    a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
    ex, ey, ez = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1], vertices[b, 2] - vertices[a, 2]
    fx, fy, fz = vertices[c, 0] - vertices[a, 0], vertices[c, 1] - vertices[a, 1], vertices[c, 2] - vertices[a, 2]
    x = ey * fz - ez * fy
    y = ez * fx - ex * fz
    z = ex * fy - ey * fx
    # The reciprocal first, then the product: two roundings, as in Recast.
    return y * (np.float32(1) / np.sqrt((x * x + y * y) + z * z))
