"""Sizes at which Recast crashes, hangs or loses ground: right or refused by name, within two seconds of computing."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable
from ctypes import wintypes
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from navcore import BadInput, Cancelled, NavMesh, NavmeshError, Settings, TooLarge, build_navmesh
from navcore.builder.build_limits import HangGuard, StageHangs
from navcore.memory import _available_on_linux, available_bytes
from navcore.progress import Progress
from navcore.threads import Workers
from tests import scenes
from tests.navcore.whole.test_deviations import ground_area

MAX_SECONDS = 2.0
CELL = 0.3
BARE: dict[str, Any] = {"agent_radius": 0.0, "filter_ledge_spans": False, "region_min_size": 0}


def islands(count: int) -> scenes.Mesh:
    """count × count squares of 5 × 5 cells that nothing joins."""
    step, size = 7 * CELL, 5 * CELL
    return scenes.join([scenes._rectangle(i * step, j * step, size, size) for i in range(count) for j in range(count)])


def timed(build: Callable[[], NavMesh]) -> NavMesh | NavmeshError:
    """What comes of a build whose kernels are compiled; it must not compute for longer than allowed."""
    made: NavMesh | NavmeshError
    for _ in range(2):
        began = time.process_time()
        try:
            made = build()
        except NavmeshError as refused:
            made = refused
        seconds = time.process_time() - began
    assert seconds < MAX_SECONDS
    return made


@pytest.mark.parametrize("partition", ["watershed", "monotone", "layers"])
def test_a_comb_of_300_teeth_loses_no_ground(partition: str) -> None:
    navmesh = timed(lambda: build_navmesh(*scenes.comb(300), Settings(partition=partition, **BARE), threads=1))
    assert isinstance(navmesh, NavMesh)
    cells = navmesh.report.counts["open_spans"]
    assert abs(ground_area(navmesh) / CELL**2 - cells) < 0.001 * cells


@pytest.mark.parametrize("partition", ["watershed", "monotone", "layers"])
def test_1600_holes_in_one_region_are_all_there(partition: str) -> None:
    settings = Settings(partition=partition, **BARE)
    navmesh = timed(lambda: build_navmesh(*scenes.plaza(40), settings, threads=1))
    assert isinstance(navmesh, NavMesh)
    cells = navmesh.report.counts["open_spans"]  # of which single cells inside the pillars have no outline
    assert abs(ground_area(navmesh) / CELL**2 - cells) < 0.03 * cells


@pytest.mark.parametrize("partition", ["watershed", "monotone", "layers"])
def test_a_tower_of_25_floors_has_them_all(partition: str) -> None:
    navmesh = timed(lambda: build_navmesh(*scenes.tower(25), Settings(partition=partition), threads=1))
    assert isinstance(navmesh, NavMesh)
    mesh = navmesh.polygon_mesh
    heights = {int(y) // 15 for y in mesh.vertices[:, 1]}  # floors lie 3 m = 15 voxels apart
    assert len(heights) == 25
    single = build_navmesh(*scenes.tower(1), Settings(partition=partition), threads=1)
    assert ground_area(navmesh) > 24 * 0.9 * ground_area(single)


def test_130_by_130_islands_need_tiles_and_get_them() -> None:
    refused = timed(lambda: build_navmesh(*islands(130), Settings(**BARE), threads=1))
    assert isinstance(refused, TooLarge) and "use tiles" in str(refused)
    navmesh = timed(lambda: build_navmesh(*islands(130), Settings(tile_size=128, **BARE), threads=1))
    assert isinstance(navmesh, NavMesh)
    cells = sum(map(ground_area, navmesh.tiles)) / CELL**2
    assert 130 * 130 * 5**2 <= round(cells) <= 130 * 130 * 6**2, "a square covers the cells that it touches"
    assert sum(len(tile.polygon_mesh.polygons) for tile in navmesh.tiles) >= 130 * 130


@pytest.mark.parametrize("tile_size", [0, 64, 4096])
def test_a_cell_of_a_micrometre_is_refused_with_one_that_will_do(tile_size: int) -> None:
    refused = timed(lambda: build_navmesh(*scenes.flat(20), Settings(cell_size=1e-6, tile_size=tile_size)))
    assert isinstance(refused, TooLarge)
    suggested = float(str(refused).split("ell")[-1].split(" to ")[-1].split(" m")[0])
    assert 1e-6 < suggested < 0.3


def test_a_plane_at_ten_million_metres_is_refused() -> None:
    vertices, triangles = scenes.flat(30)
    refused = timed(lambda: build_navmesh(vertices + np.float32([1e7, 0, 1e7]), triangles))
    assert isinstance(refused, BadInput) and refused.code == "TOO_FAR"


def test_memory_that_is_not_there_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navcore.builder.build_limits.available_bytes", lambda: 10**9)
    floors = scenes.join([scenes.box(0, 3.0 * i, 0, 300, 0.3, 300) for i in range(40)])
    refused = timed(lambda: build_navmesh(*floors, Settings()))
    assert isinstance(refused, TooLarge) and refused.code == "NOT_ENOUGH_MEMORY"
    assert "about 1.4 GB of memory, and 1.0 GB are free" in str(refused)
    monkeypatch.setattr("navcore.builder.build_limits._ground_areas", lambda *_: (0.0, 0.0))
    monkeypatch.setattr("navcore.builder.build_limits._ALWAYS", 1e6)
    monkeypatch.setattr("navcore.builder.build_limits.available_bytes", lambda: 5 * 10**6)
    with pytest.raises(TooLarge, match="are free"):
        build_navmesh(*scenes.tower(25), Settings(cell_size=0.1))  # found when the spans are counted
    with pytest.raises(TooLarge, match="lower tile_size"):
        build_navmesh(*scenes.flat(20), Settings(tile_size=1024))


def test_the_system_tells_how_much_memory_there_is(tmp_path: Path) -> None:
    there = available_bytes()
    assert there is None or 10**7 < there < 10**14
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:  24684544 kB\nMemAvailable:   1000 kB\n")
    assert _available_on_linux(meminfo) == 1_024_000
    assert _available_on_linux(tmp_path / "missing") is None


@pytest.mark.skipif(sys.platform == "win32", reason="the real one is asked by the test above")
@pytest.mark.parametrize("answers", [True, False])
def test_windows_is_asked_with_its_own_structure(answers: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A twin of GlobalMemoryStatusEx: MEMORYSTATUSEX has 64 bytes, and at the 16th what can still be had."""

    class Kernel32:
        @staticmethod
        def GlobalMemoryStatusEx(status: Any) -> int:  # noqa: N802
            content = (ctypes.c_char * 64).from_buffer(status._obj)
            assert ctypes.sizeof(status._obj) == 64 == int.from_bytes(content[0:4], "little")
            content[8:32] = b"".join(value.to_bytes(8, "little") for value in (16 << 30, 5 << 30, 99))
            return int(answers)

    monkeypatch.setattr(ctypes, "WinDLL", lambda _name: Kernel32, raising=False)
    monkeypatch.setattr(wintypes, "DWORD", ctypes.c_uint32)  # as it is there
    monkeypatch.setattr(sys, "platform", "win32")
    assert available_bytes() == (5 << 30 if answers else None)


