"""Sane levels of many kinds, by a seed: what faces down in them is a ceiling, an underside, or the back of a plane."""

from __future__ import annotations

import numpy as np

from tests import scenes
from tests.scenes import Mesh

Rng = np.random.Generator


def turned_over(mesh: Mesh) -> Mesh:
    """The same faces, seen from behind."""
    return mesh[0], np.ascontiguousarray(mesh[1][:, [0, 2, 1]])


def sheet(x0: float, z0: float, wide: float, deep: float, y: float, cells: int = 1) -> Mesh:
    """A flat rectangle that looks up."""
    steps = np.linspace(0, 1, cells + 1)
    x, z = np.meshgrid(x0 + steps * wide, z0 + steps * deep, indexing="xy")
    return scenes._sheet(x, np.full_like(x, y), z)


def _hills(rng: Rng, side: int, step: float, rise: float) -> Mesh:
    return scenes.terrain(side, step, rise, int(rng.integers(1, 999)))


def terrain(rng: Rng) -> Mesh:
    """Open ground."""
    return _hills(rng, int(rng.integers(20, 60)), float(rng.uniform(0.5, 3.0)), float(rng.uniform(0.02, 0.15)))


def town(rng: Rng) -> Mesh:
    """Closed boxes of all heights on a thick slab."""
    return scenes.city(int(rng.integers(1, 4)), int(rng.integers(3, 16)), int(rng.integers(1, 999)))


def thick_slab(rng: Rng) -> Mesh:
    """A slab as thick as a house, with towers and hovering platforms."""
    parts = [scenes.box(0, -float(rng.uniform(2, 9)), 0, 30, float(rng.uniform(2, 9)), 30)]
    for _ in range(int(rng.integers(3, 12))):
        x, z, low = rng.uniform(2, 24), rng.uniform(2, 24), float(rng.uniform(0, 6))
        parts.append(scenes.box(x, low, z, *(float(v) for v in rng.uniform(1, 6, 3))))
    return scenes.join(parts)


def cave(rng: Rng) -> Mesh:
    """A floor of hills and a ceiling of others that looks down, with walls or without."""
    side, step = int(rng.integers(16, 40)), float(rng.uniform(0.6, 1.5))
    floor = _hills(rng, side, step, 0.03)
    ceiling = _hills(rng, side, step, 0.03)
    high = float((floor[0][:, 1] - ceiling[0][:, 1]).max() + rng.uniform(2.2, 9.0))
    roof = ceiling[0].copy()
    roof[:, 1] += high
    parts = [floor, turned_over((roof, ceiling[1]))]
    return scenes.join(parts[: 2 if rng.random() < 0.9 else 1])


def rooms(rng: Rng) -> Mesh:
    """Rooms seen from inside alone, side by side on one or two floors, with boxes in them."""
    parts = []
    for i in range(int(rng.integers(1, 4))):
        for k in range(int(rng.integers(1, 4))):
            for storey in range(int(rng.integers(1, 3))):
                tall = float(rng.uniform(2.4, 6.0))
                low = 6.5 * storey + float(rng.uniform(0, 0.2))
                parts.append(turned_over(scenes.box(10.5 * i, low, 10.5 * k, 10, tall, 10)))
                x, z = (float(v) for v in rng.uniform(1, 7, 2))
                parts.append(scenes.box(10.5 * i + x, low, 10.5 * k + z, 1.5, float(rng.uniform(0.3, 1.8)), 1.5))
    return scenes.join(parts)


def house(rng: Rng) -> Mesh:
    """Walls, floors and ceilings of thin bodies on open ground."""
    parts = [sheet(-20, -20, 60, 60, 0.0, 6)]
    storeys, tall = int(rng.integers(1, 5)), float(rng.uniform(2.6, 4.5))
    for storey in range(storeys):
        y = storey * tall
        parts += [
            scenes.box(0, y, 0, 0.3, tall, 12), scenes.box(11.7, y, 0, 0.3, tall, 12),
            scenes.box(0, y, 0, 4.5, tall, 0.3), scenes.box(6.0, y, 0, 6.0, tall, 0.3),
            scenes.box(0, y, 11.7, 12, tall, 0.3),
            scenes.box(0, y + tall - 0.3, 0, 12, 0.3, 12), scenes.box(4.5, y + 2.1, 0, 1.5, tall - 2.1, 0.3),
        ]  # fmt: skip
    return scenes.join(parts)


