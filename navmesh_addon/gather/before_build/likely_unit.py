"""The unit that a level was drawn in, where its free heights over ground tell: rooms of 270 m are rooms of 270 cm.

Rays go down through the level and up from what looks up. Open ground tells nothing, and nothing is said of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ...blender_types import has_property, scene_of
from ...sliced_work import PAUSE, Slices
from ...stored.object_properties import ROLE

if TYPE_CHECKING:
    from .object_boxes import F64

_LARGE = 150.0  # metres: smaller levels are in metres, or look wrong by themselves
_SIDE, _FLOORS = 16, 6  # rays along each side, and floors below each other that are looked at
_SECONDS = 0.15  # that looking takes at most
_MANY = 1000  # objects: with more a ray takes longer than a slice
_ROOMS = 8  # so many have to be known
_NO_AGENT = 20.0  # agent heights: nobody builds rooms that high
_UP = 0.7  # how far a normal looks up where people could stand
_OFF = 1e-3  # of the level's size: a ray goes on so far behind what it hit
_QUAKE_STEP = 8.0  # units: Quake's maps are drawn on such a grid


class LikelyUnit(NamedTuple):
    """What the level seems to be drawn in."""

    words: str
    factor: float  # to metres
    room: float  # how high its rooms are, in its own numbers

    @property
    def sentence(self) -> str:
        """For people, with the question that only they can answer."""
        real = self.room * self.factor
        return f"Rooms are {self.room:,.0f} m high. Is the level in {self.words}? Then they are {real:.1f} m"


_UNITS = ((60.0, 180.0, "inches", 0.0254), (180.0, 900.0, "centimetres", 0.01), (1800.0, 9000.0, "millimetres", 0.001))


def likely_unit(context: bpy.types.Context, boxes: F64, agent_height: float) -> Slices[LikelyUnit | None]:
    """The unit of a level with these boxes, in metres; None where it is in metres or does not tell."""
    low, high = boxes[:, 0].min(0), boxes[:, 1].max(0)
    if max(high[0] - low[0], high[2] - low[2]) < _LARGE or len(boxes) > _MANY:
        return None
    rooms: list[float] = []
    metres, spent = scene_of(context).unit_settings.scale_length, 0.0
    for x, y in _columns(low, high):
        heights = _free_heights(context, x / metres, y / metres, low / metres, high / metres)
        while spent < _SECONDS:
            began = time.perf_counter()
            free = next(heights, None)
            spent += time.perf_counter() - began
            if free is None:
                break
            rooms += [free * metres] if free > 0 else []
            yield PAUSE
        yield PAUSE
        if spent >= _SECONDS:
            break
    return unit_of(rooms, agent_height)


def unit_of(free: list[float], agent_height: float) -> LikelyUnit | None:
    """What free heights over ground tell."""
    rooms = sorted(height for height in free if height > agent_height)
    if len(rooms) < _ROOMS:
        return None
    middle = rooms[len(rooms) // 2]
    if middle < _NO_AGENT * agent_height:
        return None
    for least, most, words, factor in _UNITS:
        if least <= middle <= most:
            if words == "inches" and _is_on_grid(rooms):
                return LikelyUnit("Quake units", 0.03125, middle)
            return LikelyUnit(words, factor, middle)
    return None


def _is_on_grid(rooms: list[float]) -> bool:
    fits = sum(abs(height / _QUAKE_STEP - round(height / _QUAKE_STEP)) < _OFF for height in rooms)
    return fits > 0.9 * len(rooms)


def _columns(low: F64, high: F64) -> Iterator[tuple[float, float]]:
    """Places all over a level, in Blender's axes: neighbors come late, so that few say as much as many."""
    count = _SIDE * _SIDE
    for number in range(count):
        at = number * 97 % count  # which has no factor in common with it
        part_x, part_z = (at % _SIDE + 0.5) / _SIDE, (at // _SIDE + 0.5) / _SIDE
        yield float(low[0] + part_x * (high[0] - low[0])), -float(low[2] + part_z * (high[2] - low[2]))


def _free_heights(context: bpy.types.Context, x: float, y: float, low: F64, high: F64) -> Iterator[float]:
    """Of each surface below a place, in units: 0 where nobody could stand on it, or nothing is above it."""
    off = _OFF * max(float(high[1] - low[1]), 1e-6)
    z = float(high[1]) + 2 * off
    for _ in range(_FLOORS):
        hit = _hit(context, (x, y, z), -1)
        if hit is None or hit[0] < low[1] - off:
            return
        floor, up = hit
        above = _hit(context, (x, y, floor + off), 1) if up > _UP else None
        yield 0.0 if above is None else above[0] - floor
        z = floor - off


def _hit(context: bpy.types.Context, origin: tuple[float, float, float], way: int) -> tuple[float, float] | None:
    """The height of what a ray hits, and how far that looks up; navmeshes are none of the level."""
    scene, graph = scene_of(context), context.evaluated_depsgraph_get()
    x, y, z = origin
    for _ in range(_FLOORS):
        found: Any = scene.ray_cast(graph, (x, y, z), (0, 0, way))  # the stubs know no tuple
        if not found[0]:
            return None
        if found[4] is None or not has_property(found[4].original, ROLE):
            return float(found[1][2]), float(found[2][2])
        z = float(found[1][2]) + way * _OFF
    return None
