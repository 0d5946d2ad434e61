"""Heights below points: a patch is begun for each polygon, then asked for the cells that points lie in."""

from __future__ import annotations

import math

import numpy as np

from ...geometry.segments import FARTHEST
from ...jit import inlined, kernel
from ...types import F32, I32, I64, U8
from .detail_counts import HEIGHTS_UNKNOWN, NOTHING_NEAR, WALKS_FAILED
from .height_patch import (
    DEPTH,
    HEAD,
    IS_WHOLE,
    PATCH_DEPTH,
    PATCH_WIDTH,
    PATCH_X,
    PATCH_Z,
    REGION,
    SPENT,
    TAIL,
    UNSET,
    WIDTH,
    HeightSource,
    Patch,
    X,
    Z,
    column_of,
    fill_region,
    forget_cells,
    know_cells,
    known_height,
    own_height,
    place_window,
    settle,
)
from .sampling_settings import Sampling

_ONE, _NUDGE = np.float32(1), np.float32(0.01)  # of a cell, so that a point on a cell's corner is found in that cell
_POLL = 0xFF  # points between two looks at the cancel flag, less one


@kernel
def begin_patch(patch: Patch, source: HeightSource, corners: I32, count: int, region: np.int32, tally: I64) -> None:
    """Choose the patch of a polygon, and fill it if it is small or what is in it can't be known otherwise."""
    window, heights = patch.window, patch.heights
    low_x, high_x, low_z, high_z = np.int32(source.width), np.int32(0), np.int32(source.depth), np.int32(0)
    for k in range(count):
        low_x, high_x = min(low_x, corners[0, k]), max(high_x, corners[0, k])
        low_z, high_z = min(low_z, corners[2, k]), max(high_z, corners[2, k])
    # One cell more than the polygon on each side, as far as the grid goes.
    x, z = max(low_x - 1, np.int64(0)), max(low_z - 1, np.int64(0))
    x_end, z_end = min(high_x + 1, np.int64(source.width)), min(high_z + 1, np.int64(source.depth))
    window[PATCH_X], window[PATCH_Z], window[PATCH_WIDTH], window[PATCH_DEPTH] = x, z, x_end - x, z_end - z
    window[REGION], window[SPENT] = region, 0
    cells = (x_end - x) * np.int64(z_end - z)
    if region != 0 and cells > source.whole and _is_at_corner(window, source, corners, count):
        place_window(window, x, z, x, z)
        know_cells(window, x, z, x, z)
        window[IS_WHOLE] = 0
        return
    place_window(window, x, z, x_end, z_end)
    know_cells(window, x, z, x_end, z_end)
    window[IS_WHOLE] = 1
    if region != 0 and fill_region(patch, source):
        return
    if not _seed_at_center(patch, source, corners, count, tally):
        # Recast is undefined here: no ground near any corner. The polygon's own height is the best guess.
        tally[NOTHING_NEAR] += 1
        for i in range((window[WIDTH] + 2) * (window[DEPTH] + 2)):
            heights[i] = corners[1, 0]
        window[HEAD], window[TAIL] = 0, 0


@kernel
def _is_at_corner(window: I64, source: HeightSource, corners: I32, count: int) -> bool:
    """Whether one of the cells that meet in a corner is of the region. (If none in the patch is, Recast seeds it.)"""
    x_end, z_end = window[PATCH_X] + window[PATCH_WIDTH], window[PATCH_Z] + window[PATCH_DEPTH]
    for k in range(count):
        for z in range(max(corners[2, k] - 1, window[PATCH_Z]), min(corners[2, k] + 1, z_end)):
            for x in range(max(corners[0, k] - 1, window[PATCH_X]), min(corners[0, k] + 1, x_end)):
                if own_height(source, column_of(source, x, z), window[REGION]) != UNSET:
                    return True
    return False


@kernel
def _seed_at_center(patch: Patch, source: HeightSource, corners: I32, count: int, tally: I64) -> bool:
    """Walk from the span nearest to a corner towards the polygon's center; the flood starts where the walk ends."""
    window, heights, cells, spans = patch
    cell, span = _nearest_span(window, source, corners, count)
    if span < 0:
        return False
    target_x, target_z = np.int64(0), np.int64(0)
    for k in range(count):
        target_x += corners[0, k]
        target_z += corners[2, k]
    forget_cells(heights, window[WIDTH], window[DEPTH])
    cell, span = _walk(
        patch, source.neighbors, cell, span, target_x // count - window[X], target_z // count - window[Z], tally,
        source.cancelled,
    )  # fmt: skip
    forget_cells(heights, window[WIDTH], window[DEPTH])
    heights[cell] = source.floor[span]
    cells[0], spans[0] = cell, span
    window[HEAD], window[TAIL] = 0, 1
    return True


