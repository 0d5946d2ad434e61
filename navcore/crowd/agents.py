"""What is known of each agent, as one array for each kind of thing; and what is the same for all of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..types import F32, F64, I32, I64, U8, AnyArray

ONWARD, TO_END, TO_LINK, LOST = range(4)  # what an agent's line leads to, within its sight


class CrowdRules(NamedTuple):
    """What is the same for all agents: metres, seconds, metres a second."""

    radius: float  # of who is added without one
    height: float
    max_speed: float  # likewise
    widest: float  # the largest radius of an agent
    fastest: float  # the largest speed that one may have
    acceleration: float
    horizon: float  # collisions that are farther away are left for later
    tick: float  # seconds of a step
    neighbors: int  # of which an agent takes heed: the nearest ones
    seed: int
    steps: int  # that are over
    between: int  # steps from one choice of a velocity to the next


class Agents(NamedTuple):
    """N agents. Of what lies on the ground, x and z."""

    position: F32  # (N, 3)
    place: F32  # (N, 3) where others see it: of who jumps, where it will land
    radius: F64  # (N,) metres
    clear: F64  # (N,) metres to keep from the navmesh's borders, which are as far from walls as its own agent is wide
    top: F64  # (N,) metres a second, at most
    velocity: F64  # (N, 2) of the last step
    wanted: F64  # (N, 2) the velocity that it would have if it were alone
    corner: F64  # (N, 2) where its line turns first, as it was seen last
    looked: U8  # (N,) 1: that has been seen
    onward: F64  # (N, 2) where its line leads a few bodies ahead, as a unit vector
    chosen: F64  # (N, 2) the velocity that it has chosen
    wish: F64  # (N, 2) the velocity that it gets nearer to that with in this step
    heading: F64  # (N,) radians around y
    goal: F32  # (N, 3) where it wants to stand
    end: F32  # (N, 3) where it was sent: others who share it may have it stand beside that
    shares: I32  # (N,) the number of the end that it shares; -1: it has its own
    placed: U8  # (N,) 1: it has a place beside the others who share its end
    home: F32  # (N, 3) where it stands once it has arrived
    paths: I32  # (N, W) polygons, the goal's first; the last one that counts is the agent's own
    size: I32  # (N,) how many count
    strays: I32  # (N,) polygons it was pushed into since its path was found
    state: U8  # (N,) an `AgentState`
    ahead: U8  # (N,) what its line leads to
    left: F64  # (N,) metres to that
    settles: U8  # (N,) 1: it takes the place where it is for its end
    waited: I32  # (N,) steps in which it hardly came forward; those in which it did take two off
    came: F64  # (N,) metres forward, since it last came forward by its radius
    stalled: I32  # (N,) steps since then
    pushed: F64  # (N,) metres, not above 0: that it was pushed against its way, and stayed
    narrow: U8  # (N,) 1: two cannot pass each other where it is
    rank: F64  # (N, 2) who yields to whom in a passage: after even and after odd steps
    facing: F64  # (N, 2) how much it keeps right because others come towards it: after even and after odd steps
    queued: F64  # (N, 2) how many stand before it, one behind the other, who go its way: likewise
    sides: F64  # (N, 2) metres of room to the right and to the left of who meets others; negative: not seen yet
    retreat: I32  # (N,) steps for which it still goes back
    over: U8  # (N,) 1: it does so into its own half of the way
    back: F64  # (N, 2) in this direction
    lost: U8  # (N,) 1: it wants a new path
    around: U8  # (N,) 1: it walks around a jam
    include: I32  # (N,) flags of its filter
    exclude: I32
    rule: I32  # (N,) the number of its filter
    takeoff: F32  # (N, 3)
    landing: F32  # (N, 3)
    airtime: I32  # (N,) steps of its jump
    aloft: I32  # (N,) steps of it that are over


_SPATIAL = ("position", "place", "goal", "end", "home", "takeoff", "landing")
_FLAT = ("velocity", "wanted", "corner", "onward", "chosen", "wish", "rank", "facing", "queued", "sides", "back")
_NUMBERS, _BYTES = (
    ("radius", "clear", "top", "left", "came", "pushed", "heading"),
    ("state", "ahead", "looked", "narrow", "lost", "placed", "around", "over", "settles"),
)


def new_agents(count: int, width: int) -> Agents:
    """Agents of whom nothing is known, with room for `width` polygons each."""
    kinds: dict[str, Any] = dict.fromkeys(_SPATIAL, np.float32)
    kinds |= dict.fromkeys((*_FLAT, *_NUMBERS), np.float64) | dict.fromkeys(_BYTES, np.uint8)
    widths = {"paths": (width,), **dict.fromkeys(_SPATIAL, (3,)), **dict.fromkeys(_FLAT, (2,))}

    def empty(name: str) -> AnyArray:
        return np.zeros((count, *widths.get(name, ())), kinds.get(name, np.int32))

    return Agents(*map(empty, Agents._fields))


def of_rows(agents: Agents, rows: I64) -> Agents:
    """Some of them, as copies."""
    return Agents._make(values[rows] for values in agents)


def with_more(agents: Agents, more: Agents) -> Agents:
    """Those, and after them these."""
    width = max(agents.paths.shape[1], more.paths.shape[1])
    both = (wider(agents, width), wider(more, width))
    return Agents._make(np.concatenate([old, new]) for old, new in zip(*both, strict=True))


def wider(agents: Agents, width: int) -> Agents:
    """The same with room for paths of at least so many polygons."""
    missing = width - agents.paths.shape[1]
    return agents if missing <= 0 else agents._replace(paths=np.pad(agents.paths, ((0, 0), (0, missing))))
