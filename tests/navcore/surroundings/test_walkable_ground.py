"""The finder's ground: read from tiles as queries have it, and asked only where it can be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from navcore import NavMesh, QueryFilter, Settings, build_navmesh
from navcore.detour.byte_layout import header_of
from navcore.detour.polygon_references import SetParameters
from navcore.detour.queries.walk_graph import walk_graph
from navcore.jit import kernel
from navcore.navquery.batches import row_counts
from navcore.navquery.kernels.wall_segments import segment_rows
from navcore.navquery.query_mesh import QueryMesh, query_mesh
from navcore.surroundings.solid_matter import grid_of_level
from navcore.surroundings.walkable_ground import (
    Ground,
    ground_in_tiles,
    ground_of,
    heights_between,
    is_covered,
    joined_tiles,
    polygon_at,
)
from navcore.types import F64, I64
from tests import scenes

ANY = 0xFFFF


@pytest.fixture(scope="module", params=[0, 24, 50])
def navmesh(request: pytest.FixtureRequest) -> NavMesh:
    mesh = scenes.join([scenes.city(2, 20), scenes.slabs(3)])
    return build_navmesh(*mesh, Settings(tile_size=request.param), threads=1)


def mesh_of(navmesh: NavMesh) -> QueryMesh:
    """The same ground as queries have it."""
    tiles = walk_graph(navmesh).tiles
    most = max(int(header_of(data)["polygons"][0]) for data in tiles)
    parameters = SetParameters(np.zeros(3, np.float32), np.float32(1), np.float32(1), len(tiles), most)
    mesh, _ = query_mesh(parameters, [number << parameters.polygon_bits for number in range(len(tiles))], tiles)
    polygons = mesh.polygons.copy()
    polygons["flags"] = ANY
    return mesh._replace(polygons=polygons)


def test_ground_read_from_tiles_is_what_queries_have(navmesh: NavMesh) -> None:
    graph, mesh, origin = walk_graph(navmesh), mesh_of(navmesh), np.array([1.5, -2.0, 0.25])
    read = ground_in_tiles(*joined_tiles(graph.tiles), graph, origin)
    assert (read.outline == mesh.outline.astype(np.float64) - origin).all() and len(read.outline) > 50
    assert (graph.targets == mesh.links["target"]).all()
    np.testing.assert_allclose(read.portals, mesh.portals.astype(np.float64) - origin, atol=1e-5)
    for polygon, facts in enumerate(mesh.polygons):
        assert read.polygons[polygon].corners == facts.corners
        own = read.triangles[read.polygons[polygon].first_triangle : read.polygons[polygon].end_triangle]
        assert (own == mesh.triangles[facts.first_triangle : facts.end_triangle].astype(np.float64) - origin).all()


def test_walls_read_from_tiles_are_those_that_queries_tell(navmesh: NavMesh) -> None:
    mesh, origin = mesh_of(navmesh), np.zeros(3)
    graph = walk_graph(navmesh)
    read, count = ground_in_tiles(*joined_tiles(graph.tiles), graph, origin), len(mesh.polygons)
    rows, polygons = row_counts(count), np.arange(count, dtype=np.int32)
    ends, _ = segment_rows(mesh, polygons, QueryFilter(include=ANY).rule(), False, 1 << 30, 0, count, rows)
    assert (read.wall_ends == ends).all() and len(ends) > 50
    assert (read.wall_polygon == np.repeat(polygons, rows.counts)).all()
    owner = np.repeat(np.arange(len(navmesh.tiles)), [len(tile.polygon_mesh.polygons) for tile in navmesh.tiles])
    assert (read.wall_tile == owner[read.wall_polygon]).all()


@kernel
def polygons_there(ground: Ground, points: F64, found: I64) -> None:
    """The polygon at each place, and whether one may be there."""
    for row in range(len(points)):
        x, y, z = points[row]
        found[row, 0] = polygon_at(ground, x, y, z, 0.5)
        found[row, 1] = is_covered(ground, x, z, heights_between(y - 0.5, y + 0.5))


def test_every_polygon_covers_the_places_in_it(navmesh: NavMesh) -> None:
    grid = grid_of_level(navmesh.tile_grid, navmesh.tiles[0].polygon_mesh.grid)
    origin = grid.bounds_min.astype(np.float64)
    ground = ground_of(replace(navmesh, links=()), origin, (grid.width, grid.depth)).ground
    rng = np.random.default_rng(1)
    middles = ground.outline.mean(axis=1)[rng.integers(0, len(ground.outline), 20_000)]
    points = middles + rng.uniform(-1, 1, middles.shape) * [2.0, 0.3, 2.0]
    found = np.zeros((len(points), 2), np.int64)
    polygons_there(ground, points, found)
    assert (found[:, 0] >= 0).sum() > 2000 and (found[:, 1] == 0).sum() > 200
    assert found[found[:, 0] >= 0, 1].all()
