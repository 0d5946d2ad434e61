"""Who rests makes way for who walks: it steps aside, and goes home afterwards."""

from __future__ import annotations

import numpy as np

from ..jit import borrowing
from ..types import I32, AnyInt
from .agents import TO_END, Agents
from .states import walks

_AHEAD = 3.3  # radii: so far before a walker others step aside
_WIDE = 1.12  # of both radii, to each side of its line
_BESIDE = 0.5  # radii before a walker's end, from where on nobody has to step aside
_BRISKLY = 1.6  # of the largest speed
_MOST = 0.8  # likewise
_PULL = 3.0  # how much stronger than home a walker is


@borrowing
def way_made(agents: Agents, i: AnyInt, near: I32, others: AnyInt, home_x: float, home_z: float) -> tuple[float, float]:
    """The wish of who rests: home, and off the lines of those who come."""
    place, wanted = agents.place, agents.wanted
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
        aside_x, aside_z, total = aside_x - e_z * turn, aside_z + e_x * turn, total + part
    if total == 0:
        return home_x, home_z
    left = max(0.0, 1.0 - _PULL * total)
    x = home_x * left + _BRISKLY * agents.top[i] * aside_x
    z = home_z * left + _BRISKLY * agents.top[i] * aside_z
    speed, most = np.sqrt(x * x + z * z), _MOST * agents.top[i]
    return (x, z) if speed <= most else (x / speed * most, z / speed * most)
