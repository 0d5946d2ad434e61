"""Triangles between points, all of them anew for each point, as Recast does: the judge of the triangulation."""

from __future__ import annotations

import numpy as np

from navcore.jit import kernel

from .twin_log import DANGLING, TABLE_FULL

F = np.float32
UNDEF, HULL = -1, -2
ROWS_PER_POINT = 10
FARTHEST = np.float32(np.finfo(np.float32).max)


@kernel
def cross2(v, a, b, c):
    u1, v1 = v[b, 0] - v[a, 0], v[b, 2] - v[a, 2]
    u2, v2 = v[c, 0] - v[a, 0], v[c, 2] - v[a, 2]
    return u1 * v2 - v1 * u2


@kernel
def len2(px, pz, qx, qz):
    dx, dz = qx - px, qz - pz
    return np.sqrt(dx * dx + dz * dz)


@kernel
def triangulate_hull(v, hull, nh, n, triangles):
    start, left, right, best = 0, 1, nh - 1, FARTHEST
    for i in range(nh):
        if hull[i] < n:
            p, c, q = hull[(i + nh - 1) % nh], hull[i], hull[(i + 1) % nh]
            d = len2(v[p, 0], v[p, 2], v[c, 0], v[c, 2]) + len2(v[c, 0], v[c, 2], v[q, 0], v[q, 2])
            d = d + len2(v[q, 0], v[q, 2], v[p, 0], v[p, 2])
            if d < best:
                start, left, right, best = i, (i + 1) % nh, (i + nh - 1) % nh, d
    triangles[0, 0], triangles[0, 1], triangles[0, 2] = hull[start], hull[left], hull[right]
    count = 1
    while (left + 1) % nh != right:
        nl, nr = (left + 1) % nh, (right + nh - 1) % nh
        pl, pnl, pr, pnr = hull[left], hull[nl], hull[right], hull[nr]
        dl = len2(v[pl, 0], v[pl, 2], v[pnl, 0], v[pnl, 2]) + len2(v[pnl, 0], v[pnl, 2], v[pr, 0], v[pr, 2])
        dr = len2(v[pr, 0], v[pr, 2], v[pnr, 0], v[pnr, 2]) + len2(v[pl, 0], v[pl, 2], v[pnr, 0], v[pnr, 2])
        if dl < dr:
            triangles[count, 0], triangles[count, 1], triangles[count, 2] = pl, pnl, pr
            left = nl
        else:
            triangles[count, 0], triangles[count, 1], triangles[count, 2] = pl, pnr, pr
            right = nr
        count += 1
    return count


@kernel
def find(rows, count, s, t):
    for e in range(count):
        if (rows[e, 0] == s and rows[e, 1] == t) or (rows[e, 0] == t and rows[e, 1] == s):
            return e
    return -1


@kernel
def add(rows, count, capacity, s, t, left, right, log):
    if count >= capacity:
        log[TABLE_FULL] += 1
        return count
    if find(rows, count, s, t) >= 0:
        return count
    rows[count, 0], rows[count, 1], rows[count, 2], rows[count, 3] = s, t, left, right
    return count + 1


@kernel
def set_face(rows, e, s, t, face):
    if rows[e, 0] == s and rows[e, 1] == t and rows[e, 2] == UNDEF:
        rows[e, 2] = face
    elif rows[e, 0] == t and rows[e, 1] == s and rows[e, 3] == UNDEF:
        rows[e, 3] = face


@kernel
def overlaps(v, rows, count, s1, t1):
    for e in range(count):
        s0, t0 = rows[e, 0], rows[e, 1]
        if s0 in (s1, t1) or t0 in (s1, t1):
            continue
        a1, a2 = cross2(v, s0, t0, t1), cross2(v, s0, t0, s1)
        if a1 * a2 < F(0):
            a3 = cross2(v, s1, t1, s0)
            a4 = (a3 + a2) - a1
            if a3 * a4 < F(0):
                return True
    return False


