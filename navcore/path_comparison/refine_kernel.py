"""Lines through corridors that choose one of three points at each portal: its middle, its left or its right end."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..jit import inlined, kernel
from ..navquery.kernels.points import Point, is_finite, on_boundary, portal, row_of
from ..navquery.query_mesh import QueryMesh
from ..navquery.status import INVALID, SUCCESS
from ..types import F32, F64, I32, I64, U32, AnyBool, AnyInt

I8: TypeAlias = npt.NDArray[np.int8]

MIDDLE, GREEDY, CHOICE = range(3)
MOST_PORTALS = 1 << 20  # of a row
_CHOICES = 3  # middle, left, right
_SWEEPS = 8
_BETTER = 1e-12
_ON_LINE = 1e-6  # metres
_FARTHEST = 1e18  # metres


@kernel
def portal_rows(
    mesh: QueryMesh, from_points: F32, to_points: F32, firsts: I64, corridors: I32, begin: int, end: int, status: U32,
    starts: F64, ends: F64, counts: I32,
) -> F64:  # fmt: skip
    """Left and right end of what the polygons of each row share, one row after the other.

    `starts` and `ends` get the ends of the row: those that were asked for, or what of the polygon is closest to them.
    """
    found = np.empty((1024, 2, 3), np.float64)
    total = 0
    for row in range(begin, end):
        corridor = corridors[firsts[row] : firsts[row + 1]]
        here, there = row_of(from_points, row), row_of(to_points, row)
        counts[row], status[row] = 0, INVALID
        _put(starts, row, here)
        _put(ends, row, there)
        steps = len(corridor) - 1
        if steps < 0 or steps > MOST_PORTALS or not (is_finite(here) and is_finite(there)) or corridor.min() < 0:
            continue
        if total + steps > len(found):
            larger = np.empty((max(2 * len(found), total + steps), 2, 3), np.float64)
            larger[:total] = found[:total]
            found = larger
        complete = True
        for k in range(steps):
            leads, left, right = portal(mesh.polygons, mesh.links, mesh.portals, corridor[k], corridor[k + 1])
            complete &= bool(leads)
            _put(found[total + k], 0, left)
            _put(found[total + k], 1, right)
        if complete:
            _put(starts, row, on_boundary(mesh.outline, mesh.polygons, corridor[0], here))
            _put(ends, row, on_boundary(mesh.outline, mesh.polygons, corridor[steps], there))
            counts[row], status[row] = steps, SUCCESS
            total += steps
    return found[:total].copy()


@inlined
def _put(places: F64, row: AnyInt, point: Point) -> None:
    places[row, 0], places[row, 1], places[row, 2] = point


@kernel
def refined_rows(
    starts: F64, ends: F64, firsts: I64, portals: F64, way: int, shrink: float, flat: AnyBool, tidy: AnyBool,
    begin: int, end: int, status: U32, lengths: F64, counts: I32,
) -> F64:  # fmt: skip
    """The points of each row's line, one after the other; where `status` says that the row is wrong, none."""
    found = np.empty((1024, 3), np.float64)
    total = 0
    for row in range(begin, end):
        through = portals[firsts[row] : firsts[row + 1]]
        counts[row], lengths[row] = 0, 0.0
        if status[row] != SUCCESS or not _usable(starts[row], ends[row], through):
            status[row] = INVALID
            continue
        m = len(through)
        choices = _three_points(through, shrink)
        chosen = np.zeros(m, np.int8)
        if way == GREEDY:
            _sweep(starts[row], ends[row], choices, flat, chosen)
        elif way == CHOICE:
            _choose(starts[row], ends[row], choices, flat, chosen)
        if total + m + 2 > len(found):
            larger = np.empty((max(2 * len(found), total + m + 2), 3), np.float64)
            larger[:total] = found[:total]
            found = larger
        line = found[total:]
        line[0], line[m + 1] = starts[row], ends[row]
        for k in range(m):
            line[k + 1] = choices[k, chosen[k]]
        count = _tidied(line, m + 2) if tidy else m + 2
        for k in range(1, count):
            lengths[row] += _away(line[k - 1], line[k], flat)
        counts[row] = count
        total += count
    return found[:total].copy()


