"""Sizes and islands of navmeshes in plain arrays, wherever they came from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..detour.queries.islands import find_islands
from ..geometry.islands import joined_parts, numbered_by_ground
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


def plain_islands(navmesh: PlainNavmesh) -> tuple[I32, npt.NDArray[np.float64]]:
    """The island of each polygon, numbered as `find_islands` does, and the square metres of each island.

    A Detour file's are those of `find_islands`. What is known by its edges alone has no links: where they are attached,
    only the game finds out that loads it.
    """
    if navmesh.file is not None:
        islands = find_islands(navmesh.file)
        return islands.of_polygon, islands.square_metres
    count = len(navmesh.first) - 1
    part = parts_by_edges(navmesh.first, navmesh.neighbors)
    return numbered_by_ground(part, np.ones(count, bool), np.abs(areas_from_above(navmesh)))


def parts_by_edges(first: I32, neighbors: I32) -> I32:
    """For each polygon which part it belongs to, of those that hang together over shared edges; from 0."""
    count = len(first) - 1
    owner, joined = np.repeat(np.arange(count), np.diff(first)), neighbors >= 0
    return joined_parts(count, owner[joined], neighbors[joined])
