"""What is odd about a place that is walkable: the navmesh hovers over the ground there, or lies inside of a solid."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..geometry.inside_solid import left_through
from ..settings import Settings
from ..types import F64, I32
from .reason import Reason
from .surface import Surface, heights_at
from .whereabouts import Whereabouts, heights_of_polygons, over_point, whereabouts

_ROUNDING = 2  # cell heights beyond the climb that cells and samples may add
_DISTANCES = (6.0, 4.0, 3.0, 2.0, 1.0)  # cells between samples that are tried, the usual one first
_ERRORS = (1.0, 0.5, 0.2, 0.0)  # cell heights
_AWAY = ((1, 1), (0, 1), (0, -1), (2, 1), (2, -1))  # axis and sign: up, and to the four sides
_ASIDE = np.array([1.7e-4, 0.0, -2.3e-4])  # metres: rays through where edges meet count twice


def oddity(surface: Surface) -> Reason | None:
    """The first oddity, with the other one as its `next`."""
    inside = _inside_solid(surface)
    above = _hovering(surface)
    return inside if above is None else above._replace(next=inside)


def _hovering(surface: Surface) -> Reason | None:
    """Where the surface of the navmesh lies farther from the ground than steps and rounding explain."""
    level, found = surface.level, whereabouts(surface)
    settings, ground = level.settings, _ground_height(surface)
    limit = (level.recipe.voxels.climb_vx + _ROUNDING) * settings.cell_height
    chosen = over_point(found.built.stages["polygon_mesh"], surface)
    gap = _gap(surface, found, chosen, settings, ground)
    if not limit < abs(gap) < math.inf:
        return None
    setting: str | None = None
    suggested: float | bool | None = None
    for name, value in _closer(settings):
        closer = Settings.from_mapping({**settings.to_mapping(), name: value})
        if abs(_gap(surface, found, chosen, closer, ground)) <= limit:
            setting, suggested = name, value
            break
    return Reason(
        "HOVERING", "detail_mesh",
        f"Hovering: the navmesh lies {abs(gap):.2f} m {'above' if gap > 0 else 'below'} the ground here; climb and "
        f"rounding explain {limit:.2f} m.",
        abs(gap), limit, setting, suggested, surface.culprit, walkable=True,
    )  # fmt: skip


def _closer(settings: Settings) -> Iterator[tuple[str, float | bool]]:
    """Changes that may bring the navmesh closer to the ground, the cheapest first."""
    if not settings.detail_mesh:
        yield "detail_mesh", True
        return
    sampled = settings.detail_sample_distance >= 0.9
    if not sampled:
        yield from (("detail_sample_distance", value) for value in _DISTANCES)
    yield from (("detail_sample_max_error", value) for value in _ERRORS if value < settings.detail_sample_max_error)
    if sampled:
        closer = [value for value in _DISTANCES if value < settings.detail_sample_distance]
        yield from (("detail_sample_distance", value) for value in closer)


def _gap(surface: Surface, found: Whereabouts, chosen: I32, settings: Settings, ground: float) -> float:
    """Metres from the ground up to the nearest of some polygons at the point; infinite where there is none."""
    heights = heights_of_polygons(found.built.stages["polygon_mesh"], chosen, surface, found, settings)
    gaps = heights[np.isfinite(heights)] - ground
    return float(gaps[np.argmin(np.abs(gaps))]) if len(gaps) else math.inf


def _ground_height(surface: Surface) -> float:
    """Of the triangle under the point, or of the cell that it fills."""
    if surface.triangle >= 0:
        geometry = surface.level.geometry
        corners = geometry.vertices[geometry.triangles[[surface.triangle]]].astype(np.float64)
        return float(heights_at(corners, surface.point[0], surface.point[2])[0])
    grid = surface.spot.grid
    return float(grid.bounds_min[1]) + surface.top * float(grid.cell_height)


def _inside_solid(surface: Surface) -> Reason | None:
    """Where every way out, up and to the four sides, leads through the back of a face that was not entered before."""
    x, _, z = surface.point
    origin = np.array([x, _ground_height(surface) + surface.level.settings.agent_height / 2, z]) + _ASIDE
    left = None
    for axis, sign in _AWAY:
        triangle = _left_through(surface, origin, axis, sign)
        if triangle is None:
            return None
        left = triangle if left is None else left
    return Reason(
        "INSIDE_SOLID", "navmesh",
        "Inside a solid: all faces around this place show it their backs, so that it lies inside of a closed body.",
        triangle=left, walkable=True,
    )  # fmt: skip


def _left_through(surface: Surface, origin: F64, axis: int, sign: int) -> int | None:
    """The first triangle where a ray has left more bodies than it has entered; None where it never has."""
    level, (x, _, z) = surface.level, origin.tolist()
    low, high = [x, z], [x, z]
    if axis != 1:
        (high if sign > 0 else low)[axis // 2] = sign * math.inf
    chosen = level.boxes.touching(low[0], high[0], low[1], high[1])
    corners = level.geometry.vertices[level.geometry.triangles[chosen]].astype(np.float64) - origin
    first = left_through(corners, axis, sign)
    return None if first is None else int(chosen[first])
