"""Reasons that no window shows: regions, outlines and polygons. The piece is built for them."""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

import numpy as np

from ..settings import Settings
from ..types import F64, NO_INDEX, NOT_WALKABLE, CompactHeightfield, PolygonMesh, Regions
from .asked_level import BuiltPiece
from .reason import Reason
from .surface import Surface

_USUAL_ERROR = Settings().edge_max_error
_ALMOST = 1e-4  # cells: a point on a polygon's edge lies in it
_FLOORS = 2  # vx beyond the climb by which a polygon may leave the floor below it


class Whereabouts(NamedTuple):
    """The surface in the stages of its piece."""

    built: BuiltPiece
    ground: CompactHeightfield
    regions: Regions
    span: int  # open


def reason_of_piece(surface: Surface) -> Reason | None:
    """Why ground that is walkable got no polygon; None where it has one."""
    found = _whereabouts(surface)
    region = int(found.regions.region[found.span])
    if region == 0:
        return _no_region(surface, found)
    area = int(found.ground.area[found.span])
    distance = distance_to_polygons(found.built.stages["polygon_mesh"], surface, region, area)
    return None if distance <= _ALMOST else _no_polygon(surface, found, region, distance)


def is_covered(mesh: PolygonMesh, surface: Surface) -> bool:
    """Whether a polygon of the surface's region lies over the point, in what pruning has left of its tile."""
    found = _whereabouts(surface)
    region, area = int(found.regions.region[found.span]), int(found.ground.area[found.span])
    return distance_to_polygons(mesh, surface, region, area) <= _ALMOST


def _whereabouts(surface: Surface) -> Whereabouts:
    built = surface.level.piece(surface.spot)
    stages = built.stages
    ground = stages.get("marked", stages.get("median", stages["eroded"]))
    column = surface.spot.x + surface.spot.z * surface.spot.grid.width
    spans = range(int(ground.first[column]), int(ground.first[column + 1]))
    span = next(span for span in spans if int(ground.floor[span]) == surface.top)
    return Whereabouts(built, ground, stages["regions"], span)


def _no_region(surface: Surface, found: Whereabouts) -> Reason:
    """An island below the least size, or a strip that the watershed never rises to."""
    settings, least = surface.level.settings, surface.level.recipe.voxels.region_min_area_vx
    size = _size_of_rest(found)
    if found.built.piece is not None and any(w.code == "GROUND_LEFT_OUT" for w in found.built.piece.warnings):
        return _left_out(surface)
    if size < least:
        suggested = float(math.isqrt(size))
        return Reason(
            "REGION_TOO_SMALL", "regions",
            f"Region too small: this island has {size:,} cells, and {least:,} are the least.",
            float(size), float(least), "region_min_size", suggested, _triangle(surface),
        )  # fmt: skip
    return Reason(
        "REGION_TOO_SMALL", "regions",
        f"Region too small: this strip of {size:,} cells is too narrow for a region of its own. Smaller cells help.",
        float(size), float(least), "cell_size", _halved(settings.cell_size), _triangle(surface),
    )  # fmt: skip


def _size_of_rest(found: Whereabouts) -> int:
    """How many walkable spans without a region hang together."""
    region, area, neighbors = found.regions.region, found.ground.area, found.ground.neighbors
    seen, waiting = {found.span}, deque([found.span])
    while waiting:
        for near in neighbors[waiting.popleft()].tolist():
            if near >= 0 and near not in seen and region[near] == 0 and area[near] != NOT_WALKABLE:
                seen.add(near)
                waiting.append(near)
    return len(seen)


def _no_polygon(surface: Surface, found: Whereabouts, region: int, distance: float) -> Reason:
    """An outline left the place out, or nothing was made of it."""
    settings = surface.level.settings
    if not np.isin(found.built.stages["polygon_mesh"].region, (region, 0)).any():
        return _left_out(surface, not np.isin(region, found.built.stages["contours"].region))
    metres = f"{distance * settings.cell_size:.2f} m" if math.isfinite(distance) else "far"
    return Reason(
        "OUTLINE_SIMPLIFIED", "contours",
        f"Outline simplified: edges may leave the true outline by {settings.edge_max_error:g} cells, and this place "
        f"lies {metres} outside of them.",
        distance if math.isfinite(distance) else None, settings.edge_max_error, "edge_max_error",
        _sharper(distance, settings.edge_max_error), _triangle(surface),
    )  # fmt: skip


