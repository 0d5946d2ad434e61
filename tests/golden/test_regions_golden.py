"""Regions against the library's own, fed with the stages that it had before them."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.stages.regions import build_regions
from navcore.threads import Workers
from navcore.types import CompactHeightfield, DistanceField
from tests import dumps

PADDING = 3  # columns of a tile's border beyond the agent's radius


@pytest.mark.parametrize(("mesh", "variant"), dumps.variants())
def test_regions_are_recasts(mesh, variant):
    dump = dumps.Dump(mesh, variant)
    settings = dump.settings()
    voxels = settings.in_voxels()
    distance = dump.distance() if settings.partition == "watershed" else None
    sizes = voxels.region_min_area_vx, voxels.region_merge_area_vx
    with Workers(2) as workers:
        found = build_regions(dump.compact(), distance, settings.partition, 0, *sizes, workers)
    assert dumps.same_bytes(found.region, dump["chf_reg"])
    assert found.count == int(dump["chf_maxRegions"])


def _tiles():
    """(mesh, variant, tile) wherever the stages of single tiles were kept."""
    names = ((m, v, dumps.Dump(m, v).names()) for m, v in dumps.variants("tiled"))
    return [(m, v, n.split("/")[0]) for m, v, all_ in names for n in all_ if n.endswith("/chf_reg")]


@pytest.mark.parametrize(("mesh", "variant", "tile"), _tiles())
def test_regions_of_a_tile_with_its_border_are_recasts(mesh, variant, tile):
    dump = dumps.Dump(mesh, variant)
    settings = dump.settings()
    voxels = settings.in_voxels()
    border = voxels.radius_vx + PADDING
    size = settings.tile_size + 2 * border
    counts = dump[f"{tile}/chf_count"]
    assert len(counts) == size * size
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    areas = [f"{tile}/chf_areas_{n}" for n in ("marked", "median", "erode")]
    compact = CompactHeightfield(
        size, size, first, dump[f"{tile}/chf_y"], dump[f"{tile}/chf_h"],
        dumps.unpacked_neighbors(size, first, dump[f"{tile}/chf_con"]),
        next(dump[name] for name in areas if name in dump),
    )  # fmt: skip
    distance = DistanceField(dump[f"{tile}/chf_dist"], int(dump[f"{tile}/chf_maxDistance"]))
    sizes = voxels.region_min_area_vx, voxels.region_merge_area_vx
    found = build_regions(compact, distance, settings.partition, border, *sizes, Workers(1))
    assert dumps.same_bytes(found.region, dump[f"{tile}/chf_reg"])
    assert found.count == int(dump[f"{tile}/chf_maxRegions"])
