"""What a crowd is asked that cannot be: it is refused with the agents' numbers, or mended and said."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from navcore import AgentState, BadInput, Crowd, NavQuery, QueryFilter, Settings, build_navmesh, walk
from tests import scenes

from .crowd_scenes import overlaps


@cache
def yard(size: float = 12.0) -> NavQuery:
    return NavQuery(build_navmesh(*scenes.flat(size), Settings(agent_radius=0.4, cell_size=0.1)))


def test_agents_wider_than_the_navmesh_was_built_for_are_refused_by_number() -> None:
    crowd = Crowd(yard())
    crowd.add([2, 0, 2], [9, 0, 9])
    with pytest.raises(BadInput, match=r"radius is 0.6 m for agents 2:.*0.4 m") as refused:
        crowd.add_many([[3, 0, 3], [5, 0, 3]], [[9, 0, 3], [9, 0, 5]], radius=[0.3, 0.6])
    assert refused.value.code == "AGENT_TOO_WIDE" and len(crowd) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("radius", 0), ("radius", float("nan")), ("radius", [0.2, 0.3, 0.4]), ("speed", -1), ("speed", "fast")],
)
def test_sizes_and_speeds_that_are_none_are_refused_by_name(name: str, value: Any) -> None:
    crowd = Crowd(yard())
    with pytest.raises(BadInput, match=name) as refused:
        crowd.add_many([[3, 0, 3], [5, 0, 3]], [[9, 0, 3], [9, 0, 5]], **{name: value})
    assert refused.value.code == "WRONG_QUESTION" and len(crowd) == 0


@pytest.mark.parametrize("given", [[QueryFilter()], "walk", 0])
def test_what_is_no_filter_is_refused(given: Any) -> None:
    crowd = Crowd(yard())
    with pytest.raises(BadInput, match="Give one QueryFilter"):
        crowd.add([3, 0, 3], [9, 0, 3], given)
    assert len(crowd) == 0


@pytest.mark.parametrize("count", [2.5, "8", None, 0, 65, True])
def test_a_number_of_neighbors_that_is_none_is_refused(count: Any) -> None:
    with pytest.raises(BadInput, match=r"max_neighbors is .* Give a whole number from 1 to 64"):
        Crowd(yard(), max_neighbors=count)


def test_who_starts_in_another_sets_out_beside_it_and_it_is_said() -> None:
    crowd = Crowd(yard())
    crowd.add_many([[6, 0, 6]] * 7, [[2, 0, 2 + k] for k in range(7)])
    assert crowd.start_shifts[0] == 0 and (crowd.start_shifts[1:] > 0.5).all()
    ground = np.ones(7, bool)
    assert overlaps(crowd.positions, ground, crowd.radii).max() <= 0.005
    track = walk(yard(), [[6, 0, 6]] * 2, [[2, 0, 2], [9, 0, 9]], 1)
    assert track.moved[0] == 0 and track.moved[1] > 0.5


def test_where_there_is_no_ground_for_all_it_is_said_for_whom() -> None:
    crowd = Crowd(yard(4.0))
    with pytest.raises(BadInput, match=r"no ground for agents \d+.* more: ") as refused:
        crowd.add_many([[2, 0, 2]] * 60, [[1, 0, 1]] * 60)
    assert refused.value.code == "NO_ROOM" and len(crowd) == 0


def test_agents_of_different_sizes_and_speeds_walk_together() -> None:
    crowd = Crowd(yard())
    radius, speed = np.array([0.15, 0.4, 0.25, 0.3]), np.array([0.5, 1.0, 2.0, 1.5])
    starts = np.array([[2.0, 0, 3 + 2 * k] for k in range(4)])
    crowd.add_many(starts, starts[::-1] + np.array([8.0, 0, 0]), radius=radius, speed=speed)
    fastest = np.zeros(4)
    for _ in range(900):
        crowd.step(1 / 30)
        fastest = np.maximum(fastest, np.hypot(*crowd.velocities[:, ::2].T))
        assert overlaps(crowd.positions, np.ones(4, bool), crowd.radii).max() <= 0.01
    assert (crowd.states == AgentState.ARRIVED).all()
    assert (fastest <= speed + 1e-3).all() and (fastest >= 0.95 * speed).all()
