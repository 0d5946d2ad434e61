"""Random islands with holes on a lattice, and what must hold of their pieces, in plain Python."""

from __future__ import annotations

import math
import random
from itertools import pairwise

from navcore.path_comparison.meadow import Meadow

Place = tuple[int, int]
Ring = list[Place]


def doubled_area(ring: Ring) -> int:
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1], strict=True))


def side(a: Place, b: Place, c: Place) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _between(a: Place, b: Place, c: Place) -> bool:
    return min(a[0], b[0]) <= c[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= c[1] <= max(a[1], b[1])


def touch(a: Place, b: Place, c: Place, d: Place) -> bool:
    """Whether two closed segments have a point in common."""
    sides = side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)
    if sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0:
        return True
    ends = ((a, b, c), (a, b, d), (c, d, a), (c, d, b))
    return any(s == 0 and _between(*end) for s, end in zip(sides, ends, strict=True))


def edges(ring: Ring) -> list[tuple[Place, Place]]:
    return list(pairwise([*ring, ring[0]]))


def star(rng: random.Random, x: int, z: int, radius: int, corners: int) -> Ring | None:
    """A ring around a place, with corners at any distance; None where it came out crossing itself."""
    angles = sorted(rng.uniform(0, 2 * math.pi) for _ in range(corners))
    ring = []
    for angle in angles:
        away = rng.uniform(radius * 0.25, radius)
        ring.append((round(x + away * math.cos(angle)), round(z + away * math.sin(angle))))
    ring = [place for k, place in enumerate(ring) if place != ring[k - 1]]
    if len(set(ring)) != len(ring) or len(ring) < 3 or doubled_area(ring) == 0:
        return None
    sides = edges(ring)
    for k, (a, b) in enumerate(sides):
        for n in range(k + 1, len(sides)):
            c, d = sides[n]
            if n == k + 1 or (k == 0 and n == len(sides) - 1):
                shared, far = (b, d) if n == k + 1 else (a, c)
                near = a if n == k + 1 else b
                if side(near, shared, far) == 0 and (_between(near, shared, far) or _between(shared, far, near)):
                    return None
            elif touch(a, b, c, d):
                return None
    return ring


def inside(ring: Ring, place: Place) -> bool:
    odd = False
    for (ax, az), (bx, bz) in edges(ring):
        if (az > place[1]) != (bz > place[1]) and (side((ax, az), (bx, bz), place) > 0) == (bz > az):
            odd = not odd
    return odd


def random_island(seed: int) -> list[Ring]:
    """An outline and up to three holes that touch nothing; on a coarse lattice, so that much lies in line."""
    rng = random.Random(seed)
    size = rng.choice([6, 12, 40, 100_000])
    outline = None
    while outline is None:
        outline = star(rng, 0, 0, size, rng.randint(3, 24))
    rings = [outline]
    for _ in range(rng.randint(0, 12)):
        if len(rings) > 3:
            break
        spot = round(rng.uniform(-size, size)), round(rng.uniform(-size, size))
        hole = star(rng, *spot, max(size // 4, 2), rng.randint(3, 8))
        if hole is None or not all(inside(outline, place) for place in hole):
            continue
        if any(touch(*mine, *its) for ring in rings for its in edges(ring) for mine in edges(hole)):
            continue
        if any(inside(ring, hole[0]) or inside(hole, ring[0]) for ring in rings[1:]):
            continue
        rings.append(hole)
    for ring in rings:
        if rng.random() < 0.5:
            ring.reverse()
        if rng.random() < 0.3:  # corners that are none
            a, b = ring[0], ring[1]
            if (a[0] + b[0]) % 2 == 0 and (a[1] + b[1]) % 2 == 0:
                ring.insert(1, ((a[0] + b[0]) // 2, (a[1] + b[1]) // 2))
            ring.append(ring[-1])
    return rings


def pieces_of(meadow: Meadow, places: list[Place], island: int) -> list[tuple[list[int], Ring]]:
    """Corner numbers and places of each piece of an island."""
    found = []
    for piece in range(meadow.pieces[island], meadow.pieces[island + 1]):
        own = meadow.corners[meadow.offsets[piece] : meadow.offsets[piece + 1]].tolist()
        found.append((own, [places[meadow.given[corner]] for corner in own]))
    return found


def is_convex(ring: Ring) -> bool:
    """Never turning right, and around once: no corner lies right of any edge."""
    return doubled_area(ring) > 0 and all(side(a, b, c) >= 0 for a, b in edges(ring) for c in ring)


def overlap(one: Ring, other: Ring) -> bool:
    """Whether two convex rings have inner points in common: no edge of either keeps them apart."""
    for mine, its in ((one, other), (other, one)):
        if any(all(side(a, b, c) <= 0 for c in its) for a, b in edges(mine)):
            return False
    return True
