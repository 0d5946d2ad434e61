"""A check on finished regions: which of them lie above themselves, as watershed makes them on spiral stairs."""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...progress import Progress
from ...types import I16, I32, U8, CompactHeightfield, Regions

_POLL = 0xFFFF  # columns between two looks at the cancel flag, less one


def overlapping_regions(compact: CompactHeightfield, regions: Regions, progress: Progress | None = None) -> list[int]:
    """The ids of regions with two spans in one column: no flat outline can go around them.

    Recast: the warning "overlapping regions" of rcBuildRegions.
    """
    progress = progress or Progress()
    overlapping = above_themselves(compact.first, regions.region.view(np.int16), regions.count, progress.cancelled)
    progress.check()
    return [int(region) for region in overlapping]


@kernel
def above_themselves(first: I32, region: I16, count: int, cancelled: U8) -> I32:
    """The regions that lie above themselves, in ascending order; not all of them once `cancelled` is set."""
    overlapping, listed, total = np.zeros(count + 1, np.uint8), np.empty(count, np.int32), 0
    for column in range(first.shape[0] - 1):
        if column & _POLL == 0 and cancelled[0] != 0:
            break
        for upper in range(first[column] + 1, first[column + 1]):
            if region[upper] > 0:
                for lower in range(first[column], upper):
                    if region[lower] == region[upper]:
                        overlapping[region[upper]] = 1
    for own in range(1, count + 1):
        if overlapping[own]:
            listed[total] = own
            total += 1
    return listed[:total]
