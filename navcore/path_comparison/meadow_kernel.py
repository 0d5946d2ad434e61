"""Meadow mapping of one island: holes are bridged, and rings split at reflex corners until all are convex.

R. Arkin, "Path planning for a vision-based autonomous robot", 1986; here with a fixed order and exact predicates, so
that the same island gives the same pieces everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, inlined, kernel
from ..types import I32, I64, U8, AnyBool, AnyInt, Records

# What became of an island.
DIVIDED, TOO_FEW_CORNERS, HOLE_NOT_SEEN, NOT_SIMPLE, GIVEN_UP = range(5)
_NOBODY = np.int64(-1)
_COUNTS = np.dtype((np.record, [(name, np.int64) for name in ("corners", "pieces", "diagonals")]))


class _Pieces(NamedTuple):
    """Room for what one ring is split into."""

    corners: I32  # piece after piece
    ends: I32  # of each piece, in `corners`
    diagonals: I32  # (., 2)
    counts: Records  # (1,)


@kernel
def meadow(
    x: I64, z: I64, rings: I64, max_corners: int, cancelled: U8
) -> tuple[int, I32, I32, I32, I32, I32]:  # fmt: skip
    """Divide the island of corners x, z; ring r is rings[r]:rings[r + 1], the outer one first.

    Returns what became of it; ends and corners of its pieces; the diagonals, in the order of splitting; the bridges,
    each as the ends of both its edges, to and fro; and which given corner each corner is. Bridges double corners:
    doubles are numbered after the given ones.
    """
    none = np.empty((0, 4), np.int32)
    holes = len(rings) - 2
    room = len(x) + 2 * max(holes, 0)
    whole_x, whole_z, given = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int32)
    whole_x[: len(x)], whole_z[: len(x)] = x, z
    given[: len(x)] = np.arange(len(x))
    ring = _clean(x, z, rings[0], rings[1], 1)
    bridges = np.empty((max(holes, 0), 4), np.int32)
    status, count = DIVIDED, len(x)
    if len(ring) < 3:
        status = TOO_FEW_CORNERS
    elif holes > 0:
        status, count, ring = _bridged(whole_x, whole_z, given, count, ring, rings, bridges, cancelled)
    if status != DIVIDED:
        return status, none[:, 0], none[:, 0], none[:, :2], none, none[:, 0]
    status, ends, corners, diagonals = _split(whole_x, whole_z, ring, max_corners, cancelled)
    return status, ends, corners, diagonals, bridges, given[:count]


@kernel
def _clean(x: I64, z: I64, begin: int, end: int, sign: int) -> I32:
    """The ring without corners that repeat or that lie on a straight line, turned so that its area has this sign.

    A corner at which a ring comes by twice stays: the ring would not fit itself there.
    """
    left = np.arange(begin, end).astype(np.int32)
    changed = True
    while changed and len(left) >= 3:
        changed = False
        places = np.sort((x[left] << 32) + z[left])
        kept = np.empty(len(left), np.int32)
        count = 0
        for k in range(len(left)):
            here, after = left[k], left[k + 1 if k + 1 < len(left) else 0]
            before = kept[count - 1] if count > 0 else left[-1]
            if same_corner(x, z, here, after) or (
                side(x, z, before, here, after) == 0 and _is_alone(places, (x[here] << 32) + z[here])
            ):
                changed = True
            else:
                kept[count] = here
                count += 1
        left = kept[:count].copy()
    area = np.int64(0)
    for k in range(len(left)):
        area += side(x, z, left[0], left[k - 1], left[k])
    if area == 0:
        return left[:0].copy()
    return left[::-1].copy() if (area > 0) != (sign > 0) else left


@inlined
def _is_alone(places: I64, place: AnyInt) -> AnyBool:
    """Whether a place occurs once among sorted ones."""
    at = np.searchsorted(places, place)
    return at + 1 == len(places) or places[at + 1] != place


@kernel
def _bridged(
    x: I64, z: I64, given: I32, count: int, ring: I32, rings: I64, bridges: I32, cancelled: U8
) -> tuple[int, int, I32]:
    """One ring of the outer one and all holes, each joined by two edges to and fro."""
    holes = [_clean(x, z, rings[1], rings[2], -1)]
    for k in range(2, len(rings) - 1):
        holes.append(_clean(x, z, rings[k], rings[k + 1], -1))
    first = np.empty((len(holes), 3), np.int64)
    for k in range(len(holes)):
        if len(holes[k]) < 3:
            return TOO_FEW_CORNERS, count, ring
        h = holes[k][_leftmost(x, z, holes[k])]
        first[k] = x[h], z[h], k
    done = np.zeros(len(holes), np.uint8)
    for turn in range(len(holes)):
        if cancelled[0]:
            return GIVEN_UP, count, ring
        chosen = -1
        for k in range(len(holes)):
            if not done[k] and (chosen < 0 or _comes_first(first[k], first[chosen])):
                chosen = k
        done[chosen] = 1
        hole = holes[chosen]
        at = _leftmost(x, z, hole)
        place = _bridge_end(x, z, ring, hole[at], holes)
        if place < 0:
            return HOLE_NOT_SEEN, count, ring
        v, h = ring[place], hole[at]
        for k in range(len(hole)):  # where a hole comes by here twice, the bridge lands in one of its angles
            after = hole[k + 1 if k + 1 < len(hole) else 0]
            if same_corner(x, z, hole[k], h) and in_cone(x, z, hole[k - 1], hole[k], after, v):
                at, h = k, hole[k]
                break
        x[count], z[count], given[count] = x[h], z[h], given[h]
        x[count + 1], z[count + 1], given[count + 1] = x[v], z[v], given[v]
        joined = np.empty(len(ring) + len(hole) + 2, np.int32)
        joined[: place + 1] = ring[: place + 1]
        for k in range(len(hole)):
            joined[place + 1 + k] = hole[(at + k) % len(hole)]
        joined[place + 1 + len(hole)], joined[place + 2 + len(hole)] = count, count + 1
        joined[place + 3 + len(hole) :] = ring[place + 1 :]
        for earlier in bridges[:turn]:  # an edge that went on from v goes on from its double now
            for k in (0, 2):
                if earlier[k] == v:
                    earlier[k] = count + 1
        bridges[turn, 0], bridges[turn, 1], bridges[turn, 2], bridges[turn, 3] = v, h, count, count + 1
        ring, count = joined, count + 2
    return DIVIDED, count, ring


@inlined
def _comes_first(one: I64, other: I64) -> bool:
    for k in range(3):
        if one[k] != other[k]:
            return one[k] < other[k]
    return False


@inlined
def _leftmost(x: I64, z: I64, ring: I32) -> AnyInt:
    """Which corner of a ring has the least x, and of those the least z."""
    best = 0
    for k in range(1, len(ring)):
        if x[ring[k]] < x[ring[best]] or (x[ring[k]] == x[ring[best]] and z[ring[k]] < z[ring[best]]):
            best = k
    return best


@kernel
def _bridge_end(x: I64, z: I64, ring: I32, h: AnyInt, holes: list[I32]) -> int:
    """The place in the ring nearest to a hole's corner h that sees it; -1 where none does."""
    tried = np.zeros(len(ring), np.uint8)
    while True:
        best, nearest = -1, squared_length(x, z, h, h)
        for k in range(len(ring)):
            away = squared_length(x, z, ring[k], h)
            if not tried[k] and (best < 0 or away < nearest):
                best, nearest = k, away
        if best < 0:
            return -1
        tried[best] = 1
        v, after = ring[best], ring[best + 1 if best + 1 < len(ring) else 0]
        if in_cone(x, z, ring[best - 1], v, after, h) and sees(x, z, ring, v, h):
            free = True
            for hole in holes:  # those that are in the ring already are seen twice
                if not sees(x, z, hole, v, h):
                    free = False
                    break
            if free:
                return best


