"""Triangles and faces merged into convex polygons, the longest edges first, where nothing forbids it.

Recast: mergePolyVerts in rcBuildPolyMesh, which knows neither faces nor heights.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

from ..types import F64
from .face_triangles import Triangle, turn
from .sound_faces import Flat, sides
from .whole_steps import normal_of

_MOST_TRIANGLES = 250  # of one polygon's detail, whose numbers have eight bits


@dataclass
class ConvexPiece:
    """A convex polygon and the triangles that are its ground."""

    ring: list[int]
    triangles: list[Triangle]
    faces: tuple[int, ...]  # the given faces that it is of
    area: int
    tile: tuple[int, int]


MayJoin = Callable[[ConvexPiece, ConvexPiece, list[int]], bool]
"""Whether two pieces may become one with this ring."""


def merged(pieces: list[ConvexPiece], flat: Flat, most_corners: int, may_join: MayJoin) -> list[ConvexPiece]:
    """The pieces with as many of them joined as may be, in the order in which they came."""
    left: dict[int, ConvexPiece] = dict(enumerate(pieces))
    owner: dict[tuple[int, int], int] = {
        side: number for number, piece in left.items() for side in sides(piece.ring)
    }  # fmt: skip
    waiting = [_entry(flat, a, b) for a, b in owner if (b, a) in owner and a < b]
    heapq.heapify(waiting)
    while waiting:
        _, a, b = heapq.heappop(waiting)
        one, other = owner.get((a, b)), owner.get((b, a))
        if one is None or other is None or one == other:
            continue
        ring = _joined(left[one].ring, left[other].ring, a, b)
        if ring is None or len(ring) > most_corners or not _stays_convex(flat, ring):
            continue
        if not may_join(left[one], left[other], ring):
            continue
        keep, gone = min(one, other), max(one, other)
        for piece in (left[one], left[other]):
            for side in sides(piece.ring):
                del owner[side]
        first, second = left[keep], left.pop(gone)
        faces = tuple(sorted({*first.faces, *second.faces}))
        left[keep] = ConvexPiece(ring, first.triangles + second.triangles, faces, first.area, first.tile)
        for side in sides(ring):
            owner[side] = keep
            if side[::-1] in owner:
                heapq.heappush(waiting, _entry(flat, *side))
    return [left[number] for number in sorted(left)]


def _entry(flat: Flat, a: int, b: int) -> tuple[int, int, int]:
    (ax, az), (bx, bz) = flat[a], flat[b]
    return -((ax - bx) ** 2 + (az - bz) ** 2), a, b


def _joined(one: list[int], other: list[int], a: int, b: int) -> list[int] | None:
    """The ring around two rings that walk along the edge a → b and b → a; None where they meet elsewhere, too.

    Corners between edges that both have are left out: nobody else has them.
    """
    start = one.index(b)
    first = one[start:] + one[:start]  # b … a
    start = other.index(a)
    second = other[start:] + other[:start]  # a … b
    while len(first) > 2 and len(second) > 2 and first[1] == second[-2]:
        first, second = first[1:], second[:-1]
    while len(first) > 2 and len(second) > 2 and first[-2] == second[1]:
        first, second = first[:-1], second[1:]
    ring = first + second[1:-1]
    return ring if len(ring) > 2 and len(set(ring)) == len(ring) else None


def _stays_convex(flat: Flat, ring: list[int]) -> bool:
    """Two convex rings joined along an edge are convex where they are at the joints; all corners are looked at."""
    return all(turn(flat, ring[k - 2], ring[k - 1], ring[k]) >= 0 for k in range(len(ring)))


def within_a_face(one: ConvexPiece, other: ConvexPiece, _ring: list[int]) -> bool:
    """Pieces of one face, in one tile."""
    return one.faces == other.faces and one.tile == other.tile and _have_room(one, other)


def _have_room(one: ConvexPiece, other: ConvexPiece) -> bool:
    return len(one.triangles) + len(other.triangles) <= _MOST_TRIANGLES


def across_faces(metres: F64, most_error: float) -> MayJoin:
    """Pieces of one area in one tile, whose corners lie within `most_error` metres of one plane."""
    places = metres.tolist()

    def may_join(one: ConvexPiece, other: ConvexPiece, ring: list[int]) -> bool:
        if one.area != other.area or one.tile != other.tile or not _have_room(one, other):
            return False
        ox, oy, oz = places[ring[0]]
        x, y, z = normal_of([(px - ox, py - oy, pz - oz) for px, py, pz in (places[corner] for corner in ring)])
        if y <= 0:
            return False
        corners = {corner for piece in (one, other) for triangle in piece.triangles for corner in triangle}
        off = [
            py - oy + (x * (px - ox) + z * (pz - oz)) / y for px, py, pz in (places[corner] for corner in corners)
        ]  # fmt: skip
        return max(off) - min(off) <= most_error

    return may_join
