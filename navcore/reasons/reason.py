"""The answer to "why not here?", and values of settings that it suggests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from ..settings import Settings

# --- What no agent is: a change that comes to that is not suggested.

_MAX_CLIMB, _MIN_PART = 0.5, 0.5  # parts of an agent's height, and of the size that it has


def is_sensible(setting: str | None, suggested: float | bool | None, settings: Settings) -> bool:
    """Whether an agent can be so: nobody climbs more than half its height, or is half as wide or high as it was."""
    if setting is None or suggested is None:
        return True
    if setting == "agent_max_climb":
        return suggested <= _MAX_CLIMB * settings.agent_height
    if setting in ("agent_radius", "agent_height"):
        return suggested >= _MIN_PART * getattr(settings, setting)
    return True


# --- The value of a setting that comes to a number of voxels, in round metres that people would type.

_DIGITS = 1000  # a millimetre
_TRIES = 20


def climb_of(voxels: int, settings: Settings) -> float | None:
    """The smallest agent_max_climb that takes a step of so many voxels."""
    first = math.ceil(voxels * settings.cell_height * _DIGITS - 1e-6)
    return _first_that(lambda climb: replace(settings, agent_max_climb=climb).in_voxels().climb_vx >= voxels, first, 1)


def height_of(voxels: int, settings: Settings) -> float | None:
    """The largest agent_height that fits under so many voxels."""
    first = math.floor(voxels * settings.cell_height * _DIGITS + 1e-6)
    return _first_that(
        lambda height: height > 0 and replace(settings, agent_height=height).in_voxels().height_vx <= voxels, first, -1
    )


def radius_of(voxels: int, settings: Settings) -> float | None:
    """The largest agent_radius that takes so many voxels."""
    first = math.floor(voxels * settings.cell_size * _DIGITS + 1e-6)
    return _first_that(
        lambda radius: radius >= 0 and replace(settings, agent_radius=radius).in_voxels().radius_vx <= voxels, first, -1
    )


def _first_that(fits: Callable[[float], bool], first: int, step: int) -> float | None:
    """The first value that fits, from `first` on in steps of a millimetre."""
    return next(filter(fits, (number / _DIGITS for number in range(first, first + step * _TRIES, step))), None)


_TOLD = ("walkable", "code", "stage", "value", "limit", "setting", "suggested", "sentence", "triangle")


class Reason(NamedTuple):
    """The first rule, in the order of the stages, that removed a place; or that it is walkable."""

    code: str
    stage: str  # after which the place was no longer walkable; "navmesh" for what is part of it
    sentence: str
    value: float | None = None  # what was found
    limit: float | None = None  # what the rule allows
    setting: str | None = None  # the setting that decides
    suggested: float | bool | None = None  # what to set it to, of the setting's own kind
    triangle: int | None = None  # the culprit, a row of `triangles`
    next: Reason | None = None  # the obstacle behind it, once the change is made
    walkable: bool = False
    obstacle: int | None = None  # a triangle of what stands in the way, where something does: it may be left out
    size: str = ""  # of which agents it is the reason, where there are several sizes

    def to_mapping(self) -> dict[str, Any]:
        """As JSON has it."""
        told = {name: getattr(self, name) for name in _TOLD}
        behind = None if self.next is None else self.next.to_mapping()
        return {**told, "next": behind, **({"size": self.size} if self.size else {})}
