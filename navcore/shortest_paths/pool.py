"""Nodes of a search for the shortest path, the heap of those that wait, and the best way to each root so far."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel
from ..navquery.kernels.heap import WAITING, pop, push
from ..types import F64, I32, I64, AnyInt

# Columns of `rows`. A cone: a root, and left and right what it is seen past.
ROOT_X, ROOT_Z, LEFT_X, LEFT_Z, RIGHT_X, RIGHT_Z, ROOT, LEFT, RIGHT = range(9)
ENTRY, PARENT, PLACE = 9, 10, 11  # the edge of the polygon that is entered, the node before, the polygon
# The root before the last one, and to which side the way turned at the last: the cone is wanted on that side alone.
BEFORE, BEFORE_X, BEFORE_Z, TURN = 12, 13, 14, 15
_COLUMNS = 16
TO_LEFT, NO_TURN, TO_RIGHT = -1, 0, 1  # TURN
# Instead of RIGHT, in nodes of another kind: the way ends here, or jumps. They have in LEFT past what they get there.
ENDS, JUMPS = -2, -3
SO_FAR, TOTAL = 0, 1  # columns of `numbers`, in steps: the way to the root, and the whole of it at least
NODES, SEARCH, HELD = 0, 2, 3  # `counts`, beside WAITING; the last: a node that perhaps need not wait
# The first node's TOTAL is that of the shortest whole way so far.
WHEN, HOLDER = 0, 1  # columns of `owners`
NOBODY = -1


class Pool(NamedTuple):
    """Room for M nodes, over a mesh of V vertices."""

    rows: I32  # (M, 16)
    numbers: F64  # (M, 2)
    heap: I32  # (M,)
    totals: F64  # (M,) of the heap's nodes
    best: F64  # (V + 1,) the shortest way to each root
    owners: I32  # (V + 1, 2) in which search, and coming from which root
    counts: I64


@kernel
def new_pool(vertices: int) -> Pool:
    room = 4096
    return Pool(
        np.empty((room, _COLUMNS), np.int32), np.empty((room, 2)), np.empty(room, np.int32), np.empty(room),
        np.empty(vertices + 1), np.zeros((vertices + 1, 2), np.int32), np.zeros(4, np.int64),
    )  # fmt: skip


@kernel
def larger(pool: Pool) -> Pool:
    """A pool with room for twice as many nodes, and none in it."""
    room = 2 * len(pool.rows)
    return Pool(
        np.empty((room, _COLUMNS), np.int32), np.empty((room, 2)), np.empty(room, np.int32), np.empty(room), pool.best,
        pool.owners, pool.counts,
    )  # fmt: skip


@inlined
def claims(best: F64, owners: I32, search: AnyInt, root: AnyInt, so_far: float, holder: AnyInt) -> bool:
    """Whether a way to a root is the best so far, or goes on as that one does.

    Of two ways of one length the first is kept: where the other would lead on tautly, there is a shorter one still.
    """
    if owners[root, WHEN] == search and not so_far < best[root]:
        return so_far == best[root] and owners[root, HOLDER] == holder
    best[root] = so_far
    owners[root, WHEN], owners[root, HOLDER] = search, holder
    return True


@inlined
def hold(numbers: F64, heap: I32, totals: F64, counts: I64, node: AnyInt, total: float) -> None:
    """Of new nodes the most promising one does not wait: often it is next."""
    held = counts[HELD]
    if held >= 0 and not total < numbers[held, TOTAL]:
        push(heap, totals, counts, node, total)
        return
    counts[HELD] = node
    if held >= 0:
        push(heap, totals, counts, held, numbers[held, TOTAL])


@inlined
def next_of(numbers: F64, heap: I32, totals: F64, counts: I64) -> AnyInt:
    """The most promising node; NOBODY where there is none."""
    held = counts[HELD]
    counts[HELD] = NOBODY
    if held >= 0:
        if counts[WAITING] == 0 or numbers[held, TOTAL] <= totals[0]:
            return held
        push(heap, totals, counts, held, numbers[held, TOTAL])
    return np.int64(pop(heap, totals, counts)) if counts[WAITING] > 0 else np.int64(NOBODY)
