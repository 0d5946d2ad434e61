"""From each of many starts to each of many ends: costs, or paths with their lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...types import F32, I32, I64, U8
from ..answers import Corridors, PathCosts, Paths
from ..batches import TREE_PIECE, as_room, in_pieces, joined, offsets_of, usable
from ..paths import Ask, Pairs, nearest_of, paths_through
from ..status import OUT_OF_NODES, PARTIAL, SUCCESS, PathStatus
from .search_tree import FOUND, NOWHERE, UNFINISHED, many_rows

_NO_WAY = SUCCESS | PARTIAL  # and no polygons


class _Ways(NamedTuple):
    """N starts to M ends."""

    first: I32  # (N,) polygons
    last: I32  # (M,)
    start: F32  # (N, 3) points on them
    end: F32  # (M, 3)
    became: U8  # (N, M) NOWHERE, FOUND or UNFINISHED
    costs: F32  # (N, M)
    expanded: I32  # (N,)
    counts: I32  # (N, M) polygons of each way
    polygons: I32  # all of them, if they were asked for


def costs_to_many(ask: Ask, here: F32, there: F32, half: F32) -> PathCosts:
    """The table of costs."""
    ways = _ways(ask, here, there, half, with_polygons=False)
    status = np.full(ways.became.shape, PathStatus.COMPLETE, np.uint8)
    status[ways.became == NOWHERE] = PathStatus.UNREACHABLE
    status[ways.became == UNFINISHED] = PathStatus.OUT_OF_NODES
    status[:, ways.last < 0] = PathStatus.NO_END
    status[ways.first < 0] = PathStatus.NO_START
    status[:, ~usable(there)] = PathStatus.NOT_FINITE
    status[~usable(here)] = PathStatus.NOT_FINITE
    said = (status == PathStatus.COMPLETE) | (status == PathStatus.UNREACHABLE)
    return PathCosts(np.where(said, ways.costs, np.float32(np.nan)), status)


def paths_to_many(ask: Ask, here: F32, there: F32, half: F32, crossings: str, most: int) -> Paths:
    """Row i · M + j leads from start i to end j."""
    ways, m, n = _ways(ask, here, there, half, with_polygons=True), len(there), len(here)
    became, counts = ways.became.ravel(), ways.counts.ravel()
    pairs = Pairs(
        np.repeat(ways.first, m), np.tile(ways.last, n), np.repeat(ways.start, m, axis=0), np.tile(ways.end, (n, 1)),
        (usable(here)[:, None] & usable(there)).ravel(),
    )  # fmt: skip
    status = np.where(became == FOUND, SUCCESS, _NO_WAY)
    status[became == UNFINISHED] |= OUT_OF_NODES
    corridors = Corridors(
        offsets_of(counts), ask.names.names(ways.polygons), status, pairs.end, np.repeat(ways.expanded, m)
    )
    paths = paths_through(ask, pairs, corridors, ways.polygons, crossings, most)
    paths.status[paths.status == PathStatus.PARTIAL] = PathStatus.UNREACHABLE
    paths.missing[counts == 0] = np.nan
    return paths


def _ways(ask: Ask, here: F32, there: F32, half: F32, with_polygons: bool) -> _Ways:
    nodes, rule = as_room("max_nodes", ask.max_nodes, 0), ask.filter.rule()
    first, start = nearest_of(ask.mesh, rule, here, half, ask.threads, ask.progress)
    last, end = nearest_of(ask.mesh, rule, there, half, ask.threads, ask.progress)
    n, m = len(here), len(there)
    became, costs = np.empty((n, m), np.uint8), np.empty((n, m), np.float32)
    counts, expanded = np.empty((n, m), np.int32), np.empty(n, np.int32)
    before = (ask.mesh, first, start, end, *_by_polygon(last, len(ask.mesh.polygons)), *rule, nodes, with_polygons)
    after = (became, costs, counts, expanded)
    pieces = in_pieces(many_rows, n, before, after, ask.threads, ask.progress, TREE_PIECE)
    return _Ways(first, last, start, end, became, costs, expanded, counts, joined(pieces))


def _by_polygon(last: I32, polygons: int) -> tuple[I64, I32]:
    """The numbers of the ends by the polygon that they lie in, and where those of each polygon begin."""
    there: npt.NDArray[np.int64] = np.flatnonzero(last >= 0)
    order = there[np.argsort(last[there], kind="stable")]
    begin = np.concatenate([[0], np.cumsum(np.bincount(last[there], minlength=polygons))])
    return begin.astype(np.int64), order.astype(np.int32)
