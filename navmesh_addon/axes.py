"""Z-up outside, Y-up inside: the one place where the two meet. Blender's (x, y, z) is (x, z, −y) in navcore.

Lengths meet here too: navcore counts metres, Blender counts units of `scene.unit_settings.scale_length` metres.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import mathutils

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

_TURN = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], np.float64)
_NOISE = 2e-7  # a rotation by 90° leaves up to this in a float32 matrix where it means 0


class Transform(NamedTuple):
    """From an object's own coordinates to navcore's."""

    linear: F64  # (3, 3)
    offset: F64  # (3,)

    @property
    def mirrors(self) -> bool:
        """Whether triangles must be turned around, so that they keep facing outward."""
        return bool(np.linalg.det(self.linear) < 0)

    @property
    def flattens(self) -> bool:
        """Whether an axis is scaled to nothing."""
        return bool((np.linalg.norm(self.linear, axis=0) < 1e-12).any()) or np.linalg.det(self.linear) == 0

    def points(self, local: npt.ArrayLike) -> F32:
        """(N, 3) own coordinates as navcore's; computed in float64, rounded once."""
        with np.errstate(all="ignore"):  # what is not finite stays so, and is found by those who look for it
            world = np.asarray(local, np.float64) @ self.linear.T + self.offset
            return world.astype(np.float32)


def to_navcore(matrix: mathutils.Matrix, metres_per_unit: float = 1.0) -> Transform:
    """The way from an object's coordinates to navcore's; `matrix` is its `matrix_world`."""
    full = np.array(matrix, np.float64)
    linear = _TURN @ _without_noise(full[:3, :3])
    return Transform(linear * metres_per_unit + 0.0, (_TURN @ full[:3, 3]) * metres_per_unit + 0.0)


def to_blender(points: npt.ArrayLike, metres_per_unit: float = 1.0) -> F32:
    """(N, 3) points in metres, y up, as Blender's world coordinates."""
    source = np.asarray(points, np.float32)
    turned = np.stack([source[:, 0], -source[:, 2], source[:, 1]], axis=1) + np.float32(0)
    return turned if metres_per_unit == 1 else (turned / np.float64(metres_per_unit)).astype(np.float32)


def _without_noise(linear: F64) -> F64:
    """Without what float32 left of right angles: an imported level then has the very numbers of its file."""
    longest = np.abs(linear).max(axis=0, keepdims=True)
    clean = np.where(np.abs(linear) < _NOISE * longest, 0.0, linear)
    return np.where(np.abs(np.abs(clean) - 1.0) < _NOISE, np.sign(clean), clean)
