"""A polygon made larger or smaller: worked examples, and random ones against a twin."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.errors import BadInput
from navcore.stages.areas import offset_polygon

F = np.float32

SQUARE = np.array([[0, 5, 0], [4, 5, 0], [4, 5, 4], [0, 5, 4]], F)


def test_offset_grows_and_bevels():  # T-7.4
    grown = offset_polygon(SQUARE, 1)
    corners = [(-1, -0.5), (-0.5, -1), (4.5, -1), (5, -0.5), (5, 4.5), (4.5, 5), (-0.5, 5), (-1, 4.5)]
    assert grown.dtype == F
    assert grown.tolist() == [[x, 5, z] for x, z in corners]


def test_offset_shrinks_the_other_order():  # T-7.4
    assert offset_polygon(SQUARE[::-1], 1)[:, ::2].tolist() == [[1, 3], [3, 3], [3, 1], [1, 1]]


def test_offset_of_a_triangle_to_the_bit():  # T-7.4
    triangle = np.array([[0, 0, 0], [4, 0, 0], [0, 0, 1]], F)
    grown = offset_polygon(triangle, 0.5)
    assert len(grown) == 6
    assert grown[2, ::2].tolist() == [F(4.49253559), F(-0.5)]
    assert grown[3, ::2].tolist() == [F(4.59909773), F(0.365613818)]


@pytest.mark.parametrize(("capacity", "count"), [(4, 0), (5, 0), (6, 6), (7, 6), (None, 6)])
def test_offset_keeps_to_a_capacity(capacity, count):  # T-7.4
    triangle = np.array([[0, 0, 0], [4, 0, 0], [0, 0, 1]], F)
    assert offset_polygon(triangle, 0.5, capacity).shape == (count, 3)


def offset_twin(points: np.ndarray, offset: float) -> list[tuple[np.float32, ...]]:
    """R-7.13 with float32 scalars."""

    def direction(a: np.ndarray, b: np.ndarray) -> tuple[np.float32, np.float32]:
        x, z = b[0] - a[0], b[2] - a[2]
        q = x * x + z * z
        if q > F(1e-6):
            k = F(1) / np.sqrt(q)
            x, z = x * k, z * k
        return x, z

    offset, emitted = F(offset), []
    for i, b in enumerate(points):
        (ux, uz), (vx, vz) = direction(points[i - 1], b), direction(b, points[(i + 1) % len(points)])
        cross = vx * uz - ux * vz
        px, pz, cx, cz = -uz, ux, -vz, vx
        mx, mz = (px + cx) * F(0.5), (pz + cz) * F(0.5)
        m = mx * mx + mz * mz
        bevel = m * F(1.2) * F(1.2) < F(1)
        if m > F(1e-6):
            mx, mz = mx * (F(1) / m), mz * (F(1) / m)
        if bevel and cross < 0:
            d = (F(1) - (ux * vx + uz * vz)) * F(0.5)
            emitted.append((b[0] + (-px + ux * d) * offset, b[1], b[2] + (-pz + uz * d) * offset))
            emitted.append((b[0] + (-cx - vx * d) * offset, b[1], b[2] + (-cz - vz * d) * offset))
        else:
            emitted.append((b[0] - mx * offset, b[1], b[2] - mz * offset))
    return emitted


@pytest.mark.parametrize("seed", range(30))
def test_offset_is_as_specified(seed):
    random = np.random.default_rng(seed)
    points = random.uniform(-5, 5, (random.integers(1, 12), 3)).astype(F)
    if seed % 2:
        points = np.round(points)  # repeated corners and collinear edges
    for offset in (0.5, -0.7, 0):
        expected = np.array(offset_twin(points, offset), F).reshape(-1, 3)
        assert offset_polygon(points, offset).tobytes() == expected.tobytes()


def test_offset_of_nothing_and_of_nonsense():
    assert offset_polygon(np.zeros((0, 3), F), 1).shape == (0, 3)
    with pytest.raises(BadInput, match=r"\(N, 3\) corners, not \(4, 2\)"):
        offset_polygon(np.zeros((4, 2), F), 1)