@kernel
def _split(x: I64, z: I64, whole: I32, max_corners: int, cancelled: U8) -> tuple[int, I32, I32, I32]:
    """Split a ring into convex pieces of so many corners at most."""
    room = 3 * len(whole)
    stack, ends = np.empty(room, np.int32), np.empty(len(whole) + 1, np.int64)
    found = _Pieces(
        np.empty(room, np.int32), np.empty(len(whole), np.int32), np.empty((len(whole), 2), np.int32),
        np.zeros(1, _COUNTS),
    )  # fmt: skip
    counts = found.counts
    stack[: len(whole)], ends[0], ends[1] = whole, 0, len(whole)
    depth, status = 1, DIVIDED
    while depth > 0:
        begin, end = ends[depth - 1], ends[depth]
        ring = stack[begin:end].copy()
        depth -= 1
        i, j = _diagonal(x, z, ring)
        if i == _NOBODY:
            if not _turns_once(x, z, ring):
                status = NOT_SIMPLE
                break
            _cut_down(x, z, ring, max_corners, found)
            continue
        if j == _NOBODY or cancelled[0]:
            status = GIVEN_UP if cancelled[0] else NOT_SIMPLE
            break
        _note_diagonal(found, ring[i], ring[j])
        for here, there in ((j, i), (i, j)):  # the part from i to j is on top
            length = (there - here) % len(ring) + 1
            for k in range(length):
                stack[begin + k] = ring[(here + k) % len(ring)]
            begin += length
            depth += 1
            ends[depth] = begin
    pieces, cuts, used = counts[0].pieces, counts[0].diagonals, counts[0].corners
    return status, found.ends[:pieces].copy(), found.corners[:used].copy(), found.diagonals[:cuts].copy()


