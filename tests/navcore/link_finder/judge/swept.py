"""An agent's capsule swept along the way of a link against triangles, in float64. Written apart from the finder.

Points are metres, y up. Nothing is rasterized: floors are found by upright rays, and what is hit by exact distances.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from navcore import Settings

F64 = npt.NDArray[np.float64]
STEP = 0.1  # metres of the way between two looks
NOTHING = -np.inf
_TOLD = 1.5  # cells


class Solid:
    """Triangles in columns of 2 m, so that few of them are asked at a place."""

    SIDE = 2.0

    def __init__(self, vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> None:
        self.corners: F64 = np.asarray(vertices, np.float64)[np.asarray(triangles, np.int64)]
        self._cells: dict[tuple[int, int], list[int]] = {}
        low = np.floor(self.corners.min(axis=1)[:, ::2] / self.SIDE).astype(int)
        high = np.floor(self.corners.max(axis=1)[:, ::2] / self.SIDE).astype(int)
        for t, ((x0, z0), (x1, z1)) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            for x in range(x0, x1 + 1):
                for z in range(z0, z1 + 1):
                    self._cells.setdefault((x, z), []).append(t)

    def near(self, x: float, z: float, reach: float) -> F64:
        """The triangles that may lie so near, (T, 3, 3)."""
        cells = [
            (a, b)
            for a in range(math.floor((x - reach) / self.SIDE), math.floor((x + reach) / self.SIDE) + 1)
            for b in range(math.floor((z - reach) / self.SIDE), math.floor((z + reach) / self.SIDE) + 1)
        ]
        found = sorted({t for cell in cells for t in self._cells.get(cell, ())})
        return self.corners[found]

    def floors(self, x: float, z: float) -> F64:
        """The heights of all surfaces over and under a place, from the lowest up."""
        corners = self.near(x, z, 0.0)
        a, b, c = (corners[:, k][:, ::2] - (x, z) for k in range(3))
        parts = np.stack([_cross(b, c), _cross(c, a), _cross(a, b)], axis=1)
        whole = parts.sum(axis=1)
        flat = np.abs(whole) > 1e-12
        share = parts[flat] / whole[flat][:, None]
        inside = (share >= -1e-9).all(axis=1)
        return np.sort((share[inside] * corners[flat][inside][:, :, 1]).sum(axis=1))

    def floor_below(self, x: float, z: float, height: float) -> float:
        floors = self.floors(x, z)
        below = floors[floors <= height + 1e-9]
        return float(below[-1]) if len(below) else NOTHING

    def is_free(self, x: float, z: float, feet: float, head: float, radius: float) -> bool:
        """Whether a round pillar between two heights meets no triangle."""
        if head <= feet:
            return True
        corners = self.near(x, z, radius)
        corners = corners[(corners[:, :, 1].max(axis=1) > feet + 1e-6) & (corners[:, :, 1].min(axis=1) < head - 1e-6)]
        for triangle in corners:
            slab = _clipped(triangle, feet + 1e-6, head - 1e-6)
            if len(slab) and _nearest(slab[:, ::2], x, z) < radius - 1e-6:
                return False
        return True


def _cross(a: F64, b: F64) -> F64:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def _clipped(polygon: F64, low: float, high: float) -> F64:
    """What of a polygon lies between two heights."""
    for sign, limit in ((1.0, low), (-1.0, high)):
        kept: list[Any] = []
        for k in range(len(polygon)):
            a, b = polygon[k], polygon[(k + 1) % len(polygon)]
            a_in, b_in = sign * (a[1] - limit) >= 0, sign * (b[1] - limit) >= 0
            if a_in:
                kept.append(a)
            if a_in != b_in:
                kept.append(a + (limit - a[1]) / (b[1] - a[1]) * (b - a))
        polygon = np.array(kept).reshape(-1, 3)
    return polygon


def _nearest(outline: F64, x: float, z: float) -> float:
    """How far a place is from a convex outline seen from above; 0 within it."""
    turns = []
    least = math.inf
    for k in range(len(outline)):
        a, b = outline[k], outline[(k + 1) % len(outline)]
        along, to = b - a, np.array([x, z]) - a
        turns.append(along[0] * to[1] - along[1] * to[0])
        part = min(max(float(along @ to) / max(float(along @ along), 1e-18), 0.0), 1.0)
        least = min(least, float(np.hypot(*(to - part * along))))
    if len(outline) > 2 and (min(turns) > 0 or max(turns) < 0):
        return 0.0
    return least


def ledge(solid: Solid, start: F64, way: F64, settings: Settings, most: float, rounding: float = 0.0) -> float:
    """How far from a start the floor drops by more than an agent climbs; infinite where a wall comes first.

    `rounding`: metres by which a drop may look higher in voxels, and count.
    """
    here, along = float(start[1]), 0.0
    while along <= most:
        along += STEP / 2
        x, z = start[0] + along * way[0], start[2] + along * way[1]
        floor = solid.floor_below(x, z, here + settings.agent_max_climb)
        above = solid.floors(x, z)
        over = max(floor, here)
        blocked = above[(above > over + settings.agent_max_climb) & (above < over + settings.agent_height)]
        if len(blocked):
            return math.inf
        if floor < here - settings.agent_max_climb + rounding:
            return along
        here = floor
    return math.inf


def is_way_free(
    solid: Solid, start: F64, end: F64, edge: float, settings: Settings, wider: float = 0.0, taller: float = 0.0
) -> bool:
    """Whether the capsule comes from start to end: straight down just beyond the edge, else along a parabola.

    What it could climb is forgiven near the edge and the landing, at the edge while the feet are not below the start.
    """
    apart, rise = float(np.hypot(*(end - start)[::2])), float(end[1] - start[1])
    beyond = apart - edge - settings.agent_radius  # which cells tell to a cell and a half, across them
    if rise > 0 or beyond > (2 + _TOLD) * settings.cell_size:
        ways = [False]
    else:
        ways = [True] if beyond <= (2 - _TOLD) * settings.cell_size else [True, False]
    return any(_is_free(solid, start, end, edge, settings, straight, wider, taller) for straight in ways)


def _is_free(
    solid: Solid, start: F64, end: F64, edge: float, settings: Settings, straight: bool, wider: float, taller: float
) -> bool:
    radius, height = settings.agent_radius + wider, settings.agent_height + taller
    apart, rise = float(np.hypot(*(end - start)[::2])), float(end[1] - start[1])
    apex = 0.0 if straight else max(rise, min(settings.link_jump_height, max(0.0, rise) + apart / 4))
    for part, feet in _way(apart, rise, apex, straight):
        x, z = start[0] + part * (end[0] - start[0]), start[2] + part * (end[2] - start[2])
        at = part * apart
        lifted = (at <= edge + settings.agent_radius and feet >= -1e-9) or at >= apart - settings.agent_radius
        base = start[1] + feet + (settings.agent_max_climb if lifted else 0.0)
        if not solid.is_free(x, z, base, start[1] + feet + height, radius):
            return False
    return True


def _way(apart: float, rise: float, apex: float, straight: bool) -> list[tuple[float, float]]:
    """(part of the way, height over the start), a look every STEP of the curve's own length."""
    if straight:
        level = [(k, 0.0) for k in np.linspace(0, 1, max(math.ceil(apart / STEP), 1) + 1)]
        return [*level, *((1.0, feet) for feet in np.linspace(0, rise, max(math.ceil(-rise / STEP), 1) + 1))]
    up, down = math.sqrt(max(apex, 0)), math.sqrt(max(apex - rise, 0))
    peak = up / (up + down) if up + down else 0.0
    count = max(math.ceil((apart + 2 * apex + abs(rise)) / STEP), 2)
    parts = np.linspace(0, 1, count + 1)
    if peak > 0:
        return [(float(p), float(apex * (1 - ((p - peak) / peak) ** 2))) if p < 1 else (1.0, rise) for p in parts]
    return [(float(p), float(rise * p * p)) for p in parts]
