"""Stage 4: the open space above each walkable span, and which open spans an agent can step to from it.

(Indices are cast to unsigned where Numba would otherwise test each of them for being negative.)
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..errors import TooLarge
from ..geometry.columns import (
    AFTER,
    BEFORE,
    LEFT,
    OPEN,
    RIGHT,
    STEP_X,
    STEP_Z,
    AgentVoxels,
    agent_of,
    bands_of_rows,
    copy,
    one_each,
)
from ..jit import kernel
from ..threads import Workers
from ..types import I32, NOT_WALKABLE, U8, U16, CompactHeightfield, Heightfield

NOWHERE = -262144  # the ceiling of an open span that does not exist
MAX_CLEARANCE = 255  # vx, what a byte holds
MAX_SPANS = 2**31 - 1  # what an index holds
MIN_COLUMNS = 1 << 15  # a thread is not worth waking for fewer
BLOCK = 64  # columns looked at together: one tree must not spoil a whole row of open ground

ALL_FOUR, UNDECIDED = 15, 16  # matches: a bit for each direction, and one for "look closer"


def build_compact_heightfield(
    heightfield: Heightfield, height_vx: int, climb_vx: int, workers: Workers
) -> CompactHeightfield:
    """Turn walkable spans into open ones and connect each with up to four neighbors.

    A neighbor is the lowest open span next door with `height_vx` of common room and a step of at most `climb_vx`. Spans
    are (O,), their areas are never NOT_WALKABLE. Recast: rcBuildCompactHeightfield.
    """
    solid = len(heightfield.area)
    if solid > MAX_SPANS:
        raise TooLarge(
            f"The level has {solid:,} spans (limit {MAX_SPANS:,}). Raise Cell Size, use tiles, or select less.",
            "TOO_MANY_SPANS",
        )
    width, depth = heightfield.width, heightfield.depth
    agent = agent_of(height_vx, climb_vx)
    if workers.in_one_call(solid + width * depth):
        return CompactHeightfield(width, depth, *compact_in_one_call(heightfield, agent))
    bands = bands_of_rows(heightfield.first, width, MIN_COLUMNS, workers)
    firsts = [heightfield.first[begin * width] for begin, _ in bands] + [solid]
    counts = [int(np.count_nonzero(heightfield.area[a:b])) for a, b in pairwise(firsts)]
    *begins, count = accumulate(counts, initial=0)
    compact = CompactHeightfield(
        width,
        depth,
        np.empty(width * depth + 1, np.int32),
        np.empty(count, np.uint16),
        np.empty(count, np.uint8),
        np.empty((count, 4), np.int32),
        np.empty(count, np.uint8),
    )
    compact.first[-1] = count
    workers.run(_open_spans, [(heightfield, compact, *band, span) for band, span in zip(bands, begins, strict=True)])
    workers.run(_connect, [(compact, agent, *band) for band in bands])
    return compact


@kernel
def compact_in_one_call(heightfield: Heightfield, agent: AgentVoxels) -> tuple[I32, U16, U8, I32, U8]:
    """The arrays of a compact heightfield."""
    width, depth, solid_area, count = heightfield.width, heightfield.depth, heightfield.area, 0
    for span in range(solid_area.shape[0]):
        count += solid_area[span] != NOT_WALKABLE
    first = np.empty(width * depth + 1, np.int32)
    floor, clearance = np.empty(count, np.uint16), np.empty(count, np.uint8)
    neighbors, area = np.empty((count, 4), np.int32), np.empty(count, np.uint8)
    first[width * depth] = count
    compact = CompactHeightfield(width, depth, first, floor, clearance, neighbors, area)
    _open_spans(heightfield, compact, 0, depth, 0)
    _connect(compact, agent, 0, depth)
    return first, floor, clearance, neighbors, area


@kernel
def _open_spans(heightfield: Heightfield, compact: CompactHeightfield, begin: int, end: int, first_span: int) -> None:
    """Fill in everything but neighbors for rows begin:end, the first of whose open spans is `first_span`."""
    solid_first, bottom, top, solid_area = heightfield[2:]
    first, floor, clearance, area = compact.first, compact.floor, compact.clearance, compact.area
    begin, end, span = begin * heightfield.width, end * heightfield.width, np.int64(first_span)
    for left in range(begin, end, BLOCK):
        right = min(left + BLOCK, end)
        solid_begin, solid_end = solid_first[left], solid_first[right]
        if solid_begin == solid_end:
            _number(first[left:right], span, 0)
            continue
        if one_each(solid_first[left : right + 1]) and _all_walkable(solid_area[solid_begin:solid_end]):
            _number(first[left:right], span, 1)
            copy(top[solid_begin:solid_end], floor[span:])
            copy(solid_area[solid_begin:solid_end], area[span:])
            _clear_sky(top[solid_begin:solid_end], clearance[span:])
            span += right - left
            continue
        for column in range(left, right):
            first[np.uint32(column)] = span
            last = np.int64(solid_first[np.uint32(column + 1)]) - 1
            for solid in range(solid_first[np.uint32(column)], last + 1):
                if solid_area[np.uint32(solid)] != NOT_WALKABLE:
                    low = np.int32(top[np.uint32(solid)])
                    ceiling = np.int32(bottom[np.uint32(solid + 1)]) if solid < last else np.int32(OPEN)
                    floor[np.uint32(span)] = low
                    clearance[np.uint32(span)] = min(np.int32(ceiling - low), np.int32(MAX_CLEARANCE))
                    area[np.uint32(span)] = solid_area[np.uint32(solid)]
                    span += 1


@kernel
def _all_walkable(area: U8) -> bool:
    null = 0
    for span in range(area.shape[0]):
        null |= area[span] == NOT_WALKABLE
    return null == 0


@kernel
def _number(first: I32, span: np.int64, step: int) -> None:
    for column in range(first.shape[0]):
        first[column] = span + column * step


@kernel
def _clear_sky(top: U16, clearance: U8) -> None:
    """The clearance of spans with nothing above them."""
    for span in range(top.shape[0]):
        clearance[span] = min(np.int32(OPEN - np.int32(top[span])), np.int32(MAX_CLEARANCE))


@kernel
def _connect(compact: CompactHeightfield, agent: AgentVoxels, begin: int, end: int) -> None:
    """Match the highest open spans of whole rows; look closer where a column has several."""
    width, depth, first, floor, clearance, neighbors, _ = compact
    # Of rows z - 1, z, z + 1 (modulo 3): the highest open span of each column, and the ceiling of the one under it.
    floors, ceilings = np.empty((3, width), np.int32), np.empty((3, width), np.int32)
    lower_ceilings = np.empty((3, width), np.int32)
    matches, closer = np.empty(width, np.uint8), np.empty(width + 1, np.int32)
    for ahead in range(max(begin - 1, 0), end + 1):
        if ahead < depth:
            row = first[ahead * width : (ahead + 1) * width + 1]
            _load_highest(row, floor, clearance, floors[ahead % 3], ceilings[ahead % 3], lower_ceilings[ahead % 3])
        z = ahead - 1
        if z < begin:
            continue
        for x in range(width):
            matches[x] = 0
        for direction in range(4):
            if (direction == AFTER and z == depth - 1) or (direction == BEFORE and z == 0):
                continue
            dx, dz = STEP_X[direction], STEP_Z[direction]
            here, there = z % 3, (z + dz) % 3
            left, right = max(-dx, 0), width - max(dx, 0)  # columns that have a neighbor on that side
            _match(
                floors[here, left:right], ceilings[here, left:right],
                floors[there, left + dx : right + dx], ceilings[there, left + dx : right + dx],
                lower_ceilings[there, left + dx : right + dx],
                agent, np.uint8(1 << direction), matches[left:right],
            )  # fmt: skip
        count = _store(first, neighbors, z * width, width, matches, closer)
        _look_closer(compact, z, agent, closer[:count])


@kernel
def _load_highest(row: I32, floor: U16, clearance: U8, floors: I32, ceilings: I32, lower_ceilings: I32) -> None:
    """Floor and ceiling of the highest open span of each column of a row, and the ceiling of the one under it."""
    for x in range(floors.shape[0]):
        low, ceiling, lower_ceiling = np.int32(0), np.int32(NOWHERE), np.int32(NOWHERE)
        begin, last = np.int64(row[x]), np.int64(row[x + 1]) - 1
        if last >= begin:
            low = np.int32(floor[np.uint32(last)])
            ceiling = np.int32(low + np.int32(clearance[np.uint32(last)]))
        if last > begin:
            lower_ceiling = np.int32(np.int32(floor[np.uint32(last - 1)]) + np.int32(clearance[np.uint32(last - 1)]))
        floors[x], ceilings[x], lower_ceilings[x] = low, ceiling, lower_ceiling


@kernel
def _match(
    floors: I32,
    ceilings: I32,
    other_floors: I32,
    other_ceilings: I32,
    other_lower: I32,
    agent: AgentVoxels,
    bit: np.uint8,
    matches: U8,
) -> None:
    """Set `bit` where the highest open spans of two rows connect; UNDECIDED where a lower one might. No branches."""
    height, climb = agent
    for x in range(matches.shape[0]):
        floor, other = floors[x], other_floors[x]
        room = np.int32(min(ceilings[x], other_ceilings[x]) - max(floor, other))
        step = np.int32(max(floor, other) - min(floor, other))
        match = bit if room >= height and step <= climb else np.uint8(0)
        closer = np.uint8(UNDECIDED) if np.int32(other_lower[x] - floor) >= height else np.uint8(0)
        matches[x] = matches[x] | match | closer


@kernel
def _store(first: I32, neighbors: I32, row_column: int, width: int, matches: U8, closer: I32) -> int:
    """Connect a row's open spans that are alone in their column; list the other columns and return how many."""
    count: Any = 0  # comparisons are added to it, which NumPy's types do not allow
    span = np.int64(first[np.uint32(row_column)])
    for x in range(width):
        column = row_column + x
        end = np.int64(first[np.uint32(column + 1)])
        if end - span == 1 and matches[x] < UNDECIDED:
            links = neighbors[np.uint32(span)]
            sides = matches[x]
            if sides == ALL_FOUR:
                links[LEFT] = span - 1
                links[AFTER] = first[np.uint32(column + width + 1)] - 1
                links[RIGHT] = first[np.uint32(column + 2)] - 1
                links[BEFORE] = first[np.uint32(column - width + 1)] - 1
            else:
                links[LEFT] = span - 1 if sides & 1 << LEFT else -1
                links[AFTER] = first[np.uint32(column + width + 1)] - 1 if sides & 1 << AFTER else -1
                links[RIGHT] = first[np.uint32(column + 2)] - 1 if sides & 1 << RIGHT else -1
                links[BEFORE] = first[np.uint32(column - width + 1)] - 1 if sides & 1 << BEFORE else -1
        closer[np.uint32(count)] = x
        count += end - span > 1 or (end > span and matches[x] >= UNDECIDED)
        span = end
    return count


