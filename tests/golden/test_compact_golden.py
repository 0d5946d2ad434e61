"""Stage 4 against the C++ library: fed the library's filtered spans, every array must equal its own, to the byte."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.stages.compact import build_compact_heightfield
from navcore.threads import Workers
from tests import dumps


@pytest.mark.parametrize(("mesh", "variant"), dumps.variants())
def test_open_spans_and_neighbors_are_the_librarys(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    voxels = dump.settings().in_voxels()
    with Workers(2) as workers:
        solid = dump.heightfield("hf_area_lowheight")
        ours = build_compact_heightfield(solid, voxels.height_vx, voxels.climb_vx, workers)
    theirs = dump.compact("chf_areas_build")
    for name in ("first", "floor", "clearance", "neighbors", "area"):
        assert dumps.same_bytes(getattr(ours, name), getattr(theirs, name)), name

    # Recast's own cells: the index of a column without any solid span is 0.
    assert np.array_equal(np.diff(ours.first), dump["chf_count"])
    index = np.where(np.diff(solid.first) > 0, ours.first[:-1], 0)
    assert np.array_equal(index, dump["chf_index"])
