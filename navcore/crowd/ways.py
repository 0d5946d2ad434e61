"""Paths of agents: the shortest path where areas cost alike, the cheapest polygons elsewhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import BadInput
from ..navquery.answers import Paths
from ..navquery.query_filter import QueryFilter
from ..navquery.query_mesh import NO_POLYGON
from ..navquery.status import PathStatus
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..types import F32, F64, I32, I64
from .agents import Agents, new_agents, of_rows, wider
from .jams import Jams
from .start_places import places_beside
from .states import ARRIVED, JUMPING, NEAR, NO_WAY, STUCK, WAITING, WALKING

_AT_ONCE = 16  # agents whose paths are found anew in a step
_SPARE = 64  # polygons that an agent may stray into beside those of its path


class Planned(NamedTuple):
    """Agents at their starts, and how long their paths are."""

    agents: Agents
    length: F32  # (N,) metres; NaN where there is no path


def planned(query: NavQuery, starts: F32, ends: F32, chosen: QueryFilter, number: int) -> Planned:
    """Agents that stand where the navmesh is nearest to their starts, with paths to what is nearest to their ends."""
    paths = _paths(query, starts, ends, chosen)
    found, counts = paths.status == PathStatus.COMPLETE, np.diff(paths.polygon_offsets)
    agents, rule = new_agents(len(starts), int(counts[found].max(initial=1)) + _SPARE), chosen.rule()
    near = query.nearest(starts, filter=chosen)
    agents.position[:] = np.where(near.references[:, None] > 0, near.points, starts)
    agents.include[:], agents.exclude[:], agents.rule[:] = rule.include, rule.exclude, number
    agents.state[:], agents.goal[:] = np.where(found, WALKING, NO_WAY), ends
    _give_paths(agents, np.arange(len(starts)), paths, mesh_of(query)[1].polygons(paths.polygons))
    rows = np.flatnonzero(found)
    agents.position[rows], agents.goal[rows] = (
        paths.points[paths.offsets[rows]],
        paths.points[paths.offsets[rows + 1] - 1],
    )
    agents.place[:], agents.end[:] = agents.position, agents.goal
    return Planned(agents, np.where(found, paths.length, np.nan).astype(np.float32))


def planned_from(query: NavQuery, agents: Agents, rows: I64, places: F32, chosen: QueryFilter) -> tuple[Agents, F32]:
    """The same agents, those in `rows` at other places; and how long their paths are from there."""
    paths = _paths(query, places, agents.goal[rows], chosen)
    agents = wider(agents, int(np.diff(paths.polygon_offsets).max(initial=0)) + _SPARE)
    _give_paths(agents, rows, paths, mesh_of(query)[1].polygons(paths.polygons))
    found = paths.status == PathStatus.COMPLETE
    agents.position[rows] = places
    agents.position[rows[found]] = paths.points[paths.offsets[:-1][found]]
    agents.place[rows], agents.state[rows] = agents.position[rows], np.where(found, WALKING, NO_WAY)
    return agents, np.where(found, paths.length, np.nan).astype(np.float32)


def planned_again(query: NavQuery, agents: Agents, filters: list[QueryFilter], jams: Jams) -> Agents:
    """The same agents, those that are lost with new paths; who finds none keeps the old one."""
    lost = np.flatnonzero((agents.lost > 0) & (agents.state != NO_WAY))
    lost = lost[:_AT_ONCE]
    around = (agents.around[lost] > 0) & jams.any
    for number, chosen in enumerate(filters):
        mine = agents.rule[lost] == number
        for rows, find in ((lost[mine & ~around], _paths), (lost[mine & around], jams.paths)):
            if len(rows):
                paths = find(query, agents.place[rows], agents.goal[rows], chosen)
                agents = wider(agents, int(np.diff(paths.polygon_offsets).max(initial=0)) + _SPARE)
                _give_paths(agents, rows, paths, mesh_of(query)[1].polygons(paths.polygons))
    agents.lost[lost] = 0
    return agents


def redirected(query: NavQuery, agents: Agents, rows: I64, ends: F32, filters: list[QueryFilter]) -> Agents:
    """The same agents, those in `rows` on their way to other ends.

    Who has the new end's polygon on its path keeps that as far as there; the others get new paths. Who finds none
    stands where it is; in the air it keeps the old one.
    """
    for number, chosen in enumerate(filters):
        mine = np.flatnonzero(agents.rule[rows] == number)
        if not len(mine):
            continue
        near = query.nearest(ends[mine], filter=chosen)
        polygons = mesh_of(query)[1].polygons(near.references)
        kept = np.array([_cut(agents, i, p) for i, p in zip(rows[mine].tolist(), polygons.tolist(), strict=True)], bool)
        agents.goal[rows[mine[kept]]] = near.points[kept]
        lost = mine[~kept]
        if len(lost):
            agents = _sent(query, agents, rows[lost], ends[lost], chosen)
    resting = rows[np.isin(agents.state[rows], (ARRIVED, NEAR, WAITING, STUCK))]
    agents.state[resting] = WALKING
    agents.waited[rows] = agents.stalled[rows] = agents.lost[rows] = agents.looked[rows] = 0
    agents.placed[rows] = agents.around[rows] = 0
    agents.end[rows] = agents.goal[rows]
    return agents


def set_out(
    query: NavQuery, agents: Agents, rows: I64, chosen: QueryFilter, height: float
) -> tuple[Agents, F64]:  # fmt: skip
    """The same agents, those in `rows`, whom nobody has heeded so far, beside those who stand where they are.

    And how far that is. Who finds no free ground has no way.
    """
    others = np.setdiff1d(np.arange(len(agents.state)), rows)
    moved, places, without = places_beside(query, of_rows(agents, others), of_rows(agents, rows), chosen, height)
    shifts = np.zeros(len(rows))
    if len(moved):
        shifts[moved] = np.hypot(*(places - agents.position[rows[moved]])[:, ::2].T)
        agents, _ = planned_from(query, agents, rows[moved], places, chosen)
    agents.state[rows[without]] = NO_WAY
    return agents, shifts


def _cut(agents: Agents, agent: int, polygon: int) -> bool:
    """End an agent's path in this polygon, if it leads through it."""
    size = int(agents.size[agent])
    found = np.flatnonzero(agents.paths[agent, :size] == polygon)
    if agents.state[agent] == NO_WAY or not len(found) or polygon == NO_POLYGON:
        return False
    first = int(found[-1])
    agents.paths[agent, : size - first], agents.size[agent] = agents.paths[agent, first:size].copy(), size - first
    return True


