"""Steering: what each agent wants to do next, seeing where all others are and how they move.

The line that lies ahead of it is pulled tight through its polygons (a funnel), as far as it sees, anew in each step.
"""

from __future__ import annotations

import numpy as np

from ..detour.byte_layout import CONNECTION
from ..jit import borrowing, inlined, kernel
from ..navquery.kernels.points import portal, to_segment
from ..navquery.query_mesh import QueryMesh
from ..types import F32, I32, AnyInt
from .agents import LOST, ONWARD, SETTLES, TO_END, TO_LINK, Agents, CrowdRules
from .neighbor_grid import Near, NeighborGrid, nearest_agents
from .orca import MAX_POLYGONS, MAX_WALLS, Meeting, WallsByFilter, beside_agent, beside_walls, best_velocity
from .states import ARRIVED, JUMPING, NO_WAY

_TOUCHES = np.float32(1e-6)  # square metres
_SAME = 1e-10  # square metres
_NEARLY = 0.1  # metres from its end within which an agent no longer evades to one side
SPARE = 0.05  # of the radius: so much farther apart agents like to be
_KEEP_RIGHT, _UNEVEN = 0.06, 0.04  # of the speed, to the right: what is symmetric does not stay so
_MORE_RIGHT, _MAX_RIGHT = 0.15, 0.6  # likewise, for each agent that comes towards it, and for all of them
_HOMEWARD = 0.4  # of the largest speed: of who has arrived and was pushed away
_OBLIGING = 0.8  # of giving way between two: the part of the one that has arrived
_PATIENCE = 0.5  # seconds that an agent waits before it tries another side, or takes a place near its end
_SIDESTEP = 0.6  # of the speed
_TOUCHING = 1.15  # of both radii
_CROWDED_ENDS = 8.0  # radii between ends that agents share


@kernel
def want_rows(mesh: QueryMesh, agents: Agents, rules: CrowdRules, begin: int, end: int) -> None:
    """What each agent would do if it were alone: along its line, slower before its end. What lies ahead is noted."""
    position = agents.position
    for i in range(begin, end):
        if agents.state[i] == JUMPING or agents.state[i] == NO_WAY:
            continue
        fastest = _HOMEWARD * rules.max_speed if agents.state[i] == ARRIVED else rules.max_speed
        speed = min(fastest, agents.speed[i] + rules.acceleration * rules.tick)
        sight = max(speed * rules.tick, fastest * fastest / rules.acceleration)
        x, z, length, kind = _look_ahead(mesh, agents, i, speed * rules.tick, sight)
        if kind == TO_END and _braking(length, rules) < speed:
            speed = _braking(length, rules)
            x, z, _, _ = _look_ahead(mesh, agents, i, speed * rules.tick, sight)
        if kind == LOST:
            agents.lost[i] = 1
        agents.speed[i], agents.ahead[i], agents.left[i] = speed, kind, length
        agents.wanted[i, 0] = (x - float(position[i, 0])) / rules.tick
        agents.wanted[i, 1] = (z - float(position[i, 2])) / rules.tick


@kernel
def steer_rows(
    mesh: QueryMesh, agents: Agents, walls: WallsByFilter, rules: CrowdRules, grid: NeighborGrid, begin: int, end: int
) -> None:
    """Choose the velocity of each agent on the ground."""
    place, velocity, wish, state = agents.place, agents.velocity, agents.wish, agents.state  # once: it is not free
    near = Near(np.empty(rules.neighbors, np.int32), np.empty(rules.neighbors, np.float64))
    planes = np.empty((MAX_WALLS + rules.neighbors, 3), np.float64)
    between, polygons = np.empty_like(planes), np.empty(MAX_POLYGONS, np.int32)
    reach = min(grid.cell, 2 * rules.radius + 2 * rules.max_speed * rules.horizon)
    apart = 2 * (1 + SPARE) * rules.radius
    for i in range(begin, end):
        if state[i] == JUMPING or state[i] == NO_WAY:
            continue
        x, z = agents.wanted[i, 0], agents.wanted[i, 1]
        others = nearest_agents(grid, i, reach, rules.height, near)
        if others > 0 and state[i] != ARRIVED:
            x, z = _uneven(x, z, i, agents, rules, near.agents, others)
            if _may_settle(agents, rules, i, near, others):
                agents.ahead[i] = SETTLES
        rows = beside_walls(mesh, agents, walls, rules, i, polygons, planes)
        for k in range(others):
            j = near.agents[k]
            share = 0.5
            if state[j] == JUMPING:
                share = 1.0
            elif (state[i] == ARRIVED) != (state[j] == ARRIVED):
                share = _OBLIGING if state[i] == ARRIVED else 1.0 - _OBLIGING
            its_x, its_z = (0.0, 0.0) if state[j] == JUMPING else (velocity[j, 0], velocity[j, 1])
            dx, dz = float(place[j, 0]) - float(place[i, 0]), float(place[j, 2]) - float(place[i, 2])
            met = Meeting(dx, dz, velocity[i, 0], velocity[i, 1], its_x, its_z, apart, share, i < j)
            beside_agent(planes, rows + k, met, rules.horizon, rules.tick)
        wish[i, 0], wish[i, 1] = best_velocity(planes, between, rows, rows + others, rules.max_speed, x, z)


