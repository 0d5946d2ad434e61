"""`walk_heat`: the heat of a walk that was recorded."""

from __future__ import annotations

import numpy.typing as npt

from ...navquery.query_filter import QueryFilter
from ...questions.nav_query import NavQuery
from ..track import Track
from .heat import Heat
from .heat_recorder import HeatRecorder


def walk_heat(
    query: NavQuery, track: Track, ends: npt.ArrayLike, *, speed: npt.ArrayLike = 1.5, radius: float | None = None,
    height: float = 2.0, cell: float = 0.5, filter: QueryFilter | None = None,
) -> Heat:  # fmt: skip
    """Where the agents of a track lost time on their way to their ends, and what held them up.

    `speed`: what they walk where nobody is in their way, metres a second, one for all or one for each. `radius`, by
    which an end is reached: that of the navmesh's agent, unless given. `height`: theirs, by which floors are told
    apart. `cell`: metres. Only `positions` and `frames_per_second` of the track are looked at, so that it may come
    from any other crowd.
    """
    recorder = HeatRecorder(query, speed=speed, radius=radius, height=height, cell=cell, filter=filter)
    recorder.add(track.positions, 1 / track.frames_per_second, ends)
    return recorder.heat()
