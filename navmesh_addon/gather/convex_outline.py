"""The convex hull of points seen from above, and how much of it triangles cover. Needs NumPy alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_SAMPLES = 24  # along each side, to see how much is covered
_AT_ONCE = 2000  # triangles: what is compared with all samples has to fit into memory


def convex_outline(points: npt.ArrayLike) -> list[list[float]]:
    """The corners of the convex hull of (N, 2) points, in order (Andrew's monotone chain)."""
    ordered = np.unique(np.asarray(points, np.float64), axis=0).tolist()
    if len(ordered) < 3:
        return ordered
    return _chain(ordered)[:-1] + _chain(ordered[::-1])[:-1]


def _chain(points: list[list[float]]) -> list[list[float]]:
    kept: list[list[float]] = []
    for point in points:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 0:
            kept.pop()
        kept.append(point)
    return kept


def _turn(a: list[float], b: list[float], c: list[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def covered_part(hull: list[list[float]], points: npt.NDArray[np.float32], triangles: npt.NDArray[np.int32]) -> float:
    """Which part of a hull its triangles cover, seen from above; 1 where there are no triangles to judge by."""
    if len(triangles) == 0:
        return 1.0
    outline = np.array(hull)
    low, high = outline.min(0), outline.max(0)
    steps = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    grid = np.stack(np.meshgrid(*(low + (high - low) * steps[:, None]).T), axis=-1).reshape(-1, 2)
    inside = grid[_within(grid, outline[None])]
    missed = inside
    corners = points[triangles].astype(np.float64)
    flat = _twice_area(corners) < 0
    corners[flat] = corners[flat][:, ::-1]  # all turn the way the hull does
    for first in range(0, len(corners), _AT_ONCE):
        missed = missed[~_within(missed, corners[first : first + _AT_ONCE])]
    return 1.0 - len(missed) / max(1, len(inside))


def _within(points: npt.NDArray[np.float64], outlines: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """(N,) whether a point lies in one of (K, corners, 2) convex outlines that turn counterclockwise."""
    found = np.ones((len(points), len(outlines)), bool)
    slack = 1e-6 * np.ptp(outlines, axis=(0, 1)).max()
    for k in range(outlines.shape[1]):
        start, end = outlines[:, k - 1], outlines[:, k]
        along = end - start
        length = np.maximum(np.hypot(*along.T), 1e-30)
        away = points[:, None, :] - start
        found &= along[:, 0] * away[:, :, 1] - along[:, 1] * away[:, :, 0] >= -slack * length
    return found.any(axis=1)


def _twice_area(triangles: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    a, b = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
