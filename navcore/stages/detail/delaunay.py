"""Delaunay triangulation of the boundary ring with the points inside it, exactly as Recast, only without starting over.

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
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...geometry.segments import FARTHEST
from ...jit import borrowing, kernel
from ...types import F32, I16, I32, I64, AnyInt
from .edge_and_inner_samples import VERTEX
from .heights import at
from .sampling import DANGLING, TABLE_FULL

SIDE = 127  # pairs of vertices are numbered a · 127 + b
ROWS_PER_POINT = 10  # more are not kept, as in Recast
_MAX_ROWS = ROWS_PER_POINT * SIDE  # and as many faces, as a row makes one at most
NONE = -1

_OPEN = -1  # `closed_by` of a row that has no face yet on the inside
_KEPT = -2  # in place of an apex: the face came back
_ZERO, _TWO, _NO_CIRCLE = np.float32(0), np.float32(2), np.float32(-1)
_COLLINEAR = np.float32(1e-5)
_OUTSIDE = np.float32(1) + np.float32(0.001)  # of the radius: farther away is outside of the circle
_INSIDE = np.float32(1) - np.float32(0.001)  # nearer is inside; between them is a tie
_SIEVE = np.float32(1.00001)  # far more than rounding can do to a square

_Circle: TypeAlias = tuple[np.float32, np.float32, np.float32]  # x and z of its center, and its radius
_Segment: TypeAlias = tuple[np.float32, np.float32, np.float32, np.float32]  # x and z of its two ends

SIZES = np.dtype((np.record, [(name, np.int32) for name in ("rows", "faces", "memos", "rows_lost")]))
FACE = np.dtype((np.record, [(name, np.int32) for name in ("a", "b", "c", "attached")]))  # not attached: it dangles
MEMO = np.dtype(
    (np.record, [("start", np.int32), ("end", np.int32), ("apex", np.int32), ("considered", np.int32),
                 ("x", np.float32), ("z", np.float32), ("radius", np.float32)])
)  # fmt: skip
Faces: TypeAlias = npt.NDArray[np.void]  # (R,) of FACE


class Edges(NamedTuple):
    """The table of edge rows, R at most: an array for each column, so that loops over all rows become SIMD code."""

    start: I32  # (R,) vertices
    end: I32
    closed_by: I32  # the row whose face closed it
    rows_before: I32  # how many rows and faces there were before it
    faces_before: I32
    start_x: F32
    start_z: F32
    end_x: F32
    end_z: F32
    center_x: F32  # of the completing circle
    center_z: F32
    reach: F32  # how far from there a point touches it


class Triangulation(NamedTuple):
    """The triangulation of one polygon."""

    size: npt.NDArray[np.void]  # (1,) of SIZES: how many there are; whether rows were lost as the table was full
    rows: Edges
    faces: Faces  # (R,)
    former: Faces  # (R,) faces that are no more
    fresh: I32  # (R,) faces that are new
    row_of: I16  # (127 · 127,) row that joins two vertices
    memo_of: I16  # (127 · 127,) memo of (start, end)
    apex_of: I16  # (127 · 127,) apex of the face on (start, end)
    memos: npt.NDArray[np.void]  # (127 · 127,) of MEMO: the apex so far, points considered, the circle, radius −1: none


class TriangulationRoom(NamedTuple):
    """Memory for one, without records: Python keeps it from call to call, and knows plain numbers alone."""

    size: I32
    rows: Edges
    faces: I32
    former: I32
    fresh: I32
    row_of: I16
    memo_of: I16
    apex_of: I16
    memos: I32


@kernel
def new_triangulation() -> TriangulationRoom:
    """A triangulation without anything in it."""
    row_of, memo_of = np.empty(SIDE * SIDE, np.int16), np.empty(SIDE * SIDE, np.int16)
    apex_of = np.empty(SIDE * SIDE, np.int16)
    for pair in range(SIDE * SIDE):
        row_of[pair] = memo_of[pair] = apex_of[pair] = NONE
    rows = Edges(
        np.empty(_MAX_ROWS, np.int32), np.empty(_MAX_ROWS, np.int32), np.empty(_MAX_ROWS, np.int32),
        np.empty(_MAX_ROWS, np.int32), np.empty(_MAX_ROWS, np.int32),
        np.empty(_MAX_ROWS, np.float32), np.empty(_MAX_ROWS, np.float32), np.empty(_MAX_ROWS, np.float32),
        np.empty(_MAX_ROWS, np.float32), np.empty(_MAX_ROWS, np.float32), np.empty(_MAX_ROWS, np.float32),
        np.empty(_MAX_ROWS, np.float32),
    )  # fmt: skip
    return TriangulationRoom(
        np.zeros(4, np.int32), rows, np.empty(4 * _MAX_ROWS, np.int32), np.empty(4 * _MAX_ROWS, np.int32),
        np.empty(_MAX_ROWS, np.int32), row_of, memo_of, apex_of, np.empty(7 * SIDE * SIDE, np.int32),
    )  # fmt: skip


@kernel
def opened(room: TriangulationRoom) -> Triangulation:
    """The triangulation that lies in this memory."""
    return Triangulation(
        room.size.view(SIZES), room.rows, room.faces.view(FACE), room.former.view(FACE), room.fresh, room.row_of,
        room.memo_of, room.apex_of, room.memos.view(MEMO),
    )  # fmt: skip


@borrowing
def clear(triangulation: Triangulation) -> None:
    """Forget the last polygon."""
    rows, size, memos = triangulation.rows, triangulation.size[0], triangulation.memos
    for row in range(size.rows):
        triangulation.row_of[rows.start[row] * SIDE + rows.end[row]] = NONE
        triangulation.row_of[rows.end[row] * SIDE + rows.start[row]] = NONE
    for m in range(size.memos):
        triangulation.memo_of[memos[m].start * SIDE + memos[m].end] = NONE
    size.rows, size.faces, size.memos, size.rows_lost = 0, 0, 0, 0


@borrowing
def triangulate(
    triangulation: Triangulation, points: F32, count: int, ring: I32, ring_size: int, tally: I64
) -> tuple[int, int]:
    """Bring the triangulation up to date with the last of `count` points.

    Returns how many faces are in `former` (they are no more) and in `fresh` (indices of those that are new).
    """
    size, rows = triangulation.size[0], triangulation.rows
    begin, gone = np.int64(0), 0
    if size.rows == 0:
        before = ring[VERTEX, ring_size - 1]
        for i in range(ring_size):  # the first rows: the boundary, closed on the outside
            _append(triangulation, points, before, ring[VERTEX, i])
            before = ring[VERTEX, i]
    else:
        begin = np.int64(_first_touched(rows, size.rows, points[0, count - 1], points[2, count - 1]))
        if size.rows_lost:
            begin, size.rows_lost = np.int64(0), 0  # a row was lost for want of room, and there is more room now
        gone = _undo(triangulation, begin)
    unchanged = size.faces
    row = at(begin)
    while row < at(size.rows):
        rows.rows_before[row], rows.faces_before[row] = size.rows, size.faces
        rows.reach[row] = -FARTHEST  # where another row closed it, no point touches it
        if rows.closed_by[row] == _OPEN:
            rows.closed_by[row] = row
            apex = _complete(triangulation, points, count, row)
            if apex >= 0:
                _make_face(triangulation, points, count, row, apex, tally)
        row = at(row + 1)
    return _compare(triangulation, unchanged, gone, tally)


@borrowing
def _append(triangulation: Triangulation, points: F32, start: AnyInt, end: AnyInt) -> None:
    size, rows = triangulation.size[0], triangulation.rows
    row, start, end = at(size.rows), at(start), at(end)
    rows.start[row], rows.end[row], rows.closed_by[row] = start, end, _OPEN
    rows.start_x[row], rows.start_z[row] = points[0, start], points[2, start]
    rows.end_x[row], rows.end_z[row] = points[0, end], points[2, end]
    triangulation.row_of[at(start * SIDE + end)] = row
    triangulation.row_of[at(end * SIDE + start)] = row
    size.rows = row + 1


@borrowing
def _first_touched(rows: Edges, count: int, x: np.float32, z: np.float32) -> np.int32:
    """The first row whose completion a new point at (x, z) could change; `count` if none."""
    first = np.int32(count)
    for row in range(np.int32(count)):
        # As the completion itself computes it, from the row's end to its start.
        end_x, end_z = rows.end_x[row], rows.end_z[row]
        u1, v1, u2, v2 = rows.start_x[row] - end_x, rows.start_z[row] - end_z, x - end_x, z - end_z
        dx, dz = x - rows.center_x[row], z - rows.center_z[row]
        apart = np.float32(math.sqrt(dx * dx + dz * dz)) > rows.reach[row]
        touched = np.int32(row) if (u1 * v2 - v1 * u2 > _COLLINEAR) & (not apart) else np.int32(count)
        first = min(first, touched)
    return first


@borrowing
def _undo(triangulation: Triangulation, begin: AnyInt) -> int:
    """Take back all that row `begin` and later ones did; returns the number of faces that go (into `former`)."""
    size, rows = triangulation.size[0], triangulation.rows
    if begin >= size.rows:
        return 0
    rows_before, faces_before = rows.rows_before[begin], rows.faces_before[begin]
    for i in range(rows_before, size.rows):
        row = at(i)
        triangulation.row_of[at(rows.start[row] * SIDE + rows.end[row])] = NONE
        triangulation.row_of[at(rows.end[row] * SIDE + rows.start[row])] = NONE
    for i in range(begin, rows_before):
        row = at(i)
        if rows.closed_by[row] >= begin:
            rows.closed_by[row] = _OPEN
    gone = 0
    for i in range(faces_before, size.faces):
        face = triangulation.faces[at(i)]
        if face.attached:
            _keep(triangulation.former[at(gone)], face)
            triangulation.apex_of[at(face.a * SIDE + face.b)] = face.c
            gone += 1
    size.rows, size.faces = rows_before, faces_before
    return gone


@borrowing
def _keep(copy: np.record, face: np.record) -> None:
    copy.a, copy.b, copy.c = face.a, face.b, face.c


@borrowing
def _make_face(triangulation: Triangulation, points: F32, count: int, row: AnyInt, apex: AnyInt, tally: I64) -> None:
    """Write the face between a row and its apex; its two other sides open new rows or close rows that wait."""
    size, rows = triangulation.size[0], triangulation.rows
    start, end = rows.start[row], rows.end[row]
    attached = 0
    for a, b in ((apex, end), (start, apex)):
        other = np.int32(triangulation.row_of[at(a * SIDE + b)])
        if other != NONE:
            if rows.start[at(other)] == b and rows.closed_by[at(other)] == _OPEN:
                rows.closed_by[at(other)] = row
                attached = 1
        elif size.rows < ROWS_PER_POINT * count:
            _append(triangulation, points, a, b)
            attached = 1
        else:
            tally[TABLE_FULL] += 1
            size.rows_lost = 1
    face = triangulation.faces[at(size.faces)]
    face.a, face.b, face.c, face.attached = start, end, apex, attached
    size.faces += 1


@borrowing
def _complete(triangulation: Triangulation, points: F32, count: int, row: AnyInt) -> np.int32:
    """The point that makes the best circle with a row, or −1; notes what of a later point would touch the choice."""
    size, rows = triangulation.size[0], triangulation.rows
    s, t = rows.end[row], rows.start[row]
    sx, sz, tx, tz = rows.end_x[row], rows.end_z[row], rows.start_x[row], rows.start_z[row]
    pair = at(s * SIDE + t)
    known = np.int32(triangulation.memo_of[pair])
    m = at(known if known != NONE else size.memos)
    memo = triangulation.memos[m]
    if known == NONE:
        size.memos = m + 1
        triangulation.memo_of[pair] = m
        memo.start, memo.end, memo.apex, memo.considered = s, t, NONE, 0
        memo.x, memo.z, memo.radius = _ZERO, _ZERO, _NO_CIRCLE
    best = memo.apex
    u: AnyInt = np.int64(memo.considered)
    cx, cz, r = memo.x, memo.z, memo.radius
    pure = True
    while True:
        u = _next_inside(points, u, count, (sx, sz, tx, tz), (cx, cz, r))
        if u >= count:
            break
        x, z = points[0, at(u)], points[2, at(u)]
        if not r < _ZERO and not length_between(cx, cz, x, z) < r * _INSIDE:  # a tie
            if pure:
                pure = False
                memo.apex, memo.considered, memo.x, memo.z, memo.radius = best, u, cx, cz, r
            if _crosses_any(rows, size.rows, s, u, (sx, sz, x, z)) or _crosses_any(
                rows, size.rows, t, u, (tx, tz, x, z)
            ):
                u += 1
                continue
        best = np.int32(u)
        cx, cz, r = _circle(sx, sz, tx, tz, x, z)
        u += 1
    if pure:
        memo.apex, memo.considered, memo.x, memo.z, memo.radius = best, count, cx, cz, r
    rows.center_x[row], rows.center_z[row] = cx, cz
    rows.reach[row] = r * _OUTSIDE if best >= 0 else np.float32(np.inf)
    return best


@kernel
def _next_inside(points: F32, begin: AnyInt, end: AnyInt, edge: _Segment, circle: _Circle) -> AnyInt:
    """The first point from `begin` on that lies left of the edge s → t and not outside of the circle; `end` if none.

    Many points are first sifted all at once by a squared distance, which leaves in a few that are just outside; then it
    is computed as Recast does. (s and t are not to the left of s → t: their products cancel exactly.)
    """
    (sx, sz, tx, tz), (cx, cz, r) = edge, circle
    reach = r * _OUTSIDE
    far = reach * reach * _SIEVE if not r < _ZERO else np.float32(np.inf)
    while begin < end:
        if end - begin > 4:
            begin = _sift(points, begin, end, edge, (cx, cz, far))
            if begin == end:
                break
        x, z = points[0, at(begin)], points[2, at(begin)]
        if (tx - sx) * (z - sz) - (tz - sz) * (x - sx) > _COLLINEAR:
            if r < _ZERO or not length_between(cx, cz, x, z) > reach:
                break
        begin += 1
    return begin


@kernel
def _sift(points: F32, begin: AnyInt, end: AnyInt, edge: _Segment, circle: _Circle) -> np.int64:
    """The same by a circle with the square of its radius."""
    (sx, sz, tx, tz), (cx, cz, far) = edge, circle
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


@borrowing
def _crosses_any(rows: Edges, count: int, s: AnyInt, t: AnyInt, segment: _Segment) -> bool:
    """Does the segment from s to t cross an edge that has neither as an end? No early exit, so that it vectorizes."""
    sx, sz, tx, tz = segment
    crossings = np.int32(0)
    for row in range(count):
        ax, az, bx, bz = rows.start_x[row], rows.start_z[row], rows.end_x[row], rows.end_z[row]
        a1 = (bx - ax) * (tz - az) - (bz - az) * (tx - ax)
        a2 = (bx - ax) * (sz - az) - (bz - az) * (sx - ax)
        a3 = (tx - sx) * (az - sz) - (tz - sz) * (ax - sx)
        a4 = (a3 + a2) - a1
        start, end = rows.start[row], rows.end[row]
        apart = (start != s) & (start != t) & (end != s) & (end != t)
        crossings |= np.int32(apart & (a1 * a2 < _ZERO) & (a3 * a4 < _ZERO))
    return crossings != 0


@borrowing
def _compare(triangulation: Triangulation, unchanged: int, gone: int, tally: I64) -> tuple[int, int]:
    """Which faces came and which went, now that all rows are complete. A face that came back is neither."""
    size, faces, former = triangulation.size[0], triangulation.faces, triangulation.former
    for i in range(size.faces):
        if not faces[at(i)].attached:
            tally[DANGLING] += 1
    came = 0
    for i in range(unchanged, size.faces):
        face = faces[at(i)]
        if face.attached:
            pair = at(face.a * SIDE + face.b)
            if np.int32(triangulation.apex_of[pair]) == face.c:
                triangulation.apex_of[pair] = _KEPT
            else:
                triangulation.fresh[came] = at(i)
                came += 1
    went = 0
    for i in range(gone):
        face = former[at(i)]
        pair = at(face.a * SIDE + face.b)
        if np.int32(triangulation.apex_of[pair]) != _KEPT:
            _keep(former[at(went)], face)
            went += 1
        triangulation.apex_of[pair] = NONE
    return went, came


@kernel
def length_between(px: np.float32, pz: np.float32, qx: np.float32, qz: np.float32) -> np.float32:
    dx, dz = qx - px, qz - pz
    return np.float32(math.sqrt(dx * dx + dz * dz))


@kernel
def triangulate_hull(points: F32, ring: I32, size: int, corners: int, faces: Faces) -> int:
    """The simplest triangulation: the boundary alone, cut off ear by ear from both sides.

    Start at the corner with the shortest triangle, then always take the shorter of the two next diagonals.
    """
    x, z = points[0], points[2]
    start, left, right, best = 0, 1, size - 1, FARTHEST
    for i in range(size):
        if ring[VERTEX, i] < corners:
            before, after = (i + size - 1) % size, (i + 1) % size
            p, c, n = ring[VERTEX, before], ring[VERTEX, i], ring[VERTEX, after]
            around = length_between(x[p], z[p], x[c], z[c]) + length_between(x[c], z[c], x[n], z[n])
            around += length_between(x[n], z[n], x[p], z[p])
            if around < best:
                start, left, right, best = i, after, before, around
    a, b, c = ring[VERTEX, start], ring[VERTEX, left], ring[VERTEX, right]
    count = 0
    while True:
        face = faces[np.uint32(count)]
        face.a, face.b, face.c, face.attached = a, b, c, 1
        count += 1
        next_left, next_right = (left + 1) % size, (right + size - 1) % size
        if next_left == right:
            return count
        a, c, p, q = ring[VERTEX, left], ring[VERTEX, right], ring[VERTEX, next_left], ring[VERTEX, next_right]
        by_left = length_between(x[a], z[a], x[p], z[p]) + length_between(x[p], z[p], x[c], z[c])
        by_right = length_between(x[c], z[c], x[q], z[q]) + length_between(x[a], z[a], x[q], z[q])
        if by_left < by_right:
            b, left = p, next_left
        else:
            b, right = q, next_right
