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

from ..geometry import left
from ..jit import kernel
from ..types import I32, I64

NAME, PARTNER, SEEN = 0, 1, 2  # columns of slots
INTO, SLOT = 0, 1  # columns of names
LOW, HIGH, WHOSE, LINK = 0, 1, 2, 3  # columns of edges
SLOT_BITS = 20  # a leaf is (value << SLOT_BITS) | (HIGHEST_SLOT - slot), 0 without a partner
HIGHEST_SLOT = (1 << SLOT_BITS) - 1


class MergeRoom(NamedTuple):
    """Scratch for merging up to T polygons of up to N corners.

    A polygon keeps its name when it moves to another slot; a polygon that was merged into another leads to it by INTO.
    """

    rows: I32  # (T + 2, N + 1) corners of the polygon in each slot, then how many; two rows to spare
    slots: I32  # (T, 3) name, best partner, in which merge it was last judged
    names: I32  # (T, 2) the polygon it was merged into (or itself), slot
    edges: I32  # (5 · T, 4) lower end, higher end, name of a polygon that has or had the edge, next of the same bucket
    heads: I32  # (a power of two,) newest edge of each bucket, -1 for none
    best: I64  # (2 · leaves,) tournament tree; 1 is the root


def merge_room(polygons: int, vertices_per_polygon: int) -> MergeRoom:
    leaves = 1 << max(polygons - 1, 1).bit_length()
    return MergeRoom(
        np.empty((polygons + 2, vertices_per_polygon + 1), np.int32),
        np.empty((polygons, 3), np.int32),
        np.empty((polygons, 2), np.int32),
        np.empty((5 * polygons, 4), np.int32),  # three of each triangle, and two at most for each merge
        np.empty(2 * leaves, np.int32),
        np.empty(2 * leaves, np.int64),
    )


@kernel
def _after(rows, slot, i):
    """The corner after corner i."""
    return rows[slot, i + 1 if i + 1 < rows[slot, -1] else 0]


@kernel
def _left_at(rows, vertices, j, i, k, m):
    """Does the joint turn left where polygon j arrives at its corner i and polygon k goes on to its corner m?"""
    a = rows[j, i - 1 if i > 0 else rows[j, -1] - 1]
    b, c = rows[j, i], rows[k, m % rows[k, -1]]
    return left(
        np.int32(vertices[a, 0]), np.int32(vertices[a, 2]), np.int32(vertices[b, 0]), np.int32(vertices[b, 2]),
        np.int32(vertices[c, 0]), np.int32(vertices[c, 2]),
    )  # fmt: skip


@kernel
def _merge_value(rows, vertices, j, k):
    """(value, edge of j, edge of k): how long the edge is across which two polygons may merge, squared; else -1.

    Of several common edges the last of j counts, with its first match in k. Recast: getPolyMergeValue.
    """
    no_value = np.int64(-1)
    if rows[j, -1] + rows[k, -1] - 2 >= rows.shape[1]:
        return no_value, 0, 0
    edge_j, edge_k = -1, -1
    for i in range(rows[j, -1]):
        a, b = rows[j, i], _after(rows, j, i)
        for m in range(rows[k, -1]):
            c = rows[k, m]
            if c != a and c != b:
                continue
            d = _after(rows, k, m)
            if (c == a and d == b) or (c == b and d == a):
                edge_j, edge_k = i, m
                break
    if edge_j < 0:
        return no_value, 0, 0
    if not _left_at(rows, vertices, j, edge_j, k, edge_k + 2) or not _left_at(rows, vertices, k, edge_k, j, edge_j + 2):
        return no_value, 0, 0
    a, b = rows[j, edge_j], _after(rows, j, edge_j)
    dx = np.int64(vertices[a, 0]) - np.int64(vertices[b, 0])
    dz = np.int64(vertices[a, 2]) - np.int64(vertices[b, 2])
    return dx * dx + dz * dz, edge_j, edge_k


@kernel
def _bucket_of(heads, a, b):
    """Which chain holds the edge a – b, in either direction."""
    low, high = np.int64(min(a, b)), np.int64(max(a, b))
    return (low * 0x9E3779B1 + high * 0x85EBCA6B >> 7) & (heads.shape[0] - 1)


@kernel
def _add_edge(edges, heads, count, a, b, name):
    """Note that a polygon has the edge a – b; returns the new number of edges."""
    bucket = _bucket_of(heads, a, b)
    edges[count, LOW], edges[count, HIGH], edges[count, WHOSE] = min(a, b), max(a, b), name
    edges[count, LINK] = heads[bucket]
    heads[bucket] = count
    return count + 1


@kernel
def _slot_of(names, name):
    """Where a polygon, or what it was merged into, lies now."""
    while names[name, INTO] != name:
        names[name, INTO] = names[names[name, INTO], INTO]
        name = names[name, INTO]
    return names[name, SLOT]


@kernel
def _set_leaf(best, slot, value):
    node = (best.shape[0] >> 1) + slot
    best[node] = value
    while node > 1:
        node >>= 1
        best[node] = max(best[2 * node], best[2 * node + 1])


