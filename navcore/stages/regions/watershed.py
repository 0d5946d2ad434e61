"""Watershed: regions rise from the spots farthest from any edge, level by level, until they meet.

`region` is seen as signed numbers here: above 0 a region, 0 none, below 0 a tile's border or a region that is pending,
that is, joined in this round and not to be seen before the next one. Lists of spans are unsigned, which spares each
look-up the test for a negative index (15 % of the time).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit import kernel
from ...types import BORDER_REGION, I16, I32, NOT_WALKABLE, U8, U16, U32, CompactHeightfield, DistanceField
from .region_ids import LAST_ID, POLL_EVERY, STOPPED, TOO_MANY

ROUNDS = 8  # that a level may expand the regions there are before new ones are seeded
RASTER_EVERY = 8  # levels after which spans left over are put back into raster order. Recast: NB_STACKS
_PENDING = np.int16(-BORDER_REGION)  # the sign's bit, set in the id of a region that is pending
_SETTLED = np.int16(BORDER_REGION - 1)  # what masks that bit
_FAR = 65535  # steps of expansion: more than there are
_POPS_AT_ONCE = 0xFFFF  # spans taken from a stack between two looks at the cancel flag, less one


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
    expansion = np.empty(region.shape[0], np.uint16)  # read only where there is a region, which comes with it
    return _rise(compact, distance, region, expansion, starts, order, newcomers, waiting, next_id, cancelled)


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


@kernel
def _rise(
    compact: CompactHeightfield,
    distance: U16,
    region: I16,
    expansion: U16,
    starts: U32,
    order: U32,
    newcomers: U32,
    waiting: U32,
    next_id: int,
    cancelled: U8,
) -> int:
    """Take all levels, from the farthest spans down to the edges; returns the next free id, or why there is none.

    The spans of a level are its own, which lie there in `order` since the sorting, and behind them those that earlier
    levels left over, moved up to them. What the last one leaves over may still be reached by regions it has seeded.
    """
    neighbors, area = compact.neighbors, compact.area
    top = starts.shape[0] - 2
    end = np.int64(starts[top + 1])
    for level in range(top, -2, -1):
        low, begin = 2 * level, np.int64(0)
        if level >= 0:
            begin = np.int64(starts[level])
        spans = order[begin:end]
        left = _expand(neighbors, area, distance, region, expansion, spans, newcomers, waiting, low, cancelled)
        if level < 0:
            break
        if (top - level) % RASTER_EVERY == 0:
            _merge_runs(spans, left, newcomers, cancelled)
        if cancelled[0] != 0:
            return STOPPED
        leftover = 0
        for j in range(left):
            if cancelled[0] != 0:
                return STOPPED
            span = spans[j]
            if region[span] != 0:
                continue
            if _conflict(neighbors, area, region, span, 0):
                spans[leftover] = span
                leftover += 1
                continue
            if next_id > LAST_ID:
                return TOO_MANY
            if not _flood(neighbors, area, distance, region, expansion, span, low - 2, next_id, newcomers, cancelled):
                return STOPPED
            next_id += 1
        end = begin + leftover
    return next_id


@kernel
def _nearest(neighbors: I32, area: U8, region: I16, expansion: U16, span: int) -> int:
    """The neighbor whose region this span would join: the least expanded one, the first of equals; -1 for none."""
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


@kernel
def _expand(
    neighbors: I32,
    area: U8,
    distance: U16,
    region: I16,
    expansion: U16,
    spans: U32,
    newcomers: U32,
    waiting: U32,
    low: int,
    cancelled: U8,
) -> int:
    """Let regions grow into `spans`, all those without a region from distance `low` on.

    Returns how many are left over, which are in front then.

    A span is decided in the first round in which a neighbor has a region. So from the second round on, only neighbors
    of what joined in the last round need a look: all others see what they saw before. Whichever is less is looked at,
    those or once more all that are left.
    """
    left, tail = _look_at(neighbors, area, region, expansion, spans, spans.shape[0], newcomers, 0, cancelled)
    head, rounds, waits = 0, 1, -1
    while head < tail:
        _settle(region, newcomers[head:tail], cancelled)
        if (low > 0 and rounds == ROUNDS) or cancelled[0] != 0:
            break
        last = tail
        if left < 2 * (tail - head):
            left, tail = _look_at(neighbors, area, region, expansion, spans, left, newcomers, tail, cancelled)
        else:
            if waits < 0:
                waits = _out_of_sight(neighbors, spans, left, waiting, cancelled)
            tail = _look_around(neighbors, area, distance, region, expansion, newcomers, head, tail, low, cancelled)
            waits, tail = _look_at(neighbors, area, region, expansion, waiting, waits, newcomers, tail, cancelled)
        head = last
        rounds += 1
    return _still_free(region, spans[:left], cancelled)


@kernel
def _settle(region: I16, newcomers: U32, cancelled: U8) -> None:
    """What has joined a region in this round is seen from now on."""
    for begin in range(0, newcomers.shape[0], POLL_EVERY):
        if cancelled[0] != 0:
            break
        for j in range(np.uint64(begin), np.uint64(min(begin + POLL_EVERY, newcomers.shape[0]))):
            region[newcomers[j]] &= _SETTLED


@kernel
def _still_free(region: I16, spans: U32, cancelled: U8) -> int:
    """Move the spans without a region to the front and return how many there are."""
    left = 0
    for begin in range(0, spans.shape[0], POLL_EVERY):
        if cancelled[0] != 0:
            break
        for j in range(np.uint64(begin), np.uint64(min(begin + POLL_EVERY, spans.shape[0]))):
            if region[spans[j]] == 0:
                spans[left] = spans[j]
                left += 1
    return left


@kernel
def _look_at(
    neighbors: I32,
    area: U8,
    region: I16,
    expansion: U16,
    spans: U32,
    count: int,
    newcomers: U32,
    tail: int,
    cancelled: U8,
) -> tuple[int, int]:
    """Let spans[:count] join their nearest neighbors.

    Returns how many could not, which are in front now, and the end of `newcomers`.
    """
    left = 0
    for begin in range(0, count, POLL_EVERY):
        if cancelled[0] != 0:
            break
        for j in range(begin, min(begin + POLL_EVERY, count)):
            span = spans[j]
            if region[span] != 0:
                continue
            source = _nearest(neighbors, area, region, expansion, span)
            if source >= 0:
                region[span] = region[source] | _PENDING
                expansion[span] = expansion[source] + 2
                newcomers[tail] = span
                tail += 1
            else:
                spans[left] = span
                left += 1
    return left, tail


@kernel
def _look_around(
    neighbors: I32,
    area: U8,
    distance: U16,
    region: I16,
    expansion: U16,
    newcomers: U32,
    head: int,
    tail: int,
    low: int,
    cancelled: U8,
) -> int:
    """Let the neighbors of newcomers[head:tail] join their nearest ones; returns the end of `newcomers`."""
    last = tail
    for begin in range(head, last, POLL_EVERY):
        if cancelled[0] != 0:
            break
        for j in range(begin, min(begin + POLL_EVERY, last)):
            for direction in range(4):
                span = neighbors[newcomers[j], direction]
                if span >= 0 and region[span] == 0 and np.int32(distance[span]) >= low:
                    source = _nearest(neighbors, area, region, expansion, span)
                    if source >= 0:
                        region[span] = region[source] | _PENDING
                        expansion[span] = expansion[source] + 2
                        newcomers[tail] = span
                        tail += 1
    return tail


@kernel
def _out_of_sight(neighbors: I32, spans: U32, count: int, waiting: U32, cancelled: U8) -> int:
    """Gather the spans that `_look_around` can miss: they have a neighbor that does not have them as its neighbor.

    (On layered floors, where B is the lowest above A that fits, but something else fits below A when seen from B.)
    """
    waits = 0
    for begin in range(0, count, POLL_EVERY):
        if cancelled[0] != 0:
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


@kernel
def _conflict(neighbors: I32, area: U8, region: I16, span: int, own: int) -> bool:
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
def _flood(
    neighbors: I32,
    area: U8,
    distance: U16,
    region: I16,
    expansion: U16,
    seed: int,
    low: int,
    own: int,
    stack: U32,
    cancelled: U8,
) -> bool:
    """Fill region `own` from its seed down to distance `low`, keeping clear of other regions; False if cancelled.

    A span gets the region when it is pushed and may lose it when it is popped, so the order of the stack shows.
    """
    region[seed] = own
    expansion[seed] = 0
    stack[0] = seed
    size, popped = 1, 0
    while size > 0:
        popped += 1
        if popped & _POPS_AT_ONCE == 0 and cancelled[0] != 0:
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
