"""Stage 3: low obstacles become walkable; ledges and rooms too low for an agent cease to be.

The three filters change areas only, and none reads an area next door, so rows are independent of each other. Spans are
taken to be as rasterized: each begins at or above the top of the one below it, and none is higher than HIGHEST_VX.

(Indices are cast to unsigned where Numba would otherwise test each of them for being negative.)
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ..geometry.columns import OPEN, AgentVoxels, agent_of, bands_of_rows, copy, one_each
from ..jit import kernel
from ..threads import Workers
from ..types import HIGHEST_VX, I32, NOT_WALKABLE, U8, U16, Heightfield

BOTTOMLESS = -131072  # the floor under a column's first span: deeper than any climb reaches
# A thread is not worth waking for fewer columns: so many are looked at in a tenth of a millisecond.
MIN_SIMPLE, MIN_LEDGES = 1 << 18, 1 << 15

SAFE, LEDGE, UNDECIDED = 0, 1, 2  # verdicts
_SPAN, _X = 0, 1  # what is listed of each span that needs a closer look

_Range: TypeAlias = tuple[np.int64, np.int64]


def filter_low_hanging_obstacles(heightfield: Heightfield, climb_vx: int, workers: Workers) -> Heightfield:
    """Let spans at most `climb_vx` above a walkable one take its area: curbs, steps of stairs, clutter on the ground.

    Returns the bundle with new areas (S,). Promotion never cascades. Recast: rcFilterLowHangingWalkableObstacles.
    """
    area = np.empty_like(heightfield.area)
    _, climb = agent_of(0, climb_vx)
    bands = bands_of_rows(heightfield.first, heightfield.width, MIN_SIMPLE, workers)
    workers.run(promote_obstacles, [(heightfield, climb, area, *band) for band in bands])
    return heightfield._replace(area=area)


def filter_ledge_spans(heightfield: Heightfield, height_vx: int, climb_vx: int, workers: Workers) -> Heightfield:
    """Null spans beside a drop deeper than `climb_vx`, on a slope that steep, or at the edge of the grid.

    Only space at least `height_vx` high counts. Returns the bundle with new areas (S,). Recast: rcFilterLedgeSpans.
    """
    area = np.empty_like(heightfield.area)
    agent = agent_of(height_vx, climb_vx)
    bands = bands_of_rows(heightfield.first, heightfield.width, MIN_LEDGES, workers)
    workers.run(null_ledges, [(heightfield, agent, area, *band) for band in bands])
    return heightfield._replace(area=area)


def filter_walkable_low_height_spans(heightfield: Heightfield, height_vx: int, workers: Workers) -> Heightfield:
    """Null spans with less than `height_vx` of room above them.

    Returns the bundle with new areas (S,). Recast: rcFilterWalkableLowHeightSpans.
    """
    area = np.empty_like(heightfield.area)
    height, _ = agent_of(height_vx, 0)
    bands = bands_of_rows(heightfield.first, heightfield.width, MIN_SIMPLE, workers)
    workers.run(null_low_rooms, [(heightfield, height, area, *band) for band in bands])
    return heightfield._replace(area=area)


@kernel
def promote_obstacles(heightfield: Heightfield, climb: np.int32, area: U8, begin: int, end: int) -> None:
    width, _, first, _, top, old = heightfield
    begins = np.empty(_longest_row(first, width, begin, end) + 1, np.uint8)
    for z in range(begin, end):
        low, high = first[z * width], first[(z + 1) * width]
        _mark_begins(first[z * width : (z + 1) * width + 1], begins)
        row_top, row_old, row_area = top[low:high], old[low:high], area[low:high]
        if high > low:
            row_area[0] = row_old[0]
        for span in range(1, high - low):
            step = np.int32(np.int32(row_top[span]) - np.int32(row_top[span - 1]))
            promoted = row_old[span] == NOT_WALKABLE and step <= climb and not begins[span]
            row_area[span] = row_old[span - 1] if promoted else row_old[span]


@kernel
def null_low_rooms(heightfield: Heightfield, height: np.int32, area: U8, begin: int, end: int) -> None:
    width, _, first, bottom, top, old = heightfield
    begins = np.empty(_longest_row(first, width, begin, end) + 1, np.uint8)
    for z in range(begin, end):
        low, high = first[z * width], first[(z + 1) * width]
        _mark_begins(first[z * width : (z + 1) * width + 1], begins)
        row_bottom, row_top, row_old, row_area = bottom[low:high], top[low:high], old[low:high], area[low:high]
        last = high - low - 1
        for span in range(last):
            ceiling = np.int32(OPEN) if begins[span + 1] else np.int32(row_bottom[span + 1])
            room = np.int32(ceiling - np.int32(row_top[span]))
            row_area[span] = row_old[span] if room >= height else NOT_WALKABLE
        if last >= 0:
            row_area[last] = row_old[last] if OPEN - np.int32(row_top[last]) >= height else NOT_WALKABLE


@kernel
def null_ledges(heightfield: Heightfield, agent: AgentVoxels, area: U8, begin: int, end: int) -> None:
    """Judge the highest span of each column from whole rows of them; look closer at the others one by one."""
    width, depth, first, bottom, top, old = heightfield
    copy(old[first[begin * width] : first[end * width]], area[first[begin * width] : first[end * width]])
    tops, bottoms = np.empty((3, width), np.int32), np.empty((3, width), np.int32)  # of rows z - 1, z, z + 1, modulo 3
    verdict = np.empty(width, np.uint8)
    closer = np.empty((_longest_row(first, width, begin, end) + 1, 2), np.int32)
    if begin == 0:
        _null(area, first[0], first[width])
    if end == depth:
        _null(area, first[(depth - 1) * width], first[depth * width])
    for ahead in range(max(begin - 1, 0), min(end + 1, depth)):
        row_ahead = first[ahead * width : (ahead + 1) * width + 1]
        _load_highest(row_ahead, bottom, top, bottoms[ahead % 3], tops[ahead % 3])
        z = ahead - 1
        if z < max(begin, 1):
            continue
        count = _judge_row(heightfield, z, agent, area, (tops, bottoms), verdict, closer)
        _look_closer(first, bottom, top, area, z * width, width, agent, closer[:count])


@kernel
def _judge_row(
    heightfield: Heightfield, z: int, agent: AgentVoxels, area: U8, highest: tuple[I32, I32], verdict: U8, closer: I32
) -> int:
    """Clear the ledges among the highest spans of row z, with tops and bottoms of the `highest` of three rows.

    Returns how many spans of the row have to be looked at closer; `closer` lists them.
    """
    width, _, first, bottom, top, _ = heightfield
    (tops, bottoms), here, north, south = highest, z % 3, (z + 1) % 3, (z + 2) % 3
    row = first[z * width : (z + 1) * width + 1]
    _judge_highest(tops[here], tops[south], tops[north], bottoms[here], bottoms[south], bottoms[north], agent, verdict)
    _null(area, row[0], row[1])
    _null(area, row[width - 1], row[width])
    return _apply(row, bottom, top, area, verdict, agent[0], closer)


@kernel
def _longest_row(first: I32, width: int, begin: int, end: int) -> int:
    """The most spans in one of the rows."""
    longest = 0
    for z in range(begin, end):
        longest = max(longest, first[(z + 1) * width] - first[z * width])
    return longest


@kernel
def _mark_begins(row: I32, begins: U8) -> None:
    """Mark the spans that are the first of their column, counted from the row's first, and the row's end."""
    begins[: row[row.shape[0] - 1] - row[0] + 1] = 0
    for x in range(row.shape[0]):
        begins[np.uint32(row[x] - row[0])] = 1


@kernel
def _null(area: U8, begin: int, end: int) -> None:
    for span in range(begin, end):
        area[span] = NOT_WALKABLE


@kernel
def _load_highest(row: I32, bottom: U16, top: U16, bottoms: I32, tops: I32) -> None:
    """Bottom and top of the highest span of each column of a row; an empty column is bottomless."""
    width = tops.shape[0]
    if one_each(row):
        copy(bottom[row[0] : row[width]], bottoms)
        copy(top[row[0] : row[width]], tops)
        return
    for x in range(width):
        lower, upper = np.int32(BOTTOMLESS), np.int32(BOTTOMLESS)
        if row[x + 1] > row[x]:
            last = np.uint32(row[x + 1] - 1)
            lower, upper = np.int32(bottom[last]), np.int32(top[last])
        bottoms[x], tops[x] = lower, upper


@kernel
def _judge_highest(
    here: I32,
    south: I32,
    north: I32,
    here_bottom: I32,
    south_bottom: I32,
    north_bottom: I32,
    agent: AgentVoxels,
    verdict: U8,
) -> None:
    """Whether the highest span of each column of a row is a ledge.

    No ceiling is above the highest spans, so that only the five floors count, unless there is room for an agent under a
    neighbor's highest span: then the column is left undecided. Free of branches, for SIMD.
    """
    height, climb = agent
    # Where an agent could be too tall for the open sky, nothing is decided here.
    room = height if height <= OPEN - HIGHEST_VX else np.int32(BOTTOMLESS - OPEN)
    for x in range(1, here.shape[0] - 1):
        floor = here[x]
        reach = np.int32(floor + climb)
        west, east, back, front = here[x - 1], here[x + 1], south[x], north[x]
        lowest = min(min(min(west, east), min(back, front)), floor)
        highest = max(floor, west if west <= reach else floor)
        highest = max(highest, east if east <= reach else floor)
        highest = max(highest, back if back <= reach else floor)
        highest = max(highest, front if front <= reach else floor)
        under = max(max(here_bottom[x - 1], here_bottom[x + 1]), max(south_bottom[x], north_bottom[x]))
        ledge = np.uint8(np.int32(highest - lowest) > climb)
        verdict[x] = UNDECIDED if np.int32(under - floor) >= room else ledge


@kernel
def _apply(row: I32, bottom: U16, top: U16, area: U8, verdict: U8, height: np.int32, closer: I32) -> int:
    """Null the ledges among a row's highest spans; list (span, x) of what is still to be judged and return how many."""
    width = verdict.shape[0]
    if one_each(row) and _applied(area[row[0] : row[width]], verdict):
        return 0
    count: Any = 0  # comparisons are added to it, which NumPy's types do not allow
    begin = np.int64(np.uint32(row[1]))
    for x in range(1, width - 1):
        end = np.int64(np.uint32(row[x + 1]))
        if end - begin > 1:
            for span in range(begin, end - 1):
                closer[np.uint32(count), _SPAN], closer[np.uint32(count), _X] = span, x
                room = np.int32(bottom[np.uint32(span + 1)]) - np.int32(top[np.uint32(span)])
                count += area[np.uint32(span)] != NOT_WALKABLE and room >= height
        if end > begin:
            last = np.uint32(end - 1)
            if verdict[x] == LEDGE:
                area[last] = NOT_WALKABLE
            elif verdict[x] == UNDECIDED:
                closer[np.uint32(count), _SPAN], closer[np.uint32(count), _X] = last, x
                count += OPEN - np.int32(top[last]) >= height
        begin = end
    return count


