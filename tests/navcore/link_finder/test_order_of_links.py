"""The order in which links are kept: by tile, kind and place."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.link_finder.finished_links import in_order
from navcore.link_finder.wide import CHAIN, COLUMNS, CORNERS, KIND


@pytest.mark.parametrize("seed", range(30))
def test_rows_are_sorted_and_equal_ones_stay_in_order(seed: int) -> None:
    dice = np.random.default_rng(seed)
    count = int(dice.choice([0, 1, 2, 3, 8, 33, 200]))
    links = dice.integers(-2, 2, (count, COLUMNS)) / dice.choice([1, 64, 100])
    links[:, KIND] = dice.integers(0, 3, count)
    tiles = dice.integers(0, int(dice.choice([1, 3])), (count, 2))
    places = np.round(links[:, CORNERS:CHAIN] * 64)
    expected = np.lexsort([*places.T[::-1], links[:, KIND], tiles[:, 0], tiles[:, 1]])
    assert in_order(links, tiles).tolist() == expected.tolist()
