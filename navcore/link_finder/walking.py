"""How far one walks between two places of the ground, where that is not far: is a link worth anything?

Polygons are searched from portal to portal, each crossed where it is nearest to the straight line; what was found is
then pulled straight by sliding the points along their portals. A little too long is a link too many, no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel
from ..navquery.query_mesh import END_LINK, FIRST_LINK
from ..types import F64, I32, AnyInt
from .ground import Ground

_FARTHER = 1.5  # times the limit: so far is searched, as points are slid afterwards
_ROUNDS = 8
_MOST_PORTALS = 256


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


def new_search(polygons: int) -> Search:
    """Room for searches on so many polygons."""
    return Search(
        np.zeros(polygons), np.zeros(polygons), np.zeros(polygons, np.int32), np.zeros(polygons, np.int32),
        np.zeros(polygons, np.int32), np.zeros((polygons, 3)), np.zeros(polygons, np.int32), np.zeros(1, np.int32),
    )  # fmt: skip


@kernel
def is_walked(ground: Ground, search: Search, start: AnyInt, a: F64, end: AnyInt, b: F64, limit: float) -> bool:
    """Whether the way on foot from a (on polygon `start`) to b (on `end`) is shorter than the limit."""
    if start == end:
        return True
    if ground.part[start] != ground.part[end] or _apart(a, b) >= limit:
        return False
    return _find(ground, search, start, a, end, b, limit) and _length(ground, search, start, a, end, b) < limit


@inlined
def _apart(a: F64, b: F64) -> float:
    return np.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


@kernel
def _find(ground: Ground, search: Search, start: AnyInt, a: F64, end: AnyInt, b: F64, limit: float) -> bool:
    """A*; where it returns true, the way is in `search`."""
    cost, estimate, seen, link, before, point, waiting, number = search
    targets, portals, facts = ground.targets, ground.portals, ground.facts
    number[0] += 1
    stamp, count = number[0], 1
    cost[start], estimate[start], seen[start], link[start], before[start] = 0.0, _apart(a, b), stamp, -1, -1
    point[start], waiting[0] = a, start
    crossing = np.empty(3)
    while count > 0:
        best = 0
        for k in range(1, count):
            if estimate[waiting[k]] < estimate[waiting[best]]:
                best = k
        here = waiting[best]
        if here == end:
            return True
        count -= 1
        for k in range(best, count):
            waiting[k] = waiting[k + 1]
        for k in range(facts[here, FIRST_LINK], facts[here, END_LINK]):
            there = targets[k]
            if there == before[here]:
                continue
            _nearest_to_line(portals[k], a, b, crossing)
            total = cost[here] + _apart(point[here], crossing)
            whole = total + _apart(crossing, b)
            if whole > _FARTHER * limit or (seen[there] == stamp and cost[there] <= total):
                continue
            is_waiting = False
            if seen[there] == stamp:
                for w in range(count):
                    is_waiting |= waiting[w] == there
            cost[there], estimate[there], seen[there], link[there], before[there] = total, whole, stamp, k, here
            point[there] = crossing
            if not is_waiting:
                waiting[count] = there
                count += 1
    return False


@kernel
def _nearest_to_line(portal: F64, a: F64, b: F64, crossing: F64) -> None:
    """The point of a portal that is nearest to the segment from a to b, seen from above."""
    px, pz = portal[0, 0], portal[0, 2]
    ux, uz = portal[1, 0] - px, portal[1, 2] - pz
    vx, vz = b[0] - a[0], b[2] - a[2]
    wx, wz = px - a[0], pz - a[2]
    uu, uv, vv, uw, vw = ux * ux + uz * uz, ux * vx + uz * vz, vx * vx + vz * vz, ux * wx + uz * wz, vx * wx + vz * wz
    bottom = uu * vv - uv * uv
    part = min(max((uv * vw - vv * uw) / bottom, 0.0), 1.0) if bottom > 1e-12 else 0.5
    along = min(max((uv * part + vw) / vv, 0.0), 1.0) if vv > 1e-12 else 0.0
    part = min(max((uv * along - uw) / uu, 0.0), 1.0) if uu > 1e-12 else 0.0
    for axis in range(3):
        crossing[axis] = portal[0, axis] + (portal[1, axis] - portal[0, axis]) * part


@kernel
def _length(ground: Ground, search: Search, start: AnyInt, a: F64, end: AnyInt, b: F64) -> float:
    """The length of the way that was found, pulled straight."""
    way, count, at = np.empty(_MOST_PORTALS, np.int32), 0, end
    while at != start and count < _MOST_PORTALS:
        way[count] = search.link[at]
        count += 1
        at = search.before[at]
    points = np.empty((count + 2, 3))
    points[0], points[count + 1] = b, a
    at = end
    for k in range(count):
        points[k + 1] = search.point[at]
        at = search.before[at]
    for _ in range(_ROUNDS):
        for k in range(count):
            _slide(ground.portals[way[k]], points[k], points[k + 2], points[k + 1])
    total = 0.0
    for k in range(count + 1):
        total += _apart(points[k], points[k + 1])
    return total


@kernel
def _slide(portal: F64, one: F64, other: F64, point: F64) -> None:
    """Move a point along its portal to where the way from one side to the other is shortest."""
    length = _apart(portal[0], portal[1])
    if length < 1e-9:
        return
    along_one, along_other, square_one, square_other = 0.0, 0.0, 0.0, 0.0
    for axis in range(3):
        unit = (portal[1, axis] - portal[0, axis]) / length
        along_one += (one[axis] - portal[0, axis]) * unit
        along_other += (other[axis] - portal[0, axis]) * unit
        square_one += (one[axis] - portal[0, axis]) ** 2
        square_other += (other[axis] - portal[0, axis]) ** 2
    aside_one = np.sqrt(max(square_one - along_one * along_one, 0.0))
    aside_other = np.sqrt(max(square_other - along_other * along_other, 0.0))
    both = aside_one + aside_other
    along = (along_one * aside_other + along_other * aside_one) / both if both > 1e-12 else along_one
    part = min(max(along / length, 0.0), 1.0)
    for axis in range(3):
        point[axis] = portal[0, axis] + (portal[1, axis] - portal[0, axis]) * part
