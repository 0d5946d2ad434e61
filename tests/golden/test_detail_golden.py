"""Stage 10 against the C++ library: fed the library's own polygons, every vertex and triangle must equal its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from navcore.build_warning import BuildWarning
from navcore.stages.detail import build_detail_mesh, merge_detail_meshes
from navcore.threads import Workers
from navcore.types import CompactHeightfield, DetailMesh, Grid, PolygonMesh, Regions
from tests import dumps

LOG_LIMIT = 40  # lines that a dump keeps


def _assert_same(ours: DetailMesh, theirs: DetailMesh) -> None:
    for name in theirs._fields:
        assert dumps.same_bytes(getattr(ours, name), getattr(theirs, name)), name


def _with_detail(mode: str, ending: str = "") -> list[tuple[str, str]]:
    return [v for v in dumps.variants(mode) if v[1].endswith(ending) and not v[1].startswith("nodetail")]


@pytest.mark.parametrize(("mesh", "variant"), _with_detail("solo"))
def test_every_detail_mesh_is_the_librarys(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    voxels = dump.settings().in_voxels()
    notes: list[BuildWarning] = []
    with Workers(2) as workers:
        ours = build_detail_mesh(
            dump.polygon_mesh(), dump.compact(), dump.regions(), voxels.detail_sample_distance,
            voxels.detail_sample_max_error, workers, notes,
        )  # fmt: skip
    _assert_same(ours, dump.detail_mesh())
    logged = [line for line in dump.row["info"]["log"] if "dangling" in line]
    said = [
        int(note.message.partition(": ")[2].split()[0].strip(".").replace(",", ""))
        for note in notes
        if "Dangling" in note.message
    ]
    assert said == [len(logged)] if 0 < len(logged) < LOG_LIMIT else bool(said) == bool(logged)


def _tiles(dump: dumps.Dump) -> Iterator[tuple[PolygonMesh, CompactHeightfield, Regions, DetailMesh]]:
    config = dump.row["info"]["rcConfig"]
    cs, ch, error = (np.float32(config[key]) for key in ("cs", "ch", "maxSimplificationError"))
    border, width, depth = config["borderSize"], config["width"], config["height"]
    for tile in sorted({name.partition("/")[0] for name in dump.names() if name.endswith("/dm_meshes")}):
        stage = {name.partition("/")[2]: dump[name] for name in dump.names() if name.startswith(f"{tile}/")}
        first = dumps._offsets(stage["chf_count"])
        neighbors = dumps.unpacked_neighbors(width, first, stage["chf_con"])
        compact = CompactHeightfield(
            width, depth, first, stage["chf_y"], stage["chf_h"], neighbors, stage["chf_areas_erode"]
        )
        low, high = stage["pm_bounds"].astype(np.float32)
        polys = stage["pm_polys"]
        half = polys.shape[1] // 2
        mesh = PolygonMesh(
            stage["pm_verts"], np.ascontiguousarray(polys[:, :half]), np.ascontiguousarray(polys[:, half:]),
            stage["pm_regs"], stage["pm_areas"], int(stage["pm_maxpolys"]), error,
            Grid(width - 2 * border, depth - 2 * border, border, low, high, cs, ch),
        )  # fmt: skip
        theirs = DetailMesh(stage["dm_meshes"], stage["dm_verts"], stage["dm_tris"])
        yield mesh, compact, Regions(stage["chf_reg"], int(stage["chf_maxRegions"])), theirs


@pytest.mark.parametrize(("mesh", "variant"), _with_detail("tiled", "_stages"))
def test_every_detail_mesh_of_every_tile_is_the_librarys(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    voxels = dump.settings().in_voxels()
    walked = 0
    with Workers(1) as workers:
        for polygons, compact, regions, theirs in _tiles(dump):
            ours = build_detail_mesh(
                polygons, compact, regions, voxels.detail_sample_distance, voxels.detail_sample_max_error, workers
            )
            _assert_same(ours, theirs)
            walked += int((polygons.region == 0).sum())
    assert walked > 0


@pytest.mark.parametrize(("mesh", "variant"), _with_detail("tiled", "_merged"))
def test_merged_tiles_are_the_librarys(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    first = np.concatenate([[[0, 0, 0]], np.cumsum(dump["pm_tiles_counts"][:, 2:], axis=0)])
    parts = []
    for tile in range(len(first) - 1):
        meshes, vertices, triangles = (slice(*first[tile : tile + 2, column]) for column in range(3))
        parts.append(DetailMesh(dump["dm_meshes"][meshes], dump["dm_verts"][vertices], dump["dm_tris"][triangles]))
    theirs = DetailMesh(*(dump[f"merged_dm_{name}"] for name in ("meshes", "verts", "tris")))
    _assert_same(merge_detail_meshes(parts), theirs)
