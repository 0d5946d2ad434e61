"""A twin of the search: which corners see each other, one pair after the other, and Dijkstra over them. Exact."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from navcore import NavQuery

Spot = tuple[int, int]
FINE = 256  # spots in a cell
_INSIDE = 255


class VisibilityTwin:
    """Polygons, what they share, and the corners of all of them; for meshes of a few dozen vertices."""

    def __init__(self, query: NavQuery, cell_size: float) -> None:
        mesh = query._mesh
        ground = [p for p in range(len(mesh.polygons)) if mesh.polygons["kind"][p] == 0]
        used = np.concatenate([mesh.outline[p, : mesh.polygons["corners"][p]] for p in ground])
        self.origin, self.step = used.min(axis=0)[[0, 2]].astype(float), cell_size / FINE
        self.outlines = {
            p: [self.spot(corner, FINE) for corner in mesh.outline[p, : mesh.polygons["corners"][p]]] for p in ground
        }
        self.portals: dict[int, list[tuple[int, Spot, Spot]]] = {p: [] for p in ground}
        for here in ground:
            for link in mesh.links[mesh.polygons["first_link"][here] : mesh.polygons["end_link"][here]]:
                if mesh.polygons["kind"][link.target] == 0:
                    self._share(here, int(link.target), int(link.edge), link.side != _INSIDE)
        spots = {(self.touched(p, spot), spot) for p, outline in self.outlines.items() for spot in outline}
        self.corners = sorted(spots, key=lambda corner: (corner[1], sorted(corner[0])))
        self.seen: dict[int, list[tuple[int, float]]] = {k: [] for k in range(len(self.corners))}
        for one, other in combinations(range(len(self.corners)), 2):
            if self._sees(*self.corners[one], *self.corners[other]):
                away = math.dist(self.corners[one][1], self.corners[other][1])
                self.seen[one].append((other, away))
                self.seen[other].append((one, away))

    def spot(self, point: np.ndarray, to: int = 1) -> Spot:
        """The nearest spot; for corners the nearest cell."""
        x, z = np.rint((point[[0, 2]].astype(float) - self.origin) / (self.step * to)).astype(int) * to
        return int(x), int(z)

    def _share(self, here: int, there: int, edge: int, border: bool) -> None:
        a, b = list(self._edges(here))[edge]
        for c, d in self._edges(there):
            if not border:
                if (a, b) == (d, c):
                    self.portals[here].append((there, a, b))
                continue
            shared = sorted([*sorted((a, b)), *sorted((c, d))])[1:3]
            if _turn(a, b, c) == _turn(a, b, d) == 0 and min(max(a, b), max(c, d)) > max(min(a, b), min(c, d)):
                self.portals[here].append((there, shared[0], shared[1]))

    def _edges(self, polygon: int) -> Iterator[tuple[Spot, Spot]]:
        outline = self.outlines[polygon]
        return zip(outline, [*outline[1:], outline[0]], strict=True)

    def touched(self, polygon: int, spot: Spot) -> frozenset[int]:
        """All polygons that a spot of a polygon belongs to."""
        return self._along({polygon}, spot, spot)

    def _along(self, polygons: set[int] | frozenset[int], a: Spot, b: Spot) -> frozenset[int]:
        """All polygons that one gets into on the straight line from a to b."""
        seen, waiting = set(polygons), list(polygons)
        while waiting:
            for there, c, d in self.portals[waiting.pop()]:
                if there not in seen and _meet(a, b, c, d):
                    seen.add(there)
                    waiting.append(there)
        return frozenset(seen)

    def _sees(self, here: frozenset[int], a: Spot, there: frozenset[int], b: Spot) -> bool:
        return bool(self._along(here, a, b) & there)

    def length(self, start: int, a: Spot, end: int, b: Spot) -> float:
        """Metres of the shortest way; infinite where there is none."""
        here, there = self.touched(start, a), self.touched(end, b)
        best = math.dist(a, b) if self._sees(here, a, there, b) else math.inf
        away = {k: math.dist(a, corner[1]) for k, corner in enumerate(self.corners) if self._sees(here, a, *corner)}
        done: set[int] = set()
        while waiting := away.keys() - done:
            k = min(waiting, key=lambda k: away[k])
            done.add(k)
            if self._sees(*self.corners[k], there, b):
                best = min(best, away[k] + math.dist(self.corners[k][1], b))
            for other, more in self.seen[k]:
                away[other] = min(away.get(other, math.inf), away[k] + more)
        return best * self.step


def _turn(a: Spot, b: Spot, c: Spot) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _meet(a: Spot, b: Spot, c: Spot, d: Spot) -> bool:
    """Whether two lines share a point, ends included."""
    sides = [_sign(_turn(a, b, c)), _sign(_turn(a, b, d)), _sign(_turn(c, d, a)), _sign(_turn(c, d, b))]
    if sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0:
        return True
    ends = ((a, b, c, sides[0]), (a, b, d, sides[1]), (c, d, a, sides[2]), (c, d, b, sides[3]))
    return any(side == 0 and _in_box(p, q, r) for p, q, r, side in ends)


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _in_box(a: Spot, b: Spot, point: Spot) -> bool:
    return all(min(a[k], b[k]) <= point[k] <= max(a[k], b[k]) for k in (0, 1))
