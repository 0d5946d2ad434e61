"""Agents that are sent somewhere else while they walk."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from navcore import AgentState, BadInput, Crowd, NavQuery, QueryFilter, Settings, build_navmesh
from navcore.crowd import ways as crowding
from tests import scenes

from .test_one_agent import two_islands

HERE, THERE, BACK = (1, 0, 5), (19, 0, 5), (19, 0, 1)


@pytest.fixture
def yard() -> NavQuery:
    """20 m × 10 m with a wall across that leaves a way on each side of it."""
    level = scenes.join([scenes.box(0, -1, 0, 20, 1, 10), scenes.box(9.5, 0, 3, 1, 3, 4)])
    return NavQuery(build_navmesh(*level, Settings(agent_radius=0.3, cell_size=0.15)))


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """For how many agents ways are found from now on, each time."""
    counts: list[int] = []
    find = crowding._paths

    def counted(query: NavQuery, starts: Any, *rest: Any) -> Any:
        counts.append(len(starts))
        return find(query, starts, *rest)

    monkeypatch.setattr(crowding, "_paths", counted)
    return counts


def distance(crowd: Crowd, place: Any) -> float:
    return float(np.hypot(*(crowd.positions[0] - place)[::2]))


@pytest.mark.parametrize("end", [BACK, (1, 0, 9), HERE])
def test_an_agent_on_its_way_goes_to_the_new_end(yard: NavQuery, end: Any) -> None:
    crowd = Crowd(yard)
    crowd.add(HERE, THERE)
    crowd.step(4.0)
    assert distance(crowd, HERE) > 4
    crowd.redirect(end)
    crowd.step(25.0)
    assert crowd.states[0] == AgentState.ARRIVED and distance(crowd, end) < 0.1


def test_a_way_through_the_new_end_s_polygon_is_kept(yard: NavQuery, plans: list[int]) -> None:
    crowd = Crowd(yard)
    crowd.add(HERE, THERE)
    crowd.step(1.0)
    way = crowd._agents.paths[0, : crowd._agents.size[0]].copy()
    plans.clear()
    near = np.array(THERE) - [0.2, 0, 0]
    crowd.redirect(near)
    assert not plans and np.array_equal(crowd._agents.paths[0, : crowd._agents.size[0]], way)
    crowd.redirect(crowd.positions[0] + np.float32([0.1, 0, 0]))
    assert not plans and crowd._agents.size[0] < len(way)
    crowd.step(3.0)
    assert crowd.states[0] == AgentState.ARRIVED
    crowd.redirect(THERE)
    assert plans == [1] and crowd.states[0] == AgentState.WALKING
    crowd.step(25.0)
    assert crowd.states[0] == AgentState.ARRIVED and distance(crowd, THERE) < 0.1


def test_some_of_them_are_sent_each_to_its_own_end(yard: NavQuery) -> None:
    crowd = Crowd(yard)
    crowd.add_many([(1, 0, 2), (1, 0, 5), (1, 0, 8)], [THERE] * 3)
    crowd.step(2.0)
    crowd.redirect([(2, 0, 2), (2, 0, 8)], [0, 2])
    crowd.step(25.0)
    assert (crowd.states == AgentState.ARRIVED).all()
    assert np.abs(crowd.positions - [(2, 0, 2), THERE, (2, 0, 8)])[:, ::2].max() < 0.2


def test_without_a_way_it_stands_until_there_is_one() -> None:
    level = scenes.join([scenes.box(0, -1, 0, 10, 1, 10), scenes.box(14, -1, 0, 6, 1, 6)])
    crowd = Crowd(NavQuery(build_navmesh(*level, Settings(agent_radius=0.3, cell_size=0.15))))
    crowd.add_many([(1, 0, 1), (17, 0, 2)], [(9, 0, 9), (9, 0, 9)])
    assert crowd.states.tolist() == [AgentState.WALKING, AgentState.NO_WAY]
    crowd.step(2.0)
    crowd.redirect((17, 0, 5))
    assert crowd.states.tolist() == [AgentState.NO_WAY, AgentState.WALKING] and not crowd.velocities[0].any()
    before = crowd.positions[0]
    crowd.step(6.0)
    assert (crowd.positions[0] == before).all() and crowd.states[1] == AgentState.ARRIVED
    crowd.redirect((9, 0, 1), [0])
    crowd.step(9.0)
    assert (crowd.states == AgentState.ARRIVED).all() and distance(crowd, (9, 0, 1)) < 0.1


def test_who_is_in_the_air_lands_and_comes_back() -> None:
    crowd = Crowd(two_islands())
    crowd.add((8, 0, 5), (20, 0, 5))
    for _ in range(200):
        crowd.step(1 / 30)
        if crowd.states[0] == AgentState.JUMPING:
            break
    assert crowd.states[0] == AgentState.JUMPING
    crowd.redirect((2, 0, 5))
    assert crowd.states[0] == AgentState.JUMPING
    crowd.step(20.0)
    assert crowd.states[0] == AgentState.ARRIVED and distance(crowd, (2, 0, 5)) < 0.1


def test_the_same_calls_are_the_same_bytes_and_no_agent_leaves_the_navmesh(yard: NavQuery) -> None:
    ends = np.random.default_rng(4).uniform((0.5, 0, 0.5), (19.5, 0, 9.5), (40, 3))
    seen = []
    for threads in (1, 2):
        crowd = Crowd(yard, threads=threads)
        crowd.add_many([(1 + 0.8 * (k % 5), 0, 1 + 0.8 * (k // 5)) for k in range(20)], [THERE] * 20)
        for end in ends:
            crowd.redirect(end)
            crowd.step(0.3)
            near = yard.nearest(crowd.positions, (0.1, 2, 0.1))
            assert (near.references != 0).all()
        seen.append(crowd.positions.tobytes())
    assert seen[0] == seen[1]


def test_agents_keep_their_filters() -> None:
    crowd = Crowd(two_islands())
    crowd.add_many([(2, 0, 2), (2, 0, 8)], [(8, 0, 2), (8, 0, 8)])
    crowd.add((5, 0, 5), (8, 0, 5), QueryFilter(exclude=8))
    crowd.redirect((20, 0, 5))
    assert crowd.states.tolist() == [AgentState.WALKING, AgentState.WALKING, AgentState.NO_WAY]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (((np.nan, 0, 0),), "not finite"), (((1, 2),), "coordinates"), ((HERE, [5]), "none of the 1 has"),
        ((HERE, [-1]), "none of the 1 has"), (([HERE, THERE],), "2"), ((HERE, "all"), "."),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(yard: NavQuery, given: Any, said: str) -> None:
    crowd = Crowd(yard)
    crowd.add(HERE, THERE)
    with pytest.raises(BadInput, match=said):
        crowd.redirect(*given)


def test_nobody_can_be_sent() -> None:
    crowd = Crowd(two_islands())
    crowd.redirect(HERE)
    assert len(crowd) == 0
