"""The walked point that is farthest from an edge, found without looking at most of them.

Walked points come in blocks of 64; in long outlines with a circle around each. A block whose circle is near enough to
the edge holds no point that matters. That is exact: see `cover_blocks`.
"""

from __future__ import annotations

import math

import numpy as np

from ...geometry.segments import part_along, squared_distance
from ...jit import kernel
from ...types import AREA_BORDER, F64, I32, LINK, REGION_MASK, AnyInt

POINTS_PER_BLOCK = 64
LONG = 1024  # points; shorter outlines are looked at as they are
WORTH_A_TEST = 12  # points of a block
_CENTER_X, _CENTER_Z, _RADIUS = 0, 1, 2  # columns of circles


@kernel
def is_forward(walked: I32, a: AnyInt, b: AnyInt) -> bool:
    """Are points a and b in ascending order of (x, z)? Both sides of a shared edge are treated alike thanks to this."""
    ax, bx = walked[a, 0], walked[b, 0]
    return bx > ax or (bx == ax and walked[b, 2] > walked[a, 2])


@kernel
def distance2(ax: int, az: int, bx: int, bz: int, x: int, z: int) -> np.float32:
    """Squared distance of point (x, z) from segment a → b, rounded to float32 after every operation as Recast's is."""
    u, v = np.float32(bx - ax), np.float32(bz - az)
    t = part_along(u * np.float32(x - ax) + v * np.float32(z - az), u * u + v * v)
    dx, dz = (np.float32(ax) + t * u) - np.float32(x), (np.float32(az) + t * v) - np.float32(z)
    return dx * dx + dz * dz


@kernel
def cover_blocks(walked: I32, circles: F64) -> None:
    """Circles (x, z, radius) around the points of each block, if the outline is long.

    The radius has a margin for the rounding of `distance2`: with coordinates and differences up to m the nearest point
    on the segment is off by 13 · 2⁻²⁴ m at most (9 along the segment, through t; 4 across), below a tenth of 10⁻⁵ m.
    """
    n, most = walked.shape[0], 1
    if n < LONG:
        return
    for i in range(n):
        most = max(most, abs(walked[i, 0]), abs(walked[i, 2]))
    for block in range((n + POINTS_PER_BLOCK - 1) // POINTS_PER_BLOCK):
        low, high = block * POINTS_PER_BLOCK, min(n, (block + 1) * POINTS_PER_BLOCK)
        x0, x1, z0, z1 = walked[low, 0], walked[low, 0], walked[low, 2], walked[low, 2]
        for i in range(low + 1, high):
            x, z = walked[i, 0], walked[i, 2]
            x0, x1, z0, z1 = min(x0, x), max(x1, x), min(z0, z), max(z1, z)
        circles[block, _CENTER_X], circles[block, _CENTER_Z] = (x0 + x1) / 2, (z0 + z1) / 2
        circles[block, _RADIUS] = math.hypot(x1 - x0, z1 - z0) / 2 + 1e-5 * most


@kernel
def farthest(walked: I32, circles: F64, a: AnyInt, b: AnyInt, limit: np.float32) -> int:
    """The point between corners a and b whose squared distance from their edge is greatest, if above `limit`; else −1.

    Only along walls and between areas; the first point's link decides for the whole stretch. The first of several
    wins, going from the lower (x, z) to the higher: upward in the list or downward.
    """
    n, a, b = walked.shape[0], np.int64(a), np.int64(b)
    upward = is_forward(walked, a, b)
    start = (a + 1 if a + 1 < n else 0) if upward else (b - 1 if b > 0 else n - 1)
    link = walked[start, LINK]
    if link & REGION_MASK != 0 and link & AREA_BORDER == 0:
        return -1
    low, high = (a, b) if upward else (b, a)
    best = np.float32(0), -1
    for half in range(2):  # behind a to the end of the list, and from its beginning to b; one of them if a < b
        if (half == 0) == upward:
            begin, end = a + 1, (b if a < b else n)
        else:
            begin, end = np.int64(0), (np.int64(0) if a < b else b)
        best = _farthest_within(walked, circles, (begin, end), (low, high), upward, limit, best)
    return best[1]


@kernel
def _farthest_within(
    walked: I32, circles: F64, points: tuple[AnyInt, AnyInt], edge: tuple[AnyInt, AnyInt], upward: bool,
    limit: np.float32, best: tuple[np.float32, int],
) -> tuple[np.float32, int]:  # fmt: skip
    """The same over points begin … end. `best` is the best one so far: (squared distance, point)."""
    (begin, end), (a, b), (longest, point) = points, edge, best
    if begin >= end:
        return best
    ax, az, bx, bz = walked[a, 0], walked[a, 2], walked[b, 0], walked[b, 2]
    is_long = walked.shape[0] >= LONG
    threshold = max(longest, limit)
    reach = math.sqrt(np.float64(threshold))
    first, last = begin // POINTS_PER_BLOCK, (end - 1) // POINTS_PER_BLOCK
    for k in range(last - first + 1):
        block = first + k if upward else last - k
        low, high = max(begin, block * POINTS_PER_BLOCK), min(end, (block + 1) * POINTS_PER_BLOCK)
        if is_long and high - low > WORTH_A_TEST and _is_near(circles, block, ax, az, bx, bz, reach):
            continue
        here = False
        for i in range(low, high):
            distance = distance2(ax, az, bx, bz, walked[i, 0], walked[i, 2])
            # Downward, the last one of a block wins, but not over one in a block before.
            if distance > threshold or (here and not upward and distance == threshold):
                threshold, point, here = distance, i, True
        if here:
            reach = math.sqrt(np.float64(threshold))
    return threshold, point


@kernel
def _is_near(circles: F64, block: int, ax: int, az: int, bx: int, bz: int, reach: float) -> bool:
    """Is the whole circle of a block within `reach` of the segment a → b?"""
    x, z, room = circles[block, _CENTER_X], circles[block, _CENTER_Z], reach - circles[block, _RADIUS]
    if room < 0:
        return False
    distance = squared_distance(x, z, np.float64(ax), np.float64(az), np.float64(bx), np.float64(bz))
    return distance <= room * room
