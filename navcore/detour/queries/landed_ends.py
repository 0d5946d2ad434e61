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
from ...jit import borrowing, kernel
from ...result.navmesh import Tile
from ...settings import Settings
from ...types import F32, F64, I32, I64, U8, U16
from ..byte_layout import Sections, split_sections
from ..limits import MOST_CORNERS
from ..link_ends import END, START, Flags, lands_on
from ..nearest import MOST_CANDIDATES, closest_point
from ..off_mesh_links import LinkTable
from ..tile_data import Agent, boxes_of, lowest_and_highest, write_tree

NOWHERE = -1  # in no tile
_BETWEEN = -2  # in two tiles at once, as their borders are rounded
# Beyond these, links may be more than runtime data can hold.
_MOST_STARTS, _MOST_VERTICES = 1_000, 60_000  # of one tile
_MOST_TILES = 1 << 16
_SURELY = np.float32(0.99)  # of a squared radius: nearer than that, no rounding matters
_MOST_ROUNDED = 3  # cells by which the box around an end is rounded up
_MOST_CELLS = 60_000  # along a tile that are counted here; Detour begins again at 65,536


class PolygonBuckets(NamedTuple):
    """Which polygons of all tiles may be at a place, seen from above."""

    first_polygon: I64  # (tiles + 1,) number of each tile's first polygon
    first: I64  # (buckets + 1,)
    polygon: I32  # those that touch a bucket
    columns: int  # buckets along x
    rows: int
    side: float  # metres of a bucket
    origin: F64  # the corner of the first one


class LinkedGround(NamedTuple):
    """Tiles as runtime data, linked with each other, without links between places and without trees."""

    data: U8  # of all tiles, one after the other; trees are written into it
    first: I64  # (tiles + 1,)
    buckets: PolygonBuckets
    number: Mapping[TileKey, int]
    links_left: Mapping[TileKey, int]  # of those whose neighbors are all here; -1 where it may be too few

    @classmethod
    def of(
        cls, tiles: Sequence[Tile], data: tuple[U8, I64], buckets: PolygonBuckets, links_left: Sequence[int],
        surrounded: Container[TileKey],
    ) -> LinkedGround:  # fmt: skip
        """The ground of these tiles; the neighbors of some are all among them."""
        number, left = dict[TileKey, int](), dict[TileKey, int]()
        for tile, count in zip(tiles, links_left, strict=True):
            number[tile.key] = len(number)
            if tile.key in surrounded:
                left[tile.key] = count if len(tile.polygon_mesh.vertices) <= _MOST_VERTICES else -1
        return cls(*data, buckets, number, left)


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
    return _where_kernel(points.astype(np.float32), *edges[0], *edges[1])


@kernel
def _where_kernel(points: F32, lefts: F32, rights: F32, nears: F32, fars: F32) -> I64:
    where = np.empty(len(points), np.int64)
    for row in range(len(points)):
        x, y = _within(points[row, 0], lefts, rights), _within(points[row, 1], nears, fars)
        where[row] = min(x, y) if x < 0 or y < 0 else x + y * len(lefts)
    return where


