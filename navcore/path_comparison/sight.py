"""What corners of a ring see of each other: exact tests on whole numbers.

A ring goes around its ground with positive `side`; holes go the other way. Coordinates below 2³⁰ are exact in int64.
"""

from __future__ import annotations

from ..jit import inlined, kernel
from ..types import I32, I64, AnyBool, AnyInt


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
