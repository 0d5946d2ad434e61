"""From each of many starts to each of many ends: costs, or paths with their lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...types import F32, I32
from ..answers import Corridors, PathCosts, Paths
from ..batches import TREE_PIECE, as_room, in_pieces, joined, offsets_of, usable
from ..kernels.points import PointPairs, PointsOn
from ..paths import Ask, nearest_of, paths_through
from ..status import OUT_OF_NODES, PARTIAL, SUCCESS, PathStatus
from .search_tree import FOUND, NOWHERE, UNFINISHED, EndsByPolygon, TableRows, TreeLimits, many_rows

_NO_WAY = SUCCESS | PARTIAL  # and no polygons


class _FoundTable(NamedTuple):
    """N starts to M ends."""

    starts: PointsOn  # (N,)
    ends: PointsOn  # (M,)
    table: TableRows
    polygons: I32  # those of all paths, if they were asked for


def costs_to_many(ask: Ask, here: F32, there: F32, half: F32) -> PathCosts:
    """The table of costs."""
    found = _found(ask, here, there, half, with_polygons=False)
    became = found.table.became
    status = np.full(became.shape, PathStatus.COMPLETE, np.uint8)
    status[became == NOWHERE] = PathStatus.UNREACHABLE
    status[became == UNFINISHED] = PathStatus.OUT_OF_NODES
    status[:, found.ends.polygons < 0] = PathStatus.NO_END
    status[found.starts.polygons < 0] = PathStatus.NO_START
    status[:, ~usable(there)] = PathStatus.NOT_FINITE
    status[~usable(here)] = PathStatus.NOT_FINITE
    known = (status == PathStatus.COMPLETE) | (status == PathStatus.UNREACHABLE)
    return PathCosts(np.where(known, found.table.costs, np.float32(np.nan)), status)


def paths_to_many(ask: Ask, here: F32, there: F32, half: F32, crossings: str, most: int) -> Paths:
    """Row i · M + j leads from start i to end j."""
    found, m, n = _found(ask, here, there, half, with_polygons=True), len(there), len(here)
    became, counts = found.table.became.ravel(), found.table.counts.ravel()
    pairs = PointPairs(
        np.repeat(found.starts.polygons, m), np.tile(found.ends.polygons, n),
        np.repeat(found.starts.points, m, axis=0), np.tile(found.ends.points, (n, 1)),
    )  # fmt: skip
    finite = (usable(here)[:, None] & usable(there)).ravel()
    status = np.where(became == FOUND, SUCCESS, _NO_WAY)
    status[became == UNFINISHED] |= OUT_OF_NODES
    corridors = Corridors(
        offsets_of(counts), ask.names.names(found.polygons), status, pairs.ends, np.repeat(found.table.expanded, m)
    )
    paths = paths_through(ask, pairs, finite, corridors, found.polygons, crossings, most)
    paths.status[paths.status == PathStatus.PARTIAL] = PathStatus.UNREACHABLE
    paths.missing[counts == 0] = np.nan
    return paths


def _found(ask: Ask, here: F32, there: F32, half: F32, with_polygons: bool) -> _FoundTable:
    nodes, rule = as_room("max_nodes", ask.max_nodes, 0), ask.filter.rule()
    starts, ends = (
        PointsOn(*nearest_of(ask.mesh, rule, points, half, ask.threads, ask.progress)) for points in (here, there)
    )
    n, m = len(here), len(there)
    table = TableRows(
        np.empty((n, m), np.uint8), np.empty((n, m), np.float32), np.empty((n, m), np.int32), np.empty(n, np.int32)
    )
    before = (ask.mesh, starts, _by_polygon(ends, len(ask.mesh.polygons)), rule, TreeLimits(nodes, with_polygons))
    pieces = in_pieces(many_rows, n, before, (table,), ask.threads, ask.progress, TREE_PIECE)
    return _FoundTable(starts, ends, table, joined(pieces))


def _by_polygon(ends: PointsOn, polygons: int) -> EndsByPolygon:
    there: npt.NDArray[np.int64] = np.flatnonzero(ends.polygons >= 0)
    order = there[np.argsort(ends.polygons[there], kind="stable")]
    begin = np.concatenate([[0], np.cumsum(np.bincount(ends.polygons[there], minlength=polygons))])
    return EndsByPolygon(ends.points, begin.astype(np.int64), order.astype(np.int32))
