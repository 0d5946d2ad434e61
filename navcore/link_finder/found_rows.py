"""What was found tile by tile, before neighbors were compared: kept, so that an edit redoes only what lies in reach.

A link starts at a wall of its tile. What is solid counts within `LinkRules.reach_cells` of it, and polygons where it
lands. The path on foot counts as well: a search that gives up after so many metres stays in an ellipse around both
ends of the link. Walls themselves depend on the tiles beside theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ..geometry.tile_grid import TileGrid, keys_of_grid
from ..geometry.tile_key import TileKey, keys_of_others, keys_of_rectangle, row_by_row
from ..jit import kernel
from ..result.navmesh import NavMesh, Tile, tiles_by_key
from ..settings import Settings
from ..surroundings.solid_matter import CellWindow
from ..surroundings.walkable_ground import WallEdges
from ..types import F64, I32, I64
from ..wide_links import WideLink
from .edited import KeptState
from .finished_links import MadeLinks
from .landings import FARTHEST_WALK
from .rules import LinkRules
from .walking_distance import FARTHER
from .wide import COLUMNS

_FAR = 2**40  # cells


class FoundRows(NamedTuple):
    """The rows of all tiles of a navmesh, and what they were found on. It is never changed."""

    rules: LinkRules
    tile_grid: TileGrid | None
    tiles: Mapping[TileKey, Tile]
    rows: Mapping[TileKey, F64]  # (., 14) sorted; places that have none are left out
    walls: Mapping[TileKey, CellWindow]  # the cells around those of each tile that has any
    kept: Mapping[WideLink, KeptState]
    unlinked: int  # polygons that meet across a tile border and are not linked, as a tile has no room
    made: MadeLinks = MappingProxyType({})
    settings: Settings | None = None  # with which those were made

    def all_rows(self) -> tuple[Mapping[TileKey, F64], F64]:
        """Those of all tiles, row by row, and all one after the other."""
        rows = {place: self.rows[place] for place in sorted(self.rows, key=row_by_row)}
        return rows, np.concatenate([np.zeros((0, COLUMNS)), *rows.values()])


def places_that_changed(
    before: FoundRows, navmesh: NavMesh, rules: LinkRules, touched: Iterable[TileKey]
) -> set[TileKey] | None:
    """The tiles that are others now, besides those that are known to be touched; None where nothing can be kept.

    A tile without room for all of its links leaves some out, which depends on what lies beside it: then all is redone.
    """
    if before.rules != rules or before.unlinked or before.tile_grid is None or navmesh.tile_grid is None:
        return None
    if not _same_grid(before.tile_grid, navmesh.tile_grid):
        return None
    now = tiles_by_key(navmesh)
    others = keys_of_others(before.tiles, now)
    changed = {place for place in others if not same_tile(before.tiles.get(place), now.get(place))}
    return changed.union(touched, _of_one_alone(before.tile_grid, navmesh.tile_grid))


def same_tile(one: Tile | None, other: Tile | None) -> bool:
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


def _of_one_alone(one: TileGrid, other: TileGrid) -> set[TileKey]:
    """The places of only one of two grids: what lies beyond a level is closed to links."""
    if (one.columns, one.rows) == (other.columns, other.rows):
        return set()
    mine, theirs = (set(keys_of_grid(grid)) for grid in (one, other))
    return mine ^ theirs


# --- how far links depend on what is around


def reach_in_cells(rules: LinkRules) -> int:
    """How far from a tile anything matters to the links that start in it."""
    aside = rules.ledge_reach + rules.landing_reach + rules.step
    up_or_down = max(rules.drop_height, rules.jump_height, rules.climb_height) + 2 * rules.voxel
    longest = float(np.hypot(aside, up_or_down))
    limit = min(rules.detour * longest, FARTHEST_WALK)
    walked = (FARTHER * limit + min(longest, limit)) / 2  # from the start of a link to the end of the ellipse
    return max(rules.reach_cells, int(np.ceil(walked / rules.cell)) + 2)


def window_of_tile(place: TileKey, tile_grid: TileGrid) -> CellWindow:
    """The cells of a tile."""
    x, y = (number * tile_grid.size for number in place.place)
    return CellWindow(x, y, x + tile_grid.size, y + tile_grid.size)


def windows_of_walls(walls: WallEdges, places: Sequence[TileKey], cell: float) -> dict[TileKey, CellWindow]:
    """The cells around the walls of each tile that has any."""
    edges = np.empty((len(places), 4), np.int64)
    _windows_kernel(walls.ends, walls.tile, cell, edges)
    return {
        place: CellWindow(*window)
        for place, window in zip(places, edges.tolist(), strict=True)
        if window[0] <= window[2]
    }


@kernel
def _windows_kernel(ends: F64, tile: I32, cell: float, edges: I64) -> None:
    """Where the cells around the walls of each tile begin and end; where it has none, the other way round."""
    edges[:, :2], edges[:, 2:] = _FAR, -_FAR
    for wall in range(len(tile)):
        own = edges[tile[wall]]
        for end in range(2):
            column, row = int(np.floor(ends[wall, end, 0] / cell)), int(np.floor(ends[wall, end, 2] / cell))
            own[0], own[1] = min(own[0], column), min(own[1], row)
            own[2], own[3] = max(own[2], column + 1), max(own[3], row + 1)


def grown(window: CellWindow, cells: int) -> CellWindow:
    """So many cells wider on each side."""
    return CellWindow(window.left - cells, window.near - cells, window.right + cells, window.far + cells)


def those_touching(
    windows: Mapping[TileKey, CellWindow], cells: int, places: Iterable[TileKey], tile_grid: TileGrid
) -> set[TileKey]:
    """The tiles whose windows come within so many cells of any of these places.

    A window lies in its tile, or a few cells beyond: only those around the places are looked at.
    """
    far = cells // tile_grid.size + 2
    found = set[TileKey]()
    for place in places:
        if place.x >= tile_grid.columns or place.y >= tile_grid.rows:
            continue
        wide = grown(window_of_tile(place, tile_grid), cells)
        for key in keys_of_rectangle(range(place.x - far, place.x + far + 1), range(place.y - far, place.y + far + 1)):
            window = windows.get(key)
            if window is not None and key not in found and _meet(window, wide):
                found.add(key)
    return found


def _meet(one: CellWindow, other: CellWindow) -> bool:
    """Whether two windows have a cell in common."""
    beside = one.left < other.right and other.left < one.right
    return beside and one.near < other.far and other.near < one.far
