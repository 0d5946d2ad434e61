"""Reasons of stage 5: too close to an edge, or in a volume that marks what is not walkable."""

from __future__ import annotations

from typing import NamedTuple

from ..geometry.columns import STEP_X, STEP_Z
from ..geometry.edge_distance import edge_distance
from ..scene import KeepEdit, Volume
from ..stages.areas import mark_volumes
from ..threads import Workers
from ..types import NOT_WALKABLE, U16, CompactHeightfield
from .filter_reasons import SIDES, reason_of_filters
from .reason import Reason, radius_of
from .surface import Surface
from .triangle_reasons import reason_of_triangles

_BEHIND = {
    "TOO_STEEP": "ground that is too steep",
    "FACES_DOWN": "a face that looks down",
    "DEGENERATE": "a triangle without area",
    "MARKED": "ground that is marked as not walkable",
    "COVERED": "something that covers the ground",
    "LEDGE": "a drop",
    "UNEVEN": "uneven ground",
    "LOW_CEILING": "a low ceiling",
    "OUTSIDE_BOUNDS": "the edge of the bounds",
}


class Beyond(NamedTuple):
    """What lies across an edge."""

    words: str
    triangle: int | None = None  # that is to blame
    stands: bool = False  # it stands on the ground, and is in the way


class Edge(NamedTuple):
    """Where walkable ground ends: from a column of the window towards one side."""

    x: int
    z: int
    side: int
    floor: int  # vx


def reason_of_areas(surface: Surface) -> Reason | None:
    """Why open ground is not walkable; None where it is."""
    span = surface.open_span
    if surface.compact("eroded").area[span] == NOT_WALKABLE:
        return _too_close(surface, span)
    if surface.compact("ground").area[span] == NOT_WALKABLE:
        return _in_volume(surface, span)
    return None


def smoothed(surface: Surface) -> Reason | None:
    """What smoothing made of the area of a place; it takes none away."""
    span = surface.open_span
    before, after = (int(surface.compact(stage).area[span]) for stage in ("eroded", "median"))
    if before == after:
        return None
    return Reason(
        "SMOOTHED", "median", f"Smoothed: most of what lies around is area {after}, so that {before} became {after}.",
        float(after), float(before), "median_filter", False, walkable=True,
    )  # fmt: skip


def _too_close(surface: Surface, span: int) -> Reason:
    level, compact = surface.level, surface.compact("compact")
    with Workers(1) as workers:
        distance = edge_distance(compact, False, workers)
    cell, radius_vx = level.settings.cell_size, level.recipe.voxels.radius_vx
    metres, limit = int(distance[span]) / 2 * cell, radius_vx * cell
    edge = _nearest_edge(surface, compact, distance, span)
    what = _beyond(surface, edge)
    return Reason(
        "TOO_CLOSE", "eroded",
        f"Too close: {metres:.2f} m from here to the {SIDES[edge.side]} is {what.words}, the agent keeps "
        f"{limit:.2f} m.",
        metres, limit, "agent_radius", radius_of(int(distance[span]) // 2, level.settings), what.triangle,
        obstacle=_obstacle(surface, what.triangle) if what.stands else None,
    )  # fmt: skip


def _nearest_edge(surface: Surface, compact: CompactHeightfield, distance: U16, span: int) -> Edge:
    """Walk down the distances to a span that has no neighbor on one side."""
    (x, z), neighbors = surface.column, compact.neighbors
    while distance[span] > 0:
        for side in range(4):
            near = int(neighbors[span, side])
            if near < 0:
                continue
            turn = (side + 1) & 3
            corner = int(neighbors[near, turn])
            if distance[near] + 2 == distance[span]:
                span, x, z = near, x + STEP_X[side], z + STEP_Z[side]
                break
            if corner >= 0 and distance[corner] + 3 == distance[span]:
                span, x, z = corner, x + STEP_X[side] + STEP_X[turn], z + STEP_Z[side] + STEP_Z[turn]
                break
        else:  # by a way that the sweeps see in one direction only
            break
    missing = [side for side in range(4) if neighbors[span, side] < 0]
    return Edge(x, z, missing[0] if missing else 0, int(compact.floor[span]))


def _obstacle(surface: Surface, triangle: int | None) -> int | None:
    """A triangle that is to blame, unless it is the ground's own."""
    return None if triangle == surface.triangle else triangle


def _beyond(surface: Surface, edge: Edge) -> Beyond:
    """What lies across an edge."""
    x, z = edge.x + STEP_X[edge.side], edge.z + STEP_Z[edge.side]
    number = surface.number_of(x, z)
    if number is None:
        return Beyond("the edge of the bounds")
    spans = surface.spans_of(number)
    if not spans:
        return Beyond("the end of the ground")
    solid = surface.solid("rasterized")
    span = min(spans, key=lambda other: abs(int(solid.top[other]) - edge.floor))
    step = (int(solid.top[span]) - edge.floor) * surface.level.settings.cell_height
    parts = surface.under_span(x, z, span)
    triangle = parts[-1].triangle if parts else None
    spot = surface.spot._replace(x=surface.window.x0 + x, z=surface.window.z0 + z)
    there = surface._replace(spot=spot, span=span, triangle=-1)
    reason = reason_of_triangles(there) or reason_of_filters(there)
    if reason is not None:
        if abs(step) <= surface.level.recipe.voxels.climb_vx * surface.level.settings.cell_height:
            culprit = reason.triangle if reason.triangle is not None else triangle
            return Beyond(_BEHIND[reason.code], culprit, reason.code in ("COVERED", "LOW_CEILING"))
        return Beyond(f"a wall of {step:.2f} m" if step > 0 else f"a drop of {-step:.2f} m", triangle, step > 0)
    if step > 0:
        return Beyond(f"a step of {step:.2f} m up", triangle, True)
    return Beyond(f"a step of {-step:.2f} m down" if step < 0 else "a passage that is too low", triangle)


def _in_volume(surface: Surface, span: int) -> Reason:
    """The last volume that marks the place decides."""
    number, volume = next(
        (number, volume)
        for number, volume in reversed(list(enumerate(surface.level.volumes)))
        if _marks(surface, volume, span)
    )
    return Reason(
        "MARKED", "marked",
        f"Marked: volume {number} ({type(volume).__name__.removesuffix('Volume').lower()}) gives this place area 0, "
        "not walkable. Move it or give it another area.",
        0.0,
    )  # fmt: skip


def _marks(surface: Surface, volume: Volume, span: int) -> bool:
    if isinstance(volume, KeepEdit) or volume.area != NOT_WALKABLE:
        return False
    eroded, corner = surface.compact("eroded"), (surface.window.x0, surface.window.z0)
    with Workers(1) as workers:
        return bool(mark_volumes(surface.spot.grid, eroded, [volume], workers, corner).area[span] == NOT_WALKABLE)
