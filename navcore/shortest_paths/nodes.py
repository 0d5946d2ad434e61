"""New nodes of a search: behind an edge, at the end of the way, at the end of a jump."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..jit import inlined, kernel
from ..navquery.kernels.heap import push
from ..types import F64, I32, I64, AnyBool, AnyInt
from .cones import cross, least_way, steps_between
from .edges import ACROSS, ALSO, DEAD_END, FOLLOWING, POLYGON, VERTEX
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
    TO_LEFT,
    TO_RIGHT,
    TOTAL,
    TURN,
    claims,
    hold,
)  # fmt: skip

Aim: TypeAlias = tuple[np.int64, np.int64, np.int64, np.int64]
AIM_POLYGON, AIM_X, AIM_Z, AIM_NUMBER = range(4)  # a polygon, a spot, and the polygon's number in `nested`


@inlined
def end_at(rows: I32, numbers: F64, heap: I32, totals: F64, counts: I64, parent: AnyInt, total: float) -> None:
    """The way ends in the polygon of a node, straight on."""
    node = counts[NODES]
    counts[NODES] = node + 1
    copy_node(rows, parent, node)
    rows[node, LEFT], rows[node, RIGHT], rows[node, PARENT] = NOBODY, ENDS, parent
    numbers[node, SO_FAR], numbers[node, TOTAL] = total, total
    numbers[0, TOTAL] = min(numbers[0, TOTAL], total)
    push(heap, totals, counts, node, total)


@inlined
def copy_node(rows: I32, node: AnyInt, to: AnyInt) -> None:
    for column in range(rows.shape[1]):
        rows[to, column] = rows[node, column]


@inlined
def jump_to(
    spots: I32, jumps: I32, prices: F64, rows: I32, numbers: F64, heap: I32, totals: F64, best: F64, owners: I32,
    counts: I64, parent: AnyInt, jump: AnyInt, past: AnyInt, way: float, aim: Aim,
) -> None:  # fmt: skip
    """A node at the end of a jump, which begins after `way`."""
    node, lands = counts[NODES], len(spots) - 2 * len(prices) + 2 * jump + 1
    so_far = way + prices[jump]
    holder = -2 - node
    if not claims(best, owners, counts[SEARCH], lands, so_far, holder):
        return
    counts[NODES] = node + 1
    x, z = spots[lands, 0], spots[lands, 1]
    rows[node, ROOT], rows[node, ROOT_X], rows[node, ROOT_Z] = lands, x, z
    rows[node, LEFT], rows[node, RIGHT], rows[node, PARENT] = past, JUMPS, parent
    rows[node, ENTRY], rows[node, PLACE] = jump, jumps[jump, 2]
    rows[node, BEFORE], rows[node, TURN] = holder, NO_TURN
    total = so_far + steps_between(x, z, aim[AIM_X], aim[AIM_Z])
    numbers[node, SO_FAR], numbers[node, TOTAL] = so_far, total
    push(heap, totals, counts, node, total)


@kernel
def jump_from(
    spots: I32, edges: I32, turns: I32, first_jump: I64, jumps: I32, prices: F64, rows: I32, numbers: F64, heap: I32,
    totals: F64, best: F64, owners: I32, counts: I64, node: AnyInt, aim: Aim,
) -> None:  # fmt: skip
    """Jumps that begin in a node's polygon, where its cone leads to them."""
    entry, place, x, z = rows[node, ENTRY], rows[node, PLACE], rows[node, ROOT_X], rows[node, ROOT_Z]
    a, b = edges[entry, VERTEX], edges[edges[entry, FOLLOWING], VERTEX]
    on_edge = cross(spots[a, 0], spots[a, 1], spots[b, 0], spots[b, 1], x, z) >= 0
    for jump in range(first_jump[place], first_jump[place + 1]):
        begins = len(spots) - 2 * len(prices) + 2 * jump
        way, past = reach(
            spots, turns, x, z, rows[node, LEFT_X], rows[node, LEFT_Z], rows[node, RIGHT_X], rows[node, RIGHT_Z],
            rows[node, LEFT], rows[node, RIGHT], a, b, on_edge, spots[begins, 0], spots[begins, 1],
        )  # fmt: skip
        if way >= 0:
            jump_to(
                spots, jumps, prices, rows, numbers, heap, totals, best, owners, counts, node, jump, past,
                numbers[node, SO_FAR] + way, aim,
            )  # fmt: skip


