"""Obstacles: cylinders, boxes and turned boxes, the cells that they take away from a layer, the tiles they touch.

Recast: dtMarkCylinderArea, dtMarkBoxArea, dtTileCache::calcTightTileBounds and getObstacleBounds.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..jit import borrowing, kernel
from ..types import F32, I32, NOT_WALKABLE
from .ground_layers import NO_GROUND
from .layer_regions import LayerCells

CYLINDER, BOX, ORIENTED_BOX = 0, 1, 2
NUMBERS = 11  # of an obstacle, as kernels take it: kind, position or low corner, sizes or high corner, angle, two more
HITS = 10  # the last one says afterwards on how many cells with ground it stands
NO_OBSTACLES = np.empty((0, NUMBERS), np.float32)
_REACH = np.float32(1.41)  # of a turned box, times its longer half side
_HALF, _ZERO, _TWO = np.float32(0.5), np.float32(0), np.float32(2)
_FAR = np.float32(1 << 24)  # cells; farther away nothing differs


class Obstacle(NamedTuple):
    """Where something stands in the way, in metres."""

    kind: int
    at: tuple[float, float, float]  # the middle of a cylinder's foot, of a turned box; the low corner of a box
    size: tuple[float, float, float]  # radius, height and nothing; half sides; the high corner
    angle: float = 0.0  # radians about y, of a turned box

    def grown(self, radius: float) -> Obstacle:
        """As it is to agents of this radius, whose centers keep their distance."""
        x, y, z = self.at
        a, b, c = self.size
        if self.kind == CYLINDER:
            return self._replace(size=(a + radius, b, c))
        if self.kind == BOX:
            return self._replace(at=(x - radius, y, z - radius), size=(a + radius, b, c + radius))
        return self._replace(size=(a + radius, b, c + radius))

    def numbers(self) -> F32:
        """(1, NUMBERS) as kernels take it."""
        if self.kind != ORIENTED_BOX:
            return np.array([(self.kind, *self.at, *self.size, 0, 0, 0, 0)], np.float32)
        half = float(np.float32(self.angle) * _HALF)
        cosine, sine = math.cos(half), math.sin(-half)
        turned = (np.float32(cosine) * np.float32(sine), np.float32(cosine) * np.float32(cosine) - _HALF)
        return np.array([(self.kind, *self.at, *self.size, self.angle, *turned, 0)], np.float32)

    def to_mapping(self) -> dict[str, Any]:
        """As OBSTACLES.json has it."""
        if self.kind == CYLINDER:
            return {"kind": "cylinder", "at": [*self.at], "radius": self.size[0], "height": self.size[1]}
        if self.kind == BOX:
            return {"kind": "aabb", "min": [*self.at], "max": [*self.size]}
        return {"kind": "box", "at": [*self.at], "half": [*self.size], "angle": self.angle}


@kernel
def box_around(obstacle: F32) -> tuple[F32, F32]:
    """The box around an obstacle of NUMBERS, in which tiles are looked for: low and high corner."""
    low, high = obstacle[1:4].copy(), obstacle[4:7].copy()
    if obstacle[0] == CYLINDER:
        radius, height = obstacle[4], obstacle[5]
        high[0], high[1], high[2] = low[0] + radius, low[1] + height, low[2] + radius
        low[0], low[2] = low[0] - radius, low[2] - radius
    elif obstacle[0] == ORIENTED_BOX:
        reach = _REACH * max(obstacle[4], obstacle[6])
        for axis in range(3):
            around = obstacle[5] if axis == 1 else reach
            high[axis] = low[axis] + around
            low[axis] = low[axis] - around
    return low, high


@kernel
def mark_obstacles(
    cells: LayerCells, obstacles: F32, origin: F32, cell_size: np.float32, cell_height: np.float32
) -> I32:  # fmt: skip
    """Clear the cells of a layer that the obstacles, one a row, stand on; returns on how many each stands."""
    scale, hits = (np.float32(1) / cell_size, np.float32(1) / cell_height), np.zeros(len(obstacles), np.int32)
    for row in range(len(obstacles)):
        hits[row] = _mark(cells, obstacles[row], origin, cell_size, scale)
    return hits


@borrowing
def _cell(number: np.float32) -> int:
    return math.floor(min(max(number, -_FAR), _FAR))


@borrowing
def _mark(
    cells: LayerCells, obstacle: F32, origin: F32, cell_size: np.float32, scale: tuple[np.float32, np.float32]
) -> int:
    per_metre, per_height = scale
    x, y, z = obstacle[1], obstacle[2], obstacle[3]
    a, b, c = obstacle[4], obstacle[5], obstacle[6]
    kind = obstacle[0]
    center_x, center_z, reach = (x - origin[0]) * per_metre, (z - origin[2]) * per_metre, _ZERO
    if kind == BOX:
        x0, x1 = _cell(center_x), _cell((a - origin[0]) * per_metre)
        z0, z1 = _cell(center_z), _cell((c - origin[2]) * per_metre)
        y0, y1 = _cell((y - origin[1]) * per_height), _cell((b - origin[1]) * per_height)
    elif kind == CYLINDER:
        x0, x1 = _cell((x - a - origin[0]) * per_metre), _cell((x + a - origin[0]) * per_metre)
        z0, z1 = _cell((z - a - origin[2]) * per_metre), _cell((z + a - origin[2]) * per_metre)
        y0, y1 = _cell((y - origin[1]) * per_height), _cell((y + b - origin[1]) * per_height)
        reach = a / cell_size + _HALF
        reach = reach * reach
    else:
        reach = _REACH * max(a, c) * per_metre
        x0, x1 = _cell(center_x - reach), _cell(center_x + reach)
        z0, z1 = _cell(center_z - reach), _cell(center_z + reach)
        y0, y1 = _cell((y - b - origin[1]) * per_height), _cell((y + b - origin[1]) * per_height)
    half_x, half_z = a * per_metre + _HALF, c * per_metre + _HALF
    marked = 0
    for row in range(max(z0, 0), min(z1 + 1, cells.depth)):
        for column in range(max(x0, 0), min(x1 + 1, cells.width)):
            cell = column + row * cells.width
            if kind == CYLINDER:
                dx, dz = np.float32(column) + _HALF - center_x, np.float32(row) + _HALF - center_z
                if dx * dx + dz * dz > reach:
                    continue
            elif kind == ORIENTED_BOX:
                dx, dz = _TWO * (np.float32(column) - center_x), _TWO * (np.float32(row) - center_z)
                along = obstacle[9] * dx + obstacle[8] * dz
                across = obstacle[9] * dz - obstacle[8] * dx
                if abs(along) > half_x or abs(across) > half_z:
                    continue
            if y0 <= cells.heights[cell] <= y1:
                marked += cells.heights[cell] != NO_GROUND
                cells.areas[cell] = NOT_WALKABLE
    return marked
