"""All tiles of a build: out of a store, or built by this thread, by it and helpers, by an executor."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from ...agent_sizes import too_small_flags
from ...errors import NavmeshError
from ...geometry.tile_grid import TileGrid
from ...geometry.tile_key import TileKey
from ...progress import Progress
from ...result.navmesh import Tile
from ...turns import in_turns
from ..checked_input import CheckedLevel
from ..door_ground import doors_of
from ..edit_marks import in_cells_of_level
from ..local_resolution import add_cost
from ..running_build import RunningBuild
from ..tile_store import StoredTile, TileList, TileStore, level_key, tile_keys
from .dask_cluster import executor_failed, guarded, is_lost, jobs_ahead, threads_of, worker_lost
from .tile_batches import BatchSizes, SameSize, TileBatch, TileRow, build_batch, first_tiles, rows
from .tile_jobs import BuiltTile, LevelJobs, not_opened

# --- Running jobs of some tiles each on an executor, and taking their results back in the order of the jobs.

_PATIENCE = 0.1  # seconds between looks at the cancel flag, which other processes don't see
_MAX_READY = 64  # results that were there without a job and wait for their turn


class Job(Protocol):
    """Some tiles, or sections of a world, that one worker is to build."""

    @property
    def places(self) -> Sequence[TileKey] | Sequence[str]: ...
    def alone(self: _Job) -> Sequence[_Job]:
        """The same, each as a job of its own."""
        ...


_Job = TypeVar("_Job", bound=Job)
_Result = TypeVar("_Result")


class Ready(NamedTuple, Generic[_Result]):
    """In the place of a job: its results, which are there already."""

    results: list[_Result]


class _Waiting(NamedTuple, Generic[_Job, _Result]):
    """A job that was handed over; None: there was nothing to do."""

    job: _Job | None
    future: Future[list[_Result]]


def in_order(
    work: Callable[[_Job], list[_Result]],
    jobs: Iterable[_Job | Ready[_Result]],
    executor: Executor,
    ahead: Callable[[Executor], int],
    progress: Progress,
) -> Iterator[list[_Result]]:
    """Run `work` on every job, `ahead(executor)` at a time, and yield the results of each in the order of the jobs.

    Jobs are made only when there is room for them and results are dropped as soon as they are taken, so that memory
    does not grow with the number of tiles. Tiles that were lost with their workers are tried again, each by itself.
    """
    waiting: deque[_Waiting[_Job, _Result]] = deque()
    ready = 0
    try:
        for job in jobs:
            progress.check()
            waiting.append(
                _Waiting(None, _there(job.results))
                if isinstance(job, Ready)
                else _Waiting(job, _submitted(work, job, executor))
            )
            ready += isinstance(job, Ready)
            while waiting and (
                waiting[0].job is None or len(waiting) - ready >= ahead(executor) or ready >= _MAX_READY
            ):
                ready -= waiting[0].job is None
                yield _first_results(work, waiting, executor, progress)
        while waiting:
            yield _first_results(work, waiting, executor, progress)
    finally:
        for _, future in waiting:
            future.cancel()


def _there(results: list[_Result]) -> Future[list[_Result]]:
    future: Future[list[_Result]] = Future()
    future.set_result(results)
    return future


def _submitted(work: Callable[[_Job], list[_Result]], job: _Job, executor: Executor) -> Future[list[_Result]]:
    try:
        return executor.submit(work, job)
    except Exception as reason:  # noqa: BLE001 - executors that are gone raise what they like; it is told below
        future: Future[list[_Result]] = Future()
        future.set_exception(reason)
        return future


def _first_results(
    work: Callable[[_Job], list[_Result]],
    waiting: deque[_Waiting[_Job, _Result]],
    executor: Executor,
    progress: Progress,
) -> list[_Result]:
    """Wait for the job handed over first; where it fails, the error is ours and names all tiles that went with it."""
    job, future = waiting[0]
    _wait_for(future, progress)
    if job is not None and is_lost(future):
        results = _tried_alone(work, job, waiting, executor, progress)
        waiting.popleft()
        return results
    _raise_failure(waiting)
    waiting.popleft()
    return future.result()


def _tried_alone(
    work: Callable[[_Job], list[_Result]],
    job: _Job,
    waiting: deque[_Waiting[_Job, _Result]],
    executor: Executor,
    progress: Progress,
) -> list[_Result]:
    """The results of a lost job, its tiles built one after the other while nothing else runs.

    So the tile that takes workers with it is named, and none of those that only ran beside it.
    """
    for _, other in waiting:
        _wait_for(other, progress)
    results: list[_Result] = []
    for single in job.alone():
        progress.check()
        try:
            future = executor.submit(work, single)
        except Exception as reason:  # executors that are gone raise what they like
            raise worker_lost(_places(other for other in waiting if is_lost(other.future))) from reason
        try:
            _wait_for(future, progress)
        finally:
            future.cancel()
        trial = [_Waiting(single, future)]
        if is_lost(future):
            raise worker_lost(_places(trial)) from _reason(future)
        _raise_failure(trial)
        results += future.result()
    return results


def _wait_for(future: Future[list[_Result]], progress: Progress) -> None:
    progress.check()
    while not future.done():
        wait([future], _PATIENCE)
        progress.check()


def _raise_failure(waiting: Sequence[_Waiting[_Job, _Result]]) -> None:
    """If the first job has failed, raise why; an executor's own error names all tiles that it failed for."""
    reason = _reason(waiting[0].future)
    if isinstance(reason, Exception) and not isinstance(reason, NavmeshError):
        failed = [other for other in waiting if type(_reason(other.future)) is type(reason)]
        raise (not_opened(reason) or executor_failed(_places(failed), reason)) from reason


