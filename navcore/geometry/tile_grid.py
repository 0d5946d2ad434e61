"""The tile grid: where tiles lie, which triangles each of them sees, and which ones a change touches.

Tiles overlap by a border, so that neighbors agree along their common edge; each is then built on its own by the same
pipeline. Recast: the tiled sample of its demo.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import TooLarge
from ..jit import inlined, kernel
from ..settings import Settings, Voxels
from ..threads import Workers
from ..types import F32, I32, I64, U8, U16, ArrayLike, Geometry, Grid
from .grid import rounded_up
from .grid_limits import MAX_TILE_SIZE, MAX_TILES
from .tile_key import TileKey, keys_of_rectangle, rectangle_around, row_by_row

_MIN_TRIANGLES = 50_000  # of one thread
_KEPT_RANGES = 1 << 20  # triangles of a band whose tiles are remembered: eight megabytes
BORDER_EXTRA = 3  # cells beyond the agent's radius. Recast: borderSize


class TileScale(NamedTuple):
    """Tiles whose cells are larger or smaller than those of their level; they are as wide as all others."""

    scale: float  # of a cell's side, a power of two: no rounding comes of it
    border: int  # cells of overlap on each side: as many as such cells need
    tiles: frozenset[TileKey]


class TileGrid(NamedTuple):
    """How a level is cut. The bounds stay what they are when parts are rebuilt later."""

    columns: int  # tiles along x
    rows: int  # tiles along z
    size: int  # cells along one side of a tile
    border: int  # cells of overlap on each side
    bounds_min: F32  # (3,) of the level
    bounds_max: F32  # (3,)
    cell_size: np.float32
    cell_height: np.float32
    scaled: tuple[TileScale, ...] = ()  # the tiles that have other cells than these

    def scale_of(self, key: TileKey) -> float:
        """How many of the level's cells one of a tile is wide."""
        return next((some.scale for some in self.scaled if key in some.tiles), 1.0)

    def of(self, key: TileKey) -> TileGrid:
        """The grid of a level that is cut as this one, and has the cells of this tile everywhere."""
        return next((self.all_as(some) for some in self.scaled if key in some.tiles), self.plain)

    def all_as(self, some: TileScale) -> TileGrid:
        """The same for one kind of tiles. Its sides are the same numbers to the bit."""
        size, cell_size = round(self.size / some.scale), self.cell_size * np.float32(some.scale)
        return self._replace(size=size, border=some.border, cell_size=cell_size, scaled=())

    @property
    def plain(self) -> TileGrid:
        """The grid whose tiles all have the level's own cells."""
        return self._replace(scaled=()) if self.scaled else self

    @property
    def kinds(self) -> list[TileGrid]:
        """The grids of all cells that a tile may have, the level's own first."""
        return [self.plain, *map(self.all_as, self.scaled)]

    @property
    def finest(self) -> TileGrid:
        """The one of them with the smallest cells: corners of all tiles lie on its cells."""
        return min(self.kinds, key=lambda grid: float(grid.cell_size))


