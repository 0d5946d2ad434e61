"""The memory for the triangulation of one polygon: rows of edges, the faces on them, and what was found out before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...types import F32, I16, I32

SIDE = 127  # pairs of vertices are numbered a · 127 + b
ROWS_PER_POINT = 10  # more are not kept, as in Recast
MAX_ROWS = ROWS_PER_POINT * SIDE  # and as many faces, as a row makes one at most
NONE = -1

ROWS, FACES, MEMOS, ROWS_LOST = 0, 1, 2, 3  # slots of `size`
START, END, CLOSED_BY, ROWS_BEFORE, FACES_BEFORE = 0, 1, 2, 3, 4  # of `rows`
START_X, START_Z, END_X, END_Z, CENTER_X, CENTER_Z, REACH = 0, 1, 2, 3, 4, 5, 6  # of `places`
A, B, C, ATTACHED = 0, 1, 2, 3  # of `faces` and `former`
ROW_OF, MEMO_OF, APEX_OF = 0, 1, 2  # of `of_pair`
APEX, CONSIDERED = 2, 3  # of `memo`, after START and END
MEMO_X, MEMO_Z, MEMO_RADIUS = 0, 1, 2  # of `memo_circle`


class Triangulation(NamedTuple):
    """Scratch of the triangulation. R rows and as many faces at most."""

    size: I32  # (4,) rows, faces, memos; and whether rows were lost because the table was full
    rows: I32  # (5, R) start, end, the row whose face closed it, and how many rows and faces there were before it
    places: F32  # (7, R) x, z of start and end; x, z of the completing circle and how far from there a point touches it
    faces: I32  # (4, R) three vertices; 0 if the face dangles
    former: I32  # (3, R) faces that are no more
    fresh: I32  # (R,) faces that are new
    of_pair: I16  # (3, 127 · 127) row that joins two vertices; memo of (start, end); apex of the face on (start, end)
    memo: I32  # (127 · 127, 4) start, end, apex so far, points considered
    memo_circle: F32  # (127 · 127, 4) x, z, radius; −1 for none


@kernel
def new_triangulation() -> Triangulation:
    """A triangulation without anything in it."""
    of_pair = np.empty((3, SIDE * SIDE), np.int16)
    for table in range(3):
        for pair in range(SIDE * SIDE):
            of_pair[table, pair] = NONE
    return Triangulation(
        np.zeros(4, np.int32),
        np.empty((5, MAX_ROWS), np.int32),
        np.empty((7, MAX_ROWS), np.float32),
        np.empty((4, MAX_ROWS), np.int32),
        np.empty((3, MAX_ROWS), np.int32),
        np.empty(MAX_ROWS, np.int32),
        of_pair,
        np.empty((SIDE * SIDE, 4), np.int32),
        np.empty((SIDE * SIDE, 4), np.float32),
    )


@kernel
def clear(triangulation: Triangulation) -> None:
    """Forget the last polygon."""
    size, rows, of_pair, memo = triangulation.size, triangulation.rows, triangulation.of_pair, triangulation.memo
    for row in range(size[ROWS]):
        of_pair[ROW_OF, rows[START, row] * SIDE + rows[END, row]] = NONE
        of_pair[ROW_OF, rows[END, row] * SIDE + rows[START, row]] = NONE
    for m in range(size[MEMOS]):
        of_pair[MEMO_OF, memo[m, START] * SIDE + memo[m, END]] = NONE
    for i in range(4):
        size[i] = 0
