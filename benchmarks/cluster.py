"""Tiles, and sections of a world, on two local Dask workers against one thread, measured side by side.

python benchmarks/cluster.py [city_3481] [terrain_289] [world_64]

Both ways take turns, after a build that warms the workers up. Told are the seconds of the best turn, how often the
cluster was ahead, and what handing a tile over cost: what the client computed (all its threads), less what one thread
computes beside its tiles or sections (checks, cutting up, the report), against what building a tile takes. Told is
also what all processes of the cluster and the client computed against that one thread: half of it is the least that two
workers can take. On machines with other work processor time counts, the seconds do not.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from benchmarks.worlds import make  # noqa: E402
from navcore import Settings, build_navmesh, build_world  # noqa: E402
from navcore.builder.tiles import tile_jobs  # noqa: E402
from navcore.cluster import dask_executor  # noqa: E402
from navcore.world import build_world as build_world_module  # noqa: E402
from tests import scenes  # noqa: E402

LEVELS: dict[str, tuple[Callable[[], scenes.Mesh], int]] = {
    "city_3481": (lambda: scenes.city(70), 64),
    "terrain_289": (lambda: scenes.terrain(725, 0.45, 0.07), 64),
}
WORLD = "world_64"
HANDED = 0.05  # of a tile's build, at most, is what handing it over takes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("levels", nargs="*", help=f"of {', '.join([*LEVELS, WORLD])} (default: the first)")
    parser.add_argument("--rounds", type=int, default=5, help="how often they take turns")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--processes", action="store_true", help="a pool of processes instead of a cluster")
    parser.add_argument("--json", type=Path, help="write the rows here as well")
    arguments = parser.parse_args()
    workers = pool if arguments.processes else cluster
    with workers(arguments.workers) as executor:
        names = arguments.levels or list(LEVELS)[:1]
        rows = [(of_world if name == WORLD else measured)(name, arguments.rounds, executor) for name in names]
    for row in rows:
        sys.stdout.write(
            f"{row['level']:<12}{row['tiles']:>6,} tiles  one thread {row['one_thread']:.2f} s  workers "
            f"{row['workers']:.2f} s (ratio {row['ratio']:.2f}, ahead in {row['ahead']} of {row['rounds']})  a tile: "
            f"client {row['client'] * 1e3:.3f} ms, {row['beside'] * 1e3:.3f} of which one thread takes, too; handed "
            f"over {row['handed'] * 1e3:.3f} of {row['tile'] * 1e3:.3f} ms ({row['handed'] / row['tile']:.3f}); all "
            f"processes {row['all']:.2f} s of a processor, {row['all_ratio']:.2f} of one thread's\n"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    return int(any(row["ratio"] > 1 or row["handed"] > HANDED * row["tile"] for row in rows))


@contextmanager
def cluster(workers: int) -> Iterator[Executor]:
    """Scheduler and workers in processes of their own: what they compute is not the client's."""
    spawning = multiprocessing.get_context("spawn")
    here, there = spawning.Pipe()
    host = spawning.Process(target=serve, args=(there, workers))
    host.start()
    try:
        with dask_executor(here.recv()) as executor:
            yield executor
    finally:
        here.send("end")
        host.join()


def serve(pipe: Connection, workers: int) -> None:
    """Run a scheduler, and its workers, until something comes through the pipe."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as started:
        pipe.send(started.scheduler_address)
        pipe.recv()


@contextmanager
def pool(workers: int) -> Iterator[Executor]:
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as executor:
        yield executor


def measured(name: str, rounds: int, executor: Executor) -> dict[str, Any]:
    """The figures of one level."""
    make_level, tile_size = LEVELS[name]
    level, settings = make_level(), Settings(tile_size=tile_size)
    build_navmesh(*scenes.city(8), settings, executor=executor)
    tiles = 0

    def build(**ways: Any) -> None:
        nonlocal tiles
        tiles = build_navmesh(*level, settings, threads=1, **ways).report.counts["tiles"]

    row = in_turns(build, rounds, executor, Watch(tile_jobs, "build_tile"))
    return {"level": name, "triangles": len(level[1]), **of_each(row, tiles)}


def of_world(name: str, rounds: int, executor: Executor) -> dict[str, Any]:
    """Those of a world of 64 sections and 5 million triangles, each time from nothing."""
    with tempfile.TemporaryDirectory() as folder:
        world, turns = make(Path(folder), 8, 198), itertools.count()

        def build(**ways: Any) -> int:
            report = build_world(world, Path(folder) / f"out{next(turns)}", threads=1, **ways)
            return sum(row.tiles for row in report.sections)

        tiles = build(executor=executor)
        row = in_turns(build, rounds, executor, Watch(build_world_module, "bring_up_to_date"))
        return {"level": name, "triangles": 64 * (2 * 198**2 + 12), **of_each(row, tiles)}


class Watch:
    """Stands before what builds a tile or a section here, and adds up what that computes."""

    def __init__(self, module: Any, name: str) -> None:
        self.seconds, self._work = 0.0, getattr(module, name)
        setattr(module, name, self)

    def __call__(self, *args: Any) -> Any:
        began = time.process_time()
        try:
            return self._work(*args)
        finally:
            self.seconds += time.process_time() - began


def in_turns(build: Callable[..., Any], rounds: int, executor: Executor, watch: Watch) -> dict[str, list[float]]:
    """Seconds, and seconds of this process's processor, of both ways in turns; one thread first warms up.

    Of the processor's, `inside` are those that one thread takes for tiles, `beside` those for all else.
    """
    build()
    row: dict[str, list[float]] = {"alone": [], "inside": [], "beside": [], "spread": [], "client": [], "all": []}
    for _ in range(rounds):
        watch.seconds = 0.0
        walls, used = one_build(build)
        row["alone"].append(walls)
        row["inside"].append(watch.seconds)
        row["beside"].append(used - watch.seconds)
        before = of_all_processes()
        walls, used = one_build(lambda: build(executor=executor))
        row["all"].append(of_all_processes() - before)
        row["spread"].append(walls)
        row["client"].append(used)
    return row


def of_all_processes() -> float:
    """Seconds of a processor that this process and all that come from it have taken."""
    import psutil  # comes with distributed

    own, seconds = psutil.Process(), 0.0
    for process in (own, *own.children(recursive=True)):
        times = process.cpu_times()
        seconds += times.user + times.system
    return seconds


def one_build(build: Callable[[], Any]) -> tuple[float, float]:
    """Seconds, and those of this process's processor."""
    began, used = time.perf_counter(), time.process_time()
    build()
    return time.perf_counter() - began, time.process_time() - used


def of_each(row: dict[str, list[float]], tiles: int) -> dict[str, Any]:
    """The figures: of the best turns, but for the ratio, which is the median of all rounds."""
    ratios = [there / here for there, here in zip(row["spread"], row["alone"], strict=True)]
    client, beside = min(row["client"]) / tiles, min(row["beside"]) / tiles
    alone = [inside + rest for inside, rest in zip(row["inside"], row["beside"], strict=True)]
    return {
        "tiles": tiles, "rounds": len(ratios), "one_thread": min(row["alone"]), "workers": min(row["spread"]),
        "ratio": median(ratios), "ahead": sum(ratio < 1 for ratio in ratios), "client": client, "beside": beside,
        "handed": client - beside, "tile": min(row["inside"]) / tiles, "all": min(row["all"]),
        "all_ratio": median(whole / here for whole, here in zip(row["all"], alone, strict=True)),
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
