"""Heights around one polygon, written down word by word: the judge of patches and windows."""

from __future__ import annotations

import math

import numpy as np

from navcore.jit import kernel

from .twin_log import HEIGHTS_UNKNOWN, NOTHING_FOUND, WALKS_FAILED

F = np.float32
UNSET = 0xFFFF
FARTHEST = np.float32(np.finfo(np.float32).max)
DX, DZ = (-1, 0, 1, 0), (0, 1, 0, -1)


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
