"""Contacts: agents that come so close that they touch share the ground, and never stand in each other.

Each wants to be somewhere after a step, its aim. Rounds of moving apart make aims that leave room for all; they are
what lets a dense crowd flow. Then agents go there as far as nobody uses more than half of the gap to anybody else:
with that no two can come to stand in each other, whatever they aim at. In each round all read where all were after the
round before: neither order nor threads matter.

The halves of gaps: Zhou, Wang, Bandyopadhyay and Schwager, "Fast, on-line collision avoidance for dynamic vehicles
using buffered Voronoi cells", IEEE Robotics and Automation Letters 2 (2), 2017.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, kernel
from ..navquery.kernels.move import WalkRoom, walk, walk_room
from ..navquery.kernels.points import closest_point
from ..navquery.query_mesh import QueryMesh
from ..types import F32, F64, I32, I64, AnyInt
from .agents import Agents, CrowdRules
from .line_ahead import enter
from .passages import is_deep_in_a_queue, meets_others_in_the_open
from .states import JUMPING, NO_WAY, walks

MOST_CONTACTS = 24
_APART = 0.02  # metres between aims, so that those who walk beside each other do not rub
_BOTH_MOVE = 2.4  # steps of the fastest: farther apart nobody touches within a step
_FIRST = 0.3  # of moving apart: so much more who is behind does, and less who goes first
_SHARED_BY = 0.5  # how much less each contact counts, the more there are
_CALM = 0.02  # seconds in which most of what touching others makes of a velocity is taken on
_CROWDED = 2  # contacts, from which on who is pushed back holds its ground
_HOLDS, _HOLDS_DEEP = 0.25, 0.5  # radii: so far who is pushed back stays where it is; and deep in a queue
_LONG = 8.0  # seconds without coming forward, after which it does not
_PASSES = 4  # over contacts, of what is taken off
_EXACT = 1e-6  # metres
_HERE = 1e-14  # square metres
_FLOOR = np.float32(1.0)  # metres up or down within a step: to another floor


class Contacts(NamedTuple):
    """Who is near each of N agents, whom it may touch within a step, what it aims at and where it is."""

    margin: float  # metres: pairs with smaller gaps may touch
    near: I32  # (N, neighbors) who was near at the last look around
    near_counts: I32  # (N,)
    looked: I32  # (N,) the step of that look; -1: there was none
    agents: I32  # (N, 24) the smallest gap first
    counts: I32  # (N,)
    room: F64  # (N,) metres that it may move at most: less than usual where it has more contacts than are named
    aims: F64  # (2, N, 2) x and z: what is read and what is written, in turns
    places: F32  # (2, N, 2) likewise
    before: F32  # (N, 3) where others see it at the beginning of a step


def contacts_of(agents: Agents, rules: CrowdRules) -> Contacts:
    """Room for steps, until there are others."""
    count = len(agents.state)
    return Contacts(
        _BOTH_MOVE * rules.fastest * rules.tick + _APART, np.empty((count, rules.neighbors), np.int32),
        np.zeros(count, np.int32), np.full(count, -1, np.int32), np.empty((count, MOST_CONTACTS), np.int32),
        np.empty(count, np.int32), np.empty(count), np.empty((2, count, 2)), np.empty((2, count, 2), np.float32),
        np.empty((count, 3), np.float32),
    )  # fmt: skip


@borrowing
def first_aim(
    mesh: QueryMesh, agents: Agents, rules: CrowdRules, contacts: Contacts, room: WalkRoom, i: AnyInt
) -> None:  # fmt: skip
    """Where an agent's wish leads in this step. Who may touch nobody goes there at once."""
    for axis in range(2):
        contacts.places[0, i, axis] = contacts.places[1, i, axis] = agents.position[i, 2 * axis]
        contacts.aims[0, i, axis] = contacts.aims[1, i, axis] = float(agents.place[i, 2 * axis])
    if agents.state[i] == JUMPING or agents.state[i] == NO_WAY:
        return
    x, z = agents.wish[i, 0] * rules.tick, agents.wish[i, 1] * rules.tick
    best, aim_x, aim_z = _on_ground(mesh, agents, room, i, x, z)
    if best >= 0 and _falls_on_another(mesh, agents, rules, contacts, i, room.polygons[best], (aim_x, aim_z)):
        best, aim_x, aim_z = -1, agents.position[i, 0], agents.position[i, 2]
    if contacts.counts[i] == 0 and best >= 0:
        enter(agents, i, room, best)
        contacts.places[0, i, 0], contacts.places[0, i, 1] = aim_x, aim_z
        contacts.places[1, i, 0], contacts.places[1, i, 1] = aim_x, aim_z
    for turn in range(2):
        contacts.aims[turn, i, 0], contacts.aims[turn, i, 1] = float(aim_x), float(aim_z)


