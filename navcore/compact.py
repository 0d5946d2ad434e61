"""Stage 4: the open space above each walkable span, and which open spans an agent can step to from it."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np

from .errors import TooLarge
from .jit import kernel
from .threads import Workers
from .types import NOT_WALKABLE, CompactHeightfield, Heightfield

OPEN = 65535  # the ceiling where no span lies above
NOWHERE = -262144  # the ceiling of an open span that does not exist
MOST_CLEARANCE = 255  # vx, what a byte holds
MOST_SPANS = 2**31 - 1  # what an index holds
FEWEST_ROWS = 96  # a thread is not worth waking for fewer

ALL_FOUR, UNDECIDED = 15, 16  # matches: a bit for each direction, and one for "look closer"


def build_compact_heightfield(
    heightfield: Heightfield, height_vx: int, climb_vx: int, workers: Workers
) -> CompactHeightfield:
    """Turn walkable spans into open ones and connect each with up to four neighbors.

    A neighbor is the lowest open span next door with `height_vx` of common room and a step of at most `climb_vx`. Spans
    are (O,), their areas are never NOT_WALKABLE. Recast: rcBuildCompactHeightfield.
    """
    solid = len(heightfield.area)
    if solid > MOST_SPANS:
        raise TooLarge(
            f"The level has {solid:,} spans (limit {MOST_SPANS:,}). Raise Cell Size, use tiles, or select less.",
            "TOO_MANY_SPANS",
        )
    width, depth = heightfield.width, heightfield.depth
    bands = workers.bands(depth, FEWEST_ROWS)
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
    height, climb = np.int32(min(height_vx, OPEN + 1)), np.int32(min(climb_vx, OPEN))
    workers.run(_connect, [(compact, height, climb, *band) for band in bands])
    return compact


@kernel
def _open_spans(heightfield, compact, begin, end, span):
    """Fill in everything but neighbors for rows begin:end, the first of whose open spans is `span`."""
    width, _, solid_first, bottom, top, solid_area = heightfield
    first, floor, clearance, area = compact.first, compact.floor, compact.clearance, compact.area
    span = np.int64(span)
    for z in range(begin, end):
        solid_row, row = solid_first[z * width : (z + 1) * width + 1], first[z * width : (z + 1) * width]
        for x in range(width):
            row[x] = span
            last = np.int64(solid_row[x + 1]) - 1
            for solid in range(solid_row[x], last + 1):
                if solid_area[np.uint32(solid)] != NOT_WALKABLE:
                    low = np.int32(top[np.uint32(solid)])
                    ceiling = np.int32(bottom[np.uint32(solid + 1)]) if solid < last else np.int32(OPEN)
                    floor[np.uint32(span)] = low
                    clearance[np.uint32(span)] = min(np.int32(ceiling - low), np.int32(MOST_CLEARANCE))
                    area[np.uint32(span)] = solid_area[np.uint32(solid)]
                    span += 1


@kernel
def _connect(compact, height, climb, begin, end):
    """Match the highest open spans of whole rows; look closer where a column has several."""
    width, depth, first, floor, clearance, neighbors, _ = compact
    # Of rows z - 1, z, z + 1 (modulo 3), with a column outside the grid on each side: floor and ceiling of the highest
    # open span, and the ceiling of the one under it.
    floors, ceilings = np.zeros((3, width + 2), np.int32), np.full((3, width + 2), np.int32(NOWHERE))
    under = np.full((3, width + 2), np.int32(NOWHERE))
    matches = np.empty(width, np.uint8)
    for z in range(begin - 1, begin + 1):
        if z >= 0:
            _load_highest(
                first[z * width : (z + 1) * width + 1], floor, clearance, floors[z % 3], ceilings[z % 3], under[z % 3]
            )
    for z in range(begin, end):
        here, north, south = z % 3, (z + 1) % 3, (z + 2) % 3
        if z + 1 < depth:
            row = first[(z + 1) * width : (z + 2) * width + 1]
            _load_highest(row, floor, clearance, floors[north], ceilings[north], under[north])
        else:
            ceilings[north, :] = NOWHERE
            under[north, :] = NOWHERE
        mine, roof = floors[here, 1 : width + 1], ceilings[here, 1 : width + 1]
        matches[:] = 0
        for direction in range(4):
            side = here if direction % 2 == 0 else north if direction == 1 else south
            shift = direction if direction % 2 == 0 else 1
            _match(
                mine,
                roof,
                floors[side, shift : shift + width],
                ceilings[side, shift : shift + width],
                under[side, shift : shift + width],
                height,
                climb,
                np.uint8(1 << direction),
                matches,
            )
        for x in range(width):
            column = z * width + x
            span = first[column]
            count = first[column + 1] - span
            if count == 1 and matches[x] < UNDECIDED:
                _store(first, neighbors, span, column, width, matches[x])
            elif count > 0:
                _connect_column(first, floor, clearance, neighbors, x, z, width, depth, height, climb)


@kernel
def _load_highest(row, floor, clearance, floors, ceilings, under):
    """Floor and ceiling of the highest open span of each column of a row, and the ceiling of the one under it."""
    for x in range(row.shape[0] - 1):
        low, ceiling, lower_ceiling = np.int32(0), np.int32(NOWHERE), np.int32(NOWHERE)
        begin, last = np.int64(row[x]), np.int64(row[x + 1]) - 1
        if last >= begin:
            low = np.int32(floor[np.uint32(last)])
            ceiling = np.int32(low + np.int32(clearance[np.uint32(last)]))
        if last > begin:
            lower_ceiling = np.int32(np.int32(floor[np.uint32(last - 1)]) + np.int32(clearance[np.uint32(last - 1)]))
        floors[x + 1], ceilings[x + 1], under[x + 1] = low, ceiling, lower_ceiling


@kernel
def _match(floors, ceilings, other_floors, other_ceilings, other_under, height, climb, bit, matches):
    """Set `bit` where the highest open spans of two rows connect; UNDECIDED where a lower one might. No branches."""
    for x in range(matches.shape[0]):
        floor, other = floors[x], other_floors[x]
        room = np.int32(min(ceilings[x], other_ceilings[x]) - max(floor, other))
        step = np.int32(max(floor, other) - min(floor, other))
        match = bit if room >= height and step <= climb else np.uint8(0)
        closer = np.uint8(UNDECIDED) if np.int32(other_under[x] - floor) >= height else np.uint8(0)
        matches[x] = matches[x] | match | closer


@kernel
def _store(first, neighbors, span, column, width, matches):
    """Connect a span with the highest spans of the matching directions."""
    if matches == ALL_FOUR:
        neighbors[span, 0] = span - 1
        neighbors[span, 1] = first[column + width + 1] - 1
        neighbors[span, 2] = first[column + 2] - 1
        neighbors[span, 3] = first[column - width + 1] - 1
        return
    neighbors[span, 0] = span - 1 if matches & 1 else -1
    neighbors[span, 1] = first[column + width + 1] - 1 if matches & 2 else -1
    neighbors[span, 2] = first[column + 2] - 1 if matches & 4 else -1
    neighbors[span, 3] = first[column - width + 1] - 1 if matches & 8 else -1


@kernel
def _connect_column(first, floor, clearance, neighbors, x, z, width, depth, height, climb):
    """Connect all spans of one column, each with the lowest span that fits in each direction."""
    column = z * width + x
    for direction in range(4):
        inside = (
            x > 0 if direction == 0 else z < depth - 1 if direction == 1 else x < width - 1 if direction == 2 else z > 0
        )
        beside = column + (-1 if direction == 0 else width if direction == 1 else 1 if direction == 2 else -width)
        lowest, end = (first[beside], first[beside + 1]) if inside else (0, 0)
        for span in range(first[column], first[column + 1]):
            own_floor = np.int64(floor[span])
            own_ceiling = own_floor + np.int64(clearance[span])
            # Floors and ceilings rise, so what is too low for this span is too low for the next ones.
            while lowest < end and (
                np.int64(floor[lowest]) < own_floor - climb
                or np.int64(floor[lowest]) + np.int64(clearance[lowest]) - own_floor < height
            ):
                lowest += 1
            neighbors[span, direction] = -1
            for other in range(lowest, end):
                other_floor = np.int64(floor[other])
                if other_floor > own_floor + climb:
                    break
                if min(own_ceiling, other_floor + np.int64(clearance[other])) - max(own_floor, other_floor) >= height:
                    neighbors[span, direction] = other
                    break
