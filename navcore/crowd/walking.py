"""Agents go where they want, and no farther than the navmesh does: polygon by polygon, along walls."""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from ..navquery.kernels.move import MOST_BEHIND_EDGE, MOST_NODES, walk
from ..navquery.kernels.points import closest_point, row_of
from ..navquery.query_mesh import QueryMesh
from ..types import F64, I32, AnyInt
from .agents import SETTLES, TO_END, Agents, Rules
from .neighbors import nearest_agents
from .states import ARRIVED, JUMPING, NO_WAY, STUCK, WALKING

_HERE, _NEARLY = 0.03, 0.1  # metres from its end, where an agent has arrived; and where it has that is kept from it
_BRIEFLY = 0.25  # seconds of waiting that mean so
_SLOW = 0.1  # of the largest speed: an agent that comes forward more slowly waits
_GIVES_UP = 5.0  # seconds of waiting, after which an agent says so and looks for another way
_FORGIVES = 2  # steps of waiting for one of walking
_STRAYED = 8  # polygons off its way, after which an agent looks for a new one
_LOOKED_THROUGH = 32  # polygons of its way among which an agent looks for the one it is in
_APART = 0.005  # metres between agents that stand in each other, once they have been moved apart
_PUSH = 1.0  # metres a second, at most


@kernel
def walk_rows(mesh: QueryMesh, agents: Agents, rules: Rules, begin: int, end: int) -> None:
    """One step of each agent on the ground, with the velocity that it has chosen."""
    velocity, state, waited = agents.velocity, agents.state, agents.waited
    step, slow = np.empty((end - begin, 2), np.float64), _SLOW * rules.most
    for i in range(begin, end):
        step[i - begin, 0], step[i - begin, 1] = agents.wish[i, 0] * rules.tick, agents.wish[i, 1] * rules.tick
    before = agents.position[begin:end].copy()
    _go(mesh, agents, step, begin, end)
    for i in range(begin, end):
        if state[i] == JUMPING or state[i] == NO_WAY:
            continue
        for axis in range(2):
            velocity[i, axis] = (
                float(agents.position[i, 2 * axis]) - float(before[i - begin, 2 * axis])
            ) / rules.tick  # fmt: skip
        speed = np.sqrt(velocity[i, 0] ** 2 + velocity[i, 1] ** 2)
        if speed < 0.5 * agents.speed[i]:
            agents.speed[i] = speed
        if state[i] == ARRIVED:
            continue
        if agents.ahead[i] == SETTLES:  # its end is where it stands
            agents.goal[i], agents.ways[i, 0] = agents.position[i], agents.ways[i, agents.size[i] - 1]
            agents.size[i] = 1
        within = _NEARLY if waited[i] * rules.tick > _BRIEFLY else _HERE
        if agents.ahead[i] == SETTLES or (agents.ahead[i] == TO_END and _is_there(agents, i, within, rules.height)):
            state[i], waited[i] = ARRIVED, 0
            continue
        gained = velocity[i, 0] * agents.wanted[i, 0] + velocity[i, 1] * agents.wanted[i, 1]
        hoped = np.sqrt(agents.wanted[i, 0] ** 2 + agents.wanted[i, 1] ** 2)
        waited[i] = waited[i] + 1 if gained < slow * hoped else max(0, waited[i] - _FORGIVES)
        patience = int(_GIVES_UP / rules.tick)
        if waited[i] >= patience:
            if waited[i] % patience == 0:
                agents.lost[i] = 1
            state[i] = STUCK
        elif waited[i] * 2 < patience:
            state[i] = WALKING


@inlined
def _is_there(agents: Agents, i: AnyInt, within: float, height: float) -> bool:
    position, goal = agents.position, agents.goal
    dx, dz = float(position[i, 0]) - float(goal[i, 0]), float(position[i, 2]) - float(goal[i, 2])
    return dx * dx + dz * dz <= within * within and abs(float(position[i, 1]) - float(goal[i, 1])) < height


