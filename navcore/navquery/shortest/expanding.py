"""From a cone that enters a polygon to the cones that leave it: what the root sees, and what lies past either end."""

from __future__ import annotations

import numpy as np

from ...jit import inlined, kernel
from ...types import F64, I32, AnyBool, AnyInt
from .cones import cross, is_ahead, steps_between
from .nodes import Aim, enter, jump_to, reach
from .pool import (
    BEFORE,
    BEFORE_X,
    BEFORE_Z,
    ENTRY,
    LEFT,
    LEFT_X,
    LEFT_Z,
    NO_TURN,
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
    TURN,
    Pool,
    claims,
)  # fmt: skip
from .shortest_mesh import ACROSS, FOLLOWING, VERTEX, ShortestMesh

_SEEN, _PAST_RIGHT, _PAST_LEFT = range(3)
# Nothing, a cone, an edge at the corner around which the way goes, an edge farther on in line with it.
_NONE, _CONE, _ALONG_CORNER, _ALONG = range(4)


@kernel
def expand(mesh: ShortestMesh, prices: F64, pool: Pool, node: AnyInt, aim: Aim) -> None:
    """Nodes for all that a cone leads to."""
    spots, edges, turns, rows = mesh.spots, mesh.edges, mesh.turns, pool.rows
    entry, so_far = rows[node, ENTRY], pool.numbers[node, SO_FAR]
    root, x, z, turn = rows[node, ROOT], rows[node, ROOT_X], rows[node, ROOT_Z], rows[node, TURN]
    left, lx, lz = rows[node, LEFT], rows[node, LEFT_X], rows[node, LEFT_Z]
    right, qx, qz = rows[node, RIGHT], rows[node, RIGHT_X], rows[node, RIGHT_Z]
    before, before_x, before_z = rows[node, BEFORE], rows[node, BEFORE_X], rows[node, BEFORE_Z]
    a, b = edges[entry, VERTEX], edges[edges[entry, FOLLOWING], VERTEX]
    on_edge = cross(spots[a, 0], spots[a, 1], spots[b, 0], spots[b, 1], x, z) >= 0
    _jumps(mesh, prices, pool, node, a, b, on_edge, aim)
    may_left = not on_edge and left == a and turns[a] != 0 and _bends(before_x, before_z, x, z, lx, lz, turn)
    may_right = not on_edge and right == b and turns[b] != 0 and _bends(before_x, before_z, x, z, qx, qz, turn)
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
                if on_edge:
                    found = _around(spots, x, z, p, q, before_x, before_z, turn)
                    l_end, r_end = q, p
                else:
                    found, l_end, r_end = _seen(spots, x, z, lx, lz, qx, qz, left, right, p, q)
                if found == _CONE and turn != NO_TURN and not _is_taut(spots, before_x, before_z, x, z, p, q, turn):
                    continue
                base, base_x, base_z, way, side = root, x, z, so_far, turn
                ahead, ahead_x, ahead_z = before, before_x, before_z
            elif part == _PAST_RIGHT:
                if not may_right:
                    continue
                found = _past_right(spots, x, z, b, p, q)
                base, base_x, base_z, way, side = b, qx, qz, so_far + to_b, np.int32(TO_RIGHT)
                ahead, ahead_x, ahead_z, l_end, r_end = root, x, z, q, p
            else:
                if not may_left:
                    continue
                found = _past_left(spots, x, z, a, p, q)
                base, base_x, base_z, way, side = a, lx, lz, so_far + to_a, np.int32(TO_LEFT)
                ahead, ahead_x, ahead_z, l_end, r_end = root, x, z, q, p
            if found == _NONE:
                continue
            if part != _SEEN and not claims(pool.best, pool.owners, pool.counts[SEARCH], base, way, ahead):
                continue
            if found == _ALONG:  # the way is along the line to its nearer end, and turns there
                near = p if side == TO_RIGHT else q
                if side == NO_TURN or turns[near] == 0:
                    continue
                ahead, ahead_x, ahead_z = base, base_x, base_z
                base, base_x, base_z = near, spots[near, 0], spots[near, 1]
                way += steps_between(ahead_x, ahead_z, base_x, base_z)
                if not claims(pool.best, pool.owners, pool.counts[SEARCH], base, way, ahead):
                    continue
            enter(mesh, pool, node, here, base, base_x, base_z, l_end, r_end, ahead, ahead_x, ahead_z, side, way, aim)


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
    spots: I32, x: AnyInt, z: AnyInt, p: AnyInt, q: AnyInt, before_x: AnyInt, before_z: AnyInt, turn: AnyInt
) -> int:
    """An edge seen from a corner of its polygon. The way goes on around the corner, by half a turn at most."""
    px, pz, qx, qz = spots[p, 0], spots[p, 1], spots[q, 0], spots[q, 1]
    if px == x and pz == z:
        return _ALONG_CORNER if turn == TO_RIGHT and _goes_on(before_x, before_z, x, z, qx, qz, turn) else _NONE
    if qx == x and qz == z:
        return _ALONG_CORNER if turn == TO_LEFT and _goes_on(before_x, before_z, x, z, px, pz, turn) else _NONE
    return _CONE if cross(x, z, px, pz, qx, qz) > 0 else _ALONG


@inlined
def _goes_on(
    before_x: AnyInt, before_z: AnyInt, x: AnyInt, z: AnyInt, to_x: AnyInt, to_z: AnyInt, turn: AnyInt
) -> AnyBool:
    """Whether a direction lies on the side to which the way has turned, or straight ahead."""
    bend = cross(before_x, before_z, x, z, to_x, to_z) * turn
    return bend < 0 or (bend == 0 and is_ahead(before_x, before_z, x, z, to_x, to_z))


@inlined
def _is_taut(
    spots: I32, before_x: AnyInt, before_z: AnyInt, x: AnyInt, z: AnyInt, p: AnyInt, q: AnyInt, turn: AnyInt
) -> AnyBool:
    """Whether some of an edge lies on the side to which the way has turned."""
    end = p if turn == TO_RIGHT else q
    return cross(before_x, before_z, x, z, spots[end, 0], spots[end, 1]) * turn < 0


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


@inlined
def _jumps(
    mesh: ShortestMesh, prices: F64, pool: Pool, node: AnyInt, a: AnyInt, b: AnyInt, on_edge: AnyBool, aim: Aim
) -> None:
    """Jumps that begin in the polygon, where the cone leads to them."""
    spots, rows = mesh.spots, pool.rows
    place = rows[node, PLACE]
    for jump in range(mesh.first_jump[place], mesh.first_jump[place + 1]):
        begins = len(spots) - 2 * len(prices) + 2 * jump
        way, past = reach(
            mesh.turns, rows[node, ROOT_X], rows[node, ROOT_Z], rows[node, LEFT_X], rows[node, LEFT_Z],
            rows[node, RIGHT_X], rows[node, RIGHT_Z], rows[node, LEFT], rows[node, RIGHT], a, b, on_edge,
            spots[begins, 0], spots[begins, 1],
        )  # fmt: skip
        if way >= 0:
            jump_to(mesh, prices, pool, node, jump, past, pool.numbers[node, SO_FAR] + way, aim)
