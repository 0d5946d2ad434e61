"""Where in a polygon, or on a portal, there is most room: halving what may have more until none does.

The room around a place changes by no more than the way between two places, so what is known at one bounds all others.
"""

from __future__ import annotations

import numpy as np

from ...jit import inlined, kernel
from ...types import F64, I32, I64, AnyInt
from .rims import Rims
from .sight import new_view, wall_distance

CLOSE, PART = 0.05, 0.01  # cells, and part of it: nothing has more room than what is found by more than both
_MOST_WAITING = 256  # halving once deeper than numbers go


@kernel
def polygon_rows(
    rims: Rims, corners: F64, counts: I32, polygons: I32, begin: int, end: int, widths: F64, places: F64
) -> None:
    """The room at the roomiest place of each polygon, in cells, and that place; NaN for what is no ground polygon."""
    view = new_view()
    waiting = np.empty((_MOST_WAITING, 7))  # three corners of a triangle, and what it may have at most
    for row in range(begin, end):
        polygon = polygons[row]
        widths[row], places[row, 0], places[row, 1] = np.nan, np.nan, np.nan
        if polygon < 0 or rims.first[polygon] == rims.first[polygon + 1]:
            continue
        best, n = -1.0, 0
        for k in range(1, counts[polygon] - 1):
            for j in range(3):
                corner = 0 if j == 0 else k + j - 1
                waiting[n, 2 * j], waiting[n, 2 * j + 1] = corners[polygon, corner, 0], corners[polygon, corner, 1]
            waiting[n, 6] = np.inf
            n += 1
        while n > 0:
            n -= 1
            if waiting[n, 6] <= best * (1 + PART) + CLOSE:
                continue
            triangle = waiting[n].copy()
            x, z = (triangle[0] + triangle[2] + triangle[4]) / 3, (triangle[1] + triangle[3] + triangle[5]) / 3
            view, away = wall_distance(rims, view, polygon, x, z, np.inf)
            if away > best:
                best, places[row, 0], places[row, 1] = away, x, z
            most = away + _farthest(triangle, x, z)
            if most > best * (1 + PART) + CLOSE and away < np.inf and n + 2 <= _MOST_WAITING:
                _halve(triangle, min(most, waiting[n, 6]), waiting, n)
                n += 2
        widths[row] = best


@inlined
def _farthest(triangle: F64, x: float, z: float) -> float:
    far2 = 0.0
    for j in range(3):
        dx, dz = triangle[2 * j] - x, triangle[2 * j + 1] - z
        far2 = max(far2, dx * dx + dz * dz)
    return np.sqrt(far2)


@inlined
def _halve(triangle: F64, most: float, waiting: F64, n: AnyInt) -> None:
    """Both halves of a triangle, cut in the middle of its longest side, to the end of what waits."""
    side, longest2 = 0, -1.0
    for j in range(3):
        k = (j + 1) % 3
        dx, dz = triangle[2 * k] - triangle[2 * j], triangle[2 * k + 1] - triangle[2 * j + 1]
        if dx * dx + dz * dz > longest2:
            side, longest2 = j, dx * dx + dz * dz
    after = (side + 1) % 3
    x = (triangle[2 * side] + triangle[2 * after]) / 2
    z = (triangle[2 * side + 1] + triangle[2 * after + 1]) / 2
    for half in range(2):
        waiting[n + half, :6] = triangle[:6]
        moved = side if half == 0 else after
        waiting[n + half, 2 * moved], waiting[n + half, 2 * moved + 1] = x, z
        waiting[n + half, 6] = most


@kernel
def portal_rows(rims: Rims, pieces: I64, begin: int, end: int, widths: F64, places: F64) -> None:
    """The room at the roomiest place of each piece of a rim, in cells, and that place."""
    view = new_view()
    waiting = np.empty((_MOST_WAITING, 3))  # two parts of the piece, and what there may be between at most
    for row in range(begin, end):
        piece = pieces[row]
        ax, az = rims.ends[piece, 0], rims.ends[piece, 1]
        ux, uz = rims.ends[piece, 2] - ax, rims.ends[piece, 3] - az
        length = np.sqrt(ux * ux + uz * uz)
        best, n = -1.0, 1
        waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0.0, 1.0, np.inf
        while n > 0:
            n -= 1
            low, high = waiting[n, 0], waiting[n, 1]
            if waiting[n, 2] <= best * (1 + PART) + CLOSE:
                continue
            middle = (low + high) / 2
            x, z = ax + middle * ux, az + middle * uz
            view, away = wall_distance(rims, view, rims.owners[piece], x, z, np.inf)
            if away > best:
                best, places[row, 0], places[row, 1] = away, x, z
            most = away + (high - low) / 2 * length
            if most > best * (1 + PART) + CLOSE and away < np.inf and n + 2 <= _MOST_WAITING:
                waiting[n, 0], waiting[n, 1], waiting[n, 2] = low, middle, most
                waiting[n + 1, 0], waiting[n + 1, 1], waiting[n + 1, 2] = middle, high, most
                n += 2
        widths[row] = best


@kernel
def place_rows(rims: Rims, polygons: I32, places: F64, begin: int, end: int, widths: F64) -> None:
    """The room at each place, in cells; NaN without a polygon."""
    view = new_view()
    for row in range(begin, end):
        widths[row] = np.nan
        if polygons[row] >= 0 and rims.first[polygons[row]] < rims.first[polygons[row] + 1]:
            view, widths[row] = wall_distance(rims, view, polygons[row], places[row, 0], places[row, 1], np.inf)
