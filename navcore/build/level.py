"""Whole levels: check the input, build in one piece or tile by tile, rebuild what changed, and tell how it went."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..area_types import AREA_TYPES, AreaType
from ..errors import BadInput, Cancelled, NavmeshError, NothingWalkable, TooLarge
from ..geometry.grid import bounds_of, check_height, check_precision, solo_grid
from ..geometry.tile_grid import (
    TileGrid,
    changed_tiles,
    chosen_triangles,
    grid_of_tile,
    select_triangles,
    tile_grid,
)
from ..jit import kernel_counts, kernels_since
from ..progress import Progress
from ..progress import Report as ProgressReport
from ..report import Report
from ..result.navmesh import NavMesh, Tile
from ..scene import Link, Volume, as_links, as_volumes
from ..settings import Settings
from ..threads import Workers, helping_threads
from ..types import F32, I32, U8, Grid
from .checked_input import Geometry, checked_bounds, checked_geometry
from .failure_files import Case, with_case
from .limits.forecast import Forecast
from .limits.hang_guard import HangGuard
from .limits.memory_limits import check_memory, check_tile_memory, check_time, forecast
from .pipeline import STAGES, Keep, Piece, build_piece, classify_triangles, forget
from .repair import BrokenMesh
from .tiles.dask_cluster import guarded, jobs_ahead
from .tiles.in_order import in_order

Volumes = Iterable[Volume | Mapping[str, Any]]
Links = Iterable[Link | Mapping[str, Any]]
AreaTypes = Mapping[int, AreaType]
Watch = Progress | ProgressReport | None
OnTile = Callable[[TileGrid, Tile], object]
_BATCH = 4  # tiles that a thread takes at a time: handing over costs as much as a tenth of a small tile


def build_navmesh(
    vertices: npt.ArrayLike,
    triangles: npt.ArrayLike,
    settings: Settings | None = None,
    *,
    areas: npt.ArrayLike | None = None,
    volumes: Volumes = (),
    links: Links = (),
    area_types: AreaTypes = AREA_TYPES,
    bounds: Sequence[float] | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Watch = None,
    keep_stages: bool = False,
    failures: Path | None = None,
    on_tile: OnTile | None = None,
    detour_data: bool = False,
) -> NavMesh:
    """Build the navigation mesh of a triangle soup.

    `vertices` (V, 3) in metres, y up; `triangles` (T, 3), counter-clockwise seen from above; `areas` (T,) area ids,
    with which steep triangles are cleared instead of flat ones marked; `area_types` the flags that areas get in
    runtime data; `bounds` six numbers, minimum then maximum. `progress` is called with (stage, fraction) or is a
    `Progress`, which can also cancel. Tiles run on `executor` where one is given (processes, a cluster). With `on_tile`
    a tiled build hands every finished tile over, row by row, instead of keeping it: memory then does not grow with the
    number of tiles. With `detour_data` what Detour files cannot hold is refused before anything is built. A mesh that
    can't be mended fails the build and leaves what shows it again in the folder `failures` (by default in the user's
    cache). The result is the same bytes for any number of `threads` (all cores by default). Raises `NavmeshError`.
    Recast: the order of its sample programs.
    """
    with _job(settings or Settings(), threads, progress, failures) as job:
        level = _prepared(job, checked_geometry(vertices, triangles, areas), as_volumes(volumes))
        found_links = tuple(as_links(links))
        box = checked_bounds(bounds) or bounds_of(level.geometry.vertices)
        job.case = Case(level.geometry, job.settings, level.volumes, box)
        stages: dict[str, Any] = {}
        cut = tile_grid(*box, job.settings, job.settings.in_voxels()) if job.settings.tile_size else None
        if detour_data:
            _check_detour(level, found_links, cut, job)
        tiles: tuple[Tile, ...]
        if cut is None:
            grid = _solo_grid(box, job, bounds is None)
            expected = forecast(grid, *level.geometry[:2], level.area)
            check_memory(expected, grid, job.settings.partition)
            job.guard.allow(grid.width * grid.depth)
            tiles = (_build_whole(grid, level, job, stages.__setitem__ if keep_stages else forget),)
        else:
            last = grid_of_tile(cut, cut.columns - 1, cut.rows - 1)
            check_precision(last)
            job.guard.allow(last.width * last.depth)
            expected = _forecast_of_all(cut, level)
            at_a_time = min(job.workers.count, cut.columns * cut.rows) if executor is None else 1
            check_tile_memory(last, expected, job.settings.partition, at_a_time)
            if executor is None:  # nobody knows how many workers there are elsewhere, nor how fast
                _warn_of_hours(cut, expected, job)
            places = [(x, y) for y in range(cut.rows) for x in range(cut.columns)]
            built = _build_tiles(places, cut, level, job, executor, stages if keep_stages else None)
            tiles = tuple(built if on_tile is None else _handed_over(built, cut, on_tile))
            _check_any(job)
        return job.finished(NavMesh(job.settings, tiles, cut, found_links, job.report, area_types, stages))


def rebuild_tiles(
    navmesh: NavMesh,
    changed_bounds: npt.ArrayLike,
    vertices: npt.ArrayLike,
    triangles: npt.ArrayLike,
    *,
    areas: npt.ArrayLike | None = None,
    volumes: Volumes = (),
    links: Links | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Watch = None,
) -> NavMesh:
    """The tiled navmesh of a changed level, building only the tiles that the change can influence.

    `changed_bounds`: six numbers (minimum, maximum) or several rows of them, around everything that was added, removed
    or moved: where it was and where it is now. Geometry, areas and volumes are those of the whole level now. The result
    equals a full build within the bounds of `navmesh`, byte for byte. No Recast ancestor.
    """
    cut = navmesh.tile_grid
    if cut is None:
        raise BadInput(
            "Only a navmesh built in tiles can be rebuilt in part. Set tile_size and build it once.", "NOT_TILED"
        )
    with _job(navmesh.settings, threads, progress) as job:
        level = _prepared(job, checked_geometry(vertices, triangles, areas), as_volumes(volumes))
        job.case = Case(level.geometry, job.settings, level.volumes, (cut.bounds_min, cut.bounds_max))
        boxes = _checked_boxes(changed_bounds)
        touched = {place for low, high in boxes for place in changed_tiles(cut, low, high)}
        rebuilt = _build_tiles(sorted(touched, key=_by_row), cut, level, job, executor, None)
        kept = [tile for tile in navmesh.tiles if tile[:2] not in touched]
        tiles = tuple(sorted([*kept, *rebuilt], key=_by_row))
        job.report.counts["tiles"] = len(tiles)
        _check_any(job)
        found_links = navmesh.links if links is None else tuple(as_links(links))
        return job.finished(replace(navmesh, tiles=tiles, links=found_links, report=job.report, stages={}))


def _by_row(place: tuple[Any, ...]) -> tuple[int, int]:
    """Sorts tiles, or their (x, y), into the order in which they are built and written."""
    return place[1], place[0]


class _Level(NamedTuple):
    """What every piece of a build shares: checked triangles with their areas, and volumes."""

    geometry: Geometry
    area: U8  # (T,) after stage 1
    volumes: list[Volume]


class _Job:
    """One running build: its settings, threads, progress and the report that grows with it."""

    def __init__(self, settings: Settings, workers: Workers, guard: HangGuard) -> None:
        self.guard = guard
        self.settings, self.workers, self.progress = settings, workers, workers.progress
        self.report = Report(settings, settings.in_voxels(), workers.count)
        self.nothing = ""  # why a tile came out empty
        self.case: Case | None = None  # what is built from, once that is known to be sound
        self._began, self._kernels = time.perf_counter(), kernel_counts()

    def finished(self, navmesh: NavMesh) -> NavMesh:
        """Close the report."""
        self.progress.check()
        for stage, seconds in self.progress.seconds.items():
            self.report.seconds[stage] = self.report.seconds.get(stage, 0.0) + seconds
        self.report.total_seconds = time.perf_counter() - self._began
        self.report.kernels = kernels_since(self._kernels)
        self.progress.done()
        return navmesh


@contextmanager
def _job(settings: Settings, threads: int | None, progress: Watch, failures: Path | None = None) -> Iterator[_Job]:
    watch = progress if isinstance(progress, Progress) else Progress(progress)
    watch.begin(STAGES)
    with Workers(threads, watch) as workers, HangGuard(watch, workers.count) as guard:
        job = _Job(settings, workers, guard)
        try:
            yield job
        except Cancelled:
            guard.check()
            raise
        except MemoryError:
            raise TooLarge(
                "There is not enough memory for this build. Raise Cell Size, use tiles, or select less.",
                "OUT_OF_MEMORY",
            ) from None
        except BrokenMesh as reason:
            if job.case is None:
                raise
            raise with_case(reason, job.case, failures) from None


def _prepared(job: _Job, geometry: Geometry, volumes: list[Volume]) -> _Level:
    with job.progress.stage("walkable"):
        return _Level(geometry, classify_triangles(geometry, job.settings, job.workers), volumes)


def _forecast_of_all(cut: TileGrid, level: _Level) -> Forecast:
    """As if it were built in one piece."""
    low, high = cut.bounds_min, cut.bounds_max
    width, depth = (max(1, int((high[axis] - low[axis]) / cut.cell_size)) for axis in (0, 2))
    whole = Grid(width, depth, 0, low, high, cut.cell_size, cut.cell_height)
    return forecast(whole, *level.geometry[:2], level.area)


def _warn_of_hours(cut: TileGrid, expected: Forecast, job: _Job) -> None:
    """Put into the report that tiles will take hours; refuse days. (What fits in one piece takes minutes at most.)"""
    overlap = (1 + 2 * cut.border / cut.size) ** 2
    told = check_time(expected.seconds * overlap, float(cut.cell_size), job.workers.count)
    if told:
        job.report.warn("TAKES_LONG", told)


def _check_detour(level: _Level, links: Sequence[Link], cut: TileGrid | None, job: _Job) -> None:
    """Refuse what Detour files cannot hold, as far as it can be told before the build."""
    from ..detour.limits import check_cut, check_inputs  # here, so that only those who write it wait for its kernels

    check_inputs(job.settings, links)
    if cut is not None:
        check_cut(cut, level.geometry, level.area, job.workers)


# --- in one piece


def _solo_grid(box: tuple[F32, F32], job: _Job, computed: bool) -> Grid:
    """The grid of a build in one piece, refused before memory is taken where it can't be right."""
    voxels = job.settings.in_voxels()
    grid = solo_grid(*box, voxels.cell_size, voxels.cell_height)
    check_precision(grid)
    if computed:  # with given bounds, what is too tall may lie outside: rasterizing finds out
        check_height(float(grid.bounds_max[1]), grid)
    return grid


