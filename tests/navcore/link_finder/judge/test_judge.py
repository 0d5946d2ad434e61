"""The judge tells right links from wrong ones, made by hand on three platforms: who measures has to be right first."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from navcore.wide_links import LinkKind
from tests import scenes
from tests.navcore.link_finder.judge.distances import cut_below, to_upright_lines
from tests.navcore.link_finder.judge.edges import ledges
from tests.navcore.link_finder.judge.swept import Agent, Solid, both_ways_free, ways_free
from tests.navcore.link_finder.judge.verdict import Case, Verdict, _are_free, judge
from tests.wide_links import DOWN, DROP, JUMP, OVER_THE_GAP, PLATFORMS, Corners, platforms, wide, with_wide_links

ACROSS_WALL = [scenes.box(10.7, -1, -1, 0.1, 8, 14)]
POLE = [scenes.box(10.75, -1, 5.95, 0.1, 8, 0.1)]


def judged(*found: object, more: list[scenes.Mesh] | None = None) -> tuple[Verdict, list[str]]:
    """The verdict on the platforms with these links, among triangles that the navmesh may know nothing of."""
    cases: list[Case] = []
    verdict = judge(platforms(*found), *scenes.join([PLATFORMS, *(more or [])]), cases)  # type: ignore[arg-type]
    return verdict, [case.what for case in cases]


def moved(corners: Corners, by: tuple[float, float, float], first: int) -> Corners:
    """The corners from the first on, moved."""
    there = [tuple(np.add(corner, by)) if k >= first else corner for k, corner in enumerate(corners)]
    return tuple(there)  # type: ignore[return-value]


def test_right_links_are_called_right() -> None:
    verdict, _ = judged(JUMP, DROP)
    assert (verdict.links, verdict.false, verdict.needless, verdict.doubles) == (2, 0, 0, 0)
    assert verdict.places == 66  # ten metres each, a place every cell
    assert verdict.covered == verdict.possible > 100


def test_links_that_are_not_there_are_missed() -> None:
    none, told = judged()
    assert (none.covered, none.links, none.places) == (0, 0, 0) and none.possible > 100
    assert told == ["missing"] * none.possible
    jump, both = judged(JUMP)[0], judged(JUMP, DROP)[0]
    assert none.possible == jump.possible == both.possible
    assert 0 < jump.covered < both.covered == both.possible


def test_a_narrow_link_covers_less_than_a_wide_one() -> None:
    narrow: Corners = ((9.3, 2.0, 1.0), (9.3, 2.0, 1.6), (12.3, 2.0, 1.0), (12.3, 2.0, 1.6))
    assert 0 < judged(wide("jump", narrow, 1))[0].covered < judged(JUMP)[0].covered


def test_a_link_through_a_wall_is_false_all_along() -> None:
    verdict, told = judged(JUMP, more=ACROSS_WALL)
    assert verdict.false == verdict.places == 33 and told.count("false jump, through matter, or without a ledge") == 33


def test_a_pole_thinner_than_a_cell_makes_false_what_is_an_agent_wide() -> None:
    verdict, _ = judged(JUMP, more=POLE)
    assert 3 <= verdict.false <= 5  # 1.3 m of places every 0.3 m


@pytest.mark.parametrize("height", [3.0, 4.2])
def test_a_ceiling_makes_false_only_what_reaches_it(height: float) -> None:
    """A jump rises half a metre over a floor at 2 m, and an agent is 2 m tall."""
    ceiling = scenes.box(10.0, height + 0.5, -1, 1.6, 0.2, 14)
    assert (judged(JUMP, more=[ceiling])[0].false > 0) == (height < 4)


def test_ends_beside_the_ground_are_false() -> None:
    beside = moved(OVER_THE_GAP, (14.0, 0.0, 0.0), 2)
    verdict, told = judged(wide("jump", beside, 1))
    assert verdict.false == verdict.places > 0 and "false jump, beside the navmesh" in told
    above = moved(DOWN, (0.0, 6.0, 0.0), 0)
    assert judged(wide("drop", above, 1))[0].false > 0


def test_what_is_there_twice_is_counted_once_more() -> None:
    half: Corners = ((9.3, 2.0, 1.5), (9.3, 2.0, 11.5), (12.3, 2.0, 1.5), (12.3, 2.0, 11.5))
    back: Corners = (OVER_THE_GAP[3], OVER_THE_GAP[2], OVER_THE_GAP[1], OVER_THE_GAP[0])
    assert judged(JUMP, wide("jump", half, 2))[0].doubles == 1
    assert judged(JUMP, wide("jump", back, 2))[0].doubles == 1
    assert judged(JUMP, wide("drop", half, 2))[0].doubles == 0
    assert judged(JUMP, DROP)[0].doubles == 0


def test_a_gap_that_one_walks_around_needs_no_link() -> None:
    level = scenes.join([scenes.box(0, 0, 0, 12, 9, 4), scenes.box(0, 0, 4, 5, 9, 4), scenes.box(6.5, 0, 4, 5.5, 9, 4)])
    corners: Corners = ((4.3, 9.0, 4.6), (4.3, 9.0, 5.2), (7.2, 9.0, 4.6), (7.2, 9.0, 5.2))
    found = wide("jump", corners, 1)
    for detour, needless in ((1.0, 0), (100.0, 2)):
        navmesh = with_wide_links(build_navmesh(*level, Settings(link_detour=detour)), [found])
        verdict = judge(navmesh, *level)
        assert (verdict.false, verdict.needless, verdict.places) == (0, needless, 2)


@pytest.mark.parametrize(("kind", "false"), [("drop", 0), ("climb", 33)])
def test_what_nobody_climbs_is_no_climb(kind: LinkKind, false: int) -> None:
    """Walls are not climbed by default."""
    assert judged(wide(kind, DOWN, 1))[0].false == false


def test_falling_past_a_slab_is_not_forgiven() -> None:
    """Near the edge an agent steps over what is low, but only while its feet are not below the edge."""
    slab = scenes.box(-3, 1.3, 0, 3.2, 0.1, 12)
    verdict, _ = judged(DROP, more=[slab])
    assert verdict.false == verdict.places > 0


def test_a_jump_has_to_be_free_back_too() -> None:
    """A rail in a gap: from the higher side one rises half a metre over it, from the lower side over the gap only."""
    sides = [scenes.box(0, -1, 0, 4, 1.4, 4), scenes.box(6, -1, 0, 4, 1, 4)]
    here, there = np.array([3.4, 0.4, 2.0]), np.array([6.6, 0.0, 2.0])
    high, low = (here, there, 0.6), (there, here, 0.6)
    settings, agent = Settings(), Agent.of(Settings())
    assert both_ways_free(Solid(*scenes.join(sides)), high, low, settings) == (True, True)
    railed = Solid(*scenes.join([*sides, scenes.box(4.95, 0.55, 0, 0.1, 0.1, 4)]))
    assert ways_free(railed, *high, settings, agent) == (True, True)
    assert both_ways_free(railed, high, low, settings) == (False, False)
    assert not any(ways_free(railed, high[0], high[1], float("inf"), settings, agent))  # no edge to jump from


@pytest.mark.parametrize(("cells", "below", "expected"), [
    (0.0, 0.0, (True, True)), (1.5, 0.0, (False, True)), (2.5, 0.0, (False, False)), (1.5, 1.5, (False, False)),
])  # fmt: skip
def test_straight_down_is_meant_a_little_further_out_in_voxels(
    cells: float, below: float, expected: tuple[bool, bool]
) -> None:
    """Under a ceiling too low to jump. A slab on the way down is in the way of both."""
    settings = Settings()
    parts = [scenes.box(-4, 0, 0, 4, 3, 4), scenes.box(-4, -1, 0, 12, 1, 4), scenes.box(-4, 5.2, 0, 12, 1, 4)]
    if below:
        parts.append(scenes.box(0.6, below, 0, 4, 0.1, 4))
    edge = 0.6
    start = np.array([-edge, 3.0, 2.0])
    far = edge + settings.agent_radius + (2 + cells) * settings.cell_size
    end = start + np.array([far, -3.0, 0.0])
    assert ways_free(Solid(*scenes.join(parts)), start, end, edge, settings, Agent.of(settings)) == expected


@pytest.mark.parametrize(("fall", "is_ledge"), [(1.0, True), (0.6, True), (0.4, False), (-1.5, False)])
def test_a_ledge_is_what_voxels_may_take_for_one(fall: float, is_ledge: bool) -> None:
    """An agent climbs 0.9 m: 0.8 m in whole voxels, and each floor may lie a voxel off."""
    solid = Solid(*scenes.join([scenes.box(0, -2, 0, 4, 2, 4), scenes.box(4, -2, 0, 4, 2 - fall, 4)]))
    (found,) = ledges(solid, np.array([[3.4, 0.0, 2.0]]), np.array([[1.0, 0.0]]), Settings(), 0.9)
    assert np.isfinite(found) == is_ledge and (not is_ledge or 0.6 <= found <= 0.65 + 1e-9)


@pytest.mark.parametrize(("rail", "up", "is_wall"), [(0.85, 0.9, False), (0.95, 0.9, True), (0.95, 1.1, False)])
def test_a_ledge_behind_a_rail(rail: float, up: float, is_wall: bool) -> None:
    """What rises by more than somebody gets over is a wall."""
    solid = Solid(*scenes.join([scenes.box(0, -2, 0, 4, 2, 4), scenes.box(3.9, 0, 0, 0.1, rail, 4)]))
    (found,) = ledges(solid, np.array([[3.4, 0.0, 2.0]]), np.array([[1.0, 0.0]]), Settings(), up)
    assert np.isinf(found) == is_wall and (is_wall or 0.6 <= found <= 0.65 + 1e-9)


def test_a_drop_over_a_rail_that_voxels_may_take_for_lower_is_no_fault() -> None:
    """Of 0.95 m, where an agent climbs 0.9 m; over one of 1.3 m it is."""
    settings, floors = Settings(), [scenes.box(0, -2, 0, 4, 2, 4), scenes.box(0, -3, 0, 12, 1, 4)]
    for rail, is_false in ((0.95, False), (1.3, True)):
        solid = Solid(*scenes.join([*floors, scenes.box(3.9, 0, 0, 0.1, rail, 4)]))
        start, end = np.array([[3.0, 0.0, 2.0]]), np.array([[5.0, -2.0, 2.0]])
        _, free = _are_free(start, end, ["drop"], [False], solid, settings)
        assert free[0] != is_false


@pytest.mark.parametrize(("height", "is_free"), [(0.9, True), (1.05, True), (1.3, False)])
def test_at_an_edge_a_voxel_more_than_agents_climb_is_stepped_over(height: float, is_free: bool) -> None:
    settings = Settings()
    floors = [scenes.box(0, -1, 0, 4, 1, 4), scenes.box(6, -1, 0, 4, 1, 4)]
    solid = Solid(*scenes.join([*floors, scenes.box(3.9, 0, 0, 0.1, height, 4)]))
    start, end = np.array([3.4, 0.0, 2.0]), np.array([6.6, 0.0, 2.0])
    assert ways_free(solid, start, end, 0.6, settings, Agent.of(settings))[0] == is_free


def test_distances_are_those_of_points_close_together() -> None:
    """Against many points of each triangle, which are never nearer and hardly farther."""
    dice = np.random.default_rng(1)
    triangles, places = dice.uniform(-1, 1, (200, 3, 3)), dice.uniform(-1, 1, (200, 2))
    low = dice.uniform(-1, 0, 200)
    high, heights = low + dice.uniform(0, 1.5, 200), dice.uniform(-1, 1, 200)
    u, v = (side.ravel() for side in np.meshgrid(np.linspace(0, 1, 61), np.linspace(0, 1, 61)))
    shares = np.column_stack([1 - u - v, u, v])[u + v <= 1 + 1e-9]
    points = np.einsum("sk,tkc->tsc", shares, triangles)
    aside = np.hypot(*np.moveaxis(points[:, :, ::2] - places[:, None], 2, 0))
    apart = np.hypot(aside, np.maximum(np.maximum(low[:, None] - points[:, :, 1], points[:, :, 1] - high[:, None]), 0))
    whole = to_upright_lines(triangles, places, low, high)
    assert (whole <= apart.min(axis=1) + 1e-9).all() and (whole >= apart.min(axis=1) - 0.03).all()

    cut, source = cut_below(triangles, heights)
    least = np.full(200, np.inf)
    np.minimum.at(least, source, to_upright_lines(cut, places[source], low[source], high[source]))
    above = np.where(points[:, :, 1] >= heights[:, None], apart, np.inf).min(axis=1)
    assert (np.isfinite(least) == np.isfinite(above)).all()
    some = np.isfinite(above)
    assert (least[some] <= above[some] + 1e-9).all() and (least[some] >= above[some] - 0.05).all()
