"""Obstacles of a scene as OBSTACLES.json has them: boxes, turned boxes, cylinders. Needs NumPy alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .gathered_level import SceneItem

_STRAIGHT = 1e-5  # radians: so little turned is not turned at all
_STRIP, _MOST_STRIPS = 0.1, 16  # metres that a strip of an outline is wide at least, and how many there are at most

F64 = npt.NDArray[np.float64]


def obstacle_items(
    shape: str, points: npt.ArrayLike, angle: float, outline: Sequence[Sequence[float]]
) -> list[SceneItem]:
    """What stands for (N, 3) points, metres, y up: BOX, CYLINDER or CUT, an outline of (x, z) as strips.

    `angle` is how far the object is turned about y, in radians.
    """
    corners = np.asarray(points, np.float64)
    low, high = float(corners[:, 1].min()), float(corners[:, 1].max())
    flat = corners[:, [0, 2]]
    if shape == "CYLINDER":
        middle = (flat.min(axis=0) + flat.max(axis=0)) / 2
        radius = float(np.hypot(*(flat - middle).T).max())
        return [
            {
                "kind": "cylinder",
                "at": [float(middle[0]), low, float(middle[1])],
                "radius": radius,
                "height": high - low,
            }
        ]
    turned = _turned(flat, angle)
    if shape == "CUT" and len(outline) > 2:
        strips = _strips(_turned(np.asarray(outline, np.float64), angle))
    else:
        strips = [(turned.min(axis=0), turned.max(axis=0))]
    return [_box(first, last, (low, high), angle) for first, last in strips]


def _turned(flat: F64, angle: float) -> F64:
    """(N, 2) how far along and across the object points lie."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.column_stack([flat[:, 0] * cosine - flat[:, 1] * sine, flat[:, 0] * sine + flat[:, 1] * cosine])


def _box(first: F64, last: F64, heights: tuple[float, float], angle: float) -> SceneItem:
    """Between two corners that lie so far along and across."""
    (low, high), (along, across), half = heights, (first + last) / 2, (last - first) / 2
    if abs(math.sin(2 * angle)) < _STRAIGHT:  # along the axes
        corners = _turned(np.array([first, last]), -angle)
        (x0, z0), (x1, z1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
        return {"kind": "aabb", "min": [x0, low, z0], "max": [x1, high, z1]}
    (x, z), *_ = _turned(np.array([[along, across]]), -angle).tolist()
    size = [float(half[0]), (high - low) / 2, float(half[1])]
    return {"kind": "box", "at": [x, (low + high) / 2, z], "half": size, "angle": angle}


def _strips(outline: F64) -> list[tuple[F64, F64]]:
    """A convex outline as strips across, each as long as the outline is anywhere in it."""
    start, end = float(outline[:, 0].min()), float(outline[:, 0].max())
    count = int(np.clip(math.ceil((end - start) / _STRIP), 1, _MOST_STRIPS))
    cuts = np.linspace(start, end, count + 1)
    found = []
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        reached = [*_crossed(outline, low), *_crossed(outline, high)]
        reached += outline[(outline[:, 0] >= low) & (outline[:, 0] <= high), 1].tolist()
        found.append((np.array([low, min(reached)]), np.array([high, max(reached)])))
    return found


def _crossed(outline: F64, at: float) -> list[float]:
    """Where the edges of an outline cross a line that lies so far along."""
    ends = np.roll(outline, -1, axis=0)
    found = []
    for (x0, y0), (x1, y1) in zip(outline.tolist(), ends.tolist(), strict=True):
        if min(x0, x1) <= at <= max(x0, x1):
            part = 0.0 if x0 == x1 else (at - x0) / (x1 - x0)
            found += [y0 + part * (y1 - y0)] if x0 != x1 else [y0, y1]
    return found
