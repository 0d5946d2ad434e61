"""Ways around jams: who has waited in a queue takes another way where that is quicker, with the time lost in queues.

Once a second agents that wait are counted where the ground ahead of them is narrowest. What a queue costs is as many
seconds as its agents need to pass; it decays after they are gone. The cheapest way with that is Detour's A* over a
copy of the navmesh in which narrow places with a queue have areas of their own.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import CONNECTION
from ..navquery.answers import Paths
from ..navquery.query_filter import QueryFilter
from ..navquery.query_mesh import QueryMesh
from ..navquery.status import PathStatus
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..types import F32, F64, I32
from .agents import Agents, CrowdRules
from .states import STUCK, WAITING

_HELD = 0.5  # seconds of waiting, from which on an agent counts for a queue
_AHEAD = 15.0  # metres of its way in which a narrow place is looked for
_NARROWER = 0.01  # metres
_POLYGONS = 16  # of a way that are looked at
_DECAYS = 15.0  # seconds in which a queue that is gone is forgotten for the most part
_FORGOTTEN = 0.5  # agents
_A_LANE = 1.2  # agents a second that pass side by side with none
_WORTH, _QUICKER = 3.0, 0.75  # seconds that another way has to save, and the part of the time that it takes at most
_AT_ONCE, _TURNS = 6, 3  # agents that look for another way in a second; seconds from one look to the next
_SHORTEST = 0.2  # metres through a narrow place
_AREAS = 64


class _Queue(NamedTuple):
    """Agents that wait before a narrow place."""

    agents: float  # how many: fewer from second to second once they are gone
    lanes: int  # so many pass side by side
    through: float  # metres

    @property
    def seconds(self) -> float:
        return self.agents / (self.lanes * _A_LANE)


class _NarrowAhead(NamedTuple):
    """The narrowest place on an agent's way."""

    polygon: int
    width: float
    through: float
    away: float


