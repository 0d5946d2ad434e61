"""Reasons that the filters have: ledges, ground too uneven, ceilings too low, the edge of the grid."""

from __future__ import annotations

from typing import NamedTuple

from ..geometry.columns import OPEN, STEP_X, STEP_Z
from ..stages.filters import BOTTOMLESS
from .reason import Reason, climb_of, height_of
from .surface import Surface, is_walkable

SIDES = ("west", "south", "east", "north")  # towards −x, +z, +x and −z
_DEEPEST = -1000  # vx below any floor: no floor is that low


class Floor(NamedTuple):
    """A floor next door that an agent could fall or step to."""

    height: int  # vx; BOTTOMLESS for none
    side: int
    span: int  # solid; -1 for none


def reason_of_filters(surface: Surface) -> Reason | None:
    """Why a span that could be stood on is not; None where it is."""
    if not is_walkable(surface, "ledges"):
        return _edge_of_grid(surface) or _ledge(surface)
    if not is_walkable(surface, "low_height"):
        return _low_ceiling(surface)
    return None


def _edge_of_grid(surface: Surface) -> Reason | None:
    grid, spot = surface.spot.grid, surface.spot
    if 0 < spot.x < grid.width - 1 and 0 < spot.z < grid.depth - 1:
        return None
    return Reason(
        "OUTSIDE_BOUNDS", "ledges",
        "The outermost cells of the bounds are never walkable. Give bounds that reach farther than the ground.",
        triangle=surface.culprit,
    )  # fmt: skip


def _ledge(surface: Surface) -> Reason:
    """A drop beside the span, or floors around it that lie too far apart."""
    level, climb_vx = surface.level, surface.level.recipe.voxels.climb_vx
    cell, floor = level.settings.cell_height, surface.top
    floors = neighbor_floors(surface)
    lowest = min(floors, key=lambda other: other.height)
    limit, climb = climb_vx * cell, _climb_for(floor, floors, climb_vx)
    suggested = None if climb is None else climb_of(climb, level.settings)
    if lowest.height < _DEEPEST:
        return Reason(
            "LEDGE", "ledges", f"Ledge: the ground ends to the {SIDES[lowest.side]}, and no floor is below.",
            None, limit, triangle=surface.culprit,
        )  # fmt: skip
    drop, effective = (floor - lowest.height) * cell, f"the agent climbs {limit:.2f} m"
    if floor - lowest.height > climb_vx:
        return Reason(
            "LEDGE", "ledges", f"Ledge: the ground drops {drop:.2f} m to the {SIDES[lowest.side]}, {effective}.",
            drop, limit, "agent_max_climb", suggested, _top_triangle(surface, lowest),
        )  # fmt: skip
    highest = max((f for f in floors if f.height <= floor + climb_vx), key=lambda other: other.height)
    spread = (highest.height - lowest.height) * cell
    return Reason(
        "UNEVEN", "ledges",
        f"Uneven: from the {SIDES[lowest.side]} to the {SIDES[highest.side]} the ground rises {spread:.2f} m within "
        f"three cells, {effective}.",
        spread, limit, "agent_max_climb", suggested, _top_triangle(surface, highest),
    )  # fmt: skip


def neighbor_floors(surface: Surface) -> list[Floor]:
    """The floors next door that can be entered from the span, in Recast's order of looking."""
    solid, height = surface.solid("rasterized"), surface.level.recipe.voxels.height_vx
    number, floor = surface.number_of(*surface.column), surface.top
    assert number is not None
    above = surface.span + 1
    ceiling = int(solid.bottom[above]) if above in surface.spans_of(number) else OPEN
    floors = []
    for side in range(4):
        next_door = surface.number_of(surface.column[0] + STEP_X[side], surface.column[1] + STEP_Z[side])
        if next_door is None:
            continue
        spans = surface.spans_of(next_door)
        for other, under in zip([-1, *spans], [*spans, -1], strict=True):
            low = int(solid.top[other]) if other >= 0 else BOTTOMLESS
            high = int(solid.bottom[under]) if under >= 0 else OPEN
            if min(ceiling, high) - max(floor, low) >= height:
                floors.append(Floor(low, side, other))
    return floors


def _climb_for(floor: int, floors: list[Floor], climb_vx: int) -> int | None:
    """The smallest climb at which the floors around lie close enough together; None where there is a chasm."""
    lowest = min(floor, *(other.height for other in floors))
    if lowest < _DEEPEST:
        return None
    for climb in sorted({climb_vx + 1, *(abs(a.height - b) for a in floors for b in (floor, lowest))}):
        highest = max(floor, *(other.height for other in floors if other.height <= floor + climb), floor)
        if climb > climb_vx and highest - lowest <= climb:
            return climb
    return None


def _top_triangle(surface: Surface, floor: Floor) -> int | None:
    """The triangle on top of a floor next door."""
    x, z = surface.column[0] + STEP_X[floor.side], surface.column[1] + STEP_Z[floor.side]
    parts = surface.under_span(x, z, floor.span)
    return parts[-1].triangle if parts else None


def _low_ceiling(surface: Surface) -> Reason:
    solid, settings = surface.solid("rasterized"), surface.level.settings
    room = int(solid.bottom[surface.span + 1]) - surface.top
    limit = surface.level.recipe.voxels.height_vx * settings.cell_height
    parts = surface.under_span(*surface.column, surface.span + 1)
    culprit = min(parts, key=lambda part: part.bottom).triangle if parts else None
    return Reason(
        "LOW_CEILING", "low_height",
        f"Low ceiling: there are {room * settings.cell_height:.2f} m of room, the agent needs {limit:.2f} m.",
        room * settings.cell_height, limit, "agent_height", height_of(room, settings), culprit,
        obstacle=culprit,
    )  # fmt: skip
