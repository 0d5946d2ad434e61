"""The detail mesh written down word by word: slow, obvious, and the judge of the fast one."""

from __future__ import annotations

import math

import numpy as np

from navcore.jit import kernel
from navcore.types import CompactHeightfield, DetailMesh, PolygonMesh, Regions

F = np.float32
UNSET = 0xFFFF
UNDEF, HULL = -1, -2
ROWS_PER_POINT = 10
FARTHEST = np.float32(np.finfo(np.float32).max)
DX, DZ = (-1, 0, 1, 0), (0, 1, 0, -1)

# What was logged, by position in `log`.
WALKS_FAILED, NOTHING_FOUND, DANGLING, TABLE_FULL, CLAMPED, HEIGHTS_UNKNOWN, LOG_SIZE = 0, 1, 2, 3, 4, 5, 6


# --- heights


@kernel
def seed_at_center(first, floor, neighbors, width, border, xs, ys, zs, n, xmin, zmin, hw, hh, log):
    """x, z (in the patch) and span of the single seed; span −1 where nothing is near."""
    offsets = ((0, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))
    best, bx, bz, bspan = 65535, 0, 0, -1
    for k in range(n):
        for dx, dz in offsets:
            x, z = np.int32(xs[k]) + dx - xmin, np.int32(zs[k]) + dz - zmin
            if best == 0 or x < 0 or z < 0 or x >= hw or z >= hh:
                continue
            column = x + xmin + border + (z + zmin + border) * width
            for span in range(first[column], first[column + 1]):
                d = abs(np.int32(ys[k]) - np.int32(floor[span]))
                if d < best:
                    best, bx, bz, bspan = d, x, z, span
                    if best == 0:
                        break
    if bspan < 0:
        return 0, 0, -1
    tx, tz = 0, 0
    for k in range(n):
        tx += np.int64(xs[k])
        tz += np.int64(zs[k])
    tx, tz = tx // n - xmin, tz // n - zmin
    visited = np.zeros(hw * hh, np.uint8)
    stack = np.empty((hw * hh + 1, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = bx, bz, bspan
    size = 1
    x, z, span = bx, bz, bspan
    order = np.empty(4, np.int64)
    while True:
        if size == 0:
            log[WALKS_FAILED] += 1
            break
        size -= 1
        x, z, span = stack[size, 0], stack[size, 1], stack[size, 2]
        if x == tx and z == tz:
            break
        if x == tx:
            preferred = 1 if tz > z else 3
        else:
            preferred = 2 if tx > x else 0
        for i in range(4):
            order[i] = i
        order[preferred], order[3] = 3, preferred
        for i in range(4):
            direction = order[i]
            neighbor = neighbors[span, direction]
            nx, nz = x + DX[direction], z + DZ[direction]
            if neighbor < 0 or nx < 0 or nz < 0 or nx >= hw or nz >= hh or visited[nx + nz * hw]:
                continue
            visited[nx + nz * hw] = 1
            stack[size, 0], stack[size, 1], stack[size, 2] = nx, nz, neighbor
            size += 1
    return x, z, span


@kernel
def fill_patch(first, floor, neighbors, regions, width, border, xs, ys, zs, n, region, xmin, zmin, hw, hh, log):
    patch = np.full(hw * hh, UNSET, np.uint16)
    queue = np.empty((hw * hh, 3), np.int64)
    size = 0
    found = False
    if region != 0:
        for z in range(hh):
            for x in range(hw):
                column = x + xmin + border + (z + zmin + border) * width
                for span in range(first[column], first[column + 1]):
                    if np.int32(regions[span]) != region:
                        continue
                    patch[x + z * hw] = floor[span]
                    found = True
                    for direction in range(4):
                        neighbor = neighbors[span, direction]
                        if neighbor >= 0 and np.int32(regions[neighbor]) != region:
                            queue[size, 0], queue[size, 1], queue[size, 2] = x, z, span
                            size += 1
                            break
                    break
    if not found:
        x, z, span = seed_at_center(first, floor, neighbors, width, border, xs, ys, zs, n, xmin, zmin, hw, hh, log)
        if span < 0:
            log[NOTHING_FOUND] += 1
            patch[:] = ys[0]
            return patch
        patch[x + z * hw] = floor[span]
        queue[0, 0], queue[0, 1], queue[0, 2] = x, z, span
        size = 1
    head = 0
    while head < size:
        x, z, span = queue[head, 0], queue[head, 1], queue[head, 2]
        head += 1
        for direction in range(4):
            neighbor = neighbors[span, direction]
            nx, nz = x + DX[direction], z + DZ[direction]
            if neighbor < 0 or nx < 0 or nz < 0 or nx >= hw or nz >= hh or np.int32(patch[nx + nz * hw]) != UNSET:
                continue
            patch[nx + nz * hw] = floor[neighbor]
            queue[size, 0], queue[size, 1], queue[size, 2] = nx, nz, neighbor
            size += 1
    return patch


@kernel
def get_height(patch, xmin, zmin, hw, hh, cs, ch, radius, fx, fy, fz, log):
    ics = F(1) / cs
    ix = min(max(math.floor(fx * ics + F(0.01)) - xmin, 0), hw - 1)
    iz = min(max(math.floor(fz * ics + F(0.01)) - zmin, 0), hh - 1)
    value = np.int32(patch[ix + iz * hw])
    if value != UNSET:
        return value
    best = FARTHEST
    x, z, dx, dz = 1, 0, 1, 0
    ring_end, ring_step = 8, 8
    for i in range((2 * radius + 1) ** 2 - 1):
        if 0 <= ix + x < hw and 0 <= iz + z < hh:
            near = np.int32(patch[ix + x + (iz + z) * hw])
            if near != UNSET:
                d = abs(F(near) * ch - fy)
                if d < best:
                    best, value = d, near
        if i + 1 == ring_end:
            if value != UNSET:
                break
            ring_step += 8
            ring_end += ring_step
        if x == z or (x < 0 and x == -z) or (x > 0 and x == 1 - z):
            dx, dz = -dz, dx
        x, z = x + dx, z + dz
    if value == UNSET:
        log[HEIGHTS_UNKNOWN] += 1
    return value


# --- distances; a point is (x, y, z)


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
def seg2(x, z, px, pz, qx, qz):
    u, v = qx - px, qz - pz
    dx, dz = x - px, z - pz
    length = u * u + v * v
    t = u * dx + v * dz
    if length > F(0):
        t = t / length
    if t < F(0):
        t = F(0)
    elif t > F(1):
        t = F(1)
    ex, ez = (px + t * u) - x, (pz + t * v) - z
    return ex * ex + ez * ez


@kernel
def seg3(s, m, p, q):
    u, v, w = s[q, 0] - s[p, 0], s[q, 1] - s[p, 1], s[q, 2] - s[p, 2]
    dx, dy, dz = s[m, 0] - s[p, 0], s[m, 1] - s[p, 1], s[m, 2] - s[p, 2]
    length = (u * u + v * v) + w * w
    t = (u * dx + v * dy) + w * dz
    if length > F(0):
        t = t / length
    if t < F(0):
        t = F(0)
    elif t > F(1):
        t = F(1)
    ex, ey, ez = (s[p, 0] + t * u) - s[m, 0], (s[p, 1] + t * v) - s[m, 1], (s[p, 2] + t * w) - s[m, 2]
    return (ex * ex + ey * ey) + ez * ez


@kernel
def minimum_extent(v, n):
    smallest = FARTHEST
    for i in range(n):
        following = (i + 1) % n
        largest = F(0)
        for j in range(n):
            if j != i and j != following:
                d = seg2(v[j, 0], v[j, 2], v[i, 0], v[i, 2], v[following, 0], v[following, 2])
                if d > largest:
                    largest = d
        if largest < smallest:
            smallest = largest
    return np.sqrt(smallest)


@kernel
def poly_distance(v, n, x, z):
    inside, m = False, FARTHEST
    for i in range(n):
        j = (i + n - 1) % n
        if (v[i, 2] > z) != (v[j, 2] > z) and x < (v[j, 0] - v[i, 0]) * (z - v[i, 2]) / (v[j, 2] - v[i, 2]) + v[i, 0]:
            inside = not inside
        d = seg2(x, z, v[j, 0], v[j, 2], v[i, 0], v[i, 2])
        if d < m:
            m = d
    return -m if inside else m


@kernel
def triangle_distance(v, a, b, c, x, y, z):
    """FARTHEST where the point is not over the triangle."""
    v0x, v0y, v0z = v[c, 0] - v[a, 0], v[c, 1] - v[a, 1], v[c, 2] - v[a, 2]
    v1x, v1y, v1z = v[b, 0] - v[a, 0], v[b, 1] - v[a, 1], v[b, 2] - v[a, 2]
    v2x, v2z = x - v[a, 0], z - v[a, 2]
    d00, d01, d02 = v0x * v0x + v0z * v0z, v0x * v1x + v0z * v1z, v0x * v2x + v0z * v2z
    d11, d12 = v1x * v1x + v1z * v1z, v1x * v2x + v1z * v2z
    inv = F(1) / (d00 * d11 - d01 * d01)
    u = (d11 * d02 - d01 * d12) * inv
    w = (d00 * d12 - d01 * d02) * inv
    if u >= F(-1e-4) and w >= F(-1e-4) and u + w <= F(1) + F(1e-4):
        return abs(((v[a, 1] + v0y * u) + v1y * w) - y)
    return FARTHEST


# --- the hull


@kernel
def sample_edges(v, n, patch, xmin, zmin, hw, hh, cs, ch, radius, distance, error, hull, log):
    """Append the kept samples to `v`; the ring of boundary vertices goes to `hull`. Returns the vertex count."""
    nv, nh = n, 0
    samples = np.empty((33, 3), np.float32)
    kept = np.empty(33, np.int64)
    for i in range(n):
        j = (i + n - 1) % n
        a, b, swapped = j, i, False
        if abs(v[a, 0] - v[b, 0]) < F(1e-6):
            if v[a, 2] > v[b, 2]:
                a, b, swapped = b, a, True
        elif v[a, 0] > v[b, 0]:
            a, b, swapped = b, a, True
        dx, dy, dz = v[b, 0] - v[a, 0], v[b, 1] - v[a, 1], v[b, 2] - v[a, 2]
        d = np.sqrt(dx * dx + dz * dz)
        nn = 1 + math.floor(d / distance)
        if nn >= 32:
            nn = 31
        if nv + nn >= 127:
            nn = 126 - nv
        for k in range(nn + 1):
            u = F(k) / F(nn)
            samples[k, 0], samples[k, 2] = v[a, 0] + dx * u, v[a, 2] + dz * u
            y = v[a, 1] + dy * u
            height = get_height(patch, xmin, zmin, hw, hh, cs, ch, radius, samples[k, 0], y, samples[k, 2], log)
            samples[k, 1] = F(height) * ch
        kept[0], kept[1], size = 0, nn, 2
        k = 0
        while k < size - 1:
            worst, where = F(0), -1
            for m in range(kept[k] + 1, kept[k + 1]):
                d = seg3(samples, m, kept[k], kept[k + 1])
                if d > worst:
                    worst, where = d, m
            if where >= 0 and worst > error * error:
                for m in range(size, k + 1, -1):
                    kept[m] = kept[m - 1]
                kept[k + 1] = where
                size += 1
            else:
                k += 1
        hull[nh] = j
        nh += 1
        for k in range(1, size - 1):
            m = kept[size - 1 - k] if swapped else kept[k]
            for axis in range(3):
                v[nv, axis] = samples[m, axis]
            hull[nh] = nv
            nh += 1
            nv += 1
    return nv


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


# --- triangulating the hull and points inside


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


@kernel
def jitter(i, constant):
    return F((i * constant) & 0xFFFF) / F(65535) * F(2) - F(1)


@kernel
def insert_samples(v, n, nv, hull, nh, triangles, nt, patch, xmin, zmin, hw, hh, cs, ch, radius, distance, error, log):
    lox, hix, loy, hiy, loz, hiz = v[0, 0], v[0, 0], v[0, 1], v[0, 1], v[0, 2], v[0, 2]
    for i in range(1, n):
        lox, hix = min(lox, v[i, 0]), max(hix, v[i, 0])
        loy, hiy = min(loy, v[i, 1]), max(hiy, v[i, 1])
        loz, hiz = min(loz, v[i, 2]), max(hiz, v[i, 2])
    x0, x1 = math.floor(lox / distance), math.ceil(hix / distance)
    z0, z1 = math.floor(loz / distance), math.ceil(hiz / distance)
    samples = np.empty((max((x1 - x0) * (z1 - z0), 0), 4), np.int64)
    count = 0
    for z in range(z0, z1):
        for x in range(x0, x1):
            fx, fy, fz = F(x) * distance, (hiy + loy) * F(0.5), F(z) * distance
            if poly_distance(v, n, fx, fz) > -distance / F(2):
                continue
            samples[count, 0], samples[count, 2], samples[count, 3] = x, z, 0
            samples[count, 1] = get_height(patch, xmin, zmin, hw, hh, cs, ch, radius, fx, fy, fz, log)
            count += 1
    for _round in range(count):
        if nv >= 127:
            break
        worst, where, wx, wy, wz = F(0), -1, F(0), F(0), F(0)
        for i in range(count):
            if samples[i, 3] or nt == 0:
                continue
            x = F(samples[i, 0]) * distance + jitter(i, 0x8DA6B343) * cs * F(0.1)
            y = F(samples[i, 1]) * ch
            z = F(samples[i, 2]) * distance + jitter(i, 0xD8163841) * cs * F(0.1)
            d = FARTHEST
            for k in range(nt):
                hit = triangle_distance(v, triangles[k, 0], triangles[k, 1], triangles[k, 2], x, y, z)
                if hit < d:
                    d = hit
            if d != FARTHEST and d > worst:
                worst, where, wx, wy, wz = d, i, x, y, z
        if worst <= error or where < 0:
            break
        samples[where, 3] = 1
        v[nv, 0], v[nv, 1], v[nv, 2] = wx, wy, wz
        nv += 1
        nt = triangulate(v, nv, hull, nh, triangles, log)
    return nv, nt


@kernel
def detail_polygon(
    first,
    floor,
    neighbors,
    regions,
    width,
    depth,
    border,
    xs,
    ys,
    zs,
    n,
    region,
    settings,
    radius,
    v,
    triangles,
    hull,
    log,
):
    """Vertex, boundary vertex and triangle counts of one polygon; settings are cs, ch, distance, error."""
    cs, ch, distance, error = settings[0], settings[1], settings[2], settings[3]
    for k in range(n):
        v[k, 0], v[k, 1], v[k, 2] = F(xs[k]) * cs, F(ys[k]) * ch, F(zs[k]) * cs
    if distance == F(0):
        for k in range(n):
            hull[k] = (k + n - 1) % n
        return n, n, triangulate_hull(v, hull, n, n, triangles)
    lowx, highx, lowz, highz = width, 0, depth, 0
    for k in range(n):
        lowx, highx = min(lowx, np.int64(xs[k])), max(highx, np.int64(xs[k]))
        lowz, highz = min(lowz, np.int64(zs[k])), max(highz, np.int64(zs[k]))
    xmin, xmax = max(lowx - 1, 0), min(highx + 1, width)
    zmin, zmax = max(lowz - 1, 0), min(highz + 1, depth)
    hw, hh = xmax - xmin, zmax - zmin
    patch = fill_patch(first, floor, neighbors, regions, width, border, xs, ys, zs, n, region, xmin, zmin, hw, hh, log)
    extent = minimum_extent(v, n)
    nv = sample_edges(v, n, patch, xmin, zmin, hw, hh, cs, ch, radius, distance, error, hull, log)
    nh = nv
    nt = triangulate_hull(v, hull, nh, n, triangles)
    if not extent < distance * F(2):
        nv, nt = insert_samples(
            v, n, nv, hull, nh, triangles, nt, patch, xmin, zmin, hw, hh, cs, ch, radius, distance, error, log
        )
        if nt > 255:
            log[CLAMPED] += 1
            nt = 255
    return nv, nh, nt


def build(
    mesh: PolygonMesh, compact: CompactHeightfield, regions: Regions, distance: np.float32, error: np.float32
) -> tuple[DetailMesh, np.ndarray]:
    """The detail mesh and the log."""
    grid = mesh.grid
    settings = np.array([grid.cell_size, grid.cell_height, distance, error], np.float32)
    radius = max(1, math.ceil(mesh.max_edge_error))
    v, triangles = np.empty((256, 3), np.float32), np.empty((2560, 3), np.int64)
    hull, log = np.empty(256, np.int64), np.zeros(LOG_SIZE, np.int64)
    rows, all_vertices, all_triangles = [], [], []
    nverts = ntris = 0
    for p, region in zip(mesh.polygons, mesh.region, strict=True):
        own = mesh.vertices[p[p != 0xFFFF]]
        xs, ys, zs = (np.ascontiguousarray(own[:, axis]) for axis in range(3))
        nv, nh, nt = detail_polygon(
            compact.first, compact.floor, compact.neighbors, regions.region, compact.width, compact.depth, grid.border,
            xs, ys, zs, len(own), int(region), settings, radius, v, triangles, hull, log,
        )  # fmt: skip
        world = v[:nv].copy()
        world[:, 0] += grid.bounds_min[0]
        world[:, 1] += grid.bounds_min[1] + grid.cell_height
        world[:, 2] += grid.bounds_min[2]
        packed = np.zeros((nt, 4), np.uint8)
        packed[:, :3] = triangles[:nt]
        steps = {(hull[i - 1 if i else nh - 1], hull[i]) for i in range(nh)}
        for row in packed:
            a, b, c = (int(i) for i in row[:3])
            row[3] = ((a, b) in steps) | ((b, c) in steps) << 2 | ((c, a) in steps) << 4
        rows.append((nverts, nv, ntris, nt))
        all_vertices.append(world)
        all_triangles.append(packed)
        nverts, ntris = nverts + nv, ntris + nt
    return DetailMesh(
        np.array(rows, np.uint32).reshape(-1, 4),
        np.concatenate([np.empty((0, 3), np.float32), *all_vertices]),
        np.concatenate([np.empty((0, 4), np.uint8), *all_triangles]),
    ), log
