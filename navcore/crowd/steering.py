"""Steering: what each agent wants to do next, seeing where all others are and how they move.

The line that lies ahead of it is pulled tight through its polygons (a funnel), as far as it sees, anew in each step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, inlined, kernel
from ..navquery.kernels.move import walk_room
from ..navquery.query_mesh import QueryMesh
from ..types import F32, F64, I32, AnyInt
from .agents import LOST, ONWARD, TO_END, Agents, CrowdRules
from .chances import chance
from .contacts import Contacts, first_aim
from .line_ahead import look_ahead
from .making_way import around_who_rests, off_a_link, way_made
from .neighbor_grid import Near, NeighborGrid, keep_nearest, nearest_agents, touching_agents
from .orca import MAX_POLYGONS, MAX_WALLS, Meeting, WallsByFilter, beside_agent, beside_walls, best_velocity
from .passages import (
    forget_by_and_by,
    into_own_half,
    is_deep_in_a_queue,
    is_narrow,
    keeping_right,
    meets_others,
    yields,
)
from .states import JUMPING, NO_WAY, rests

_SAME = 1e-10  # square metres
_HOMEWARD = 0.4  # of the largest speed: of who has arrived and was pushed away
_HOMING = 2.0  # a second: part of the distance from its place that it goes back
_OBLIGING = 0.8  # of giving way between two: the part of the one that has arrived
_UNHURRIED = 0.3  # of its speed: of who waits deep in a queue
_BRIEFLY = 0.25  # seconds of waiting that mean so
_PATIENCE = 0.5  # seconds that an agent waits before it takes a place near its end
_SHELL = 1.12  # of both radii: so far apart agents like to be
_PAST_RESTING = 1.02  # likewise, where one of two rests: who passes pushes it a little
_PUSH = 0.067  # of the largest speed, that agents come closer than they should where no velocity is left
_SOON = 0.1  # seconds in which those part who are closer than they like
_PATIENT = 0.25  # chance of who has waited that it does not, for as long as its patience
_CALM = 0.036  # seconds in which most of a chosen velocity is taken on
_TOUCHING = 1.15  # of both radii
_SHARED = 2.0  # radii between ends that are taken for the same one
_FAR = 6.6  # radii: so far ahead agents look who comes towards them
_NEAR_CORNER = 0.3  # metres beyond its sight: nearer to a corner an agent looks in each step
_AROUND = 0.1  # seconds from one look who is near to the next
_GLANCES = 4  # steps from one look so far ahead to the next


class _Space(NamedTuple):
    """Room for what an agent looks at when it chooses."""

    near: Near
    planes: F64
    between: F64
    polygons: I32


@kernel
def want_rows(mesh: QueryMesh, agents: Agents, rules: CrowdRules, begin: int, end: int) -> None:
    """What each agent would do if it were alone: along its line, slower before its end. What lies ahead is noted."""
    aim = np.empty(6)
    position, home, state, onward = agents.position, agents.home, agents.state, agents.onward
    for i in range(begin, end):
        if state[i] == JUMPING or state[i] == NO_WAY:
            continue
        top, tick = agents.top[i], rules.tick
        if rests(state[i]):
            x, z = float(home[i, 0]) - float(position[i, 0]), float(home[i, 2]) - float(position[i, 2])
            away = np.sqrt(x * x + z * z)
            speed = min(_HOMEWARD * top, _HOMING * away)
            agents.wanted[i, 0] = x / away * speed if away > 0 else 0.0
            agents.wanted[i, 1] = z / away * speed if away > 0 else 0.0
            onward[i, 0] = onward[i, 1] = 0.0
            continue
        agents.settles[i] = 0
        sight = max(top * tick, top * top / rules.acceleration)
        x, z = float(position[i, 0]), float(position[i, 2])
        dx, dz = agents.corner[i, 0] - x, agents.corner[i, 1] - z
        away = np.sqrt(dx * dx + dz * dz)
        if agents.looked[i] > agents.over[i] and (i + rules.steps) % _GLANCES != 0 and away > sight + _NEAR_CORNER:
            agents.wanted[i, 0], agents.wanted[i, 1] = dx / away * top, dz / away * top
            agents.left[i] = away
        else:
            _look(mesh, agents, i, rules, sight, aim)
        if agents.retreat[i] > 0:
            agents.retreat[i] -= 1
            if agents.retreat[i] > 0 or agents.over[i] == 0:
                onward[i, 0], onward[i, 1] = agents.back[i, 0], agents.back[i, 1]


@borrowing
def _look(mesh: QueryMesh, agents: Agents, i: AnyInt, rules: CrowdRules, sight: float, aim: F64) -> None:
    """Follow an agent's line: where it leads, and how fast the agent may be."""
    x, z = float(agents.position[i, 0]), float(agents.position[i, 2])
    top, tick, glance, onward = agents.top[i], rules.tick, _FAR * agents.radius[i], agents.onward
    speed = top
    length, kind = look_ahead(mesh, agents, i, (speed * tick, glance), max(sight, glance), aim)
    if kind == TO_END and _braking(length, rules) < speed:
        speed = _braking(length, rules)
        look_ahead(mesh, agents, i, (speed * tick, glance), max(sight, glance), aim)
    if kind == LOST:
        agents.lost[i] = 1
    agents.ahead[i], agents.left[i] = kind, length
    agents.corner[i, 0], agents.corner[i, 1], agents.looked[i] = aim[4], aim[5], 1
    agents.wanted[i, 0], agents.wanted[i, 1] = (aim[0] - x) / tick, (aim[1] - z) / tick
    away = np.sqrt((aim[2] - x) ** 2 + (aim[3] - z) ** 2)
    if away > _SAME:
        onward[i, 0], onward[i, 1] = (aim[2] - x) / away, (aim[3] - z) / away
    if (i + rules.steps) % _GLANCES == 0:
        agents.narrow[i] = is_narrow(mesh, agents, i)


