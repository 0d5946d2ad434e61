"""What was found tile by tile, before neighbors were compared: kept, so that an edit redoes little of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ..geometry.tile_grid import TileGrid
from ..result.navmesh import NavMesh, Tile
from ..result.wide_links import WideLink
from ..settings import Settings
from ..types import F64, I64
from .edited import KeptState
from .fields import Place, Window
from .finished_links import MadeLinks
from .rules import Rules
from .wide import COLUMNS


class FoundRows(NamedTuple):
    """The rows of all tiles of a navmesh, and what they were found on. It is never changed."""

    rules: Rules
    tile_grid: TileGrid | None
    tiles: Mapping[Place, Tile]
    rows: Mapping[Place, F64]  # (., 14) sorted; places that have none are left out
    walls: Mapping[Place, Window]  # the cells around those of each tile that has any
    kept: Mapping[WideLink, KeptState]
    unlinked: int  # polygons that meet across a tile border and are not linked, as a tile has no room
    made: MadeLinks = MappingProxyType({})
    settings: Settings | None = None  # with which those were made

    def all_rows(self) -> tuple[F64, I64]:
        """Those of all tiles, sorted, and the tile of each."""
        places = sorted(self.rows, key=lambda place: place[::-1])
        rows = [self.rows[place] for place in places]
        tiles = np.array(places, np.int64).reshape(-1, 2)
        return np.concatenate([np.zeros((0, COLUMNS)), *rows]), np.repeat(tiles, [len(some) for some in rows], axis=0)


def places_that_changed(
    before: FoundRows, navmesh: NavMesh, rules: Rules, touched: Iterable[Place]
) -> set[Place] | None:
    """The tiles that are others now, besides those that are known to be touched; None where nothing can be kept.

    A tile without room for all of its links leaves some out, which depends on what lies beside it: then all is redone.
    """
    if before.rules != rules or before.unlinked or before.tile_grid is None or navmesh.tile_grid is None:
        return None
    if not _same_grid(before.tile_grid, navmesh.tile_grid):
        return None
    now = {(tile.x, tile.y): tile for tile in navmesh.tiles}
    changed = {place for place in {*before.tiles, *now} if not _same_tile(before.tiles.get(place), now.get(place))}
    return changed.union(touched, _of_one_alone(before.tile_grid, navmesh.tile_grid))


def _same_tile(one: Tile | None, other: Tile | None) -> bool:
    """Whether these are the same arrays. (A level that grew higher has other heads of tiles.)"""
    if one is None or other is None:
        return one is other
    mine, theirs = one.polygon_mesh, other.polygon_mesh
    alike = mine.vertices is theirs.vertices and mine.polygons is theirs.polygons
    return alike and one.detail_mesh is other.detail_mesh


def _same_grid(one: TileGrid, other: TileGrid) -> bool:
    """Whether tiles lie at the same places, however many there are."""
    mine, theirs = (
        (grid.size, grid.border, grid.bounds_min.tolist(), float(grid.cell_size), float(grid.cell_height))
        for grid in (one, other)
    )
    return mine == theirs


def _of_one_alone(one: TileGrid, other: TileGrid) -> set[Place]:
    """The places of only one of two grids: what lies beyond a level is closed to links."""
    if (one.columns, one.rows) == (other.columns, other.rows):
        return set()
    mine, theirs = ({(x, y) for y in range(grid.rows) for x in range(grid.columns)} for grid in (one, other))
    return mine ^ theirs
