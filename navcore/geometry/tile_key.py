"""The key of a tile: which one of a level it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import compress
from operator import is_, not_
from typing import NamedTuple

_ROW_BITS = 24  # a level has fewer rows than MAX_TILES


class TileKey(NamedTuple):
    """Column, row and layer of a tile. Recast: tx, ty, tlayer. Builds make layer 0 alone."""

    x: int
    y: int  # counts along z, as Recast names it
    layer: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """(x, y), as reports, links and callers of the public names have it."""
        return self.x, self.y

    @property
    def packed(self) -> tuple[int, int]:
        """As two numbers of 32 bits: the column, and the row with the layer above its bits."""
        return self.x, self.y | self.layer << _ROW_BITS

    @classmethod
    def unpacked(cls, x: int, row_and_layer: int) -> TileKey:
        """The key of these two."""
        return cls(x, row_and_layer & (1 << _ROW_BITS) - 1, row_and_layer >> _ROW_BITS)

    @property
    def stages_name(self) -> str:
        """Under which name its stages are kept."""
        return f"t{self.x}_{self.y}"

    def __str__(self) -> str:
        """As messages name it."""
        return f"({self.x}, {self.y})"


def row_by_row(key: TileKey) -> tuple[int, int, int]:
    """Sorts tiles into the order in which they are built and written."""
    return key.y, key.x, key.layer


def keys_of_others(before: Mapping[TileKey, object], now: Mapping[TileKey, object]) -> set[TileKey]:
    """Those whose objects are others now, or that are there only before or only now."""
    same = map(is_, map(before.get, now), now.values())
    return {*compress(now, map(not_, same)), *(before.keys() - now.keys())}


def keys_of_rectangle(columns: range, rows: range) -> Iterator[TileKey]:
    """All tiles of a rectangle, row by row."""
    return (TileKey(x, y) for y in rows for x in columns)


def tiles_beside(keys: Iterable[TileKey]) -> set[TileKey]:
    """These tiles and the eight around each."""
    return {TileKey(x + dx, y + dy, layer) for x, y, layer in keys for dx in (-1, 0, 1) for dy in (-1, 0, 1)}


def rectangle_around(keys: Collection[TileKey]) -> tuple[tuple[int, int], tuple[int, int]]:
    """The place of its first tile, and of the one diagonally beyond its last."""
    xs, ys = zip(*(key.place for key in keys), strict=True) if keys else ((0,), (0,))
    return (min(xs), min(ys)), (max(xs) + 1, max(ys) + 1)
