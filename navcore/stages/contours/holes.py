"""Join every hole to the outline around it by a bridge that is walked twice, so that one ring bounds the region."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import Cancelled
from ...jit import kernel
from ...threads import Workers
from ...types import I32, I64, U8, U16, AnyInt, Contours
from .bridges import BridgeSearch, Holes, empty_search, find_bridge, prepare_search

OUTLINE, HOLE, JOINED, STUCK = 0, 1, 2, 3  # what became of a contour
X, Z, POINT = 0, 1, 2  # rows of a ring: place, and which point of the contours it is
_WAY_OUT = "Lower Edge Max Error or Cell Size, and leave Repair on."


class HolesByRegion(NamedTuple):
    """The regions that have holes, a group each; holes first[g]:first[g + 1] lie in group g."""

    first: I64  # (G + 1,)
    outline: I64  # (G,) contour, -1 where the region has none
    ring_first: I64  # (G + 1,) room for the finished rings
    holes: Holes


class WrongHoles(NamedTuple):
    """Holes that could not be joined as they should."""

    said: str
    contour: int  # one of them, or an outline of their region


class JoinedBefore(NamedTuple):
    """Outlines and holes, and what came of them, all of it well."""

    apart: Contours
    joined: Contours


def merge_holes(
    contours: Contours,
    workers: Workers,
    wrong: list[WrongHoles] | None = None,
    before: JoinedBefore | None = None,
) -> Contours:
    """Holes become part of their region's outline and leave an empty slot. Recast: mergeRegionHoles.

    A hole without an outline, or without a free line to it, stays as it is; `wrong` gets a sentence about that. Regions
    whose outline and holes are those from `before` have their ring from there.
    """
    fate = np.zeros(contours.region.shape[0], np.uint8)
    leftmost = np.zeros(contours.region.shape[0], np.int32)
    if find_holes(contours.first, contours.points, fate, leftmost) == 0:
        return contours
    if before is not None:
        well, joined = _joined_again(before, contours, fate, leftmost, workers.progress.cancelled)
        workers.progress.check()
        if well:
            return joined
    stopped, joined = _joined_by_region(contours, fate, leftmost, workers.progress.cancelled)
    if stopped:
        raise Cancelled
    if wrong is not None:
        wrong += _sentences(joined, fate)
    return joined


def _sentences(contours: Contours, fate: U8) -> list[WrongHoles]:
    """What went wrong, one sentence per kind."""
    several = np.flatnonzero(np.bincount(contours.region[fate == OUTLINE]) > 1)
    alone, stuck = np.flatnonzero(fate == HOLE), np.flatnonzero(fate == STUCK)
    wrong = []
    if len(several):
        text = f"{_number(len(several), 'region')} with several outlines: holes were joined to the last one. {_WAY_OUT}"
        wrong.append(WrongHoles(text, int(np.argmax(contours.region == several[0]))))
    if len(alone):
        text = f"{_number(len(alone), 'hole')} in regions without an outline: left as they are. {_WAY_OUT}"
        wrong.append(WrongHoles(text, int(alone[0])))
    if len(stuck):
        text = f"{_number(len(stuck), 'hole')} without a free line to the outline: polygons may cover what is there."
        wrong.append(WrongHoles(f"{text} {_WAY_OUT}", int(stuck[0])))
    return wrong


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count != 1 else ''}"


@kernel
def find_holes(first: I32, points: I32, fate: U8, leftmost: I32) -> int:
    """Mark the holes by their winding, find their leftmost corners; returns how many there are.

    Recast halves the doubled area toward zero: a ring of −2 (a hole of one cell) counts as an outline.
    """
    holes = 0
    for k in range(fate.shape[0]):
        doubled, best, j = 0, first[k], first[k + 1] - 1
        for i in range(first[k], first[k + 1]):
            x, z = np.int64(points[i, 0]), np.int64(points[i, 2])
            doubled += x * points[j, 2] - points[j, 0] * z
            if x < points[best, 0] or (x == points[best, 0] and z < points[best, 2]):
                best = i
            j = i
        if doubled <= -3:
            fate[k], leftmost[k] = HOLE, best - first[k]
            holes += 1
    return holes


@kernel
def joined_in_one_call(contours: Contours, fate: U8, leftmost: I32, cancelled: U8) -> tuple[bool, Contours]:
    """What `merge_holes` makes of contours with holes, and whether all went well; else nothing may go by it."""
    stopped, joined = _joined_by_region(contours, fate, leftmost, cancelled)
    well = not stopped and _outlines_are_single(contours.region, fate)
    for k in range(fate.shape[0]):
        well = well and fate[k] != STUCK and fate[k] != HOLE
    return well, joined


@kernel
def _joined_by_region(contours: Contours, fate: U8, leftmost: I32, cancelled: U8) -> tuple[bool, Contours]:
    """Whether it was cancelled, and the contours once holes are joined; `fate` (K,) gets what became of each.

    Holes are sorted by insertion: finding their bridges takes far longer.
    """
    grouped = _grouped(contours, fate, leftmost)
    groups, size, most_holes = grouped.outline.shape[0], np.int64(0), np.int64(0)
    for group in range(groups):
        size = max(size, grouped.ring_first[group + 1] - grouped.ring_first[group])
        most_holes = max(most_holes, grouped.first[group + 1] - grouped.first[group])
    rings = np.empty((3, size), np.int32), np.empty((3, size), np.int32)
    merged = np.empty(grouped.ring_first[groups], np.int32)
    counts = np.empty(fate.shape[0], np.int32)
    for k in range(fate.shape[0]):
        counts[k] = contours.first[k + 1] - contours.first[k]
    search = empty_search(size, most_holes)
    if _join_all(contours.first, grouped, search, rings, merged, counts, fate, cancelled):
        return True, contours
    first = np.zeros(fate.shape[0] + 1, np.int32)
    for k in range(fate.shape[0]):
        first[k + 1] = first[k] + counts[k]
    points = np.empty((first[fate.shape[0]], 4), np.int32)
    _put_together(contours, grouped, merged, first, points)
    return False, Contours(first, points, contours.raw_first, contours.raw, contours.region, contours.area)


@kernel
def _joined_again(
    before: JoinedBefore, contours: Contours, fate: U8, leftmost: I32, cancelled: U8
) -> tuple[bool, Contours]:
    """What `joined_in_one_call` returns; only regions that have changed are gone through."""
    twin = _twins(before.apart, contours)
    changed = np.flatnonzero(twin < 0)
    few = _contours_of(contours, changed)
    well, made = joined_in_one_call(few, fate[changed], leftmost[changed], cancelled)
    place = np.int64(0)
    first = np.zeros(twin.shape[0] + 1, np.int32)
    for k in range(twin.shape[0]):
        size = made.first[place + 1] - made.first[place] if twin[k] < 0 else _size(before.joined.first, twin[k])
        place += twin[k] < 0
        first[k + 1] = first[k] + size
    points, place = np.empty((first[twin.shape[0]], 4), np.int32), np.int64(0)
    for k in range(twin.shape[0]):
        if twin[k] < 0:
            _copy_points(made, place, points, first[k])
            place += 1
        else:
            _copy_points(before.joined, np.int64(twin[k]), points, first[k])
    return well, Contours(first, points, contours.raw_first, contours.raw, contours.region, contours.area)


@kernel
def _size(first: I32, k: np.int32) -> np.int32:
    return first[k + 1] - first[k]


@kernel
def _copy_points(source: Contours, k: np.int64, points: I32, place: np.int32) -> None:
    for i in range(source.first[k], source.first[k + 1]):
        for axis in range(4):
            points[place, axis] = source.points[i, axis]
        place += 1


@kernel
def _contours_of(contours: Contours, chosen: I64) -> Contours:
    """Some of the contours, without what was walked around them."""
    first = np.zeros(chosen.shape[0] + 1, np.int32)
    for i in range(chosen.shape[0]):
        first[i + 1] = first[i] + contours.first[chosen[i] + 1] - contours.first[chosen[i]]
    points, nothing = np.empty((first[chosen.shape[0]], 4), np.int32), np.empty((0, 4), np.int32)
    for i in range(chosen.shape[0]):
        _copy_points(contours, chosen[i], points, first[i])
    return Contours(first, points, first, nothing, contours.region[chosen], contours.area[chosen])


@kernel
def _twins(before: Contours, contours: Contours) -> I32:
    """(K,) which contour each was, -1 for all of a region that had others: a region has them in one order."""
    most = np.int64(0)
    for k in range(contours.region.shape[0]):
        most = max(most, np.int64(contours.region[k]))
    for k in range(before.region.shape[0]):
        most = max(most, np.int64(before.region[k]))
    following, ahead = np.empty(before.region.shape[0], np.int32), np.full(most + 1, np.int32(-1))
    for k in range(before.region.shape[0] - 1, -1, -1):
        following[k] = ahead[before.region[k]]
        ahead[before.region[k]] = k
    twin, changed = np.empty(contours.region.shape[0], np.int32), np.zeros(most + 1, np.uint8)
    for k in range(contours.region.shape[0]):
        own = contours.region[k]
        twin[k] = ahead[own]
        if twin[k] < 0 or not _is_same(before, twin[k], contours, k):
            changed[own] = 1
        ahead[own] = following[twin[k]] if twin[k] >= 0 else np.int32(-1)
    for k in range(contours.region.shape[0]):
        own = contours.region[k]
        if changed[own] != 0 or ahead[own] >= 0:
            twin[k] = -1
    return twin


@kernel
def _is_same(before: Contours, twin: np.int32, contours: Contours, k: int) -> bool:
    begin, other = contours.first[k], before.first[twin]
    size = contours.first[k + 1] - begin
    if before.first[twin + 1] - other != size:
        return False
    apart = np.int32(0)
    for i in range(size):
        for axis in range(4):
            apart |= contours.points[begin + i, axis] ^ before.points[other + i, axis]
    return apart == 0


@kernel
def _grouped(contours: Contours, fate: U8, leftmost: I32) -> HolesByRegion:
    """Sort holes by region, then from left to right; holes with one leftmost corner stay in the order of contours.

    The last outline of a region wins, as in Recast.
    """
    first, region, count, most = contours.first, contours.region, 0, np.int64(0)
    x, z = contours.points[:, 0].copy(), contours.points[:, 2].copy()
    hole = np.empty(fate.shape[0], np.int64)
    for k in range(fate.shape[0]):
        most = max(most, np.int64(region[k]))
        if fate[k] != HOLE:
            continue
        place, corner = count, first[k] + leftmost[k]
        while place > 0:
            other = hole[place - 1]
            beside = first[other] + leftmost[other]
            if region[other] != region[k]:
                comes_first = region[k] < region[other]
            elif x[beside] != x[corner]:
                comes_first = x[corner] < x[beside]
            else:
                comes_first = z[corner] < z[beside]
            if not comes_first:
                break
            hole[place] = other
            place -= 1
        hole[place] = k
        count += 1
    outline_of = np.full(most + 1, np.int64(-1))
    for k in range(fate.shape[0]):
        if fate[k] == OUTLINE:
            outline_of[region[k]] = k
    begin, end, left = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    starts, outlines = np.empty(count + 1, np.int64), np.empty(count, np.int64)
    ring_first, groups = np.zeros(count + 1, np.int64), 0
    for i in range(count):
        k = hole[i]
        begin[i], end[i], left[i] = first[k], first[k + 1], leftmost[k]
        if i == 0 or region[k] != region[hole[i - 1]]:
            outline = outline_of[region[k]]
            starts[groups], outlines[groups] = i, outline
            ring_first[groups + 1] = ring_first[groups]
            if outline >= 0:
                ring_first[groups + 1] += first[outline + 1] - first[outline]
            groups += 1
        if outlines[groups - 1] >= 0:
            ring_first[groups] += end[i] - begin[i] + 2
    starts[groups] = count
    holes = Holes(x, z, hole[:count].copy(), begin, end, left)
    return HolesByRegion(starts[: groups + 1].copy(), outlines[:groups].copy(), ring_first[: groups + 1].copy(), holes)


@kernel
def _outlines_are_single(region: U16, fate: U8) -> bool:
    """Whether no region has several outlines."""
    most = np.int64(0)
    for k in range(fate.shape[0]):
        most = max(most, np.int64(region[k]))
    outlines = np.zeros(most + 1, np.int32)
    for k in range(fate.shape[0]):
        if fate[k] == OUTLINE:
            outlines[region[k]] += 1
            if outlines[region[k]] > 1:
                return False
    return True


@kernel
def _join_all(
    first: I32, grouped: HolesByRegion, search: BridgeSearch, rings: tuple[I32, I32], merged: I32, counts: I32,
    fate: U8, cancelled: U8,
) -> int:  # fmt: skip
    """Join the holes of every region that has an outline; `merged` gets the points of each ring. 1 if cancelled.

    A ring has three rows: x, z, and which point of the contours it is.
    """
    holes = grouped.holes
    ring, spare = rings
    for group in range(grouped.outline.shape[0]):
        outline = grouped.outline[group]
        if outline < 0:
            continue
        low, high = grouped.first[group], grouped.first[group + 1]
        n = _copy_contour(holes.x, holes.z, np.int64(first[outline]), np.int64(first[outline + 1]), ring, np.int64(0))
        prepare_search(ring, n, holes, low, high, search)
        for i in range(low, high):
            if cancelled[0]:
                return 1
            corner, position = find_bridge(ring, n, holes, low, i, high, search)
            fate[holes.contour[i]] = STUCK
            if position >= 0:
                fate[holes.contour[i]], counts[holes.contour[i]] = JOINED, 0
                n = _join(ring, n, position, holes, i, corner, spare)
                ring, spare = spare, ring
        counts[outline] = n
        for i in range(n):
            merged[grouped.ring_first[group] + i] = ring[POINT, i]
    return 0


@kernel
def _join(ring: I32, n: AnyInt, position: np.int64, holes: Holes, i: int, corner: np.int64, joined: I32) -> AnyInt:
    """Once around the ring from `position` back to it, then around the hole from `corner`; returns the length."""
    for row in range(3):
        for k in range(n - position):
            joined[row, k] = ring[row, position + k]
        for k in range(position + 1):
            joined[row, n - position + k] = ring[row, k]
    begin, end = holes.begin[i], holes.end[i]
    m = _copy_contour(holes.x, holes.z, begin + corner, end, joined, n + 1)
    return _copy_contour(holes.x, holes.z, begin, begin + corner + 1, joined, m)


@kernel
def _copy_contour(xs: I32, zs: I32, begin: np.int64, end: np.int64, ring: I32, n: AnyInt) -> AnyInt:
    for i in range(begin, end):
        ring[X, n], ring[Z, n], ring[POINT, n] = xs[i], zs[i], i
        n += 1
    return n


@kernel
def _put_together(contours: Contours, grouped: HolesByRegion, merged: I32, first: I32, points: I32) -> None:
    """Write all contours: the rings that `merged` holds, the others as they were."""
    ring_of = np.full(first.shape[0] - 1, -1, np.int64)
    for group in range(grouped.outline.shape[0]):
        if grouped.outline[group] >= 0:
            ring_of[grouped.outline[group]] = grouped.ring_first[group]
    for k in range(first.shape[0] - 1):
        for i in range(first[k + 1] - first[k]):
            source = contours.first[k] + i if ring_of[k] < 0 else merged[ring_of[k] + i]
            for axis in range(4):
                points[first[k] + i, axis] = contours.points[source, axis]
