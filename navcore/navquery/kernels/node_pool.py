"""Nodes of one search, and the heap of those that wait: which of equals comes first is Detour's.

A node is a polygon entered from one side (its key is that of the link). The table from keys to nodes is never cleared:
an entry counts where its node bears that key. Recast: dtNodePool, dtNodeQueue.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import inlined, kernel
from ...types import F32, I32, I64, AnyInt
from ..query_mesh import SIDES, QueryMesh

NODES, WAITING = 0, 1  # columns of `counts`
OPEN, CLOSED = 1, 2  # of STATE
NO_NODE = -1
# Columns of `numbers`: three of a place come first; the total is the cost so far with what is left at least.
COST, TOTAL, LEFT_OVER = 3, 4, 5  # the last: what is left at least
_NUMBERS = 8  # columns: half a cache line
# Columns of `marks`: which node the way comes from, OPEN or CLOSED, the key, where in the heap the node lies.
PARENT, STATE, NODE_KEY, SPOT = range(4)


class NodePool(NamedTuple):
    """Room for M nodes."""

    numbers: F32  # (M, 8)
    marks: I32  # (M, 4)
    heap: I32  # nodes that wait, the nearest first
    totals: F32  # theirs, in the same order
    known: I32  # (4 P,) the node of a key
    counts: I64


@kernel
def new_pool(mesh: QueryMesh, most: int) -> NodePool:
    """A pool for `most` nodes; 0: for as many as there can be."""
    keys = SIDES * len(mesh.polygons)
    room = min(most, keys) if most > 0 else keys
    room = max(min(room, len(mesh.links) + 1), 1)
    return NodePool(
        np.empty((room, _NUMBERS), np.float32), np.empty((room, 4), np.int32), np.empty(room, np.int32),
        np.empty(room, np.float32), np.empty(keys, np.int32), np.zeros(2, np.int64),
    )  # fmt: skip


@inlined
def node_of(known: I32, marks: I32, counts: I64, key: AnyInt) -> AnyInt:
    """The node of a key, a new one where there is none yet; NO_NODE where the pool is full."""
    node = known[key]
    count = np.int32(counts[NODES])
    if 0 <= node < count and marks[node, NODE_KEY] == key:
        return node
    if count >= len(marks):
        return np.int32(NO_NODE)
    known[key] = count
    marks[count, NODE_KEY], marks[count, PARENT], marks[count, STATE] = key, NO_NODE, 0
    counts[NODES] = count + 1
    return count


@inlined
def rise(heap: I32, totals: F32, marks: I32, place: AnyInt, node: AnyInt, total: np.float32) -> None:
    """Put a node where a hole is, or further up. Recast: dtNodeQueue::bubbleUp."""
    while place > 0:
        above = (place - 1) >> 1
        if not totals[above] > total:
            break
        heap[place], totals[place] = heap[above], totals[above]
        marks[heap[place], SPOT] = place
        place = above
    heap[place], totals[place] = node, total
    marks[node, SPOT] = place


@inlined
def push(heap: I32, totals: F32, marks: I32, counts: I64, node: AnyInt, total: np.float32) -> None:
    counts[WAITING] += 1
    rise(heap, totals, marks, counts[WAITING] - 1, node, total)


@inlined
def pop(heap: I32, totals: F32, marks: I32, counts: I64) -> np.int32:
    """Take out the nearest node; the last one sinks to a leaf and rises again. Recast: dtNodeQueue::trickleDown."""
    nearest = heap[0]
    size = counts[WAITING] - 1
    counts[WAITING] = size
    last, total = heap[size], totals[size]
    place, child = np.int64(0), np.int64(1)
    while child < size:
        if child + 1 < size and totals[child] > totals[child + 1]:
            child += 1
        heap[place], totals[place] = heap[child], totals[child]
        marks[heap[place], SPOT] = place
        place = child
        child = 2 * place + 1
    if size > 0:
        rise(heap, totals, marks, place, last, total)
    return nearest


@inlined
def parent_polygon(marks: I32, node: AnyInt) -> AnyInt:
    """The polygon from which a node was reached; -1: the search began there."""
    parent = marks[node, PARENT]
    return marks[parent, NODE_KEY] // SIDES if parent >= 0 else np.int32(-1)


@inlined
def chain_length(marks: I32, node: AnyInt) -> int:
    length = 0
    while node >= 0:
        node = marks[node, PARENT]
        length += 1
    return length


@inlined
def write_chain(marks: I32, node: AnyInt, found: I32, end: AnyInt) -> None:
    """Write the polygons of a chain of nodes, the last one just before `end`."""
    while node >= 0:
        end -= 1
        found[end] = marks[node, NODE_KEY] // SIDES
        node = marks[node, PARENT]
