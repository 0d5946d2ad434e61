"""What a brush covers, and faces without that: by sampling, at random."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest


@pytest.fixture
def strokes(addon: Any) -> Any:
    return addon("picking.brush_strokes")


def covers(ring: Any, x: float, y: float) -> bool:
    """Whether a place lies within any simple ring, seen from above."""
    inside = False
    for (x0, y0, _), (x1, y1, _) in zip(ring, [*ring[1:], ring[0]], strict=True):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            inside = not inside
    return inside


def distance(points: Any, x: float, y: float) -> float:
    """Of a place from a line."""
    nearest = math.inf
    for (x0, y0, _), (x1, y1, _) in zip(points, [*points[1:], points[-1]], strict=True):
        length = (x1 - x0) ** 2 + (y1 - y0) ** 2
        part = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length if length else 0.0
        part = min(1.0, max(0.0, part))
        nearest = min(nearest, math.hypot(x - x0 - part * (x1 - x0), y - y0 - part * (y1 - y0)))
    return nearest


def random_line(rng: random.Random) -> list[tuple[float, float, float]]:
    x, y, z = rng.uniform(-2, 2), rng.uniform(-2, 2), 0.0
    line = [(x, y, z)]
    for _ in range(rng.randrange(12)):
        x, y, z = x + rng.uniform(-1, 1), y + rng.uniform(-1, 1), z + rng.uniform(-0.1, 0.1)
        line.append((x, y, z))
    return line


@pytest.mark.parametrize("seed", range(40))
def test_a_stroke_covers_what_lies_within_the_radius(strokes: Any, seed: int) -> None:
    rng = random.Random(seed)
    line, radius = random_line(rng), rng.uniform(0.2, 1.5)
    faces = strokes.brush_faces(line, radius)
    assert faces and all(strokes.is_convex(face.ring) for face in faces)
    for _ in range(400):
        x, y = rng.uniform(-9, 9), rng.uniform(-9, 9)
        away, covered = distance(line, x, y), any(covers(face.ring, x, y) for face in faces)
        if away < 0.8 * radius:  # a corner of a disc, and what the hand shook, are less than a fifth
            assert covered
        if away > 1.13 * radius:
            assert not covered


@pytest.mark.parametrize("seed", range(40))
def test_what_a_stroke_takes_away_and_what_stays_are_the_whole(strokes: Any, seed: int) -> None:
    rng = random.Random(seed)
    square = [(-2.0, -2.0, 0.0), (2.0, -2.0, 0.0), (2.0, 2.0, 0.5), (-2.0, 2.0, 0.5)]
    if rng.random() < 0.5:
        square.reverse()
    stroke = strokes.brush_faces(random_line(rng), rng.uniform(0.1, 1.0))
    left, changed = strokes.without([square], stroke, 2.0)
    assert all(strokes.is_convex(face) for face in left)
    for _ in range(400):
        x, y = rng.uniform(-2, 2), rng.uniform(-2, 2)
        taken = any(covers(face.ring, x, y) for face in stroke)
        assert sum(covers(face, x, y) for face in left) == (not taken)
    assert changed == (sum(map(strokes.ground_of, left)) < 16 - 1e-6)
    for face in left:
        for _, y, z in face:
            assert z == pytest.approx((y + 2) / 8, abs=1e-9), "on the face it was cut from"


def test_other_floors_stay(strokes: Any) -> None:
    square = [(-2.0, -2.0, 0.0), (2.0, -2.0, 0.0), (2.0, 2.0, 0.0), (-2.0, 2.0, 0.0)]
    stroke = strokes.brush_faces([(0, 0, 4.0), (1, 0, 4.0)], 0.5)
    assert strokes.without([square], stroke, 1.0) == ([square], False)
    assert strokes.without([square], [], 1.0) == ([square], False)


def test_one_click_is_a_disc_and_none_is_nothing(strokes: Any) -> None:
    assert strokes.brush_faces([], 1.0) == []
    (disc,) = strokes.brush_faces([(3, 4, 1)], 0.5)
    assert strokes.ground_of(disc.ring) == pytest.approx(math.pi / 4, rel=0.03) and disc.low == disc.high == 1
    points, rings = strokes.joined_points([disc.ring])
    assert len(points) == len(rings[0]) == 16


def test_a_straight_line_has_two_points(strokes: Any) -> None:
    line = [(0.1 * k, 0.0, 0.0) for k in range(50)]
    assert strokes.simplified(line, 0.01) == [line[0], line[-1]]
    assert len(strokes.simplified([*line, (0.0, 0.0, 0.0)], 0.01)) == 2, "there and back is once"
