"""Reasons that lie in triangles: too steep, upside down, without area, marked, or buried in something else."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ..types import NOT_WALKABLE
from .reason import Reason, climb_of
from .surface import InColumn, Surface, is_walkable

_STAGE = "walkable"


def reason_of_triangles(surface: Surface) -> Reason | None:
    """Why matter is not walkable before any ledge is looked at; None where it is."""
    own = surface.own_part()
    parts = [] if own and not _is_buried(surface, own) else surface.under_span(*surface.column, surface.span)
    own = own or (parts[-1] if parts else None)
    if own is None:
        return None
    buried = _is_buried(surface, own)
    if is_walkable(surface, "low_hanging") and not buried:
        return None
    if own.area == NOT_WALKABLE and not buried:
        return triangle_reason(surface, own.triangle)
    return _covered(surface, own, parts or surface.under_span(*surface.column, surface.span))


def _is_buried(surface: Surface, part: InColumn) -> bool:
    """Whether the span ends so far above what a triangle puts into it that its top is another surface."""
    return surface.top - part.top > surface.level.recipe.voxels.climb_vx


def _covered(surface: Surface, own: InColumn, parts: list[InColumn]) -> Reason:
    """The surface is inside of matter, or something unwalkable lies on it."""
    level, cell = surface.level, surface.level.settings.cell_height
    above = [part for part in parts if part.top > own.top]
    culprit = above[-1] if above else own
    deep = max(culprit.top, surface.top) - own.top
    limit = level.recipe.voxels.climb_vx * cell
    suggested = climb_of(deep, level.settings) if deep > level.recipe.voxels.climb_vx else None
    return Reason(
        "COVERED", "rasterized",
        f"Covered: something that touches this surface ends {deep * cell:.2f} m above it, and counts instead; the "
        f"agent climbs {limit:.2f} m.",
        deep * cell, limit, "agent_max_climb", suggested, culprit.triangle,
        obstacle=culprit.triangle if culprit.triangle != own.triangle else None,
    )  # fmt: skip


def triangle_reason(surface: Surface, triangle: int) -> Reason:
    """Why stage 1 takes a triangle for unwalkable."""
    level = surface.level
    geometry, slope = level.geometry, level.settings.agent_max_slope
    if len(geometry.area) and geometry.area[triangle] == NOT_WALKABLE:
        return Reason(
            "MARKED", _STAGE, "Marked: the area of this triangle is 0, not walkable. Give it another area.",
            0.0, triangle=triangle,
        )  # fmt: skip
    up = _upward(surface, triangle)
    if up is None:
        return Reason(
            "DEGENERATE", _STAGE, "This triangle has no area, so that it faces nowhere. Merge its vertices.",
            triangle=triangle,
        )  # fmt: skip
    if up < 0:
        return Reason(
            "FACES_DOWN", _STAGE, "This triangle faces down: its normal is flipped. Flip the face.",
            round(math.degrees(math.acos(max(up, -1.0))), 3), slope, triangle=triangle,
        )  # fmt: skip
    degrees = math.degrees(math.acos(min(up, 1.0)))
    return Reason(
        "TOO_STEEP", _STAGE, f"Too steep: the ground rises at {degrees:.1f}°, the agent walks up to {slope:g}°.",
        degrees, slope, "agent_max_slope", _steeper(surface, triangle, degrees), triangle,
    )  # fmt: skip


def _upward(surface: Surface, triangle: int) -> float | None:
    """The y of a triangle's unit normal; None where it has none."""
    a, b, c = surface.level.geometry.vertices[surface.level.geometry.triangles[triangle]].astype(np.float64)
    normal = np.cross(b - a, c - a)
    length = float(np.linalg.norm(normal))
    return float(normal[1]) / length if length > 1e-30 else None


def _steeper(surface: Surface, triangle: int, degrees: float) -> float | None:
    """The smallest slope, in tenths of a degree, at which the triangle is walkable; None for walls."""
    chosen = np.array([triangle], np.int32)
    begin = math.ceil(degrees * 10)
    for tenths in range(begin, min(begin + 3, 901)):
        level = surface.level.changed(replace(surface.level.settings, agent_max_slope=tenths / 10))
        if level.marked(chosen).area[0] != NOT_WALKABLE:
            return tenths / 10
    return None
