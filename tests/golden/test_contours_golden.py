"""Stage 8 against the C++ library: fed the library's own regions, every array must equal its own, to the byte."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from navcore.stages.contours import build_contours, splitting_of
from navcore.threads import Workers
from navcore.types import CompactHeightfield, Contours, Grid, Regions
from tests import dumps


def _ours(dump: dumps.Dump, grid: Grid, compact: CompactHeightfield, regions: Regions, threads: int) -> Contours:
    config, settings = dump.row["info"]["rcConfig"], dump.settings()
    error, length = np.float32(config["maxSimplificationError"]), int(config["maxEdgeLen"])
    walls, areas = settings.tessellate_wall_edges, settings.tessellate_area_edges
    with Workers(threads) as workers:
        return build_contours(grid, compact, regions, error, splitting_of(length, walls, areas), workers)


def _assert_same(ours: Contours, theirs: Contours) -> None:
    for name in theirs._fields:
        assert dumps.same_bytes(getattr(ours, name), getattr(theirs, name)), name


@pytest.mark.parametrize(("mesh", "variant"), dumps.variants())
def test_every_contour_is_the_librarys(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    ours = _ours(dump, dump.compact_grid(), dump.compact(), dump.regions(), threads=2)
    _assert_same(ours, dump.contours())


@pytest.mark.parametrize(("mesh", "variant"), [v for v in dumps.variants("tiled") if v[1].endswith("_stages")])
def test_every_contour_of_every_tile_is_the_librarys(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    tiles = sorted({name.partition("/")[0] for name in dump.names() if name.endswith("/cset_verts")})
    assert tiles
    for tile in tiles:
        arrays = {name.partition("/")[2]: dump[name] for name in dump.names() if name.startswith(f"{tile}/")}
        grid = _tile_grid(dump, arrays)
        areas = [
            n for n in ("chf_areas_build", "chf_areas_erode", "chf_areas_median", "chf_areas_marked") if n in arrays
        ]
        first = dumps._offsets(arrays["chf_count"])
        neighbors = dumps.unpacked_neighbors(grid.width, first, arrays["chf_con"])
        compact = CompactHeightfield(
            grid.width, grid.depth, first, arrays["chf_y"], arrays["chf_h"], neighbors, arrays[areas[-1]]
        )
        regions = Regions(arrays["chf_reg"], int(arrays["chf_maxRegions"]))
        theirs = Contours(
            dumps._offsets(arrays["cset_nverts"]), arrays["cset_verts"], dumps._offsets(arrays["cset_nrverts"]),
            arrays["cset_rverts"], arrays["cset_reg"], arrays["cset_area"],
        )  # fmt: skip
        _assert_same(_ours(dump, grid, compact, regions, threads=1), theirs)


def _tile_grid(dump: dumps.Dump, arrays: Mapping[str, np.ndarray]) -> Grid:
    config = dump.row["info"]["rcConfig"]
    low, high = arrays["chf_bounds"].astype(np.float32)
    cs, ch = np.float32(config["cs"]), np.float32(config["ch"])
    return Grid(config["width"], config["height"], config["borderSize"], low, high, cs, ch)
