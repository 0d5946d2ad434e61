"""From one place to many: against a twin, against Detour's own search, and what rows that cannot be answered get."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from navcore import BadInput, Cancelled, NavQuery, PathStatus, Progress, QueryFilter, Settings, build_navmesh
from navcore.navquery.kernels.find_path import CorridorRows, PathLimits, path_rows
from navcore.navquery.kernels.points import PointPairs
from navcore.types import F32, I32, I64
from tests import scenes
from tests.navcore.navquery.one_to_many.tree_twin import cheapest, settled
from tests.navcore.navquery.query_examples import by_hand, random_points, town

FILTERS = [QueryFilter(), QueryFilter({1: 10.0, 5: 1.5}), QueryFilter({1: 0.1, 5: 0.0}), QueryFilter(exclude=8)]
KINDS = pytest.mark.parametrize("tile_size", [0, 32])
EACH_FILTER = pytest.mark.parametrize("who", FILTERS, ids=["plain", "dear", "cheap", "no links"])
SUCCESS, INVALID, OUT_OF_NODES = 1 << 30, 1 << 31 | 8, 32


def placed(query: NavQuery, points: F32, who: QueryFilter) -> tuple[I32, F32]:
    near = query.nearest(points, filter=who)
    return query._names.polygons(near.references), near.points


@KINDS
@EACH_FILTER
def test_costs_and_corridors_are_those_of_the_twin(tile_size: int, who: QueryFilter) -> None:
    query, points = NavQuery(town(tile_size)), random_points(40, 7)
    table = query.path_costs(points[:10], points[10:], who)
    paths = query.find_paths_to_many(points[:10], points[10:], who)
    (first, here), (last, there) = placed(query, points[:10], who), placed(query, points[10:], who)
    compared = 0
    for i, j in np.argwhere((first >= 0)[:, None] & (last >= 0)).tolist():
        nodes = settled(query, int(first[i]), here[i], who)
        cost, polygons = cheapest(nodes, int(last[j]), there[j], query, who)
        row = i * 30 + j
        found = paths.polygons[paths.polygon_offsets[row] : paths.polygon_offsets[row + 1]]
        assert table.costs[i, j] == cost and query._names.polygons(found).tolist() == polygons
        wanted = PathStatus.COMPLETE if polygons else PathStatus.UNREACHABLE
        assert table.status[i, j] == paths.status[row] == wanted
        compared += bool(polygons)
    assert compared > 50 and (table.status == PathStatus.UNREACHABLE).sum() > 5


@cache
def pond() -> NavQuery:
    """Tiles of one polygon each: they have entrances on all sides. The one in the middle is water."""
    water = {"shape": "box", "area": 1, "min": [9.6, -1, 9.6], "max": [14.4, 1, 14.4]}
    return NavQuery(build_navmesh(*scenes.flat(24.0), Settings(tile_size=16), volumes=[water]))


def test_of_several_entrances_the_best_for_each_end_counts() -> None:
    query, points, who = pond(), random_points(100, 17, 1, 23) * np.float32([1, 0, 1]), QueryFilter({1: 10.0})
    middle = np.array([[9.8, 0, 12], [14.2, 0, 12]], np.float32)  # with the cheapest way between them around the pond
    starts, ends = np.concatenate([points[:20], middle]), np.concatenate([points[20:], middle])
    table, paths = query.path_costs(starts, ends, who), query.find_paths_to_many(starts, ends, who)
    for end in range(len(ends)):  # alone: no other end keeps the search going
        alone = query.path_costs(starts, ends[end : end + 1], who)
        assert alone.costs[:, 0].tolist() == table.costs[:, end].tolist()
    (first, here), (last, there) = placed(query, starts, who), placed(query, ends, who)
    offsets, polygons, status = without_heuristic(query, first, last, here, there, who)
    assert (status == SUCCESS).all() and (paths.status == PathStatus.COMPLETE).all()
    assert paths.polygons.tolist() == polygons.tolist() and paths.polygon_offsets.tolist() == offsets.tolist()
    across = table.costs[20, -1]
    assert across == pytest.approx(44, abs=0.1), "Detour goes straight on within a polygon"


@KINDS
@EACH_FILTER
def test_corridors_are_those_of_find_path_without_a_heuristic(tile_size: int, who: QueryFilter) -> None:
    query, points = NavQuery(town(tile_size)), random_points(120, 3)
    paths = query.find_paths_to_many(points[:60], points[60:], who)
    (first, here), (last, there) = placed(query, points[:60], who), placed(query, points[60:], who)
    offsets, polygons, status = without_heuristic(query, first, last, here, there, who)
    complete = np.flatnonzero(paths.status == PathStatus.COMPLETE)
    assert len(complete) > 900
    for row in complete.tolist():
        ours = paths.polygons[paths.polygon_offsets[row] : paths.polygon_offsets[row + 1]]
        assert ours.tolist() == polygons[offsets[row] : offsets[row + 1]].tolist()
    assert np.array_equal(paths.status == PathStatus.UNREACHABLE, (status & 64 != 0) & (status >> 31 == 0))


def without_heuristic(
    query: NavQuery, first: I32, last: I32, here: F32, there: F32, who: QueryFilter
) -> tuple[I64, F32, F32]:
    """Detour's search of each pair by itself, with an estimate of 0 for what is left."""
    n, m = len(first), len(last)
    pairs = PointPairs(np.repeat(first, m), np.tile(last, n), np.repeat(here, m, axis=0), np.tile(there, (n, 1)))
    status, counts = np.empty(n * m, np.uint32), np.empty(n * m, np.int32)
    rows = CorridorRows(status, counts, np.empty((n * m, 3), np.float32), np.empty(n * m, np.int32))
    limits = PathLimits(np.float32(0), 0, 2**62, False)
    found = path_rows(query._mesh, pairs, who.rule(), limits, 0, n * m, rows)
    return np.concatenate([[0], np.cumsum(counts)]), query._names.names(found), status


