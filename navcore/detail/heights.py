"""The height of the ground around one polygon: a patch of cells, filled from its region and flooded on demand."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..types import I32, U16

UNSET = 0xFFFF  # a cell whose height is not known. Recast: RC_UNSET_HEIGHT
FARTHEST = np.float32(np.finfo(np.float32).max)
at = (
    np.uint32
)  # for an index in a hot loop: Numba then does not ask whether it is negative, which saves a third of the time
_ONE, _NUDGE = np.float32(1), np.float32(0.01)  # of a cell, so that a point on a cell's corner is found in that cell

# What is counted while building, by place in `found`.
WALKS_FAILED, NOTHING_NEAR, HEIGHTS_UNKNOWN, DANGLING, TABLE_FULL, CLAMPED, FOUND = 0, 1, 2, 3, 4, 5, 6


class Patch(NamedTuple):
    """Scratch for the cells around one polygon.

    Cells are numbered row by row with a frame of one cell on each side. The frame is never UNSET, so nothing that looks
    for unset cells leaves the patch, without comparing coordinates.
    """

    window: I32  # (6,) x and z of the first cell, width, depth, and where the flood's queue begins and ends
    heights: U16  # ((width + 2) · (depth + 2),) vx
    cells: I32  # (width · depth + 1,) the flood's queue
    spans: I32  # (width · depth + 1,) and the open span in each of its cells


@kernel
def fill_patch(patch, compact, regions, corners, count, region, border, found):
    """Set the heights of the polygon's own region, and the queue from which the other cells are flooded."""
    window, heights, _, _ = patch
    low_x, high_x, low_z, high_z = np.int32(compact.width), np.int32(0), np.int32(compact.depth), np.int32(0)
    for k in range(count):
        low_x, high_x = min(low_x, corners[0, k]), max(high_x, corners[0, k])
        low_z, high_z = min(low_z, corners[2, k]), max(high_z, corners[2, k])
    # One cell more than the polygon on each side, as far as the grid goes.
    window[0], window[1] = max(low_x - 1, 0), max(low_z - 1, 0)
    window[2], window[3] = min(high_x + 1, compact.width) - window[0], min(high_z + 1, compact.depth) - window[1]
    window[4], window[5] = 0, 0
    if region != 0 and _fill_region(patch, compact, regions, region, border):
        return
    if not _seed_at_center(patch, compact, corners, count, border, found):
        # Recast is undefined here: no ground near any corner. The polygon's own height is the best guess.
        found[NOTHING_NEAR] += 1
        for i in range((window[2] + 2) * np.int64(window[3] + 2)):
            heights[i] = corners[1, 0]


@kernel
def _fill_region(patch, compact, regions, region, border):
    """The lowest span of the region in each column; those connected to another region are where the flood starts."""
    window, heights, cells, spans = patch
    first, floor, neighbors = compact.first, compact.floor, compact.neighbors
    width, depth = np.int64(window[2]), np.int64(window[3])
    tail, any_set = 0, False
    for x in range(width + 2):
        heights[x], heights[x + (depth + 1) * (width + 2)] = 0, 0
    for z in range(depth):
        cell = (z + 1) * (width + 2)
        column = window[0] + border + (z + window[1] + border) * compact.width
        heights[cell], heights[cell + width + 1] = 0, 0
        begin = first[column]
        for _ in range(width):
            cell += 1
            column += 1
            span, end = begin, first[at(column)]
            begin = end
            while span < end and np.int32(regions[at(span)]) != region:
                span += 1
            if span == end:
                heights[at(cell)] = UNSET
                continue
            heights[at(cell)] = floor[at(span)]
            any_set = True
            a, b, c, d = neighbors[at(span), 0], neighbors[at(span), 1], neighbors[at(span), 2], neighbors[at(span), 3]
            if (
                (a >= 0 and np.int32(regions[at(a)]) != region)
                or (b >= 0 and np.int32(regions[at(b)]) != region)
                or (c >= 0 and np.int32(regions[at(c)]) != region)
                or (d >= 0 and np.int32(regions[at(d)]) != region)
            ):
                cells[tail], spans[tail] = cell, span
                tail += 1
    window[5] = tail
    return any_set


@kernel
def _unset(heights, width, depth):
    """Draw the frame, forget all else."""
    stride = np.int64(width + 2)
    for z in range(depth + 2):
        for x in range(stride):
            heights[x + z * stride] = 0 if x == 0 or x > width or z == 0 or z > depth else UNSET


@kernel
def _seed_at_center(patch, compact, corners, count, border, found):
    """Walk from the span nearest to a corner towards the polygon's center; the flood starts where the walk ends."""
    window, heights, cells, spans = patch
    cell, span = _nearest_span(window, compact, corners, count, border)
    if span < 0:
        return False
    target_x, target_z = np.int64(0), np.int64(0)
    for k in range(count):
        target_x += corners[0, k]
        target_z += corners[2, k]
    _unset(heights, window[2], window[3])
    cell, span = _walk(
        patch, compact.neighbors, cell, span, target_x // count - window[0], target_z // count - window[1], found
    )
    _unset(heights, window[2], window[3])
    heights[cell] = compact.floor[span]
    cells[0], spans[0] = cell, span
    window[5] = 1
    return True


