"""The mesh that the search walks on: its lattice, tiles joined edge by edge, dead ends, kept for each filter."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavQuery, QueryFilter, Settings, build_navmesh
from navcore.navquery.query_mesh import QueryMesh
from navcore.shortest_paths.shortest_lattice import lattice_of
from navcore.shortest_paths.shortest_mesh import shortest_mesh
from tests import scenes
from tests.navcore.navquery.query_examples import by_hand, town


def used(mesh: QueryMesh) -> np.ndarray:
    return np.arange(6) < mesh.polygons["corners"][:, None]


@pytest.mark.parametrize("away", [0.0, 3000.0])
def test_corners_lie_on_cells(away: float) -> None:
    vertices, triangles = scenes.city(2)
    mesh = NavQuery(build_navmesh(vertices + np.float32(away), triangles, Settings(tile_size=32)))._mesh
    lattice = lattice_of(mesh, used(mesh))
    spots = lattice.of_corners(mesh.outline[used(mesh)])
    assert lattice.snapped and (spots % lattice.cell == 0).all() and lattice.cell >= 64
    assert lattice.step * lattice.cell == pytest.approx(0.3, rel=1e-4)
    assert np.abs(lattice.of(mesh.outline[used(mesh)]) - spots).max() <= 2, "float32 does not move a corner by steps"


def test_corners_off_the_cells_are_rounded_to_steps() -> None:
    mesh = NavQuery(build_navmesh(*scenes.plaza(6)))._mesh
    bent = (mesh.outline + np.sin(mesh.outline[..., ::-1] * 7) * 0.03).astype(np.float32)
    odd = mesh._replace(outline=bent)
    lattice = lattice_of(odd, used(odd))
    assert not lattice.snapped and lattice.step < 1e-4
    back = lattice.origin + lattice.of_corners(bent[used(odd)]) * [1, -1] * lattice.step
    assert np.abs(back - bent[used(odd)][:, ::2]).max() <= lattice.step
    ours, theirs = shortest_mesh(odd, 0xFFFF, 0)[0], shortest_mesh(mesh, 0xFFFF, 0)[0]
    assert (ours.edges["across"] == theirs.edges["across"]).all()


@pytest.mark.parametrize("tile_size", [0, 24])
def test_edges_across_are_the_same_edge_backwards(tile_size: int) -> None:
    flat, _ = shortest_mesh(NavQuery(build_navmesh(*scenes.plaza(6), Settings(tile_size=tile_size)))._mesh, 0xFFFF, 0)
    edges = flat.edges
    led = np.flatnonzero(edges["across"] >= 0)
    over = edges["across"][led]
    assert len(led) > 100 and (edges["across"][over] == led).all() and (edges["also"] < 0).all()
    assert (edges["vertex"][over] == edges["vertex"][edges["following"][led]]).all()
    assert (edges["polygon"][over] != edges["polygon"][led]).all()


def test_a_border_is_cut_where_either_side_has_a_corner() -> None:
    """A terrain without holes, in tiles: walls are around it alone. Pillars bring corners to one side of borders."""
    mesh = NavQuery(build_navmesh(*scenes.terrain(60, 0.45, 0.04), Settings(tile_size=24)))._mesh
    flat, _ = shortest_mesh(mesh, 0xFFFF, 0)
    corners = np.stack([flat.vertices["x"], flat.vertices["z"]], axis=1)
    spots = corners[flat.edges["vertex"]]
    following = spots[flat.edges["following"]]
    around = ((spots == following) & ((spots == spots.min(axis=0)) | (spots == spots.max(axis=0)))).any(axis=1)
    assert len(np.unique(mesh.polygons["tile"])) >= 9 and (around == (flat.edges["across"] < 0)).all()
    pillars = NavQuery(build_navmesh(*scenes.plaza(6), Settings(tile_size=24)))._mesh
    assert len(shortest_mesh(pillars, 0xFFFF, 0)[0].edges) > pillars.polygons["corners"].sum() + 10


def test_dead_ends_are_what_one_edge_leads_to() -> None:
    """From whatever lies inside, every way out to the rest leads over the edge that is marked."""
    flat, _ = shortest_mesh(NavQuery(build_navmesh(*scenes.city(2)))._mesh, 0xFFFF, 0)
    edges, marked = flat.edges, np.flatnonzero(flat.edges["dead_end"])
    assert len(marked) > 10
    for edge in marked.tolist():
        inner = flat.polygons[edges[edges[edge].across].polygon]
        numbers = flat.polygons["number"][edges["polygon"]]
        inside = (numbers >= inner.number) & (numbers < inner.end_number)
        assert inside[edges[edge].across] and not inside[edge]
        out = [e for e in np.flatnonzero(inside & (edges["across"] >= 0)).tolist() if not inside[edges[e].across]]
        assert out == [edges[edge].across]


def test_two_tiles_by_hand() -> None:
    """Three polygons of the four lie in a row over the border; each knows the next one."""
    flat, lattice = shortest_mesh(by_hand()._mesh, 0xFFFF, 0)
    led = flat.edges[flat.edges["across"] >= 0]
    pairs = set(zip(led["polygon"].tolist(), flat.edges["polygon"][led["across"]].tolist(), strict=True))
    assert lattice.snapped and {(0, 1), (1, 0), (1, 3), (3, 1)} <= pairs
    assert len(np.unique(flat.polygons["island"])) == 1


def test_a_mesh_for_each_filter_is_made_once_and_old_ones_go() -> None:
    query = NavQuery(town())
    meshes = query._shortest
    one = meshes.for_flags(0xFFFF, 0)
    assert meshes.for_flags(0xFFFF, 0) is one and meshes.for_flags(0xFFFF, 2) is not one
    for exclude in range(3, 12):
        meshes.for_flags(0xFFFF, exclude)
    assert meshes.for_flags(0xFFFF, 11) is meshes.for_flags(0xFFFF, 11) and meshes.for_flags(0xFFFF, 0) is not one
    nothing = query.find_paths([[2, 0, 2]], [[20, 0, 20]], QueryFilter(include=0x4000), exact=True)
    assert nothing.status[0] == 4 and len(nothing.points) == 0
