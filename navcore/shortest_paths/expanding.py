"""From a cone that enters a polygon to the cones that leave it: what the root sees, and what lies past either end."""

from __future__ import annotations

import numpy as np

from ..jit import inlined
from ..types import F64, I32, I64, AnyBool, AnyInt
from .cones import cross, is_ahead, steps_between
from .edges import ACROSS, FOLLOWING, VERTEX
from .nodes import Aim, enter, may_turn, winds
from .pool import (
    BEFORE,
    BEFORE_X,
    BEFORE_Z,
    ENTRY,
    LEFT,
    LEFT_X,
    LEFT_Z,
    NO_TURN,
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
    TURN,
    claims,
)  # fmt: skip

_SEEN, _PAST_RIGHT, _PAST_LEFT = range(3)
# Nothing, a cone, an edge at the corner around which the way goes, an edge farther on in line with it.
_NONE, _CONE, _ALONG_CORNER, _ALONG = range(4)


@inlined
def expand(
    spots: I32, edges: I32, turns: I32, nested: I32, rows: I32, numbers: F64, heap: I32, totals: F64, best: F64,
    owners: I32, counts: I64, node: AnyInt, aim: Aim,
) -> None:  # fmt: skip
    """Nodes for all that a cone leads to."""
    entry, so_far = rows[node, ENTRY], numbers[node, SO_FAR]
    root, x, z, turn = rows[node, ROOT], rows[node, ROOT_X], rows[node, ROOT_Z], rows[node, TURN]
    left, lx, lz = rows[node, LEFT], rows[node, LEFT_X], rows[node, LEFT_Z]
    right, qx, qz = rows[node, RIGHT], rows[node, RIGHT_X], rows[node, RIGHT_Z]
    before, before_x, before_z = rows[node, BEFORE], rows[node, BEFORE_X], rows[node, BEFORE_Z]
    a, b = edges[entry, VERTEX], edges[edges[entry, FOLLOWING], VERTEX]
    on_edge = cross(spots[a, 0], spots[a, 1], spots[b, 0], spots[b, 1], x, z) >= 0
    limit = NO_TURN if winds(turns, root) else turn
    may_left = not on_edge and left == a and _bends(before_x, before_z, x, z, lx, lz, limit)
    may_right = not on_edge and right == b and _bends(before_x, before_z, x, z, qx, qz, limit)
    may_left = may_left and may_turn(spots, turns, x, z, a, TO_LEFT)
    may_right = may_right and may_turn(spots, turns, x, z, b, TO_RIGHT)
    to_a, to_b = steps_between(x, z, lx, lz), steps_between(x, z, qx, qz)
    edge = edges[entry, FOLLOWING]
    while edge != entry:
        here = edge
        edge = edges[edge, FOLLOWING]
        if edges[here, ACROSS] < 0:
            continue
        p, q = edges[here, VERTEX], edges[edge, VERTEX]
        for part in range(3):
            if part == _SEEN:
                found, l_end, r_end = (
                    (_around(spots, x, z, p, q, before_x, before_z, turn, limit), q, p) if on_edge
                    else _seen(spots, x, z, lx, lz, qx, qz, left, right, p, q)
                )  # fmt: skip
                if found == _CONE and not _is_taut(spots, before_x, before_z, x, z, p, q, limit):
                    continue
                base, base_x, base_z, way, side = root, x, z, so_far, turn
                ahead, ahead_x, ahead_z = before, before_x, before_z
            elif part == _PAST_RIGHT:
                found = _past_right(spots, x, z, b, p, q) if may_right else _NONE
                base, base_x, base_z, way, side = b, qx, qz, so_far + to_b, np.int32(TO_RIGHT)
                ahead, ahead_x, ahead_z, l_end, r_end = root, x, z, q, p
            else:
                found = _past_left(spots, x, z, a, p, q) if may_left else _NONE
                base, base_x, base_z, way, side = a, lx, lz, so_far + to_a, np.int32(TO_LEFT)
                ahead, ahead_x, ahead_z, l_end, r_end = root, x, z, q, p
            if found == _NONE:
                continue
            if part != _SEEN and not claims(best, owners, counts[SEARCH], base, way, ahead):
                continue
            if found == _ALONG:  # the way is along the line to its nearer end, and turns there
                near, side = _nearer(spots, base_x, base_z, p, q)
                if not may_turn(spots, turns, base_x, base_z, near, side):
                    continue
                ahead, ahead_x, ahead_z = base, base_x, base_z
                base, base_x, base_z = near, spots[near, 0], spots[near, 1]
                way += steps_between(ahead_x, ahead_z, base_x, base_z)
                if not claims(best, owners, counts[SEARCH], base, way, ahead):
                    continue
            enter(
                spots, edges, turns, nested, rows, numbers, heap, totals, counts, node, here, base, base_x, base_z,
                l_end, r_end, ahead, ahead_x, ahead_z, side, way, aim,
            )  # fmt: skip


