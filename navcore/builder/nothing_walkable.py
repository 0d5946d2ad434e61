"""Why nothing was walkable, and what to change."""

from __future__ import annotations

from ..settings import Settings
from ..types import U8, CompactHeightfield


def why_nothing_walkable(triangle_areas: U8, compact: CompactHeightfield, settings: Settings) -> str:
    """Name the stage in which the last walkable surface was lost, and what to change."""
    if not triangle_areas.any():
        return (
            f"None of the {len(triangle_areas):,} triangles is flatter than {settings.agent_max_slope:g}° and faces "
            "up. Are the normals flipped, or is the up axis not y? Otherwise raise Max Slope."
        )
    if len(compact.floor) == 0:
        return (
            f"No floor has {settings.agent_height:g} m of room above it and ground around it within "
            f"{settings.agent_max_climb:g} m. Lower Agent Height, raise Max Climb, or check the scale of the level."
        )
    if not compact.area.any():
        return (
            f"Every floor is narrower than an agent with a radius of {settings.agent_radius:g} m. "
            "Lower Agent Radius, or check the scale of the level."
        )
    if settings.region_min_size == 0:
        return "Every walkable island is so narrow that no outline remains. Lower Edge Max Error or Cell Size."
    return (
        f"Every walkable island is smaller than {settings.region_min_size:g} × {settings.region_min_size:g} cells, "
        "or so narrow that no outline remains. Lower Region Min Size, Edge Max Error or Cell Size."
    )
