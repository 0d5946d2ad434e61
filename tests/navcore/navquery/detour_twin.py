"""Neighborhoods, walls and rays as Detour's rules say them: one number after the other, in float32, and lists."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from navcore import NavQuery, QueryFilter
from navcore.navquery.query_mesh import BORDER

F = np.float32
NODES, WAITING, INTERVALS = 64, 48, 16


class Plain:
    """Polygons by number; corners as (x, y, z) of float32."""

    def __init__(self, query: NavQuery, rule: QueryFilter) -> None:
        mesh = query._mesh
        flags = mesh.polygons["flags"]
        self.corners = [outline[:n] for outline, n in zip(mesh.outline, mesh.polygons["corners"], strict=True)]
        self.across = mesh.neighbors.tolist()
        self.is_link = (mesh.polygons["kind"] == 1).tolist()
        self.passes = ((flags & rule.include != 0) & (flags & rule.exclude == 0)).tolist()
        rows = mesh.links.tolist()  # target, edge, side, low, high …
        self.links = [rows[polygon["first_link"] : polygon["end_link"]] for polygon in mesh.polygons]
        self.portals = [mesh.portals[polygon["first_link"] : polygon["end_link"]] for polygon in mesh.polygons]


def neighborhood(plain: Plain, start: int, center: Any, radius: Any, most: int) -> tuple[list[tuple[int, int]], bool]:
    """Polygons and from which each is entered, and whether some had no room."""
    looked_at, closed, found, waiting, full = [start], {start}, [(start, -1)], [start], False
    while waiting:
        here = waiting.pop(0)
        linked = {link[0] for link in plain.links[here]}
        for (new, *_), (left, right) in zip(plain.links[here], plain.portals[here], strict=True):
            if new not in looked_at:
                if len(looked_at) == NODES:
                    continue
                looked_at.append(new)
            if new in closed or plain.is_link[new] or not plain.passes[new]:
                continue
            if np.isnan(left[0]) or squared_distance(center, left, right) > F(radius) * F(radius):
                continue
            closed.add(new)
            if any(over not in linked and overlapping(plain.corners[new], plain.corners[over]) for over, _ in found):
                continue
            if len(found) < most:
                found.append((new, here))
            else:
                full = True
            if len(waiting) < WAITING:
                waiting.append(new)
    return found, full


def squared_distance(point: Any, a: Any, b: Any) -> Any:
    ex, ez = b[0] - a[0], b[2] - a[2]
    whole = ex * ex + ez * ez
    part = ex * (point[0] - a[0]) + ez * (point[2] - a[2])
    if whole > 0:
        part = part / whole
    part = min(max(part, F(0)), F(1))
    x, z = a[0] + part * ex - point[0], a[2] + part * ez - point[2]
    return x * x + z * z


def overlapping(one: Any, other: Any) -> bool:
    for corners in (one, other):
        for k in range(len(corners)):
            a, b = corners[k - 1], corners[k]
            x, z = b[2] - a[2], -(b[0] - a[0])
            ones, others = ([x * corner[0] + z * corner[2] for corner in some] for some in (one, other))
            if min(ones) + F(1e-4) > max(others) or max(ones) - F(1e-4) < min(others):
                return False
    return True


def walls(plain: Plain, polygon: int, portals: bool) -> list[tuple[list[Any], int]]:
    """Both ends of each segment, and what lies behind it."""
    found: list[tuple[list[Any], int]] = []
    corners = plain.corners[polygon]
    for i in range(len(corners)):
        edge = (i - 1) % len(corners)
        a, b = corners[edge], corners[i]
        across = plain.across[polygon][edge]
        if across != BORDER:
            if across >= 0 and plain.passes[across]:
                found += [([a, b], across)] if portals else []
            else:
                found.append(([a, b], -1))
            continue
        intervals: list[tuple[int, int, int]] = []
        through = [
            (link[3], link[4], link[0]) for link in plain.links[polygon] if link[1] == edge and plain.passes[link[0]]
        ]
        for low, high, behind in [*through, (-1, 0, -1), (255, 256, -1)]:
            if len(intervals) < INTERVALS:
                place = next((k for k, other in enumerate(intervals) if other[0] >= high), len(intervals))
                intervals.insert(place, (low, high, behind))
        for (_, before, _), (low, high, behind) in itertools.pairwise(intervals):
            if portals and behind >= 0:
                found.append(([along(a, b, low), along(a, b, high)], behind))
            if before != low:
                found.append(([along(a, b, before), along(a, b, low)], -1))
    return found


def along(a: Any, b: Any, part: int) -> Any:
    return a + (b - a) * (F(part) / F(255))


def ray(plain: Plain, polygon: int, start: Any, end: Any) -> tuple[list[int], Any, int]:
    """The polygons of a ray, how far it comes, and the last edge: no costs."""
    crossed: list[int] = []
    reached, edge = F(0), 0
    while True:
        meets, leaves, across = through(plain.corners[polygon], start, end)
        if not meets:
            return crossed, reached, edge
        edge, reached = across, max(reached, leaves)
        crossed.append(polygon)
        if edge < 0:
            return crossed, np.finfo(np.float32).max, edge
        following = behind(plain, polygon, edge, start, end, leaves)
        if following is None:
            return crossed, reached, edge
        polygon = following


def through(corners: Any, start: Any, end: Any) -> tuple[bool, Any, int]:
    enters, leaves, edge = F(0), F(1), -1
    dx, dz = end[0] - start[0], end[2] - start[2]
    for i in range(len(corners)):
        a, b = corners[i - 1], corners[i]
        ex, ez = b[0] - a[0], b[2] - a[2]
        n = ez * (start[0] - a[0]) - ex * (start[2] - a[2])
        d = dz * ex - dx * ez
        if abs(d) < F(1e-6):
            if n < 0:
                return False, leaves, edge
            continue
        part = n / d
        if d < 0 and part > enters:
            enters = part
        elif d > 0 and part < leaves:
            leaves, edge = part, (i - 1) % len(corners)
        if enters > leaves:
            return False, leaves, edge
    return True, leaves, edge


def behind(plain: Plain, polygon: int, edge: int, start: Any, end: Any, part: Any) -> int | None:
    corners = plain.corners[polygon]
    for target, own, side, low, high, *_ in plain.links[polygon]:
        if own != edge or plain.is_link[target] or not plain.passes[target]:
            continue
        if side == 255 or (low == 0 and high == 255):
            return int(target)
        if side % 2:
            continue
        axis = 2 if side % 4 == 0 else 0
        a, b = corners[edge][axis], corners[(edge + 1) % len(corners)][axis]
        near, far = (a + (b - a) * (F(k) * (F(1) / F(255))) for k in (low, high))
        if min(near, far) <= start[axis] + (end[axis] - start[axis]) * part <= max(near, far):
            return int(target)
    return None
