"""Erosion, median and volumes against every stage dump at hand."""

from __future__ import annotations

import pytest

from navcore.scene import load_scene
from navcore.stages.areas import erode_walkable_area, mark_volumes, median_filter_walkable_area
from navcore.threads import Workers

from .. import dumps


@pytest.mark.parametrize(("mesh", "variant"), dumps.variants())
@pytest.mark.parametrize("threads", [1, 2])
def test_areas_after_each_step(mesh: str, variant: str, threads: int) -> None:
    dump = dumps.Dump(mesh, variant)
    scene = load_scene(dump.scene())
    with Workers(threads) as workers:
        compact = dump.compact("chf_areas_build")
        compact = erode_walkable_area(compact, dump.settings().in_voxels().radius_vx, workers)
        assert dumps.same_bytes(compact.area, dump["chf_areas_erode"])
        if dump.settings().median_filter:
            compact = median_filter_walkable_area(compact, workers)
            assert dumps.same_bytes(compact.area, dump["chf_areas_median"])
        marked = mark_volumes(dump.compact_grid(), compact, scene.volumes, workers)
        expected = "chf_areas_marked" if "chf_areas_marked" in dump else None
        assert dumps.same_bytes(marked.area, dump[expected] if expected else compact.area)
        assert bool(expected) == bool(scene.volumes)
