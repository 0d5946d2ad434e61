"""Area ids as runtime data has them: plain ground is 0, flags say which abilities an area asks of an agent."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .errors import BadInput
from .types import U8, U16, WALKABLE


class AreaType(NamedTuple):
    """One row of the area table."""

    name: str
    flags: int  # abilities: 1 walk, 2 swim, 4 doors, 8 jump, 16 disabled
    cost: float = 1.0  # how dear a metre is; agents avoid what costs more
    color: tuple[float, float, float] | None = None  # red, green and blue from 0 to 1, linear; None where nobody chose

    def to_mapping(self) -> dict[str, Any]:
        """Names and values, ready for JSON; without a color where there is none."""
        row: dict[str, Any] = {"name": self.name, "flags": self.flags, "cost": self.cost}
        return row if self.color is None else {**row, "color": list(self.color)}


AREA_TYPES: Mapping[int, AreaType] = {
    0: AreaType("ground", 1),
    1: AreaType("water", 2),
    2: AreaType("road", 1),
    3: AreaType("door", 5),
    4: AreaType("grass", 1),
    5: AreaType("jump", 0),  # links bring flags of their own
}
"""RecastDemo's table; an area that is not in it gets flags 0. What areas cost is for each game to say."""
_MOST_COST = float(np.finfo(np.float32).max)


def area_types(table: Mapping[Any, Any]) -> Mapping[int, AreaType]:
    """An area table from what JSON holds: area id → flags, or → {"name": …, "flags": …, "cost": …, "color": …}.

    It takes the place of RecastDemo's row by row: areas that it does not name keep theirs. Ids are those of runtime
    data, where plain ground is 0. Raises BadInput.
    """
    types = dict(AREA_TYPES)
    for key, value in table.items():
        area = _whole(f"area {key!r}", key, 62)
        row = value if isinstance(value, Mapping) else {"flags": value}
        name = row.get("name", types[area].name if area in types else f"area {area}")
        if not isinstance(name, str) or "flags" not in row or set(row) - set(AreaType._fields):
            raise BadInput(f"area {area} must have a name and flags, not {value!r:.60}.", "BAD_AREA_TABLE")
        types[area] = AreaType(
            name, _whole(f"flags of area {area}", row["flags"], 0xFFFF), _cost(area, row.get("cost", 1.0)),
            _color(area, row.get("color")),
        )  # fmt: skip
    return types


def as_area_types(table: Mapping[Any, Any]) -> Mapping[int, AreaType]:
    """An area table as a call gives it: rows of AreaType stand as they are, all others are read as `area_types` reads
    them, in place of RecastDemo's. Raises BadInput."""
    rows = {key: row for key, row in table.items() if isinstance(row, AreaType)}
    for key, row in rows.items():
        # As it always was: what Detour cannot hold is refused when it is written.
        area = _whole(f"area {key!r}", key, 255)
        if isinstance(key, str) or not isinstance(row.name, str):
            raise BadInput(f"area {key!r} must be a number with a name, not {row!r:.60}.", "BAD_AREA_TABLE")
        _whole(f"flags of area {area}", row.flags, 0xFFFF)
        _cost(area, row.cost)
        _color(area, row.color)
    others = {key: row for key, row in table.items() if key not in rows}
    return {**area_types(others), **{int(key): row for key, row in rows.items()}} if others else table


def told_area_types(table: Mapping[str, Any]) -> Mapping[int, AreaType]:
    """The rows of a table that a file holds, and no others. Raises BadInput."""
    return {area: kind for area, kind in area_types(table).items() if str(area) in table}


def type_of(area: int, types: Mapping[int, AreaType]) -> AreaType:
    """The row of an area; one that is in no table is called by its number."""
    return types.get(area, AreaType(f"area {area}", 0))


def _cost(area: int, value: Any) -> float:
    if _is_number(value) and 0 <= value <= _MOST_COST:
        return float(value)
    raise BadInput(f"cost of area {area} must be a number of at least 0, not {value!r:.60}.", "BAD_AREA_TABLE")


def _color(area: int, value: Any) -> tuple[float, float, float] | None:
    if value is None:
        return None
    if isinstance(value, (list, tuple)) and len(value) == 3 and all(_is_number(v) and 0 <= v <= 1 for v in value):
        return float(value[0]), float(value[1]), float(value[2])
    raise BadInput(f"color of area {area} must be [red, green, blue] from 0 to 1, not {value!r:.60}.", "BAD_AREA_TABLE")


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


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
    return flags_by_area(types)[area]


def flags_by_area(types: Mapping[int, AreaType] = AREA_TYPES) -> U16:
    """(256,) the flags of every runtime area id."""
    table = np.zeros(256, np.uint16)
    for area_id, kind in types.items():
        table[area_id] = kind.flags
    return table


def with_usual_flags(types: Mapping[int, AreaType], area: U8, flags: U16) -> tuple[dict[int, AreaType], int]:
    """A table with the flags that most polygons of each area have, and the number of polygons that have others."""
    found, others = dict(types), 0
    for number in np.unique(area).tolist():
        counts = Counter(flags[area == number].tolist())
        most, polygons = counts.most_common(1)[0]
        others += counts.total() - polygons
        found[number] = found.get(number, AreaType(f"area {number}", most))._replace(flags=most)
    return found, others
