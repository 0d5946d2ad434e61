"""Which tiles have finer or coarser cells than their level: those that a volume with a resolution touches.

Seen from above, as a tile reaches over all heights; sides that only meet do not touch. Where several volumes touch a
tile its cells are the finest that any of them asks for. No Recast ancestor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..build_warning import BuildWarning
from ..errors import BadSettings
from ..geometry.tile_grid import BORDER_EXTRA, TileGrid, TileScale, edges_of_tiles
from ..geometry.tile_key import TileKey
from ..report import Report, ResolutionCost
from ..scene import BoxVolume, ConvexVolume, CylinderVolume, Volume
from ..stages.areas import boxes_around
from ..types import F64, Bools
from .memory_and_time_forecast import Forecast
from .odd_input import middle_of
from .pipeline import Piece
from .recipe import Recipe

RecipeAt = Callable[[float], Recipe]  # the recipe of tiles of a resolution


class _Sides(NamedTuple):
    """Where some tiles begin and end along x and along z."""

    low: F64  # (N, 2)
    high: F64


def resolution_of(volume: Volume) -> float | None:
    """The resolution that a volume asks for, if it does."""
    return volume.resolution if isinstance(volume, (BoxVolume, ConvexVolume, CylinderVolume)) else None


def with_resolutions(tile_grid: TileGrid | None, volumes: Sequence[Volume], recipe_at: RecipeAt) -> TileGrid | None:
    """The grid with the tiles that have other cells. Raises BadSettings where there can be none."""
    wanted: dict[TileKey, float] = {}
    for volume in volumes:
        scale = resolution_of(volume)
        if scale is None:
            continue
        recipe_at(scale)  # refused by name, also where it touches nothing
        if tile_grid is not None:
            for key in tiles_under(tile_grid, volume):
                wanted[key] = min(scale, wanted.get(key, scale))
    if tile_grid is None or not wanted:
        return tile_grid
    kinds = [
        TileScale(
            scale,
            recipe_at(scale).widest.radius_vx + BORDER_EXTRA,
            frozenset(key for key, own in wanted.items() if own == scale),
        )
        for scale in sorted(set(wanted.values()))
    ]
    return tile_grid._replace(scaled=tuple(kinds))


def unused_resolutions(tile_grid: TileGrid, volumes: Sequence[Volume]) -> list[BuildWarning]:
    """A warning for each volume that changes the cells of no tile."""
    told = []
    for number, volume in enumerate(volumes, 1):
        if resolution_of(volume) is None or tiles_under(tile_grid, volume):
            continue
        text = f"Volume {number} changes no cells: it touches no tile of the level. Move it there, or leave it out."
        told.append(BuildWarning("VOLUME_UNUSED", text, middle_of(volume)))
    return told


def add_cost(report: Report, tile_grid: TileGrid, key: TileKey, piece: Piece | None, seconds: float) -> None:
    """Put what a tile took into the report, with others that have such cells."""
    scale, grid = tile_grid.scale_of(key), tile_grid.of(key)
    columns = (grid.size + 2 * grid.border) ** 2
    counts = {"spans": 0, "open_spans": 0, "polygons": 0} if piece is None else piece.counts
    taken = Forecast(columns, counts["spans"], counts["open_spans"], 0).bytes(report.settings.partition)
    known = report.resolutions.get(scale) or ResolutionCost(scale, float(grid.cell_size))
    report.resolutions[scale] = known.with_tile(counts["polygons"], seconds, taken)


def other_cells(before: TileGrid, after: TileGrid) -> set[TileKey]:
    """The tiles that have other cells in one grid than in the other."""
    places = {key for grid in (before, after) for some in grid.scaled for key in some.tiles}
    return {key for key in places if before.scale_of(key) != after.scale_of(key)}


def refuse_resolutions(volumes: Sequence[Volume], what: str) -> None:
    """Refuse volumes that change cells, for `what` has all cells alike."""
    number = next((n for n, volume in enumerate(volumes, 1) if resolution_of(volume) is not None), None)
    if number is not None:
        raise BadSettings(
            f"Volume {number} asks for a resolution, and {what} has cells of one size. Leave resolution out of it.",
            "RESOLUTION_REFUSED",
        )


def tiles_under(tile_grid: TileGrid, volume: Volume) -> list[TileKey]:
    """The tiles that a volume touches, row by row."""
    low, high = (corners[0, [0, 2]].astype(np.float64) for corners in boxes_around([volume]))
    ranges = [
        np.flatnonzero((begins.astype(np.float64) < high[axis]) & (ends.astype(np.float64) > low[axis]))
        for axis, (begins, ends) in enumerate(edges_of_tiles(tile_grid.plain))
    ]
    xs, ys = (places.ravel() for places in np.meshgrid(*ranges))
    if not len(xs):
        return []
    (x_begins, x_ends), (z_begins, z_ends) = edges_of_tiles(tile_grid.plain)
    sides = _Sides(
        np.stack([x_begins[xs], z_begins[ys]], axis=1).astype(np.float64),
        np.stack([x_ends[xs], z_ends[ys]], axis=1).astype(np.float64),
    )
    touched = _touched(volume, sides)
    return [TileKey(x, y) for x, y in zip(xs[touched].tolist(), ys[touched].tolist(), strict=True)]


def _touched(volume: Volume, sides: _Sides) -> Bools:
    """Which tiles under its box a volume touches."""
    if isinstance(volume, CylinderVolume):
        middle = np.array([volume.base[0], volume.base[2]])
        away = middle - np.clip(middle, sides.low, sides.high)
        return np.asarray((away**2).sum(axis=1) < volume.radius**2)
    if isinstance(volume, ConvexVolume):
        return _under_outline(np.array(volume.points, np.float64), sides)
    return np.ones(len(sides.low), bool)


def _under_outline(points: F64, sides: _Sides) -> Bools:
    """Those that an edge of the outline leads through, and those that lie in it as a whole."""
    touched = np.zeros(len(sides.low), bool)
    inside = np.zeros(len(sides.low), bool)
    x, z = ((sides.low + sides.high) / 2).T
    for start, end in zip(points, np.roll(points, -1, axis=0), strict=True):
        touched |= _led_through(start, end - start, sides)
        if start[1] != end[1]:
            rises = (start[1] > z) != (end[1] > z)
            inside ^= rises & (x < start[0] + (z - start[1]) / (end[1] - start[1]) * (end[0] - start[0]))
    return touched | inside


def _led_through(start: F64, along: F64, sides: _Sides) -> Bools:
    """Through the inside of which tiles an edge leads."""
    enter, leave = np.zeros(len(sides.low)), np.ones(len(sides.low))
    passes = np.ones(len(sides.low), bool)
    for axis in (0, 1):
        if along[axis] == 0:
            passes &= (sides.low[:, axis] < start[axis]) & (start[axis] < sides.high[:, axis])
            continue
        ends = [(side[:, axis] - start[axis]) / along[axis] for side in sides]
        enter, leave = np.maximum(enter, np.minimum(*ends)), np.minimum(leave, np.maximum(*ends))
    return np.asarray(passes & (enter < leave))
