"""`walk`: a crowd from start to end as frames of an animation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import BadInput
from ..navquery.query_filter import QueryFilter
from ..progress import Progress
from ..questions.nav_query import NavQuery
from ..types import F32, F64, U8, ArrayLike
from .crowd import Crowd, checked
from .states import ARRIVED, NEAR, NO_WAY

_LONGEST_STEP = 1 / 30  # seconds
_SLOW = 0.05  # metres a second: slower agents stand
_MAX_VALUES = 1 << 30  # positions that a track holds


class Track(NamedTuple):
    """N agents in F frames, the first one before anybody has moved."""

    positions: F32  # (N, F, 3) metres
    headings: F32  # (N, F) radians around y: 0 looks along z, a quarter turn along x
    states: U8  # (N, F) an `AgentState` each
    frames_per_second: float
    arrival: F64  # (N,) seconds until it stood at its end, or near it; NaN for who is still on the way, or has none
    path_lengths: F32  # (N,) metres of the path that was found first; NaN where there is none
    lengths: F64  # (N,) metres that it went, as seen from above
    moved: F64  # (N,) metres that it set out beside its start, where another stands


def walk(
    query: NavQuery, starts: ArrayLike, ends: ArrayLike, seconds: float, frames_per_second: float = 24.0, *,
    filter: QueryFilter | None = None, until_arrived: bool = False, progress: Progress | None = None, **crowd: Any,
) -> Track:  # fmt: skip
    """Let agents walk from each start to its end, and note where they are in each frame.

    With `until_arrived` the last frame is the first one in which nobody walks any more: all stand at their ends, or
    have none; after `seconds` at the latest. `progress` is told how many of the seconds have passed.
    `crowd`: what `Crowd` takes, but for its step: that is as long as a frame, or a whole part of one that is not
    longer than a thirtieth of a second. The same arguments give the same bytes.
    """
    rate, reports = checked("frames_per_second", frames_per_second), progress or Progress()
    parts = int(np.ceil(1 / (rate * _LONGEST_STEP) - 1e-9))
    walkers = Crowd(query, step=1 / (rate * parts), **crowd)
    walkers.add_many(starts, ends, filter)
    frames, count = round(checked("seconds", seconds) * rate) + 1, len(walkers)
    if frames * count > _MAX_VALUES:
        raise BadInput(
            f"{count:,} agents in {frames:,} frames are more than {_MAX_VALUES:,} positions. Bake fewer agents, or a "
            "shorter time.",
            "TOO_LARGE",
        )
    positions, headings = np.empty((count, frames, 3), np.float32), np.empty((count, frames), np.float32)
    states, lengths = np.empty((count, frames), np.uint8), np.zeros(count)
    for frame in range(frames):
        reports.check()
        reports.report("walking", frame / frames)
        if frame > 0:
            walkers.step(1 / rate)
            lengths += np.sqrt((walkers.positions - positions[:, frame - 1])[:, ::2].astype(np.float64) ** 2 @ [1, 1])
        positions[:, frame], headings[:, frame], states[:, frame] = walkers.positions, walkers.headings, walkers.states
        if until_arrived and is_at_rest(walkers):
            positions, headings = positions[:, : frame + 1], headings[:, : frame + 1]
            states = states[:, : frame + 1]
            break
    arrival = _arrival(states, rate)
    return Track(
        positions, headings, states, rate, arrival, walkers.path_lengths, lengths, walkers.start_shifts
    )  # fmt: skip


def is_at_rest(crowd: Crowd) -> bool:
    """Whether nobody is on the way, and everybody stands."""
    still = np.isin(crowd.states, (ARRIVED, NEAR, NO_WAY)).all()
    return bool(still and (np.abs(crowd.velocities) < _SLOW).all())


def _arrival(states: U8, rate: float) -> F64:
    """The second from which on each agent has arrived and stays so."""
    there = (states == ARRIVED) | (states == NEAR)
    after = there.shape[1] - np.argmin(there[:, ::-1], axis=1)
    seconds: F64 = np.where(there.all(axis=1), 0, np.where(there[:, -1], after, np.nan)) / rate
    return seconds
