"""How far a point is from a segment, computed step by step as Recast does.

The result is in the precision of the arguments, which must all be float32 or all be float64. The check of Godot's
scenes keeps a form of its own: it divides by a least length and takes a root, which rounds otherwise. Simplifying
subtracts whole numbers of cells before it rounds them to float32, so only `part_along` serves it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ..jit import inlined, kernel

AnyFloat: TypeAlias = Any  # np.float32 or np.float64, the same for all arguments of a call

FARTHEST = np.float32(np.finfo(np.float32).max)  # a distance that no other exceeds
_ZERO, _ONE = np.float32(0), np.float32(1)


@inlined
def part_along(product: AnyFloat, length2: AnyFloat) -> AnyFloat:
    """Where on a segment the point nearest to another lies: 0 at its start, 1 at its end.

    `product` is the scalar product of the ways from the start to the end and to that other point, `length2` the squared
    length of the segment, which may be 0.
    """
    part = product
    if length2 > _ZERO:
        part = part / length2
    if part < _ZERO:
        part = _ZERO
    elif part > _ONE:
        part = _ONE
    return part


@kernel
def squared_distance(x: AnyFloat, z: AnyFloat, ax: AnyFloat, az: AnyFloat, bx: AnyFloat, bz: AnyFloat) -> AnyFloat:
    """From point (x, z) to segment a → b on the ground. Recast: distancePtSeg, distancePtSeg2d."""
    u, v = bx - ax, bz - az
    dx, dz = x - ax, z - az
    part = part_along(u * dx + v * dz, u * u + v * v)
    ex, ez = (ax + part * u) - x, (az + part * v) - z
    return ex * ex + ez * ez
