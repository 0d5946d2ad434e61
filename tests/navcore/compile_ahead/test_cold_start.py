"""Builds of Python and the shell where kernels are missing: who is started, what Python stands in for, who compiles."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import navcore
from navcore import build_navmesh
from navcore.builder import cold_builds
from navcore.builder.tiles import tile_jobs
from navcore.compile_ahead import cold_start, starter
from navcore.compile_ahead.processes import LINKS, QUESTIONS
from navcore.errors import Cancelled
from navcore.kernels import plain_python
from navcore.kernels.plain_python import NotByPython, NotKept, Way, way_here
from navcore.progress import Progress
from navcore.settings import Settings
from tests import scenes

ROOT = Path(__file__).resolve().parents[3]
SQUARE = np.array([[0, 0, 0], [9, 0, 0], [9, 0, 9]], np.float32)
FIRST, LATE = "navcore.geometry.grid", "navcore.stages.regions"  # where a kernel lies


class Compiler:
    """Stands in for the processes."""

    ready = compiles = False

    def holds_up(self) -> bool:
        return not self.ready


started_for: list[str] = []  # of what goes beyond a usual build
asked_for: list[str] = []  # for which of it there is something to compile


class Build:
    """Stands in for a build: on which ways it was begun, and which kernel is missing."""

    def __init__(self, missing: str | None, tiles: int = 0, only_of_tiles: bool = False) -> None:
        self.missing, self.ways, self.apart = missing, list[Way](), list[bool]()
        self.tiles, self.only_of_tiles = tiles, only_of_tiles
        self.by_python: Callable[[Progress], object] = lambda _: None

    def __call__(
        self, vertices: Any, triangles: Any, settings: Any = None, *, progress: Any = None, on_tile: Any = None
    ) -> str:
        assert len(vertices) == 3 and len(triangles) == 1 and isinstance(settings, Settings | None)
        self.ways.append(way_here())
        self.apart.append(cold_builds.goes_stage_by_stage())
        for tile in range(self.tiles):
            on_tile(tile)
        if way_here() is Way.REFUSE and self.missing and not (self.only_of_tiles and self.apart[-1]):
            raise NotKept(SimpleNamespace(__module__=self.missing, __qualname__="kernel"))
        if way_here() is Way.STAND_IN_FEW:
            if self.missing == FIRST:  # it is compiled
                cold_start._help(FIRST)
            self.by_python(progress)
        return "made"


@pytest.fixture
def compilers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Those that were started; nothing is prepared."""
    started: list[Any] = []
    started_for.clear()
    asked_for[:] = [LINKS, QUESTIONS]

    def begin(folder: Path, **_: Any) -> Compiler:
        assert folder == Path("kernels")
        started.append(Compiler())
        return started[-1]

    def begin_asked(folder: Path, task: str, **_: Any) -> Compiler | None:
        started_for.append(task)
        return begin(folder) if task in asked_for else None

    monkeypatch.setattr(starter, "begin", begin)
    monkeypatch.setattr(starter, "begin_asked", begin_asked)
    monkeypatch.setattr(cold_start, "STORE", SimpleNamespace(at_missing=None))
    monkeypatch.setattr(starter, "current", lambda: started[-1] if started else None)
    monkeypatch.setattr(starter, "cores", lambda: 2)
    monkeypatch.setattr(cold_start, "has_shipped_kernels", lambda: False)
    monkeypatch.setattr(cold_start, "kernel_folder", lambda: Path("kernels"))
    monkeypatch.setattr(cold_start, "wanted", lambda *_: True)
    monkeypatch.setattr(starter, "would_begin", lambda *_: True)
    monkeypatch.setattr(cold_start, "_begun", {})
    monkeypatch.setattr(cold_start, "_by_python", [])
    yield started
    for timer in cold_start._later:
        timer.cancel()
    cold_start._later.clear()


def built(build: Build, settings: Settings | None = None, **names: Any) -> str:
    return str(cold_start._build(build, (SQUARE, [[0, 1, 2]]), {"settings": settings, **names}))


