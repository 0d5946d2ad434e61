"""Find a free line, a bridge, from a hole to the ring around it.

A ring is given as x and z of its corners in order. Whether a line is free depends on all edges of the ring and of the
holes that are not joined yet; boxes around 16 edges in a row each settle most of them at once. Lines are ranked by a
list that answers as if it were sorted, and sorts only as much of itself as it is asked about.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...geometry.predicates import left, left_on, meets
from ...jit import kernel
from ...types import I32, I64, U8, AnyInt

EDGES_PER_BOX = 16
FAR = 1 << 30
LOW_X, HIGH_X, LOW_Z, HIGH_Z = 0, 1, 2, 3  # columns of boxes

_Line: TypeAlias = tuple[int, int, int, int]  # x and z of its two ends


class Holes(NamedTuple):
    """Holes in the order in which they are joined, region after region."""

    x: I32  # (.,) of all corners of all contours
    z: I32  # (.,)
    contour: I64  # (H,)
    begin: I64  # (H,) where its corners begin
    end: I64  # (H,)
    leftmost: I64  # (H,) counted from `begin`


class BridgeSearch(NamedTuple):
    """Memory for the search in one ring, and what is known about the ring and the holes in it."""

    ring_boxes: I32  # (., 4) lowest x, highest x, lowest z, highest z of 16 edges in a row
    hole_boxes: I32  # (., 4)
    box_first: I64  # (holes + 1,) where the boxes of each hole begin
    from_x: I32  # (holes,) the lowest x of this hole and all that follow
    all_x: U8  # (1,) 1 if boxes have no limits in x
    ranking: Ranking  # of the ring's positions


@kernel
def empty_search(size: AnyInt, holes: AnyInt) -> BridgeSearch:
    """Memory for the search in a ring of up to `size` corners, holes included, and up to so many holes."""
    boxes = size // EDGES_PER_BOX + holes + 1
    return BridgeSearch(
        np.empty((boxes, 4), np.int32),
        np.empty((boxes, 4), np.int32),
        np.empty(holes + 1, np.int64),
        np.empty(holes, np.int32),
        np.zeros(1, np.uint8),
        empty_ranking(size),
    )


@kernel
def prepare_search(ring: I32, n: AnyInt, holes: Holes, low: int, high: int, search: BridgeSearch) -> None:
    """Get ready for the holes low … high of one region, whose outline is `ring`."""
    search.all_x[0] = _has_doubles(ring[0], ring[1], np.int64(0), n)
    for i in range(low, high):
        if _has_doubles(holes.x, holes.z, holes.begin[i], holes.end[i]):
            search.all_x[0] = 1
    boxes, box_first, from_x = search.hole_boxes, search.box_first, search.from_x
    box_first[0] = 0
    for i in range(low, high):
        begin, all_x = holes.begin[i], search.all_x[0]
        box_first[i - low + 1] = _box_edges(
            holes.x, holes.z, begin, holes.end[i] - begin, all_x, boxes, box_first[i - low]
        )
    lowest = FAR
    for i in range(high - low - 1, -1, -1):
        for box in range(box_first[i], box_first[i + 1]):
            lowest = min(lowest, boxes[box, LOW_X])
        from_x[i] = lowest
    clear_ranking(search.ranking, high - low)


@kernel
def find_bridge(
    ring: I32, n: AnyInt, holes: Holes, low: int, i: int, high: int, search: BridgeSearch
) -> tuple[np.int64, np.int64]:
    """The first free line from hole i to the ring, as (corner of the hole, position in the ring); (−1, −1) if none.

    The hole's corners are tried from the leftmost on; for each, the positions that have it inside their angle, by
    growing distance. The ring's region has the holes low … high.

    Recast sorts all those positions. Here they are ranked lazily, as few are looked at: the nearest ones until a line
    is free, and now and then the one with the rank of the hole (from 0). Its two edges never block in Recast, which
    reads the list of positions at the hole's number. With fewer positions that is what earlier, longer lists of this
    region left there; the ranking keeps those leftovers. Where there never was one Recast reads uninitialized memory;
    here no edge is ignored.
    """
    xs, zs = ring[0], ring[1]
    _box_edges(xs, zs, np.int64(0), n, search.all_x[0], search.ring_boxes, np.int64(0))
    begin, size = holes.begin[i], holes.end[i] - holes.begin[i]
    corner = holes.leftmost[i]
    for _ in range(size):
        x, z = holes.x[begin + corner], holes.z[begin + corner]
        count, nearest = _facing(xs, zs, n, x, z, next_keys(search.ranking))
        rank_anew(search.ranking, count, nearest)
        for k in range(count):
            position = ranked(search.ranking, k)
            line = xs[position], zs[position], x, z
            if not _is_blocked(xs, zs, n, line, holes, (low, i, high), search):
                return corner, position
        corner = corner + 1 if corner + 1 < size else 0
    return np.int64(-1), np.int64(-1)


@kernel
def _has_doubles(xs: I32, zs: I32, begin: np.int64, end: AnyInt) -> bool:
    """Has the ring xs, zs[begin:end] an edge of length zero? It meets whatever touches its z, at any x: see `meets`."""
    before = end - 1
    for i in range(begin, end):
        if xs[i] == xs[before] and zs[i] == zs[before]:
            return True
        before = i
    return False


@kernel
def _box_edges(xs: I32, zs: I32, begin: np.int64, n: AnyInt, all_x: int, boxes: I32, box: np.int64) -> np.int64:
    """Bounding boxes of 16 edges in a row each, into boxes[box:], without limits in x if `all_x`; returns the end."""
    for low in range(begin, begin + n, EDGES_PER_BOX):
        high = min(np.int64(low + EDGES_PER_BOX), begin + n)
        end = high if high < begin + n else begin
        x0, x1, z0, z1 = xs[end], xs[end], zs[end], zs[end]
        for i in range(np.uint64(low), np.uint64(high)):  # unsigned: no test for xs[-1], so it becomes SIMD
            x, z = xs[i], zs[i]
            x0 = x if x < x0 else x0
            x1 = x if x > x1 else x1
            z0 = z if z < z0 else z0
            z1 = z if z > z1 else z1
        boxes[box, LOW_X], boxes[box, HIGH_X] = (-FAR, FAR) if all_x else (x0, x1)
        boxes[box, LOW_Z], boxes[box, HIGH_Z] = z0, z1
        box += 1
    return box


@kernel
def _facing(xs: I32, zs: I32, n: AnyInt, x: int, z: int, keys: I64) -> tuple[int, int]:
    """Keys (see Ranking) of the ring's positions that have point (x, z) inside their angle.

    Returns how many there are, and the place of the lowest.

    This is `in_cone` with the side of the point computed once for each edge, not once for each of its ends.
    """
    count, capacity, lowest = 0, np.int64(keys.shape[0]), 0
    lx, lz, vx, vz = xs[n - 1], zs[n - 1], xs[0], zs[0]
    before = left(x, z, lx, lz, vx, vz)
    for position in range(n):
        right = position + 1 if position + 1 < n else 0
        rx, rz = xs[right], zs[right]
        after = left(x, z, vx, vz, rx, rz)
        if (before and after) or ((before or after) and not left_on(lx, lz, vx, vz, rx, rz)):
            dx, dz = np.int64(vx - x), np.int64(vz - z)
            keys[count] = (dx * dx + dz * dz) * capacity + position
            if keys[count] < keys[lowest]:
                lowest = count
            count += 1
        lx, lz, vx, vz, before = vx, vz, rx, rz, after
    return count, lowest


@kernel
def _is_blocked(
    xs: I32, zs: I32, n: AnyInt, line: _Line, holes: Holes, numbers: tuple[int, int, int], search: BridgeSearch
) -> bool:
    """Does an edge of the ring, of hole i or of one after it meet the line? `numbers` are low, i and high.

    Holes before it are part of the ring; those that found no bridge are not looked at any more, as in Recast.
    """
    low, i, high = numbers
    px, _, x, _ = line
    if _hits(xs, zs, (np.int64(0), np.int64(n)), search.ring_boxes, np.int64(0), search.ranking, i - low, line):
        return True
    boxes, box_first, from_x = search.hole_boxes, search.box_first, search.from_x
    for m in range(i, high):
        if from_x[m - low] > px and from_x[m - low] > x:
            return False
        begin, size = holes.begin[m], holes.end[m] - holes.begin[m]
        if _hits(holes.x, holes.z, (begin, size), boxes, box_first[m - low], search.ranking, np.int64(-1), line):
            return True
    return False


@kernel
def _hits(
    xs: I32, zs: I32, edges: tuple[Any, Any], boxes: I32, box: np.int64, ranking: Ranking, rank: AnyInt,
    line: _Line,
) -> bool:  # fmt: skip
    """Does an edge of the ring that begins at edges[0] and has edges[1] corners meet the line?

    Edges that share an end with it don't count, nor those at the corner with this rank, if `rank` is not negative.
    Edges in a box that is apart from the line's cannot meet it.
    """
    (begin, n), (ax, az, bx, bz) = edges, line
    x0, x1, z0, z1 = min(ax, bx), max(ax, bx), min(az, bz), max(az, bz)
    for low in range(0, n, EDGES_PER_BOX):
        apart = boxes[box, LOW_X] > x1 or boxes[box, HIGH_X] < x0 or boxes[box, LOW_Z] > z1 or boxes[box, HIGH_Z] < z0
        box += 1
        if apart:
            continue
        for i in range(low, min(low + EDGES_PER_BOX, n)):
            j = i + 1 if i + 1 < n else 0
            cx, cz, dx, dz = xs[begin + i], zs[begin + i], xs[begin + j], zs[begin + j]
            if (cx == ax and cz == az) or (cx == bx and cz == bz) or (dx == ax and dz == az) or (dx == bx and dz == bz):
                continue
            if meets(ax, az, bx, bz, cx, cz, dx, dz):
                ignored = ranked(ranking, rank) if rank >= 0 else np.int64(-1)
                if i != ignored and j != ignored:
                    return True
    return False


SMALL = 12  # blocks up to this size are sorted at once
LENGTH, ASKED, ROW = 0, 1, 2  # slots of `state`


class Ranking(NamedTuple):
    """Keys cut into blocks. What is in a block belongs there, but has no order yet; `cut` marks where blocks begin.

    A key is distance² · capacity + number: all keys of a list differ, and equal distances are ordered by number, as by
    a stable sort. Exact while distance² · capacity < 2⁶³.
    """

    keys: I64  # (2, capacity) the list, and room for the next one
    cut: U8  # (capacity + 1,) 1 where a block begins, and behind the last one
    state: I64  # (3,) how long the list is; how far old lists will be asked about; which row of `keys` is the list


@kernel
def empty_ranking(capacity: AnyInt) -> Ranking:
    return Ranking(np.empty((2, capacity), np.int64), np.empty(capacity + 1, np.uint8), np.zeros(3, np.int64))


@kernel
def clear_ranking(ranking: Ranking, asked: int) -> None:
    """Forget everything. Ranks of `asked` and more will only be asked about in a list that is that long itself."""
    ranking.state[LENGTH], ranking.state[ASKED] = 0, asked


@kernel
def next_keys(ranking: Ranking) -> I64:
    """Where to write the next list."""
    return ranking.keys[1 - ranking.state[ROW]]


@kernel
def rank_anew(ranking: Ranking, count: int, lowest: int) -> None:
    """Lay the `count` new keys, sorted, over the beginning of the list. What lies behind them stays as it is.

    The block that the end of the new list would cut in two is cut there first: then every block still holds exactly
    what it would hold if all lists had been sorted, this one and those before. `lowest` is the place of the lowest key.
    """
    keys, cut, state = ranking
    if count == 0:
        return
    old, new = keys[state[ROW]], keys[1 - state[ROW]]
    if count < state[LENGTH] and count < state[ASKED]:
        _settle(old, cut, count)
        for i in range(count, state[LENGTH]):
            new[i] = old[i]
    else:
        state[LENGTH] = count
    state[ROW] = 1 - state[ROW]
    for i in range(count):
        cut[i] = 0
    new[0], new[lowest] = new[lowest], new[0]
    cut[0] = cut[1] = cut[count] = 1


@kernel
def ranked(ranking: Ranking, rank: AnyInt) -> np.int64:
    """The number stored at `rank` of the sorted list, -1 if nothing was ever written there."""
    keys, cut, state = ranking
    if rank >= state[LENGTH]:
        return np.int64(-1)
    key = keys[state[ROW]]
    if not (cut[rank] and cut[rank + 1]):
        _settle(key, cut, rank)
    return key[rank] % key.shape[0]


@kernel
def _settle(key: I64, cut: U8, rank: AnyInt) -> None:
    """Bring the key of this rank to its place: quicksort, but only the part in which it lies."""
    low, high = rank, rank + 1
    while not cut[low]:
        low -= 1
    while not cut[high]:
        high += 1
    while high - low > SMALL:
        middle = _partition(key, low, high)
        cut[middle] = cut[middle + 1] = 1
        if rank == middle:
            return
        if rank < middle:
            high = middle
        else:
            low = middle + 1
    for i in range(low + 1, high):
        value, j = key[i], i
        while j > low and key[j - 1] > value:
            key[j] = key[j - 1]
            j -= 1
        key[j] = value
    for i in range(low, high):
        cut[i] = 1


@kernel
def _partition(key: I64, low: AnyInt, high: AnyInt) -> AnyInt:
    """Move smaller keys before and greater ones behind a pivot (the middle one of three); returns where it ends up."""
    last, middle = high - 1, (low + high) // 2
    a, b, c = key[low], key[middle], key[last]
    if (a < b) == (b < c):
        pivot = middle
    elif (b < a) == (a < c):
        pivot = low
    else:
        pivot = last
    key[pivot], key[last] = key[last], key[pivot]
    value, place = key[last], low
    for i in range(low, last):
        if key[i] < value:
            key[i], key[place] = key[place], key[i]
            place += 1
    key[last], key[place] = key[place], value
    return place
