"""Movement: where a step has brought each agent, and what that makes it: on its way, waiting, at its end.

And they jump over links: one after the other, so that each has a place to land on.
"""

from __future__ import annotations

import numpy as np

from ..detour.byte_layout import CONNECTION
from ..jit import borrowing, inlined, kernel
from ..navquery.kernels.points import closest_point, portal, put
from ..navquery.query_mesh import QueryMesh
from ..types import F32, I64, AnyInt
from .agents import TO_END, TO_LINK, Agents, CrowdRules
from .contacts import Contacts
from .states import ARRIVED, JUMPING, NEAR, NO_WAY, STUCK, WAITING, WALKING, rests, walks
from .steering import square_apart

_HERE, _NEARLY = 0.03, 0.1  # metres from its end, where an agent has arrived; and where it has that is kept from it
_BRIEFLY = 0.25  # seconds of waiting that mean so
_SLOW = 0.1  # of the largest speed: an agent that comes forward more slowly waits
_WAITS = 0.5  # seconds, after which an agent says so
_GIVES_UP = 10.0  # seconds without coming forward, after which it says that it is stuck
_FORGIVES = 2  # steps of waiting for one of walking
_OWN_END = 2.0  # radii from its end within which an agent has arrived that has taken its place
_LEAVES = 2.0  # radii that one who rests is pushed away from its place before it walks again
_AGAIN = 1.0  # seconds without anybody between it and its end, after which who is near walks again
_FASTEST = 2 * np.pi  # radians a second, of turning
_MOVES = 0.1  # of the largest speed: who is slower looks on
_READY = 0.1  # metres from a link's end at which an agent jumps; who has waited there jumps from its radius away
_NOBODY, _SEVERAL = -1, -2
_ARC, _HIGHEST = 0.25, 1.0  # how high above the straight line: of a jump's length, and metres at most


@kernel
def settle_rows(
    mesh: QueryMesh, agents: Agents, rules: CrowdRules, contacts: Contacts, turn: AnyInt, rows: I64
) -> None:  # fmt: skip
    """What has become of each agent on the ground in a step."""
    outline, records, triangles, marks = mesh.outline, mesh.polygons, mesh.triangles, mesh.marks  # once: it is not free
    position, place, velocity, state = agents.position, agents.place, agents.velocity, agents.state
    places = contacts.places[turn]
    for i in rows:
        if state[i] == JUMPING or state[i] == NO_WAY:
            continue
        x, z = float(places[i, 0]) - float(position[i, 0]), float(places[i, 1]) - float(position[i, 2])
        velocity[i, 0], velocity[i, 1] = x / rules.tick, z / rules.tick
        _turns(agents, i, rules)
        if x != 0 or z != 0:
            there = places[i, 0], position[i, 1], places[i, 1]
            own = agents.paths[i, agents.size[i] - 1]
            height = mesh.boxes[own, 1]
            if height != mesh.boxes[own, 4]:  # else it is level
                _, ground = closest_point(outline, records, triangles, marks, own, there)
                height = ground[1]
            put(position, i, (there[0], height, there[2]))
            put(place, i, (there[0], height, there[2]))
        if rests(state[i]):
            _stays(agents, i, rules)
        else:
            _comes(agents, i, rules)


@borrowing
def _turns(agents: Agents, i: AnyInt, rules: CrowdRules) -> None:
    """An agent looks where it goes, as quickly as one turns."""
    x, z = agents.velocity[i, 0], agents.velocity[i, 1]
    if x * x + z * z > (_MOVES * agents.top[i]) ** 2:
        missing = _in_half_turns(np.arctan2(x, z) - agents.heading[i])
        most = _FASTEST * rules.tick
        agents.heading[i] = _in_half_turns(agents.heading[i] + min(max(missing, -most), most))


@inlined
def _in_half_turns(angle: float) -> float:
    """The same angle, from minus half a turn to half a turn."""
    return angle - 2 * np.pi * np.floor((angle + np.pi) / (2 * np.pi))


@borrowing
def _stays(agents: Agents, i: AnyInt, rules: CrowdRules) -> None:
    """Who rests walks again when it was pushed away, or when there may be room nearer to its end."""
    far = _LEAVES * agents.radius[i]
    if square_apart(agents.position, i, agents.home, i) > far * far:
        agents.state[i] = WALKING
    elif agents.state[i] == NEAR and square_apart(agents.home, i, agents.goal, i) > 0:
        agents.waited[i] = 0 if agents.settles[i] > 0 else agents.waited[i] + 1
        if agents.waited[i] * rules.tick >= _AGAIN:
            agents.state[i], agents.waited[i] = WALKING, 0


