"""Crowds in places where they meet: nobody leaves the navmesh, nobody stands in another, all arrive, always alike."""

from __future__ import annotations

import copy
import math
from functools import cache, partial
from unittest import mock

import numpy as np
import pytest

from navcore import AgentState, Crowd, NavQuery, Settings, build_navmesh
from navcore.crowd import crowd as crowds
from tests import scenes
from tests.navcore.crowd.crowd_scenes import RADIUS, SCENES, Meeting, watched

COUNT = 40
NOT_LONG = 0.2  # seconds


@cache
def meeting(name: str) -> tuple[Meeting, NavQuery]:
    scene = SCENES[name](COUNT)
    return scene, NavQuery(build_navmesh(*scene.level, Settings(agent_radius=RADIUS, cell_size=0.15)))


def crowd_in(name: str, threads: int = 1, seed: int = 0) -> Crowd:
    scene, query = meeting(name)
    crowd = Crowd(query, radius=RADIUS, threads=threads, seed=seed)
    crowd.add_many(scene.starts, scene.ends)
    return crowd


@pytest.mark.parametrize("name", SCENES)
def test_nobody_leaves_the_navmesh_or_stands_in_another(name: str) -> None:
    crowd = crowd_in(name)
    ways = np.count_nonzero(crowd.states == AgentState.WALKING)
    seen = watched(meeting(name)[1], crowd, 1800, partial(crowd.step, 1 / 30))
    assert seen.off < 1e-4
    assert seen.longest <= NOT_LONG
    arrived = np.count_nonzero(crowd.states == AgentState.ARRIVED)
    assert ways > COUNT * 0.8 and arrived == ways


@pytest.mark.parametrize("threads", [2, 8])
def test_threads_give_the_same_bytes(threads: int) -> None:
    alone, shared = crowd_in("circle"), crowd_in("circle", threads)
    for _ in range(4):
        alone.step(2.5)
        with mock.patch.object(crowds, "_WORTH_A_THREAD", 1):  # else so few are for one
            shared.step(2.5)
        for name in ("positions", "velocities", "headings", "states"):
            assert getattr(alone, name).tobytes() == getattr(shared, name).tobytes()


def test_the_same_crowd_looks_the_same_way_wherever_it_lies_in_memory() -> None:
    """NumPy's arctan2 had other last digits now and then: who never moves keeps them."""
    scene, query = meeting("streets")
    crowd = Crowd(query, radius=RADIUS)
    crowd.add_many(scene.starts, scene.ends)
    path = crowd._agents.goal.astype(np.float64) - crowd._agents.position
    assert crowd.headings.tolist() == [math.atan2(x, z) for x, _, z in path.tolist()]


def test_another_seed_is_another_walk() -> None:
    one, other = crowd_in("circle"), crowd_in("circle", seed=1)
    one.step(5)
    other.step(5)
    assert one.positions.tobytes() != other.positions.tobytes()


def test_two_who_meet_face_to_face_pass_each_other() -> None:
    _, query = meeting("circle")
    crowd = Crowd(query, radius=RADIUS)
    crowd.add([10, 0, 28], [40, 0, 28])
    crowd.add([40, 0, 28], [10, 0, 28])
    seen = watched(query, crowd, 750, partial(crowd.step, 1 / 30))
    assert (crowd.states == AgentState.ARRIVED).all()
    assert seen.deepest == 0


@pytest.mark.parametrize("count", [2, 5, 8, 24])
@pytest.mark.parametrize("sides", [1, 4])
def test_those_with_one_end_gather_around_it_and_rest(count: int, sides: int) -> None:
    _, query = meeting("circle")
    crowd = Crowd(query, radius=RADIUS)
    numbers = np.arange(count)
    angle, far = numbers % sides * (2 * np.pi / sides), 8 + numbers // sides * 0.8
    starts = np.stack([28 + far * np.cos(angle), 0 * far, 28 + far * np.sin(angle)], axis=1)
    crowd.add_many(starts, [[28, 0, 28]] * count)
    seen = watched(query, crowd, 1200, partial(crowd.step, 1 / 30))
    assert np.isin(crowd.states, (AgentState.ARRIVED, AgentState.NEAR)).all()
    assert seen.deepest <= 0.01
    away = np.hypot(*(crowd.positions - [28, 0, 28])[:, ::2].T)
    assert (away[crowd.states == AgentState.ARRIVED] <= 2 * RADIUS + 0.1).all()
    assert away.max() < RADIUS * (2 + 2.6 * np.sqrt(count))


