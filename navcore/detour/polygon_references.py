"""References: tile and polygon in one 32-bit number, and what a set of tiles spends its bits on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..geometry.tile_grid import TileGrid
from ..types import F32, Grid

MOST_BITS = 22  # for tile and polygon together; the other ten count how often a slot was used
MOST_TILE_BITS = 14
_WIDE_POLYGONS = 1 << 16  # in one tile; nobody who reads 64-bit references counts with it


class SetParameters(NamedTuple):
    """What a set of tiles shares. Recast: dtNavMeshParams."""

    origin: F32  # (3,) corner of tile (0, 0)
    tile_width: np.float32  # metres along x
    tile_depth: np.float32  # metres along z
    most_tiles: int
    most_polygons: int  # in one tile

    @property
    def tile_bits(self) -> int:
        return bits(self.most_tiles)

    @property
    def polygon_bits(self) -> int:
        return bits(self.most_polygons)

    def reference(self, slot: int, salt: int = 1) -> int:
        """The reference of a tile, which is that of its first polygon."""
        return salt << (self.tile_bits + self.polygon_bits) | slot << self.polygon_bits


class Slots:
    """The slots of a set while tiles come and go: which one a tile gets, and how often it was used before.

    A slot that becomes free is the next to be taken, and its salt has risen by one, so that references to what lay
    there name nothing any more. Recast: m_nextFree and the salts of dtNavMesh.
    """

    def __init__(self, parameters: SetParameters, salt: int = 1) -> None:
        """`salt`: that of slots which were never used."""
        self._parameters, self._bits = parameters, (parameters.tile_bits, parameters.polygon_bits)
        self._most_salt = (1 << min(31, 32 - sum(self._bits))) - 1
        self._unused, self._free, self._salts = 0, list[int](), dict[int, int]()
        self._first_salt = (salt & self._most_salt) or 1

    def take(self) -> int | None:
        """The reference of the tile that comes next; None where all slots are taken."""
        if self._free:
            slot = self._free.pop()
        elif self._unused < self._parameters.most_tiles:
            slot = self._unused
            self._unused += 1
        else:
            return None
        return self._reference(slot, self._salts.get(slot, self._first_salt))

    def following(self, reference: int) -> int:
        """What the tile gets that takes the place of one; with reference 0 of none, and 0 where all slots are taken."""
        if reference:
            slot = self._slot(reference)
            return self._reference(slot, self._raised(slot))
        slot = self._free[-1] if self._free else self._unused
        taken = slot >= self._parameters.most_tiles
        return 0 if taken else self._reference(slot, self._salts.get(slot, self._first_salt))

    def pass_on(self, before: int, reference: int) -> None:
        """A tile with this reference, which `following` gave, takes the place of one that was there before, if any."""
        if before:
            self._salts[self._slot(before)] = reference >> self._bits[0] + self._bits[1]
        else:
            self.take()

    def _slot(self, reference: int) -> int:
        return reference >> self._bits[1] & (1 << self._bits[0]) - 1

    def _reference(self, slot: int, salt: int) -> int:
        return (salt << self._bits[0] | slot) << self._bits[1]

    def _raised(self, slot: int) -> int:
        return (self._salts.get(slot, self._first_salt) + 1 & self._most_salt) or 1

    def give_back(self, reference: int) -> None:
        """The tile with this reference is gone."""
        slot = self._slot(reference)
        self._salts[slot] = self._raised(slot)
        self._free.append(slot)


def bits(count: int) -> int:
    """Bits that number `count` tiles or polygons from 0. Recast: dtIlog2(dtNextPow2(count))."""
    return max(count - 1, 0).bit_length()


def tiled_parameters(tiles: TileGrid) -> SetParameters:
    """Parameters of a level in tiles, as RecastDemo chooses them."""
    tile_bits = min(bits(tiles.columns * tiles.rows), MOST_TILE_BITS)
    side = np.float32(tiles.size) * tiles.cell_size
    return SetParameters(tiles.bounds_min, side, side, 1 << tile_bits, 1 << (MOST_BITS - tile_bits))


def wide_parameters(tiles: TileGrid) -> SetParameters:
    """What files with 64-bit references say: the same, unless there are more tiles than 32 bits number."""
    usual, tile_bits = tiled_parameters(tiles), bits(tiles.columns * tiles.rows)
    if tile_bits <= MOST_TILE_BITS:
        return usual
    return usual._replace(most_tiles=1 << tile_bits, most_polygons=_WIDE_POLYGONS)


def solo_parameters(grid: Grid, polygons: int) -> SetParameters:
    """Parameters of a level in one piece; `polygons` includes connections. Recast: dtNavMesh::init with one tile."""
    size = grid.bounds_max - grid.bounds_min
    return SetParameters(grid.bounds_min, size[0], size[2], 1, polygons)
