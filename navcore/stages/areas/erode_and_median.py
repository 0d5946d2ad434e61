"""Eroding and smoothing areas, by bands of spans that threads take turns at; and copies of areas made so."""

from __future__ import annotations

import numpy as np

from ...errors import BadInput
from ...geometry.columns import copy
from ...geometry.edge_distance import MAX_DISTANCE, MIN_SPANS, Sides, edge_distance, edge_distance_in_one_call, sides_of
from ...jit import kernel
from ...threads import Workers
from ...types import I32, NOT_WALKABLE, U8, U16, CompactHeightfield

# --- Keeping clear of edges: spans nearer to one than the agent's radius are no longer walkable.


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


# --- Smoothing: each walkable span takes the median of the areas around it.


def median_filter_walkable_area(compact: CompactHeightfield, workers: Workers) -> CompactHeightfield:
    """Give each walkable span the median of its area and its neighbors', so that specks vanish.

    Recast: rcMedianFilterWalkableArea.
    """
    links = compact.neighbors.reshape(-1)
    area = np.empty_like(compact.area)
    bands = bands_of_spans(len(area), workers)
    workers.run(_median, [(links, compact.area, area, *band) for band in bands])
    return compact._replace(area=area)


@kernel
def _median(links: I32, old: U8, new: U8, begin: int, end: int) -> None:
    """`links[4 * span + direction]` is a neighbor: a flat array is faster to read than an (O, 4) one."""
    around = np.empty(9, np.uint8)
    for span in range(begin, end):
        own = old[span]
        new[span] = own
        if own == NOT_WALKABLE:
            continue
        around[:] = own
        others = 0
        for direction in range(4):
            near = links[4 * span + direction]
            for place in range(2 * direction, 2 * direction + 2):  # the neighbor, then the corner reached through it
                if near >= 0:
                    area = old[near]
                    if area != NOT_WALKABLE and area != own:
                        around[place] = area
                        others += 1
                    near = links[4 * near + ((direction + 1) & 3)]
        if others > 4:  # else at least five of the nine are its own
            new[span] = _middle_of_nine(around)


@kernel
def _middle_of_nine(values: U8) -> np.uint8:
    """The fifth of nine values in order; `values` is sorted."""
    for i in range(1, 9):
        value = values[i]
        place = i
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value
    return values[4]


MIN_BAND, MAX_BAND = 100_000, 500_000  # in one band


def bands_of_spans(spans: int, workers: Workers) -> list[tuple[int, int]]:
    """Cut 0:spans into bands that are worth a thread each, and short enough that cancelling is seen."""
    return workers.bands(spans, MIN_BAND, MAX_BAND)


def copied(area: U8, workers: Workers) -> U8:
    """A copy, made band by band: cancelling is seen."""
    copied = np.empty_like(area)
    bands = bands_of_spans(len(area), workers)
    workers.run(copy, [(area[begin:end], copied[begin:end]) for begin, end in bands])
    return copied
