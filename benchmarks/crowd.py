"""A crowd of 200 agents for a minute: who leaves the navmesh, who stands in another, how long a step takes.

    python benchmarks/crowd.py [--agents 200] [--seconds 60] [--threads 1]

Two agents stand in each other while their circles overlap by more than a centimetre. Each scene says where there is
room: in the door there is room for one agent at a time.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from navcore import Crowd, NavQuery, Settings, build_navmesh  # noqa: E402
from tests.navcore.crowd.crowd_scenes import SCENES, Meeting, watched  # noqa: E402

Times = npt.NDArray[np.float64]


def main() -> None:
    """Walk every scene, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--scene", choices=tuple(SCENES))
    given = parser.parse_args()
    print("scene      agents  off m    deepest m  longest s  arrived  stuck  no way  ms a step: median, worst")
    for name, scene in SCENES.items():
        if given.scene in (None, name):
            _walk(name, scene(given.agents), given.seconds, given.threads)


def _walk(name: str, scene: Meeting, seconds: float, threads: int) -> None:
    query = NavQuery(build_navmesh(*scene.level, Settings(agent_radius=0.3, cell_size=0.15)))
    Crowd(query).add(scene.starts[0], scene.ends[0])  # kernels are loaded
    crowd = Crowd(query, radius=scene.radius, threads=threads)
    crowd.add_many(scene.starts, scene.ends)
    crowd.step(1 / 30)
    took: list[float] = []

    def step() -> None:
        began = time.perf_counter()
        crowd.step(1 / 30)
        took.append(1e3 * (time.perf_counter() - began))

    seen = watched(query, crowd, round(seconds * 30) - 1, step)
    counts = np.bincount(crowd.states, minlength=5)
    print(
        f"{name:10} {len(crowd):6}  {seen.off:.5f}  {seen.deepest:9.3f}  {seen.longest:9.2f}  {counts[2]:7}  "
        f"{counts[3]:5}  {counts[4]:6}  {median(took):.2f}, {max(took):.2f}"
    )


if __name__ == "__main__":
    main()
