"""Triangulates the boundary ring with the points inside it, exactly as Recast does, only without starting over.

Recast rebuilds all triangles after each inserted point. It keeps a table of edge rows; the ring is written first, and then
row after row is *completed* by the point whose circle through the row's ends holds no other, which appends new rows. The
result depends on the order of everything: ties within 0.1 % of a radius are decided by the edges there are at that moment.
What makes this faster and still equal to the bit:

* A row is completed on one side only. (Ring rows have the outside on the other; all others have the face that made them.)
  A row that another row's face has closed comes later in the table. So a face is always (start, end, apex) of the row
  that made it, no two faces have the same start and end, and a face dangles if neither other side could be attached to it.
* *Restart.* A new point has the highest number, so it is considered last in each completion. Rows whose completion it does
  not touch come out as before, as long as all rows before them did too (then the table they see is the same one). The
  rebuild so begins at the first row that is touched; what later rows did is undone.
* *Memo.* A completion goes through the points in ascending order. Up to its first tie it reads nothing but the points, which
  never move: its state there is remembered for each (start, end), and taken up when points have been added.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..jit import kernel
from ..types import F32, I32
from .heights import DANGLING, FARTHEST, TABLE_FULL
from .hull import length_between

SIDE = 128  # pairs of vertices are numbered a · 128 + b
MOST_ROWS = 1280  # ten for each vertex; as a row makes one face at most, also the most faces
_OPEN = -1  # `closed` of a row that has no face yet on the inside
_NONE = -1
_KEPT = -2
_ZERO, _TWO = np.float32(0), np.float32(2)
_COLLINEAR = np.float32(1e-5)
_OUTSIDE = np.float32(1) + np.float32(0.001)  # of the radius: farther away is outside of the circle
_INSIDE = np.float32(1) - np.float32(0.001)  # nearer is inside; between them is a tie


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
    memo: I32  # (4, 128 · 128) start, end, apex so far, points considered
    memo_circle: F32  # (3, 128 · 128) x, z, radius; −1 for none


@kernel
def clear(mesh):
    """Forget the last polygon."""
    size, rows, of_pair, memo = mesh.size, mesh.rows, mesh.of_pair, mesh.memo
    for row in range(size[0]):
        of_pair[0, rows[0, row] * SIDE + rows[1, row]] = _NONE
        of_pair[0, rows[1, row] * SIDE + rows[0, row]] = _NONE
    for m in range(size[2]):
        of_pair[1, memo[0, m] * SIDE + memo[1, m]] = _NONE
    for i in range(4):
        size[i] = 0


@kernel
def triangulate(mesh, points, count, ring, ring_size, found):
    """Bring the triangulation up to date with the last of `count` points.

    Returns how many faces are in `former` (they are no more) and in `fresh` (indices of those that are new).
    """
    size, rows = mesh.size, mesh.rows
    begin, old_faces = 0, 0
    if size[0] == 0:
        _lay_ring(mesh, points, ring, ring_size)
    else:
        begin = np.int64(_first_touched(size[0], rows[2], mesh.places, points[0, count - 1], points[2, count - 1]))
        if size[3]:
            begin, size[3] = 0, 0  # a row was lost for want of room, and there is more room now
        old_faces = _undo(mesh, begin)
    kept_faces = size[1]
    _complete_rows(mesh, points, count, begin, found)
    for face in range(size[1]):
        if not mesh.faces[3, face]:
            found[DANGLING] += 1
    return _compare(mesh, kept_faces, old_faces)


@kernel
def _lay_ring(mesh, points, ring, ring_size):
    """The first rows: the boundary, closed on the outside."""
    before = ring[0, ring_size - 1]
    for i in range(ring_size):
        _append(mesh.size, mesh.rows, mesh.places, mesh.of_pair[0], points, before, ring[0, i])
        before = ring[0, i]


@kernel
def _append(size, rows, places, row_of, points, start, end):
    row = size[0]
    rows[0, row], rows[1, row], rows[2, row] = start, end, _OPEN
    places[0, row], places[1, row] = points[0, start], points[2, start]
    places[2, row], places[3, row] = points[0, end], points[2, end]
    row_of[start * SIDE + end] = row
    row_of[end * SIDE + start] = row
    size[0] = row + 1


@kernel
def _first_touched(count, closed, places, x, z):
    """The first row whose completion a new point at (x, z) could change; `count` if none."""
    start_x, start_z, end_x, end_z = places[0], places[1], places[2], places[3]
    circle_x, circle_z, reach = places[4], places[5], places[6]
    first = np.int32(count)
    for row in range(np.int32(count)):
        # As the completion itself computes it, from the row's end to its start.
        u1, v1 = start_x[row] - end_x[row], start_z[row] - end_z[row]
        u2, v2 = x - end_x[row], z - end_z[row]
        dx, dz = x - circle_x[row], z - circle_z[row]
        apart = math.sqrt(dx * dx + dz * dz) > reach[row]
        touched = np.int32(row) if (u1 * v2 - v1 * u2 > _COLLINEAR) & (not apart) else np.int32(count)
        first = min(first, touched)
    return first


@kernel
def _undo(mesh, begin):
    """Take back all that row `begin` and later ones did. The faces that go are noted in `former`; returns their number."""
    size, rows, faces, former, of_pair = mesh.size, mesh.rows, mesh.faces, mesh.former, mesh.of_pair
    if begin >= size[0]:
        return 0
    rows_before, faces_before = rows[3, begin], rows[4, begin]
    for row in range(rows_before, size[0]):
        of_pair[0, rows[0, row] * SIDE + rows[1, row]] = _NONE
        of_pair[0, rows[1, row] * SIDE + rows[0, row]] = _NONE
    for row in range(begin, rows_before):
        if rows[2, row] >= begin:
            rows[2, row] = _OPEN
    gone = 0
    for face in range(faces_before, size[1]):
        if faces[3, face]:
            for k in range(3):
                former[k, gone] = faces[k, face]
            of_pair[2, faces[0, face] * SIDE + faces[1, face]] = faces[2, face]
            gone += 1
    size[0] = rows_before
    size[1] = faces_before
    return gone


@kernel
def _complete_rows(mesh, points, count, begin, found):
    """Complete one open row after the other; the table grows meanwhile."""
    size, rows, places, of_pair = mesh.size, mesh.rows, mesh.places, mesh.of_pair
    faces, row_of = mesh.faces, of_pair[0]
    row = begin
    while row < size[0]:
        rows[3, row], rows[4, row] = size[0], size[1]
        places[6, row] = -FARTHEST  # closed by another row: no point touches it
        if rows[2, row] == _OPEN:
            start, end = rows[0, row], rows[1, row]
            rows[2, row] = row
            apex = _complete(mesh, points, count, row, end, start)
            if apex >= 0:
                face = size[1]
                size[1] = face + 1
                faces[0, face], faces[1, face], faces[2, face] = start, end, apex
                one = _attach(size, rows, places, row_of, points, 10 * count, row, apex, end, found)
                other = _attach(size, rows, places, row_of, points, 10 * count, row, start, apex, found)
                faces[3, face] = 1 if one or other else 0
        row += 1


@kernel
def _attach(size, rows, places, row_of, points, capacity, by, start, end, found):
    """Give the face made by row `by` its side from start to end; False if there is no room or another face has it."""
    row = np.int32(row_of[start * SIDE + end])
    if row == _NONE:
        if size[0] >= capacity:
            found[TABLE_FULL] += 1
            size[3] = 1
            return False
        _append(size, rows, places, row_of, points, start, end)
        return True
    if rows[0, row] == end and rows[2, row] == _OPEN:
        rows[2, row] = by
        return True
    return False


@kernel
def _complete(mesh, points, count, row, s, t):
    """The point that makes the best circle with s and t, or −1; notes what of a later point would touch the choice."""
    x, z, places = points[0], points[2], mesh.places
    memo, circle, memo_of = mesh.memo, mesh.memo_circle, mesh.of_pair[1]
    m = np.int32(memo_of[s * SIDE + t])
    if m == _NONE:
        m = _new_memo(mesh.size, memo, circle, memo_of, s, t)
    best, at = memo[2, m], memo[3, m]
    cx, cz, r = circle[0, m], circle[1, m], circle[2, m]
    pure = True
    sx, sz, tx, tz = x[s], z[s], x[t], z[t]
    for u in range(at, count):
        if u == s or u == t or not (tx - sx) * (z[u] - sz) - (tz - sz) * (x[u] - sx) > _COLLINEAR:
            continue
        if not r < _ZERO:
            d = length_between(cx, cz, x[u], z[u])
            if d > r * _OUTSIDE:
                continue
            if not d < r * _INSIDE:
                if pure:
                    pure = False
                    _remember(memo, circle, m, best, u, cx, cz, r)
                if _crosses_any(mesh.size[0], mesh.rows, places, s, u, sx, sz, x[u], z[u]):
                    continue
                if _crosses_any(mesh.size[0], mesh.rows, places, t, u, tx, tz, x[u], z[u]):
                    continue
        best = np.int32(u)
        cx, cz, r = _circle(sx, sz, tx, tz, x[u], z[u])
    if pure:
        _remember(memo, circle, m, best, count, cx, cz, r)
    places[4, row], places[5, row] = cx, cz
    places[6, row] = r * _OUTSIDE if best >= 0 else np.float32(np.inf)
    return best


@kernel
def _new_memo(size, memo, circle, memo_of, s, t):
    m = size[2]
    size[2] = m + 1
    memo_of[s * SIDE + t] = m
    memo[0, m], memo[1, m] = s, t
    _remember(memo, circle, m, -1, 0, _ZERO, _ZERO, np.float32(-1))
    return m


@kernel
def _remember(memo, circle, m, best, considered, cx, cz, r):
    memo[2, m], memo[3, m] = best, considered
    circle[0, m], circle[1, m], circle[2, m] = cx, cz, r


@kernel
def _circle(px, pz, qx, qz, rx, rz):
    """Center and radius of the circle through three points that are not collinear."""
    x2, z2, x3, z3 = qx - px, qz - pz, rx - px, rz - pz
    k = x2 * z3 - z2 * x3
    q2, q3 = x2 * x2 + z2 * z2, x3 * x3 + z3 * z3
    x = (q2 * z3 - q3 * z2) / (_TWO * k)
    z = (q3 * x2 - q2 * x3) / (_TWO * k)
    return x + px, z + pz, math.sqrt(x * x + z * z)


@kernel
def _crosses_any(count, rows, places, s, t, sx, sz, tx, tz):
    """Does the segment from s to t cross any edge that has neither as an end? Without an early exit: that vectorizes."""
    start, end = rows[0], rows[1]
    start_x, start_z, end_x, end_z = places[0], places[1], places[2], places[3]
    crossings = np.int32(0)
    for row in range(count):
        ax, az, bx, bz = start_x[row], start_z[row], end_x[row], end_z[row]
        a1 = (bx - ax) * (tz - az) - (bz - az) * (tx - ax)
        a2 = (bx - ax) * (sz - az) - (bz - az) * (sx - ax)
        a3 = (tx - sx) * (az - sz) - (tz - sz) * (ax - sx)
        a4 = (a3 + a2) - a1
        apart = (start[row] != s) & (start[row] != t) & (end[row] != s) & (end[row] != t)
        crossings |= np.int32(apart & (a1 * a2 < _ZERO) & (a3 * a4 < _ZERO))
    return crossings != 0


@kernel
def _compare(mesh, kept_faces, gone):
    """Which faces came and which went, now that all rows are complete. A face that came back is neither."""
    size, faces, former, fresh, apex_of = mesh.size, mesh.faces, mesh.former, mesh.fresh, mesh.of_pair[2]
    came = 0
    for face in range(kept_faces, size[1]):
        if faces[3, face]:
            pair = faces[0, face] * SIDE + faces[1, face]
            if np.int32(apex_of[pair]) == faces[2, face]:
                apex_of[pair] = _KEPT
            else:
                fresh[came] = face
                came += 1
    went = 0
    for i in range(gone):
        pair = former[0, i] * SIDE + former[1, i]
        if np.int32(apex_of[pair]) != _KEPT:
            for k in range(3):
                former[k, went] = former[k, i]
            went += 1
        apex_of[pair] = _NONE
    return went, came
