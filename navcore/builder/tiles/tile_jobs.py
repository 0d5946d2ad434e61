"""One job for each tile: what it needs, and how it is built wherever it is sent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...errors import Cancelled, NavmeshError, NothingWalkable, TooLarge
from ...geometry.tile_grid import Selection, TileGrid, chosen_triangles, grid_of_tile, select_triangles
from ...progress import Progress
from ...scene import Volume
from ...threads import Workers
from ...types import I32, U8, Geometry, Grid
from ..pipeline import Piece, build_piece
from ..recipe import Recipe
from ..running_build import LevelInput, RunningBuild

Place = tuple[int, int]


class TileJob(NamedTuple):
    """Everything one tile needs: plain arrays and values, so that it can travel to another process."""

    x: int
    y: int
    grid: Grid
    geometry: Geometry
    chosen: I32 | None  # the triangles to use; None: all
    recipe: Recipe
    volumes: list[Volume]
    cancelled: U8  # the cancel flag, shared between threads
    keep_stages: bool


class BuiltTile(NamedTuple):
    """What comes back."""

    x: int
    y: int
    piece: Piece | None
    nothing: NothingWalkable | None  # why there is no piece
    seconds: dict[str, float]
    stages: dict[str, Any]


def build_tile(job: TileJob) -> BuiltTile:
    """Build one tile, on whatever thread or machine this is called."""
    progress = Progress(cancelled=job.cancelled)
    stages: dict[str, Any] = {}
    keep = stages.__setitem__ if job.keep_stages else None
    piece, nothing = None, None
    geometry = job.geometry if job.chosen is None else chosen_triangles(job.geometry, job.chosen)
    with Workers(1, progress) as workers:
        try:
            piece = build_piece(job.grid, geometry, job.recipe, job.volumes, workers, keep)
        except NothingWalkable as reason:
            nothing = reason.with_traceback(None)  # whose frames hold the arrays of the tile
        except Cancelled:
            raise
        except NavmeshError as reason:
            raise type(reason)(f"Tile ({job.x}, {job.y}): {reason}", reason.code) from None
        except MemoryError:
            raise TooLarge(
                f"Tile ({job.x}, {job.y}): there is not enough memory to build it. Lower Tile Size, raise Cell Size, "
                "or build fewer tiles at a time.",
                "OUT_OF_MEMORY",
            ) from None
        except Exception as reason:  # whatever else it is, where it happened is said
            raise NavmeshError(
                f"Tile ({job.x}, {job.y}) could not be built: {type(reason).__name__} ({reason}). This is a fault of "
                "Navmesh: please report it, with the level if you can.",
                "TILE_FAILED",
            ) from reason
    return BuiltTile(job.x, job.y, piece, nothing, progress.seconds, stages)


class LevelJobs:
    """The jobs of one build: which places have any, and what they have in common."""

    def __init__(
        self,
        places: Sequence[Place],
        tile_grid: TileGrid,
        level: LevelInput,
        build: RunningBuild,
        travels: bool,
        keep_stages: bool,
    ) -> None:
        self.tile_grid, self.level = tile_grid, level
        self._all_places, self._workers, self._travels = places, build.workers, travels
        self._shared = build.recipe, level.volumes, build.progress.cancelled, keep_stages

    @cached_property
    def selection(self) -> Selection:
        """Which triangles each place sees; found out where it is asked."""
        return _selected(self._all_places, self.tile_grid, self.level.geometry, self._workers)

    @property
    def places(self) -> list[Place]:
        """Those that any triangle touches."""
        return [place for place in self._all_places if len(self.selection.of(*place))]

    def job(self, place: Place) -> TileJob:
        """That of one place."""
        x, y = place
        chosen, grid = self.selection.of(x, y), grid_of_tile(self.tile_grid, x, y)
        if self._travels:
            return TileJob(x, y, grid, _compacted(self.level.geometry, chosen), None, *self._shared)
        return TileJob(x, y, grid, self.level.geometry, chosen, *self._shared)


def _selected(places: Sequence[Place], tile_grid: TileGrid, geometry: Geometry, workers: Workers) -> Selection:
    """The triangles of the rectangle around the places."""
    xs, ys = ([place[axis] for place in places] or [0] for axis in (0, 1))
    corner, opposite = (min(xs), min(ys)), (max(xs) + 1, max(ys) + 1)
    return select_triangles(tile_grid, geometry.vertices, geometry.triangles, corner, opposite, workers)


def _compacted(geometry: Geometry, chosen: I32) -> Geometry:
    """Only the triangles and vertices that are used, for a job that is sent away."""
    part = chosen_triangles(geometry, chosen)
    used, numbers = np.unique(part.triangles, return_inverse=True)
    return Geometry(geometry.vertices[used], numbers.reshape(-1, 3).astype(np.int32), part.area)
