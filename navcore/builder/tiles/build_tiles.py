"""All tiles of a build: out of a store, or built by this thread, a pool of threads, an executor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple, TypeAlias

from ...geometry.tile_grid import TileGrid
from ...result.navmesh import Tile
from ...threads import helping_threads
from ..running_build import LevelInput, RunningBuild
from ..tile_store import StoredTile, TileList, TileStore, level_key, tile_keys
from .dask_cluster import guarded, jobs_ahead
from .in_order import Ready, in_order
from .tile_jobs import BuiltTile, LevelJobs, Place, TileJob, build_tile

_BATCH = 4  # tiles that a thread takes at a time: handing over costs as much as a tenth of a small tile
_MOST_IN_BATCH = 16  # tiles, with those that are built already

_Item: TypeAlias = TileJob | BuiltTile  # a tile that was taken out of a store needs no job


def build_tiles(
    places: Sequence[Place],
    tile_grid: TileGrid,
    level: LevelInput,
    build: RunningBuild,
    executor: Executor | None,
    stages: dict[str, Any] | None,
    store: TileStore | None = None,
) -> Iterator[Tile]:
    """Build the tiles at `places`, those that are not in `store`; yield those that hold polygons, in that order."""
    jobs = LevelJobs(places, tile_grid, level, build, executor is not None, stages is not None)
    if store is None:
        tiles = _built(map(jobs.job, jobs.places), len(places), build, executor)
    else:
        tiles = _stored_or_built(places, jobs, store, build, executor)
    for done, built in enumerate(tiles, 1):
        build.progress.report("tiles", done / len(places))
        build.add_seconds(built.seconds)
        if stages is not None and built.stages:
            stages[f"t{built.x}_{built.y}"] = built.stages
        if built.piece is None:
            build.nothing = build.nothing or built.nothing
        else:
            build.add(built.piece, f"Tile ({built.x}, {built.y}): ")
            yield Tile(built.x, built.y, built.piece.polygon_mesh, built.piece.detail_mesh)
    if store is not None:
        store.tidy()


def _stored_or_built(
    places: Sequence[Place], jobs: LevelJobs, store: TileStore, build: RunningBuild, executor: Executor | None
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
    built_anew: dict[Place, bytes] = {}

    def items() -> Iterator[_Item]:
        for place, key in zip(*listed, strict=True):
            stored = store.take(key)
            if stored is None:
                built_anew[place] = key
                yield jobs.job(place)
            else:
                yield BuiltTile(*place, *stored, {}, {})

    counts = build.report.store = {"reused": 0, "built": 0}
    for tile in _built(items(), to_build, build, executor):
        build.progress.check()
        key = built_anew.pop((tile.x, tile.y), None)
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
    items: Iterable[_Item], to_build: int, build: RunningBuild, executor: Executor | None
) -> Iterator[BuiltTile]:
    """Built tiles in the order of the jobs: by this thread, a pool of threads, or the caller's executor."""
    if executor is not None:
        with guarded(executor, build.progress) as watched:
            jobs = (Ready(item.x, item.y, item) if isinstance(item, BuiltTile) else item for item in items)
            yield from in_order(build_tile, jobs, watched, jobs_ahead, build.progress)
    elif build.workers.count == 1:
        for item in items:
            yield _tile_of(item)
    else:
        with helping_threads(build.workers.count, "navmesh-tile") as pool:
            batches = _batches(items, max(1, min(_BATCH, to_build // (16 * build.workers.count))))
            for built in in_order(_build_batch, batches, pool, lambda _: 2 * build.workers.count, build.progress):
                yield from built


def _tile_of(item: _Item) -> BuiltTile:
    return item if isinstance(item, BuiltTile) else build_tile(item)


class _Batch(NamedTuple):
    """Some tiles in a row, for one thread."""

    x: int  # of the first
    y: int
    items: list[_Item]


def _batches(items: Iterable[_Item], size: int) -> Iterator[_Batch | Ready[list[BuiltTile]]]:
    """Batches of `size` jobs, and what is built already in between; a batch without jobs is ready."""
    batch: list[_Item] = []
    jobs = 0
    for item in items:
        batch.append(item)
        jobs += isinstance(item, TileJob)
        if jobs == size or len(batch) == _MOST_IN_BATCH:
            yield _batch(batch)
            batch, jobs = [], 0
    if batch:
        yield _batch(batch)


def _batch(items: list[_Item]) -> _Batch | Ready[list[BuiltTile]]:
    built = [item for item in items if isinstance(item, BuiltTile)]
    x, y = items[0].x, items[0].y
    return _Batch(x, y, items) if len(built) < len(items) else Ready(x, y, built)


def _build_batch(batch: _Batch) -> list[BuiltTile]:
    return [_tile_of(item) for item in batch.items]
