"""Regions that stand for a tile's border: spans that belong to the tiles around it."""

from __future__ import annotations

from ..jit import kernel
from ..types import BORDER_REGION, U16, CompactHeightfield

FIRST_ID_BEHIND_BORDER = 5  # each of the four sides takes an id, painted or not


def paint_border(compact: CompactHeightfield, border: int, region: U16) -> None:
    """Paint the walkable spans within `border` columns of each side: left 1, right 2, near 3, far 4, later ones on top.

    Recast: paintRectRegion.
    """
    width, depth = compact.width, compact.depth
    across, along = min(width, border), min(depth, border)
    sides = (
        (0, across, 0, depth),
        (width - across, width, 0, depth),
        (0, width, 0, along),
        (0, width, depth - along, depth),
    )
    for side, (x_begin, x_end, z_begin, z_end) in enumerate(sides):
        _paint(compact, region, BORDER_REGION | (side + 1), x_begin, x_end, z_begin, z_end)


@kernel
def _paint(compact, region, value, x_begin, x_end, z_begin, z_end):
    width, first, area = compact.width, compact.first, compact.area
    for z in range(z_begin, z_end):
        for span in range(first[x_begin + z * width], first[x_end + z * width]):
            if area[span] != 0:
                region[span] = value
