"""Outlines closer to the ground where a region could not be built otherwise.

Recast keeps the edges between two regions straight, however far that is from the ground, and edges along walls within
an error. Around the regions given here both are held to an error of their own. The two sides of an edge get the same
corners: they start from the same points, and what is farthest does not depend on the direction.
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from ...geometry.places import enter_place, no_places, slot_of_place
from ...geometry.segments import squared_distance
from ...jit import kernel
from ...types import (
    AREA_BORDER,
    BORDER_REGION,
    BORDER_VERTEX,
    F32,
    I32,
    LINK,
    REGION_MASK,
    U8,
    U16,
    AnyInt,
    Contours,
    X,
    Y,
    Z,
)

_EITHER = REGION_MASK | AREA_BORDER


def sharpened(contours: Contours, errors: F32, height_vx: int) -> Contours:
    """Contours, holes not yet merged, with edges of region r no farther from the walk than `errors` (R,)[r] cells.

    Where that is infinite, edges stay as they are unless the region across has an error; below 0 every step of the
    walk is kept. Floors are `height_vx` apart.
    """
    first, points, touched = _sharper(contours, errors)
    return with_level_corners(contours._replace(first=first, points=points), touched, height_vx)


@kernel
def _sharper(contours: Contours, errors: F32) -> tuple[I32, I32, U8]:
    """Where each outline begins, the corners of all, and (K,) 1 for those that an error may have changed.

    (In NumPy, over all that was walked, this took as long as building half of a small level.)
    """
    raw_first, raw, count = contours.raw_first, contours.raw, contours.region.shape[0]
    touched, seeds = np.zeros(count, np.uint8), np.zeros(raw.shape[0], np.uint8)
    _touched(raw_first, raw, contours.region, errors, touched)
    _seeds(raw_first, raw, touched, seeds)
    shared, corners = np.zeros(raw.shape[0], np.uint8), np.zeros(raw.shape[0], np.uint8)
    _share(raw_first, raw, touched, seeds, shared)
    counts = np.empty(count, np.int32)
    for k in range(count):
        counts[k] = contours.first[k + 1] - contours.first[k]
    _mark_corners(contours, errors, touched, seeds, shared, corners, counts)
    first = np.zeros(count + 1, np.int32)
    for k in range(count):
        first[k + 1] = first[k] + counts[k]
    points = np.empty((first[count], 4), np.int32)
    _write(contours, touched, corners, first, points)
    return first, points, touched


def without_border_vertices(contours: Contours, chosen: U8) -> Contours:
    """The same, but the corners of the contours marked in `chosen` (K,) are not to be removed at tile borders."""
    if not chosen.any():
        return contours
    points = contours.points.copy()
    places = points[:, X].astype(np.int64) << 32 | points[:, Z]
    fixed = np.isin(places, places[np.repeat(chosen != 0, np.diff(contours.first))])
    points[fixed, LINK] &= ~BORDER_VERTEX
    return contours._replace(points=points)


@kernel
def _touched(first: I32, raw: I32, region: U16, errors: F32, touched: U8) -> None:
    """Contours with an edge that has an error."""
    for k in range(region.shape[0]):
        has_error = np.isfinite(errors[region[k]])
        for i in range(first[k], first[k + 1]):
            across = raw[i, LINK] & REGION_MASK
            has_error |= across < errors.shape[0] and across != 0 and np.isfinite(errors[across])
        touched[k] = has_error


@kernel
def _share(first: I32, raw: I32, touched: U8, seeds: U8, shared: U8) -> None:
    """Mark the points of touched contours that lie where one of the seeds does."""
    count = 0
    for i in range(seeds.shape[0]):
        count += seeds[i]
    places = no_places(count)
    for i in range(seeds.shape[0]):
        if seeds[i] != 0:
            enter_place(places, raw[i, X], raw[i, Z])
    for k in range(touched.shape[0]):
        if touched[k] != 0:
            for i in range(first[k], first[k + 1]):
                shared[i] = slot_of_place(places, raw[i, X], raw[i, Z]) >= 0


@kernel
def _error(errors: F32, own: np.uint16, link: np.int32) -> np.float32:
    """The error of an edge: the smaller one of its two regions."""
    across = link & REGION_MASK
    if across == 0 or across >= errors.shape[0]:
        return errors[own]
    return min(errors[own], errors[across])


@kernel
def _seeds(first: I32, raw: I32, touched: U8, seeds: U8) -> None:
    """Where the region across changes; without any change the two extreme points."""
    for k in range(touched.shape[0]):
        begin, end, any_seed = first[k], first[k + 1], False
        if touched[k] == 0:
            continue
        low, high = begin, begin
        for i in range(begin, end):
            following = i + 1 if i + 1 < end else begin
            if (raw[i, LINK] ^ raw[following, LINK]) & _EITHER != 0:
                seeds[i], any_seed = 1, True
            x, z = raw[i, X], raw[i, Z]
            if x < raw[low, X] or (x == raw[low, X] and z < raw[low, Z]):
                low = i
            if x > raw[high, X] or (x == raw[high, X] and z > raw[high, Z]):
                high = i
        if not any_seed:
            seeds[low] = seeds[high] = 1


@kernel
def _mark_corners(
    contours: Contours, errors: F32, touched: U8, seeds: U8, shared: U8, corners: U8, counts: I32
) -> None:
    """Mark the walked points that become corners; `counts` of touched contours."""
    first, raw, region = contours.raw_first, contours.raw, contours.region
    for k in range(region.shape[0]):
        if touched[k] == 0:
            continue
        begin, n, own = first[k], np.int64(first[k + 1] - first[k]), region[k]
        walked, marks = raw[begin : begin + n], corners[begin : begin + n]
        _mark_simplified(walked, contours.points[contours.first[k] : contours.first[k + 1]], marks)
        for i in range(n):
            following = walked[i + 1 if i + 1 < n else 0, LINK]
            sharp = np.isfinite(_error(errors, own, walked[i, LINK])), np.isfinite(_error(errors, own, following))
            if seeds[begin + i] != 0 or (shared[begin + i] != 0 and (sharp[0] or sharp[1])):
                marks[i] = 1
            elif sharp[1] and following & REGION_MASK != 0:
                marks[i] = 0  # the other side of this edge knows nothing of it
        _refine(walked, own, errors, marks)
        counts[k] = _drop_doubles(walked, marks)


@kernel
def _mark_simplified(walked: I32, points: I32, marks: U8) -> None:
    """Find the corners of the simplified outline again: they are walked points, in the same order."""
    n, size = walked.shape[0], points.shape[0]
    if size == 0:
        return
    for start in range(n):
        if not _same(walked, start, points, 0):
            continue
        matched = 0
        for step in range(n):
            i = start + step if start + step < n else start + step - n
            if matched < size and _same(walked, i, points, matched):
                matched += 1
        if matched < size:
            continue
        matched = 0
        for step in range(n):
            i = start + step if start + step < n else start + step - n
            if matched < size and _same(walked, i, points, matched):
                marks[i] = 1
                matched += 1
        return


@kernel
def _same(walked: I32, i: int, points: I32, k: int) -> bool:
    return walked[i, X] == points[k, X] and walked[i, Y] == points[k, Y] and walked[i, Z] == points[k, Z]


@kernel
def _refine(walked: I32, own: np.uint16, errors: F32, marks: U8) -> None:
    """Between two marked points, mark the farthest one while it is beyond the error of the edges there."""
    n, start = walked.shape[0], 0
    while start < n and marks[start] == 0:
        start += 1
    if start == n:
        return
    stack = np.empty((n + 2, 2), np.int64)
    a = start
    while a < start + n:
        b = a + 1
        while marks[b if b < n else b - n] == 0:
            b += 1
        error = np.float64(_error(errors, own, walked[a + 1 if a + 1 < n else a + 1 - n, LINK]))
        size = 0
        if error < 0:
            for i in range(a + 1, b):
                marks[i if i < n else i - n] = 1
        elif np.isfinite(error) and b - a > 1:
            stack[0, 0], stack[0, 1] = a, b
            size = 1
        while size > 0:
            size -= 1
            low, high = stack[size, 0], stack[size, 1]
            far = _farthest(walked, low, high, error * error)
            if far >= 0:
                marks[far if far < n else far - n] = 1
                stack[size, 0], stack[size, 1] = low, far
                stack[size + 1, 0], stack[size + 1, 1] = far, high
                size += 2
        a = b


@kernel
def _farthest(walked: I32, low: int, high: int, limit: np.float64) -> int:
    """The point between two others that is farthest from their line, of equals the first in (x, z); -1 if none is."""
    n, farthest, most = walked.shape[0], -1, limit
    a, b = low if low < n else low - n, high if high < n else high - n
    if walked[a, X] > walked[b, X] or (walked[a, X] == walked[b, X] and walked[a, Z] > walked[b, Z]):
        a, b = b, a
    ax, az = np.float64(walked[a, X]), np.float64(walked[a, Z])
    bx, bz = np.float64(walked[b, X]), np.float64(walked[b, Z])
    for step in range(low + 1, high):
        i = step if step < n else step - n
        x, z = walked[i, X], walked[i, Z]
        distance = squared_distance(np.float64(x), np.float64(z), ax, az, bx, bz)
        before = False
        if farthest >= 0:
            at = farthest if farthest < n else farthest - n
            before = x < walked[at, X] or (x == walked[at, X] and z < walked[at, Z])
        if distance > most or (farthest >= 0 and distance == most and before):
            most, farthest = distance, step
    return farthest if most > limit + 1e-9 else -1


@kernel
def _drop_doubles(walked: I32, marks: U8) -> int:
    """Unmark a corner at the place of the next one; how many are left, 0 if that is no ring."""
    n, count = walked.shape[0], 0
    last, first = -1, -1
    for i in range(n):
        if marks[i] == 0:
            continue
        if last >= 0 and walked[i, X] == walked[last, X] and walked[i, Z] == walked[last, Z]:
            marks[last] = 0
            count -= 1
            if last == first:
                first = i
        if first < 0:
            first = i
        last = i
        count += 1
    if count > 1 and walked[last, X] == walked[first, X] and walked[last, Z] == walked[first, Z]:
        marks[last] = 0
        count -= 1
    return count if count >= 3 else 0


@kernel
def _write(contours: Contours, touched: U8, corners: U8, first: I32, points: I32) -> None:
    """All contours: touched ones from the marks, the others as they were."""
    raw_first, raw = contours.raw_first, contours.raw
    for k in range(touched.shape[0]):
        done = first[k]
        if touched[k] == 0:
            for i in range(contours.first[k], contours.first[k + 1]):
                for axis in range(4):
                    points[done, axis] = contours.points[i, axis]
                done += 1
            continue
        if first[k + 1] == done:
            continue
        for i in range(raw_first[k], raw_first[k + 1]):
            if corners[i] != 0:
                following = i + 1 if i + 1 < raw_first[k + 1] else raw_first[k]
                for axis in range(3):
                    points[done, axis] = raw[i, axis]
                points[done, LINK] = (raw[following, LINK] & _EITHER) | (raw[i, LINK] & BORDER_VERTEX)
                done += 1


# --- one height for a corner that several regions share
# Recast takes the highest floor that can be reached from a region's own cell. Two regions that meet may reach different
# floors and give their common corner two heights, too far apart to be welded: the edge between them is then lost.


def with_level_corners(contours: Contours, chosen: U8, height_vx: int) -> Contours:
    """Corners of the contours marked in `chosen` (K,) and of what they touch: where two regions meet, one height.

    Floors lie `height_vx` apart at least: what differs by more is one corner only if all of its regions touch.
    """
    members, begins = _uneven_places(contours, chosen)
    if len(members) == 0:
        return contours
    points, ends = contours.points.copy(), begins.tolist()
    for begin, end in pairwise(ends):
        _level(members[begin:end].tolist(), points, height_vx)
    return contours._replace(points=points)


@kernel
def _uneven_places(contours: Contours, chosen: U8) -> tuple[I32, I32]:
    """Corners at one place that differ in height, one of which is chosen: (M, 4) which point, its region, and the links
    of the edges that end and that begin there; where those of each place begin, and their end."""
    first, points, count = contours.first, contours.points, 0
    for k in range(chosen.shape[0]):
        count += first[k + 1] - first[k] if chosen[k] != 0 else 0
    places = no_places(count)
    for k in range(chosen.shape[0]):
        for i in range(first[k], first[k + 1] if chosen[k] != 0 else first[k]):
            enter_place(places, points[i, X], points[i, Z])
    heads, following = np.full(places.shape[0], np.int32(-1)), np.empty(points.shape[0], np.int32)
    uneven, listed = np.zeros(places.shape[0], np.uint8), 0
    owner, before = np.empty(points.shape[0], np.int32), np.empty(points.shape[0], np.int32)
    for k in range(chosen.shape[0] - 1, -1, -1):
        for i in range(first[k + 1] - 1, first[k] - 1, -1):
            slot = slot_of_place(places, points[i, X], points[i, Z])
            if slot >= 0:
                owner[i], before[i] = k, points[i - 1 if i > first[k] else first[k + 1] - 1, LINK]
                uneven[slot] |= heads[slot] >= 0 and points[i, Y] != points[heads[slot], Y]
                following[i], heads[slot] = heads[slot], i
                listed += 1
    members, begins = np.empty((listed, 4), np.int32), np.zeros(listed + 1, np.int32)
    done, groups = 0, 0
    for slot in range(places.shape[0]):
        if uneven[slot] == 0:
            continue
        point: AnyInt = np.int64(heads[slot])
        while point >= 0:
            members[done, 0], members[done, 1] = point, contours.region[owner[point]]
            members[done, 2], members[done, 3] = before[point], points[point, LINK]
            done, point = done + 1, np.int64(following[point])
        groups += 1
        begins[groups] = done
    return members[:done], begins[: groups + 1]


def _level(group: list[list[int]], points: I32, height_vx: int) -> None:
    """Raise points of one place to the highest of those that an edge connects them with, the nearest ones first."""
    regions, across = [row[1] for row in group], [{_region(row[2]), _region(row[3])} for row in group]
    y = points[[row[0] for row in group], Y].tolist()
    clusters = [{number} for number in range(len(group))]
    touching = [
        (a, b) for a in range(len(group)) for b in range(a) if regions[a] in across[b] or regions[b] in across[a]
    ]
    pairs = set(touching)
    for a, b in sorted(touching, key=lambda pair: abs(y[pair[0]] - y[pair[1]])):
        joined = clusters[a] | clusters[b]
        heights = [y[number] for number in joined]
        direct = all((max(pair), min(pair)) in pairs for pair in combinations(joined, 2))
        if direct or max(heights) - min(heights) < height_vx:
            for number in joined:
                clusters[number] = joined
    for number, row in enumerate(group):
        points[row[0], Y] = max(y[other] for other in clusters[number])


def _region(link: int) -> int:
    """The region across an edge, 0 for none."""
    region = link & REGION_MASK
    return region if region < BORDER_REGION else 0
