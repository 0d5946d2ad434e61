"""Rasterizes all triangles of a level or tile: rows are cut into bands, so that every thread has the same work."""

# mypy: disable-error-code="call-overload, operator"
# (Python's types can't tell the integers and floats of kernels apart; annotations of kernels are for readers.)
from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...errors import BadInput, TooLarge
from ...geometry.columns import copy
from ...geometry.grid import check_height
from ...jit import kernel
from ...threads import Workers
from ...types import F32, F64, HIGHEST_VX, I32, U8, U16, Geometry, Grid, Heightfield
from .grid_frame import FULL, STOPPED, TOO_TALL, TOO_WILD, RasterFrame, frame_of
from .spans import LIVE, empty_columns, lay_out, with_room
from .triangle_walk import rasterize_band

_COLUMNS_AT_ONCE = 1 << 16  # between two looks at the cancel flag
_Arrays = tuple[I32, U16, U16, U8]  # first, bottom, top and area of a heightfield


def rasterize_triangles(
    grid: Grid, vertices: F32, triangles: I32, area: U8, merge_threshold_vx: int, workers: Workers
) -> Heightfield:
    """The solid spans of all triangles, in the order given.

    `vertices` (V, 3) finite, `triangles` (T, 3), `area` (T,) area ids, taken modulo 64. Where spans overlap or touch,
    they become one; the area of the lower one counts only where its top is within `merge_threshold_vx` of the
    higher one's. Not walkable triangles are matter, too. Recast: rcRasterizeTriangles.
    """
    frame = frame_of(grid, merge_threshold_vx)
    geometry, cancelled = Geometry(vertices, triangles, area), workers.progress.cancelled
    bands = cut_rows(frame, geometry, workers.count)
    results = workers.run(rasterize_rows, [(frame, geometry, cancelled, *band) for band in bands])
    workers.progress.check()
    for status, _ in results:
        _check_status(status, grid, geometry)
    return Heightfield(frame.width, frame.depth, *_joined([arrays for _, arrays in results], workers))