@kernel
def push_rows(
    agents: Agents, rules: Rules, cell: float, first: I32, inside: I32, begin: int, end: int, pushes: F64
) -> None:
    """How far each agent has to move so that nobody stands in another; both of two move halfway.

    The grid may be that of the step before: agents have moved by little, and a cell is wide.
    """
    near, away = np.empty(rules.neighbors, np.int32), np.empty(rules.neighbors, np.float64)
    place, state, together = agents.place, agents.state, 2 * rules.radius + _APART
    for i in range(begin, end):
        pushes[i, 0] = pushes[i, 1] = 0.0
        if state[i] == JUMPING or state[i] == NO_WAY:
            continue
        count = nearest_agents(
            place, state, i, cell, first, inside, together, rules.height, rules.neighbors, near, away
        )
        for k in range(count):
            far = np.sqrt(away[k])
            share = (together - far) * (1.0 if state[near[k]] == JUMPING else 0.5)
            if far > 0:
                pushes[i, 0] += (float(place[i, 0]) - float(place[near[k], 0])) / far * share
                pushes[i, 1] += (float(place[i, 2]) - float(place[near[k], 2])) / far * share
            else:
                pushes[i, 0] += share if i < near[k] else -share
        length, most = np.sqrt(pushes[i, 0] ** 2 + pushes[i, 1] ** 2), _PUSH * rules.tick
        if length > most:
            pushes[i, 0], pushes[i, 1] = pushes[i, 0] / length * most, pushes[i, 1] / length * most


@kernel
def part_rows(mesh: QueryMesh, agents: Agents, pushes: F64, begin: int, end: int) -> None:
    """Move agents apart."""
    _go(mesh, agents, pushes[begin:end].copy(), begin, end)


@kernel
def _go(mesh: QueryMesh, agents: Agents, step: F64, begin: int, end: int) -> None:
    """Each agent walks its step as far as the navmesh goes. Recast: dtNavMeshQuery::moveAlongSurface."""
    outline, neighbors, facts, links = mesh.outline, mesh.neighbors, mesh.polygons, mesh.links  # once: it is not free
    triangles, marks, position, place, state = mesh.triangles, mesh.marks, agents.position, agents.place, agents.state
    ways, size, include, exclude = agents.ways, agents.size, agents.include, agents.exclude
    polygons, parents = np.empty(MOST_NODES, np.int32), np.empty(MOST_NODES, np.int32)
    closed, queue = np.empty(MOST_NODES, np.bool_), np.empty(MOST_NODES, np.int32)
    behind, crossed = np.empty(MOST_BEHIND_EDGE, np.int32), np.empty(MOST_NODES, np.int32)
    target, reached = np.empty((1, 3), np.float32), np.empty((end, 3), np.float32)
    for i in range(begin, end):
        dx, dz = step[i - begin, 0], step[i - begin, 1]
        if state[i] == JUMPING or state[i] == NO_WAY or (dx == 0 and dz == 0):
            continue
        target[0, 0], target[0, 1] = np.float32(position[i, 0] + dx), position[i, 1]
        target[0, 2] = np.float32(position[i, 2] + dz)
        best = walk(
            outline, neighbors, facts, links, ways[i, size[i] - 1], 0, position[i : i + 1], target, include[i],
            exclude[i], polygons, parents, closed, queue, behind, reached,
        )  # fmt: skip
        if best < 0:
            continue
        _enter(agents, i, polygons, parents, crossed, best)
        _, ground = closest_point(outline, facts, triangles, marks, polygons[best], row_of(reached, 0))
        position[i, 0], position[i, 1], position[i, 2] = reached[0, 0], ground[1], reached[0, 2]
        place[i] = position[i]


@kernel
def _enter(agents: Agents, i: AnyInt, polygons: I32, parents: I32, crossed: I32, best: AnyInt) -> None:
    """A way begins where its agent is: what lies behind is forgotten, what it strayed into comes before the rest."""
    ways, size = agents.ways, agents.size
    count, node = 0, best
    while parents[node] >= 0:
        crossed[count] = polygons[node]
        count, node = count + 1, parents[node]
    for k in range(count - 1, -1, -1):
        at = _on_way(ways[i], size[i], crossed[k])
        if at >= 0:
            size[i] = at + 1
        elif size[i] < ways.shape[1]:
            ways[i, size[i]] = crossed[k]
            size[i] += 1
            agents.strays[i] += 1
        else:
            ways[i, 0], size[i] = crossed[k], 1
            agents.strays[i] = _STRAYED
    if agents.strays[i] >= _STRAYED:
        agents.lost[i], agents.strays[i] = 1, 0


@kernel
def _on_way(way: I32, size: AnyInt, polygon: AnyInt) -> int:
    """Where on its way a polygon is; -1: it is not among the next ones."""
    for k in range(size - 1, max(size - _LOOKED_THROUGH, 0) - 1, -1):
        if way[k] == polygon:
            return k
    return -1
