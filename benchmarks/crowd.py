"""A crowd of 200 agents for a minute: who leaves the navmesh, who stands in another, how long a step takes.

    python benchmarks/crowd.py [--agents 200] [--seconds 60] [--threads 1] [--scene NAME] [--shaken 0]
    python benchmarks/crowd.py --doors
    python benchmarks/crowd.py --two [--scene NAME]

Two agents stand in each other while their circles overlap by more than a centimetre. Each scene says where there is
room: in the door there is room for one agent at a time. "thousand" is the town with 1,000 agents, whatever --agents
says. --shaken N moves starts by up to 3 cm, by chance from seed N. Scenes below the line are narrower ones, with as
many agents as there is room for.

How it looks is told of those who are on their way: how often in a second one turns back (its velocity by more than a
right angle from one step to the next, and it moves faster than 5 cm a second before and after); for what part of the
time one moves against its way, and against where it looks (faster than 2 cm a second); and how jerkily, in m/s³.

--doors counts how many get through doors of several widths, one way, from the time when a tenth have until nine tenths
have; and what part that is of speed / width of an agent, for as many as have room beside each other.

--two lets the same crowd walk on one thread and on two, step by step in turns: milliseconds of the clock, which say
little on a machine that has other work, then of the processor: of a step on one, and of one on two what one thread
computes alone and what both do. What follows is how much faster two are where nothing else runs and waking is free.
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

from benchmarks.threads import Watch  # noqa: E402
from navcore import AgentState, Crowd, NavQuery, Settings, build_navmesh, threads  # noqa: E402
from tests.navcore.crowd.crowd_scenes import NARROW, SCENES, Meeting, one_way, watched  # noqa: E402

_THOUSAND = "thousand"
_SHAKEN = 0.03  # metres
_MOVES, _AGAINST = 0.05, 0.02  # metres a second
_DOORS, _LONGEST = (0.7, 0.9, 1.2, 1.5, 2.0, 3.0), 300.0  # metres; seconds
Times = npt.NDArray[np.float64]


def main() -> None:
    """Walk every scene, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--scene", choices=(*SCENES, *NARROW, _THOUSAND))
    parser.add_argument("--shaken", type=int, default=0)
    parser.add_argument("--doors", action="store_true")
    parser.add_argument("--two", action="store_true")
    given = parser.parse_args()
    if given.doors:
        _doors(given.agents)
        return
    places = {name: (scene, given.agents) for name, scene in SCENES.items()}
    places |= {_THOUSAND: (SCENES["streets"], 1000), **NARROW}
    if given.two:
        print("scene         agents     one     two  faster     one   alone  shared  follows")
        for name, (scene, count) in places.items():
            if given.scene in (None, name):
                print(_beside(name, _shaken(scene(count), given.shaken), given.seconds), flush=True)
        return
    print(
        "scene         agents  off m    deepest m  longest s  in 2 r  waiting  stuck  no way  "
        "turns/s  against way, look  jerk  ms a step: median, worst"
    )
    for name, (scene, count) in places.items():
        if given.scene in (None, name):
            _walk(name, _shaken(scene(count), given.shaken), given.seconds, given.threads)


def _shaken(scene: Meeting, seed: int) -> Meeting:
    """The same, each start elsewhere by up to 3 cm."""
    if seed == 0:
        return scene
    moves = np.random.default_rng(seed).uniform(-_SHAKEN, _SHAKEN, scene.starts.shape) * [1, 0, 1]
    return scene._replace(starts=scene.starts + moves)


def _crowd_of(scene: Meeting, threads: int = 1, cell_size: float = 0.15) -> tuple[NavQuery, Crowd]:
    query = NavQuery(build_navmesh(*scene.level, Settings(agent_radius=0.3, cell_size=cell_size)))
    Crowd(query).add(scene.starts[0], scene.ends[0])  # kernels are loaded
    crowd = Crowd(query, radius=scene.radius, threads=threads)
    crowd.add_many(scene.starts, scene.ends)
    return query, crowd