def _build_whole(grid: Grid, level: _Level, job: _Job, keep: Keep) -> Tile:
    piece = build_piece(grid, level.geometry, level.area, job.settings, level.volumes, job.workers, keep)
    _add_to_report(job.report, piece)
    return Tile(0, 0, piece.polygon_mesh, piece.detail_mesh)


def _add_to_report(report: Report, piece: Piece, where: str = "") -> None:
    for name, count in {**piece.counts, "tiles": 1}.items():
        report.counts[name] = report.counts.get(name, 0) + count
    report.warnings += [warning._replace(message=where + warning.message) for warning in piece.warnings]


# --- in tiles


class TileJob(NamedTuple):
    """Everything one tile needs: plain arrays and values, so that it can travel to another process."""

    x: int
    y: int
    grid: Grid
    geometry: Geometry
    area: U8  # (T,) of each triangle
    chosen: I32 | None  # the triangles to use; None: all
    settings: Settings
    volumes: list[Volume]
    cancelled: U8  # the cancel flag, shared between threads
    keep_stages: bool


class BuiltTile(NamedTuple):
    """What comes back."""

    x: int
    y: int
    piece: Piece | None
    nothing: str  # why there is no piece
    seconds: dict[str, float]
    stages: dict[str, Any]


def build_tile(job: TileJob) -> BuiltTile:
    """Build one tile, on whatever thread or machine this is called."""
    progress = Progress(cancelled=job.cancelled)
    stages: dict[str, Any] = {}
    keep = stages.__setitem__ if job.keep_stages else None
    piece, nothing = None, ""
    geometry, area = job.geometry, job.area
    if job.chosen is not None:
        triangles, area = chosen_triangles(geometry.triangles, area, job.chosen)
        geometry = Geometry(geometry.vertices, triangles, None)
    with Workers(1, progress) as workers:
        try:
            piece = build_piece(job.grid, geometry, area, job.settings, job.volumes, workers, keep)
        except NothingWalkable as reason:
            nothing = str(reason)
        except Cancelled:
            raise
        except NavmeshError as reason:
            raise type(reason)(f"Tile ({job.x}, {job.y}): {reason}", reason.code) from None
    return BuiltTile(job.x, job.y, piece, nothing, progress.seconds, stages)


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


