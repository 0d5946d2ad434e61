"""Levels of one floor whose gaps are known, or random."""

from __future__ import annotations

import numpy as np

from tests import scenes
from tests.scenes import Mesh

SIZE = 12.0  # metres: of a room
HIGH = 1.5  # walls: none climbs them, and what is inside of them is too low to stand in


def two_rooms(doors: list[tuple[float, float]], thickness: float = 0.9) -> Mesh:
    """Rooms left and right of a wall with doors: each where it begins and how wide it is, along z."""
    parts = [scenes.box(0, -1, 0, 2 * SIZE + thickness, 1, SIZE)]
    begun = 0.0
    for low, width in sorted(doors):
        parts.append(scenes.box(SIZE, 0, begun, thickness, HIGH, low - begun))
        begun = low + width
    parts.append(scenes.box(SIZE, 0, begun, thickness, HIGH, SIZE - begun))
    return scenes.join(parts)


def pillars(seed: int, size: float = 24.0, count: int = 14) -> Mesh:
    """Flat ground with prisms at any angle, and thin walls."""
    rng = np.random.default_rng(seed)
    parts = [scenes.box(0, -1, 0, size, 1, size)]
    for _ in range(count):
        if rng.random() < 0.5:
            parts.append(_prism(rng, *rng.uniform(2, size - 2, 2), rng.uniform(0.4, 3)))
        else:
            wide = rng.uniform(0.3, 6)
            sides = (wide, 0.5) if rng.random() < 0.5 else (0.5, wide)
            parts.append(scenes.box(rng.uniform(0, size - 6), 0, rng.uniform(0, size - 6), sides[0], HIGH, sides[1]))
    return scenes.join(parts)


def _prism(rng: np.random.Generator, x: float, z: float, radius: float) -> Mesh:
    count = int(rng.integers(3, 7))
    angles = np.arange(count) * 2 * np.pi / count + rng.uniform(0, 1)
    ring = np.stack([x + radius * np.cos(angles), np.full(count, -0.5), z + radius * np.sin(angles)], 1)
    vertices = np.concatenate([ring, ring + np.array([0, 0.5 + HIGH, 0])]).astype(np.float32)
    sides = [[i, count + i, (i + 1) % count] for i in range(count)]
    sides += [[(i + 1) % count, count + i, count + (i + 1) % count] for i in range(count)]
    lid = [[count, count + i + 1, count + i] for i in range(1, count - 1)]
    return vertices, np.array(sides + lid, np.int32)
