"""Regions that stand for a tile's border: spans that belong to the tiles around it."""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...types import BORDER_REGION, I16, NOT_WALKABLE, CompactHeightfield

FIRST_ID_BEHIND_BORDER = 5  # each of the four sides takes an id, painted or not


@kernel
def paint_border(compact: CompactHeightfield, border: int, region: I16) -> None:
    """Paint the walkable spans within `border` columns of each side: left 1, right 2, near 3, far 4, later ones on top.

    Recast: paintRectRegion.
    """
    width, depth = compact.width, compact.depth
    across, along = min(width, border), min(depth, border)
    _paint(compact, region, 1, 0, across, 0, depth)
    _paint(compact, region, 2, width - across, width, 0, depth)
    _paint(compact, region, 3, 0, width, 0, along)
    _paint(compact, region, 4, 0, width, depth - along, depth)


@kernel
def _paint(
    compact: CompactHeightfield, region: I16, side: int, x_begin: int, x_end: int, z_begin: int, z_end: int
) -> None:
    value = np.int16(side - BORDER_REGION)  # the same bits as BORDER_REGION | side
    width, first, area = compact.width, compact.first, compact.area
    for z in range(z_begin, z_end):
        for span in range(first[x_begin + z * width], first[x_end + z * width]):
            if area[span] != NOT_WALKABLE:
                region[span] = value
