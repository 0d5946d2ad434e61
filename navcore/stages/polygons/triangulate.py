"""Stage 9, triangulation: one ring of corners → triangles, by clipping the shortest ear again and again.

Clipping never moves a corner in the ring, so "the first of the shortest" is the one with the lowest original number:
a tournament tree over (squared length, number) holds it at its root, and a clip changes two leaves. Whether a diagonal
is clear depends on edges near its line alone: runs of corners carry bounding boxes, and far runs are skipped. Both
give exactly what Recast finds by scanning the whole ring each time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.arrays import power_of_two
from ...geometry.predicates import area2, crosses, in_cone, in_loose_cone, meets
from ...jit import kernel
from ...types import I32, I64, U8, AnyInt

X, Z, BEFORE, AFTER = 0, 1, 2, 3  # columns of a ring; AFTER is -1 once the corner is clipped
LOW_X, LOW_Z, HIGH_X, HIGH_Z = 0, 1, 2, 3  # columns of boxes
NUMBER_BITS = 20  # a leaf is (squared length << NUMBER_BITS) | corner
NUMBER_MASK = (1 << NUMBER_BITS) - 1
NO_EAR = 1 << 62
ANYWHERE = 1 << 30  # beyond every coordinate
RUN_BITS, BLOCK_BITS = 4, 8  # log₂ of the corners in a run, and in a block of runs


class EarRoom(NamedTuple):
    """Scratch for rings of up to n corners."""

    ring: I32  # (n, 4) x, z, corner before, corner after; x and z are filled in by the caller
    ears: I64  # (2 · leaves,) tournament tree; 1 is the root
    boxes: I32  # (blocks + runs, 4) around all edges that start in a block of corners, then in a run
    triangles: I32  # (n - 2, 3) the result: corners of the ring


@kernel
def ear_room(corners: AnyInt) -> EarRoom:
    """Room for rings of up to so many corners."""
    leaves = power_of_two(corners)
    boxes = (corners >> BLOCK_BITS) + 1 + (corners >> RUN_BITS) + 1
    return EarRoom(
        np.empty((corners, 4), np.int32), np.empty(2 * leaves, np.int64), np.empty((boxes, 4), np.int32),
        np.empty((max(corners - 2, 1), 3), np.int32),
    )  # fmt: skip


@kernel
def _length2(ring: I32, i: AnyInt, j: AnyInt) -> np.int64:
    dx, dz = np.int64(ring[j, X] - ring[i, X]), np.int64(ring[j, Z] - ring[i, Z])
    return dx * dx + dz * dz


@kernel
def _grow_boxes(ring: I32, boxes: I32, count: int, i: AnyInt) -> None:
    """Make the boxes of i's run and of its block of runs hold the edge i → after i."""
    j = ring[i, AFTER]
    low_x, high_x = min(ring[i, X], ring[j, X]), max(ring[i, X], ring[j, X])
    low_z, high_z = min(ring[i, Z], ring[j, Z]), max(ring[i, Z], ring[j, Z])
    if low_x == high_x and low_z == high_z:
        low_x, high_x = -ANYWHERE, ANYWHERE  # `meets` compares nothing but z with an edge of length zero
    for row in (i >> BLOCK_BITS, ((count - 1) >> BLOCK_BITS) + 1 + (i >> RUN_BITS)):
        boxes[row, LOW_X], boxes[row, HIGH_X] = min(boxes[row, LOW_X], low_x), max(boxes[row, HIGH_X], high_x)
        boxes[row, LOW_Z], boxes[row, HIGH_Z] = min(boxes[row, LOW_Z], low_z), max(boxes[row, HIGH_Z], high_z)


