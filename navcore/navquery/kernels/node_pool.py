"""Nodes of one search, and the heap of those that wait: which of equals comes first is Detour's.

A node is a polygon entered from one side (`key` = polygon · 4 + side). The table from keys to nodes is never cleared:
an entry counts where its node bears that key. Recast: dtNodePool, dtNodeQueue.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import inlined, kernel
from ...types import F32, I32, I64, U8, AnyInt
from ..query_mesh import QueryMesh

SIDES = 4
NODES, WAITING = 0, 1  # columns of `counts`
OPEN, CLOSED = 1, 2  # in `flags`
NO_NODE = -1


class NodePool(NamedTuple):
    """Room for M nodes."""

    at: F32  # (M, 3) where the way enters the polygon
    cost: F32  # (M,) of the way there
    total: F32  # with what is left at least
    parent: I32
    flags: U8
    keys: I32
    heap: I32  # nodes that wait, the nearest first
    spot: I32  # where in the heap a node lies
    known: I32  # (4 P,) the node of a key
    counts: I64


@kernel
def new_pool(mesh: QueryMesh, most: int) -> NodePool:
    """A pool for `most` nodes; 0: for as many as there can be."""
    keys = SIDES * len(mesh.facts)
    room = min(most, keys) if most > 0 else keys
    room = max(min(room, len(mesh.links) + 1), 1)
    return NodePool(
        np.empty((room, 3), np.float32), np.empty(room, np.float32), np.empty(room, np.float32),
        np.empty(room, np.int32), np.empty(room, np.uint8), np.empty(room, np.int32), np.empty(room, np.int32),
        np.empty(room, np.int32), np.empty(keys, np.int32), np.zeros(2, np.int64),
    )  # fmt: skip


@inlined
def node_of(known: I32, keys: I32, parent: I32, flags: U8, counts: I64, key: AnyInt) -> AnyInt:
    """The node of a key, a new one where there is none yet; NO_NODE where the pool is full."""
    node = known[key]
    count = counts[NODES]
    if 0 <= node < count and keys[node] == key:
        return node
    if count >= len(keys):
        return NO_NODE
    known[key] = count
    keys[count], parent[count], flags[count] = key, NO_NODE, 0
    counts[NODES] = count + 1
    return count


@kernel
def rise(heap: I32, spot: I32, total: F32, place: AnyInt, node: AnyInt) -> None:
    """Put a node where a hole is, or further up. Recast: dtNodeQueue::bubbleUp."""
    while place > 0:
        above = (place - 1) >> 1
        if not total[heap[above]] > total[node]:
            break
        heap[place] = heap[above]
        spot[heap[place]] = place
        place = above
    heap[place] = node
    spot[node] = place


@inlined
def push(heap: I32, spot: I32, total: F32, counts: I64, node: AnyInt) -> None:
    counts[WAITING] += 1
    rise(heap, spot, total, counts[WAITING] - 1, node)


@kernel
def pop(heap: I32, spot: I32, total: F32, counts: I64) -> np.int32:
    """Take out the nearest node; the last one sinks to a leaf and rises again. Recast: dtNodeQueue::trickleDown."""
    nearest = heap[0]
    size = counts[WAITING] - 1
    counts[WAITING] = size
    last = heap[size]
    place, child = np.int64(0), np.int64(1)
    while child < size:
        if child + 1 < size and total[heap[child]] > total[heap[child + 1]]:
            child += 1
        heap[place] = heap[child]
        spot[heap[place]] = place
        place = child
        child = 2 * place + 1
    if size > 0:
        rise(heap, spot, total, place, last)
    return nearest
