"""The finest grid that 16 bits hold, and corners on it.

A step is a power of two metres, and steps count from the world's origin: what lies on the grid is exact in float32,
and what was written once comes back as it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..types import F64, I64

MOST_STEPS = 65_534  # of one tile along an axis
LARGEST_STEP = 2.0**-10  # metres; what would need larger ones is cut into tiles
_SMALLEST_STEP = 2.0**-20
_FINE = 2.0**-23  # of a coordinate: what float32 holds exactly
_STEEP = 2.0  # rise over run from where on a slope says nothing about where its corners belong


class Steps(NamedTuple):
    """How corners lie on the grid."""

    cell_size: float  # metres along x and z
    cell_height: float  # metres along y
    points: I64  # (V, 3) in steps from the world's origin

    def flat(self) -> list[tuple[int, int]]:
        """Corners as seen from above, as plain numbers."""
        return [(x, z) for x, z in self.points[:, [0, 2]].tolist()]

    def all_metres(self) -> F64:
        """Where all corners lie."""
        return self.points * np.array([self.cell_size, self.cell_height, self.cell_size])


def steps_for(points: F64, room_above: float) -> tuple[float, float]:
    """The steps along the ground and upwards for these corners; `room_above` metres above the highest."""
    size = np.ptp(points, axis=0)
    finest = float(np.abs(points).max()) * _FINE
    tall = float(size[1]) + room_above
    # Runtime data counts heights in steps of the ground, too.
    alone = _power_of_two(max(float(size[0]), float(size[2]), tall) / (MOST_STEPS - 2), finest)
    cut = max(LARGEST_STEP, _power_of_two(tall / (MOST_STEPS - 2), finest))
    return min(alone, cut), _power_of_two(tall / (MOST_STEPS - 2), finest)


def _power_of_two(value: float, finest: float) -> float:
    """The smallest power of two that is at least both."""
    return float(2.0 ** math.ceil(math.log2(max(value, finest, _SMALLEST_STEP))))


def on_steps(points: F64, rings: list[list[int]], cell_size: float, cell_height: float) -> I64:
    """Corners on the grid: each on the nearest step along the ground, and as high as its faces are there."""
    step = np.array([cell_size, cell_height, cell_size])
    snapped = np.rint(points / step).astype(np.int64)
    aside = (snapped * step - points)[:, [0, 2]].tolist()
    rise, used = [0.0] * len(points), [0] * len(points)
    places = points.tolist()
    for ring in rings:
        x, y, z = normal_of([places[corner] for corner in ring])
        if abs(y) * _STEEP <= math.hypot(x, z):
            continue
        for corner in ring:
            dx, dz = aside[corner]
            rise[corner] -= (x * dx + z * dz) / y
            used[corner] += 1
    level = points[:, 1] + np.array(rise) / np.maximum(np.array(used), 1)
    snapped[:, 1] = np.rint(level / cell_height).astype(np.int64)
    return snapped


def normal_of(corners: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Twice the area of a ring of points, as a vector that stands upright on it, by Newell."""
    x = y = z = 0.0
    ax, ay, az = corners[-1]
    for bx, by, bz in corners:
        x += (ay - by) * (az + bz)
        y += (az - bz) * (ax + bx)
        z += (ax - bx) * (ay + by)
        ax, ay, az = bx, by, bz
    return x, y, z
