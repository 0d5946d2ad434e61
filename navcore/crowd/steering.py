"""What each agent wants to do next, seeing where all others are and how they move."""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from ..navquery.query_mesh import QueryMesh
from ..types import F32, F64, I32, AnyInt
from .agents import LOST, SETTLES, TO_END, Agents, Rules, Walls
from .half_planes import MOST_POLYGONS, MOST_WALLS, beside_agent, beside_walls
from .line_ahead import look_ahead
from .linear_program import best_velocity
from .neighbors import nearest_agents
from .states import ARRIVED, JUMPING, NO_WAY

_NEARLY = 0.1  # metres from its end within which an agent no longer evades to one side
SPARE = 0.05  # of the radius: so much farther apart agents like to be
_KEEP_RIGHT, _UNEVEN = 0.06, 0.04  # of the speed, to the right: what is symmetric does not stay so
_MORE_RIGHT, _MOST_RIGHT = 0.15, 0.6  # likewise, for each agent that comes towards it, and for all of them
_HOMEWARD = 0.4  # of the largest speed: of who has arrived and was pushed away
_OBLIGING = 0.8  # of giving way between two: the part of the one that has arrived
_PATIENCE = 0.5  # seconds that an agent waits before it tries another side, or takes a place near its end
_SIDESTEP = 0.6  # of the speed
_TOUCHING = 1.15  # of both radii
_CROWDED_ENDS = 8.0  # radii between ends that agents share


@kernel
def want_rows(mesh: QueryMesh, agents: Agents, rules: Rules, begin: int, end: int) -> None:
    """What each agent would do if it were alone: along its line, slower before its end. What lies ahead is noted."""
    polygons, links, portals, position, goal = mesh.polygons, mesh.links, mesh.portals, agents.position, agents.goal
    for i in range(begin, end):
        if agents.state[i] == JUMPING or agents.state[i] == NO_WAY:
            continue
        most = _HOMEWARD * rules.most if agents.state[i] == ARRIVED else rules.most
        speed = min(most, agents.speed[i] + rules.acceleration * rules.tick)
        sight = max(speed * rules.tick, most * most / rules.acceleration)
        x, z, length, kind = look_ahead(
            polygons, links, portals, position, goal, agents.ways, agents.size, i, speed * rules.tick, sight
        )
        if kind == TO_END and _braking(length, rules) < speed:
            speed = _braking(length, rules)
            x, z, _, _ = look_ahead(
                polygons, links, portals, position, goal, agents.ways, agents.size, i, speed * rules.tick, sight
            )
        if kind == LOST:
            agents.lost[i] = 1
        agents.speed[i], agents.ahead[i], agents.left[i] = speed, kind, length
        agents.wanted[i, 0] = (x - float(position[i, 0])) / rules.tick
        agents.wanted[i, 1] = (z - float(position[i, 2])) / rules.tick


