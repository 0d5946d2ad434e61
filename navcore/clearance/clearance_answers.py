"""What questions for clearance are answered with. A clearance is the radius of the widest agent, in metres."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from ..types import F32, I64, U8, U32


class NarrowestAt(IntEnum):
    """Where a way is narrowest."""

    START = 0
    """At its start: no wider agent can stand there."""
    END = 1
    """At its end."""
    GAP = 2
    """Between two walls on the way."""
    LINK = 3
    """At an end of a link."""


class Clearances(NamedTuple):
    """How wide an agent may be somewhere."""

    clearances: F32  # (N,) metres; NaN where there is no ground, infinite where there is no wall
    points: F32  # (N, 3) where it may be so wide
    status: U32


class Portals(NamedTuple):
    """What ground polygons share with each other; each once."""

    references: U32  # (N,) a polygon
    across: U32  # (N,) and the one it leads to
    ends: F32  # (N, 2, 3) metres
    clearances: F32  # (N,) of the widest agent whose center passes
    points: F32  # (N, 3) where it passes


class Chokepoints(NamedTuple):
    """Gaps that cut ground off for agents that are too wide for them, narrowest first."""

    clearances: F32  # (N,) of the widest agent that passes
    points: F32  # (N, 3) the middle of the gap
    references: U32  # (N,) the polygon there
    square_metres: F32  # (N,) seen from above: on the smaller of both sides, as far as that agent gets there


class Widths(NamedTuple):
    """How wide an agent may be that goes along each corridor."""

    clearances: F32  # (N,) metres; NaN where there is no way
    gaps: F32  # (N,) the same between start and end, wherever these are; infinite where there is no gap on the way
    narrowest_at: U8  # (N,) a `NarrowestAt`
    points: F32  # (N, 3) where that is
    gap_points: F32  # (N, 3) the middle of the narrowest gap; NaN without one
    references: U32  # (N,) the polygon at `points`
    status: U32


class WidestWays(NamedTuple):
    """The widest way from each start to its end."""

    status: U8  # (N,) a `PathStatus`; PARTIAL: no way leads there, for the thinnest agent neither
    clearances: F32  # as in `Widths`
    gaps: F32
    narrowest_at: U8
    points: F32
    gap_points: F32
    references: U32
    offsets: I64  # of `polygons`
    polygons: U32  # the shortest of the corridors that are so wide
