"""Columns of solid spans: how spans that touch merge, against worked examples and the twin."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from navcore.stages.rasterize import spans

from . import rasterize_twin as twin
from .raster_worlds import GO_ON

uncached = numba.njit(error_model="numpy")  # a cached kernel would not notice changes in navcore, only in this file


def inserted_into_one_column(records, threshold):
    columns = spans.empty_columns(1, len(records), GO_ON)
    for bottom, top, area in records:
        insert(columns.cells, columns.pool, bottom, top, area, threshold)
    count = int(columns.pool[spans.LIVE])
    first, bottom = np.zeros(1, np.int32), np.empty(count, np.uint16)
    top, area = np.empty(count, np.uint16), np.empty(count, np.uint8)
    spans.lay_out(columns.cells, GO_ON, first, bottom, top, area)
    return list(zip(bottom.tolist(), top.tolist(), area.tolist(), strict=True))


@uncached
def insert(cells, pool, bottom, top, area, threshold):
    spans.insert_span(cells, pool, 0, bottom, top, area, threshold)


@pytest.mark.parametrize(
    ("inserted", "want"),
    [
        ([(0, 4, 63), (4, 5, 0)], [(0, 5, 63)]),
        ([(0, 4, 63), (4, 6, 0)], [(0, 6, 0)]),
        ([(4, 6, 0), (0, 4, 63)], [(0, 6, 63)]),
        ([(0, 4, 63), (5, 6, 0)], [(0, 4, 63), (5, 6, 0)]),
        ([(0, 2, 1), (6, 8, 2), (2, 6, 3)], [(0, 8, 3)]),
        ([(0, 2, 5), (6, 8, 7), (1, 9, 3)], [(0, 9, 7)]),
    ],
)
def test_spans_that_touch_merge_and_their_areas_depend_on_order(inserted, want):
    assert inserted_into_one_column(inserted, 1) == want


def test_columns_equal_the_twin_for_random_records():
    rng = np.random.default_rng(4)
    for _ in range(400):
        count, highest = rng.integers(1, 60), rng.choice([6, 30, 400, 8191])
        bottom = rng.integers(0, highest, count)
        top = np.minimum(bottom + rng.integers(1, rng.choice([2, 5, 40]) + 1, count), 8191)
        area = rng.choice([0, 1, 63], count) if rng.random() < 0.5 else rng.integers(0, 64, count)
        threshold = int(rng.integers(0, 6))
        records = np.stack([np.zeros(count), bottom, top, area], 1).astype(np.int32)
        _, *want = twin.replay(1, records, threshold)
        got = inserted_into_one_column(records[:, 1:].tolist(), threshold)
        assert got == list(zip(*(array.tolist() for array in want), strict=True))


def test_cells_given_back_are_used_again():
    columns = spans.empty_columns(1, 3, GO_ON)
    for _ in range(50):
        for bottom in (0, 2, 4, 6):
            insert(columns.cells, columns.pool, bottom, bottom + 1, 1, 0)
        insert(columns.cells, columns.pool, 0, 8, 1, 0)
        assert columns.pool[spans.LIVE] == 1
        columns.cells[0] = 0
        columns.pool[spans.LIVE] = 0
    assert columns.pool[spans.USED] == 4