@inlined
def enter(
    spots: I32, edges: I32, turns: I32, nested: I32, rows: I32, numbers: F64, heap: I32, totals: F64, counts: I64,
    parent: AnyInt, edge: AnyInt, root: AnyInt, x: AnyInt, z: AnyInt, left: AnyInt, right: AnyInt, before: AnyInt,
    before_x: AnyInt, before_z: AnyInt, turn: AnyInt, so_far: float, aim: Aim,
) -> None:  # fmt: skip
    """Nodes for what lies across an edge. A cone that cannot be that of the way is left out."""
    while edge >= 0:
        entry = edges[edge, ACROSS]
        place = edges[entry, POLYGON]
        wanted = edges[edge, DEAD_END] == 0 or nested[place, 0] <= aim[AIM_NUMBER] < nested[place, 1]
        edge = edges[edge, ALSO]
        if not wanted or _has_been(rows, parent, root, place):
            continue
        node = counts[NODES]
        a, b = edges[entry, VERTEX], edges[edges[entry, FOLLOWING], VERTEX]
        ax, az, bx, bz = spots[a, 0], spots[a, 1], spots[b, 0], spots[b, 1]
        lx, lz, qx, qz = spots[left, 0], spots[left, 1], spots[right, 0], spots[right, 1]
        on_edge = cross(ax, az, bx, bz, x, z) >= 0
        rows[node, LEFT], rows[node, RIGHT] = left, right
        if place == aim[AIM_POLYGON]:
            way, past = reach(
                spots, turns, x, z, lx, lz, qx, qz, left, right, a, b, on_edge, aim[AIM_X], aim[AIM_Z]
            )  # fmt: skip
            if way < 0 or so_far + way >= numbers[0, TOTAL]:
                continue
            numbers[0, TOTAL] = so_far + way
            rows[node, LEFT], rows[node, RIGHT] = past, ENDS
        else:
            # After a turn only what lies on its side is wanted: not all that the cone sees.
            sx, sz, tx, tz = np.int64(lx), np.int64(lz), np.int64(qx), np.int64(qz)
            side = NO_TURN if winds(turns, root) else turn
            if side == TO_RIGHT and cross(before_x, before_z, x, z, lx, lz) > 0:
                sx, sz = 2 * np.int64(x) - before_x, 2 * np.int64(z) - before_z
            if side == TO_LEFT and cross(before_x, before_z, x, z, qx, qz) < 0:
                tx, tz = 2 * np.int64(x) - before_x, 2 * np.int64(z) - before_z
            way = least_way(x, z, sx, sz, tx, tz, ax, az, bx, bz, on_edge, aim[AIM_X], aim[AIM_Z])
            if so_far + way >= numbers[0, TOTAL]:
                continue
        counts[NODES] = node + 1
        rows[node, ROOT_X], rows[node, ROOT_Z], rows[node, ROOT] = x, z, root
        rows[node, LEFT_X], rows[node, LEFT_Z], rows[node, RIGHT_X], rows[node, RIGHT_Z] = lx, lz, qx, qz
        rows[node, ENTRY], rows[node, PARENT], rows[node, PLACE] = entry, parent, place
        rows[node, BEFORE], rows[node, BEFORE_X], rows[node, BEFORE_Z] = before, before_x, before_z
        rows[node, TURN] = turn
        numbers[node, SO_FAR], numbers[node, TOTAL] = so_far, so_far + way
        hold(numbers, heap, totals, counts, node, so_far + way)


@inlined
def _has_been(rows: I32, node: AnyInt, root: AnyInt, place: AnyInt) -> bool:
    """Whether what is seen from a root has come full circle: no line of sight enters a polygon twice."""
    while node >= 0 and rows[node, ROOT] == root:
        if rows[node, PLACE] == place:
            return True
        node = rows[node, PARENT]
    return False


@inlined
def winds(turns: I32, root: AnyInt) -> AnyBool:
    """Whether a way may turn at a root to any side, by any angle."""
    return root < len(turns) and turns[root, 0] == root


@inlined
def may_turn(spots: I32, turns: I32, x: AnyInt, z: AnyInt, vertex: AnyInt, side: AnyInt) -> AnyBool:
    """Whether a way that comes straight to a vertex may turn there: the wall lies on that side of it."""
    one, other = turns[vertex, 0], turns[vertex, 1]
    if one < 0:
        return False
    vx, vz = spots[vertex, 0], spots[vertex, 1]
    return (
        cross(x, z, vx, vz, spots[one, 0], spots[one, 1]) * side <= 0
        and cross(x, z, vx, vz, spots[other, 0], spots[other, 1]) * side <= 0
    )


@inlined
def reach(
    spots: I32, turns: I32, x: AnyInt, z: AnyInt, lx: AnyInt, lz: AnyInt, qx: AnyInt, qz: AnyInt, left: AnyInt,
    right: AnyInt, a: AnyInt, b: AnyInt, on_edge: AnyBool, to_x: AnyInt, to_z: AnyInt,
) -> tuple[float, np.int64]:  # fmt: skip
    """How far a spot of the polygon that a cone enters is from its root, and past which vertex.

    Below 0: it is seen from another cone.
    """
    if not on_edge and cross(x, z, qx, qz, to_x, to_z) < 0:
        if right != b or not may_turn(spots, turns, x, z, b, TO_RIGHT):
            return -1.0, np.int64(NOBODY)
        return steps_between(x, z, qx, qz) + steps_between(qx, qz, to_x, to_z), np.int64(b)
    if not on_edge and cross(x, z, lx, lz, to_x, to_z) > 0:
        if left != a or not may_turn(spots, turns, x, z, a, TO_LEFT):
            return -1.0, np.int64(NOBODY)
        return steps_between(x, z, lx, lz) + steps_between(lx, lz, to_x, to_z), np.int64(a)
    return steps_between(x, z, to_x, to_z), np.int64(NOBODY)
