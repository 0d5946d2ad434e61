"""References: tile and polygon in one 32-bit number, and what a set of tiles spends its bits on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..geometry.tile_grid import TileGrid
from ..types import F32, Grid

MOST_BITS = 22  # for tile and polygon together; the other ten count how often a slot was used
MOST_TILE_BITS = 14


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


def bits(count: int) -> int:
    """Bits that number `count` tiles or polygons from 0. Recast: dtIlog2(dtNextPow2(count))."""
    return max(count - 1, 0).bit_length()


def tiled_parameters(tiles: TileGrid) -> SetParameters:
    """Parameters of a level in tiles, as RecastDemo chooses them."""
    tile_bits = min(bits(tiles.columns * tiles.rows), MOST_TILE_BITS)
    side = np.float32(tiles.size) * tiles.cell_size
    return SetParameters(tiles.bounds_min, side, side, 1 << tile_bits, 1 << (MOST_BITS - tile_bits))


def solo_parameters(grid: Grid, polygons: int) -> SetParameters:
    """Parameters of a level in one piece; `polygons` includes connections. Recast: dtNavMesh::init with one tile."""
    size = grid.bounds_max - grid.bounds_min
    return SetParameters(grid.bounds_min, size[0], size[2], 1, polygons)
