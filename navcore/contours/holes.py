"""Join every hole to the outline around it by a bridge that is walked twice, so that one ring bounds the region."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import Cancelled
from ..geometry import in_cone, meets
from ..jit import kernel
from ..threads import Workers
from ..types import I32, I64, U8, Contours
from .ranking import Ranking, clear_ranking, empty_ranking, rank_anew, ranked
from .simplify import offsets

EDGES_PER_BOX = 16
FAR = 1 << 30

OUTLINE, HOLE, JOINED, STUCK = 0, 1, 2, 3  # what became of a contour


class Plan(NamedTuple):
    """Holes sorted by region, then by their leftmost corner; those of group g are hole[first[g]:first[g + 1]]."""

    first: I32  # (G + 1,)
    hole: I32  # contour
    leftmost: I32  # corner
    outline: I32  # (G,) contour, -1 where the region has none
    merged: I64  # (G + 1,) where the ring of each group begins in the list of merged rings


class Scratch(NamedTuple):
    """Memory for the largest group."""

    ring: I32  # (., 4) the outline with all holes joined so far
    spare: I32  # (., 4)
    ring_boxes: I32  # (., 4) lowest x, highest x, lowest z, highest z of every 16 edges in a row
    hole_boxes: I32  # (., 4)
    hole_first: I32  # where the boxes of each hole begin
    ranking: Ranking


def merge_holes(contours: Contours, workers: Workers, notes: list[str] | None = None) -> Contours:
    """Holes become part of their region's outline and leave an empty slot. Recast: mergeRegionHoles.

    A hole without an outline, or without a free line to it, stays as it is; `notes` gets a sentence about that.
    """
    fate = np.zeros(contours.region.shape[0], np.uint8)
    leftmost = np.zeros(contours.region.shape[0], np.int32)
    if _find_holes(contours.first, contours.points, fate, leftmost) == 0:
        return contours
    plan = _plan(contours, fate, leftmost)
    merged = np.empty((plan.merged[-1], 4), np.int32)
    counts = np.diff(contours.first)
    scratch = _scratch(plan)
    if _merge_groups(contours, plan, scratch, merged, counts, fate, workers.progress.flag):
        raise Cancelled
    if notes is not None:
        notes += _sentences(contours, fate)
    first = offsets(counts)
    points = np.empty((first[-1], 4), np.int32)
    _put_together(contours, plan, merged, first, points)
    return contours._replace(first=first, points=points)


def _plan(contours: Contours, fate: U8, leftmost: I32) -> Plan:
    holes = np.flatnonzero(fate == HOLE).astype(np.int32)
    corner = contours.points[contours.first[holes] + leftmost[holes]]
    region = contours.region[holes]
    order = np.lexsort((corner[:, 2], corner[:, 0], region))  # stable: equal corners stay in the order of contours
    holes, region = holes[order], region[order]
    group = np.flatnonzero(np.diff(region, prepend=-1))
    outline_of = np.full(int(contours.region.max()) + 1, -1, np.int32)
    for contour in np.flatnonzero(fate == OUTLINE):
        outline_of[contours.region[contour]] = contour  # the last outline of a region wins, as in Recast
    outline = outline_of[region[group]]
    lengths = np.diff(contours.first).astype(np.int64)
    sizes = np.add.reduceat(lengths[holes] + 2, group) + lengths[outline]
    sizes[outline < 0] = 0
    first = np.append(group, holes.shape[0]).astype(np.int32)
    return Plan(first, holes, leftmost[holes], outline, np.concatenate([[0], np.cumsum(sizes)]))


def _scratch(plan: Plan) -> Scratch:
    size = int(np.diff(plan.merged).max())
    holes = int(np.diff(plan.first).max())
    boxes = size // EDGES_PER_BOX + 1
    return Scratch(
        np.empty((size, 4), np.int32), np.empty((size, 4), np.int32),
        np.empty((boxes, 4), np.int32), np.empty((boxes + holes, 4), np.int32), np.empty(holes + 1, np.int32),
        empty_ranking(size),
    )  # fmt: skip


def _sentences(contours: Contours, fate: U8) -> list[str]:
    """What went wrong, one sentence per kind."""
    several = int((np.bincount(contours.region[fate == OUTLINE]) > 1).sum())
    alone, stuck = int((fate == HOLE).sum()), int((fate == STUCK).sum())
    found = []
    if several:
        found.append(f"{_number(several, 'region')} with several outlines: holes were joined to the last one.")
    if alone:
        found.append(f"{_number(alone, 'hole')} in regions without an outline: left as they are.")
    if stuck:
        found.append(f"{_number(stuck, 'hole')} without a free line to the outline: polygons may cover what is there.")
    return found


def _number(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' if count != 1 else ''}"


@kernel
def _find_holes(first, points, fate, leftmost):
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
def _merge_groups(contours, plan, scratch, merged, counts, fate, cancel):
    """Join the holes of every region that has an outline. Returns 1 if cancelled."""
    first, points = contours.first, contours.points
    ring, spare, boxes = scratch.ring, scratch.spare, scratch.ring_boxes
    for group in range(plan.outline.shape[0]):
        outline = plan.outline[group]
        if outline < 0:
            continue
        n = _copy_ring(points, first[outline], first[outline + 1] - first[outline], 0, 0, ring, 0)
        _box_edges(ring, 0, n, boxes, 0)
        holes = plan.hole[plan.first[group] : plan.first[group + 1]]
        _box_holes(points, first, holes, scratch.hole_boxes, scratch.hole_first)
        clear_ranking(scratch.ranking)
        for i in range(holes.shape[0]):
            if cancel[0]:
                return 1
            hole = holes[i]
            begin, size = first[hole], first[hole + 1] - first[hole]
            corner, at = _bridge(ring, n, contours, scratch, holes, i, plan.leftmost[plan.first[group] + i])
            fate[hole] = STUCK
            if at >= 0:
                fate[hole], counts[hole] = JOINED, 0
                half = _copy_ring(ring, 0, n, at, 1, spare, 0)
                n = _copy_ring(points, begin, size, corner, 1, spare, half)
                ring, spare = spare, ring
                _box_edges(ring, 0, n, boxes, 0)
        counts[outline] = n
        _copy_ring(ring, 0, n, 0, 0, merged, plan.merged[group])
    return 0


@kernel
def _copy_ring(source, begin, n, start, more, target, at):
    """Copy a ring of n points from its point `start` on, and `more` points again, to target[at:]; returns the end."""
    for i in range(n + more):
        row = begin + (start + i) % n
        for axis in range(4):
            target[at + i, axis] = source[row, axis]
    return at + n + more


@kernel
def _box_holes(points, first, holes, boxes, box_first):
    """The boxes of all holes of a group, and where each hole's begin."""
    box_first[0] = 0
    for i in range(holes.shape[0]):
        begin, end = first[holes[i]], first[holes[i] + 1]
        box_first[i + 1] = _box_edges(points, begin, end - begin, boxes, box_first[i])


