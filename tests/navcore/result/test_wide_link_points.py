"""The points of wide links: shared evenly, never beyond the link, one at least."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.result.wide_link_records import MAX_POINTS, MIN_RADIUS, wide_link_points, width_of
from navcore.scene import Link
from navcore.wide_links import Point

Corners = tuple[Point, Point, Point, Point]


def jump(width: float) -> Corners:
    """Across a gap of two metres, up by one, towards +x; left is −z."""
    return (0.0, 0.0, 0.0), (0.0, 0.0, width), (2.0, 1.0, 0.0), (2.0, 1.0, width)


def points_of(corners: Corners, spacing: float) -> tuple[Link, ...]:
    return wide_link_points(corners, spacing, bidirectional=True, area=6, flags=16, number=77)


@pytest.mark.parametrize(
    ("width", "spacing", "count"),
    [
        (0.5, 2, 1),
        (1.99, 2, 1),
        (2, 2, 1),
        (3.99, 2, 1),
        (4, 2, 2),
        (10, 2, 5),
        (10, 3, 3),
        (10, 100, 1),
        (0.9, 0.3, 3),
    ],
)
def test_one_point_for_each_spacing_and_one_at_least(width: float, spacing: float, count: int) -> None:
    assert len(points_of(jump(width), spacing)) == count


def test_points_share_the_width_evenly() -> None:
    points = points_of(jump(6.0), 2.0)
    assert [point.start for point in points] == [(0, 0, 1), (0, 0, 3), (0, 0, 5)]
    assert [point.end for point in points] == [(2, 1, 1), (2, 1, 3), (2, 1, 5)]
    assert {point.radius for point in points} == {1.0}
    assert all((p.bidirectional, p.area, p.flags, p.id, p.name) == (True, 6, 16, 77, "") for p in points)


@pytest.mark.parametrize("width", [0.3, 2.0, 7.3, 40.0])
@pytest.mark.parametrize("spacing", [0.1, 2.0, 9.0])
def test_radii_cover_the_link_and_nothing_beside_it(width: float, spacing: float) -> None:
    points = points_of(jump(width), spacing)
    reach = [(point.start[2] - point.radius, point.start[2] + point.radius) for point in points]
    assert reach[0][0] == pytest.approx(0, abs=1e-5) and reach[-1][1] == pytest.approx(width)
    assert [high for _, high in reach[:-1]] == pytest.approx([low for low, _ in reach[1:]], abs=1e-5)


def test_the_narrower_end_says_how_wide_a_link_is() -> None:
    """Seen from above: on stairs neighboring points are no nearer to each other for agents."""
    fan: Corners = (0.0, 0.0, 0.0), (0.0, 3.0, 4.0), (2.0, 0.0, -3.0), (2.0, 0.0, 9.0)
    assert width_of(fan) == 4.0 and width_of((*fan[2:], *fan[:2])) == 4.0
    points = points_of(fan, 2.0)
    assert [point.start for point in points] == [(0, 0.75, 1), (0, 2.25, 3)]
    assert [point.end for point in points] == [(2, 0, 0), (2, 0, 6)]
    assert {point.radius for point in points} == {1.0}


def test_links_without_width_and_spacings_without_length() -> None:
    [point] = points_of(jump(0.0), 2.0)
    assert point.radius == pytest.approx(MIN_RADIUS) and point.start == (0, 0, 0) and point.end == (2, 1, 0)
    assert len(points_of(jump(10.0), 1e-300)) == MAX_POINTS


def test_points_have_the_digits_that_32_bits_hold() -> None:
    """So that they come back from every format as they were."""
    for point in points_of(((0.1, 0.2, 0.3), (0.1, 0.2, 7.7), (2.3, 1.1, 0.7), (2.3, 1.1, 9.1)), 0.7):
        numbers = (*point.start, *point.end, point.radius)
        assert [float(str(number)) for number in np.array(numbers, np.float32)] == list(numbers)


@pytest.mark.parametrize("size", [1e-6, 0.01, 3.0, 700.0, 5e6, 3e8])
def test_points_have_those_digits_wherever_they_lie(size: float) -> None:
    for row in np.random.default_rng(7).uniform(-size, size, (200, 4, 3)).tolist():
        a, b, c, d = ((x, y, z) for x, y, z in row)
        for point in points_of((a, b, c, d), 1e12):
            numbers = (*point.start, *point.end)
            assert [float(str(number)) for number in np.array(numbers, np.float32)] == list(numbers)
