"""How far apart samples are and how far they may be from the mesh; and what is counted that went less than well."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...errors import BadSettings
from ...types import Grid

# Slots of a tally. Behind the counts it has another slot for each: the first polygon that was counted there, plus one.
WALKS_FAILED, NOTHING_NEAR, HEIGHTS_UNKNOWN, DANGLING, TABLE_FULL, CLAMPED = 0, 1, 2, 3, 4, 5
KINDS = 6
TALLY_SLOTS = 2 * KINDS


class Sampling(NamedTuple):
    """The numbers that rule the detail mesh, in metres but for the radius."""

    cell_size: np.float32
    cell_height: np.float32
    distance: np.float32  # 0 for no samples
    max_error: np.float32
    radius: int  # vx around a cell of unknown height that are searched


def sampling_of(grid: Grid, distance: np.float32, max_error: np.float32, max_edge_error: np.float32) -> Sampling:
    """Sampling for polygons on this grid. Refuses what Recast would not survive."""
    if not 0 <= distance < math.inf or not 0 <= max_error < math.inf:
        raise BadSettings(
            f"The detail sample distance ({distance:g} m) and error ({max_error:g} m) must be finite and not negative."
        )
    if distance > 0 and max(grid.width, grid.depth) * float(grid.cell_size) / float(distance) >= 2**30:
        raise BadSettings(
            f"A detail sample distance of {distance:g} m is too small for {grid.width:,} × {grid.depth:,} cells. "
            "Raise it to a cell or more, or use 0 for no samples."
        )
    steps = np.float32(grid.cell_size), np.float32(grid.cell_height)
    return Sampling(*steps, np.float32(distance), np.float32(max_error), max(1, math.ceil(max_edge_error)))