@kernel
def steer_rows(
    mesh: QueryMesh, agents: Agents, walls: Walls, rules: Rules, cell: float, first: I32, inside: I32, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Choose the velocity of each agent on the ground."""
    facts, links, portals = mesh.polygons, mesh.links, mesh.portals  # once: it is not free
    position, place, velocity, wish, state = agents.position, agents.place, agents.velocity, agents.wish, agents.state
    ways, size, include, exclude, rule = agents.ways, agents.size, agents.include, agents.exclude, agents.rule
    wall_first, wall_ends = walls.first, walls.ends
    near, away = np.empty(rules.neighbors, np.int32), np.empty(rules.neighbors, np.float64)
    planes = np.empty((MOST_WALLS + rules.neighbors, 3), np.float64)
    between, polygons = np.empty_like(planes), np.empty(MOST_POLYGONS, np.int32)
    reach = min(cell, 2 * rules.radius + 2 * rules.most * rules.horizon)
    apart = 2 * (1 + SPARE) * rules.radius
    near_walls = rules.clear + 2 * rules.most * rules.tick
    for i in range(begin, end):
        if state[i] == JUMPING or state[i] == NO_WAY:
            continue
        x, z = agents.wanted[i, 0], agents.wanted[i, 1]
        others = nearest_agents(
            place, state, i, cell, first, inside, reach, rules.height, rules.neighbors, near, away
        )  # fmt: skip
        if others > 0 and state[i] != ARRIVED:
            x, z = _uneven(x, z, i, agents, rules, near, others)
            if _may_settle(agents, rules, i, near, away, others):
                agents.ahead[i] = SETTLES
        rows = beside_walls(
            facts, links, portals, wall_first[rule[i]], wall_ends, position, i, ways[i, size[i] - 1],
            include[i], exclude[i], rules.clear, near_walls, rules.tick, polygons, planes,
        )  # fmt: skip
        count = rows
        for k in range(others):
            j = near[k]
            share = 0.5
            if state[j] == JUMPING:
                share = 1.0
            elif (state[i] == ARRIVED) != (state[j] == ARRIVED):
                share = _OBLIGING if state[i] == ARRIVED else 1.0 - _OBLIGING
            its_x, its_z = (0.0, 0.0) if state[j] == JUMPING else (velocity[j, 0], velocity[j, 1])
            beside_agent(
                planes, count, float(place[j, 0]) - float(place[i, 0]), float(place[j, 2]) - float(place[i, 2]),
                velocity[i, 0], velocity[i, 1], its_x, its_z, apart, rules.horizon, rules.tick, share,
                i < j,
            )  # fmt: skip
            count += 1
        wish[i, 0], wish[i, 1] = best_velocity(planes, between, rows, count, rules.most, x, z)


@inlined
def _braking(length: float, rules: Rules) -> float:
    """The speed from which one still comes to rest within so many metres."""
    return min(np.sqrt(rules.acceleration * length), length / rules.tick)


@kernel
def _uneven(
    x: float, z: float, i: AnyInt, agents: Agents, rules: Rules, near: I32, others: AnyInt
) -> tuple[float, float]:  # fmt: skip
    """A little to the right, each agent a little otherwise, and more so the more others come towards it.

    Who has waited tries one side after the other.
    """
    if agents.ahead[i] == TO_END and agents.left[i] < _NEARLY:
        return x, z
    turn = _KEEP_RIGHT + _UNEVEN * _chance(rules.seed, i, 0)
    against = 0
    for k in range(others):
        j = near[k]
        dx = float(agents.place[j, 0]) - float(agents.place[i, 0])
        dz = float(agents.place[j, 2]) - float(agents.place[i, 2])
        meets = agents.wanted[j, 0] * x + agents.wanted[j, 1] * z
        if dx * x + dz * z > 0 and meets < 0 and agents.state[j] != ARRIVED:
            against += 1
    turn += min(_MOST_RIGHT, _MORE_RIGHT * against)
    tries = int(agents.waited[i] * rules.tick / _PATIENCE)
    if tries > 0:
        turn += _SIDESTEP * (2.0 * _chance(rules.seed, i, tries) - 1.0)
    return x - turn * z, z + turn * x


@kernel
def _chance(seed: AnyInt, agent: AnyInt, number: AnyInt) -> float:
    """From 0 to 1, the same for the same numbers. Steele, Lea and Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014.
    """
    bits = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(agent) * np.uint64(0xD1B54A32D192ED03)
    bits += np.uint64(number) * np.uint64(0x8CB92BA72F3D8DD7) + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return float(bits >> np.uint64(11)) / 9007199254740992.0


@kernel
def _may_settle(agents: Agents, rules: Rules, i: AnyInt, near: I32, away: F64, others: AnyInt) -> bool:
    """Whether an agent that waits touches one that stands, nearer to its end, at an end close to its own."""
    goal, place = agents.goal, agents.place
    if agents.waited[i] * rules.tick < _PATIENCE:
        return False
    touching = _TOUCHING * 2 * rules.radius
    for k in range(others):
        j = near[k]
        if away[k] > touching * touching or agents.state[j] != ARRIVED:
            continue
        apart = _away2(goal, i, goal, j)
        if apart <= (_CROWDED_ENDS * rules.radius) ** 2 and _away2(place, j, goal, i) < _away2(place, i, goal, i):
            return True
    return False


@inlined
def _away2(a: F32, i: AnyInt, b: F32, j: AnyInt) -> float:
    dx, dz = float(a[i, 0]) - float(b[j, 0]), float(a[i, 2]) - float(b[j, 2])
    return dx * dx + dz * dz
