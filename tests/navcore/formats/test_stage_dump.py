"""The arrays of a build under Recast's names: complete, and packed so that Recast's can be unpacked from them."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.errors import TooLarge
from navcore.formats.stage_dump import dumped, packed_neighbors
from tests import scenes

from ..geometry.compact_worlds import STEPS, field

LAKE = {"shape": "box", "area": 1, "min": [0, -1, 0], "max": [2, 3, 5]}
SOLID = ("hf_count", "hf_smin", "hf_smax", "hf_area_raster", "hf_area_lowhang", "hf_area_ledge", "hf_area_lowheight")
OPEN = ("chf_index", "chf_count", "chf_y", "chf_h", "chf_con", "chf_areas_build", "chf_areas_erode", "chf_areas_marked")
LATER = ("chf_dist", "chf_maxDistance", "chf_reg", "chf_maxRegions", "cset_verts", "cset_nverts", "pm_verts", "dm_tris")


def built(tile_size: int, *, detail_mesh: bool = True) -> NavMesh:
    floor = scenes.join([scenes.box(0, -1, 0, 7, 1, 7), scenes.box(2, 0, 3, 1.5, 0.4, 1.5)])
    settings = Settings(tile_size=tile_size, detail_mesh=detail_mesh)
    return build_navmesh(*floor, settings, volumes=[LAKE], keep_stages=True)


def test_every_stage_is_there_and_of_one_build() -> None:
    navmesh = built(0)
    arrays = dumped(navmesh)
    assert {*SOLID, *OPEN, *LATER} <= arrays.keys()
    assert arrays["hf_count"].sum() == len(arrays["hf_smin"]) == navmesh.report.counts["spans"]
    assert arrays["chf_count"].sum() == len(arrays["chf_y"]) == navmesh.report.counts["open_spans"]
    assert arrays["cset_nverts"].sum() == len(arrays["cset_verts"])
    assert set(arrays["pm_areas"]) == {1, 63} and set(arrays["pm_areas_final"]) == {0, 1}
    polygons = navmesh.polygon_mesh
    assert arrays["pm_polys"].tolist() == np.hstack([polygons.polygons, polygons.neighbors]).tolist()
    assert arrays["dm_meshes"][:, 3].sum() == len(arrays["dm_tris"])
    assert "dm_tris" not in dumped(built(0, detail_mesh=False))


def test_the_meshes_of_tiles_come_one_after_the_other_and_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    navmesh = built(16)
    arrays = dumped(navmesh)
    assert arrays["pm_tiles_xy"].tolist() == [[tile.x, tile.y] for tile in navmesh.tiles] and len(navmesh.tiles) > 1
    ends = np.cumsum(arrays["pm_tiles_counts"], axis=0)
    for number, tile in enumerate(navmesh.tiles):
        begin, end = ends[number] - arrays["pm_tiles_counts"][number], ends[number]
        assert (arrays["pm_verts"][begin[0] : end[0]] == tile.polygon_mesh.vertices).all()
        assert (arrays["pm_polys"][begin[1] : end[1], :6] == tile.polygon_mesh.polygons).all()
        assert (arrays["dm_verts"][begin[3] : end[3]] == tile.detail_mesh.vertices).all()
        assert (arrays[f"t{tile.x}_{tile.y}/pm_verts"] == tile.polygon_mesh.vertices).all()
    assert (arrays["merged_pm_verts"] == navmesh.polygon_mesh.vertices).all()
    assert len(arrays["merged_dm_tris"]) == len(navmesh.detail_mesh.triangles)

    def too_large(*_: object) -> None:
        raise TooLarge("More vertices than one mesh can hold.")

    monkeypatch.setattr("navcore.result.navmesh.merge_polygon_meshes", too_large)
    assert not any(name.startswith("merged_") for name in dumped(built(16)))


def test_layers_are_packed_in_six_bits_a_direction() -> None:
    """The 63rd layer of a column can't be named: it is as if it were not connected."""
    columns = [[[(20 * layer, 15, 63) for layer in range(65)] for _ in range(2)] for _ in range(2)]
    compact = field(columns)
    con = packed_neighbors(compact)
    for column in range(4):
        for layer in range(65):
            for direction, (dx, dz) in enumerate(STEPS):
                connected = 0 <= column % 2 + dx < 2 and 0 <= column // 2 + dz < 2
                found = int(con[compact.first[column] + layer]) >> 6 * direction & 63
                assert found == (layer if connected and layer < 63 else 63)
