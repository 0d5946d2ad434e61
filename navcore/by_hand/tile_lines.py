"""Triangles cut along the borders of tiles, exactly there: both sides of a cut have the same corners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..types import I64
from .face_triangles import Triangle, cut_ears, turn
from .sound_faces import Flat, OwnFaces
from .whole_steps import MOST_STEPS

_MOST_FREE = 60  # places along an axis whose distances are tried
_SAME = 16  # steps of height within which two cuts at one place are one corner


class TileLines(NamedTuple):
    """Where tiles lie: lines every `size` steps, from `origin` on."""

    origin: tuple[int, int, int]  # x, y and z of the first tile's corner, in steps
    size: int  # steps along one side
    columns: int
    rows: int

    def tile_of(self, low: tuple[int, int], high: tuple[int, int]) -> tuple[int, int] | None:
        """The tile that what lies from `low` to `high` is in; None where it is in several."""
        place = []
        for axis, count in ((0, self.columns), (1, self.rows)):
            start = self.origin[2 * axis]
            tile = min((low[axis] - start) // self.size, count - 1)
            if high[axis] > start + (tile + 1) * self.size:
                return None
            place.append(tile)
        return place[0], place[1]


def lines_between(faces: OwnFaces, points: I64) -> TileLines | None:
    """Lines that no face crosses, as in a mesh that was cut into tiles before; None where there are none."""
    used = points[np.unique([corner for ring in faces.rings for corner in ring])]
    low, high = used.min(axis=0), used.max(axis=0)
    free = {axis: _uncrossed(faces, points[:, axis].tolist()) for axis in (0, 2)}
    if not free[0] and not free[2]:
        return None
    sizes = {max(at - int(low[axis]), int(high[axis]) - at) for axis in free for at in free[axis]}
    for axis in free:
        few = free[axis][:_MOST_FREE]
        sizes |= {b - a for a in few for b in few if b > a}
    for size in sorted((size for size in sizes if 0 < size <= MOST_STEPS), reverse=True):
        found = [_evenly(free[axis], int(low[axis]), int(high[axis]), size) for axis in (0, 2)]
        if found[0] is not None and found[1] is not None:
            (x, columns), (z, rows) = found[0], found[1]
            return TileLines((x, int(low[1]), z), size, columns, rows)
    return None


def _uncrossed(faces: OwnFaces, at: list[int]) -> list[int]:
    """Where corners lie along an axis and no face reaches from one side to the other, but at the ends."""
    spans = sorted((min(at[c] for c in ring), max(at[c] for c in ring)) for ring in faces.rings)
    free, reach = [], spans[0][1]
    for low, high in spans:
        if low >= reach:
            free.append(low)
        reach = max(reach, high)
    return sorted(set(free))


def _evenly(free: list[int], low: int, high: int, size: int) -> tuple[int, int] | None:
    """Where lines begin that are all free, and between how many tiles they lie."""
    if high - low <= size:
        return low, 1
    known = set(free)
    for first in free:
        if first - low <= size and all(line in known for line in range(first, high, size)):
            return first - size, 1 + len(range(first, high, size))
    return None


class Cutter:
    """Cuts triangles, and makes the corners that this takes."""

    def __init__(self, steps: I64, lines: TileLines) -> None:
        self.lines = lines
        self.points: list[tuple[int, int, int]] = [(x, y, z) for x, y, z in steps.tolist()]
        self.flat: Flat = [(x, z) for x, _, z in self.points]
        self.lost = 0  # pieces narrower than a step
        self._at: dict[tuple[int, int], list[int]] = {}
        self._cuts: dict[tuple[int, int, int, int], int] = {}
        for number, (x, _, z) in enumerate(self.points):
            self._at.setdefault((x, z), []).append(number)

    def steps(self) -> I64:
        """All corners, those of cuts included."""
        return np.array(self.points, np.int64).reshape(-1, 3)

    def tile_of(self, ring: tuple[int, ...] | list[int]) -> tuple[int, int] | None:
        """The tile that a ring lies in; None where it lies in several."""
        xs, zs = [self.flat[corner][0] for corner in ring], [self.flat[corner][1] for corner in ring]
        return self.lines.tile_of((min(xs), min(zs)), (max(xs), max(zs)))

    def cut(self, triangle: Triangle) -> list[Triangle]:
        """The pieces of a triangle, each in one tile."""
        pieces = [triangle]
        for axis in (0, 1):
            pieces = [part for piece in pieces for part in self._cut_along(piece, axis)]
        return pieces

    def _cut_along(self, triangle: Triangle, axis: int) -> list[Triangle]:
        values = [self.flat[corner][axis] for corner in triangle]
        start, size = self.lines.origin[2 * axis], self.lines.size
        first, last = (min(values) - start) // size + 1, (max(values) - start - 1) // size
        rest: list[list[int]] = [list(triangle)]
        done: list[list[int]] = []
        for number in range(first, last + 1):
            line = start + number * size
            parts = [self._halves(ring, axis, line) for ring in rest]
            done += [part[0] for part in parts if len(part[0]) > 2]
            rest = [part[1] for part in parts if len(part[1]) > 2]
        return [piece for ring in [*done, *rest] for piece in self._triangles(ring)]

    def _halves(self, ring: list[int], axis: int, line: int) -> tuple[list[int], list[int]]:
        """What of a ring lies before a line, and what beyond."""
        before: list[int] = []
        beyond: list[int] = []
        for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
            here, there = self.flat[a][axis] - line, self.flat[b][axis] - line
            if here <= 0:
                before.append(a)
            if here >= 0:
                beyond.append(a)
            if here * there < 0:
                corner = self._corner(min(a, b), max(a, b), axis, line)
                before.append(corner)
                beyond.append(corner)
        return _once(before), _once(beyond)

    def _corner(self, a: int, b: int, axis: int, line: int) -> int:
        """The corner where an edge meets a line: the same one for all faces at this edge."""
        known = self._cuts.get((a, b, axis, line))
        if known is not None:
            return known
        p, q = self.points[a], self.points[b]
        way, part = q[2 * axis] - p[2 * axis], line - p[2 * axis]
        if way < 0:
            way, part = -way, -part
        other, height = 2 - 2 * axis, 1
        values = {2 * axis: line}
        for k in (other, height):
            values[k] = p[k] + ((q[k] - p[k]) * part * 2 + way) // (2 * way)
        place = values[0], values[1], values[2]
        same = [n for n in self._at.get((place[0], place[2]), ()) if abs(self.points[n][1] - place[1]) <= _SAME]
        number = same[0] if same else len(self.points)
        if not same:
            self.points.append(place)
            self.flat.append((place[0], place[2]))
            self._at.setdefault((place[0], place[2]), []).append(number)
        self._cuts[a, b, axis, line] = number
        return number

    def _triangles(self, ring: list[int]) -> list[Triangle]:
        if len(ring) == 3:
            if turn(self.flat, ring[0], ring[1], ring[2]) > 0:
                return [(ring[0], ring[1], ring[2])]
            self.lost += 1
            return []
        pieces = cut_ears(self.flat, ring)
        if pieces is None:  # it is narrower than a step somewhere: what still has an area stays
            fan = [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]
            pieces = [piece for piece in fan if turn(self.flat, *piece) > 0]
            self.lost += len(fan) - len(pieces)
        return pieces


def _once(ring: list[int]) -> list[int]:
    return [corner for k, corner in enumerate(ring) if corner != ring[k - 1] or len(ring) == 1]
