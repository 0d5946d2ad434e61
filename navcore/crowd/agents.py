"""What is known of each agent, as one array for each kind of thing; and what is the same for all of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..types import F32, F64, I32, U8

# What an agent's line leads to, within its sight; the last is for who takes the place where it is for its end.
ONWARD, TO_END, TO_LINK, LOST, SETTLES = range(5)


class CrowdRules(NamedTuple):
    """What is the same for all agents: metres, seconds, metres a second."""

    radius: float
    height: float
    clear: float  # to keep from the navmesh's borders, which are already as far from walls as its own agent is wide
    max_speed: float
    acceleration: float
    horizon: float  # collisions that are farther away are left for later
    tick: float  # seconds of a step
    neighbors: int  # of which an agent takes heed: the nearest ones
    seed: int


class Agents(NamedTuple):
    """N agents. Of what lies on the ground, x and z."""

    position: F32  # (N, 3)
    place: F32  # (N, 3) where others see it: of who jumps, where it will land
    velocity: F64  # (N, 2) of the last step
    wanted: F64  # (N, 2) the velocity that it would have if it were alone
    wish: F64  # (N, 2) the velocity that it has chosen
    speed: F64  # (N,) it has worked up to
    goal: F32  # (N, 3)
    paths: I32  # (N, W) polygons, the goal's first; the last one that counts is the agent's own
    size: I32  # (N,) how many count
    strays: I32  # (N,) polygons it was pushed into since its path was found
    state: U8  # (N,) an `AgentState`
    ahead: U8  # (N,) what its line leads to
    left: F64  # (N,) metres to that
    waited: I32  # (N,) steps in which it hardly came forward; those in which it did take two off
    lost: U8  # (N,) 1: it wants a new path
    include: I32  # (N,) flags of its filter
    exclude: I32
    rule: I32  # (N,) the number of its filter
    takeoff: F32  # (N, 3)
    landing: F32  # (N, 3)
    airtime: I32  # (N,) steps of its jump
    aloft: I32  # (N,) steps of it that are over


def new_agents(count: int, width: int) -> Agents:
    """Agents of whom nothing is known, with room for `width` polygons each."""
    flat, spatial = ("velocity", "wanted", "wish"), ("position", "place", "goal", "takeoff", "landing")
    kinds: dict[str, Any] = dict.fromkeys(spatial, np.float32)
    kinds |= dict.fromkeys((*flat, "speed", "left"), np.float64) | dict.fromkeys(("state", "ahead", "lost"), np.uint8)

    def empty(name: str) -> npt.NDArray[Any]:
        columns = {"paths": (width,), **dict.fromkeys(spatial, (3,)), **dict.fromkeys(flat, (2,))}.get(name, ())
        return np.zeros((count, *columns), kinds.get(name, np.int32))

    return Agents(*map(empty, Agents._fields))


def with_more(agents: Agents, more: Agents) -> Agents:
    """Those, and after them these."""
    width = max(agents.paths.shape[1], more.paths.shape[1])
    both = (wider(agents, width), wider(more, width))
    return Agents(*(np.concatenate([old, new]) for old, new in zip(*both, strict=True)))


def wider(agents: Agents, width: int) -> Agents:
    """The same with room for paths of at least so many polygons."""
    missing = width - agents.paths.shape[1]
    return agents if missing <= 0 else agents._replace(paths=np.pad(agents.paths, ((0, 0), (0, missing))))
