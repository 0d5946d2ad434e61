"""Which ends of links are attached, told from the ground alone: where every tile has room for its links.

Detour attaches an end if there is ground for it, and if the tile in which the link starts has a link left. What walls
and neighbors use of these is known of ground that somebody has linked already. So where enough is left, nothing is
linked again: neither for all links, nor for those that stay when others are taken away.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...geometry.tile_grid import TileGrid, edges_of_tiles
from ...geometry.tile_key import TileKey, tiles_beside
from ...jit import kernel
from ...result.navmesh import Tile
from ...settings import Settings
from ...types import F32, F64, I64, U8
from ..limits import MOST_CORNERS
from ..link_ends import END, START, Flags, lands_on
from ..off_mesh_links import LinkTable
from ..tile_data import Agent, lowest_and_highest, write_tree

NOWHERE = -1  # in no tile
_BETWEEN = -2  # in two tiles at once, as their borders are rounded
# Beyond these, links may be more than runtime data can hold.
_MOST_STARTS, _MOST_VERTICES = 1_000, 60_000  # of one tile
_MOST_TILES = 1 << 16


class LinkedGround(NamedTuple):
    """Tiles as runtime data, linked with each other, without links between places and without trees."""

    data: U8  # of all tiles, one after the other; trees are written into it
    first: I64  # (tiles + 1,)
    number: Mapping[TileKey, int]
    links_left: Mapping[TileKey, int]  # of those whose neighbors are all here; -1 where it may be too few

    @classmethod
    def of(
        cls, tiles: Sequence[Tile], data: U8, first: I64, links_left: Sequence[int], surrounded: Container[TileKey]
    ) -> LinkedGround:
        """The ground of these tiles; the neighbors of some are all among them."""
        number, left = dict[TileKey, int](), dict[TileKey, int]()
        for tile, count in zip(tiles, links_left, strict=True):
            number[tile.key] = len(number)
            if tile.key in surrounded:
                left[tile.key] = count if len(tile.polygon_mesh.vertices) <= _MOST_VERTICES else -1
        return cls(data, first, number, left)


class Ends(NamedTuple):
    """The ends of links by tiles, and what is known of these."""

    where: I64  # (., 2) x + y · columns of the place of a tile around each start and end, NOWHERE, or _BETWEEN
    links_left: Mapping[TileKey, int]  # of each tile, without links between places; missing where it is not known
    columns: int

    def of_rows(self, rows: Flags | I64) -> Ends:
        """Those of some links."""
        return self._replace(where=self.where[rows])

    def are_in(self, places: Iterable[TileKey]) -> Flags:
        """Of which links one end or both are in these tiles."""
        found: Flags = np.isin(self.where, self.numbers(places)).any(axis=1)
        return found

    def numbers(self, places: Iterable[TileKey]) -> list[int]:
        """Places as `where` has them."""
        return [place.x + place.y * self.columns for place in places]

    def place(self, where: int) -> TileKey:
        """The place of a tile."""
        return TileKey(where % self.columns, where // self.columns)


def left_after(
    links_left: Mapping[TileKey, int], before: Mapping[TileKey, Tile], now: Mapping[TileKey, Tile]
) -> dict[TileKey, int]:
    """How many links tiles have left that are as before, and beside them are the same polygons."""
    beside = tiles_beside(p for p in {*before, *now} if not _same_polygons(before.get(p), now.get(p)))
    return {place: left for place, left in links_left.items() if place not in beside}


def _same_polygons(one: Tile | None, other: Tile | None) -> bool:
    """Whether they have the same borders, whatever the height of their bounds."""
    if one is other or one is None or other is None:
        return one is other
    mine, theirs = one.polygon_mesh, other.polygon_mesh
    low, their_low = mine.grid.bounds_min, theirs.grid.bounds_min
    return mine.vertices is theirs.vertices and mine.polygons is theirs.polygons and bool((low == their_low).all())


def where_points_are(points: F64, tile_grid: TileGrid | None, tiles: Sequence[Tile]) -> I64:
    """Where points (., 2) of x and z are, as `Ends` has it, whether there is a tile or not."""
    if tile_grid is None:
        bounds = tiles[0].polygon_mesh.grid
        edges = [(bounds.bounds_min[[axis]], bounds.bounds_max[[axis]]) for axis in (0, 2)]
    else:
        edges = [*edges_of_tiles(tile_grid)]
    x, y = (_within(values, *ends) for values, ends in zip(points.astype(np.float32).T, edges, strict=True))
    return np.where((x < 0) | (y < 0), np.minimum(x, y), x + y * len(edges[0][0]))


def _within(values: F32, lows: F32, highs: F32) -> I64:
    """Which range, begin included, each value is in."""
    last = np.searchsorted(lows, values, side="right") - 1
    inside = (last >= 0) & (values < highs[last])
    also = (last >= 1) & (values < highs[np.maximum(last - 1, 0)])
    return np.where(also, np.where(inside, _BETWEEN, last - 1), np.where(inside, last, NOWHERE))


def have_room(ends: Ends, tiles: Mapping[TileKey, Tile]) -> bool:
    """Whether each tile in which links start surely has a link left for each of their ends.

    A link brings two for its start and two for its end, to the tiles around them. A start takes two and one more for
    the end, of the tile around it; an end takes one at most.
    """
    if (ends.where == _BETWEEN).any() or len(tiles) > _MOST_TILES:
        return False
    size = ends.columns * (1 + max((place.y for place in tiles), default=0))
    starts, others = (np.bincount(column[column >= 0], minlength=size) for column in ends.where.T)
    left = np.full(len(starts), -1)
    left[ends.numbers(ends.links_left)] = [*ends.links_left.values()]
    has_tile = np.zeros(len(starts), bool)
    has_tile[ends.numbers(tiles)] = True
    asked = np.flatnonzero((starts > 0) & has_tile)
    lacks = (left[asked] < 0) | (left[asked] + others[asked] < starts[asked]) | (starts[asked] > _MOST_STARTS)
    return not lacks.any()


def failing_by_landing(
    settings: Settings, tiles: Mapping[TileKey, Tile], ends: Ends, table: LinkTable, ground: LinkedGround
) -> Flags | None:
    """(., 2) which ends of the links of a table fail where they `have_room`; None where the ground does not tell."""
    if settings.vertices_per_polygon > MOST_CORNERS:
        return None
    places = {where: ends.place(where) for where in np.unique(ends.where).tolist() if where >= 0}
    used = {where: tiles[place] for where, place in places.items() if place in tiles}
    if not {places[where] for where in used} <= ground.number.keys():
        return None
    numbers, agent = np.full(ends.where.shape, NOWHERE), Agent.of(settings)
    heights = np.zeros((len(ground.first), 2), np.float32)
    for where, tile in used.items():
        number = ground.number[places[where]]
        numbers[ends.where == where] = number
        data = ground.data[ground.first[number] : ground.first[number + 1]]
        write_tree(data, tile.polygon_mesh, tile.detail_mesh)
        heights[number] = lowest_and_highest(tile.polygon_mesh, tile.detail_mesh, agent)
    lands = np.zeros(ends.where.shape, np.bool_)
    _lands_kernel(ground.data, ground.first, numbers, table.points, table.radius, lands)
    height = table.points[:, 1]
    lowest, highest = heights[numbers[:, START]].T
    starts = lands[:, START] & (height >= lowest) & (height <= highest)
    apart = np.abs(np.diff([ends.where % ends.columns, ends.where // ends.columns], axis=2)[..., 0]).max(axis=0)
    if (starts & ((apart > 1) | (ends.where[:, END] == NOWHERE))).any():  # Detour looks beside it
        return None
    joins = starts | (apart <= 1) | (numbers == NOWHERE).any(axis=1)
    return ~np.stack([starts, lands[:, END] & joins], axis=1)


@kernel
def _lands_kernel(data: U8, first: I64, numbers: I64, points: F32, radii: F32, lands: Flags) -> None:
    """Whether the tile around each end has ground for it."""
    place, half_extents, work = np.empty(3, np.float32), np.empty(3, np.float32), np.empty(1, np.int64)
    for row in range(len(numbers)):
        for which in range(2):
            number = numbers[row, which]
            if number >= 0:
                point, tile = points[row, 3 * which : 3 * which + 3], data[first[number] : first[number + 1]]
                lands[row, which] = lands_on(tile, point, radii[row], half_extents, place, work)
