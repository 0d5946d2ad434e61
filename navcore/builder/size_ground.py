"""Several sizes of agents in the stages of a tile: ground that any of them walks on, with a mask of those that do.

Each size has its own stages 3 to 5, over the same solid matter. What is walkable for any is the ground of the
navmesh; regions and outlines heed (area, mask) pairs as if they were areas, so that no polygon is for two kinds of
sizes. Afterwards the areas are what they were, and each polygon knows for which sizes it is too small. No Recast
ancestor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import TooLarge
from ..geometry.columns import AFTER, RIGHT, AgentVoxels, copy, one_each
from ..geometry.edge_distance import SIDES, distance_from_edges, edge_distance_in_one_call
from ..jit import borrowing, kernel
from ..stages.compact import MAX_CLEARANCE, compact_in_one_call
from ..stages.filters import null_ledges_for_all, null_low_rooms, promote_obstacles
from ..types import I32, NOT_WALKABLE, U8, U16, WALKABLE, CompactHeightfield, Heightfield, PolygonMesh
from .recipe import OpenGroundRecipe, SizesRecipe

MOST_PAIRS = WALKABLE - 1  # areas that regions can tell apart, but for one
_BLOCK_BITS = 5  # log₂ of the cells along a side of a block
_NET = 8  # holes from which on ground is cut: cuts make more polygons, and fewer holes cost little
_SMALL_PIECE = 16  # spans: an outline of fewer may have no three corners, so it goes with what is beside it


class GroundOfSize(NamedTuple):
    """The open ground of one size."""

    solid_area: U8  # (S,) once filters have seen it: not 0 where it has an open span
    compact: CompactHeightfield  # eroded, smoothed and marked


class MaskedGround(NamedTuple):
    """The ground of all sizes."""

    area: U8  # (O,) 0 where nobody walks
    mask: U16  # (O,) bit i: the i-th size walks there


class SizePairs(NamedTuple):
    """The numbers that stand for pairs of an area and a mask while polygons are made."""

    of_span: U8  # (O,)
    values: I32  # (pairs,) mask << 8 | area; those that are cut into blocks stand there twice
    numbers: U8  # (pairs,) that of the area itself where all sizes walk


def walkable_for_any(grounds: Sequence[GroundOfSize]) -> U8:
    """(S,) the areas of solid spans on which any size stands."""
    area = grounds[0].solid_area.copy()
    for ground in grounds[1:]:
        np.copyto(area, ground.solid_area, where=area == NOT_WALKABLE)
    return area


def masked_ground(solid_area: U8, grounds: Sequence[GroundOfSize]) -> MaskedGround:
    """The sizes of each open span of all that any size stands on, and the area that it has for the first of them."""
    open_spans = np.flatnonzero(solid_area != NOT_WALKABLE)
    mask, area = np.zeros(len(open_spans), np.uint16), np.zeros(len(open_spans), np.uint8)
    for bit, ground in enumerate(grounds):
        own = ground.compact.area
        if len(own) < len(open_spans):
            own = np.zeros(len(open_spans), np.uint8)
            own[ground.solid_area[open_spans] != NOT_WALKABLE] = ground.compact.area
        walks = own != NOT_WALKABLE
        mask |= walks.astype(np.uint16) << np.uint16(bit)
        np.copyto(area, own, where=walks & (area == NOT_WALKABLE))
    return MaskedGround(area, mask)


def size_pairs(ground: MaskedGround, sizes: int, compact: CompactHeightfield | None = None) -> SizePairs:
    """The pairs of areas and masks that there are, as if they were areas; in blocks where the ground is given, too.

    Raises TooLarge where they are too many.
    """
    pairs = SizePairs(*numbered_pairs(ground.area, ground.mask, sizes))
    if len(pairs.values) > MOST_PAIRS:
        raise TooLarge(
            f"{len(pairs.values):,} pairs of an area and the sizes that fit there are too many for one tile (limit "
            f"{MOST_PAIRS}). Build with fewer sizes or areas, set tile_size, or lower it.",
            "TOO_MANY_SIZES",
        )
    return pairs if compact is None else SizePairs(*in_blocks(compact, *pairs, sizes))


def with_areas_again(mesh: PolygonMesh, pairs: SizePairs, sizes: int) -> tuple[PolygonMesh, U16]:
    """Polygons with areas in place of pairs; and for which sizes each is too small, bit by bit."""
    area, too_small = _areas_again(mesh.area, pairs.values, pairs.numbers, sizes)
    return mesh._replace(area=area), too_small


@kernel
def _areas_again(numbered: U8, values: I32, numbers: U8, sizes: int) -> tuple[U8, U16]:
    """(P,) areas, and for which sizes each polygon is too small. (In NumPy it took a thirtieth of a tile's time.)"""
    value, everybody = np.zeros(256, np.int32), np.int32((1 << sizes) - 1)
    for pair in range(values.shape[0]):
        value[numbers[pair]] = values[pair]
    area, too_small = np.empty(numbered.shape[0], np.uint8), np.empty(numbered.shape[0], np.uint16)
    for polygon in range(numbered.shape[0]):
        pair_there = value[numbered[polygon]]
        area[polygon] = pair_there & 0xFF
        too_small[polygon] = everybody & ~(pair_there >> 8)
    return area, too_small


@kernel
def numbered_pairs(area: U8, mask: U16, sizes: int) -> tuple[U8, I32, U8]:
    """What SizePairs holds; numbers are 0 where there are too many."""
    there = np.zeros(1 << (8 + sizes), np.uint8)
    for span in range(area.shape[0]):
        there[np.int64(mask[span]) << 8 | np.int64(area[span])] = 1
    everybody, taken, count = (1 << sizes) - 1, np.zeros(256, np.uint8), 0
    for code in range(1 << 8, there.shape[0]):
        count += there[code]
        if there[code] != 0 and code >> 8 == everybody:
            taken[code & 0xFF] = 1
    values, numbers = np.empty(count, np.int32), np.zeros(count, np.uint8)
    table, done, free = np.zeros(there.shape[0], np.uint8), 0, 1
    for code in range(1 << 8, there.shape[0]):
        if there[code] == 0:
            continue
        values[done] = code
        if code >> 8 == everybody:
            numbers[done] = code & 0xFF
        elif count <= MOST_PAIRS:
            while taken[free] != 0:
                free += 1
            numbers[done] = free
            free += 1
        table[code] = numbers[done]
        done += 1
    of_span = np.empty(area.shape[0], np.uint8)
    for span in range(area.shape[0]):
        of_span[span] = table[np.int64(mask[span]) << 8 | np.int64(area[span])]
    return of_span, values, numbers


# --- Strips along walls, where one size walks and another does not, hang together all over a level. As one region they
# are a net with a hole for each pillar, and joining hundreds of holes to one outline costs more than all else. So what
# not everybody walks on is cut into blocks where it is such a net, of two numbers in turns like the squares of a chess
# board.


@kernel
def in_blocks(compact: CompactHeightfield, of_span: U8, values: I32, numbers: U8, sizes: int) -> tuple[U8, I32, U8]:
    """What `numbered_pairs` returns, with a second number for nets of pairs of which not all sizes walk, in every other
    block.

    Pieces of a few spans have the number of what is beside them. Nothing changes where there are not numbers enough.
    """
    second, cut = _second_numbers(values, numbers, sizes)
    if cut == 0:
        return of_span, values, numbers
    net = _nets(compact, of_span, second)
    if not net.any():
        return of_span, values, numbers
    square = _squares(compact)
    piece, first, spans = _pieces(compact, of_span, net, square)
    turned = np.empty(first.shape[0] - 1, np.uint8)
    for own in range(turned.shape[0]):
        turned[own] = (square[spans[first[own]]] ^ (square[spans[first[own]]] >> 16)) & 1
    for own in range(turned.shape[0]):
        if first[own + 1] - first[own] < _SMALL_PIECE:
            _join_beside(compact, of_span, piece, (first[own], first[own + 1]), spans, turned)
    in_turns = of_span.copy()
    for own in range(turned.shape[0]):
        for k in range(first[own], first[own + 1] if turned[own] else first[own]):
            in_turns[spans[k]] = second[of_span[spans[k]]]
    all_values, all_numbers = np.empty(values.shape[0] + cut, np.int32), np.empty(values.shape[0] + cut, np.uint8)
    all_values[: values.shape[0]], all_numbers[: values.shape[0]], done = values, numbers, values.shape[0]
    for pair in range(values.shape[0]):
        if second[numbers[pair]] != 0:
            all_values[done], all_numbers[done] = values[pair], second[numbers[pair]]
            done += 1
    return in_turns, all_values, all_numbers


@kernel
def _second_numbers(values: I32, numbers: U8, sizes: int) -> tuple[U8, int]:
    """For each number of a pair of which not all sizes walk another one, 0 for others; and how many pairs these are."""
    second, taken, cut = np.zeros(256, np.uint8), np.zeros(256, np.uint8), 0
    everybody = (1 << sizes) - 1
    for pair in range(values.shape[0]):
        taken[numbers[pair]] = 1
        cut += values[pair] >> 8 != everybody
    if values.shape[0] + cut > MOST_PAIRS:
        return second, 0
    free = 1
    for pair in range(values.shape[0]):
        if values[pair] >> 8 != everybody:
            while taken[free] != 0:
                free += 1
            second[numbers[pair]] = free
            free += 1
    return second, cut


@kernel
def _nets(compact: CompactHeightfield, of_span: U8, second: U8) -> U8:
    """(O,) 1 for spans of pairs with a second number that hang together and have many holes.

    Holes are counted by Euler's formula, of spans, steps between them, and squares of four.
    """
    count, neighbors = of_span.shape[0], compact.neighbors
    net, seen, spans = np.zeros(count, np.uint8), np.zeros(count, np.uint8), np.empty(count, np.int32)
    for seed in range(count):
        if seen[seed] != 0 or second[of_span[seed]] == 0:
            continue
        seen[seed], spans[0], at, end, steps, squares = 1, seed, 0, 1, 0, 0
        own = of_span[seed]
        while at < end:
            span = spans[at]
            at += 1
            for direction in range(4):
                other = neighbors[span, direction]
                if other >= 0 and of_span[other] == own:
                    steps += AFTER <= direction <= RIGHT  # each step once
                    if seen[other] == 0:
                        seen[other], spans[end] = 1, other
                        end += 1
            after, right = neighbors[span, AFTER], neighbors[span, RIGHT]
            if after >= 0 and right >= 0 and of_span[after] == own and of_span[right] == own:
                corner = neighbors[after, RIGHT]
                squares += corner >= 0 and corner == neighbors[right, AFTER] and of_span[corner] == own
        if 1 - (end - steps + squares) >= _NET:
            for k in range(end):
                net[spans[k]] = 1
    return net


@kernel
def _squares(compact: CompactHeightfield) -> I32:
    """(O,) in which block each span lies: that along x, and that along z above 16 bits."""
    square = np.empty(compact.floor.shape[0], np.int32)
    for z in range(compact.depth):
        for x in range(compact.width):
            column = x + z * compact.width
            for span in range(compact.first[column], compact.first[column + 1]):
                square[span] = (z >> _BLOCK_BITS) << 16 | x >> _BLOCK_BITS
    return square


@kernel
def _pieces(compact: CompactHeightfield, of_span: U8, net: U8, square: I32) -> tuple[I32, I32, I32]:
    """Spans of one pair that hang together in one block: (O,) the piece of each, -1 for what is not cut; where the
    spans of each piece begin, and the spans of all."""
    count, neighbors = of_span.shape[0], compact.neighbors
    piece, spans = np.full(count, np.int32(-1)), np.empty(count, np.int32)
    first, pieces, end = np.empty(count + 1, np.int32), 0, 0
    for seed in range(count):
        if piece[seed] >= 0 or net[seed] == 0:
            continue
        first[pieces] = end
        piece[seed], spans[end] = pieces, seed
        at, end = end, end + 1
        while at < end:
            span = spans[at]
            at += 1
            for direction in range(4):
                other = neighbors[span, direction]
                if (
                    other >= 0
                    and piece[other] < 0
                    and of_span[other] == of_span[span]
                    and square[other] == square[span]
                ):
                    piece[other], spans[end] = pieces, other
                    end += 1
        pieces += 1
    first[pieces] = end
    return piece, first[: pieces + 1].copy(), spans


@kernel
def _join_beside(
    compact: CompactHeightfield, of_span: U8, piece: I32, own: tuple[np.int32, np.int32], spans: I32, turned: U8
) -> None:
    """Turn a piece where another one of its pair lies beside it, unless that has been turned, so that they are one."""
    begin, end = own
    beside = False
    for k in range(begin, end):
        span = spans[k]
        for direction in range(4):
            other = compact.neighbors[span, direction]
            if other < 0 or of_span[other] != of_span[span] or piece[other] == piece[span]:
                continue
            if turned[piece[other]] == turned[piece[span]]:
                return
            beside = True
    if beside:
        turned[piece[spans[begin]]] ^= np.uint8(1)


# --- all sizes in one call


@kernel
def ground_of_all(
    solid: Heightfield, recipe: OpenGroundRecipe, sizes: SizesRecipe, cancelled: U8
) -> tuple[CompactHeightfield, U8, U16]:
    """The open spans of what any size stands on, not eroded; their areas (O,), and the sizes that walk there (O,).

    Sizes come from the lowest to the highest. Ledges are looked for once, and stage 4 is run once, for all of them: of
    its links each size has those that it fits through, so that its edges are known, and with them how far it is from an
    edge everywhere.
    """
    climb, depth, count, lowest = recipe.climb_vx, solid.depth, solid.area.shape[0], sizes.height_vx[0]
    promoted = solid.area
    if recipe.low_obstacles:
        promoted = np.empty(count, np.uint8)
        promote_obstacles(solid, climb, promoted, 0, depth)
    anybody, under_sky = np.zeros(count, np.uint8), _is_under_open_sky(solid, lowest)
    as_before = np.zeros(sizes.height_vx.shape[0], np.bool_)
    for i in range(1, sizes.height_vx.shape[0]):
        height = sizes.height_vx[i]
        as_before[i] = height == sizes.height_vx[i - 1] or (under_sky and height + climb <= MAX_CLEARANCE)
    heights = sizes.height_vx[~as_before]
    stands = _standing(solid, promoted, recipe, heights)
    for row in range(stands.shape[0]):
        _join(stands[row], anybody)
    compact = _opened(solid, anybody, (lowest, climb))
    mask, area = np.zeros(compact.floor.shape[0], np.uint16), np.empty(compact.floor.shape[0], np.uint8)
    own, inner = _standing_bits(stands, anybody, area.shape[0]), np.empty(area.shape[0], np.uint16)
    elsewhere = _mark_inner(compact, own, heights, climb, inner)
    distance, row = np.empty(0, np.uint16), -1
    for i in range(sizes.height_vx.shape[0]):
        if cancelled[0] != 0:
            break
        if not as_before[i]:
            row += 1
            if elsewhere >> row & 1:
                distance = _distance_by_own_links(compact, own, row, (heights[row], climb), cancelled)
            elif row == 0 or elsewhere >> (row - 1) & 1 or not _are_alike(inner, row):
                sides = compact.neighbors.reshape(-1).view(SIDES)
                distance = distance_from_edges(compact, sides, inner, np.uint16(1 << row), cancelled)
        _add(own, row, distance, (sizes.shortest[i], sizes.bit[i]), mask)
    for span in range(area.shape[0]):
        area[span] = compact.area[span] if mask[span] != 0 else NOT_WALKABLE
    return compact, area, mask


@kernel
def _is_under_open_sky(solid: Heightfield, lowest: np.int32) -> bool:
    """Whether no column has a floor below another one, and nothing hangs out over the column beside it so high that the
    lowest size fits below: then filters and links ask for no height."""
    width, depth, first, bottom, top, _ = solid
    if not one_each(first):
        return False
    hangs: Any = 0  # comparisons are added to it, which NumPy's types do not allow
    for z in range(1, depth - 1):
        for k in range(z * width + 1, (z + 1) * width - 1):
            along_x = max(np.int32(bottom[k - 1]), np.int32(bottom[k + 1]))
            along_z = max(np.int32(bottom[k - width]), np.int32(bottom[k + width]))
            hangs |= np.int32(max(along_x, along_z) - np.int32(top[k])) >= lowest
    return hangs == 0


@kernel
def _standing(solid: Heightfield, area: U8, recipe: OpenGroundRecipe, heights: I32) -> U8:
    """(N, S) for each height the areas of solid spans once ledges and low rooms are taken away."""
    width, depth, first, bottom, top, _ = solid
    before = np.empty((heights.shape[0], area.shape[0]), np.uint8)
    if recipe.ledges:
        null_ledges_for_all(Heightfield(width, depth, first, bottom, top, area), heights, recipe.climb_vx, before)
    else:
        for row in range(heights.shape[0]):
            copy(area, before[row])
    if not recipe.low_rooms:
        return before
    stands = np.empty_like(before)
    for row in range(heights.shape[0]):
        null_low_rooms(Heightfield(width, depth, first, bottom, top, before[row]), heights[row], stands[row], 0, depth)
    return stands


@kernel
def _join(stands: U8, anybody: U8) -> None:
    """The first size that stands somewhere gives its area."""
    for k in range(stands.shape[0]):
        anybody[k] = anybody[k] if anybody[k] != NOT_WALKABLE else stands[k]


@kernel
def _opened(solid: Heightfield, area: U8, agent: AgentVoxels) -> CompactHeightfield:
    """Stage 4."""
    width, depth, first, bottom, top, _ = solid
    walkable = Heightfield(width, depth, first, bottom, top, area)
    first, floor, clearance, neighbors, own = compact_in_one_call(walkable, agent)
    return CompactHeightfield(width, depth, first, floor, clearance, neighbors, own)


@kernel
def _standing_bits(stands: U8, anybody: U8, count: int) -> U16:
    """(O,) bit i: a size of the i-th height stands on that open span."""
    own, solid_of, span = np.zeros(count, np.uint16), np.empty(count, np.uint32), np.int64(0)
    for k in range(anybody.shape[0]):
        if anybody[k] != NOT_WALKABLE:
            solid_of[np.uint32(span)] = k
            span += 1
    for row in range(stands.shape[0]):
        bit = np.uint16(1 << row)
        for open_span in range(count):
            own[open_span] |= bit if stands[row, solid_of[open_span]] != NOT_WALKABLE else np.uint16(0)
    return own


@kernel
def _mark_inner(compact: CompactHeightfield, own: U16, heights: I32, climb: np.int32, inner: U16) -> int:
    """Fill (O,) with bit i where a span would be no edge if there were only sizes of the i-th height: all four of its
    links lead to where those stand. Returns the bits of heights that are led elsewhere than the lowest by such spans.

    A link leads to the lowest span that fits. Of all spans beside it, those below the one that the lowest size is led
    to fit nobody: they have less room than that one needs, or are too far down.
    """
    width, depth, first, _, clearance, neighbors, _ = compact
    roomy, elsewhere = np.zeros(own.shape[0], np.uint16), 0
    for row in range(heights.shape[0]):
        bit, least = np.uint16(1 << row), np.int32(heights[row] + climb)
        for span in range(own.shape[0]):
            roomy[span] |= own[span] & bit if np.int32(clearance[span]) >= least else np.uint16(0)
    for column in range(width * depth):
        for span in range(np.int64(first[column]), np.int64(first[column + 1])):
            a, b, c, d = neighbors[span, 0], neighbors[span, 1], neighbors[span, 2], neighbors[span, 3]
            if (a | b | c | d) < 0:
                inner[span] = 0
                continue
            there = roomy[np.uint32(a)] & roomy[np.uint32(b)] & roomy[np.uint32(c)] & roomy[np.uint32(d)]
            inner[span] = roomy[span] & there
            if inner[span] == own[span]:
                continue
            for row in range(heights.shape[0]):
                if (own[span] & ~inner[span]) >> row & 1:
                    ends = first[column], first[column + width + 1], first[column + 2], first[column - width + 1]
                    link = _other_links(compact, own, row, (heights[row], climb), span, ends)
                    inner[span] |= 1 << row if link >= 0 else 0
                    elsewhere |= 1 << row if link > 0 else 0
    return elsewhere


@borrowing
def _other_links(
    compact: CompactHeightfield,
    own: U16,
    row: int,
    agent: AgentVoxels,
    span: int,
    ends: tuple[np.int32, np.int32, np.int32, np.int32],
) -> int:
    """-1 where a link of a size lacks, else 1 where one leads elsewhere than that of the lowest size, else 0."""
    other: Any = 0
    for direction in range(4):
        link = _lowest_that_fits(compact, own, row, agent, (span, direction), ends[direction])
        if link < 0:
            return -1
        other |= link != compact.neighbors[span, direction]
    return other


@kernel
def _distance_by_own_links(compact: CompactHeightfield, own: U16, row: int, agent: AgentVoxels, cancelled: U8) -> U16:
    """How far each span is from an edge, by links of one height."""
    width, depth, first, floor, clearance, neighbors, _ = compact
    links, steps = np.empty((own.shape[0], 4), np.int32), (-1, width, 1, -width)
    area = np.empty(own.shape[0], np.uint8)
    for column in range(width * depth):
        for span in range(np.int64(first[column]), np.int64(first[column + 1])):
            area[span] = own[span] >> row & 1
            for direction in range(4):
                link = np.int64(neighbors[span, direction] if area[span] != 0 else -1)
                if link >= 0:
                    end = first[column + steps[direction] + 1]
                    link = np.int64(_lowest_that_fits(compact, own, row, agent, (span, direction), end))
                links[span, direction] = link
    ground = CompactHeightfield(width, depth, first, floor, clearance, links, area)
    return edge_distance_in_one_call(ground, links.reshape(-1).view(SIDES), False, cancelled)


@borrowing
def _lowest_that_fits(
    compact: CompactHeightfield, own: U16, row: int, agent: AgentVoxels, side: tuple[int, int], end: np.int32
) -> int:
    """The link of a span in a direction: that of the lowest size, or one further up in that column, whose spans end
    there."""
    (height, climb), (span, direction) = agent, side
    floor, clearance = compact.floor, compact.clearance
    low = np.int32(floor[span])
    ceiling = np.int32(low + np.int32(clearance[span]))
    for other in range(np.int64(compact.neighbors[span, direction]), np.int64(end)):
        other_low = np.int32(floor[other])
        if other_low > low + climb:
            break
        other_ceiling = np.int32(other_low + np.int32(clearance[other]))
        if own[other] >> row & 1 and min(ceiling, other_ceiling) - max(low, other_low) >= height:
            return other
    return -1


@kernel
def _are_alike(inner: U16, row: int) -> bool:
    """Whether the same spans are marked for a height as for the one before."""
    apart = np.uint16(0)
    for k in range(inner.shape[0]):
        apart |= inner[k] ^ (inner[k] >> 1)
    return apart >> (row - 1) & 1 == 0


@kernel
def _add(own: U16, row: int, distance: U16, size: tuple[np.uint16, np.uint16], mask: U16) -> None:
    """Add a size: where it stands, and where it is as far from edges as it has to be."""
    (shortest, bit), stands = size, np.uint16(1 << row)
    for span in range(own.shape[0]):
        walks = (own[span] & stands != 0) & (distance[span] >= shortest)
        mask[span] |= bit if walks else np.uint16(0)