def _places(waiting: Iterable[_Waiting[_Job, _Result]]) -> list[TileKey | str]:
    return [place for job, _ in waiting if job is not None for place in job.places]


def _reason(future: Future[list[_Result]]) -> BaseException | None:
    """Why a job failed, as far as that is known."""
    return future.exception() if future.done() and not future.cancelled() else None


_BATCH = 4  # tiles that a thread takes at a time: handing over costs as much as a tenth of a small tile


def build_tiles(
    places: Sequence[TileKey],
    tile_grid: TileGrid,
    level: CheckedLevel,
    build: RunningBuild,
    executor: Executor | None,
    stages: dict[str, Any] | None,
    store: TileStore | None = None,
) -> Iterator[Tile]:
    """Build the tiles at `places`, those that are not in `store`; yield those that hold polygons, in that order."""
    jobs = LevelJobs(places, tile_grid, level, build, stages is not None)
    if store is None:
        touched = jobs.places
        if build.spans is not None:
            build.spans.put_nothing(set(places).difference(touched))
        tiles = _built(touched, jobs, len(places), build, executor)
    else:
        tiles = _stored_or_built(places, jobs, store, build, executor)
    for done, built in enumerate(tiles, 1):
        build.progress.report("tiles", done / len(places))
        build.add_seconds(built.seconds)
        if build.spans is not None and built.spans is not None:
            build.spans.put(built.key, built.spans)
        if tile_grid.scaled:
            add_cost(build.report, tile_grid, built.key, built.piece, sum(built.seconds.values()))
        if stages is not None and built.stages:
            stages[built.key.stages_name] = built.stages
        if built.piece is None:
            build.nothing = build.nothing or built.nothing
            if built.nothing is not None and built.nothing.marked:
                scale = tile_grid.scale_of(built.key)
                build.emptied[built.key] = in_cells_of_level(built.nothing.marked, scale)
        else:
            build.add(built.piece, f"Tile {built.key}: ", tile_grid.scale_of(built.key))
            build.report.tile_seconds[built.key.place] = sum(built.seconds.values())
            doors = doors_of(built.piece.doors, level.volumes)
            too_small = too_small_flags(built.piece.too_small, build.sizes)
            yield Tile(*built.key.place, built.piece.polygon_mesh, built.piece.detail_mesh, doors, too_small)
    if store is not None:
        store.tidy()