@borrowing
def _on_ground(
    mesh: QueryMesh, agents: Agents, room: WalkRoom, i: AnyInt, x: float, z: float
) -> tuple[int, np.float32, np.float32]:  # fmt: skip
    """Where the navmesh lets an agent get to that moves by x and z, and the node of its walk; -1: it stays."""
    here = agents.position[i, 0], agents.position[i, 1], agents.position[i, 2]
    there = np.float32(here[0] + x), here[1], np.float32(here[2] + z)
    best, reached = walk(
        mesh, room, agents.paths[i, agents.size[i] - 1], here, there, agents.include[i], agents.exclude[i]
    )
    if best < 0:
        return best, here[0], here[2]
    return best, reached[0], reached[2]


@borrowing
def _falls_on_another(
    mesh: QueryMesh, agents: Agents, rules: CrowdRules, contacts: Contacts, i: AnyInt, polygon: AnyInt,
    there: tuple[np.float32, np.float32],
) -> bool:  # fmt: skip
    """Whether an agent comes to another floor in a polygon that it enters, and somebody is where it would get to.

    Detour links floors that lie above each other where a steep border of tiles crosses both.
    """
    here, low, high = agents.position[i, 1], mesh.boxes[polygon, 1], mesh.boxes[polygon, 4]
    if polygon == agents.paths[i, agents.size[i] - 1] or (abs(here - low) < _FLOOR and abs(here - high) < _FLOOR):
        return False
    return _falls_on(mesh, agents, rules, contacts.before, i, polygon, there)


@kernel
def _falls_on(
    mesh: QueryMesh, agents: Agents, rules: CrowdRules, before: F32, i: AnyInt, polygon: AnyInt,
    there: tuple[np.float32, np.float32],
) -> bool:  # fmt: skip
    """Likewise, of a polygon that is on another floor, or steep."""
    x, y, z = there[0], agents.position[i, 1], there[1]
    _, ground = closest_point(mesh.outline, mesh.polygons, mesh.triangles, mesh.marks, polygon, (x, y, z))
    if abs(ground[1] - y) < _FLOOR:
        return False
    for j in range(len(agents.state)):
        if j == i or agents.state[j] == NO_WAY or abs(before[j, 1] - ground[1]) >= rules.height:
            continue
        dx, dz = float(before[j, 0]) - float(x), float(before[j, 2]) - float(z)
        apart = agents.radius[i] + agents.radius[j] + _BOTH_MOVE * rules.fastest * rules.tick
        if dx * dx + dz * dz < apart * apart:
            return True
    return False


@kernel
def part_rows(
    mesh: QueryMesh, agents: Agents, rules: CrowdRules, contacts: Contacts, turn: AnyInt, rows: I64
) -> None:  # fmt: skip
    """A round of moving aims apart: both of two by half of what is missing, the less the more touch one."""
    old, new, state, radius = contacts.aims[turn], contacts.aims[1 - turn], agents.state, agents.radius
    room = walk_room()
    for i in rows:
        if contacts.counts[i] == 0:
            continue
        new[i, 0], new[i, 1] = old[i, 0], old[i, 1]
        x = z = 0.0
        touch = 0
        for k in range(contacts.counts[i]):
            j = contacts.agents[i, k]
            dx, dz, apart = old[i, 0] - old[j, 0], old[i, 1] - old[j, 1], radius[i] + radius[j] + _APART
            far2 = dx * dx + dz * dz
            if far2 >= apart * apart:
                continue
            far, touch = np.sqrt(far2), touch + 1
            half = 1.0 if state[j] == JUMPING else 0.5
            if half == 0.5:
                half += _FIRST * precedes(agents, i, j, -dx, -dz)
            share = (apart - far) * half
            if far > 0:
                x, z = x + dx / far * share, z + dz / far * share
            else:
                x += share if i < j else -share
        if touch == 0:
            continue
        part = 1.0 / (1.0 + _SHARED_BY * (touch - 1))
        x = old[i, 0] + x * part - float(agents.position[i, 0])
        z = old[i, 1] + z * part - float(agents.position[i, 2])
        far, most = np.sqrt(x * x + z * z), agents.top[i] * rules.tick
        if far > most:
            x, z = x / far * most, z / far * most
        _, aim_x, aim_z = _on_ground(mesh, agents, room, i, x, z)
        new[i, 0], new[i, 1] = float(aim_x), float(aim_z)


