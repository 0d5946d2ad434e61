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
from ...geometry.tile_key import TileKey, keys_of_others, tiles_beside
from ...jit import borrowing, kernel
from ...result.navmesh import Tile
from ...settings import Settings
from ...types import F32, F64, I32, I64, U8, U16, Bools
from ..byte_layout import Sections, split_sections
from ..limits import MOST_CORNERS
from ..link_ends import END, START, lands_on
from ..nearest import MOST_CANDIDATES, closest_point
from ..off_mesh_links import LinkTable
from ..tile_data import Agent, boxes_of, lowest_and_highest, write_tree

NOWHERE = -1  # in no tile
UNKNOWN = -1  # how many links are left
_BETWEEN = -2  # in two tiles at once, as their borders are rounded
# Beyond these, links may be more than runtime data can hold.
_MOST_STARTS, _MOST_VERTICES = 1_000, 60_000  # of one tile
_MOST_TILES = 1 << 16
_SURELY = np.float32(0.99)  # of a squared radius: nearer than that, no rounding matters
_MOST_ROUNDED = 3  # cells by which the box around an end is rounded up
_MOST_CELLS = 60_000  # along a tile that are counted here; Detour begins again at 65,536
_EVEN = np.int32(0xFFFE)  # at which the boxes of a tree begin
_FAR = np.float32(3.4028234663852886e38)


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
    """The ends of links by tiles, and what is known of these; a place is x + y · columns."""

    where: I64  # (., 2) the place of a tile around each start and end, NOWHERE, or _BETWEEN
    links_left: I64  # (places,) of each tile, without links between places; UNKNOWN where it is not known
    has_tile: Bools  # (places,)
    columns: int

    def of_rows(self, rows: Bools | I64) -> Ends:
        """Those of some links."""
        return self._replace(where=self.where[rows])

    def are_in(self, places: Iterable[TileKey]) -> Bools:
        """Of which links one end or both are in these tiles."""
        is_one = np.zeros(len(self.has_tile) + 2, np.bool_)  # NOWHERE and _BETWEEN are none
        is_one[numbers_of(places, self.columns)] = True
        found: Bools = is_one[self.where].any(axis=1)
        return found


def numbers_of(places: Iterable[TileKey], columns: int) -> list[int]:
    """Places as `Ends` has them."""
    return [x + y * columns for x, y, _ in places]


def left_after(left: I64, columns: int, before: Mapping[TileKey, Tile], now: Mapping[TileKey, Tile]) -> I64:
    """How many links tiles have left that are as before, and beside them are the same polygons."""
    others = keys_of_others(before, now)
    beside = tiles_beside(p for p in others if not _same_polygons(before.get(p), now.get(p)))
    rows, after = len(left) // columns, left.copy()
    after[numbers_of((p for p in beside if 0 <= p.x < columns and 0 <= p.y < rows), columns)] = UNKNOWN
    return after


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


def have_room(ends: Ends, tiles: int) -> bool:
    """Whether each of so many tiles in which links start surely has a link left for each of their ends.

    A link brings two for its start and two for its end, to the tiles around them. A start takes two and one more for
    the end, of the tile around it; an end takes one at most.
    """
    return tiles <= _MOST_TILES and _have_room_kernel(ends.where, ends.links_left, ends.has_tile)


@kernel
def _have_room_kernel(where: I64, left: I64, has_tile: Bools) -> bool:
    count = np.zeros((len(left), 2), np.int64)
    for row in range(len(where)):
        for which in range(2):
            if where[row, which] == _BETWEEN:
                return False
            if where[row, which] >= 0:
                count[where[row, which], which] += 1
    for place in range(len(left)):
        starts, others = count[place]
        if starts > 0 and has_tile[place]:
            if left[place] < 0 or left[place] + others < starts or starts > _MOST_STARTS:
                return False
    return True


def failing_by_landing(
    settings: Settings, tiles: Mapping[TileKey, Tile], ends: Ends, table: LinkTable, ground: LinkedGround
) -> Bools | None:
    """(., 2) which ends of the links of a table fail where they `have_room`; None where the ground does not tell."""
    if settings.vertices_per_polygon > MOST_CORNERS:
        return None
    number_at = np.full(len(ends.has_tile), NOWHERE)
    keys = [*ground.number]
    number_at[numbers_of(keys, ends.columns)] = [*ground.number.values()]
    numbers, is_used = np.full(ends.where.shape, NOWHERE), np.zeros(len(keys), np.bool_)
    if not _numbers_kernel(ends.where, ends.has_tile, number_at, numbers, is_used):
        return None
    used = {number: tiles[keys[number]] for number in np.flatnonzero(is_used).tolist()}
    heights, agent = np.zeros((len(ground.first), 2), np.float32), Agent.of(settings)
    for number, tile in used.items():
        heights[number] = lowest_and_highest(tile.polygon_mesh, tile.detail_mesh, agent)
    lands, failing = _lands(ground, used, numbers, table), np.empty(numbers.shape, np.bool_)
    is_told = _failing_kernel((ends.where, numbers), ends.columns, table.points, heights, lands, failing)
    return failing if is_told else None