@kernel
def rasterize_rows(frame: RasterFrame, geometry: Geometry, cancelled: U8, begin: int, end: int) -> tuple[int, _Arrays]:
    """A status, and the arrays of a heightfield of rows begin:end, which are right if it is DONE."""
    count = frame.width * (end - begin)
    columns = empty_columns(count, count + frame.width, cancelled)
    status = rasterize_band(frame, geometry, columns, cancelled, begin, end)
    while status == FULL:
        columns = with_room(columns, columns.cells.shape[0] // 2 + frame.width, cancelled)
        status = rasterize_band(frame, geometry, columns, cancelled, begin, end)
    live = columns.pool[LIVE]
    first = np.empty(count + 1, np.int32)
    bottom, top, area = np.empty(live, np.uint16), np.empty(live, np.uint16), np.empty(live, np.uint8)
    first[count] = live
    lay_out(columns.cells, cancelled, first[:count], bottom, top, area)
    if cancelled[0] != 0:
        status = STOPPED  # what is not laid out must not be read
    return status, (first, bottom, top, area)


def _check_status(status: int, grid: Grid, geometry: Geometry) -> None:
    """Raise what a status means."""
    if status == TOO_TALL:
        _refuse_height(grid, geometry)
    if status == TOO_WILD:
        raise BadInput(
            "A triangle reaches so far beyond the bounds that its crossings with the grid can't be computed in "
            "float32. Cut away what lies far outside, or use wider bounds.",
            "TOO_FAR",
        )


def _joined(bands: list[_Arrays], workers: Workers) -> _Arrays:
    """The arrays of several bands as those of one."""
    if len(bands) == 1:
        return bands[0]
    columns, spans = (sum(len(band[i]) for band in bands) for i in (0, 1))
    joined = (
        np.empty(columns - len(bands) + 1, np.int32), np.empty(spans, np.uint16), np.empty(spans, np.uint16),
        np.empty(spans, np.uint8),
    )  # fmt: skip
    joined[0][-1] = spans
    column, span = 0, 0
    for band in bands:
        count = len(band[0]) - 1
        for begin in range(0, count, _COLUMNS_AT_ONCE):
            workers.progress.check()
            _move(band, joined, column, span, begin, min(begin + _COLUMNS_AT_ONCE, count))
        column, span = column + count, span + len(band[1])
    return joined


@kernel
def _move(band: _Arrays, joined: _Arrays, column: int, span: int, begin: int, end: int) -> None:
    """Copy columns begin:end of a band to where the band begins.

    (Not NumPy's copy: it would keep other threads, and an interface, waiting.)
    """
    first, bottom, top, area = band
    joined_first, joined_bottom, joined_top, joined_area = joined
    low, high = first[begin], first[end]
    for i in range(np.uint64(begin), np.uint64(end)):
        joined_first[np.uint64(column) + i] = first[i] + span
    copy(bottom[low:high], joined_bottom[span + low :])
    copy(top[low:high], joined_top[span + low :])
    copy(area[low:high], joined_area[span + low :])


def _refuse_height(grid: Grid, geometry: Geometry) -> None:
    """Raise TooLarge, naming the smallest cell height for what lies within the bounds."""
    corners = geometry.vertices[geometry.triangles]
    inside = ((corners.min(1) <= grid.bounds_max) & (corners.max(1) >= grid.bounds_min)).all(1)
    top = min(float(corners[inside, :, 1].max()), float(grid.bounds_max[1]))
    check_height(top, grid)
    raise TooLarge(
        f"The level reaches the highest voxel: {top - float(grid.bounds_min[1]):,.6g} m are {HIGHEST_VX:,} voxels of "
        f"{grid.cell_height:.6g} m. Raise Cell Height a little or lower the bounds."
    )


_MIN_RECORDS = 20_000  # a thread is not worth waking for fewer spans to insert
_SAMPLES = 4096  # triangles looked at, at least, where there are that many
_ROW_COST = 4.0  # of a row polygon, in records


def cut_rows(frame: RasterFrame, geometry: Geometry, count: int) -> list[tuple[int, int]]:
    """`count` bands of rows, or fewer, with about as many records each, estimated from a sample of the triangles."""
    count = min(count, frame.depth)
    if count < 2:
        return [(0, frame.depth)]
    step = max(1, len(geometry.triangles) // _SAMPLES)
    cost = np.zeros(frame.depth + 1, np.float64)
    _estimate_kernel(frame, geometry, step, np.float64(_ROW_COST), cost)
    done = np.cumsum(np.cumsum(cost[:-1]) * step + frame.width / 16)  # each cell is also laid out
    count = int(min(count, max(1, done[-1] // _MIN_RECORDS)))
    cuts = [0, *(int(np.searchsorted(done, done[-1] * i / count)) for i in range(1, count)), frame.depth]
    return [(begin, end) for begin, end in pairwise(cuts) if begin < end]


@kernel
def _estimate_kernel(frame: RasterFrame, geometry: Geometry, step: int, row_cost: np.float64, cost: F64) -> None:
    """Add each sampled triangle's cost per row to `cost` (rows + 1,), as differences from row to row."""
    vertices, triangles = geometry.vertices, geometry.triangles
    for triangle in range(step // 2, len(triangles), step):
        a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
        x_least = min(vertices[a, 0], min(vertices[b, 0], vertices[c, 0]))
        x_most = max(vertices[a, 0], max(vertices[b, 0], vertices[c, 0]))
        z_least = min(vertices[a, 2], min(vertices[b, 2], vertices[c, 2]))
        z_most = max(vertices[a, 2], max(vertices[b, 2], vertices[c, 2]))
        if not (x_least <= frame.x_end and x_most >= frame.x and z_least <= frame.z_end and z_most >= frame.z):
            continue
        columns = (min(x_most, frame.x_end) - max(x_least, frame.x)) * frame.columns_per_metre
        first = (max(z_least, frame.z) - frame.z) * frame.columns_per_metre
        last = (min(z_most, frame.z_end) - frame.z) * frame.columns_per_metre
        begin = min(np.int64(first), frame.depth - 1)
        end = min(np.int64(last), frame.depth - 1) + 1
        # A triangle covers about half of its box, and every row has two ends.
        weight = row_cost + 0.5 * np.float64(columns)
        cost[begin] += weight
        cost[end] -= weight
