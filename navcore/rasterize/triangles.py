"""Triangles into row polygons: the two-chain walk of `rows.py`, along z."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .frame import DONE, FULL, STOPPED, TOO_WILD
from .inlined import inlined
from .literal import MOST_CORNERS, split
from .rows import rasterize_row
from .spans import ROW, TRIANGLE, USED


@kernel
def rasterize_band(frame, soup, columns, flag, begin, end):
    """Insert the spans of all triangles in rows begin:end, from where `columns.pool` says. Returns a status.

    Each triangle's walk starts at its own first row, whatever the band: so its crossings are the same for any bands.
    """
    vertices, triangles, areas = soup.vertices, soup.triangles, soup.area
    cells, pool = columns.cells, columns.pool
    xs, ys = np.empty(2 * MOST_CORNERS, np.float32), np.empty(2 * MOST_CORNERS, np.float32)
    work = np.empty((6, 2 * MOST_CORNERS, 3), np.float32)
    emit_from = max(begin, pool[ROW])
    for triangle in range(pool[TRIANGLE], len(triangles)):
        if flag[0] != 0:
            return STOPPED
        a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
        az, bz, cz = vertices[a, 2], vertices[b, 2], vertices[c, 2]
        low, high = min(az, min(bz, cz)), max(az, max(bz, cz))
        if not (low <= frame.z_end and high >= frame.z):
            continue
        row, last = (low - frame.z) * frame.columns_per_metre, (high - frame.z) * frame.columns_per_metre
        z_begin = np.int64(-1) if not row > -1 else np.int64(row) if row < frame.depth else frame.depth - 1
        z_end = np.int64(0) if not last > 0 else np.int64(last) if last < frame.depth else frame.depth - 1
        if z_end < emit_from or z_begin >= end:
            continue
        ax, bx, cx = vertices[a, 0], vertices[b, 0], vertices[c, 0]
        if not (min(ax, min(bx, cx)) <= frame.x_end and max(ax, max(bx, cx)) >= frame.x):
            continue
        ay, by, cy = vertices[a, 1], vertices[b, 1], vertices[c, 1]
        if not (min(ay, min(by, cy)) <= frame.y_end and max(ay, max(by, cy)) >= frame.y):
            continue
        z_end = min(z_end + 1, end)
        corners = _lowest_first(ax, ay, az, bx, by, bz, cx, cy, cz)
        area = np.int64(areas[triangle]) & 63
        z, status = _walk(corners, z_begin, emit_from, z_end, begin, frame, cells, pool, flag, area, xs, ys, work)
        if z < z_end and status == DONE:
            z, status = _split_triangle(
                corners, z_begin, max(z, emit_from), z_end, begin, frame, cells, pool, flag, area, xs, ys, work
            )
        if status != DONE:
            pool[TRIANGLE], pool[ROW] = triangle, z
            return status
        emit_from = begin
    return DONE


@inlined
def _lowest_first(ax, ay, az, bx, by, bz, cx, cy, cz):
    """The corners, turned so that the first is the lowest and, of two that are, the one before the higher corner."""
    if az <= cz and az < bz:
        return ax, ay, az, bx, by, bz, cx, cy, cz
    if bz <= az and bz < cz:
        return bx, by, bz, cx, cy, cz, ax, ay, az
    return cx, cy, cz, ax, ay, az, bx, by, bz


@inlined
def _walk(corners, z_begin, emit_from, z_end, base, frame, cells, pool, flag, area, xs, ys, work):
    """Walk both chains of a triangle from row to row. Returns the row that is to be done next (or literally), and a status.

    In `u` and `v` are the next corners of the leaving and of the entering chain, the higher one the same for both in the end.
    """
    lx, ly, lz, ux, uy, uz, vx, vy, vz = corners
    ex, ey, ez = lx, ly, lz
    width, capacity = frame.width, len(cells)
    top = max(uz, vz)
    fresh, apart, doubled = True, True, False
    for z in range(z_begin, z_end):
        line = (frame.z + np.float32(z) * frame.cell_size) + frame.cell_size
        if fresh:
            if lz > line:
                continue
        elif not (lz < line and ez < line):
            return z, DONE
        xs[0], ys[0] = lx, ly
        count = 1
        if doubled:
            xs[1], ys[1] = lx, ly
            count = 2
        old_ex, old_ey, old_fresh = ex, ey, fresh
        if top <= line:
            xs[count], ys[count] = ux, uy
            count += 1
            if apart:
                xs[count], ys[count] = vx, vy
                count += 1
        else:
            passes_v = vz <= line
            on_line = fresh and lz == line
            if on_line and not passes_v:
                count = 0
            doubled = on_line and passes_v
            fresh = False
            if uz <= line:
                doubled = uz == line
                xs[count], ys[count] = ux, uy
                count += 1
                lx, ly, lz, ux, uy, uz = ux, uy, uz, vx, vy, vz
                apart = False
            to_point = line - lz
            t = to_point / (to_point - (line - uz))
            lx, ly, lz = lx + (ux - lx) * t, ly + (uy - ly) * t, lz + (uz - lz) * t
            xs[count], ys[count] = lx, ly
            count += 1
            passed = count + 1
            if passes_v:
                ex, ey, ez, vx, vy, vz = vx, vy, vz, ux, uy, uz
                apart = False
                xs[passed], ys[passed] = ex, ey
                if ez < line:
                    passed += 1
            to_point = line - vz
            t = to_point / (to_point - (line - ez))
            ex, ey, ez = vx + (ex - vx) * t, vy + (ey - vy) * t, vz + (ez - vz) * t
            xs[count], ys[count] = ex, ey
            count = passed
        if not old_fresh:
            xs[count], ys[count] = old_ex, old_ey
            count += 1
        if count >= 3 and z >= emit_from:
            if pool[USED] + width > capacity:
                return z, FULL
            if flag[0] != 0:
                return z, STOPPED
            status = rasterize_row(xs, ys, count, frame, cells, pool, (z - base) * width, area, work)
            if status != DONE:
                return z, status
        if top <= line:
            break
    return z_end, DONE


@kernel
def _split_triangle(corners, z_begin, emit_from, z_end, base, frame, cells, pool, flag, area, xs, ys, work):
    """The same by literal cutting; rows before `emit_from` have their spans already."""
    rest, row, spare = work[3], work[4], work[5]
    for corner in range(3):
        for axis in range(3):
            rest[corner, axis] = corners[3 * corner + axis]
    count = 3
    for z in range(z_begin, z_end):
        line = (frame.z + np.float32(z) * frame.cell_size) + frame.cell_size
        lows, highs = split(rest, count, line, 2, row, spare)
        if lows < 0:
            return z, TOO_WILD
        rest, spare = spare, rest
        count = highs
        if lows < 3 or z < emit_from:
            continue
        if pool[USED] + frame.width > len(cells):
            return z, FULL
        if flag[0] != 0:
            return z, STOPPED
        for corner in range(lows):
            xs[corner], ys[corner] = row[corner, 0], row[corner, 1]
        status = rasterize_row(xs, ys, lows, frame, cells, pool, (z - base) * frame.width, area, work)
        if status != DONE:
            return z, status
    return z_end, DONE