def test_where_every_kernel_is_there_nothing_is_started(compilers: list[Any]) -> None:
    build = Build(missing=None)
    assert built(build) == "made" and build.ways == [Way.REFUSE] and not compilers


def test_the_first_small_build_is_finished_by_python(compilers: list[Any]) -> None:
    build = Build(FIRST)
    assert built(build) == "made" and build.ways == [Way.REFUSE, Way.STAND_IN_FEW] and len(compilers) == 1
    assert cold_start.work_on_little(lambda: plain_python.is_standing_in())
    assert way_here() is Way.COMPILE


def test_so_is_the_next_one_which_starts_nothing_where_it_is_over_soon(compilers: list[Any]) -> None:
    """It compiles nothing: only what Python can do is missing. So it is in the next program."""
    build = Build(LATE)
    assert built(build) == "made" and build.ways == [Way.REFUSE, Way.STAND_IN_FEW] and not compilers
    assert cold_start.work_on_little(lambda: plain_python.is_standing_in())
    (timer,) = cold_start._later
    assert timer.daemon and timer.interval == cold_start._SOON
    assert built(Build(LATE)) == "made" and cold_start._later == [timer] and not compilers
    cold_start._end(timer)
    assert not timer.is_alive() and not compilers


def test_a_build_by_python_that_takes_long_is_helped(compilers: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_start, "_SOON", 0.01)
    build = Build(LATE)

    def by_python(progress: Progress) -> None:
        while not compilers:
            progress.check()
        compilers[0].ready = True
        while True:  # until it is cancelled, as the kernels are there
            progress.check()

    build.by_python = by_python
    assert built(build) == "made" and build.ways == [Way.REFUSE, Way.STAND_IN_FEW, Way.COMPILE]
    assert len(compilers) == 1 and not cold_start._later


def test_so_is_one_that_comes_to_what_it_has_to_compile(compilers: list[Any]) -> None:
    """At once, and once, though the next build begins meanwhile."""
    build = Build(LATE)
    build.by_python = lambda _: [cold_start._help(FIRST) for _ in range(2)]
    assert built(build) == "made" and len(compilers) == 1 and not cold_start._later
    assert built(Build(LATE)) == "made" and len(compilers) == 1 and not cold_start._later
    compilers.clear()  # they have ended
    cold_start._help(FIRST)
    assert not compilers


def test_where_nobody_may_help_python_does_not_stand_in(compilers: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starter, "would_begin", lambda *_: False)
    build = Build(LATE)
    assert built(build) == "made" and build.ways == [Way.REFUSE, Way.COMPILE]
    assert not cold_start._later and not compilers


SMALL, MIDDLE, LARGE = 0.3, 0.01, 0.005  # cells of a level of 9 m


@pytest.mark.parametrize(
    ("cell_size", "tile_size", "ways"),
    [
        (MIDDLE, 0, [Way.REFUSE, Way.COMPILE]),
        (SMALL, 32, [Way.REFUSE, Way.REFUSE, Way.STAND_IN_FEW]),
        (MIDDLE, 32, [Way.REFUSE, Way.REFUSE, Way.COMPILE]),
        (LARGE, 32, [Way.REFUSE, Way.COMPILE]),
    ],
)
def test_a_large_level_compiles_beside_the_others_and_few_tiles_are_tried_stage_by_stage(
    compilers: list[Any], cell_size: float, tile_size: int, ways: list[Way]
) -> None:
    build = Build(LATE)
    assert built(build, Settings(cell_size=cell_size, tile_size=tile_size)) == "made"
    assert len(compilers) == (cell_size != SMALL) and len(cold_start._later) == (cell_size == SMALL)
    assert build.ways == ways and build.apart == [False, *[len(ways) > 2 or cell_size == SMALL] * (len(ways) - 1)]
    assert cold_start.work_on_little(lambda: plain_python.is_standing_in()) == (cell_size == SMALL)


def test_where_only_the_kernel_for_whole_tiles_is_missing_nothing_is_compiled(compilers: list[Any]) -> None:
    build = Build(FIRST, only_of_tiles=True)
    assert built(build, Settings(tile_size=32)) == "made" and not compilers
    assert build.ways == [Way.REFUSE, Way.REFUSE] and build.apart == [False, True]
    assert not cold_builds.goes_stage_by_stage()


