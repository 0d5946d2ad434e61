"""Triangles are cut at row lines, and each piece is handed to its row: the walk of `rows.py`, along z.

A triangle's lowest corner comes first; then the leaving chain goes to the next corner, the entering chain to the one
before, and whichever of these two is lower is passed on the way to the other. Nowhere can a walk along z go wrong but
where rounding has put a crossing beyond the next line; from that row on the triangle is cut literally. A row polygon is
written in the order of the corners: from the leaving chain's crossing up to the entering one's.
"""

# mypy: disable-error-code="arg-type, assignment, return-value"
# (Python's types can't tell the integers and floats of kernels apart; annotations of kernels are for readers.)
from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ...jit import borrowing, inlined, kernel
from ...types import F32, U8, Geometry, X, Y, Z
from .clipping import MAX_CORNERS, TRIANGLE_REST, TRIANGLE_ROW, TRIANGLE_SPARE, split
from .grid_frame import DONE, FULL, STOPPED, TOO_WILD, RasterFrame
from .row_walk import RowPolygon, rasterize_row, split_row
from .spans import AREA_MASK, ROW, TRIANGLE, USED, Columns

_Corner: TypeAlias = tuple[np.float32, np.float32, np.float32]
_Corners: TypeAlias = tuple[np.float32, ...]  # x, y, z of three corners
_Rows: TypeAlias = tuple[int, int, int, int]  # a triangle's first row, the first to insert, the end, the first cell's

_ALONG_Z = np.int64(Z)  # an axis, typed: the compiler makes a version of its own for each literal


class RowScratch(NamedTuple):
    """Memory for what lies of a triangle in one row."""

    xs: F32  # of its corners
    ys: F32
    work: F32  # where it is cut literally


@kernel
def rasterize_band(
    frame: RasterFrame, geometry: Geometry, columns: Columns, cancelled: U8, begin: int, end: int
) -> int:
    """Insert the spans of all triangles in rows begin:end, from where `columns.pool` says. Returns a status.

    Each triangle's walk starts at its own first row, whatever the band: so its crossings are the same for any bands.
    """
    vertices, triangles, areas = geometry.vertices, geometry.triangles, geometry.area
    pool = columns.pool
    work = np.empty((6, 2 * MAX_CORNERS, 3), np.float32)
    scratch = RowScratch(np.empty(2 * MAX_CORNERS, np.float32), np.empty(2 * MAX_CORNERS, np.float32), work)
    emit_from = max(begin, pool[ROW])
    for triangle in range(pool[TRIANGLE], len(triangles)):
        if cancelled[0] != 0:
            return STOPPED
        a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
        az, bz, cz = vertices[a, Z], vertices[b, Z], vertices[c, Z]
        z_least, z_most = min(az, min(bz, cz)), max(az, max(bz, cz))
        if z_least > frame.z_end or z_most < frame.z:
            continue
        z_begin, z_end = _rows_of(z_least, z_most, frame)
        if z_end <= emit_from or z_begin >= end:
            continue
        ax, bx, cx = vertices[a, X], vertices[b, X], vertices[c, X]
        ay, by, cy = vertices[a, Y], vertices[b, Y], vertices[c, Y]
        if min(ax, min(bx, cx)) > frame.x_end or max(ax, max(bx, cx)) < frame.x:
            continue
        if min(ay, min(by, cy)) > frame.y_end or max(ay, max(by, cy)) < frame.y:
            continue
        corners = _lowest_first((ax, ay, az), (bx, by, bz), (cx, cy, cz))
        area = np.int64(areas[triangle]) & AREA_MASK  # as in Recast's spans
        rows = z_begin, emit_from, min(z_end, end), begin
        z, status = _walk(corners, rows, frame, columns, cancelled, area, scratch)
        if status == DONE and z < rows[2]:
            rows = z_begin, max(z, emit_from), rows[2], begin
            z, status = _split_triangle(corners, rows, frame, columns, cancelled, area, scratch)
        if status != DONE:
            pool[TRIANGLE], pool[ROW] = triangle, z
            return status
        emit_from = begin
    return DONE


@inlined
def _rows_of(least: np.float32, most: np.float32, frame: RasterFrame) -> tuple[int, int]:
    """The rows begin:end of a z range, from -1 on: what is a row or more below the grid must be cut off there."""
    # Compared before they are cast: a triangle may reach farther than an integer does.
    first, last = (least - frame.z) * frame.columns_per_metre, (most - frame.z) * frame.columns_per_metre
    begin, end = np.int64(-1), np.int64(1)
    if first > -1:
        begin = np.int64(first) if first < frame.depth else frame.depth - 1
    if last > 0:
        end = np.int64(last) + 1 if last < frame.depth else frame.depth
    return begin, end


@inlined
def _lowest_first(a: _Corner, b: _Corner, c: _Corner) -> _Corners:
    """The corners, turned so that the first is the lowest."""
    if a[2] <= b[2] and a[2] <= c[2]:
        return a + b + c
    if b[2] <= c[2]:
        return b + c + a
    return c + a + b


