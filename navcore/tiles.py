"""The tile grid: where tiles lie, which triangles each one sees, which ones a change touches, and how their jobs are run.

Tiles overlap by a border, so that neighbors agree along their common edge; each is then built on its own by the same
pipeline. Recast: the tiled sample of its demo.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from .errors import TooLarge
from .jit import kernel
from .progress import Progress
from .settings import Settings, Voxels
from .types import F32, I32, Grid

MOST_TILES = 1 << 20  # one build; runtime data holds fewer and says so itself
BORDER_EXTRA = 3  # cells beyond the agent's radius. Recast: borderSize

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


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


def tile_grid(low: F32, high: F32, settings: Settings, voxels: Voxels) -> TileGrid:
    """Cut the bounds into tiles of `settings.tile_size` cells; refused where there would be too many."""
    size, cs = settings.tile_size, voxels.cell_size
    cells = [max(math.floor((float(high[a]) - float(low[a])) / float(cs) + 0.5), 0) for a in (0, 2)]
    columns, rows = (max(1, -(-count // size)) for count in cells)
    if columns * rows > MOST_TILES:
        raise TooLarge(
            f"The level would be {columns:,} × {rows:,} tiles of {size} cells (limit {MOST_TILES:,}). "
            f"Raise tile_size to {min(4096, math.ceil(size * math.sqrt(columns * rows / MOST_TILES)))} or raise cell_size."
        )
    exact = [int(np.float32(np.float32(high[a] - low[a]) / cs) + np.float32(0.5)) for a in (0, 2)]
    columns, rows = (max(1, (count + size - 1) // size) for count in exact)
    return TileGrid(columns, rows, size, voxels.radius_vx + BORDER_EXTRA, low, high, cs, voxels.cell_height)


def grid_of_tile(tiles: TileGrid, x: int, y: int) -> Grid:
    """The columns of tile (x, y), border included; `y` counts tiles along z, as Recast names it."""
    low, high = tiles.bounds_min.copy(), tiles.bounds_max.copy()
    low_x, high_x = _edges(tiles, tiles.bounds_min[0], np.array([x]))
    low_z, high_z = _edges(tiles, tiles.bounds_min[2], np.array([y]))
    low[0], high[0], low[2], high[2] = low_x[0], high_x[0], low_z[0], high_z[0]
    side = tiles.size + 2 * tiles.border
    return Grid(side, side, tiles.border, low, high, tiles.cell_size, tiles.cell_height)


def _edges(tiles: TileGrid, origin: np.float32, number: npt.NDArray[np.int64]) -> tuple[F32, F32]:
    """Both ends, border included, of the tiles with these numbers along one axis, in Recast's order of rounding."""
    side = np.float32(tiles.size) * tiles.cell_size
    pad = np.float32(tiles.border) * tiles.cell_size
    low = origin + number.astype(np.float32) * side
    high = origin + (number + 1).astype(np.float32) * side
    return low - pad, high + pad


class Selection(NamedTuple):
    """Which triangles the tiles of a rectangle see, in the order given."""

    corner: tuple[int, int]  # the rectangle's first tile
    columns: int  # tiles along x in the rectangle
    first: npt.NDArray[np.int64]  # (tiles of the rectangle + 1,)
    order: I32  # triangles, tile after tile

    def of(self, x: int, y: int) -> I32:
        """The triangles of one tile."""
        tile = x - self.corner[0] + (y - self.corner[1]) * self.columns
        return self.order[self.first[tile] : self.first[tile + 1]]


def select_triangles(
    tiles: TileGrid, vertices: F32, triangles: I32, corner: tuple[int, int], opposite: tuple[int, int]
) -> Selection:
    """Sort triangles into the tiles of corner:opposite whose padded box their own box touches, in one pass."""
    columns, rows = opposite[0] - corner[0], opposite[1] - corner[1]
    xs = _edges(tiles, tiles.bounds_min[0], np.arange(corner[0], opposite[0]))
    zs = _edges(tiles, tiles.bounds_min[2], np.arange(corner[1], opposite[1]))
    first = np.zeros(columns * rows + 1, np.int64)
    _count_kernel(vertices, triangles, *xs, *zs, first)
    np.cumsum(first, out=first)
    order = np.empty(int(first[-1]), np.int32)
    _fill_kernel(vertices, triangles, *xs, *zs, first[:-1].copy(), order)
    return Selection(corner, columns, first, order)


@kernel
def _first_reaching(ends, value):
    """The first tile whose far end is not below `value` (ends ascend)."""
    low = 0
    high = len(ends)
    while low < high:
        middle = (low + high) // 2
        if ends[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _first_beyond(starts, value):
    """The first tile whose near end is above `value`."""
    low = 0
    high = len(starts)
    while low < high:
        middle = (low + high) // 2
        if starts[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _tile_range(vertices, triangles, t, axis, starts, ends):
    a = vertices[triangles[t, 0], axis]
    b = vertices[triangles[t, 1], axis]
    c = vertices[triangles[t, 2], axis]
    return _first_reaching(ends, min(a, b, c)), _first_beyond(starts, max(a, b, c))


@kernel
def _count_kernel(vertices, triangles, x_starts, x_ends, z_starts, z_ends, first):
    for t in range(len(triangles)):
        x0, x1 = _tile_range(vertices, triangles, t, 0, x_starts, x_ends)
        z0, z1 = _tile_range(vertices, triangles, t, 2, z_starts, z_ends)
        for z in range(z0, z1):
            for x in range(x0, x1):
                first[x + z * len(x_starts) + 1] += 1


@kernel
def _fill_kernel(vertices, triangles, x_starts, x_ends, z_starts, z_ends, place, order):
    for t in range(len(triangles)):
        x0, x1 = _tile_range(vertices, triangles, t, 0, x_starts, x_ends)
        z0, z1 = _tile_range(vertices, triangles, t, 2, z_starts, z_ends)
        for z in range(z0, z1):
            for x in range(x0, x1):
                tile = x + z * len(x_starts)
                order[place[tile]] = t
                place[tile] += 1


def changed_tiles(tiles: TileGrid, low: npt.ArrayLike, high: npt.ArrayLike) -> list[tuple[int, int]]:
    """The tiles whose result can depend on what lies within the box low … high: those whose padded box touches it."""
    near, far = np.asarray(low, np.float32), np.asarray(high, np.float32)
    x_starts, x_ends = _edges(tiles, tiles.bounds_min[0], np.arange(tiles.columns))
    z_starts, z_ends = _edges(tiles, tiles.bounds_min[2], np.arange(tiles.rows))
    xs = np.flatnonzero((x_ends >= near[0]) & (x_starts <= far[0])).tolist()
    zs = np.flatnonzero((z_ends >= near[2]) & (z_starts <= far[2])).tolist()
    return [(x, y) for y in zs for x in xs]


def in_order(
    work: Callable[[_Job], _Result], jobs: Iterable[_Job], executor: Executor, ahead: int, progress: Progress
) -> Iterator[_Result]:
    """Run `work` on every job, at most `ahead` at a time, and yield results in the order of the jobs.

    Jobs are made only when there is room for them and results are dropped as soon as they are taken, so that memory does
    not grow with the number of tiles.
    """
    waiting: deque[Future[_Result]] = deque()
    try:
        for job in jobs:
            progress.check()
            waiting.append(executor.submit(work, job))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            progress.check()
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
