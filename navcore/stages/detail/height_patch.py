"""The height of the ground around one polygon, cell by cell: that of its region, or what is flooded from it.

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

from typing import NamedTuple

import numpy as np

from ...jit import inlined, kernel
from ...types import I32, I64, U8, U16, AnyInt

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
def place_window(window: I64, x: AnyInt, z: AnyInt, x_end: AnyInt, z_end: AnyInt) -> None:
    window[X], window[Z], window[WIDTH], window[DEPTH] = x, z, x_end - x, z_end - z


@inlined
def know_cells(window: I64, x: AnyInt, z: AnyInt, x_end: AnyInt, z_end: AnyInt) -> None:
    window[KNOWN_X], window[KNOWN_Z], window[KNOWN_X_END], window[KNOWN_Z_END] = x, z, x_end, z_end


@inlined
def column_of(source: HeightSource, x: AnyInt, z: AnyInt) -> np.int64:
    return x + source.border + np.int64(z + source.border) * source.width


@inlined
def own_height(source: HeightSource, column: np.int64, region: int) -> np.int32:
    """The floor of the lowest span of the region in a column, UNSET if there is none."""
    first, floor, regions = source.first, source.floor, source.region
    for span in range(first[at(column)], first[at(column + 1)]):
        if np.int32(regions[at(span)]) == region:
            return np.int32(floor[at(span)])
    return np.int32(UNSET)


@inlined
def cell_of(window: I64, x: AnyInt, z: AnyInt) -> int:
    return (z - window[Z] + 1) * (window[WIDTH] + 2) + x - window[X] + 1


@inlined
def known_height(window: I64, heights: U16, x: AnyInt, z: AnyInt) -> np.int32:
    """The height of a cell of the patch; UNSET as long as it has none."""
    if window[KNOWN_X] <= x < window[KNOWN_X_END] and window[KNOWN_Z] <= z < window[KNOWN_Z_END]:
        return np.int32(heights[at(cell_of(window, x, z))])
    return np.int32(UNSET)


@kernel
def forget_cells(heights: U16, width: int, depth: int) -> None:
    """Draw the frame, forget all else."""
    stride = np.int64(width + 2)
    for z in range(depth + 2):
        for x in range(stride):
            heights[x + z * stride] = 0 if x == 0 or x > width or z == 0 or z > depth else UNSET


@kernel
def fill_region(patch: Patch, source: HeightSource) -> bool:
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
        column = column_of(source, window[X], z + window[Z])
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


@kernel
def flood_step(patch: Patch, source: HeightSource) -> None:
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


@kernel
def settle(patch: Patch, source: HeightSource, x: AnyInt, z: AnyInt) -> np.int32:
    """The height of a cell that is not known yet: its own, or that after a flood which is large enough; or UNSET."""
    window, heights = patch.window, patch.heights
    if not window[IS_WHOLE]:
        column = column_of(source, x, z)
        height = own_height(source, column, window[REGION])
        # Nothing leads to a column without spans.
        if height != UNSET or source.first[column] == source.first[column + 1]:
            return height
    reach = np.int64(_FIRST_REACH)
    while not window[IS_WHOLE]:
        # Windows in vain may cost as much as the whole patch, but no more.
        if window[SPENT] > window[PATCH_WIDTH] * window[PATCH_DEPTH]:
            reach = max(window[PATCH_WIDTH], window[PATCH_DEPTH])
        _open_window(patch, source, x, z, reach)
        height = known_height(window, heights, x, z)
        if height != UNSET:
            return height
        reach *= 2
    cell = cell_of(window, x, z)
    while np.int32(heights[cell]) == UNSET and window[HEAD] < window[TAIL] and source.cancelled[0] == 0:
        flood_step(patch, source)
    return np.int32(heights[cell])


@kernel
def _open_window(patch: Patch, source: HeightSource, x: AnyInt, z: AnyInt, reach: np.int64) -> None:
    """Fill what lies around a cell and flood it for `reach` steps: all cells at most as far away are then known."""
    window = patch.window
    low_x, low_z = window[PATCH_X], window[PATCH_Z]
    high_x, high_z = low_x + window[PATCH_WIDTH], low_z + window[PATCH_DEPTH]
    far = 2 * reach
    place_window(window, max(low_x, x - far), max(low_z, z - far), min(high_x, x + far + 1), min(high_z, z + far + 1))
    fill_region(patch, source)
    window[SPENT] += window[WIDTH] * window[DEPTH]
    if window[WIDTH] == window[PATCH_WIDTH] and window[DEPTH] == window[PATCH_DEPTH]:
        window[IS_WHOLE] = 1
        know_cells(window, low_x, low_z, high_x, high_z)
        return
    for _ in range(reach):
        if source.cancelled[0] != 0:
            break
        flood_step(patch, source)
    far = reach
    know_cells(window, max(low_x, x - far), max(low_z, z - far), min(high_x, x + far + 1), min(high_z, z + far + 1))