def given_to(build: Build) -> Callable[[Any], str]:
    """A build of whatever is given as vertices."""

    def call(vertices: Any) -> str:
        assert vertices is not None
        return build(SQUARE, [0])

    return call


def test_a_level_that_is_none_is_left_to_who_refuses_it(compilers: list[Any]) -> None:
    for vertices in ("none", [[0, 0]], [["a", "b", "c"]], np.empty((0, 3))):
        build = Build(FIRST)
        assert cold_start._build(given_to(build), (vertices,), {}) == "made"
        assert build.ways == [Way.REFUSE, Way.COMPILE]
    assert len(compilers) == 1


def test_a_small_level_with_links_is_helped_with_links(compilers: list[Any]) -> None:
    """A large one, too, which compiles; and one whose links are there as any other build."""
    links = Settings(generate_links=True)
    build = Build(LATE)
    assert built(build, links) == "made" and build.ways == [Way.REFUSE, Way.STAND_IN_FEW]
    assert started_for == [LINKS] and len(compilers) == 1


@pytest.mark.parametrize("way", [Way.STAND_IN_LATE, Way.STAND_IN_FEW])
def test_links_of_a_small_level_are_found_by_python(way: Way) -> None:
    """Compiling what finds them takes half a minute. Each triangle is looked at by Python only where there are few."""
    with plain_python.standing_in(way):
        for module in ("navcore.surroundings.wall_chains", "navcore.link_finder.wide", LATE):
            assert not plain_python.is_for_compiler(SimpleNamespace(__module__=module, __qualname__="kernel"))
        assert plain_python.is_for_compiler(SimpleNamespace(__module__=FIRST, __qualname__="kernel"))
        looks = SimpleNamespace(__module__="navcore.builder.odd_input.survey", __qualname__="kernel")
        assert plain_python.is_for_compiler(looks) == (way is Way.STAND_IN_LATE)


def test_many_triangles_are_looked_at_by_kernels(compilers: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_start, "_FEW_TRIANGLES", 0)
    ways: list[Way] = []
    build = Build(FIRST)
    monkeypatch.setattr(cold_start, "without_all_kernels", lambda *given: (ways.append(given[-1]), "made")[1])
    assert built(build) == "made" and ways == [Way.STAND_IN_LATE] and len(cold_start._later) == 1 and not compilers


def test_what_a_build_with_links_lacks_beside_links_is_helped_as_before(compilers: list[Any]) -> None:
    asked_for.clear()
    build = Build(LATE)
    assert built(build, Settings(generate_links=True)) == "made" and build.ways == [Way.REFUSE, Way.STAND_IN_FEW]
    assert started_for == [LINKS] and len(cold_start._later) == 1 and not compilers


def test_a_first_question_is_helped(compilers: list[Any]) -> None:
    """By who compiles what it comes to last; once, and for nothing else."""
    cold_start.watch_builds()
    cold_start.STORE.at_missing("navcore.builder.fused_tile")
    assert not started_for
    for _ in range(2):
        cold_start.STORE.at_missing("navcore.navquery.kernels.find_path")
    assert started_for == [QUESTIONS] and len(compilers) == 1
    compilers.clear()  # they have ended
    cold_start.STORE.at_missing("navcore.navquery.kernels.find_path")
    assert started_for == [QUESTIONS] and not compilers


def test_few_tiles_are_kept_with_a_progress_too(compilers: list[Any]) -> None:
    """Whoever watches waits no longer for them; who cancels gets no more of them."""
    build, heard, progress = Build(FIRST, tiles=3), list[int](), Progress()
    assert built(build, Settings(tile_size=32), on_tile=heard.append, progress=progress) == "made"
    assert heard == [0, 1, 2] and build.ways == [Way.REFUSE, Way.REFUSE, Way.STAND_IN_FEW] and len(compilers) == 1
    heard.clear()

    def stop(tile: int) -> None:
        heard.append(tile)
        progress.cancel()

    with pytest.raises(Cancelled):
        built(Build(None, tiles=3), Settings(tile_size=32), on_tile=stop, progress=progress)
    assert heard == [0]


