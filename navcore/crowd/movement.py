"""Movement: agents go where they want, no farther than the navmesh does, polygon by polygon, along walls.

And they jump over links: one after the other, so that each has a place to land on.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from ..navquery.kernels.move import walk, walk_room
from ..navquery.kernels.points import closest_point, portal, put, row_of
from ..navquery.query_mesh import QueryMesh
from ..types import F64, I32, AnyInt
from .agents import SETTLES, TO_END, TO_LINK, Agents, CrowdRules
from .neighbor_grid import Near, NeighborGrid, nearest_agents
from .states import ARRIVED, JUMPING, NO_WAY, STUCK, WALKING
from .steering import square_apart

_HERE, _NEARLY = 0.03, 0.1  # metres from its end, where an agent has arrived; and where it has that is kept from it
_BRIEFLY = 0.25  # seconds of waiting that mean so
_SLOW = 0.1  # of the largest speed: an agent that comes forward more slowly waits
_GIVES_UP = 5.0  # seconds of waiting, after which an agent says so and looks for another path
_FORGIVES = 2  # steps of waiting for one of walking
_STRAYED = 8  # polygons off its path, after which an agent looks for a new one
_LOOKED_THROUGH = 32  # polygons of its path among which an agent looks for the one it is in
_APART = 0.005  # metres between agents that stand in each other, once they have been moved apart
_PUSH = 1.0  # metres a second, at most
_READY = 0.1  # metres from a link's end at which an agent jumps
_ARC, _HIGHEST = 0.25, 1.0  # how high above the straight line: of a jump's length, and metres at most


@kernel
def walk_rows(mesh: QueryMesh, agents: Agents, rules: CrowdRules, begin: int, end: int) -> None:
    """One step of each agent on the ground, with the velocity that it has chosen."""
    velocity, state, waited = agents.velocity, agents.state, agents.waited
    step, slow = np.empty((end - begin, 2), np.float64), _SLOW * rules.max_speed
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
            agents.goal[i], agents.paths[i, 0] = agents.position[i], agents.paths[i, agents.size[i] - 1]
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
def push_rows(agents: Agents, rules: CrowdRules, grid: NeighborGrid, begin: int, end: int, pushes: F64) -> None:
    """How far each agent has to move so that nobody stands in another; both of two move halfway.

    The grid may be that of the step before: agents have moved by little, and a cell is wide.
    """
    found = Near(np.empty(rules.neighbors, np.int32), np.empty(rules.neighbors, np.float64))
    near, away = found.agents, found.away
    place, state, together = agents.place, agents.state, 2 * rules.radius + _APART
    for i in range(begin, end):
        pushes[i, 0] = pushes[i, 1] = 0.0
        if state[i] == JUMPING or state[i] == NO_WAY:
            continue
        count = nearest_agents(grid, i, together, rules.height, found)
        for k in range(count):
            far = np.sqrt(away[k])
            share = (together - far) * (1.0 if state[near[k]] == JUMPING else 0.5)
            if far > 0:
                pushes[i, 0] += (float(place[i, 0]) - float(place[near[k], 0])) / far * share
                pushes[i, 1] += (float(place[i, 2]) - float(place[near[k], 2])) / far * share
            else:
                pushes[i, 0] += share if i < near[k] else -share
        length, farthest = np.sqrt(pushes[i, 0] ** 2 + pushes[i, 1] ** 2), _PUSH * rules.tick
        if length > farthest:
            pushes[i, 0], pushes[i, 1] = pushes[i, 0] / length * farthest, pushes[i, 1] / length * farthest


@kernel
def part_rows(mesh: QueryMesh, agents: Agents, pushes: F64, begin: int, end: int) -> None:
    """Move agents apart."""
    _go(mesh, agents, pushes[begin:end].copy(), begin, end)


@kernel
def _go(mesh: QueryMesh, agents: Agents, step: F64, begin: int, end: int) -> None:
    """Each agent walks its step as far as the navmesh goes. Recast: dtNavMeshQuery::moveAlongSurface."""
    outline, records, triangles, marks = mesh.outline, mesh.polygons, mesh.triangles, mesh.marks  # once: it is not free
    position, place, state, paths, size = agents.position, agents.place, agents.state, agents.paths, agents.size
    include, exclude = agents.include, agents.exclude
    room = walk_room()
    polygons, parents = room.polygons, room.parents
    crossed = np.empty(len(polygons), np.int32)
    for i in range(begin, end):
        dx, dz = step[i - begin, 0], step[i - begin, 1]
        if state[i] == JUMPING or state[i] == NO_WAY or (dx == 0 and dz == 0):
            continue
        here = row_of(position, i)
        target = np.float32(here[0] + dx), here[1], np.float32(here[2] + dz)
        best, reached = walk(mesh, room, paths[i, size[i] - 1], here, target, include[i], exclude[i])
        if best < 0:
            continue
        _enter(agents, i, polygons, parents, crossed, best)
        _, ground = closest_point(outline, records, triangles, marks, polygons[best], reached)
        position[i, 0], position[i, 1], position[i, 2] = reached[0], ground[1], reached[2]
        place[i] = position[i]


@kernel
def _enter(agents: Agents, i: AnyInt, polygons: I32, parents: I32, crossed: I32, best: AnyInt) -> None:
    """A path begins where its agent is: what lies behind is forgotten, what it strayed into comes before the rest."""
    paths, size = agents.paths, agents.size
    count, node = 0, best
    while parents[node] >= 0:
        crossed[count] = polygons[node]
        count, node = count + 1, parents[node]
    for k in range(count - 1, -1, -1):
        at = _on_path(paths[i], size[i], crossed[k])
        if at >= 0:
            size[i] = at + 1
        elif size[i] < paths.shape[1]:
            paths[i, size[i]] = crossed[k]
            size[i] += 1
            agents.strays[i] += 1
        else:
            paths[i, 0], size[i] = crossed[k], 1
            agents.strays[i] = _STRAYED
    if agents.strays[i] >= _STRAYED:
        agents.lost[i], agents.strays[i] = 1, 0


@kernel
def _on_path(path: I32, size: AnyInt, polygon: AnyInt) -> int:
    """Where on its path a polygon is; -1: it is not among the next ones."""
    for k in range(size - 1, max(size - _LOOKED_THROUGH, 0) - 1, -1):
        if path[k] == polygon:
            return k
    return -1


# --- jumps


@kernel
def jump_agents(mesh: QueryMesh, agents: Agents, rules: CrowdRules) -> None:
    """A step of all who are in the air; and who stands at a link whose other end is free jumps."""
    polygons, links, portals = mesh.polygons, mesh.links, mesh.portals
    paths, size, state = agents.paths, agents.size, agents.state
    for i in range(len(state)):
        if state[i] == JUMPING:
            _fly(agents, i)
        waits = (state[i] == WALKING or state[i] == STUCK) and agents.ahead[i] == TO_LINK and agents.left[i] <= _READY
        if not waits or size[i] < 3:
            continue
        found, landing, _ = portal(polygons, links, portals, paths[i, size[i] - 2], paths[i, size[i] - 3])
        if not found:
            agents.lost[i] = 1
            continue
        put(agents.landing, i, landing)
        if _is_free(agents, i, rules):
            _take_off(agents, i, rules)


@inlined
def _take_off(agents: Agents, i: AnyInt, rules: CrowdRules) -> None:
    far = 0.0
    for axis in range(3):
        agents.takeoff[i, axis] = agents.position[i, axis]
        far += (float(agents.landing[i, axis]) - float(agents.takeoff[i, axis])) ** 2
        agents.place[i, axis] = agents.landing[i, axis]
    agents.airtime[i] = max(1, int(np.ceil(np.sqrt(far) / rules.max_speed / rules.tick)))
    agents.aloft[i], agents.state[i], agents.waited[i] = 0, JUMPING, 0
    agents.size[i] -= 2
    for axis in range(2):
        agents.velocity[i, axis] = (
            float(agents.landing[i, 2 * axis]) - float(agents.takeoff[i, 2 * axis])
        ) / (agents.airtime[i] * rules.tick)  # fmt: skip


@kernel
def _fly(agents: Agents, i: AnyInt) -> None:
    """Along an arc, each step as long as the others."""
    agents.aloft[i] += 1
    part = agents.aloft[i] / agents.airtime[i]
    far = 0.0
    for axis in range(3):
        start, end = float(agents.takeoff[i, axis]), float(agents.landing[i, axis])
        far += (end - start) ** 2
        agents.position[i, axis] = np.float32(start + (end - start) * part)
    height = min(_HIGHEST, _ARC * np.sqrt(far))
    agents.position[i, 1] = np.float32(float(agents.position[i, 1]) + 4.0 * height * part * (1.0 - part))
    if agents.aloft[i] >= agents.airtime[i]:
        for axis in range(3):
            agents.position[i, axis] = agents.landing[i, axis]
        agents.state[i], agents.ahead[i] = WALKING, 0


@kernel
def _is_free(agents: Agents, i: AnyInt, rules: CrowdRules) -> bool:
    """Whether nobody is where an agent would land, or about to land there; who has arrived gives way meanwhile."""
    for j in range(len(agents.state)):
        stays = agents.state[j] == NO_WAY or agents.state[j] == ARRIVED
        if j != i and not stays and square_apart(agents.landing, i, agents.place, j) < 4 * rules.radius**2:
            if abs(float(agents.landing[i, 1]) - float(agents.place[j, 1])) < rules.height:
                return False
    return True
