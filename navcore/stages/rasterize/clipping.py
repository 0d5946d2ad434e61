"""The rule by which a polygon is cut at a line, corner by corner.

The quick walks of `rows.py` and `triangles.py` give the same bits without copying corners; what they leave (polygons
that rounding has made too wavy) is cut by this.
"""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...types import F32

MAX_CORNERS = 12  # of a polygon that is cut; its halves have twice as many at most

# Polygons that are being cut, in one array: what is left, the piece cut off, and room for what is left then.
ROW_REST, ROW_CELL, ROW_SPARE = 0, 1, 2  # a row, of which cells are cut off
TRIANGLE_REST, TRIANGLE_ROW, TRIANGLE_SPARE = 3, 4, 5  # a triangle, of which rows are cut off


@kernel
def split(polygon: F32, count: int, line: np.float32, axis: np.int64, low: F32, high: F32) -> tuple[int, int]:
    """Cut `polygon` (count corners, 3) at `line` into `low` and `high`; returns how many corners these have, or -1, -1.

    A crossing is always computed from the previous corner towards the next. A corner on the line belongs to both sides
    where the one before it lies below or on the line, else to neither: its crossing stands for it.
    """
    if count > MAX_CORNERS:
        return -1, -1
    lows, highs = 0, 0
    before = count - 1
    for corner in range(count):
        to_before, to_corner = line - polygon[before, axis], line - polygon[corner, axis]
        crosses = (to_corner >= 0) != (to_before >= 0)
        if crosses:
            t = to_before / (to_before - to_corner)
            for a in range(3):
                low[lows, a] = polygon[before, a] + (polygon[corner, a] - polygon[before, a]) * t
                high[highs, a] = low[lows, a]
            lows += 1
            highs += 1
        if to_corner > 0 or (to_corner == 0 and not crosses):
            for a in range(3):
                low[lows, a] = polygon[corner, a]
            lows += 1
        if to_corner < 0 or (to_corner == 0 and not crosses):
            for a in range(3):
                high[highs, a] = polygon[corner, a]
            highs += 1
        before = corner
    return lows, highs
