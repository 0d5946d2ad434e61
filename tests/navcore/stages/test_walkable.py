"""Stage 1: the strict comparison, triangles without area, and the same bytes for any number of threads."""

from __future__ import annotations

import math

import numpy as np
import pytest

from navcore.stages import walkable
from navcore.stages.walkable import clear_unwalkable_triangles, mark_walkable_triangles
from navcore.threads import Workers

F = np.float32
TRIANGLE = np.array([(0, 1, 2)], np.int32)


def marked(corners, slope=45.0):
    return int(mark_walkable_triangles(np.array(corners, F), TRIANGLE, slope)[0])


def cleared(corners, area, slope=45.0):
    return int(clear_unwalkable_triangles(np.array(corners, F), TRIANGLE, np.array([area], np.uint8), slope)[0])


@pytest.mark.parametrize(
    ("corners", "walkable_area", "remaining"),
    [
        ([(0, 0, 0), (0, 0, 1), (1, 0, 0)], 63, 7),  # flat, facing up
        ([(0, 0, 0), (0, 1, 1), (1, 0, 0)], 0, 0),  # 45° exactly: the comparison is strict
        ([(0, 0, 0), (1, 0, 0), (0, 0, 1)], 0, 0),  # facing down
        ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], 0, 7),  # without area: neither marked nor cleared
        ([(0, 0, 0), (0, 0, 0), (0, 0, 0)], 0, 7),
    ],
)
def test_worked_examples(corners, walkable_area, remaining):
    assert marked(corners) == walkable_area
    assert cleared(corners, 7) == remaining


@pytest.mark.parametrize(
    ("slope", "bits"), [(0.0, 0x3F800000), (20.0, 0x3F708FB2), (45.0, 0x3F3504F3), (60.0, 0x3EFFFFFF)]
)
def test_the_threshold_is_the_same_float_everywhere(slope, bits):
    assert int(walkable._least_normal_y(slope).view(np.uint32)) == bits
    assert walkable._least_normal_y(slope).dtype == np.float32


def test_at_0_degrees_nothing_is_walkable_and_at_90_nearly_everything_that_faces_up():
    assert marked([(0, 0, 0), (0, 0, 1), (1, 0, 0)], 0.0) == 0
    assert marked([(0, 0, 0), (0, 50, 1), (1, 0, 0)], 90.0) == 63


def walkable_twin(vertices, triangles, threshold):
    """The normal's y, one float32 operation after another; None for a triangle without area."""
    verdicts = []
    for triangle in triangles:
        a, b, c = (vertices[i] for i in triangle)
        e, f = b - a, c - a
        x = F(F(e[1] * f[2]) - F(e[2] * f[1]))
        y = F(F(e[2] * f[0]) - F(e[0] * f[2]))
        z = F(F(e[0] * f[1]) - F(e[1] * f[0]))
        length = F(math.sqrt(float(F(F(x * x) + F(y * y)) + F(z * z))))
        verdicts.append(None if length == 0 else bool(F(y * F(F(1) / length)) > threshold))
    return verdicts


def test_random_triangles_equal_the_twin_for_any_threads(monkeypatch):
    monkeypatch.setattr(walkable, "_MIN_TRIANGLES", 1)
    rng = np.random.default_rng(1)
    vertices = np.concatenate([rng.normal(size=(60, 3)), rng.integers(-2, 3, (60, 3))]).astype(F)
    vertices[:, 1] *= F(0.6)
    triangles = rng.integers(0, len(vertices), (1500, 3)).astype(np.int32)
    area = rng.integers(0, 64, len(triangles)).astype(np.uint8)
    for slope in (20.0, 45.0, 64.0):
        verdicts = walkable_twin(vertices, triangles, walkable._least_normal_y(slope))
        want_marked = np.array([63 if v else 0 for v in verdicts], np.uint8)
        want_cleared = np.array([0 if v is False else g for v, g in zip(verdicts, area, strict=True)], np.uint8)
        assert 0 < want_marked.sum() < 63 * len(triangles)
        for threads in (1, 2, 3):
            with Workers(threads) as workers:
                assert np.array_equal(mark_walkable_triangles(vertices, triangles, slope, workers), want_marked)
                assert np.array_equal(
                    clear_unwalkable_triangles(vertices, triangles, area, slope, workers), want_cleared
                )


def test_clearing_leaves_the_input_alone():
    steep = np.array([(0, 0, 0), (0, 9, 1), (1, 0, 0)], F)
    area = np.array([5], np.uint8)
    assert clear_unwalkable_triangles(steep, TRIANGLE, area, 45.0)[0] == 0
    assert area[0] == 5
