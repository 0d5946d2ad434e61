"""Levels made by rule, for tests and benchmarks: the same triangles on every machine."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Mesh = tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]


def terrain(side: int, step: float = 0.3, rise: float = 0.12, seed: int = 1) -> Mesh:
    """Rolling hills, the higher the `rise` the steeper: (side - 1)² × 2 triangles."""
    rng = np.random.default_rng(seed)
    x, z = np.meshgrid(np.arange(side) * step, np.arange(side) * step, indexing="xy")
    y = np.zeros_like(x)
    for wave in range(8):
        length, angle, phase = 60.0 / 1.7**wave, rng.uniform(0, 2 * np.pi), rng.uniform(0, 2 * np.pi)
        y += (
            rise
            * length
            * np.sin((x * np.cos(angle) + z * np.sin(angle)) * 2 * np.pi / length + phase)
            / (1 + wave / 4)
        )
    return _sheet(x, y, z)


def flat(size: float, cells: int = 2) -> Mesh:
    """A flat square of size × size metres."""
    x, z = np.meshgrid(np.linspace(0, size, cells), np.linspace(0, size, cells), indexing="xy")
    return _sheet(x, np.zeros_like(x), z)


def city(blocks: int, boxes: int = 12, seed: int = 2) -> Mesh:
    """Streets of flat ground with boxes, stacked slabs and stairs on every block."""
    rng = np.random.default_rng(seed)
    parts = [box(0, -1, 0, blocks * 16.0, 1, blocks * 16.0)]
    for bx in range(blocks):
        for bz in range(blocks):
            for _ in range(boxes):
                x, z = bx * 16 + rng.uniform(1, 11), bz * 16 + rng.uniform(1, 11)
                parts.append(box(x, 0, z, rng.uniform(0.4, 4), rng.uniform(0.3, 6), rng.uniform(0.4, 4)))
            parts += [box(bx * 16 + 1 + i * 0.5, 0, bz * 16 + 12, 0.5, 0.4 * (i + 1), 2.5) for i in range(8)]
            parts.append(box(bx * 16 + 5, 2.9, bz * 16 + 9, 7, 0.3, 6))
    return join(parts)


def box(x: float, y: float, z: float, width: float, height: float, depth: float) -> Mesh:
    """A closed box with its low corner at (x, y, z)."""
    corners = np.array([[x + i * width, y + j * height, z + k * depth] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [[f[0], f[i], f[i + 1]] for f in faces for i in (1, 2)]
    return corners.astype(np.float32), np.array(triangles, np.int32)


def join(parts: list[Mesh]) -> Mesh:
    """Several meshes as one."""
    first = np.cumsum([0] + [len(v) for v, _ in parts])
    return (
        np.concatenate([v for v, _ in parts]),
        np.concatenate([t + n for (_, t), n in zip(parts, first, strict=False)]).astype(np.int32),
    )


def obj_text(mesh: Mesh) -> str:
    """A level as an .obj file has it."""
    vertices, triangles = mesh
    lines = [f"v {x} {y} {z}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (triangles + 1).tolist()]
    return "\n".join(lines) + "\n"


def _sheet(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], z: npt.NDArray[np.float64]) -> Mesh:
    """A grid of heights as triangles that face up."""
    depth, width = x.shape
    corner = (np.arange(depth - 1)[:, None] * width + np.arange(width - 1)[None, :]).ravel()
    a, b, c, d = corner, corner + width, corner + 1, corner + width + 1
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([c, b, d], 1)], 1).reshape(-1, 3)
    return np.stack([x, y, z], -1).reshape(-1, 3).astype(np.float32), triangles.astype(np.int32)


def plaza(pillars: int = 6, gap: float = 3.0) -> Mesh:
    """A flat square with a grid of pillars: many holes in one region."""
    size = gap * (pillars + 1)
    parts = [flat(size)]
    parts += [box((i + 1) * gap, -0.5, (j + 1) * gap, 0.6, 3, 0.6) for i in range(pillars) for j in range(pillars)]
    return join(parts)


def stairs() -> Mesh:
    """Two storeys joined by stairs and a ramp, with a bridge over a gap."""
    steps = [box(4 + 0.4 * i, 0, 2, 0.4, 0.25 * (i + 1), 3) for i in range(14)]
    upper = [box(9.6, 3.2, 0, 10, 0.3, 12), box(19.6, 3.2, 5, 6, 0.3, 2), box(25.6, 3.2, 0, 8, 0.3, 12)]
    ramp = (
        np.array([[10, 0, 13], [10, 0, 17], [18, 3.5, 13], [18, 3.5, 17]], np.float32),
        np.array([[0, 1, 2], [2, 1, 3]], np.int32),
    )
    return join([box(0, -0.5, 0, 36, 0.5, 20), *steps, *upper, ramp, box(18, 3.2, 11.5, 3, 0.3, 6)])


def tower(storeys: int, size: float = 8.0, height: float = 3.0) -> Mesh:
    """Floors above each other, with a hole in each on alternating sides."""
    parts = []
    for i in range(storeys):
        parts.append(box(0, i * height, 0, size, 0.3, size * 0.7))
        parts.append(box((i % 2) * size / 2, i * height, size * 0.7, size / 2, 0.3, size * 0.3))
    return join(parts)


def spiral(turns: float = 3.0, per_turn: int = 16) -> Mesh:
    """A spiral staircase around a column: regions that lie above themselves."""
    parts = [box(-8, -0.5, -8, 16, 0.5, 16), box(-1, 0, -1, 2, turns * 4, 2)]
    for i in range(int(turns * per_turn)):
        angle = 2 * np.pi * i / per_turn
        parts.append(box(3 * np.cos(angle) - 1.1, 0.24 * i, 3 * np.sin(angle) - 1.1, 2.2, 0.25, 2.2))
    return join(parts)


def slabs(seed: int, count: int = 14, side: int = 10) -> Mesh:
    """Thin slabs over each other in a few cells of 0.3 m, many closer together than an agent is tall or climbs."""
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(count):
        (x, z), (width, depth) = rng.integers(0, side, 2) * 0.3, rng.integers(2, side, 2) * 0.3
        parts.append(box(x, rng.integers(0, 14) * 0.2, z, width, 0.1, depth))
    return join(parts)


def snapped_soup(count: int = 400, seed: int = 5) -> Mesh:
    """Random triangles, half of their corners on cell borders: every tie that clipping can meet."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(0, 20, (count, 1, 3)) + rng.uniform(-2, 2, (count, 3, 3))
    corners[:, :, 1] *= 0.25
    snapped = np.round(corners / [0.3, 0.2, 0.3]) * [0.3, 0.2, 0.3]
    corners = np.where(rng.random((count, 3, 1)) < 0.5, snapped, corners)
    triangles = np.arange(3 * count).reshape(-1, 3)
    return join([flat(20), (corners.reshape(-1, 3).astype(np.float32), triangles.astype(np.int32))])


def comb(teeth: int, cell: float = 0.3) -> Mesh:
    """A flat comb: one outline that is very long for its area."""
    parts = [_rectangle(0, 0, teeth * 6 * cell, 6 * cell)]
    parts += [_rectangle(i * 6 * cell, 6 * cell, 3 * cell, 390 * cell) for i in range(teeth)]
    return join(parts)


def _rectangle(x: float, z: float, width: float, depth: float) -> Mesh:
    corners = np.array([[x, 0, z], [x, 0, z + depth], [x + width, 0, z + depth], [x + width, 0, z]], np.float32)
    return corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32)
