from __future__ import annotations

import numpy as np
import pytest

from navcore.geometry.arrays import numbers_in_ranges


@pytest.mark.parametrize(
    ("first", "counts", "numbers"),
    [
        ([7, 0, 3], [2, 0, 3], [7, 8, 3, 4, 5]),
        ([4, 4], [2, 2], [4, 5, 4, 5]),  # shared
        ([9], [0], []),
        ([], [], []),
    ],
)
def test_the_numbers_of_each_range_stand_one_after_the_other(
    first: list[int], counts: list[int], numbers: list[int]
) -> None:
    found = numbers_in_ranges(np.array(first, np.int32), np.array(counts, np.int32))
    assert found.dtype == np.int64 and found.tolist() == numbers
