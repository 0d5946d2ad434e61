"""Tiles on other processes and on a real Dask cluster, whose workers die on the way."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import navcore
from navcore import BoxVolume, Cancelled, NavmeshError, Progress, Settings, build_navmesh
from navcore.__main__ import main
from navcore.builder.tiles.build_tiles import in_order
from navcore.builder.tiles.dask_cluster import _watched, dask_executor, guarded, jobs_ahead
from navcore.builder.tiles.tile_batches import noticing
from navcore.formats.mset import mset_bytes, mset_file
from tests import scenes

CITY = scenes.city(4)
TILED = Settings(tile_size=24)


def ended(pid: int) -> bool:
    """Whether a process is no more (one that nobody has waited for yet is none either)."""
    psutil = pytest.importorskip("psutil")  # comes with distributed
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    return True


class Cluster(NamedTuple):
    address: str
    pids: Callable[[], list[int]]  # of the workers


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("dask")) as cluster:
        yield cluster


@pytest.fixture
def doomed_cluster(tmp_path: Path) -> Iterator[Cluster]:
    """One of its own for jobs that kill every worker: what looks after a worker that dies while it starts gives up.

    So there is one worker for each time that a job may fail, and one more: none has to begin again.
    """
    with running_cluster(tmp_path, 5) as cluster:
        yield cluster


@contextlib.contextmanager
def running_cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """Worker processes that are started again when they die; a job that kills four is given up.

    (A busy machine may lose one that is only just starting, and nobody means that one.)
    """
    import dask
    from distributed import Client, LocalCluster

    quick = {"distributed.scheduler.allowed-failures": 3, "distributed.worker.memory.terminate": False}
    before = {child.pid for child in multiprocessing.active_children()}
    with (
        dask.config.set(quick),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
            local_directory=str(folder), silence_logs=50,
        ) as started,
        Client(started, set_as_default=False) as client,
    ):  # fmt: skip
        yield Cluster(started.scheduler_address, lambda: list(client.run(os.getpid).values()))
        pids = client.run(os.getpid).values()
    for _ in range(100):
        left = {c.pid for c in multiprocessing.active_children()} - before
        if not left and all(map(ended, pids)):
            break
        time.sleep(0.05)
    assert not left and all(map(ended, pids)), "the cluster left processes behind"


@pytest.fixture(scope="module")
def expected() -> bytes:
    return mset_bytes(build_navmesh(*CITY, TILED, threads=2))


def test_a_worker_killed_on_the_way_costs_nothing(cluster: Cluster, expected: bytes) -> None:
    victim: list[int] = []

    def kill(stage: str, fraction: float) -> None:
        if stage == "tiles" and fraction < 0.5 and not victim:
            victim.append(cluster.pids()[0])
            os.kill(victim[0], signal.SIGKILL)

    with dask_executor(cluster.address) as executor:
        navmesh = build_navmesh(*CITY, TILED, executor=executor, progress=kill)
    assert victim and ended(victim[0])
    places = [(tile.y, tile.x) for tile in navmesh.tiles]
    assert places == sorted(set(places)) and navmesh.report.counts["tiles"] == len(places) > 40
    assert mset_bytes(navmesh) == expected


def test_the_command_builds_on_the_cluster(cluster: Cluster, expected: bytes, tmp_path: Path) -> None:
    (tmp_path / "city.obj").write_text(scenes.obj_text(CITY))
    arguments = ["build", str(tmp_path / "city.obj"), "-o", str(tmp_path / "city.bin"), "--tile-size", "24"]
    assert main([*arguments, "--dask", cluster.address]) == 0
    assert (tmp_path / "city.bin").read_bytes() == expected


def test_a_cluster_builds_finer_tiles_sizes_and_doors(cluster: Cluster) -> None:
    low, high = CITY[0].min(axis=0), CITY[0].max(axis=0)
    spots = [
        BoxVolume(min=(*low[:2].tolist(), float(low[2])), max=tuple((low + 20).tolist()), resolution=0.5),
        BoxVolume(min=tuple((high - 20).tolist()), max=tuple(high.tolist()), resolution=0.25),
        BoxVolume(min=tuple((low + 30).tolist()), max=tuple((low + 36).tolist()), door="gate", closed=True),
    ]
    level = {"volumes": spots, "sizes": [("rat", 0.3, 1.0), ("ogre", 1.0, 2.5)]}
    expected = build_navmesh(*CITY, TILED, threads=1, **level)
    assert expected.tile_grid is not None and len(expected.tile_grid.scaled) == 2
    with dask_executor(cluster.address) as executor:
        navmesh = build_navmesh(*CITY, TILED, executor=executor, **level)
    assert mset_bytes(navmesh) == mset_bytes(expected) and navmesh.doors == expected.doors
    there, here = (
        [(cost.scale, cost.tiles, cost.polygons) for cost in one.report.resolutions.values()]
        for one in (navmesh, expected)
    )
    assert there == here and len(there) == 3


class Ended(Executor):
    """An executor that ends every job in its own way."""

    def __init__(self, at_once: Exception | None, later: BaseException | None) -> None:
        self.at_once, self.later = at_once, later

    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        if self.at_once is not None:
            raise self.at_once
        future: Future[Any] = Future()
        future.set_exception(self.later)
        return future


@pytest.mark.parametrize("when", ["on handing over", "later"])
@pytest.mark.parametrize("reason", [ValueError("not enough values"), OSError("closed"), RuntimeError("shut down")])
def test_whatever_an_executor_raises_is_an_error_that_names_the_tiles(reason: Exception, when: str) -> None:
    executor = Ended(*((reason, None) if when == "on handing over" else (None, reason)))
    expected = rf"did not build tiles \(\d+, \d+\), .* raised {type(reason).__name__} \({reason}\)"
    with pytest.raises(NavmeshError, match=expected) as caught:
        build_navmesh(*CITY, TILED, executor=executor)
    assert caught.value.code == "EXECUTOR_FAILED" and caught.value.__cause__ is reason


def test_a_client_that_has_given_up_connecting_has_lost_its_tiles() -> None:
    """distributed ends its futures with a bare ValueError then."""

    class Client:
        status = "running"

        def nthreads(self) -> dict[str, int]:
            return {"a": 1}

        def get_executor(self, **_: object) -> Executor:
            return Ended(None, ValueError("not enough values to unpack (expected 3, got 2)"))

    lost = pytest.raises(NavmeshError, match=r"Lost tiles \(0, 0\)")
    with _watched(Client(), 60.0, None) as executor, lost as caught:
        build_navmesh(*CITY, TILED, executor=executor)
    assert caught.value.code == "WORKER_LOST" and "not enough values" in str(caught.value.__cause__)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("fault", "code"), [(IndexError("7"), "TILE_FAILED"), (MemoryError(), "OUT_OF_MEMORY")])
def test_a_fault_within_a_tile_names_it(
    monkeypatch: pytest.MonkeyPatch, fault: Exception, code: str, threads: int
) -> None:
    def faulty(*_: object) -> None:
        raise fault

    monkeypatch.setattr("navcore.builder.tiles.tile_jobs.build_piece", faulty)
    with pytest.raises(NavmeshError, match=r"^Tile \(0, 0\)") as caught:
        build_navmesh(*CITY, TILED, threads=threads)
    assert caught.value.code == code


class Job(NamedTuple):
    places: list[tuple[int, int]]

    def alone(self) -> list[Job]:
        return [Job([place]) for place in self.places]


def deadly(job: Job) -> list[tuple[int, int]]:
    """Work that kills its process at one place."""
    if (1, 2) in job.places:
        os.kill(os.getpid(), signal.SIGKILL)
    return job.places


JOBS = [Job([(x, y) for x in range(3)]) for y in range(4)]


def fails(job: Job) -> list[tuple[int, int]]:
    x, y = job.places[0]
    raise NavmeshError(f"Tile ({x}, {y}) will not do.", "WONT_DO")


def test_errors_keep_their_name_on_the_way(cluster: Cluster) -> None:
    with dask_executor(cluster.address) as executor, pytest.raises(NavmeshError, match=r"Tile \(0, 0\)") as caught:
        list(in_order(fails, JOBS, executor, lambda _: 4, Progress()))
    assert caught.value.code == "WONT_DO"


def test_a_tile_that_kills_every_worker_is_named_and_no_other(doomed_cluster: Cluster) -> None:
    done: list[list[tuple[int, int]]] = []
    with dask_executor(doomed_cluster.address) as executor:
        results = in_order(deadly, JOBS, executor, lambda _: 4, Progress())
        with pytest.raises(NavmeshError, match=r"^Lost tiles \(1, 2\): ") as caught:
            done.extend(results)
    assert caught.value.code == "WORKER_LOST" and done == [job.places for job in JOBS[:2]]


def waits_for_the_flag(folder: Path) -> None:
    """Work that ends when it is noticed that nobody wants it, or far too late."""
    cancelled = np.zeros(1, np.uint8)
    with noticing(cancelled):
        (folder / "began").touch()
        until = time.monotonic() + 60
        while not cancelled[0] and time.monotonic() < until:
            time.sleep(0.02)
    (folder / ("noticed" if cancelled[0] else "overlooked")).touch()


def test_what_runs_on_a_worker_is_stopped_when_it_is_cancelled(cluster: Cluster, tmp_path: Path) -> None:
    def seen() -> set[str]:
        return {path.name for path in tmp_path.iterdir()}

    def wait_for(name: str) -> None:
        until = time.monotonic() + 70
        while name not in seen() and time.monotonic() < until:
            time.sleep(0.02)

    with dask_executor(cluster.address) as executor:
        future = executor.submit(waits_for_the_flag, tmp_path)
        wait_for("began")
        future.cancel()
        wait_for("noticed")
    assert seen() == {"began", "noticed"}


def test_a_scheduler_that_dies_on_the_way() -> None:
    from distributed import LocalCluster

    with contextlib.ExitStack() as running:
        started = running.enter_context(
            LocalCluster(
                n_workers=1, processes=False, host="tcp://127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
            )
        )
        executor = running.enter_context(dask_executor(started.scheduler_address))
        results = in_order(slow, JOBS, executor, lambda _: 4, Progress())
        assert next(results) == JOBS[0].places
        started.close()
        with pytest.raises(NavmeshError, match=r"Lost tiles \(0, \d\), \(1, \d\), .*scheduler") as caught:
            list(results)
        assert caught.value.code == "WORKER_LOST"


def slow(job: Job) -> list[tuple[int, int]]:
    time.sleep(0.3)
    return job.places


def started(*words: str, folder: Path, sees: Path | None) -> subprocess.Popen[bytes]:
    """A Dask program in a process that finds navcore in one folder, or nowhere."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if sees is not None:
        env["PYTHONPATH"] = str(sees)
    command = [sys.executable, "-m", *words]
    return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def another_version(folder: Path) -> Path:
    """A copy of navcore with another line in it."""
    home = Path(navcore.__file__).parent
    shutil.copytree(home, folder / "navcore", ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "navcore/errors.py").open("a") as file:
        file.write("# another version\n")
    return folder


