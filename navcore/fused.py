"""Stages 2 to 7 of a tile in two kernel calls.

A tile takes a millisecond. Threads take turns at the Python between kernels, and a thread that comes back from a kernel
while another is at it waits: with a call for every stage that was a fifth of a tile.
"""

from __future__ import annotations

import numpy as np

from .areas import eroded_alone
from .chamfer import SIDES, sides_of
from .columns import OPEN
from .compact import compact_alone
from .distance import distance_field_alone
from .filters import null_ledges, null_low_rooms, promote_obstacles
from .intake import Geometry
from .jit import kernel
from .rasterize import check_status, rasterize_rows
from .rasterize.frame import DONE, Soup, frame_of
from .regions import WATERSHED, divide_alone
from .regions.status import checked
from .settings import PARTITIONS, Settings
from .threads import Workers
from .types import U8, CompactHeightfield, DistanceField, Grid, Heightfield, Regions


def fused_ground(
    grid: Grid, geometry: Geometry, area: U8, settings: Settings, workers: Workers
) -> tuple[CompactHeightfield, int]:
    """Stages 2 to 5, erosion included: open ground, and how many solid spans there were."""
    voxels, soup = settings.in_voxels(), Soup(geometry.vertices, geometry.triangles, area)
    filters = (
        settings.filter_low_hanging_obstacles,
        settings.filter_ledge_spans,
        settings.filter_walkable_low_height_spans,
    )
    agent = np.int32(min(voxels.height_vx, OPEN + 1)), np.int32(min(voxels.climb_vx, OPEN))
    shortest = np.uint16(min(2 * voxels.radius_vx, 0xFFFF))
    frame = frame_of(grid, voxels.climb_vx)
    status, spans, arrays = _ground(frame, soup, filters, agent, shortest, workers.progress.flag)
    workers.progress.check()
    check_status(status, grid, soup)
    return CompactHeightfield(grid.width, grid.depth, *arrays), spans


def fused_regions(compact: CompactHeightfield, settings: Settings, border: int, workers: Workers) -> Regions:
    """Stages 6 and 7."""
    voxels, way = settings.in_voxels(), PARTITIONS.index(settings.partition)
    areas = voxels.region_min_area_vx, voxels.region_merge_area_vx
    region, count = _regions(compact, sides_of(compact), way, border, areas, workers.progress.flag)
    return Regions(region.view(np.uint16), checked(count))


@kernel
def _ground(frame, soup, filters, agent, shortest, flag):
    """A status, the number of solid spans, and the arrays of a compact heightfield, which are right if it is DONE."""
    width, depth, (height, climb) = frame.width, frame.depth, agent
    status, (first, bottom, top, area) = rasterize_rows(frame, soup, flag, 0, depth)
    spans = top.shape[0]
    if status != DONE:
        return status, spans, (first, top, area, np.empty((0, 4), np.int32), area)
    filtered = np.empty(spans, np.uint8)
    if filters[0]:
        promote_obstacles(Heightfield(width, depth, first, bottom, top, area), climb, filtered, 0, depth)
        area, filtered = filtered, area
    if filters[1]:
        null_ledges(Heightfield(width, depth, first, bottom, top, area), height, climb, filtered, 0, depth)
        area, filtered = filtered, area
    if filters[2]:
        null_low_rooms(Heightfield(width, depth, first, bottom, top, area), height, filtered, 0, depth)
        area, filtered = filtered, area
    solid = Heightfield(width, depth, first, bottom, top, area)
    first, floor, clearance, neighbors, area = compact_alone(solid, height, climb)
    compact = CompactHeightfield(width, depth, first, floor, clearance, neighbors, area)
    if shortest > 0:
        area = eroded_alone(compact, neighbors.reshape(-1).view(SIDES), shortest, flag)
    return status, spans, (first, floor, clearance, neighbors, area)


@kernel
def _regions(compact, sides, way, border, areas, flag):
    """What `divide_alone` returns."""
    smooth, longest = np.empty(0, np.uint16), np.int64(0)
    if way == WATERSHED:
        smooth, longest = distance_field_alone(compact, sides, flag)
    return divide_alone(compact, DistanceField(smooth, longest), way, border, areas, flag)
