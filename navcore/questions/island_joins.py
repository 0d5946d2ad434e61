"""What would join an island to the one that is nearest to it, in words and as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ..build_warning import Point
from ..result.navmesh import NavMesh
from ..settings import Settings
from .nav_query import NavQuery
from .nearest_pair import IslandGround, NearestPair, nearest_pair

TryBuild = Callable[[Settings, tuple[float, ...]], NavMesh]
"""Builds the level, or what lies within six bounds of it, with other settings."""

_MORE_STEPS, _MORE_CELLS = 3, 3  # settings that are tried: so many heights of cells, so many cells
_A_LITTLE = 0.01  # metres
_AROUND = 6.0  # metres around both ends that are built to try a setting


class Missing(StrEnum):
    """What is missing between two islands."""

    LINK = "LINK"
    """A link: there is no ground to walk on, or too high a step."""
    STEP = "STEP"
    """A higher climb: agents come up to a step that is too high for them."""
    WIDTH = "WIDTH"
    """Width: a thinner agent gets through."""


class IslandJoin(NamedTuple):
    """What would join an island to another one. Metres."""

    island: int
    other: int
    start: Point  # on the island
    end: Point  # on the other one
    gap: float  # between both, seen from above
    rise: float  # how much higher the end is
    missing: Missing
    setting: str | None  # to change, where that helps
    value: float | None  # what it would have to be
    tried: bool  # whether that was built, and joins them there
    sentence: str


def island_join(
    ground: IslandGround, island: int, settings: Settings, try_build: TryBuild | None = None
) -> IslandJoin | None:
    """What is missing between an island and the nearest other one; None where there is no other.

    With `try_build`, settings are offered only where a build around the place shows that they join both. Without the
    level nobody can say whether a thinner agent passes; a step that is higher than the agent climbs, but not twice as
    high, is offered as it looks.
    """
    pair = nearest_pair(ground, island, settings.agent_radius + settings.cell_size, settings.cell_size)
    if pair is None:
        return None
    found = _by_settings(pair, settings, try_build, _bounds(pair, ground, settings))
    missing, setting, value = found if found is not None else (Missing.LINK, None, None)
    sentence = _sentence(pair, settings, missing, value)
    tried = found is not None and try_build is not None
    return IslandJoin(
        island, pair.other, pair.start, pair.end, pair.gap, pair.rise, missing, setting, value, tried, sentence
    )


def _by_settings(
    pair: NearestPair, settings: Settings, try_build: TryBuild | None, bounds: tuple[float, ...]
) -> tuple[Missing, str, float] | None:
    """The setting that joins both, if one does."""
    is_step = abs(pair.rise) > settings.agent_max_climb and pair.gap <= _reach(settings)
    if try_build is None:
        climb = next(_climbs(pair, settings))
        if is_step and climb <= 2 * settings.agent_max_climb:
            return Missing.STEP, "agent_max_climb", climb
        return None
    settings = replace(settings, tile_size=0)  # a small piece of the level
    if is_step and abs(pair.rise) < settings.agent_height:
        for climb in _climbs(pair, settings):
            if _joins(try_build(replace(settings, agent_max_climb=climb), bounds), pair, settings):
                return Missing.STEP, "agent_max_climb", climb
    for radius in _radii(pair, settings, try_build, bounds):
        if _joins(try_build(replace(settings, agent_radius=radius), bounds), pair, settings):
            return Missing.WIDTH, "agent_radius", radius
    return None


def _reach(settings: Settings) -> float:
    """How far apart ground is on both sides of a step: an agent's radius on each, and what cells and edges add."""
    return 2 * settings.agent_radius + (4 + settings.edge_max_error) * settings.cell_size


def _climbs(pair: NearestPair, settings: Settings) -> Iterator[float]:
    """Climbs to try, whole heights of cells."""
    steps = math.ceil(abs(pair.rise) / settings.cell_height - 1e-3)
    for more in range(_MORE_STEPS):
        yield round((steps + more) * settings.cell_height, 4)


def _radii(pair: NearestPair, settings: Settings, try_build: TryBuild, bounds: tuple[float, ...]) -> Iterator[float]:
    """Radii to try: the widest that pass where nothing was eroded, in whole cells."""
    bare = NavQuery(try_build(replace(settings, agent_radius=0.0, region_min_size=0), bounds))
    widest = bare.narrowest(np.array(pair.start), np.array(pair.end), extents=_extents(settings))
    clearance = float(widest.clearances[0])
    if widest.status[0] != 0 or not clearance > 0:
        return
    cells = min(math.ceil(clearance / settings.cell_size), math.ceil(settings.agent_radius / settings.cell_size) - 1)
    for fewer in range(_MORE_CELLS):
        for less in (0, _A_LITTLE):  # what is divided by a cell may come out above a whole number
            if cells - fewer > 0:
                yield round((cells - fewer) * settings.cell_size - less, 4)


def _extents(settings: Settings) -> tuple[float, float, float]:
    aside = settings.agent_radius + 2 * settings.cell_size
    return aside, settings.agent_max_climb + 2 * settings.cell_height, aside


def _joins(navmesh: NavMesh, pair: NearestPair, settings: Settings) -> bool:
    """Whether both ends lie on one island of a navmesh."""
    query = NavQuery(navmesh)
    ends = query.nearest(np.array([pair.start, pair.end]), extents=_extents(settings))
    if (ends.references == 0).any():
        return False
    islands = query.islands(ends.references).numbers
    return bool(islands[0] == islands[1])


def _bounds(pair: NearestPair, ground: IslandGround, settings: Settings) -> tuple[float, ...]:
    """Around both ends, on the lattice of the navmesh: its cells are those that are built again."""
    around = _AROUND + pair.gap
    low = [min(a, b) - around for a, b in zip(pair.start, pair.end, strict=True)]
    cell = (settings.cell_size, settings.cell_height, settings.cell_size)
    origin = ground.vertices[0].tolist()
    low = [at + math.floor((edge - at) / size) * size for edge, at, size in zip(low, origin, cell, strict=True)]
    high = [max(a, b) + around for a, b in zip(pair.start, pair.end, strict=True)]
    return (*low, *high)


def _sentence(pair: NearestPair, settings: Settings, missing: Missing, value: float | None) -> str:
    rise = abs(pair.rise)
    if missing is Missing.STEP:
        return f"a step of {rise:.2f} m; the agent climbs {settings.agent_max_climb:.2f} m ({value:.2f} m joins them)"
    if missing is Missing.WIDTH and value is not None:
        return f"{settings.agent_radius - value:.2f} m too narrow: an agent of radius {value:.2f} m fits"
    way = "level" if rise < 0.05 else f"{'up' if pair.rise > 0 else 'down'} {rise:.1f} m"
    return f"a link of {math.dist(pair.start, pair.end):.1f} m, {way}"