@EACH_FILTER
def test_no_path_that_a_heuristic_leads_to_is_much_cheaper(who: QueryFilter) -> None:
    """Each keeps for a polygon the entrance that it sees first, so that some differ; by little, and either way."""
    query, points = NavQuery(town(32)), random_points(120, 5)
    paths = query.find_paths_to_many(points[:60], points[60:], who)
    other = query.find_paths(
        np.repeat(points[:60], 60, axis=0), np.tile(points[60:], (60, 1)), who, heuristic="least_cost",
        max_nodes=None, max_path=None, max_points=None,
    )  # fmt: skip
    complete = paths.status == PathStatus.COMPLETE
    assert np.array_equal(complete, other.status == PathStatus.COMPLETE)
    # Equal lines are most of them; links that cost nothing are paid by neither.
    assert (np.abs(paths.cost - other.cost)[complete] <= 1e-3).mean() > 0.9
    assert paths.cost[complete].sum() < 1.01 * other.cost[complete].sum()


@KINDS
@EACH_FILTER
def test_polygons_within_a_cost_are_those_of_the_twin(tile_size: int, who: QueryFilter) -> None:
    query, points = NavQuery(town(tile_size)), random_points(12, 9)
    first, here = placed(query, points, who)
    most = np.linspace(0, 60, 12).astype(np.float32)
    within = query.polygons_within(query._names.names(first), here, most, who)
    parents, found = query._names.polygons(within.parents), query._names.polygons(within.references)
    for row in range(12):
        rows = slice(within.offsets[row], within.offsets[row + 1])
        if first[row] < 0:
            assert within.status[row] == INVALID and rows.start == rows.stop
            continue
        cheapest_of = {}
        for node in settled(query, int(first[row]), here[row], who):
            if node.cost <= most[row]:
                cheapest_of.setdefault(node.polygon, node)
        assert sorted(found[rows].tolist()) == sorted(cheapest_of)
        for polygon, cost, parent in zip(found[rows].tolist(), within.costs[rows], parents[rows], strict=True):
            node = cheapest_of[polygon]
            assert cost == node.cost and parent == (-1 if node.parent is None else node.parent.polygon)
        assert (np.diff(within.costs[rows]) >= 0).all() and within.status[row] == SUCCESS
    assert np.diff(within.offsets).max() > 20


def test_by_hand_within_costs() -> None:
    """The same costs as of findPolysAroundCircle, which reaches the same polygons in these two tiles."""
    within = by_hand().polygons_within([256, 256], [[0.5, 0.4, 0.5]] * 2, [5, 2])
    circle = by_hand().polygons_around([256], [[0.5, 0.4, 0.5]], 5)
    assert within.offsets.tolist() == [0, 4, 6]
    assert within.references[:4].tolist() == circle.references.tolist() == [256, 257, 321, 320]
    assert within.parents[:4].tolist() == circle.parents.tolist() and within.references[4:].tolist() == [256, 257]
    assert within.costs[:4].tolist() == pytest.approx(circle.costs.tolist())
    assert by_hand().polygons_within([256], [[0.5, 0.4, 0.5]], np.inf).references.tolist() == [256, 257, 321, 320]


