"""Long ways over many tiles: those that districts lead to, and the whole search for all others."""

from __future__ import annotations

import numpy as np

from ..geometry.arrays import numbers_in_ranges
from ..types import F32, I32, Bools
from .answers import Corridors, LongPaths
from .batches import in_pieces, joined, offsets_of, usable
from .districts import districts_of
from .kernels.district_ways import Districts
from .kernels.long_path import LongAsk, LongRows, ends_within_reach, long_rows
from .kernels.points import PointPairs, PointsOn
from .paths import MOST, Ask, corridors_of, nearest_of, paths_through, scale_of
from .query_filter import Rule, rule_of
from .query_mesh import QueryMesh
from .status import PARTIAL, SUCCESS

_NEAR = 1  # districts
_HURRY, _TRUST = np.float32(1.2), np.float32(1.1)  # measured: half of the time, for three thousandths of the cost
_KEPT = 8  # filters


class FilteredDistricts:
    """The districts of a mesh for each filter that was asked with lately."""

    def __init__(self) -> None:
        self._of: dict[tuple[bytes, int, int], Districts] = {}

    def of(self, mesh: QueryMesh, rule: Rule) -> Districts:
        """Two threads that ask first at once both make them: they are the same."""
        key = rule.costs.tobytes(), rule.include, rule.exclude
        found = self._of.pop(key, None) or districts_of(mesh, rule)
        self._of[key] = found
        for old in list(self._of)[:-_KEPT]:
            self._of.pop(old, None)
        return found


def long_paths_of(
    ask: Ask, districts: FilteredDistricts, here: F32, there: F32, half: F32, crossings: str
) -> LongPaths:
    """Nearest polygons, corridors and lines; a row to which districts do not lead is answered as `paths_of` does."""
    rule = rule_of(ask.filter)
    first, start = nearest_of(ask.mesh, rule, here, half, ask.threads, ask.progress)
    last, end = nearest_of(ask.mesh, rule, there, half, ask.threads, ask.progress)
    pairs = PointPairs(first, last, start, end)
    corridors, polygons, found = _corridors(ask, districts.of(ask.mesh, rule), pairs)
    finite = usable(here) & usable(there)
    paths = paths_through(ask, pairs, finite, corridors, polygons, crossings, MOST)
    return LongPaths(paths, found)


def _corridors(ask: Ask, districts: Districts, pairs: PointPairs) -> tuple[Corridors, I32, Bools]:
    n, rule = len(pairs.starts), rule_of(ask.filter)
    goals = PointsOn(np.empty(n, np.int32), np.empty((n, 3), np.float32))
    in_pieces(ends_within_reach, n, (ask.mesh, pairs, districts), (goals,), ask.threads, ask.progress)
    rows, how = LongRows(np.empty(n, np.int32), np.empty(n, np.int32)), LongAsk(scale_of(ask), _HURRY, _TRUST, _NEAR)
    asked = PointPairs(pairs.first, goals.polygons, pairs.starts, goals.points)
    before = (ask.mesh, asked, rule, how, districts)
    long = joined(in_pieces(long_rows, n, before, (rows,), ask.threads, ask.progress))
    found = rows.counts > 0
    rest = np.flatnonzero(~found)
    whole, others = corridors_of(
        ask, PointPairs(pairs.first[rest], pairs.last[rest], pairs.starts[rest], pairs.ends[rest])
    )
    counts = rows.counts.astype(np.int64)
    counts[rest] = np.diff(whole.offsets)
    offsets = offsets_of(counts)
    polygons = np.empty(int(offsets[-1]), np.int32)
    for chosen, values in ((np.flatnonzero(found), long), (rest, others)):
        polygons[numbers_in_ranges(offsets[chosen], counts[chosen])] = values
    status = np.where(goals.polygons == pairs.last, SUCCESS, SUCCESS | PARTIAL)
    aims, expanded = goals.points, rows.expanded
    status[rest], aims[rest], expanded[rest] = whole.status, whole.aims, whole.expanded
    return Corridors(offsets, ask.names.names(polygons), status, aims, expanded), polygons, found
