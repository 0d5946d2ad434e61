"""The best velocity against a twin that looks at everything, on random half-planes."""

from __future__ import annotations

import math

import numpy as np

from navcore.crowd.orca import best_velocity
from navcore.types import F64
from tests.navcore.crowd.program_twin import Plane, Velocity, badness, least_badness, nearest_velocity

MOST = 1.5


def random_planes(rng: np.random.Generator, walls: int, agents: int, least: float) -> list[Plane]:
    """Walls always allow standing still."""
    angle = rng.uniform(0, 2 * np.pi, walls + agents)
    needed = np.concatenate([rng.uniform(-1.0, 0.0, walls), rng.uniform(-1.5, least, agents)])
    return list(zip(np.cos(angle).tolist(), np.sin(angle).tolist(), needed.tolist(), strict=True))


def asked(planes: list[Plane], walls: int, wish: Velocity) -> Velocity:
    rows: F64 = np.array(planes).reshape(-1, 3)
    x, z = best_velocity(rows, np.empty_like(rows), walls, len(rows), MOST, (*wish, 0.0))
    return x, z


def test_the_velocity_is_the_nearest_allowed_one() -> None:
    rng = np.random.default_rng(5)
    allowed = 0
    for _ in range(400):
        walls, agents = int(rng.integers(0, 4)), int(rng.integers(0, 8))
        planes = random_planes(rng, walls, agents, 0.6)
        wish = tuple(rng.uniform(-2, 2, 2).tolist())
        best = nearest_velocity(planes, MOST, wish)
        if best is not None:
            allowed += 1
            assert math.dist(asked(planes, walls, wish), best) < 1e-5
    assert allowed > 200


def test_where_nothing_is_allowed_the_velocity_is_the_least_bad_one_within_walls() -> None:
    rng = np.random.default_rng(6)
    crowded = 0
    while crowded < 25:
        walls, agents = int(rng.integers(0, 4)), int(rng.integers(3, 9))
        planes = random_planes(rng, walls, agents, 1.4)
        wish = tuple(rng.uniform(-2, 2, 2).tolist())
        if nearest_velocity(planes, MOST, wish) is not None:
            continue
        crowded += 1
        velocity = asked(planes, walls, wish)
        assert math.hypot(*velocity) <= MOST + 1e-9
        assert badness(planes[:walls], velocity) < 1e-9 if walls else True
        assert abs(badness(planes[walls:], velocity) - least_badness(planes[:walls], planes[walls:], MOST)) < 1e-5


def test_half_planes_that_face_each_other_leave_the_middle() -> None:
    velocity = asked([(1.0, 0.0, 0.5), (-1.0, 0.0, 0.1)], 0, (0.0, 3.0))
    assert abs(velocity[0] - 0.2) < 1e-9


def test_standing_still_is_left_where_walls_are_all_around() -> None:
    walls = [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)]
    assert asked([*walls, (1.0, 0.0, 1.0)], 4, (1.0, 1.0)) == (0.0, 0.0)