@kernel
def _box_edges(points, begin, n, boxes, box):
    """Bounding boxes of 16 edges in a row each, into boxes[box:]; returns the end."""
    for low in range(0, n, EDGES_PER_BOX):
        x0, x1, z0, z1 = FAR, -FAR, FAR, -FAR
        for i in range(low, min(low + EDGES_PER_BOX, n)):
            j = i + 1 if i + 1 < n else 0
            ax, az, bx, bz = points[begin + i, 0], points[begin + i, 2], points[begin + j, 0], points[begin + j, 2]
            z0, z1 = min(z0, az, bz), max(z1, az, bz)
            x0, x1 = min(x0, ax, bx), max(x1, ax, bx)
            if ax == bx and az == bz:  # meets whatever touches its z, at any x (see geometry.meets)
                x0, x1 = -FAR, FAR
        boxes[box, 0], boxes[box, 1], boxes[box, 2], boxes[box, 3] = x0, x1, z0, z1
        box += 1
    return box


@kernel
def _bridge(ring, n, contours, scratch, holes, i, corner):
    """The first free line from hole i to the ring, as (corner of the hole, position in the ring); (−1, −1) if none.

    Corners are tried from `corner` on; for each, the positions that have it inside their angle, by growing distance.

    Recast sorts all those positions. Here they are ranked lazily, as few are looked at: the nearest ones until a line
    is free, and the one with rank i, whose two edges Recast ignores in all tests (it reads the list of positions at the
    hole's number). With fewer than i positions that is what earlier, longer lists of this region left there; the
    ranking keeps those leftovers. Where there never was one Recast reads uninitialized memory; here no edge is ignored.
    """
    key, cut, written, fresh = scratch.ranking
    first, points = contours.first, contours.points
    begin, size = first[holes[i]], first[holes[i] + 1] - first[holes[i]]
    for _ in range(size):
        x, z = points[begin + corner, 0], points[begin + corner, 2]
        count = _facing(ring, n, x, z, fresh)
        rank_anew(key, cut, written, fresh, count)
        ignored = ranked(key, cut, written, i)
        for k in range(count):
            at = ranked(key, cut, written, k)
            if not _blocked(ring, n, contours, scratch, holes, i, ignored, at, x, z):
                return corner, at
        corner = corner + 1 if corner + 1 < size else 0
    return -1, -1


