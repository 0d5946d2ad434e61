"""All tiles of a build: out of a store, or built by this thread, a pool of threads, an executor."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any

from ...geometry.tile_grid import TileGrid
from ...geometry.tile_key import TileKey
from ...result.navmesh import Tile
from ...threads import helping_threads
from ..checked_input import CheckedLevel
from ..running_build import RunningBuild
from ..tile_store import StoredTile, TileList, TileStore, level_key, tile_keys
from .dask_cluster import guarded, jobs_ahead, threads_of
from .in_order import Ready, in_order
from .tile_batches import BatchSizes, SameSize, TileBatch, TileRow, build_batch, rows
from .tile_jobs import BuiltTile, LevelJobs

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
        if stages is not None and built.stages:
            stages[built.key.stages_name] = built.stages
        if built.piece is None:
            build.nothing = build.nothing or built.nothing
        else:
            build.add(built.piece, f"Tile {built.key}: ")
            build.report.tile_seconds[built.key.place] = sum(built.seconds.values())
            yield Tile(*built.key.place, built.piece.polygon_mesh, built.piece.detail_mesh)
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
    """All tiles in the order of the items: built by this thread, a pool of threads, or the caller's executor."""
    threads = build.workers.count
    if executor is not None:
        with guarded(executor, build.progress) as watched:
            sizes: BatchSizes | SameSize = BatchSizes(to_build, jobs.tile_grid, lambda: threads_of(watched))
            if jobs.shared.keep_stages:  # which are large
                sizes = SameSize(1)
            yield from _built_in_batches(items, jobs, sizes, watched, jobs_ahead)
    elif threads == 1:
        for item in items:
            yield item if isinstance(item, BuiltTile) else jobs.build(item)
    else:
        with helping_threads(threads, "navmesh-tile") as pool:
            sizes = SameSize(max(1, min(_BATCH, to_build // (16 * threads))))
            yield from _built_in_batches(items, jobs, sizes, pool, lambda _: 2 * threads)


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
