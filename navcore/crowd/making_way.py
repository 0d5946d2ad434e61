"""Who rests makes way for who walks: it steps aside, and goes home afterwards."""

from __future__ import annotations

import numpy as np

from ..jit import borrowing
from ..navquery.query_mesh import QueryMesh
from ..types import I32, AnyBool, AnyInt
from .agents import TO_END, TO_LINK, Agents
from .neighbor_grid import Near
from .passages import room_along
from .states import JUMPING, rests, walks

_AHEAD = 3.3  # radii: so far before a walker others step aside
_WIDE = 1.12  # of both radii, to each side of its line
_BESIDE = 0.5  # radii before a walker's end, from where on nobody has to step aside
_BRISKLY = 1.6  # of the largest speed
_MOST = 0.8  # likewise
_PULL = 3.0  # how much stronger than home a walker is
_TOUCHING = 1.1  # of both radii
_ROOM = 1.05  # of both radii: so far from a link's end others stay while one is nearer to it
_STRAIGHT = 0.01  # metres that a line to there is longer than the straight one
_OFF = 0.5  # of the largest speed: of who is nearer than that
_PAST, _ONWARD = 0.95, 0.3  # of the speed: aside, and on, of who walks around another


@borrowing
def way_made(
    mesh: QueryMesh, agents: Agents, i: AnyInt, near: I32, others: AnyInt, home: tuple[float, float], at_wall: AnyBool
) -> tuple[float, float]:  # fmt: skip
    """The wish of who rests: home, and off the lines of those who come, to the side that has room."""
    place, wanted = agents.place, agents.wanted
    home_x, home_z = home
    aside_x = aside_z = total = 0.0
    for k in range(others):
        j = near[k]
        e_x, e_z = wanted[j, 0], wanted[j, 1]
        speed = np.sqrt(e_x * e_x + e_z * e_z)
        if not walks(agents.state[j]) or speed <= 0:
            continue
        e_x, e_z = e_x / speed, e_z / speed
        dx, dz = float(place[i, 0]) - float(place[j, 0]), float(place[i, 2]) - float(place[j, 2])
        ahead, side = dx * e_x + dz * e_z, dz * e_x - dx * e_z
        far, wide = _AHEAD * agents.radius[i], _WIDE * (agents.radius[i] + agents.radius[j])
        if ahead <= 0 or ahead >= far or abs(side) >= wide:
            continue
        if agents.ahead[j] == TO_END and ahead > agents.left[j] - _BESIDE * agents.radius[i]:
            continue  # it comes no farther
        part = (1.0 - abs(side) / wide) * (1.0 - ahead / far)
        turn = part if side > 0 or (side == 0 and i > j) else -part
        if at_wall:
            turn = _with_room(mesh, agents, i, (e_x, e_z, turn), wide - abs(side), wide + abs(side))
        aside_x, aside_z, total = aside_x - e_z * turn, aside_z + e_x * turn, total + part
    if total == 0:
        return home_x, home_z
    left = max(0.0, 1.0 - _PULL * total)
    x = home_x * left + _BRISKLY * agents.top[i] * aside_x
    z = home_z * left + _BRISKLY * agents.top[i] * aside_z
    speed, most = np.sqrt(x * x + z * z), _MOST * agents.top[i]
    return (x, z) if speed <= most else (x / speed * most, z / speed * most)


@borrowing
def around_who_rests(
    mesh: QueryMesh, agents: Agents, i: AnyInt, near: Near, others: AnyInt, x: float, z: float
) -> tuple[float, float]:  # fmt: skip
    """The wish of who walks and is held up by one that rests: past it, on the side that is nearer and has room."""
    speed = np.sqrt(x * x + z * z)
    if speed <= 0:
        return x, z
    e_x, e_z = x / speed, z / speed
    for k in range(others):
        j = near.agents[k]
        both = agents.radius[i] + agents.radius[j]
        if near.away[k] > (_TOUCHING * both) ** 2:
            break
        dx = float(agents.place[i, 0]) - float(agents.place[j, 0])
        dz = float(agents.place[i, 2]) - float(agents.place[j, 2])
        before, side = -(dx * e_x + dz * e_z), dz * e_x - dx * e_z
        if not rests(agents.state[j]) or before <= 0 or abs(side) >= both:
            continue
        turn = 1.0 if side > 0 or (side == 0 and i > j) else -1.0
        turn = _with_room(mesh, agents, i, (e_x, e_z, turn), both - abs(side), both + abs(side))
        return (_ONWARD * e_x - _PAST * e_z * turn) * speed, (_ONWARD * e_z + _PAST * e_x * turn) * speed
    return x, z


@borrowing
def off_a_link(
    agents: Agents, i: AnyInt, near: Near, others: AnyInt, x: float, z: float, height: float
) -> tuple[float, float]:  # fmt: skip
    """The wish of who comes to a link at whose end another is: it leaves room there to land in, and to set out."""
    dx = agents.corner[i, 0] - float(agents.place[i, 0])
    dz = agents.corner[i, 1] - float(agents.place[i, 2])
    away = np.sqrt(dx * dx + dz * dz)
    if agents.ahead[i] != TO_LINK or away <= 0 or agents.left[i] > away + _STRAIGHT:
        return x, z
    for k in range(others):
        j = near.agents[k]
        room = _ROOM * (agents.radius[i] + agents.radius[j])
        if away >= room + agents.radius[i] or not (agents.state[j] == JUMPING or _goes_there(agents, j, i)):
            continue
        its_x = agents.corner[i, 0] - float(agents.place[j, 0])
        its_z = agents.corner[i, 1] - float(agents.place[j, 2])
        its = np.sqrt(its_x * its_x + its_z * its_z)
        if its < room and (its, j) < (away, i) and abs(float(agents.place[i, 1]) - float(agents.place[j, 1])) < height:
            back = _OFF * agents.top[i] / away if away < room else 0.0
            return -dx * back, -dz * back
    return x, z


@borrowing
def _goes_there(agents: Agents, j: AnyInt, i: AnyInt) -> bool:
    """Whether an agent comes to the same link as another."""
    apart = abs(agents.corner[j, 0] - agents.corner[i, 0]) + abs(agents.corner[j, 1] - agents.corner[i, 1])
    return bool(walks(agents.state[j]) and agents.ahead[j] == TO_LINK and apart < _STRAIGHT)


@borrowing
def _with_room(
    mesh: QueryMesh, agents: Agents, i: AnyInt, way: tuple[float, float, float], near: float, far: float
) -> float:  # fmt: skip
    """A turn off a way, or the opposite one where only that side has room: `near` metres of it, `far` on the other."""
    e_x, e_z, turn = way
    x, z, sign = float(agents.position[i, 0]), float(agents.position[i, 2]), 1.0 if turn > 0 else -1.0
    if room_along(mesh, agents, i, (x, z, -e_z * sign, e_x * sign), near) >= near:
        return turn
    return -turn if room_along(mesh, agents, i, (x, z, e_z * sign, -e_x * sign), far) >= far else turn
