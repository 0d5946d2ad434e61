"""Doors of a level in its tile cache: each has an area of its own, with the flags of its state. No Recast ancestor.

Layers keep areas and nothing else, so that obstacles come and go around doors in every client, which gives each area
its flags.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..area_types import AreaType, type_of
from ..builder.checked_input import CheckedLevel
from ..errors import BadInput, TooLarge
from ..result.navmesh import TileDoor
from ..scene import Volume, door_of
from ..types import U8, WALKABLE

_CLOSED = 0  # flags that no filter lets pass
_LARGEST = WALKABLE - 1  # of the areas that a level may give


class CacheDoor(NamedTuple):
    """One door, and the area that stands for it."""

    name: str
    area: int
    open: int  # flags
    is_closed: bool

    def to_mapping(self) -> dict[str, Any]:
        """As the sidecar has it."""
        return {**self._asdict(), "closed": _CLOSED}


def doors_as_areas(level: CheckedLevel) -> tuple[CheckedLevel, tuple[CacheDoor, ...]]:
    """The level whose doors are areas of their own, and these. Of the ground below them the area is not kept."""
    said = {volume.door: volume for volume in map(door_of, level.volumes) if volume}
    if not said:
        return level, ()
    free = sorted(set(range(1, _LARGEST + 1)) - _used(level), reverse=True)
    if len(said) > len(free):
        raise TooLarge(
            f"{len(said):,} doors are too many for a tile cache, in which each needs an area id of its own: "
            f"{len(free)} are left. Name doors that open together alike, or leave some out.",
            "TOO_MANY_DOORS",
        )
    types, doors = dict(level.area_types), list[CacheDoor]()
    for area, (name, volume) in zip(free, said.items(), strict=False):
        ground = type_of(0 if volume.area in (None, WALKABLE) else volume.area or 0, level.area_types)
        doors.append(CacheDoor(name, area, volume.ability or ground.flags, volume.closed))
        types[area] = AreaType(name, _CLOSED if volume.closed else doors[-1].open, ground.cost)
    areas = {door.name: door.area for door in doors}
    volumes = [_with_area(volume, areas) for volume in level.volumes]
    return level._replace(volumes=volumes, area_types=types), tuple(doors)


def _with_area(volume: Volume, areas: Mapping[str, int]) -> Volume:
    door = door_of(volume)
    return volume if door is None else replace(door, area=areas[door.door])


def _used(level: CheckedLevel) -> set[int]:
    """Areas that mean something already."""
    marked = {int(area) for volume in level.volumes if (area := getattr(volume, "area", None)) is not None}
    of_links = {link.area for link in level.links}
    return {*level.area_types, *marked, *of_links, *np.unique(level.geometry.area).tolist()}


def doors_under(area: U8, doors: Iterable[CacheDoor]) -> tuple[TileDoor, ...]:
    """Those of a tile, whose polygons have these areas."""
    found = [(door, np.flatnonzero(area == door.area).tolist()) for door in doors]
    return tuple(TileDoor(door.name, tuple(own), door.is_closed, door.open) for door, own in found if own)


def read_doors(rows: object) -> tuple[CacheDoor, ...]:
    """Those of a sidecar of any origin. Raises BadInput."""
    if not isinstance(rows, list):
        raise _refused("a list")
    return tuple(map(_read_door, rows))


def _read_door(row: object) -> CacheDoor:
    if not isinstance(row, Mapping) or not isinstance(row.get("name"), str) or not row["name"]:
        raise _refused('a list of {"name", "area", "open", "closed", "is_closed"}')
    area, flags, is_closed = row.get("area"), row.get("open"), row.get("is_closed")
    if type(area) is not int or not 1 <= area <= _LARGEST or type(flags) is not int or not 0 <= flags <= 0xFFFF:
        raise _refused(f"areas from 1 to {_LARGEST} with flags of 16 bits")
    if not isinstance(is_closed, bool):
        raise _refused("closed or not: is_closed must be true or false")
    return CacheDoor(str(row["name"]), area, flags, is_closed)


def _refused(what: str) -> BadInput:
    return BadInput(f"The doors of the tile cache's sidecar must be {what}.", "BAD_TILE_CACHE_SIDECAR")
