"""The integer predicates against the specification's formulas, degenerate cases included."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from navcore.geometry import predicates
from tests.navcore.stages.contours import contours_twin as twin

GRID = list(itertools.product(range(3), range(3)))


def _quadruples():
    """All of four points on a 3 × 3 grid (with doubles), and random ones on larger grids."""
    yield from itertools.product(GRID, repeat=4)
    rng = np.random.default_rng(1)
    for size in (4, 7, 20):
        for a, b, c, d in rng.integers(-size, size, (4000, 4, 2)).tolist():
            yield tuple(a), tuple(b), tuple(c), tuple(d)


def test_segments_cross_and_meet_by_the_formulas() -> None:
    for a, b, c, d in _quadruples():
        assert predicates.crosses(*a, *b, *c, *d) == twin.proper(a, b, c, d), (a, b, c, d)
        assert predicates.meets(*a, *b, *c, *d) == twin.meets(a, b, c, d), (a, b, c, d)


def test_cones_are_open_and_loose_cones_are_closed_at_convex_corners() -> None:
    for a, b, c, d in _quadruples():
        assert predicates.in_cone(*a, *b, *c, *d) == twin.in_cone(a, b, c, d), (a, b, c, d)
        assert predicates.in_loose_cone(*a, *b, *c, *d) == twin.in_cone(a, b, c, d, strict=False), (a, b, c, d)
    assert not predicates.in_cone(0, 4, 0, 0, 4, 0, 2, 0)  # along an edge
    assert predicates.in_loose_cone(0, 4, 0, 0, 4, 0, 2, 0) == twin.in_cone(
        (0, 4), (0, 0), (4, 0), (2, 0), strict=False
    )


@pytest.mark.parametrize("c", GRID)
def test_sides_of_a_line(c: tuple[int, int]) -> None:
    area = twin.area2((0, 0), (2, 1), c)
    assert predicates.area2(0, 0, 2, 1, *c) == area
    assert predicates.left(0, 0, 2, 1, *c) == (area < 0)
    assert predicates.left_on(0, 0, 2, 1, *c) == (area <= 0)
    assert predicates.between(0, 0, 2, 1, *c) == (c in ((0, 0), (2, 1)))


def test_a_segment_without_length_meets_whatever_touches_its_z() -> None:
    """Recast compares z alone when both ends have one x; far away in x that is wrong, and kept."""
    assert predicates.meets(0, 0, 5, 0, 99, 0, 99, 0)
    assert not predicates.meets(0, 0, 5, 0, 99, 1, 99, 1)


def test_large_int32_coordinates_do_not_overflow() -> None:
    far = np.array([0, 0, 60000, 0, 0, 60000], np.int32)
    assert predicates.area2(*far) == 3_600_000_000
