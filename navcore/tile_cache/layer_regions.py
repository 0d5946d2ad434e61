"""Regions of one layer, and the outlines around them. Recast: dtBuildTileCacheRegions, dtBuildTileCacheContours.

Upstream lists up to sixteen neighbors of a region and writes over its own numbers beyond that; here lists grow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..geometry.arrays import grown
from ..geometry.segments import part_along
from ..jit import borrowing, kernel
from ..types import I32, NOT_WALKABLE, U8, AnyBool, AnyInt
from .ground_layers import PORTAL_SHIFT

NO_REGION = -1
MOST_REGIONS = 255  # as swept, within upstream's limits
MOST_OUTLINED = 248  # likewise; from there on numbers look like portals to it
_ROOM_FOR_REGIONS = 8192  # without these limits
NO_PORTAL, REMOVABLE = 15, 0x80  # in an outline's marks: no portal is there; the corner is to be taken out
OUTSIDE, PORTAL_ID = 1 << 20, (1 << 20) - 8  # what lies across a side that is no region: beyond all numbers of regions
X, Y, Z, MARK = 0, 1, 2, 3  # columns of outlines
_FULL = -1
_BEGIN, _END, _OWN, _CONTACTS = 0, 1, 2, 3  # columns of runs; the last one: cells that follow the region behind them
_NOTHING_ELSE = -1  # contacts of a run that is of the region behind all its cells


class LayerCells(NamedTuple):
    """One layer, unpacked: what lies in each cell, row by row."""

    width: int
    depth: int
    heights: U8  # (width · depth,)
    areas: U8
    sides: U8


class LayerOutlines(NamedTuple):
    """LayerOutlines of regions, all concatenated: outline k is corners[first[k]:first[k + 1]]."""

    first: I32  # (K + 1,)
    corners: I32  # (., 4) x, height, z in cells; mark: direction of the portal along the edge that starts there
    areas: U8  # (K,)


class _Runs(NamedTuple):
    """Cells along x that are connected, one row of cells after the other."""

    rows: I32  # (R, 4) see the columns
    first: I32  # (depth + 1,) of each row of cells
    back: U8  # (cells,) 1: the cell is connected to the one behind it


@kernel
def regions_of(cells: LayerCells, climb: int, region: I32, exact: bool) -> tuple[int, I32]:
    """Fill in the region of every cell; returns how many were swept (-1: too many), and the first cell of each."""
    runs = _connected_runs(cells, climb)
    count = _sweep(cells.width, runs, MOST_REGIONS if exact else _ROOM_FOR_REGIONS)
    if count == _FULL:
        return _FULL, np.empty(0, np.int32)
    number = _numbers_of(cells, runs, count) if count > 1 else np.zeros(1, np.int32)
    starts = np.full(number.max() + 1 if count > 0 else 0, NO_REGION, np.int32)
    region[:] = NO_REGION
    for run in range(len(runs.rows)):
        part, own = region[runs.rows[run, _BEGIN] : runs.rows[run, _END]], number[runs.rows[run, _OWN]]
        for k in range(len(part)):
            part[k] = own
        if starts[own] == NO_REGION:
            starts[own] = runs.rows[run, _BEGIN]
    return count, starts


@kernel
def _connected_runs(cells: LayerCells, climb: int) -> _Runs:
    """Cut every row of cells into runs; of their columns the first two are filled in."""
    count, width, areas = len(cells.areas), cells.width, cells.areas
    beside, back = np.empty(count, np.uint8), np.empty(count, np.uint8)
    limit = np.uint8(min(climb, 255))
    _compare(cells.heights, areas, limit, 1, beside)
    _compare(cells.heights, areas, limit, width, back)
    rows, first, used = np.empty((count, 4), np.int32), np.empty(cells.depth + 1, np.int32), 0
    first[0] = 0
    for z in range(cells.depth):
        cell, end = np.uint64(z * width), np.uint64((z + 1) * width)  # of these Numba does not ask whether they are < 0
        while cell < end:
            if areas[cell] == NOT_WALKABLE:
                cell += np.uint64(1)
                continue
            rows[used, _BEGIN] = cell
            cell += np.uint64(1)
            while cell < end and beside[cell]:
                cell += np.uint64(1)
            rows[used, _END] = cell
            used += 1
        first[z + 1] = used
    return _Runs(rows[:used], first, back)


@borrowing
def _compare(heights: U8, areas: U8, limit: np.uint8, step: int, alike: U8) -> None:
    """Whether each cell is of one region with that so many cells before it. In bytes alone: many are done at a time."""
    for cell in range(min(step, len(alike))):
        alike[cell] = 0
    here, there = heights[step:], heights[: len(heights) - step]
    area_here, area_there, found = areas[step:], areas[: len(areas) - step], alike[step:]
    for k in range(len(found)):
        a, b = here[k], there[k]
        apart = np.uint8(max(a, b) - min(a, b))
        found[k] = np.uint8(area_here[k] == area_there[k]) & np.uint8(apart <= limit)


@kernel
def _sweep(width: int, runs: _Runs, most: int) -> int:
    """Runs that follow a single region become part of it; returns how many regions there are."""
    rows, first, back = runs.rows, runs.first, runs.back
    count, followers = 0, np.zeros(min(most, len(rows)), np.int32)
    for z in range(len(first) - 1):
        for region in range(count):
            followers[region] = 0
        before, ends = first[z - 1 if z > 0 else 0], first[z]
        for run in range(first[z], first[z + 1]):
            low, high = rows[run, _BEGIN] - width, rows[run, _END] - width
            while before < ends and rows[before, _END] <= low:
                before += 1
            behind, contacts, other_run = np.int32(NO_REGION), 0, before
            while other_run < ends and rows[other_run, _BEGIN] < high:
                here = _contacts(back, max(low, rows[other_run, _BEGIN]), min(high, rows[other_run, _END]), width)
                if here > 0:
                    other = rows[other_run, _OWN]
                    behind = other if contacts == 0 else behind
                    if behind != other:
                        behind = np.int32(NO_REGION)
                        break
                    contacts += here
                    followers[other] += here
                other_run += 1
            rows[run, _OWN], rows[run, _CONTACTS] = behind, contacts
        for run in range(first[z], first[z + 1]):
            own, contacts = rows[run, _OWN], rows[run, _CONTACTS]
            if own != NO_REGION and followers[own] == contacts:
                if contacts == rows[run, _END] - rows[run, _BEGIN]:
                    rows[run, _CONTACTS] = _NOTHING_ELSE
            elif count == most:
                return _FULL
            else:
                rows[run, _OWN] = count
                count += 1
    return count


@borrowing
def _contacts(back: U8, begin: AnyInt, end: AnyInt, width: int) -> int:
    """How many cells behind a range are connected to those before them."""
    part, count = back[begin + width : end + width], 0
    for k in range(len(part)):
        count += part[k]
    return count


@kernel
def _numbers_of(cells: LayerCells, runs: _Runs, count: int) -> I32:
    """Which number each region has that was swept, once small ones are joined to others."""
    rows, first, width = runs.rows, runs.first, cells.width
    size, last = np.zeros(count, np.int32), np.full(count, NO_REGION, np.int32)
    area, entries = np.zeros(count, np.uint8), np.zeros((count, count), np.int32)
    order, known = np.empty((count, count), np.int32), np.zeros(count, np.int32)
    for z in range(len(first) - 1):
        before, ends = first[z - 1 if z > 0 else 0], first[z]
        for run in range(first[z], first[z + 1]):
            own = rows[run, _OWN]
            size[own] += rows[run, _END] - rows[run, _BEGIN]
            area[own] = cells.areas[rows[run, _BEGIN]]
            if rows[run, _CONTACTS] == _NOTHING_ELSE:
                continue
            low, high = rows[run, _BEGIN] - width, rows[run, _END] - width
            while before < ends and rows[before, _END] <= low:
                before += 1
            other_run = before
            while other_run < ends and rows[other_run, _BEGIN] < high:
                other, begin, end = rows[other_run, _OWN], rows[other_run, _BEGIN], rows[other_run, _END]
                if other != own and _contacts(runs.back, max(low, begin), min(high, end), width) > 0:
                    _enter(own, other, entries, order, known, last)
                    _enter(other, own, entries, order, known, last)
                other_run += 1
    return _merged(size, area, entries, order, known)


@borrowing
def _enter(own: np.int32, other: np.int32, entries: I32, order: I32, known: I32, last: I32) -> None:
    """List another region as a neighbor, unless it was the last one that was listed."""
    if last[own] == other:
        return
    last[own] = other
    if entries[own, other] == 0:
        order[own, known[own]] = other
        known[own] += 1
    entries[own, other] += 1


@kernel
def _merged(size: I32, area: U8, entries: I32, order: I32, known: I32) -> I32:
    """Join each region to the largest one that it touches once; the number of each afterwards, without gaps.

    `entries[a, b]`: how often those that bear number a list regions that bear number b.
    """
    count = len(size)
    bears = np.arange(count).astype(np.int32)
    for own in range(count):
        largest, best = 0, np.int32(NO_REGION)
        for k in range(known[own]):
            other = order[own, k]
            if bears[other] == bears[own] or area[other] != area[own] or size[other] <= largest:
                continue
            if entries[bears[own], bears[other]] == 1:
                largest, best = size[other], bears[other]
        if best == NO_REGION:
            continue
        old = bears[own]
        for k in range(count):
            if bears[k] == old:
                bears[k] = best
        for k in range(count):
            entries[best, k] += entries[old, k]
            entries[old, k] = 0
        for k in range(count):
            entries[k, best] += entries[k, old]
            entries[k, old] = 0
    number, used = np.full(count, NO_REGION, np.int32), 0
    for k in range(count):
        number[bears[k]] = 0
    for k in range(count):
        if number[k] == 0:
            number[k] = used
            used += 1
    for k in range(count):
        bears[k] = number[bears[k]]
    return bears


# --- outlines


@kernel
def outlines_of(
    cells: LayerCells, region: I32, starts: I32, rules: tuple[int, np.float32, bool]
) -> tuple[bool, LayerOutlines]:
    """The simplified outline of each region; False where one is too long or regions are too many.

    `starts`: their first cells; `rules`: climb in voxels, the largest error in cells, whether upstream's limits hold.
    """
    climb, max_error, exact = rules
    count, error = len(starts), max_error * max_error
    first, areas = np.zeros(count + 1, np.int32), np.zeros(count, np.uint8)
    corners, used = np.empty((256, 4), np.int32), 0
    most = 4 * (cells.width + cells.depth if exact else cells.width * cells.depth)
    walked, ring = np.empty((most, 4), np.int32), np.empty(most, np.int32)
    if exact and count > MOST_OUTLINED:
        return False, LayerOutlines(first, corners[:0], areas)
    for own in range(count):
        areas[own] = cells.areas[starts[own]]
        length = _walk(cells, region, starts[own], walked, exact)
        if length == _FULL:
            return False, LayerOutlines(first, corners[:0], areas)
        left = _simplify(walked[:length], error, ring)
        corners = grown(corners, used, used + left)
        for k in range(left):
            a, b = walked[ring[k]], walked[ring[k + 1 if k + 1 < left else 0]]
            across = b[MARK]
            height, is_removable = _corner(cells, region, a, climb)
            corners[used, X], corners[used, Y], corners[used, Z] = a[X], height, a[Z]
            mark = across - PORTAL_ID if PORTAL_ID <= across < OUTSIDE else NO_PORTAL
            corners[used, MARK] = mark | (REMOVABLE if is_removable else 0)
            used += 1
        first[own + 1] = used
    return True, LayerOutlines(first, corners[:used], areas)


@borrowing
def _across(cells: LayerCells, region: I32, cell: AnyInt, direction: int) -> np.int32:
    """What lies on one side of a cell: a region, OUTSIDE, or PORTAL_ID + direction."""
    sides, bit = np.int32(cells.sides[cell]), 1 << direction
    if sides & bit:
        there = region[cell + _step(cells.width, direction)]
        return np.int32(OUTSIDE) if there == NO_REGION else there
    return np.int32(PORTAL_ID + direction if sides >> PORTAL_SHIFT & bit else OUTSIDE)


@borrowing
def _step(width: int, direction: int) -> int:
    return -1 if direction == 0 else width if direction == 1 else 1 if direction == 2 else -width


@borrowing
def _walk(cells: LayerCells, region: I32, start: AnyInt, walked: I32, exact: bool) -> int:
    """Walk around the region of a cell, its first; how many corners there are, or -1 where that is too many.

    Upstream stops after as many steps as there are cells, wherever it is.
    """
    width = cells.width
    x, z, own, cell = np.int64(start % width), np.int64(start // width), region[start], np.int64(start)
    direction = -1
    for turn in range(4):
        if direction < 0 and _across(cells, region, cell, turn + 3 & 3) != own:
            direction = turn + 3 & 3
    if direction < 0:
        return 0
    begin, begin_direction, count = cell, direction, 0
    for state in range(width * cells.depth * (1 if exact else 8)):
        at_begin = state > 0 and cell == begin and direction == begin_direction
        across = _across(cells, region, cell, direction)
        if across != own:
            corner_x, corner_z = x + ((direction + 1 & 3) >> 1), z + (1 - (direction >> 1))
            count = _put_corner(walked, count, corner_x, np.int32(cells.heights[cell]), corner_z, across)
            if count == _FULL:
                return _FULL
            direction = direction + 1 & 3
        else:
            x += (direction - 1) * (1 - (direction & 1))
            z += (2 - direction) * (direction & 1)
            cell += _step(width, direction)
            direction = direction + 3 & 3
        if at_begin:
            break
    if count > 1 and walked[count - 1, X] == walked[0, X] and walked[count - 1, Z] == walked[0, Z]:
        count -= 1
    return count


@borrowing
def _put_corner(walked: I32, count: int, x: AnyInt, y: AnyInt, z: AnyInt, across: AnyInt) -> int:
    """Add a corner, or move the last one where the way goes straight on beside the same; returns how many there are."""
    if count > 1 and walked[count - 1, MARK] == across:
        along_z = walked[count - 2, X] == x and walked[count - 1, X] == x
        along_x = walked[count - 2, Z] == z and walked[count - 1, Z] == z
        if along_z or along_x:
            walked[count - 1, X], walked[count - 1, Y], walked[count - 1, Z] = x, y, z
            return count
    if count == walked.shape[0]:
        return _FULL
    walked[count, X], walked[count, Y], walked[count, Z], walked[count, MARK] = x, y, z, across
    return count + 1


@borrowing
def _simplify(walked: I32, error: np.float32, ring: I32) -> int:
    """Which corners stay, beginning with the first of them; returns how many."""
    n, count = len(walked), 0
    for k in range(n):
        if walked[k, MARK] != walked[k + 1 if k + 1 < n else 0, MARK]:
            ring[count] = k
            count += 1
    if n > 0 and count < 2:
        low, high = 0, 0
        for k in range(1, n):
            if walked[k, X] < walked[low, X] or (walked[k, X] == walked[low, X] and walked[k, Z] < walked[low, Z]):
                low = k
            if walked[k, X] > walked[high, X] or (walked[k, X] == walked[high, X] and walked[k, Z] > walked[high, Z]):
                high = k
        ring[0], ring[1], count = low, high, 2
    k = 0
    while k < count:
        far = _farthest(walked, ring[k], ring[k + 1 if k + 1 < count else 0], error)
        if far < 0:
            k += 1
            continue
        for moved in range(count, k + 1, -1):
            ring[moved] = ring[moved - 1]
        ring[k + 1] = far
        count += 1
    _turn_to_smallest(ring, count)
    return count


@borrowing
def _farthest(walked: I32, a: AnyInt, b: AnyInt, error: np.float32) -> AnyInt:
    """The corner between a and b farthest from their edge, if that is too far; else -1."""
    n = len(walked)
    ax, az, bx, bz = walked[a, X], walked[a, Z], walked[b, X], walked[b, Z]
    is_forward = bx > ax or (bx == ax and bz > az)
    end = b if is_forward else a
    k = _beside(np.int64(a if is_forward else b), n, is_forward)
    u, v = np.float32(bx - ax), np.float32(bz - az)
    longest = np.float32(0)
    far: AnyInt = -1
    while k != end:
        x, z = walked[k, X], walked[k, Z]
        t = part_along(u * np.float32(x - ax) + v * np.float32(z - az), u * u + v * v)
        dx, dz = np.float32(ax) + t * u - np.float32(x), np.float32(az) + t * v - np.float32(z)
        distance = dx * dx + dz * dz
        if distance > longest:
            longest, far = distance, k
        k = _beside(k, n, is_forward)
    return far if longest > error else -1


@borrowing
def _beside(k: np.int64, n: int, is_forward: AnyBool) -> np.int64:
    """The place after one on a ring, or before it."""
    if is_forward:
        return k + 1 if k + 1 < n else np.int64(0)
    return k - 1 if k > 0 else np.int64(n - 1)


@borrowing
def _turn_to_smallest(ring: I32, count: int) -> None:
    smallest = 0
    for k in range(count):
        if ring[k] < ring[smallest]:
            smallest = k
    if smallest > 0:  # both parts reversed, then the whole
        for begin, end in ((0, smallest), (smallest, count), (0, count)):
            for k in range((end - begin) // 2):
                ring[begin + k], ring[end - 1 - k] = ring[end - 1 - k], ring[begin + k]


@borrowing
def _corner(cells: LayerCells, region: I32, corner: I32, climb: int) -> tuple[np.int32, AnyBool]:
    """The height of a corner, and whether it lies within a straight portal, where the other side has no corner."""
    height, cells_there, portals = np.int32(0), 0, np.int32(15)
    first, is_one = np.int32(NO_REGION), True
    for z in range(corner[Z] - 1, corner[Z] + 1):
        for x in range(corner[X] - 1, corner[X] + 1):
            if x < 0 or z < 0 or x >= cells.width or z >= cells.depth:
                continue
            cell = x + z * cells.width
            there = np.int32(cells.heights[cell])
            if cells.areas[cell] == NOT_WALKABLE or abs(there - corner[Y]) > climb:
                continue
            height = max(height, there)
            portals &= np.int32(cells.sides[cell]) >> PORTAL_SHIFT
            if cells_there == 0:
                first = region[cell]
            is_one &= region[cell] == first
            cells_there += 1
    single = portals != 0 and portals & portals - 1 == 0
    return height, cells_there > 1 and single and is_one
