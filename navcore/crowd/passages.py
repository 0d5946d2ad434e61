"""Who meets others: each flow keeps to its half, the right one, and where two cannot pass each other one goes back.

Who is in the other half goes over while there is room; where one of those who come stands before it, it goes back and
over, and those of its own way that stand behind it in that half go back with it.
"""

from __future__ import annotations

import numpy as np

from ..detour.byte_layout import CONNECTION
from ..jit import borrowing, kernel
from ..navquery.kernels.points import passes
from ..navquery.query_mesh import BORDER, WALL, QueryMesh
from ..types import AnyBool, AnyInt
from .agents import Agents, CrowdRules
from .chances import chance
from .neighbor_grid import Near
from .states import STUCK

_NARROW = 1.3  # of both radii: where there is less room for middles, two do not pass
_PRESSING = 1.3  # of both radii between middles
_HEAD_ON, _ALIKE = -0.7, 0.5  # cosines between directions
_BEHIND = 1.8  # of both radii: so near is who follows
_RANK_IN, _RANK_BY_CHANCE, _RANK_BY_WAITING, _MOST_BY_WAITING = 1.0, 0.5, 0.03, 0.5
_FOLLOWS, _YIELDS = 0.02, 1e-4  # less rank than who is followed, and than for whom one goes back
_FALLS = 0.5  # of rank, a second
_HELD, _HELD_OUTSIDE = 0.3, 0.1  # seconds of waiting before one goes back
_BACK = 1.0  # seconds of going back
_BACKWARDS = 0.7  # of the largest speed
_DEEP, _DEEPEST = 5.0, 50.0  # rows of a queue: so far in one holds its ground, and so many are counted
_RIGHT, _UNEVEN = 0.25, 0.1  # of the speed, to the right of who meets another
_LESS_BEHIND, _RELAXES = 0.1, 0.5  # how much less who follows one keeps right; and anybody who has passed, a second
_CROSSED = 24  # polygons that a look aside crosses at most
_FACING = 0.15  # how much one keeps right, from which on it keeps to its half
_WIDEST = 8.0  # bodies of room for middles: where there is more, flows find room by themselves
_MIDDLE = 0.56  # bodies from the middle that each half ends
_OVER, _MOST_OVER, _STILL = 2.5, 0.8, 0.3  # a second: part of what is missing; of the speed: at most, and onward
_LOOKS = 3  # steps from one look to the sides to the next
_HELD_THERE, _MET = 0.4, 1.4  # seconds of waiting, and bodies to who comes, for who is in the other half
_BACK_AND_OVER, _BACKWARDS_THERE, _SIDEWAYS = 0.7, 0.45, 0.6  # seconds of going back, and parts of the largest speed


@borrowing
def forget_by_and_by(agents: Agents, rules: CrowdRules, i: AnyInt) -> None:
    """Rank and facing fall in each step, also in one in which an agent keeps the velocity that it has chosen."""
    old, new = rules.steps & 1, 1 - (rules.steps & 1)
    agents.rank[i, new] = agents.rank[i, old] - _FALLS * rules.tick
    agents.facing[i, new] = max(0.0, agents.facing[i, old] - _RELAXES * rules.tick)
    agents.queued[i, new] = agents.queued[i, old]


@borrowing
def yields(
    agents: Agents, rules: CrowdRules, i: AnyInt, near: Near, others: AnyInt, x: float, z: float
) -> tuple[float, float]:
    """The wish of who walks: back, where another comes towards it in a passage, or both are stuck, and ranks higher."""
    rank, onward, place = agents.rank, agents.onward, agents.place
    old, new = rules.steps & 1, 1 - (rules.steps & 1)
    waited = agents.waited[i] * rules.tick
    own = _RANK_BY_CHANCE * chance(rules.seed, i, 0) + min(_MOST_BY_WAITING, _RANK_BY_WAITING * waited)
    own += _RANK_IN if agents.narrow[i] else 0.0
    f_x, f_z = onward[i, 0], onward[i, 1]
    before, foe = -1.0, -1
    for k in range(others):
        j = near.agents[k]
        both = agents.radius[i] + agents.radius[j]
        if near.away[k] > (_BEHIND * both) ** 2 or (onward[j, 0] == 0 and onward[j, 1] == 0):
            continue
        dx, dz = float(place[j, 0]) - float(place[i, 0]), float(place[j, 2]) - float(place[i, 2])
        alike, ahead = f_x * onward[j, 0] + f_z * onward[j, 1], dx * f_x + dz * f_z
        if alike > _ALIKE and ahead > 0:
            own = max(own, rank[j, old] - _FOLLOWS)
        elif alike < _HEAD_ON and ahead > 0 and near.away[k] < (_PRESSING * both) ** 2:
            locked = agents.state[i] == STUCK and agents.state[j] == STUCK  # by others who stand to both sides
            if (agents.narrow[i] or agents.narrow[j] or locked) and rank[j, old] > before:
                before, foe = rank[j, old], int(j)
    if agents.retreat[i] > 0:
        own = rank[i, old]
    rank[i, new] = max(own, rank[i, old] - _FALLS * rules.tick)
    held = _HELD if agents.narrow[i] else _HELD_OUTSIDE
    if foe >= 0 and before > rank[i, new] and (waited >= held or agents.retreat[i] > 0):
        agents.retreat[i], agents.over[i] = int(_BACK / rules.tick), 0
        agents.back[i, 0], agents.back[i, 1] = onward[foe, 0], onward[foe, 1]
        rank[i, new] = before - _YIELDS
    if agents.retreat[i] <= 0 or agents.over[i] > 0:
        return x, z
    b_x, b_z = agents.back[i, 0], agents.back[i, 1]
    side = 0.5 if chance(rules.seed, i, 1) < 0.5 else -0.5
    x, z = b_x - side * b_z, b_z + side * b_x
    speed = _BACKWARDS * agents.top[i] / np.sqrt(1.25)
    return x * speed, z * speed