@kernel
def _applied(area: U8, verdict: U8) -> bool:
    """Null the ledges of a row with one span a column, unless one is undecided."""
    undecided = 0
    for x in range(1, verdict.shape[0] - 1):
        undecided |= verdict[x] & UNDECIDED
    if undecided:
        return False
    for x in range(1, verdict.shape[0] - 1):
        area[x] = NOT_WALKABLE if verdict[x] == LEDGE else area[x]
    return True


@kernel
def _look_closer(
    first: I32, bottom: U16, top: U16, area: U8, row_column: int, width: int, agent: AgentVoxels, closer: I32
) -> None:
    """Null the ledges among the listed (span, x) of a row. A column's spans come one after another, from the lowest up.

    A span is a ledge if the floors that can be entered from it, its own included, lie further apart than the climb.
    Floors out of reach above are walls and don't count, those below do: a drop alone is enough, or a slope too steep.
    """
    steps = (-1, width, 1, -width)
    begin, end, gap = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4, np.int64)
    previous = -1
    for i in range(closer.shape[0]):
        span, column = np.int64(closer[i, _SPAN]), row_column + closer[i, _X]
        for direction in range(4 if column != previous else 0):
            neighbor = column + steps[direction]
            begin[direction], end[direction] = first[np.uint32(neighbor)], first[np.uint32(neighbor + 1)]
            gap[direction] = begin[direction]
        previous = column
        floor, ceiling = np.int64(top[np.uint32(span)]), np.int64(OPEN)
        if span + 1 < first[np.uint32(column + 1)]:
            ceiling = np.int64(bottom[np.uint32(span + 1)])
        lowest, highest = floor, floor
        for side in range(4):
            column_spans, reach = (begin[side], end[side]), (lowest, highest)
            gap[side], lowest, highest = _widen(bottom, top, column_spans, gap[side], (floor, ceiling), agent, reach)
        if highest - lowest > agent[1]:
            area[np.uint32(span)] = NOT_WALKABLE


