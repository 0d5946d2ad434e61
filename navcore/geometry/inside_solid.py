"""Which places lie inside of closed bodies, by rays that leave more of them than they have entered. NumPy will do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..types import F32, F64, I32, Bools

_AWAY = ((1, 1), (0, 1), (0, -1), (2, 1), (2, -1))  # axis and sign: up, and to the four sides
_ASIDE = np.array([1.7e-4, 0.0, -2.3e-4])  # metres: rays through where edges meet count twice


def inside_solid(vertices: F32, triangles: I32, points: Sequence[Sequence[float]]) -> Bools:
    """Whether every way out, up and to the four sides, leads through the back of a face that was not entered before.

    So it is inside of a box, and neither below open ground nor in a room whose walls are bodies. Points are (P, 3).
    """
    inside = np.zeros(len(points), bool)
    if len(triangles) == 0 or not inside.size:
        return inside
    corners = vertices[triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    for number, point in enumerate(points):
        origin = np.asarray(point, np.float64) + _ASIDE
        inside[number] = all(_is_left(corners, low, high, origin, axis, sign) for axis, sign in _AWAY)
    return inside


def _is_left(
    corners: F32, low: F32, high: F32, origin: F64,
    axis: int, sign: int,
) -> bool:  # fmt: skip
    """Whether a ray has, somewhere on its way, left more bodies than it has entered."""
    one, other = (axis + 1) % 3, (axis + 2) % 3
    chosen = high[:, axis] >= origin[axis] if sign > 0 else low[:, axis] <= origin[axis]
    for across in (one, other):
        chosen &= (low[:, across] <= origin[across]) & (high[:, across] >= origin[across])
    return left_through(corners[chosen].astype(np.float64) - origin, axis, sign) is not None


def left_through(corners: F64, axis: int, sign: int) -> int | None:
    """The first triangle through which a ray from the origin has left more bodies than it has entered; None: never."""
    one, other = (axis + 1) % 3, (axis + 2) % 3
    a, b, c = (corners[:, k][:, [one, other]] for k in range(3))
    parts = [p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0] for p, q in ((b, c), (c, a), (a, b))]
    whole = parts[0] + parts[1] + parts[2]
    hit = (np.minimum.reduce(parts) >= 0) | (np.maximum.reduce(parts) <= 0)
    hit &= np.abs(whole) > 1e-12
    weights = np.stack(parts, axis=1)[hit] / whole[hit, None]
    along = sign * (weights * corners[hit][:, :, axis]).sum(axis=1)
    ahead = np.flatnonzero(along > 0)
    ahead = ahead[np.argsort(along[ahead], kind="stable")]
    out = np.flatnonzero(np.cumsum(np.sign(sign * whole[hit][ahead])) > 0)
    return int(np.flatnonzero(hit)[ahead[out[0]]]) if len(out) else None
