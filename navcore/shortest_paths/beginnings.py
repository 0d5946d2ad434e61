"""Where a search looks around: at its start, and where a jump lands."""

from __future__ import annotations

from ..jit import inlined, kernel
from ..types import F64, I32, I64, AnyBool, AnyInt
from .cones import cross, is_ahead, steps_between
from .edges import ACROSS, ALSO, FOLLOWING, POLYGON, VERTEX
from .nodes import AIM_POLYGON, AIM_X, AIM_Z, Aim, copy_node, end_at, enter, jump_to, may_turn
from .pool import (
    BEFORE,
    ENTRY,
    LEFT,
    NO_TURN,
    NOBODY,
    NODES,
    PARENT,
    PLACE,
    RIGHT,
    ROOT,
    ROOT_X,
    ROOT_Z,
    SEARCH,
    SO_FAR,
    TO_LEFT,
    TO_RIGHT,
    TOTAL,
    claims,
)  # fmt: skip


@kernel
def begin(
    spots: I32, edges: I32, turns: I32, nested: I32, first_edge: I64, first_jump: I64, jumps: I32, prices: F64,
    rows: I32, numbers: F64, heap: I32, totals: F64, best: F64, owners: I32, counts: I64, node: AnyInt, aim: Aim,
) -> bool:  # fmt: skip
    """Look around from a place: from all polygons that it touches, where it lies on an edge or a corner.

    Whether there was room for it.
    """
    x, z, root = rows[node, ROOT_X], rows[node, ROOT_Z], rows[node, ROOT]
    first, copies = counts[NODES], len(edges) - first_edge[-1]
    touched = first - 1  # the first one is `node` itself
    while touched < counts[NODES]:
        here = node if touched < first else touched
        place = rows[here, PLACE]
        wanted = first_edge[place + 1] - first_edge[place] + copies
        if counts[NODES] + wanted > len(rows):
            return False
        for edge in range(first_edge[place], first_edge[place + 1]):
            if edges[edge, ACROSS] >= 0 and _touches(spots, edges, edge, x, z):
                _touch(edges, rows, numbers, counts, edge, node, here, first)
        touched += 1
    for k in range(first - 1, touched):
        here = node if k < first else k
        place = rows[here, PLACE]
        wanted = first_edge[place + 1] - first_edge[place] + copies + 1 + first_jump[place + 1] - first_jump[place]
        if counts[NODES] + wanted > len(rows):
            return False
        _look_around(
            spots, edges, turns, nested, first_edge, first_jump, jumps, prices, rows, numbers, heap, totals, best,
            owners, counts, here, x, z, root, aim,
        )  # fmt: skip
    return True


@inlined
def _touches(spots: I32, edges: I32, edge: AnyInt, x: AnyInt, z: AnyInt) -> AnyBool:
    """Whether a spot of a polygon lies on one of its edges."""
    a, b = edges[edge, VERTEX], edges[edges[edge, FOLLOWING], VERTEX]
    ax, az, bx, bz = spots[a, 0], spots[a, 1], spots[b, 0], spots[b, 1]
    if cross(ax, az, bx, bz, x, z) > 0:
        return False
    return not (is_ahead(bx, bz, ax, az, x, z) or is_ahead(ax, az, bx, bz, x, z))


@inlined
def _touch(
    edges: I32, rows: I32, numbers: F64, counts: I64, edge: AnyInt, node: AnyInt, here: AnyInt, first: AnyInt
) -> None:
    """Nodes for the polygons across an edge, unless they have one."""
    while edge >= 0:
        entry = edges[edge, ACROSS]
        known = edges[entry, POLYGON] == rows[node, PLACE]
        for other in range(first, counts[NODES]):
            known |= edges[entry, POLYGON] == rows[other, PLACE]
        if not known:
            new = counts[NODES]
            counts[NODES] = new + 1
            copy_node(rows, node, new)
            rows[new, LEFT] = rows[new, RIGHT] = NOBODY
            rows[new, ENTRY], rows[new, PLACE], rows[new, PARENT] = entry, edges[entry, POLYGON], here
            numbers[new, SO_FAR], numbers[new, TOTAL] = numbers[node, SO_FAR], numbers[node, TOTAL]
        edge = edges[edge, ALSO]


@inlined
def _look_around(
    spots: I32, edges: I32, turns: I32, nested: I32, first_edge: I64, first_jump: I64, jumps: I32, prices: F64,
    rows: I32, numbers: F64, heap: I32, totals: F64, best: F64, owners: I32, counts: I64, here: AnyInt, x: AnyInt,
    z: AnyInt, root: AnyInt, aim: Aim,
) -> None:  # fmt: skip
    """From a spot inside a polygon or on its outline: a cone for each edge that it does not lie on."""
    place, so_far = rows[here, PLACE], numbers[here, SO_FAR]
    if place == aim[AIM_POLYGON]:
        end_at(rows, numbers, heap, totals, counts, here, so_far + steps_between(x, z, aim[AIM_X], aim[AIM_Z]))
        return
    for jump in range(first_jump[place], first_jump[place + 1]):
        begins = len(spots) - 2 * len(prices) + 2 * jump
        way = so_far + steps_between(x, z, spots[begins, 0], spots[begins, 1])
        jump_to(spots, jumps, prices, rows, numbers, heap, totals, best, owners, counts, here, jump, NOBODY, way, aim)
    for edge in range(first_edge[place], first_edge[place + 1]):
        if edges[edge, ACROSS] < 0 or _touches(spots, edges, edge, x, z):
            continue
        p, q = edges[edge, VERTEX], edges[edges[edge, FOLLOWING], VERTEX]
        base, base_x, base_z, before, way, turn = root, x, z, rows[here, BEFORE], so_far, NO_TURN
        if cross(x, z, spots[p, 0], spots[p, 1], spots[q, 0], spots[q, 1]) <= 0:  # in line: turn at the nearer end
            to_p = steps_between(x, z, spots[p, 0], spots[p, 1])
            to_q = steps_between(x, z, spots[q, 0], spots[q, 1])
            base, more, turn = (p, to_p, TO_RIGHT) if to_p < to_q else (q, to_q, TO_LEFT)
            base_x, base_z, before, way = spots[base, 0], spots[base, 1], root, so_far + more
            if not may_turn(spots, turns, x, z, base, turn):
                continue
            if not claims(best, owners, counts[SEARCH], base, way, before):
                continue
        enter(
            spots, edges, turns, nested, rows, numbers, heap, totals, counts, here, edge, base, base_x, base_z, q, p,
            before, x, z, turn, way, aim,
        )  # fmt: skip
