"""Loops of kernels that Python would go through longest, with whole arrays: what stands in for them while it stands in.

Others lie beside their kernels. These lie here, where an edit leaves compiled kernels as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..geometry.predicates import crosses, meets
from ..geometry.segments import FARTHEST
from ..jit import stands_in_for
from ..kernels.plain_python import stand_in
from ..stages.contours import simplify
from ..stages.detail import deviation
from ..stages.polygons import triangulate
from ..stages.regions import region_facts
from ..types import F32, F64, I16, I32, U8, AnyInt
from .validate import ground_checks
from .validate.invariants import MIXED

_ZERO, _ONE = np.float32(0), np.float32(1)


# --- Regions, and the checks of their cells


@stands_in_for(region_facts._tallest)
def _tallest(first: I32, begin: int, end: int) -> np.int32:
    return np.int32(np.diff(first[begin : end + 1]).max(initial=0))


@stands_in_for(ground_checks._count_cells)
def _count_cells(region: I16, area: U8, sums: F64, area_of: U8, region_flags: U8, cancelled: U8) -> bool:
    if cancelled[0] != 0:
        return False
    spans = np.flatnonzero(region > 0)
    owners, found = region[spans], area[spans]
    if not found.all():
        raise ValueError("a region has spans without an area")  # no build makes such: left to the compiler
    numbers, first = np.unique(owners, return_index=True)
    area_of[numbers] = np.where(area_of[numbers] == 0, found[first], area_of[numbers])
    sums[:, ground_checks._CELLS] += np.bincount(owners, minlength=len(sums))
    mixed = owners[found != area_of[owners]]
    region_flags[mixed] |= np.uint8(MIXED)
    return len(mixed) > 0


# --- Outlines


@stands_in_for(simplify._farthest_within)
def _farthest_within(
    walked: I32, _circles: F64, points: tuple[AnyInt, AnyInt], edge: tuple[AnyInt, AnyInt], upward: bool,
    limit: np.float32, best: tuple[np.float32, int],
) -> tuple[np.float32, int]:  # fmt: skip
    """Without looking whether a whole block is too near, which changes nothing."""
    (begin, end), (longest, point) = points, best
    if begin >= end:
        return best
    distance, threshold, step = _distances(walked, begin, end, edge), max(longest, limit), simplify.POINTS_PER_BLOCK
    if upward:
        place = int(np.argmax(distance))
        return (distance[place], begin + place) if distance[place] > threshold else (threshold, point)
    for block in range((end - 1) // step, begin // step - 1, -1):
        low, high = max(begin, block * step), min(end, (block + 1) * step)
        here = distance[low - begin : high - begin]
        if here.max() > threshold:
            threshold = here.max()
            point = low + int(np.flatnonzero(here == threshold)[-1])
    return threshold, point


def _distances(walked: I32, begin: AnyInt, end: AnyInt, edge: tuple[AnyInt, AnyInt]) -> F32:
    """`distance2` of points begin … end from the segment between two others, rounded likewise."""
    (ax, az), (bx, bz) = ((int(walked[i, 0]), int(walked[i, 2])) for i in edge)
    x, z = walked[begin:end, 0].astype(np.int64), walked[begin:end, 2].astype(np.int64)
    u, v = np.float32(bx - ax), np.float32(bz - az)
    length2 = u * u + v * v
    part: Any = u * (x - ax).astype(np.float32) + v * (z - az).astype(np.float32)
    if length2 > _ZERO:
        part = part / length2
    part = np.where(part < _ZERO, _ZERO, np.where(part > _ONE, _ONE, part))
    dx, dz = (np.float32(ax) + part * u) - x.astype(np.float32), (np.float32(az) + part * v) - z.astype(np.float32)
    distance: F32 = dx * dx + dz * dz
    return distance


# --- Triangles


@stands_in_for(triangulate._is_clear)
def _is_clear(ring: I32, _boxes: I32, count: int, i: AnyInt, j: AnyInt, loose: bool) -> bool:
    """Of all edges at once: boxes tell which need no look, which changes nothing."""
    wide = ring[:count].astype(np.int64)
    places = wide[wide[:, triangulate.AFTER] >= 0]
    (ax, az), (bx, bz) = (ring[k, : triangulate.Z + 1].tolist() for k in (i, j))
    (cx, cz), (dx, dz) = places[:, : triangulate.Z + 1].T, wide[places[:, triangulate.AFTER], : triangulate.Z + 1].T
    u, v = bx - ax, bz - az
    c, d = u * (cz - az) - v * (cx - ax), u * (dz - az) - v * (dx - ax)
    same_side = (np.sign(c) * np.sign(d) > 0) & ((cx != dx) | (cz != dz))
    meet, own = stand_in(crosses if loose else meets), ((ax, az), (bx, bz))
    for k in np.flatnonzero(~same_side):
        begin, end = (int(cx[k]), int(cz[k])), (int(dx[k]), int(dz[k]))
        if begin not in own and end not in own and meet(ax, az, bx, bz, *begin, *end):
            return False
    return True


# --- Detail


@stands_in_for(deviation._add)
def _add(place: F32, error: F32, hits: I32, count: int, plane: deviation.Plane) -> None:
    new = _deviations(plane, place[:, :count])
    hits[:count] += new < FARTHEST
    error[:count] = np.where(new < error[:count], new, error[:count])


@stands_in_for(deviation._take_back)
def _take_back(place: F32, error: F32, hits: I32, count: int, plane: deviation.Plane) -> None:
    new = _deviations(plane, place[:, :count])
    hit = new < FARTHEST
    hits[:count] -= hit
    error[:count][hit & (new == error[:count])] = deviation._UNSURE


def _deviations(plane: deviation.Plane, place: F32) -> F32:
    """`_deviation` of many points."""
    ax, ay, az, v0x, v0y, v0z, v1x, v1y, v1z, d00, d01, d11, inverse = plane
    x, y, z = place
    v2x, v2z = x - ax, z - az
    d02, d12 = v0x * v2x + v0z * v2z, v1x * v2x + v1z * v2z
    u, v = (d11 * d02 - d01 * d12) * inverse, (d00 * d12 - d01 * d02) * inverse
    over = (u >= -deviation._SLACK) & (v >= -deviation._SLACK) & (u + v <= _ONE + deviation._SLACK)
    with np.errstate(over="ignore"):  # of those that are not over it nobody asks
        return np.where(over, np.abs(((ay + v0y * u) + v1y * v) - y), FARTHEST)