def storeys(rng: Rng) -> Mesh:
    """Planes above each other, seen from above alone or from both sides."""
    parts = []
    both = rng.random() < 0.5
    for storey in range(int(rng.integers(2, 6))):
        plane = sheet(0, 0, 20 - 2 * storey, 20 - 2 * storey, 3.5 * storey, int(rng.integers(1, 5)))
        parts += [plane, turned_over(plane)] if both else [plane]
    return scenes.join(parts)


def slopes(rng: Rng) -> Mesh:
    """Ramps of bodies and planes, steep and flat."""
    parts = [sheet(0, 0, 40, 40, 0.0, int(rng.integers(1, 8)))]
    for i in range(int(rng.integers(1, 5))):
        points, triangles = scenes.box(4 + 8 * i, 0, 5, 5, 4, 20)
        points[(points[:, 1] > 1) & (points[:, 2] < 6), 1] = float(rng.uniform(0.0, 1.0))
        parts.append((points, triangles))
    return scenes.join(parts)


def tunnel(rng: Rng) -> Mesh:
    """A tube seen from inside, under open ground or without."""
    count, radius = 16, float(rng.uniform(1.8, 4.0))
    angle = np.arange(count) / count * 2 * np.pi
    x = np.linspace(0, 40, 21)
    points = np.array([(a, radius * np.sin(b), radius * np.cos(b)) for a in x for b in angle], np.float32)
    faces = []
    for i in range(len(x) - 1):
        for k in range(count):
            a, b = i * count + k, i * count + (k + 1) % count
            faces += [[a, b, a + count], [b, b + count, a + count]]
    tube = points, np.array(faces, np.int32)
    low = tube[0][tube[1][:, :]]
    normal = np.cross(low[:, 1] - low[:, 0], low[:, 2] - low[:, 0])
    inward = (normal[:, 1:] * low.mean(1)[:, 1:]).sum() < 0
    tube = tube if inward else turned_over(tube)
    return scenes.join([tube, sheet(0, -20, 40, 40, radius + 1.0, 4)]) if rng.random() < 0.5 else tube


def open_boxes(rng: Rng) -> Mesh:
    """Crates without lids on the ground."""
    parts = [sheet(0, 0, 30, 30, 0.0, 3)]
    for _ in range(6):
        points, triangles = scenes.box(*(float(v) for v in (rng.uniform(1, 25), 0, rng.uniform(1, 25), 3, 1.2, 3)))
        upper = points[triangles][:, :, 1].min(axis=1) > 0.5
        parts.append((points, triangles[~upper]))
    return scenes.join(parts)


def islands(rng: Rng) -> Mesh:
    """Bodies and planes far from each other, at several heights."""
    parts = []
    for _ in range(int(rng.integers(2, 9))):
        x, y, z = (float(v) for v in rng.uniform((0, -5, 0), (200, 15, 200)))
        wide = float(rng.uniform(8, 30))
        parts.append(
            scenes.box(x, y, z, wide, float(rng.uniform(0.5, 4)), wide)
            if rng.random() < 0.7
            else sheet(x, z, wide, wide, y)
        )
    return scenes.join(parts)


KINDS = {
    made.__name__: made
    for made in (terrain, town, thick_slab, cave, rooms, house, storeys, slopes, tunnel, open_boxes, islands)
}


def sane_level(kind: str, seed: int) -> Mesh:
    """One of the levels of a kind."""
    return KINDS[kind](np.random.default_rng((seed, list(KINDS).index(kind))))