@kernel
def circle(v, a, b, c):
    v2x, v2z, v3x, v3z = v[b, 0] - v[a, 0], v[b, 2] - v[a, 2], v[c, 0] - v[a, 0], v[c, 2] - v[a, 2]
    k = v2x * v3z - v2z * v3x
    q2, q3 = v2x * v2x + v2z * v2z, v3x * v3x + v3z * v3z
    cx = (q2 * v3z - q3 * v2z) / (F(2) * k)
    cz = (q3 * v2x - q2 * v3x) / (F(2) * k)
    return cx + v[a, 0], cz + v[a, 2], np.sqrt(cx * cx + cz * cz)


@kernel
def complete(v, n, rows, count, capacity, e, faces, log):
    """Returns the row and face counts."""
    if rows[e, 2] == UNDEF:
        s, t = rows[e, 0], rows[e, 1]
    elif rows[e, 3] == UNDEF:
        s, t = rows[e, 1], rows[e, 0]
    else:
        return count, faces
    best, cx, cz, r = -1, F(0), F(0), F(-1)
    for u in range(n):
        if u in (s, t) or not cross2(v, s, t, u) > F(1e-5):
            continue
        if r < F(0):
            best = u
            cx, cz, r = circle(v, s, t, u)
            continue
        d = len2(cx, cz, v[u, 0], v[u, 2])
        if d > r * (F(1) + F(0.001)):
            continue
        if not d < r * (F(1) - F(0.001)) and (overlaps(v, rows, count, s, u) or overlaps(v, rows, count, t, u)):
            continue
        best = u
        cx, cz, r = circle(v, s, t, u)
    if best < 0:
        set_face(rows, e, s, t, HULL)
        return count, faces
    set_face(rows, e, s, t, faces)
    row = find(rows, count, best, s)
    if row < 0:
        count = add(rows, count, capacity, best, s, faces, UNDEF, log)
    else:
        set_face(rows, row, best, s, faces)
    row = find(rows, count, t, best)
    if row < 0:
        count = add(rows, count, capacity, t, best, faces, UNDEF, log)
    else:
        set_face(rows, row, t, best, faces)
    return count, faces + 1


@kernel
def faces_from_rows(rows, count, triangles, faces):
    for f in range(faces):
        triangles[f, 0], triangles[f, 1], triangles[f, 2] = -1, -1, -1
    for e in range(count):
        s, t = rows[e, 0], rows[e, 1]
        if rows[e, 3] >= 0:
            f = rows[e, 3]
            if triangles[f, 0] == -1:
                triangles[f, 0], triangles[f, 1] = s, t
            elif triangles[f, 0] == t:
                triangles[f, 2] = s
            elif triangles[f, 1] == s:
                triangles[f, 2] = t
        if rows[e, 2] >= 0:
            f = rows[e, 2]
            if triangles[f, 0] == -1:
                triangles[f, 0], triangles[f, 1] = t, s
            elif triangles[f, 0] == s:
                triangles[f, 2] = t
            elif triangles[f, 1] == t:
                triangles[f, 2] = s


@kernel
def triangulate(v, n, hull, nh, triangles, log):
    """The triangle count; `triangles` needs 20 · n rows."""
    capacity = ROWS_PER_POINT * n
    rows = np.empty((capacity, 4), np.int64)
    count = 0
    for i in range(nh):
        count = add(rows, count, capacity, hull[(i + nh - 1) % nh], hull[i], HULL, UNDEF, log)
    faces, current = 0, 0
    while current < count:
        if rows[current, 2] == UNDEF:
            count, faces = complete(v, n, rows, count, capacity, current, faces, log)
        if rows[current, 3] == UNDEF:
            count, faces = complete(v, n, rows, count, capacity, current, faces, log)
        current += 1
    faces_from_rows(rows, count, triangles, faces)
    i = 0
    while i < faces:
        if triangles[i, 0] == -1 or triangles[i, 1] == -1 or triangles[i, 2] == -1:
            log[DANGLING] += 1
            faces -= 1
            for k in range(3):
                triangles[i, k] = triangles[faces, k]
        else:
            i += 1
    return faces
