"""Rasterization as the specification words it, split by split: the slow twin that the fast one is compared with.

Triangles are cut into row polygons and those into column polygons by one split; records are put into linked lists by
one walk. Nothing here is shared with navcore but the @kernel decorator.
"""

from __future__ import annotations

import numpy as np

from navcore.jit import kernel
from navcore.types import Grid, Heightfield

MOST_CORNERS = 32


@kernel
def split(polygon, count, at, axis, low, high):
    """R-4.6: both sides of the line. Returns the two counts."""
    lows = 0
    highs = 0
    j = count - 1
    for i in range(count):
        di = at - polygon[i, axis]
        dj = at - polygon[j, axis]
        if (di >= 0) != (dj >= 0):
            t = dj / (dj - di)
            for a in range(3):
                low[lows, a] = polygon[j, a] + (polygon[i, a] - polygon[j, a]) * t
                high[highs, a] = low[lows, a]
            lows += 1
            highs += 1
            if di > 0:
                low[lows] = polygon[i]
                lows += 1
            elif di < 0:
                high[highs] = polygon[i]
                highs += 1
        else:
            if di >= 0:
                low[lows] = polygon[i]
                lows += 1
            if di <= 0:
                high[highs] = polygon[i]
                highs += 1
        j = i
    return lows, highs


@kernel
def clamp(value, low, high):
    return low if value < low else (high if value > high else value)


@kernel
def clip_row(row, rows, z, width, cs, ch, low, high, area, records, count):
    """R-4.4, R-4.5 and R-4.8 for one row polygon (overwritten)."""
    f32 = np.float32
    ics, ich = f32(1) / cs, f32(1) / ch
    by = high[1] - low[1]
    cell = np.empty((MOST_CORNERS, 3), np.float32)
    left = np.empty((MOST_CORNERS, 3), np.float32)
    x_least, x_most = row[0, 0], row[0, 0]
    for i in range(1, rows):
        x_least, x_most = min(x_least, row[i, 0]), max(x_most, row[i, 0])
    x0, x1 = np.int64((x_least - low[0]) * ics), np.int64((x_most - low[0]) * ics)
    if x1 < 0 or x0 >= width:
        return count
    x0, x1 = clamp(x0, -1, width - 1), clamp(x1, 0, width - 1)
    for x in range(x0, x1 + 1):
        cells, lefts = split(row, rows, (low[0] + f32(x) * cs) + cs, 0, cell, left)
        row, left = left, row
        rows = lefts
        if cells < 3 or x < 0:
            continue
        y_least, y_most = cell[0, 1], cell[0, 1]
        for i in range(1, cells):
            y_least, y_most = min(y_least, cell[i, 1]), max(y_most, cell[i, 1])
        y_least, y_most = y_least - low[1], y_most - low[1]
        if y_most < 0 or y_least > by:
            continue
        y_least, y_most = max(y_least, f32(0)), min(y_most, by)
        bottom = clamp(np.int64(np.floor(y_least * ich)), 0, 8191)
        top = clamp(np.int64(np.ceil(y_most * ich)), bottom + 1, 8191)
        if count < len(records):
            records[count, 0] = x + z * width
            records[count, 1] = bottom
            records[count, 2] = top
            records[count, 3] = area % 64
        count += 1
    return count


@kernel
def clip(width, depth, cs, ch, low, high, vertices, triangles, area, records, count):
    """Section 4A: records (column, bottom, top, area) in triangle order, from `count` on; returns the new count."""
    f32 = np.float32
    ics = f32(1) / cs
    row = np.empty((MOST_CORNERS, 3), np.float32)
    rest = np.empty((MOST_CORNERS, 3), np.float32)
    spare = np.empty((MOST_CORNERS, 3), np.float32)
    tmin, tmax = np.empty(3, np.float32), np.empty(3, np.float32)
    for triangle in range(len(triangles)):
        outside = False
        for a in range(3):
            for corner in range(3):
                rest[corner, a] = vertices[triangles[triangle, corner], a]
            tmin[a] = min(rest[0, a], rest[1, a], rest[2, a])
            tmax[a] = max(rest[0, a], rest[1, a], rest[2, a])
            outside |= tmin[a] > high[a] or tmax[a] < low[a]
        if outside:
            continue
        z0 = clamp(np.int64((tmin[2] - low[2]) * ics), -1, depth - 1)
        z1 = clamp(np.int64((tmax[2] - low[2]) * ics), 0, depth - 1)
        rests = 3
        for z in range(z0, z1 + 1):
            rows, spares = split(rest, rests, (low[2] + f32(z) * cs) + cs, 2, row, spare)
            rest, spare = spare, rest
            rests = spares
            if rows < 3 or z < 0:
                continue
            count = clip_row(row, rows, z, width, cs, ch, low, high, area[triangle], records, count)
    return count


@kernel
def insert(records, count, threshold, head, node):
    """Section 4B: one linked list a column; a node is (bottom, top, area, next)."""
    for nodes in range(count):
        column, bottom, top, area = records[nodes]
        before, current = -1, head[column]
        while current >= 0:
            if node[current, 0] > top:
                break
            if node[current, 1] < bottom:
                before = current
            else:
                bottom, top = min(bottom, node[current, 0]), max(top, node[current, 1])
                if abs(top - node[current, 1]) <= threshold:
                    area = max(area, node[current, 2])
                if before >= 0:
                    node[before, 3] = node[current, 3]
                else:
                    head[column] = node[current, 3]
            current = node[current, 3]
        node[nodes, 0], node[nodes, 1], node[nodes, 2] = bottom, top, area
        if before >= 0:
            node[nodes, 3] = node[before, 3]
            node[before, 3] = nodes
        else:
            node[nodes, 3] = head[column]
            head[column] = nodes


@kernel
def flatten(head, node, first, bottom, top, area):
    count = 0
    for column in range(len(head)):
        first[column] = count
        current = head[column]
        while current >= 0:
            bottom[count] = node[current, 0]
            top[count] = node[current, 1]
            area[count] = node[current, 2]
            count += 1
            current = node[current, 3]
    first[len(head)] = count
    return count


def replay(columns, records, threshold):
    """Insert (column, bottom, top, area) records in order; returns first, bottom, top, area."""
    count = len(records)
    head = np.full(columns, -1, np.int32)
    node = np.empty((count, 4), np.int32)
    insert(records, count, threshold, head, node)
    first = np.empty(columns + 1, np.int32)
    spans = np.empty(count, np.uint16), np.empty(count, np.uint16), np.empty(count, np.uint8)
    total = flatten(head, node, first, *spans)
    return first, *(array[:total].copy() for array in spans)


def records_of(grid: Grid, vertices, triangles, area, guess=1 << 16):
    """All records of a scene in triangle order, (n, 4) int32."""
    arguments = (
        grid.width, grid.depth, grid.cell_size, grid.cell_height, grid.bounds_min, grid.bounds_max,
        vertices, triangles, area,
    )  # fmt: skip
    records = np.empty((guess, 4), np.int32)
    count = clip(*arguments, records, 0)
    if count > len(records):
        records = np.empty((count, 4), np.int32)
        clip(*arguments, records, 0)
    return records[:count]


def rasterize(grid: Grid, vertices, triangles, area, threshold) -> Heightfield:
    """The twin of `rasterize_triangles`."""
    records = records_of(grid, vertices, triangles, area)
    spans = replay(grid.width * grid.depth, records, threshold)
    return Heightfield(grid.width, grid.depth, *spans)
