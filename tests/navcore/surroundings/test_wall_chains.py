"""The order in which walls are put into chains."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.surroundings.walkable_ground import WallEdges
from navcore.surroundings.wall_chains import _in_order


@pytest.mark.parametrize("seed", range(40))
def test_walls_are_sorted_by_tile_and_by_where_they_start(seed: int) -> None:
    """Also where many start at one place, in one line, or all but one close together."""
    dice = np.random.default_rng(seed)
    count = int(dice.integers(0, 300))
    ends = dice.integers(-20, 20, (count, 2, 3)) * dice.choice([0.3, 1e-3, 7.0], 3)
    ends[:, :, dice.integers(3)] *= dice.choice([0.0, 1.0])
    if count and dice.random() < 0.3:
        ends[int(dice.integers(count))] = dice.choice([-1e6, 1e6])
    tile = dice.integers(0, int(dice.choice([1, 2, 9])), count).astype(np.int32)
    walls = WallEdges(ends, tile, tile, tile)
    expected = np.lexsort((ends[:, 0, 1], ends[:, 0, 0], ends[:, 0, 2], tile))
    assert _in_order(walls).tolist() == expected.tolist()
