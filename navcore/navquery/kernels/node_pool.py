"""Nodes of one search, A* or Dijkstra, and the priority queue of those that wait: of equals Detour's comes first.

A node is a polygon entered from one side (its key is that of the link). The table from keys to nodes is never cleared:
an entry counts where its node bears that key. Recast: dtNodePool, dtNodeQueue.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...jit import borrowing, inlined, kernel
from ...types import F32, I32, I64, AnyBool, AnyInt
from ..query_mesh import SIDES, QueryMesh
from .points import ZERO, Float32, Point32

NODES, WAITING = 0, 1  # of `counts`
UNSEEN, OPEN, CLOSED = 0, 1, 2  # states
NO_NODE = -1
_F, _I = np.float32, np.int32
SEARCH_NODE = np.dtype(
    (
        np.record,
        [
            ("x", _F), ("y", _F), ("z", _F),
            ("cost", _F),  # of the path so far
            ("total", _F),  # with what is left at least
            ("left_over", _F),  # that alone
            ("shortcut", _F),  # 1 where the path from the parent is a ray
            ("spare", _F),  # half a cache line
        ],
    )
)  # fmt: skip
MARK = np.dtype(
    (
        np.record,
        [
            ("parent", _I),  # the node that the path comes from
            ("state", _I), ("key", _I),
            ("spot", _I),  # where in the heap the node lies
        ],
    )
)  # fmt: skip
SearchNodes: TypeAlias = npt.NDArray[np.void]  # (M,) of SEARCH_NODE
Marks: TypeAlias = npt.NDArray[np.void]  # (M,) of MARK


class NodePool(NamedTuple):
    """Room for M nodes."""

    nodes: SearchNodes
    marks: Marks
    heap: I32  # nodes that wait, the nearest first
    totals: F32  # theirs, in the same order
    by_key: I32  # (4 P,) the node of a key
    counts: I64  # NODES, WAITING


def python_pool(mesh: QueryMesh, max_nodes: int) -> NodePool:
    """A pool for `max_nodes` nodes; 0: for as many as there can be."""
    keys = SIDES * len(mesh.polygons)
    room = min(max_nodes, keys) if max_nodes > 0 else keys
    room = max(min(room, len(mesh.links) + 1), 1)
    return NodePool(
        np.empty(room, SEARCH_NODE), np.empty(room, MARK), np.empty(room, np.int32), np.empty(room, np.float32),
        np.empty(keys, np.int32), np.zeros(2, np.int64),
    )  # fmt: skip


new_pool = kernel(python_pool)
"""The same in a kernel. What returns records to Python is not kept on disk."""


@borrowing
def begin_search(pool: NodePool, start: AnyInt, here: Point32, left_over: Float32) -> np.int32:
    """Forget the search before, and begin one in a polygon; returns its first node."""
    pool.counts[NODES] = pool.counts[WAITING] = 0
    first = np.int32(node_of(pool, start * SIDES))
    stand(pool, first, here)
    node = pool.nodes[first]
    node.cost, node.total, node.left_over, node.shortcut = ZERO, left_over, left_over, ZERO
    pool.marks[first].state = OPEN
    push(pool, first, left_over)
    return first


@borrowing
def node_of(pool: NodePool, key: AnyInt) -> AnyInt:
    """The node of a key, a new one where there is none yet; NO_NODE where the pool is full."""
    node = pool.by_key[np.uint32(key)]
    count = np.int32(pool.counts[NODES])
    if 0 <= node < count and pool.marks[np.uint32(node)].key == key:
        return node
    if count >= len(pool.marks):
        return np.int32(NO_NODE)
    pool.by_key[np.uint32(key)] = count
    mark = pool.marks[np.uint32(count)]
    mark.key, mark.parent, mark.state = key, NO_NODE, UNSEEN
    pool.counts[NODES] = count + 1
    return count


@borrowing
def offer(pool: NodePool, node: AnyInt, parent: AnyInt, cost: Float32, total: Float32) -> AnyBool:
    """Relax a node: take a path to it where it is the first or a cheaper one; returns whether it was."""
    it, mark = pool.nodes[np.uint32(node)], pool.marks[np.uint32(node)]
    state = mark.state
    if state != UNSEEN and not total < it.total:
        return False
    mark.parent, mark.state = parent, OPEN
    it.cost, it.total = cost, total
    if state == OPEN:
        rise(pool, mark.spot, node, total)
    else:
        push(pool, node, total)
    return True


@borrowing
def settle(pool: NodePool) -> np.int32:
    """Take out the nearest node: it is closed."""
    node = pop(pool)
    pool.marks[np.uint32(node)].state = CLOSED
    return node


@borrowing
def rise(pool: NodePool, place: AnyInt, node: AnyInt, total: Float32) -> None:
    """Put a node where a hole is, or further up. Recast: dtNodeQueue::bubbleUp."""
    heap, totals, marks = pool.heap, pool.totals, pool.marks
    while place > 0:
        above = (place - 1) >> 1
        here, higher = np.uint64(place), np.uint64(above)
        if not totals[higher] > total:
            break
        heap[here], totals[here] = heap[higher], totals[higher]
        marks[np.uint32(heap[here])].spot = place
        place = above
    heap[np.uint64(place)], totals[np.uint64(place)] = node, total
    marks[np.uint32(node)].spot = place


@borrowing
def push(pool: NodePool, node: AnyInt, total: Float32) -> None:
    pool.counts[WAITING] += 1
    rise(pool, pool.counts[WAITING] - 1, node, total)


@borrowing
def pop(pool: NodePool) -> np.int32:
    """Take out the nearest node; the last one sinks to a leaf and rises again. Recast: dtNodeQueue::trickleDown."""
    heap, totals, marks = pool.heap, pool.totals, pool.marks
    nearest = heap[0]
    size = pool.counts[WAITING] - 1
    pool.counts[WAITING] = size
    last, total = heap[size], totals[size]
    place, child = np.int64(0), np.int64(1)
    while child < size:
        if child + 1 < size and totals[np.uint64(child)] > totals[np.uint64(child + 1)]:
            child += 1
        here, lower = np.uint64(place), np.uint64(child)
        heap[here], totals[here] = heap[lower], totals[lower]
        marks[np.uint32(heap[here])].spot = place
        place = child
        child = 2 * place + 1
    if size > 0:
        rise(pool, place, last, total)
    return nearest


@inlined
def place_of(node: np.record) -> Point32:
    return node.x, node.y, node.z


@borrowing
def stand(pool: NodePool, node: AnyInt, point: Point32) -> None:
    """Where a node lies."""
    it = pool.nodes[np.uint32(node)]
    it.x, it.y, it.z = point


@borrowing
def polygon_of(pool: NodePool, node: AnyInt) -> np.int32:
    return pool.marks[np.uint32(node)].key // SIDES


@borrowing
def parent_polygon(pool: NodePool, node: AnyInt) -> AnyInt:
    """The polygon from which a node was reached; -1: the search began there."""
    parent = pool.marks[np.uint32(node)].parent
    return pool.marks[np.uint32(parent)].key // SIDES if parent >= 0 else np.int32(-1)


@inlined
def chain_length(marks: Marks, node: AnyInt) -> int:
    length = 0
    while node >= 0:
        node = marks[node].parent
        length += 1
    return length


@inlined
def write_chain(marks: Marks, node: AnyInt, found: I32, end: AnyInt) -> None:
    """Write the polygons of a chain of nodes, the last one just before `end`."""
    while node >= 0:
        end -= 1
        found[end] = marks[node].key // SIDES
        node = marks[node].parent