def _walk(name: str, scene: Meeting, seconds: float, threads: int) -> None:
    query, crowd = _crowd_of(scene, threads)
    crowd.step(1 / 30)
    took: list[float] = []
    looks = _Looks(crowd)

    def step() -> None:
        began = time.perf_counter()
        crowd.step(1 / 30)
        took.append(1e3 * (time.perf_counter() - began))
        looks.see()

    seen = watched(query, crowd, round(seconds * 30) - 1, step)
    counts = np.bincount(crowd.states, minlength=7)
    ends = query.nearest(scene.ends).points
    away = np.hypot(*(crowd.positions - ends)[:, ::2].T)
    there = np.count_nonzero((away <= 2 * crowd.radii) & (crowd.states != AgentState.NO_WAY))
    print(
        f"{name:13} {len(crowd):6}  {seen.off:.5f}  {seen.deepest:9.3f}  {seen.longest:9.2f}  {there:6}  "
        f"{counts[6]:7}  {counts[3]:5}  {counts[4]:6}  {looks.said()}  {median(took):.2f}, {max(took):.2f}",
        flush=True,
    )


class _Looks:
    """How those who are on their way move, step by step."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd, self._places = crowd, crowd.positions
        self._before = self._first = np.full((len(crowd), 2), np.nan)
        self._sums = np.zeros(6)  # steps, turns back, against the way, against the look, jerks, steps with one

    def see(self) -> None:
        """Note a step."""
        crowd = self._crowd
        now = (crowd.positions - self._places)[:, ::2].astype(np.float64) * 30
        goes = np.isin(crowd.states, (AgentState.WALKING, AgentState.WAITING, AgentState.STUCK))
        wanted = crowd._agents.wanted
        way = wanted / np.maximum(np.hypot(*wanted.T), 1e-9)[:, None]
        look = np.stack([np.sin(crowd.headings), np.cos(crowd.headings)], axis=1)
        moves = (np.hypot(*now.T) > _MOVES) & (np.hypot(*self._before.T) > _MOVES)
        turns = goes & moves & ((now * self._before).sum(axis=1) < 0)
        jerk = np.hypot(*(now - 2 * self._before + self._first).T) * 30 * 30
        known = goes & np.isfinite(jerk)
        against = [np.count_nonzero(goes & ((now * one).sum(axis=1) < -_AGAINST)) for one in (way, look)]
        self._sums += [goes.sum(), turns.sum(), *against, jerk[known].sum(), known.sum()]
        self._places, self._first, self._before = crowd.positions, self._before, np.where(goes[:, None], now, np.nan)

    def said(self) -> str:
        """The means."""
        steps, turns, way, look, jerk, known = self._sums
        return f"{30 * turns / steps:7.3f}  {way / steps:11.1%}, {look / steps:4.1%}  {jerk / max(known, 1):4.0f}"


def _beside(name: str, scene: Meeting, seconds: float) -> str:
    """One thread beside two."""
    crowds = [_crowd_of(scene, count)[1] for count in (1, 2)]
    clock: tuple[list[float], list[float]] = [], []
    one, alone, shared = list[float](), list[float](), list[float]()
    watch = Watch()
    for step in range(round(seconds * 30)):
        for turn in (0, 1) if step % 2 else (1, 0):
            watch.shares.clear()
            began, computed = time.perf_counter(), time.thread_time()
            crowds[turn].step(1 / 30)
            took, computed = 1e3 * (time.perf_counter() - began), 1e3 * (time.thread_time() - computed)
            clock[turn].append(took)
            if turn == 0:
                one.append(computed)
            else:
                alone.append(computed - 1e3 * sum(share.mine for share in watch.shares))
                shared.append(1e3 * sum(share.all for share in watch.shares))
    threads.together = watch._together
    assert crowds[0].positions.tobytes() == crowds[1].positions.tobytes()
    first, second, a, b, c = (median(times) for times in (*clock, one, alone, shared))
    return (
        f"{name:13} {len(crowds[0]):6}  {first:6.2f}  {second:6.2f}  {first / second:6.2f}  {a:6.2f}  {b:6.2f}  "
        f"{c:6.2f}  {a / (b + c / 2):7.2f}"
    )


def _doors(count: int) -> None:
    """How many get through doors in a second."""
    print("door m  agents a second  of as many lanes as have room")
    for width in _DOORS:
        _, crowd = _crowd_of(one_way(width, count), cell_size=0.05)
        through = np.full(count, np.nan)
        while np.isnan(through).sum() > count // 10 and crowd.seconds < _LONGEST:
            crowd.step(1 / 30)
            through[np.isnan(through) & (crowd.positions[:, 0] > 12)] = crowd.seconds
        when = np.sort(through[np.isfinite(through)])[count // 10 :]
        flow, lanes = (len(when) - 1) / (when[-1] - when[0]), max(1, int(width / 0.6 + 1e-9))
        print(f"{width:6.1f}  {flow:15.2f}  {flow / (2.5 * lanes):8.0%} of {lanes}", flush=True)


if __name__ == "__main__":
    main()
