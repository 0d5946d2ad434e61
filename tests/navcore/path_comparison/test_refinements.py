"""Refined paths: the worked example, brute force over all choices, and the order of the ways over random levels."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from navcore import BadInput, Cancelled, NavQuery, Progress, build_navmesh
from navcore.path_comparison.refinements import WAYS, Refinement, refine
from navcore.types import F32
from tests import scenes
from tests.navcore.navquery.query_examples import by_hand
from tests.navcore.path_comparison.ways import LEVELS, all_ways, check_order, level

START, END = [0, 0, 0], [4, 0, 0]
PORTALS = [[[1, 0, 2], [1, 0, 0.5]], [[3, 0, 3], [3, 0, 1]]]
SUCCESS, INVALID = 1 << 30, 1 << 31 | 8


def test_the_worked_example() -> None:
    middle = refine(START, END, [0, 2], PORTALS, Refinement(way="middle"))
    assert middle.points.tolist() == [START, [1, 0, 1.25], [3, 0, 2], END]
    assert middle.length[0] == pytest.approx(1.600781 + 2.136001 + 2.236068, abs=2e-6)
    for way in ("choice", "greedy"):
        found = refine(START, END, [0, 2], PORTALS, Refinement(way=way))
        assert found.points.tolist() == [START, [1, 0, 0.5], [3, 0, 1], END] and found.offsets.tolist() == [0, 4]
        assert found.length[0] == pytest.approx(1.118034 + 2.061553 + 1.414214, abs=2e-6)


def test_no_portal_is_a_straight_line() -> None:
    for way in WAYS:
        found = refine(START, END, [0, 0], np.zeros((0, 2, 3)), Refinement(way=way))
        assert found.points.tolist() == [START, END] and found.length.tolist() == [4] and found.status[0] == SUCCESS


def test_shrinking_moves_both_ends_inward() -> None:
    """By 0.25 each; the first portal, 1.5 m wide, is only a middle from 0.75 m on."""
    found = refine(START, END, [0, 2], PORTALS, Refinement(shrink=0.25))
    assert found.points[1:3].tolist() == [[1, 0, 0.75], [3, 0, 1.25]]
    closed = refine(START, END, [0, 2], PORTALS, Refinement(shrink=0.75))
    assert closed.points[1:3].tolist() == [[1, 0, 1.25], [3, 0, 1.75]]


def test_flat_ways_do_not_see_heights() -> None:
    steep = [[[1, 90, 2], [1, 0, 4]]]
    assert refine(START, END, [0, 1], steep).points[1].tolist() == [1, 0, 4]
    flat = refine(START, END, [0, 1], steep, Refinement(flat=True))
    assert flat.points[1].tolist() == [1, 90, 2]
    assert flat.length[0] == pytest.approx(math.hypot(1, 2) + math.hypot(3, 2))


def test_tidied_lines_have_no_points_in_line() -> None:
    gates = [[[x, 0, 1], [x, 0, -1]] for x in (1, 2, 3)]
    assert refine(START, END, [0, 3], gates, Refinement(way="middle")).offsets[-1] == 5
    tidy = refine(START, END, [0, 3], gates, Refinement(way="middle", tidy=True))
    assert tidy.points.tolist() == [START, END] and tidy.length[0] == 4


def length_of(line: Any) -> float:
    return sum(math.dist(a, b) for a, b in itertools.pairwise(line))


def test_the_best_choice_is_that_of_brute_force() -> None:
    rng = np.random.default_rng(3)
    better = 0
    for _ in range(200):
        m = int(rng.integers(1, 6))
        portals = rng.uniform(-5, 5, (m, 2, 3)).round(1)
        start, end = rng.uniform(-5, 5, (2, 3)).round(1)
        points = [(p.mean(axis=0), p[0], p[1]) for p in portals]
        lines = [[start, *line, end] for line in itertools.product(*points)]
        least = min(map(length_of, lines))
        found = {way: refine(start, end, [0, m], portals, Refinement(way=way)) for way in WAYS}
        assert found["choice"].length[0] == pytest.approx(least, rel=1e-12)
        assert found["middle"].length[0] == pytest.approx(length_of(lines[0]), rel=1e-12)
        assert least - 1e-9 <= found["greedy"].length[0] <= found["middle"].length[0] + 1e-9
        assert all(length_of(f.points) == pytest.approx(f.length[0], rel=1e-12) for f in found.values())
        better += found["greedy"].length[0] > least + 1e-6
    assert better > 5, "here and there only all choices together find the best line"


def test_of_equal_choices_the_earlier_one() -> None:
    """Left and right are as far; the middle is in the way of none of them."""
    gate = [[[2, 0, 1], [2, 0, -1]]]
    assert refine(START, END, [0, 1], gate).points[1].tolist() == [2, 0, 0]
    mirrored = [[[2, 0, 1], [2, 0, -1]], [[2, 0, -1], [2, 0, 1]]]
    assert refine([2, 0, 1], [2, 0, -1], [0, 2], mirrored).points[1:3].tolist() == [[2, 0, 0], [2, 0, 0]]


def test_rows_that_cannot_be_refined_harm_no_other() -> None:
    bad = [[[1, np.nan, 2], [1, 0, 0.5]]]
    found = refine([START, START, [0, np.inf, 0]], [END] * 3, [0, 1, 3, 3], bad + PORTALS)
    assert found.status.tolist() == [INVALID, SUCCESS, INVALID] and found.offsets.tolist() == [0, 0, 4, 4]
    assert np.isnan(found.length).tolist() == [True, False, True]


def test_corridors_that_lead_nowhere() -> None:
    """A dead reference, polygons that do not touch, no polygon at all."""
    here, there = [[0.5, 0.4, 0.5]] * 4, [[5, 0.5, 2.5]] * 4
    way = by_hand().find_corridors([256], [321], here[:1], there[:1])
    chain = way.references.tolist()
    asked = [*chain, 256, 999, chain[0], chain[-1]]
    cuts = [0, len(chain), len(chain) + 2, len(chain) + 4, len(chain) + 4]
    found = by_hand().refined_paths(here, there, cuts, asked)
    assert len(chain) > 2 and found.status.tolist() == [SUCCESS, INVALID, INVALID, INVALID]
    assert found.offsets.tolist() == [0, *[len(chain) + 1] * 4]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"way": "left"}, "Choose one of middle, greedy, choice"),
        ({"shrink": -1.0}, "shrink is -1"),
        ({"shrink": np.nan}, "shrink is nan"),
    ],
)
def test_what_is_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        refine(START, END, [0, 2], PORTALS, Refinement(**more))
    with pytest.raises(BadInput, match=said):
        by_hand().refined_paths([0.5, 0.4, 0.5], [5, 0.5, 2.5], [0, 1], [256], **more)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((START, END, [0, 1], PORTALS), "offsets do not cut the portals"),
        ((START, [END, END], [0, 2], PORTALS), "Give one of each"),
        (([1, 2], END, [0, 2], PORTALS), "starts are not"),
        (("here", END, [0, 2], PORTALS), "starts are not"),
        ((START, END, [0, 2], [[1, 2], [4, 5]]), "portals are not"),
    ],
)
def test_shapes_that_are_refused(asked: tuple[Any, ...], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        refine(*asked)


@pytest.mark.parametrize("name", LEVELS)
def test_the_order_of_the_ways(name: str) -> None:
    lengths = all_ways(level(name), 500, seed=len(name))
    assert len(lengths["middle"]) > 100 and (lengths["middle"] > lengths["funnel"] * 1.05).sum() > 50
    check_order(lengths)


@pytest.mark.parametrize("name", LEVELS)
def test_no_line_over_middles_is_cheaper_than_that_of_the_edges(name: str) -> None:
    """Detour's corridor has middles, too; the search over all edges knows all of them."""
    lengths = all_ways(level(name), 400, seed=1, flat=False)
    assert (lengths["edges"] <= lengths["middle"] + 1e-9).all()
    if name != "hall":
        assert (lengths["edges"] < lengths["middle"] - 0.1).any(), "somewhere Detour's entrance is not the best one"


