"""Ground that is not on the lattice of cells, stacked floors, and meshes that make no sense."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavQuery, Settings, build_navmesh
from navcore.types import F32
from tests import scenes
from tests.navcore.clearance.levels import pillars


def turned(points: F32, angle: float) -> F32:
    """The same seen from above, turned about the origin."""
    around = points.copy()
    c, s = np.cos(angle), np.sin(angle)
    around[..., 0], around[..., 2] = c * points[..., 0] - s * points[..., 2], s * points[..., 0] + c * points[..., 2]
    return around


@pytest.mark.parametrize("seed", [20, 21, 23, 24])
def test_a_turned_navmesh_is_as_wide(seed: int) -> None:
    """As other tools may write it: no corner lies on a lattice, and what was exactly opposite no longer is."""
    navmesh = build_navmesh(*pillars(seed), Settings(agent_radius=0.3))
    straight, other = NavQuery(navmesh), NavQuery(navmesh)
    mesh = straight._mesh
    outline, triangles = turned(mesh.outline, 0.3 + seed), turned(mesh.triangles, 0.3 + seed)
    other._mesh = mesh._replace(outline=outline, triangles=triangles)
    places = straight.random_points(200).points
    ways = straight.narrowest(places[:100], places[100:])
    assert (ways.status == 0).sum() > 50
    there = turned(places, 0.3 + seed)
    again = other.corridor_clearances(there[:100], there[100:], ways.offsets, ways.polygons)
    found = ways.status == 0
    assert again.clearances[found] == pytest.approx(ways.clearances[found], abs=0.001)


def test_floors_above_each_other_are_no_walls() -> None:
    """Every storey of a tower is as wide as the only one of a house."""
    house, tower = (NavQuery(build_navmesh(*scenes.tower(storeys), Settings())) for storeys in (1, 5))
    widest = [query.polygon_clearances() for query in (house, tower)]
    heights = np.unique(widest[1].points[:, 1].round())
    assert len(heights) >= 5
    for height in heights.tolist():
        floor = widest[1].clearances[widest[1].points[:, 1].round() == height]
        assert floor.max() == pytest.approx(widest[0].clearances.max(), abs=0.35)


@pytest.mark.parametrize("seed", range(20))
def test_damaged_ground_ends(seed: int) -> None:
    """Corners anywhere, neighbors of others: what is said makes no sense, but it is said."""
    navmesh = build_navmesh(*pillars(seed), Settings(tile_size=32))
    query, rng = NavQuery(navmesh), np.random.default_rng(seed)
    mesh = query._mesh
    outline, neighbors = mesh.outline.copy(), mesh.neighbors.copy()
    chosen = rng.random(len(outline)) < 0.3
    outline[chosen] = rng.permutation(outline[chosen].reshape(-1, 3)).reshape(-1, 6, 3)
    real = neighbors >= 0
    neighbors[real] = np.where(rng.random(real.sum()) < 0.3, rng.permutation(neighbors[real]), neighbors[real])
    query._mesh = mesh._replace(outline=outline, neighbors=neighbors)
    ways = query.narrowest(rng.uniform(0, 24, (50, 3)), rng.uniform(0, 24, (50, 3)))
    assert len(ways.status) == 50
    assert len(query.polygon_clearances().clearances) == len(outline)
    assert len(query.portals().references) > 0 and (query.chokepoints().square_metres >= 1).all()
