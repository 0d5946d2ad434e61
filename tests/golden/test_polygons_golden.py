"""Stage 9 against the C++ library: fed the library's own contours, every array must equal its own, to the byte."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from navcore.stages.polygons import build_polygon_mesh, merge_polygon_meshes
from navcore.threads import Workers
from navcore.types import Contours, Grid, PolygonMesh
from tests import dumps


def _assert_same(ours: PolygonMesh, theirs: PolygonMesh) -> None:
    for name in ("vertices", "polygons", "neighbors", "region", "area"):
        assert dumps.same_bytes(getattr(ours, name), getattr(theirs, name)), name
    for name in ("bounds_min", "bounds_max"):
        assert dumps.same_bytes(getattr(ours.grid, name), getattr(theirs.grid, name)), name
    assert ours.capacity == theirs.capacity


def _halves(polys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    half = polys.shape[1] // 2
    return np.ascontiguousarray(polys[:, :half]), np.ascontiguousarray(polys[:, half:])


@pytest.mark.parametrize(("mesh", "variant"), dumps.variants())
def test_every_polygon_is_the_librarys(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    theirs = dump.polygon_mesh()
    with Workers(2) as workers:
        ours = build_polygon_mesh(
            dump.compact_grid(), dump.contours(), theirs.polygons.shape[1], theirs.max_edge_error, workers
        )
    _assert_same(ours, theirs)


def _tiles(dump: dumps.Dump) -> Iterator[tuple[Grid, Contours, PolygonMesh]]:
    config = dump.row["info"]["rcConfig"]
    cs, ch = np.float32(config["cs"]), np.float32(config["ch"])
    for tile in sorted({name.partition("/")[0] for name in dump.names() if name.endswith("/pm_verts")}):
        stage = {name.partition("/")[2]: dump[name] for name in dump.names() if name.startswith(f"{tile}/")}
        low, high = stage["chf_bounds"].astype(np.float32)
        grid = Grid(config["width"], config["height"], config["borderSize"], low, high, cs, ch)
        contours = Contours(
            dumps._offsets(stage["cset_nverts"]), stage["cset_verts"], dumps._offsets(stage["cset_nrverts"]),
            stage["cset_rverts"], stage["cset_reg"], stage["cset_area"],
        )  # fmt: skip
        low, high = stage["pm_bounds"].astype(np.float32)
        mesh = PolygonMesh(
            stage["pm_verts"], *_halves(stage["pm_polys"]), stage["pm_regs"], stage["pm_areas"],
            int(stage["pm_maxpolys"]), np.float32(config["maxSimplificationError"]),
            grid._replace(bounds_min=low, bounds_max=high),
        )  # fmt: skip
        yield grid, contours, mesh


@pytest.mark.parametrize(("mesh", "variant"), [v for v in dumps.variants("tiled") if v[1].endswith("_stages")])
def test_every_polygon_of_every_tile_is_the_librarys(mesh: str, variant: str) -> None:
    portals = 0
    with Workers(1) as workers:
        for grid, contours, theirs in _tiles(dumps.Dump(mesh, variant)):
            ours = build_polygon_mesh(grid, contours, theirs.polygons.shape[1], theirs.max_edge_error, workers)
            _assert_same(ours, theirs)
            portals += int(((ours.neighbors & 0x8000) != 0).sum() - (ours.neighbors == 0xFFFF).sum())
    assert portals > 50


@pytest.mark.parametrize(("mesh", "variant"), [v for v in dumps.variants("tiled") if v[1].endswith("_merged")])
def test_merged_tiles_are_the_librarys(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    config = dump.row["info"]["rcConfig"]
    cs, ch = np.float32(config["cs"]), np.float32(config["ch"])
    first = np.concatenate([[[0, 0]], np.cumsum(dump["pm_tiles_counts"][:, :2], axis=0)])
    polygons, neighbors = _halves(dump["pm_polys"])
    # The dump holds Detour's areas; how those came about is no concern of merging.
    area = dump["pm_areas_final"]
    meshes = []
    for tile, bounds in enumerate(dump["pm_tile_bounds"].astype(np.float32)):
        vertices, rows = (slice(*first[tile : tile + 2, column]) for column in range(2))
        grid = Grid(config["tileSize"], config["tileSize"], config["borderSize"], bounds[:3], bounds[3:], cs, ch)
        meshes.append(
            PolygonMesh(
                dump["pm_verts"][vertices], polygons[rows], neighbors[rows], dump["pm_regs"][rows], area[rows], 0,
                np.float32(config["maxSimplificationError"]), grid,
            )
        )  # fmt: skip
    low, high = dump["merged_pm_bounds"].astype(np.float32)
    theirs = PolygonMesh(
        dump["merged_pm_verts"], *_halves(dump["merged_pm_polys"]), dump["merged_pm_regs"], dump["merged_pm_areas"], 0,
        np.float32(0), meshes[0].grid._replace(bounds_min=low, bounds_max=high),
    )  # fmt: skip
    ours = merge_polygon_meshes(meshes)
    _assert_same(ours, theirs)
    assert ours.max_edge_error == 0
    assert ours.grid.border == 0
