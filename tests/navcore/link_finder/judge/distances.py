"""Exact distances of upright lines to triangles, in float64, many pairs in one call."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def cut_below(triangles: F64, heights: F64) -> tuple[F64, npt.NDArray[np.intp]]:
    """What of each triangle lies above its height, as triangles, and which triangle each comes from."""
    order = np.argsort(-triangles[:, :, 1], axis=1)
    high, middle, low = (triangles[np.arange(len(triangles)), order[:, k]] for k in range(3))
    whole = low[:, 1] >= heights
    two = ~whole & (middle[:, 1] >= heights)
    one = (middle[:, 1] < heights) & (high[:, 1] > heights)
    to_low = _at_height(high, low, heights)
    from_middle, to_middle = _at_height(middle, low, heights), _at_height(high, middle, heights)
    pieces = [
        (whole, (high, middle, low)), (two, (high, middle, from_middle)), (two, (high, from_middle, to_low)),
        (one, (high, to_middle, to_low)),
    ]  # fmt: skip
    cut = np.concatenate([np.stack([corner[rows] for corner in corners], axis=1) for rows, corners in pieces])
    return cut, np.concatenate([np.flatnonzero(rows) for rows, _ in pieces])


def to_upright_lines(triangles: F64, places: F64, low: F64, high: F64) -> F64:
    """How far each triangle is from the line over its place (x, z) between two heights; 0 where they meet."""
    there = triangles - np.stack([places[:, 0], np.zeros(len(places)), places[:, 1]], axis=1)[:, None]
    squared = np.minimum(_to_face(there, low), _to_face(there, high))
    for k in range(3):
        squared = np.minimum(squared, _to_edge(there[:, k], there[:, (k + 1) % 3], low, high))
    crossing, inside = heights_over(there, np.zeros_like(places))
    squared[inside & (crossing >= low) & (crossing <= high)] = 0.0
    return np.asarray(np.sqrt(squared))


def heights_over(triangles: F64, places: F64) -> tuple[F64, Bools]:
    """The height of each triangle's plane at its place, and whether the place is over or under the triangle."""
    a, b, c = (triangles[:, k, ::2] - places for k in range(3))
    parts = np.stack([_cross(b, c), _cross(c, a), _cross(a, b)], axis=1)
    whole = parts.sum(axis=1)
    lies = np.abs(whole) > 1e-12
    shares = parts / np.where(lies, whole, 1.0)[:, None]
    return (shares * triangles[:, :, 1]).sum(axis=1), lies & (shares >= -1e-9).all(axis=1)


def _at_height(a: F64, b: F64, heights: F64) -> F64:
    """Where the lines from a down to b pass a height; of no meaning where they do not."""
    fall = a[:, 1] - b[:, 1]
    part = np.clip((a[:, 1] - heights) / np.where(fall > 0, fall, 1.0), 0.0, 1.0)
    return np.asarray(a + part[:, None] * (b - a))


def _cross(a: F64, b: F64) -> F64:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def _to_edge(a: F64, b: F64, low: F64, high: F64) -> F64:
    """Squared, from the line over the origin. Each of its ends and its middle part asks for another nearest point."""
    along = b - a
    least = np.full(len(a), np.inf)
    flat = along[:, 0] ** 2 + along[:, 2] ** 2
    whole = flat + along[:, 1] ** 2
    level = -(a[:, 0] * along[:, 0] + a[:, 2] * along[:, 2])
    for over, under in (
        (level, flat), (level - (a[:, 1] - low) * along[:, 1], whole), (level - (a[:, 1] - high) * along[:, 1], whole),
    ):  # fmt: skip
        part = np.clip(over / np.where(under > 1e-18, under, 1.0), 0.0, 1.0)
        point = a + part[:, None] * along
        apart = np.maximum(np.maximum(low - point[:, 1], point[:, 1] - high), 0.0)
        least = np.minimum(least, point[:, 0] ** 2 + point[:, 2] ** 2 + apart**2)
    return least


def _to_face(triangles: F64, height: F64) -> F64:
    """Squared, from the point at a height over the origin, where the nearest point of the plane is in the triangle."""
    a, b, c = (triangles[:, k] for k in range(3))
    normal = np.cross(b - a, c - a)
    size = (normal**2).sum(axis=1)
    point = np.zeros_like(a)
    point[:, 1] = height
    above = ((point - a) * normal).sum(axis=1)
    foot = point - (above / np.where(size > 1e-18, size, 1.0))[:, None] * normal
    inside = size > 1e-18
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(end - start, foot - start) * normal).sum(axis=1) >= 0
    return np.where(inside, above**2 / np.where(size > 1e-18, size, 1.0), np.inf)
