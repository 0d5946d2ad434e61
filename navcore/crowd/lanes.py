"""Lanes: where flows meet between walls, each keeps to its own half, the right one.

Who is in the other half goes over while there is room; where one of those who come stands before it, it goes back and
over, and those of its own way that stand behind it in that half go back with it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..navquery.query_filter import QueryFilter
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..types import F64, I32, I64
from .agents import Agents, CrowdRules
from .states import STUCK, WAITING, WALKING

Bools = npt.NDArray[np.bool_]
_WIDEST = 8.0  # bodies of room for middles: where there is more, flows find room by themselves
_LEAST = 1.3  # likewise: with less two do not pass
_FACING = 0.15  # how much one keeps right, from which on it keeps to its half
_MIDDLE = 0.56  # bodies from the middle that each half ends
_OVER, _MOST_OVER = 2.5, 0.8  # a second: part of what is missing; and of the largest speed
_LOOKS = 1 / 10  # seconds from one look to the sides to the next
_HELD, _PRESSING, _HEAD_ON = 0.4, 1.4, -0.7  # seconds of waiting; bodies; cosine
_BACK, _BACKWARDS, _SIDEWAYS = 0.7, 0.45, 0.6  # seconds of going back, and parts of the largest speed


class Lanes:
    """Who keeps to which half."""

    def __init__(self, query: NavQuery) -> None:
        self._query = query
        self._names = mesh_of(query)[1]
        self._room = np.zeros((0, 2))  # to the right and to the left
        self._back: I32 = np.zeros(0, np.int32)
        self._rows: I64 = np.zeros(0, np.int64)

    def as_seen(self, agents: Agents, rules: CrowdRules, others: Bools, chosen: QueryFilter) -> Agents:
        """Agents with the wishes that lanes leave; `others` are held, or go back."""
        count, body = len(agents.state), 2 * rules.widest
        if len(self._room) != count:
            self._room, self._back, self._rows = np.zeros((count, 2)), np.zeros(count, np.int32), np.zeros(0, np.int64)
        facing = agents.facing[:, rules.steps & 1]
        meets = facing > _FACING
        if not meets.any():
            return agents
        goes = (agents.state == WALKING) | (agents.state == WAITING) | (agents.state == STUCK)
        if rules.steps % max(1, round(_LOOKS / rules.tick)) == 0:
            self._look(agents, np.flatnonzero(meets & goes & ~others), _WIDEST * body, chosen)
        rows = self._rows[(meets & goes & ~others)[self._rows]]
        all_room = self._room[rows].sum(axis=1)
        rows = rows[(all_room < _WIDEST * body) & (all_room >= _LEAST * body)]
        if not len(rows):
            return agents
        onward, room = agents.onward[rows], self._room[rows]
        right = np.stack([-onward[:, 1], onward[:, 0]], axis=1)
        half = room.sum(axis=1) / 2
        lack = room[:, 0] - np.maximum(half - _MIDDLE * body, 0.0)
        top, wish = agents.top[rows], agents.wanted[rows].copy()
        over = np.minimum(_MOST_OVER * top, _OVER * np.maximum(lack, 0.0)) * np.minimum(facing[rows], 1.0)
        speed = np.hypot(*wish.T)
        onto = np.sqrt(np.maximum(speed**2 - over**2, (0.3 * speed) ** 2))
        wish = wish / np.maximum(speed, 1e-9)[:, None] * onto[:, None] + right * over[:, None]
        self._back[rows] -= self._back[rows] > 0
        wrong = room[:, 0] > half
        goes_back = self._goes_back(agents, rules, rows, wrong, body)
        back = onward * -_BACKWARDS + right * _SIDEWAYS
        wish[goes_back] = back[goes_back] * top[goes_back, None]
        seen = agents._replace(wanted=agents.wanted.copy(), onward=agents.onward.copy())
        seen.wanted[rows] = wish
        seen.onward[rows[goes_back]] *= -1
        return seen

    def _look(self, agents: Agents, rows: I64, most: float, chosen: QueryFilter) -> None:
        """How much room there is to both sides."""
        self._rows = rows
        if not len(rows):
            return
        onward = agents.onward[rows]
        right = np.stack([-onward[:, 1], onward[:, 0]], axis=1)
        here = agents.position[rows].astype(np.float64)
        references = self._names.of_polygon[agents.paths[rows, agents.size[rows] - 1]]
        for side, way in enumerate((right, -right)):
            ends = here.copy()
            ends[:, ::2] += way * most
            parts = self._query.raycast(references, here, ends, chosen, max_polygons=None).parts
            self._room[rows, side] = np.minimum(np.nan_to_num(parts.astype(np.float64)), 1.0) * most

    def _goes_back(self, agents: Agents, rules: CrowdRules, rows: I64, wrong: Bools, body: float) -> Bools:
        """Who is in the wrong half, and has one before it that comes towards it."""
        back = self._back[rows] > 0
        waits = wrong & ((agents.waited[rows] * rules.tick >= _HELD) | back)
        at = np.flatnonzero(waits)
        if len(at):
            onward = np.where(back[:, None], -agents.onward[rows], agents.onward[rows])
            place = agents.position[rows][:, ::2].astype(np.float64)
            apart = place[None] - place[at, None]
            ahead = (apart * agents.onward[rows[at]][:, None]).sum(axis=2)
            met = (np.hypot(apart[:, :, 0], apart[:, :, 1]) < _PRESSING * body) & (ahead > 0)
            met &= (agents.onward[rows[at]] @ onward.T) < _HEAD_ON
            self._back[rows[at[met.any(axis=1)]]] = int(_BACK / rules.tick)
        found: Bools = (self._back[rows] > 0) & wrong
        return found