def _sent(query: NavQuery, agents: Agents, rows: I64, ends: F32, chosen: QueryFilter) -> Agents:
    """New paths from where others see these agents."""
    paths = _paths(query, agents.place[rows], ends, chosen)
    agents = wider(agents, int(np.diff(paths.polygon_offsets).max(initial=0)) + _SPARE)
    _give_paths(agents, rows, paths, mesh_of(query)[1].polygons(paths.polygons))
    found = paths.status == PathStatus.COMPLETE
    agents.goal[rows[found]] = paths.points[paths.offsets[1:][found] - 1]
    began = found & (agents.state[rows] == NO_WAY)  # who has not been on the navmesh yet
    agents.position[rows[began]] = agents.place[rows[began]] = paths.points[paths.offsets[:-1][began]]
    agents.state[rows[began]] = WALKING
    stands = rows[~found & (agents.state[rows] != JUMPING)]
    agents.state[stands], agents.velocity[stands] = NO_WAY, 0
    return agents


def _paths(query: NavQuery, starts: F32, ends: F32, chosen: QueryFilter) -> Paths:
    try:
        return query.find_paths(starts, ends, chosen, exact=True)
    except BadInput as refused:
        if refused.code != "UNEQUAL_COSTS":
            raise
    return query.find_paths(starts, ends, chosen, max_nodes=None, max_path=None, max_points=None)


def _give_paths(agents: Agents, rows: I64, paths: Paths, polygons: I32) -> None:
    for k, i in enumerate(rows.tolist()):
        if paths.status[k] == PathStatus.COMPLETE:
            own = polygons[paths.polygon_offsets[k] : paths.polygon_offsets[k + 1]]
            agents.paths[i, : len(own)], agents.size[i], agents.strays[i] = own[::-1], len(own), 0


def sent_around(agents: Agents, row: int, polygons: I32) -> Agents:
    """The same agents, one of them on another way."""
    agents = wider(agents, len(polygons) + _SPARE)
    agents.paths[row, : len(polygons)], agents.size[row], agents.strays[row] = polygons[::-1], len(polygons), 0
    agents.around[row], agents.looked[row] = 1, 0
    agents.waited[row] = agents.stalled[row] = 0
    return agents
