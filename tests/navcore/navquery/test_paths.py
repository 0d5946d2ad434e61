"""Paths over levels: what they keep to, honest statuses, and the options that Detour does not have."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavQuery, PathStatus, QueryFilter, build_navmesh
from tests import scenes
from tests.navcore.navquery.query_examples import by_hand, random_points, town

PARTIAL, BUFFER_TOO_SMALL, OUT_OF_NODES = 64, 16, 32


def test_complete_paths_are_complete() -> None:
    query, points = NavQuery(town(32)), random_points(600, 4)
    paths = query.find_paths(points[:300], points[300:])
    starts, ends = query.nearest(points[:300]), query.nearest(points[300:])
    complete = np.flatnonzero(paths.status == PathStatus.COMPLETE)
    assert len(complete) > 100
    for row in complete.tolist():
        polygons = paths.polygons[paths.polygon_offsets[row] : paths.polygon_offsets[row + 1]]
        assert polygons[0] == starts.references[row] and polygons[-1] == ends.references[row]
        line = paths.points[paths.offsets[row] : paths.offsets[row + 1]]
        # Heights may differ: a point on an outline gets that of the outline, without detail.
        assert np.abs(line[0] - starts.points[row])[[0, 2]].max() < 1e-4
        assert np.abs(line[-1] - ends.points[row])[[0, 2]].max() < 1e-4
        steps = np.sqrt((np.diff(line.astype(np.float64), axis=0) ** 2).sum(axis=1))
        assert paths.length[row] == pytest.approx(steps.sum(), rel=1e-6) and paths.missing[row] == 0


def test_a_small_pool_is_told_and_a_growing_one_finds_the_way() -> None:
    query, points = NavQuery(town(32)), random_points(400, 5)
    small = query.find_paths(points[:200], points[200:], max_nodes=8)
    full = query.find_paths(points[:200], points[200:], max_nodes=None)
    out = small.status == PathStatus.OUT_OF_NODES
    assert out.sum() > 30 and (small.detour_status[out] & (PARTIAL | OUT_OF_NODES) == PARTIAL | OUT_OF_NODES).all()
    assert (full.status[out] == PathStatus.COMPLETE).any() and not (full.status == PathStatus.OUT_OF_NODES).any()
    assert small.expanded.max() == 8 < full.expanded.max()


def test_a_path_that_is_cut_off_says_so() -> None:
    query, points = NavQuery(town(32)), random_points(400, 5)
    whole = query.find_paths(points[:200], points[200:])
    cut = query.find_paths(points[:200], points[200:], max_path=4)
    long = np.diff(whole.polygon_offsets) > 4
    assert long.sum() > 30 and (cut.status[long] == PathStatus.TRUNCATED).sum() > 30
    assert (cut.detour_status[long] & BUFFER_TOO_SMALL != 0).all() and np.diff(cut.polygon_offsets).max() == 4
    same = ~long
    assert (cut.status[same] == whole.status[same]).all() and (cut.length[same] == whole.length[same]).all()
    few = query.find_paths(points[:200], points[200:], max_points=2, crossings="all")
    assert (few.status == PathStatus.TRUNCATED).sum() > 30 and np.diff(few.offsets).max() == 2


def test_links_are_ways_and_lead_one_way_only_where_they_are_to() -> None:
    """Three plates in a row; the link from the first to the second leads both ways, the next one does not."""
    plates = scenes.join([scenes.box(14.0 * k, -1, 0, 10, 1, 10) for k in range(3)])
    links = [
        {"start": [8 + 14 * k, 0, 5], "end": [16 + 14 * k, 0, 5], "radius": 1.0, "area": 5, "flags": 8, "id": 7 + k,
         "bidirectional": k == 0} for k in range(2)
    ]  # fmt: skip
    query = NavQuery(build_navmesh(*plates, links=links))
    left, right = [2, 0, 5], [36, 0, 5]
    there, back = query.find_paths(left, right), query.find_paths(right, left)
    assert query.link_ids(there.polygons)[query.is_link(there.polygons)].tolist() == [7, 8]
    assert (there.flags & 4 != 0).sum() == 2 and there.length[0] == pytest.approx(34, abs=0.1)
    assert there.status[0] == PathStatus.COMPLETE and back.status[0] == PathStatus.PARTIAL
    half = query.find_paths([22, 0, 5], left)
    assert half.status[0] == PathStatus.COMPLETE and query.link_ids(half.polygons).max() == 7
    assert query.find_paths(left, right, QueryFilter(exclude=8)).status[0] == PathStatus.PARTIAL


def test_costs_are_those_of_the_areas_that_a_line_crosses() -> None:
    """Water lies across the whole of a plain: what is paid for it is its width times its cost."""
    water = {"shape": "box", "area": 1, "min": [9, -1, -1], "max": [15, 3, 31]}
    query = NavQuery(build_navmesh(*scenes.flat(30.0), volumes=[water]))
    path = query.find_paths([4, 0, 15], [26, 0, 15], QueryFilter({1: 10.0}))
    assert path.length[0] == pytest.approx(22, abs=0.05)
    assert path.cost[0] == pytest.approx(22 + 9 * 6, abs=9 * 0.6)
    assert query.find_paths([4, 0, 15], [26, 0, 15]).cost[0] == path.length[0]


def test_what_is_cut_off_costs_nothing() -> None:
    """Where areas cost differently, too, the cost is that of the line as far as it goes."""
    query, points = NavQuery(town(32)), random_points(600, 7)
    rule = QueryFilter({1: 10.0, 5: 2.0})
    whole = query.find_paths(points[:300], points[300:], rule)
    for most in (1, 2, 3):
        cut = query.find_paths(points[:300], points[300:], rule, max_points=most)
        short = (cut.status == PathStatus.TRUNCATED) & (cut.length < whole.length - 0.1)
        assert short.sum() > 50 and (cut.cost[short] <= whole.cost[short]).all()
        assert (cut.cost[short] < whole.cost[short] - 0.05).all()
        assert (cut.cost >= cut.length * 0.999).all() and (cut.cost <= cut.length * 10.001).all()
        assert (cut.cost > cut.length * 1.5).any() == (most > 1)


def test_a_heuristic_that_knows_of_cheap_ground() -> None:
    """Where areas cost less than 1, Detour's estimate is too large, and its paths may cost more than need be."""
    query, points = NavQuery(town(32)), random_points(600, 6)
    cheap = QueryFilter({1: 0.1})
    asked = query.nearest(points[:300]), query.nearest(points[300:])
    both = (asked[0].references != 0) & (asked[1].references != 0)
    detour = query.find_paths(points[:300][both], points[300:][both], cheap)
    better = query.find_paths(points[:300][both], points[300:][both], cheap, heuristic="least_cost")
    assert (better.cost < detour.cost * 0.9).any() and better.cost.sum() < detour.cost.sum()
    plain = QueryFilter({1: 3.0})
    ours = query.find_paths(points[:300], points[300:], plain, heuristic="least_cost")
    assert ours.points.tobytes() == query.find_paths(points[:300], points[300:], plain).points.tobytes()


def test_a_path_within_one_polygon() -> None:
    path = by_hand().find_paths([0.5, 0.4, 0.5], [1, 0.4, 2])
    assert path.polygons.tolist() == [256] and path.flags.tolist() == [1, 2] and path.expanded.tolist() == [0]
    assert path.length[0] == pytest.approx(np.hypot(0.5, 1.5))
