"""Links of a scene as the connections of a tile: the tile in which a link starts stores it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import BadInput
from ..scene import Link
from ..types import F32, U8, U16, U32
from .byte_layout import INSIDE

FARTHEST = 1e9  # metres; what readers accept of any number in a file


class LinkTable(NamedTuple):
    """All links of a level, one a row."""

    points: F32  # (., 6) start, end
    radius: F32
    area: U8
    flags: U16
    both_ways: U8  # 0 or 1
    id: U32


def link_table(links: Sequence[Link]) -> LinkTable:
    """Links as arrays; refused by name where a file could not hold them."""
    reach = np.array([(*link.start, *link.end, link.radius) for link in links], np.float64).reshape(-1, 7)
    too_far = np.abs(reach).max(axis=1, initial=0) > FARTHEST
    if too_far.any():
        number = int(too_far.argmax()) + 1
        raise BadInput(f"Link {number} reaches beyond {FARTHEST:g} m. Move it nearer to the level.", "LINK_TOO_FAR")
    return LinkTable(
        reach[:, :6].astype(np.float32),
        reach[:, 6].astype(np.float32),
        np.array([link.area for link in links], np.uint8),
        np.array([link.flags for link in links], np.uint16),
        np.array([link.bidirectional for link in links], np.uint8),
        np.array([link.id for link in links], np.uint32),
    )


# Which side a point lies on, by the sum of 1 beyond +x, 2 beyond +z, 4 before −x, 8 before −z.
SIDE_OF = np.full(16, INSIDE, np.uint8)
SIDE_OF[[1, 1 | 2, 2, 4 | 2, 4, 4 | 8, 8, 1 | 8]] = np.arange(8)


def sides_of(points: F32, low: F32, high: F32) -> U8:
    """On which side of a tile each point lies (`byte_layout.HEADER` has its bounds), INSIDE for within it."""
    x, z = points[:, 0], points[:, 2]
    beyond = (x >= high[0]) * 1 + (z >= high[2]) * 2 + (x < low[0]) * 4 + (z < low[2]) * 8
    return SIDE_OF[beyond]
