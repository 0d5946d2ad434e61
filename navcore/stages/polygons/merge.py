"""Stage 9, merging: triangles → convex polygons, joined across the longest common edge first.

Recast values all pairs of polygons anew before each merge. Here every slot knows the best partner among the slots above
it, and a tournament tree over slots holds the best pair at its root: the greatest value, then the lowest slot, then the
lowest partner, which is the pair that Recast's scan meets first. A value depends on nothing but the two polygons and
which one lies lower, and is positive only across a common edge. So after a merge only slots next to the polygons that
changed are judged again; edges lead to them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.arrays import power_of_two
from ...geometry.predicates import left
from ...jit import borrowing, kernel
from ...types import I32, I64, U8, U16, AnyBool, AnyInt

SIZE = -1  # the last column of rows: how many corners, and edges
NAME, PARTNER, SEEN = 0, 1, 2  # columns of slots
INTO, SLOT = 0, 1  # columns of names
LOW, HIGH, NEXT, FIRST = 0, 1, 2, 3  # columns of edges
WHOSE, LINK = 0, 1  # columns of owners
EDGES, OWNERS = 0, 1  # slots of `used`
SLOT_BITS = 20  # a leaf is (value << SLOT_BITS) | (HIGHEST_SLOT - slot), 0 without a partner
HIGHEST_SLOT = (1 << SLOT_BITS) - 1
_HASH_LOW, _HASH_HIGH = 0x9E3779B1, 0x85EBCA6B


class MergeRoom(NamedTuple):
    """Scratch for merging up to T polygons of up to N corners.

    A polygon keeps its name when it moves to another slot; a polygon that was merged into another leads to it by INTO.
    """

    rows: I32  # (T + 2, 2 · N + 1) corners of the polygon in each slot, its edges, how many; two rows are spare
    slots: I32  # (T, 3) name, best partner, in which merge it was last judged
    names: I32  # (T, 2) the polygon it was merged into (or itself), slot
    edges: I32  # (5 · T, 4) lower end, higher end, next edge of the same bucket, first owner
    owners: I32  # (5 · T, 2) name of a polygon that has or had the edge, next owner
    heads: I32  # (a power of two,) newest edge of each bucket, -1 for none
    used: I32  # (2,) how many edges and owners there are
    best: I64  # (2 · leaves,) tournament tree; 1 is the root


@kernel
def merge_room(polygons: int, vertices_per_polygon: int) -> MergeRoom:
    """Room for so many triangles."""
    leaves = power_of_two(polygons)
    owners = 5 * polygons  # three of each triangle, and two at most for each merge
    return MergeRoom(
        np.empty((polygons + 2, 2 * vertices_per_polygon + 1), np.int32),
        np.empty((polygons, 3), np.int32),
        np.empty((polygons, 2), np.int32),
        np.empty((owners, 4), np.int32),
        np.empty((owners, 2), np.int32),
        np.empty(2 * leaves, np.int32),
        np.empty(2, np.int32),
        np.empty(2 * leaves, np.int64),
    )


@kernel
def _around(rows: I32, slot: AnyInt, i: int) -> int:
    """Corner i counted around the polygon; i may be one or two too many, or -1."""
    size = rows[slot, SIZE]
    if i < 0:
        i += size
    elif i >= size:
        i -= size
    return rows[slot, i]


@kernel
def _left_at(rows: I32, vertices: U16, j: AnyInt, i: int, k: AnyInt, m: int) -> AnyBool:
    """Does the joint turn left where polygon j arrives at its corner i and polygon k goes on to its corner m?"""
    a, b, c = _around(rows, j, i - 1), rows[j, i], _around(rows, k, m)
    return left(
        np.int32(vertices[a, 0]), np.int32(vertices[a, 2]), np.int32(vertices[b, 0]), np.int32(vertices[b, 2]),
        np.int32(vertices[c, 0]), np.int32(vertices[c, 2]),
    )  # fmt: skip


@kernel
def _common_edge(rows: I32, j: AnyInt, k: AnyInt) -> tuple[int, int]:
    """(edge of j, edge of k), or -1: of several common edges the last of j, with its first match in k."""
    most = rows.shape[1] // 2
    for i in range(rows[j, SIZE] - 1, -1, -1):
        for m in range(rows[k, SIZE]):
            if rows[j, most + i] == rows[k, most + m]:
                return i, m
    return -1, -1


@kernel
def _merge_value(rows: I32, vertices: U16, j: AnyInt, k: AnyInt) -> np.int64:
    """How long the edge is across which two polygons may merge, squared; else -1. Recast: getPolyMergeValue."""
    no_value = np.int64(-1)
    if rows[j, SIZE] + rows[k, SIZE] - 2 > rows.shape[1] // 2:
        return no_value
    i, m = _common_edge(rows, j, k)
    if i < 0 or not _left_at(rows, vertices, j, i, k, m + 2) or not _left_at(rows, vertices, k, m, j, i + 2):
        return no_value
    a, b = rows[j, i], _around(rows, j, i + 1)
    dx = np.int64(vertices[a, 0]) - np.int64(vertices[b, 0])
    dz = np.int64(vertices[a, 2]) - np.int64(vertices[b, 2])
    return dx * dx + dz * dz


@kernel
def _claim_edge(rows: I32, edges: I32, owners: I32, heads: I32, used: I32, slot: AnyInt, i: int, name: AnyInt) -> None:
    """Number the edge after corner i of a slot, as its other polygons do, and enter its polygon as an owner."""
    a, b = rows[slot, i], _around(rows, slot, i + 1)
    low, high = np.int64(min(a, b)), np.int64(max(a, b))
    bucket = (low * _HASH_LOW + high * _HASH_HIGH >> 7) & (heads.shape[0] - 1)
    edge = heads[bucket]
    while edge >= 0 and (edges[edge, LOW] != low or edges[edge, HIGH] != high):
        edge = edges[edge, NEXT]
    if edge < 0:
        edge = used[EDGES]
        used[EDGES] += 1
        edges[edge, LOW], edges[edge, HIGH], edges[edge, NEXT], edges[edge, FIRST] = low, high, heads[bucket], -1
        heads[bucket] = edge
    owner = used[OWNERS]
    used[OWNERS] += 1
    owners[owner, WHOSE], owners[owner, LINK] = name, edges[edge, FIRST]
    edges[edge, FIRST] = owner
    rows[slot, rows.shape[1] // 2 + i] = edge


@kernel
def _slot_of(names: I32, name: AnyInt) -> np.int32:
    """Where a polygon, or what it was merged into, lies now."""
    while names[name, INTO] != name:
        names[name, INTO] = names[names[name, INTO], INTO]
        name = names[name, INTO]
    return names[name, SLOT]


@kernel
def _set_leaf(best: I64, slot: AnyInt, value: np.int64) -> None:
    node = (best.shape[0] >> 1) + slot
    while best[node] != value:
        best[node] = value
        if node == 1:
            break
        value = max(value, best[node ^ 1])
        node >>= 1


@kernel
def _judge(rows: I32, slots: I32, names: I32, edges: I32, owners: I32, vertices: U16, best: I64, j: AnyInt) -> None:
    """Find the best partner of slot j among the slots above it, and enter it into the tree."""
    value, partner, most = np.int64(0), np.int32(-1), rows.shape[1] // 2
    for i in range(most, most + rows[j, SIZE]):
        owner = edges[rows[j, i], FIRST]
        while owner >= 0:
            k = _slot_of(names, owners[owner, WHOSE])
            if k > j and k != partner:
                candidate = _merge_value(rows, vertices, j, k)
                if candidate > value or (candidate == value and value > 0 and k < partner):
                    value, partner = candidate, k
            owner = owners[owner, LINK]
    slots[j, PARTNER] = partner
    _set_leaf(best, j, (value << SLOT_BITS) | (HIGHEST_SLOT - j) if partner >= 0 else np.int64(0))


@borrowing
def _judge_around(room: MergeRoom, vertices: U16, best: I64, row: AnyInt, merges: int) -> None:
    """Judge every slot that has or had an edge of the polygon in `row`, once a merge."""
    rows, slots, names, edges, owners = room.rows, room.slots, room.names, room.edges, room.owners
    most = rows.shape[1] // 2
    for i in range(most, most + rows[row, SIZE]):
        owner = edges[rows[row, i], FIRST]
        while owner >= 0:
            slot = _slot_of(names, owners[owner, WHOSE])
            if slots[slot, SEEN] != merges:
                slots[slot, SEEN] = merges
                _judge(rows, slots, names, edges, owners, vertices, best, slot)
            owner = owners[owner, LINK]


@kernel
def _copy_row(rows: I32, source: AnyInt, target: AnyInt) -> None:
    for i in range(rows.shape[1]):
        rows[target, i] = rows[source, i]


@kernel
def _join(rows: I32, j: AnyInt, k: AnyInt) -> bool:
    """Slot j becomes the union of j and k, which are kept in the spare rows; is their common edge an ordinary one?

    An ordinary edge runs one way in j and the other way in k. Otherwise the union has two edges that neither had: after
    the last corner that came from j, and after the last one. Recast: mergePolyVerts.
    """
    edge_j, edge_k = _common_edge(rows, j, k)
    spare, size, most = rows.shape[0] - 2, 0, rows.shape[1] // 2
    _copy_row(rows, j, spare)
    _copy_row(rows, k, spare + 1)
    for source, edge in ((spare, edge_j), (spare + 1, edge_k)):
        for i in range(edge + 1, edge + rows[source, SIZE]):
            corner = i if i < rows[source, SIZE] else i - rows[source, SIZE]
            rows[j, size], rows[j, most + size] = rows[source, corner], rows[source, most + corner]
            size += 1
    rows[j, SIZE] = size
    return rows[spare, edge_j] == _around(rows, spare + 1, edge_k + 1)


@kernel
def _open_room(room: MergeRoom, count: AnyInt, heads: I32, best: I64) -> None:
    """Name the polygons, number their edges, find the best partner of each."""
    rows, slots, names, edges, owners = room.rows, room.slots, room.names, room.edges, room.owners
    room.used[:] = 0
    heads[:] = -1
    best[:] = 0
    for slot in range(count):
        slots[slot, NAME], slots[slot, SEEN] = slot, 0
        names[slot, INTO] = names[slot, SLOT] = slot
        for i in range(rows[slot, SIZE]):
            _claim_edge(rows, edges, owners, heads, room.used, slot, i, slot)


@kernel
def merge_polygons(room: MergeRoom, count: AnyInt, vertices: U16, region: U16, area: U8, cancelled: U8) -> AnyInt:
    """Merge the first `count` rows of the room; returns how many are left.

    `region` and `area` are those of the slots: a merged polygon has no region if its two had different ones.
    """
    rows, slots, names, edges, owners = room.rows, room.slots, room.names, room.edges, room.owners
    leaves = 2
    while leaves < count:
        leaves *= 2
    heads, best = room.heads[: 2 * leaves], room.best[: 2 * leaves]
    _open_room(room, count, heads, best)
    for slot in range(count):
        _judge(rows, slots, names, edges, owners, vertices, best, slot)
    merges, spare = 0, np.int64(rows.shape[0] - 2)
    while best[1] > 0 and not cancelled[0]:
        j = np.int64(HIGHEST_SLOT - (best[1] & HIGHEST_SLOT))
        k, last = np.int64(slots[j, PARTNER]), np.int64(count - 1)
        ordinary = _join(rows, j, k)
        if region[j] != region[k]:
            region[j] = 0
        names[slots[k, NAME], INTO] = slots[j, NAME]
        if not ordinary:
            for i in (rows[spare, SIZE] - 2, rows[j, SIZE] - 1):
                _claim_edge(rows, edges, owners, heads, room.used, j, i, slots[j, NAME])
        if k != last:
            _copy_row(rows, last, k)
            region[k], area[k] = region[last], area[last]
            slots[k, NAME] = slots[last, NAME]
            names[slots[k, NAME], SLOT] = k
        _set_leaf(best, last, np.int64(0))
        count, merges = last, merges + 1
        for row, changed in ((spare, True), (spare + 1, True), (j, not ordinary), (k, k != last)):
            if changed:
                _judge_around(room, vertices, best, row, merges)
    return count
