"""The detail mesh written down word by word: slow, obvious, and the judge of the fast one."""

from __future__ import annotations

import math

import numpy as np

from navcore.jit import kernel
from navcore.types import NO_INDEX, CompactHeightfield, DetailMesh, PolygonMesh, Regions

from .heights_twin import fill_patch, get_height
from .triangulation_twin import triangulate, triangulate_hull
from .twin_log import CLAMPED, LOG_SIZE

F = np.float32
FARTHEST = np.float32(np.finfo(np.float32).max)


# --- distances; a point is (x, y, z)


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


# --- samples along the edges and inside


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


# --- all polygons


@kernel
def detail_polygon(
    first, floor, neighbors, regions, width, depth, border, xs, ys, zs, n, region, settings, radius, v, triangles, hull,
    log,
):  # fmt: skip
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
        own = mesh.vertices[p[p != NO_INDEX]]
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