def _left_out(surface: Surface, no_outline: bool = False) -> Reason:
    """No polygon of the region is there: its outline came to less than a triangle, or its polygons to nothing sound."""
    error, triangle = surface.level.settings.edge_max_error, _triangle(surface)
    if no_outline and error > 0:
        return Reason(
            "POLYGON_DROPPED", "contours",
            f"Polygon dropped: with an Edge Max Error of {error:g} cells nothing is left of this ground's outline.",
            None, error, "edge_max_error", _USUAL_ERROR if error > _USUAL_ERROR else 0.0, triangle,
        )  # fmt: skip
    return Reason(
        "POLYGON_DROPPED", "polygon_mesh",
        "Polygon dropped: no sound polygon could be made here. Smaller cells or a lower Edge Max Error help.",
        setting="cell_size", suggested=_halved(surface.level.settings.cell_size), triangle=triangle,
    )  # fmt: skip


def _sharper(distance: float, error: float) -> float:
    """An error that keeps what lies so far outside."""
    half = math.floor(min(distance, error) * 5) / 10
    return half if half < error else 0.0


def _halved(value: float) -> float:
    return float(f"{value / 2:.3g}")


def _triangle(surface: Surface) -> int | None:
    return surface.triangle if surface.triangle >= 0 else None


def distance_to_polygons(mesh: PolygonMesh, surface: Surface, region: int, area: int) -> float:
    """How far the point lies from the polygons of its ground, in cells; 0 inside, infinite where there are none.

    These are those of its region, those that were joined out of several, which have none, and where one of another
    region and the same area lies over the point at its height, that: between regions borders are straight, however
    cells lie there.
    """
    grid, (x, _, z) = mesh.grid, surface.point
    at = np.array([x - float(grid.bounds_min[0]), z - float(grid.bounds_min[2])]) / float(grid.cell_size)
    reach = surface.level.recipe.voxels.climb_vx + _FLOORS
    rings = np.where(mesh.polygons == NO_INDEX, mesh.polygons[:, :1], mesh.polygons)  # what is padded goes back
    corners = mesh.vertices[rings].astype(np.float64)
    heights = corners[:, :, 1]
    level = (heights.min(axis=1) - reach <= surface.top) & (surface.top <= heights.max(axis=1) + reach)
    own = (mesh.region == region) | ((mesh.region == 0) & level)
    for ring in corners[level & ~own & (mesh.area == area)]:
        if _distance_2d(ring[None, :, ::2], at) == 0 and abs(_height_at(ring, at) - surface.top) <= reach:
            return 0.0
    return _distance_2d(corners[own][:, :, ::2], at) if own.any() else math.inf


def _height_at(ring: F64, at: F64) -> float:
    """The height of a polygon, cut into a fan of triangles, above a place inside of it."""
    for k in range(1, len(ring) - 1):
        a, b, c = ring[0], ring[k], ring[k + 1]
        turns = [(q[0] - p[0]) * (at[1] - p[2]) - (q[2] - p[2]) * (at[0] - p[0]) for p, q in ((b, c), (c, a), (a, b))]
        whole = sum(turns)
        if whole != 0 and (min(turns) >= 0 or max(turns) <= 0):
            return float((turns[0] * a[1] + turns[1] * b[1] + turns[2] * c[1]) / whole)
    return math.inf


def _distance_2d(corners: F64, at: F64) -> float:
    """From a point to the nearest of (P, N, 2) convex polygons."""
    along, to = np.roll(corners, -1, axis=1) - corners, at - corners
    turns = along[:, :, 0] * to[:, :, 1] - along[:, :, 1] * to[:, :, 0]
    if ((turns >= 0).all(axis=1) | (turns <= 0).all(axis=1)).any():
        return 0.0
    share = np.clip((along * to).sum(axis=2) / np.maximum((along * along).sum(axis=2), 1e-12), 0, 1)
    return float(np.linalg.norm(to - along * share[:, :, None], axis=2).min())