@kernel
def steer_rows(
    mesh: QueryMesh, agents: Agents, walls: WallsByFilter, rules: CrowdRules, grid: NeighborGrid, contacts: Contacts,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Choose the velocity of each agent on the ground, and note whom it may touch."""
    velocity, wish, state = agents.velocity, agents.wish, agents.state  # once: it is not free
    planes = np.empty((MAX_WALLS + rules.neighbors, 3), np.float64)
    near = Near(np.empty(rules.neighbors, np.int32), np.empty(rules.neighbors, np.float64))
    space = _Space(near, planes, np.empty_like(planes), np.empty(MAX_POLYGONS, np.int32))
    close = Near(np.empty(contacts.agents.shape[1], np.int32), np.empty(contacts.agents.shape[1], np.float64))
    margin, room = contacts.margin, walk_room()
    for i in range(begin, end):
        contacts.counts[i], contacts.room[i] = 0, np.inf
        forget_by_and_by(agents, rules, i)
        if state[i] == JUMPING or state[i] == NO_WAY:
            first_aim(mesh, agents, rules, contacts, room, i)
            continue
        count, complete = touching_agents(grid, agents, i, rules.widest, margin, rules.height, close)
        for k in range(count):
            contacts.agents[i, k] = close.agents[k]
        contacts.counts[i], contacts.room[i] = count, 0.5 * complete if complete < margin else np.inf
        stops = agents.ahead[i] == TO_END and agents.left[i] <= agents.top[i] ** 2 / rules.acceleration
        held = count > 0 and agents.waited[i] * rules.tick > _BRIEFLY and not is_deep_in_a_queue(agents, rules, i)
        if held or stops or (i + rules.steps) % rules.between == 0:  # who walks freely chooses less often
            _choose(mesh, agents, walls, rules, grid, contacts, i, space)
        calm = 0.0 if stops else _CALM  # it brakes gently by itself, and would run past its end
        wish[i, 0], wish[i, 1] = _gently(velocity, i, agents.chosen[i, 0], agents.chosen[i, 1], calm, rules)
        first_aim(mesh, agents, rules, contacts, room, i)


@borrowing
def _choose(
    mesh: QueryMesh, agents: Agents, walls: WallsByFilter, rules: CrowdRules, grid: NeighborGrid, contacts: Contacts,
    i: AnyInt, space: _Space,
) -> None:  # fmt: skip
    """The velocity that one agent chooses among all others."""
    near, planes = space.near, space.planes
    place, velocity, state = agents.place, agents.velocity, agents.state
    others = _look_around(agents, rules, grid, contacts, i, near)
    x, z = agents.wanted[i, 0], agents.wanted[i, 1]
    push = _PUSH * agents.top[i]
    rows = beside_walls(mesh, agents, walls, rules, i, space.polygons, planes)
    if rests(state[i]):
        x, z = way_made(mesh, agents, i, near.agents, others, (x, z), rows > 0)
        agents.ahead[i], agents.settles[i] = ONWARD, _is_behind(agents, i, near, others)
    else:
        waits = agents.waited[i] * rules.tick >= _PATIENCE
        agents.settles[i] = waits and _is_behind(agents, i, near, others)
        if meets_others(agents, rules, i):
            x, z = into_own_half(mesh, agents, rules, i, near, others, x, z)
        x, z = yields(agents, rules, i, near, others, x, z)
        if agents.retreat[i] <= 0 or agents.over[i] > 0:
            x, z = keeping_right(agents, rules, i, near, others, x, z)
            if waits and is_deep_in_a_queue(agents, rules, i):
                x, z = _UNHURRIED * x, _UNHURRIED * z
            if waits:
                x, z = around_who_rests(mesh, agents, i, near, others, x, z)
            x, z = off_a_link(agents, i, near, others, x, z, rules.height)
        window = int(rules.steps * rules.tick / _PATIENCE)
        if agents.waited[i] * rules.tick > _PATIENCE and chance(rules.seed, i, window) < _PATIENT:
            push = 0.0
    for k in range(others):
        j = near.agents[k]
        share = 0.5
        if state[j] == JUMPING:
            share = 1.0
        elif rests(state[i]) != rests(state[j]):
            share = _OBLIGING if rests(state[i]) else 1.0 - _OBLIGING
        its_x, its_z = (0.0, 0.0) if state[j] == JUMPING else (velocity[j, 0], velocity[j, 1])
        dx, dz = float(place[j, 0]) - float(place[i, 0]), float(place[j, 2]) - float(place[i, 2])
        shell = _PAST_RESTING if rests(state[i]) or rests(state[j]) else _SHELL
        apart = shell * (agents.radius[i] + agents.radius[j])
        met = Meeting(dx, dz, velocity[i, 0], velocity[i, 1], its_x, its_z, apart, share, i < j)
        beside_agent(planes, rows + k, met, rules.horizon, _SOON)
    agents.chosen[i, 0], agents.chosen[i, 1] = best_velocity(
        planes, space.between, rows, rows + others, agents.top[i], (x, z, push)
    )


@borrowing
def _look_around(
    agents: Agents, rules: CrowdRules, grid: NeighborGrid, contacts: Contacts, i: AnyInt, near: Near
) -> int:  # fmt: skip
    """Write who is near an agent, the nearest first; returns how many. For a tenth of a second they are the same ones.

    To look for them took a third of a step.
    """
    known, looked, place = contacts.near, contacts.looked, agents.place
    if looked[i] < 0 or (rules.steps - looked[i]) * rules.tick >= _AROUND - _SAME:
        reach = agents.radius[i] + rules.widest + (agents.top[i] + rules.fastest) * rules.horizon
        count = nearest_agents(grid, i, place, reach, rules.height, near)
        for k in range(count):
            known[i, k] = near.agents[k]
        contacts.near_counts[i], looked[i] = count, rules.steps
        return count
    count = 0
    for k in range(contacts.near_counts[i]):
        j = known[i, k]
        if agents.state[j] != NO_WAY:
            count = keep_nearest(near, count, j, square_apart(place, i, place, j))
    return count


@borrowing
def _gently(velocity: F64, i: AnyInt, x: float, z: float, calm: float, rules: CrowdRules) -> tuple[float, float]:
    """No faster another velocity than agents gain and lose speed; most of it within `calm` seconds."""
    part = 1.0 - np.exp(-rules.tick / calm) if calm > 0 else 1.0
    dx, dz = (x - velocity[i, 0]) * part, (z - velocity[i, 1]) * part
    change, most = np.sqrt(dx * dx + dz * dz), rules.acceleration * rules.tick
    if change > most:
        dx, dz = dx / change * most, dz / change * most
    return velocity[i, 0] + dx, velocity[i, 1] + dz


@inlined
def _braking(length: float, rules: CrowdRules) -> float:
    """The speed from which one still comes to rest within so many metres."""
    return min(np.sqrt(rules.acceleration * length), length / rules.tick)


@borrowing
def _is_behind(agents: Agents, i: AnyInt, near: Near, others: AnyInt) -> bool:
    """Whether an agent touches one that rests, nearer to its end, at an end that both share."""
    end, place = agents.end, agents.place
    for k in range(others):
        j = near.agents[k]
        touching = _TOUCHING * (agents.radius[i] + agents.radius[j])
        if near.away[k] > touching * touching or not rests(agents.state[j]):
            continue
        apart = square_apart(end, i, end, j)
        shared = _SHARED * max(agents.radius[i], agents.radius[j])
        if apart <= shared * shared and square_apart(place, j, end, i) < square_apart(place, i, end, i):
            return True
    return False


@borrowing
def square_apart(a: F32, i: AnyInt, b: F32, j: AnyInt) -> float:
    dx, dz = float(a[i, 0]) - float(b[j, 0]), float(a[i, 2]) - float(b[j, 2])
    return dx * dx + dz * dz
