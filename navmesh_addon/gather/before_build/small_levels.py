"""Levels so small that nothing of them would be left: the agent keeps away from edges, and small ground is removed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ....navcore.settings import Settings
from .hints_and_fixes import ADD_GROUND, Hint, set_settings, value_of
from .setting_hints import rounded_down, rounded_up

if TYPE_CHECKING:
    from .object_boxes import F64

_CELLS = 8  # across what the agent's radius leaves: cells that edges are rounded to take up to five of these
_MIN_REGION = 2  # cells: the side of the smallest ground that a small level keeps
_SHARE = 0.3  # of a level's width that the radius may take from each side


def small_level(settings: Settings, boxes: F64) -> Hint | None:
    """A hint where nothing can be left of a level in these boxes (N, 2, 3); None where something may.

    Only what is certain is said: cells at the edges count as whole, and a box as many floors as agents fit into it.
    """
    low, high = boxes[:, 0].min(0), boxes[:, 1].max(0)
    width, height, depth = (float(size) for size in high - low)
    radius = settings.in_voxels().radius_vx
    across = [math.ceil(size / settings.cell_size) + 1 - 2 * radius for size in (width, depth)]
    size, side = f"The level is {width:.3g} × {depth:.3g} m", settings.region_min_size
    if min(across) <= 0:
        why = f"An agent with a radius of {settings.agent_radius:g} m keeps away from its edges: nothing is left"
        return _hint("LEVEL_TOO_NARROW", f"{size}. {why}", settings, width, depth)
    # Between two floors there is room for the agent, and the upper one is a cell thick.
    floors = 1 + math.floor(height / (settings.in_voxels().height_vx + 1) / settings.cell_height)
    each = boxes[:, 1] - boxes[:, 0]
    cells = ((each[:, 0] / settings.cell_size + 2) * (each[:, 2] / settings.cell_size + 2)).sum()
    largest = min(across[0] * across[1], float(cells)) * floors
    if largest >= settings.in_voxels().region_min_area_vx or _is_cut(settings, across):
        return None
    metres = f"{side * settings.cell_size:.3g} × {side * settings.cell_size:.3g} m"
    away = f"An agent keeps {settings.agent_radius:g} m away from its edges, and ground" if radius else "Ground"
    why = f"{away} smaller than {metres} ({side:g} × {side:g} cells) is removed: nothing is left"
    return _hint("LEVEL_TOO_SMALL", f"{size}. {why}", settings, width, depth)


def _is_cut(settings: Settings, across: list[int]) -> bool:
    """Whether the level is cut into tiles: ground that reaches a tile's side is never removed."""
    return 0 < settings.tile_size < max(across) + 2 * settings.in_voxels().radius_vx


def _hint(code: str, why: str, settings: Settings, width: float, depth: float) -> Hint:
    fitting = fitting_settings(settings, width, depth)
    said = ", ".join(value_of(name, value) for name, value in fitting.items())
    message = f"{why}. Add ground around it, or fit the settings: {said}"
    fit = set_settings(fitting, "Fit Settings to Level")
    level_is_fine = fitting.keys() == {"region_min_size"}
    return Hint(code, message, "", (fit, ADD_GROUND) if level_is_fine else (ADD_GROUND, fit))


def fitting_settings(settings: Settings, width: float, depth: float) -> dict[str, float]:
    """What to change, so that something is left of flat ground of that size."""
    narrow = max(min(width, depth), 1e-3)
    radius = settings.agent_radius
    if radius > _SHARE * narrow:
        radius = rounded_down(_SHARE * narrow)
    left = narrow - 2 * radius
    cell = rounded_down(min(settings.cell_size, left / _CELLS))
    if radius > 0:
        cell = _dividing(radius, cell)
    changes = {
        "agent_radius": radius,
        "cell_size": cell,
        "region_min_size": min(settings.region_min_size, max(_MIN_REGION, left / cell // 2)),
    }
    return {name: value for name, value in changes.items() if value != getattr(settings, name)}


def _dividing(radius: float, max_cell: float) -> float:
    """A cell of which the radius is a whole number, after rounding too: or the agent would grow by one."""
    count = math.ceil(radius / max_cell)
    cell = rounded_up(radius / count)
    return (
        cell
        if Settings(agent_radius=radius, cell_size=cell).in_voxels().radius_vx == count
        else rounded_up(1.005 * cell)
    )