def cut_into_tiles(low: F32, high: F32, settings: Settings, voxels: Voxels) -> TileGrid:
    """Cut the bounds into tiles of `settings.tile_size` cells; refused where there would be too many."""
    size, cs = settings.tile_size, voxels.cell_size
    cells = [max(math.floor((float(high[a]) - float(low[a])) / float(cs) + 0.5), 0) for a in (0, 2)]
    columns, rows = (max(1, -(-count // size)) for count in cells)
    if columns * rows > MAX_TILES:
        times = math.sqrt(columns * rows / MAX_TILES) * 1.01
        way_out = (
            f"Raise tile_size to {math.ceil(size * times)}" if size * times <= MAX_TILE_SIZE else "Use larger tiles"
        )
        raise TooLarge(
            f"The level would be {columns:,} × {rows:,} tiles of {size} cells (limit {MAX_TILES:,}). "
            f"{way_out} or raise cell_size to {rounded_up(float(cs) * times)} m."
        )
    exact = [int(np.float32(np.float32(high[a] - low[a]) / cs) + np.float32(0.5)) for a in (0, 2)]
    columns, rows = (max(1, (count + size - 1) // size) for count in exact)
    return TileGrid(columns, rows, size, voxels.radius_vx + BORDER_EXTRA, low, high, cs, voxels.cell_height)


def tile_at(tile_grid: TileGrid, place: Sequence[float] | None) -> TileKey | None:
    """The tile that holds a place; None for no place."""
    if place is None:
        return None
    side = tile_grid.size * float(tile_grid.cell_size)
    x, y = (int((place[axis] - float(tile_grid.bounds_min[axis])) // side) for axis in (0, 2))
    return TileKey(min(max(x, 0), tile_grid.columns - 1), min(max(y, 0), tile_grid.rows - 1))


def keys_of_grid(tile_grid: TileGrid) -> Iterator[TileKey]:
    """All tiles of a grid, row by row."""
    return keys_of_rectangle(range(tile_grid.columns), range(tile_grid.rows))


def grid_of_tile(tile_grid: TileGrid, key: TileKey) -> Grid:
    """The columns of a tile, border included."""
    if tile_grid.scaled:
        tile_grid = tile_grid.of(key)
    low, high = tile_grid.bounds_min.copy(), tile_grid.bounds_max.copy()
    low[0], high[0] = _edges(tile_grid, tile_grid.bounds_min[0], key.x)
    low[2], high[2] = _edges(tile_grid, tile_grid.bounds_min[2], key.y)
    side = tile_grid.size + 2 * tile_grid.border
    return Grid(side, side, tile_grid.border, low, high, tile_grid.cell_size, tile_grid.cell_height)


def _edges(tile_grid: TileGrid, origin: np.float32, number: Any) -> tuple[Any, Any]:
    """Both ends, border included, of one tile or an array of them along an axis, in Recast's order of rounding."""
    side = np.float32(tile_grid.size) * tile_grid.cell_size
    pad = np.float32(tile_grid.border) * tile_grid.cell_size
    low = origin + np.float32(number) * side
    high = origin + np.float32(number + 1) * side
    return low - pad, high + pad


def edges_of_tiles(tile_grid: TileGrid) -> tuple[tuple[F32, F32], tuple[F32, F32]]:
    """Both ends, without a border, of all tiles along x and along z: those of their polygon meshes, bit by bit.

    Where tiles have cells of several sizes they are the outermost ends that any of them would have.
    """
    if tile_grid.scaled:
        along_x, along_z = zip(*map(edges_of_tiles, tile_grid.kinds), strict=True)
        return _outermost(along_x), _outermost(along_z)
    pad = np.float32(tile_grid.border) * tile_grid.cell_size
    columns = _edges(tile_grid, tile_grid.bounds_min[0], np.arange(tile_grid.columns))
    rows = _edges(tile_grid, tile_grid.bounds_min[2], np.arange(tile_grid.rows))
    return (columns[0] + pad, columns[1] - pad), (rows[0] + pad, rows[1] - pad)


def _outermost(ends: Sequence[tuple[F32, F32]]) -> tuple[F32, F32]:
    """The lowest begin and the highest end of each tile."""
    return np.min([low for low, _ in ends], axis=0), np.max([high for _, high in ends], axis=0)


class Selection(NamedTuple):
    """Which triangles the tiles of a rectangle see, in the order given."""

    corner: tuple[int, int]  # the rectangle's first tile
    columns: int  # tiles along x in the rectangle
    first: I64  # (tiles of the rectangle + 1,)
    order: I32  # triangles, tile after tile
    scaled: tuple[tuple[frozenset[TileKey], Selection], ...] = ()  # of tiles with other cells, whose border is another

    def of(self, key: TileKey) -> I32:
        """The triangles of one tile."""
        for tiles, own in self.scaled:
            if key in tiles:
                return own.of(key)
        tile = key.x - self.corner[0] + (key.y - self.corner[1]) * self.columns
        return self.order[self.first[tile] : self.first[tile + 1]]


class TileEdges(NamedTuple):
    """Where the tiles of a rectangle begin and end, border included."""

    x_starts: F32  # (tiles along x,) metres, ascending as all of them
    x_ends: F32
    z_starts: F32  # (tiles along z,)
    z_ends: F32
    per_metre: np.float32  # tiles


def select_triangles(
    tile_grid: TileGrid,
    vertices: F32,
    triangles: I32,
    corner: tuple[int, int],
    opposite: tuple[int, int],
    workers: Workers,
) -> Selection:
    """Sort triangles into the tiles of corner:opposite whose padded box their own box touches, in the order given."""
    if tile_grid.scaled:
        return _select_by_kind(tile_grid, vertices, triangles, corner, opposite, workers)
    columns, rows = opposite[0] - corner[0], opposite[1] - corner[1]
    xs = _edges(tile_grid, tile_grid.bounds_min[0], np.arange(corner[0], opposite[0]))
    zs = _edges(tile_grid, tile_grid.bounds_min[2], np.arange(corner[1], opposite[1]))
    edges = TileEdges(*xs, *zs, np.float32(1.0 / (tile_grid.size * float(tile_grid.cell_size))))
    bands = workers.bands(len(triangles), _MIN_TRIANGLES)
    counts = np.zeros((len(bands), columns * rows), np.int64)
    ranges = [_room_for_ranges(end - begin, columns, rows) for begin, end in bands]
    arguments = [(vertices, triangles, edges, *band, kept) for band, kept in zip(bands, ranges, strict=True)]
    workers.run(_count_kernel, [(*band, count) for band, count in zip(arguments, counts, strict=True)])
    first = np.zeros(columns * rows + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=first[1:])
    places = first[:-1] + np.cumsum(counts, axis=0) - counts  # where each band's triangles of a tile begin
    order = np.empty(int(first[-1]), np.int32)
    workers.run(_fill_kernel, [(*band, place, order) for band, place in zip(arguments, places, strict=True)])
    return Selection(corner, columns, first, order)


def _select_by_kind(
    tile_grid: TileGrid, vertices: F32, triangles: I32, corner: tuple[int, int], opposite: tuple[int, int],
    workers: Workers,
) -> Selection:  # fmt: skip
    """The same where tiles have cells of several sizes, and with them borders of several widths."""
    whole = select_triangles(tile_grid.plain, vertices, triangles, corner, opposite, workers)
    found = []
    for some in tile_grid.scaled:
        inside = [key for key in some.tiles if _is_in(key, corner, opposite)]
        if inside:
            own = select_triangles(tile_grid.all_as(some), vertices, triangles, *rectangle_around(inside), workers)
            found.append((some.tiles, own))
    return whole._replace(scaled=tuple(found))


def _is_in(key: TileKey, corner: tuple[int, int], opposite: tuple[int, int]) -> bool:
    return corner[0] <= key.x < opposite[0] and corner[1] <= key.y < opposite[1]


def _room_for_ranges(triangles: int, columns: int, rows: int) -> U16:
    """Room for the tiles of the first triangles of a band, x0, x1, z0 and z1 of each: they are found once then.

    Of the others they are found again, as memory is not to grow with the level.
    """
    return np.empty((min(triangles, _KEPT_RANGES) if max(columns, rows) <= 0xFFFF else 0, 4), np.uint16)


@inlined
def _guessed(distance: np.float32, per_metre: np.float32, count: int) -> int:
    """The tile behind the one at this distance from the first one's edge, as near as arithmetic tells."""
    tile = distance * per_metre + np.float32(1.0)
    return int(min(max(tile, np.float32(0.0)), np.float32(count)))


@inlined
def _first_reaching(ends: F32, value: np.float32, per_metre: np.float32) -> int:
    """The first tile whose far end is not below `value` (ends ascend): a guess, mended by comparing."""
    tile = _guessed(value - ends[0], per_metre, len(ends))
    while tile > 0 and ends[np.uint64(tile - 1)] >= value:
        tile -= 1
    while tile < len(ends) and ends[np.uint64(tile)] < value:
        tile += 1
    return tile


@inlined
def _first_beyond(starts: F32, value: np.float32, per_metre: np.float32) -> int:
    """The first tile whose near end is above `value`."""
    tile = _guessed(value - starts[0], per_metre, len(starts))
    while tile > 0 and starts[np.uint64(tile - 1)] > value:
        tile -= 1
    while tile < len(starts) and starts[np.uint64(tile)] <= value:
        tile += 1
    return tile


@inlined
def _tile_range(
    vertices: F32, triangles: I32, t: int, axis: int, starts: F32, ends: F32, per_metre: np.float32
) -> tuple[int, int]:
    # Unsigned, here and below: nobody has to look whether a number counts from the end.
    a = vertices[np.uint32(triangles[t, 0]), axis]
    b = vertices[np.uint32(triangles[t, 1]), axis]
    c = vertices[np.uint32(triangles[t, 2]), axis]
    low, high = min(a, b, c), max(a, b, c)
    return _first_reaching(ends, low, per_metre), _first_beyond(starts, high, per_metre)


@kernel
def _count_kernel(vertices: F32, triangles: I32, edges: TileEdges, begin: int, end: int, kept: U16, count: I64) -> None:
    """How many triangles of begin:end each tile sees; fills `kept` with the tiles of the first of them."""
    x_starts, x_ends, z_starts, z_ends, per_metre = edges
    for t in range(begin, end):
        x0, x1 = _tile_range(vertices, triangles, t, 0, x_starts, x_ends, per_metre)
        z0, z1 = _tile_range(vertices, triangles, t, 2, z_starts, z_ends, per_metre)
        if t - begin < kept.shape[0]:
            kept[t - begin, 0], kept[t - begin, 1], kept[t - begin, 2], kept[t - begin, 3] = x0, x1, z0, z1
        for z in range(z0, z1):
            for x in range(x0, x1):
                count[np.uint64(x + z * len(x_starts))] += 1


@kernel
def _fill_kernel(
    vertices: F32, triangles: I32, edges: TileEdges, begin: int, end: int, kept: U16, place: I64, order: I32
) -> None:
    """Write the same triangles to the places of their tiles."""
    x_starts, x_ends, z_starts, z_ends, per_metre = edges
    columns = len(x_starts)
    known = begin + kept.shape[0]
    for t in range(begin, known):
        for z in range(np.int64(kept[t - begin, 2]), np.int64(kept[t - begin, 3])):
            for x in range(np.int64(kept[t - begin, 0]), np.int64(kept[t - begin, 1])):
                tile = np.uint64(x + z * columns)
                order[np.uint64(place[tile])] = t
                place[tile] += 1
    for t in range(known, end):
        x0, x1 = _tile_range(vertices, triangles, t, 0, x_starts, x_ends, per_metre)
        z0, z1 = _tile_range(vertices, triangles, t, 2, z_starts, z_ends, per_metre)
        for z in range(z0, z1):
            for x in range(x0, x1):
                tile = np.uint64(x + z * columns)
                order[np.uint64(place[tile])] = t
                place[tile] += 1


def chosen_triangles(geometry: Geometry, chosen: I32) -> Geometry:
    """The triangles with these numbers, and their areas, among all of the vertices."""
    return Geometry(geometry.vertices, *_gather_kernel(geometry.triangles, geometry.area, chosen))


@kernel
def _gather_kernel(triangles: I32, area: U8, chosen: I32) -> tuple[I32, U8]:
    part, part_area = np.empty((len(chosen), 3), np.int32), np.empty(len(chosen), np.uint8)
    for i in range(len(chosen)):
        t = np.uint32(chosen[i])
        part[i, 0] = triangles[t, 0]
        part[i, 1] = triangles[t, 1]
        part[i, 2] = triangles[t, 2]
        part_area[i] = area[t]
    return part, part_area


def changed_tiles(tile_grid: TileGrid, low: ArrayLike, high: ArrayLike) -> list[TileKey]:
    """The tiles whose result can depend on what lies within the box low … high: those whose padded box touches it."""
    if tile_grid.scaled:
        all_scaled = frozenset[TileKey]().union(*(some.tiles for some in tile_grid.scaled))
        found = set(changed_tiles(tile_grid.plain, low, high)) - all_scaled
        for some in tile_grid.scaled:
            found |= some.tiles.intersection(changed_tiles(tile_grid.all_as(some), low, high))
        return sorted(found, key=row_by_row)
    near, far = np.asarray(low, np.float32), np.asarray(high, np.float32)
    x_starts, x_ends = _edges(tile_grid, tile_grid.bounds_min[0], np.arange(tile_grid.columns))
    z_starts, z_ends = _edges(tile_grid, tile_grid.bounds_min[2], np.arange(tile_grid.rows))
    xs = np.flatnonzero((x_ends >= near[0]) & (x_starts <= far[0])).tolist()
    zs = np.flatnonzero((z_ends >= near[2]) & (z_starts <= far[2])).tolist()
    return [TileKey(x, y) for y in zs for x in xs]
