"""Edges of polygons as they lie on the ground: whole, of the right kind, and on the detail of both sides."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.result.draped_edges import BORDER, INNER, WALL, draped_edges
from navcore.result.navmesh import Tile, detail_triangles, world_vertices
from navcore.types import NO_INDEX, PORTAL
from tests import scenes


def hills(tile_size: int = 0, **more: object) -> NavMesh:
    mesh = scenes.terrain(110, 0.45, 0.1)
    return build_navmesh(*mesh, Settings.from_mapping({"tile_size": tile_size, "edge_max_length": 30, **more}))


LEVELS = [
    pytest.param(lambda: hills(), id="hills"),
    pytest.param(lambda: hills(32), id="hills in tiles"),
    pytest.param(lambda: build_navmesh(*scenes.city(2, seed=4), Settings(tile_size=48)), id="town"),
    pytest.param(lambda: hills(detail_mesh=False), id="no detail"),
]


def edges_by_hand(tile: Tile) -> dict[tuple[int, int], float]:
    """The length from above of all edges of each polygon and kind."""
    mesh, lengths = tile.polygon_mesh, {}
    points = world_vertices(mesh).astype(np.float64)
    for number, (row, neighbors) in enumerate(zip(mesh.polygons.tolist(), mesh.neighbors.tolist(), strict=True)):
        corners = [v for v in row if v != NO_INDEX]
        for k, vertex in enumerate(corners):
            across = neighbors[k]
            kind = WALL if across == NO_INDEX else BORDER if across & PORTAL else INNER
            if kind != INNER or across > number:
                step = points[corners[(k + 1) % len(corners)]] - points[vertex]
                lengths[number, kind] = lengths.get((number, kind), 0.0) + float(np.hypot(step[0], step[2]))
    return lengths


@pytest.mark.parametrize("make", LEVELS)
def test_every_edge_is_there_in_its_whole_length_and_of_its_kind(make) -> None:  # type: ignore[no-untyped-def]
    kinds = set()
    for tile in make().tiles:
        edges = draped_edges(tile)
        steps = (edges.points[:, 1] - edges.points[:, 0]).astype(np.float64)
        found: dict[tuple[int, int], float] = {}
        for number, kind, step in zip(edges.polygon.tolist(), edges.kind.tolist(), steps, strict=True):
            found[number, kind] = found.get((number, kind), 0.0) + float(np.hypot(step[0], step[2]))
        expected = edges_by_hand(tile)
        assert found.keys() == expected.keys()
        assert found == {key: pytest.approx(length, abs=1e-3) for key, length in expected.items()}
        kinds |= {kind for _, kind in found}
    assert {INNER, WALL} <= kinds


def heights_below(tile: Tile, polygon: int, x: float, z: float) -> list[float]:
    """Heights of a polygon's detail triangles at a point, a hair's breadth beyond them, too."""
    assert tile.detail_mesh is not None
    triangles, owner = detail_triangles(tile.detail_mesh)
    found = []
    for a, b, c in tile.detail_mesh.vertices[triangles[owner == polygon]].astype(np.float64):
        twice = (b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0])
        if abs(twice) < 1e-9:
            continue
        u = ((x - a[0]) * (c[2] - a[2]) - (z - a[2]) * (c[0] - a[0])) / twice
        v = ((b[0] - a[0]) * (z - a[2]) - (b[2] - a[2]) * (x - a[0])) / twice
        if min(u, v, 1 - u - v) >= -1e-3:
            found.append(a[1] + u * (b[1] - a[1]) + v * (c[1] - a[1]))
    return found


@pytest.mark.parametrize("make", LEVELS[:3])
def test_edges_lie_on_the_detail_of_both_sides(make) -> None:  # type: ignore[no-untyped-def]
    """Never farther than half a cell's height from it, wherever along the edge."""
    navmesh = make()
    half, rng, looked_at = navmesh.settings.cell_height / 2, np.random.default_rng(1), 0
    for tile in navmesh.tiles:
        edges = draped_edges(tile)
        for row in rng.choice(len(edges.kind), min(60, len(edges.kind)), replace=False):
            a, b = edges.points[row].astype(np.float64)
            x, y, z = a + (b - a) * rng.uniform(0.05, 0.95)
            polygon = int(edges.polygon[row])
            sides = [polygon]
            if edges.kind[row] == INNER:
                near = tile.polygon_mesh.neighbors[polygon]
                sides += [int(n) for n in near if n > polygon and not n & PORTAL]
            heights = [heights_below(tile, side, x, z) for side in sides]
            assert heights[0] and min(abs(h - y) for h in heights[0]) <= half
            beyond = [min(abs(h - y) for h in found) for found in heights[1:] if found]
            assert edges.kind[row] != INNER or min(beyond) <= half
            looked_at += 1
    assert looked_at > 50


def test_straight_edges_dive_into_hills_and_draped_ones_do_not() -> None:
    """What the draping is for: where hills are, the two differ by more than a cell's height."""
    [tile] = hills().tiles
    straight = draped_edges(tile._replace(detail_mesh=None))
    draped = draped_edges(tile)
    assert len(draped.points) > 1.2 * len(straight.points)
    middle = straight.points.mean(axis=1)
    near = np.abs(draped.points.reshape(-1, 3)[None, :, ::2] - middle[:, None, ::2]).sum(axis=2)
    apart = np.abs(draped.points.reshape(-1, 3)[near.argmin(axis=1), 1] - middle[:, 1])[near.min(axis=1) < 0.3]
    assert apart.max() > 0.4