@kernel
def _nearest_span(window, compact, corners, count, border):
    """(cell, span) nearest in height to a corner, in the nine columns around it; span −1 where there is none."""
    first, floor = compact.first, compact.floor
    best, best_cell, best_span = np.int32(65535), np.int64(0), np.int64(-1)
    for k in range(count):
        for offset_x, offset_z in ((0, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)):
            x, z = corners[0, k] + offset_x - window[0], corners[2, k] + offset_z - window[1]
            if x < 0 or z < 0 or x >= window[2] or z >= window[3]:
                continue
            column = x + window[0] + border + np.int64(z + window[1] + border) * compact.width
            for span in range(first[column], first[column + 1]):
                difference = abs(corners[1, k] - np.int32(floor[span]))
                if difference < best:
                    best, best_cell, best_span = difference, (z + 1) * np.int64(window[2] + 2) + x + 1, np.int64(span)
            if best == 0:
                return best_cell, best_span
    return best_cell, best_span


@kernel
def _walk(patch, neighbors, cell, span, target_x, target_z, found):
    """Depth first to the target, always trying the direction towards it first; visited cells are no longer UNSET."""
    window, heights, cells, spans = patch
    stride = np.int64(window[2] + 2)
    steps = (np.int64(-1), stride, np.int64(1), -stride)
    cells[0], spans[0] = cell, span  # not marked as visited: it may be walked through once more
    size = 1
    while size > 0:
        size -= 1
        cell, span = np.int64(cells[size]), np.int64(spans[size])
        x, z = cell % stride - 1, cell // stride - 1
        if x == target_x and z == target_z:
            return cell, span
        if x == target_x:
            preferred = 1 if target_z > z else 3
        else:
            preferred = 2 if target_x > x else 0
        for i in range(4):
            # The preferred direction changes places with the last one, as the last one pushed is tried first.
            direction = preferred if i == 3 else (3 if i == preferred else i)
            there = cell + steps[direction]
            if neighbors[span, direction] >= 0 and np.int32(heights[there]) == UNSET:
                heights[there] = 0
                cells[size], spans[size] = there, neighbors[span, direction]
                size += 1
    found[WALKS_FAILED] += 1
    return cell, span


@kernel
def look_up(points, count, patch, compact, sampling, found):
    """Replace y of each of the (3, .) points by the height of the ground below (metres, without the grid's origin).

    The flood goes on only until the cell that is asked for is set. A cell is set once and cells are taken from the
    queue in one fixed order, so a height is the same whenever the flood stops.
    """
    window, heights, cells, spans = patch
    floor, neighbors = compact.floor, compact.neighbors
    low_x, low_z, width, depth = np.int64(window[0]), np.int64(window[1]), np.int64(window[2]), np.int64(window[3])
    per_cell, cell_height = _ONE / sampling.cell_size, sampling.cell_height
    for i in range(count):
        column = min(max(math.floor(points[0, i] * per_cell + _NUDGE) - low_x, 0), width - 1)
        row = min(max(math.floor(points[2, i] * per_cell + _NUDGE) - low_z, 0), depth - 1)
        cell = (row + 1) * (width + 2) + column + 1
        height = np.int32(heights[cell])
        if height == UNSET:
            _flood(window, heights, cells, spans, floor, neighbors, cell)
            height = np.int32(heights[cell])
        if height == UNSET:
            height = _nearby(heights, width, depth, column, row, points[1, i], cell_height, sampling.radius)
            found[HEIGHTS_UNKNOWN] += np.int64(height == UNSET)
        points[1, i] = np.float32(height) * cell_height


@kernel
def _flood(window, heights, cells, spans, floor, neighbors, wanted):
    """Spread the known heights breadth first until `wanted` is set or nothing is left to spread."""
    stride = np.int64(window[2] + 2)
    steps = (np.int64(-1), stride, np.int64(1), -stride)
    head, tail = np.int64(window[4]), np.int64(window[5])
    while head < tail and np.int32(heights[wanted]) == UNSET:
        cell, span = np.int64(cells[at(head)]), at(spans[at(head)])
        head += 1
        for direction in range(4):
            neighbor, there = neighbors[span, direction], at(cell + steps[direction])
            if neighbor >= 0 and np.int32(heights[there]) == UNSET:
                heights[there] = floor[at(neighbor)]
                cells[at(tail)], spans[at(tail)] = there, neighbor
                tail += 1
    window[4], window[5] = head, tail


@kernel
def _nearby(heights, width, depth, column, row, y, cell_height, radius):
    """The known height closest to y in the innermost ring of cells that has one; UNSET where none has."""
    best, height = FARTHEST, np.int32(UNSET)
    x, z, step_x, step_z = 1, 0, 1, 0
    ring_end, ring_length = 8, 8
    for i in range((2 * radius + 1) * (2 * radius + 1) - 1):
        if 0 <= column + x < width and 0 <= row + z < depth:
            near = np.int32(heights[(row + z + 1) * (width + 2) + column + x + 1])
            if near != UNSET:
                difference = abs(np.float32(near) * cell_height - y)
                if difference < best:
                    best, height = difference, near
        if i + 1 == ring_end:
            if height != UNSET:
                break
            ring_length += 8
            ring_end += ring_length
        if x == z or (x < 0 and x == -z) or (x > 0 and x == 1 - z):
            step_x, step_z = -step_z, step_x
        x += step_x
        z += step_z
    return height
