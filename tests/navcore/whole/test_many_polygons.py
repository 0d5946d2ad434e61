"""A level in one piece may have more polygons than a tile: such numbers are polygons, and no borders of tiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.detour.queries.islands import find_islands
from navcore.detour.queries.prune import _pruned_mesh
from navcore.formats.plain_navmesh import plain_navmesh
from navcore.result.draped_edges import BORDER, INNER, draped_edges
from navcore.types import NO_INDEX, PORTAL
from tests.soak.invariants import shape_violations

SIDE = (
    50  # islands in a row, and rows of them; each of about fourteen triangles, a corner at each step around its cells
)


@pytest.fixture(scope="module")
def islands() -> NavMesh:
    z, x = np.mgrid[:SIDE, :SIDE].reshape(2, -1, 1) * 1.2
    square = np.array([[0.05, 0, 0.05], [0.05, 0, 0.75], [0.75, 0, 0.75], [0.75, 0, 0.05]])
    vertices = (square + np.stack([x, 0 * x, z], axis=-1)).reshape(-1, 3).astype(np.float32)
    corners = 4 * np.arange(SIDE * SIDE)[:, None, None] + np.array([[0, 1, 2], [0, 2, 3]])
    settings = Settings(
        cell_size=0.2, agent_radius=0.0, region_min_size=0, vertices_per_polygon=3, detail_mesh=False,
        partition="monotone", edge_max_length=0.2,
        filter_ledge_spans=False,
    )  # fmt: skip
    navmesh = build_navmesh(vertices, corners.reshape(-1, 3).astype(np.int32), settings)
    assert len(navmesh.polygon_mesh.polygons) > PORTAL + 1000
    return navmesh


def pairs(neighbors: Any) -> set[tuple[int, int]]:
    """(polygon, the polygon beside it) of (P, 3) numbers, those below 0 left out."""
    polygon, side = np.nonzero(neighbors >= 0)
    return {*zip(polygon.tolist(), neighbors[polygon, side].tolist(), strict=True)}


def inner_edges(navmesh: NavMesh) -> int:
    """Triangles between the corners of an outline share one edge fewer than there are."""
    return len(navmesh.polygon_mesh.polygons) - SIDE * SIDE


def test_each_square_is_an_island(islands: NavMesh) -> None:
    found = find_islands(islands)
    assert len(found.square_metres) == SIDE * SIDE
    assert np.bincount(found.of_polygon).min() >= 12


def test_files_say_who_lies_beside_whom(islands: NavMesh) -> None:
    found = pairs(plain_navmesh(islands).neighbors.reshape(-1, 3))
    assert len(found) == 2 * inner_edges(islands)
    assert found == {(b, a) for a, b in found}


def test_no_edge_lies_on_the_border_of_a_tile(islands: NavMesh) -> None:
    edges = draped_edges(islands.tiles[0])
    assert BORDER not in edges.kind
    assert np.count_nonzero(edges.kind == INNER) == inner_edges(islands)


def test_what_stays_behind_keeps_its_neighbors(islands: NavMesh) -> None:
    mesh = islands.polygon_mesh
    gone = int(np.count_nonzero(mesh.region == mesh.region[0]))
    keep = mesh.region != mesh.region[0]
    assert not keep[:gone].any()
    before, after = (
        np.where(m.neighbors == NO_INDEX, -1, m.neighbors.astype(int)) for m in (mesh, _pruned_mesh(mesh, keep))
    )
    shifted = {(a - gone, b - gone) for a, b in pairs(before) if a >= gone}
    assert pairs(after) == shifted


def test_the_checks_of_soaks_know_it(islands: NavMesh) -> None:
    assert not list(shape_violations(islands.polygon_mesh))