@kernel
def _link_ring(ring: I32, boxes: I32, count: int) -> None:
    """Link the corners to a ring and box their edges."""
    for i in range(count):
        ring[i, BEFORE], ring[i, AFTER] = i - 1, i + 1
    ring[0, BEFORE], ring[count - 1, AFTER] = count - 1, 0
    for row in range(((count - 1) >> BLOCK_BITS) + 1 + ((count - 1) >> RUN_BITS) + 1):
        boxes[row, LOW_X] = boxes[row, LOW_Z] = ANYWHERE
        boxes[row, HIGH_X] = boxes[row, HIGH_Z] = -ANYWHERE
    for i in range(count):
        _grow_boxes(ring, boxes, count, i)


@kernel
def _is_apart(boxes: I32, row: int, ax: np.int64, az: np.int64, bx: np.int64, bz: np.int64) -> bool | np.bool_:
    """Is a box away from segment ab, or strictly on one side of its line? Then nothing in the box meets the segment."""
    low_x, low_z = np.int64(boxes[row, LOW_X]), np.int64(boxes[row, LOW_Z])
    high_x, high_z = np.int64(boxes[row, HIGH_X]), np.int64(boxes[row, HIGH_Z])
    if low_z > max(az, bz) or high_z < min(az, bz):
        return True
    if (low_x > max(ax, bx) or high_x < min(ax, bx)) and (ax != bx or az != bz):
        return True
    # area2 of a, b and the corners of the box that are farthest to either side
    u, v = bx - ax, bz - az
    most = u * ((high_z if u > 0 else low_z) - az) - v * ((low_x if v > 0 else high_x) - ax)
    least = u * ((low_z if u > 0 else high_z) - az) - v * ((high_x if v > 0 else low_x) - ax)
    return most < 0 or least > 0


@kernel
def _run_is_clear(
    ring: I32, begin: int, end: int, ax: np.int64, az: np.int64, bx: np.int64, bz: np.int64, loose: bool
) -> bool:
    """Does no edge that starts in begin:end meet (loose: cross) segment ab, but for those with an end at a or b?"""
    for k in range(begin, end):
        m = ring[k, AFTER]
        if m < 0:
            continue
        cx, cz, dx, dz = np.int64(ring[k, X]), np.int64(ring[k, Z]), np.int64(ring[m, X]), np.int64(ring[m, Z])
        c, d = area2(ax, az, bx, bz, cx, cz), area2(ax, az, bx, bz, dx, dz)
        if ((c > 0 and d > 0) or (c < 0 and d < 0)) and (cx != dx or cz != dz):
            continue  # both on one side
        if (cx == ax and cz == az) or (cx == bx and cz == bz) or (dx == ax and dz == az) or (dx == bx and dz == bz):
            continue
        if loose:
            if crosses(ax, az, bx, bz, cx, cz, dx, dz):
                return False
        elif meets(ax, az, bx, bz, cx, cz, dx, dz):
            return False
    return True


@kernel
def _is_clear(ring: I32, boxes: I32, count: int, i: AnyInt, j: AnyInt, loose: bool) -> bool:
    """Does no edge meet (loose: cross) the diagonal i – j, but for those with an end at the place of i or j?"""
    ax, az, bx, bz = np.int64(ring[i, X]), np.int64(ring[i, Z]), np.int64(ring[j, X]), np.int64(ring[j, Z])
    blocks, runs = ((count - 1) >> BLOCK_BITS) + 1, ((count - 1) >> RUN_BITS) + 1
    for block in range(blocks):
        if blocks > 1 and _is_apart(boxes, block, ax, az, bx, bz):
            continue
        first = block << (BLOCK_BITS - RUN_BITS)
        for run in range(first, min(first + (1 << (BLOCK_BITS - RUN_BITS)), runs)):
            if runs > 1 and _is_apart(boxes, blocks + run, ax, az, bx, bz):
                continue
            begin = run << RUN_BITS
            if not _run_is_clear(ring, begin, min(begin + (1 << RUN_BITS), count), ax, az, bx, bz, loose):
                return False
    return True


