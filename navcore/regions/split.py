"""Cut regions that no sound outline goes around into ones that have it, for the repair of finished meshes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import TooLarge
from ..jit import kernel
from ..threads import Workers
from ..types import CompactHeightfield, Regions
from .layers import group_layers
from .renumber import renumber
from .status import LAST_ID, checked
from .survey import survey_regions
from .sweep import sweep_rows

LAYERS, ROWS, RUNS = 1, 2, 3  # ways to divide, each finer than the one before


def split_regions(
    compact: CompactHeightfield, regions: Regions, chosen: npt.NDArray[np.bool_], way: int, workers: Workers
) -> Regions:
    """The regions marked in `chosen` (R,) divided anew; their ids are given up, new ones follow after `regions.count`.

    LAYERS: as that partition does, so that nothing lies above itself. ROWS: one run of cells a row, so that there are
    no holes. RUNS: nothing but that run, so that no outline touches itself. No Recast ancestor.
    """
    inside = chosen[np.where(regions.region > regions.count, 0, regions.region)]
    only = compact._replace(area=np.where(inside, compact.area, np.uint8(0)))
    parts = np.zeros(len(regions.region), np.int16)
    if way == RUNS:
        count = _count_runs(only.neighbors, only.area)
    else:
        count = checked(sweep_rows(only, 0, parts, 1, workers.progress.flag)) - 1
    if way == LAYERS:
        flag = workers.progress.flag
        count = renumber(parts, group_layers(only, parts, survey_regions(only, parts, count + 1, flag), 0, flag))
        workers.progress.check()
    if regions.count + count > LAST_ID:
        raise TooLarge(
            f"Mending broken regions would make {regions.count + count:,} of them (limit {LAST_ID:,}). "
            "Use tiles, raise Cell Size or select less."
        )
    if way == RUNS:
        _number_runs(only.neighbors, only.area, parts)
    region = np.where(inside, parts.view(np.uint16) + np.uint16(regions.count), regions.region).astype(np.uint16)
    return Regions(region, regions.count + count)


@kernel
def _count_runs(neighbors, area):
    count = 0
    for span in range(area.shape[0]):
        before = neighbors[span, 0]
        if area[span] != 0 and (before < 0 or area[before] != area[span]):
            count += 1
    return count


@kernel
def _number_runs(neighbors, area, parts):
    """A run begins where nothing of its area lies before it along x; links must lead both ways."""
    count = 0
    for span in range(area.shape[0]):
        if area[span] == 0:
            continue
        before = neighbors[span, 0]
        if before < 0 or area[before] != area[span]:
            count += 1
            parts[span] = count
        else:
            parts[span] = parts[before]
