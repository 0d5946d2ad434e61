"""Each face as triangles, all of them looking up, whose edges are those of the ring and of each other.

Corners are whole steps, and Python's integers are exact. An ear is cut off where it has an area, where no edge of the
ring enters it, and where no corner lies on the cut: every corner stays the corner of a triangle, holes on a bridge and
corners on straight edges included. Where no triangle is turned over they cover what the ring goes around, so a ring
that cannot be cut so crosses itself.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..types import I64
from .sound_faces import Flat, sides

Triangle: TypeAlias = tuple[int, int, int]


def turn(flat: Flat, a: int, b: int, c: int) -> int:
    """Twice the area of a triangle seen from above; above 0 where it looks up."""
    (ax, az), (bx, bz), (cx, cz) = flat[a], flat[b], flat[c]
    return (cx - ax) * (bz - az) - (bx - ax) * (cz - az)


def is_convex(flat: Flat, ring: list[int]) -> bool:
    """Whether every corner lies on the inner side of every edge, or on it, and none is there twice."""
    if len(set(ring)) < len(ring):
        return False
    return all(turn(flat, a, b, c) >= 0 for a, b in sides(ring) for c in ring)


def triangles_of(flat: Flat, ring: list[int], split: dict[tuple[int, int], list[int]]) -> list[Triangle] | None:
    """The triangles of a face, each split where the face's edges are; None where the face crosses itself.

    `split` has for an edge of the ring the corners that were put in, in order.
    """
    whole = _fan(flat, ring) or cut_ears(flat, ring)
    if whole is None or not split:
        return whole
    triangles: list[Triangle] = []
    for triangle in whole:
        wider = [c for a, b in sides(list(triangle)) for c in (a, *split.get((a, b), ()))]
        if len(wider) == 3:
            triangles.append(triangle)
            continue
        pieces = cut_ears(flat, wider)
        if pieces is None:  # corners on edges have bent it: the face as a whole has room for them
            return cut_ears(flat, [c for a, b in sides(ring) for c in (a, *split.get((a, b), ()))])
        triangles += pieces
    return triangles


def _fan(flat: Flat, ring: list[int]) -> list[Triangle] | None:
    """A fan around the first corner, as mesh files mean it; None where a triangle of it is turned over or flat."""
    fan = [(ring[0], ring[i], ring[i + 1]) for i in range(1, len(ring) - 1)]
    return fan if all(turn(flat, *triangle) > 0 for triangle in fan) and is_convex(flat, ring) else None


def cut_ears(flat: Flat, ring: list[int]) -> list[Triangle] | None:
    """A ring as triangles; None where it crosses itself. Of several ears the one with the shortest cut goes first."""
    left = list(ring)
    triangles: list[Triangle] = []
    cuts = [_length_of_cut(flat, left, at) for at in range(len(left))]
    while len(left) > 3:
        at = min(range(len(left)), key=cuts.__getitem__)
        if cuts[at] == _NO_EAR:  # what was cut off since may have freed corners whose cut went through others
            cuts = [_length_of_cut(flat, left, k) for k in range(len(left))]
            at = min(range(len(left)), key=cuts.__getitem__)
            if cuts[at] == _NO_EAR:
                return None
        triangles.append((left[at - 1], left[at], left[(at + 1) % len(left)]))
        del left[at], cuts[at]
        for beside in ((at - 1) % len(left), at % len(left)):
            cuts[beside] = _length_of_cut(flat, left, beside)
    if len(left) < 3 or turn(flat, left[0], left[1], left[2]) <= 0:
        return None
    return [*triangles, (left[0], left[1], left[2])]


_NO_EAR = 1 << 200
_FEW = 24  # corners that plain Python looks at sooner than arrays are made of them


def _length_of_cut(flat: Flat, ring: list[int], at: int) -> int:
    """The squared length of the cut that takes a corner off; `_NO_EAR` where it cannot be cut off."""
    a, b, c = ring[at - 1], ring[at], ring[(at + 1) % len(ring)]
    if turn(flat, a, b, c) <= 0:
        return _NO_EAR
    ear = flat[a], flat[b], flat[c]
    if len(ring) <= _FEW:
        blocked = _is_blocked([flat[corner] for corner in ring], ear)
    else:
        blocked = _is_blocked_in_many(np.array([flat[corner] for corner in ring], np.int64), ear)
    (ax, az), _, (cx, cz) = ear
    return _NO_EAR if blocked else (ax - cx) ** 2 + (az - cz) ** 2


def _sided(p: tuple[int, int], q: tuple[int, int], r: tuple[int, int]) -> int:
    """Above 0 where r lies on the inner side of the edge p → q."""
    return (r[0] - p[0]) * (q[1] - p[1]) - (q[0] - p[0]) * (r[1] - p[1])


def _is_blocked(places: Flat, ear: tuple[tuple[int, int], ...]) -> bool:
    """Whether a corner lies on the cut, or an edge has a point inside the triangle.

    An edge has none where the line of one of the four edges is between.
    """
    a, b, c = ear
    signs = [(_sided(a, b, p), _sided(b, c, p), _sided(c, a, p)) for p in places]
    far = (a[0] - c[0]) ** 2 + (a[1] - c[1]) ** 2
    for p, (_, _, on_cut) in zip(places, signs, strict=True):
        if on_cut == 0 and 0 < (p[0] - c[0]) * (a[0] - c[0]) + (p[1] - c[1]) * (a[1] - c[1]) < far:
            return True
    for k in range(len(places)):
        p, q, here, there = places[k - 1], places[k], signs[k - 1], signs[k]
        if p == q or any(s <= 0 and t <= 0 for s, t in zip(here, there, strict=True)):
            continue
        beside = [_sided(p, q, corner) for corner in ear]
        if not (all(side >= 0 for side in beside) or all(side <= 0 for side in beside)):
            return True
    return False


def _is_blocked_in_many(places: I64, ear: tuple[tuple[int, int], ...]) -> bool:
    """The same for many corners at once."""
    (ax, az), (bx, bz), (cx, cz) = ear
    px, pz = places[:, 0], places[:, 1]
    ab = (px - ax) * (bz - az) - (bx - ax) * (pz - az)
    bc = (px - bx) * (cz - bz) - (cx - bx) * (pz - bz)
    ca = (px - cx) * (az - cz) - (ax - cx) * (pz - cz)
    along, far = (px - cx) * (ax - cx) + (pz - cz) * (az - cz), (ax - cx) ** 2 + (az - cz) ** 2
    if ((ca == 0) & (along > 0) & (along < far)).any():
        return True
    outside = np.zeros(len(places), bool)
    for sign in (ab, bc, ca):
        outside |= (sign <= 0) & (np.roll(sign, -1) <= 0)
    if outside.all():
        return False
    qx, qz = np.roll(px, -1), np.roll(pz, -1)
    beside = [(x - px) * (qz - pz) - (qx - px) * (z - pz) for x, z in ear]
    one_side = np.all([side >= 0 for side in beside], axis=0) | np.all([side <= 0 for side in beside], axis=0)
    return bool((~outside & ~one_side & ~((px == qx) & (pz == qz))).any())