@inlined
def _usable(start: F64, end: F64, portals: F64) -> bool:
    """Whether all can be computed with, and it is not too much."""
    if len(portals) > MOST_PORTALS:
        return False
    for axis in range(3):
        if not (abs(start[axis]) <= _FARTHEST and abs(end[axis]) <= _FARTHEST):
            return False
    for k in range(len(portals)):
        for side in range(2):
            for axis in range(3):
                if not abs(portals[k, side, axis]) <= _FARTHEST:
                    return False
    return True


@inlined
def _away(a: F64, b: F64, flat: AnyBool) -> float:
    """The length from a to b, seen from above where `flat`."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    return np.sqrt(x * x + z * z) if flat else np.sqrt(x * x + y * y + z * z)


@kernel
def _three_points(portals: F64, shrink: float) -> F64:
    """(m, 3, 3): middle, left and right end of each portal, whose ends move inward by `shrink` first."""
    points = np.empty((len(portals), _CHOICES, 3), np.float64)
    for k in range(len(portals)):
        left, right = portals[k, 0], portals[k, 1]
        length = _away(left, right, False)
        part = shrink / length if length > 0 else 0.0
        for axis in range(3):
            middle = (left[axis] + right[axis]) / 2
            points[k, 0, axis] = middle
            points[k, 1, axis] = left[axis] + (right[axis] - left[axis]) * part if part < 0.5 else middle
            points[k, 2, axis] = right[axis] + (left[axis] - right[axis]) * part if part < 0.5 else middle
    return points


@kernel
def _sweep(start: F64, end: F64, choices: F64, flat: AnyBool, chosen: I8) -> None:
    """Each portal takes what is best between its neighbors, again and again until nothing changes."""
    m = len(choices)
    for _ in range(_SWEEPS):
        changed = False
        for k in range(m):
            before = choices[k - 1, chosen[k - 1]] if k > 0 else start
            after = choices[k + 1, chosen[k + 1]] if k + 1 < m else end
            now = choices[k, chosen[k]]
            least = _away(before, now, flat) + _away(now, after, flat)
            for c in range(_CHOICES):
                way = _away(before, choices[k, c], flat) + _away(choices[k, c], after, flat)
                if way < least - _BETTER * (1 + least):
                    least, chosen[k], changed = way, c, True
        if not changed:
            break


@kernel
def _choose(start: F64, end: F64, choices: F64, flat: AnyBool, chosen: I8) -> None:
    """What is best of all choices together, by dynamic programming; of equals the earlier choice."""
    m = len(choices)
    came_from = np.empty((m, _CHOICES), np.int8)
    ways, longer = np.zeros(_CHOICES), np.empty(_CHOICES)
    for k in range(m):
        for c in range(_CHOICES):
            longer[c], came_from[k, c] = _away(start, choices[0, c], flat), 0
            if k > 0:
                longer[c] = np.inf
                for other in range(_CHOICES):
                    way = ways[other] + _away(choices[k - 1, other], choices[k, c], flat)
                    if way < longer[c]:
                        longer[c], came_from[k, c] = way, other
        ways[:] = longer
    if m > 0:
        best, least = 0, np.inf
        for c in range(_CHOICES):
            way = ways[c] + _away(choices[m - 1, c], end, flat)
            if way < least:
                best, least = c, way
        for k in range(m - 1, -1, -1):
            chosen[k] = best
            best = came_from[k, best]


@kernel
def _tidied(line: F64, count: AnyInt) -> int:
    """Leave out points that lie on the line between the one before, if it is kept, and the next one."""
    kept = 1
    for k in range(1, count - 1):
        if _to_segment(line[k], line[kept - 1], line[k + 1]) >= _ON_LINE:
            line[kept] = line[k]
            kept += 1
    line[kept] = line[count - 1]
    return kept + 1


@inlined
def _to_segment(point: F64, a: F64, b: F64) -> float:
    square = product = 0.0
    for axis in range(3):
        square += (b[axis] - a[axis]) * (b[axis] - a[axis])
        product += (b[axis] - a[axis]) * (point[axis] - a[axis])
    part = min(max(product / square, 0.0), 1.0) if square > 0 else 0.0
    away = 0.0
    for axis in range(3):
        gap = a[axis] + (b[axis] - a[axis]) * part - point[axis]
        away += gap * gap
    return np.sqrt(away)
