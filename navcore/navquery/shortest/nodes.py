"""New nodes of a search: behind an edge, at the end of the way, at the end of a jump."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ...jit import inlined, kernel
from ...types import F64, U8, AnyBool, AnyInt
from .cones import cross, least_way, steps_between
from .pool import (
    BEFORE,
    BEFORE_X,
    BEFORE_Z,
    ENDS,
    ENTRY,
    JUMPS,
    LEFT,
    LEFT_X,
    LEFT_Z,
    NO_TURN,
    NOBODY,
    NODES,
    PARENT,
    PLACE,
    RIGHT,
    RIGHT_X,
    RIGHT_Z,
    ROOT,
    ROOT_X,
    ROOT_Z,
    SEARCH,
    SO_FAR,
    TOTAL,
    TURN,
    Pool,
    claims,
    push,
)  # fmt: skip
from .shortest_mesh import ACROSS, ALSO, DEAD_END, FOLLOWING, POLYGON, VERTEX, ShortestMesh

Aim: TypeAlias = tuple[np.int64, np.int64, np.int64, np.int64]
AIM_POLYGON, AIM_X, AIM_Z, AIM_NUMBER = range(4)  # a polygon, a spot, and the polygon's number in `nested`


@inlined
def end_at(pool: Pool, parent: AnyInt, total: float) -> None:
    """The way ends in the polygon of a node, straight on."""
    node = pool.counts[NODES]
    pool.counts[NODES] = node + 1
    pool.rows[node] = pool.rows[parent]
    pool.rows[node, LEFT], pool.rows[node, RIGHT], pool.rows[node, PARENT] = NOBODY, ENDS, parent
    pool.numbers[node, SO_FAR], pool.numbers[node, TOTAL] = total, total
    push(pool.heap, pool.totals, pool.counts, node, total)


@kernel
def jump_to(
    mesh: ShortestMesh, prices: F64, pool: Pool, parent: AnyInt, jump: AnyInt, past: AnyInt, way: float,
    aim: Aim,
) -> None:  # fmt: skip
    """A node at the end of a jump, which begins after `way`."""
    rows, counts = pool.rows, pool.counts
    node, lands = counts[NODES], len(mesh.spots) - 2 * len(prices) + 2 * jump + 1
    so_far = way + prices[jump]
    holder = -2 - node
    if not claims(pool.best, pool.owners, counts[SEARCH], lands, so_far, holder):
        return
    counts[NODES] = node + 1
    x, z = mesh.spots[lands, 0], mesh.spots[lands, 1]
    rows[node, ROOT], rows[node, ROOT_X], rows[node, ROOT_Z] = lands, x, z
    rows[node, LEFT], rows[node, RIGHT], rows[node, PARENT] = past, JUMPS, parent
    rows[node, ENTRY], rows[node, PLACE] = jump, mesh.jumps[jump, 2]
    rows[node, BEFORE], rows[node, TURN] = holder, NO_TURN
    total = so_far + steps_between(x, z, aim[AIM_X], aim[AIM_Z])
    pool.numbers[node, SO_FAR], pool.numbers[node, TOTAL] = so_far, total
    push(pool.heap, pool.totals, counts, node, total)


@inlined
def enter(
    mesh: ShortestMesh, pool: Pool, parent: AnyInt, edge: AnyInt, root: AnyInt, x: AnyInt, z: AnyInt, left: AnyInt,
    right: AnyInt, before: AnyInt, before_x: AnyInt, before_z: AnyInt, turn: AnyInt, so_far: float,
    aim: Aim,
) -> None:  # fmt: skip
    """Nodes for what lies across an edge. A cone that cannot be that of the way is left out."""
    spots, edges, nested = mesh.spots, mesh.edges, mesh.nested
    rows, counts = pool.rows, pool.counts
    while edge >= 0:
        entry = edges[edge, ACROSS]
        place = edges[entry, POLYGON]
        wanted = edges[edge, DEAD_END] == 0 or nested[place, 0] <= aim[AIM_NUMBER] < nested[place, 1]
        edge = edges[edge, ALSO]
        if not wanted:
            continue
        node = counts[NODES]
        a, b = edges[entry, VERTEX], edges[edges[entry, FOLLOWING], VERTEX]
        ax, az, bx, bz = spots[a, 0], spots[a, 1], spots[b, 0], spots[b, 1]
        lx, lz, qx, qz = spots[left, 0], spots[left, 1], spots[right, 0], spots[right, 1]
        on_edge = cross(ax, az, bx, bz, x, z) >= 0
        rows[node, LEFT], rows[node, RIGHT] = left, right
        if place == aim[AIM_POLYGON]:
            way, past = reach(mesh.turns, x, z, lx, lz, qx, qz, left, right, a, b, on_edge, aim[AIM_X], aim[AIM_Z])
            if way < 0:
                continue
            rows[node, LEFT], rows[node, RIGHT] = past, ENDS
        else:
            way = least_way(x, z, lx, lz, qx, qz, ax, az, bx, bz, on_edge, aim[AIM_X], aim[AIM_Z])
        counts[NODES] = node + 1
        rows[node, ROOT_X], rows[node, ROOT_Z], rows[node, ROOT] = x, z, root
        rows[node, LEFT_X], rows[node, LEFT_Z], rows[node, RIGHT_X], rows[node, RIGHT_Z] = lx, lz, qx, qz
        rows[node, ENTRY], rows[node, PARENT], rows[node, PLACE] = entry, parent, place
        rows[node, BEFORE], rows[node, BEFORE_X], rows[node, BEFORE_Z] = before, before_x, before_z
        rows[node, TURN] = turn
        pool.numbers[node, SO_FAR], pool.numbers[node, TOTAL] = so_far, so_far + way
        push(pool.heap, pool.totals, counts, node, so_far + way)


@inlined
def reach(
    turns: U8, x: AnyInt, z: AnyInt, lx: AnyInt, lz: AnyInt, qx: AnyInt, qz: AnyInt, left: AnyInt, right: AnyInt,
    a: AnyInt, b: AnyInt, on_edge: AnyBool, to_x: AnyInt, to_z: AnyInt,
) -> tuple[float, np.int64]:  # fmt: skip
    """How far a spot of the polygon that a cone enters is from its root, and past which vertex.

    Below 0: it is seen from another cone.
    """
    if not on_edge and cross(x, z, qx, qz, to_x, to_z) < 0:
        if right != b or turns[b] == 0:
            return -1.0, np.int64(NOBODY)
        return steps_between(x, z, qx, qz) + steps_between(qx, qz, to_x, to_z), np.int64(b)
    if not on_edge and cross(x, z, lx, lz, to_x, to_z) > 0:
        if left != a or turns[a] == 0:
            return -1.0, np.int64(NOBODY)
        return steps_between(x, z, lx, lz) + steps_between(lx, lz, to_x, to_z), np.int64(a)
    return steps_between(x, z, to_x, to_z), np.int64(NOBODY)
