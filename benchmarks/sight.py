"""A million lines of sight through levels of 100,000 triangles, and cover on them: `python benchmarks/sight.py`.

Lines are asked with one thread: between random places of the whole level, and between places some 15 m apart at the
height of eyes. Both the clock and the processor's own time are told. `--judge N` compares N lines of each with all
triangles, one after the other.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from navcore import Settings, Sight, build_navmesh, find_cover  # noqa: E402
from tests import scenes  # noqa: E402
from tests.navcore.cover.made_levels import blocked_parts  # noqa: E402

SCENES: dict[str, Callable[[], scenes.Mesh]] = {
    "terrain": lambda: scenes.terrain(224, 0.45, 0.07),
    "city": lambda: scenes.city(20),
}


def timed(work: Callable[[], Any]) -> tuple[Any, str]:
    """What `work` returns, and how long it took."""
    began, worked = time.perf_counter(), time.process_time()
    made = work()
    return made, f"{time.perf_counter() - began:.2f} s ({time.process_time() - worked:.2f} s of processor time)"


def lines_in(vertices: Any, count: int) -> dict[str, tuple[Any, Any]]:
    """Starts and ends by what they are called."""
    rng = np.random.default_rng(1)
    low, size = vertices.min(axis=0).astype(float), np.ptp(vertices, axis=0)
    starts, ends = low + size * rng.random((2, count, 3))
    eyes = starts.copy()
    eyes[:, 1] = (low + size)[1] / 2 + 1.6
    return {
        "across the level": (starts, ends),
        "15 m apart": (eyes, eyes + rng.normal(size=eyes.shape) * [15, 0.3, 15]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--judge", type=int, default=0, metavar="N")
    options = parser.parse_args()
    Sight(*scenes.flat(4)).can_see([0, 1, 0], [1, 1, 1], threads=1)  # kernels are loaded
    for name, scene in SCENES.items():
        vertices, triangles = scene()
        sight, took = timed(lambda v=vertices, t=triangles: Sight(v, t))
        print(f"{name}, {len(triangles):,} triangles: tree {took}")
        for what, (starts, ends) in lines_in(vertices, options.lines).items():
            seen, took = timed(lambda s=sight, a=starts, b=ends: s.can_see(a, b, threads=1))
            print(f"  {options.lines:,} lines {what}: {took}, {100 * seen.mean():.0f} % see")
            some = slice(0, options.judge)
            corners = vertices[triangles].astype(np.float64)
            free = np.array(
                [
                    blocked_parts(corners, a[None], (b - a)[None])[0] >= 1
                    for a, b in zip(starts[some], ends[some], strict=True)
                ]
            )
            if (seen[some] != free).any():
                raise SystemExit("They differ from what all triangles say.")
        navmesh = build_navmesh(vertices, triangles, Settings())
        find_cover(navmesh, sight, 5.0, threads=1)
        cover, took = timed(lambda s=sight, n=navmesh: find_cover(n, s, threads=1))
        print(f"  cover with one thread: {len(cover.at):,} places, {len(cover.eyes):,} eyes: {took}")


if __name__ == "__main__":
    main()