def test_tiles_that_are_handed_over_are_built_once(compilers: list[Any]) -> None:
    build, heard = Build(FIRST, tiles=3), list[int]()
    large = Settings(tile_size=32, cell_size=LARGE)
    assert built(build, large, on_tile=heard.append) == "made" and heard == [0, 1, 2]
    assert build.ways == [Way.COMPILE] and len(compilers) == 1


def test_few_tiles_are_handed_over_when_all_are_built(compilers: list[Any]) -> None:
    build, heard = Build(FIRST, tiles=3), list[int]()

    def by_python(_: Progress) -> None:
        assert not heard
        raise NotByPython("overflow")

    build.by_python = by_python
    assert built(build, Settings(tile_size=32), on_tile=heard.append) == "made" and heard == [0, 1, 2]
    assert build.ways == [Way.REFUSE, Way.REFUSE, Way.STAND_IN_FEW, Way.COMPILE] and len(compilers) == 1


@pytest.mark.parametrize("numbers", [False, True])
def test_what_python_cannot_finish_is_compiled(compilers: list[Any], numbers: bool) -> None:
    build = Build(FIRST)

    def by_python(progress: Progress) -> None:
        if numbers:
            raise NotByPython("overflow")
        compilers[0].ready = True
        while True:  # until it is cancelled, as the kernels are there
            progress.check()

    build.by_python = by_python
    assert built(build) == "made" and build.ways == [Way.REFUSE, Way.STAND_IN_FEW, Way.COMPILE]


@pytest.mark.usefixtures("compilers")
def test_who_called_may_cancel_while_python_stands_in() -> None:
    build, progress = Build(FIRST), Progress()

    def by_python(inner: Progress) -> None:
        progress.cancel()
        while True:
            inner.check()

    build.by_python = by_python
    with pytest.raises(Cancelled):
        built(build, progress=progress)
    assert build.ways == [Way.REFUSE, Way.STAND_IN_FEW]


@pytest.mark.usefixtures("compilers")
def test_who_called_hears_how_far_it_is() -> None:
    build, heard = Build(FIRST), list[tuple[str, float]]()
    build.by_python = lambda progress: progress.report("regions", 0.5)
    built(build, progress=lambda stage, fraction: heard.append((stage, fraction)))
    assert heard == [("regions", 0.5)]


def test_processes_are_started_once(compilers: list[Any]) -> None:
    built(Build(FIRST))
    compilers.clear()  # they have ended
    build = Build(FIRST)
    assert built(build) == "made" and build.ways == [Way.REFUSE, Way.COMPILE] and not compilers


@pytest.mark.parametrize("why", ["one core", "no folder", "shipped", "worker of a pool", "worker of a cluster"])
def test_where_it_is_not_sensible_none_are_started(
    compilers: list[Any], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    monkeypatch.delenv(starter.VARIABLE, raising=False)
    if why == "one core":
        monkeypatch.setattr(starter, "cores", lambda: 1)
    elif why == "no folder":
        monkeypatch.setattr(cold_start, "kernel_folder", lambda: None)
    elif why == "shipped":
        monkeypatch.setattr(cold_start, "has_shipped_kernels", lambda: True)
    elif why == "worker of a pool":
        loaded = SimpleNamespace(parent_process=lambda: "somebody")
        monkeypatch.setitem(cold_start.sys.modules, "multiprocessing.process", loaded)
    else:
        loaded = SimpleNamespace(thread_state=SimpleNamespace(key="a task"))
        monkeypatch.setitem(cold_start.sys.modules, "distributed.worker", loaded)
    build = Build(FIRST)
    assert built(build) == "made" and build.ways == [Way.REFUSE, Way.COMPILE] and not compilers


def test_on_one_core_processes_are_started_where_somebody_asks_for_them(
    compilers: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starter, "cores", lambda: 1)
    monkeypatch.setenv(starter.VARIABLE, "2")
    assert built(Build(FIRST)) == "made" and len(compilers) == 1


@pytest.mark.usefixtures("compilers")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_kernel_that_is_missing_in_the_middle_of_tiles_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    """What names the tile of a fault, and what names those of a lost executor, let it pass."""
    ways, build_piece = [], tile_jobs.build_piece

    def missing(*arguments: Any) -> Any:
        ways.append(way_here())
        if not plain_python.is_for_compiler(missing):
            raise AssertionError("it is refused, or compiled")
        return build_piece(*arguments)

    level = (*scenes.flat(12), Settings(tile_size=16))
    monkeypatch.setattr(cold_builds._WHO, "cold", None)
    expected = build_navmesh(*level, threads=threads)  # so that all others are there
    monkeypatch.setattr(tile_jobs, "build_piece", missing)
    monkeypatch.setattr(cold_builds._WHO, "cold", cold_start._build)
    monkeypatch.setattr(plain_python, "_MOMENT", 1e9)
    assert len(build_navmesh(*level, threads=threads).tiles) == len(expected.tiles) > 1
    assert ways[0] is Way.REFUSE and ways[-1] is Way.STAND_IN_FEW


def test_what_has_begun_a_while_ago_is_not_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_python, "_MOMENT", -1.0)
    with plain_python.only_kept():
        assert plain_python.is_for_compiler(test_what_has_begun_a_while_ago_is_not_begun_again)


