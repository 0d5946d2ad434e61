"""Neighbors: who is near whom, by the cells of a hashed grid."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, inlined, kernel
from ..types import F32, F64, I32, U8, AnyInt
from .agents import Agents
from .states import NO_WAY

_ROUNDING = 1e-6  # metres
_X, _Z = np.int64(73856093), np.int64(19349663)  # Teschner and others, "Optimized spatial hashing", VMV 2003


class NeighborGrid(NamedTuple):
    """Who is heeded, by cell; cells that share a hash share a list. Places are copies, in the order of lists."""

    cell: float  # metres
    first: I32  # (a power of two + 1,) where each list begins
    inside: I32  # (N,) agents
    cells: I32  # (N, 2) column and row
    places: F32  # (N, 3)


class Near(NamedTuple):
    """Room for the agents near one, the nearest first."""

    agents: I32
    away: F64  # square metres, as seen from above


def grid_of(agents: Agents, cell: float) -> NeighborGrid:
    """The grid of where agents are now."""
    count = len(agents.state)
    grid = NeighborGrid(
        cell, np.empty((1 << count.bit_length() + 1) + 1, np.int32), np.empty(count, np.int32),
        np.empty((count, 2), np.int32), np.empty((count, 3), np.float32),
    )  # fmt: skip
    _sort_into_cells(agents.place, agents.state, grid)
    return grid


@kernel
def _sort_into_cells(place: F32, state: U8, grid: NeighborGrid) -> None:
    cell, first, inside, cells, places = grid.cell, grid.first, grid.inside, grid.cells, grid.places
    mask = len(first) - 2
    slots = np.empty(len(place), np.int32)
    first[:] = 0
    for i in range(len(place)):
        slots[i] = -1
        if state[i] != NO_WAY:
            slots[i] = _hash(_cell(place[i, 0], cell), _cell(place[i, 2], cell), mask)
            first[slots[i] + 1] += 1
    for k in range(mask + 1):
        first[k + 1] += first[k]
    for i in range(len(place) - 1, -1, -1):
        if slots[i] < 0:
            continue
        first[slots[i] + 1] -= 1
        at = first[slots[i] + 1]
        inside[at], cells[at, 0], cells[at, 1] = i, _cell(place[i, 0], cell), _cell(place[i, 2], cell)
        for axis in range(3):
            places[at, axis] = place[i, axis]
    # Filling from the back has moved each beginning one slot up.
    total = 0
    for i in range(len(place)):
        total += slots[i] >= 0
    for k in range(mask + 1):
        first[k] = first[k + 1]
    first[mask + 1] = total


@borrowing
def nearest_agents(grid: NeighborGrid, agent: AnyInt, here: F32, reach: float, height: float, near: Near) -> int:
    """Write who is nearer than `reach`, on the same floor: the nearest first. Returns how many.

    Of those that are equally near the one with the smaller number comes first. Ring after ring of cells is looked
    through, until no other can be nearer.
    """
    cell, count = grid.cell, 0
    x, z = float(here[agent, 0]), float(here[agent, 2])
    column, row = _cell(here[agent, 0], cell), _cell(here[agent, 2], cell)
    in_x, in_z = x - column * cell, z - row * cell
    aside = min(min(in_x, cell - in_x), min(in_z, cell - in_z))
    farthest = reach * reach
    for ring in range(int(np.ceil(reach / cell)) + 1):
        nearest = aside + (ring - 1) * cell
        if ring > 0 and nearest > 0 and nearest * nearest > farthest:
            break
        for i in range(column - ring, column + ring + 1):
            across = 1 if ring == 0 or i == column - ring or i == column + ring else 2 * ring
            for j in range(row - ring, row + ring + 1, across):
                count = _look_into(grid, agent, here, (i, j), height, farthest, near, count)
        if count == len(near.agents):
            farthest = min(farthest, near.away[count - 1])
    return count


@borrowing
def _look_into(
    grid: NeighborGrid, agent: AnyInt, here: F32, at: tuple[AnyInt, AnyInt], height: float, farthest: float,
    near: Near, count: AnyInt,
) -> int:  # fmt: skip
    """Keep those of one cell who are nearer than the square root of `farthest`."""
    first, cells, places = grid.first, grid.cells, grid.places
    slot = _hash(at[0], at[1], len(first) - 2)
    x, y, z = float(here[agent, 0]), float(here[agent, 1]), float(here[agent, 2])
    for k in range(first[slot], first[slot + 1]):
        if cells[k, 0] != at[0] or cells[k, 1] != at[1]:
            continue
        dx, dz = float(places[k, 0]) - x, float(places[k, 2]) - z
        far = dx * dx + dz * dz
        if far <= farthest and abs(float(places[k, 1]) - y) < height and grid.inside[k] != agent:
            count = keep_nearest(near, count, grid.inside[k], far)
    return int(count)


@borrowing
def touching_agents(
    grid: NeighborGrid, agents: Agents, agent: AnyInt, widest: float, margin: float, height: float, contacts: Near
) -> tuple[int, float]:
    """Write who may touch an agent: whose gap to it is smaller than `margin`, the smallest first.

    `widest` is the largest radius of all. Returns how many, and the gap up to which all are named: smaller than
    `margin` where there is no room for all.
    """
    cell, first, cells, places, radius = grid.cell, grid.first, grid.cells, grid.places, agents.radius
    x, y, z = float(agents.place[agent, 0]), float(agents.place[agent, 1]), float(agents.place[agent, 2])
    count, full, mask, reach = 0, False, len(first) - 2, radius[agent] + widest + margin + _ROUNDING
    for i in range(_cell(x - reach, cell), _cell(x + reach, cell) + 1):
        for j in range(_cell(z - reach, cell), _cell(z + reach, cell) + 1):
            slot = _hash(i, j, mask)
            for k in range(first[slot], first[slot + 1]):
                if cells[k, 0] != i or cells[k, 1] != j or grid.inside[k] == agent:
                    continue
                dx, dz = float(places[k, 0]) - x, float(places[k, 2]) - z
                within = radius[agent] + radius[grid.inside[k]] + margin
                far = dx * dx + dz * dz
                if far >= within * within or abs(float(places[k, 1]) - y) >= height:
                    continue
                gap = np.sqrt(far) - within + margin
                full |= count == len(contacts.agents)
                count = keep_nearest(contacts, count, grid.inside[k], gap)
    return count, contacts.away[count - 1] if full else margin


@borrowing
def keep_nearest(near: Near, count: AnyInt, other: AnyInt, far: float) -> int:
    """Put one more among so many, the nearest first, as long as there is room; returns how many there are then."""
    agents, away = near.agents, near.away
    if count == len(agents):
        if away[count - 1] < far or (away[count - 1] == far and agents[count - 1] < other):
            return int(count)
        count -= 1
    k = count
    while k > 0 and (away[k - 1] > far or (away[k - 1] == far and agents[k - 1] > other)):
        agents[k], away[k] = agents[k - 1], away[k - 1]
        k -= 1
    agents[k], away[k] = other, far
    return int(count + 1)


@inlined
def _cell(at: float | np.float32, cell: float) -> np.int64:
    return np.int64(np.floor(float(at) / cell))


@inlined
def _hash(i: AnyInt, j: AnyInt, mask: AnyInt) -> AnyInt:
    return (i * _X ^ j * _Z) & mask
