"""Narrow ways that are used from both sides: they are found, one side goes at a time, all get through."""

from __future__ import annotations

import itertools
import os
from functools import cache

import numpy as np
import pytest

from navcore import AgentState, Crowd, NavQuery, QueryFilter, Settings, build_navmesh
from navcore.crowd.narrow_ways import NarrowWays, narrow_ways
from navcore.crowd.taking_turns import TakingTurns
from navcore.questions.asked import mesh_of
from tests import scenes

from .crowd_scenes import RADIUS, off_navmesh, overlaps

BODY = 2 * RADIUS
ROOMS = 9.0  # metres: how deep the rooms to both sides are


@cache
def passage(width: float, length: float) -> NavQuery:
    """Two rooms with a passage between them: where x is from 9 m to 9 m and its length."""
    parts = [scenes.box(0, -1, 0, ROOMS, 1, 9), scenes.box(ROOMS + length, -1, 0, ROOMS, 1, 9)]
    parts.append(scenes.box(ROOMS, -1, 4.5 - width / 2, length, 1, width))
    return query_of(scenes.join(parts))


def query_of(level: scenes.Mesh) -> NavQuery:
    return NavQuery(build_navmesh(*level, Settings(agent_radius=RADIUS, cell_size=0.1)))


def ways_of(query: NavQuery) -> NarrowWays:
    polygons = np.arange(len(mesh_of(query)[0].polygons), dtype=np.int32)
    return narrow_ways(query, polygons, 1.3 * BODY, BODY, QueryFilter())