@inlined
def _line(frame: RasterFrame, row: int) -> np.float32:
    """Where a row ends; see `rows._line`."""
    return (frame.z + np.float32(row) * frame.cell_size) + frame.cell_size


@borrowing
def _walk(
    corners: _Corners,
    rows: _Rows,
    frame: RasterFrame,
    columns: Columns,
    cancelled: U8,
    area: np.int64,
    scratch: RowScratch,
) -> tuple[int, int]:
    """Walk both chains of a triangle from row to row. Returns the row to go on with (if DONE, literally), a status."""
    (begin, emit_from, end, base), (xs, ys, work) = rows, scratch
    lx, ly, lz, ux, uy, uz, vx, vy, vz = corners  # where the leaving chain is, and the corner that each chain goes to
    ex, ey, ez = lx, ly, lz  # where the entering chain is
    top, fresh, apart, doubled = max(uz, vz), True, True, False
    for z in range(begin, end):
        line = _line(frame, z)
        if fresh:
            if lz > line:
                continue
        elif not (lz < line and ez < line):
            return z, DONE
        count = _push(xs, ys, np.int64(0), lx, ly)
        if doubled:
            count = _push(xs, ys, count, lx, ly)
        last_x, last_y, closes = ex, ey, not fresh
        if top <= line:
            count = _push(xs, ys, count, ux, uy)
            if apart:
                count = _push(xs, ys, count, vx, vy)
        else:
            # A corner on the line belongs to both sides (there twice, as itself and as its crossing), but for the last
            # one that the entering chain has passed, which belongs to neither.
            passes_u, passes_v, on_line = uz <= line, vz <= line, fresh and lz == line
            if on_line and not passes_v:
                count = np.int64(0)
            doubled = (on_line and passes_v) or (passes_u and uz == line)
            if passes_u:
                count = _push(xs, ys, count, ux, uy)
                lx, ly, lz, ux, uy, uz = ux, uy, uz, vx, vy, vz
            lx, ly, lz = _crossing(lx, ly, lz, ux, uy, uz, line)
            count = _push(xs, ys, count, lx, ly)
            if passes_v:
                ex, ey, ez, vx, vy, vz = vx, vy, vz, ux, uy, uz
            px, py, inside = ex, ey, passes_v and ez < line
            ex, ey, ez = _crossing(vx, vy, vz, ex, ey, ez, line)
            count = _push(xs, ys, count, ex, ey)
            if inside:
                count = _push(xs, ys, count, px, py)
            apart, fresh = apart and not passes_u and not passes_v, False
        if closes:
            count = _push(xs, ys, count, last_x, last_y)
        if count >= 3 and z >= emit_from:
            polygon, cell = RowPolygon(xs, ys, count), (z - base) * frame.width
            status = _readiness(frame, columns, cancelled) or rasterize_row(polygon, frame, columns, cell, area, work)
            if status != DONE:
                return z, status
        if top <= line:
            break
    return end, DONE


@inlined
def _push(xs: F32, ys: F32, count: int, x: np.float32, y: np.float32) -> int:
    xs[count], ys[count] = x, y
    return count + 1


@inlined
def _crossing(
    px: np.float32, py: np.float32, pz: np.float32, qx: np.float32, qy: np.float32, qz: np.float32, line: np.float32
) -> tuple[np.float32, np.float32, np.float32]:
    """Where the edge from p to q meets the line: always computed in the order of the corners."""
    to_p = line - pz
    t = to_p / (to_p - (line - qz))
    return px + (qx - px) * t, py + (qy - py) * t, pz + (qz - pz) * t


@borrowing
def _readiness(frame: RasterFrame, columns: Columns, cancelled: U8) -> int:
    """DONE if there are cells enough for one more row and the build has not been cancelled."""
    if columns.pool[USED] + frame.width > len(columns.cells):
        return FULL
    if cancelled[0] != 0:
        return STOPPED
    return DONE


@kernel
def _split_triangle(
    corners: _Corners,
    rows: _Rows,
    frame: RasterFrame,
    columns: Columns,
    cancelled: U8,
    area: np.int64,
    scratch: RowScratch,
) -> tuple[int, int]:
    """`_walk` by literal cutting."""
    begin, emit_from, end, base = rows
    xs, ys, work = scratch
    rest, row, spare = work[TRIANGLE_REST], work[TRIANGLE_ROW], work[TRIANGLE_SPARE]
    for corner in range(3):
        for axis in range(3):
            rest[corner, axis] = corners[3 * corner + axis]
    count = np.int64(3)
    for z in range(begin, end):
        lows, highs = split(rest, count, _line(frame, z), _ALONG_Z, row, spare)
        if lows < 0:
            return z, TOO_WILD
        rest, spare = spare, rest
        count = highs
        if lows >= 3 and z >= emit_from:
            for corner in range(lows):
                xs[corner], ys[corner] = row[corner, X], row[corner, Y]
            first_cell = (z - base) * frame.width
            status = _readiness(frame, columns, cancelled) or split_row(
                RowPolygon(xs, ys, lows), np.int64(0), frame, columns, first_cell, area, work
            )
            if status != DONE:
                return z, status
    return end, DONE
