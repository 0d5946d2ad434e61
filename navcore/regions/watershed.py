"""Watershed: regions rise from the spots farthest from any edge, level by level, until they meet.

`region` is seen as signed numbers here: above 0 a region, 0 none, below 0 a tile's border or a region that is pending,
that is, found in this round and not to be seen before the next one.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..threads import Workers
from ..types import U16, CompactHeightfield, DistanceField
from .status import STOPPED, TOO_MANY, checked

ROUNDS = 8  # that a level may expand the regions there are before new ones are seeded
RASTER_EVERY = 8  # levels after which spans left over are put back into raster order. Recast: NB_STACKS
_PENDING = np.int16(-0x8000)
_SETTLED = np.int16(0x7FFF)
_LAST_ID = 0x7FFF
_FAR = 65535


def flood_basins(
    compact: CompactHeightfield, distance: DistanceField, region: U16, first_id: int, workers: Workers
) -> int:
    """Fill `region` (O,) with ids from `first_id` on; the next free id. Recast: rcBuildRegions."""
    levels = (distance.maximum + 1) // 2
    if levels == 0:
        return first_id
    signed = region.view(np.int16)
    starts = np.zeros(levels + 1, np.int32)
    _count_levels(compact, distance, signed, starts)
    order = np.empty(starts[levels], np.int32)
    _sort_by_level(compact, distance, signed, starts, order)
    scratch = np.empty((2, len(order)), np.int32)
    expansion = np.zeros(len(region), np.uint16)
    flag = workers.progress.flag
    return checked(_rise(compact, distance, signed, expansion, starts, order, scratch, first_id, flag))


@kernel
def _count_levels(compact, field, region, starts):
    """How many spans wait for each level (two steps of distance), as offsets; what is above the top counts to it."""
    area, distance = compact.area, field.distance
    top = starts.shape[0] - 2
    for span in range(area.shape[0]):
        if area[span] != 0 and region[span] == 0:
            starts[min(np.int32(distance[span]) >> 1, top) + 1] += 1
    for level in range(top + 1):
        starts[level + 1] += starts[level]


@kernel
def _sort_by_level(compact, field, region, starts, order):
    """Spans by level, those of a level in raster order."""
    area, distance = compact.area, field.distance
    top = starts.shape[0] - 2
    place = starts.copy()
    for span in range(area.shape[0]):
        if area[span] != 0 and region[span] == 0:
            level = min(np.int32(distance[span]) >> 1, top)
            order[place[level]] = span
            place[level] += 1


@kernel
def _rise(compact, field, region, expansion, starts, order, scratch, next_id, flag):
    """All levels, from the farthest spans down to the edges. The next free id, or why there is none.

    The spans of a level are order[begin:end]: its own, which stand there from the sorting, then those that earlier
    levels left over, moved up to them.
    """
    neighbors, area, distance = compact.neighbors, compact.area, field.distance
    stack = scratch[0]
    top = starts.shape[0] - 2
    end = starts[top + 1]
    for level in range(top, -1, -1):
        begin = starts[level]
        low = 2 * level
        end = _expand(neighbors, area, distance, region, expansion, order, begin, end, scratch, low)
        if (top - level) % RASTER_EVERY == 0:
            _merge_runs(order, begin, end, stack)
        kept = begin
        for j in range(begin, end):
            if flag[0] != 0:
                return STOPPED
            span = order[j]
            if region[span] != 0:
                continue
            if _conflict(neighbors, area, region, span, 0):
                order[kept] = span
                kept += 1
                continue
            if next_id > _LAST_ID:
                return TOO_MANY
            if not _flood(neighbors, area, distance, region, expansion, span, max(low - 2, 0), next_id, stack, flag):
                return STOPPED
            next_id += 1
        end = kept
    _expand(neighbors, area, distance, region, expansion, order, 0, end, scratch, 0)
    return next_id


@kernel
def _nearest(neighbors, area, region, expansion, span):
    """The neighbor whose region this span would join: the least expanded one, the first of equals; -1 for none."""
    found = -1
    least = _FAR
    for direction in range(4):
        neighbor = neighbors[span, direction]
        if neighbor >= 0 and region[neighbor] > 0 and area[neighbor] == area[span]:
            steps = np.int32(expansion[neighbor]) + 2
            if steps < least:
                found = neighbor
                least = steps
    return found


@kernel
def _unseen_from_there(neighbors, area, span):
    """Is there a neighbor of this area that does not have this span as its neighbor?"""
    for direction in range(4):
        neighbor = neighbors[span, direction]
        if neighbor >= 0 and area[neighbor] == area[span]:
            if neighbors[neighbor, direction ^ 2] != span:
                return True
    return False


@kernel
def _join(region, expansion, span, source):
    """Give a span the region of its neighbor, to be seen from the next round on."""
    region[span] = region[source] | _PENDING
    expansion[span] = expansion[source] + 2


@kernel
def _expand(neighbors, area, distance, region, expansion, order, begin, end, scratch, low):
    """Let regions grow into order[begin:end], all the spans without a region from distance `low` on.

    Keeps those that no region reached, and returns their end. A span is decided in the first round in which a neighbor
    has a region, so from the second round on only neighbors of what the last round has found need a look: all others
    see what they saw before. They are found from there by going back the way that the span would look; the few spans
    that can't be found so (on layered floors A may be a neighbor of B and not B of A) wait in a list of their own.
    """
    found, waiting = scratch[0], scratch[1]
    tail, waits, kept = 0, 0, begin
    for j in range(begin, end):
        span = order[j]
        if region[span] != 0:
            continue
        source = _nearest(neighbors, area, region, expansion, span)
        if source >= 0:
            _join(region, expansion, span, source)
            found[tail] = span
            tail += 1
        else:
            order[kept] = span
            kept += 1
            if _unseen_from_there(neighbors, area, span):
                waiting[waits] = span
                waits += 1
    head, rounds = 0, 1
    while head < tail:
        for j in range(head, tail):
            region[found[j]] &= _SETTLED
        if low > 0 and rounds == ROUNDS:
            break
        last = tail
        tail = _next_round(neighbors, area, distance, region, expansion, found, head, tail, waiting, waits, low)
        head = last
        rounds += 1
    return _without_region(region, order, begin, kept)


@kernel
def _next_round(neighbors, area, distance, region, expansion, found, head, tail, waiting, waits, low):
    """Join what lies around found[head:tail], and what waits, where that is possible; the end of all that was found."""
    last = tail
    for j in range(head, last):
        for direction in range(4):
            span = neighbors[found[j], direction]
            if span >= 0 and region[span] == 0 and np.int32(distance[span]) >= low:
                source = _nearest(neighbors, area, region, expansion, span)
                if source >= 0:
                    _join(region, expansion, span, source)
                    found[tail] = span
                    tail += 1
    for j in range(waits):
        span = waiting[j]
        if region[span] == 0:
            source = _nearest(neighbors, area, region, expansion, span)
            if source >= 0:
                _join(region, expansion, span, source)
                found[tail] = span
                tail += 1
    return tail


@kernel
def _without_region(region, order, begin, end):
    """Move those of order[begin:end] that have no region to the front; their end."""
    kept = begin
    for j in range(begin, end):
        if region[order[j]] == 0:
            order[kept] = order[j]
            kept += 1
    return kept


@kernel
def _merge_runs(order, begin, end, scratch):
    """Sort order[begin:end], which consists of a few sorted runs."""
    middle = begin + 1
    while middle < end:
        if order[middle - 1] < order[middle]:
            middle += 1
            continue
        stop = middle + 1
        while stop < end and order[stop - 1] < order[stop]:
            stop += 1
        left = middle - begin
        for j in range(left):
            scratch[j] = order[begin + j]
        i, j, place = 0, middle, begin
        while i < left:
            if j < stop and order[j] < scratch[i]:
                order[place] = order[j]
                j += 1
            else:
                order[place] = scratch[i]
                i += 1
            place += 1
        middle = stop


@kernel
def _conflict(neighbors, area, region, span, own):
    """Does this span touch another region than `own`, straight or across a corner?

    A border that lies straight ahead does not count (nor what is around its corner), one across a corner does.
    """
    for direction in range(4):
        neighbor = neighbors[span, direction]
        if neighbor < 0 or area[neighbor] != area[span] or region[neighbor] < 0:
            continue
        if region[neighbor] != 0 and region[neighbor] != own:
            return True
        corner = neighbors[neighbor, (direction + 1) & 3]
        if corner >= 0 and area[corner] == area[span]:
            if region[corner] != 0 and region[corner] != own:
                return True
    return False


@kernel
def _flood(neighbors, area, distance, region, expansion, seed, low, own, stack, flag):
    """Fill region `own` from its seed down to distance `low`, keeping clear of other regions. False: cancelled.

    A span gets the region when it is pushed and may lose it when it is popped, so the order of the stack shows.
    """
    region[seed] = own
    expansion[seed] = 0
    stack[0] = seed
    size, popped = 1, 0
    while size > 0:
        popped += 1
        if popped & 0xFFFF == 0 and flag[0] != 0:
            return False
        size -= 1
        span = stack[size]
        if _conflict(neighbors, area, region, span, own):
            region[span] = 0
            continue
        for direction in range(4):
            neighbor = neighbors[span, direction]
            if neighbor >= 0 and region[neighbor] == 0 and area[neighbor] == area[span]:
                if np.int32(distance[neighbor]) >= low:
                    region[neighbor] = own
                    expansion[neighbor] = 0
                    stack[size] = neighbor
                    size += 1
    return True