@borrowing
def _within(value: np.float32, lows: F32, highs: F32) -> int:
    """Which range, begin included, a value is in."""
    beyond, end = 0, len(lows)  # the first range that begins beyond it lies between these
    while beyond < end:
        middle = (beyond + end) // 2
        if lows[middle] <= value:
            beyond = middle + 1
        else:
            end = middle
    last = beyond - 1
    inside = last >= 0 and value < highs[last]
    if last >= 1 and value < highs[last - 1]:
        return _BETWEEN if inside else last - 1
    return last if inside else NOWHERE


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
        heights[number] = lowest_and_highest(tile.polygon_mesh, tile.detail_mesh, agent)
    lands = _lands(ground, {ground.number[places[where]]: tile for where, tile in used.items()}, numbers, table)
    height = table.points[:, 1]
    lowest, highest = heights[numbers[:, START]].T
    starts = lands[:, START] & (height >= lowest) & (height <= highest)
    apart = np.abs(np.diff([ends.where % ends.columns, ends.where // ends.columns], axis=2)[..., 0]).max(axis=0)
    if (starts & ((apart > 1) | (ends.where[:, END] == NOWHERE))).any():  # Detour looks beside it
        return None
    joins = starts | (apart <= 1) | (numbers == NOWHERE).any(axis=1)
    return ~np.stack([starts, lands[:, END] & joins], axis=1)


def _lands(ground: LinkedGround, tiles: Mapping[int, Tile], numbers: I64, table: LinkTable) -> Flags:
    """(., 2) whether the tile around each end, by its number, has ground for it."""
    lands, buckets = np.zeros(numbers.shape, np.bool_), ground.buckets
    leaves = np.zeros((int(buckets.first_polygon[-1]), 6), np.uint16)
    for number, tile in tiles.items():
        begin, end = buckets.first_polygon[number : number + 2].tolist()
        data = ground.data[ground.first[number] : ground.first[number + 1]]
        leaves[begin:end] = boxes_of(data, tile.polygon_mesh, tile.detail_mesh)
    _lands_near_kernel(ground.data, ground.first, buckets, leaves, numbers, (table.points, table.radius), lands)
    asked = (numbers >= 0) & ~lands
    if asked.any():  # few: corners are rounded, and some ends lie a little aside
        numbers = np.where(asked, numbers, NOWHERE)
        for number in np.unique(numbers[asked]).tolist():
            data = ground.data[ground.first[number] : ground.first[number + 1]]
            write_tree(data, tiles[number].polygon_mesh, tiles[number].detail_mesh)
        _lands_kernel(ground.data, ground.first, numbers, table.points, table.radius, lands)
    return lands


@kernel
def _lands_near_kernel(
    data: U8, first: I64, buckets: PolygonBuckets, leaves: U16, numbers: I64, ends: tuple[F32, F32], lands: Flags
) -> None:
    """Mark ends for which there is ground so near that, whichever polygon Detour finds nearest, it is near enough.

    What it takes must be among those that Detour looks at: its box touches the one around the end, and no more
    polygons can than Detour looks at.
    """
    points, radii = ends
    closest = np.empty(3, np.float32)
    for row in range(len(numbers)):
        for which in range(2):
            number = numbers[row, which]
            if number < 0:
                continue
            point = points[row, 3 * which : 3 * which + 3]
            tile = split_sections(data[first[number] : first[number + 1]])
            column = int(np.floor((np.float64(point[0]) - buckets.origin[0]) / buckets.side))
            line = int(np.floor((np.float64(point[2]) - buckets.origin[2]) / buckets.side))
            if column < 0 or line < 0 or column >= buckets.columns or line >= buckets.rows:
                continue
            if not _all_are_looked_at(tile, buckets, column, line, radii[row]):
                continue
            begin, end = buckets.first_polygon[number], buckets.first_polygon[number + 1]
            limit = radii[row] * radii[row] * _SURELY
            for around in range(2):  # in its own bucket, then in those beside it, too
                left, right = max(column - around, 0), min(column + around, buckets.columns - 1)
                for there in range(max(line - around, 0), min(line + around, buckets.rows - 1) + 1):
                    at = there * buckets.columns
                    for k in range(buckets.first[left + at], buckets.first[right + 1 + at]):
                        polygon = np.int64(buckets.polygon[k])
                        if (
                            not lands[row, which]
                            and begin <= polygon < end
                            and _touches(tile, leaves[polygon], point, radii[row])
                        ):
                            lands[row, which] = _distance(tile, polygon - begin, point, closest) <= limit


@borrowing
def _all_are_looked_at(tile: Sections, buckets: PolygonBuckets, column: int, line: int, radius: np.float32) -> bool:
    """Whether no more polygons may touch the box around an end in this bucket than Detour looks at."""
    around = radius + np.float32(_MOST_ROUNDED) / tile.header[0]["cells_per_metre"]
    reach = int(np.float64(around) / buckets.side) + 1
    left, right = max(column - reach, 0), min(column + reach, buckets.columns - 1)
    count = 0
    for row in range(max(line - reach, 0), min(line + reach, buckets.rows - 1) + 1):
        count += buckets.first[right + 1 + row * buckets.columns] - buckets.first[left + row * buckets.columns]
    return count < MOST_CANDIDATES  # one place is taken by what ends a tree


@borrowing
def _touches(tile: Sections, leaf: U16, point: F32, radius: np.float32) -> bool:
    """Whether the box of a polygon surely touches the one around an end, both in whole cells as trees have them."""
    header = tile.header[0]
    for axis in range(3):
        near, far, scale = header["bounds_min"][axis], header["bounds_max"][axis], header["cells_per_metre"]
        cell = (min(max(point[axis], near), far) - near) * scale
        if not cell < np.float32(_MOST_CELLS):
            return False
        extent = header["agent_max_climb"] if axis == 1 else radius
        below = max(int(min(extent * scale, np.float32(_MOST_CELLS))) - 1, 0)
        if int(leaf[axis]) > int(cell) + 1 or int(leaf[axis + 3]) < int(cell) - below:
            return False
    return True


@kernel
def _distance(tile: Sections, polygon: int, point: F32, closest: F32) -> np.float32:
    """How far away a polygon is, squared, as Detour counts it."""
    over = closest_point(tile, polygon, point, closest)
    dx, dy, dz = abs(point[0] - closest[0]), abs(point[1] - closest[1]), abs(point[2] - closest[2])
    height = max(dy - tile.header[0]["agent_max_climb"], np.float32(0)) if over else dy
    return dx * dx + height * height + dz * dz


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
