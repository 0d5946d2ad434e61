"""The shortest paths of small levels are those that a brute-force search over visible corners finds."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavMesh, NavQuery, PathStatus, Settings, build_navmesh
from tests import scenes
from tests.navcore.shortest_paths.shortest_examples import length_from_above, on_corners_and_edges, pairs_in, pillars
from tests.navcore.shortest_paths.visibility_twin import VisibilityTwin

LEVELS = {
    **{f"pillars {seed}": (lambda seed=seed: pillars(seed)) for seed in range(6)},
    **{f"pillars {seed} in tiles": (lambda seed=seed: pillars(seed, 16)) for seed in range(4)},
    "spiral": lambda: build_navmesh(*scenes.spiral(2.0), Settings()),
    "spiral in tiles": lambda: build_navmesh(*scenes.spiral(2.0), Settings(tile_size=24)),
    "stairs": lambda: build_navmesh(*scenes.stairs(), Settings()),
}


@pytest.mark.parametrize("name", LEVELS)
def test_lengths_are_those_of_a_brute_force_search(name: str) -> None:
    navmesh: NavMesh = LEVELS[name]()
    query = NavQuery(navmesh)
    twin = VisibilityTwin(query, 0.3)
    mesh = (query._mesh.outline[:, :4].reshape(-1, 3), None)
    starts, ends = pairs_in(mesh, 40, 1)
    corners = on_corners_and_edges(query, 40, 2)
    starts, ends = np.concatenate([starts, corners[:20]]), np.concatenate([ends, corners[20:]])
    paths = query.find_paths(starts, ends, exact=True)
    complete = np.flatnonzero(paths.status == PathStatus.COMPLETE)
    assert len(complete) >= 20
    here, there = query.nearest(starts), query.nearest(ends)
    first, last = query._names.polygons(here.references), query._names.polygons(there.references)
    ours = length_from_above(paths)
    for row in complete.tolist():
        a, b = twin.spot(here.points[row]), twin.spot(there.points[row])
        # Both ends lie on spots of the twin only to within half of one.
        assert ours[row] == pytest.approx(twin.length(first[row], a, last[row], b), abs=2 * twin.step)


@pytest.mark.parametrize("seed", range(3))
def test_corners_to_corners_to_the_last_bit(seed: int) -> None:
    """Corners lie on cells: the twin's spots are ours, and lengths differ by the float32 of both ends alone."""
    query = NavQuery(pillars(seed))
    twin = VisibilityTwin(query, 0.3)
    points = query._mesh.outline[query._mesh.polygons["corners"] > 0, 0]
    starts, ends = np.repeat(points, len(points), axis=0), np.tile(points, (len(points), 1))
    paths = query.find_paths(starts, ends, exact=True)
    assert (paths.status == PathStatus.COMPLETE).all()
    first = query._names.polygons(query.nearest(starts).references)
    last = query._names.polygons(query.nearest(ends).references)
    wanted = [
        twin.length(first[k], twin.spot(starts[k], 256), last[k], twin.spot(ends[k], 256)) for k in range(len(starts))
    ]
    assert length_from_above(paths) == pytest.approx(np.array(wanted), abs=1e-5)
