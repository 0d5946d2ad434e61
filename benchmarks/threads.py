"""One thread beside two: `python benchmarks/threads.py [--rounds 30] [MESH.npz …]`.

Both take turns in one process. Besides seconds of the clock, which say nothing on a machine that has other work, it
tells how much of a build on two threads is computed by one of them alone, and how much by both: processor time of each
thread. What follows from that is how much faster two threads are where nothing else runs and waking them is free.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from benchmarks.run import SCENES  # noqa: E402
from navcore import Settings, build_navmesh, threads  # noqa: E402


class Shares(NamedTuple):
    """Seconds of the processor: of the thread that asks, and what all threads did together."""

    mine: float
    all: float


class Watch:
    """Stands before `threads.together`, and notes who computes how long."""

    def __init__(self) -> None:
        self.shares: list[Shares] = []
        self.hidden = 0.0  # seconds of spare work, behind what only one thread can do
        self._together, self._alone = threads.together, threads.Workers.alone
        threads.together = self
        threads.Workers.alone = lambda workers, work: self._one_after_the_other(workers, work)

    def forget(self) -> None:
        """Begin anew."""
        self.shares.clear()
        self.hidden = 0.0

    def end(self) -> None:
        """Nobody watches any more."""
        threads.together, threads.Workers.alone = self._together, self._alone

    def _one_after_the_other(self, workers: threads.Workers, work: Callable[[], Any]) -> Any:
        """What a helper would do meanwhile: the shorter of both is hidden behind the longer."""
        spare, workers.spare = workers.spare, None
        begun = time.thread_time()
        result = work()
        middle = time.thread_time()
        if spare is not None:
            spare()
        self.hidden += min(middle - begun, time.thread_time() - middle)
        return result

    def __call__(self, work: Callable[[], object], helpers: int) -> None:
        spent: list[tuple[bool, float]] = []
        asks = threading.get_ident()

        def timed() -> None:
            begun = time.thread_time()
            try:
                work()
            finally:
                spent.append((threading.get_ident() == asks, time.thread_time() - begun))

        self._together(timed, helpers)
        self.shares.append(Shares(sum(s for mine, s in spent if mine), sum(s for _, s in spent)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("meshes", nargs="*", type=Path, help=".npz with verts and tris")
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    levels: dict[str, Any] = {}
    for path in options.meshes:
        with np.load(path) as file:
            levels[path.parent.name if path.stem in ("mesh", "input") else path.stem] = file["verts"], file["tris"]
    levels |= {name: make() for name, (make, _) in SCENES.items() if name != "terrain_1m"}
    print(f"{'level':<14} {'one':>8} {'two':>8} {'clock':>6}   {'one':>8} {'alone':>7} {'shared':>7} {'follows':>7}")
    for name, mesh in levels.items():
        print(row(name, mesh, options.rounds))
    print("load", *(f"{load:.1f}" for load in os.getloadavg()))
    return 0


def row(name: str, mesh: Any, rounds: int) -> str:
    """Milliseconds of the clock , then of the processor, the fewest of all rounds."""
    vertices, triangles = mesh
    watch = Watch()
    clock: tuple[list[float], list[float]] = [], []
    one: list[float] = []
    alone: list[float] = []
    shared: list[float] = []
    for turn in range(rounds + 2):
        for count in (1, 2) if turn % 2 else (2, 1):
            watch.forget()
            begun, computed = time.perf_counter(), time.thread_time()
            build_navmesh(vertices, triangles, Settings(), threads=count)
            seconds, computed = time.perf_counter() - begun, time.thread_time() - computed
            if turn < 2:  # kernels are loaded
                continue
            clock[count - 1].append(seconds)
            if count == 1:
                one.append(computed)
            else:
                alone.append(computed - watch.hidden - sum(share.mine for share in watch.shares))
                shared.append(sum(share.all for share in watch.shares))
    watch.end()
    first, second = (1e3 * min(side) for side in clock)
    a, b, c = (1e3 * min(side) for side in (one, alone, shared))
    return (
        f"{name:<14} {first:8.2f} {second:8.2f} {first / second:6.2f}   "
        f"{a:8.2f} {b:7.2f} {c:7.2f} {a / (b + c / 2):7.2f}"
    )


if __name__ == "__main__":
    sys.exit(main())
