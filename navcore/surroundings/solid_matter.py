"""Solid matter around a part of a level, on the level's own columns: what an agent in the air may not touch.

No filter has touched it: a railing that agents step over on the ground is still there. Columns are those of the whole
level; in tiles each holds what the build of its own tile has rasterized there. Kernels count in metres from the level's
corner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from ..geometry.tile_grid import TileGrid
from ..geometry.tile_key import TileKey, keys_of_rectangle
from ..geometry.tile_spans import TileSpans
from ..jit import borrowing, kernel
from ..types import I32, U16, AnyInt, Grid, Heightfield

# --- Where solid matter comes from: a level in one piece has it whole, one in tiles around what is looked at.


class CellWindow(NamedTuple):
    """Cells of a level, the last ones not included; it may reach beyond the level."""

    left: int
    near: int
    right: int
    far: int


def tiles_in(windows: Iterable[CellWindow], tile_grid: TileGrid) -> set[TileKey]:
    """The tiles that these touch."""
    places, size = set[TileKey](), tile_grid.size
    for left, near, right, far in windows:
        columns = range(max(left // size, 0), min(-(-right // size), tile_grid.columns))
        rows = range(max(near // size, 0), min(-(-far // size), tile_grid.rows))
        places.update(keys_of_rectangle(columns, rows))
    return places


class Spans(Protocol):
    """The solid spans of tiles."""

    def around(self, places: set[TileKey]) -> Mapping[TileKey, TileSpans]:
        """Those of these places."""
        ...

    def passed(self, row: int) -> None:
        """No row of tiles before this one is asked for again soon."""
        ...


class Field(Protocol):
    """The solid matter of a level."""

    grid: Grid

    def around(self, windows: Iterable[CellWindow]) -> Matter:
        """Matter that is whole within the windows."""
        ...

    def passed(self, row: int) -> None:
        """No row of tiles before this one is asked for again soon."""
        ...


class WholeField:
    """The matter of a level in one piece."""

    def __init__(self, solid: Heightfield, grid: Grid) -> None:
        self.grid = grid
        self._matter = matter_of(solid, grid)

    def around(self, _windows: Iterable[CellWindow]) -> Matter:
        """All of it."""
        return self._matter

    def passed(self, _row: int) -> None:
        """There is one row."""


class TileField:
    """The matter of a level in tiles, put together of theirs."""

    def __init__(self, tile_grid: TileGrid, spans: Spans, grid: Grid) -> None:
        self.grid = grid_of_level(tile_grid, grid)
        self._tile_grid, self._spans = tile_grid, spans

    def around(self, windows: Iterable[CellWindow]) -> Matter:
        """Whole tiles, in as many rows as the windows reach over."""
        places = tiles_in(windows, self._tile_grid)
        rows = [place.y for place in places] or [0]
        return matter_of_tiles(self._tile_grid, self.grid, self._spans.around(places), min(rows), max(rows) + 1)

    def passed(self, row: int) -> None:
        """Whoever has the spans may forget those before."""
        self._spans.passed(row)


TINY = 1e-6  # metres
BLOCK_BITS = 2
_BLOCK = 1 << BLOCK_BITS  # columns along both sides of what is looked at together
_UNKNOWN = -1


class Matter(NamedTuple):
    """Solid spans of some rows of a level's grid."""

    first: I32  # (C + 1,) where each column's spans begin
    bottom: U16  # (S,) vx
    top: U16  # (S,) vx
    width: int  # columns along x
    begin: int  # the first row
    end: int
    cell: float  # metres
    voxel: float  # metres
    highest: I32  # vx, of each block of columns; found out once it is asked for
    blocks: int  # along x


def grid_of_level(tile_grid: TileGrid | None, grid: Grid) -> Grid:
    """The columns of a whole level; `grid` is that of the polygons of a build in one piece."""
    if tile_grid is None:
        return grid
    width, depth = tile_grid.columns * tile_grid.size, tile_grid.rows * tile_grid.size
    high = tile_grid.bounds_max.copy()
    for axis, cells in ((0, width), (2, depth)):
        high[axis] = tile_grid.bounds_min[axis] + np.float32(cells) * tile_grid.cell_size
    return Grid(width, depth, 0, tile_grid.bounds_min, high, tile_grid.cell_size, tile_grid.cell_height)


def matter_of(solid: Heightfield, grid: Grid) -> Matter:
    """The matter of a level whose spans are known."""
    cell, voxel = float(grid.cell_size), float(grid.cell_height)
    return _matter(solid.first, solid.bottom, solid.top, solid.width, 0, solid.depth, cell, voxel)


