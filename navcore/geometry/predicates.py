"""Predicates on integer points of the ground plane, shared by contours and polygons.

Points are scalars (x, z); heights never take part. "Left" is Recast's: the side with a negative `area2`. Coordinates
below 2³⁰ are exact, as Numba computes in int64. Recast: the helpers of RecastContour and RecastMesh.
"""

from __future__ import annotations

from ..jit import kernel
from ..types import AnyBool, AnyInt


@kernel
def area2(ax: AnyInt, az: AnyInt, bx: AnyInt, bz: AnyInt, cx: AnyInt, cz: AnyInt) -> int:
    """Twice the signed area of triangle a, b, c."""
    return (bx - ax) * (cz - az) - (cx - ax) * (bz - az)


@kernel
def left(ax: AnyInt, az: AnyInt, bx: AnyInt, bz: AnyInt, cx: AnyInt, cz: AnyInt) -> AnyBool:
    """Is c strictly left of the line a → b?"""
    return area2(ax, az, bx, bz, cx, cz) < 0


@kernel
def left_on(ax: AnyInt, az: AnyInt, bx: AnyInt, bz: AnyInt, cx: AnyInt, cz: AnyInt) -> AnyBool:
    """Is c left of the line a → b or on it?"""
    return area2(ax, az, bx, bz, cx, cz) <= 0


@kernel
def crosses(ax: AnyInt, az: AnyInt, bx: AnyInt, bz: AnyInt, cx: AnyInt, cz: AnyInt, dx: AnyInt, dz: AnyInt) -> AnyBool:
    """Do segments ab and cd cross at a point inside both (no end of one on the line of the other)?"""
    c, d = area2(ax, az, bx, bz, cx, cz), area2(ax, az, bx, bz, dx, dz)
    a, b = area2(cx, cz, dx, dz, ax, az), area2(cx, cz, dx, dz, bx, bz)
    if a == 0 or b == 0 or c == 0 or d == 0:
        return False
    return (c < 0) != (d < 0) and (a < 0) != (b < 0)


@kernel
def between(ax: AnyInt, az: AnyInt, bx: AnyInt, bz: AnyInt, cx: AnyInt, cz: AnyInt) -> AnyBool:
    """Does c lie on the closed segment ab? (If a = b only z is compared, as in Recast.)"""
    if area2(ax, az, bx, bz, cx, cz) != 0:
        return False
    if ax != bx:
        return ax <= cx <= bx or bx <= cx <= ax
    return az <= cz <= bz or bz <= cz <= az


@kernel
def meets(ax: AnyInt, az: AnyInt, bx: AnyInt, bz: AnyInt, cx: AnyInt, cz: AnyInt, dx: AnyInt, dz: AnyInt) -> AnyBool:
    """Do the closed segments ab and cd have a point in common?

    Segments whose bounding boxes are apart have none, which settles most calls without a product. A segment of length
    zero is the exception: as in Recast it meets whatever touches its z, at any x.
    """
    if max(az, bz) < min(cz, dz) or max(cz, dz) < min(az, bz):
        return False
    if max(ax, bx) < min(cx, dx) or max(cx, dx) < min(ax, bx):
        if (ax != bx or az != bz) and (cx != dx or cz != dz):
            return False
    if crosses(ax, az, bx, bz, cx, cz, dx, dz):
        return True
    if between(ax, az, bx, bz, cx, cz) or between(ax, az, bx, bz, dx, dz):
        return True
    return between(cx, cz, dx, dz, ax, az) or between(cx, cz, dx, dz, bx, bz)


@kernel
def in_cone(lx: int, lz: int, vx: int, vz: int, rx: int, rz: int, px: int, pz: int) -> AnyBool:
    """Does the way from corner v to p start strictly inside the polygon? l and r are the corners before and after v."""
    before, after = left(vx, vz, px, pz, lx, lz), left(px, pz, vx, vz, rx, rz)
    if left_on(lx, lz, vx, vz, rx, rz):  # convex
        return before and after
    return before or after


@kernel
def in_loose_cone(lx: int, lz: int, vx: int, vz: int, rx: int, rz: int, px: int, pz: int) -> AnyBool:
    """As in_cone, but at a convex corner the way may run along an edge."""
    if left_on(lx, lz, vx, vz, rx, rz):
        return left_on(vx, vz, px, pz, lx, lz) and left_on(px, pz, vx, vz, rx, rz)
    return left(vx, vz, px, pz, lx, lz) or left(px, pz, vx, vz, rx, rz)
