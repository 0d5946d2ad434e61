"""Stage 9, triangulation: one ring of corners → triangles, by clipping the shortest ear again and again.

Clipping never moves a corner in the ring, so "the first of the shortest" is the one with the lowest original number:
a tournament tree over (squared length, number) holds it at its root, and a clip changes two leaves. Whether a diagonal
is clear depends on edges near it alone: runs of corners carry bounding boxes, and far runs are skipped. Both give
exactly what Recast finds by scanning the whole ring each time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..geometry import crosses, in_cone, in_loose_cone, meets
from ..jit import kernel
from ..types import I32, I64

X, Z, BEFORE, AFTER = 0, 1, 2, 3  # columns of a ring; AFTER is -1 once the corner is clipped
LOW_X, LOW_Z, HIGH_X, HIGH_Z = 0, 1, 2, 3  # columns of boxes
NUMBER_BITS = 20  # a leaf is (squared length << NUMBER_BITS) | corner
NUMBER_MASK = (1 << NUMBER_BITS) - 1
NO_EAR = 1 << 62
ANYWHERE = 1 << 30  # beyond every coordinate
SHORT_RUN = 3  # log₂ of the corners in a run, at least


class EarRoom(NamedTuple):
    """Scratch for rings of up to n corners."""

    ring: I32  # (n, 4) x, z, corner before, corner after; x and z are filled in by the caller
    ears: I64  # (2 · leaves,) tournament tree; 1 is the root
    boxes: I32  # (runs, 4) around all edges that start in a run of corners
    triangles: I32  # (n - 2, 3) the result: corners of the ring


def ear_room(corners: int) -> EarRoom:
    leaves = 1 << max(corners - 1, 1).bit_length()
    runs = (corners >> SHORT_RUN) + 1
    return EarRoom(
        np.empty((corners, 4), np.int32), np.empty(2 * leaves, np.int64), np.empty((runs, 4), np.int32),
        np.empty((max(corners - 2, 1), 3), np.int32),
    )  # fmt: skip


@kernel
def _length2(ring, i, j):
    dx, dz = np.int64(ring[j, X] - ring[i, X]), np.int64(ring[j, Z] - ring[i, Z])
    return dx * dx + dz * dz


@kernel
def _grow_box(ring, boxes, shift, i):
    """Make the box of i's run hold the edge i → after i."""
    run, j = i >> shift, ring[i, AFTER]
    low, high = min(ring[i, X], ring[j, X]), max(ring[i, X], ring[j, X])
    if ring[i, X] == ring[j, X] and ring[i, Z] == ring[j, Z]:
        low, high = -ANYWHERE, ANYWHERE  # `meets` compares nothing but z with an edge of length zero
    boxes[run, LOW_X] = min(boxes[run, LOW_X], low)
    boxes[run, HIGH_X] = max(boxes[run, HIGH_X], high)
    boxes[run, LOW_Z] = min(boxes[run, LOW_Z], ring[i, Z], ring[j, Z])
    boxes[run, HIGH_Z] = max(boxes[run, HIGH_Z], ring[i, Z], ring[j, Z])


@kernel
def _link_ring(ring, boxes, count):
    """Link the corners to a ring and box its runs; returns log₂ of the run length, about the root of the count."""
    shift = SHORT_RUN
    while (count >> shift) > (1 << shift):
        shift += 1
    for i in range(count):
        ring[i, BEFORE], ring[i, AFTER] = i - 1, i + 1
    ring[0, BEFORE], ring[count - 1, AFTER] = count - 1, 0
    for run in range(((count - 1) >> shift) + 1):
        boxes[run, LOW_X] = boxes[run, LOW_Z] = ANYWHERE
        boxes[run, HIGH_X] = boxes[run, HIGH_Z] = -ANYWHERE
    for i in range(count):
        _grow_box(ring, boxes, shift, i)
    return shift


@kernel
def _is_clear(ring, boxes, shift, count, i, j, loose):
    """Does no edge meet (loose: cross) the diagonal i – j, but for those with an end at the place of i or j?"""
    ax, az, bx, bz = ring[i, X], ring[i, Z], ring[j, X], ring[j, Z]
    low_x, high_x, low_z, high_z = min(ax, bx), max(ax, bx), min(az, bz), max(az, bz)
    if ax == bx and az == bz:
        low_x, high_x = -ANYWHERE, ANYWHERE  # as in _grow_box
    for run in range(((count - 1) >> shift) + 1):
        if boxes[run, LOW_X] > high_x or boxes[run, HIGH_X] < low_x:
            continue
        if boxes[run, LOW_Z] > high_z or boxes[run, HIGH_Z] < low_z:
            continue
        for k in range(run << shift, min((run + 1) << shift, count)):
            m = ring[k, AFTER]
            if m < 0:
                continue
            cx, cz, dx, dz = ring[k, X], ring[k, Z], ring[m, X], ring[m, Z]
            if (cz < low_z and dz < low_z) or (cz > high_z and dz > high_z):
                continue
            if (cx == ax and cz == az) or (cx == bx and cz == bz) or (dx == ax and dz == az) or (dx == bx and dz == bz):
                continue
            if loose:
                if crosses(ax, az, bx, bz, cx, cz, dx, dz):
                    return False
            elif meets(ax, az, bx, bz, cx, cz, dx, dz):
                return False
    return True


