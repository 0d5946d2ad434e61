"""The widest path (bottleneck) between two bays, the shortest of those that are so wide; the width of a corridor.

A path is as wide as the narrowest gap on it. The widest is found as the shortest is (Dijkstra, 1959), with the smaller
of two widths in the place of the sum of two lengths (Hu, 1961).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..geometry.arrays import grown
from ..jit import borrowing, inlined, kernel
from ..navquery.kernels.heap import Heap, new_heap, pop, push
from ..navquery.kernels.points import passes
from ..navquery.query_mesh import PolygonRows
from ..navquery.status import INVALID, PARTIAL, SUCCESS
from ..types import F64, I32, I64, U32, AnyInt, Records
from .cut_polygons import NO_GAP, CutPolygons, bay_at
from .polygon_borders import PolygonBorders
from .wall_sight import new_view, wall_distance

START, END, BETWEEN = 0, 1, 2  # columns of `widths`
NOWHERE = -1
# The key of a bay, minus its width or its distance; the passage by which it is reached, -1: none, and from which bay;
# in which search it was seen, and whether it is closed.
_INTS = ("before", "came_from", "round", "closed")
_BAY = np.dtype((np.record, [("key", np.float64)] + [(name, np.int32) for name in _INTS]))

# How wide the path to a bay is, below 0: there is none; and the narrowest passage on it.
REACHED = np.dtype((np.record, [("width", np.float64), ("passage", np.int64)]))


class WidestSearch(NamedTuple):
    """Room for one search over B bays."""

    bays: Records  # (B,)
    heap: Heap  # of bays
    round: I64  # (1,)


class AskedEnds(NamedTuple):
    """N rows: from a place in a polygon to another one, through what a filter lets pass."""

    starts: I32
    ends: I32
    from_places: F64  # (N, 2) cells
    to_places: F64
    include: int
    exclude: int


class AskedCorridors(NamedTuple):
    """N rows: from a place to another one through polygons[offsets[row]:offsets[row + 1]]."""

    from_places: F64  # (N, 2) cells
    to_places: F64
    offsets: I64
    polygons: I32


class FoundWidths(NamedTuple):
    """What became of N rows."""

    status: U32
    widths: F64  # (N, 3) the room at the start and at the end, and the width of the narrowest passage between bays
    narrowest: I32  # that passage; NOWHERE: there is none


@kernel
def _new_search(bays: CutPolygons) -> WidestSearch:
    return WidestSearch(np.zeros(len(bays.polygons), _BAY), new_heap(len(bays.passages) + 2), np.zeros(1, np.int64))


@borrowing
def _search(
    search: WidestSearch, bays: CutPolygons, facts: PolygonRows, asked: AskedEnds, row: int,
    ends: tuple[AnyInt, AnyInt], min_width: float,
) -> bool:  # fmt: skip
    """Search from bay to bay. `min_width` below 0: for the widest path; else for the shortest that is so wide."""
    own, heap, passages, polygons = search.bays, search.heap, bays.passages, bays.polygons
    widest, start, goal = min_width < 0, ends[0], ends[1]
    search.round[0] += 1
    heap.size[0] = 0
    this = search.round[0]
    own[start].key, own[start].before, own[start].came_from = -np.inf if widest else 0.0, -1, -1
    own[start].round, own[start].closed = this, 0
    push(heap, start, own[start].key)
    while heap.size[0] > 0:
        number = pop(heap)
        bay = own[number]
        if bay.closed == 1:
            continue
        bay.closed = 1
        if number == goal:
            return True
        at_x, at_z = asked.from_places[row, 0], asked.from_places[row, 1]
        if bay.before >= 0:
            at_x, at_z = passages[bay.before].x, passages[bay.before].z
        for way in range(bays.passage_first[number], bays.passage_first[number + 1]):
            passage = passages[way]
            there = own[passage.bay]
            if there.round == this and there.closed == 1:
                continue
            polygon = polygons[passage.bay]
            if polygon != polygons[number] and not passes(facts, polygon, asked.include, asked.exclude):
                continue
            if widest:
                key = max(bay.key, -passage.width)
            elif passage.width < min_width:
                continue
            else:
                dx, dz = passage.x - at_x, passage.z - at_z
                key = bay.key + np.sqrt(dx * dx + dz * dz)
            if there.round == this and not key < there.key:
                continue
            there.key, there.before, there.came_from = key, way, number
            there.round, there.closed = this, 0
            push(heap, passage.bay, key)
    return False


@kernel
def widest_rows(
    borders: PolygonBorders, bays: CutPolygons, facts: PolygonRows, asked: AskedEnds, begin: int, end: int,
    answers: FoundWidths, counts: I32,
) -> I32:  # fmt: skip
    """The polygons of the shortest of the widest paths, one row after the other, and how many each row has."""
    borders, bays = PolygonBorders(*borders), CutPolygons(*bays)
    asked, answers = AskedEnds(*asked), FoundWidths(*answers)
    found = np.empty(1024, np.int32)
    total = 0
    search, view = _new_search(bays), new_view()
    widths, narrowest, status = answers.widths, answers.narrowest, answers.status
    for row in range(begin, end):
        status[row], counts[row], narrowest[row] = INVALID, 0, NOWHERE
        widths[row] = np.nan
        start, last = asked.starts[row], asked.ends[row]
        if start < 0 or last < 0:
            continue
        x, z = asked.from_places[row, 0], asked.from_places[row, 1]
        to_x, to_z = asked.to_places[row, 0], asked.to_places[row, 1]
        view, here = wall_distance(borders, view, start, x, z, np.inf, 0.0)
        view, there = wall_distance(borders, view, last, to_x, to_z, np.inf, 0.0)
        widths[row, START], widths[row, END] = here, there
        ends = bay_at(bays, start, x, z), bay_at(bays, last, to_x, to_z)
        status[row], min_width = SUCCESS, -1.0
        for _ in range(2):  # the widest path, then the shortest that is so wide
            if not _search(search, bays, facts, asked, row, ends, min_width):
                status[row] = SUCCESS | PARTIAL
                break
            if min_width < 0:
                wide = -search.bays[ends[1]].key
                widths[row, BETWEEN], min_width = wide, min(wide, min(here, there))
                narrowest[row] = _narrowest_passage(search, bays, ends[1], wide)
        if status[row] != SUCCESS:
            continue
        length = _length_of(search, ends[1])
        found = grown(found, total, total + length)
        counts[row] = _write_polygons(search, bays, ends[1], found[total : total + length])
        total += counts[row]
    return found[:total].copy()


@borrowing
def _length_of(search: WidestSearch, goal: AnyInt) -> int:
    """How many bays lead to one, itself included."""
    length, bay = 0, np.int64(goal)
    while bay >= 0:
        length, bay = length + 1, np.int64(search.bays[bay].came_from)
    return length


@borrowing
def _write_polygons(search: WidestSearch, bays: CutPolygons, goal: AnyInt, found: I32) -> int:
    """The polygons of the bays that lead to one, and how many they are: a polygon has one bay after the other."""
    bay = np.int64(goal)
    for place in range(len(found) - 1, -1, -1):
        found[place] = bays.polygons[bay]
        bay = np.int64(search.bays[bay].came_from)
    kept = 1
    for k in range(1, len(found)):
        if found[k] != found[kept - 1]:
            found[kept] = found[k]
            kept += 1
    return kept


@borrowing
def _narrowest_passage(search: WidestSearch, bays: CutPolygons, goal: AnyInt, wide: float) -> np.int64:
    """The first of the passages to a bay that is no wider than all."""
    bay, found = np.int64(goal), np.int64(NOWHERE)
    while search.bays[bay].before >= 0:
        passage = search.bays[bay].before
        if bays.passages[passage].width <= wide and wide < np.inf:
            found = np.int64(passage)
        bay = np.int64(search.bays[bay].came_from)
    return found


@kernel
def corridor_rows(
    borders: PolygonBorders, bays: CutPolygons, asked: AskedCorridors, begin: int, end: int, answers: FoundWidths
) -> None:
    """How wide the paths are that lead through given polygons, one after the other."""
    borders, bays = PolygonBorders(*borders), CutPolygons(*bays)
    asked, answers = AskedCorridors(*asked), FoundWidths(*answers)
    view, polygons, here, there = new_view(), asked.polygons, asked.from_places, asked.to_places
    status, widths, narrowest = answers.status, answers.widths, answers.narrowest
    for row in range(begin, end):
        status[row], narrowest[row] = INVALID, NOWHERE
        widths[row] = np.nan
        low, high = asked.offsets[row], asked.offsets[row + 1]
        if low == high or polygons[low:high].min() < 0:
            continue
        first, last = polygons[low], polygons[high - 1]
        view, widths[row, START] = wall_distance(borders, view, first, here[row, 0], here[row, 1], np.inf, 0.0)
        view, widths[row, END] = wall_distance(borders, view, last, there[row, 0], there[row, 1], np.inf, 0.0)
        count = bays.first[first + 1] - bays.first[first]
        reached = np.empty(count, REACHED)
        for k in range(count):
            reached[k].width, reached[k].passage = -1.0, NOWHERE
        reached[bay_at(bays, first, here[row, 0], here[row, 1]) - bays.first[first]].width = np.inf
        for k in range(low, high):
            _spread(bays, polygons[k], reached)
            if k + 1 < high:
                reached = _onwards(bays, polygons[k], polygons[k + 1], reached)
        bay = reached[bay_at(bays, last, there[row, 0], there[row, 1]) - bays.first[last]]
        if bay.width >= 0:
            status[row], widths[row, BETWEEN], narrowest[row] = SUCCESS, bay.width, bay.passage


@borrowing
def _spread(bays: CutPolygons, polygon: AnyInt, reached: Records) -> None:
    """From the bays of a polygon that are reached to its others: up to what is around them, then down."""
    base = bays.first[polygon]
    count = len(reached)
    for turn in range(2):
        for k in range(count):
            bay = count - 1 - k if turn == 0 else k
            for number in range(bays.passage_first[base + bay], bays.passage_first[base + bay + 1]):
                passage = bays.passages[number]
                other = passage.bay - base
                if passage.gap == NO_GAP or not 0 <= other < count:
                    continue
                if (other < bay) == (turn == 0):
                    _widen(reached[bay], reached[other], passage.width, number)


@inlined
def _widen(here: np.record, there: np.record, width: float, passage: AnyInt) -> None:
    """Reach a bay by a passage, where that is wider than before."""
    wide = min(here.width, width)
    if wide > there.width:
        there.width = wide
        there.passage = passage if width < here.width else here.passage


@kernel
def _onwards(bays: CutPolygons, polygon: AnyInt, following: AnyInt, reached: Records) -> Records:
    """From the bays of a polygon to those of the next one."""
    base = bays.first[following]
    count = bays.first[following + 1] - base
    onwards = np.empty(count, REACHED)
    for k in range(count):
        onwards[k].width, onwards[k].passage = -1.0, NOWHERE
    for bay in range(len(reached)):
        at = bays.first[polygon] + bay
        if reached[bay].width < 0:
            continue
        for number in range(bays.passage_first[at], bays.passage_first[at + 1]):
            passage = bays.passages[number]
            other = passage.bay - base
            if passage.gap == NO_GAP and 0 <= other < count:
                _widen(reached[bay], onwards[other], passage.width, number)
    return onwards
