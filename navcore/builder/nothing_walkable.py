"""Why nothing was walkable, and what to change."""

from __future__ import annotations

import math

import numpy as np

from ..errors import NothingWalkable
from ..settings import Settings
from ..types import CompactHeightfield, Geometry

_ROUNDING = 0.01  # degrees
_USUAL_SLOPE = Settings().agent_max_slope


def why_nothing_walkable(geometry: Geometry, compact: CompactHeightfield, settings: Settings) -> NothingWalkable:
    """Name the stage in which the last walkable surface was lost, and what to change."""
    if not geometry.area.any():
        return _too_steep(geometry, settings)
    if len(compact.floor) == 0:
        height, climb = _digits(settings.agent_height / 2), _digits(max(2 * settings.agent_max_climb, 0.1))
        return NothingWalkable(
            f"No floor has {settings.agent_height:g} m of room above it and ground around it within "
            f"{settings.agent_max_climb:g} m. Lower Agent Height, raise Max Climb, or check the scale of the level.",
            ways_out=(("agent_height", height), ("agent_max_climb", climb)),
        )
    if not compact.area.any():
        radius = _digits(settings.agent_radius / 2)
        return NothingWalkable(
            f"Every floor is narrower than an agent with a radius of {settings.agent_radius:g} m. "
            f"Lower Agent Radius (to {radius:g} m, say), or check the scale of the level.",
            ways_out=(("agent_radius", radius),),
        )
    return _too_small(compact, settings)


def _too_steep(geometry: Geometry, settings: Settings) -> NothingWalkable:
    """No triangle is flat enough, or none faces up, or those that do are marked as not walkable."""
    if settings.agent_max_slope == 0:
        return NothingWalkable(
            f"Max Slope is 0°, at which nothing is walkable, whatever areas are given. Raise it to {_USUAL_SLOPE:g}°.",
            ways_out=(("agent_max_slope", _USUAL_SLOPE),),
        )
    said = (
        f"None of the {len(geometry.area):,} triangles is flatter than {settings.agent_max_slope:g}° and faces up. "
        "Are the normals flipped, or is the up axis not y? Otherwise raise Max Slope"
    )
    flattest = _flattest(geometry)
    if flattest is not None and flattest < settings.agent_max_slope - _ROUNDING:
        return NothingWalkable(
            "All triangles that are flat enough and face up have area 0, not walkable. Give ground another area."
        )
    if flattest is None or flattest >= 89.0:
        return NothingWalkable(f"{said}.")
    slope = max(_USUAL_SLOPE, math.floor(flattest) + 1.0)
    return NothingWalkable(f"{said} to {slope:g}°.", ways_out=(("agent_max_slope", slope),))


def _flattest(geometry: Geometry) -> float | None:
    """The slope in degrees of the flattest triangle that faces up, None where none does."""
    a, b, c = (geometry.vertices[geometry.triangles[:, k]].astype(np.float64) for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    up = normals[lengths > 0, 1] / lengths[lengths > 0]
    return math.degrees(math.acos(min(1.0, float(up.max())))) if len(up) and up.max() > 0 else None


def _too_small(compact: CompactHeightfield, settings: Settings) -> NothingWalkable:
    """Regions were removed, or no outline remained of them."""
    finer = ("cell_size", _digits(settings.cell_size / 2))
    side = settings.region_min_size
    if side == 0:
        return NothingWalkable(
            "Every walkable island is so narrow that no outline remains. Lower Edge Max Error or Cell Size.",
            ways_out=(finer,),
        )
    # All that is left together could be one island with this side: a larger one there is not.
    smaller = float(min(math.isqrt(int(np.count_nonzero(compact.area))), math.ceil(side) - 1))
    return NothingWalkable(
        f"Every walkable island is smaller than {side:g} × {side:g} cells, or so narrow that no outline remains. "
        f"Lower Region Min Size (to {smaller:g}, say), Edge Max Error or Cell Size.",
        ways_out=(("region_min_size", smaller), finer),
    )


def _digits(value: float) -> float:
    """Three digits: a number that people would type."""
    return float(f"{value:.3g}")
