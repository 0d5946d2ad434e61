"""Stage 6: CompactHeightfield → DistanceField: how far each open span is from the nearest edge, smoothed."""

from __future__ import annotations

import numpy as np

from .chamfer import edge_distance
from .jit import kernel
from .threads import Workers
from .types import CompactHeightfield, DistanceField

_LEAST_SPANS, _MOST_SPANS = 100_000, 2_000_000  # in one band


def build_distance_field(compact: CompactHeightfield, workers: Workers) -> DistanceField:
    """(O,) distances to the nearest edge or change of area, times two, smoothed; and the longest one before smoothing.

    Spans that are not walkable take part like an area of their own. Recast: rcBuildDistanceField.
    """
    sharp = edge_distance(compact, True, workers)
    smooth = np.empty_like(sharp)
    bands = workers.bands(len(sharp), _LEAST_SPANS, _MOST_SPANS)
    longest = workers.run(_smooth, [(compact.neighbors, sharp, smooth, *band) for band in bands])
    return DistanceField(smooth, max(longest))


@kernel
def _smooth(neighbors, sharp, smooth, begin, end):
    """The mean of each span and the eight around it; returns the longest distance before. Recast: boxBlur."""
    longest = np.int32(0)
    for span in range(begin, end):
        own = np.int32(sharp[span])
        longest = max(longest, own)
        total = own
        if own <= 2:
            smooth[span] = own
            continue
        for direction in range(4):
            beside = neighbors[span, direction]  # exists: a span that lacks a neighbor is an edge
            corner = neighbors[beside, (direction + 1) & 3]
            total += np.int32(sharp[beside]) + (np.int32(sharp[corner]) if corner >= 0 else own)
        smooth[span] = (total + np.int32(5)) // np.int32(9)
    return longest
