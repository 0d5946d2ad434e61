"""Crowds in places where they meet: nobody leaves the navmesh, nobody stands in another, all arrive, always alike."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest

from navcore import AgentState, Crowd, NavQuery, Settings, build_navmesh
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
        shared.step(2.5)
        for name in ("positions", "velocities", "headings", "states"):
            assert getattr(alone, name).tobytes() == getattr(shared, name).tobytes()


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


def test_those_with_one_end_gather_around_it() -> None:
    _, query = meeting("circle")
    crowd = Crowd(query, radius=RADIUS)
    crowd.add_many([[10 + 1.0 * k, 0, 10] for k in range(8)], [[20, 0, 20]] * 8)
    seen = watched(query, crowd, 900, partial(crowd.step, 1 / 30))
    assert (crowd.states == AgentState.ARRIVED).all()
    assert seen.longest <= NOT_LONG
    assert np.hypot(*(crowd.positions - [20, 0, 20])[:, ::2].T).max() < 2.5
