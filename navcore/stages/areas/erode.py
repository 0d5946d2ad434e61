"""Keeping clear of edges: spans nearer to one than the agent's radius are no longer walkable."""

from __future__ import annotations

import numpy as np

from ...errors import BadInput
from ...geometry.edge_distance import (
    MAX_DISTANCE,
    MIN_SPANS,
    Sides,
    edge_distance,
    edge_distance_in_one_call,
    sides_of,
)
from ...jit import kernel
from ...threads import Workers
from ...types import NOT_WALKABLE, U8, U16, CompactHeightfield
from .span_bands import bands_of_spans, copied


def erode_walkable_area(compact: CompactHeightfield, radius_vx: int, workers: Workers) -> CompactHeightfield:
    """Take away the spans nearer than `radius_vx` to an edge, so that an agent's center may stand on all that are left.

    Right for any radius; Recast's own is for less than 128. Recast: rcErodeWalkableArea.
    """
    if radius_vx < 0:
        raise BadInput(f"The agent's radius must be at least 0 voxels, not {radius_vx}.")
    if radius_vx == 0:
        return compact._replace(area=copied(compact.area, workers))
    shortest = np.uint16(min(2 * radius_vx, MAX_DISTANCE))
    if workers.in_one_call(len(compact.area), 2 * MIN_SPANS):
        return compact._replace(
            area=eroded_in_one_call(compact, sides_of(compact), shortest, workers.progress.cancelled)
        )
    distance, area = edge_distance(compact, False, workers), np.empty_like(compact.area)
    bands = bands_of_spans(len(area), workers)
    workers.run(_keep, [(compact.area, distance, shortest, area, *band) for band in bands])
    return compact._replace(area=area)


@kernel
def eroded_in_one_call(compact: CompactHeightfield, sides: Sides, shortest: np.uint16, cancelled: U8) -> U8:
    """The areas (O,) of `compact`, NOT_WALKABLE where an edge is nearer than `shortest` (in half voxels)."""
    distance, old = edge_distance_in_one_call(compact, sides, False, cancelled), compact.area
    area = np.empty(old.shape[0], np.uint8)
    _keep(old, distance, shortest, area, 0, old.shape[0])
    return area


@kernel
def _keep(old: U8, distance: U16, shortest: np.uint16, area: U8, begin: int, end: int) -> None:
    """What is far enough from every edge keeps its area."""
    for span in range(np.uint64(begin), np.uint64(end)):
        area[span] = old[span] if distance[span] >= shortest else NOT_WALKABLE
