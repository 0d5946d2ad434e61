"""Stage 3 against the C++ library: each filter, fed the library's areas, must return its next ones, to the byte."""

from __future__ import annotations

import pytest

from navcore.stages.filters import (
    filter_ledge_spans,
    filter_low_hanging_obstacles,
    filter_walkable_low_height_spans,
)
from navcore.threads import Workers
from tests import dumps


@pytest.mark.parametrize(("mesh", "variant"), dumps.variants())
def test_each_filter_gives_the_librarys_areas(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    settings, voxels = dump.settings(), dump.settings().in_voxels()
    raster, lowhang, ledge, lowheight = (
        dump.heightfield(f"hf_area_{step}") for step in ("raster", "lowhang", "ledge", "lowheight")
    )
    with Workers(2) as workers:
        ours = raster
        if settings.filter_low_hanging_obstacles:
            ours = filter_low_hanging_obstacles(raster, voxels.climb_vx, workers)
        assert dumps.same_bytes(ours.area, lowhang.area)

        ours = lowhang
        if settings.filter_ledge_spans:
            ours = filter_ledge_spans(lowhang, voxels.height_vx, voxels.climb_vx, workers)
        assert dumps.same_bytes(ours.area, ledge.area)

        ours = ledge
        if settings.filter_walkable_low_height_spans:
            ours = filter_walkable_low_height_spans(ledge, voxels.height_vx, workers)
        assert dumps.same_bytes(ours.area, lowheight.area)
