"""A color for every region, the same in all views, and the rows of a legend for them."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

import numpy as np

from ..geometry.tile_key import TileKey
from ..types import U8, U16
from .picture import Color, LegendRow, ViewedPiece

BLACK: Color = (0, 0, 0, 64)  # what belongs to no region
_GOLDEN = 0.6180339887498949  # of a turn between the hues of regions that follow each other
_MAX_ROWS = 24  # of a legend
_MAX_TILES = 16  # whose regions have rows of their own
_OTHERS: Color = (128, 128, 128, 255)
_NO_TILE = TileKey(0, 0)


def color_of_region(region: int, tile: TileKey | None = None) -> Color:
    """Bright, and unlike those of the regions before and after it; tiles next door begin elsewhere."""
    x, y, _ = tile or _NO_TILE
    turn = (region * _GOLDEN + x * 0.29 + y * 0.37) % 1.0
    band = (region // 3 + x + 2 * y) % 3
    red, green, blue = colorsys.hsv_to_rgb(turn, (0.55, 0.75, 0.62)[band], (0.95, 0.85, 0.7)[band])
    return round(255 * red), round(255 * green), round(255 * blue), 255


def colors_of_regions(regions: U16, tile: TileKey | None = None, opacity: int = 255) -> U8:
    """(N, 4) colors of ids; 0, where several regions were joined, is black."""
    known, which = np.unique(regions, return_inverse=True)
    colors = [color_of_region(region, tile)[:3] if region else BLACK[:3] for region in known.tolist()]
    table = np.array([(*color, opacity) for color in colors], np.uint8).reshape(-1, 4)
    return table[which]


def region_rows(
    piece: ViewedPiece, tile: TileKey | None, regions: U16, weights: Sequence[int] | None = None
) -> list[LegendRow]:
    """A row for each of the largest regions, and one for all others; `regions` names one for each thing counted."""
    counts = np.bincount(regions, weights).astype(np.int64)
    there = np.flatnonzero(counts)
    grid = piece.navmesh.tile_grid
    many_tiles = grid is not None and grid.columns * grid.rows > _MAX_TILES
    order = there[np.argsort(-counts[there], kind="stable")]
    named = order[: 0 if many_tiles else _MAX_ROWS]
    where = "" if tile is None else f" of tile {tile}"
    rows = [
        LegendRow(f"Region {region}{where}", color_of_region(region, tile), int(counts[region]))
        for region in named.tolist()
    ]
    rest = order[len(named) :]
    if len(rest):
        label = "Regions, each in its own color" if many_tiles else f"{len(rest):,} more regions"
        rows.append(LegendRow(label, _OTHERS, int(counts[rest].sum())))
    return rows
