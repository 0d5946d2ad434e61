"""Where in a polygon, or on a portal, there is most room: halving what may have more until none does.

The room around a place changes by no more than the way between two places, so what is known at one bounds all others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel
from ..types import F64, I32, I64, AnyInt
from .polygon_borders import PolygonBorders
from .wall_sight import nearest_on, new_view, wall_distance

CLOSE, PART = 0.05, 0.01  # cells, and part of it: nothing has more room than what is found by more than both
_MAX_WAITING = 256  # halving once deeper than numbers go
_WALLS = 6  # seen from a polygon: more make its bounds no tighter
_ROUNDED = 1e-9  # part by which a sum of distances may come out too short


class AskedPolygons(NamedTuple):
    """Polygons whose roomiest places are asked for, and how exactly."""

    corners: F64  # (P, ., 2) cells, of all polygons
    counts: I32  # (P,) of them
    polygons: I32  # (N,) those that are asked for
    close: float  # no place has more room than what is found by more than so many cells and this part
    part: float


@kernel
def polygon_rows(borders: PolygonBorders, asked: AskedPolygons, begin: int, end: int, widths: F64, places: F64) -> None:
    """The room at the roomiest place of each polygon, in cells, and that place; NaN for what is no ground polygon."""
    borders, asked = PolygonBorders(*borders), AskedPolygons(*asked)
    corners, counts, close, part = asked.corners, asked.counts, asked.close, asked.part
    view, first = new_view(), borders.first
    waiting = np.empty((_MAX_WAITING, 9))  # three corners of a triangle; a place near it, and the room there
    walls = np.empty((_WALLS, 4))  # what was seen of the last ones
    paths = np.empty((_WALLS, 3))  # room for the ways to these
    for row in range(begin, end):
        polygon = asked.polygons[row]
        widths[row], places[row, 0], places[row, 1] = np.nan, np.nan, np.nan
        if polygon < 0 or first[polygon] == first[polygon + 1]:
            continue
        best, n, seen = -1.0, 0, 0
        for k in range(1, counts[polygon] - 1):
            for j in range(3):
                corner = 0 if j == 0 else k + j - 1
                waiting[n, 2 * j], waiting[n, 2 * j + 1] = corners[polygon, corner, 0], corners[polygon, corner, 1]
            waiting[n, 6], waiting[n, 7], waiting[n, 8] = waiting[n, 0], waiting[n, 1], np.inf
            n += 1
        while n > 0:
            n -= 1
            triangle = waiting[n]
            x, z = (triangle[0] + triangle[2] + triangle[4]) / 3, (triangle[1] + triangle[3] + triangle[5]) / 3
            dx, dz = x - triangle[6], z - triangle[7]
            bound = (triangle[8] + np.sqrt(dx * dx + dz * dz)) * (1 + _ROUNDED)
            far, limit = _farthest(triangle, x, z), best * (1 + part) + close
            if bound + far <= limit or _max_between(triangle, walls, min(seen, _WALLS), paths) <= limit:
                continue
            view, away = wall_distance(borders, view, polygon, x, z, bound, min(best, limit - far))
            if away < bound:
                wall, own = view.walls[0], walls[seen % _WALLS]
                own[0], own[1], own[2], own[3] = wall.ax + x, wall.az + z, wall.bx + x, wall.bz + z
                seen += 1
            if away > best:
                best, places[row, 0], places[row, 1] = away, x, z
            if away + far > best * (1 + part) + close and away < np.inf and n + 2 <= _MAX_WAITING:
                triangle[6], triangle[7], triangle[8] = x, z, away
                _halve(waiting, n)
                n += 2
        widths[row] = best


@inlined
def _farthest(triangle: F64, x: float, z: float) -> float:
    far2 = 0.0
    for j in range(3):
        dx, dz = triangle[2 * j] - x, triangle[2 * j + 1] - z
        far2 = max(far2, dx * dx + dz * dz)
    return np.sqrt(far2)


@kernel
def _max_between(triangle: F64, walls: F64, count: AnyInt, away: F64) -> float:
    """How much room there may be anywhere in a triangle, as walls say that are seen from the polygon.

    The way to a wall is longest from a corner, and so is the sum of the ways to two of them: no place is farther from
    both than half of that.
    """
    largest = np.inf
    for i in range(count):
        for j in range(3):
            x, z = triangle[2 * j], triangle[2 * j + 1]
            nx, nz, _ = nearest_on(walls[i, 0] - x, walls[i, 1] - z, walls[i, 2] - x, walls[i, 3] - z)
            away[i, j] = np.sqrt(nx * nx + nz * nz)
        for k in range(i + 1):
            longest = 0.0
            for j in range(3):
                longest = max(longest, away[i, j] + away[k, j])
            largest = min(largest, longest / 2)
    return largest


@inlined
def _halve(waiting: F64, n: AnyInt) -> None:
    """Both halves of the triangle in row n, cut in the middle of its longest side, in its place and the next."""
    triangle = waiting[n]
    side, longest2 = 0, -1.0
    for j in range(3):
        k = (j + 1) % 3
        dx, dz = triangle[2 * k] - triangle[2 * j], triangle[2 * k + 1] - triangle[2 * j + 1]
        if dx * dx + dz * dz > longest2:
            side, longest2 = j, dx * dx + dz * dz
    after = (side + 1) % 3
    x = (triangle[2 * side] + triangle[2 * after]) / 2
    z = (triangle[2 * side + 1] + triangle[2 * after + 1]) / 2
    waiting[n + 1] = triangle
    waiting[n, 2 * side], waiting[n, 2 * side + 1] = x, z
    waiting[n + 1, 2 * after], waiting[n + 1, 2 * after + 1] = x, z


@kernel
def portal_rows(borders: PolygonBorders, pieces: I64, begin: int, end: int, widths: F64, places: F64) -> None:
    """The room at the roomiest place of each piece of a border, in cells, and that place."""
    borders = PolygonBorders(*borders)
    view = new_view()
    waiting = np.empty((_MAX_WAITING, 3))  # two parts of the piece, and what there may be between at most
    for row in range(begin, end):
        piece = borders.pieces[pieces[row]]
        ax, az = piece.ax, piece.az
        ux, uz = piece.bx - ax, piece.bz - az
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
            view, away = wall_distance(borders, view, piece.owner, x, z, np.inf, 0.0)
            if away > best:
                best, places[row, 0], places[row, 1] = away, x, z
            bound = away + (high - low) / 2 * length
            if bound > best * (1 + PART) + CLOSE and away < np.inf and n + 2 <= _MAX_WAITING:
                waiting[n, 0], waiting[n, 1], waiting[n, 2] = low, middle, bound
                waiting[n + 1, 0], waiting[n + 1, 1], waiting[n + 1, 2] = middle, high, bound
                n += 2
        widths[row] = best


@kernel
def place_rows(borders: PolygonBorders, polygons: I32, places: F64, begin: int, end: int, widths: F64) -> None:
    """The room at each place, in cells; NaN without a polygon."""
    borders = PolygonBorders(*borders)
    view = new_view()
    for row in range(begin, end):
        widths[row] = np.nan
        if polygons[row] >= 0 and borders.first[polygons[row]] < borders.first[polygons[row] + 1]:
            view, widths[row] = wall_distance(borders, view, polygons[row], places[row, 0], places[row, 1], np.inf, 0.0)
