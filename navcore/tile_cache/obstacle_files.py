"""OBSTACLES.json: a list of obstacles, checked by name. Also the part of a sidecar that lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..checked_fields import refused, sequence, shown
from ..errors import BadInput
from .obstacles import BOX, CYLINDER, ORIENTED_BOX, Obstacle

FARTHEST = 1e9  # metres
_FIELDS = {"cylinder": ("at", "radius", "height"), "box": ("at", "half"), "aabb": ("min", "max")}
_OPTIONAL = {"box": ("angle",)}


def as_obstacles(items: Any) -> list[Obstacle]:
    """Obstacles from what JSON holds, in order. Raises BadInput by number and name."""
    return [_obstacle(item, f"obstacle {number}") for number, item in enumerate(sequence("obstacles", items), 1)]


def _obstacle(item: Any, where: str) -> Obstacle:
    if not isinstance(item, Mapping):
        raise refused(f"{where} must be an object with kind and numbers, not {shown(item)}.")
    kind = item.get("kind")
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise refused(f"{where}: kind must be one of {', '.join(_FIELDS)}, not {shown(kind)}.")
    allowed = {"kind", "name", *_FIELDS[kind], *_OPTIONAL.get(kind, ())}
    for name in item:
        if name not in allowed:
            raise refused(f"{where} ({kind}) has no {shown(name)}; it has {', '.join(_FIELDS[kind])}.")
    for name in _FIELDS[kind]:
        if name not in item:
            raise refused(f"{where} ({kind}) lacks {name}.")
    if kind == "cylinder":
        size = length(f"{where}: radius", item["radius"]), length(f"{where}: height", item["height"]), 0.0
        return Obstacle(CYLINDER, point(f"{where}: at", item["at"]), size)
    if kind == "aabb":
        return Obstacle(BOX, *corners(point(f"{where}: min", item["min"]), point(f"{where}: max", item["max"]), where))
    half = [length(f"{where}: half", value) for value in point(f"{where}: half", item["half"])]
    angle = number(f"{where}: angle", item.get("angle", 0.0))
    return Obstacle(ORIENTED_BOX, point(f"{where}: at", item["at"]), (half[0], half[1], half[2]), angle)


def number(name: str, value: Any) -> float:
    """A finite number, not too far from 0."""
    if type(value) is float and abs(value) <= FARTHEST:
        return value  # as most are: obstacles are put while a game runs
    if isinstance(value, bool):
        raise _bad(name, "a number", value)
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise _bad(name, "a number", value) from None
    if not abs(found) <= FARTHEST:
        raise _bad(name, f"a number up to {FARTHEST:g}", value)
    return found


def length(name: str, value: Any) -> float:
    """Metres, not below 0."""
    found = number(name, value)
    if found < 0:
        raise _bad(name, "metres from 0 on", value)
    return found


def point(name: str, value: Any) -> tuple[float, float, float]:
    """Three numbers."""
    try:
        parts = list(value)
    except TypeError:
        parts = []
    if len(parts) != 3 or isinstance(value, (str, bytes)):
        raise _bad(name, "three numbers", value)
    x, y, z = (number(name, part) for part in parts)
    return x, y, z


def corners(
    low: tuple[float, float, float], high: tuple[float, float, float], where: str = "The box"
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Both corners of a box, the low one first."""
    for axis, a, b in zip("xyz", low, high, strict=True):
        if a > b:
            raise BadInput(f"{where}: {axis} of max must be at least {axis} of min = {a:g}, not {b:g}.", "BAD_OBSTACLE")
    return low, high


def _bad(name: str, wanted: str, value: Any) -> BadInput:
    return BadInput(f"{name} must be {wanted}, not {shown(value)}.", "BAD_OBSTACLE")