@kernel
def _ear(ring, boxes, shift, count, i):
    """The leaf of i: the ear after it, if the diagonal across that ear lies inside. Recast: diagonal."""
    r = ring[i, AFTER]
    j, l = ring[r, AFTER], ring[i, BEFORE]  # noqa: E741 - l and r: the corners left and right of i
    if not in_cone(
        ring[l, X], ring[l, Z], ring[i, X], ring[i, Z], ring[r, X], ring[r, Z], ring[j, X], ring[j, Z]
    ) or not _is_clear(ring, boxes, shift, count, i, j, False):
        return np.int64(NO_EAR)
    return (_length2(ring, i, j) << NUMBER_BITS) | i


@kernel
def _loose_ear(ring, boxes, shift, count):
    """Where no proper ear is left: a corner whose diagonal merely crosses nothing, or -1. Recast: diagonalLoose.

    The length compared is that to the corner *after* the diagonal's end, a slip of Recast's that shows in its results.
    """
    best, chosen = np.int64(NO_EAR), np.int64(-1)
    for i in range(count):
        r = ring[i, AFTER]
        if r < 0:
            continue
        j, l = ring[r, AFTER], ring[i, BEFORE]  # noqa: E741
        length = _length2(ring, i, ring[j, AFTER])
        if length >= best:
            continue
        if not in_loose_cone(
            ring[l, X], ring[l, Z], ring[i, X], ring[i, Z], ring[r, X], ring[r, Z], ring[j, X], ring[j, Z]
        ):
            continue
        if _is_clear(ring, boxes, shift, count, i, j, True):
            best, chosen = length, np.int64(i)
    return chosen


@kernel
def _set_leaf(ears, leaf, value):
    ears[leaf] = value
    while leaf > 1:
        leaf >>= 1
        ears[leaf] = min(ears[2 * leaf], ears[2 * leaf + 1])


@kernel
def _plant(ring, boxes, shift, count, ears):
    """Fill the tournament tree with all ears of the fresh ring; returns where its leaves begin."""
    leaves = 2
    while leaves < count:
        leaves *= 2
    for i in range(count):
        ears[leaves + i] = _ear(ring, boxes, shift, count, i)
    for i in range(leaves + count, 2 * leaves):
        ears[i] = NO_EAR
    for node in range(leaves - 1, 0, -1):
        ears[node] = min(ears[2 * node], ears[2 * node + 1])
    return leaves


@kernel
def triangulate(ring, ears, boxes, triangles, count, cancel):
    """Clip the ring of `count` corners into triangles; their number, negative if the ring could not be finished.

    Recast: triangulate.
    """
    made, i = 0, np.int64(0)
    ring[0, AFTER], ring[1, AFTER], ring[2, AFTER] = 1, 2, 0
    if count > 3:
        shift = _link_ring(ring, boxes, count)
        leaves = _plant(ring, boxes, shift, count, ears)
    while made < count - 3:
        i = ears[1] & NUMBER_MASK if ears[1] != NO_EAR else _loose_ear(ring, boxes, shift, count)
        if i < 0 or cancel[0]:
            return -made
        ear = ring[i, AFTER]
        j = ring[ear, AFTER]
        triangles[made, 0], triangles[made, 1], triangles[made, 2] = i, ear, j
        made += 1
        ring[i, AFTER], ring[j, BEFORE], ring[ear, AFTER] = j, i, -1
        if made == count - 3:
            break
        _grow_box(ring, boxes, shift, i)
        _set_leaf(ears, leaves + ear, np.int64(NO_EAR))
        before = ring[i, BEFORE]
        _set_leaf(ears, leaves + before, _ear(ring, boxes, shift, count, before))
        _set_leaf(ears, leaves + i, _ear(ring, boxes, shift, count, i))
    a = i
    while ring[a, AFTER] > a:
        a = np.int64(ring[a, AFTER])
    a = np.int64(ring[a, AFTER])  # the first of the three that remain
    b = ring[a, AFTER]
    triangles[made, 0], triangles[made, 1], triangles[made, 2] = a, b, ring[b, AFTER]
    return made + 1


def triangulate_ring(corners: I32) -> tuple[I32, bool]:
    """Triangles of one ring of (n, 2) corners (x, z), and whether it could be finished. Recast: triangulate."""
    room = ear_room(len(corners))
    room.ring[:, :2] = corners
    count = triangulate(room.ring, room.ears, room.boxes, room.triangles, len(corners), np.zeros(1, np.uint8))
    return room.triangles[: abs(count)], count > 0
