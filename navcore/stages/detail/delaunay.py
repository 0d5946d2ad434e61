"""Triangulates the boundary ring with the points inside it, exactly as Recast does, only without starting over.

Recast rebuilds all triangles after each inserted point. It keeps a table of edge rows; the ring is written first, then
row after row is *completed* by the point whose circle through the row's ends holds no other, which appends new rows.
The result depends on the order of everything: ties within 0.1 % of a radius are decided by the edges there are at that
moment. What makes this faster and still equal to the bit:

* A row is completed on one side only. (Ring rows have the outside on the other, all others the face that made them.)
  Rows before the one at work are closed, so a face only ever closes later rows. It follows that a face is (start, end,
  apex) of the row that made it, that no two faces have the same start and end, and that a face dangles if neither of
  its other sides could be attached.
* *Restart.* A new point has the highest number, so it is considered last in each completion. Rows whose completion it
  does not touch come out as before, as long as all rows before them did too (then the table they see is the same
  one). So the rebuild begins at the first row that is touched; what it and later rows did is undone.
* *Memo.* A completion goes through the points in ascending order. Up to its first tie it reads nothing but the points,
  which never move: its state there is remembered for each (start, end), and taken up when points have been added.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from ...geometry.segments import FARTHEST
from ...jit import kernel
from ...types import F32, I16, I32, I64, AnyInt
from .detail_counts import DANGLING, TABLE_FULL
from .edge_and_inner_samples import VERTEX
from .height_patch import at
from .hull import length_between
from .triangle_table import (
    APEX,
    APEX_OF,
    ATTACHED,
    CENTER_X,
    CENTER_Z,
    CLOSED_BY,
    CONSIDERED,
    END,
    END_X,
    END_Z,
    FACES,
    FACES_BEFORE,
    MEMO_OF,
    MEMO_RADIUS,
    MEMO_X,
    MEMO_Z,
    MEMOS,
    NONE,
    REACH,
    ROW_OF,
    ROWS,
    ROWS_BEFORE,
    ROWS_LOST,
    ROWS_PER_POINT,
    SIDE,
    START,
    START_X,
    START_Z,
    A,
    B,
    C,
    Triangulation,
)

_OPEN = -1  # CLOSED_BY of a row that has no face yet on the inside
_KEPT = -2  # in place of an apex: the face came back
_ZERO, _TWO, _NO_CIRCLE = np.float32(0), np.float32(2), np.float32(-1)
_COLLINEAR = np.float32(1e-5)
_OUTSIDE = np.float32(1) + np.float32(0.001)  # of the radius: farther away is outside of the circle
_INSIDE = np.float32(1) - np.float32(0.001)  # nearer is inside; between them is a tie
_SIEVE = np.float32(1.00001)  # far more than rounding can do to a square


_Circle: TypeAlias = tuple[np.float32, np.float32, np.float32]  # x and z of its center, and its radius


@kernel
def triangulate(
    triangulation: Triangulation, points: F32, count: int, ring: I32, ring_size: int, tally: I64
) -> tuple[int, int]:
    """Bring the triangulation up to date with the last of `count` points.

    Returns how many faces are in `former` (they are no more) and in `fresh` (indices of those that are new).
    """
    # From here on plain arrays: each look into a bundle, and each row taken out of an array, counts references.
    size, rows, places, faces, former, fresh, of_pair, memo, circle = triangulation
    begin, gone = np.int64(0), 0
    if size[ROWS] == 0:
        before = ring[VERTEX, ring_size - 1]
        for i in range(ring_size):  # the first rows: the boundary, closed on the outside
            _append(size, rows, places, of_pair, points, before, ring[VERTEX, i])
            before = ring[VERTEX, i]
    else:
        begin = np.int64(_first_touched(size[ROWS], places, points[0, count - 1], points[2, count - 1]))
        if size[ROWS_LOST]:
            begin, size[ROWS_LOST] = np.int64(0), 0  # a row was lost for want of room, and there is more room now
        gone = _undo(size, rows, faces, former, of_pair, begin)
    unchanged = size[FACES]
    row = at(begin)
    while row < at(size[ROWS]):
        rows[ROWS_BEFORE, row], rows[FACES_BEFORE, row] = size[ROWS], size[FACES]
        places[REACH, row] = -FARTHEST  # where another row closed it, no point touches it
        if rows[CLOSED_BY, row] == _OPEN:
            rows[CLOSED_BY, row] = row
            apex = _complete(size, rows, places, of_pair, memo, circle, points, count, row)
            if apex >= 0:
                _make_face(size, rows, places, faces, of_pair, points, count, row, apex, tally)
        row = at(row + 1)
    return _compare(size, faces, former, fresh, of_pair, unchanged, gone, tally)


@kernel
def _append(size: I32, rows: I32, places: F32, of_pair: I16, points: F32, start: AnyInt, end: AnyInt) -> None:
    row, start, end = at(size[ROWS]), at(start), at(end)
    rows[START, row], rows[END, row], rows[CLOSED_BY, row] = start, end, _OPEN
    places[START_X, row], places[START_Z, row] = points[0, start], points[2, start]
    places[END_X, row], places[END_Z, row] = points[0, end], points[2, end]
    of_pair[ROW_OF, at(start * SIDE + end)] = row
    of_pair[ROW_OF, at(end * SIDE + start)] = row
    size[ROWS] = row + 1


@kernel
def _first_touched(count: int, places: F32, x: np.float32, z: np.float32) -> np.int32:
    """The first row whose completion a new point at (x, z) could change; `count` if none."""
    first = np.int32(count)
    for row in range(np.int32(count)):
        # As the completion itself computes it, from the row's end to its start.
        end_x, end_z = places[END_X, row], places[END_Z, row]
        u1, v1, u2, v2 = places[START_X, row] - end_x, places[START_Z, row] - end_z, x - end_x, z - end_z
        dx, dz = x - places[CENTER_X, row], z - places[CENTER_Z, row]
        apart = np.float32(math.sqrt(dx * dx + dz * dz)) > places[REACH, row]
        touched = np.int32(row) if (u1 * v2 - v1 * u2 > _COLLINEAR) & (not apart) else np.int32(count)
        first = min(first, touched)
    return first


@kernel
def _undo(size: I32, rows: I32, faces: I32, former: I32, of_pair: I16, begin: AnyInt) -> int:
    """Take back all that row `begin` and later ones did; returns the number of faces that go (into `former`)."""
    if begin >= size[ROWS]:
        return 0
    rows_before, faces_before = rows[ROWS_BEFORE, begin], rows[FACES_BEFORE, begin]
    for i in range(rows_before, size[ROWS]):
        row = at(i)
        of_pair[ROW_OF, at(rows[START, row] * SIDE + rows[END, row])] = NONE
        of_pair[ROW_OF, at(rows[END, row] * SIDE + rows[START, row])] = NONE
    for i in range(begin, rows_before):
        row = at(i)
        if rows[CLOSED_BY, row] >= begin:
            rows[CLOSED_BY, row] = _OPEN
    gone = 0
    for i in range(faces_before, size[FACES]):
        face = at(i)
        if faces[ATTACHED, face]:
            former[A, gone], former[B, gone], former[C, gone] = faces[A, face], faces[B, face], faces[C, face]
            of_pair[APEX_OF, at(faces[A, face] * SIDE + faces[B, face])] = faces[C, face]
            gone += 1
    size[ROWS], size[FACES] = rows_before, faces_before
    return gone


@kernel
def _make_face(
    size: I32, rows: I32, places: F32, faces: I32, of_pair: I16, points: F32, count: int, row: AnyInt, apex: AnyInt,
    tally: I64,
) -> None:  # fmt: skip
    """Write the face between a row and its apex; its two other sides open new rows or close rows that wait."""
    start, end, face = rows[START, row], rows[END, row], at(size[FACES])
    attached = 0
    for a, b in ((apex, end), (start, apex)):
        other = np.int32(of_pair[ROW_OF, at(a * SIDE + b)])
        if other != NONE:
            if rows[START, at(other)] == b and rows[CLOSED_BY, at(other)] == _OPEN:
                rows[CLOSED_BY, at(other)] = row
                attached = 1
        elif size[ROWS] < ROWS_PER_POINT * count:
            _append(size, rows, places, of_pair, points, a, b)
            attached = 1
        else:
            tally[TABLE_FULL] += 1
            size[ROWS_LOST] = 1
    faces[A, face], faces[B, face], faces[C, face], faces[ATTACHED, face] = start, end, apex, attached
    size[FACES] = face + 1


@kernel
def _complete(
    size: I32, rows: I32, places: F32, of_pair: I16, memo: I32, circle: F32, points: F32, count: int, row: AnyInt
) -> np.int32:
    """The point that makes the best circle with a row, or −1; notes what of a later point would touch the choice."""
    s, t = rows[END, row], rows[START, row]
    sx, sz, tx, tz = places[END_X, row], places[END_Z, row], places[START_X, row], places[START_Z, row]
    pair = at(s * SIDE + t)
    known = np.int32(of_pair[MEMO_OF, pair])
    m = at(known if known != NONE else size[MEMOS])
    if known == NONE:
        size[MEMOS] = m + 1
        of_pair[MEMO_OF, pair] = m
        memo[m, START], memo[m, END], memo[m, APEX], memo[m, CONSIDERED] = s, t, NONE, 0
        circle[m, MEMO_X], circle[m, MEMO_Z], circle[m, MEMO_RADIUS] = _ZERO, _ZERO, _NO_CIRCLE
    best = memo[m, APEX]
    u: AnyInt = np.int64(memo[m, CONSIDERED])
    cx, cz, r = circle[m, MEMO_X], circle[m, MEMO_Z], circle[m, MEMO_RADIUS]
    pure = True
    while True:
        u = _next_inside(points, u, count, sx, sz, tx, tz, cx, cz, r)
        if u >= count:
            break
        x, z = points[0, at(u)], points[2, at(u)]
        if not r < _ZERO and not length_between(cx, cz, x, z) < r * _INSIDE:  # a tie
            if pure:
                pure = False
                memo[m, APEX], memo[m, CONSIDERED] = best, u
                circle[m, MEMO_X], circle[m, MEMO_Z], circle[m, MEMO_RADIUS] = cx, cz, r
            if _crosses_any(size[ROWS], rows, places, s, u, sx, sz, x, z) or _crosses_any(
                size[ROWS], rows, places, t, u, tx, tz, x, z
            ):
                u += 1
                continue
        best = np.int32(u)
        cx, cz, r = _circle(sx, sz, tx, tz, x, z)
        u += 1
    if pure:
        memo[m, APEX], memo[m, CONSIDERED] = best, count
        circle[m, MEMO_X], circle[m, MEMO_Z], circle[m, MEMO_RADIUS] = cx, cz, r
    places[CENTER_X, row], places[CENTER_Z, row] = cx, cz
    places[REACH, row] = r * _OUTSIDE if best >= 0 else np.float32(np.inf)
    return best


@kernel
def _next_inside(
    points: F32, begin: AnyInt, end: AnyInt, sx: np.float32, sz: np.float32, tx: np.float32, tz: np.float32,
    cx: np.float32, cz: np.float32, r: np.float32,
) -> AnyInt:  # fmt: skip
    """The first point from `begin` on that lies to the left of s → t and not outside of the circle; `end` if none.

    Many points are first sifted all at once by a squared distance, which leaves in a few that are just outside; then it
    is computed as Recast does. (s and t are not to the left of s → t: their products cancel exactly.)
    """
    reach = r * _OUTSIDE
    far = reach * reach * _SIEVE if not r < _ZERO else np.float32(np.inf)
    while begin < end:
        if end - begin > 4:
            begin = _sift(points, begin, end, sx, sz, tx, tz, cx, cz, far)
            if begin == end:
                break
        x, z = points[0, at(begin)], points[2, at(begin)]
        if (tx - sx) * (z - sz) - (tz - sz) * (x - sx) > _COLLINEAR:
            if r < _ZERO or not length_between(cx, cz, x, z) > reach:
                break
        begin += 1
    return begin


@kernel
def _sift(
    points: F32, begin: AnyInt, end: AnyInt, sx: np.float32, sz: np.float32, tx: np.float32, tz: np.float32,
    cx: np.float32, cz: np.float32, far: np.float32,
) -> np.int64:  # fmt: skip
    first = np.int32(end)
    for i in range(np.int32(end - begin)):
        u = at(begin + i)
        x, z = points[0, u], points[2, u]
        dx, dz = x - cx, z - cz
        left = (tx - sx) * (z - sz) - (tz - sz) * (x - sx) > _COLLINEAR
        candidate = np.int32(u) if left & (not dx * dx + dz * dz > far) else np.int32(end)
        first = min(first, candidate)
    return np.int64(first)


@kernel
def _circle(px: np.float32, pz: np.float32, qx: np.float32, qz: np.float32, rx: np.float32, rz: np.float32) -> _Circle:
    """Center and radius of the circle through three points that are not collinear."""
    x2, z2, x3, z3 = qx - px, qz - pz, rx - px, rz - pz
    k = x2 * z3 - z2 * x3
    q2, q3 = x2 * x2 + z2 * z2, x3 * x3 + z3 * z3
    x = (q2 * z3 - q3 * z2) / (_TWO * k)
    z = (q3 * x2 - q2 * x3) / (_TWO * k)
    return x + px, z + pz, np.float32(math.sqrt(x * x + z * z))


@kernel
def _crosses_any(
    count: int, rows: I32, places: F32, s: AnyInt, t: AnyInt, sx: np.float32, sz: np.float32, tx: np.float32,
    tz: np.float32,
) -> bool:  # fmt: skip
    """Does the segment from s to t cross an edge that has neither as an end? No early exit, so that it vectorizes."""
    crossings = np.int32(0)
    for row in range(count):
        ax, az, bx, bz = places[START_X, row], places[START_Z, row], places[END_X, row], places[END_Z, row]
        a1 = (bx - ax) * (tz - az) - (bz - az) * (tx - ax)
        a2 = (bx - ax) * (sz - az) - (bz - az) * (sx - ax)
        a3 = (tx - sx) * (az - sz) - (tz - sz) * (ax - sx)
        a4 = (a3 + a2) - a1
        apart = (rows[START, row] != s) & (rows[START, row] != t) & (rows[END, row] != s) & (rows[END, row] != t)
        crossings |= np.int32(apart & (a1 * a2 < _ZERO) & (a3 * a4 < _ZERO))
    return crossings != 0


@kernel
def _compare(
    size: I32, faces: I32, former: I32, fresh: I32, of_pair: I16, unchanged: int, gone: int, tally: I64
) -> tuple[int, int]:
    """Which faces came and which went, now that all rows are complete. A face that came back is neither."""
    for i in range(size[FACES]):
        if not faces[ATTACHED, at(i)]:
            tally[DANGLING] += 1
    came = 0
    for i in range(unchanged, size[FACES]):
        face = at(i)
        if faces[ATTACHED, face]:
            pair = at(faces[A, face] * SIDE + faces[B, face])
            if np.int32(of_pair[APEX_OF, pair]) == faces[C, face]:
                of_pair[APEX_OF, pair] = _KEPT
            else:
                fresh[came] = face
                came += 1
    went = 0
    for i in range(gone):
        pair = at(former[A, i] * SIDE + former[B, i])
        if np.int32(of_pair[APEX_OF, pair]) != _KEPT:
            former[A, went], former[B, went], former[C, went] = former[A, i], former[B, i], former[C, i]
            went += 1
        of_pair[APEX_OF, pair] = NONE
    return went, came
