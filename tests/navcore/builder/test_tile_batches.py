"""Batches of tiles: how large they are, what travels with them, and what is lost with one."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import Cancelled, NavmeshError, Progress, Settings, build_navmesh
from navcore.builder.checked_input import CheckedLevel, checked_geometry
from navcore.builder.running_build import running_build
from navcore.builder.tile_store.tile_records import StoredTile, packed
from navcore.builder.tiles.tile_batches import (
    BatchSizes,
    SameSize,
    TileBatch,
    Unwanted,
    build_batch,
    first_tiles,
    noticing,
    rows,
    task_dropped,
    volumes_around,
)
from navcore.builder.tiles.tile_jobs import BuiltTile, LevelJobs
from navcore.formats.mset import mset_bytes
from navcore.geometry.grid import bounds_of
from navcore.geometry.tile_grid import TileGrid, cut_into_tiles, grid_of_tile, keys_of_grid
from navcore.geometry.tile_key import TileKey, keys_of_rectangle
from navcore.scene import BoxVolume
from navcore.stages.areas import touching
from tests import scenes

CITY = scenes.city(6)
TILED = Settings(tile_size=24)


@contextmanager
def level_jobs(mesh: scenes.Mesh = CITY, volumes: Sequence[BoxVolume] = ()) -> Iterator[LevelJobs]:
    with running_build(TILED, 1, Progress()) as build:
        low, high = bounds_of(mesh[0])
        grid = cut_into_tiles(low, high, TILED, TILED.in_voxels())
        places = list(keys_of_grid(grid))
        level = build.marked(CheckedLevel(checked_geometry(*mesh, None), volumes))
        yield LevelJobs(places, grid, level, build, keep_stages=False)


def batch_of(jobs: LevelJobs, places: Sequence[TileKey]) -> TileBatch:
    return TileBatch(places, jobs.shared, jobs.selection, jobs.parts)


def bytes_of(tiles: Sequence[BuiltTile]) -> bytes:
    return b"".join(packed(StoredTile(tile.piece, tile.nothing)) for tile in tiles)


def test_a_batch_builds_the_same_wherever_it_is_sent_and_however_often() -> None:
    volumes = [
        BoxVolume(area=3, min=(3, -5, 3), max=(20, 50, 20)),
        BoxVolume(area=4, min=(70, -5, 70), max=(90, 50, 90)),
    ]
    with level_jobs(volumes=volumes) as jobs:
        for places in (jobs.places[:9], jobs.places[50:51], jobs.places[10:40]):
            here = batch_of(jobs, places)
            sent = pickle.loads(pickle.dumps(here))
            again = pickle.loads(pickle.dumps(sent))
            assert bytes_of(build_batch(here)) == bytes_of(build_batch(sent)) == bytes_of(build_batch(again))
            assert [job.places for job in here.alone()] == [[place] for place in places]


def test_all_batches_together_are_little_more_than_the_level() -> None:
    with level_jobs() as jobs:
        whole = sum(part.nbytes for part in jobs.level.geometry)
        by_rows = [row for y in range(jobs.tile_grid.rows) if (row := [place for place in jobs.places if place.y == y])]
        in_batches = sum(len(pickle.dumps(batch_of(jobs, row))) for row in by_rows)
        alone = sum(len(pickle.dumps(batch_of(jobs, [place]))) for place in jobs.places)
    assert in_batches < 1.5 * whole and in_batches < 0.5 * alone


def test_a_batch_takes_along_all_volumes_that_its_tiles_see_and_few_others() -> None:
    rng = np.random.default_rng(8)
    low, high = bounds_of(CITY[0])
    grid = cut_into_tiles(low, high, TILED, TILED.in_voxels())
    corners = rng.uniform(-10, 110, (400, 3))
    volumes = [
        BoxVolume(area=1, min=tuple(c.tolist()), max=tuple((c + rng.uniform(0, 9, 3)).tolist())) for c in corners
    ]
    for corners in ([(0, 0)], [(3, 2), (4, 2), (5, 2)], [(12, 4), (13, 4), (0, 5)]):
        places = [TileKey(*corner) for corner in corners]
        taken = volumes_around(places, grid, volumes)
        seen = [volume for volume in volumes if any(touching(grid_of_tile(grid, place), [volume]) for place in places)]
        kept = [volume for volume in volumes if volume in taken]
        assert list(taken) == kept and all(volume in kept for volume in seen)
        assert len(places) > 2 or len(kept) < 40


def grid_of_size(size: int) -> TileGrid:
    return TileGrid(9, 9, size, 5, np.zeros(3, np.float32), np.ones(3, np.float32), np.float32(1), np.float32(1))


def tiles_that_took(seconds: float, count: int) -> list[BuiltTile]:
    return [
        BuiltTile(TileKey(0, 0), None, None, {"tile": seconds * 0.75, "detail": seconds * 0.25}, {})
        for _ in range(count)
    ]


def sizes_while(tiles: int, workers: int, seconds: Callable[[int], float], size: int = 64) -> list[int]:
    """Those of all batches, where each is built before the next one is made."""
    sizes, made = BatchSizes(tiles, first_tiles(grid_of_size(size)), lambda: workers), []
    while sum(made) < tiles:
        made.append(min(sizes.next(), tiles - sum(made)))
        for _ in range(made[-1]):
            sizes.handed_over()
        sizes.learn(tiles_that_took(seconds(len(made)), made[-1]))
    return made


def test_quick_tiles_come_in_batches_that_grow_until_they_are_work_enough() -> None:
    made = sizes_while(30_000, 4, lambda _: 2**-10)
    assert made[:3] == [23, 184, 1228] and set(made[2:16]) == {1228}
    assert all(later <= 8 * earlier for earlier, later in pairwise(made))


def test_slow_tiles_come_one_by_one() -> None:
    assert set(sizes_while(200, 4, lambda _: 3.0)[1:]) == {1}
    assert set(sizes_while(50, 4, lambda _: 3.0, size=256)) == {1}


def test_tiles_that_get_slower_come_in_smaller_batches_soon() -> None:
    made = sizes_while(30_000, 4, lambda batch: 2**-10 if batch < 10 else 0.1)
    assert made[9] == 1228 and made[17] == max(made[17:]) == 12


def test_few_tiles_are_shared_out() -> None:
    assert set(sizes_while(20, 16, lambda _: 0.3)) == {1}
    made = sizes_while(4000, 10, lambda _: 2**-10)
    assert max(made) <= 4000 // 20 and len(made) > 20


def test_the_last_batches_are_small_but_not_tiny() -> None:
    made = sizes_while(30_000, 4, lambda _: 2**-10)
    assert made[-2] == 103 and made[-12:-1] == sorted(made[-12:-1], reverse=True)


def test_rows_keep_the_order_of_what_was_there_already() -> None:
    with level_jobs() as jobs:
        places = jobs.places
        items = [BuiltTile(place, None, None, {}, {}) if i % 3 else place for i, place in enumerate(places)]
        made = list(rows(items, jobs, SameSize(4)))
        assert {len(row.places) for row in made[:-1]} == {4}
        built = [BuiltTile(place, None, None, {"tile": 1.0}, {}) for row in made for place in row.places]
        took = iter(built)
        filled = [tile for row in made for tile in row.filled([next(took) for _ in row.places])]
    assert [tile.key for tile in filled] == places
    assert [bool(tile.seconds) for tile in filled] == [i % 3 == 0 for i in range(len(places))]


def test_stored_tiles_do_not_wait_in_thousands() -> None:
    with level_jobs() as jobs:
        stored = [BuiltTile(TileKey(x, 0), None, None, {}, {}) for x in range(1000)]
        made = list(rows([*stored, TileKey(0, 0)], jobs, SameSize(4)))
    assert max(len(row.items) for row in made) <= 65 and sum(len(row.items) for row in made) == 1001


def test_a_batch_has_no_more_triangles_than_travel_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navcore.builder.tiles.tile_batches._MAX_TRIANGLES", 600)
    with level_jobs() as jobs:
        made = list(rows(jobs.places, jobs, SameSize(1000)))
        counts = [sum(len(jobs.selection.of(place)) for place in row.places) for row in made]
    assert len(made) > 5 and max(counts) <= 600 < counts[0] + counts[1]


class Remembering(ThreadPoolExecutor):
    """Remembers the places of its jobs; packs and unpacks each, as another process would."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.jobs: list[list[TileKey]] = []
        self.sent = 0

    def submit(self, work: Any, /, *args: Any, **_: Any) -> Future[Any]:
        self.jobs.append(list(args[0].places))
        packed = pickle.dumps(args[0])
        self.sent += len(packed)
        return super().submit(lambda: pickle.loads(pickle.dumps(work(pickle.loads(packed)))))


