"""A level that is asked about many times: its triangles, boxed once, and the grids that a build lays over it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..builder.edit_marks import as_high_as_patches
from ..builder.ground_window import Window, ground_in_window, window_around
from ..builder.local_resolution import with_resolutions
from ..builder.pipeline import Piece, build_piece, mark_ground
from ..builder.recipe import recipe_of
from ..errors import NothingWalkable
from ..geometry.grid import bounds_of, check_precision, solo_grid
from ..geometry.tile_grid import TileGrid, chosen_triangles, cut_into_tiles, grid_of_tile
from ..geometry.tile_key import TileKey
from ..resolution import settings_at_resolution
from ..scene import Volume
from ..settings import Settings
from ..threads import Workers
from ..types import F32, I32, Geometry, Grid


class TriangleBoxes(NamedTuple):
    """What each triangle covers, seen from above."""

    x_low: F32
    x_high: F32
    z_low: F32
    z_high: F32

    def touching(self, x_low: float, x_high: float, z_low: float, z_high: float) -> I32:
        """The triangles that touch a rectangle, in the order given."""
        rows = np.flatnonzero((self.z_low <= z_high) & (self.z_high >= z_low))
        hits = rows[(self.x_low[rows] <= x_high) & (self.x_high[rows] >= x_low)]
        return hits.astype(np.int32)

    def of(self, chosen: I32) -> TriangleBoxes:
        """The boxes of some triangles."""
        return TriangleBoxes(*(edges[chosen] for edges in self))


class Spot(NamedTuple):
    """Where a point lies in the grid that a build has there."""

    grid: Grid
    tile: TileKey
    x: int  # its column
    z: int


class BuiltPiece(NamedTuple):
    """The piece of a build around a spot, with the stages that were kept."""

    stages: dict[str, Any]
    piece: Piece | None  # None where nothing was walkable


def boxes_of(geometry: Geometry) -> TriangleBoxes:
    x, z = (np.ascontiguousarray(geometry.vertices[:, axis]) for axis in (0, 2))
    a, b, c = (np.ascontiguousarray(geometry.triangles[:, corner]) for corner in range(3))
    xs, zs = (x[a], x[b], x[c]), (z[a], z[b], z[c])
    return TriangleBoxes(
        np.minimum(np.minimum(xs[0], xs[1]), xs[2]),
        np.maximum(np.maximum(xs[0], xs[1]), xs[2]),
        np.minimum(np.minimum(zs[0], zs[1]), zs[2]),
        np.maximum(np.maximum(zs[0], zs[1]), zs[2]),
    )


_BUILT = ("_pieces", "_scaled", "_building")  # what is made when somebody asks


class AskedLevel:
    """The level under one choice of settings."""

    def __init__(
        self,
        geometry: Geometry,
        boxes: TriangleBoxes,
        settings: Settings,
        volumes: Sequence[Volume],
        bounds: tuple[F32, F32] | None,
        threads: int | None,
        tiles_of: TileGrid | None = None,
    ) -> None:
        """`tiles_of`: the grid of another level, whose tiles are built here with these settings' cells."""
        self.geometry, self.boxes, self.settings, self.volumes = geometry, boxes, settings, volumes
        self.threads, self.recipe = threads, recipe_of(settings)
        self.bounds = bounds
        self.low, self.high = bounds or as_high_as_patches(*bounds_of(geometry.vertices), volumes)
        voxels = self.recipe.voxels
        self._tiles_of = tiles_of
        self.tile_grid = self._cut()
        self._whole = None
        if self.tile_grid is None:
            self._whole = solo_grid(self.low, self.high, voxels.cell_size, voxels.cell_height)
            check_precision(self._whole)
        self._nothing_built()

    def _nothing_built(self) -> None:
        self._pieces: dict[TileKey, BuiltPiece] = {}
        self._scaled: dict[float, AskedLevel] = {}
        self._building = threading.Lock()  # who asks while a piece is prepared on another thread waits for that one

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _BUILT}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._nothing_built()

    def _cut(self) -> TileGrid | None:
        settings = self.settings
        grid = cut_into_tiles(self.low, self.high, settings, self.recipe.voxels) if settings.tile_size else None
        if grid is not None and self._tiles_of is not None:
            return grid._replace(columns=self._tiles_of.columns, rows=self._tiles_of.rows)
        return with_resolutions(grid, self.volumes, lambda scale: recipe_of(settings_at_resolution(settings, scale)))

    def at(self, x: float, z: float) -> AskedLevel:
        """The level with the cells that the tile at a place has: where all have the same, this one."""
        if self.tile_grid is None or not self.tile_grid.scaled:
            return self
        scale = self.tile_grid.scale_of(self._tile_at(x, z))
        if scale == 1:
            return self
        with self._building:
            if scale not in self._scaled:
                settings = settings_at_resolution(self.settings, scale)
                bounds = self.bounds or (self.low, self.high)
                self._scaled[scale] = AskedLevel(
                    self.geometry, self.boxes, settings, self.volumes, bounds, self.threads, self.tile_grid
                )
            return self._scaled[scale]

    def has_cells_of(self, level: AskedLevel) -> bool:
        """Whether that is what `at` gives for some places of this one."""
        return level in self._scaled.values()

    def _tile_at(self, x: float, z: float) -> TileKey:
        grid = self.tile_grid
        assert grid is not None, "nobody asks for tiles of a level in one piece"
        side = grid.size * float(self.recipe.voxels.cell_size)
        return TileKey(
            min(int((x - float(self.low[0])) / side), grid.columns - 1),
            min(int((z - float(self.low[2])) / side), grid.rows - 1),
        )

    def changed(
        self,
        settings: Settings | None = None,
        geometry: Geometry | None = None,
        volumes: Sequence[Volume] | None = None,
    ) -> AskedLevel:
        """The same level with something changed that leaves every triangle's box where it is."""
        return AskedLevel(
            geometry or self.geometry,
            self.boxes,
            settings or self.settings,
            self.volumes if volumes is None else volumes,
            self.bounds or (self.low, self.high),
            self.threads,
            self._tiles_of,
        )

    def spot(self, x: float, z: float) -> Spot | None:
        """The column at (x, z); None beside the grid."""
        cell = float(self.recipe.voxels.cell_size)
        if not (self.low[0] <= x <= self.high[0] and self.low[2] <= z <= self.high[2]):
            return None
        tile = TileKey(0, 0)
        grid = self._whole
        if grid is None:
            assert self.tile_grid is not None
            tile = self._tile_at(x, z)
            grid = grid_of_tile(self.tile_grid, tile)
        column = int((x - float(grid.bounds_min[0])) / cell), int((z - float(grid.bounds_min[2])) / cell)
        if column[0] >= grid.width or column[1] >= grid.depth:
            return None
        return Spot(grid, tile, *column)

    def around(self, spot: Spot, window: Window, boxes: TriangleBoxes | None = None) -> I32:
        """Which of the triangles, or of those with these boxes, may lie in a window, one column more on each side."""
        grid, cell = spot.grid, float(spot.grid.cell_size)
        x, z = float(grid.bounds_min[0]), float(grid.bounds_min[2])
        return (boxes or self.boxes).touching(
            x + (window.x0 - 1) * cell, x + (window.x1 + 1) * cell,
            z + (window.z0 - 1) * cell, z + (window.z1 + 1) * cell,
        )  # fmt: skip

    def marked(self, chosen: I32) -> Geometry:
        """These triangles, with the areas that stage 1 gives them."""
        geometry = self.geometry
        if len(geometry.area) == 0:
            part = Geometry(geometry.vertices, np.ascontiguousarray(geometry.triangles[chosen]), geometry.area)
        else:
            part = chosen_triangles(geometry, chosen)
        with Workers(1) as workers:
            return mark_ground(part, self.settings, workers)

    def ground(self, spot: Spot) -> tuple[Window, I32, Geometry, dict[str, Any]]:
        """The window around a spot, the triangles in it (their numbers, and themselves), and its stages 2 to 5."""
        window = window_around(spot.grid, spot.x, spot.z, self.recipe)
        chosen = self.around(spot, window)
        geometry = self.marked(chosen)
        with Workers(1) as workers:
            return window, chosen, geometry, self._stages(spot, geometry, window, workers)

    def _stages(self, spot: Spot, geometry: Geometry, window: Window, workers: Workers) -> dict[str, Any]:
        return ground_in_window(spot.grid, geometry, self.recipe, self.volumes, window, workers)

    def piece(self, spot: Spot) -> BuiltPiece:
        """The tile or the whole that a build makes around a spot, with its stages; built once."""
        return self._piece(spot.tile, spot.grid)

    def prepare(self) -> None:
        """Build the whole, where it is one piece. Raises NavmeshError where it cannot be built."""
        if self._whole is not None:
            self._piece(TileKey(0, 0), self._whole)

    def _piece(self, tile: TileKey, grid: Grid) -> BuiltPiece:
        with self._building:
            if tile not in self._pieces:
                self._pieces[tile] = self._built(grid)
            return self._pieces[tile]

    def _built(self, grid: Grid) -> BuiltPiece:
        stages: dict[str, Any] = {}
        whole = self.tile_grid is None
        chosen: I32 = np.arange(len(self.geometry.triangles), dtype=np.int32)
        if not whole:
            low, high = grid.bounds_min, grid.bounds_max
            chosen = self.boxes.touching(low[0], high[0], low[2], high[2])
        geometry = self.marked(chosen)
        # Detail of a few polygons is made when it is asked for.
        recipe = recipe_of(replace(self.settings, detail_mesh=False), finds_links=False)
        with Workers(self.threads if whole else 1) as workers:
            try:
                piece = build_piece(grid, geometry, recipe, self.volumes, workers, stages.__setitem__)
            except NothingWalkable:  # which is an answer here: the stages that were kept tell why
                return BuiltPiece(stages, None)
        return BuiltPiece(stages, piece)