@borrowing
def _comes(agents: Agents, i: AnyInt, rules: CrowdRules) -> None:
    """Whether who is on its way has arrived, waits or is stuck."""
    velocity, state, waited, stalled, wanted = (
        agents.velocity, agents.state, agents.waited, agents.stalled, agents.wanted,
    )  # fmt: skip
    within = _NEARLY if waited[i] * rules.tick > _BRIEFLY else _HERE
    there = agents.ahead[i] == TO_END and _is_there(agents.position, agents.goal, i, within, rules.height)
    if there or agents.settles[i] > 0:
        own = _is_there(agents.position, agents.end, i, _OWN_END * agents.radius[i], rules.height)
        state[i], waited[i], stalled[i], agents.came[i] = ARRIVED if own else NEAR, 0, 0, 0.0
        for axis in range(3):
            agents.home[i, axis] = agents.goal[i, axis] if there else agents.position[i, axis]
        return
    hoped = np.sqrt(wanted[i, 0] ** 2 + wanted[i, 1] ** 2)
    gained = (velocity[i, 0] * wanted[i, 0] + velocity[i, 1] * wanted[i, 1]) / hoped if hoped > 0 else 0.0
    waited[i] = waited[i] + 1 if gained < _SLOW * agents.top[i] else max(0, waited[i] - _FORGIVES)
    agents.came[i], stalled[i] = max(0.0, agents.came[i] + gained * rules.tick), stalled[i] + 1
    if agents.came[i] > agents.radius[i]:
        agents.came[i], stalled[i] = 0.0, 0
    if stalled[i] * rules.tick >= _GIVES_UP:
        state[i] = STUCK
    elif waited[i] * rules.tick >= _WAITS:
        state[i] = WAITING
    elif waited[i] * 2 * rules.tick < _WAITS:
        state[i] = WALKING


@borrowing
def _is_there(position: F32, there: F32, i: AnyInt, within: float, height: float) -> bool:
    below = abs(float(position[i, 1]) - float(there[i, 1])) < height
    return square_apart(position, i, there, i) <= within * within and below


# --- jumps


@kernel
def jump_agents(mesh: QueryMesh, agents: Agents, rules: CrowdRules) -> None:
    """A step of all who are in the air; and who stands at a link whose other end is free jumps.

    Two who stand at both ends of a link, each where the other wants to land, jump at the same time.
    """
    for i in range(len(agents.state)):
        if agents.state[i] == JUMPING:
            _fly(agents, i)
        link = _link_before(mesh, agents, i, rules)
        if link < 1:
            continue
        other = _who_is_there(agents, i, rules)
        if other == _NOBODY:
            _take_off(agents, i, link, rules)
        elif other != _SEVERAL:
            back = _link_before(mesh, agents, other, rules)
            if back >= 1 and _who_is_there(agents, other, rules) == i and _land_apart(agents, i, other, rules):
                _take_off(agents, i, link, rules)
                _take_off(agents, other, back, rules)


@borrowing
def _link_before(mesh: QueryMesh, agents: Agents, i: AnyInt, rules: CrowdRules) -> int:
    """The place on its path of the link that an agent stands at, 0 where it stands at none; where it lands is noted."""
    polygons, paths = mesh.polygons, agents.paths
    ready = agents.radius[i] if agents.waited[i] * rules.tick > _BRIEFLY else _READY
    if not (walks(agents.state[i]) and agents.ahead[i] == TO_LINK and agents.left[i] <= max(ready, _READY)):
        return 0
    link = agents.size[i] - 2  # or farther: so near to it there may be a narrow polygon between
    while link > 0 and polygons[paths[i, link]].kind != CONNECTION:
        link -= 1
    if link < 1:
        return 0
    found, landing, _ = portal(polygons, mesh.links, mesh.portals, paths[i, link], paths[i, link - 1])
    if not found:
        agents.lost[i] = 1
        return 0
    put(agents.landing, i, landing)
    return int(link)


@borrowing
def _take_off(agents: Agents, i: AnyInt, link: AnyInt, rules: CrowdRules) -> None:
    agents.size[i], far = link, 0.0
    for axis in range(3):
        agents.takeoff[i, axis] = agents.position[i, axis]
        far += (float(agents.landing[i, axis]) - float(agents.takeoff[i, axis])) ** 2
        agents.place[i, axis] = agents.landing[i, axis]
    agents.airtime[i] = max(1, int(np.ceil(np.sqrt(far) / agents.top[i] / rules.tick)))
    agents.aloft[i], agents.state[i], agents.waited[i] = 0, JUMPING, 0
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
def _who_is_there(agents: Agents, i: AnyInt, rules: CrowdRules) -> int:
    """Who is where an agent would land, or about to land there; who has arrived gives way meanwhile."""
    found = _NOBODY
    for j in range(len(agents.state)):
        stays = agents.state[j] == NO_WAY or rests(agents.state[j])
        apart = agents.radius[i] + agents.radius[j]
        if j != i and not stays and square_apart(agents.landing, i, agents.place, j) < apart * apart:
            if abs(float(agents.landing[i, 1]) - float(agents.place[j, 1])) < rules.height:
                if found != _NOBODY:
                    return _SEVERAL
                found = j
    return found


@borrowing
def _land_apart(agents: Agents, i: AnyInt, j: AnyInt, rules: CrowdRules) -> bool:
    """Whether two would not stand in each other where they land."""
    apart = agents.radius[i] + agents.radius[j]
    above = abs(float(agents.landing[i, 1]) - float(agents.landing[j, 1]))
    return square_apart(agents.landing, i, agents.landing, j) >= apart * apart or above >= rules.height
