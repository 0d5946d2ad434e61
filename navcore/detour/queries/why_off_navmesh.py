"""Why a seed stands on no navmesh, as far as the triangles below and around it tell. NumPy will do for a few seeds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...result.navmesh import NavMesh, world_vertices
from ...settings import Settings
from ...types import F64, NO_INDEX, NOT_WALKABLE, U8, WALKABLE, Geometry

_DIRECTIONS = np.linspace(0, 2 * np.pi, 16, endpoint=False)  # in which the ground's edge is looked for
_FLAT = 1e-9  # square metres: such a triangle stands upright


class _Surfaces(NamedTuple):
    """The triangles above and below one place."""

    height: F64  # (N,) of each at this place
    upright: F64  # (N,) the vertical part of each one's normal: below 0 it faces down
    area: U8  # (N,) area ids


def why_off_navmesh(navmesh: NavMesh, point: tuple[float, float, float], level: Geometry | None) -> str:
    """The likeliest reason as the end of a sentence, and what to do about it; `level` is what was built from."""
    if level is None or len(level.triangles) == 0:
        return f"{_distance(navmesh, point)}. Move it to ground that an agent of this size can walk on."
    settings = navmesh.settings
    voxels = settings.in_voxels()
    reach = float(voxels.cell_size) * (voxels.radius_vx + 1)
    place = np.array(point, np.float64)
    corners, areas = _near(level, place, reach)
    here = _surfaces(corners, areas, place[0], place[2])
    if len(here.height) == 0:
        return f"there is nothing above or below it, and {_distance(navmesh, point)}. Move it onto the level."
    up = here.upright > 0
    if not up.any():
        return "the faces above and below it look down. Flip their normals, or move it."
    floors = _Surfaces(here.height[up], here.upright[up], here.area[up])
    nearest = int(np.abs(floors.height - place[1]).argmin())
    above = float(voxels.cell_height) * max(voxels.height_vx, voxels.climb_vx)
    if abs(apart := float(place[1] - floors.height[nearest])) > above:
        side = "above" if apart > 0 else "below"
        return f"it is {abs(apart):.2f} m {side} the ground, more than {above:.4g} m. Move it to the ground."
    found = _about_ground(floors, nearest, settings) or _about_room(here, floors.height[nearest], settings)
    found = found or _about_walls(corners, areas, place, float(floors.height[nearest]), reach, settings)
    return found or _about_the_rest(navmesh)


def _about_ground(floors: _Surfaces, nearest: int, settings: Settings) -> str:
    if floors.area[nearest] == NOT_WALKABLE:
        return "the ground there is marked as not walkable. Move it, or give that ground another area."
    steep = math.degrees(math.acos(min(1.0, float(floors.upright[nearest]))))
    if steep >= settings.agent_max_slope:
        limit = f"Max Slope {settings.agent_max_slope:g}°"
        return f"the ground there is {steep:.1f}° steep ({limit}). Move it, or raise Max Slope."
    voxels = settings.in_voxels()
    rise, climb = math.tan(math.radians(steep)) * voxels.cell_size, float(voxels.cell_height) * voxels.climb_vx
    if rise > climb:
        return (
            f"the ground there rises by {rise:.2f} m within a cell, more than the climb of {climb:.4g} m. "
            "Raise Max Climb, or lower Cell Size."
        )
    return ""


def _about_room(here: _Surfaces, floor: float, settings: Settings) -> str:
    ceilings = here.height[here.height > floor + settings.cell_height]
    if len(ceilings) == 0 or (room := float(ceilings.min()) - floor) >= settings.agent_height:
        return ""
    limit = f"Agent Height {settings.agent_height:g} m"
    return f"the ceiling is {room:.2f} m above the ground ({limit}). Move it, or lower Agent Height."


def _about_walls(corners: F64, areas: U8, place: F64, floor: float, reach: float, settings: Settings) -> str:
    """Walls and obstacles that are higher than a step, then edges, within what eroding takes away."""
    radius, way_out = f"Agent Radius {settings.agent_radius:g} m", "Move it away, or lower Agent Radius."
    low, high = floor + settings.agent_max_climb, floor + max(settings.agent_height, settings.agent_max_climb)
    rising = [_slab(triangle, low, high) for triangle in _not_walkable(corners, settings)]
    fans = [part[[0, i, i + 1]] for part in rising for i in range(1, len(part) - 1)]
    nearest = float(_aside(np.array(fans), place).min()) if fans else math.inf
    if nearest <= reach:
        return f"a wall or an obstacle is {nearest:.2f} m away ({radius}). {way_out}"
    for distance in np.linspace(0, reach, 5)[1:].tolist():
        step = max(settings.agent_max_climb, math.tan(math.radians(min(settings.agent_max_slope, 80))) * distance)
        for turn in _DIRECTIONS:
            x, z = place[0] + distance * math.cos(turn), place[2] + distance * math.sin(turn)
            beside = _surfaces(corners, areas, x, z)
            if not (np.abs(beside.height[beside.upright > 0] - floor) <= step + settings.cell_height).any():
                return f"the ground ends within {distance:.2f} m of it ({radius}). {way_out}"
    return ""


def _about_the_rest(navmesh: NavMesh) -> str:
    if navmesh.report.counts.get("pruned_polygons"):
        return "nothing is wrong with the ground there: it may have been left out before, as unreachable. Build again."
    side = f"{navmesh.settings.region_min_size:g}"
    return (
        "nothing is wrong with the ground right there. It may belong to a piece that is smaller than Region Min Size "
        f"({side} × {side} cells) or too narrow, or an area volume or the bounds leave it out."
    )


def _distance(navmesh: NavMesh, point: tuple[float, float, float]) -> str:
    """How far the navmesh is from a point, aside, and above or below where that is more than a step."""
    place, best = np.array(point, np.float64), (math.inf, 0.0)
    for fan in _fans(navmesh):
        aside = _aside(fan, place)
        nearest = aside <= aside.min() + 1e-6
        heights = fan[nearest][..., 1]
        apart = np.clip(place[1], heights.min(axis=1), heights.max(axis=1)) - place[1]
        best = min(best, (float(aside.min()), float(apart[np.abs(apart).argmin()])), key=lambda b: math.hypot(*b))
    aside_of_it, up, climb = *best, navmesh.settings.agent_max_climb
    if aside_of_it == math.inf:
        return "there is no navmesh"
    side = "higher" if up > 0 else "lower"
    parts = [f"{aside_of_it:.2f} m aside"] * (aside_of_it >= 0.005) + [f"{abs(up):.2f} m {side}"] * (abs(up) > climb)
    return f"the nearest navmesh is {' and '.join(parts) or 'right here'}"


def _fans(navmesh: NavMesh) -> Iterator[F64]:
    """(N, 3, 3) the polygons of each tile as triangles."""
    for tile in navmesh.tiles:
        mesh = tile.polygon_mesh
        points = world_vertices(mesh).astype(np.float64)
        for k in range(1, mesh.polygons.shape[1] - 1):
            there = mesh.polygons[mesh.polygons[:, k + 1] != NO_INDEX]
            if len(there):
                yield points[there[:, [0, k, k + 1]]]


# --- plane geometry: x and z of triangles


def _near(level: Geometry, place: F64, reach: float) -> tuple[F64, U8]:
    """(N, 3, 3) corners and (N,) areas of the triangles that lie, seen from above, within `reach` of a place."""
    chosen = np.ones(len(level.triangles), bool)
    for axis in (0, 2):
        along = level.vertices[:, axis][level.triangles]
        chosen &= (along.min(axis=1) <= place[axis] + reach) & (along.max(axis=1) >= place[axis] - reach)
    areas = level.area[chosen] if len(level.area) else np.full(int(chosen.sum()), WALKABLE, np.uint8)
    return level.vertices[level.triangles[chosen]].astype(np.float64), areas


def _surfaces(corners: F64, areas: U8, x: float, z: float) -> _Surfaces:
    """The triangles above and below (x, z), but for those that stand upright."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = np.cross(b - a, c - a)
    flat = np.abs(normal[:, 1]) > _FLAT
    a, b, c, normal, areas = a[flat], b[flat], c[flat], normal[flat], areas[flat]
    sides = [
        (q[:, 2] - p[:, 2]) * (x - p[:, 0]) - (q[:, 0] - p[:, 0]) * (z - p[:, 2]) for p, q in ((a, b), (b, c), (c, a))
    ]
    inside = np.all([np.sign(normal[:, 1]) * side >= 0 for side in sides], axis=0)
    a, normal = a[inside], normal[inside]
    height = a[:, 1] - (normal[:, 0] * (x - a[:, 0]) + normal[:, 2] * (z - a[:, 2])) / normal[:, 1]
    return _Surfaces(height, normal[:, 1] / np.linalg.norm(normal, axis=1), areas[inside])


