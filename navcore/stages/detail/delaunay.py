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
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...jit import kernel
from ...types import F32, I32
from .heights import DANGLING, FARTHEST, TABLE_FULL, at
from .hull import length_between

SIDE = 127  # pairs of vertices are numbered a · 127 + b
ROWS_PER_POINT = 10  # more are not kept, as in Recast
MOST_ROWS = ROWS_PER_POINT * SIDE  # and as many faces, as a row makes one at most
_OPEN = -1  # `closed` of a row that has no face yet on the inside
_NONE = -1
_KEPT = -2
_ZERO, _TWO, _NO_CIRCLE = np.float32(0), np.float32(2), np.float32(-1)
_COLLINEAR = np.float32(1e-5)
_OUTSIDE = np.float32(1) + np.float32(0.001)  # of the radius: farther away is outside of the circle
_INSIDE = np.float32(1) - np.float32(0.001)  # nearer is inside; between them is a tie
_SIEVE = np.float32(1.00001)  # far more than rounding can do to a square


class Mesh(NamedTuple):
    """Scratch of the triangulation. R rows and as many faces at most."""

    size: I32  # (4,) rows, faces, memos; and whether rows were lost because the table was full
    rows: I32  # (5, R) start, end, the row whose face closed it, and how many rows and faces there were before it
    places: F32  # (7, R) x, z of start and end; x, z of the completing circle and how far from there a point touches it
    faces: I32  # (4, R) three vertices; 0 if the face dangles
    former: I32  # (3, R) faces that are no more
    fresh: I32  # (R,) faces that are new
    of_pair: npt.NDArray[
        np.int16
    ]  # (3, 128 · 128) row that joins two vertices; memo of (start, end); apex of the face on (start, end)
    memo: I32  # (127 · 127, 4) start, end, apex so far, points considered
    memo_circle: F32  # (127 · 127, 4) x, z, radius; −1 for none


@kernel
def new_mesh():
    """A triangulation without anything in it."""
    of_pair = np.empty((3, SIDE * SIDE), np.int16)
    for table in range(3):
        for pair in range(SIDE * SIDE):
            of_pair[table, pair] = _NONE
    return Mesh(
        np.zeros(4, np.int32),
        np.empty((5, MOST_ROWS), np.int32),
        np.empty((7, MOST_ROWS), np.float32),
        np.empty((4, MOST_ROWS), np.int32),
        np.empty((3, MOST_ROWS), np.int32),
        np.empty(MOST_ROWS, np.int32),
        of_pair,
        np.empty((SIDE * SIDE, 4), np.int32),
        np.empty((SIDE * SIDE, 4), np.float32),
    )


@kernel
def clear(mesh):
    """Forget the last polygon."""
    size, rows, of_pair, memo = mesh.size, mesh.rows, mesh.of_pair, mesh.memo
    for row in range(size[0]):
        of_pair[0, rows[0, row] * SIDE + rows[1, row]] = _NONE
        of_pair[0, rows[1, row] * SIDE + rows[0, row]] = _NONE
    for m in range(size[2]):
        of_pair[1, memo[m, 0] * SIDE + memo[m, 1]] = _NONE
    for i in range(4):
        size[i] = 0


@kernel
def triangulate(mesh, points, count, ring, ring_size, found):
    """Bring the triangulation up to date with the last of `count` points.

    Returns how many faces are in `former` (they are no more) and in `fresh` (indices of those that are new).
    """
    # From here on plain arrays: each look into a bundle, and each row taken out of an array, counts references.
    size, rows, places, faces, former, fresh, of_pair, memo, circle = mesh
    begin, gone = 0, 0
    if size[0] == 0:
        before = ring[0, ring_size - 1]
        for i in range(ring_size):  # the first rows: the boundary, closed on the outside
            _append(size, rows, places, of_pair, points, before, ring[0, i])
            before = ring[0, i]
    else:
        begin = np.int64(_first_touched(size[0], places, points[0, count - 1], points[2, count - 1]))
        if size[3]:
            begin, size[3] = 0, 0  # a row was lost for want of room, and there is more room now
        gone = _undo(size, rows, faces, former, of_pair, begin)
    kept = size[1]
    row = at(begin)
    while row < at(size[0]):
        rows[3, row], rows[4, row] = size[0], size[1]
        places[6, row] = -FARTHEST  # where another row closed it, no point touches it
        if rows[2, row] == _OPEN:
            rows[2, row] = row
            apex = _complete(size, rows, places, of_pair, memo, circle, points, count, row)
            if apex >= 0:
                _make_face(size, rows, places, faces, of_pair, points, count, row, apex, found)
        row = at(row + 1)
    return _compare(size, faces, former, fresh, of_pair, kept, gone, found)


