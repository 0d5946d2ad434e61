"""Whole numbers for places seen from above, so that which side of a line a point lies on is never a matter of rounding.

Corners of a navmesh lie on cells. Cells are cut into steps, fine enough for starts and ends anywhere between them,
coarse enough that products of coordinates fit into 64 bits, and that a point which is a corner, but for float32, is
that corner.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import inlined
from ..navquery.query_mesh import QueryMesh
from ..types import F64, I32, AnyArray, AnyBool, Bools

_BITS = 30  # of a coordinate: products of two differences stay below 2^61
_FINEST = 20  # bits within a cell
_ROUNDING = 4 * 2.0**-23  # a step is no finer than this part of the largest coordinate
_MAX_CELLS = 1 << 24
_OFF = 1e-3  # cells from the nearest crossing of lines that count as on it
_ULP = 2.0**-22  # of a coordinate: how far a corner may be from where it was meant


class Lattice(NamedTuple):
    """x and z in steps; z is turned around, so that polygons go around to the left."""

    origin: F64  # (2,) metres
    step: float  # metres
    cell: int  # steps
    snapped: bool  # corners are on cells; otherwise each is rounded to a step

    def of(self, points: AnyArray) -> I32:
        """(…, 2) the nearest step to each (…, 3) point."""
        return self._signed(np.rint((points[..., ::2].astype(np.float64) - self.origin) / self.step))

    def of_corners(self, points: AnyArray) -> I32:
        """The same for corners of polygons: where they belong on cells, they are there exactly."""
        if not self.snapped:
            return self.of(points)
        cells = (points[..., ::2].astype(np.float64) - self.origin) / (self.step * self.cell)
        return self._signed(np.rint(cells) * self.cell)

    def _signed(self, steps: F64) -> I32:
        largest = float(1 << _BITS)
        return np.clip(steps * [1.0, -1.0], -largest, largest).astype(np.int32)


def lattice_of(mesh: QueryMesh, used: Bools) -> Lattice:
    """The lattice of the corners that are `used`, (P, 6)."""
    corners = mesh.outline[used][:, ::2].astype(np.float64)
    if not len(corners):
        return Lattice(np.zeros(2), 1.0, 1, True)
    origin = corners.min(axis=0)
    away = corners - origin
    cell = _cell_size(away, 1.0 / float(mesh.tiles["cells_per_metre"].max()))
    off = np.abs(away / cell - np.rint(away / cell)).max()
    reach = max(float(away.max()), cell)
    if off <= _OFF + np.abs(corners).max() * _ULP / cell < 0.25 and reach / cell < _MAX_CELLS:
        finest = int(np.log2(cell / (np.abs(corners).max() * _ROUNDING + cell / (1 << _FINEST))))
        bits = max(min(_BITS - int(np.ceil(np.log2(reach / cell + 1))), finest), 0)
        return Lattice(origin, cell / (1 << bits), 1 << bits, True)
    step = max(reach / (1 << (_BITS - 1)), np.abs(corners).max() * _ROUNDING)
    return Lattice(origin, step, max(int(cell / step), 1), False)


def _cell_size(away: F64, size: float) -> float:
    """The size that fits the corners best: a file only has one that is rounded, which adds up over many cells."""
    for _ in range(2):
        cells = np.rint(away / size)
        weight = float((cells * cells).sum())
        size = float((cells * away).sum()) / weight if weight > 0 else size
    return size


class LatticePoint(NamedTuple):
    """A place in steps of the lattice."""

    x: np.int64
    z: np.int64


@inlined
def cross(a: LatticePoint, b: LatticePoint, c: LatticePoint) -> np.int64:
    """Above 0: c lies to the left of the line from a to b; below 0 to its right; exactly."""
    return (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x)


@inlined
def is_ahead(a: LatticePoint, b: LatticePoint, c: LatticePoint) -> AnyBool:
    """Whether going on from b to c leads forward for who came from a."""
    return (b.x - a.x) * (c.x - b.x) + (b.z - a.z) * (c.z - b.z) > 0


@inlined
def steps_between(a: LatticePoint, b: LatticePoint) -> float:
    dx, dz = np.float64(b.x - a.x), np.float64(b.z - a.z)
    return np.sqrt(dx * dx + dz * dz)
