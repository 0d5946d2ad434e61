"""Distances to segments, by hand, and in the precision of the arguments."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.geometry.segments import part_along, squared_distance


@pytest.mark.parametrize("float_", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("point", "expected"),
    [((2, 3), 9), ((-3, 4), 25), ((7, -4), 25), ((0, 0), 0), ((3, 0), 0)],
    ids=["beside", "before", "behind", "start", "inside"],
)
def test_a_point_is_as_far_as_from_the_nearest_point_of_the_segment(
    point: tuple[float, float], expected: float, float_: type
) -> None:
    x, z, ax, az, bx, bz = (float_(value) for value in (*point, 0, 0, 4, 0))
    assert squared_distance(x, z, ax, az, bx, bz) == expected
    assert squared_distance(x, z, bx, bz, ax, az) == expected


def test_a_segment_without_length_is_a_point() -> None:
    assert squared_distance(*(np.float32(value) for value in (4, 6, 1, 2, 1, 2))) == 25


def test_every_step_is_rounded_to_the_precision_of_the_arguments() -> None:
    values = 0.1, 0.7, 0.3, 0.2, 1.9, 1.1
    single = squared_distance(*(np.float32(value) for value in values))
    double = squared_distance(*(np.float64(value) for value in values))
    u, v, dx, dz = 1.6, 0.9, -0.2, 0.5
    along = (u * dx + v * dz) / (u * u + v * v)
    assert double == pytest.approx((0.3 + along * u - 0.1) ** 2 + (0.2 + along * v - 0.7) ** 2, rel=1e-12)
    assert single == pytest.approx(double, rel=1e-5)
    assert float(single) != double


@pytest.mark.parametrize(("product", "part"), [(-1, 0), (0, 0), (1, 0.25), (4, 1), (9, 1)])
def test_the_part_stays_on_the_segment(product: float, part: float) -> None:
    assert part_along(np.float32(product), np.float32(4)) == part