@kernel
def _append(size, rows, places, of_pair, points, start, end):
    row, start, end = at(size[0]), at(start), at(end)
    rows[0, row], rows[1, row], rows[2, row] = start, end, _OPEN
    places[0, row], places[1, row] = points[0, start], points[2, start]
    places[2, row], places[3, row] = points[0, end], points[2, end]
    of_pair[0, at(start * SIDE + end)] = row
    of_pair[0, at(end * SIDE + start)] = row
    size[0] = row + 1


@kernel
def _first_touched(count, places, x, z):
    """The first row whose completion a new point at (x, z) could change; `count` if none."""
    first = np.int32(count)
    for row in range(np.int32(count)):
        # As the completion itself computes it, from the row's end to its start.
        end_x, end_z = places[2, row], places[3, row]
        u1, v1, u2, v2 = places[0, row] - end_x, places[1, row] - end_z, x - end_x, z - end_z
        dx, dz = x - places[4, row], z - places[5, row]
        apart = np.float32(math.sqrt(dx * dx + dz * dz)) > places[6, row]
        touched = np.int32(row) if (u1 * v2 - v1 * u2 > _COLLINEAR) & (not apart) else np.int32(count)
        first = min(first, touched)
    return first


@kernel
def _undo(size, rows, faces, former, of_pair, begin):
    """Take back all that row `begin` and later ones did; returns the number of faces that go (into `former`)."""
    if begin >= size[0]:
        return 0
    rows_before, faces_before = rows[3, begin], rows[4, begin]
    for i in range(rows_before, size[0]):
        row = at(i)
        of_pair[0, at(rows[0, row] * SIDE + rows[1, row])] = _NONE
        of_pair[0, at(rows[1, row] * SIDE + rows[0, row])] = _NONE
    for i in range(begin, rows_before):
        row = at(i)
        if rows[2, row] >= begin:
            rows[2, row] = _OPEN
    gone = 0
    for i in range(faces_before, size[1]):
        face = at(i)
        if faces[3, face]:
            former[0, gone], former[1, gone], former[2, gone] = faces[0, face], faces[1, face], faces[2, face]
            of_pair[2, at(faces[0, face] * SIDE + faces[1, face])] = faces[2, face]
            gone += 1
    size[0], size[1] = rows_before, faces_before
    return gone


@kernel
def _make_face(size, rows, places, faces, of_pair, points, count, row, apex, found):
    """Write the face between a row and its apex; its two other sides open new rows or close rows that wait."""
    start, end, face = rows[0, row], rows[1, row], at(size[1])
    attached = 0
    for a, b in ((apex, end), (start, apex)):
        other = np.int32(of_pair[0, at(a * SIDE + b)])
        if other != _NONE:
            if rows[0, at(other)] == b and rows[2, at(other)] == _OPEN:
                rows[2, at(other)] = row
                attached = 1
        elif size[0] < ROWS_PER_POINT * count:
            _append(size, rows, places, of_pair, points, a, b)
            attached = 1
        else:
            found[TABLE_FULL] += 1
            size[3] = 1
    faces[0, face], faces[1, face], faces[2, face], faces[3, face] = start, end, apex, attached
    size[1] = face + 1


