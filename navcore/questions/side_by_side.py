"""The same paths in every way, side by side: how long, how many points, how fast."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..navquery.status import SUCCESS
from ..types import F32, F64, I64
from .nav_query import NavQuery

_LEAST_LENGTH = 0.1  # metres; of shorter ways a part says nothing
_MICROSECONDS = 1e6
_ROUNDS = 4


class MeasuredPath(NamedTuple):
    """One way to make lines; N rows."""

    name: str
    offsets: I64
    points: F64  # (., 3)
    length: F64  # (N,) metres, seen from above; NaN where this way found no line
    microseconds: float  # for each row, on one thread, with the search for polygons


class SideBySide(NamedTuple):
    """Complete paths in every way, from the simplest to the shortest."""

    asked: int
    starts: F32  # (N, 3)
    ends: F32
    polygons: I64  # (N,) of the corridor
    ways: tuple[MeasuredPath, ...]

    def longer(self, way: MeasuredPath) -> F64:
        """By which part each line is longer than the shortest of all."""
        shortest: F64 = np.fmin.reduce([other.length for other in self.ways])
        return way.length / shortest - 1


def side_by_side(query: NavQuery, starts: F32, ends: F32) -> SideBySide:
    """All ways between pairs of points. Pairs that no complete path joins, or a very short one, are left out."""
    near, far = query.nearest(starts), query.nearest(ends)
    first, last = near.references, far.references
    way = query.find_corridors(first, last, near.points, far.points, max_nodes=None, max_path=None)
    sizes = np.diff(way.offsets)
    away = np.hypot(*(near.points - far.points).astype(np.float64)[:, ::2].T)
    chosen = (way.status == SUCCESS) & (sizes > 0) & (away > _LEAST_LENGTH)
    first, last, here, there = first[chosen], last[chosen], near.points[chosen], far.points[chosen]
    ways = _timed(dict(_calls(query, first, last, here, there)), len(here))
    return SideBySide(len(starts), here, there, sizes[chosen], ways)


def _calls(query: NavQuery, first: Any, last: Any, here: F32, there: F32) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Each way by name."""

    def refined(way: str) -> Any:
        found = query.find_corridors(first, last, here, there, max_nodes=None, max_path=None, threads=1)
        return query.refined_paths(here, there, found.offsets, found.references, way=way, flat=True, threads=1)

    def edges() -> Any:
        found = query.find_edge_corridors(first, last, here, there, threads=1)
        return query.refined_paths(here, there, found.offsets, found.references, way="middle", threads=1)

    def funnel() -> Any:
        found = query.find_corridors(first, last, here, there, max_nodes=None, max_path=None, threads=1)
        return query.straight_paths(here, there, found.offsets, found.references, max_points=None, threads=1)

    yield "middle", lambda: refined("middle")
    yield "edges", edges
    yield "greedy", lambda: refined("greedy")
    yield "choice", lambda: refined("choice")
    yield "funnel", funnel
    yield "exact", lambda: query.find_paths(here, there, exact=True, threads=1)


def _timed(calls: dict[str, Callable[[], Any]], rows: int) -> tuple[MeasuredPath, ...]:
    """What each way gives, and its best time of a few rounds in which they take turns: the first one loads kernels."""
    best = dict.fromkeys(calls, float("inf"))
    found = {}
    for _ in range(_ROUNDS):
        for name, call in calls.items():
            began = time.perf_counter()
            found[name] = call()
            best[name] = min(best[name], time.perf_counter() - began)
    ways = []
    for name, line in found.items():
        points = line.points.astype(np.float64)
        length = _lengths(line.offsets, points)
        ways.append(MeasuredPath(name, line.offsets, points, length, best[name] * _MICROSECONDS / max(rows, 1)))
    return tuple(ways)


def _lengths(offsets: I64, points: F64) -> F64:
    steps = np.sqrt((np.diff(points[:, ::2], axis=0) ** 2).sum(axis=1))
    away = np.concatenate([np.zeros(1), np.cumsum(steps)])
    some = np.diff(offsets) > 0
    lengths = np.full(len(some), np.nan)
    lengths[some] = away[offsets[1:][some] - 1] - away[offsets[:-1][some]]
    return lengths
