"""Stage 2: triangles → solid spans in columns.

Triangles are cut into rows of cells (`triangles.py`), rows into cells (`rows.py`), and the height range of what lies
in a cell becomes a span of its column (`spans.py`), all in one go. Threads share the work by rows (`bands.py`).
"""

from __future__ import annotations

import numpy as np

from ..errors import BadInput, TooLarge
from ..grid import check_height
from ..jit import kernel
from ..progress import Progress
from ..threads import Workers
from ..types import F32, HIGHEST_VX, I32, U8, Grid, Heightfield
from .bands import cut_rows
from .frame import FULL, STOPPED, TOO_TALL, TOO_WILD, Frame, Soup, frame_of
from .spans import LIVE, Columns, empty_columns, lay_out, with_room
from .triangles import rasterize_band

__all__ = ["check_status", "rasterize_alone", "rasterize_triangles"]


def rasterize_triangles(
    grid: Grid, vertices: F32, triangles: I32, area: U8, merge_threshold_vx: int, workers: Workers
) -> Heightfield:
    """The solid spans of all triangles, in the order given.

    `vertices` (V, 3) finite, `triangles` (T, 3), `area` (T,) area ids, taken modulo 64. Where spans overlap or touch,
    they become one; the area of the lower one counts only where its top is within `merge_threshold_vx` of the
    higher one's. Not walkable triangles are matter, too. Recast: rcRasterizeTriangles.
    """
    frame = frame_of(grid, merge_threshold_vx)
    soup = Soup(vertices, triangles, area)
    if workers.alone(frame.width * frame.depth):
        status, arrays = rasterize_alone(frame, soup, workers.progress.flag)
        workers.progress.check()
        check_status(status, grid, soup)
        return Heightfield(frame.width, frame.depth, *arrays)
    bands = cut_rows(frame, soup, workers.count)
    filled = workers.run(_fill_band, [(frame, soup, *band, workers.progress) for band in bands])
    for status, _ in filled:
        check_status(status, grid, soup)
    return _laid_out(frame, bands, [columns for _, columns in filled], workers)


@kernel
def rasterize_alone(frame, soup, flag):
    """A status, and the arrays of a heightfield, which are right if it is DONE."""
    count = frame.width * frame.depth
    columns = empty_columns(count, count + frame.width, flag)
    status = rasterize_band(frame, soup, columns, flag, 0, frame.depth)
    while status == FULL:
        columns = with_room(columns, columns.cells.shape[0] // 2 + frame.width, flag)
        status = rasterize_band(frame, soup, columns, flag, 0, frame.depth)
    live = columns.pool[LIVE]
    first = np.empty(count + 1, np.int32)
    bottom, top, area = np.empty(live, np.uint16), np.empty(live, np.uint16), np.empty(live, np.uint8)
    first[count] = live
    lay_out(columns.cells, count, flag, 0, first, bottom, top, area)
    if flag[0] != 0:
        status = STOPPED  # what is not laid out must not be read
    return status, (first, bottom, top, area)


def check_status(status: int, grid: Grid, soup: Soup) -> None:
    """Raise what a status means."""
    if status == TOO_TALL:
        _refuse_height(grid, soup)
    if status == TOO_WILD:
        raise BadInput(
            "A triangle reaches so far beyond the bounds that its crossings with the grid can't be computed in "
            "float32. Cut away what lies far outside, or use wider bounds.",
            "TOO_FAR",
        )


def _fill_band(frame: Frame, soup: Soup, begin: int, end: int, progress: Progress) -> tuple[int, Columns]:
    """The columns of rows begin:end, and DONE or why they are not complete."""
    count = frame.width * (end - begin)
    columns = empty_columns(count, count + frame.width, progress.flag)
    while True:
        status = rasterize_band(frame, soup, columns, progress.flag, begin, end)
        progress.check()
        if status != FULL:
            return status, columns
        columns = with_room(columns, len(columns.cells) // 2 + frame.width, progress.flag)


def _laid_out(frame: Frame, bands: list[tuple[int, int]], filled: list[Columns], workers: Workers) -> Heightfield:
    """All columns one after another."""
    counts = [int(columns.pool[LIVE]) for columns in filled]
    total = sum(counts)
    first = np.empty(frame.width * frame.depth + 1, np.int32)
    bottom, top, area = np.empty(total, np.uint16), np.empty(total, np.uint16), np.empty(total, np.uint8)
    first[-1] = total
    flag, jobs = workers.progress.flag, []
    for (begin, end), columns, before in zip(bands, filled, np.cumsum([0, *counts]), strict=False):
        begin, end = begin * frame.width, end * frame.width
        jobs.append((columns.cells, end - begin, flag, int(before), first[begin:end], bottom, top, area))
    workers.run(lay_out, jobs)
    workers.progress.check()  # laying out that was cancelled returned early
    return Heightfield(frame.width, frame.depth, first, bottom, top, area)


def _refuse_height(grid: Grid, soup: Soup) -> None:
    """Raise TooLarge, naming the smallest cell height for what lies within the bounds."""
    corners = soup.vertices[soup.triangles]
    inside = ((corners.min(1) <= grid.bounds_max) & (corners.max(1) >= grid.bounds_min)).all(1)
    top = min(float(corners[inside, :, 1].max()), float(grid.bounds_max[1]))
    check_height(top, grid)
    raise TooLarge(
        f"The level reaches the highest voxel: {top - float(grid.bounds_min[1]):,.6g} m are {HIGHEST_VX:,} voxels of "
        f"{grid.cell_height:.6g} m. Raise Cell Height a little or lower the bounds."
    )
