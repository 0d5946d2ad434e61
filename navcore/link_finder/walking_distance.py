"""How far one walks between two places of the ground, by A*, where that is not far: is a link worth anything?

Polygons are searched from portal to portal, each crossed where it is nearest to the straight line; what was found is
then pulled straight by sliding the points along their portals. A little too long is a link too many, no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, kernel
from ..surroundings.walkable_ground import Ground
from ..types import F64, I32, AnyInt
from .arcs import Position

FARTHER = 1.5  # times the limit: so far is searched, as points are slid afterwards
_ROUNDS = 8
_MAX_PORTALS = 256


class WalkSearch(NamedTuple):
    """What a search writes on, for one thread."""

    cost: F64  # (P,) metres from the start
    estimate: F64  # (P,) metres from start to end at least
    seen: I32  # (P,) number of the search that has seen it
    link: I32  # (P,) by which it was entered
    before: I32  # (P,)
    point: F64  # (P, 3) where it was entered
    waiting: I32  # (P,)
    number: I32  # (1,) of the search
    crossed: I32  # (MAX_PORTALS,) links of the path that was found, from its end
    corners: F64  # (MAX_PORTALS + 2, 3) its points, likewise


@kernel
def new_search(polygons: int) -> WalkSearch:
    """Room for searches on so many polygons."""
    return WalkSearch(
        np.empty(polygons), np.empty(polygons), np.zeros(polygons, np.int32), np.empty(polygons, np.int32),
        np.empty(polygons, np.int32), np.empty((polygons, 3)), np.empty(polygons, np.int32), np.zeros(1, np.int32),
        np.empty(_MAX_PORTALS, np.int32), np.empty((_MAX_PORTALS + 2, 3)),
    )  # fmt: skip


@borrowing
def is_walked(
    ground: Ground, search: WalkSearch, start: AnyInt, end: AnyInt, a: Position, b: Position, limit: float
) -> bool:
    """Whether the path on foot from polygon `start` to polygon `end` is shorter than the limit."""
    if start == end:
        return True
    if ground.part[start] != ground.part[end] or _apart(a, b) >= limit:
        return False
    return _find(ground, search, start, end, a, b, limit) and _length(ground, search, start, end, a, b) < limit


@borrowing
def _apart(a: Position, b: Position) -> float:
    return np.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2 + (a.z - b.z) ** 2)


@borrowing
def _find(
    ground: Ground, search: WalkSearch, start: AnyInt, end: AnyInt, a: Position, b: Position, limit: float
) -> bool:
    """A*; where it returns true, the path is in `search`."""
    cost, seen, before, point, waiting = search.cost, search.seen, search.before, search.point, search.waiting
    estimate, link, targets, polygons = search.estimate, search.link, ground.targets, ground.polygons
    search.number[0] += 1
    stamp, count, here = search.number[0], 1, start
    cost[start], estimate[start], seen[start], link[start], before[start] = 0.0, 0.0, stamp, -1, -1
    point[start, 0], point[start, 1], point[start, 2], waiting[0] = a.x, a.y, a.z, start
    while count > 0:
        here, count = _taken_out(estimate, waiting, count)
        if here == end:
            return True
        for k in range(polygons[here].first_link, polygons[here].end_link):
            there = targets[k]
            if there == before[here]:
                continue
            crossing = _nearest_to_line(ground.portals, k, a, b)
            total = cost[here] + _apart(Position(point[here, 0], point[here, 1], point[here, 2]), crossing)
            whole = total + _apart(crossing, b)
            if whole > FARTHER * limit or (seen[there] == stamp and cost[there] <= total):
                continue
            is_waiting = False
            if seen[there] == stamp:
                for w in range(count):
                    is_waiting |= waiting[w] == there
            cost[there], estimate[there], seen[there], link[there], before[there] = total, whole, stamp, k, here
            point[there, 0], point[there, 1], point[there, 2] = crossing.x, crossing.y, crossing.z
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
def _nearest_to_line(portals: F64, k: AnyInt, a: Position, b: Position) -> Position:
    """The point of portal k that is nearest to the straight line from a to b, seen from above."""
    px, py, pz = portals[k, 0]
    qx, qy, qz = portals[k, 1]
    ux, uz = qx - px, qz - pz
    vx, vz = b.x - a.x, b.z - a.z
    wx, wz = px - a.x, pz - a.z
    uu, uv, vv, uw, vw = ux * ux + uz * uz, ux * vx + uz * vz, vx * vx + vz * vz, ux * wx + uz * wz, vx * wx + vz * wz
    bottom = uu * vv - uv * uv
    part = min(max((uv * vw - vv * uw) / bottom, 0.0), 1.0) if bottom > 1e-12 else 0.5
    along = min(max((uv * part + vw) / vv, 0.0), 1.0) if vv > 1e-12 else 0.0
    part = min(max((uv * along - uw) / uu, 0.0), 1.0) if uu > 1e-12 else 0.0
    return Position(px + (qx - px) * part, py + (qy - py) * part, pz + (qz - pz) * part)


@borrowing
def _length(ground: Ground, search: WalkSearch, start: AnyInt, end: AnyInt, a: Position, b: Position) -> float:
    """The length of the path that was found, pulled straight."""
    crossed, corners, point, count, at = search.crossed, search.corners, search.point, 0, end
    while at != start and count < _MAX_PORTALS:
        crossed[count] = search.link[at]
        count += 1
        corners[count, 0], corners[count, 1], corners[count, 2] = point[at, 0], point[at, 1], point[at, 2]
        at = search.before[at]
    corners[0, 0], corners[0, 1], corners[0, 2] = b.x, b.y, b.z
    corners[count + 1, 0], corners[count + 1, 1], corners[count + 1, 2] = a.x, a.y, a.z
    for _ in range(_ROUNDS):
        for k in range(count):
            _slide(ground.portals, crossed[k], corners, k + 1)
    total = 0.0
    for k in range(count + 1):
        x, y, z = corners[k]
        total += _apart(Position(x, y, z), Position(corners[k + 1, 0], corners[k + 1, 1], corners[k + 1, 2]))
    return total


@borrowing
def _slide(portals: F64, number: AnyInt, corners: F64, at: int) -> None:
    """Move a corner along its portal to where the way from the one before to the one after it is shortest."""
    px, py, pz = portals[number, 0]
    qx, qy, qz = portals[number, 1]
    length = _apart(Position(px, py, pz), Position(qx, qy, qz))
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