def test_elsewhere_all_memory_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}.__getitem__, raising=False)
    monkeypatch.setattr(os, "sysconf_names", {"SC_PHYS_PAGES": 1}, raising=False)
    assert available_bytes() == 4_096_000
    monkeypatch.setattr(os, "sysconf_names", {})
    assert available_bytes() is None


@pytest.mark.parametrize("tile_size", [0, 32])
def test_a_stage_that_hangs_is_stopped_and_named(tile_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(*arguments: Any) -> None:
        workers = next(a for a in arguments if isinstance(a, Workers))
        while True:
            workers.progress.check()

    build_navmesh(*scenes.flat(20), Settings(tile_size=tile_size), threads=1)  # compiled before time is counted
    monkeypatch.setattr(
        "navcore.builder.pipeline.build_regions" if tile_size == 0 else "navcore.builder.pipeline.build_fused",
        forever,
    )
    monkeypatch.setattr("navcore.builder.build_limits.MIN_SECONDS", 0.3)
    monkeypatch.setattr("navcore.builder.build_limits.SECONDS_PER_COLUMN", 0.0)
    monkeypatch.setattr("navcore.builder.build_limits._PATIENCE", 0.02)
    with pytest.raises(StageHangs, match="did not come to an end within 0 seconds of computing") as caught:
        build_navmesh(*scenes.flat(20), Settings(tile_size=tile_size), threads=1)
    assert caught.value.code == "STAGE_HANGS"
    if tile_size == 0:
        assert "'regions'" in str(caught.value)


def test_the_guard_looks_at_computing_since_the_last_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread is run here and now, against a clock of computing that each look moves on by a minute."""
    clock = iter(range(0, 100_000, 60))
    monkeypatch.setattr("navcore.builder.build_limits.time", SimpleNamespace(process_time=lambda: float(next(clock))))
    monkeypatch.setattr("navcore.builder.build_limits._PATIENCE", 0.0)
    progress = Progress()
    guard = HangGuard(progress, 2)
    guard.allow(1_000_000)  # 300 s and 100 s for the columns, on two threads
    guard._running.acquire()
    with progress.stage("regions"):
        guard._watch()
        assert progress.cancelled[0] == 1
        assert next(clock) == 60 * (800 // 60 + 2), "as soon as the limit has passed, and not before"
    with pytest.raises(StageHangs, match="The stage 'regions' did not come to an end within 800 seconds of computing"):
        guard.check()
    guard._running.release()
    ended = HangGuard(Progress(), 1)
    ended._watch()  # the build is over: it ends by itself
    ended.check()


def test_the_guard_ends_with_the_build_and_leaves_a_user_s_cancel_alone() -> None:
    progress = Progress(lambda stage, _: progress.cancel() if stage == "regions" else None)
    with pytest.raises(Cancelled):
        build_navmesh(*scenes.flat(20), progress=progress)
    until = time.monotonic() + 60.0
    while any(frame.f_code is HangGuard._watch.__code__ for frame in sys._current_frames().values()):
        assert time.monotonic() < until, "the guard goes on although the build is over"
        time.sleep(0.001)