@kernel
def _numbers_kernel(where: I64, has_tile: Bools, number_at: I64, numbers: I64, is_used: Bools) -> bool:
    """Write the number of the tile around each end, and which are used; False where one has none."""
    for row in range(len(where)):
        for which in range(2):
            place = where[row, which]
            if place < 0 or not has_tile[place]:
                continue
            if number_at[place] < 0:
                return False
            numbers[row, which] = number_at[place]
            is_used[number_at[place]] = True
    return True


@kernel
def _failing_kernel(
    places: tuple[I64, I64], columns: int, points: F32, heights: F32, lands: Bools, failing: Bools
) -> bool:
    """Write which ends fail; False where Detour looks for one beside the tiles that are known."""
    where, numbers = places
    for row in range(len(where)):
        lowest, highest = heights[numbers[row, START]]
        starts = lands[row, START] and lowest <= points[row, 1] <= highest
        start, end = where[row]
        is_near = abs(end % columns - start % columns) <= 1 and abs(end // columns - start // columns) <= 1
        if starts and (not is_near or end == NOWHERE):
            return False
        joins = starts or is_near or numbers[row, START] == NOWHERE or numbers[row, END] == NOWHERE
        failing[row, START], failing[row, END] = not starts, not (lands[row, END] and joins)
    return True


def _lands(ground: LinkedGround, tiles: Mapping[int, Tile], numbers: I64, table: LinkTable) -> Bools:
    """(., 2) whether the tile around each end, by its number, has ground for it."""
    lands, asked, buckets = np.zeros(numbers.shape, np.bool_), numbers >= 0, ground.buckets
    leaves = np.zeros((int(buckets.first_polygon[-1]), 6), np.uint16)
    for number, tile in tiles.items():
        begin, end = buckets.first_polygon[number : number + 2].tolist()
        data = ground.data[ground.first[number] : ground.first[number + 1]]
        leaves[begin:end] = boxes_of(data, tile.polygon_mesh, tile.detail_mesh)
    ends = table.points, table.radius
    _lands_near_kernel((ground.data, ground.first), buckets, leaves, numbers, ends, (lands, asked))
    if asked.any():  # hardly ever
        numbers = np.where(asked, numbers, NOWHERE)
        for number in np.unique(numbers[asked]).tolist():
            data = ground.data[ground.first[number] : ground.first[number + 1]]
            write_tree(data, tiles[number].polygon_mesh, tiles[number].detail_mesh)
        _lands_kernel(ground.data, ground.first, numbers, table.points, table.radius, lands)
    return lands


@kernel
def _lands_near_kernel(
    tiles: tuple[U8, I64], buckets: PolygonBuckets, leaves: U16, numbers: I64, ends: tuple[F32, F32],
    answer: tuple[Bools, Bools],
) -> None:  # fmt: skip
    """Mark ends for which there is ground, and take back `asked` where that, or that there is none, is sure.

    No more polygons can touch the box around an end than Detour looks at, so all of them are looked at. Where one is
    near enough, whichever Detour finds nearest is as well. Else it is the nearest one of all that tells, or several as
    near that tell the same: which comes first is what only a tree knows.
    """
    data, first = tiles
    points, radii = ends
    lands, asked = answer
    closest, low, high = np.empty(3, np.float32), np.empty(3, np.int32), np.empty(3, np.int32)
    for row in range(len(numbers)):
        for which in range(2):
            number = numbers[row, which]
            if number < 0:
                continue
            point, radius = points[row, 3 * which : 3 * which + 3], radii[row]
            tile = split_sections(data[first[number] : first[number + 1]])
            column = int(np.floor((np.float64(point[0]) - buckets.origin[0]) / buckets.side))
            line = int(np.floor((np.float64(point[2]) - buckets.origin[2]) / buckets.side))
            if column < 0 or line < 0 or column >= buckets.columns or line >= buckets.rows:
                continue
            reach = _reach_of_looks(tile, buckets, column, line, radius)
            if reach < 0 or not _box_in_cells(tile, point, radius, low, high):
                continue
            begin, end = buckets.first_polygon[number], buckets.first_polygon[number + 1]
            limit, near_enough = radius * radius, radius * radius * _SURELY
            # What ends a tree is a box at its corner that stands for the first polygon, wherever that is.
            smallest, is_in, is_tie = _FAR, False, low[0] == 0 and low[1] == 0 and low[2] == 0
            around = 0
            while around <= reach and asked[row, which]:  # in its own bucket, then in those beside it, too
                left, right = max(column - around, 0), min(column + around, buckets.columns - 1)
                for there in range(max(line - around, 0), min(line + around, buckets.rows - 1) + 1):
                    at = there * buckets.columns
                    for k in range(buckets.first[left + at], buckets.first[right + 1 + at]):
                        polygon = np.int64(buckets.polygon[k])
                        if polygon < begin or polygon >= end or not _touches(leaves[polygon], low, high):
                            continue
                        distance = _distance(tile, polygon - begin, point, closest)
                        if distance <= near_enough:
                            lands[row, which], asked[row, which] = True, False
                            break
                        x, z = closest[0] - point[0], closest[2] - point[2]
                        is_within = x * x + z * z <= limit
                        if distance < smallest:
                            smallest, is_in, is_tie = distance, is_within, False
                        elif distance == smallest:
                            is_tie |= is_in != is_within
                    if not asked[row, which]:
                        break
                around = 1 if around == 0 else max(reach, around + 1)
            if asked[row, which] and not is_tie:
                lands[row, which], asked[row, which] = is_in, False


@borrowing
def _reach_of_looks(tile: Sections, buckets: PolygonBuckets, column: int, line: int, radius: np.float32) -> int:
    """How many buckets around that of an end have all polygons that may touch the box around it; -1: too many have."""
    around = radius + np.float32(_MOST_ROUNDED) / tile.header[0]["cells_per_metre"]
    reach = int(np.float64(around) / buckets.side) + 1
    left, right = max(column - reach, 0), min(column + reach, buckets.columns - 1)
    count = 0
    for row in range(max(line - reach, 0), min(line + reach, buckets.rows - 1) + 1):
        count += buckets.first[right + 1 + row * buckets.columns] - buckets.first[left + row * buckets.columns]
    return reach if count < MOST_CANDIDATES else -1  # one place is taken by what ends a tree


@borrowing
def _box_in_cells(tile: Sections, point: F32, radius: np.float32, low: I32, high: I32) -> bool:
    """Write the box around an end in whole cells, as `polygons_in_box` has it; False where these may be too many."""
    header = tile.header[0]
    scale = header["cells_per_metre"]
    for axis in range(3):
        near, far = header["bounds_min"][axis], header["bounds_max"][axis]
        if not (far - near) * scale < np.float32(_MOST_CELLS):
            return False
        extent = header["agent_max_climb"] if axis == 1 else radius
        low[axis] = np.int32(scale * (min(max(point[axis] - extent, near), far) - near)) & _EVEN
        high[axis] = np.int32(scale * (min(max(point[axis] + extent, near), far) - near) + np.float32(1)) | 1
    return True


@borrowing
def _touches(leaf: U16, low: I32, high: I32) -> bool:
    """Whether the box of a polygon touches one."""
    touches = True
    for axis in range(3):
        touches &= low[axis] <= np.int32(leaf[axis + 3]) and high[axis] >= np.int32(leaf[axis])
    return touches


@kernel
def _distance(tile: Sections, polygon: int, point: F32, closest: F32) -> np.float32:
    """How far away a polygon is, squared, as Detour counts it."""
    over = closest_point(tile, polygon, point, closest)
    dx, dy, dz = abs(point[0] - closest[0]), abs(point[1] - closest[1]), abs(point[2] - closest[2])
    height = max(dy - tile.header[0]["agent_max_climb"], np.float32(0)) if over else dy
    return dx * dx + height * height + dz * dz


@kernel
def _lands_kernel(data: U8, first: I64, numbers: I64, points: F32, radii: F32, lands: Bools) -> None:
    """Whether the tile around each end has ground for it."""
    place, half_extents, work = np.empty(3, np.float32), np.empty(3, np.float32), np.empty(1, np.int64)
    for row in range(len(numbers)):
        for which in range(2):
            number = numbers[row, which]
            if number >= 0:
                point, tile = points[row, 3 * which : 3 * which + 3], data[first[number] : first[number + 1]]
                lands[row, which] = lands_on(tile, point, radii[row], half_extents, place, work)
