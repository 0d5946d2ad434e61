"""Generated levels with something to jump over and to drop from: each number is another one."""

from __future__ import annotations

import numpy as np

from tests.scenes import Mesh, box, join

_SIDE = 24.0  # metres


def level(seed: int) -> Mesh:
    """Floors at several heights, blocks, slabs over each other, poles, walls, stairs, towers, hills, bridges."""
    dice = np.random.default_rng(seed)
    parts = [box(0, -1, 0, _SIDE, 1, _SIDE)] if dice.random() < 0.8 else _torn_floor(dice)
    for _ in range(int(dice.integers(2, 7))):
        x, z = dice.uniform(1, _SIDE - 8, 2)
        width, depth = dice.uniform(1.5, 8, 2)
        parts.append(box(x, 0, z, width, float(dice.choice([0.5, 1.0, 1.6, 2.2, 3.0, 4.5])), depth))
    makers = (_pole, _wall, _fence, _slab, _stairs, _ramp, _tower, _turned)
    for _ in range(int(dice.integers(1, 6))):
        parts += makers[int(dice.integers(len(makers)))](dice)
    larger = (_hill, _bridge, _ceiling, _railed, _tower)
    for _ in range(int(dice.integers(0, 3))):
        parts += larger[int(dice.integers(len(larger)))](dice)
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
    angles = np.arange(64) * 2 * np.pi / 64
    ring = np.column_stack([x + radius * np.cos(angles), np.zeros(64), z - radius * np.sin(angles)])
    vertices = np.concatenate([ring, ring + np.array([0, height, 0]), [(x, height, z)]]).astype(np.float32)
    triangles = []
    for k in range(64):
        after = (k + 1) % 64
        triangles += [(k, after, 64 + after), (k, 64 + after, 64 + k), (64 + k, 64 + after, 128)]
    return [(vertices, np.array(triangles, np.int32))]


def _turned(dice: np.random.Generator) -> list[Mesh]:
    """A block that stands across the grid."""
    (x, z), angle = _place(dice, 6), float(dice.uniform(0, np.pi / 2))
    vertices, triangles = box(-2.5, 0, -1.5, 5, float(dice.uniform(1, 2.4)), 3)
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    return [((vertices @ turn.T + (x + 3, 0, z + 3)).astype(np.float32), triangles)]


def _hill(dice: np.random.Generator) -> list[Mesh]:
    """Ground of triangles of about a metre, with steep places and hollows."""
    (x, z), count = _place(dice, 9), 9
    vertices = np.array([(x + i, 0, z + k) for i in range(count) for k in range(count)], np.float64)
    middle = np.hypot(vertices[:, 0] - x - 4, vertices[:, 2] - z - 4)
    vertices[:, 1] = np.maximum(0, dice.uniform(1, 4) * (1 - middle / 4) + dice.uniform(-0.6, 0.6, len(vertices)))
    corners = [i * count + k for i in range(count - 1) for k in range(count - 1)]
    triangles = [t for a in corners for t in ((a, a + 1, a + count), (a + 1, a + count + 1, a + count))]
    return [(vertices.astype(np.float32), np.array(triangles, np.int32))]


def _bridge(dice: np.random.Generator) -> list[Mesh]:
    """A deck on two piers, higher or lower than what walks under it."""
    (x, z), height, length = _place(dice, 9), float(dice.uniform(1.2, 3.2)), float(dice.uniform(5, 9))
    piers = [box(x + at, 0, z, 1.0, height, 2.5) for at in (0, length - 1)]
    return [*piers, box(x, height, z, length, 0.25, 2.5)]


def _ceiling(dice: np.random.Generator) -> list[Mesh]:
    """Something to hit one's head on."""
    (x, z), (width, depth) = _place(dice, 9), dice.uniform(4, 9, 2)
    return [box(x, float(dice.uniform(2.1, 4.5)), z, float(width), 0.3, float(depth))]


def _railed(dice: np.random.Generator) -> list[Mesh]:
    """A block with a rail along three of its edges."""
    (x, z), high, rail = _place(dice, 7), float(dice.uniform(1, 2.3)), float(dice.choice([0.3, 0.7, 1.1]))
    sides = [box(x, high, z, 6, rail, 0.06), box(x, high, z + 4.94, 6, rail, 0.06), box(x, high, z, 0.06, rail, 5)]
    return [box(x, 0, z, 6, high, 5), *sides]