def matter_of_tiles(
    tile_grid: TileGrid, grid: Grid, spans: Mapping[TileKey, TileSpans], begin: int, end: int
) -> Matter:
    """The matter of rows begin:end of tiles, with nothing where none is given."""
    size, width = tile_grid.size, grid.width
    rows = (end - begin) * size
    first = np.zeros(width * rows + 1, np.int32)
    for (x, y, _), tile in spans.items():
        _count_kernel(tile.count, size, x * size + (y - begin) * size * width, width, first)
    np.cumsum(first, out=first)
    bottom, top = np.empty(first[-1], np.uint16), np.empty(first[-1], np.uint16)
    for (x, y, _), tile in spans.items():
        _fill_kernel(tile.bottom, tile.top, size, x * size + (y - begin) * size * width, width, first, bottom, top)
    cell, voxel = float(grid.cell_size), float(grid.cell_height)
    return _matter(first, bottom, top, width, begin * size, end * size, cell, voxel)


@kernel
def _count_kernel(count: U16, size: int, corner: int, width: int, first: I32) -> None:
    """Write how many spans each column of a tile has, one column ahead."""
    for row in range(size):
        begin = corner + row * width + 1
        for column in range(size):
            first[begin + column] = count[column + row * size]


@kernel
def _fill_kernel(
    own_bottom: U16, own_top: U16, size: int, corner: int, width: int, first: I32, bottom: U16, top: U16
) -> None:  # fmt: skip
    span = 0
    for row in range(size):
        begin = corner + row * width
        for k in range(first[begin], first[begin + size]):
            bottom[k], top[k] = own_bottom[span], own_top[span]
            span += 1


def _matter(first: I32, bottom: U16, top: U16, width: int, begin: int, end: int, cell: float, voxel: float) -> Matter:
    blocks = -(-width // _BLOCK)
    highest = np.full(blocks * -(-(end - begin) // _BLOCK), _UNKNOWN, np.int32)
    return Matter(first, bottom, top, width, begin, end, cell, voxel, highest, blocks)


@borrowing
def highest_in_block(matter: Matter, column: int, row: int) -> int:
    """The highest top of a block of columns, by its own column and row: an agent high above needs no closer look.

    Most blocks are never asked for. Threads may find out at once what one is: it is the same for all.
    """
    block = column + row * matter.blocks
    if matter.highest[block] == _UNKNOWN:
        left, right = column << BLOCK_BITS, min((column + 1) << BLOCK_BITS, matter.width)
        highest = np.int32(0)
        for own_row in range(row << BLOCK_BITS, min((row + 1) << BLOCK_BITS, matter.end - matter.begin)):
            begin = own_row * matter.width
            for span in range(matter.first[left + begin], matter.first[right + begin]):
                highest = max(highest, np.int32(matter.top[span]))
        matter.highest[block] = highest
    highest_of_block: int = matter.highest[block]
    return highest_of_block


@borrowing
def column_at(matter: Matter, x: float, z: float) -> int:
    """The column around a place; -1 outside."""
    column, row = int(np.floor(x * (1 / matter.cell))), int(np.floor(z * (1 / matter.cell)))
    if column < 0 or column >= matter.width or row < matter.begin or row >= matter.end:
        return -1
    return column + (row - matter.begin) * matter.width


@borrowing
def column_within(matter: Matter, x: float, z: float) -> np.uint64:
    """The same where one is known to be there, without a look; unsigned, so that it is no index from behind."""
    column, row = np.int64(x * (1 / matter.cell)), np.int64(z * (1 / matter.cell))
    return np.uint64(column + (row - matter.begin) * matter.width)


@borrowing
def room_above(matter: Matter, span: AnyInt, last: AnyInt) -> float:
    """Metres above a span of a column that ends before `last`."""
    if span + 1 >= last:
        return np.inf
    return (int(matter.bottom[span + 1]) - int(matter.top[span])) * matter.voxel


@borrowing
def nearest_floor(matter: Matter, x: float, z: float, y: float, within: float, height: float) -> float:
    """The open floor nearest in height to `y`, with room for an agent; NaN for none within so many metres."""
    column = column_at(matter, x, z)
    best, nearest = within + TINY, np.nan
    if column < 0:
        return nearest
    last = matter.first[column + 1]
    for span in range(matter.first[column], last):
        floor = matter.top[span] * matter.voxel
        if abs(floor - y) < best and room_above(matter, span, last) >= height - TINY:
            best, nearest = abs(floor - y), floor
    return nearest
