"""Cut regions that no sound outline goes around into ones that have it, for the repair of finished meshes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...errors import TooLarge
from ...geometry.columns import LEFT
from ...jit import kernel
from ...threads import Workers
from ...types import I16, I32, NOT_WALKABLE, U8, U16, CompactHeightfield, Regions
from .layers import group_layers
from .monotone_sweep import sweep_rows
from .region_facts import LAST_ID, checked, find_facts
from .renumber import renumber_shared

_MAX_SPANS = 1 << 16  # between two looks at the cancel flag
LAYERS, ROWS, RUNS = 1, 2, 3  # ways to divide, each finer than the one before


def split_regions(
    compact: CompactHeightfield, regions: Regions, chosen: npt.NDArray[np.bool_], way: int, workers: Workers
) -> Regions:
    """The regions marked in `chosen` (R,) divided anew; their ids are given up, new ones follow after `regions.count`.

    LAYERS: as that partition does, so that nothing lies above itself. ROWS: one run of cells a row, so that there are
    no holes. RUNS: nothing but that run, so that no outline touches itself. No Recast ancestor.
    """
    only = compact._replace(area=np.empty_like(compact.area))
    region, parts = np.empty_like(regions.region), np.empty(len(regions.region), np.int16)
    bands = workers.bands(len(region), most=_MAX_SPANS)
    for begin, end in bands:
        workers.progress.check()
        _keep_chosen(regions.region, chosen, regions.count, compact.area, (only.area, parts), begin, end)
    if way == RUNS:
        count = sum(workers.run(_count_runs, [(only.neighbors, only.area, *band) for band in bands]))
    else:
        count = checked(sweep_rows(only, 0, parts, 1, workers.progress.cancelled)) - 1
    if way == LAYERS:
        cancelled = workers.progress.cancelled
        owner = group_layers(only, parts, find_facts(only, parts, count + 1, cancelled), 0, cancelled)
        workers.progress.check()
        count = renumber_shared(parts, owner, workers)
    if regions.count + count > LAST_ID:
        raise TooLarge(
            f"Mending broken regions would make {regions.count + count:,} of them (limit {LAST_ID:,}). "
            "Use tiles, raise Cell Size or select less."
        )
    numbered = 0
    for begin, end in bands:
        workers.progress.check()
        if way == RUNS:
            numbered = _number_runs(only.neighbors, only.area, parts, numbered, begin, end)
        _renumber_chosen(regions.region, only.area, regions.count, (region, parts), begin, end)
    return Regions(region, regions.count + count)


@kernel
def _keep_chosen(
    region: U16, chosen: npt.NDArray[np.bool_], count: int, area: U8, made: tuple[U8, I16], begin: int, end: int
) -> None:
    """The areas of spans begin:end that are in one of the chosen regions, none elsewhere; and parts, all 0."""
    own_area, parts = made
    for span in range(begin, end):
        own = region[span] if region[span] <= count else np.uint16(0)
        own_area[span] = area[span] if chosen[own] else np.uint8(NOT_WALKABLE)
        parts[span] = 0


@kernel
def _renumber_chosen(region: U16, own_area: U8, count: int, made: tuple[U16, I16], begin: int, end: int) -> None:
    """New ids of spans begin:end that are in one of the chosen regions, the old ones elsewhere."""
    renumbered, parts = made
    for span in range(begin, end):
        own = np.uint16(np.int32(parts[span]) + count)
        renumbered[span] = own if own_area[span] != NOT_WALKABLE else region[span]


@kernel
def _count_runs(neighbors: I32, area: U8, begin: int, end: int) -> int:
    count = 0
    for span in range(begin, end):
        before = neighbors[span, LEFT]
        if area[span] != NOT_WALKABLE and (before < 0 or area[before] != area[span]):
            count += 1
    return count


@kernel
def _number_runs(neighbors: I32, area: U8, parts: I16, count: int, begin: int, end: int) -> int:
    """Number the runs of spans begin:end from `count` + 1 on; returns the last number.

    A run begins where nothing of its area lies before it along x; links must lead both ways.
    """
    for span in range(begin, end):
        if area[span] == NOT_WALKABLE:
            continue
        before = neighbors[span, LEFT]
        if before < 0 or area[before] != area[span]:
            count += 1
            parts[span] = count
        else:
            parts[span] = parts[before]
    return count
