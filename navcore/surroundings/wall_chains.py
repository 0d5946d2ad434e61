"""Wall chains: edges where the ground ends, one after the other, and places along them where somebody stands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, kernel
from ..types import F64, I32, I64, AnyInt
from .solid_matter import Matter, nearest_floor
from .walkable_ground import Ground, WallEdges

_STRAIGHT = np.cos(np.radians(30.0))  # the sharpest turn within a chain
_INSET = 0.02  # cells that a place lies inside the ground, so that rounding does not put it beside
_BUCKETS_PER_WALL = 2
_FARTHEST_IN = 4  # half cells inward in which the floor of a place is looked for


class Walker(NamedTuple):
    """Who stands at the places, in metres, on which columns."""

    cell: float
    voxel: float
    radius: float
    height: float
    climb: float


class Chains(NamedTuple):
    """Walls that follow each other without a sharp turn, in one tile and one area."""

    first: I32  # (K + 1,)
    walls: I32  # (W,) chain k is walls[first[k]:first[k + 1]]


class Places(NamedTuple):
    """S places along chains, one after the other, each for a stretch of its chain."""

    first: I32  # (K + 1,) chain k has places first[k]:first[k + 1]
    point: F64  # (S, 3) metres from the level's corner; NaN in height where there is no floor
    ends: F64  # (S, 2, 2) x and z of both ends of its stretch
    out: F64  # (S, 2) where the ground ends
    polygon: I32  # (S,)
    stretch: F64  # (S,) metres


def chains_of(walls: WallEdges) -> Chains:
    """The chains of all tiles, from the smallest (z, x) corner of each."""
    ids = np.empty((len(walls.polygon), 2), np.int64)
    corners = _number_corners(walls.ends, walls.tile, ids)
    return Chains(*_chains_kernel(walls, ids[:, 0], ids[:, 1], _in_order(walls), corners))


@kernel
def _in_order(walls: WallEdges) -> I64:
    """Walls by their tiles, then by z, x and y of where they start: put into buckets, then by inserting."""
    count = len(walls.tile)
    order, bucket = np.arange(count), np.empty(count, np.int64)
    for axis in (0, 2):
        low, high = np.inf, -np.inf
        for wall in range(count):
            low, high = min(low, walls.ends[wall, 0, axis]), max(high, walls.ends[wall, 0, axis])
        scale = (count * _BUCKETS_PER_WALL - 1) / (high - low) if high > low else 0.0
        for wall in range(count):
            bucket[wall] = int((walls.ends[wall, 0, axis] - low) * scale)
        order = _by_bucket(order, bucket, count * _BUCKETS_PER_WALL)
    last = 0
    for wall in range(count):
        bucket[wall] = walls.tile[wall]
        last = max(last, bucket[wall])
    order = _by_bucket(order, bucket, last + 1)
    for k in range(1, count):
        wall, place = order[k], k
        while place > 0 and _comes_before(walls, wall, order[place - 1]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = wall
    return order


@kernel
def _by_bucket(order: I64, bucket: I64, buckets: int) -> I64:
    """The same rows, bucket after bucket; those of one stay as they were."""
    first = np.zeros(buckets + 1, np.int64)
    for row in order:
        first[bucket[row] + 1] += 1
    for k in range(buckets):
        first[k + 1] += first[k]
    sorted_ = np.empty_like(order)
    for row in order:
        sorted_[first[bucket[row]]] = row
        first[bucket[row]] += 1
    return sorted_


@borrowing
def _comes_before(walls: WallEdges, one: AnyInt, other: AnyInt) -> bool:
    if walls.tile[one] != walls.tile[other]:
        return walls.tile[one] < walls.tile[other]
    for axis in (2, 0, 1):
        if walls.ends[one, 0, axis] != walls.ends[other, 0, axis]:
            return walls.ends[one, 0, axis] < walls.ends[other, 0, axis]
    return False


@kernel
def _number_corners(ends: F64, tile: I32, ids: I64) -> int:
    """Give corners of walls one number where they are the same corner of the same tile; returns how many there are."""
    slots = 8
    while slots < 4 * len(ends):
        slots *= 2
    first = np.full(slots, -1, np.int64)  # in each slot, the wall and end that was numbered there first: 2 · wall + end
    count = 0
    for wall in range(len(ends)):
        for end in range(2):
            x, y, z = ends[wall, end]
            mixed = np.int64(x * 8191.0) * 73856093 ^ np.int64(z * 8191.0) * 19349663 ^ np.int64(tile[wall]) * 83492791
            slot = (mixed ^ mixed >> 15) & (slots - 1)
            while first[slot] >= 0:
                other, side = first[slot] // 2, first[slot] % 2
                px, py, pz = ends[other, side]
                if px == x and py == y and pz == z and tile[other] == tile[wall]:
                    ids[wall, end] = ids[other, side]
                    break
                slot = (slot + 1) & (slots - 1)
            if first[slot] < 0:
                first[slot], ids[wall, end] = 2 * wall + end, count
                count += 1
    return count


@kernel
def _chains_kernel(walls: WallEdges, starts: I64, ends: I64, order: I64, corners: int) -> tuple[I32, I32]:
    after = _followers(walls, starts, ends, order, corners)
    count = len(after)
    is_followed, is_done = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    for wall in range(count):
        if after[wall] >= 0:
            is_followed[after[wall]] = True
    first, chain, chains, total = np.zeros(count + 1, np.int32), np.empty(count, np.int32), 0, 0
    for closed in range(2):  # those with a beginning, then rings
        for wall in order:
            if is_done[wall] or (closed == 0 and is_followed[wall]):
                continue
            at = wall
            while at >= 0 and not is_done[at]:
                chain[total], is_done[at] = at, True
                total += 1
                at = after[at]
            chains += 1
            first[chains] = total
    return first[: chains + 1].copy(), chain


@kernel
def _followers(walls: WallEdges, starts: I64, ends: I64, order: I64, corners: int) -> I32:
    """The wall that goes on from each wall, -1 for none; of several the straightest."""
    first, count = np.zeros(corners + 1, np.int64), len(starts)
    for wall in range(count):
        first[starts[wall] + 1] += 1
    for corner in range(corners):
        first[corner + 1] += first[corner]
    place, at_corner = first[:-1].copy(), np.empty(count, np.int32)
    for wall in order:
        at_corner[place[starts[wall]]] = wall
        place[starts[wall]] += 1
    after, is_taken = np.full(count, -1, np.int32), np.zeros(count, np.bool_)
    for wall in order:
        best, follower = _STRAIGHT, -1
        for k in range(first[ends[wall]], first[ends[wall] + 1]):
            other = at_corner[k]
            if not is_taken[other] and other != wall and walls.area[other] == walls.area[wall]:
                straight = _straightness(walls.ends, wall, other)
                if straight > best:
                    best, follower = straight, other
        if follower >= 0:
            after[wall], is_taken[follower] = follower, True
    return after


@borrowing
def _straightness(ends: F64, one: AnyInt, other: AnyInt) -> float:
    """The cosine of the turn between two walls, seen from above."""
    ax, az = ends[one, 1, 0] - ends[one, 0, 0], ends[one, 1, 2] - ends[one, 0, 2]
    bx, bz = ends[other, 1, 0] - ends[other, 0, 0], ends[other, 1, 2] - ends[other, 0, 2]
    length = np.sqrt((ax * ax + az * az) * (bx * bx + bz * bz))
    return (ax * bx + az * bz) / length if length > 0 else -1.0


@kernel
def place_counts(walls: WallEdges, chains: Chains, spacing: float) -> I32:
    """(K + 1,) how many places there are on the chains before each."""
    first = np.zeros(len(chains.first), np.int32)
    for chain in range(len(first) - 1):
        length = _length(walls.ends, chains.walls[chains.first[chain] : chains.first[chain + 1]])
        first[chain + 1] = first[chain] + max(int(np.floor(length / spacing + 0.5)), 1)
    return first


@borrowing
def _length(ends: F64, walls: I32) -> float:
    total = 0.0
    for wall in walls:
        total += np.hypot(ends[wall, 1, 0] - ends[wall, 0, 0], ends[wall, 1, 2] - ends[wall, 0, 2])
    return total


@kernel
def room_for_places(count: int) -> Places:
    """Room for so many places, of chains that are still to be said."""
    return Places(
        np.zeros(1, np.int32), np.empty((count, 3)), np.empty((count, 2, 2)), np.empty((count, 2)),
        np.empty(count, np.int32), np.empty(count),
    )  # fmt: skip


@kernel
def fill_places(
    matter: Matter, walker: Walker, ground: Ground, walls: WallEdges, chains: Chains, places: Places
) -> None:  # fmt: skip
    """Fill in the places of all of these chains."""
    longest, count = 0, len(chains.first) - 1
    for chain in range(count):
        longest = max(longest, chains.first[chain + 1] - chains.first[chain])
    passed = np.empty(longest + 1)
    for chain in range(count):
        _fill_chain(matter, walker, ground, walls, chains, places, chain, passed)


@borrowing
def _fill_chain(
    matter: Matter, walker: Walker, ground: Ground, walls: WallEdges, chains: Chains, places: Places,
    chain: int, passed: F64,
) -> None:  # fmt: skip
    """Fill in the places of a chain."""
    half, inset = walker.radius + walker.cell / 2, _INSET * walker.cell
    own = chains.walls[chains.first[chain] : chains.first[chain + 1]]
    length = _lengths(walls.ends, own, passed)
    first, count = places.first[chain], places.first[chain + 1] - places.first[chain]
    here, back, front, side = 0, 0, 0, 0  # walls: places along the chain only go on
    side, begin_x, _, begin_z = _along(walls.ends, own, passed, side, 0.0)
    for i in range(count):
        row, along = first + i, (i + 0.5) * length / count
        here, x, y, z = _along(walls.ends, own, passed, here, along)
        back, x0, _, z0 = _along(walls.ends, own, passed, back, max(along - half, 0.0))
        front, x1, _, z1 = _along(walls.ends, own, passed, front, min(along + half, length))
        side, end_x, _, end_z = _along(walls.ends, own, passed, side, (i + 1) * length / count)
        away = np.sqrt((x1 - x0) ** 2 + (z1 - z0) ** 2)
        out_x, out_z = 0.0, 0.0
        if away > 0:
            out_x, out_z = ground.turn * (z1 - z0) / away, -ground.turn * (x1 - x0) / away
        x, z = x - out_x * inset, z - out_z * inset
        places.point[row, 0], places.point[row, 2] = x, z
        places.point[row, 1] = _floor_near(matter, walker, x, y, z, out_x, out_z) if away > 0 else np.nan
        places.ends[row, 0, 0], places.ends[row, 0, 1] = begin_x - out_x * inset, begin_z - out_z * inset
        places.ends[row, 1, 0], places.ends[row, 1, 1] = end_x - out_x * inset, end_z - out_z * inset
        places.out[row, 0], places.out[row, 1] = out_x, out_z
        places.polygon[row], places.stretch[row] = walls.polygon[own[here]], length / count
        begin_x, begin_z = end_x, end_z


@borrowing
def _floor_near(matter: Matter, walker: Walker, x: float, y: float, z: float, out_x: float, out_z: float) -> float:
    """The floor at a place, or the nearest one behind it: outlines are simplified."""
    floor = np.nan
    for k in range(_FARTHEST_IN + 1):
        inward = k * walker.cell / 2
        floor = nearest_floor(
            matter, x - out_x * inward, z - out_z * inward, y, walker.climb + walker.voxel, walker.height
        )
        if not np.isnan(floor):
            break
    return floor


@borrowing
def _lengths(ends: F64, walls: I32, passed: F64) -> float:
    """The length of a chain; writes how long it is up to the beginning of each wall, and in all."""
    passed[0] = 0.0
    for k in range(len(walls)):
        wall = walls[k]
        length = np.hypot(ends[wall, 1, 0] - ends[wall, 0, 0], ends[wall, 1, 2] - ends[wall, 0, 2])
        passed[k + 1] = passed[k] + length
    return passed[len(walls)]


@borrowing
def _along(ends: F64, walls: I32, passed: F64, k: int, along: float) -> tuple[int, float, float, float]:
    """The wall of a chain, from wall k on, and the point so many metres along the chain."""
    while k < len(walls) - 1 and along > passed[k + 1]:
        k += 1
    wall, length = walls[k], passed[k + 1] - passed[k]
    part = min(max((along - passed[k]) / length, 0.0), 1.0) if length > 0 else 0.0
    return (
        k,
        ends[wall, 0, 0] + (ends[wall, 1, 0] - ends[wall, 0, 0]) * part,
        ends[wall, 0, 1] + (ends[wall, 1, 1] - ends[wall, 0, 1]) * part,
        ends[wall, 0, 2] + (ends[wall, 1, 2] - ends[wall, 0, 2]) * part,
    )
