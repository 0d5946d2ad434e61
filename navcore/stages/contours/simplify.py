"""Simplified outlines: only those points are kept that straight edges cannot do without.

The walked point that is farthest from an edge is found without looking at most of them: walked points come in blocks of
64; in long outlines with a circle around each. A block whose circle is near enough to the edge holds no point that
matters. That is exact: see `cover_blocks`.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from ...geometry.segments import part_along, squared_distance
from ...jit import kernel
from ...threads import Workers
from ...types import AREA_BORDER, BORDER_VERTEX, F64, I32, LINK, REGION_MASK, U8, AnyInt, Contours
from .trace import WalkedOutlines


def simplify_outlines(
    outlines: WalkedOutlines, max_error_vx: np.float32, splitting: tuple[int, bool, bool], border: int, workers: Workers
) -> Contours:
    """Every outline with three corners or more, simplified; the others vanish.

    `splitting` is (longest edge in vx, split along walls, split between areas). Takes over `outlines.points`.
    Recast: simplifyContour, removeDegenerateSegments.
    """
    all_corners = np.empty(outlines.points.shape[0], np.int32)
    counts = np.zeros(outlines.region.shape[0], np.int32)
    limit, cancelled = max_error_vx * max_error_vx, workers.progress.cancelled
    jobs = [(outlines, limit, splitting, all_corners, counts, cancelled, *band) for band in _bands(outlines, workers)]
    workers.run(simplify_all, jobs)
    workers.progress.check()
    contours: Contours = contours_of_corners(outlines, all_corners, counts, border)
    return contours


def offsets(counts: I32) -> I32:
    """(K,) lengths → (K + 1,) where each begins, and the sum at the end."""
    first = np.zeros(counts.shape[0] + 1, np.int32)
    np.cumsum(counts, dtype=np.int32, out=first[1:])
    return first


def _bands(outlines: WalkedOutlines, workers: Workers) -> list[tuple[int, int]]:
    """Ranges of outlines with about as many points each."""
    ends = [end for _, end in workers.bands(outlines.points.shape[0], 20_000, 1 << 20)]
    cuts = [0, *(int(cut) for cut in np.searchsorted(outlines.first, ends[:-1])), outlines.region.shape[0]]
    return [(begin, end) for begin, end in pairwise(cuts) if begin < end]


@kernel
def simplify_all(
    outlines: WalkedOutlines, limit: np.float32, splitting: tuple[int, bool, bool], all_corners: I32, counts: I32,
    cancelled: U8, begin: int, end: int,
) -> None:  # fmt: skip
    """Outlines begin … end: which points stay is written to `all_corners`, where the outline's own points begin."""
    first, points = outlines.first, outlines.points
    length, walls, areas = splitting
    longest = np.int64(0)
    for k in range(begin, end):
        longest = max(longest, np.int64(first[k + 1] - first[k]))
    pending = np.empty(longest + 2, np.int32)
    circles = np.empty((longest // POINTS_PER_BLOCK + 1, 3), np.float64)
    for k in range(begin, end):
        base, n = first[k], first[k + 1] - first[k]
        if n < 3 or cancelled[0] != 0:
            continue
        corners = all_corners[base : base + n]
        walked = points[base : base + n]
        cover_blocks(walked, circles)
        count = _seeds(walked, corners)
        count = _add_far_points(walked, corners, count, pending, circles, limit, cancelled)
        if length > 0:
            count = _split_long_edges(walked, corners, count, pending, length, walls, areas)
        count = _drop_doubles(walked, corners, count)
        counts[k] = count if count >= 3 else 0


@kernel
def _seeds(walked: I32, corners: I32) -> int:
    """The first corners: where the neighbor across the edge changes; without any change the two extreme points."""
    n, count, any_region = walked.shape[0], 0, 0
    for i in range(n):
        link = walked[i, LINK]
        any_region |= link & REGION_MASK
        if (link ^ walked[i + 1 if i + 1 < n else 0, LINK]) & (REGION_MASK | AREA_BORDER) != 0:
            corners[count] = i
            count += 1
    if count > 0 and any_region != 0:  # walls that differ only in AREA_BORDER do not count
        return count
    low, high = 0, 0
    for i in range(n):
        x, z = walked[i, 0], walked[i, 2]
        if x < walked[low, 0] or (x == walked[low, 0] and z < walked[low, 2]):
            low = i
        if x > walked[high, 0] or (x == walked[high, 0] and z > walked[high, 2]):
            high = i
    corners[0], corners[1] = low, high
    return 2


@kernel
def _stack_up(corners: I32, count: int, pending: I32) -> int:
    """Put the corners on a stack, the first one on top, and the first one again below all: it closes the circle."""
    pending[0] = corners[0]
    for i in range(count):
        pending[count - i] = corners[i]
    return count


@kernel
def _add_far_points(
    walked: I32, corners: I32, count: int, pending: I32, circles: F64, limit: np.float32, cancelled: U8
) -> int:
    """Between two corners, add the farthest point while it is beyond the limit. Returns the number of corners.

    Recast inserts into the list of corners; as it never goes back before an edge that fits, a stack of the corners
    ahead gives the same list without moving its tail.
    """
    top = _stack_up(corners, count, pending)
    count = 0
    while top > 0:
        a, b = pending[top], pending[top - 1]
        new = farthest(walked, circles, a, b, limit)
        if new >= 0:
            pending[top], pending[top + 1] = new, a
            top += 1
        else:
            corners[count] = a
            count += 1
            top -= 1
        if cancelled[0]:
            return 0
    return count


@kernel
def _split_long_edges(
    walked: I32, corners: I32, count: int, pending: I32, length: int, walls: bool, areas: bool
) -> int:
    """Halve (by walked points) the edges longer than `length` until none is. Returns the number of corners."""
    top = _stack_up(corners, count, pending)
    count = 0
    while top > 0:
        a, b = pending[top], pending[top - 1]
        new = _middle(walked, a, b, length, walls, areas)
        if new >= 0:
            pending[top], pending[top + 1] = new, a
            top += 1
        else:
            corners[count] = a
            count += 1
            top -= 1
    return count


@kernel
def _middle(walked: I32, a: int, b: int, length: int, walls: bool, areas: bool) -> int:
    """The point halfway between corners a and b if their edge is too long; else −1."""
    n = walked.shape[0]
    link = walked[a + 1 if a + 1 < n else 0, LINK]
    if not (walls and link & REGION_MASK == 0) and not (areas and link & AREA_BORDER != 0):
        return -1
    dx, dz = np.int64(walked[b, 0] - walked[a, 0]), np.int64(walked[b, 2] - walked[a, 2])
    steps = b - a if b >= a else b - a + n
    if steps < 2 or dx * dx + dz * dz <= np.int64(length) * np.int64(length):
        return -1
    # Rounded up against the order of (x, z), so that the neighbor splits a shared edge at the same point.
    half = steps // 2 if is_forward(walked, a, b) else (steps + 1) // 2
    new = a + half
    return new - n if new >= n else new


@kernel
def _drop_doubles(walked: I32, corners: I32, count: int) -> int:
    """Drop a corner at the place of the next one; returns how many are left.

    As Recast: the corner that takes a dropped one's place is not looked at again, and the last one is compared with
    whatever is first by then.
    """
    left, i = 0, 0
    while i < count:
        a, b = corners[i], corners[i + 1 if i + 1 < count else 0]
        if walked[a, 0] == walked[b, 0] and walked[a, 2] == walked[b, 2]:
            i += 1
            if i < count:
                corners[left] = b
                left += 1
        else:
            corners[left] = a
            left += 1
        i += 1
    return left


@kernel
def contours_of_corners(outlines: WalkedOutlines, all_corners: I32, counts: I32, border: int) -> Contours:
    """Contours of the points that stay; moves the walked points together and takes the border off both."""
    first, walked = outlines.first, outlines.points
    contours, total = 0, 0
    for k in range(counts.shape[0]):
        contours += counts[k] > 0
        total += counts[k]
    own_first, raw_first = np.zeros(contours + 1, np.int32), np.zeros(contours + 1, np.int32)
    region, area = np.empty(contours, np.uint16), np.empty(contours, np.uint8)
    points = np.empty((total, 4), np.int32)
    contour, done, raw_done = 0, 0, 0
    for k in range(counts.shape[0]):
        base, n = first[k], first[k + 1] - first[k]
        if counts[k] == 0:
            continue
        for i in range(counts[k]):
            _write_point(walked, base, n, all_corners[base + i], border, points, done + i)
        if raw_done != base or border != 0:
            for i in range(base, base + n):
                walked[raw_done + i - base, 0] = walked[i, 0] - border
                walked[raw_done + i - base, 1] = walked[i, 1]
                walked[raw_done + i - base, 2] = walked[i, 2] - border
                walked[raw_done + i - base, LINK] = walked[i, LINK]
        done += counts[k]
        raw_done += n
        region[contour], area[contour] = outlines.region[k], outlines.area[k]
        contour += 1
        own_first[contour], raw_first[contour] = done, raw_done
    return Contours(own_first, points, raw_first, walked[:raw_done], region, area)


@kernel
def _write_point(walked: I32, base: int, n: int, corner: int, border: int, points: I32, place: int) -> None:
    """A corner of an outline, with what lies across the edge that starts there."""
    after = corner + 1 if corner + 1 < n else 0
    points[place, 0] = walked[base + corner, 0] - border
    points[place, 1] = walked[base + corner, 1]
    points[place, 2] = walked[base + corner, 2] - border
    across, own = walked[base + after, LINK], walked[base + corner, LINK]
    points[place, LINK] = (across & (REGION_MASK | AREA_BORDER)) | (own & BORDER_VERTEX)


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
