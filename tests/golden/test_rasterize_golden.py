"""Stages 1 and 2 against the C++ library, array for array."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.stages.rasterize import rasterize_triangles
from navcore.stages.walkable import clear_unwalkable_triangles, mark_walkable_triangles
from navcore.threads import Workers

from ..dumps import Dump, same_bytes, variants


@pytest.mark.parametrize(("mesh", "variant"), variants())
def test_walkable_triangles_are_the_library_s(mesh, variant):
    dump = Dump(mesh, variant)
    vertices, triangles, areas = dump.geometry()
    slope = dump.settings().agent_max_slope
    if areas is None:
        got = mark_walkable_triangles(vertices, triangles, slope)
    else:
        got = clear_unwalkable_triangles(vertices, triangles, areas, slope)
    assert same_bytes(got, dump["tri_areas"])


@pytest.mark.parametrize(("mesh", "variant"), variants())
def test_spans_are_the_library_s(mesh, variant):
    dump = Dump(mesh, variant)
    vertices, triangles, _ = dump.geometry()
    want = dump.heightfield("hf_area_raster")
    climb = dump.settings().in_voxels().climb_vx
    for threads in (1, 2):
        with Workers(threads) as workers:
            got = rasterize_triangles(dump.grid(), vertices, triangles, dump["tri_areas"], climb, workers)
        for name in ("first", "bottom", "top", "area"):
            assert same_bytes(getattr(got, name), getattr(want, name)), (name, threads)
        assert np.all(np.diff(got.first) == dump["hf_count"])