def _build_tiles(
    places: Sequence[tuple[int, int]],
    cut: TileGrid,
    level: _Level,
    job: _Job,
    executor: Executor | None,
    stages: dict[str, Any] | None,
) -> Iterator[Tile]:
    """Build the tiles at `places` and yield those that hold polygons, in that order."""
    made = _tile_jobs(places, cut, level, job, executor is not None, stages is not None)
    for done, built in enumerate(_run(made, len(places), job, executor), 1):
        job.progress.report("tiles", done / len(places))
        for stage, seconds in built.seconds.items():
            job.report.seconds[stage] = job.report.seconds.get(stage, 0.0) + seconds
        if stages is not None and built.stages:
            stages[f"t{built.x}_{built.y}"] = built.stages
        if built.piece is None:
            job.nothing = job.nothing or built.nothing
        else:
            _add_to_report(job.report, built.piece, f"Tile ({built.x}, {built.y}): ")
            yield Tile(built.x, built.y, built.piece.polygon_mesh, built.piece.detail_mesh)


def _tile_jobs(
    places: Sequence[tuple[int, int]], cut: TileGrid, level: _Level, job: _Job, travels: bool, keep_stages: bool
) -> Iterator[TileJob]:
    """One job for each place that any triangle touches."""
    if not places:
        return
    corner = min(x for x, _ in places), min(y for _, y in places)
    opposite = max(x for x, _ in places) + 1, max(y for _, y in places) + 1
    selection = select_triangles(cut, *level.geometry[:2], corner, opposite, job.workers)
    shared = job.settings, level.volumes, job.progress.cancelled, keep_stages
    for x, y in places:
        chosen = selection.of(x, y)
        grid = grid_of_tile(cut, x, y)
        if len(chosen) == 0:
            continue
        if travels:
            geometry, area = _compacted(level.geometry, level.area, chosen)
            yield TileJob(x, y, grid, geometry, area, None, *shared)
        else:
            yield TileJob(x, y, grid, level.geometry, level.area, chosen, *shared)