@borrowing
def keeping_right(
    agents: Agents, rules: CrowdRules, i: AnyInt, near: Near, others: AnyInt, x: float, z: float
) -> tuple[float, float]:
    """A wish a little to the right, where another comes towards the agent or those whom it follows: flows part."""
    onward, place, facing, queued = agents.onward, agents.place, agents.facing, agents.queued
    old, new = rules.steps & 1, 1 - (rules.steps & 1)
    f_x, f_z = onward[i, 0], onward[i, 1]
    met, before = 0.0, _DEEPEST
    for k in range(others):
        j = near.agents[k]
        dx, dz = float(place[j, 0]) - float(place[i, 0]), float(place[j, 2]) - float(place[i, 2])
        ahead, side = dx * f_x + dz * f_z, dz * f_x - dx * f_z
        alike = f_x * onward[j, 0] + f_z * onward[j, 1]
        if ahead > abs(side):
            if alike < _HEAD_ON:
                met = 1.0
            elif alike > _ALIKE:
                met = max(met, facing[j, old] - _LESS_BEHIND)
                if near.away[k] < (_BEHIND * (agents.radius[i] + agents.radius[j])) ** 2:
                    before = min(before, queued[j, old])
    facing[i, new] = max(met, facing[i, old] - _RELAXES * rules.tick)
    queued[i, new] = before + 1.0 if before < _DEEPEST else 0.0
    if facing[i, new] <= _FACING:
        agents.sides[i, 0], agents.over[i] = -1.0, 0
    turn = (_RIGHT + _UNEVEN * chance(rules.seed, i, 2)) * facing[i, new]
    return x - turn * z, z + turn * x


@borrowing
def meets_others(agents: Agents, rules: CrowdRules, i: AnyInt) -> AnyBool:
    """Whether others come towards an agent, or towards those whom it follows; it may go back for them."""
    return (agents.facing[i, rules.steps & 1] > _FACING) & ((agents.retreat[i] <= 0) | (agents.over[i] > 0))


@borrowing
def meets_others_in_the_open(agents: Agents, rules: CrowdRules, i: AnyInt) -> AnyBool:
    """Likewise, where there is so much room that flows find it by themselves."""
    room = agents.sides[i, 0] + agents.sides[i, 1]
    return meets_others(agents, rules, i) & (agents.sides[i, 0] >= 0) & (room >= _WIDEST * 2 * rules.widest)


@borrowing
def is_deep_in_a_queue(agents: Agents, rules: CrowdRules, i: AnyInt) -> AnyBool:
    """Whether so many stand before an agent, one behind the other, that it is not for it to let somebody through."""
    return agents.queued[i, rules.steps & 1] >= _DEEP


