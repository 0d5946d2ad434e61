"""An agent by itself: it goes the shortest way, starts and stops gently, jumps, and says when it can't."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from navcore import AgentState, BadInput, Crowd, Link, NavQuery, QueryFilter, Settings, build_navmesh, walk
from tests import scenes

GAP = {"start": [9, 0, 5], "end": [13, 0, 5], "radius": 0.6, "bidirectional": True, "area": 5, "flags": 8, "id": 1}


@cache
def town() -> NavQuery:
    return NavQuery(build_navmesh(*scenes.city(2, seed=4), Settings(tile_size=48)))


@cache
def two_islands() -> NavQuery:
    level = scenes.join([scenes.box(0, -1, 0, 10, 1, 10), scenes.box(12, -1, 0, 10, 1, 10)])
    return NavQuery(build_navmesh(*level, Settings(agent_radius=0.3, cell_size=0.15), links=[GAP]))


@cache
def two_floors() -> NavQuery:
    level = scenes.join([scenes.box(0, -1, 0, 20, 1, 6), scenes.box(0, 2.6, 0, 20, 0.4, 6)])
    return NavQuery(build_navmesh(*level, Settings(agent_radius=0.3, cell_size=0.15)))


def test_an_end_behind_the_corner_of_a_wall_is_not_taken_for_the_next_turn() -> None:
    """It lies more than half a turn around that corner: the line led straight to it, through the wall."""
    level = scenes.city(3, boxes=8)
    crowd = Crowd(NavQuery(build_navmesh(*level, Settings(agent_radius=0.3, cell_size=0.15))), radius=0.3)
    crowd.add([33.62422180175781, 1.0172228813171387, 30.150001525878906], [35.796486, 0.2, 30.900002])
    crowd.step(10.0)
    assert crowd.states[0] == AgentState.ARRIVED


def test_it_goes_the_shortest_way() -> None:
    rng = np.random.default_rng(3)
    places = town().random_points(40, seed=5).points
    starts, ends = places[:20], places[20:]
    went = 0
    for start, end in zip(starts[rng.permutation(20)], ends, strict=True):
        track = walk(town(), start, end, 60, 30)
        if track.states[0, -1] == AgentState.ARRIVED:
            went += 1
            assert track.lengths[0] <= flat_length(start, end) * 1.01 + 0.05
            assert track.arrival[0] >= track.lengths[0] / 1.5
            assert np.hypot(*(track.positions[0, -1] - end)[::2]) < 0.1
    assert went >= 6


def flat_length(start: np.ndarray, end: np.ndarray) -> float:
    points = town().find_paths(start, end, exact=True).points.astype(np.float64)
    return float(np.hypot(*np.diff(points[:, ::2], axis=0).T).sum())


def test_it_gains_and_loses_speed_gently() -> None:
    crowd = Crowd(two_floors(), max_speed=2.0, max_acceleration=1.0)
    crowd.add([2, 0, 3], [18, 0, 3])
    speeds = [0.0]
    while crowd.states[0] != AgentState.ARRIVED and crowd.seconds < 30:
        crowd.step(1 / 30)
        speeds.append(float(np.hypot(*crowd.velocities[0, ::2])))
    changes = np.diff(speeds)
    assert 1.9 < max(speeds) <= 2.0 + 1e-3
    assert changes.max() <= 1 / 30 + 1e-3 and changes.min() >= -2 / 30


def test_it_jumps_over_a_link() -> None:
    track = walk(two_islands(), [2, 0, 5], [20, 0, 5], 30, 30)
    jumps = track.states[0] == AgentState.JUMPING
    assert track.states[0, -1] == AgentState.ARRIVED
    assert np.count_nonzero(jumps) == pytest.approx(4 / 1.5 * 30, abs=2)
    assert track.positions[0, jumps, 1].max() > 0.9


def test_only_one_at_a_time_lands_in_a_place() -> None:
    crowd = Crowd(two_islands())
    crowd.add_many([[2, 0, 3 + k] for k in range(5)], [[20, 0, 3 + k] for k in range(5)])
    for _ in range(900):
        crowd.step(1 / 30)
        assert np.count_nonzero(crowd.states == AgentState.JUMPING) <= 1
        ground = crowd.positions[crowd.states != AgentState.JUMPING].astype(np.float64)
        away = np.hypot(*(ground[:, None] - ground[None])[:, :, ::2].transpose(2, 0, 1)) + np.eye(len(ground)) * 9
        assert away.min(initial=9) > 2 * crowd.radius - 0.02
    assert (crowd.states == AgentState.ARRIVED).all()


def test_who_stands_where_a_link_ends_gives_way() -> None:
    crowd = Crowd(two_islands())
    crowd.add_many([[16, 0, 5], [2, 0, 5]], [[13, 0, 5], [20, 0, 5]])
    crowd.step(5)
    jumper = crowd.states[1]
    while crowd.states[1] != AgentState.ARRIVED and crowd.seconds < 40:
        crowd.step(1 / 30)
        if jumper == AgentState.JUMPING and crowd.states[1] == AgentState.WALKING:  # it has just landed
            assert np.hypot(*(crowd.positions[0] - crowd.positions[1])[::2]) > 2 * crowd.radius - 0.02
        jumper = crowd.states[1]
    assert (crowd.states == AgentState.ARRIVED).all()


@pytest.mark.parametrize("count", [1, 6])
def test_two_flows_come_over_one_link(count: int) -> None:
    """The first of each side stood where the other wanted to land, and both waited for ever."""
    crowd = Crowd(two_islands())
    here, there = [[2, 0, 2 + k] for k in range(count)], [[20, 0, 2 + k] for k in range(count)]
    crowd.add_many([*here, *there], [*there, *here])
    while (crowd.states != AgentState.ARRIVED).any():
        crowd.step(0.5)
        assert crowd.seconds < 20 + 15 * count
        ground = crowd.positions[crowd.states != AgentState.JUMPING].astype(np.float64)
        away = np.hypot(*(ground[:, None] - ground[None])[:, :, ::2].transpose(2, 0, 1)) + np.eye(len(ground)) * 9
        assert away.min(initial=9) > 2 * crowd.radius - 0.02


@pytest.mark.parametrize("aside", [0.3, 0.7])
def test_two_ladders_end_beside_each_other(aside: float) -> None:
    """Who comes to one of them does not wait for who goes to the other, on the floor between them."""
    level = scenes.join([
        scenes.box(-10, -1, -10, 20, 1, 20), scenes.box(-10, 3, 1, 20, 0.3, 9), scenes.box(-10, 7, 4, 20, 0.3, 6),
    ])  # fmt: skip
    links = [Link(start=(0, 0, 0), end=(0, 3.3, 2)), Link(start=(aside, 3.3, 3.2), end=(aside, 7.3, 5))]
    settings = Settings(agent_radius=0.3, agent_height=1.8, agent_max_climb=0.4, cell_size=0.15, cell_height=0.1)
    crowd = Crowd(NavQuery(build_navmesh(*level, settings, links=links)), height=1.8)
    below, above = [[k, 0, -5] for k in range(5)], [[k, 7.3, 7] for k in range(5)]
    crowd.add_many([*below, *above], [*above, *below])
    while (crowd.states != AgentState.ARRIVED).any():
        crowd.step(0.5)
        assert crowd.seconds < 60


def test_floors_do_not_see_each_other() -> None:
    alone, below = Crowd(two_floors()), Crowd(two_floors())
    alone.add([2, 0, 3], [18, 0, 3])
    below.add([2, 0, 3], [18, 0, 3])
    below.add([18, 3, 3], [2, 3, 3])
    for crowd in (alone, below):
        crowd.step(6)
    assert below.positions[0].tobytes() == alone.positions[0].tobytes()
    assert below.positions[1, 1] > 2


def test_without_a_way_it_stays_and_says_so() -> None:
    crowd = Crowd(two_islands())
    crowd.add([2, 0, 5], [20, 0, 5], QueryFilter(exclude=8))
    crowd.add([2, 0, 5], [500, 0, 5])
    before = crowd.positions
    crowd.step(2)
    assert (crowd.states == AgentState.NO_WAY).all()
    assert crowd.positions.tobytes() == before.tobytes()


def test_a_dearer_area_is_walked_around_as_detour_does() -> None:
    water = {"shape": "box", "area": 1, "min": [8, -1, -1], "max": [12, 3, 14]}
    query = NavQuery(build_navmesh(*scenes.flat(20), Settings(), volumes=[water]))
    crowd = Crowd(query)
    crowd.add([3, 0, 5], [17, 0, 5], QueryFilter({1: 20.0}))
    deepest = 0.0
    for _ in range(900):
        crowd.step(1 / 30)
        deepest = max(deepest, float(crowd.positions[0, 2]))
    assert deepest > 13 and crowd.states[0] == AgentState.ARRIVED


def test_time_is_passed_in_whole_steps() -> None:
    one, many = Crowd(two_floors()), Crowd(two_floors())
    for crowd in (one, many):
        crowd.add([2, 0, 3], [18, 0, 3])
    one.step(2)
    for _ in range(200):
        many.step(0.01)
    assert one.positions.tobytes() == many.positions.tobytes()
    assert one.seconds == many.seconds == pytest.approx(2)


@pytest.mark.parametrize(
    ("name", "value"),
    [("radius", 0), ("radius", float("nan")), ("height", -1), ("max_speed", 0), ("max_acceleration", "fast"),
     ("time_horizon", 0), ("step", 1), ("max_neighbors", 0), ("seed", -1)],
)  # fmt: skip
def test_what_is_out_of_range_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(BadInput, match=name) as refused:
        Crowd(two_floors(), **{name: value})
    assert refused.value.code == "WRONG_QUESTION"


def test_places_that_are_none_are_refused() -> None:
    crowd = Crowd(two_floors())
    for wrong in ([float("nan"), 0, 0], [0, 0], [1e12, 0, 0]):
        with pytest.raises(BadInput, match="starts"):
            crowd.add(wrong, [0, 0, 0])
    with pytest.raises(BadInput, match="seconds"):
        crowd.step(-1)


def test_a_crowd_without_agents_lets_time_pass() -> None:
    crowd = Crowd(two_floors())
    crowd.step(1)
    assert crowd.positions.shape == (0, 3) and crowd.seconds == pytest.approx(1)
    assert walk(two_floors(), np.zeros((0, 3)), np.zeros((0, 3)), 1).positions.shape == (0, 25, 3)


def test_a_walk_may_end_when_all_have_arrived() -> None:
    """Its frames are the first ones of a walk that goes on."""
    from navcore import Progress

    told: list[float] = []
    starts, ends = [[2, 0, 5], [1, 0, 2]], [[20, 0, 5], [4, 0, 2]]
    progress = Progress(lambda _stage, fraction: told.append(fraction))
    track = walk(two_islands(), starts, ends, 60, 30, until_arrived=True, progress=progress)
    frames = track.positions.shape[1]
    assert 30 < frames < 60 * 30 and (track.states[:, -1] == AgentState.ARRIVED).all()
    assert not (track.states[:, -10] == AgentState.ARRIVED).all() or frames < 10, "no longer than it has to be"
    assert len(told) == frames and told == sorted(told)
    whole = walk(two_islands(), starts, ends, 60, 30)
    assert whole.positions[:, :frames].tobytes() == track.positions.tobytes()
    assert whole.arrival.tolist() == track.arrival.tolist() and whole.lengths == pytest.approx(track.lengths, abs=0.02)


def test_a_walk_that_nobody_ends_has_a_limit() -> None:
    track = walk(two_islands(), [2, 0, 5], [20, 0, 5], 1.0, 30, until_arrived=True)
    assert track.positions.shape[1] == 31 and track.states[0, -1] != AgentState.ARRIVED