@kernel
def _widen(
    bottom: U16, top: U16, spans: _Range, gap: np.int64, room: _Range, agent: AgentVoxels, reach: _Range
) -> tuple[np.int64, np.int64, np.int64]:
    """Widen `reach` by the floors among a neighbor column's spans that can be entered from `room`, floor and ceiling.

    Gap g of a column lies under its span g and on its span g - 1; there is no floor under the first span. Returns the
    lowest gap whose ceiling is high enough, too: floors rise, so the column's next span need not look below it.
    """
    (begin, end), (floor, ceiling), (height, climb), (lowest, highest) = spans, room, agent, reach
    while gap < end and np.int64(bottom[np.uint32(gap)]) - floor < height:
        gap += 1
    if gap == begin:
        return gap, np.int64(BOTTOMLESS), highest
    for above in range(gap, end + 1):
        other = np.int64(top[np.uint32(above - 1)])
        if other > ceiling - height:
            break
        other_ceiling = np.int64(bottom[np.uint32(above)]) if above < end else np.int64(OPEN)
        if other_ceiling - other >= height:
            lowest = min(lowest, other)
            if other <= floor + climb:
                highest = max(highest, other)
    return gap, lowest, highest


# --- ledges for agents of several heights: floors are looked at once, and for whom a gap is high enough


