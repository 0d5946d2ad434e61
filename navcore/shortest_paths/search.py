"""The search: cones from corners through polygons, the most promising first.

Polyanya: Cui, Harabor and Grastien, "Compromise-free Pathfinding on a Navigation Mesh", IJCAI 2017. A cone is a root
and two vertices, never a computed point, so that what it sees is decided in whole numbers. From the root of a cone one
gets straight to what it sees; past one of its ends, if that is the corner of a wall, by a turn there.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from ..navquery.kernels.heap import WAITING
from ..types import F64, I32, I64, AnyInt
from .beginnings import begin
from .expanding import expand
from .nodes import jump_from
from .pool import (
    BEFORE,
    ENDS,
    ENTRY,
    HELD,
    HOLDER,
    JUMPS,
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
    TOTAL,
    TURN,
    next_of,
)  # fmt: skip

NOT_FOUND = np.int64(-1)
ENDED, OUT_OF_NODES, NO_ROOM = range(3)  # how a search comes to its end; the last: it wants a larger pool
_LEAST_CAP, _CAP_PER_EDGE = 1 << 16, 64  # nodes: a search of a sound mesh stays far below


@kernel
def search(
    spots: I32, edges: I32, turns: I32, nested: I32, first_edge: I64, first_jump: I64, jumps: I32, prices: F64,
    rows: I32, numbers: F64, heap: I32, totals: F64, best: F64, owners: I32, counts: I64, start: AnyInt,
    start_x: AnyInt, start_z: AnyInt, goal: AnyInt, goal_x: AnyInt, goal_z: AnyInt, most: int,
) -> tuple[np.int64, int]:  # fmt: skip
    """The node in which the shortest way ends, or NOT_FOUND, and how the search came to its end.

    Arrays of mesh and pool one by one: to take them out of a bundle for each row costs as much as a short search.
    """
    counts[NODES] = counts[WAITING] = 0
    counts[HELD] = NOBODY
    copies, vertices = len(edges) - first_edge[-1], len(spots)
    counts[SEARCH] += 1
    cap = most if most > 0 else _LEAST_CAP + _CAP_PER_EDGE * len(edges)
    aim = (np.int64(goal), np.int64(goal_x), np.int64(goal_z), np.int64(nested[goal, 0]))
    _first_node(rows, numbers, counts, start, start_x, start_z, vertices)
    node = np.int64(0)
    has_room = begin(
        spots, edges, turns, nested, first_edge, first_jump, jumps, prices, rows, numbers, heap, totals, best, owners,
        counts, node, aim,
    )  # fmt: skip
    while has_room:
        node = np.int64(next_of(numbers, heap, totals, counts))
        if node < 0 or rows[node, RIGHT] == ENDS:
            return node, ENDED
        root = rows[node, ROOT]
        if root < vertices and (numbers[node, SO_FAR] != best[root] or owners[root, HOLDER] != rows[node, BEFORE]):
            continue
        if counts[NODES] >= cap:
            return NOT_FOUND, OUT_OF_NODES
        if rows[node, RIGHT] == JUMPS:
            has_room = begin(
                spots, edges, turns, nested, first_edge, first_jump, jumps, prices, rows, numbers, heap, totals, best,
                owners, counts, node, aim,
            )  # fmt: skip
            continue
        place = rows[node, PLACE]
        leads = first_jump[place + 1] - first_jump[place]
        wanted = 3 * (first_edge[place + 1] - first_edge[place] + copies) + leads
        has_room = counts[NODES] + wanted <= len(rows)
        if has_room and leads > 0:
            jump_from(
                spots, edges, turns, first_jump, jumps, prices, rows, numbers, heap, totals, best, owners, counts, node,
                aim,
            )  # fmt: skip
        if has_room:
            expand(spots, edges, turns, nested, rows, numbers, heap, totals, best, owners, counts, node, aim)
    return NOT_FOUND, NO_ROOM


@inlined
def _first_node(rows: I32, numbers: F64, counts: I64, start: AnyInt, x: AnyInt, z: AnyInt, root: AnyInt) -> None:
    rows[0, ROOT_X], rows[0, ROOT_Z], rows[0, ROOT] = x, z, root
    rows[0, LEFT], rows[0, RIGHT], rows[0, ENTRY], rows[0, PARENT] = NOBODY, NOBODY, NOBODY, NOBODY
    rows[0, PLACE], rows[0, BEFORE], rows[0, TURN] = start, NOBODY, NO_TURN
    numbers[0, SO_FAR], numbers[0, TOTAL] = 0, np.inf
    counts[NODES] = 1