def _stored_or_built(
    places: Sequence[TileKey], jobs: LevelJobs, store: TileStore, build: RunningBuild, executor: Executor | None
) -> Iterator[BuiltTile]:
    """Every tile, in order; what the store lacks is built, and kept there."""
    with build.progress.stage("store"):
        level = level_key(places, jobs.tile_grid, jobs.level, build.settings, build.progress)
        store.look_up([level])
        known = store.take_list(level)
        if known is not None and not set(known.places) <= set(places):
            known = None  # only where somebody has made it up
        listed = known or _listed(jobs, build)
        to_build = len(listed.keys) - store.look_up(listed.keys)
    built_anew: dict[TileKey, bytes] = {}

    def items() -> Iterator[TileKey | BuiltTile]:
        for place, key in zip(*listed, strict=True):
            stored = store.take(key)
            if stored is None:
                built_anew[place] = key
                yield place
            else:
                yield BuiltTile(place, *stored, {}, {})

    counts = build.report.store = {"reused": 0, "built": 0}
    for tile in _built(items(), jobs, to_build, build, executor):
        build.progress.check()
        key = built_anew.pop(tile.key, None)
        counts["reused" if key is None else "built"] += 1
        if key is not None:
            store.put(key, StoredTile(tile.piece, tile.nothing))
        yield tile
    if known is None:
        store.put_list(level, listed)


def _listed(jobs: LevelJobs, build: RunningBuild) -> TileList:
    places = jobs.places
    return TileList(
        places, tile_keys(places, jobs.tile_grid, jobs.level, jobs.selection, build.settings, build.workers)
    )


def _built(
    items: Iterable[TileKey | BuiltTile], jobs: LevelJobs, to_build: int, build: RunningBuild, executor: Executor | None
) -> Iterator[BuiltTile]:
    """All tiles in the order of the items: built by this thread, by it and helpers, or by the caller's executor."""
    threads = build.workers.count
    if executor is not None:
        with guarded(executor, build.progress) as watched:
            sizes: BatchSizes | SameSize = BatchSizes(
                to_build, first_tiles(jobs.tile_grid), lambda: threads_of(watched)
            )
            if jobs.shared.keep_stages:  # which are large
                sizes = SameSize(1)
            yield from _built_in_batches(items, jobs, sizes, watched, jobs_ahead)
    elif threads == 1:
        for item in items:
            yield item if isinstance(item, BuiltTile) else jobs.build(item)
    else:
        sizes = SameSize(max(1, min(_BATCH, to_build // (16 * threads))))
        yield from _built_in_turns(items, jobs, sizes, threads)


def _built_in_turns(
    items: Iterable[TileKey | BuiltTile], jobs: LevelJobs, sizes: SameSize, threads: int
) -> Iterator[BuiltTile]:
    def build(row: TileRow) -> list[BuiltTile]:
        return list(row.filled([jobs.build(place) for place in row.places]))

    for tiles in in_turns(build, rows(items, jobs, sizes), threads):
        jobs.progress.check()
        yield from tiles


def _built_in_batches(
    items: Iterable[TileKey | BuiltTile],
    jobs: LevelJobs,
    sizes: BatchSizes | SameSize,
    executor: Executor,
    ahead: Callable[[Executor], int],
) -> Iterator[BuiltTile]:
    made: deque[TileRow] = deque()

    def batches() -> Iterator[TileBatch | Ready[BuiltTile]]:
        for row in rows(items, jobs, sizes):
            made.append(row)
            yield TileBatch(row.places, jobs.shared, jobs.selection, jobs.parts) if row.places else Ready([])

    for built in in_order(build_batch, batches(), executor, ahead, jobs.progress):
        sizes.learn(built)
        yield from made.popleft().filled(built)
