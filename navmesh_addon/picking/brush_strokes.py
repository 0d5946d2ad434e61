"""What a brush covers that was drawn along the ground, as convex faces; and faces without that. Plain numbers.

Seen from above a stroke is the discs around its points and all between two of them. Faces are cut along the borders of
that, exactly: what lies outside stays what it was. Heights follow the ground that was drawn along.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

Spot = tuple[float, float, float]
FaceRing = Sequence[Spot]
_SIDES = 16  # of a disc
_TOLERANCE = 0.125  # of the radius: by how much a stroke may be simpler than the hand was
_NOTHING = 1e-9  # square units that are no face
_NO_EDGE = 1e-7  # units: a disc has two such edges


class BrushFace(NamedTuple):
    """One convex part of a stroke, seen from above counterclockwise."""

    ring: tuple[Spot, ...]

    @property
    def low(self) -> float:
        """Its lowest height."""
        return min(point[2] for point in self.ring)

    @property
    def high(self) -> float:
        """Its highest height."""
        return max(point[2] for point in self.ring)


def brush_faces(points: Iterable[Sequence[float]], radius: float) -> list[BrushFace]:
    """The faces that a brush of this radius covers along points."""
    given = simplified([(float(x), float(y), float(z)) for x, y, z in points], _TOLERANCE * radius)
    if not given:
        return []
    pairs = list(pairwise(given)) or [(given[0], given[0])]
    return [BrushFace(_capsule(a, b, radius)) for a, b in pairs]


def simplified(points: Sequence[Spot], tolerance: float) -> list[Spot]:
    """Points of a line that goes by all of them no farther off than that (Ramer, Douglas, Peucker)."""
    if len(points) < 3:
        return list(dict.fromkeys(points))
    kept, waiting = {0, len(points) - 1}, [(0, len(points) - 1)]
    while waiting:
        first, last = waiting.pop()
        apart = [_apart(point, points[first], points[last]) for point in points[first + 1 : last]]
        if apart and max(apart) > tolerance:
            farthest = first + 1 + apart.index(max(apart))
            kept.add(farthest)
            waiting += [(first, farthest), (farthest, last)]
    return list(dict.fromkeys(points[k] for k in sorted(kept)))


def _apart(point: Spot, start: Spot, end: Spot) -> float:
    """How far a point is from a line between two others."""
    along = [b - a for a, b in zip(start, end, strict=True)]
    length = sum(part * part for part in along)
    away = [b - a for a, b in zip(start, point, strict=True)]
    part = sum(a * b for a, b in zip(away, along, strict=True)) / length if length > 0 else 0.0
    part = min(1.0, max(0.0, part))
    return math.dist(away, [part * step for step in along])


def _capsule(start: Spot, end: Spot, radius: float) -> tuple[Spot, ...]:
    """All within a radius of the way between two points: half a disc around each."""
    turn = math.atan2(end[1] - start[1], end[0] - start[0])
    ring = []
    for k in range(_SIDES + 2):
        middle, step = (end, k) if k <= _SIDES // 2 else (start, k - 1)
        angle = turn - math.pi / 2 + 2 * math.pi * step / _SIDES
        ring.append((middle[0] + radius * math.cos(angle), middle[1] + radius * math.sin(angle), middle[2]))
    return tuple(ring)


# --- faces without a stroke


def without(faces: Iterable[FaceRing], stroke: Sequence[BrushFace], reach: float) -> tuple[list[FaceRing], bool]:
    """Convex faces without what a stroke covers that goes by them within `reach` above or below; and whether it did
    anything."""
    left, changed = list(faces), False
    for part in stroke:
        after: list[FaceRing] = []
        for face in left:
            heights = [point[2] for point in face]
            is_near = min(heights) <= part.high + reach and max(heights) >= part.low - reach
            pieces = _cut(face, part.ring) if is_near else None
            changed |= pieces is not None
            after += [face] if pieces is None else pieces
        left = after
    return left, changed


def _cut(face: FaceRing, hole: FaceRing) -> list[FaceRing] | None:
    """The convex parts of a convex face outside of a convex hole; None where it lies outside as a whole."""
    inside, outside = list(face), list[FaceRing]()
    for start, end in zip(hole, [*hole[1:], hole[0]], strict=True):
        if math.dist(start[:2], end[:2]) < _NO_EDGE:
            continue
        beyond = _half(inside, start, end, -1.0)
        inside = _half(inside, start, end, 1.0)
        if ground_of(inside) <= _NOTHING:
            return None
        if ground_of(beyond) > _NOTHING:
            outside.append(beyond)
    return outside


def _half(ring: FaceRing, start: Spot, end: Spot, side: float) -> list[Spot]:
    """The part of a convex ring on the left (side 1) or on the right (-1) of a line."""
    way = end[0] - start[0], end[1] - start[1]
    depth = [side * (way[0] * (y - start[1]) - way[1] * (x - start[0])) for x, y, _ in ring]
    found: list[Spot] = []
    for k, point in enumerate(ring):
        if depth[k - 1] * depth[k] < 0:
            part = depth[k - 1] / (depth[k - 1] - depth[k])
            a = ring[k - 1]
            found.append(
                (a[0] + part * (point[0] - a[0]), a[1] + part * (point[1] - a[1]), a[2] + part * (point[2] - a[2]))
            )
        if depth[k] >= 0:
            found.append(point)
    return found


def ground_of(ring: FaceRing) -> float:
    """How much of the ground a ring goes around, seen from above."""
    return abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(ring, [*ring[1:], *ring[:1]], strict=True))) / 2


def is_convex(ring: FaceRing) -> bool:
    """Whether it turns but one way, seen from above."""
    turns = [_turn(a, b, c) for a, b, c in zip(ring, [*ring[1:], *ring[:1]], [*ring[2:], *ring[:2]], strict=True)]
    return all(turn >= -_NOTHING for turn in turns) or all(turn <= _NOTHING for turn in turns)


def _turn(a: Spot, b: Spot, c: Spot) -> float:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def joined_points(faces: Iterable[FaceRing]) -> tuple[list[Spot], list[list[int]]]:
    """The points of faces, each once, and the faces as numbers of them."""
    numbers: dict[Spot, int] = {}
    rings = []
    for face in faces:
        ring = list(dict.fromkeys(numbers.setdefault(_rounded(point), len(numbers)) for point in face))
        rings += [ring] if len(ring) > 2 else []
    return list(numbers), rings


def _rounded(point: Spot) -> Spot:
    x, y, z = (round(part, 6) for part in point)
    return x, y, z
