"""Which gaps cut ground off, and how much."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavQuery, build_uneroded
from tests.navcore.clearance.levels import pillars, two_rooms


def test_of_two_doors_the_wider_one_closes() -> None:
    """While one door is open nothing is cut off; so the narrower one is not named."""
    query = NavQuery(build_uneroded(*two_rooms([(3.1, 1.4), (8.0, 2.6)])))
    closing = query.chokepoints(10.0)
    assert closing.clearances[0] == pytest.approx(1.2, abs=0.01)
    assert (closing.clearances[1:] > 5).all(), "these cut rooms in halves"
    assert closing.points[0] == pytest.approx([12.45, 0.2, 9.3], abs=0.5)
    assert closing.square_metres[0] == pytest.approx(12 * 12, rel=0.1)
    assert query.is_link(closing.references).sum() == 0


@pytest.mark.parametrize("seed", [1, 2])
def test_who_is_wider_than_a_chokepoint_gets_nowhere_and_others_do(seed: int) -> None:
    """Every way that a gap limits is limited by one of those that are named, and narrowest come first."""
    query = NavQuery(build_uneroded(*pillars(seed, count=25)))
    closing = query.chokepoints(0.0)
    assert (np.diff(closing.clearances) >= 0).all() and len(closing.clearances) > 5
    places = query.random_points(400).points
    ways = query.narrowest(places[:200], places[200:])
    gaps = ways.gaps[(ways.status == 0) & np.isfinite(ways.gaps)]
    nearest = np.abs(gaps[:, None] - closing.clearances).min(axis=1)
    assert len(gaps) > 40 and nearest.max() < 1e-5
