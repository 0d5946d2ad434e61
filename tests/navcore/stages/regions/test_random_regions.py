"""Regions of random layered fields against the twin."""

from __future__ import annotations

import random

import numpy as np
import pytest

from navcore.stages.regions import build_regions, overlapping_regions
from navcore.threads import Workers
from navcore.types import WALKABLE, DistanceField

from .distance_field_twin import distance_field_twin
from .layers_twin import LayersTwin
from .monotone_twin import MonotoneTwin
from .region_worlds import random_field
from .watershed_twin import WatershedTwin

CASES = 40  # fields for each of the seeds below, each cut by all three partitions


def case(rng):
    """A field, its distances (sometimes made up, so that levels are many or strange) and the sizes to merge by."""
    compact = random_field(
        rng,
        rng.randint(1, 18),
        rng.randint(1, 18),
        storeys=rng.choice([1, 1, 2, 3, 5]),
        gap=rng.choice([0, 0, 0.05, 0.2, 0.5]),
        areas=rng.choice([(WALKABLE,), (WALKABLE,), (WALKABLE, 1), (WALKABLE, 1, 2)]),
        unwalkable=rng.choice([0, 0, 0.02, 0.1, 0.3]),
    )
    distance = distance_field_twin(compact)
    if rng.random() < 0.3:
        most = rng.choice([2, 4, 9, 20, 40])
        made_up = [rng.randint(0, most) for _ in compact.area]
        distance = DistanceField(np.array(made_up, np.uint16), rng.choice([most, most - 2]))
    border = rng.choice([0, 0, 0, 1, 2, 3, 5])
    return compact, distance, border, rng.choice([0, 2, 5, 10, 30]), rng.choice([0, 3, 8, 20, 60, 400])


def regions_twin(compact, distance, partition, border, min_area, merge_area):
    """(region, count, overlapping), as build_regions should find them."""
    if partition == "layers":
        twin = LayersTwin(compact, border)
        return *twin.divide(min_area), twin.overlapping
    if partition == "monotone":
        twin = MonotoneTwin(compact, border)
        return *twin.divide(min_area, merge_area), twin.overlapping
    twin = WatershedTwin(compact, border)
    return *twin.divide(distance, min_area, merge_area), twin.overlapping


@pytest.mark.parametrize("seed", range(5))
def test_every_partition_finds_what_the_twin_finds(seed):
    rng = random.Random(seed)
    overlaps = 0
    with Workers(1) as workers:
        for number in range(CASES):
            compact, distance, *sizes = case(rng)
            for partition in ("watershed", "monotone", "layers"):
                region, count, overlapping = regions_twin(compact, distance, partition, *sizes)
                result = build_regions(compact, distance, partition, *sizes, workers)
                wrong = np.flatnonzero(result.region != region)
                assert len(wrong) == 0, f"field {number}, {partition}: spans {wrong}"
                assert result.count == count, f"field {number}, {partition}"
                if partition != "layers":  # where nobody looks for a single run above itself
                    assert overlapping_regions(compact, result) == overlapping
                    overlaps += len(overlapping)
    assert overlaps > 0
