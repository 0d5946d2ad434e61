"""A crowd of 200 agents for a minute: who leaves the navmesh, who stands in another, how long a step takes.

    python benchmarks/crowd.py [--agents 200] [--seconds 60] [--threads 1] [--scene NAME] [--shaken 0]

Two agents stand in each other while their circles overlap by more than a centimetre. Each scene says where there is
room: in the door there is room for one agent at a time. "thousand" is the town with 1,000 agents, whatever --agents
says. --shaken N moves starts by up to 3 cm, by chance from seed N.
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

from navcore import AgentState, Crowd, NavQuery, Settings, build_navmesh  # noqa: E402
from tests.navcore.crowd.crowd_scenes import SCENES, Meeting, watched  # noqa: E402

_THOUSAND = "thousand"
_SHAKEN = 0.03  # metres
Times = npt.NDArray[np.float64]


def main() -> None:
    """Walk every scene, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--scene", choices=(*SCENES, _THOUSAND))
    parser.add_argument("--shaken", type=int, default=0)
    given = parser.parse_args()
    print("scene      agents  off m    deepest m  longest s  in 2 r  waiting  stuck  no way  ms a step: median, worst")
    for name, scene in SCENES.items():
        if given.scene in (None, name):
            _walk(name, _shaken(scene(given.agents), given.shaken), given.seconds, given.threads)
    if given.scene in (None, _THOUSAND):
        _walk(_THOUSAND, _shaken(SCENES["streets"](1000), given.shaken), given.seconds, given.threads)


def _shaken(scene: Meeting, seed: int) -> Meeting:
    """The same, each start elsewhere by up to 3 cm."""
    if seed == 0:
        return scene
    moves = np.random.default_rng(seed).uniform(-_SHAKEN, _SHAKEN, scene.starts.shape) * [1, 0, 1]
    return scene._replace(starts=scene.starts + moves)


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
    counts = np.bincount(crowd.states, minlength=7)
    ends = query.nearest(scene.ends).points
    away = np.hypot(*(crowd.positions - ends)[:, ::2].T)
    there = np.count_nonzero((away <= 2 * crowd.radii) & (crowd.states != AgentState.NO_WAY))
    print(
        f"{name:10} {len(crowd):6}  {seen.off:.5f}  {seen.deepest:9.3f}  {seen.longest:9.2f}  {there:6}  "
        f"{counts[6]:7}  {counts[3]:5}  {counts[4]:6}  {median(took):.2f}, {max(took):.2f}"
    )


if __name__ == "__main__":
    main()