def from_both_sides(query: NavQuery, count: int, length: float, seed: int, radius: float = RADIUS) -> Crowd:
    """So many from each side to the other, by chance."""
    rng = np.random.default_rng(seed)
    numbers = np.arange(count)
    near = np.stack([0.7 + numbers // 10 * 0.85, 0.0 * numbers, 0.7 + numbers % 10 * 0.85], axis=1)
    near[:, ::2] += rng.uniform(-0.1, 0.1, (count, 2))
    far = near * [-1, 1, 1] + [2 * ROOMS + length, 0, 0]
    crowd = Crowd(query, radius=radius, seed=seed)
    crowd.add_many(np.concatenate([near, far]), np.concatenate([far[rng.permutation(count)], near]))
    return crowd


def walked(query: NavQuery, crowd: Crowd, seconds: float) -> float:
    """Let all walk, at most so long; returns how deep any two stood in each other. Nobody leaves the ground."""
    deepest, everybody = 0.0, np.ones(len(crowd), bool)
    while crowd.seconds < seconds and not np.isin(crowd.states, (AgentState.ARRIVED, AgentState.NEAR)).all():
        crowd.step(0.1)
        deepest = max(deepest, float(overlaps(crowd.positions, everybody, crowd.radii).max()))
        assert off_navmesh(query, crowd.positions) < 1e-4
    return deepest


@pytest.mark.parametrize("length", [0.3, 2.0, 12.0])
@pytest.mark.parametrize("width", [0.8, 1.0, 1.2])
def test_a_passage_is_found_with_its_mouths(width: float, length: float) -> None:
    ways = ways_of(passage(width, length))
    assert len(ways.middle) == 1 and len(ways.mouth) == 2 and not len(ways.joint)
    sides = np.sort(ways.mouth[:, 0])
    assert np.abs(sides - [ROOMS - RADIUS, ROOMS + length + RADIUS]).max() < 0.35
    assert np.abs(ways.mouth[:, 1] - 4.5).max() < 0.25
    assert (ways.out[np.argsort(ways.mouth[:, 0]), 0] * [-1, 1] > 0.97).all()
    assert abs(2 * ways.half[0] - (width - BODY)) < 0.25


def test_where_there_is_room_nothing_is_narrow() -> None:
    for query in (query_of(scenes.flat(12.0)), passage(2.0, 3.0), query_of(scenes.box(0, -1, 0, 20, 1, 3))):
        assert not len(ways_of(query).middle)


def test_doors_beside_each_other_are_two_and_doors_one_after_the_other_one_passage() -> None:
    parts = [scenes.box(0, -1, 0, 20, 1, 9)]
    walls = [(0, 2.9), (4.1, 4.9), (6.1, 9)]
    beside = [scenes.box(9, 0, low, 0.4, 3, high - low) for low, high in walls]
    ways = ways_of(query_of(scenes.join(parts + beside)))
    assert len(ways.middle) == 2 and len(set(ways.passage.tolist())) == 2 and len(ways.mouth) == 4
    behind = [scenes.box(x, 0, low, 0.4, 3, high - low) for x in (8, 9.9) for low, high in ((0, 3.9), (5.1, 9))]
    ways = ways_of(query_of(scenes.join(parts + behind)))
    assert len(ways.middle) == 2 and len(set(ways.passage.tolist())) == 1 and len(ways.mouth) == 2


def test_an_alley_with_a_bend_is_one_passage() -> None:
    parts = [scenes.box(0, -1, 0, 9, 1, 9), scenes.box(9, -1, 4, 7, 1, 1), scenes.box(15, -1, 5, 1, 1, 7)]
    parts.append(scenes.box(9, -1, 12, 9, 1, 9))
    ways = ways_of(query_of(scenes.join(parts)))
    assert len(ways.middle) == 2 and len(set(ways.passage.tolist())) == 1 and len(ways.mouth) == 2
    assert len(ways.joint) == 1


def test_where_one_side_comes_nobody_waits_for_another() -> None:
    query = passage(1.0, 2.0)
    crowd = Crowd(query)
    crowd.add_many([[2, 0, 3], [3, 0, 4], [4, 0, 5]], [[18, 0, 3], [17, 0, 4], [16, 0, 5]])
    for _ in range(300):
        crowd.step(1 / 30)
        assert not crowd._turns.held.any()
    crowd.step(10.0)
    assert (crowd.states == AgentState.ARRIVED).all()


def test_only_one_side_goes_at_a_time() -> None:
    query = passage(1.0, 6.0)
    crowd = from_both_sides(query, 10, 6.0, 1)
    went = []
    for _ in range(1800):
        crowd.step(1 / 30)
        x = crowd.positions[:, 0]
        inside = (x > ROOMS + 0.5) & (x < ROOMS + 5.5)
        assert not (inside[:10].any() and inside[10:].any())
        went += [bool(inside[:10].any())] if inside.any() else []
    assert (crowd.states == AgentState.ARRIVED).all() and 0 < np.mean(went) < 1


def test_who_meets_within_goes_back_where_fewer_are() -> None:
    query = passage(1.0, 6.0)
    crowd = Crowd(query)
    x = [10.2, 11.0, 13.6]
    crowd.add_many([[k, 0, 4.5] for k in x], [[20, 0, 4.5], [20, 0, 3], [2, 0, 4.5]])
    deepest = walked(query, crowd, 60.0)
    assert (crowd.states == AgentState.ARRIVED).all() and deepest <= 0.01


PASSAGES = [
    (0.8, 0.3, 12), (0.8, 4.0, 2), (1.0, 0.3, 30), (1.0, 12.0, 12), (1.2, 0.3, 30), (1.2, 4.0, 12), (1.5, 0.3, 30),
    (1.5, 4.0, 12), (2.0, 0.3, 30), (2.0, 12.0, 12), (3.0, 4.0, 30),
]  # fmt: skip
if os.environ.get("NAVMESH_MANY_PASSAGES"):
    PASSAGES = list(itertools.product((0.8, 1.0, 1.2, 1.5, 2.0, 3.0), (0.3, 4.0, 12.0), (2, 12, 30)))


@pytest.mark.parametrize(("width", "length", "count"), PASSAGES)
def test_all_get_through_from_both_sides(width: float, length: float, count: int) -> None:
    query = passage(width, length)
    crowd = from_both_sides(query, count, length, count)
    assert walked(query, crowd, 180.0) <= 0.01
    assert np.count_nonzero(crowd.states == AgentState.ARRIVED) >= len(crowd) - (2 if count > 2 else 0)


@pytest.mark.parametrize("radius", [0.15, 0.22])
def test_thinner_ones_get_through_as_well(radius: float) -> None:
    query = passage(1.0, 4.0)
    crowd = from_both_sides(query, 12, 4.0, 5, radius)
    assert walked(query, crowd, 120.0) <= 0.01
    assert (crowd.states == AgentState.ARRIVED).all()


def test_threads_and_pieces_of_time_give_the_same_bytes() -> None:
    crowds = [from_both_sides(passage(1.0, 4.0), 12, 4.0, 3) for _ in range(3)]
    crowds[1]._threads = 3
    for _ in range(10):
        crowds[0].step(2.0)
        crowds[1].step(2.0)
        for _ in range(8):
            crowds[2].step(0.25)
    for crowd in crowds[1:]:
        assert crowd.positions.tobytes() == crowds[0].positions.tobytes()


def test_a_crowd_without_narrow_ways_has_none_to_wait_at() -> None:
    crowd = Crowd(passage(3.0, 2.0))
    assert isinstance(crowd._turns, TakingTurns)
    crowd.add([2, 0, 4], [18, 0, 4])
    crowd.step(1.0)
    assert not len(crowd._turns.ways.middle)
