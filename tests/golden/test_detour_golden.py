"""Runtime data against the C++ library: tiles before linking and whole files with live links, to the byte."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np
import pytest

from navcore import build_navmesh
from navcore.area_types import area_flags, runtime_areas
from navcore.detour.off_mesh_links import link_table
from navcore.detour.reader import read_navmesh
from navcore.detour.tile_data import Agent, tile_data
from navcore.formats.mset import MsetWriter, mset_bytes, tile_blobs
from navcore.geometry.tile_grid import TileGrid, cut_into_tiles
from navcore.result.navmesh import NavMesh, Tile
from navcore.scene import as_links
from navcore.types import PolygonMesh
from tests import dumps

SOLO = [v for v in dumps.variants() if "mset" in dumps.Dump(*v)]
TILED = [v for v in dumps.variants("tiled") if "tiles_navdata" in dumps.Dump(*v)]


def written(dump: dumps.Dump, tiles: Iterable[Tile], cut: TileGrid | None) -> bytes:
    file = io.BytesIO()
    writer = MsetWriter(file, dump.settings(), cut, as_links(dump.scene()["links"]))
    for tile in tiles:
        writer.add(tile)
    writer.finish()
    assert writer.warnings == []
    return file.getvalue()


def blobs(dump: dumps.Dump, tiles: Iterable[Tile]) -> bytes:
    agent, links = Agent.of(dump.settings()), link_table(as_links(dump.scene()["links"]))
    return b"".join(tile_data(t.polygon_mesh, t.detail_mesh, agent, links, t.x, t.y).tobytes() for t in tiles)


def built(dump: dumps.Dump) -> NavMesh:
    vertices, triangles, areas = dump.geometry()
    scene = dump.scene()
    return build_navmesh(
        vertices, triangles, dump.settings(), areas=areas, volumes=scene["volumes"], links=scene["links"],
        bounds=scene.get("bounds"), threads=2,
    )  # fmt: skip


def grid_of(dump: dumps.Dump) -> TileGrid:
    settings = dump.settings()
    low, high = dump["bounds"].astype(np.float32)
    return cut_into_tiles(low, high, settings, settings.in_voxels())


@pytest.mark.parametrize(("mesh", "variant"), SOLO)
def test_a_level_in_one_piece(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    tile = Tile(0, 0, dump.polygon_mesh(), dump.detail_mesh() if "dm_meshes" in dump else None)
    assert blobs(dump, [tile]) == dump["navdata"].tobytes()
    ours = written(dump, [tile], None)
    assert ours == dump["mset"].tobytes()
    assert read_navmesh(ours).tiles[0].sections.polygons["flags"].any()
    assert read_navmesh(dump["navdata"].tobytes()).kind == "DNAV"


@pytest.mark.parametrize(("mesh", "variant"), SOLO)
def test_areas_and_flags(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    areas = runtime_areas(dump["pm_areas"])
    assert dumps.same_bytes(areas, dump["pm_areas_final"])
    assert dumps.same_bytes(area_flags(areas), dump["pm_flags_final"])


@pytest.mark.parametrize(("mesh", "variant"), TILED)
def test_tiles(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    assert blobs(dump, dump.tiles()) == dump["tiles_navdata"].tobytes()
    ours = written(dump, dump.tiles(), grid_of(dump))
    assert ours == dump["mset"].tobytes()
    assert len(read_navmesh(ours).tiles) == len(dump["tiles_xy"])


@pytest.mark.parametrize(("mesh", "variant"), SOLO)
def test_a_level_in_one_piece_from_triangles(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    assert mset_bytes(built(dump)) == dump["mset"].tobytes()


@pytest.mark.parametrize(("mesh", "variant"), dumps.variants("tiled"))
def test_tiles_from_triangles(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    navmesh = built(dump)
    assert mset_bytes(navmesh) == dump["mset"].tobytes()
    if "tiles_navdata" not in dump:
        return
    data = tile_blobs(navmesh)
    assert b"".join(data) == dump["tiles_navdata"].tobytes()
    assert [len(blob) for blob in data] == dump["tiles_navsize"].tolist()
    assert [[tile.x, tile.y] for tile in navmesh.tiles] == dump["tiles_xy"].tolist()
    if "pm_verts" in dump:
        assert_same_meshes(navmesh, dump)


def assert_same_meshes(navmesh: NavMesh, dump: dumps.Dump) -> None:
    """The meshes of every tile, one after the other."""
    meshes = [tile.polygon_mesh for tile in navmesh.tiles]
    details = [tile.detail_mesh for tile in navmesh.tiles if tile.detail_mesh is not None]
    ours = {
        "pm_verts": np.concatenate([m.vertices for m in meshes]),
        "pm_polys": np.concatenate([np.concatenate([m.polygons, m.neighbors], 1) for m in meshes]),
        "pm_regs": np.concatenate([m.region for m in meshes]),
        "pm_areas_final": runtime_areas(np.concatenate([m.area for m in meshes])),
        "pm_tile_bounds": np.stack([bounds_of(m) for m in meshes]),
        "dm_meshes": np.concatenate([d.meshes for d in details]),
        "dm_verts": np.concatenate([d.vertices for d in details]),
        "dm_tris": np.concatenate([d.triangles for d in details]),
    }
    assert [name for name, array in ours.items() if not dumps.same_bytes(array, dump[name])] == []


def bounds_of(mesh: PolygonMesh) -> np.ndarray:
    return np.concatenate([mesh.grid.bounds_min, mesh.grid.bounds_max])