def test_builds_of_the_public_names_are_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def way(function: Callable[..., Any], arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:
        calls.append(function.__name__)
        return function(*arguments, **names)

    build_navmesh = navcore.build_navmesh
    assert cold_builds._WHO.cold == cold_start._build
    monkeypatch.setattr(cold_builds._WHO, "cold", way)
    with pytest.raises(navcore.BadInput):
        build_navmesh([[0, 0]], [[0, 1, 2]])
    assert calls == ["build_navmesh"]


ALL_OF_IT = """
import hashlib
import navcore
from tests import scenes
from navcore.compile_ahead import starter
built = navcore.build_navmesh(*scenes.flat(9), threads=1)
compiler = starter.current()
bundles = (*built.polygon_mesh, *built.detail_mesh)
digest = hashlib.sha256(b"".join(bytes(part) for part in bundles if hasattr(part, "dtype"))).hexdigest()
kernels = built.report.kernels
print(digest, compiler is not None, kernels["loaded"] + kernels["interpreted"] > 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is Linux's")
def test_the_first_build_of_a_machine_makes_what_every_other_one_makes(tmp_path: Path) -> None:
    """With other processes and Python beside the compiler, or with all kernels there: the same bytes.

    How much Python does depends on who is sooner; something is done by others.
    """

    def digest_and_helped(**environment: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", ALL_OF_IT],
            cwd=ROOT,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    digest, *helped = digest_and_helped(XDG_CACHE_HOME=str(tmp_path), NAVMESH_KERNEL_PROCESSES="2")
    assert helped == ["True", "True"] and (tmp_path / "navmesh-kernels" / "locks" / "process 0").exists()
    assert digest_and_helped() == [digest, "False", "True"]


def test_a_kernel_that_is_not_kept_is_refused_and_named() -> None:
    from navcore.kernels.dispatcher import KernelDispatcher

    def kernel(number: int) -> int:
        return number + 1

    refused = KernelDispatcher(kernel, {"nopython": True}, kept=False)
    with plain_python.only_kept(), pytest.raises(NotKept, match="kernel is not compiled yet") as raised:
        refused(1)
    assert not raised.value.is_late
    assert refused(1) == 2


def test_a_fork_of_who_started_them_leaves_them_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(starter, "_SCRIPT", "import sys; print('0.5 1.0 compiling', flush=True); sys.stdin.read()")
    monkeypatch.setenv(starter.VARIABLE, "1")
    started = starter.begin(tmp_path)
    assert started is not None and started.running
    own = os.getpid()
    with monkeypatch.context() as forked:
        forked.setattr(os, "getpid", lambda: own + 1)
        assert not started.running and starter.current() is None
        started.stop()
    assert started.running
    starter.stop()
    assert not started.running and starter.current() is None
