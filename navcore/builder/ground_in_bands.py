"""Stages 2 to 5 by bands of rows, each in one call from triangles to eroded ground: threads meet once, at the end.

Stage by stage threads had to be woken five times for work of a millisecond each. A band looks a few rows beyond its
own, so that these come out as in the whole grid: a ledge looks one row far, a link another one, and erosion takes away
what is nearer to an edge than its shortest distance, of which a row is at least two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import TooLarge
from ..geometry.columns import copy
from ..jit import kernel
from ..kernels.plain_python import is_at_hand
from ..stages.compact import MAX_SPANS
from ..stages.rasterize import cut_rows
from ..stages.rasterize.grid_frame import DONE, frame_of
from ..threads import SMALL, Workers
from ..types import I32, CompactHeightfield, Geometry, Grid
from .build_limits import check_open_spans
from .cold_builds import goes_stage_by_stage
from .fused_tile import ground_of_rows
from .recipe import Recipe

_SHARED_FROM = 1 << 14  # columns: fewer are no work for two


class _Band(NamedTuple):
    """Rows of a grid, and those around them that are looked at."""

    begin: int
    end: int
    first: int
    last: int


def open_ground_in_bands(
    grid: Grid, geometry: Geometry, recipe: Recipe, workers: Workers
) -> tuple[CompactHeightfield, int] | None:
    """Open ground and how many solid spans there were, as `open_ground` makes them.

    None where there is nothing to share, or where rasterizing has something to say.
    """
    if workers.count == 1 or grid.width * grid.depth < _SHARED_FROM or goes_stage_by_stage():
        return None
    with workers.progress.stage("ground"):
        return _in_bands(grid, geometry, recipe, workers)


def _in_bands(
    grid: Grid, geometry: Geometry, recipe: Recipe, workers: Workers
) -> tuple[CompactHeightfield, int] | None:
    frame, wanted = frame_of(grid, recipe.voxels.climb_vx), recipe.open_ground
    beyond = max(recipe.voxels.radius_vx, 1) + 1
    # (Kernels that go through a band see late that they are cancelled.)
    pieces = workers.count * -(-grid.width * grid.depth // (workers.count * SMALL))
    bands = [
        _Band(begin, end, max(begin - beyond, 0), min(end + beyond, grid.depth))
        for begin, end in cut_rows(frame, geometry, pieces)
    ]
    if len(bands) == 1 or any(band.end - band.begin < 2 * beyond for band in bands):
        return None
    rows = [((band.first, band.last), (band.begin, band.end), 0, False) for band in bands]
    jobs = [(frame, geometry, wanted, of_band, workers.progress.cancelled) for of_band in rows]
    if not is_at_hand(ground_of_rows, jobs[0]):  # the stages one by one are compiled by several processes at once
        return None
    made = workers.run(ground_of_rows, jobs)
    workers.progress.check()
    if any(status != DONE for status, *_ in made):
        return None
    spans = sum(count for _, count, _, _ in made)
    grounds = [ground for _, _, ground, _ in made]
    own = [_open_spans_of(ground, band) for ground, band in zip(grounds, bands, strict=True)]
    begins = np.cumsum([0, *(end - begin for begin, end in own)]).tolist()
    check_open_spans(grid, spans, begins[-1], recipe.settings.partition)
    if spans > MAX_SPANS:
        raise TooLarge(
            f"The level has {spans:,} spans (limit {MAX_SPANS:,}). Raise Cell Size, use tiles, or select less.",
            "TOO_MANY_SPANS",
        )
    joined = _room_for(grid, begins[-1])
    workers.run(_place, [(*job, joined) for job in zip(grounds, bands, begins[:-1], strict=True)])
    return joined, spans


def _open_spans_of(ground: CompactHeightfield, band: _Band) -> tuple[int, int]:
    """Its own among the spans of a band."""
    first, last = ((row - band.first) * ground.width for row in (band.begin, band.end))
    return int(ground.first[first]), int(ground.first[last])


def _room_for(grid: Grid, spans: int) -> CompactHeightfield:
    columns = grid.width * grid.depth
    first = np.empty(columns + 1, np.int32)
    first[columns] = spans
    return CompactHeightfield(
        grid.width, grid.depth, first, np.empty(spans, np.uint16), np.empty(spans, np.uint8),
        np.empty((spans, 4), np.int32), np.empty(spans, np.uint8),
    )  # fmt: skip


@kernel
def _place(ground: CompactHeightfield, band: _Band, span: int, joined: CompactHeightfield) -> None:
    """Copy a band's own rows to where they belong; `span` is the first of its open spans there."""
    width = ground.width
    column, own_column = band.begin * width, (band.begin - band.first) * width
    columns = (band.end - band.begin) * width
    begin, end = ground.first[own_column], ground.first[own_column + columns]
    _shift(ground.first[own_column : own_column + columns], np.int32(span - begin), joined.first[column:])
    copy(ground.floor[begin:end], joined.floor[span:])
    copy(ground.clearance[begin:end], joined.clearance[span:])
    copy(ground.area[begin:end], joined.area[span:])
    # Spans of the rows beyond follow one another here as there, so that all numbers move by the same.
    links, moved = ground.neighbors.reshape(-1), joined.neighbors.reshape(-1)
    _shift_links(links[4 * begin : 4 * end], np.int32(span - begin), moved[4 * span :])


@kernel
def _shift(numbers: I32, by: np.int32, moved: I32) -> None:
    for i in range(numbers.shape[0]):
        moved[i] = numbers[i] + by


@kernel
def _shift_links(links: I32, by: np.int32, moved: I32) -> None:
    """The same where -1 stays what it is."""
    for i in range(links.shape[0]):
        moved[i] = links[i] + by if links[i] >= 0 else np.int32(-1)
