"""Refined paths: of each portal the middle or an end, chosen one after the other or all together."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import BadInput
from ..geometry.arrays import grown
from ..jit import inlined, kernel
from ..navquery.batches import in_pieces, joined, offsets_of
from ..navquery.kernels.points import Point32, is_finite, on_boundary, portal, row_of
from ..navquery.query_mesh import QueryMesh
from ..navquery.status import INVALID, SUCCESS
from ..progress import Progress
from ..types import F32, F64, I32, I64, U32, AnyBool, AnyInt

I8: TypeAlias = npt.NDArray[np.int8]

MIDDLE, GREEDY, CHOICE = range(3)
MAX_PORTALS = 1 << 20  # of a row
_CHOICES = 3  # middle, left, right
_SWEEPS = 8
_BETTER = 1e-12
_ON_LINE = 1e-6  # metres
_FARTHEST = 1e18  # metres
WAYS = {"middle": MIDDLE, "greedy": GREEDY, "choice": CHOICE}


class RefinedPaths(NamedTuple):
    """The line through the portals of each row."""

    offsets: I64
    points: F64  # (., 3) the start, a point for each portal, the end
    length: F64  # (N,) metres
    status: U32


class Refinement(NamedTuple):
    """How lines are refined. See `NavQuery.refined_paths`."""

    way: str = "choice"
    shrink: float = 0.0  # metres by which both ends of each portal move inward
    flat: bool = False  # lengths are measured seen from above
    tidy: bool = False  # points on straight lines are left out


DEFAULT_REFINEMENT = Refinement()


def refine(
    starts: npt.ArrayLike, ends: npt.ArrayLike, offsets: npt.ArrayLike, portals: npt.ArrayLike,
    how: Refinement = DEFAULT_REFINEMENT, threads: int | None = None, progress: Progress | None = None,
) -> RefinedPaths:  # fmt: skip
    """Lines from starts to ends through portals, each a left and a right end: (M, 2, 3).

    Row r goes through portals[offsets[r]] to portals[offsets[r + 1]], in the order of travel.
    """
    here, there, given = _numbers("starts", starts, (3,)), _numbers("ends", ends, (3,)), _portals(portals)
    cuts = as_cuts(offsets, len(given), "portals")
    if not len(here) == len(there) == len(cuts) - 1:
        raise BadInput(
            f"There are {len(here):,} starts, {len(there):,} ends and {len(cuts) - 1:,} rows of portals. Give one of "
            "each.", "WRONG_QUESTION",
        )  # fmt: skip
    status = np.full(len(here), SUCCESS, np.uint32)
    return refined(PortalLines(here, there, cuts, given), status, how, threads, progress)


def refined(
    lines: PortalLines, status: U32, how: Refinement, threads: int | None, progress: Progress | None
) -> RefinedPaths:
    """The same for arrays that are in order; rows whose `status` is no success stay without points."""
    check_way(how.way, how.shrink)
    n = len(lines.starts)
    lengths, counts = np.empty(n, np.float64), np.empty(n, np.int32)
    manner = _Manner(WAYS[how.way], float(how.shrink), bool(how.flat), bool(how.tidy))
    found = joined(in_pieces(refined_rows, n, (lines, manner), (status, lengths, counts), threads, progress))
    lengths[status == INVALID] = np.nan
    return RefinedPaths(offsets_of(counts), found, lengths, status)


def as_cuts(given: npt.ArrayLike, count: int, what: str) -> I64:
    cuts = np.array(given, ndmin=1)
    if cuts.ndim != 1 or cuts.dtype.kind not in "iu" or cuts[0] != 0 or (np.diff(cuts) < 0).any() or cuts[-1] != count:
        raise BadInput(
            f"offsets do not cut the {what} into rows: they begin at 0, never fall, and end at their number.",
            "WRONG_QUESTION",
        )
    return cuts.astype(np.int64)


def check_way(way: str, shrink: float) -> None:
    if way not in WAYS:
        raise BadInput(f"way is {way!r}. Choose one of {', '.join(WAYS)}.", "WRONG_QUESTION")
    if not (math.isfinite(shrink) and shrink >= 0):
        raise BadInput(f"shrink is {shrink}. Give a finite number of metres, 0 or more.", "WRONG_QUESTION")


def _numbers(name: str, given: npt.ArrayLike, row: tuple[int, ...]) -> F64:
    try:
        numbers = np.array(given, np.float64, order="C", ndmin=len(row) + 1)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape[1:] != row:
        raise BadInput(f"{name} are not (N, {', '.join(map(str, row))}) numbers.", "WRONG_QUESTION")
    return numbers


def _portals(given: npt.ArrayLike) -> F64:
    return np.zeros((0, 2, 3)) if np.size(given) == 0 else _numbers("portals", given, (2, 3))


# Kernels: three points at each portal, its middle, its left and its right end


class AskedCorridorLines(NamedTuple):
    """N rows: from a point to another one through corridors[firsts[row]:firsts[row + 1]]."""

    from_points: F32  # (N, 3)
    to_points: F32
    firsts: I64
    corridors: I32


class PortalLines(NamedTuple):
    """N rows: from a start to an end through portals[firsts[row]:firsts[row + 1]]."""

    starts: F64  # (N, 3)
    ends: F64
    firsts: I64
    portals: F64  # (., 2, 3) left and right end


class _Manner(NamedTuple):
    """As `Refinement`, for kernels."""

    way: int
    shrink: float
    flat: bool
    tidy: bool


@kernel
def portal_rows(
    mesh: QueryMesh, asked: AskedCorridorLines, begin: int, end: int, status: U32, starts: F64, ends: F64, counts: I32
) -> F64:
    """Left and right end of what the polygons of each row share, one row after the other.

    `starts` and `ends` get the ends of the row: those that were asked for, or what of the polygon is closest to them.
    """
    mesh, asked = QueryMesh(*mesh), AskedCorridorLines(*asked)
    from_points, to_points, firsts, corridors = asked
    found = np.empty((1024, 2, 3), np.float64)
    total = 0
    for row in range(begin, end):
        corridor = corridors[firsts[row] : firsts[row + 1]]
        here, there = row_of(from_points, row), row_of(to_points, row)
        counts[row], status[row] = 0, INVALID
        _put(starts, row, here)
        _put(ends, row, there)
        steps = len(corridor) - 1
        if steps < 0 or steps > MAX_PORTALS or not (is_finite(here) and is_finite(there)) or corridor.min() < 0:
            continue
        if total + steps > len(found):
            found = grown(found, total, total + steps)
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
def _put(places: F64, row: AnyInt, point: Point32) -> None:
    places[row, 0], places[row, 1], places[row, 2] = point


@kernel
def refined_rows(
    lines: PortalLines, manner: _Manner, begin: int, end: int, status: U32, lengths: F64, counts: I32
) -> F64:
    """The points of each row's line, one after the other; where `status` says that the row is wrong, none."""
    lines, manner = PortalLines(*lines), _Manner(*manner)
    starts, ends, firsts, portals = lines
    way, shrink, flat, tidy = manner
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
            found = grown(found, total, total + m + 2)
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
    if len(portals) > MAX_PORTALS:
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
