"""The arrays of a build under Recast's names: complete, and packed so that Recast's can be unpacked from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from navcore import NavMesh, Settings, build_navmesh, read_navmesh, write_navmesh
from navcore.__main__ import main
from navcore.detour.byte_layout import sections
from navcore.errors import BadInput, TooLarge
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


@pytest.mark.parametrize("detail_mesh", [True, False])
def test_runtime_data_of_one_piece_is_what_its_file_holds(detail_mesh: bool, tmp_path: Path) -> None:
    navmesh = built(0, detail_mesh=detail_mesh)
    arrays = dumped(navmesh)
    write_navmesh(navmesh, tmp_path / "level.bin")
    assert arrays["mset"].dtype == arrays["navdata"].dtype == np.uint8
    assert arrays["mset"].tobytes() == (tmp_path / "level.bin").read_bytes()
    [tile] = read_navmesh(arrays["mset"].tobytes()).tiles
    assert len(arrays["navdata"]) == len(tile.data) and read_navmesh(arrays["navdata"].tobytes()).kind == "DNAV"
    assert not sections(arrays["navdata"].copy()).links["target"].any(), "before linking"


def test_runtime_data_of_tiles_is_what_their_file_holds(tmp_path: Path) -> None:
    navmesh = built(16)
    arrays = dumped(navmesh)
    write_navmesh(navmesh, tmp_path / "level.bin")
    assert arrays["mset"].tobytes() == (tmp_path / "level.bin").read_bytes()
    assert (arrays["tiles_xy"].dtype, arrays["tiles_navsize"].dtype) == (np.int32, np.uint32)
    tiles = read_navmesh(arrays["mset"].tobytes()).tiles
    assert arrays["tiles_xy"].tolist() == [[tile.x, tile.y] for tile in tiles]
    assert arrays["tiles_navsize"].tolist() == [len(tile.data) for tile in tiles]
    ends = np.cumsum(arrays["tiles_navsize"])
    for tile, begin, end in zip(tiles, [0, *ends], ends, strict=False):
        blob = arrays["tiles_navdata"][begin:end]
        assert blob.tobytes() == arrays[f"t{tile.x}_{tile.y}/navdata"].tobytes()
        assert read_navmesh(blob.tobytes()).tiles[0].sections.polygons["flags"].any()


def test_a_build_that_kept_no_stages_has_nothing_to_dump() -> None:
    with pytest.raises(BadInput, match="keep_stages=True"):
        dumped(build_navmesh(*scenes.box(0, -1, 0, 7, 1, 7)))


@pytest.mark.parametrize("tile_size", ["0", "16"])
def test_the_command_dumps_what_was_built_before_pruning(tile_size: str, tmp_path: Path) -> None:
    closed = scenes.join([scenes.box(0, -1, 0, 12, 1, 12), scenes.box(4, 0, 4, 5, 3, 5)])
    np.savez(tmp_path / "level.npz", verts=closed[0], tris=closed[1])
    (tmp_path / "scene.json").write_text('{"seeds": [[1, 0, 1]]}')
    dumps = []
    for more in ([], ["--prune"]):
        words = ["--scene", tmp_path / "scene.json", "--tile-size", tile_size, "--dump-stages", tmp_path / "out.npz"]
        assert main(["build", str(tmp_path / "level.npz"), *map(str, words), *more]) == 0
        with np.load(tmp_path / "out.npz") as data:
            dumps.append({name: data[name].tobytes() for name in data})
    assert dumps[0] == dumps[1] and "mset" in dumps[0]


def test_what_runtime_data_has_no_room_for_is_dumped_without_it() -> None:
    floor = scenes.box(0, -1, 0, 7, 1, 7)
    arrays = dumped(build_navmesh(*floor, Settings(vertices_per_polygon=12), keep_stages=True))
    assert "pm_polys" in arrays and "navdata" not in arrays and "mset" not in arrays


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
