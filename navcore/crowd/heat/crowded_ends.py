"""Ends of agents beside each other: how near is near enough, and where only those who have arrived are in the way."""

from __future__ import annotations

import numpy as np

from ...geometry.connected_parts import joined_parts
from ...types import F64, I32, I64

_ROOM = 1.2  # radii for each agent that shares an end, times the root of how many they are
_BESIDE = 4.0  # radii: ends that are so near to each other are one block
_LEAST = 0.01  # metres
_AROUND = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) > (0, 0)]


def room_at_ends(ends: F64, radius: float) -> F64:
    """Metres from each end within which a way is over: two radii, or the room that all who share the end need."""
    cells = np.round(ends / max(2 * radius, _LEAST)).astype(np.int64)
    _, group, sharing = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    several = sharing[group.ravel()]
    room: F64 = radius * (2 + np.where(several > 1, _ROOM * np.sqrt(several), 0))
    return room


def blocks_of_ends(ends: F64, radius: float) -> F64:
    """How long the block is, from corner to corner, that each end stands in with others beside it; 0 for one alone."""
    if not len(ends):
        return np.zeros(0)
    cells, cell = np.unique(np.floor(ends[:, ::2] / max(_BESIDE * radius, _LEAST)).astype(np.int64), axis=0,
                            return_inverse=True)  # fmt: skip
    block = _blocks(cells)[cell.ravel()]
    count = int(block.max()) + 1
    low, high = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
    np.minimum.at(low, block, ends[:, ::2])
    np.maximum.at(high, block, ends[:, ::2])
    length: F64 = np.hypot(*(high - low).T)[block]
    return length


def _blocks(cells: I64) -> I32:
    """The block of each cell: cells hang together, corners too."""
    keys = (cells[:, 0] << 32) + cells[:, 1]  # in order, as the cells are
    pairs = []
    for i, j in _AROUND:
        wanted = keys + (i << 32) + j
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        there = np.flatnonzero(keys[at] == wanted)
        pairs.append(np.stack([there, at[there]], axis=1))
    one, other = np.concatenate(pairs).T
    return joined_parts(len(cells), one, other)
