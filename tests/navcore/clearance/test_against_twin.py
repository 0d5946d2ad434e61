"""Every answer against a sweep over radii on a fine grid, on random levels."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavQuery, Settings, build_navmesh
from navcore.types import F32, F64
from tests.navcore.clearance.levels import pillars
from tests.navcore.clearance.twin import Sweep, distances, sweep_of, wall_segments, widest_between

STEP = 0.1
CLOSE = 0.75 * STEP + 0.015  # half the diagonal of a place, and half of what the largest room may be too small by
EXACT = (0.01, 1, 0.01)


def asked(sweep: Sweep, count: int, seed: int) -> F64:
    """(count, 2) x and z of places on the ground that are not at a wall."""
    free = np.argwhere(sweep.away > 0)
    return sweep.low + free[np.random.default_rng(seed).integers(0, len(free), count)] * sweep.step


def points(places: F64) -> F32:
    return np.insert(places, 1, 0.2, axis=1).astype(np.float32)


@pytest.mark.parametrize("tile_size", [0, 24, 32])
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_ways_and_places(seed: int, tile_size: int) -> None:
    settings = Settings(tile_size=tile_size, agent_radius=(0.3, 0.6)[seed % 2])
    query = NavQuery(build_navmesh(*pillars(seed), settings))
    sweep = sweep_of(query, STEP)
    places = asked(sweep, 120, seed)
    starts, ends = places[:60], places[60:]
    ways = query.narrowest(points(starts), points(ends), extents=EXACT)
    judged = widest_between(sweep, starts, ends)
    assert np.isnan(judged).tolist() == (ways.status == 1).tolist() and (ways.status < 2).all()
    there = ~np.isnan(judged)
    assert there.sum() > 40 and np.abs(ways.clearances - judged)[there].max() < CLOSE
    assert len(set(ways.narrowest_at[there].tolist())) == 3

    near = query.nearest(points(places), EXACT)
    stand = query.clearances(near.references, near.points)
    exact = sweep.radius + distances(near.points[:, [0, 2]].astype(np.float64), wall_segments(query))
    assert np.abs(stand.clearances - exact).max() < 1e-3

    paths = query.find_paths(points(starts), points(ends), extents=EXACT, max_nodes=None)
    along = query.corridor_clearances(points(starts), points(ends), paths.polygon_offsets, paths.polygons)
    assert (along.clearances[there] <= ways.clearances[there] + 1e-4).all()
    assert (along.clearances[there] < ways.clearances[there] - 0.05).any(), "no path is narrower than the widest way"
    back = query.corridor_clearances(points(starts), points(ends), ways.offsets, ways.polygons)
    assert back.clearances[there] == pytest.approx(ways.clearances[there], abs=1e-5)


@pytest.mark.parametrize("seed", [3, 4])
def test_polygons_and_portals(seed: int) -> None:
    query = NavQuery(build_navmesh(*pillars(seed), Settings(tile_size=32)))
    sweep, walls = sweep_of(query, STEP), wall_segments(query)
    rooms = query.polygon_clearances()
    for number, (clearance, point) in enumerate(zip(rooms.clearances, rooms.points, strict=True)):
        if point[1] > 1:
            continue  # on top of something
        most = sweep.away[sweep.polygon == number].max(initial=0) + sweep.radius
        assert most - 0.05 * 0.3 - 0.01 * clearance < clearance + 1e-4
        assert clearance == pytest.approx(
            sweep.radius + distances(point[None, [0, 2]].astype(float), walls)[0], abs=1e-3
        )
    portals = query.portals()
    for (a, b), clearance in zip(portals.ends[:, :, [0, 2]].astype(float), portals.clearances, strict=True):
        along = a + np.linspace(0, 1, 500)[:, None] * (b - a)
        most = sweep.radius + distances(along, walls).max()
        assert most - 0.05 * 0.3 - 0.01 * clearance < clearance + 1e-4 and clearance < most + 0.02