@kernel
def _nearest_span(window: I64, source: HeightSource, corners: I32, count: int) -> tuple[np.int64, np.int64]:
    """(cell, span) nearest in height to a corner, in the nine columns around it; span −1 where there is none."""
    first, floor = source.first, source.floor
    best, best_cell, best_span = np.int32(UNSET), np.int64(0), np.int64(-1)
    for k in range(count):
        for offset_x, offset_z in ((0, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)):
            x, z = corners[0, k] + offset_x - window[X], corners[2, k] + offset_z - window[Z]
            if x < 0 or z < 0 or x >= window[WIDTH] or z >= window[DEPTH]:
                continue
            column = column_of(source, x + window[X], z + window[Z])
            for span in range(first[column], first[column + 1]):
                difference = abs(corners[1, k] - np.int32(floor[span]))
                if difference < best:
                    best, best_span = difference, np.int64(span)
                    best_cell = (z + 1) * np.int64(window[WIDTH] + 2) + x + 1
            if best == 0:
                return best_cell, best_span
    return best_cell, best_span


@kernel
def _walk(
    patch: Patch, neighbors: I32, cell: np.int64, span: np.int64, target_x: int, target_z: int, tally: I64,
    cancelled: U8,
) -> tuple[np.int64, np.int64]:  # fmt: skip
    """Depth first to the target, always trying the direction towards it first; visited cells are no longer UNSET."""
    window, heights, cells, spans = patch
    stride = np.int64(window[WIDTH] + 2)
    steps = (np.int64(-1), stride, np.int64(1), -stride)
    cells[0], spans[0] = cell, span  # not marked as visited: it may be walked through once more
    size = 1
    while size > 0 and cancelled[0] == 0:
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
    tally[WALKS_FAILED] += 1
    return cell, span


@inlined
def look_up(points: F32, count: int, patch: Patch, source: HeightSource, sampling: Sampling, tally: I64) -> None:
    """Replace y of each of the (3, .) points by the height of the ground below (metres, without the grid's origin)."""
    window, heights = patch.window, patch.heights
    low_x, low_z = window[PATCH_X], window[PATCH_Z]
    high_x, high_z = low_x + window[PATCH_WIDTH] - 1, low_z + window[PATCH_DEPTH] - 1
    per_cell, cell_height = _ONE / sampling.cell_size, sampling.cell_height
    for i in range(count):
        if i & _POLL == _POLL and source.cancelled[0] != 0:
            break
        x = min(max(math.floor(points[0, i] * per_cell + _NUDGE), low_x), high_x)
        z = min(max(math.floor(points[2, i] * per_cell + _NUDGE), low_z), high_z)
        height = known_height(window, heights, x, z)
        if height == UNSET:
            height = settle(patch, source, x, z)
        if height == UNSET:
            height = _nearby(patch, source, x, z, points[1, i], cell_height, sampling.radius)
            tally[HEIGHTS_UNKNOWN] += np.int64(height == UNSET)
        points[1, i] = np.float32(height) * cell_height


@kernel
def _nearby(
    patch: Patch, source: HeightSource, column: int, row: int, y: np.float32, cell_height: np.float32, radius: int
) -> np.int32:
    """The known height closest to y in the innermost ring of cells that has one; UNSET where none has."""
    window, heights = patch.window, patch.heights
    low_x, low_z = window[PATCH_X], window[PATCH_Z]
    high_x, high_z = low_x + window[PATCH_WIDTH], low_z + window[PATCH_DEPTH]
    best, height = FARTHEST, np.int32(UNSET)
    x, z, step_x, step_z = 1, 0, 1, 0
    ring_end, ring_length = 8, 8
    for i in range((2 * radius + 1) * (2 * radius + 1) - 1):
        if low_x <= column + x < high_x and low_z <= row + z < high_z:
            near = known_height(window, heights, column + x, row + z)
            if near == UNSET and not (window[IS_WHOLE] and window[HEAD] == window[TAIL]):
                near = settle(patch, source, column + x, row + z)
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