@kernel
def _look_closer(compact: CompactHeightfield, z: int, agent: AgentVoxels, closer: I32) -> None:
    """Connect all spans of the listed columns of a row, each with the lowest span that fits in each direction."""
    width, depth, first, floor, clearance, neighbors, _ = compact
    height, climb = agent
    steps = (-1, width, 1, -width)
    for i in range(closer.shape[0]):
        x = np.int64(closer[i])
        column = z * width + x
        inside = (x > 0, z < depth - 1, x < width - 1, z > 0)
        begin, end = np.int64(first[np.uint32(column)]), np.int64(first[np.uint32(column + 1)])
        for direction in range(4):
            beside = column + steps[direction]
            lowest, highest = np.int64(0), np.int64(0)
            if inside[direction]:
                lowest, highest = np.int64(first[np.uint32(beside)]), np.int64(first[np.uint32(beside + 1)])
            for span in range(begin, end):
                own_floor = np.int32(floor[np.uint32(span)])
                own_ceiling = own_floor + np.int32(clearance[np.uint32(span)])
                # Floors and ceilings rise, so what is too low for this span is too low for the next ones.
                while lowest < highest and (
                    np.int32(floor[np.uint32(lowest)]) < own_floor - climb
                    or np.int32(floor[np.uint32(lowest)]) + np.int32(clearance[np.uint32(lowest)]) - own_floor < height
                ):
                    lowest += 1
                link = -1
                for other in range(lowest, highest):
                    other_floor = np.int32(floor[np.uint32(other)])
                    if other_floor > own_floor + climb:
                        break
                    other_ceiling = other_floor + np.int32(clearance[np.uint32(other)])
                    if min(own_ceiling, other_ceiling) - max(own_floor, other_floor) >= height:
                        link = other
                        break
                neighbors[np.uint32(span), direction] = link
