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
    """From an object's own coordinates to navcore's; or many of them at once: what NumPy does for one costs it as much
    as for a hundred."""

    linear: F64  # (3, 3) or (N, 3, 3)
    offset: F64  # (3,) or (N, 3)

    @property
    def mirrors(self) -> npt.NDArray[np.bool_]:
        """Whether triangles must be turned around, so that they keep facing outward."""
        return np.asarray(self._factor < 0)

    @property
    def flattens(self) -> npt.NDArray[np.bool_]:
        """Whether an axis is scaled to nothing."""
        nothing = (np.linalg.norm(self.linear, axis=-2) < 1e-12).any(axis=-1)
        return np.asarray(nothing | (self._factor == 0))

    @property
    def _factor(self) -> F64:
        """By which volumes grow; no number where the object's place is none, which whoever looks for it says."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.linalg.det(self.linear))

    def points(self, local: npt.ArrayLike) -> F32:
        """(P, 3) own coordinates as navcore's, of many (N, P, 3); computed in float64, rounded once: to the last bit
        what one after the other gives."""
        with np.errstate(all="ignore"):  # what is not finite stays so, and is found by those who look for it
            world = np.asarray(local, np.float64) @ self.linear.swapaxes(-1, -2) + self.offset[..., None, :]
            return world.astype(np.float32)

    def of(self, number: npt.NDArray[np.int64] | int) -> Transform:
        """One or some of many."""
        return Transform(self.linear[number], self.offset[number])


def to_navcore(matrix: mathutils.Matrix, metres_per_unit: float = 1.0) -> Transform:
    """The way from an object's coordinates to navcore's; `matrix` is its `matrix_world`."""
    return all_to_navcore(np.array(matrix, np.float64)[None], metres_per_unit).of(0)


def all_to_navcore(matrices: F64, metres_per_unit: float = 1.0) -> Transform:
    """The same for (N, 4, 4) matrices."""
    with np.errstate(all="ignore"):  # what is not finite is found by those who look for it
        linear = _TURN @ _without_noise(matrices[:, :3, :3])
        offset = (_TURN @ matrices[:, :3, 3, None])[..., 0]
        return Transform(linear * metres_per_unit + 0.0, offset * metres_per_unit + 0.0)


def to_blender(points: npt.ArrayLike, metres_per_unit: float = 1.0) -> F32:
    """(N, 3) points in metres, y up, as Blender's world coordinates."""
    source = np.asarray(points, np.float32)
    turned = np.stack([source[:, 0], -source[:, 2], source[:, 1]], axis=1) + np.float32(0)
    return turned if metres_per_unit == 1 else (turned / np.float64(metres_per_unit)).astype(np.float32)


def turned_in_blender(rows: npt.ArrayLike) -> F64:
    """(3, 3) what turns and scales points of Blender as `rows` do those of navcore."""
    return np.asarray(_TURN.T @ np.asarray(rows, np.float64) @ _TURN)


def to_navcore_points(points: npt.ArrayLike, metres_per_unit: float = 1.0) -> F64:
    """(N, 3) places of the scene in metres, y up."""
    source = np.asarray(points, np.float64) * metres_per_unit
    return np.stack([source[:, 0], source[:, 2], -source[:, 1]], axis=1)


def _without_noise(linear: F64) -> F64:
    """Without what float32 left of right angles: an imported level then has the very numbers of its file."""
    longest = np.abs(linear).max(axis=-2, keepdims=True)
    clean = np.where(np.abs(linear) < _NOISE * longest, 0.0, linear)
    return np.where(np.abs(np.abs(clean) - 1.0) < _NOISE, np.sign(clean), clean)