@kernel
def _facing(ring, n, x, z, keys):
    """Keys (see Ranking) of the ring's positions that have point (x, z) inside their angle; returns how many."""
    count, capacity = 0, np.int64(keys.shape[0])
    lx, lz, vx, vz = ring[n - 1, 0], ring[n - 1, 2], ring[0, 0], ring[0, 2]
    for at in range(n):
        right = at + 1 if at + 1 < n else 0
        rx, rz = ring[right, 0], ring[right, 2]
        if in_cone(lx, lz, vx, vz, rx, rz, x, z):
            dx, dz = np.int64(vx - x), np.int64(vz - z)
            keys[count] = (dx * dx + dz * dz) * capacity + at
            count += 1
        lx, lz, vx, vz = vx, vz, rx, rz
    return count


@kernel
def _blocked(ring, n, contours, scratch, holes, i, ignored, at, x, z):
    """Does an edge of the ring, or of a hole that is not joined yet, meet the line from position `at` to (x, z)?

    Holes that found no bridge are not looked at any more, as in Recast.
    """
    px, pz = ring[at, 0], ring[at, 2]
    if _hits(ring, 0, n, scratch.ring_boxes, 0, ignored, px, pz, x, z):
        return True
    first, points = contours.first, contours.points
    boxes, box_first = scratch.hole_boxes, scratch.hole_first
    for m in range(i, holes.shape[0]):
        begin, end = first[holes[m]], first[holes[m] + 1]
        if _hits(points, begin, end - begin, boxes, box_first[m], -1, px, pz, x, z):
            return True
    return False


@kernel
def _hits(points, begin, n, boxes, box, ignored, ax, az, bx, bz):
    """Does an edge of the ring points[begin:begin + n] meet the line a → b?

    Edges that share an end with it don't count, nor those at the corner `ignored`. Edges in a box that is apart from
    the line's cannot meet it.
    """
    x0, x1, z0, z1 = min(ax, bx), max(ax, bx), min(az, bz), max(az, bz)
    for low in range(0, n, EDGES_PER_BOX):
        apart = boxes[box, 0] > x1 or boxes[box, 1] < x0 or boxes[box, 2] > z1 or boxes[box, 3] < z0
        box += 1
        if apart:
            continue
        for i in range(low, min(low + EDGES_PER_BOX, n)):
            j = i + 1 if i + 1 < n else 0
            if i == ignored or j == ignored:
                continue
            cx, cz, dx, dz = points[begin + i, 0], points[begin + i, 2], points[begin + j, 0], points[begin + j, 2]
            if (cx == ax and cz == az) or (cx == bx and cz == bz) or (dx == ax and dz == az) or (dx == bx and dz == bz):
                continue
            if meets(ax, az, bx, bz, cx, cz, dx, dz):
                return True
    return False


@kernel
def _put_together(contours, plan, merged, first, points):
    """Write all contours, the merged ones from `merged`."""
    source = np.full(first.shape[0] - 1, -1, np.int64)
    for group in range(plan.outline.shape[0]):
        if plan.outline[group] >= 0:
            source[plan.outline[group]] = plan.merged[group]
    for k in range(first.shape[0] - 1):
        n = first[k + 1] - first[k]
        if n > 0 and source[k] >= 0:
            _copy_ring(merged, source[k], n, 0, 0, points, first[k])
        elif n > 0:
            _copy_ring(contours.points, contours.first[k], n, 0, 0, points, first[k])
