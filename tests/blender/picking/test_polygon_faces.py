"""Polygons under a ray, within a box, of an island: beside a slow twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


@pytest.fixture
def picking(addon: Any) -> Any:
    return addon("picking.polygon_faces")


@pytest.fixture
def floors(picking: Any) -> Any:
    """Two floors of 4 × 4 squares, the upper one three metres higher, and a hexagon beside them."""
    points, rings, islands = [], [], []
    for island, z in enumerate((0.0, 3.0)):
        first = len(points)
        points += [(x, y, z) for y in range(5) for x in range(5)]
        rings += [[first + 5 * y + x + k for k in (0, 1, 6, 5)] for y in range(4) for x in range(4)]
        islands += [island] * 16
    first = len(points)
    points += [(8 + np.cos(k * np.pi / 3), np.sin(k * np.pi / 3), 1.0) for k in range(6)]
    rings.append(list(range(first, first + 6)))
    sizes = np.array([len(ring) for ring in rings])
    return picking.PolygonFaces(
        np.array(points, float), np.concatenate(rings).astype(np.int32), (np.cumsum(sizes) - sizes).astype(np.int32),
        np.array([*islands, 2], np.int32),
    )  # fmt: skip


def test_a_ray_meets_the_first_face_from_either_side(picking: Any, floors: Any) -> None:
    for x in range(4):
        for y in range(4):
            assert picking.under_ray(floors, (x + 0.3, y + 0.6, 9), (0, 0, -1)) == (16 + 4 * y + x, 6.0)
            assert picking.under_ray(floors, (x + 0.3, y + 0.6, -2), (0, 0, 2)) == (4 * y + x, 1.0)
    assert picking.under_ray(floors, (8, 0, 9), (0, 0, -1))[0] == 32
    assert picking.under_ray(floors, (6, 0, 9), (0, 0, -1)) == (-1, np.inf)
    assert picking.under_ray(floors, (2, 2, 9), (0, 0, 1))[0] == -1, "behind the eye"
    assert picking.under_ray(floors, (-5, 2.5, 0), (1, 0, 0))[0] == -1, "along a floor"


def test_on_an_edge_it_meets_one_of_both(picking: Any, floors: Any) -> None:
    for x, y in ((1.0, 0.5), (2.0, 2.0), (0.5, 3.0)):
        assert picking.under_ray(floors, (x, y, 9), (0, 0, -1))[0] >= 16


def test_a_box_takes_faces_by_their_middles(picking: Any, floors: Any) -> None:
    seen = np.diag([1 / 5, 1 / 5, 1.0, 1.0])  # from above: 10 × 10 units in 100 × 100 pixels
    assert picking.within_box(floors, seen, (100, 100), (50, 50, 61, 61)) == [0, 16]
    assert picking.within_box(floors, seen, (100, 100), (0, 0, 100, 100)) == list(range(32))
    behind = np.array(seen)
    behind[3] = 0, 0, 0, -1
    assert picking.within_box(floors, behind, (100, 100), (-999, -999, 999, 999)) == []


def test_islands_shapes_and_sizes(picking: Any, floors: Any) -> None:
    assert picking.on_islands_of(floors, [17]) == list(range(16, 32))
    assert picking.on_islands_of(floors, [32, 0]) == [*range(16), 32]
    points, rings = picking.shape_of(floors, [1, 0])
    assert rings == [[0, 1, 2, 3], [1, 4, 5, 2]] and len(points) == 6
    assert picking.square_metres(floors, [0, 32]) == {0: 1.0, 32: pytest.approx(1.5 * 3**0.5)}


def test_nothing_holds_nothing(picking: Any) -> None:
    nothing = picking.PolygonFaces(np.empty((0, 3)), *(np.empty(0, np.int32) for _ in range(3)))
    assert picking.under_ray(nothing, (0, 0, 9), (0, 0, -1)) == (-1, np.inf)
    assert picking.within_box(nothing, np.eye(4), (9, 9), (0, 0, 9, 9)) == [] == picking.on_islands_of(nothing, [])
