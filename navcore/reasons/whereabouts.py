"""A surface in the stages of its piece, and the polygons of that piece that lie over or under its point."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..settings import Settings
from ..stages.detail import build_detail_mesh
from ..threads import Workers
from ..types import F64, I32, NO_INDEX, U16, CompactHeightfield, PolygonMesh, Regions
from .asked_level import BuiltPiece
from .surface import Surface, heights_at

ALMOST = 1e-4  # cells: a point on a polygon's edge lies in it
_FLOORS = 2  # vx beyond the climb by which a polygon may leave the floor below it
_USUAL = Settings()


class Whereabouts(NamedTuple):
    """The surface in the stages of its piece."""

    built: BuiltPiece
    ground: CompactHeightfield
    regions: Regions
    span: int  # open


def whereabouts(surface: Surface) -> Whereabouts:
    built = surface.level.piece(surface.spot)
    stages = built.stages
    ground = stages.get("marked", stages.get("median", stages["eroded"]))
    column = surface.spot.x + surface.spot.z * surface.spot.grid.width
    spans = range(int(ground.first[column]), int(ground.first[column + 1]))
    span = next(span for span in spans if int(ground.floor[span]) == surface.top)
    return Whereabouts(built, ground, stages["regions"], span)


def distance_to_polygons(mesh: PolygonMesh, surface: Surface, found: Whereabouts) -> float:
    """How far the point lies from the polygons of its ground, in cells; 0 inside, infinite where there are none.

    These are those of its region, those that were joined out of several, which have none, and where one of another
    region and the same area lies over the point at its height, that: between regions borders are straight, however
    cells lie there.
    """
    region, area = int(found.regions.region[found.span]), int(found.ground.area[found.span])
    at, corners = _place_in_cells(mesh, surface), _corners_in_voxels(mesh)
    reach = surface.level.recipe.voxels.climb_vx + _FLOORS
    heights = corners[:, :, 1]
    level = (heights.min(axis=1) - reach <= surface.top) & (surface.top <= heights.max(axis=1) + reach)
    own = (mesh.region == region) | ((mesh.region == 0) & level)
    distance = _distance_2d(corners[own][:, :, ::2], at) if own.any() else math.inf
    if distance > 0:
        others = over_point(mesh, surface)
        others = others[~own[others] & (mesh.area[others] == area)]
        if len(others) and _lie_at_height(mesh, surface, found, others):
            return 0.0
    return distance


def _lie_at_height(mesh: PolygonMesh, surface: Surface, found: Whereabouts, chosen: I32) -> bool:
    """Whether one of some polygons lies at the surface's height, flat or with detail that follows the ground."""
    grid = mesh.grid
    top = float(grid.bounds_min[1]) + surface.top * float(grid.cell_height)
    reach = (surface.level.recipe.voxels.climb_vx + _FLOORS) * float(grid.cell_height)
    detailed = replace(
        surface.level.settings, detail_mesh=True, detail_sample_distance=_USUAL.detail_sample_distance,
        detail_sample_max_error=_USUAL.detail_sample_max_error,
    )  # fmt: skip
    return any(
        (np.abs(heights_of_polygons(mesh, chosen, surface, found, settings) - top) <= reach).any()
        for settings in (replace(detailed, detail_mesh=False), detailed)
    )


def over_point(mesh: PolygonMesh, surface: Surface) -> I32:
    """The polygons that lie over or under the point, at any height."""
    corners, at = _corners_in_voxels(mesh)[:, :, ::2], _place_in_cells(mesh, surface)
    near = (corners.min(axis=1) <= at + ALMOST) & (corners.max(axis=1) >= at - ALMOST)
    inside = [p for p in np.flatnonzero(near.all(axis=1)) if _distance_2d(corners[p : p + 1], at) == 0]
    return np.array(inside, np.int32)


def heights_of_polygons(
    mesh: PolygonMesh, chosen: I32, surface: Surface, found: Whereabouts, settings: Settings
) -> F64:
    """At which heights, in metres, the polygons `chosen` lie at the point, with the detail that the settings make."""
    some = mesh._replace(
        polygons=mesh.polygons[chosen], neighbors=mesh.neighbors[chosen], region=mesh.region[chosen],
        area=mesh.area[chosen],
    )  # fmt: skip
    if not settings.detail_mesh:
        at, grid = _place_in_cells(mesh, surface), mesh.grid
        voxels = np.array([_height_above(ring, at) for ring in _corners_in_voxels(some)], np.float64)
        flat: F64 = float(grid.bounds_min[1]) + voxels * float(grid.cell_height)
        return flat
    sizes = settings.in_voxels()
    sampling = sizes.detail_sample_distance, sizes.detail_sample_max_error
    with Workers(1) as workers:  # what stage 10 makes of a polygon does not look at the others
        detail = build_detail_mesh(some, found.ground, found.regions, *sampling, workers)
    first = np.repeat(detail.meshes[:, 0].astype(np.int64), detail.meshes[:, 3].astype(np.int64))
    corners = detail.vertices[first[:, None] + detail.triangles[:, :3]].astype(np.float64)
    return heights_at(corners, surface.point[0], surface.point[2])


def _place_in_cells(mesh: PolygonMesh, surface: Surface) -> F64:
    """Where the point lies in the polygons' grid, (x, z)."""
    grid, (x, _, z) = mesh.grid, surface.point
    return np.array([x - float(grid.bounds_min[0]), z - float(grid.bounds_min[2])]) / float(grid.cell_size)


def _corners_in_voxels(mesh: PolygonMesh) -> F64:
    """(P, N, 3) where corners that are missing are the first one again."""
    rings: U16 = np.where(mesh.polygons == NO_INDEX, mesh.polygons[:, :1], mesh.polygons)
    return mesh.vertices[rings].astype(np.float64)


def _height_above(ring: F64, at: F64) -> float:
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
