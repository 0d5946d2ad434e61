"""What a navmesh file holds, in numbers that people ask for: ground by area, islands, agent, cells."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..types import F64, I64, U8
from .byte_layout import AREA_MASK, split_sections
from .queries.islands import find_islands
from .reader import NavmeshFile


class AreaShare(NamedTuple):
    """The ground of one area id."""

    area: int
    polygons: int
    square_metres: float  # seen from above


class CellSize(NamedTuple):
    """Tiles with cells of one size."""

    size: float  # metres
    tiles: int


class Contents(NamedTuple):
    """The counts of a file."""

    polygons: int  # of ground
    connections: int
    vertices: int
    areas: tuple[AreaShare, ...]
    islands: int  # of `find_islands`


def contents_of(file: NavmeshFile) -> Contents:
    """Count what a checked file holds."""
    headers = [tile.sections.header[0] for tile in file.tiles]
    return Contents(
        sum(int(h["first_connection"]) for h in headers),
        sum(int(h["connections"]) for h in headers),
        sum(int(h["vertices"]) - 2 * int(h["connections"]) for h in headers),
        _areas(file),
        len(find_islands(file).square_metres),
    )


def cell_sizes(file: NavmeshFile) -> list[CellSize]:
    """The sizes of cells of a file's tiles: the one that most have comes first, of as many the larger."""
    sizes = Counter(float(f"{1 / float(tile.sections.header[0]['cells_per_metre']):.6g}") for tile in file.tiles)
    return [CellSize(*pair) for pair in sorted(sizes.items(), key=lambda pair: (-pair[1], -pair[0]))]


def _areas(file: NavmeshFile) -> tuple[AreaShare, ...]:
    count, size = np.zeros(AREA_MASK + 1, np.int64), np.zeros(AREA_MASK + 1)
    for tile in file.tiles:
        _areas_kernel(tile.data, count, size)
    return tuple(AreaShare(int(a), int(count[a]), float(size[a])) for a in np.flatnonzero(count))


@kernel
def _areas_kernel(data: U8, count: I64, size: F64) -> None:
    """Add the ground of a tile, polygon by polygon, as fans of triangles."""
    tile = split_sections(data)
    vertices, corner_of, corners = tile.vertices, tile.polygons["vertices"], tile.polygons["corners"]
    for polygon in range(tile.header[0]["first_connection"]):
        doubled = 0.0
        a = corner_of[polygon, 0]
        for corner in range(2, np.int32(corners[polygon])):
            b, c = corner_of[polygon, corner - 1], corner_of[polygon, corner]
            bx, bz = np.float64(vertices[b, 0]) - vertices[a, 0], np.float64(vertices[b, 2]) - vertices[a, 2]
            cx, cz = np.float64(vertices[c, 0]) - vertices[a, 0], np.float64(vertices[c, 2]) - vertices[a, 2]
            doubled += cx * bz - bx * cz
        area = tile.polygons["area_and_kind"][polygon] & AREA_MASK
        count[area] += 1
        size[area] += abs(doubled) / 2
