"""How a question ended: Detour's status words, and an honest word beside them."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

FAILURE, SUCCESS = np.uint32(1 << 31), np.uint32(1 << 30)  # Recast: DT_FAILURE, DT_SUCCESS
IN_PROGRESS = np.uint32(1 << 29)
INVALID_PARAM = np.uint32(8)
BUFFER_TOO_SMALL = np.uint32(16)
OUT_OF_NODES = np.uint32(32)
PARTIAL = np.uint32(64)  # Recast: DT_PARTIAL_RESULT
INVALID = np.uint32((1 << 31) | 8)


class PathStatus(IntEnum):
    """What became of a path; its name in small letters is what `navcore path` says."""

    COMPLETE = 0
    """It leads to the asked end."""
    PARTIAL = 1
    """The end cannot be reached; the path ends somewhere on the way there."""
    OUT_OF_NODES = 2
    """The search ended before it had looked everywhere: more nodes may find the end."""
    TRUNCATED = 3
    """It is longer than the path that was asked for, and was cut off."""
    NO_START = 4
    """There is no navmesh near the start."""
    NO_END = 5
    """There is no navmesh near the end."""
    NOT_FINITE = 6
    """A coordinate of this row is not a finite number, or farther away than can be computed with."""
    DEAD_REFERENCE = 7
    """A reference of this row names no polygon of this navmesh."""
    UNREACHABLE = 8
    """No way leads to the end; of one search to many ends, which goes towards none of them."""
