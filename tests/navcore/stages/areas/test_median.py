"""Stage 5: the median filter."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.stages.areas import median_filter_walkable_area
from navcore.threads import Workers
from navcore.types import WALKABLE, CompactHeightfield

from ...geometry.compact_worlds import plain, random_field, step, with_area


@pytest.fixture
def workers():
    with Workers(1) as pool:
        yield pool


def test_median_removes_specks(workers):  # T-7.3
    compact = with_area(plain(5, 5), {12: 5, 11: 5, 7: 5, 0: 0})
    filtered = median_filter_walkable_area(compact, workers)
    assert filtered.area.tolist() == [0] + [WALKABLE] * 24
    assert compact.area[12] == 5


def median_twin(compact: CompactHeightfield) -> list[int]:
    result = []
    for span, own in enumerate(compact.area.tolist()):
        nine = [own] * 9
        for direction in range(4):
            for slot, path in ((2 * direction, (direction,)), (2 * direction + 1, (direction, (direction + 1) % 4))):
                other = step(compact, span, *path)
                if other >= 0 and compact.area[other]:
                    nine[slot] = int(compact.area[other])
        result.append(sorted(nine)[4] if own else 0)
    return result


@pytest.mark.parametrize("seed", range(40))
def test_median_is_as_specified(seed, workers):
    compact = random_field(seed)
    random = np.random.default_rng(seed)
    mixed = compact._replace(area=random.choice([0, 1, 2, 3, 60, WALKABLE], len(compact.area)).astype(np.uint8))
    for world in (compact, mixed):
        assert median_filter_walkable_area(world, workers).area.tolist() == median_twin(world)


def test_median_is_the_same_for_any_number_of_threads():
    areas = np.random.default_rng(0).choice([1, 2, 63], 500 * 500).astype(np.uint8)
    compact = plain(500, 500)._replace(area=areas)
    with Workers(1) as one, Workers(3) as three:
        results = [median_filter_walkable_area(compact, pool).area for pool in (one, three)]
    assert np.array_equal(*results)
