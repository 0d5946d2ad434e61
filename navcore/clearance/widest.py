"""The widest way between two bays, and the shortest of those that are so wide; the width of a given corridor.

A way is as wide as the narrowest gap on it. The widest is found as the shortest is (Dijkstra, 1959), with the smaller
of two widths in the place of the sum of two lengths (Hu, 1961).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel
from ..navquery.kernels.heap import WAITING, pop, push
from ..navquery.kernels.nearest import roomy
from ..navquery.kernels.points import passes
from ..navquery.query_mesh import PolygonRows
from ..navquery.status import INVALID, PARTIAL, SUCCESS
from ..types import F64, I32, I64, U8, U32, AnyInt
from .bays import BAY, NO_GAP, OVER, WIDTH, Bays, bay_at
from .rims import Rims
from .sight import new_view, wall_distance

START, END, BETWEEN = 0, 1, 2  # columns of `widths`
NOWHERE = -1
_ROUND = 0  # column of `counts`, beside WAITING


class Search(NamedTuple):
    """Room for one search over B bays."""

    keys: F64  # (B,) of the bay: minus its width, or its distance
    before: I32  # (B,) the way by which it is reached; -1: none
    came_from: I32  # (B,) the bay
    rounds: I32  # (B,) in which search it was seen
    closed: U8  # (B,)
    heap: I32  # (.,) bays, the smallest key first
    heap_keys: F64  # (.,)
    counts: I64  # the round, and how many wait


@kernel
def _new_search(count: int, ways: int) -> Search:
    room = ways + 2
    return Search(
        np.empty(count), np.empty(count, np.int32), np.empty(count, np.int32), np.zeros(count, np.int32),
        np.zeros(count, np.uint8), np.empty(room, np.int32), np.empty(room), np.zeros(2, np.int64),
    )  # fmt: skip


@kernel
def _search(
    search: Search, bays: Bays, facts: PolygonRows, include: AnyInt, exclude: AnyInt, start: int, goal: int, x: float,
    z: float, least: float,
) -> bool:  # fmt: skip
    """Search from bay to bay. `least` below 0: for the widest way; else for the shortest that is at least so wide."""
    keys, before, came_from, rounds, closed = search.keys, search.before, search.came_from, search.rounds, search.closed
    heap, heap_keys, counts = search.heap, search.heap_keys, search.counts
    way_first, ways, numbers, polygons = bays.way_first, bays.ways, bays.numbers, bays.polygons
    widest = least < 0
    counts[_ROUND] += 1
    counts[WAITING] = 0
    this = counts[_ROUND]
    keys[start], before[start], came_from[start] = -np.inf if widest else 0.0, -1, -1
    rounds[start], closed[start] = this, 0
    push(heap, heap_keys, counts, start, keys[start])
    while counts[WAITING] > 0:
        bay = pop(heap, heap_keys, counts)
        if closed[bay] == 1:
            continue
        closed[bay] = 1
        if bay == goal:
            return True
        at_x, at_z = (x, z) if before[bay] < 0 else (numbers[before[bay], 1], numbers[before[bay], 2])
        for way in range(way_first[bay], way_first[bay + 1]):
            there = ways[way, BAY]
            if rounds[there] == this and closed[there] == 1:
                continue
            if polygons[there] != polygons[bay] and not passes(facts, polygons[there], include, exclude):
                continue
            if widest:
                key = max(keys[bay], -numbers[way, WIDTH])
            elif numbers[way, WIDTH] < least:
                continue
            else:
                dx, dz = numbers[way, 1] - at_x, numbers[way, 2] - at_z
                key = keys[bay] + np.sqrt(dx * dx + dz * dz)
            if rounds[there] == this and not key < keys[there]:
                continue
            keys[there], before[there], came_from[there] = key, way, bay
            rounds[there], closed[there] = this, 0
            push(heap, heap_keys, counts, there, key)
    return False


@kernel
def widest_rows(
    rims: Rims, bays: Bays, polygons: PolygonRows, include: AnyInt, exclude: AnyInt, starts: I32, ends: I32,
    from_places: F64, to_places: F64, begin: int, end: int, status: U32, widths: F64, narrowest: I32, counts: I32,
) -> I32:  # fmt: skip
    """The polygons of the shortest of the widest ways, one row after the other.

    `widths` (N, 3) gets the room at the start and at the end, and the width of the narrowest way between bays;
    `narrowest` that way, -1: there is none.
    """
    found = np.empty(1024, np.int32)
    total = 0
    search, view = _new_search(len(bays.polygons), len(bays.ways)), new_view()
    for row in range(begin, end):
        status[row], counts[row], narrowest[row] = INVALID, 0, NOWHERE
        widths[row] = np.nan
        if starts[row] < 0 or ends[row] < 0:
            continue
        x, z, to_x, to_z = from_places[row, 0], from_places[row, 1], to_places[row, 0], to_places[row, 1]
        view, here = wall_distance(rims, view, starts[row], x, z, np.inf, 0.0)
        view, there = wall_distance(rims, view, ends[row], to_x, to_z, np.inf, 0.0)
        widths[row, START], widths[row, END] = here, there
        first, goal = bay_at(bays, starts[row], x, z), bay_at(bays, ends[row], to_x, to_z)
        if not _search(search, bays, polygons, include, exclude, first, goal, x, z, -1.0):
            status[row] = SUCCESS | PARTIAL
            continue
        status[row] = SUCCESS
        wide = -search.keys[goal]
        least = min(wide, min(here, there))
        widths[row, BETWEEN] = wide
        narrowest[row] = _narrowest_way(search, bays, goal, wide)
        _search(search, bays, polygons, include, exclude, first, goal, x, z, least)
        length, bay = 0, goal
        while bay >= 0:
            length, bay = length + 1, search.came_from[bay]
        found = roomy(found, total, total + length)
        bay, place = goal, total + length
        while bay >= 0:
            place -= 1
            found[place] = bays.polygons[bay]
            bay = search.came_from[bay]
        kept = total + 1
        for k in range(total + 1, total + length):
            if found[k] != found[kept - 1]:
                found[kept] = found[k]
                kept += 1
        counts[row] = kept - total
        total = kept
    return found[:total].copy()


@kernel
def _narrowest_way(search: Search, bays: Bays, goal: int, wide: float) -> int:
    """The first of the ways to a bay that is no wider than all."""
    bay, found = goal, NOWHERE
    while search.before[bay] >= 0:
        way = search.before[bay]
        if bays.numbers[way, WIDTH] <= wide and wide < np.inf:
            found = way
        bay = search.came_from[bay]
    return found


@kernel
def corridor_rows(
    rims: Rims, bays: Bays, starts: F64, ends: F64, offsets: I64, polygons: I32, begin: int, end: int,
    status: U32, widths: F64, narrowest: I32,
) -> None:  # fmt: skip
    """How wide the ways are that lead through given polygons, one after the other; as `widest_rows` answers."""
    view = new_view()
    for row in range(begin, end):
        status[row], narrowest[row] = INVALID, NOWHERE
        widths[row] = np.nan
        low, high = offsets[row], offsets[row + 1]
        if low == high or polygons[low:high].min() < 0:
            continue
        first, last = polygons[low], polygons[high - 1]
        view, widths[row, START] = wall_distance(rims, view, first, starts[row, 0], starts[row, 1], np.inf, 0.0)
        view, widths[row, END] = wall_distance(rims, view, last, ends[row, 0], ends[row, 1], np.inf, 0.0)
        count = bays.first[first + 1] - bays.first[first]
        wide, over = np.full(count, -1.0), np.full(count, NOWHERE, np.int32)
        wide[bay_at(bays, first, starts[row, 0], starts[row, 1]) - bays.first[first]] = np.inf
        for k in range(low, high):
            _spread(bays, polygons[k], wide, over)
            if k + 1 < high:
                wide, over = _onwards(bays, polygons[k], polygons[k + 1], wide, over)
        bay = bay_at(bays, last, ends[row, 0], ends[row, 1]) - bays.first[last]
        if wide[bay] < 0:
            continue
        status[row], widths[row, BETWEEN], narrowest[row] = SUCCESS, wide[bay], over[bay]


@kernel
def _spread(bays: Bays, polygon: int, wide: F64, over: I32) -> None:
    """From the bays of a polygon that are reached to its others: up to what is around them, then down."""
    base = bays.first[polygon]
    count = len(wide)
    for turn in range(2):
        for k in range(count):
            bay = count - 1 - k if turn == 0 else k
            for way in range(bays.way_first[base + bay], bays.way_first[base + bay + 1]):
                other = bays.ways[way, BAY] - base
                if bays.ways[way, OVER] == NO_GAP or not 0 <= other < count:
                    continue
                if (other < bay) == (turn == 0):
                    _widen(wide, over, bay, wide, over, other, bays.numbers[way, WIDTH], way)


@inlined
def _widen(
    wide: F64, over: I32, bay: AnyInt, wide_there: F64, over_there: I32, other: AnyInt, width: float, way: AnyInt
) -> None:
    """Reach a bay by a way, where that is wider than before."""
    reached = min(wide[bay], width)
    if reached > wide_there[other]:
        wide_there[other] = reached
        over_there[other] = way if width < wide[bay] else over[bay]


@kernel
def _onwards(bays: Bays, polygon: int, following: int, wide: F64, over: I32) -> tuple[F64, I32]:
    """From the bays of a polygon to those of the next one."""
    base = bays.first[following]
    count = bays.first[following + 1] - base
    new_wide, new_over = np.full(count, -1.0), np.full(count, NOWHERE, np.int32)
    for bay in range(len(wide)):
        at = bays.first[polygon] + bay
        if wide[bay] < 0:
            continue
        for way in range(bays.way_first[at], bays.way_first[at + 1]):
            other = bays.ways[way, BAY] - base
            if bays.ways[way, OVER] == NO_GAP and 0 <= other < count:
                _widen(wide, over, bay, new_wide, new_over, other, bays.numbers[way, WIDTH], way)
    return new_wide, new_over
