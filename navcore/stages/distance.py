"""Stage 6: CompactHeightfield → DistanceField: how far each open span is from the nearest edge, smoothed."""

from __future__ import annotations

import numpy as np

from ..geometry.edge_distance import STEP, Sides, edge_distance, edge_distance_in_one_call, sides_of
from ..jit import kernel
from ..threads import Workers
from ..types import U8, U16, CompactHeightfield, DistanceField

_MIN_SPANS, _MAX_SPANS = 100_000, 500_000  # in one band


def build_distance_field(compact: CompactHeightfield, workers: Workers) -> DistanceField:
    """(O,) distances to the nearest edge or change of area, times two, smoothed; and the longest one before smoothing.

    Spans that are not walkable take part like an area of their own. Recast: rcBuildDistanceField.
    """
    if workers.in_one_call(len(compact.floor), 2 * _MIN_SPANS):
        smooth, longest = distance_field_in_one_call(compact, sides_of(compact), workers.progress.cancelled)
        return DistanceField(smooth, int(longest))
    sharp = edge_distance(compact, True, workers)
    smooth = np.empty_like(sharp)
    bands = workers.bands(len(sharp), _MIN_SPANS, _MAX_SPANS)
    longest_in_bands = workers.run(_smooth, [(sides_of(compact), sharp, smooth, *band) for band in bands])
    return DistanceField(smooth, max(longest_in_bands))


@kernel
def distance_field_in_one_call(compact: CompactHeightfield, sides: Sides, cancelled: U8) -> tuple[U16, np.int64]:
    """The smoothed distances (O,) and the longest one before smoothing; not right once `cancelled` is set."""
    sharp = edge_distance_in_one_call(compact, sides, True, cancelled)
    smooth = np.empty(sharp.shape[0], np.uint16)
    if cancelled[0] != 0:
        # The distances are not complete, and one that is too long would lead to neighbors that are not there.
        return smooth, np.int64(0)
    return smooth, np.int64(_smooth(sides, sharp, smooth, 0, sharp.shape[0]))


@kernel
def _smooth(sides: Sides, sharp: U16, smooth: U16, begin: int, end: int) -> np.int32:
    """The mean of each span and the eight around it; returns the longest distance before. Recast: boxBlur."""
    longest = np.int32(0)
    for span in range(np.uint64(begin), np.uint64(end)):
        own = np.int32(sharp[span])
        longest = max(longest, own)
        smooth[span] = own
        if own > STEP:  # then it is no edge, so that it has four neighbors
            left, after = np.uint32(sides[span].left), np.uint32(sides[span].after)
            right, before = np.uint32(sides[span].right), np.uint32(sides[span].before)
            total = np.int32(sharp[left]) + np.int32(sharp[after]) + np.int32(sharp[right]) + np.int32(sharp[before])
            for corner in (sides[left].after, sides[after].right, sides[right].before, sides[before].left):
                total += np.int32(sharp[np.uint32(corner)]) if corner >= 0 else own
            smooth[span] = np.uint32(total + own + np.int32(5)) // np.uint32(9)
    return longest
