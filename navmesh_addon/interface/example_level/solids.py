"""Solids to build levels of: boxes, cylinders and strips, all of them lofts between two rings of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Points = NDArray[np.float64]


class SolidPart(NamedTuple):
    vertices: NDArray[np.float32]  # (N, 3) metres, Y up
    triangles: NDArray[np.int32]  # (M, 3)


class Builder:
    """Collects solids. All of them are lofts: a lower ring of points, an upper ring, and walls between."""

    def __init__(self) -> None:
        self._vertices: list[Points] = []
        self._triangles: list[NDArray[np.int64]] = []
        self._count = 0

    def add(self, vertices: ArrayLike, triangles: ArrayLike) -> None:
        points = np.asarray(vertices, np.float64)
        self._vertices.append(points)
        self._triangles.append(np.asarray(triangles, np.int64) + self._count)
        self._count += len(points)

    def loft(self, outline: ArrayLike, bottom: ArrayLike, top: ArrayLike, shrink: float = 1.0) -> None:
        """A solid over a convex outline (n, 2) of (x, z); `bottom` and `top` are one height, or one per corner."""
        ring = np.asarray(outline, np.float64)
        n = len(ring)
        low, high = np.broadcast_to(bottom, n), np.broadcast_to(top, n)
        x, z = ring.T
        if np.sum(x * np.roll(z, -1) - np.roll(x, -1) * z) > 0:  # clockwise seen from above
            ring, low, high = ring[::-1], low[::-1], high[::-1]
        upper = ring.mean(0) + (ring - ring.mean(0)) * shrink
        i, j = np.arange(n), np.roll(np.arange(n), -1)
        fan = np.stack([np.zeros(n - 2, int), np.arange(1, n - 1), np.arange(2, n)], 1)
        sides = np.concatenate([np.stack([i, j, j + n], 1), np.stack([i, j + n, i + n], 1)])
        points = np.concatenate([np.insert(ring, 1, low, 1), np.insert(upper, 1, high, 1)])
        self.add(points, np.concatenate([fan + n, fan[:, ::-1], sides]))

    def box(self, x0: float, z0: float, x1: float, z1: float, bottom: float, top: float) -> None:
        self.loft([(x0, z0), (x0, z1), (x1, z1), (x1, z0)], bottom, top)

    def cylinder(
        self, x: float, z: float, radius: float, bottom: float, top: float, sides: int = 16, shrink: float = 1.0
    ) -> None:
        self.loft(circle(x, z, radius, sides), bottom, top, shrink)

    def strip(self, left: ArrayLike, right: ArrayLike, heights: Sequence[float], depth: float) -> None:
        """A deck between two polylines (n, 2), `depth` thick, with a height for each pair of points."""
        a, b = np.asarray(left, float), np.asarray(right, float)
        for k in range(len(a) - 1):
            top = np.array([heights[k], heights[k], heights[k + 1], heights[k + 1]])
            self.loft([a[k], b[k], b[k + 1], a[k + 1]], top - depth, top)

    def part(self) -> SolidPart:
        vertices = np.concatenate(self._vertices).astype(np.float32)
        return SolidPart(vertices, np.concatenate(self._triangles).astype(np.int32))


def circle(x: float, z: float, radius: float, sides: int, turn: float = 0.0) -> Points:
    angle = turn + np.arange(sides) * 2 * np.pi / sides
    return np.stack([x + radius * np.cos(angle), z + radius * np.sin(angle)], 1)


def smooth(low: float, high: float, value: ArrayLike) -> Points:
    """0 below `low`, 1 above `high`, and a smooth step between."""
    t = np.clip((np.asarray(value, float) - low) / (high - low), 0.0, 1.0)
    return t * t * (3 - 2 * t)
