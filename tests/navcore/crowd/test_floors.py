"""Where tiles meet, floors above each other are linked at steep borders: nobody falls on another, or off the ground."""

from __future__ import annotations

import pytest

from navcore import AgentState, Crowd, NavQuery, Settings, build_navmesh
from tests import scenes

from .crowd_scenes import RADIUS, off_navmesh, overlaps

STEP = 1 / 30


@pytest.mark.parametrize("seed", [0, 5, 10])
def test_on_levels_in_tiles_nobody_comes_to_another_floor_where_somebody_is(seed: int) -> None:
    settings = Settings(agent_radius=RADIUS, cell_size=0.15, tile_size=64)
    query = NavQuery(build_navmesh(*scenes.city(2, seed=seed), settings))
    places = query.random_points(80, seed=seed).points
    crowd = Crowd(query, radius=RADIUS, seed=seed)
    crowd.add_many(places[:40], places[40:])
    for _ in range(600):
        crowd.step(STEP)
        ground = crowd.states != AgentState.NO_WAY
        assert overlaps(crowd.positions, ground, crowd.radii).max() <= 0.01
        assert off_navmesh(query, crowd.positions) < 1e-4
