"""Neighbors: who is near whom, by the cells of a hashed grid."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, inlined, kernel
from ..types import F32, F64, I32, U8, AnyInt
from .agents import Agents
from .states import NO_WAY

_X, _Z = np.int64(73856093), np.int64(19349663)  # Teschner and others, "Optimized spatial hashing", VMV 2003


class NeighborGrid(NamedTuple):
    """Agents by cell, and in a cell by number; cells that share a hash share a list."""

    place: F32  # (N, 3)
    state: U8  # (N,)
    cell: float  # metres
    first: I32  # (a power of two + 1,) where each list begins
    inside: I32  # (N,)


class Near(NamedTuple):
    """Room for the agents near one, the nearest first."""

    agents: I32
    away: F64  # square metres, as seen from above


def grid_of(agents: Agents, cell: float) -> NeighborGrid:
    """The grid of where agents are now; its places and states go on changing with theirs."""
    count = len(agents.state)
    first, inside = np.empty((1 << count.bit_length() + 1) + 1, np.int32), np.empty(count, np.int32)
    _sort_into_cells(agents.place, cell, first, inside)
    return NeighborGrid(agents.place, agents.state, cell, first, inside)


@kernel
def _sort_into_cells(place: F32, cell: float, first: I32, inside: I32) -> None:
    mask = len(first) - 2
    first[:] = 0
    for i in range(len(place)):
        first[_hash(_cell(place[i, 0], cell), _cell(place[i, 2], cell), mask) + 1] += 1
    for k in range(mask + 1):
        first[k + 1] += first[k]
    for i in range(len(place) - 1, -1, -1):
        slot = _hash(_cell(place[i, 0], cell), _cell(place[i, 2], cell), mask)
        first[slot + 1] -= 1
        inside[first[slot + 1]] = i
    # Filling from the back has moved each beginning one slot up.
    for k in range(mask + 1):
        first[k] = first[k + 1]
    first[mask + 1] = len(place)


@borrowing
def nearest_agents(grid: NeighborGrid, agent: AnyInt, reach: float, height: float, near: Near) -> int:
    """Write who is nearer than `reach`, at most a cell, on the same floor: the nearest first. Returns how many.

    Of those that are equally near the one with the smaller number comes first.
    """
    place, cell, first = grid.place, grid.cell, grid.first
    mask, count = len(first) - 2, 0
    x, y, z = float(place[agent, 0]), float(place[agent, 1]), float(place[agent, 2])
    column, row = _cell(place[agent, 0], cell), _cell(place[agent, 2], cell)
    for i in range(column - 1, column + 2):
        for j in range(row - 1, row + 2):
            slot = _hash(i, j, mask)
            for k in range(first[slot], first[slot + 1]):
                other = grid.inside[k]
                if other == agent or _cell(place[other, 0], cell) != i or _cell(place[other, 2], cell) != j:
                    continue
                dx, dz = float(place[other, 0]) - x, float(place[other, 2]) - z
                far = dx * dx + dz * dz
                if far < reach * reach and abs(float(place[other, 1]) - y) < height and grid.state[other] != NO_WAY:
                    count = _insert(near.agents, near.away, count, other, far)
    return count


@kernel
def _insert(near: I32, away: F64, count: AnyInt, other: AnyInt, far: float) -> int:
    """Keep the nearest in order."""
    if count == len(near):
        if away[count - 1] < far or (away[count - 1] == far and near[count - 1] < other):
            return int(count)
        count -= 1
    k = count
    while k > 0 and (away[k - 1] > far or (away[k - 1] == far and near[k - 1] > other)):
        near[k], away[k] = near[k - 1], away[k - 1]
        k -= 1
    near[k], away[k] = other, far
    return int(count + 1)


@inlined
def _cell(at: np.float32, cell: float) -> np.int64:
    return np.int64(np.floor(float(at) / cell))


@inlined
def _hash(i: AnyInt, j: AnyInt, mask: AnyInt) -> AnyInt:
    return (i * _X ^ j * _Z) & mask
