"""Stage 7: open space → regions, each a piece of floor that one outline can go around.

Three ways to divide the floor: watershed (then merged), monotone (a sweep over rows, then merged) and layers (the same
sweep, then grouped).
"""

from __future__ import annotations

import numpy as np

from ..threads import Workers
from ..types import CompactHeightfield, DistanceField, Regions
from .border import FIRST_ID_BEHIND_BORDER, paint_border
from .layers import group_layers
from .merging import merge_regions
from .overlaps import overlapping_regions
from .renumber import renumber
from .sweep import sweep_rows
from .watershed import flood_basins

__all__ = ["build_regions", "overlapping_regions"]


def build_regions(
    compact: CompactHeightfield,
    distance: DistanceField | None,
    partition: str,
    border: int,
    min_area_vx: int,
    merge_area_vx: int,
    workers: Workers,
) -> Regions:
    """Give each walkable span (O,) the id of its region.

    `distance` is for the partition "watershed" alone, `border` is the width in columns of what belongs to the tiles
    around. Islands of fewer than `min_area_vx` spans vanish, unless they touch the border; regions of up to
    `merge_area_vx` spans are joined to a neighbor (not by "layers").

    Recast: rcBuildRegions, rcBuildRegionsMonotone, rcBuildLayerRegions.
    """
    region = np.zeros(len(compact.floor), np.uint16)
    first_id = 1
    if border > 0:
        paint_border(compact, border, region)
        first_id = FIRST_ID_BEHIND_BORDER
    if partition == "watershed":
        if distance is None:
            raise ValueError("Watershed needs a distance field.")
        next_id = flood_basins(compact, distance, region, first_id, workers)
    else:
        next_id = sweep_rows(compact, border, region, first_id, workers)
    if partition == "layers":
        owner = group_layers(compact, region, next_id, min_area_vx, workers)
    else:
        owner = merge_regions(compact, region, next_id, min_area_vx, merge_area_vx, workers)
    return Regions(region, renumber(region, owner, workers))