@KINDS
def test_the_same_bytes_for_any_number_of_threads(tile_size: int) -> None:
    query, points = NavQuery(town(tile_size)), random_points(90, 11)
    starts, ends = points[:60], points[60:]
    near = query.nearest(starts)
    for threads in (2, 5):
        for ask in (query.path_costs, query.find_paths_to_many):
            one, more = ask(starts, ends, threads=1), ask(starts, ends, threads=threads)
            assert all(a.tobytes() == b.tobytes() for a, b in zip(one, more, strict=True))
        one, more = (query.polygons_within(near.references, near.points, 9, threads=t) for t in (1, threads))
        assert all(a.tobytes() == b.tobytes() for a, b in zip(one, more, strict=True))
        one, more = (query.reachable_from(near.references, threads=t) for t in (1, threads))
        assert all(a.tobytes() == b.tobytes() for a, b in zip(one, more, strict=True))


def test_rows_that_cannot_be_answered() -> None:
    query = by_hand()
    starts = [[0.5, 0.4, 0.5], [90, 0, 90], [np.nan, 0, 0]]
    table = query.path_costs(starts, [[5, 0.6, 2.5], [90, 0, 90], [0, np.inf, 0]])
    names = [[PathStatus(value).name for value in row] for row in table.status.tolist()]
    assert names == [
        ["COMPLETE", "NO_END", "NOT_FINITE"], ["NO_START", "NO_START", "NOT_FINITE"], ["NOT_FINITE"] * 3,
    ]  # fmt: skip
    assert np.isnan(table.costs).tolist() == [[False, True, True], [True] * 3, [True] * 3]
    paths = query.find_paths_to_many(starts, [[5, 0.6, 2.5], [90, 0, 90], [0, np.inf, 0]])
    assert paths.status.tolist() == table.status.ravel().tolist() and np.diff(paths.offsets).tolist()[1:] == [0] * 8
    assert np.isfinite(paths.missing).tolist() == [True] + [False] * 8
    within = query.polygons_within([256, 1, 256], [[0.5, 0.4, 0.5], [0, 0, 0], [np.nan, 0, 0]], 1)
    assert within.status.tolist() == [SUCCESS, INVALID, INVALID] and np.diff(within.offsets).tolist() == [1, 0, 0]
    reached = query.reachable_from([256, 0, 255])
    assert reached.status.tolist() == [SUCCESS, INVALID, INVALID] and np.diff(reached.offsets).tolist() == [4, 0, 0]


def test_a_small_pool_is_told() -> None:
    query, points = NavQuery(town(32)), random_points(60, 13)
    whole, few = query.path_costs(points[:30], points[30:]), query.path_costs(points[:30], points[30:], max_nodes=6)
    out = few.status == PathStatus.OUT_OF_NODES
    assert out.any() and np.isnan(few.costs[out]).all() and not (whole.status == PathStatus.OUT_OF_NODES).any()
    assert (whole.status[few.status == PathStatus.COMPLETE] == PathStatus.COMPLETE).all()
    paths = query.find_paths_to_many(points[:30], points[30:], max_nodes=6)
    assert np.array_equal(paths.status.reshape(30, 30), few.status) and paths.expanded.max() == 6
    within = by_hand().polygons_within([256], [[0.5, 0.4, 0.5]], 99, max_nodes=2)
    assert within.status.tolist() == [SUCCESS | OUT_OF_NODES] and within.references.tolist() == [256, 257]


def test_nothing_to_ask_and_what_is_refused() -> None:
    query, point, none = by_hand(), [0.5, 0.4, 0.5], np.zeros((0, 3))
    assert query.path_costs(none, [point]).costs.shape == (0, 1)
    assert query.path_costs([point], none).costs.shape == (1, 0)
    assert len(query.find_paths_to_many([point], none).status) == 0
    with pytest.raises(BadInput, match="most_cost must be"):
        query.polygons_within([256], [point], -1)
    with pytest.raises(BadInput, match="most_cost must be"):
        query.polygons_within([256], [point], [1, 2])
    with pytest.raises(BadInput, match="max_nodes is 0"):
        query.path_costs(point, point, max_nodes=0)
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        query.path_costs(point, point, progress=progress)
