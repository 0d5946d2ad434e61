"""A polygon made larger or smaller by a distance, for volumes that are drawn around objects."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...errors import BadInput
from ...types import F32


def offset_polygon(points: F32, offset: float, capacity: int | None = None) -> F32:
    """(N, 3) corners → (M, 3) corners `offset` metres farther out (for one order of the corners; in for the other).

    Sharp corners are beveled into two. With a `capacity` that is less than what comes out, nothing does.
    Recast: rcOffsetPoly.
    """
    corners = np.asarray(points, np.float32)
    if corners.ndim != 2 or corners.shape[1] != 3:
        raise BadInput(f"A polygon to offset must be an array of (N, 3) corners, not {corners.shape}.")
    far = np.float32(offset)
    xz = corners[:, ::2]
    toward, onward = _directions(xz - np.roll(xz, 1, 0)), _directions(np.roll(xz, -1, 0) - xz)
    before, after = _across(toward), _across(onward)
    middle = (before + after) * np.float32(0.5)
    squares = _dots(middle, middle)
    turn = onward[:, 0] * toward[:, 1] - toward[:, 0] * onward[:, 1]
    beveled = (squares * np.float32(1.2) * np.float32(1.2) < 1) & (turn < 0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # where it isn't taken
        middle = np.where(_apart(squares), middle * (np.float32(1) / squares)[:, None], middle)
    cut = ((np.float32(1) - _dots(toward, onward)) * np.float32(0.5))[:, None]
    first = xz + np.where(beveled[:, None], (-before + toward * cut) * far, -(middle * far))
    second = xz + (-after - onward * cut) * far
    places = np.cumsum(1 + beveled) - 1
    result = np.repeat(corners, 1 + beveled, 0)
    result[places, ::2] = np.where(beveled[:, None], second, first)
    result[places[beveled] - 1, ::2] = first[beveled]
    return result if capacity is None or len(result) <= capacity else result[:0]


def _directions(steps: F32) -> F32:
    """(N, 2) vectors at length one; those that have next to none as they are."""
    squares = _dots(steps, steps)
    with np.errstate(divide="ignore", invalid="ignore"):  # where it isn't taken
        return np.where(_apart(squares), steps * (np.float32(1) / np.sqrt(squares))[:, None], steps)


def _apart(squares: F32) -> npt.NDArray[np.bool_]:
    return (squares > np.float32(1e-6))[:, None]


def _across(directions: F32) -> F32:
    return np.stack([-directions[:, 1], directions[:, 0]], 1)


def _dots(a: F32, b: F32) -> F32:
    products: F32 = a * b
    return products[:, 0] + products[:, 1]
