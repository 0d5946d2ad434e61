"""Ends that several agents share: each gets a place of its own beside the others, as near as there is room.

Of many the first who comes near an end stands there. Two or three stand so that one is at the end but for a third of
its radius, and all within two radii of it; four or five stand around it. Each takes the place that is farthest from
where those come who come after it, among as many as are needed for all who are there or about to be: so nobody has to
pass who already stands.
Who does not get to its place stands where it is held up, and tries a few more times.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..navquery.query_filter import QueryFilter
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..types import F32, F64, I64, Bools
from .agents import TO_END, Agents, CrowdRules
from .start_places import lattice_of
from .states import ARRIVED, JUMPING, NEAR, NO_WAY, WALKING

_APART, _IN_A_RING = 1.15, 1.1  # of both radii between places
_AT_END, _BESIDE_END = 3, 0.35  # up to so many one of them stands at the end, but for that part of its radius
_MOST_IN_RING = 5  # so many stand around an end, all within two radii of it; where more come, they fill a lattice
_SPARE = 3  # times as many places are looked for as agents share an end: some lie in walls
_NEAR, _SOON = 2.5, 8.0  # metres from where all will stand: an agent takes its place, and counts as about to
_NEARER = 0.3  # how much a metre to a place counts beside one that it is farther away for those who come after
_LOOKS = 4  # steps from one look at all this to the next
_LEAVE = 0.005  # metres that two may stand in each other
_OWN_END = 2.0  # radii from its end within which an agent has arrived
_HELD, _BESIDE = 3.0, 1.0  # seconds without coming forward; metres around where all can stand
_RESTS, _TRIES = 8, 5  # looks from one try to get to a place to the next, and how many there are


class _End(NamedTuple):
    """One that several share."""

    at: F32
    rule: int  # the number of its filter
    many: int  # agents
    widest: float  # the largest of their radii
    spread: float  # metres around it within which all can stand


class SharedEnds:
    """Which agents share ends, and where they stand there."""

    def __init__(self) -> None:
        self._ends: list[_End] = []
        self._places: dict[int, tuple[I64, F32]] = {}
        self._members: I64 = np.zeros(0, np.int64)  # agents that share an end

    def group(self, agents: Agents) -> None:
        """Find who shares an end: whose ends lie so close that they cannot stand at both."""
        ways = np.flatnonzero(agents.state != NO_WAY)
        agents.shares[:] = -1
        self._ends, self._places, self._members = [], {}, np.zeros(0, np.int64)
        if not len(ways):
            return
        keys = np.column_stack([agents.end[ways], agents.rule[ways].astype(np.float32)])
        _, firsts, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(firsts, kind="stable")
        leaders = _Leaders(float(agents.radius[ways].max()))
        group_of = np.empty(len(firsts), np.int64)
        for k in order.tolist():
            row = ways[firsts[k]]
            mine = float(agents.radius[ways[which.ravel() == k]].max()) if len(firsts) < len(ways) else 0.0
            group_of[k] = leaders.group_of(
                agents.end[row].tolist(), int(agents.rule[row]), max(mine, float(agents.radius[row]))
            )
        groups = group_of[which.ravel()]
        counts = np.bincount(groups)
        numbers = np.cumsum(counts > 1) - 1
        agents.shares[ways] = np.where(counts[groups] > 1, numbers[groups], -1)
        for group in np.flatnonzero(counts > 1).tolist():
            rows = ways[groups == group]
            widest, at = float(agents.radius[rows].max()), agents.end[rows[0]]
            spread = 2 * _APART * widest * (0.6 * np.sqrt(len(rows)) + 0.5)
            self._ends.append(_End(at.copy(), int(agents.rule[rows[0]]), len(rows), widest, float(spread)))
        self._members = np.flatnonzero(agents.shares >= 0)

    def take_places(self, query: NavQuery, agents: Agents, filters: list[QueryFilter], rules: CrowdRules) -> None:
        """Who has come near a shared end and sees it takes a place there."""
        if not self._ends or rules.steps % _LOOKS:
            return
        mine = self._members
        self._rest_there(agents, rules)
        self._try_again(agents, rules.steps // _LOOKS)
        state = agents.state[mine]
        rows = mine[(agents.placed[mine] == 0) & (state != JUMPING) & (state != ARRIVED) & (state != NEAR)]
        if not len(rows):
            return
        ends = np.array([end.at for end in self._ends], np.float64)[agents.shares[rows]]
        spreads = np.array([end.spread for end in self._ends])[agents.shares[rows]]
        apart = agents.position[rows].astype(np.float64) - ends
        away = np.hypot(apart[:, 0], apart[:, 2])
        close = away <= spreads + _NEAR
        there = agents.ahead[rows] == TO_END
        asks = np.flatnonzero(close & ~there)
        there[asks] = self._are_seen(query, agents, rows[asks], filters)
        chosen = np.flatnonzero(close & there)
        onward = -apart[:, ::2] / np.maximum(away, _LEAVE)[:, None]
        for k in chosen[np.argsort(away[chosen], kind="stable")].tolist():
            others = (agents.shares[rows] == agents.shares[rows[k]]) & (away <= spreads + _SOON)
            others &= (agents.placed[rows] == 0) & (np.arange(len(rows)) != k)
            come = onward[others].sum(axis=0) / max(1, int(others.sum()))
            self._take_place(query, agents, filters, int(rows[k]), (int(others.sum()), come))

    def _rest_there(self, agents: Agents, rules: CrowdRules) -> None:
        """Who is held up before its place stays where it is."""
        mine = self._members
        rows = mine[(agents.placed[mine] > 0) & (agents.stalled[mine] * rules.tick >= _HELD)]
        for row in rows[(agents.state[rows] != JUMPING) & (agents.state[rows] != NO_WAY)].tolist():
            end = self._ends[agents.shares[row]]
            away = float(np.linalg.norm((agents.position[row] - end.at)[::2]))
            if away <= end.spread + _BESIDE and agents.state[row] not in (ARRIVED, NEAR):
                agents.home[row], agents.state[row] = agents.position[row], NEAR
                agents.waited[row] = agents.stalled[row] = 0

    def _try_again(self, agents: Agents, looks: int) -> None:
        """Who stands elsewhere walks again, while its place is free. And words stay true of who is pushed."""
        mine = self._members
        rows = mine[(agents.placed[mine] > 0) & (agents.placed[mine] <= _TRIES) & (agents.state[mine] == NEAR)]
        still = mine[(agents.state[mine] == NEAR) | (agents.state[mine] == ARRIVED)]
        apart = np.linalg.norm((agents.position[still] - agents.end[still])[:, ::2], axis=1)
        agents.state[still] = np.where(apart <= _OWN_END * agents.radius[still], ARRIVED, NEAR)
        rows = rows[(rows + looks) % _RESTS == 0]
        rows = rows[(agents.home[rows] != agents.goal[rows]).any(axis=1)]
        rests = np.flatnonzero((agents.state == ARRIVED) | (agents.state == NEAR))
        for row in rows.tolist():
            others = rests[rests != row]
            apart = np.linalg.norm((agents.home[others] - agents.goal[row])[:, ::2], axis=1)
            agents.placed[row] += 1
            if (apart >= agents.radius[row] + agents.radius[others] - _LEAVE).all():
                agents.state[row], agents.waited[row] = WALKING, 0

    def _are_seen(self, query: NavQuery, agents: Agents, rows: I64, filters: list[QueryFilter]) -> list[bool]:
        """Of which agents the way to their shared ends is straight."""
        seen = []
        for row in rows.tolist():
            end = self._ends[agents.shares[row]]
            reached = _reached(query, end, agents.position[row : row + 1], filters[end.rule])
            seen.append(bool(reached[0][0]))
        return seen

    def _take_place(
        self, query: NavQuery, agents: Agents, filters: list[QueryFilter], row: int, after: tuple[int, F64]
    ) -> None:  # fmt: skip
        """Send an agent to its place, with so many after it that come in a direction. Without one it goes on."""
        number = int(agents.shares[row])
        end = self._ends[number]
        polygons, places = self._places_of(query, number, filters[end.rule])
        agents.placed[row] = 1
        rests = (agents.state == ARRIVED) | (agents.state == NEAR)
        taken = np.flatnonzero(rests | ((agents.placed > 0) & (np.arange(len(rests)) != row)))
        held: F64 = np.where(rests[taken, None], agents.home[taken], agents.goal[taken]).astype(np.float64)
        beside = np.linalg.norm((held - end.at)[:, ::2], axis=1) <= 2 * end.spread + 1.0
        taken, held = taken[beside], held[beside]
        apart = np.linalg.norm(places[:, None, ::2] - held[None, :, ::2], axis=2)
        free = (apart >= agents.radius[row] + agents.radius[taken] - _LEAVE).all(axis=1)
        stands = int((agents.shares[taken] == number).sum())
        rows = np.flatnonzero(free[: stands + 1 + after[0]])
        if end.many > _MOST_IN_RING and free[0]:
            rows = rows[:1]  # the end itself
        if not len(rows):
            rows = np.flatnonzero(free)[:1]
        if not len(rows):
            return
        offered = places[rows].astype(np.float64)
        along = (offered - end.at)[:, ::2] @ after[1]
        away = np.linalg.norm((offered - agents.position[row])[:, ::2], axis=1)
        best = int(rows[np.argmax(np.round(along - _NEARER * away, 6))])
        agents.goal[row], agents.looked[row] = places[best], 0
        if polygons[best] != agents.paths[row, 0]:
            agents.lost[row] = 1

    def _places_of(self, query: NavQuery, number: int, chosen: QueryFilter) -> tuple[I64, F32]:
        """Polygons and places around a shared end, those that are taken first before the others."""
        if number not in self._places:
            end = self._ends[number]
            ring = _around(end.many, end.widest) if end.many <= _MOST_IN_RING else np.zeros((1, 3))
            wanted = np.concatenate([ring, lattice_of(2 * _APART * end.widest)[: _SPARE * end.many + 12]])
            seen, polygons, ground = _reached(query, end, (end.at + wanted).astype(np.float32), chosen)
            self._places[number] = (polygons[seen], ground[seen])
        polygons, places = self._places[number]
        return polygons, places


class _Leaders:
    """The first ends of groups, by cell."""

    def __init__(self, widest: float) -> None:
        self._cell, self._groups = max(2 * widest, 0.01), 0
        self._by_cell: dict[tuple[int, int], list[tuple[list[float], int, float, int]]] = {}

    def group_of(self, end: list[float], rule: int, radius: float) -> int:
        """The group of the first end that is too close to this one; a new one where none is."""
        column, row = int(end[0] // self._cell), int(end[2] // self._cell)
        found: list[int] = []
        for i in range(column - 1, column + 2):
            for j in range(row - 1, row + 2):
                for at, its_rule, its_radius, group in self._by_cell.get((i, j), ()):
                    close = np.hypot(at[0] - end[0], at[2] - end[2]) < radius + its_radius - _LEAVE
                    if close and its_rule == rule and abs(at[1] - end[1]) < 2 * self._cell:
                        found.append(group)
        if found:
            return min(found)
        self._by_cell.setdefault((column, row), []).append((end, rule, radius, self._groups))
        self._groups += 1
        return self._groups - 1


def _around(count: int, radius: float) -> F64:
    """(count, 3) places in a ring around the origin; of few the first is at the origin but for a part of its radius."""
    turns, across = np.arange(count) * (2 * np.pi / count), _IN_A_RING * radius / np.sin(np.pi / count)
    ring: F64 = np.column_stack([np.cos(turns), 0 * turns, np.sin(turns)]) * across
    return ring - [across - _BESIDE_END * radius if count <= _AT_END else 0.0, 0.0, 0.0]


def _reached(query: NavQuery, end: _End, wanted: F32, chosen: QueryFilter) -> tuple[Bools, I64, F32]:
    """Which places one can walk to straight from an end, their polygons, and the ground there."""
    near, count = query.nearest(end.at, filter=chosen), len(wanted)
    nothing = np.zeros(count, bool), np.zeros(count, np.int64), wanted
    if near.references[0] == 0:
        return nothing
    rays = query.raycast(
        np.repeat(near.references, count), np.repeat(near.points, count, axis=0), wanted, chosen, max_polygons=None
    )  # fmt: skip
    if not len(rays.references):  # rays that leave from a border cross no polygon
        return nothing
    last = rays.references[np.maximum(rays.offsets[1:] - 1, 0)]
    ground = query.closest_points(last, wanted)
    seen: Bools = rays.parts > 1
    return seen, mesh_of(query)[1].polygons(last).astype(np.int64), ground.points