@kernel
def _diagonal(x: I64, z: I64, ring: I32) -> tuple[AnyInt, AnyInt]:
    """The reflex corner to split at, and where to: its place in the ring, or -1 where nothing is seen.

    (-1, -1): there is no reflex corner.
    """
    m = len(ring)
    ranks, lengths = np.empty(m, np.int8), np.empty(m, np.int64)
    reflex = _NOBODY
    for i in range(m):
        before, at, after = ring[i - 1], ring[i], ring[i + 1 if i + 1 < m else 0]
        if side(x, z, before, at, after) >= 0:
            continue
        reflex = np.int64(i)
        for j in range(m):
            ranks[j] = _rank(x, z, ring, i, j)
            lengths[j] = squared_length(x, z, at, ring[j])
        while True:
            best = -1
            for j in range(m):
                if ranks[j] < 0:
                    continue
                if best < 0 or ranks[j] < ranks[best] or (ranks[j] == ranks[best] and lengths[j] < lengths[best]):
                    best = j
            if best < 0:
                break
            if sees(x, z, ring, at, ring[best]):
                return i, best
            ranks[best] = -1
    return reflex, _NOBODY


@inlined
def _rank(x: I64, z: I64, ring: I32, i: AnyInt, j: AnyInt) -> AnyInt:
    """How good a split from i to j is: 0 where both corners become convex on both sides, -1 where it is none."""
    m = len(ring)
    after_i, after_j = ring[i + 1 if i + 1 < m else 0], ring[j + 1 if j + 1 < m else 0]
    before_i, before_j = ring[i - 1], ring[j - 1]
    a, b = ring[i], ring[j]
    if j == i or b in (after_i, before_i) or same_corner(x, z, a, b):
        return -1
    if not (in_cone(x, z, before_i, a, after_i, b) and in_cone(x, z, before_j, b, after_j, a)):
        return -1
    left_over = 0
    if not (side(x, z, before_i, a, b) >= 0 and side(x, z, b, a, after_i) >= 0):
        left_over = 2
    if not (side(x, z, before_j, b, a) >= 0 and side(x, z, a, b, after_j) >= 0):
        left_over += 1
    return left_over


@kernel
def _turns_once(x: I64, z: I64, ring: I32) -> bool:
    """Whether a ring without reflex corners goes around once: floors above each other may be wound like a spring."""
    turns = 0
    last = ring[-1]
    fell = z[last] < z[ring[-2]] or (z[last] == z[ring[-2]] and x[last] < x[ring[-2]])
    for here in ring:
        falls = z[here] < z[last] or (z[here] == z[last] and x[here] < x[last])
        turns += falls and not fell
        last, fell = here, falls
    return turns == 1


@kernel
def _cut_down(x: I64, z: I64, ring: I32, max_corners: int, found: _Pieces) -> None:
    """Write a convex ring as pieces of so many corners at most, the first ones first.

    Where these or the others lie on one line, the ring is turned on by a corner: a piece without area helps nobody.
    """
    while len(ring) > max_corners:
        for _ in range(len(ring)):
            rest = np.append(ring[:1], ring[max_corners - 1 :])
            if not (_is_flat(x, z, ring[:max_corners]) or _is_flat(x, z, rest)):
                break
            ring = np.append(ring[1:], ring[:1])
        _note_piece(found, ring[:max_corners])
        _note_diagonal(found, ring[0], ring[max_corners - 1])
        ring = np.append(ring[:1], ring[max_corners - 1 :])
    _note_piece(found, ring)


@borrowing
def _note_piece(found: _Pieces, ring: I32) -> None:
    count = found.counts[0]
    for k in range(len(ring)):
        found.corners[count.corners + k] = ring[k]
    count.corners += len(ring)
    found.ends[count.pieces] = count.corners
    count.pieces += 1


