"""Regions that no sound outline goes around are cut anew."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.errors import TooLarge
from navcore.stages.regions.region_facts import LAST_ID
from navcore.stages.regions.split_for_repair import LAYERS, ROWS, RUNS, split_regions
from navcore.threads import Workers
from navcore.types import BORDER_REGION, Regions

from .region_worlds import RING, drawn, flat, rows


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (LAYERS, "33333/3...3/3.2.3/3...3/33333"),
        (ROWS, "33333/4...5/4.2.5/4...5/66666"),
    ],
)
def test_a_ring_is_cut_anew_and_the_cell_in_it_stays(way, expected):
    ring = drawn(RING)
    region = np.ones(len(ring.floor), np.uint16)
    region[8] = 2
    result = split_regions(ring, Regions(region, 2), np.array([False, True, False]), way, Workers(1))
    assert rows(ring, result) == expected and result.count >= result.region.max()


def test_runs_are_never_joined_across_rows_nor_across_areas():
    strip = drawn("####/##5#/.##.")
    result = split_regions(strip, Regions(np.ones(10, np.uint16), 1), np.array([False, True]), RUNS, Workers(1))
    assert rows(strip, result) == "2222/3345/.66." and result.count == 6


def test_what_no_region_has_is_not_cut_and_borders_stay():
    strip = flat(6, 1)
    region = np.array([BORDER_REGION | 1, 1, 1, 0, 2, BORDER_REGION | 2], np.uint16)
    result = split_regions(strip, Regions(region, 2), np.array([False, True, True]), RUNS, Workers(1))
    assert result.region.tolist() == [BORDER_REGION | 1, 3, 3, 0, 4, BORDER_REGION | 2] and result.count == 4


def test_more_cuts_than_ids_are_refused():
    with pytest.raises(TooLarge, match=f"Mending broken regions would make {LAST_ID + 1:,} of them"):
        split_regions(flat(2, 1), Regions(np.ones(2, np.uint16), LAST_ID), np.ones(2, bool), RUNS, Workers(1))
