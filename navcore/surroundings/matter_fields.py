"""Where solid matter comes from: a level in one piece has it whole, one in tiles around what is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from ..geometry.tile_grid import TileGrid
from ..geometry.tile_key import TileKey, keys_of_rectangle
from ..geometry.tile_spans import TileSpans
from ..types import Grid, Heightfield
from .solid_matter import Matter, grid_of_level, matter_of, matter_of_tiles


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