class Jams:
    """Queues by the polygon behind their narrow place, and who walks around them."""

    def __init__(self, query: NavQuery) -> None:
        self._query = query
        self._copy: NavQuery | None = None
        self._marked: list[int] = []  # polygons that have areas of their own in the copy
        self._mesh, self._names = mesh_of(query)
        used = np.unique(self._mesh.polygons["area"])
        self._free: list[int] = np.setdiff1d(np.arange(1, _AREAS), used)[::-1].tolist()
        self._queues: dict[int, _Queue] = {}
        self._portals: dict[tuple[int, int], tuple[float, F64]] = {}
        self._narrow: dict[bytes, _NarrowAhead | None] = {}  # by the polygons that come next on a way

    def look(self, agents: Agents, rules: CrowdRules, filters: list[QueryFilter]) -> list[tuple[int, I32]]:
        """Count who waits; returns agents that take another way, and its polygons."""
        held = agents.waited * rules.tick >= _HELD
        rows = np.flatnonzero(held & ((agents.state == WAITING) | (agents.state == STUCK)))
        self._forget()
        if not len(rows) and not self._queues:
            return []
        ahead = {row: place for row in rows.tolist() if (place := self._narrowest(agents, row)) is not None}
        delays = self._count(agents, ahead)
        second = int(rules.steps * rules.tick)
        asks = [row for row in ahead if delays[row] >= _WORTH and (row + second) % _TURNS == 0]
        asks.sort(key=lambda row: (-delays[row], row))
        found = []
        for row in asks[:_AT_ONCE]:
            polygons = self._other_way(agents, row, ahead[row].polygon, delays[row], filters)
            if polygons is not None:
                found.append((row, polygons))
        return found

    def paths(self, query: NavQuery, starts: F32, ends: F32, chosen: QueryFilter) -> Paths:
        """The quickest ways with the queues that there are."""
        if self._copy is None:
            self._copy = query.as_it_is()
        longest = sorted(self._queues, key=lambda polygon: (-self._queues[polygon].seconds, polygon))
        marked = sorted(longest[: len(self._free)])
        own = self._mesh.polygons["area"].astype(np.int64)
        if marked != self._marked:  # to mark them takes as long as several paths
            self._copy.set_areas(self._names.of_polygon[self._marked], own[self._marked])
            self._copy.set_areas(self._names.of_polygon[marked], np.array(self._free[: len(marked)], np.int64))
            self._marked = marked
        costs = dict(chosen.costs)
        for polygon, area in zip(marked, self._free, strict=False):
            queue = self._queues[polygon]
            costs[area] = float(chosen.costs.get(int(own[polygon]), 1.0)) + queue.seconds / queue.through
        return self._copy.find_paths(
            starts, ends, QueryFilter(costs, chosen.include, chosen.exclude), max_nodes=None, max_path=None,
            max_points=None,
        )  # fmt: skip

    @property
    def any(self) -> bool:
        """Whether there is a queue."""
        return bool(self._queues)

    def _forget(self) -> None:
        kept = np.exp(-1.0 / _DECAYS)
        fewer = {polygon: queue._replace(agents=queue.agents * kept) for polygon, queue in self._queues.items()}
        self._queues = {polygon: queue for polygon, queue in fewer.items() if queue.agents > _FORGOTTEN}

    def _count(self, agents: Agents, ahead: dict[int, _NarrowAhead]) -> dict[int, float]:
        """Queues as they are now; and how many seconds each of who waits has others before it."""
        delays: dict[int, float] = {}
        by_place: dict[int, list[tuple[float, int]]] = {}
        for row, place in ahead.items():
            by_place.setdefault(place.polygon, []).append((place.away, row))
        for polygon, waiting in by_place.items():
            place = ahead[waiting[0][1]]
            before = self._queues.get(polygon)
            count = max(float(len(waiting)), before.agents if before else 0.0)
            widest = max(float(agents.radius[row]) for _, row in waiting)
            queue = _Queue(count, 1 + int(place.width / (2.2 * widest)), max(_SHORTEST, place.through))
            self._queues[polygon] = queue
            for rank, (_, row) in enumerate(sorted(waiting)):
                delays[row] = rank / (queue.lanes * _A_LANE) / float(agents.top[row]) * 1.5
        return delays

    def _other_way(
        self, agents: Agents, row: int, narrow: int, delay: float, filters: list[QueryFilter]
    ) -> I32 | None:  # fmt: skip
        """Another way that is so much quicker that it is worth it."""
        paths = self.paths(
            self._query, agents.place[row : row + 1], agents.goal[row : row + 1], filters[agents.rule[row]]
        )
        if paths.status[0] != PathStatus.COMPLETE:
            return None
        polygons = self._names.polygons(paths.polygons[paths.polygon_offsets[0] : paths.polygon_offsets[1]])
        old = agents.paths[row, : agents.size[row]][::-1]
        if narrow in polygons.tolist():
            return None
        start, end, top = agents.place[row].astype(np.float64), agents.goal[row].astype(np.float64), agents.top[row]
        now = self._metres(old, start, end) / top + delay + self._queued(old, narrow)
        then = self._metres(polygons, start, end) / top + self._queued(polygons, narrow)
        if then > _QUICKER * now or then > now - _WORTH:
            return None
        self._joins(agents, row, polygons, set(old.tolist()))
        return polygons

    def _joins(self, agents: Agents, row: int, polygons: I32, before: set[int]) -> None:
        """Who takes another way counts at its narrowest place from now on."""
        best: tuple[float, int] | None = None
        for here, there in zip(polygons[:-1].tolist(), polygons[1:].tolist(), strict=True):
            width = self._portal(here, there)[0]
            if there not in before and (best is None or width < best[0] - _NARROWER):
                best = (width, there)
        if best is not None:
            lanes = 1 + int(best[0] / (2.2 * float(agents.radius[row])))
            queue = self._queues.get(best[1], _Queue(0.0, lanes, 1.0))
            self._queues[best[1]] = queue._replace(agents=queue.agents + 1)

    def _queued(self, polygons: I32, but: int) -> float:
        return float(sum(self._queues[p].seconds for p in polygons.tolist()[1:] if p in self._queues and p != but))

    def _metres(self, polygons: I32, start: F64, end: F64) -> float:
        """From middle to middle of what each two share."""
        points = [start]
        for here, there in zip(polygons[:-1].tolist(), polygons[1:].tolist(), strict=True):
            points.append(self._portal(here, there)[1])
        points.append(end)
        return float(np.linalg.norm(np.diff(np.array(points), axis=0), axis=1).sum())

    def _narrowest(self, agents: Agents, row: int) -> _NarrowAhead | None:
        """The narrowest place within sight on an agent's way."""
        size = int(agents.size[row])
        polygons = agents.paths[row, max(0, size - _POLYGONS) : size]
        key = polygons.tobytes()
        if key not in self._narrow:
            self._narrow[key] = self._narrowest_of(polygons[::-1].tolist())
        place = self._narrow[key]
        if place is None:
            return None
        first = self._portal(int(polygons[-1]), int(polygons[-2]))[1]
        apart = (first - agents.position[row])[::2]
        return place._replace(away=place.away + float(np.hypot(apart[0], apart[1])))

    def _narrowest_of(self, polygons: list[int]) -> _NarrowAhead | None:
        """Among those that a way crosses one after the other; metres are from where it leaves the first one."""
        away = 0.0
        best: _NarrowAhead | None = None
        portals = [self._portal(here, there) for here, there in pairwise(polygons)]
        for k, (width, middle) in enumerate(portals):
            away += float(np.linalg.norm(middle - portals[k - 1][1])) if k else 0.0
            if away > _AHEAD:
                break
            if best is None or width < best.width - _NARROWER:
                last = portals[min(k + 1, len(portals) - 1)][1]
                best = _NarrowAhead(polygons[k + 1], width, float(np.linalg.norm(last - middle)), away)
        return best

    def _portal(self, here: int, there: int) -> tuple[float, F64]:
        """How wide what two polygons share is, and its middle. A link has no width."""
        if (here, there) not in self._portals:
            mesh: QueryMesh = self._mesh
            first, last = mesh.polygons["first_link"][here], mesh.polygons["end_link"][here]
            there_too = np.flatnonzero(mesh.links["target"][first:last] == there)
            ends = mesh.portals[first + there_too[0]].astype(np.float64)
            jumps = (mesh.polygons["kind"][[here, there]] == CONNECTION).any()
            self._portals[here, there] = (
                0.0 if jumps else float(np.hypot(*(ends[1] - ends[0])[::2])),
                ends.mean(axis=0),
            )
        return self._portals[here, there]