@kernel
def _ear(ring: I32, boxes: I32, count: int, i: AnyInt) -> AnyInt:
    """The leaf of i: the ear after it, if the diagonal across that ear lies inside. Recast: diagonal."""
    r = ring[i, AFTER]
    j, l = ring[r, AFTER], ring[i, BEFORE]  # noqa: E741 - l and r: the corners left and right of i
    if not in_cone(
        ring[l, X], ring[l, Z], ring[i, X], ring[i, Z], ring[r, X], ring[r, Z], ring[j, X], ring[j, Z]
    ) or not _is_clear(ring, boxes, count, i, j, False):
        return np.int64(NO_EAR)
    return (_length2(ring, i, j) << NUMBER_BITS) | i


@kernel
def _loose_ear(ring: I32, boxes: I32, count: int) -> np.int64:
    """Where no proper ear is left: a corner whose diagonal merely crosses nothing, or -1. Recast: diagonalLoose.

    The length compared is that to the corner *after* the diagonal's end, a slip of Recast's that shows in its results.
    """
    best, corner = np.int64(NO_EAR), np.int64(-1)
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
        if _is_clear(ring, boxes, count, i, j, True):
            best, corner = length, np.int64(i)
    return corner


@kernel
def _set_leaf(ears: I64, node: AnyInt, value: AnyInt) -> None:
    while ears[node] != value:
        ears[node] = value
        if node == 1:
            break
        value = min(value, ears[node ^ 1])
        node >>= 1


@kernel
def _plant(ring: I32, boxes: I32, count: int, ears: I64) -> int:
    """Fill the tournament tree with all ears of the fresh ring; returns where its leaves begin."""
    leaves = 2
    while leaves < count:
        leaves *= 2
    for i in range(count):
        ears[leaves + i] = _ear(ring, boxes, count, i)
    for i in range(leaves + count, 2 * leaves):
        ears[i] = NO_EAR
    for node in range(leaves - 1, 0, -1):
        ears[node] = min(ears[2 * node], ears[2 * node + 1])
    return leaves


@kernel
def triangulate(ring: I32, ears: I64, boxes: I32, triangles: I32, count: int, cancelled: U8) -> int:
    """Clip the ring of `count` corners into triangles; their number, negative if the ring could not be finished.

    Recast: triangulate.
    """
    written, i = 0, np.int64(0)
    ring[0, AFTER], ring[1, AFTER], ring[2, AFTER] = 1, 2, 0
    if count > 3:
        _link_ring(ring, boxes, count)
        leaves = _plant(ring, boxes, count, ears)
    while written < count - 3:
        i = ears[1] & NUMBER_MASK if ears[1] != NO_EAR else _loose_ear(ring, boxes, count)
        if i < 0 or cancelled[0]:
            return -written
        ear = ring[i, AFTER]
        j = ring[ear, AFTER]
        triangles[written, 0], triangles[written, 1], triangles[written, 2] = i, ear, j
        written += 1
        ring[i, AFTER], ring[j, BEFORE], ring[ear, AFTER] = j, i, -1
        if written == count - 3:
            break
        _grow_boxes(ring, boxes, count, i)
        _set_leaf(ears, leaves + ear, np.int64(NO_EAR))
        before = ring[i, BEFORE]
        _set_leaf(ears, leaves + before, _ear(ring, boxes, count, before))
        _set_leaf(ears, leaves + i, _ear(ring, boxes, count, i))
    a = i
    while ring[a, AFTER] > a:
        a = np.int64(ring[a, AFTER])
    a = np.int64(ring[a, AFTER])  # the first of the three that remain
    b = ring[a, AFTER]
    triangles[written, 0], triangles[written, 1], triangles[written, 2] = a, b, ring[b, AFTER]
    return written + 1


def triangulate_ring(corners: I32) -> tuple[I32, bool]:
    """Triangles of one ring of (n, 2) corners (x, z), and whether it could be finished. Recast: triangulate."""
    room = ear_room(len(corners))
    room.ring[:, :2] = corners
    count = triangulate(room.ring, room.ears, room.boxes, room.triangles, len(corners), np.zeros(1, np.uint8))
    return room.triangles[: abs(count)], count > 0
