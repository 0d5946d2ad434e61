"""Tiles: the grid, who sees which triangle, any executor, rebuilding what changed."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    Cancelled,
    NavMesh,
    NavmeshError,
    NothingWalkable,
    Progress,
    Settings,
    TooLarge,
    build_navmesh,
    rebuild_tiles,
)
from navcore.builder import cold_builds
from navcore.builder.fused_tile import BegunTile, FusedTile, build_fused
from navcore.compile_ahead.every_kernel import tangled
from navcore.geometry.tile_grid import TileGrid, changed_tiles, cut_into_tiles, grid_of_tile, select_triangles
from navcore.geometry.tile_key import TileKey
from navcore.stages.regions import build_regions
from navcore.threads import Workers
from tests import scenes

CITY = scenes.city(3)
TILED = Settings(tile_size=32)


@pytest.fixture(autouse=True)
def kernels_are_waited_for() -> Iterator[None]:
    """Where they are not compiled yet, few tiles go stage by stage: what is tested here must not depend on that."""
    cold = cold_builds._WHO.cold
    cold_builds.let_build_cold(None)
    yield
    cold_builds.let_build_cold(cold)


def cut(low: list[float], high: list[float], **values: Any) -> TileGrid:
    settings = Settings(**({"tile_size": 32} | values))
    return cut_into_tiles(np.array(low, np.float32), np.array(high, np.float32), settings, settings.in_voxels())


def arrays(navmesh: NavMesh) -> list[tuple[int, int, bytes]]:
    """Every byte of every tile."""
    found = []
    for tile in navmesh.tiles:
        mesh, detail = tile.polygon_mesh, tile.detail_mesh
        facts = np.array([mesh.capacity, mesh.max_edge_error, *mesh.grid[:3], *mesh.grid[5:]])
        parts = [
            mesh.vertices,
            mesh.polygons,
            mesh.neighbors,
            mesh.region,
            mesh.area,
            mesh.grid.bounds_min,
            mesh.grid.bounds_max,
        ]
        found.append((tile.x, tile.y, b"".join(a.tobytes() for a in [*parts, facts, *(detail or ())])))
    return found


def test_the_worked_example() -> None:
    tiles = cut([-10, 0, -5], [22.3, 6, 14])
    assert (tiles.columns, tiles.rows, tiles.border) == (4, 2, 5)
    grid = grid_of_tile(tiles, TileKey(1, 0))
    assert (grid.width, grid.depth, grid.border) == (42, 42, 5)
    assert np.allclose([grid.bounds_min[0], grid.bounds_max[0]], [-1.9, 10.7])
    assert (grid.bounds_min[1], grid.bounds_max[1]) == (0, 6)
    assert changed_tiles(tiles, [8, 0, 0], [8.4, 1, 1]) == [TileKey(1, 0), TileKey(2, 0)]


def test_edges_are_rounded_as_recast_rounds_them() -> None:
    tiles = cut([0.1, 0, 0.7], [900, 1, 900])
    f = np.float32
    for number in (0, 1, 7, 61):
        grid = grid_of_tile(tiles, TileKey(number, number))
        side, pad = f(32) * f(0.3), f(5) * f(0.3)
        assert grid.bounds_min[0] == f(f(f(0.1) + f(f(number) * side)) - pad)
        assert grid.bounds_max[2] == f(f(f(0.7) + f(f(number + 1) * side)) + pad)


@pytest.mark.parametrize("count", [1, 3])
def test_every_tile_gets_the_triangles_that_touch_its_padded_box_in_order(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(4)
    corners = rng.uniform(-5, 60, (500, 1, 3)) + rng.uniform(-6, 6, (500, 3, 3))
    vertices = np.round(corners / 0.3).astype(np.float32).reshape(-1, 3) * np.float32(0.3)
    vertices[::151], vertices[1::149] = 3e38, -3e38
    triangles = np.arange(1500, dtype=np.int32).reshape(-1, 3)
    tiles = cut([0, -9, 0], [55, 99, 40], tile_size=16)
    with Workers(count) as workers:
        monkeypatch.setattr("navcore.geometry.tile_grid._MIN_TRIANGLES", 100)
        selection = select_triangles(tiles, vertices, triangles, (0, 0), (tiles.columns, tiles.rows), workers)
        part = select_triangles(tiles, vertices, triangles, (2, 1), (5, 4), workers)
    low, high = vertices[triangles].min(1), vertices[triangles].max(1)
    for y in range(tiles.rows):
        for x in range(tiles.columns):
            grid = grid_of_tile(tiles, TileKey(x, y))
            touches = [(low[:, a] <= grid.bounds_max[a]) & (high[:, a] >= grid.bounds_min[a]) for a in (0, 2)]
            expected = np.flatnonzero(touches[0] & touches[1]).tolist()
            assert selection.of(TileKey(x, y)).tolist() == expected
            if 2 <= x < 5 and 1 <= y < 4:
                assert part.of(TileKey(x, y)).tolist() == expected


def test_too_many_tiles_are_refused_with_a_size_that_works() -> None:
    with pytest.raises(TooLarge, match=r"Raise tile_size to (\d+)") as caught:
        cut([0, 0, 0], [20000, 1, 20000], tile_size=16)
    size = int(str(caught.value).split("Raise tile_size to ")[1].split()[0])
    assert cut([0, 0, 0], [20000, 1, 20000], tile_size=size).columns > 1


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_same_bytes_for_any_number_of_threads(threads: int) -> None:
    assert arrays(build_navmesh(*CITY, TILED, threads=threads)) == arrays(full_build())


@pytest.mark.parametrize(
    "changed",
    [
        {}, {"partition": "monotone"}, {"partition": "layers"}, {"median_filter": True}, {"agent_radius": 0},
        {"agent_radius": 3}, {"agent_max_climb": 0}, {"agent_height": 50}, {"filter_ledge_spans": False},
        {"filter_low_hanging_obstacles": False}, {"filter_walkable_low_height_spans": False}, {"region_min_size": 0},
        {"detail_mesh": False}, {"detail_sample_distance": 0}, {"vertices_per_polygon": 3}, {"edge_max_error": 0},
        {"edge_max_length": 0}, {"edge_max_length": 2, "tessellate_area_edges": True}, {"repair": False},
    ],
)  # fmt: skip
@pytest.mark.parametrize("level", ["city", "marked", "tangled"])
def test_stages_run_together_make_what_they_make_one_by_one(changed: dict[str, Any], level: str) -> None:
    volumes = [{"shape": "box", "area": 3, "min": [3, -5, 3], "max": [20, 50, 20]}] if level == "marked" else []
    mesh = tangled(1) if level == "tangled" else CITY  # holes, and much to be mended
    settings = Settings.from_mapping(TILED.to_mapping() | changed)

    def made(keep_stages: bool) -> object:
        try:
            navmesh = build_navmesh(*mesh, settings, volumes=volumes, threads=1, keep_stages=keep_stages)
        except NavmeshError as reason:
            return reason.code, str(reason)
        return arrays(navmesh), navmesh.report.counts, navmesh.report.warnings

    assert made(keep_stages=False) == made(keep_stages=True)


def test_nearly_all_tiles_of_a_city_are_built_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(*args: Any) -> Any:
        made.append(build_fused(*args))
        return made[-1]

    monkeypatch.setattr("navcore.builder.pipeline.build_fused", counted)
    tiles = build_navmesh(*CITY, TILED, threads=1).report.counts["tiles"]
    assert len(made) == tiles
    assert sum(isinstance(whole, FusedTile) for whole in made) > 0.9 * tiles


@pytest.mark.parametrize("sizes", [(), (("a", 0.3, 1.2), ("b", 0.9, 2.4))])
def test_what_is_mended_goes_on_from_its_regions(monkeypatch: pytest.MonkeyPatch, sizes: Any) -> None:
    """Stages before them are not run again; what comes out is what the stages one by one make."""
    mesh, settings = tangled(1), replace(TILED, agent_radius=0)
    expected = build_navmesh(*mesh, settings, threads=1, sizes=sizes, keep_stages=True)
    begun, divided = [], []

    def counted(*args: Any) -> Any:
        begun.append(build_fused(*args))
        return begun[-1]

    def again(*args: Any) -> Any:
        divided.append(build_regions(*args))
        return divided[-1]

    monkeypatch.setattr("navcore.builder.pipeline.build_fused", counted)
    monkeypatch.setattr("navcore.builder.pipeline.build_regions", again)
    navmesh = build_navmesh(*mesh, settings, threads=1, sizes=sizes)
    assert arrays(navmesh) == arrays(expected)
    assert navmesh.report.warnings == expected.report.warnings and navmesh.report.counts == expected.report.counts
    assert any(isinstance(tile, BegunTile) for tile in begun) and len(divided) == begun.count(None)


def full_build() -> NavMesh:
    if not _FULL:
        _FULL.append(build_navmesh(*CITY, TILED, threads=1))
    return _FULL[0]


_FULL: list[NavMesh] = []


def test_counts_and_seconds_are_those_of_all_tiles() -> None:
    navmesh = full_build()
    counts = navmesh.report.counts
    assert counts["tiles"] == len(navmesh.tiles) > 9
    assert counts["polygons"] == sum(len(t.polygon_mesh.polygons) for t in navmesh.tiles)
    assert navmesh.report.seconds["tile"] > 0


class Backwards(Executor):
    """Runs jobs on a thread, the last submitted first."""

    def __init__(self) -> None:
        self._jobs: list[tuple[Future[Any], Any, Any]] = []
        self._wake = threading.Condition()
        threading.Thread(target=self._work, daemon=True).start()

    def submit(self, work: Any, /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._wake:
            self._jobs.append((future, work, args))
            self._wake.notify()
        return future

    def _work(self) -> None:
        while True:
            with self._wake:
                while not self._jobs:
                    self._wake.wait()
                future, work, args = self._jobs.pop()
            future.set_result(work(*args))


def test_the_order_of_completion_does_not_matter() -> None:
    assert arrays(build_navmesh(*CITY, TILED, executor=Backwards())) == arrays(full_build())


def test_processes() -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert arrays(build_navmesh(*CITY, TILED, executor=pool)) == arrays(full_build())


class Counting(ThreadPoolExecutor):
    """Remembers how many jobs it was handed at most before their results were taken."""

    waiting = most = 0

    def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        future = super().submit(work, *args, **kwargs)
        future.add_done_callback(lambda _: setattr(self, "waiting", self.waiting - 1))
        return future


def test_at_most_a_few_jobs_are_waiting() -> None:
    with Counting(1) as pool:
        build_navmesh(*scenes.flat(150), Settings(tile_size=16), executor=pool)
    assert pool.most <= 32


def test_a_large_pool_gets_work_for_everyone() -> None:
    """Every worker has a batch and two more waiting, also where the first of all takes long."""
    held = threading.Event()

    class Held(Counting):
        def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            if self.waiting + 1 == 150:
                held.set()
            return super().submit(lambda job: (held.wait(20), work(job))[1], *args, **kwargs)

    with Held(50) as pool:
        build_navmesh(*scenes.flat(60), Settings(tile_size=16), executor=pool)
    assert held.is_set() and pool.most == 150


def edits(seed: int) -> Iterator[tuple[scenes.Mesh, list[float]]]:
    """Levels that differ from the one before by a box that was added, moved or taken away, and where."""
    rng = np.random.default_rng(seed)
    boxes: dict[int, tuple[float, ...]] = {}
    for step in range(6):
        changed = []
        key = int(rng.integers(0, 3))
        if key in boxes:
            changed.append(boxes.pop(key))
        if rng.random() < 0.8:
            place = rng.uniform(2, 40, 2)
            size = rng.uniform(0.3, 8, 3)
            boxes[key] = (float(place[0]), 0.0, float(place[1]), float(size[0]), float(size[1]), float(size[2]))
            changed.append(boxes[key])
        rows = [[x, y, z, x + w, y + h, z + d] for x, y, z, w, h, d in changed]
        if rows:
            yield scenes.join([CITY, *(scenes.box(*b) for b in boxes.values())]), rows
        assert step < 6


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("partition", ["watershed", "layers"])
def test_a_rebuild_equals_a_full_build(seed: int, partition: str) -> None:
    settings = Settings(tile_size=24, partition=partition)
    bounds = [0, -1, 0, 48, 9, 48]
    navmesh = build_navmesh(*CITY, settings, bounds=bounds)
    for mesh, rows in edits(seed):
        rebuilt = rebuild_tiles(navmesh, rows, *mesh)
        full = build_navmesh(*mesh, settings, bounds=bounds)
        assert arrays(rebuilt) == arrays(full)
        assert 0 < rebuilt.report.counts.get("polygons", 0) <= full.report.counts["polygons"]
        navmesh = rebuilt


def test_a_rebuild_keeps_what_the_change_cannot_reach() -> None:
    navmesh = full_build()
    moved = scenes.join([CITY, scenes.box(3, 0, 3, 1, 2, 1)])
    rebuilt = rebuild_tiles(navmesh, [3, 0, 3, 4, 2, 4], *moved)
    assert navmesh.tile_grid is not None
    touched = set(changed_tiles(navmesh.tile_grid, [3, 0, 3], [4, 2, 4]))
    before = {(t.x, t.y): t for t in navmesh.tiles}
    assert 1 <= len(touched) < len(before) / 2
    for tile in rebuilt.tiles:
        assert (tile is before[tile.x, tile.y]) == (tile.key not in touched)


def test_only_a_tiled_navmesh_can_be_rebuilt() -> None:
    with pytest.raises(BadInput, match="Set tile_size") as caught:
        rebuild_tiles(build_navmesh(*scenes.flat(9)), [0, 0, 0, 1, 1, 1], *scenes.flat(9))
    assert caught.value.code == "NOT_TILED"


def test_nothing_walkable_in_any_tile() -> None:
    vertices, triangles = scenes.flat(40)
    with pytest.raises(NothingWalkable, match="look down"):
        build_navmesh(vertices, np.ascontiguousarray(triangles[:, ::-1]), TILED)
    with pytest.raises(NothingWalkable, match="Check the bounds"):
        build_navmesh(vertices, triangles, TILED, bounds=[100, 0, 100, 150, 1, 150])


def test_an_error_names_its_tile() -> None:
    tall = scenes.join([scenes.flat(40), scenes.box(30, 0, 30, 1, 5000, 1)])
    with pytest.raises(TooLarge, match=r"Tile \(2, 2\): .*limit 8,191"):
        build_navmesh(*tall, TILED, bounds=[0, 0, 0, 40, 6000, 40])


@pytest.mark.parametrize("threads", [1, 2])
def test_cancelling_is_seen_within_250_ms_of_the_processor(threads: int) -> None:
    mesh = scenes.city(10)
    build_navmesh(*scenes.flat(20), TILED)  # what is compiled here is not waited for below
    progress = Progress()
    cancelled_at: list[float] = []

    def cancel() -> None:
        cancelled_at.append(time.process_time())
        progress.cancel()

    threading.Timer(0.15, cancel).start()
    with pytest.raises(Cancelled):
        [build_navmesh(*mesh, TILED, threads=threads, progress=progress) for _ in range(100)]
    assert time.process_time() - cancelled_at[0] < 0.25 * threads


def test_progress_rises_to_one() -> None:
    seen: list[tuple[str, float]] = []
    build_navmesh(*CITY, TILED, progress=lambda stage, done: seen.append((stage, done)))
    fractions = [done for stage, done in seen if stage == "tiles"]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0 and len(fractions) > 9
    assert seen[-1] == ("done", 1.0)