def test_an_executor_gets_far_fewer_jobs_than_tiles() -> None:
    mesh = scenes.flat(150)
    expected = build_navmesh(*mesh, Settings(tile_size=16), threads=1)
    with Remembering(2) as pool:
        navmesh = build_navmesh(*mesh, Settings(tile_size=16), executor=pool)
    tiles = 32 * 32
    assert mset_bytes(navmesh) == mset_bytes(expected)
    assert 8 < len(pool.jobs) < tiles / 8
    assert [place for job in pool.jobs for place in job] == list(keys_of_rectangle(range(32), range(32)))
    assert pool.sent < 100 * tiles  # what all tiles have in common is sent once a batch


def test_stages_that_are_kept_come_one_tile_at_a_time() -> None:
    with Remembering(2) as pool:
        navmesh = build_navmesh(*CITY, TILED, executor=pool, keep_stages=True)
    assert (
        {len(job) for job in pool.jobs} == {1} and navmesh.stages is not None and len(navmesh.stages) == len(pool.jobs)
    )


def test_only_missing_tiles_are_sent(tmp_path: Path) -> None:
    expected = mset_bytes(build_navmesh(*CITY, TILED, store=tmp_path))
    bounds = [0, -1, 0, 96, 9, 96]
    build_navmesh(*CITY, TILED, bounds=bounds, store=tmp_path)
    moved = scenes.join([CITY, scenes.box(40, 0, 40, 2, 1, 2)])
    with Remembering(2) as pool:
        navmesh = build_navmesh(*moved, TILED, bounds=bounds, store=tmp_path, executor=pool)
        sent = sum(map(len, pool.jobs))
        assert navmesh.report.store is not None and 0 < navmesh.report.store["built"] == sent < 20
        assert mset_bytes(navmesh) == mset_bytes(build_navmesh(*moved, TILED, bounds=bounds))
        assert mset_bytes(build_navmesh(*CITY, TILED, store=tmp_path, executor=pool)) == expected
    assert sum(map(len, pool.jobs)) == sent