@kernel
def null_ledges_for_all(heightfield: Heightfield, heights: I32, climb: np.int32, areas: U8) -> None:
    """Fill each row of `areas` (N, S) with what `null_ledges` makes for one of the `heights` (N,), which rise.

    Where no agent of the least height fits under a neighbor's highest span none does, and heights do not matter.
    """
    width, depth, first, bottom, top, old = heightfield
    for i in range(heights.shape[0]):
        if heights[i] > OPEN - HIGHEST_VX:  # an agent could be too tall for the open sky
            null_ledges(heightfield, (heights[i], climb), areas[i], 0, depth)
    count = 0
    while count < heights.shape[0] and heights[count] <= OPEN - HIGHEST_VX:
        count += 1
    if count == 0:
        return
    heights, areas, agent, area = heights[:count], areas[:count], (heights[0], climb), areas[0]
    copy(old, area)
    tops, bottoms = np.empty((3, width), np.int32), np.empty((3, width), np.int32)  # of rows z - 1, z, z + 1, modulo 3
    verdict = np.empty(width, np.uint8)
    closer = np.empty((_longest_row(first, width, 0, depth) + 1, 2), np.int32)
    for ahead in range(depth):
        row_ahead = first[ahead * width : (ahead + 1) * width + 1]
        _load_highest(row_ahead, bottom, top, bottoms[ahead % 3], tops[ahead % 3])
        z = ahead - 1
        if z < 1:
            continue
        listed = _judge_row(heightfield, z, agent, area, (tops, bottoms), verdict, closer)
        low, high = first[z * width], first[(z + 1) * width]
        for i in range(1, count):
            copy(area[low:high], areas[i, low:high])
        _look_closer_for_all(heightfield, z, heights, climb, areas, closer[:listed])
    for i in range(count):
        _null(areas[i], first[0], first[width])
        _null(areas[i], first[(depth - 1) * width], first[depth * width])


@kernel
def _look_closer_for_all(
    heightfield: Heightfield, z: int, heights: I32, climb: np.int32, areas: U8, closer: I32
) -> None:
    """What `_look_closer` does, for each of the heights."""
    width, _, first, bottom, top, _ = heightfield
    steps, count = (-1, width, 1, -width), heights.shape[0]
    lowest, highest = np.empty(count, np.int64), np.empty(count, np.int64)  # of gaps that are too low for the next one
    begin, end, gap = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4, np.int64)
    previous, least = -1, np.int64(heights[0])
    for k in range(closer.shape[0]):
        span, column = np.int64(closer[k, _SPAN]), z * width + closer[k, _X]
        for direction in range(4 if column != previous else 0):
            neighbor = column + steps[direction]
            begin[direction], end[direction] = first[np.uint32(neighbor)], first[np.uint32(neighbor + 1)]
            gap[direction] = begin[direction]
        previous = column
        floor, ceiling = np.int64(top[np.uint32(span)]), np.int64(OPEN)
        if span + 1 < first[np.uint32(column + 1)]:
            ceiling = np.int64(bottom[np.uint32(span + 1)])
        for i in range(count):
            lowest[i] = highest[i] = floor
        for side in range(4):
            at, last = gap[side], end[side]
            while at < last and np.int64(bottom[np.uint32(at)]) - floor < least:
                at += 1
            gap[side] = at
            for above in range(at, last + 1):
                other = np.int64(top[np.uint32(above - 1)]) if above > begin[side] else np.int64(BOTTOMLESS)
                if other > ceiling - least:
                    break
                other_ceiling = np.int64(bottom[np.uint32(above)]) if above < last else np.int64(OPEN)
                if above == begin[side]:  # under all spans, where whoever gets there falls
                    fit = other_ceiling - floor if above < last else np.int64(OPEN + 1)
                else:
                    fit = min(other_ceiling, ceiling) - max(other, floor)
                if fit < least:
                    continue
                i = count - 1
                while heights[i] > fit:
                    i -= 1
                lowest[i] = min(lowest[i], other)
                if other <= floor + climb:
                    highest[i] = max(highest[i], other)
        low, high = floor, floor
        for i in range(count - 1, -1, -1):
            low, high = min(low, lowest[i]), max(high, highest[i])
            if high - low > climb and ceiling - floor >= heights[i]:
                areas[i, np.uint32(span)] = NOT_WALKABLE
