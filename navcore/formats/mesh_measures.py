"""Sizes and islands of navmeshes in plain arrays, wherever they came from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..geometry.ranges import numbers_in_ranges
from ..types import I32
from .plain_navmesh import PlainNavmesh


def fans(first: I32, corners: I32) -> tuple[I32, I32]:
    """Every polygon as triangles around its first corner, and the polygon of each."""
    sizes = np.diff(first) - 2
    begin = np.repeat(first[:-1], sizes)
    second = numbers_in_ranges(first[:-1], sizes) + 1
    owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return corners[np.stack([begin, second, second + 1], axis=1)], owner


def areas_from_above(navmesh: PlainNavmesh) -> npt.NDArray[np.float64]:
    """Square metres of each polygon seen from above; 0 for one that lies within a line."""
    fan, owner = fans(navmesh.first, navmesh.corners)
    areas = np.zeros(len(navmesh.area))
    np.add.at(areas, owner, triangles_from_above(navmesh.vertices[fan].astype(np.float64)))
    return areas


def triangles_from_above(triangles: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Square metres of triangles (T, 3, 3) seen from above."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, ac = b - a, c - a
    return np.asarray(ab[:, 2] * ac[:, 0] - ab[:, 0] * ac[:, 2]) / 2


def island_labels(first: I32, neighbors: I32) -> npt.NDArray[np.int64]:
    """For each polygon the lowest number of those that it hangs together with over shared edges."""
    owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
    a, b = owner[neighbors >= 0], neighbors[neighbors >= 0]
    label = np.arange(len(first) - 1, dtype=np.int64)
    while True:
        low = label.copy()
        np.minimum.at(low, a, label[b])
        low = low[low]
        if np.array_equal(low, label):
            return label
        label = low
