"""Islands that were too small to stay: walkable ground that is in no region."""

from __future__ import annotations

import numpy as np

from ...geometry.connected_parts import joined_parts
from ...types import NOT_WALKABLE, U16, CompactHeightfield


def count_removed(compact: CompactHeightfield, region: U16) -> int:
    """How many islands of walkable ground are in no region (O,). (NumPy alone: few levels have many.)"""
    gone = np.flatnonzero((region == 0) & (compact.area != NOT_WALKABLE))
    if len(gone) == 0:
        return 0
    beside = compact.neighbors[gone]
    number = np.minimum(np.searchsorted(gone, beside), len(gone) - 1)
    one, direction = np.nonzero(gone[number] == beside)
    return int(joined_parts(len(gone), one, number[one, direction]).max()) + 1
