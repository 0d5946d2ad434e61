"""Agents that jump over links: one after the other, so that each has a place to land on."""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from ..navquery.kernels.points import portal, put
from ..navquery.query_mesh import QueryMesh
from ..types import F32, AnyInt
from .agents import TO_LINK, Agents, Rules
from .states import ARRIVED, JUMPING, NO_WAY, STUCK, WALKING

_READY = 0.1  # metres from a link's end at which an agent jumps
_ARC, _HIGHEST = 0.25, 1.0  # how high above the straight line: of a jump's length, and metres at most


@kernel
def jump_agents(mesh: QueryMesh, agents: Agents, rules: Rules) -> None:
    """A step of all who are in the air; and who stands at a link whose other end is free jumps."""
    polygons, links, portals = mesh.polygons, mesh.links, mesh.portals
    ways, size, state = agents.ways, agents.size, agents.state
    for i in range(len(state)):
        if state[i] == JUMPING:
            _fly(agents, i)
        waits = (state[i] == WALKING or state[i] == STUCK) and agents.ahead[i] == TO_LINK and agents.left[i] <= _READY
        if not waits or size[i] < 3:
            continue
        found, landing, _ = portal(polygons, links, portals, ways[i, size[i] - 2], ways[i, size[i] - 3])
        if not found:
            agents.lost[i] = 1
            continue
        put(agents.landing, i, landing)
        if _is_free(agents, i, rules):
            _take_off(agents, i, rules)


@inlined
def _take_off(agents: Agents, i: AnyInt, rules: Rules) -> None:
    far = 0.0
    for axis in range(3):
        agents.takeoff[i, axis] = agents.position[i, axis]
        far += (float(agents.landing[i, axis]) - float(agents.takeoff[i, axis])) ** 2
        agents.place[i, axis] = agents.landing[i, axis]
    agents.airtime[i] = max(1, int(np.ceil(np.sqrt(far) / rules.most / rules.tick)))
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
def _is_free(agents: Agents, i: AnyInt, rules: Rules) -> bool:
    """Whether nobody is where an agent would land, or about to land there; who has arrived gives way meanwhile."""
    for j in range(len(agents.state)):
        stays = agents.state[j] == NO_WAY or agents.state[j] == ARRIVED
        if j != i and not stays and _away2(agents.landing, i, agents.place, j) < 4 * rules.radius**2:
            if abs(float(agents.landing[i, 1]) - float(agents.place[j, 1])) < rules.height:
                return False
    return True


@inlined
def _away2(a: F32, i: AnyInt, b: F32, j: AnyInt) -> float:
    dx, dz = float(a[i, 0]) - float(b[j, 0]), float(a[i, 2]) - float(b[j, 2])
    return dx * dx + dz * dz
