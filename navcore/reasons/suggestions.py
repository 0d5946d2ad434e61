"""The value of a setting that comes to a number of voxels, in round metres that people would type."""

from __future__ import annotations

import math
from dataclasses import replace

from ..settings import Settings

_DIGITS = 1000  # a millimetre
_TRIES = 20


def climb_of(voxels: int, settings: Settings) -> float | None:
    """The smallest agent_max_climb that takes a step of so many voxels."""
    value = math.ceil(voxels * settings.cell_height * _DIGITS - 1e-6)
    for more in range(_TRIES):
        climb = (value + more) / _DIGITS
        if replace(settings, agent_max_climb=climb).in_voxels().climb_vx >= voxels:
            return climb
    return None


def height_of(voxels: int, settings: Settings) -> float | None:
    """The largest agent_height that fits under so many voxels."""
    value = math.floor(voxels * settings.cell_height * _DIGITS + 1e-6)
    for less in range(_TRIES):
        height = (value - less) / _DIGITS
        if height > 0 and replace(settings, agent_height=height).in_voxels().height_vx <= voxels:
            return height
    return None


def radius_of(voxels: int, settings: Settings) -> float | None:
    """The largest agent_radius that takes so many voxels."""
    value = math.floor(voxels * settings.cell_size * _DIGITS + 1e-6)
    for less in range(_TRIES):
        radius = (value - less) / _DIGITS
        if radius >= 0 and replace(settings, agent_radius=radius).in_voxels().radius_vx <= voxels:
            return radius
    return None
