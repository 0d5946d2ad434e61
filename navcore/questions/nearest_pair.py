"""Where an island comes nearest to another: from its rim, outwards.

From the ground of a storey straight down through its floor it may be nearer, but no agent goes that way. So every place
on a rim looks from a step in front of it, and takes only what lies ahead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..build_warning import Point
from ..geometry.polygon_rings import next_corners
from ..jit import inlined, kernel
from ..types import F32, F64, I32, I64, AnyInt, Bools

_AHEAD = 0.3  # of a step: what lies less far in front is beside or behind
_MOST_PLACES = 20_000  # on rims that are looked from


class IslandGround(NamedTuple):
    """Polygons as `PlainNavmesh` has them."""

    vertices: F32  # (V, 3) metres
    first: I32
    corners: I32
    neighbors: I32
    islands: I32  # (P,) the island of each polygon


class NearestPair(NamedTuple):
    """Where two islands are nearest to each other, in metres."""

    other: int  # the island that `end` is on
    start: Point
    end: Point

    @property
    def gap(self) -> float:
        """How far apart, seen from above."""
        return float(np.hypot(self.end[0] - self.start[0], self.end[2] - self.start[2]))

    @property
    def rise(self) -> float:
        """How much higher the end is."""
        return self.end[1] - self.start[1]


class _Places(NamedTuple):
    """Places on the rim of an island or of several."""

    points: F64  # (N, 3)
    outwards: F64  # (N, 2) x and z, of length 1
    islands: I32  # (N,)


class _Polygons(NamedTuple):
    """Polygons by where their boxes begin along x."""

    first: I64
    corners: F64  # (., 3)
    boxes: F64  # (P, 6) low x, y, z and high x, y, z
    islands: I32
    widest: float  # along x


def nearest_pair(ground: IslandGround, island: int, step: float, cell: float) -> NearestPair | None:
    """Where an island comes nearest to any other; None where there is no other.

    `step` is how far in front of a rim the ground of a ledge ends: the agent's radius and a cell.
    """
    own = ground.islands == island
    if own.all() or not own.any():
        return None
    found = []
    for looking, seen in ((own, ~own), (~own, own)):
        places, polygons = _rim(ground, looking, cell), _sorted_polygons(ground, seen)
        away, seen_polygons, ends = _nearest(places.points, places.outwards, step, cell, polygons)
        place = _in_the_middle(places.points, away, cell)
        if place >= 0:
            here, there = tuple(places.points[place].tolist()), tuple(ends[place].tolist())
            if looking is own:
                pair = NearestPair(int(polygons.islands[seen_polygons[place]]), here, there)
            else:
                pair = NearestPair(int(places.islands[place]), there, here)
            found.append((float(away[place]), pair))
    return min(found, key=lambda one: one[0])[1] if found else None


def _in_the_middle(points: F64, away: F64, cell: float) -> int:
    """Of places that are as near as the nearest, give or take a cell, the middle one; -1 where there is none."""
    if not np.isfinite(away).any():
        return -1
    near = np.flatnonzero(away <= away.min() + cell)
    middle = points[near].mean(axis=0)
    return int(near[np.argmin(np.linalg.norm(points[near] - middle, axis=1))])


def _rim(ground: IslandGround, chosen: Bools, cell: float) -> _Places:
    """Places along the edges that lead to no polygon."""
    sizes = np.diff(ground.first)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    rims = np.flatnonzero((ground.neighbors < 0) & chosen[owner])
    points = ground.vertices.astype(np.float64)
    begin, end = points[ground.corners[rims]], points[ground.corners[next_corners(ground.first)[rims]]]
    along = end - begin
    length = np.hypot(along[:, 0], along[:, 2])
    spacing = max(2 * cell, float(length.sum()) / _MOST_PLACES)
    counts = np.maximum(1, np.ceil(length / spacing)).astype(np.int64)
    edge = np.repeat(np.arange(len(rims)), counts)
    number = np.arange(len(edge)) - np.repeat(np.cumsum(counts) - counts, counts)
    part = ((number + 0.5) / counts[edge])[:, None]
    middles = np.add.reduceat(points[ground.corners], ground.first[:-1], axis=0) / sizes[:, None]
    normal = np.stack([along[:, 2], -along[:, 0]], axis=1) / np.maximum(length, 1e-9)[:, None]
    inwards = ((middles[owner[rims]] - begin)[:, [0, 2]] * normal).sum(axis=1) > 0
    normal[inwards] *= -1
    return _Places(begin[edge] + part * along[edge], normal[edge], ground.islands[owner[rims]][edge])


def _sorted_polygons(ground: IslandGround, chosen: Bools) -> _Polygons:
    sizes = np.diff(ground.first)
    points = ground.vertices[ground.corners].astype(np.float64)
    low = np.minimum.reduceat(points, ground.first[:-1], axis=0)
    high = np.maximum.reduceat(points, ground.first[:-1], axis=0)
    order = np.flatnonzero(chosen)
    order = order[np.argsort(low[order, 0], kind="stable")]
    first = np.concatenate([[0], np.cumsum(sizes[order])])
    corner = np.repeat(ground.first[order] - first[:-1], sizes[order]) + np.arange(first[-1])
    boxes = np.concatenate([low[order], high[order]], axis=1)
    widest = float((high - low)[order, 0].max(initial=0))
    return _Polygons(first.astype(np.int64), points[corner], boxes, ground.islands[order], widest)


@kernel
def _nearest(
    points: F64, outwards: F64, step: float, cell: float, ground: _Polygons
) -> tuple[F64, I32, F64]:  # fmt: skip
    """How far each place's step is from the nearest polygon, which that is, and its point.

    Infinite for places that are farther than the nearest one by more than a cell.
    """
    first, corners, boxes, widest = ground.first, ground.corners, ground.boxes, ground.widest
    nearest, count = np.inf, len(boxes)
    away = np.full(len(points), np.inf)
    polygons, ends = np.full(len(points), -1, np.int32), np.zeros((len(points), 3))
    for place in range(len(points)):
        x, z = points[place, 0] + step * outwards[place, 0], points[place, 2] + step * outwards[place, 1]
        y = points[place, 1]
        low, best = np.searchsorted(boxes[:, 0], x), (nearest + cell) * (nearest + cell)
        for way in (1, -1):
            polygon = low if way == 1 else low - 1
            while 0 <= polygon < count:
                reach = np.sqrt(best)
                if (way == 1 and boxes[polygon, 0] > x + reach) or (
                    way == -1 and boxes[polygon, 0] + widest < x - reach
                ):
                    break
                if _to_box2(boxes, polygon, x, y, z) < best:
                    px, py, pz = _closest(first, corners, polygon, x, z)
                    away2 = (px - x) * (px - x) + (py - y) * (py - y) + (pz - z) * (pz - z)
                    ahead = (px - points[place, 0]) * outwards[place, 0] + (pz - points[place, 2]) * outwards[place, 1]
                    if away2 < best and ahead >= _AHEAD * step:
                        best, away[place], polygons[place] = away2, np.sqrt(away2), polygon
                        ends[place, 0], ends[place, 1], ends[place, 2] = px, py, pz
                polygon += way
        nearest = min(nearest, away[place])
    return away, polygons, ends


@inlined
def _to_box2(boxes: F64, polygon: AnyInt, x: float, y: float, z: float) -> float:
    dx = max(boxes[polygon, 0] - x, 0.0, x - boxes[polygon, 3])
    dy = max(boxes[polygon, 1] - y, 0.0, y - boxes[polygon, 4])
    dz = max(boxes[polygon, 2] - z, 0.0, z - boxes[polygon, 5])
    return dx * dx + dy * dy + dz * dz


@kernel
def _closest(first: I64, corners: F64, polygon: AnyInt, x: float, z: float) -> tuple[float, float, float]:
    """The point of a convex polygon that is nearest as seen from above, at the polygon's height."""
    begin, end = first[polygon], first[polygon + 1]
    ax, ay, az = corners[begin, 0], corners[begin, 1], corners[begin, 2]
    for k in range(begin + 1, end - 1):
        bx, bz = corners[k, 0] - ax, corners[k, 2] - az
        cx, cz = corners[k + 1, 0] - ax, corners[k + 1, 2] - az
        doubled = bx * cz - bz * cx
        if doubled != 0:
            b = ((x - ax) * cz - (z - az) * cx) / doubled
            c = (bx * (z - az) - bz * (x - ax)) / doubled
            if b >= 0 and c >= 0 and b + c <= 1:
                return x, ay + b * (corners[k, 1] - ay) + c * (corners[k + 1, 1] - ay), z
    best, px, py, pz = np.inf, ax, ay, az
    for k in range(begin, end):
        n = k + 1 if k + 1 < end else begin
        ux, uz = corners[n, 0] - corners[k, 0], corners[n, 2] - corners[k, 2]
        length2 = ux * ux + uz * uz
        part = 0.0
        if length2 > 0:
            part = ((x - corners[k, 0]) * ux + (z - corners[k, 2]) * uz) / length2
        part = min(max(part, 0.0), 1.0)
        qx, qz = corners[k, 0] + part * ux, corners[k, 2] + part * uz
        away2 = (qx - x) * (qx - x) + (qz - z) * (qz - z)
        if away2 < best:
            best, px, pz = away2, qx, qz
            py = corners[k, 1] + part * (corners[n, 1] - corners[k, 1])
    return px, py, pz
