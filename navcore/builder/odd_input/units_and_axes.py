"""Wrong units and wrong axes, told by what people build: rooms to stand in, steps to climb, ground to walk on.

A unit is told where two things say the same: how high rooms are, and how high the lowest walls are (steps, curbs,
slabs). Open ground tells nothing, and nothing is said of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...build_warning import BuildWarning, in_words
from ...types import F32, F64, Geometry
from .survey import Survey


class _Unit(NamedTuple):
    """How high rooms and the lowest walls are in a unit, as numbers of a file."""

    name: str  # of `--unit`; empty: no unit of its own
    words: str
    metres: float
    rooms: tuple[float, float]
    walls: tuple[float, float]
    low: float  # the share of rooms that may be lower: below tables, below stairs
    roofed: float  # the share of all ground that lies in rooms at least


_UNITS = (
    _Unit("ft", "feet", 0.3048, (6.5, 14.0), (0.6, 1.05), 0.02, 0.05),
    _Unit("", "decimetres", 0.1, (18.0, 60.0), (0.9, 8.0), 0.2, 0.02),
    _Unit("in", "inches (or Quake units: --unit quake)", 0.0254, (60.0, 180.0), (3.0, 24.0), 0.4, 0.0),
    _Unit("cm", "centimetres", 0.01, (180.0, 900.0), (5.0, 100.0), 0.4, 0.0),
    _Unit("mm", "millimetres", 0.001, (1800.0, 9000.0), (50.0, 1000.0), 0.4, 0.0),
)
_QUAKE = _Unit("quake", "Quake units", 0.03125, (60.0, 180.0), (2.0, 24.0), 0.4, 0.0)
_QUAKE_STEP = 8.0  # maps are drawn on such a grid
_ROOMS, _WALLS = 8, 20  # so many have to be known
_MANY_WALLS = 60  # for feet, which are near to metres
_LOWEST_WALLS = 0.05  # the share of walls that are as low
_SMALLER = (10.0, 100.0, 1000.0)  # how many times too small a level may be
_ROOM = 3.0  # metres: about how high people build


def wrong_unit(geometry: Geometry, found: Survey, free: F64, square: float, agent_height: float) -> BuildWarning | None:
    """The unit that a level is in instead of metres, where rooms and walls tell; each height stands for `square` m²."""
    rooms = free[free > agent_height]
    if len(rooms) < _ROOMS or int(found.walls.sum()) < _WALLS:
        return None
    if 2 * np.count_nonzero(rooms < 3 * agent_height) > len(rooms):
        return None  # an agent of this size has the rooms that it needs
    middle, walls = float(np.median(rooms)), found.height_of_walls(_LOWEST_WALLS)
    roofed = len(rooms) * square / max(float(found.ground[0]), square)
    for unit in _UNITS:
        if roofed < unit.roofed or (unit.name == "ft" and int(found.walls.sum()) < _MANY_WALLS):
            continue
        low = np.count_nonzero(rooms < unit.rooms[0]) / len(rooms)
        if unit.rooms[0] <= middle <= unit.rooms[1] and unit.walls[0] <= walls <= unit.walls[1] and low <= unit.low:
            if unit.name == "in" and _on_quakes_grid(geometry):
                unit = _QUAKE
            return _unit_warning(unit, middle)
    return None


def _on_quakes_grid(geometry: Geometry) -> bool:
    """Whether nearly all coordinates are multiples of 8."""
    steps = geometry.vertices[:4096].astype(np.float64) / _QUAKE_STEP
    return bool(np.mean(np.abs(steps - np.round(steps)) < 1e-3) > 0.9)


def _unit_warning(unit: _Unit, middle: float) -> BuildWarning:
    flag = f"--unit {unit.name}" if unit.name else f"--scale {unit.metres:g}"
    return BuildWarning(
        "WRONG_UNIT",
        f"The level seems to be in {unit.words}, not in metres: its rooms are {in_words(middle, 1)} high, which would "
        f"be {in_words(middle * unit.metres, 1)} m. Scale it by {unit.metres:g} ({flag}).",
    )  # fmt: skip


def too_small(found: Survey, free: F64, agent_height: float) -> BuildWarning | None:
    """For levels on which nobody can stand: how many times too small they are, where their rooms tell."""
    if len(free) < _ROOMS or int(found.walls.sum()) < _WALLS:
        return None
    middle = float(np.median(free))
    for times in _SMALLER:
        if agent_height <= middle * times <= 3 * agent_height and found.height_of_walls(_LOWEST_WALLS) * times < _ROOM:
            return BuildWarning(
                "WRONG_UNIT",
                f"Is the level {times:g} times too small? Its rooms are {in_words(middle)} m high, and it is "
                f"{in_words(float(found.size.max()))} m long. Scale it by {times:g} if so (--scale {times:g}).",
            )  # fmt: skip
    return None


# --- axes


_SURE = 0.2  # of the ground that another axis would give: so little of a level looks up or down
_PERHAPS = 0.5
_THIRD = 0.5  # as much looks along the third axis at most
_FLAT = 0.5  # of the shorter side: a level is no higher
_HUMAN = (0.95, 2.5)  # agent heights: rooms
_TURNS = {
    "z": ((0, 1), (2, 1), (1, -1)), "-z": ((0, 1), (2, -1), (1, 1)),
    "x": ((1, -1), (0, 1), (2, 1)), "-x": ((1, 1), (0, -1), (2, 1)),
}  # fmt: skip
"""Of each axis that may be up: which column, times what, x, y and z are made of."""


def other_axis(found: Survey, share: float) -> str | None:
    """The axis that may be up instead of y: of what lies across it, less than `share` looks up or down."""
    areas = found.facing.reshape(3, 2).sum(axis=1)
    best, third = (0, 2) if areas[0] > areas[2] else (2, 0)
    size = found.size
    others = min(size[1], size[third])
    if not (areas[1] <= share * areas[best] and areas[third] <= _THIRD * areas[best] and size[best] <= _FLAT * others):
        return None
    forwards, backwards = found.facing[2 * best], found.facing[2 * best + 1]
    return ("" if forwards >= 0.9 * backwards else "-") + "xz"[best // 2]


def turned(vertices: F32, axis: str) -> F32:
    """The vertices as they are when this axis is up."""
    return np.ascontiguousarray(np.stack([vertices[:, column] * way for column, way in _TURNS[axis]], axis=1))


def has_rooms(free: F64, agent_height: float) -> bool:
    """Whether most of the free heights are those of rooms for this agent."""
    if len(free) < _ROOMS:
        return False
    low, high = (times * agent_height for times in _HUMAN)
    return bool(np.mean((free >= low) & (free <= high)) > 0.5)


def axis_warning(axis: str, found: Survey) -> BuildWarning:
    """What is said where another axis than y is up."""
    name = axis.replace("-", "−")
    along = "xyz".index(axis[-1])
    areas = found.facing.reshape(3, 2).sum(axis=1)
    return BuildWarning(
        "WRONG_AXIS",
        f"{name} seems to be the level's up axis, not y: {in_words(float(areas[along]), 0)} m² of its faces look along "
        f"{axis[-1]} and {in_words(float(areas[1]), 0)} m² up or down. Turn it (--up {axis}).",
    )  # fmt: skip


sure_axis, likely_axis = _SURE, _PERHAPS