@kernel
def _complete(size, rows, places, of_pair, memo, circle, points, count, row):
    """The point that makes the best circle with a row, or −1; notes what of a later point would touch the choice."""
    s, t = rows[1, row], rows[0, row]
    sx, sz, tx, tz = places[2, row], places[3, row], places[0, row], places[1, row]
    pair = at(s * SIDE + t)
    known = np.int32(of_pair[1, pair])
    m = at(known if known != _NONE else size[2])
    if known == _NONE:
        size[2] = m + 1
        of_pair[1, pair] = m
        memo[m, 0], memo[m, 1], memo[m, 2], memo[m, 3] = s, t, _NONE, 0
        circle[m, 0], circle[m, 1], circle[m, 2] = _ZERO, _ZERO, _NO_CIRCLE
    best, u = memo[m, 2], np.int64(memo[m, 3])
    cx, cz, r = circle[m, 0], circle[m, 1], circle[m, 2]
    pure = True
    while True:
        u = _next_inside(points, u, count, sx, sz, tx, tz, cx, cz, r)
        if u >= count:
            break
        x, z = points[0, at(u)], points[2, at(u)]
        if not r < _ZERO and not length_between(cx, cz, x, z) < r * _INSIDE:  # a tie
            if pure:
                pure = False
                memo[m, 2], memo[m, 3] = best, u
                circle[m, 0], circle[m, 1], circle[m, 2] = cx, cz, r
            if _crosses_any(size[0], rows, places, s, u, sx, sz, x, z) or _crosses_any(
                size[0], rows, places, t, u, tx, tz, x, z
            ):
                u += 1
                continue
        best = np.int32(u)
        cx, cz, r = _circle(sx, sz, tx, tz, x, z)
        u += 1
    if pure:
        memo[m, 2], memo[m, 3] = best, count
        circle[m, 0], circle[m, 1], circle[m, 2] = cx, cz, r
    places[4, row], places[5, row] = cx, cz
    places[6, row] = r * _OUTSIDE if best >= 0 else np.float32(np.inf)
    return best


@kernel
def _next_inside(points, begin, end, sx, sz, tx, tz, cx, cz, r):
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
def _sift(points, begin, end, sx, sz, tx, tz, cx, cz, far):
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
def _circle(px, pz, qx, qz, rx, rz):
    """Center and radius of the circle through three points that are not collinear."""
    x2, z2, x3, z3 = qx - px, qz - pz, rx - px, rz - pz
    k = x2 * z3 - z2 * x3
    q2, q3 = x2 * x2 + z2 * z2, x3 * x3 + z3 * z3
    x = (q2 * z3 - q3 * z2) / (_TWO * k)
    z = (q3 * x2 - q2 * x3) / (_TWO * k)
    return x + px, z + pz, np.float32(math.sqrt(x * x + z * z))


@kernel
def _crosses_any(count, rows, places, s, t, sx, sz, tx, tz):
    """Does the segment from s to t cross an edge that has neither as an end? No early exit, so that it vectorizes."""
    crossings = np.int32(0)
    for row in range(count):
        ax, az, bx, bz = places[0, row], places[1, row], places[2, row], places[3, row]
        a1 = (bx - ax) * (tz - az) - (bz - az) * (tx - ax)
        a2 = (bx - ax) * (sz - az) - (bz - az) * (sx - ax)
        a3 = (tx - sx) * (az - sz) - (tz - sz) * (ax - sx)
        a4 = (a3 + a2) - a1
        apart = (rows[0, row] != s) & (rows[0, row] != t) & (rows[1, row] != s) & (rows[1, row] != t)
        crossings |= np.int32(apart & (a1 * a2 < _ZERO) & (a3 * a4 < _ZERO))
    return crossings != 0


@kernel
def _compare(size, faces, former, fresh, of_pair, kept, gone, found):
    """Which faces came and which went, now that all rows are complete. A face that came back is neither."""
    for face in range(size[1]):
        if not faces[3, at(face)]:
            found[DANGLING] += 1
    came = 0
    for i in range(kept, size[1]):
        face = at(i)
        if faces[3, face]:
            pair = at(faces[0, face] * SIDE + faces[1, face])
            if np.int32(of_pair[2, pair]) == faces[2, face]:
                of_pair[2, pair] = _KEPT
            else:
                fresh[came] = face
                came += 1
    went = 0
    for i in range(gone):
        pair = at(former[0, i] * SIDE + former[1, i])
        if np.int32(of_pair[2, pair]) != _KEPT:
            former[0, went], former[1, went], former[2, went] = former[0, i], former[1, i], former[2, i]
            went += 1
        of_pair[2, pair] = _NONE
    return went, came
