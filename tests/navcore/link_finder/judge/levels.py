"""Generated levels with something to jump over and to drop from: each number is another one."""

from __future__ import annotations

import numpy as np

from tests.scenes import Mesh, box, join

_SIDE = 24.0  # metres


def level(seed: int) -> Mesh:
    """Floors at several heights, blocks, slabs over each other, poles, thin walls, fences, stairs and ramps."""
    dice = np.random.default_rng(seed)
    parts = [box(0, -1, 0, _SIDE, 1, _SIDE)] if dice.random() < 0.8 else _torn_floor(dice)
    for _ in range(int(dice.integers(2, 7))):
        x, z = dice.uniform(1, _SIDE - 8, 2)
        width, depth = dice.uniform(1.5, 8, 2)
        parts.append(box(x, 0, z, width, float(dice.choice([0.5, 1.0, 1.6, 2.2, 3.0, 4.5])), depth))
    makers = (_pole, _wall, _fence, _slab, _stairs, _ramp, _tower, _turned)
    for _ in range(int(dice.integers(1, 6))):
        parts += makers[int(dice.integers(len(makers)))](dice)
    return join(parts)


def _place(dice: np.random.Generator, room: float) -> tuple[float, float]:
    x, z = dice.uniform(1, _SIDE - room - 1, 2)
    return float(x), float(z)


def _torn_floor(dice: np.random.Generator) -> list[Mesh]:
    """Strips with gaps between them, at nearly one height."""
    parts, x = [], 0.0
    while x < _SIDE - 3:
        width = float(dice.uniform(3, 8))
        parts.append(box(x, -6, 0, width, 6 + float(dice.choice([0, 0, 0.3, -0.3])), _SIDE))
        x += width + float(dice.uniform(0.5, 3.0))
    return parts


def _pole(dice: np.random.Generator) -> list[Mesh]:
    x, z = _place(dice, 1)
    return [box(x, 0, z, 0.12, 6, 0.12)]


def _wall(dice: np.random.Generator) -> list[Mesh]:
    x, z = _place(dice, 8)
    return [box(x, 0, z, 0.1, float(dice.uniform(2, 5)), float(dice.uniform(3, 8)))]


def _fence(dice: np.random.Generator) -> list[Mesh]:
    x, z = _place(dice, 8)
    return [box(x, 0, z, float(dice.uniform(3, 8)), float(dice.choice([0.5, 1.1])), 0.1)]


def _slab(dice: np.random.Generator) -> list[Mesh]:
    x, z = _place(dice, 7)
    return [box(x, float(dice.uniform(2.2, 4)), z, float(dice.uniform(2, 7)), 0.2, float(dice.uniform(2, 7)))]


def _stairs(dice: np.random.Generator) -> list[Mesh]:
    (x, z), wide = _place(dice, 8), float(dice.uniform(1.5, 4))
    return [box(x + 0.5 * k, 0, z, 0.5, 0.3 * (k + 1), wide) for k in range(int(dice.integers(4, 10)))]


def _ramp(dice: np.random.Generator) -> list[Mesh]:
    (x, z), rise = _place(dice, 8), float(dice.uniform(1, 3))
    vertices, triangles = box(x, 0, z, 6, 1, 3)
    vertices = vertices.copy()
    high = vertices[:, 1] > 0.5
    vertices[high, 1] = np.where(vertices[high, 0] > x + 3, rise, 0.05)
    return [(vertices, triangles)]


def _tower(dice: np.random.Generator) -> list[Mesh]:
    """A round one."""
    (x, z), radius, height = _place(dice, 8), float(dice.uniform(2, 4)), float(dice.uniform(1.2, 2.4))
    x, z = x + 4, z + 4
    angles = np.arange(32) * 2 * np.pi / 32
    ring = np.column_stack([x + radius * np.cos(angles), np.zeros(32), z - radius * np.sin(angles)])
    vertices = np.concatenate([ring, ring + np.array([0, height, 0]), [(x, height, z)]]).astype(np.float32)
    triangles = []
    for k in range(32):
        after = (k + 1) % 32
        triangles += [(k, after, 32 + after), (k, 32 + after, 32 + k), (32 + k, 32 + after, 64)]
    return [(vertices, np.array(triangles, np.int32))]


def _turned(dice: np.random.Generator) -> list[Mesh]:
    """A block that stands across the grid."""
    (x, z), angle = _place(dice, 6), float(dice.uniform(0, np.pi / 2))
    vertices, triangles = box(-2.5, 0, -1.5, 5, float(dice.uniform(1, 2.4)), 3)
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    return [((vertices @ turn.T + (x + 3, 0, z + 3)).astype(np.float32), triangles)]
