"""Heights below points around one polygon, cell by cell: that of its region, or what a flood fill brings from there.

Recast fills a *patch*, the polygon's bounding box and a cell around it, with the polygon's own region and floods the
rest of it breadth first. Long polygons have boxes far larger than themselves, so a large patch is filled only around
the cells that are asked for and not of the region: in a *window* of the patch. That gives the same heights.

Say that a cell is k deep if whoever comes from a cell of the patch outside of the window takes more than k steps to it
(so the edge of the patch itself makes nothing shallow). Claim: of the cells that are k deep, with and without the rest
of the patch, the same ones are reached in step k of the flood, with the same spans, and queued in the same order.
Step 0: these are the seeds, queued by rows; whether a span is one depends on it and its neighbors, wherever they are.
Step k: a cell is reached if it has no span of the region, was not reached before, and the span of a cell beside it
that was reached in step k - 1 leads to it. All cells beside it are k - 1 deep, so by induction those are the same ones,
with the same spans; it was not reached before in both cases or in neither, as it is k - 1, k - 2, ... deep, too. The
one that was queued first decides on its span, and the queue is in the order of the origins, then of the directions.

So k steps in a window give the heights that are reached by then of all cells k deep. A wanted cell that has none yet
needs a larger window, in the end the patch. The height of a cell is the same whenever the flood stops after it is set.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...geometry.segments import FARTHEST
from ...jit import inlined, kernel, stands_in_for
from ...types import F32, I32, I64, U8, U16, AnyInt
from .sampling import HEIGHTS_UNKNOWN, NOTHING_NEAR, WALKS_FAILED, Sampling

UNSET = 0xFFFF  # a cell whose height is not known. Recast: RC_UNSET_HEIGHT
# For an index in a hot loop: Numba then does not ask whether it is negative, which saves a third of the time.
at = np.uint32

# Slots of `Patch.window`; the first four are of what is filled, the next four of the whole patch:
X, Z, WIDTH, DEPTH, PATCH_X, PATCH_Z, PATCH_WIDTH, PATCH_DEPTH = 0, 1, 2, 3, 4, 5, 6, 7
KNOWN_X, KNOWN_Z, KNOWN_X_END, KNOWN_Z_END = 8, 9, 10, 11  # where heights are final if set
IS_WHOLE = 12  # whether the window is the patch: it is flooded on demand, not for a number of steps
HEAD, TAIL = 13, 14  # where the flood's queue begins and ends
REGION = 15  # the polygon's
SPENT = 16  # cells that have been filled for windows
SLOTS = 17

_FIRST_REACH = 2  # steps that are flooded in the first window: enough for the cells beside a region
_ONE, _NUDGE = np.float32(1), np.float32(0.01)  # of a cell, so that a point on a cell's corner is found in that cell
_POLL = 0xFF  # points between two looks at the cancel flag, less one


class HeightSource(NamedTuple):
    """Where heights are read: the heightfield, the regions of its spans, and how it is read."""

    width: int
    depth: int
    border: int  # vx between the grid of the heightfield and that of the polygons
    whole: int  # patches of at most so many cells are filled at once
    first: I32  # (C + 1,)
    floor: U16  # (O,) vx
    neighbors: I32  # (O, 4)
    region: U16  # (O,)
    cancelled: U8  # (1,) not 0: come to an end, whatever the result


class Patch(NamedTuple):
    """Scratch for the cells around one polygon, and for the window of them that is filled.

    Cells of the window are numbered row by row with a frame of one cell on each side. The frame is never UNSET, so
    nothing that looks for unset cells leaves the window, without comparing coordinates.
    """

    window: I64  # (17,) see above
    heights: U16  # ((width + 2) · (depth + 2),) vx
    cells: I32  # (width · depth + 1,) the flood's queue
    spans: I32  # (width · depth + 1,) and the open span in each of its cells


@kernel
def new_patch(cells: AnyInt) -> Patch:
    """A patch for polygons with up to so many cells around them."""
    framed = 3 * cells + 6  # a patch one cell wide is the worst: its frame has two cells to each of its own
    queue, spans = np.empty(cells + 1, np.int32), np.empty(cells + 1, np.int32)
    return Patch(np.zeros(SLOTS, np.int64), np.empty(framed, np.uint16), queue, spans)


@inlined
def _place_window(window: I64, x: AnyInt, z: AnyInt, x_end: AnyInt, z_end: AnyInt) -> None:
    window[X], window[Z], window[WIDTH], window[DEPTH] = x, z, x_end - x, z_end - z


@inlined
def _know_cells(window: I64, x: AnyInt, z: AnyInt, x_end: AnyInt, z_end: AnyInt) -> None:
    window[KNOWN_X], window[KNOWN_Z], window[KNOWN_X_END], window[KNOWN_Z_END] = x, z, x_end, z_end


@inlined
def _column_of(source: HeightSource, x: AnyInt, z: AnyInt) -> np.int64:
    return x + source.border + np.int64(z + source.border) * source.width


@inlined
def _own_height(source: HeightSource, column: np.int64, region: int) -> np.int32:
    """The floor of the lowest span of the region in a column, UNSET if there is none."""
    first, floor, regions = source.first, source.floor, source.region
    for span in range(first[at(column)], first[at(column + 1)]):
        if np.int32(regions[at(span)]) == region:
            return np.int32(floor[at(span)])
    return np.int32(UNSET)


@inlined
def _cell_of(window: I64, x: AnyInt, z: AnyInt) -> int:
    return (z - window[Z] + 1) * (window[WIDTH] + 2) + x - window[X] + 1


@inlined
def _known_height(window: I64, heights: U16, x: AnyInt, z: AnyInt) -> np.int32:
    """The height of a cell of the patch; UNSET as long as it has none."""
    if window[KNOWN_X] <= x < window[KNOWN_X_END] and window[KNOWN_Z] <= z < window[KNOWN_Z_END]:
        return np.int32(heights[at(_cell_of(window, x, z))])
    return np.int32(UNSET)


@kernel
def _forget_cells(heights: U16, width: int, depth: int) -> None:
    """Draw the frame, forget all else."""
    stride = np.int64(width + 2)
    for z in range(depth + 2):
        for x in range(stride):
            heights[x + z * stride] = 0 if x == 0 or x > width or z == 0 or z > depth else UNSET


@kernel
def _fill_region(patch: Patch, source: HeightSource) -> bool:
    """The lowest span of the region in each column; those connected to another region are where the flood starts.

    Whether there is any; also true, with nothing to flood, where it was cancelled.
    """
    window, heights, cells, spans = patch
    first, floor, neighbors, regions = source.first, source.floor, source.neighbors, source.region
    region = np.int32(window[REGION])
    width, depth = window[WIDTH], window[DEPTH]
    tail, any_set = 0, False
    for x in range(width + 2):
        heights[x], heights[x + (depth + 1) * (width + 2)] = 0, 0
    for z in range(depth):
        if source.cancelled[0] != 0:
            window[HEAD], window[TAIL] = 0, 0  # without a frame around it, no flood would stay in the window
            return True
        cell = (z + 1) * (width + 2)
        column = _column_of(source, window[X], z + window[Z])
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
    window[HEAD], window[TAIL] = 0, tail
    return any_set


@stands_in_for(_fill_region)
def _fill_region_by_arrays(patch: Patch, source: HeightSource) -> bool:
    window, heights, cells, spans = patch
    width, depth, region = int(window[WIDTH]), int(window[DEPTH]), int(window[REGION])
    frame = heights[: (width + 2) * (depth + 2)].reshape(depth + 2, width + 2)
    frame[0], frame[-1], frame[:, 0], frame[:, -1] = 0, 0, 0, 0
    window[HEAD], window[TAIL] = 0, 0
    if source.cancelled[0] != 0:
        return True
    corner = int(window[X]) + source.border + (int(window[Z]) + source.border) * source.width
    columns = corner + np.arange(depth)[:, None] * source.width + np.arange(width)
    here, end = source.first[columns].astype(np.int64), source.first[columns + 1]
    found, looks = np.zeros(columns.shape, bool), here < end
    while looks.any():
        own = looks & (source.region[np.where(looks, here, 0)].astype(np.int64) == region)
        found |= own
        looks &= ~own
        here += looks
        looks &= here < end
    lowest = here[found]
    frame[1:-1, 1:-1] = UNSET
    frame[1:-1, 1:-1][found] = source.floor[lowest]
    beside = source.neighbors[lowest]
    others = (beside >= 0) & (source.region[np.maximum(beside, 0)].astype(np.int64) != region)
    at_border = others.any(axis=1)
    placed = np.arange(frame.size).reshape(frame.shape)[1:-1, 1:-1][found][at_border]
    cells[: len(placed)], spans[: len(placed)] = placed, lowest[at_border]
    window[TAIL] = len(placed)
    return bool(found.any())


@kernel
def _flood_step(patch: Patch, source: HeightSource) -> None:
    """Spread the heights in the queue to the cells beside them, and queue those."""
    window, heights, cells, spans = patch
    floor, neighbors = source.floor, source.neighbors
    stride = window[WIDTH] + 2
    steps = (np.int64(-1), stride, np.int64(1), -stride)
    end = window[TAIL]
    tail = end
    for head in range(window[HEAD], end):
        cell, span = np.int64(cells[at(head)]), at(spans[at(head)])
        for direction in range(4):
            neighbor, there = neighbors[span, direction], at(cell + steps[direction])
            if neighbor >= 0 and np.int32(heights[there]) == UNSET:
                heights[there] = floor[at(neighbor)]
                cells[at(tail)], spans[at(tail)] = there, neighbor
                tail += 1
    window[HEAD], window[TAIL] = end, tail


@stands_in_for(_flood_step)
def _flood_step_by_arrays(patch: Patch, source: HeightSource) -> None:
    window, heights, cells, spans = patch
    head, end, stride = int(window[HEAD]), int(window[TAIL]), int(window[WIDTH]) + 2
    beside = source.neighbors[spans[head:end]]
    there = cells[head:end, None].astype(np.int64) + np.array((-1, stride, 1, -stride))
    reached = beside >= 0
    reached[reached] = heights[there[reached]] == UNSET
    _, first = np.unique(there[reached], return_index=True)  # who comes first settles a cell
    first.sort()
    tail = end + len(first)
    cells[end:tail], spans[end:tail] = there[reached][first], beside[reached][first]
    heights[cells[end:tail]] = source.floor[spans[end:tail]]
    window[HEAD], window[TAIL] = end, tail


@kernel
def _settle(patch: Patch, source: HeightSource, x: AnyInt, z: AnyInt) -> np.int32:
    """The height of a cell that is not known yet: its own, or that after a flood which is large enough; or UNSET."""
    window, heights = patch.window, patch.heights
    if not window[IS_WHOLE]:
        column = _column_of(source, x, z)
        height = _own_height(source, column, window[REGION])
        # Nothing leads to a column without spans.
        if height != UNSET or source.first[column] == source.first[column + 1]:
            return height
    reach = np.int64(_FIRST_REACH)
    while not window[IS_WHOLE]:
        # Windows in vain may cost as much as the whole patch, but no more.
        if window[SPENT] > window[PATCH_WIDTH] * window[PATCH_DEPTH]:
            reach = max(window[PATCH_WIDTH], window[PATCH_DEPTH])
        _open_window(patch, source, x, z, reach)
        height = _known_height(window, heights, x, z)
        if height != UNSET:
            return height
        reach *= 2
    cell = _cell_of(window, x, z)
    while np.int32(heights[cell]) == UNSET and window[HEAD] < window[TAIL] and source.cancelled[0] == 0:
        _flood_step(patch, source)
    return np.int32(heights[cell])


@kernel
def _open_window(patch: Patch, source: HeightSource, x: AnyInt, z: AnyInt, reach: np.int64) -> None:
    """Fill what lies around a cell and flood it for `reach` steps: all cells at most as far away are then known."""
    window = patch.window
    low_x, low_z = window[PATCH_X], window[PATCH_Z]
    high_x, high_z = low_x + window[PATCH_WIDTH], low_z + window[PATCH_DEPTH]
    far = 2 * reach
    _place_window(window, max(low_x, x - far), max(low_z, z - far), min(high_x, x + far + 1), min(high_z, z + far + 1))
    _fill_region(patch, source)
    window[SPENT] += window[WIDTH] * window[DEPTH]
    if window[WIDTH] == window[PATCH_WIDTH] and window[DEPTH] == window[PATCH_DEPTH]:
        window[IS_WHOLE] = 1
        _know_cells(window, low_x, low_z, high_x, high_z)
        return
    for _ in range(reach):
        if source.cancelled[0] != 0:
            break
        _flood_step(patch, source)
    far = reach
    _know_cells(window, max(low_x, x - far), max(low_z, z - far), min(high_x, x + far + 1), min(high_z, z + far + 1))


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
        _place_window(window, x, z, x, z)
        _know_cells(window, x, z, x, z)
        window[IS_WHOLE] = 0
        return
    _place_window(window, x, z, x_end, z_end)
    _know_cells(window, x, z, x_end, z_end)
    window[IS_WHOLE] = 1
    if region != 0 and _fill_region(patch, source):
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
                if _own_height(source, _column_of(source, x, z), window[REGION]) != UNSET:
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
    _forget_cells(heights, window[WIDTH], window[DEPTH])
    cell, span = _walk(
        patch, source.neighbors, cell, span, target_x // count - window[X], target_z // count - window[Z], tally,
        source.cancelled,
    )  # fmt: skip
    _forget_cells(heights, window[WIDTH], window[DEPTH])
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
            column = _column_of(source, x + window[X], z + window[Z])
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
        height = _known_height(window, heights, x, z)
        if height == UNSET:
            height = _settle(patch, source, x, z)
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
            near = _known_height(window, heights, column + x, row + z)
            if near == UNSET and not (window[IS_WHOLE] and window[HEAD] == window[TAIL]):
                near = _settle(patch, source, column + x, row + z)
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