@kernel
def _judge(rows, slots, names, edges, heads, vertices, best, j):
    """Find the best partner of slot j among the slots above it, and tell the tree."""
    value, partner = np.int64(0), np.int32(-1)
    for i in range(rows[j, -1]):
        a, b = rows[j, i], _after(rows, j, i)
        low, high, edge = min(a, b), max(a, b), heads[_bucket_of(heads, a, b)]
        while edge >= 0:
            if edges[edge, LOW] == low and edges[edge, HIGH] == high:
                k = _slot_of(names, edges[edge, WHOSE])
                if k > j and k != partner:
                    found = _merge_value(rows, vertices, j, k)[0]
                    if found > value or (found == value and value > 0 and k < partner):
                        value, partner = found, k
            edge = edges[edge, LINK]
    slots[j, PARTNER] = partner
    _set_leaf(best, j, (value << SLOT_BITS) | (HIGHEST_SLOT - j) if partner >= 0 else 0)


@kernel
def _judge_around(rows, slots, names, edges, heads, vertices, best, row, merges):
    """Judge every slot that has or had an edge of the polygon in `row`, once a merge."""
    for i in range(rows[row, -1]):
        a, b = rows[row, i], _after(rows, row, i)
        low, high, edge = min(a, b), max(a, b), heads[_bucket_of(heads, a, b)]
        while edge >= 0:
            if edges[edge, LOW] == low and edges[edge, HIGH] == high:
                slot = _slot_of(names, edges[edge, WHOSE])
                if slots[slot, SEEN] != merges:
                    slots[slot, SEEN] = merges
                    _judge(rows, slots, names, edges, heads, vertices, best, slot)
            edge = edges[edge, LINK]


@kernel
def _copy_row(rows, source, target):
    for i in range(rows.shape[1]):
        rows[target, i] = rows[source, i]


@kernel
def _join(rows, j, k, edge_j, edge_k):
    """Slot j becomes the union of j and k, which are kept in the spare rows; is their common edge an ordinary one?

    An ordinary edge runs one way in j and the other way in k. Recast: mergePolyVerts.
    """
    spare, size = rows.shape[0] - 2, 0
    _copy_row(rows, j, spare)
    _copy_row(rows, k, spare + 1)
    for source, edge in ((spare, edge_j), (spare + 1, edge_k)):
        corners = rows[source, -1]
        for i in range(1, corners):
            rows[j, size] = rows[source, (edge + i) % corners]
            size += 1
    rows[j, -1] = size
    return rows[spare, edge_j] == _after(rows, spare + 1, edge_k)


@kernel
def _open_room(rows, slots, names, edges, heads, vertices, best, count):
    """Name the polygons, note their edges, judge them; returns the number of edges."""
    used = 0
    heads[:] = -1
    best[:] = 0
    for slot in range(count):
        slots[slot, NAME], slots[slot, SEEN] = slot, 0
        names[slot, INTO] = names[slot, SLOT] = slot
        for i in range(rows[slot, -1]):
            used = _add_edge(edges, heads, used, rows[slot, i], _after(rows, slot, i), slot)
    for slot in range(count):
        _judge(rows, slots, names, edges, heads, vertices, best, slot)
    return used


@kernel
def merge_polygons(room, count, vertices, region, area, cancel):
    """Merge the first `count` rows of the room; returns how many are left.

    `region` and `area` are those of the slots: a merged polygon has no region if its two had different ones.
    """
    rows, slots, names, edges = room.rows, room.slots, room.names, room.edges
    leaves = 2
    while leaves < count:
        leaves *= 2
    heads, best = room.heads[: 2 * leaves], room.best[: 2 * leaves]
    used = _open_room(rows, slots, names, edges, heads, vertices, best, count)
    merges, spare = 0, rows.shape[0] - 2
    while best[1] > 0 and not cancel[0]:
        j = np.int64(HIGHEST_SLOT - (best[1] & HIGHEST_SLOT))
        k, last = np.int64(slots[j, PARTNER]), np.int64(count - 1)
        _, edge_j, edge_k = _merge_value(rows, vertices, j, k)
        ordinary = _join(rows, j, k, edge_j, edge_k)
        if region[j] != region[k]:
            region[j] = 0
        names[slots[k, NAME], INTO] = slots[j, NAME]
        if not ordinary:  # then the union has two edges that neither had
            for i in (rows[spare, -1] - 2, rows[j, -1] - 1):
                used = _add_edge(edges, heads, used, rows[j, i], _after(rows, j, i), slots[j, NAME])
        if k != last:
            _copy_row(rows, last, k)
            region[k], area[k] = region[last], area[last]
            slots[k, NAME] = slots[last, NAME]
            names[slots[k, NAME], SLOT] = k
        _set_leaf(best, last, 0)
        count, merges = last, merges + 1
        for row in (spare, spare + 1, j, k):
            if row != last:
                _judge_around(rows, slots, names, edges, heads, vertices, best, row, merges)
    return count