@borrowing
def precedes(agents: Agents, i: AnyInt, j: AnyInt, dx: float, dz: float) -> float:
    """1 where j goes before i, -1 where i goes before j, 0 where neither does."""
    mine = dx * agents.onward[i, 0] + dz * agents.onward[i, 1]
    its = dx * agents.onward[j, 0] + dz * agents.onward[j, 1]
    far = np.sqrt(dx * dx + dz * dz)
    if far > 0 and (mine > 0) == (its > 0):
        return (mine + its) / (2 * far)
    return 0.0


@kernel
def hold_rows(agents: Agents, rules: CrowdRules, contacts: Contacts, aims: AnyInt, rows: I64) -> None:
    """Who is pushed back a little stays, and it is made up for as it goes on: of flows that meet in the open, and of
    those who wait deep in a queue.

    A dense crowd is pushed back and forth all the time. Who is pushed farther yields, and locks nobody. Those in front
    before a door do not hold their ground, nor does who is where it is narrow: they would lock the others.
    """
    aim, pushed, wanted = contacts.aims[aims], agents.pushed, agents.wanted
    for i in rows:
        square = wanted[i, 0] ** 2 + wanted[i, 1] ** 2
        deep = is_deep_in_a_queue(agents, rules, i)
        yields = agents.retreat[i] > 0 or agents.stalled[i] * rules.tick > _LONG or not walks(agents.state[i])
        if not (deep or meets_others_in_the_open(agents, rules, i)):
            yields = True
        if contacts.counts[i] < _CROWDED or square <= 0 or yields:
            pushed[i] = 0.0
            continue
        w_x, w_z = wanted[i, 0] / np.sqrt(square), wanted[i, 1] / np.sqrt(square)
        along = (aim[i, 0] - float(agents.position[i, 0])) * w_x + (aim[i, 1] - float(agents.position[i, 2])) * w_z
        total, most = pushed[i] + along, -(_HOLDS_DEEP if deep else _HOLDS) * agents.radius[i]
        pushed[i] = min(0.0, max(total, most))
        aim[i, 0] += w_x * (total - pushed[i] - along)
        aim[i, 1] += w_z * (total - pushed[i] - along)


@kernel
def go_rows(
    mesh: QueryMesh, agents: Agents, rules: CrowdRules, contacts: Contacts, turn: AnyInt, aims: AnyInt, rows: I64
) -> None:  # fmt: skip
    """A round of going to aims, as far as nobody uses more than half of a gap."""
    old, new, aim = contacts.places[turn], contacts.places[1 - turn], contacts.aims[aims]
    room, gaps = walk_room(), np.empty((contacts.agents.shape[1], 3), np.float64)
    calm = 1.0 - np.exp(-rules.tick / _CALM)
    for i in rows:
        if contacts.counts[i] == 0:  # it has gone already, or does not go at all
            continue
        new[i, 0], new[i, 1] = old[i, 0], old[i, 1]
        a_x, a_z = aim[i, 0] - float(agents.position[i, 0]), aim[i, 1] - float(agents.position[i, 2])
        b_x, b_z = agents.velocity[i, 0] * rules.tick, agents.velocity[i, 1] * rules.tick
        a_x, a_z = b_x + (a_x - b_x) * calm, b_z + (a_z - b_z) * calm
        x = a_x + float(agents.position[i, 0]) - float(old[i, 0])
        z = a_z + float(agents.position[i, 2]) - float(old[i, 1])
        if x * x + z * z < _HERE:
            continue
        count = _gaps(agents, contacts, old, i, gaps)
        x, z = _within_gaps(gaps, count, x, z)
        x, z = _no_farther(agents, old, i, min(agents.top[i] * rules.tick, contacts.room[i]), x, z)
        _walk_to(mesh, agents, rules, contacts, room, gaps, (i, count, x, z), turn)


