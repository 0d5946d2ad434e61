"""Sizes of agents that share a navmesh: each has a flag that its filter excludes, on polygons that it does not fit on.

A filter of Detour's passes a polygon that has any of the flags it includes and none that it excludes. So a size is no
ability that is asked for, but a flag that keeps out: "too small for this one". No Recast ancestor.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .errors import BadInput, BadSettings
from .settings import Settings, Voxels
from .types import U16


class AgentSize(NamedTuple):
    """One size of agents, in metres."""

    name: str
    radius: float
    height: float
    exclude: int = 0  # the flag that its filter excludes; a build chooses it

    def to_mapping(self) -> dict[str, Any]:
        """As files and reports have it."""
        return {"name": self.name, "radius": self.radius, "height": self.height, "exclude": self.exclude}


GivenSizes: TypeAlias = Iterable[AgentSize | Sequence[Any] | Mapping[str, Any]]
_HIGHEST_FLAG = 0x8000
_ABILITIES = 0x1F  # walk, swim, doors, jump and disabled: games know them, whether a level uses them or not
_KEPT = 64  # settings that are remembered
_FORM = '(name, radius, height), as in ("ogre", 1.2, 3.0)'


def as_sizes(given: GivenSizes) -> tuple[AgentSize, ...]:
    """Sizes from tuples or from mappings of a file, in order; flags are 0 where none are said. Raises BadInput."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise BadInput(f"sizes must be a list of {_FORM}, not {given!r:.60}.", "BAD_SIZES")
    sizes = tuple(_size(number, item) for number, item in enumerate(given, 1))
    names = [size.name for size in sizes]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"Two sizes are called “{name}”. Give each a name of its own.", "BAD_SIZES")
    return sizes


def _size(number: int, item: Any) -> AgentSize:
    row = item
    if isinstance(item, Mapping):
        if not {"name", "radius", "height"} <= set(item) <= {"name", "radius", "height", "exclude"}:
            raise BadInput(f"Size {number} must have a name, radius and height, not {item!r:.60}.", "BAD_SIZES")
        row = (item["name"], item["radius"], item["height"], item.get("exclude", 0))
    if not isinstance(row, (tuple, list)) or not 3 <= len(row) <= 4:
        raise BadInput(f"Size {number} must be {_FORM}, not {item!r:.60}.", "BAD_SIZES")
    name, radius, height = row[:3]
    exclude = row[3] if len(row) == 4 else 0
    if not isinstance(name, str) or not name.strip():
        raise BadInput(f"Size {number} must have a name, not {name!r:.60}.", "BAD_SIZES")
    if not _is_number(radius) or not float(radius) >= 0:
        raise BadInput(f"The radius of “{name}” must be a number of at least 0 m, not {radius!r:.60}.", "BAD_SIZES")
    if not _is_number(height) or not float(height) > 0:
        raise BadInput(f"The height of “{name}” must be a number above 0 m, not {height!r:.60}.", "BAD_SIZES")
    whole = type(exclude) is int or (isinstance(exclude, numbers.Integral) and not isinstance(exclude, bool))
    if not whole or not 0 <= int(exclude) <= 0xFFFF:
        raise BadInput(f"The flag that “{name}” excludes must be from 0 to 65535, not {exclude!r:.60}.", "BAD_SIZES")
    return AgentSize(name, float(radius), float(height), int(exclude))


def _is_number(value: Any) -> bool:
    real = type(value) in (float, int) or (isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)))
    return real and math.isfinite(float(value))


def with_flags(sizes: Sequence[AgentSize], used: int) -> tuple[AgentSize, ...]:
    """The sizes, each with a flag of its own: from 0x8000 down, without those in `used`. Raises BadInput where none is
    left."""
    free = [_HIGHEST_FLAG >> bit for bit in range(16) if not (used | _ABILITIES) & _HIGHEST_FLAG >> bit]
    if len(sizes) > len(free):
        raise BadInput(
            f"{len(sizes)} sizes need a flag each, and {len(free)} of 16 are left: the others are abilities of areas, "
            "doors and links. Build with fewer sizes, or let areas share flags.",
            "NO_FLAG_FOR_SIZE",
        )
    return tuple(size._replace(exclude=flag) for size, flag in zip(sizes, free, strict=False))


def size_called(sizes: Sequence[AgentSize], name: str) -> AgentSize:
    """The size of this name. Raises BadInput for one that there is not."""
    found = next((size for size in sizes if size.name == name), None)
    if found is None:
        called = ", ".join(f"“{size.name}”" for size in sizes)
        known = f"Known are {called}." if called else "It names none: a .bin cannot, .json, .glb and .tscn do."
        raise BadInput(f"There is no size “{name}” in this navmesh. {known}", "NO_SIZE")
    return found


@lru_cache(maxsize=_KEPT)
def voxels_of_size(settings: Settings, size: AgentSize) -> Voxels:
    """The settings of this size in voxels. Raises BadSettings that names it."""
    try:
        return settings.voxels_of_agent(size.radius, size.height)
    except BadSettings as reason:
        raise BadSettings(f"Size “{size.name}”: {reason}", reason.code) from None


def joint_settings(settings: Settings, sizes: Sequence[AgentSize]) -> Settings:
    """The settings of a navmesh for all sizes: its ground is that of the narrowest and of the lowest."""
    return _joint(settings, tuple(sizes)) if sizes else settings


@lru_cache(maxsize=_KEPT)
def _joint(settings: Settings, sizes: tuple[AgentSize, ...]) -> Settings:
    """Who builds again has them, and all that was derived from them: checking all settings takes half a millisecond."""
    for size in sizes:
        voxels_of_size(settings, size)  # refused by its name
    radius, height = min(size.radius for size in sizes), min(size.height for size in sizes)
    return replace(settings, agent_radius=radius, agent_height=height)


def too_small_flags(too_small: U16 | None, sizes: Sequence[AgentSize]) -> U16 | None:
    """For each polygon the flags of the sizes that it is too small for; bit i of `too_small` is the i-th size."""
    if too_small is None:
        return None
    flags: U16 = _flags_of_sets(tuple(size.exclude for size in sizes))[too_small]
    return flags


@cache
def _flags_of_sets(excluded: tuple[int, ...]) -> U16:
    """The flags of every set of sizes, by its bits: eleven sizes at most."""
    flags = np.zeros(1 << len(excluded), np.uint16)
    for bit, flag in enumerate(excluded):
        flags |= np.where(np.arange(len(flags)) >> bit & 1, flag, 0).astype(np.uint16)
    return flags


def flags_with_sizes(flags: U16, too_small: U16 | None) -> U16:
    """The flags of polygons, with those that keep sizes out. Where nobody may walk, nobody may: 0 stays 0."""
    return flags if too_small is None else np.where(flags == 0, flags, flags | too_small).astype(np.uint16)
