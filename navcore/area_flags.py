"""Area ids as runtime data has them: plain ground is 0 there, and flags say which abilities an area asks of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .types import U8, U16, WALKABLE


class AreaType(NamedTuple):
    """One row of the area table."""

    name: str
    flags: int  # abilities: 1 walk, 2 swim, 4 doors, 8 jump, 16 disabled


AREA_TYPES: Mapping[int, AreaType] = {
    0: AreaType("ground", 1),
    1: AreaType("water", 2),
    2: AreaType("road", 1),
    3: AreaType("door", 5),
    4: AreaType("grass", 1),
}
"""RecastDemo's table; an area that is not in it gets flags 0."""


def runtime_areas(area: U8) -> U8:
    """Area ids with plain ground (63 while building) as 0."""
    return np.where(area == WALKABLE, 0, area).astype(np.uint8)


def area_flags(area: U8, types: Mapping[int, AreaType] = AREA_TYPES) -> U16:
    """Flags of each runtime area id."""
    table = np.zeros(256, np.uint16)
    for area_id, kind in types.items():
        table[area_id] = kind.flags
    return table[area]