@pytest.mark.parametrize(("there", "code"), [("none", "WORKER_WITHOUT_NAVCORE"), ("another", "WORKER_VERSION")])
def test_workers_without_this_navcore_are_told_of(tmp_path: Path, there: str, code: str) -> None:
    """Neither they nor the scheduler die of the message, and the build does not wait for them."""
    from distributed import LocalCluster

    sees = another_version(tmp_path / "other") if there == "another" else None
    (tmp_path / "run").mkdir()
    with LocalCluster(
        n_workers=0, host="tcp://127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as scheduler:
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path))
        words = ("distributed.cli.dask_worker", scheduler.scheduler_address, *options)
        worker = started(*words, folder=tmp_path / "run", sees=sees)
        try:
            with dask_executor(scheduler.scheduler_address) as executor, pytest.raises(NavmeshError) as caught:
                build_navmesh(*CITY, TILED, executor=executor)
            assert caught.value.code == code, str(caught.value)
            assert worker.poll() is None
        finally:
            worker.terminate()
            worker.wait(20)


@pytest.fixture
def deserted() -> Iterator[str]:
    """The address of a scheduler without workers."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=0, processes=False, host="tcp://127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        yield cluster.scheduler_address


def test_a_cluster_without_workers_is_given_up(deserted: str) -> None:
    stages: list[str] = []
    progress = Progress(lambda stage, _: stages.append(stage))
    given_up = pytest.raises(NavmeshError, match=r"no worker for 1 seconds.*dask worker")
    with dask_executor(deserted, patience=1.0, progress=progress) as executor, given_up as caught:
        build_navmesh(*CITY, TILED, executor=executor, progress=progress)
    assert caught.value.code == "DASK_NO_WORKERS" and stages[-1] == "waiting for workers"


def test_what_is_loaded_is_set_aside_while_a_cluster_builds(cluster: Cluster) -> None:
    before = gc.get_freeze_count()
    with dask_executor(cluster.address):
        assert gc.get_freeze_count() > before + 10_000
    assert gc.get_freeze_count() == before
    gc.freeze()
    try:
        kept = gc.get_freeze_count()
        with dask_executor(cluster.address):
            pass
        assert gc.get_freeze_count() > kept - 1000, "what somebody else has set aside stays so"
    finally:
        gc.unfreeze()


def test_waiting_for_workers_can_be_cancelled(deserted: str) -> None:
    def cancel(stage: str, _: float) -> None:
        if stage == "waiting for workers":
            progress.cancel()

    progress = Progress(cancel)
    with dask_executor(deserted, patience=3600.0, progress=progress) as executor, pytest.raises(Cancelled):
        build_navmesh(*CITY, TILED, executor=executor, progress=progress)


def test_an_executor_of_the_caller_s_own_client_is_watched_too(cluster: Cluster, expected: bytes) -> None:
    from distributed import Client

    with Client(cluster.address, set_as_default=False) as client:
        navmesh = build_navmesh(*CITY, TILED, executor=client.get_executor())
        assert mset_bytes(navmesh) == expected
        with guarded(client.get_executor(), Progress()) as executor:
            assert executor.submit(max, 2, 3).result(10) == 3
            assert jobs_ahead(executor) == 8 and type(executor) is not type(client.get_executor())


def test_jobs_ahead_follow_the_cluster() -> None:
    """As many threads as the scheduler says there are, also those that come later."""

    class Client:
        status, threads = "running", 30

        def nthreads(self) -> dict[str, int]:
            return {"a": self.threads, "b": 40}

        def get_executor(self, **_: object) -> None: ...

    client = Client()
    with _watched(client, 60.0, None) as executor:
        assert jobs_ahead(executor) == 210
        client.threads = 60
        until = time.monotonic() + 60
        while jobs_ahead(executor) != 300 and time.monotonic() < until:
            time.sleep(0.05)
        assert jobs_ahead(executor) == 300


def test_a_pool_whose_process_dies_leaves_no_file(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:

        def build(path: Path) -> None:
            with contextlib.ExitStack() as files:
                writers: list[Any] = []

                def write(cut: Any, tile: Any) -> None:
                    if not writers:
                        writers.append(files.enter_context(mset_file(path, TILED, cut)))
                        os.kill(next(iter(pool._processes)), signal.SIGKILL)
                    writers[0].add(tile)

                build_navmesh(*CITY, TILED, executor=pool, on_tile=write)

        with pytest.raises(NavmeshError, match=r"Lost tiles \(\d+, \d+\)") as caught:
            build(tmp_path / "city.bin")
        with pytest.raises(NavmeshError, match=r"Lost tiles \(0, 0\), \(1, 0\), .* and \d+ more"):  # broken before
            build_navmesh(*CITY, TILED, executor=pool)
    assert caught.value.code == "WORKER_LOST"
    assert list(tmp_path.iterdir()) == []


def test_without_distributed_the_way_out_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 0 0 9\nv 9 0 9\nf 1 2 3\n")
    assert (
        main(["build", str(tmp_path / "a.obj"), "--tile-size", "32", "--dask", "tcp://127.0.0.1:1", "--dry-run"]) == 1
    )
    assert "DASK_MISSING" in (said := capsys.readouterr().err) and "pip install distributed" in said


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "tcp://", "nonsense://here", "127.0.0.1:port"])
def test_a_scheduler_that_is_not_there(address: str) -> None:
    with pytest.raises(NavmeshError, match="no Dask scheduler at '") as caught, dask_executor(address, timeout=0.5):
        pass
    assert caught.value.code == "DASK_UNREACHABLE"


def test_a_cluster_builds_tiles_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 0 0 9\nv 9 0 9\nf 1 2 3\n")
    assert main(["build", str(tmp_path / "a.obj"), "--dask", "tcp://127.0.0.1:1", "--dry-run"]) == 1
    assert "tile_size is 0" in capsys.readouterr().err