class Losing(Executor):
    """Loses every job that holds a place, or every job of several tiles; does the others at once."""

    def __init__(self, poison: TileKey | None) -> None:
        self.poison = poison
        self.lost: list[int] = []

    def submit(self, work: Any, /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        places = args[0].places
        if self.poison in places or (self.poison is None and len(places) > 1):
            self.lost.append(len(places))
            future.set_exception(BrokenExecutor("the worker died"))
        else:
            future.set_result(work(args[0]))
        return future


def test_what_was_lost_together_is_built_alone() -> None:
    executor = Losing(None)
    expected = mset_bytes(build_navmesh(*CITY, TILED, threads=1))
    assert mset_bytes(build_navmesh(*CITY, TILED, executor=executor)) == expected
    assert executor.lost and min(executor.lost) > 1


def test_the_tile_that_takes_its_worker_along_is_named_alone() -> None:
    executor = Losing(TileKey(4, 2))
    with pytest.raises(NavmeshError, match=r"^Lost tiles \(4, 2\): ") as caught:
        build_navmesh(*CITY, TILED, executor=executor)
    assert caught.value.code == "WORKER_LOST" and executor.lost[0] > 1 and executor.lost[1:] == [1]


def test_an_executor_that_takes_no_more_has_lost_all_that_waited() -> None:
    class Gone(Losing):
        def submit(self, work: Any, /, *args: Any, **_: Any) -> Future[Any]:
            if self.lost and self.poison in args[0].places[:1]:
                raise BrokenExecutor("gone")
            return super().submit(work, *args)

    with pytest.raises(NavmeshError, match=r"^Lost tiles \(0, 0\), .* and [\d,]+ more: ") as caught:
        build_navmesh(*CITY, Settings(tile_size=16), executor=Gone(TileKey(0, 0)))
    assert caught.value.code == "WORKER_LOST"


def test_a_batch_that_is_unwanted_ends_as_one_that_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def noticed(cancelled: Any) -> Iterator[None]:
        cancelled[0] = 1
        yield

    with level_jobs() as jobs:
        here = batch_of(jobs, jobs.places[:3])
        sent = pickle.loads(pickle.dumps(here))
        monkeypatch.setattr("navcore.builder.tiles.tile_batches.noticing", noticed)
        with pytest.raises(Unwanted):
            build_batch(sent)
        assert len(build_batch(here)) == 3
        jobs.shared.cancelled[0] = 1
        with pytest.raises(Cancelled):
            build_batch(here)


def test_where_no_dask_task_runs_nothing_is_dropped() -> None:
    pytest.importorskip("distributed")
    cancelled = np.zeros(1, np.uint8)
    with noticing(cancelled):
        assert task_dropped() is None
    assert not cancelled[0]