@borrowing
def _gaps(agents: Agents, contacts: Contacts, places: F32, i: AnyInt, gaps: F64) -> int:
    """Write the direction of each contact, and half of the gap."""
    count = contacts.counts[i]
    for k in range(count):
        j = contacts.agents[i, k]
        jumps = agents.state[j] == JUMPING
        x = float(agents.place[j, 0] if jumps else places[j, 0]) - float(places[i, 0])
        z = float(agents.place[j, 2] if jumps else places[j, 1]) - float(places[i, 1])
        far = np.sqrt(x * x + z * z)
        gaps[k, 0], gaps[k, 1] = (x / far, z / far) if far > 0 else (0.0, 0.0)
        gaps[k, 2] = 0.5 * max(0.0, far - agents.radius[i] - agents.radius[j])
    return int(count)


@borrowing
def _within_gaps(gaps: F64, count: AnyInt, x: float, z: float) -> tuple[float, float]:
    """What is left of a movement: what is too much towards somebody is taken off, then all of it made shorter."""
    for _ in range(_PASSES):
        taken = False
        for k in range(count):
            excess = x * gaps[k, 0] + z * gaps[k, 1] - gaps[k, 2]
            if excess > 0:
                x, z, taken = x - excess * gaps[k, 0], z - excess * gaps[k, 1], True
        if not taken:
            break
    return shorter(gaps, count, x, z)


@borrowing
def shorter(gaps: F64, count: AnyInt, x: float, z: float) -> tuple[float, float]:
    """A movement made so short that nowhere it uses more than half of a gap."""
    part = 1.0
    for k in range(count):
        toward = x * gaps[k, 0] + z * gaps[k, 1]
        if toward > gaps[k, 2]:
            part = min(part, gaps[k, 2] / toward)
    return x * part, z * part


@borrowing
def _no_farther(agents: Agents, places: F32, i: AnyInt, most: float, x: float, z: float) -> tuple[float, float]:
    """A movement made so short that the agent stays so near to where it began the step."""
    b_x, b_z = float(places[i, 0]) - float(agents.position[i, 0]), float(places[i, 1]) - float(agents.position[i, 2])
    if (b_x + x) ** 2 + (b_z + z) ** 2 <= most * most:
        return x, z
    square, along, missing = x * x + z * z, b_x * x + b_z * z, max(0.0, most * most - b_x * b_x - b_z * b_z)
    part = (np.sqrt(along * along + square * missing) - along) / square if square > 0 else 0.0
    part = min(1.0, max(0.0, part))
    return x * part, z * part


@borrowing
def _walk_to(
    mesh: QueryMesh, agents: Agents, rules: CrowdRules, contacts: Contacts, room: WalkRoom, gaps: F64,
    move: tuple[AnyInt, AnyInt, float, float], turn: AnyInt,
) -> None:  # fmt: skip
    """Walk along the ground; where walls turn an agent into another, only as far as there is room, or not at all."""
    i, count, x, z = move
    old, new = contacts.places[turn], contacts.places[1 - turn]
    for _ in range(2):
        here = old[i, 0], agents.position[i, 1], old[i, 1]
        there = np.float32(here[0] + x), here[1], np.float32(here[2] + z)
        best, reached = walk(
            mesh, room, agents.paths[i, agents.size[i] - 1], here, there, agents.include[i], agents.exclude[i]
        )
        if best < 0 or _falls_on_another(
            mesh, agents, rules, contacts, i, room.polygons[best], (reached[0], reached[2])
        ):
            return
        x, z = float(reached[0]) - float(here[0]), float(reached[2]) - float(here[2])
        good = True
        for k in range(count):
            good &= x * gaps[k, 0] + z * gaps[k, 1] <= gaps[k, 2] + _EXACT
        if good:
            enter(agents, i, room, best)
            new[i, 0], new[i, 1] = reached[0], reached[2]
            return
        x, z = shorter(gaps, count, x, z)
