"""The search: cones from corners through polygons, the most promising first.

Polyanya: Cui, Harabor and Grastien, "Compromise-free Pathfinding on a Navigation Mesh", IJCAI 2017. A cone is a root
and two vertices, never a computed point, so that what it sees is decided in whole numbers. From the root of a cone one
gets straight to what it sees; past one of its ends, if that is the corner of a wall, by a turn there.
"""

from __future__ import annotations

import numpy as np

from ...jit import inlined, kernel
from ...types import F64, AnyInt
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
    WAITING,
    Pool,
    larger,
    next_of,
)  # fmt: skip
from .shortest_mesh import ShortestMesh

NOT_FOUND = np.int64(-1)
_LEAST_CAP, _CAP_PER_EDGE = 1 << 16, 64  # nodes: a search of a sound mesh stays far below


@kernel
def search(
    mesh: ShortestMesh, prices: F64, pool: Pool, start: AnyInt, start_x: AnyInt, start_z: AnyInt, goal: AnyInt,
    goal_x: AnyInt, goal_z: AnyInt, most: int,
) -> tuple[Pool, np.int64, bool]:  # fmt: skip
    """The node in which the shortest way ends, or NOT_FOUND, and whether the search used all nodes it may."""
    counts = pool.counts
    counts[NODES] = counts[WAITING] = 0
    counts[HELD] = NOBODY
    copies = len(mesh.edges) - mesh.first[-1]
    counts[SEARCH] += 1
    cap = most if most > 0 else _LEAST_CAP + _CAP_PER_EDGE * len(mesh.edges)
    aim = (np.int64(goal), np.int64(goal_x), np.int64(goal_z), np.int64(mesh.nested[goal, 0]))
    first = _first_node(pool, start, start_x, start_z, len(mesh.spots))
    pool = begin(mesh, prices, pool, first, aim)
    spots, edges, turns, nested = mesh.spots, mesh.edges, mesh.turns, mesh.nested
    rows, numbers, heap, totals = pool.rows, pool.numbers, pool.heap, pool.totals
    best, owners, vertices = pool.best, pool.owners, len(spots)
    first_edge, first_jump = mesh.first, mesh.first_jump
    while True:
        node = next_of(numbers, heap, totals, counts)
        if node < 0 or rows[node, RIGHT] == ENDS:
            return pool, np.int64(node), False
        root = rows[node, ROOT]
        if root < vertices and (numbers[node, SO_FAR] != best[root] or owners[root, HOLDER] != rows[node, BEFORE]):
            continue
        if counts[NODES] >= cap:
            return pool, NOT_FOUND, True
        place = rows[node, PLACE]
        jumps = first_jump[place + 1] - first_jump[place]
        wanted = 3 * (first_edge[place + 1] - first_edge[place] + copies) + jumps
        if rows[node, RIGHT] == JUMPS or counts[NODES] + wanted > len(rows):
            pool = begin(mesh, prices, pool, node, aim) if rows[node, RIGHT] == JUMPS else larger(pool, wanted)
            rows, numbers, heap, totals = pool.rows, pool.numbers, pool.heap, pool.totals
        if rows[node, RIGHT] != JUMPS:
            if jumps > 0:
                jump_from(mesh, prices, pool, node, aim)
            expand(spots, edges, turns, nested, rows, numbers, heap, totals, best, owners, counts, node, aim)


@inlined
def _first_node(pool: Pool, start: AnyInt, x: AnyInt, z: AnyInt, root: AnyInt) -> int:
    rows = pool.rows
    rows[0, ROOT_X], rows[0, ROOT_Z], rows[0, ROOT] = x, z, root
    rows[0, LEFT], rows[0, RIGHT], rows[0, ENTRY], rows[0, PARENT] = NOBODY, NOBODY, NOBODY, NOBODY
    rows[0, PLACE], rows[0, BEFORE], rows[0, TURN] = start, NOBODY, NO_TURN
    pool.numbers[0, SO_FAR], pool.numbers[0, TOTAL] = 0, np.inf
    pool.counts[NODES] = 1
    return 0