@inlined
def _bends(
    before_x: AnyInt, before_z: AnyInt, x: AnyInt, z: AnyInt, to_x: AnyInt, to_z: AnyInt, turn: AnyInt
) -> AnyBool:
    """Whether a way is taut that turns at its root on the way to another corner: it goes on to the side of its turn."""
    return turn == NO_TURN or cross(before_x, before_z, x, z, to_x, to_z) * turn <= 0


@inlined
def _seen(
    spots: I32, x: AnyInt, z: AnyInt, lx: AnyInt, lz: AnyInt, qx: AnyInt, qz: AnyInt, left: AnyInt, right: AnyInt,
    p: AnyInt, q: AnyInt,
) -> tuple[int, AnyInt, AnyInt]:  # fmt: skip
    """What of the edge from p to q a cone sees: its new ends are those of the edge where they lie inside."""
    if cross(x, z, qx, qz, spots[q, 0], spots[q, 1]) <= 0 or cross(x, z, lx, lz, spots[p, 0], spots[p, 1]) >= 0:
        return _NONE, left, right
    if cross(x, z, qx, qz, spots[p, 0], spots[p, 1]) >= 0:
        right = p
    if cross(x, z, lx, lz, spots[q, 0], spots[q, 1]) <= 0:
        left = q
    return _CONE, left, right


@inlined
def _around(
    spots: I32, x: AnyInt, z: AnyInt, p: AnyInt, q: AnyInt, before_x: AnyInt, before_z: AnyInt, turn: AnyInt,
    limit: AnyInt,
) -> int:  # fmt: skip
    """An edge seen from a corner of its polygon. The way goes on around it, by half a turn where that is the limit."""
    px, pz, qx, qz = spots[p, 0], spots[p, 1], spots[q, 0], spots[q, 1]
    if px == x and pz == z:
        return _ALONG_CORNER if turn == TO_RIGHT and _goes_on(before_x, before_z, x, z, qx, qz, limit) else _NONE
    if qx == x and qz == z:
        return _ALONG_CORNER if turn == TO_LEFT and _goes_on(before_x, before_z, x, z, px, pz, limit) else _NONE
    return _CONE if cross(x, z, px, pz, qx, qz) > 0 else _ALONG


@inlined
def _nearer(spots: I32, x: AnyInt, z: AnyInt, p: AnyInt, q: AnyInt) -> tuple[np.int32, np.int32]:
    """The nearer end of an edge that lies in line with a root, and to which side the way turns there to cross it."""
    away_p = steps_between(x, z, spots[p, 0], spots[p, 1])
    if away_p < steps_between(x, z, spots[q, 0], spots[q, 1]):
        return np.int32(p), np.int32(TO_RIGHT)
    return np.int32(q), np.int32(TO_LEFT)


@inlined
def _goes_on(
    before_x: AnyInt, before_z: AnyInt, x: AnyInt, z: AnyInt, to_x: AnyInt, to_z: AnyInt, turn: AnyInt
) -> AnyBool:
    """Whether a direction lies on the side to which the way has turned, or straight ahead."""
    bend = cross(before_x, before_z, x, z, to_x, to_z) * turn
    return turn == NO_TURN or bend < 0 or (bend == 0 and is_ahead(before_x, before_z, x, z, to_x, to_z))


@inlined
def _is_taut(
    spots: I32, before_x: AnyInt, before_z: AnyInt, x: AnyInt, z: AnyInt, p: AnyInt, q: AnyInt, turn: AnyInt
) -> AnyBool:
    """Whether some of an edge lies on the side to which the way has turned."""
    end = p if turn == TO_RIGHT else q
    return turn == NO_TURN or cross(before_x, before_z, x, z, spots[end, 0], spots[end, 1]) * turn < 0


@inlined
def _past_right(spots: I32, x: AnyInt, z: AnyInt, b: AnyInt, p: AnyInt, q: AnyInt) -> int:
    """What of an edge lies to the right of the ray from the root through b, seen from b."""
    bx, bz, px, pz, qx, qz = spots[b, 0], spots[b, 1], spots[p, 0], spots[p, 1], spots[q, 0], spots[q, 1]
    far = cross(x, z, bx, bz, qx, qz)
    if px == bx and pz == bz:
        return _ALONG_CORNER if far <= 0 else _NONE
    near = cross(x, z, bx, bz, px, pz)
    if near > 0 or (near == 0 and far > 0):
        return _NONE
    return _CONE if cross(bx, bz, px, pz, qx, qz) > 0 else _ALONG


@inlined
def _past_left(spots: I32, x: AnyInt, z: AnyInt, a: AnyInt, p: AnyInt, q: AnyInt) -> int:
    """The same to the left of the ray through a."""
    ax, az, px, pz, qx, qz = spots[a, 0], spots[a, 1], spots[p, 0], spots[p, 1], spots[q, 0], spots[q, 1]
    far = cross(x, z, ax, az, px, pz)
    if qx == ax and qz == az:
        return _ALONG_CORNER if far >= 0 else _NONE
    near = cross(x, z, ax, az, qx, qz)
    if near < 0 or (near == 0 and far < 0):
        return _NONE
    return _CONE if cross(ax, az, px, pz, qx, qz) > 0 else _ALONG