def _compacted(geometry: Geometry, area: U8, chosen: I32) -> tuple[Geometry, U8]:
    """Only the triangles and vertices that are used, for a job that is sent away."""
    triangles, part_area = chosen_triangles(geometry.triangles, area, chosen)
    used, numbers = np.unique(triangles, return_inverse=True)
    return Geometry(geometry.vertices[used], numbers.reshape(-1, 3).astype(np.int32), None), part_area


def _run(jobs: Iterator[TileJob], tiles: int, job: _Job, executor: Executor | None) -> Iterator[BuiltTile]:
    """Results in the order of the jobs: on this thread, on a pool of threads, or on the caller's executor."""
    if executor is not None:
        with guarded(executor, job.progress) as watched:
            yield from in_order(build_tile, jobs, watched, jobs_ahead, job.progress)
    elif job.workers.count == 1:
        yield from map(build_tile, jobs)
    else:
        with helping_threads(job.workers.count, "navmesh-tile") as pool:
            batches = _batches(jobs, max(1, min(_BATCH, tiles // (16 * job.workers.count))))
            for built in in_order(_build_batch, batches, pool, lambda _: 2 * job.workers.count, job.progress):
                yield from built


def _handed_over(built: Iterable[Tile], cut: TileGrid, on_tile: OnTile) -> Iterator[Tile]:
    """Give every tile away; nothing is kept."""
    for tile in built:
        on_tile(cut, tile)
    yield from ()


def _check_any(job: _Job) -> None:
    if not job.report.counts.get("tiles"):
        raise NothingWalkable(job.nothing or "No triangle lies within the bounds. Check the bounds.")


def _checked_boxes(changed_bounds: npt.ArrayLike) -> list[tuple[F32, F32]]:
    boxes = np.asarray(changed_bounds, np.float64)
    rows = boxes.reshape(1, -1) if boxes.ndim == 1 else boxes
    return [box for row in rows if (box := checked_bounds(row.tolist())) is not None]
