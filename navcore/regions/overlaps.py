"""A check on finished regions: which of them lie above themselves, as watershed makes them on spiral stairs."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..types import CompactHeightfield, Regions


def overlapping_regions(compact: CompactHeightfield, regions: Regions) -> list[int]:
    """The ids of regions with two spans in one column: no flat outline can go around them.

    Recast: the warning "overlapping regions" of rcBuildRegions.
    """
    found = np.zeros(regions.count + 1, np.uint8)
    _mark(compact.first, regions.region.view(np.int16), found)
    return [int(region) for region in np.flatnonzero(found)]


@kernel
def _mark(first, region, found):
    for column in range(first.shape[0] - 1):
        for upper in range(first[column] + 1, first[column + 1]):
            if region[upper] > 0:
                for lower in range(first[column], upper):
                    if region[lower] == region[upper]:
                        found[region[upper]] = 1
