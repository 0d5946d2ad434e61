"""Points at random lie on the ground, spread by area, and are the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import BadInput, NavQuery, QueryFilter, Settings, build_navmesh
from tests import scenes
from tests.navcore.navquery.query_examples import by_hand, town

SUCCESS, FAILURE = 1 << 30, 1 << 31


def plates(tile_size: int) -> NavQuery:
    """One of 30 × 10 m and one of 10 × 10 m."""
    mesh = scenes.join([scenes.box(0, -1, 0, 30, 1, 10), scenes.box(40, -1, 0, 10, 1, 10)])
    return NavQuery(build_navmesh(*mesh, Settings(tile_size=tile_size, agent_radius=0)))


@pytest.mark.parametrize("tile_size", [0, 40])
def test_every_square_metre_is_as_likely(tile_size: int) -> None:
    found = plates(tile_size).random_points(8000, seed=3)
    assert (found.status == SUCCESS).all()
    assert (found.points[:, 0] > 35).mean() == pytest.approx(0.25, abs=0.02)
    counts = np.histogram2d(*found.points[found.points[:, 0] < 35][:, ::2].T, bins=(6, 2))[0]
    assert counts.min() > 400 and counts.max() < 600


@pytest.mark.parametrize("like_detour", [False, True])
def test_points_lie_on_their_polygons(like_detour: bool) -> None:
    query = NavQuery(town(32))
    found = query.random_points(300, seed=5, like_detour=like_detour)
    on = query.closest_points(found.references, found.points)
    assert np.abs(on.points - found.points).max() < 1e-3 and len(set(found.references.tolist())) > 50
    again = query.random_points(300, seed=5, like_detour=like_detour)
    assert again.points.tobytes() == found.points.tobytes()
    other = query.random_points(300, seed=6, like_detour=like_detour)
    assert other.points.tobytes() != found.points.tobytes()


def test_around_a_point() -> None:
    query = NavQuery(town(32))
    start = query.nearest([2, 0, 2])
    around = query.polygons_around(start.references, start.points, 3.0, max_polygons=None)
    found = query.random_points_around(200, int(start.references[0]), start.points, 3.0, seed=1)
    assert (found.status == SUCCESS).all() and set(found.references.tolist()) <= set(around.references.tolist())
    assert len(set(found.references.tolist())) > 1


def test_nothing_to_choose_from() -> None:
    nobody = QueryFilter(include=0x4000)
    for found in (by_hand().random_points(2, nobody), by_hand().random_points(2, nobody, like_detour=True)):
        assert found.status.tolist() == [FAILURE] * 2 and found.references.tolist() == [0, 0]
    dead = by_hand().random_points_around(2, 999, [0, 0, 0], 3.0)
    assert dead.status.tolist() == [FAILURE | 8] * 2
    assert len(by_hand().random_points(0).status) == 0
    with pytest.raises(BadInput, match="count is -1"):
        by_hand().random_points(-1)
