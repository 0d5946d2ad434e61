"""A navmesh as plain Python sees it, for twins: lists of corners and links, and geometry in double precision."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from navcore import NavQuery, QueryFilter

Corner = tuple[float, float, float]
EVERYBODY = QueryFilter()


class Link(NamedTuple):
    target: int
    edge: int
    low: int
    high: int
    left: Corner
    right: Corner


class PlainGraph:
    """Polygons by number, as `NavQuery` numbers them inside."""

    def __init__(self, query: NavQuery, rule: QueryFilter = EVERYBODY) -> None:
        mesh = query._mesh
        self.filter, self.names = rule, query._names
        counts = mesh.polygons["corners"].tolist()
        self.corners = [
            [tuple(map(float, c)) for c in row[:count]] for row, count in zip(mesh.outline, counts, strict=True)
        ]
        self.neighbors = [row[:count].tolist() for row, count in zip(mesh.neighbors, counts, strict=True)]
        self.areas = mesh.polygons["area"].tolist()
        self.is_link = (mesh.polygons["kind"] == 1).tolist()
        flags = mesh.polygons["flags"]
        self.passes = ((flags & rule.include != 0) & (flags & rule.exclude == 0)).tolist()
        self.links = [
            [
                Link(*mesh.links[k].tolist()[:2], *mesh.links[k].tolist()[3:5], *map(tuple, mesh.portals[k].tolist()))
                for k in range(row.first_link, row.end_link)
            ]
            for row in mesh.polygons
        ]  # fmt: skip

    def number(self, reference: int) -> int:
        return int(self.names.polygons(np.array([reference]))[0])

    def edge(self, polygon: int, edge: int) -> tuple[Corner, Corner]:
        corners = self.corners[polygon]
        return corners[edge], corners[(edge + 1) % len(corners)]

    def flooded(self, start: int, leads: Callable[[int, Link], bool]) -> set[int]:
        """What can be reached over links for which `leads` is true, and that pass the filter."""
        seen, waiting = {start}, deque([start])
        while waiting:
            polygon = waiting.popleft()
            for link in self.links[polygon]:
                if link.target not in seen and self.passes[link.target] and leads(polygon, link):
                    seen.add(link.target)
                    waiting.append(link.target)
        return seen


def to_segment(point: Corner, a: Corner, b: Corner) -> tuple[float, Corner]:
    """Distance seen from above, and the place on the segment."""
    ex, ez = b[0] - a[0], b[2] - a[2]
    length = ex * ex + ez * ez
    t = ((point[0] - a[0]) * ex + (point[2] - a[2]) * ez) / length if length else 0.0
    t = min(max(t, 0.0), 1.0)
    place = a[0] + ex * t, a[1] + (b[1] - a[1]) * t, a[2] + ez * t
    return math.hypot(place[0] - point[0], place[2] - point[2]), place


def inside(point: Corner, corners: list[Corner]) -> float:
    """By how much a point lies inside a convex outline; below 0: outside of it."""
    return min(_side(a, b, point) for a, b in zip(corners, corners[1:] + corners[:1], strict=True) if a[::2] != b[::2])


def _side(a: Corner, b: Corner, point: Corner) -> float:
    ex, ez = b[0] - a[0], b[2] - a[2]
    return ((point[0] - a[0]) * ez - ex * (point[2] - a[2])) / math.hypot(ex, ez)


def clipped(corners: list[Corner], by: list[Corner]) -> list[Corner]:
    """What two convex outlines share seen from above."""
    left = corners
    for a, b in zip(by, by[1:] + by[:1], strict=True):
        kept: list[Corner] = []
        for p, q in zip(left, left[1:] + left[:1], strict=True):
            sp, sq = _side(a, b, p), _side(a, b, q)
            if sp >= 0:
                kept.append(p)
            if (sp > 0) != (sq > 0) and sp != sq:
                t = sp / (sp - sq)
                kept.append((p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t, p[2] + (q[2] - p[2]) * t))
        left = kept
    return left


def area(corners: list[Corner]) -> float:
    x, z = (np.array([corner[axis] for corner in corners]) for axis in (0, 2))
    return 0.5 * abs(float(x @ np.roll(z, -1) - z @ np.roll(x, -1))) if len(corners) > 2 else 0.0
