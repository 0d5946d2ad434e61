"""Found links of generated levels before their judge, and the judge itself before links that are wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from navcore import NavMesh, Settings, WideLink, build_navmesh
from navcore.result.wide_link_records import wide_link_points
from tests.scenes import Mesh, box, join

from .judge.measure import NOTHING, judged
from .judge.verdict import Case, Verdict, judge

LEVELS = range(300, 312)
GAP = join([box(0, -6, 0, 10, 6, 10), box(11.5, -6, 0, 10, 6, 10)])
WALL = join([GAP, box(10.7, -6, -1, 0.1, 12, 12)])


def test_links_of_generated_levels_are_there_right_needed_and_there_once() -> None:
    """`python -m tests.navcore.link_finder.judge.measure` judges hundreds."""
    cases: list[Case] = []
    total = sum((judged(seed, cases) for seed in LEVELS), start=NOTHING)
    assert total.possible > 300 and total.links > 100, "or nothing was judged"
    assert total.covered >= 0.98 * total.possible, cases
    assert total.false <= 0.002 * total.places, cases
    assert total.needless <= 0.04 * total.places and total.doubles <= 0.05 * total.links, cases


@pytest.fixture(scope="module")
def navmesh() -> NavMesh:
    """Two floors with a gap between them, and one jump."""
    return build_navmesh(*GAP, Settings(generate_links=True), threads=1)


def with_links(navmesh: NavMesh, *wide: WideLink) -> NavMesh:
    points = tuple(point for one in wide for point in one.points)
    return replace(navmesh, wide_links=wide, links=points)


def moved(wide: WideLink, *, end: tuple[float, float, float] = (0, 0, 0), number: int = 1) -> WideLink:
    corners = np.array(wide.corners)
    corners[2:] += end
    a, b, c, d = ((x, y, z) for x, y, z in corners.tolist())
    points = wide_link_points((a, b, c, d), 2.0, bidirectional=True, area=5, flags=8, number=number)
    return replace(wide, corners=(a, b, c, d), id=number, points=points)


def verdict(navmesh: NavMesh, mesh: Mesh = GAP) -> Verdict:
    return judge(navmesh, mesh[0].astype(np.float64), mesh[1])


def test_the_judge_finds_nothing_wrong_with_what_is_right(navmesh: NavMesh) -> None:
    found = verdict(navmesh)
    assert found.possible == found.covered > 50 and found.links == 1
    assert found.false == found.needless == found.doubles == 0 and found.places > 20


def test_the_judge_misses_links_that_are_gone(navmesh: NavMesh) -> None:
    found = verdict(with_links(navmesh))
    assert found.covered == 0 and found.possible > 50


def test_the_judge_sees_a_link_through_a_wall(navmesh: NavMesh) -> None:
    found = verdict(navmesh, WALL)
    assert found.false == found.places > 0


def test_the_judge_sees_a_link_into_the_air(navmesh: NavMesh) -> None:
    (wide,) = navmesh.wide_links
    found = verdict(with_links(navmesh, moved(wide, end=(40, 0, 0))))
    assert found.false == found.places > 0


def test_the_judge_counts_doubles(navmesh: NavMesh) -> None:
    (wide,) = navmesh.wide_links
    assert verdict(with_links(navmesh, wide, moved(wide, end=(0.3, 0, 0.2)))).doubles == 1
    assert verdict(with_links(navmesh, wide, moved(wide, end=(3, 0, 0)))).doubles == 0


def test_the_judge_knows_what_is_near_on_foot() -> None:
    """A bridge beside the link."""
    mesh = join([GAP, box(9, -0.5, 2, 4, 0.5, 6)])
    bridged = build_navmesh(*mesh, Settings(), threads=1)
    (wide,) = build_navmesh(*GAP, Settings(generate_links=True), threads=1).wide_links
    assert verdict(with_links(bridged, wide), mesh).needless > 0
