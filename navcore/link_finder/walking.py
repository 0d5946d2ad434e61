"""How far one walks between two places of the ground, where that is not far: is a link worth anything?

Polygons are searched from portal to portal, each crossed where it is nearest to the straight line; what was found is
then pulled straight by sliding the points along their portals. A little too long is a link too many, no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing
from ..types import F64, I32, AnyInt
from .ground import Ground
from .ground_in_tiles import END_LINK, FIRST_LINK

FARTHER = 1.5  # times the limit: so far is searched, as points are slid afterwards
_ROUNDS = 8
_MOST_PORTALS = 256


class Way(NamedTuple):
    """From where to where somebody walks, in metres."""

    ax: float
    ay: float
    az: float
    bx: float
    by: float
    bz: float


class Search(NamedTuple):
    """What a search writes on, for one thread."""

    cost: F64  # (P,) metres from the start
    estimate: F64  # (P,) metres from start to end at least
    seen: I32  # (P,) number of the search that has seen it
    link: I32  # (P,) by which it was entered
    before: I32  # (P,)
    point: F64  # (P, 3) where it was entered
    waiting: I32  # (P,)
    number: I32  # (1,) of the search
    crossed: I32  # (MOST_PORTALS,) links of the way that was found, from its end
    corners: F64  # (MOST_PORTALS + 2, 3) its points, likewise


def new_search(polygons: int) -> Search:
    """Room for searches on so many polygons."""
    return Search(
        np.zeros(polygons), np.zeros(polygons), np.zeros(polygons, np.int32), np.zeros(polygons, np.int32),
        np.zeros(polygons, np.int32), np.zeros((polygons, 3)), np.zeros(polygons, np.int32), np.zeros(1, np.int32),
        np.zeros(_MOST_PORTALS, np.int32), np.zeros((_MOST_PORTALS + 2, 3)),
    )  # fmt: skip


@borrowing
def is_walked(ground: Ground, search: Search, start: AnyInt, end: AnyInt, way: Way, limit: float) -> bool:
    """Whether the way on foot from polygon `start` to polygon `end` is shorter than the limit."""
    if start == end:
        return True
    if ground.part[start] != ground.part[end] or _apart(way.ax, way.ay, way.az, way.bx, way.by, way.bz) >= limit:
        return False
    return _find(ground, search, start, end, way, limit) and _length(ground, search, start, end, way) < limit


@borrowing
def _apart(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> float:
    return np.sqrt((ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2)


@borrowing
def _find(ground: Ground, search: Search, start: AnyInt, end: AnyInt, way: Way, limit: float) -> bool:
    """A*; where it returns true, the way is in `search`."""
    cost, seen, before, point, waiting = search.cost, search.seen, search.before, search.point, search.waiting
    estimate, link, targets, facts = search.estimate, search.link, ground.targets, ground.facts
    search.number[0] += 1
    stamp, count, here = search.number[0], 1, start
    cost[start], estimate[start], seen[start], link[start], before[start] = 0.0, 0.0, stamp, -1, -1
    point[start, 0], point[start, 1], point[start, 2], waiting[0] = way.ax, way.ay, way.az, start
    while count > 0:
        here, count = _taken_out(estimate, waiting, count)
        if here == end:
            return True
        for k in range(facts[here, FIRST_LINK], facts[here, END_LINK]):
            there = targets[k]
            if there == before[here]:
                continue
            x, y, z = _nearest_to_line(ground.portals, k, way)
            total = cost[here] + _apart(point[here, 0], point[here, 1], point[here, 2], x, y, z)
            whole = total + _apart(x, y, z, way.bx, way.by, way.bz)
            if whole > FARTHER * limit or (seen[there] == stamp and cost[there] <= total):
                continue
            is_waiting = False
            if seen[there] == stamp:
                for w in range(count):
                    is_waiting |= waiting[w] == there
            cost[there], estimate[there], seen[there], link[there], before[there] = total, whole, stamp, k, here
            point[there, 0], point[there, 1], point[there, 2] = x, y, z
            if not is_waiting:
                waiting[count] = there
                count += 1
    return False


@borrowing
def _taken_out(estimate: F64, waiting: I32, count: int) -> tuple[int, int]:
    """The first polygon that is nearest to the end, taken out of those that wait, and how many are left."""
    best = 0
    for k in range(1, count):
        if estimate[waiting[k]] < estimate[waiting[best]]:
            best = k
    here = waiting[best]
    for k in range(best, count - 1):
        waiting[k] = waiting[k + 1]
    return here, count - 1


@borrowing
def _nearest_to_line(portals: F64, k: AnyInt, way: Way) -> tuple[float, float, float]:
    """The point of portal k that is nearest to the straight line of a way, seen from above."""
    px, py, pz = portals[k, 0]
    qx, qy, qz = portals[k, 1]
    ux, uz = qx - px, qz - pz
    vx, vz = way.bx - way.ax, way.bz - way.az
    wx, wz = px - way.ax, pz - way.az
    uu, uv, vv, uw, vw = ux * ux + uz * uz, ux * vx + uz * vz, vx * vx + vz * vz, ux * wx + uz * wz, vx * wx + vz * wz
    bottom = uu * vv - uv * uv
    part = min(max((uv * vw - vv * uw) / bottom, 0.0), 1.0) if bottom > 1e-12 else 0.5
    along = min(max((uv * part + vw) / vv, 0.0), 1.0) if vv > 1e-12 else 0.0
    part = min(max((uv * along - uw) / uu, 0.0), 1.0) if uu > 1e-12 else 0.0
    return px + (qx - px) * part, py + (qy - py) * part, pz + (qz - pz) * part


@borrowing
def _length(ground: Ground, search: Search, start: AnyInt, end: AnyInt, way: Way) -> float:
    """The length of the way that was found, pulled straight."""
    crossed, corners, point, count, at = search.crossed, search.corners, search.point, 0, end
    while at != start and count < _MOST_PORTALS:
        crossed[count] = search.link[at]
        count += 1
        corners[count, 0], corners[count, 1], corners[count, 2] = point[at, 0], point[at, 1], point[at, 2]
        at = search.before[at]
    corners[0, 0], corners[0, 1], corners[0, 2] = way.bx, way.by, way.bz
    corners[count + 1, 0], corners[count + 1, 1], corners[count + 1, 2] = way.ax, way.ay, way.az
    for _ in range(_ROUNDS):
        for k in range(count):
            _slide(ground.portals, crossed[k], corners, k + 1)
    total = 0.0
    for k in range(count + 1):
        x, y, z = corners[k]
        total += _apart(x, y, z, corners[k + 1, 0], corners[k + 1, 1], corners[k + 1, 2])
    return total


@borrowing
def _slide(portals: F64, number: AnyInt, corners: F64, at: int) -> None:
    """Move a corner along its portal to where the way from the one before to the one after it is shortest."""
    px, py, pz = portals[number, 0]
    qx, qy, qz = portals[number, 1]
    length = _apart(px, py, pz, qx, qy, qz)
    if length < 1e-9:
        return
    along_one, along_other, square_one, square_other = 0.0, 0.0, 0.0, 0.0
    for axis in range(3):
        low = portals[number, 0, axis]
        unit = (portals[number, 1, axis] - low) / length
        one, other = corners[at - 1, axis] - low, corners[at + 1, axis] - low
        along_one += one * unit
        along_other += other * unit
        square_one += one**2
        square_other += other**2
    aside_one = np.sqrt(max(square_one - along_one * along_one, 0.0))
    aside_other = np.sqrt(max(square_other - along_other * along_other, 0.0))
    both = aside_one + aside_other
    along = (along_one * aside_other + along_other * aside_one) / both if both > 1e-12 else along_one
    part = min(max(along / length, 0.0), 1.0)
    for axis in range(3):
        corners[at, axis] = portals[number, 0, axis] + (portals[number, 1, axis] - portals[number, 0, axis]) * part