def cheapest_over_edges(query: NavQuery, first: int, last: int, here: F32, there: F32) -> float:
    """By Bellman and Ford: every edge is made cheaper until none changes."""
    polygons, links, portals = query._mesh.polygons, query._mesh.links, query._mesh.portals.astype(np.float64)
    middles = portals.mean(axis=1)
    owner = np.repeat(np.arange(len(polygons)), polygons["end_link"] - polygons["first_link"])
    cost = np.where(owner == first, np.linalg.norm(middles - here, axis=1), np.inf)
    changed = True
    while changed:
        changed = False
        for link in range(len(links)):
            after = np.arange(polygons[links[link].target].first_link, polygons[links[link].target].end_link)
            ways = cost[link] + np.linalg.norm(middles[after] - middles[link], axis=1)
            if (ways < cost[after] - 1e-12).any():
                cost[after], changed = np.minimum(cost[after], ways), True
    arrive = links["target"] == last
    return float((cost[arrive] + np.linalg.norm(middles[arrive] - there, axis=1)).min())


def test_the_search_over_edges_is_that_of_brute_force() -> None:
    query = NavQuery(build_navmesh(*scenes.plaza(3)))
    near = query.nearest(np.random.default_rng(5).uniform([0, 0, 0], [12, 1, 12], (60, 3)).astype(np.float32))
    first, last, here, there = near.references[:30], near.references[30:], near.points[:30], near.points[30:]
    way = query.find_edge_corridors(first, last, here, there)
    lines = query.refined_paths(here, way.aims, way.offsets, way.references, way="middle")
    numbers = query._names.polygons(first.astype(np.int64)), query._names.polygons(last.astype(np.int64))
    tried = 0
    for row in np.flatnonzero((way.status == SUCCESS) & (first != last)).tolist():
        least = cheapest_over_edges(query, numbers[0][row], numbers[1][row], here[row], there[row])
        assert lines.length[row] == pytest.approx(least, rel=1e-5)
        tried += 1
    assert tried > 10


def test_statuses_of_the_search_over_edges_are_those_of_detour() -> None:
    query = level("town in tiles")
    points = np.random.default_rng(2).uniform([-1, -1, -1], [33, 5, 33], (400, 3)).astype(np.float32)
    near = query.nearest(points)
    asked = near.references[:200], near.references[200:], near.points[:200], near.points[200:]
    edges, detour = query.find_edge_corridors(*asked), query.find_corridors(*asked, max_nodes=None)
    assert (edges.status == detour.status).all() and len(np.unique(edges.status)) == 3
    one, three = (query.find_edge_corridors(*asked, threads=threads) for threads in (1, 3))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one, three, strict=True))
    lines = [query.refined_paths(asked[2], edges.aims, edges.offsets, edges.references, threads=n) for n in (1, 3)]
    assert all(a.tobytes() == b.tobytes() for a, b in zip(*lines, strict=True))


def test_cancelling() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        refine(START, END, [0, 2], PORTALS, progress=progress)