@inlined
def _braking(length: float, rules: CrowdRules) -> float:
    """The speed from which one still comes to rest within so many metres."""
    return min(np.sqrt(rules.acceleration * length), length / rules.tick)


@borrowing
def _uneven(
    x: float, z: float, i: AnyInt, agents: Agents, rules: CrowdRules, near: I32, others: AnyInt
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
    turn += min(_MAX_RIGHT, _MORE_RIGHT * against)
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


@borrowing
def _may_settle(agents: Agents, rules: CrowdRules, i: AnyInt, near: Near, others: AnyInt) -> bool:
    """Whether an agent that waits touches one that stands, nearer to its end, at an end close to its own."""
    goal, place = agents.goal, agents.place
    if agents.waited[i] * rules.tick < _PATIENCE:
        return False
    touching = _TOUCHING * 2 * rules.radius
    for k in range(others):
        j = near.agents[k]
        if near.away[k] > touching * touching or agents.state[j] != ARRIVED:
            continue
        apart = square_apart(goal, i, goal, j)
        if apart <= (_CROWDED_ENDS * rules.radius) ** 2 and square_apart(place, j, goal, i) < square_apart(
            place, i, goal, i
        ):
            return True
    return False


@inlined
def square_apart(a: F32, i: AnyInt, b: F32, j: AnyInt) -> float:
    dx, dz = float(a[i, 0]) - float(b[j, 0]), float(a[i, 2]) - float(b[j, 2])
    return dx * dx + dz * dz


# --- the line ahead


@borrowing
def _look_ahead(
    mesh: QueryMesh, agents: Agents, agent: AnyInt, stride: float, sight: float
) -> tuple[float, float, float, int]:
    """The point of the line that is `stride` metres ahead; how long the line is, and what it leads to.

    It is followed for `sight` metres. Where neither its end nor a link comes within these, it leads onward.
    """
    x, z = float(agents.position[agent, 0]), float(agents.position[agent, 2])
    aim_x, aim_z, length, aimed, gate = x, z, 0.0, False, 0
    for _ in range(2 * agents.size[agent] + 2):
        corner_x, corner_z, gate, kind = _next_corner(mesh, agents, agent, x, z, gate)
        if kind == LOST:
            return x, z, 0.0, LOST
        step = np.sqrt((corner_x - x) ** 2 + (corner_z - z) ** 2)
        if not aimed:
            part = 1.0
            if length + step > stride:
                part, aimed = (stride - length) / step, True
            aim_x, aim_z = x + (corner_x - x) * part, z + (corner_z - z) * part
        length += step
        if kind != ONWARD:
            return aim_x, aim_z, length, kind
        if aimed and length >= sight:
            return aim_x, aim_z, length, ONWARD
        x, z = corner_x, corner_z
    return aim_x, aim_z, length, ONWARD


@borrowing
def _next_corner(
    mesh: QueryMesh, agents: Agents, agent: AnyInt, x: float, z: float, first: AnyInt
) -> tuple[float, float, int, int]:
    """Where a line from (x, z), before gate `first`, turns first; the gate behind that, and what it leads to.

    The funnel of Lee and Preparata: a gate that lies outside of it on one side is the line's turn on that side.
    """
    polygons, paths, goal, last = mesh.polygons, agents.paths, agents.goal, agents.size[agent] - 1
    left_x = right_x = x
    left_z = right_z = z
    at_left = at_right = first
    for gate in range(first, last + 1):
        kind = ONWARD
        if gate == last:
            kind = TO_END
            l_x = r_x = float(goal[agent, 0])
            l_z = r_z = float(goal[agent, 2])
        else:
            here, there = paths[agent, last - gate], paths[agent, last - gate - 1]
            found, left, right = portal(polygons, mesh.links, mesh.portals, here, there)
            if not found:
                return x, z, int(gate), LOST
            if polygons[there].kind == CONNECTION:
                kind = TO_LINK
            elif gate == first and to_segment((np.float32(x), left[1], np.float32(z)), left, right)[0] < _TOUCHES:
                continue  # it is being crossed
            l_x, l_z, r_x, r_z = float(left[0]), float(left[2]), float(right[0]), float(right[2])
        if _turn(x, z, right_x, right_z, r_x, r_z) <= 0:
            if _is_same(x, z, right_x, right_z) or _turn(x, z, left_x, left_z, r_x, r_z) > 0:
                right_x, right_z, at_right = r_x, r_z, gate
            else:
                return left_x, left_z, int(at_left + 1), ONWARD
        if _turn(x, z, left_x, left_z, l_x, l_z) >= 0:
            if _is_same(x, z, left_x, left_z) or _turn(x, z, right_x, right_z, l_x, l_z) < 0:
                left_x, left_z, at_left = l_x, l_z, gate
            else:
                return right_x, right_z, int(at_right + 1), ONWARD
        if kind != ONWARD:
            return l_x, l_z, int(gate), kind
    return x, z, int(last), LOST


@kernel
def _turn(ax: float, az: float, bx: float, bz: float, cx: float, cz: float) -> float:
    return (cx - ax) * (bz - az) - (bx - ax) * (cz - az)


@kernel
def _is_same(ax: float, az: float, bx: float, bz: float) -> bool:
    return (bx - ax) * (bx - ax) + (bz - az) * (bz - az) < _SAME
