"""Two small tiles that can be worked out by hand: each two polygons, the second to the right of the first."""

from __future__ import annotations

import io

import numpy as np

from navcore.detour.byte_layout import SET_HEADER, TILE_ENTRY
from navcore.detour.file_checks import BadFile
from navcore.detour.reader import read_navmesh
from navcore.detour.tile_data import Agent
from navcore.formats.mset import MsetWriter
from navcore.geometry.tile_grid import TileGrid
from navcore.result.navmesh import Tile
from navcore.scene import Link
from navcore.settings import Settings
from navcore.types import DetailMesh, Grid, PolygonMesh

SETTINGS = Settings()
AGENT = Agent.of(SETTINGS)
CS, CH = np.float32(0.3), np.float32(0.2)
N = 0xFFFF


def mesh(
    low: list[float], high: list[float], vertices: list[list[int]], rows: list[tuple[list[int], list[int]]]
) -> PolygonMesh:
    """`rows`: corners and neighbors of each polygon."""
    padded = [
        (corners + [N] * (6 - len(corners)), neighbors + [N] * (6 - len(neighbors))) for corners, neighbors in rows
    ]
    polygons, neighbors = (np.array([row[k] for row in padded], np.uint16) for k in (0, 1))
    grid = Grid(10, 10, 0, np.array(low, np.float32), np.array(high, np.float32), CS, CH)
    area, region = np.full(len(rows), 63, np.uint8), np.zeros(len(rows), np.uint16)
    return PolygonMesh(np.array(vertices, np.uint16), polygons, neighbors, region, area, 0, np.float32(1.3), grid)


LEFT = mesh(
    [0, 0, 0], [3, 4, 3], [[0, 2, 0], [0, 2, 10], [6, 2, 10], [6, 2, 0], [10, 2, 0], [10, 2, 10]],
    [([0, 1, 2, 3], [0x8000, N, 1, N]), ([3, 2, 5, 4], [0, N, 0x8002, N])],
)  # fmt: skip
RIGHT = mesh(
    [3, 0, 0], [6, 4, 3], [[0, 2, 0], [0, 2, 4], [0, 3, 10], [10, 3, 10], [10, 2, 4], [10, 2, 0]],
    [([0, 1, 4, 5], [0x8000, 1, N, N]), ([1, 2, 3, 4], [0x8000, N, N, 0])],
)  # fmt: skip
LEFT_DETAIL = DetailMesh(
    np.array([[0, 5, 0, 4], [5, 4, 4, 2]], np.uint32),
    np.array(
        [[0, 0.4, 0], [0, 0.4, 3], [1.8, 0.4, 3], [1.8, 0.4, 0], [1, 0.7, 1.5],
         [1.8, 0.4, 0], [1.8, 0.4, 3], [3, 0.4, 3], [3, 0.4, 0]], np.float32,
    ),
    np.array([[0, 1, 4, 1], [1, 2, 4, 1], [2, 3, 4, 1], [3, 0, 4, 1], [0, 1, 2, 5], [0, 2, 3, 20]], np.uint8),
)  # fmt: skip
GRID = TileGrid(2, 1, 10, 5, LEFT.grid.bounds_min, np.array([6, 4, 3], np.float32), CS, CH)

JUMP = Link(start=(1, 0.5, 1), end=(5, 0.6, 2.5), radius=0.5, area=5, flags=8, id=77)  # from LEFT to RIGHT
HOP = Link(start=(0.5, 0.5, 2.5), end=(2.5, 0.5, 0.5), radius=0.5, bidirectional=False, id=78)  # within LEFT


def file_of(tiles: list[Tile], grid: TileGrid | None = GRID, links: tuple[Link, ...] = ()) -> bytes:
    file = io.BytesIO()
    writer = MsetWriter(file, SETTINGS, grid, links)
    for tile in tiles:
        writer.add(tile)
    writer.finish()
    return file.getvalue()


def small_file() -> bytes:
    """Both tiles, one with a detail mesh, with links within and between them: every section is there."""
    return file_of([Tile(0, 0, LEFT, LEFT_DETAIL), Tile(1, 0, RIGHT, None)], GRID, (JUMP, HOP))


SMALL = small_file()
FIRST_TILE = SET_HEADER.itemsize + TILE_ENTRY.itemsize  # where its bytes begin in a set
EXAMPLE = file_of([Tile(0, 0, LEFT, None)], None)


def code_of(content: bytes) -> str:
    """The rule that a file breaks, or nothing."""
    try:
        read_navmesh(content)
    except BadFile as refused:
        return refused.code
    return ""
