"""Who is held up, and should not be: each of these stood for ever, or where another stands."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from navcore import AgentState, Crowd, NavQuery, Settings, build_navmesh
from navcore.crowd.agents import LOST
from tests import scenes

from .crowd_scenes import NARROW, RADIUS, off_navmesh, overlaps


def query_of(level: scenes.Mesh) -> NavQuery:
    return NavQuery(build_navmesh(*level, Settings(agent_radius=RADIUS, cell_size=0.15)))


@cache
def yard() -> NavQuery:
    return query_of(scenes.flat(12.0))


def test_nobody_loses_a_way_that_is_whole() -> None:
    """A corner beside the last border was taken for the end, and nothing for what lies behind it."""
    query = query_of(scenes.city(2))
    places = query.random_points(120, seed=1).points
    crowd = Crowd(query)
    crowd.add_many(places[:60], places[60:])
    for _ in range(300):
        crowd.step(1 / 30)
        assert not (crowd._agents.ahead == LOST).any()


def test_keeping_right_is_forgotten_by_who_walks_alone() -> None:
    """Beside a corner it held agents at the wall for ever."""
    crowd = Crowd(yard(), radius=RADIUS)
    crowd.add([2, 0, 2], [10, 0, 10])
    crowd._agents.facing[:] = 1
    crowd.step(3.0)
    assert (crowd._agents.facing == 0).all()


@pytest.mark.parametrize("walker_first", [False, True])
@pytest.mark.parametrize("gap", [0.62, 0.9])
def test_who_rests_at_a_wall_steps_to_the_side_that_has_room(walker_first: bool, gap: float) -> None:
    side = float(yard().nearest([0, 0, 6], extents=(2, 2, 2)).points[0, 0])
    crowd = Crowd(yard(), radius=RADIUS)
    both = [([side, 0, 6 - gap], [side, 0, 10]), ([side, 0, 6], [side, 0, 6])]
    for start, end in both if walker_first else both[::-1]:
        crowd.add(start, end)
    crowd.step(20.0)
    assert (crowd.states == AgentState.ARRIVED).all()


def test_who_stands_at_a_wall_knows_that_it_is_narrow_there() -> None:
    """The wall itself was not seen by who touched it: two waited for each other for ever."""
    query = query_of(scenes.box(0, -1, 0, 16, 1, 1.5))
    low, high = (float(query.nearest([8, 0, z], extents=(1, 2, 1)).points[0, 2]) for z in (0, 1.5))
    assert 0.3 < high - low < 0.7  # metres
    for sides in ((low, high), (high, low), (low, low)):
        crowd = Crowd(query, radius=RADIUS)
        crowd.add_many([[7, 0, sides[0]], [9, 0, sides[1]]], [[14, 0, 0.75], [2, 0, 0.75]])
        for _ in range(4):
            crowd.step(1 / 30)
        assert crowd._agents.narrow.all()


def test_who_had_no_way_sets_out_beside_those_who_stand_there_now() -> None:
    """Nobody heeds who has no way: it may stand in others until it gets one."""
    parts = [scenes.box(0, -1, 0, 12, 1, 12), scenes.box(40, -1, 0, 12, 1, 12)]
    query = query_of(scenes.join(parts))
    crowd = Crowd(query, radius=RADIUS)
    crowd.add_many([[6, 0, 6], [6, 0, 6.3], [3, 0, 3]], [[46, 0, 6], [6, 0, 6.3], [3, 0, 9]])
    assert crowd.states[0] == AgentState.NO_WAY and crowd.start_shifts[0] == 0
    crowd.step(1.0)
    crowd.redirect([2, 0, 6], [0])
    assert crowd.states[0] == AgentState.WALKING and crowd.start_shifts[0] > 0.2
    everybody = np.ones(3, bool)
    assert overlaps(crowd.positions, everybody, crowd.radii).max() <= 0.005
    for _ in range(300):
        crowd.step(1 / 30)
        assert overlaps(crowd.positions, everybody, crowd.radii).max() <= 0.01
    assert (crowd.states == AgentState.ARRIVED).all()


def test_who_had_no_way_and_has_no_ground_now_has_none() -> None:
    parts = [scenes.box(0, -1, 0, 1.2, 1, 1.2), scenes.box(40, -1, 0, 12, 1, 12)]
    settings = Settings(agent_radius=RADIUS, cell_size=0.15, region_min_size=1)
    crowd = Crowd(NavQuery(build_navmesh(*scenes.join(parts), settings)), radius=RADIUS)
    crowd.add_many([[0.6, 0, 0.6]] * 2, [[46, 0, 6], [0.6, 0, 0.6]])
    crowd.redirect([0.6, 0, 0.6], [0])
    assert crowd.states[0] == AgentState.NO_WAY
    crowd.step(1.0)
    assert crowd.states.tolist() == [AgentState.NO_WAY, AgentState.ARRIVED]


@pytest.mark.parametrize("name", NARROW)
def test_all_get_through_where_it_is_narrow(name: str) -> None:
    scene = NARROW[name][0](24)
    query = query_of(scene.level)
    crowd = Crowd(query, radius=RADIUS)
    crowd.add_many(scene.starts, scene.ends)
    deepest = off = 0.0
    everybody = np.ones(len(crowd), bool)
    for step in range(3000):
        crowd.step(1 / 30)
        deepest = max(deepest, float(overlaps(crowd.positions, everybody, crowd.radii).max()))
        if step % 10 == 0:
            off = max(off, off_navmesh(query, crowd.positions))
            if (crowd.states == AgentState.ARRIVED).all():
                break
    assert deepest <= 0.01 and off < 1e-4
    assert (crowd.states == AgentState.ARRIVED).all()


def test_an_end_that_is_seen_from_nowhere_on_a_border_stops_no_crowd() -> None:
    """A ray that leaves the navmesh where it begins crosses no polygon: there was no last one to look at."""
    side = float(yard().nearest([0, 0, 6], extents=(2, 2, 2)).points[0, 0])
    crowd = Crowd(yard(), radius=0.2)
    end = [side, 0, 6]
    crowd.add_many([[side, 0, 4], [side, 0, 8], [side + 1, 0, 6]], [end] * 3)
    crowd.add_many([end] * 7, [end] * 7)
    crowd.step(12.0)
    assert np.isin(crowd.states, (AgentState.ARRIVED, AgentState.NEAR)).all()