@borrowing
def into_own_half(
    mesh: QueryMesh, agents: Agents, rules: CrowdRules, i: AnyInt, near: Near, others: AnyInt, x: float, z: float
) -> tuple[float, float]:  # fmt: skip
    """The wish of who meets others between walls: over into the right half, and back where one of them stands there."""
    facing, body, sides = agents.facing[i, rules.steps & 1], 2 * rules.widest, agents.sides
    goes_back = agents.over[i] > 0 and agents.retreat[i] > 0
    f_x, f_z = agents.onward[i, 0], agents.onward[i, 1]
    if goes_back:
        f_x, f_z = -f_x, -f_z
    if sides[i, 0] < 0 or (i + rules.steps) % _LOOKS == 0:
        p_x, p_z = float(agents.position[i, 0]), float(agents.position[i, 2])
        sides[i, 0] = room_along(mesh, agents, i, (p_x, p_z, -f_z, f_x), _WIDEST * body)
        sides[i, 1] = room_along(mesh, agents, i, (p_x, p_z, f_z, -f_x), _WIDEST * body)
    room, right = sides[i, 0] + sides[i, 1], sides[i, 0]
    wrong = 2 * right > room and _NARROW * body <= room < _WIDEST * body
    if wrong and (goes_back or agents.waited[i] * rules.tick >= _HELD_THERE):
        if _is_met(agents, i, near, others, f_x, f_z, (_MET * body) ** 2):
            agents.retreat[i], agents.over[i], goes_back = int(_BACK_AND_OVER / rules.tick), 1, True
            agents.back[i, 0], agents.back[i, 1] = -f_x, -f_z
    if goes_back and wrong:
        x = agents.top[i] * (-_BACKWARDS_THERE * f_x - _SIDEWAYS * f_z)
        return x, agents.top[i] * (-_BACKWARDS_THERE * f_z + _SIDEWAYS * f_x)
    agents.over[i], agents.retreat[i] = 1 if goes_back else 0, 0  # who went back looks where its way leads first
    if room >= _WIDEST * body or room < _NARROW * body:
        return x, z
    lack, speed = right - max(room / 2 - _MIDDLE * body, 0.0), np.sqrt(x * x + z * z)
    if lack <= 0 or speed <= 0:
        return x, z
    over = min(_MOST_OVER * agents.top[i], _OVER * lack) * min(facing, 1.0)
    part = np.sqrt(max(speed * speed - over * over, (_STILL * speed) ** 2)) / speed
    return x * part - f_z * over, z * part + f_x * over


@borrowing
def _is_met(
    agents: Agents, i: AnyInt, near: Near, others: AnyInt, f_x: float, f_z: float, square: float
) -> bool:  # fmt: skip
    """Whether one who comes towards an agent stands before it."""
    for k in range(others):
        j = near.agents[k]
        if near.away[k] >= square:
            break
        dx = float(agents.place[j, 0]) - float(agents.place[i, 0])
        dz = float(agents.place[j, 2]) - float(agents.place[i, 2])
        if dx * f_x + dz * f_z > 0 and agents.onward[j, 0] * f_x + agents.onward[j, 1] * f_z < _HEAD_ON:
            return True
    return False


@borrowing
def is_narrow(mesh: QueryMesh, agents: Agents, i: AnyInt) -> bool:
    """Whether the navmesh leaves too little room to both sides of an agent's line for another who comes."""
    x, z = float(agents.position[i, 0]), float(agents.position[i, 2])
    f_x, f_z, need = agents.wanted[i, 0], agents.wanted[i, 1], _NARROW * 2 * agents.radius[i]
    speed = np.sqrt(f_x * f_x + f_z * f_z)
    if speed <= 0:
        return bool(agents.narrow[i])
    f_x, f_z = f_x / speed, f_z / speed
    left = room_along(mesh, agents, i, (x, z, -f_z, f_x), need)
    return left < need and left + room_along(mesh, agents, i, (x, z, f_z, -f_x), need) < need


@kernel
def room_along(
    mesh: QueryMesh, agents: Agents, i: AnyInt, line: tuple[float, float, float, float], most: float
) -> float:  # fmt: skip
    """How far the navmesh goes on along a line from an agent, at most so far."""
    outline, facts, links, portals = mesh.outline, mesh.polygons, mesh.links, mesh.portals
    x, z, d_x, d_z = line
    polygon, include, exclude = agents.paths[i, agents.size[i] - 1], agents.include[i], agents.exclude[i]
    reached = 0.0
    for _ in range(_CROSSED):
        leaves, edge, count = most, -1, facts[polygon].corners
        for a in range(count):
            b = a + 1 if a + 1 < count else 0
            a_x, a_z = float(outline[polygon, a, 0]), float(outline[polygon, a, 2])
            e_x, e_z = float(outline[polygon, b, 0]) - a_x, float(outline[polygon, b, 2]) - a_z
            steep = d_x * e_z - d_z * e_x
            if steep >= 0:
                continue  # the line does not leave over this edge
            far = ((a_x - x) * e_z - (a_z - z) * e_x) / steep
            if far < leaves:
                leaves, edge = max(far, reached), a
        reached = leaves
        if edge < 0:
            return reached
        across = mesh.neighbors[polygon, edge]
        if across == WALL:
            return reached
        following = -1
        if across != BORDER:
            following = int(across) if passes(facts, across, include, exclude) else -1
        else:
            p_x, p_z = x + d_x * reached, z + d_z * reached
            for link in range(facts[polygon].first_link, facts[polygon].end_link):
                target = links[link].target
                if links[link].edge != edge or facts[target].kind == CONNECTION:
                    continue
                l_x, l_z = float(portals[link, 0, 0]), float(portals[link, 0, 2])
                r_x, r_z = float(portals[link, 1, 0]), float(portals[link, 1, 2])
                inside = (p_x - l_x) * (p_x - r_x) + (p_z - l_z) * (p_z - r_z) <= 1e-6
                if inside and passes(facts, target, include, exclude):
                    following = int(target)
        if following < 0:
            return reached
        polygon = following
    return reached
