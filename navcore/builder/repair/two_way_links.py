"""Ground whose links lead both ways: an outline that follows them cannot stray to another floor."""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...threads import Workers
from ...types import I32, CompactHeightfield

_MOST_SPANS = 1 << 16  # between two looks at the cancel flag


def with_two_way_links(compact: CompactHeightfield, workers: Workers) -> CompactHeightfield:
    """Without links from a span to a neighbor that is not linked back to it.

    (Where floors lie closer together than an agent climbs, B can be the nearest floor for A, and C for B.)
    """
    bands = workers.bands(len(compact.neighbors), most=_MOST_SPANS)
    if not any(workers.run(_has_one_way, [(compact.neighbors, *band) for band in bands])):
        return compact  # as most levels: a copy would be half of what they take
    neighbors = np.empty_like(compact.neighbors)
    workers.run(_mutual, [(compact.neighbors, neighbors, *band) for band in bands])
    return compact._replace(neighbors=neighbors)


@kernel
def _has_one_way(neighbors: I32, begin: int, end: int) -> bool:
    for span in range(begin, end):
        for direction in range(4):
            other = neighbors[span, direction]
            if other >= 0 and neighbors[other, direction ^ 2] != span:
                return True
    return False


@kernel
def _mutual(neighbors: I32, mutual: I32, begin: int, end: int) -> None:
    for span in range(begin, end):
        for direction in range(4):
            other = neighbors[span, direction]
            mutual[span, direction] = other if other >= 0 and neighbors[other, direction ^ 2] == span else -1
