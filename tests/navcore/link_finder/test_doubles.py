"""Links that say the same: found among their neighbors only, as if each were compared with all."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.link_finder.doubles import says_something, says_the_same, widths_of
from navcore.link_finder.rules import DROP
from navcore.link_finder.wide import CHAIN, COLUMNS, CORNERS, KIND
from navcore.types import F64


def links_within(metres: float, count: int, seed: int, jitter: float = 0.2) -> F64:
    """Links of two metres, along x and z, at random places; each place holds some that are nearly alike."""
    rng = np.random.default_rng(seed)
    links = np.zeros((count, COLUMNS))
    corners = np.array([[0, 0, 0], [2, 0, 0], [0, -1, 1.5], [2, -1, 1.5]])
    turned = np.where(rng.integers(0, 2, (count, 1, 1)), corners, corners[:, [2, 1, 0]])
    places = rng.uniform(0, metres, (count // 3 + 1, 1, 3))[rng.integers(0, count // 3 + 1, count)]
    wide = rng.uniform(0.3, 2.0, (count, 1, 1))
    links[:, CORNERS:CHAIN] = (turned * wide + places + rng.uniform(-jitter, jitter, (count, 4, 3))).reshape(-1, 12)
    links[:, KIND] = rng.integers(0, 3, count)
    return links


@pytest.mark.parametrize(("metres", "count"), [(5, 60), (12, 200), (40, 300), (3000, 300), (1, 1), (1, 0)])
def test_each_is_compared_with_all_that_are_near(metres: float, count: int) -> None:
    links, narrow = links_within(metres, count, count), 0.0
    widths = widths_of(links)
    corners, kinds = links[:, CORNERS:CHAIN].reshape(-1, 4, 3), links[:, KIND].astype(int)
    kept: list[int] = []
    for one in np.lexsort((np.arange(count), -np.round(widths, 6))).tolist():
        others = [other for other in kept if kinds[other] == kinds[one]]
        if not any(says_the_same(corners[one], corners[other], bool(kinds[one] != DROP)) for other in others):
            kept.append(one)
    assert np.flatnonzero(says_something(links, narrow)).tolist() == sorted(kept)
    assert count < 2 or len(kept) < count, "none was like another"


def test_a_narrow_one_beside_a_wider_one_says_nothing() -> None:
    links = np.zeros((2, COLUMNS))
    links[:, KIND] = DROP
    for row, half in enumerate((1.0, 0.3)):
        links[row, CORNERS:CHAIN] = [-half, 0, row * 0.7, half, 0, row * 0.7, -half, -1, 1.5, half, -1, 1.5]
    assert says_something(links, 0.5).tolist() == [True, True]
    assert says_something(links, 1.2).tolist() == [True, False]
