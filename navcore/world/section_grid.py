"""Which tiles of a world belong to which section: those whose middle its box holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..builder.checked_input import checked_bounds
from ..builder.recipe import recipe_of
from ..detour.polygon_references import SetParameters, tiled_parameters, wide_parameters
from ..errors import BadInput
from ..geometry.grid import check_precision
from ..geometry.tile_grid import TileGrid, cut_into_tiles, grid_of_tile
from ..geometry.tile_key import TileKey, keys_of_rectangle
from ..types import F32, I32
from .world_file import World

_NOBODY = -1


class SeenGround(NamedTuple):
    """A rectangle along x and z, in metres as tiles count them."""

    x0: np.float32
    z0: np.float32
    x1: np.float32
    z1: np.float32

    def common(self, other: SeenGround) -> SeenGround:
        """What lies in both."""
        return SeenGround(
            max(self.x0, other.x0), max(self.z0, other.z0), min(self.x1, other.x1), min(self.z1, other.z1)
        )  # fmt: skip


class OwnTiles(NamedTuple):
    """The tiles of a section: a rectangle of them, as its box is one."""

    columns: range
    rows: range

    @property
    def keys(self) -> list[TileKey]:
        """Row by row."""
        return list(keys_of_rectangle(self.columns, self.rows))


class SectionGrid:
    """The tiles of a world, and whose each is."""

    def __init__(self, world: World, reference_bits: int = 32) -> None:
        """Raises BadInput where two sections own a tile, or one owns none."""
        if reference_bits not in (32, 64):
            raise BadInput(f"reference_bits is {reference_bits!r}. Give 32 or 64.", "WRONG_QUESTION")
        self.reference_bits = reference_bits
        bounds = checked_bounds(world.bounds)
        assert bounds is not None
        settings = world.settings
        self.tiles: TileGrid = cut_into_tiles(*bounds, settings, recipe_of(settings, False, world.sizes).widest)
        check_precision(grid_of_tile(self.tiles, TileKey(self.tiles.columns - 1, self.tiles.rows - 1)))
        self.side = self.tiles.size * float(self.tiles.cell_size)  # metres
        self.origin = float(self.tiles.bounds_min[0]), float(self.tiles.bounds_min[2])
        self.owner: I32 = np.full((self.tiles.rows, self.tiles.columns), _NOBODY, np.int32)
        self.own: list[OwnTiles] = []
        self._names = [section.name for section in world.sections]
        for number, section in enumerate(world.sections):
            x0, z0, x1, z1 = section.box
            own = OwnTiles(self._owned(x0, x1, 0, self.tiles.columns), self._owned(z0, z1, 1, self.tiles.rows))
            self._claim(number, own)
            self.own.append(own)
        self._corners = np.array([(o.columns[0], o.columns[-1], o.rows[0], o.rows[-1]) for o in self.own], np.int64)

    def name(self, number: int) -> str:
        """What a section is called."""
        return self._names[number]

    def neighbors(self, number: int) -> list[int]:
        """The sections with a tile beside one of this section's, corners included; in the order of the world."""
        left, right, near, far = self._corners[number]
        lefts, rights, nears, fars = self._corners.T
        beside = (lefts <= right + 1) & (rights >= left - 1) & (nears <= far + 1) & (fars >= near - 1)
        beside[number] = False
        found: list[int] = np.flatnonzero(beside).tolist()
        return found

    def seen_ground(self, number: int, tiles: TileGrid | None = None) -> SeenGround:
        """What the tiles of a section see: they, and the border around them; with `tiles` that of those cells."""
        own, seen = self.own[number], tiles or self.tiles
        there = set(own.keys) if seen.scaled else set()
        kinds = [seen.plain, *(seen.all_as(some) for some in seen.scaled if not there.isdisjoint(some.tiles))]
        low = np.array([grid_of_tile(kind, TileKey(own.columns[0], own.rows[0])).bounds_min for kind in kinds])
        high = np.array([grid_of_tile(kind, TileKey(own.columns[-1], own.rows[-1])).bounds_max for kind in kinds])
        (x0, _, z0), (x1, _, z1) = low.min(axis=0), high.max(axis=0)
        return SeenGround(x0, z0, x1, z1)

    def manifest(self) -> dict[str, Any]:
        """What all files of the world share, as the manifest says it: 64 where references have so many bits."""
        wide = self.reference_bits == 64
        shared = wide_parameters(self.tiles) if wide else tiled_parameters(self.tiles)
        return grid_row(shared, wide)

    def tiles_under(self, low: Sequence[float], high: Sequence[float]) -> tuple[range, range]:
        """The columns and rows of tiles of the grid whose inside a box (x, z) touches."""
        counts = self.tiles.columns, self.tiles.rows
        slack = 1e-5 * self.side  # what only touches an edge, as far as float32 tells, lies beyond it
        found = []
        for axis in (0, 1):
            first = math.floor((low[axis] + slack - self.origin[axis]) / self.side)
            last = math.ceil((high[axis] - slack - self.origin[axis]) / self.side) - 1
            found.append(range(max(first, 0), min(last + 1, counts[axis])))
        return found[0], found[1]

    def _owned(self, low: float, high: float, axis: int, count: int) -> range:
        middles = self.origin[axis] + (np.arange(count) + 0.5) * self.side
        inside = np.flatnonzero((middles >= low) & (middles < high))
        return range(int(inside[0]), int(inside[-1]) + 1) if len(inside) else range(0)

    def _claim(self, number: int, own: OwnTiles) -> None:
        name = self._names[number]
        if not own.columns or not own.rows:
            raise BadInput(
                f"Section “{name}” owns no tile: its box holds the middle of none within the bounds of the world (a "
                f"tile is {self.side:g} m wide). Make the box larger, or lower tile_size.",
                "SECTION_WITHOUT_TILES",
            )
        part = self.owner[own.rows[0] : own.rows[-1] + 1, own.columns[0] : own.columns[-1] + 1]
        taken = np.argwhere(part != _NOBODY)
        if len(taken):
            row, column = taken[0].tolist()
            other = self._names[int(part[row, column])]
            raise BadInput(
                f"Sections “{other}” and “{name}” both own tile ({own.columns[0] + column}, {own.rows[0] + row}), and "
                f"{len(taken):,} tiles in all: their boxes overlap. A tile belongs to the box that holds its middle.",
                "SECTIONS_OVERLAP",
            )
        part[:] = number

    def unowned(self, columns: range, rows: range) -> list[tuple[int, int]]:
        """The tiles of a rectangle that belong to nobody."""
        if not columns or not rows:
            return []
        part = self.owner[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return [(columns[0] + column, rows[0] + row) for row, column in np.argwhere(part == _NOBODY).tolist()]

    def is_owned(self, x: float, z: float) -> bool:
        """Whether a place lies on the tile of a section."""
        column, row = (math.floor((at - low) / self.side) for at, low in zip((x, z), self.origin, strict=True))
        is_there = 0 <= column < self.tiles.columns and 0 <= row < self.tiles.rows
        return is_there and int(self.owner[row, column]) != _NOBODY

    def box_of(self, column: int, row: int) -> tuple[float, float, float, float]:
        """x0, z0, x1, z1 of a tile."""
        x, z = (self.origin[0] + column * self.side, self.origin[1] + row * self.side)
        return x, z, x + self.side, z + self.side


def grid_row(shared: SetParameters, wide: bool) -> dict[str, Any]:
    """What a manifest says of the grid, of the parameters that are in its files."""
    row = {
        "origin": [float(number) for number in shared.origin], "tile": float(shared.tile_width),
        "max_tiles": int(shared.most_tiles), "max_polygons": int(shared.most_polygons),
    }  # fmt: skip
    return {**row, "references": 64} if wide else row


def touching_ground(low: F32, high: F32, ground: SeenGround) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of the boxes (., 3) touch a rectangle: by the comparisons that tiles choose their triangles by."""
    inside: np.ndarray[tuple[int], np.dtype[np.bool_]] = (
        (high[:, 0] >= ground.x0) & (low[:, 0] <= ground.x1) & (high[:, 2] >= ground.z0) & (low[:, 2] <= ground.z1)
    )
    return inside
