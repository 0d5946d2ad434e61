"""Watershed by flood fill: regions rise from the spots farthest from any edge, level by level, until they meet.

`region` is seen as signed numbers here: above 0 a region, 0 none, below 0 a tile's border or a region that is pending,
that is, joined in this round and not to be seen before the next one. Lists of spans are unsigned, which spares each
look-up the test for a negative index (15 % of the time).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...jit import borrowing, kernel, stands_in_for
from ...types import BORDER_REGION, I16, I32, NOT_WALKABLE, U8, U16, U32, CompactHeightfield, DistanceField
from .region_facts import LAST_ID, POLL_EVERY, STOPPED, TOO_MANY

ROUNDS = 8  # that a level may expand the regions there are before new ones are seeded
RASTER_EVERY = 8  # levels after which spans left over are put back into raster order. Recast: NB_STACKS
_PENDING = np.int16(-BORDER_REGION)  # the sign's bit, set in the id of a region that is pending
_SETTLED = np.int16(BORDER_REGION - 1)  # what masks that bit
_FAR = 65535  # steps of expansion: more than there are
_POPS_AT_ONCE = 0xFFFF  # spans taken from a stack between two looks at the cancel flag, less one


class Flood(NamedTuple):
    """What the flood fill reads and writes, a number for each open span, and memory for lists of spans."""

    neighbors: I32  # (O, 4)
    area: U8  # (O,)
    distance: U16  # (O,) from the nearest edge
    region: I16  # (O,) see above
    expansion: U16  # (O,) steps from where its region was seeded; read only where there is one, which comes with it
    newcomers: U32  # what has joined a region in this level, or the stack of a region that is being seeded
    waiting: U32  # what may have to be looked at in each round
    cancelled: U8


@kernel
def flood_basins(compact: CompactHeightfield, field: DistanceField, region: I16, next_id: int, cancelled: U8) -> int:
    """Fill `region` (O,) with ids from `next_id` on; returns the next free id, or why there is none.

    Recast: rcBuildRegions.
    """
    distance, levels = field.distance, (field.maximum + 1) // 2
    if levels == 0:
        return next_id
    starts = np.zeros(levels + 1, np.uint32)
    _count_levels(compact.area, distance, region, starts, cancelled)
    order = np.empty(starts[levels], np.uint32)
    _sort_by_level(compact.area, distance, region, starts, order, cancelled)
    if cancelled[0] != 0:
        return STOPPED
    newcomers, waiting = np.empty(order.shape[0], np.uint32), np.empty(order.shape[0], np.uint32)
    expansion = np.empty(region.shape[0], np.uint16)
    flood = Flood(compact.neighbors, compact.area, distance, region, expansion, newcomers, waiting, cancelled)
    return _rise(flood, starts, order, next_id)


@kernel
def _count_levels(area: U8, distance: U16, region: I16, starts: U32, cancelled: U8) -> None:
    """How many spans wait for each level (two steps of distance), as offsets; what is above the top counts to it."""
    top = starts.shape[0] - 2
    for begin in range(0, area.shape[0], POLL_EVERY):
        if cancelled[0] != 0:
            break
        for span in range(np.uint64(begin), np.uint64(min(begin + POLL_EVERY, area.shape[0]))):
            if area[span] != NOT_WALKABLE and region[span] == 0:
                level: Any = min(np.int32(distance[span]) >> 1, top)
                starts[level + 1] += 1
    for lower in range(top + 1):
        starts[lower + 1] += starts[lower]


@stands_in_for(_count_levels)
def _count_levels_by_arrays(area: U8, distance: U16, region: I16, starts: U32, cancelled: U8) -> None:
    top = starts.shape[0] - 2
    if cancelled[0] == 0:
        waits = (area != NOT_WALKABLE) & (region == 0)
        starts[1:] += np.bincount(np.minimum(distance[waits] >> 1, top), minlength=top + 1).astype(np.uint32)
    starts[:] = np.cumsum(starts)


@kernel
def _sort_by_level(area: U8, distance: U16, region: I16, starts: U32, order: U32, cancelled: U8) -> None:
    """Spans by level, those of a level in raster order."""
    top = starts.shape[0] - 2
    place = starts.copy()
    for begin in range(0, area.shape[0], POLL_EVERY):
        if cancelled[0] != 0:
            break
        for span in range(np.uint64(begin), np.uint64(min(begin + POLL_EVERY, area.shape[0]))):
            if area[span] != NOT_WALKABLE and region[span] == 0:
                level: Any = min(np.int32(distance[span]) >> 1, top)
                order[place[level]] = span
                place[level] += 1


@stands_in_for(_sort_by_level)
def _sort_by_level_by_arrays(area: U8, distance: U16, region: I16, starts: U32, order: U32, cancelled: U8) -> None:
    if cancelled[0] == 0:
        spans = np.flatnonzero((area != NOT_WALKABLE) & (region == 0))
        levels = np.minimum(distance[spans] >> 1, starts.shape[0] - 2)
        order[: len(spans)] = spans[np.argsort(levels, kind="stable")]


@kernel
def _rise(flood: Flood, starts: U32, order: U32, next_id: int) -> int:
    """Take all levels, from the farthest spans down to the edges; returns the next free id, or why there is none.

    The spans of a level are its own, which lie there in `order` since the sorting, and behind them those that earlier
    levels left over, moved up to them. What the last one leaves over may still be reached by regions it has seeded.
    """
    region, cancelled = flood.region, flood.cancelled
    top = starts.shape[0] - 2
    end = np.int64(starts[top + 1])
    for level in range(top, -2, -1):
        low, begin = 2 * level, np.int64(0)
        if level >= 0:
            begin = np.int64(starts[level])
        spans = order[begin:end]
        left = _expand(flood, spans, low)
        if level < 0:
            break
        if (top - level) % RASTER_EVERY == 0:
            _merge_runs(spans, left, flood.newcomers, cancelled)
        if cancelled[0] != 0:
            return STOPPED
        leftover = 0
        for j in range(left):
            if cancelled[0] != 0:
                return STOPPED
            span = spans[j]
            if region[span] != 0:
                continue
            if _conflict(flood, span, 0):
                spans[leftover] = span
                leftover += 1
                continue
            if next_id > LAST_ID:
                return TOO_MANY
            if not _fill_region(flood, span, low - 2, next_id):
                return STOPPED
            next_id += 1
        end = begin + leftover
    return next_id


@borrowing
def _nearest(flood: Flood, span: int) -> int:
    """The neighbor whose region this span would join: the least expanded one, the first of equals; -1 for none."""
    neighbors, area, region, expansion = flood.neighbors, flood.area, flood.region, flood.expansion
    source = -1
    least: Any = _FAR
    for direction in range(4):
        neighbor = neighbors[span, direction]
        if neighbor >= 0 and region[neighbor] > 0 and area[neighbor] == area[span]:
            steps = np.int32(expansion[neighbor]) + 2
            if steps < least:
                source = neighbor
                least = steps
    return source


@borrowing
def _expand(flood: Flood, spans: U32, low: int) -> int:
    """Let regions grow into `spans`, all those without a region from distance `low` on.

    Returns how many are left over, which are in front then.

    A span is decided in the first round in which a neighbor has a region. So from the second round on, only neighbors
    of what joined in the last round need a look: all others see what they saw before. Whichever is less is looked at,
    those or once more all that are left.
    """
    left, tail = _look_at(flood, spans, spans.shape[0], 0)
    head, rounds, waits = 0, 1, -1
    while head < tail:
        _settle(flood, head, tail)
        if (low > 0 and rounds == ROUNDS) or flood.cancelled[0] != 0:
            break
        last = tail
        if left < 2 * (tail - head):
            left, tail = _look_at(flood, spans, left, tail)
        else:
            if waits < 0:
                waits = _out_of_sight(flood, spans, left)
            tail = _look_around(flood, head, tail, low)
            waits, tail = _look_at(flood, flood.waiting, waits, tail)
        head = last
        rounds += 1
    return _still_free(flood, spans, left)


@borrowing
def _settle(flood: Flood, head: int, tail: int) -> None:
    """What has joined a region in this round is seen from now on."""
    region, newcomers = flood.region, flood.newcomers
    for begin in range(head, tail, POLL_EVERY):
        if flood.cancelled[0] != 0:
            break
        for j in range(np.uint64(begin), np.uint64(min(begin + POLL_EVERY, tail))):
            region[newcomers[j]] &= _SETTLED


@borrowing
def _still_free(flood: Flood, spans: U32, count: int) -> int:
    """Move those of spans[:count] without a region to the front and return how many there are."""
    region, left = flood.region, 0
    for begin in range(0, count, POLL_EVERY):
        if flood.cancelled[0] != 0:
            break
        for j in range(np.uint64(begin), np.uint64(min(begin + POLL_EVERY, count))):
            if region[spans[j]] == 0:
                spans[left] = spans[j]
                left += 1
    return left


@borrowing
def _look_at(flood: Flood, spans: U32, count: int, tail: int) -> tuple[int, int]:
    """Let spans[:count] join their nearest neighbors.

    Returns how many could not, which are in front now, and the end of `newcomers`.
    """
    region, expansion, newcomers = flood.region, flood.expansion, flood.newcomers
    left = 0
    for begin in range(0, count, POLL_EVERY):
        if flood.cancelled[0] != 0:
            break
        for j in range(begin, min(begin + POLL_EVERY, count)):
            span = spans[j]
            if region[span] != 0:
                continue
            source = _nearest(flood, span)
            if source >= 0:
                region[span] = region[source] | _PENDING
                expansion[span] = expansion[source] + 2
                newcomers[tail] = span
                tail += 1
            else:
                spans[left] = span
                left += 1
    return left, tail


@stands_in_for(_look_at)
def _look_at_by_arrays(flood: Flood, spans: U32, count: int, tail: int) -> tuple[int, int]:
    """None of them sees what another one joins in the same round."""
    region, expansion, area = flood.region, flood.expansion, flood.area
    free = spans[:count][region[spans[:count]] == 0]
    beside = flood.neighbors[free]
    there = np.maximum(beside, 0)
    fits = (beside >= 0) & (region[there] > 0) & (area[there] == area[free][:, None])
    steps = np.where(fits, expansion[there].astype(np.int64) + 2, _FAR)
    nearest = steps.argmin(axis=1)  # the first of equals
    rows = np.arange(len(free))
    joins = steps[rows, nearest] < _FAR
    joining, source = free[joins], there[rows, nearest][joins]
    region[joining] = region[source] | np.int16(_PENDING)
    expansion[joining] = expansion[source] + np.uint16(2)
    flood.newcomers[tail : tail + len(joining)] = joining
    left = len(free) - len(joining)
    spans[:left] = free[~joins]
    return left, tail + len(joining)


@borrowing
def _look_around(flood: Flood, head: int, tail: int, low: int) -> int:
    """Let the neighbors of newcomers[head:tail] join their nearest ones; returns the end of `newcomers`."""
    neighbors, distance, newcomers = flood.neighbors, flood.distance, flood.newcomers
    region, expansion, last = flood.region, flood.expansion, tail
    for begin in range(head, last, POLL_EVERY):
        if flood.cancelled[0] != 0:
            break
        for j in range(begin, min(begin + POLL_EVERY, last)):
            for direction in range(4):
                span = neighbors[newcomers[j], direction]
                if span >= 0 and region[span] == 0 and np.int32(distance[span]) >= low:
                    source = _nearest(flood, span)
                    if source >= 0:
                        region[span] = region[source] | _PENDING
                        expansion[span] = expansion[source] + 2
                        newcomers[tail] = span
                        tail += 1
    return tail


@borrowing
def _out_of_sight(flood: Flood, spans: U32, count: int) -> int:
    """Gather in `waiting` the spans that `_look_around` can miss: a neighbor of theirs has another one than them.

    (On layered floors, where B is the lowest above A that fits, but something else fits below A when seen from B.)
    """
    neighbors, waiting, waits = flood.neighbors, flood.waiting, 0
    for begin in range(0, count, POLL_EVERY):
        if flood.cancelled[0] != 0:
            break
        for j in range(begin, min(begin + POLL_EVERY, count)):
            span = spans[j]
            for direction in range(4):
                neighbor = neighbors[span, direction]
                if neighbor >= 0 and neighbors[neighbor, direction ^ 2] != span:
                    waiting[waits] = span
                    waits += 1
                    break
    return waits


@kernel
def _merge_runs(spans: U32, count: int, scratch: U32, cancelled: U8) -> None:
    """Sort spans[:count], which consists of a few sorted runs."""
    middle = 1
    while middle < count:
        if spans[middle - 1] < spans[middle]:
            middle += 1
            continue
        if cancelled[0] != 0:
            break
        end = middle + 1
        while end < count and spans[end - 1] < spans[end]:
            end += 1
        for i in range(middle):
            scratch[i] = spans[i]
        i, j, place = 0, middle, 0
        while i < middle:
            if j < end and spans[j] < scratch[i]:
                spans[place] = spans[j]
                j += 1
            else:
                spans[place] = scratch[i]
                i += 1
            place += 1
        middle = end


@borrowing
def _conflict(flood: Flood, span: int, own: int) -> bool:
    """Does this span touch another region than `own`, straight or across a corner?

    A border that lies straight ahead does not count (nor what is around its corner), one across a corner does.
    """
    neighbors, area, region = flood.neighbors, flood.area, flood.region
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


@borrowing
def _fill_region(flood: Flood, seed: int, low: int, own: int) -> bool:
    """Flood fill region `own` from its seed down to distance `low`, keeping clear of other regions; False if cancelled.

    A span gets the region when it is pushed and may lose it when it is popped, so the order of the stack shows.
    """
    neighbors, area, distance, region = flood.neighbors, flood.area, flood.distance, flood.region
    expansion, stack = flood.expansion, flood.newcomers
    region[seed] = own
    expansion[seed] = 0
    stack[0] = seed
    size, popped = 1, 0
    while size > 0:
        popped += 1
        if popped & _POPS_AT_ONCE == 0 and flood.cancelled[0] != 0:
            return False
        size -= 1
        span = stack[size]
        if _conflict(flood, span, own):
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