@pytest.mark.parametrize(("width", "seconds"), [(2.0, 120), (3.0, 60), (8.0, 60)])
def test_flows_pass_each_other_in_a_corridor(width: float, seconds: int) -> None:
    level = scenes.box(0, -1, 0, 30, 1, width)
    query = NavQuery(build_navmesh(*level, Settings(agent_radius=RADIUS, cell_size=0.15)))
    rows = int(width)
    left = np.array([[1 + 0.9 * (k // rows), 0, width / 2 + (k % rows - (rows - 1) / 2) * 0.9] for k in range(24)])
    right = left * [-1, 1, 1] + [30, 0, 0]
    crowd = Crowd(query, radius=RADIUS)
    crowd.add_many(np.concatenate([left, right]), np.concatenate([right, left]))
    seen = watched(query, crowd, 30 * seconds, partial(crowd.step, 1 / 30))
    assert seen.deepest <= 0.01 and seen.off < 1e-4
    enough = 42 if width < 3 else 47  # in the narrowest, those who have arrived stand in the way of a few
    assert np.count_nonzero(crowd.states == AgentState.ARRIVED) >= enough


def test_of_two_doors_both_are_used() -> None:
    walls = [(0, 4.4), (5.6, 14.4), (15.6, 20)]
    parts = [scenes.box(0, -1, 0, 30, 1, 20)] + [scenes.box(14, 0, low, 0.4, 3, high - low) for low, high in walls]
    query = NavQuery(build_navmesh(*scenes.join(parts), Settings(agent_radius=RADIUS, cell_size=0.15)))
    starts = np.array([[1 + 0.9 * (k % 13), 0, 1 + 0.9 * (k // 13)] for k in range(70)])
    crowd = Crowd(query, radius=RADIUS)
    crowd.add_many(starts, starts + np.array([15.5, 0, 0]))
    through = np.zeros(len(crowd))
    for _ in range(1500):
        before = crowd.positions
        crowd.step(1 / 30)
        now = crowd.positions
        through = np.where((before[:, 0] < 14.2) & (now[:, 0] >= 14.2), now[:, 2], through)
    assert np.count_nonzero(through > 10) >= 3 and np.count_nonzero((through > 0) & (through < 10)) >= 20


def test_who_waits_deep_in_a_queue_holds_its_ground() -> None:
    """Before a door a crowd is pushed back and forth: two fifths of the time those behind moved away from it."""
    scene = SCENES["door"](100)
    query = NavQuery(build_navmesh(*scene.level, Settings(agent_radius=RADIUS, cell_size=0.15)))
    crowd = Crowd(query, radius=RADIUS)
    crowd.add_many(scene.starts, scene.ends)
    crowd.step(10)
    back = counted = 0
    for _ in range(450):
        before = crowd.positions[:, ::2].astype(np.float64)
        crowd.step(1 / 30)
        moved, there = 30 * (crowd.positions[:, ::2] - before), [11.95, 10.0] - before
        away = np.hypot(*there.T)
        waits = (crowd.states == AgentState.WAITING) & (away > 3) & (before[:, 0] < 11)
        back += np.count_nonzero(waits & ((moved * there).sum(axis=1) < -0.02 * away))
        counted += np.count_nonzero(waits)
    assert counted > 5000 and back < 0.34 * counted


def test_nobody_is_stuck_for_ever_among_those_who_have_arrived() -> None:
    """Two met head on beside a wall, with one that rests between them and another behind it: both stood for minutes."""
    scene = SCENES["corridor"](200)
    query = NavQuery(build_navmesh(*scene.level, Settings(agent_radius=RADIUS, cell_size=0.15)))
    crowd = Crowd(query, radius=RADIUS)
    crowd.add_many(scene.starts + np.random.default_rng(5).uniform(-0.03, 0.03, (200, 3)) * [1, 0, 1], scene.ends)
    crowd.step(120)
    assert (crowd.states == AgentState.ARRIVED).all()


def test_a_copy_walks_alone() -> None:
    """To try what would happen."""
    crowd = crowd_in("corridor")
    crowd.step(0.5)
    before, other = crowd.positions, copy.copy(crowd)
    other.step(0.5)
    assert crowd.positions.tolist() == before.tolist() != other.positions.tolist()
    crowd.step(0.5)
    assert crowd.positions.tolist() == other.positions.tolist()