def _not_walkable(corners: F64, settings: Settings) -> F64:
    """Of triangles those that face down or are too steep."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    return corners[(length > _FLAT) & (normal[:, 1] <= length * math.cos(math.radians(settings.agent_max_slope)))]


def _slab(triangle: F64, low: float, high: float) -> F64:
    """(N, 3) the part of a triangle between two heights, a convex polygon."""
    polygon = list(triangle)
    for sign, limit in ((1, low), (-1, high)):
        kept = []
        for p, q in zip(polygon, [*polygon[1:], *polygon[:1]], strict=True):
            before, after = sign * (p[1] - limit), sign * (q[1] - limit)
            if before > 0:
                kept.append(p)
            if (before > 0) != (after > 0):
                kept.append(p + (q - p) * (before / (before - after)))
        polygon = kept
    return np.array(polygon).reshape(-1, 3)


def _aside(corners: F64, place: F64) -> F64:
    """(N,) distances on the ground from a place to triangles, 0 where it is above or below one."""
    flat, point = corners[..., [0, 2]], place[[0, 2]]
    start, along = flat, np.roll(flat, -1, axis=1) - flat
    length = np.maximum((along**2).sum(-1), 1e-30)
    part = np.clip(((point - start) * along).sum(-1) / length, 0, 1)
    distance = np.linalg.norm(start + part[..., None] * along - point, axis=-1).min(axis=1)
    turns = along[..., 0] * (point - start)[..., 1] - along[..., 1] * (point - start)[..., 0]
    inside = (turns > 0).all(axis=1) | (turns < 0).all(axis=1)
    return np.where(inside, 0.0, distance)
