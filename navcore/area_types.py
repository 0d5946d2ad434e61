"""Area ids as runtime data has them: plain ground is 0, and flags say which abilities an area asks of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .errors import BadInput
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
    5: AreaType("jump", 0),  # links bring flags of their own
}
"""RecastDemo's table; an area that is not in it gets flags 0."""


def area_types(table: Mapping[Any, Any]) -> Mapping[int, AreaType]:
    """An area table from what JSON holds: area id → flags, or → {"name": …, "flags": …}.

    It takes the place of RecastDemo's row by row: areas that it does not name keep theirs. Ids are those of runtime
    data, where plain ground is 0. Raises BadInput.
    """
    types = dict(AREA_TYPES)
    for key, value in table.items():
        area = _whole(f"area {key!r}", key, 62)
        row = value if isinstance(value, Mapping) else {"flags": value}
        name = row.get("name", types[area].name if area in types else f"area {area}")
        if not isinstance(name, str) or "flags" not in row or set(row) - {"name", "flags"}:
            raise BadInput(f"area {area} must have a name and flags, not {value!r:.60}.", "BAD_AREA_TABLE")
        types[area] = AreaType(name, _whole(f"flags of area {area}", row["flags"], 0xFFFF))
    return types


def _whole(what: str, value: Any, most: int) -> int:
    """`value`, which may be text as keys of JSON are, as a whole number."""
    text = str(value)
    if not isinstance(value, bool) and text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= most:
        return int(text)
    raise BadInput(f"{what} must be a whole number from 0 to {most}, not {value!r:.60}.", "BAD_AREA_TABLE")


def runtime_areas(area: U8) -> U8:
    """Area ids with plain ground (63 while building) as 0."""
    return np.where(area == WALKABLE, 0, area).astype(np.uint8)


def building_area(runtime_area: int) -> int:
    """The other way round: the id that an area of runtime data has while building."""
    return WALKABLE if runtime_area == 0 else runtime_area


def area_flags(area: U8, types: Mapping[int, AreaType] = AREA_TYPES) -> U16:
    """Flags of each runtime area id."""
    table = np.zeros(256, np.uint16)
    for area_id, kind in types.items():
        table[area_id] = kind.flags
    return table[area]
