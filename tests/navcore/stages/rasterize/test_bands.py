"""How rows are dealt to threads."""

from __future__ import annotations

import numpy as np

from navcore.stages.rasterize import rasterize_level
from navcore.stages.rasterize.grid_frame import frame_of
from navcore.types import Geometry

from .raster_worlds import UNIT, F, grid_of, rolling_hills


def test_bands_cover_all_rows_and_follow_the_work():
    vertices, triangles = rolling_hills(200)
    crowded = np.concatenate([triangles] + [triangles[: len(triangles) // 4]] * 6)  # most work lies at low z
    soup = Geometry(vertices, crowded, np.zeros(len(crowded), np.uint8))
    frame = frame_of(grid_of(200, 200, vertices.min(0), vertices.max(0), 0.3, 0.2), 1)
    for count in (1, 2, 5):
        cut = rasterize_level.cut_rows(frame, soup, count)
        assert len(cut) == count
        assert [b for b, _ in cut] + [200] == [0] + [e for _, e in cut]
    (_, half), _ = rasterize_level.cut_rows(frame, soup, 2)
    assert 25 < half < 60


def test_a_small_scene_is_one_band():
    soup = Geometry(
        np.array([(0, 0, 0), (0, 0, 3), (3, 0, 0)], F), np.array([(0, 1, 2)], np.int32), np.zeros(1, np.uint8)
    )
    assert rasterize_level.cut_rows(frame_of(UNIT, 1), soup, 8) == [(0, 4)]
