"""The kernels of what is asked for beyond a usual build: a first question, and links that are found.

Who asks compiles them one after the other. Another process finds out on a level of a few cells which these are, with
plain Python in their place, and compiles them from the last one on: both are through in half the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..builder.build_level import build_navmesh
from ..by_hand.from_polygons import navmesh_from_polygons
from ..kernels.noted_calls import NotedCall, calls_of
from ..questions.nav_query import NavQuery
from ..settings import Settings
from .sample_levels import two_blocks

_SIDE = 4.0  # metres


def foreseen(task: str) -> list[NotedCall]:
    """What is not kept of a task's kernels, the one that is called last first."""
    calls = dict.fromkeys(call for step in _STEPS[task]() for call in calls_of(step))
    return list(calls)[::-1]


def _find_links() -> Iterator[Callable[[], object]]:
    settings = Settings(
        generate_links=True, link_climb_height=1.5, link_jump_height=1.0, cell_size=0.4, cell_height=0.25,
        agent_radius=0.4, region_min_size=2,
    )  # fmt: skip
    yield lambda: build_navmesh(*two_blocks(), settings)


def _ask() -> Iterator[Callable[[], object]]:
    """A path on a square: what Python cannot do, which is looking for the nearest polygon, is not needed behind it."""
    corners = [(0, 0, 0), (0, 0, _SIDE), (_SIDE, 0, _SIDE), (_SIDE, 0, 0)]
    made: list[NavQuery] = []
    yield lambda: made.append(NavQuery(navmesh_from_polygons(corners, [(0, 1, 2), (0, 2, 3)])))
    if not made:
        return
    query, start, end = made[0], np.array([[1.0, 0, 2]]), np.array([[3.0, 0, 2]])
    here = query.references()[:1]
    yield lambda: query.nearest(start)
    yield lambda: query.find_corridors(here, here, start, end)
    yield lambda: query.straight_paths(start, end, np.array([0, 1]), here)


_STEPS = {"links": _find_links, "questions": _ask}  # by task, as `processes` calls it
