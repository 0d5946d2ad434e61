"""Lanes: where flows meet between walls, each keeps to its own half, the right one.

Who is in the other half goes over while there is room; where one of those who come stands before it, it goes back and
over, and those of its own way that stand behind it in that half go back with it.
"""

from __future__ import annotations

import numpy as np

from ..navquery.query_filter import QueryFilter
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..types import F64, I32, I64, U8
from .agents import Agents, CrowdRules
from .shared_ends import Bools
from .states import STUCK, WAITING, WALKING

_WIDEST = 8.0  # bodies of room for middles: where there is more, flows find room by themselves
_LEAST = 1.3  # likewise: with less two do not pass
_FACING = 0.15  # how much one keeps right, from which on it keeps to its half
_MIDDLE = 0.56  # bodies from the middle that each half ends
_OVER, _MOST_OVER, _STILL = 2.5, 0.8, 0.3  # a second: part of what is missing; of the speed: at most, and onward
_LOOKS = 1 / 10  # seconds from one look to the sides to the next
_HELD, _PRESSING, _HEAD_ON = 0.4, 1.4, -0.7  # seconds of waiting; bodies; cosine
_BACK, _BACKWARDS, _SIDEWAYS = 0.7, 0.45, 0.6  # seconds of going back, and parts of the largest speed


class Lanes:
    """Who keeps to which half."""

    def __init__(self, query: NavQuery) -> None:
        self._query = query
        self._names = mesh_of(query)[1]
        self._back: I32 = np.zeros(0, np.int32)  # steps for which each still goes back
        self._rows: I64 = np.zeros(0, np.int64)  # who has others coming towards it between walls,
        self._sides: F64 = np.zeros((0, 2))  # and how much room to the right and to the left

    def look(self, agents: Agents, rules: CrowdRules, chosen: QueryFilter) -> None:
        """See who has others coming towards it between walls."""
        count, most = len(agents.state), _WIDEST * 2 * rules.widest
        if len(self._back) != count:
            self._back, self._rows, self._sides = np.zeros(count, np.int32), np.zeros(0, np.int64), np.zeros((0, 2))
        if rules.steps % max(1, round(_LOOKS / rules.tick)):
            return
        rows = np.flatnonzero((agents.facing[:, rules.steps & 1] > _FACING) & _goes(agents.state))
        sides = self._room(agents, rows, most, chosen) if len(rows) else np.zeros((0, 2))
        room = sides.sum(axis=1)
        between = (room < most) & (room >= _LEAST * 2 * rules.widest)
        self._rows, self._sides = rows[between], sides[between]

    def as_seen(self, agents: Agents, rules: CrowdRules, others: Bools) -> Agents:
        """Agents with the wishes that lanes leave; `others` are held, or go back."""
        if not len(self._rows):
            return agents
        good = _goes(agents.state[self._rows]) & ~others[self._rows]
        good &= agents.facing[self._rows, rules.steps & 1] > _FACING
        rows, sides, body = self._rows[good], self._sides[good], 2 * rules.widest
        onward, top, half = agents.onward[rows], agents.top[rows], sides.sum(axis=1) / 2
        right = np.stack([-onward[:, 1], onward[:, 0]], axis=1)
        lack = np.maximum(sides[:, 0] - np.maximum(half - _MIDDLE * body, 0.0), 0.0)
        over = np.minimum(_MOST_OVER * top, _OVER * lack) * np.minimum(agents.facing[rows, rules.steps & 1], 1.0)
        wish = agents.wanted[rows]
        speed = np.hypot(wish[:, 0], wish[:, 1])
        onto = np.sqrt(np.maximum(speed**2 - over**2, (_STILL * speed) ** 2)) / np.maximum(speed, 1e-9)
        wish = wish * onto[:, None] + right * over[:, None]
        self._back[rows] -= self._back[rows] > 0
        turned = self._goes_back(agents, rules, rows, sides[:, 0] > half, body)
        wish[turned] = (onward[turned] * -_BACKWARDS + right[turned] * _SIDEWAYS) * top[turned, None]
        seen = agents._replace(wanted=agents.wanted.copy(), onward=agents.onward.copy())
        seen.wanted[rows] = wish
        seen.onward[rows[turned]] *= -1
        return seen

    def _room(self, agents: Agents, rows: I64, most: float, chosen: QueryFilter) -> F64:
        """(N, 2) metres to the right and to the left, at most so many."""
        onward = agents.onward[rows]
        right = np.stack([-onward[:, 1], onward[:, 0]], axis=1)
        here = np.tile(agents.position[rows].astype(np.float64), (2, 1))
        ends = here.copy()
        ends[:, ::2] += np.concatenate([right, -right]) * most
        references = np.tile(self._names.of_polygon[agents.paths[rows, agents.size[rows] - 1]], 2)
        parts = self._query.raycast(references, here, ends, chosen, max_polygons=None, threads=1).parts
        room: F64 = np.minimum(np.nan_to_num(parts.astype(np.float64)), 1.0).reshape(2, -1).T * most
        return room

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


def _goes(state: U8) -> Bools:
    """Who is on its way."""
    goes: Bools = (state == WALKING) | (state == WAITING) | (state == STUCK)
    return goes
