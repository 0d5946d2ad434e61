"""Tiles on two local Dask workers against one thread, measured side by side: `python benchmarks/cluster.py`.

Both ways take turns, after a build that warms the workers up. Told are the seconds of the best turn, how often the
cluster was ahead, what the client itself computed for a tile (all its threads) against what building one took, and how
many bytes of jobs and results a tile came to.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
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

from navcore import NavMesh, Settings, build_navmesh  # noqa: E402
from navcore.cluster import dask_executor  # noqa: E402
from tests import scenes  # noqa: E402

LEVELS: dict[str, tuple[Callable[[], scenes.Mesh], int]] = {
    "city_3481": (lambda: scenes.city(70), 64),
    "terrain_289": (lambda: scenes.terrain(725, 0.45, 0.07), 64),
}
CLIENT = 0.1  # of a tile's build, at most, is what the client computes for it


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("levels", nargs="*", help=f"of {', '.join(LEVELS)} (default: the first)")
    parser.add_argument("--rounds", type=int, default=5, help="how often they take turns")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--processes", action="store_true", help="a pool of processes instead of a cluster")
    parser.add_argument("--json", type=Path, help="write the rows here as well")
    arguments = parser.parse_args()
    workers = pool if arguments.processes else cluster
    with workers(arguments.workers) as executor:
        names = arguments.levels or list(LEVELS)[:1]
        rows = [measured(name, arguments.rounds, executor) for name in names]
    for row in rows:
        sys.stdout.write(
            f"{row['level']:<12}{row['tiles']:>6,} tiles  one thread {row['one_thread']:.2f} s  workers "
            f"{row['workers']:.2f} s (ratio {row['ratio']:.2f}, ahead in {row['ahead']} of {row['rounds']})  client "
            f"{row['client'] * 1e3:.3f} ms of {row['tile'] * 1e3:.2f} ms a tile ({row['client'] / row['tile']:.3f})\n"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    return int(any(row["ratio"] > 1 or row["client"] > CLIENT * row["tile"] for row in rows))


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
    """The figures of one level: of the best turns, but for the ratio, which is the median of all rounds."""
    make, tile_size = LEVELS[name]
    level, settings = make(), Settings(tile_size=tile_size)
    alone: list[float] = []
    spread: list[float] = []
    client: list[float] = []

    def build(walls: list[float], computed: list[float], **ways: Any) -> NavMesh:
        began, used = time.perf_counter(), time.process_time()
        navmesh = build_navmesh(*level, settings, **ways)
        computed.append(time.process_time() - used)
        walls.append(time.perf_counter() - began)
        return navmesh

    build_navmesh(*scenes.city(8), settings, executor=executor)
    computing: list[float] = []
    for _ in range(rounds):
        build(alone, computing, threads=1)
        navmesh = build(spread, client, executor=executor, threads=1)
    tiles = navmesh.report.counts["tiles"]
    ratios = [there / here for there, here in zip(spread, alone, strict=True)]
    return {
        "level": name, "triangles": len(level[1]), "tiles": tiles, "rounds": rounds, "one_thread": min(alone),
        "workers": min(spread), "ratio": median(ratios), "ahead": sum(ratio < 1 for ratio in ratios),
        "client": min(client) / tiles, "tile": min(computing) / tiles,
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
