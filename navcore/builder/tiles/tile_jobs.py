"""One job for each tile: what it needs, how it is built, and by whom: this thread, a pool of threads, an executor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ...errors import Cancelled, NavmeshError, NothingWalkable, TooLarge
from ...geometry.tile_grid import TileGrid, chosen_triangles, grid_of_tile, select_triangles
from ...progress import Progress
from ...result.navmesh import Tile
from ...scene import Volume
from ...threads import Workers, helping_threads
from ...types import I32, U8, Geometry, Grid
from ..pipeline import Piece, build_piece
from ..recipe import Recipe
from ..running_build import LevelInput, RunningBuild
from .dask_cluster import guarded, jobs_ahead
from .in_order import in_order

_BATCH = 4  # tiles that a thread takes at a time: handing over costs as much as a tenth of a small tile


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


def build_tiles(
    places: Sequence[tuple[int, int]],
    tile_grid: TileGrid,
    level: LevelInput,
    build: RunningBuild,
    executor: Executor | None,
    stages: dict[str, Any] | None,
) -> Iterator[Tile]:
    """Build the tiles at `places` and yield those that hold polygons, in that order."""
    jobs = _tile_jobs(places, tile_grid, level, build, executor is not None, stages is not None)
    for done, built in enumerate(_built(jobs, len(places), build, executor), 1):
        build.progress.report("tiles", done / len(places))
        build.add_seconds(built.seconds)
        if stages is not None and built.stages:
            stages[f"t{built.x}_{built.y}"] = built.stages
        if built.piece is None:
            build.nothing = build.nothing or built.nothing
        else:
            build.add(built.piece, f"Tile ({built.x}, {built.y}): ")
            yield Tile(built.x, built.y, built.piece.polygon_mesh, built.piece.detail_mesh)


def _tile_jobs(
    places: Sequence[tuple[int, int]],
    tile_grid: TileGrid,
    level: LevelInput,
    build: RunningBuild,
    travels: bool,
    keep_stages: bool,
) -> Iterator[TileJob]:
    """One job for each place that any triangle touches."""
    if not places:
        return
    corner = min(x for x, _ in places), min(y for _, y in places)
    opposite = max(x for x, _ in places) + 1, max(y for _, y in places) + 1
    vertices, triangles, _ = level.geometry
    selection = select_triangles(tile_grid, vertices, triangles, corner, opposite, build.workers)
    shared = build.recipe, level.volumes, build.progress.cancelled, keep_stages
    for x, y in places:
        chosen = selection.of(x, y)
        grid = grid_of_tile(tile_grid, x, y)
        if len(chosen) == 0:
            continue
        if travels:
            yield TileJob(x, y, grid, _compacted(level.geometry, chosen), None, *shared)
        else:
            yield TileJob(x, y, grid, level.geometry, chosen, *shared)


def _compacted(geometry: Geometry, chosen: I32) -> Geometry:
    """Only the triangles and vertices that are used, for a job that is sent away."""
    part = chosen_triangles(geometry, chosen)
    used, numbers = np.unique(part.triangles, return_inverse=True)
    return Geometry(geometry.vertices[used], numbers.reshape(-1, 3).astype(np.int32), part.area)


def _built(jobs: Iterator[TileJob], tiles: int, build: RunningBuild, executor: Executor | None) -> Iterator[BuiltTile]:
    """Built tiles in the order of the jobs: by this thread, a pool of threads, or the caller's executor."""
    if executor is not None:
        with guarded(executor, build.progress) as watched:
            yield from in_order(build_tile, jobs, watched, jobs_ahead, build.progress)
    elif build.workers.count == 1:
        yield from map(build_tile, jobs)
    else:
        with helping_threads(build.workers.count, "navmesh-tile") as pool:
            batches = _batches(jobs, max(1, min(_BATCH, tiles // (16 * build.workers.count))))
            for built in in_order(_build_batch, batches, pool, lambda _: 2 * build.workers.count, build.progress):
                yield from built


class _Batch(NamedTuple):
    """Some tiles in a row, for one thread."""

    x: int  # of the first
    y: int
    jobs: list[TileJob]


def _batches(jobs: Iterator[TileJob], size: int) -> Iterator[_Batch]:
    while batch := list(islice(jobs, size)):
        yield _Batch(batch[0].x, batch[0].y, batch)


def _build_batch(batch: _Batch) -> list[BuiltTile]:
    return [build_tile(job) for job in batch.jobs]