@borrowing
def _note_diagonal(found: _Pieces, begin: AnyInt, end: AnyInt) -> None:
    count = found.counts[0]
    found.diagonals[count.diagonals, 0], found.diagonals[count.diagonals, 1] = begin, end
    count.diagonals += 1


@inlined
def _is_flat(x: I64, z: I64, ring: I32) -> bool:
    flat = True
    for k in range(2, len(ring)):
        flat &= side(x, z, ring[0], ring[1], ring[k]) == 0
    return flat


# What corners of a ring see of each other. A ring goes around its ground with positive `side`; holes go the other way.
# Coordinates below 2³⁰ are exact in int64.


@inlined
def side(x: I64, z: I64, a: AnyInt, b: AnyInt, c: AnyInt) -> AnyInt:
    """Above 0 where c lies on the ground's side of a → b: twice the area of a, b, c."""
    return (x[b] - x[a]) * (z[c] - z[a]) - (z[b] - z[a]) * (x[c] - x[a])


@inlined
def same_corner(x: I64, z: I64, a: AnyInt, b: AnyInt) -> AnyBool:
    return x[a] == x[b] and z[a] == z[b]


@inlined
def squared_length(x: I64, z: I64, a: AnyInt, b: AnyInt) -> AnyInt:
    return (x[b] - x[a]) * (x[b] - x[a]) + (z[b] - z[a]) * (z[b] - z[a])


@inlined
def in_cone(x: I64, z: I64, before: AnyInt, at: AnyInt, after: AnyInt, other: AnyInt) -> AnyBool:
    """Whether the way from corner `at` to `other` begins strictly inside the ground."""
    if side(x, z, before, at, after) < 0:
        return not (side(x, z, at, other, after) >= 0 and side(x, z, other, at, before) >= 0)
    return side(x, z, at, other, before) > 0 and side(x, z, other, at, after) > 0


@inlined
def _within(x: I64, z: I64, a: AnyInt, b: AnyInt, c: AnyInt) -> AnyBool:
    """Whether c, which lies on the line through a and b, lies between them or on one of them."""
    if x[a] != x[b]:
        return x[a] <= x[c] <= x[b] or x[b] <= x[c] <= x[a]
    return z[a] <= z[c] <= z[b] or z[b] <= z[c] <= z[a]


@inlined
def _on_open_segment(x: I64, z: I64, a: AnyInt, b: AnyInt, c: AnyInt) -> AnyBool:
    if same_corner(x, z, a, c) or same_corner(x, z, b, c):
        return False
    return side(x, z, a, b, c) == 0 and _within(x, z, a, b, c)


@inlined
def _touch(x: I64, z: I64, a: AnyInt, b: AnyInt, c: AnyInt, d: AnyInt) -> AnyBool:
    """Whether the closed segments ab and cd have a point in common."""
    on_c, on_d = side(x, z, a, b, c), side(x, z, a, b, d)
    on_a, on_b = side(x, z, c, d, a), side(x, z, c, d, b)
    if ((on_c > 0 and on_d < 0) or (on_c < 0 and on_d > 0)) and ((on_a > 0 and on_b < 0) or (on_a < 0 and on_b > 0)):
        return True
    if (on_c == 0 and _within(x, z, a, b, c)) or (on_d == 0 and _within(x, z, a, b, d)):
        return True
    return (on_a == 0 and _within(x, z, c, d, a)) or (on_b == 0 and _within(x, z, c, d, b))


@kernel
def sees(x: I64, z: I64, ring: I32, a: AnyInt, b: AnyInt) -> bool:
    """Whether no edge of a ring lies between the corners a and b.

    Edges that begin or end at one of them are in the way only where their other end lies between them.
    """
    low_x, high_x = min(x[a], x[b]), max(x[a], x[b])
    low_z, high_z = min(z[a], z[b]), max(z[a], z[b])
    c = ring[-1]
    for d in ring:
        first, c = c, d
        if max(x[first], x[d]) < low_x or min(x[first], x[d]) > high_x:
            continue
        if max(z[first], z[d]) < low_z or min(z[first], z[d]) > high_z:
            continue
        from_end = same_corner(x, z, first, a) or same_corner(x, z, first, b)
        to_end = same_corner(x, z, d, a) or same_corner(x, z, d, b)
        if from_end or to_end:
            if _on_open_segment(x, z, a, b, first) or _on_open_segment(x, z, a, b, d):
                return False
        elif _touch(x, z, a, b, first, d):
            return False
    return True
