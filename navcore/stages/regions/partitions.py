"""The floor divided into regions: the tile's border painted, then one of the three ways, then ids without gaps."""

from __future__ import annotations

import numpy as np

from ...jit import kernel, stands_in_for
from ...progress import Progress
from ...settings import PARTITIONS
from ...threads import SMALL, Workers
from ...types import BORDER_REGION, I16, I32, NOT_WALKABLE, U8, CompactHeightfield, DistanceField, Regions
from .boundaries import walk_boundaries, walk_shared
from .layers import group_layers
from .merging import merge_regions
from .monotone_sweep import sweep_rows
from .region_facts import POLL_EVERY, STOPPED, checked, find_facts
from .renumber import renumber, renumber_shared
from .watershed import flood_basins

WATERSHED, _LAYERS = PARTITIONS.index("watershed"), PARTITIONS.index("layers")
_NO_DISTANCE = DistanceField(np.empty(0, np.uint16), 0)


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
    if distance is None:
        if partition == "watershed":
            raise ValueError("Watershed needs a distance field.")
        distance = _NO_DISTANCE
    way, cancelled = PARTITIONS.index(partition), workers.progress.cancelled
    if workers.in_one_call(len(compact.floor), SMALL):
        region, count = divide_in_one_call(compact, distance, way, border, (min_area_vx, merge_area_vx), cancelled)
        return Regions(region.view(np.uint16), checked(int(count)))
    region, next_id = _divide(compact, distance, way, border, cancelled)
    facts = find_facts(compact, region, checked(next_id), cancelled)
    workers.progress.check()
    if partition == "layers":
        owner = group_layers(compact, region, facts, min_area_vx, cancelled)
    else:
        walks = walk_shared(compact, region, facts, workers)
        workers.progress.check()
        owner = merge_regions(facts, walks, min_area_vx, merge_area_vx, cancelled)
    workers.progress.check()
    return Regions(region.view(np.uint16), renumber_shared(region, owner, workers))


@kernel
def _divide(
    compact: CompactHeightfield, distance: DistanceField, way: int, border: int, cancelled: U8
) -> tuple[I16, int]:
    """The first ids of all spans (O,), below 0 on a tile's border; and the next free id, or why there is none."""
    region, next_id = _unclaimed(compact.floor.shape[0], cancelled), 1
    if border > 0:
        paint_border(compact, border, region)
        next_id = FIRST_ID_BEHIND_BORDER
    if way == WATERSHED:
        next_id = flood_basins(compact, distance, region, next_id, cancelled)
    elif 2 * border < min(compact.width, compact.depth):
        next_id = sweep_rows(compact, border, region, next_id, cancelled)
    return region, next_id


@kernel
def _unclaimed(spans: int, cancelled: U8) -> I16:
    """No region anywhere; not complete once `cancelled` is set. (np.zeros writes to a large array without a look.)"""
    region = np.empty(spans, np.int16)
    for begin in range(0, spans, POLL_EVERY):
        if cancelled[0] != 0:
            break
        for span in range(np.uint64(begin), np.uint64(min(begin + POLL_EVERY, spans))):
            region[span] = 0
    return region


@kernel
def divide_in_one_call(
    compact: CompactHeightfield, distance: DistanceField, way: int, border: int, areas: tuple[int, int], cancelled: U8
) -> tuple[I16, np.int64]:
    """The whole stage: final ids, and how many there are or why there are none.

    `areas` are those of the smallest region and of the largest one that is joined to another.
    """
    min_area, merge_area = areas
    region, next_id = _divide(compact, distance, way, border, cancelled)
    if next_id < 0:
        return region, np.int64(next_id)
    facts = find_facts(compact, region, next_id, cancelled)
    if way == _LAYERS:
        owner = group_layers(compact, region, facts, min_area, cancelled)
    else:
        walks = walk_boundaries(compact.neighbors, region, facts.start, cancelled)
        owner = merge_regions(facts, walks, min_area, merge_area, cancelled)
    return region, np.int64(STOPPED if cancelled[0] else renumber(region, owner))


FIRST_ID_BEHIND_BORDER = 5  # each of the four sides takes an id, painted or not


@kernel
def paint_border(compact: CompactHeightfield, border: int, region: I16) -> None:
    """Paint the walkable spans within `border` columns of each side: left 1, right 2, near 3, far 4, later ones on top.

    Recast: paintRectRegion.
    """
    width, depth = compact.width, compact.depth
    across, along = min(width, border), min(depth, border)
    _paint(compact, region, 1, 0, across, 0, depth)
    _paint(compact, region, 2, width - across, width, 0, depth)
    _paint(compact, region, 3, 0, width, 0, along)
    _paint(compact, region, 4, 0, width, depth - along, depth)


@kernel
def _paint(
    compact: CompactHeightfield, region: I16, side: int, x_begin: int, x_end: int, z_begin: int, z_end: int
) -> None:
    value = np.int16(side - BORDER_REGION)  # the same bits as BORDER_REGION | side
    width, first, area = compact.width, compact.first, compact.area
    for z in range(z_begin, z_end):
        for span in range(first[x_begin + z * width], first[x_end + z * width]):
            if area[span] != NOT_WALKABLE:
                region[span] = value


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


@stands_in_for(above_themselves)
def _above_themselves_by_arrays(first: I32, region: I16, count: int, _cancelled: U8) -> I32:
    columns = np.repeat(np.arange(first.shape[0] - 1), np.diff(first))
    owned = np.flatnonzero(region[: len(columns)] > 0)
    times = np.unique(np.stack([columns[owned], region[owned]]), axis=1, return_counts=True)
    twice = np.unique(times[0][1][times[1] > 1])
    return twice[twice <= count].astype(np.int32)
