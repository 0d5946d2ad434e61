"""Layers: the open ground of one tile as sheets of one height a cell, none of which lies above itself.

A sweep makes regions of the ground, regions that touch become layers, layers that lie far enough apart are joined.
Upstream counts regions, those above each other and spans of a column in a byte or in short lists: `EXACT` has these
limits, within which both give the same layers; `ROOMY` has none of them. Recast: rcBuildHeightfieldLayers.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ..geometry.columns import BEFORE, LEFT
from ..jit import borrowing, kernel
from ..types import I32, NOT_WALKABLE, U8, AnyBool, AnyInt, Bools, CompactHeightfield

NO_GROUND = 255  # height of a cell without ground
MOST_HEIGHTS = 255  # of one layer: 0 … 254
PORTAL_SHIFT = 4  # in `sides`: direction bits of cells beside this one in its layer, those of portals above them
_NOTHING = -1
_MOST_NEIGHBORS, _MOST_WAITING = 16, 64  # which decide how layers come out, and lose nothing
_MERGE_HEIGHTS = 4  # agents' heights between layers that are joined
DONE, TOO_MANY_REGIONS, TOO_MANY_ABOVE, TOO_TALL = 0, 1, 2, 3


# Lowest and highest floor, (R, 16) neighbors, (R, R) above, crowded.
_RegionFacts: TypeAlias = tuple[I32, I32, I32, U8, int]


class LayerLimits(NamedTuple):
    """Up to how much is taken in."""

    regions: int  # of one tile, and runs of one row
    above: int  # regions above or below one region or layer
    column: int  # spans of one column that count there


EXACT, ROOMY = LayerLimits(254, 63, 63), LayerLimits(8192, 8192, 1 << 20)


class Layers(NamedTuple):
    """The layers of a tile, L of them, over the columns within its border."""

    heights: U8  # (L, depth · width) vx above `lowest`, NO_GROUND for none
    areas: U8  # (L, depth · width)
    sides: U8  # (L, depth · width) bits of directions: the layer goes on there; shifted: another layer or tile does
    spans: I32  # (L, 6) lowest and highest floor (vx), first and last column and row with ground


@kernel
def layers_of(
    compact: CompactHeightfield, border: int, height_vx: AnyInt, limits: LayerLimits
) -> tuple[int, int, Layers]:
    """A status, how many spans of columns went over `limits.column`, and the layers; none unless the status is DONE."""
    region = np.full(compact.floor.shape[0], _NOTHING, np.int32)
    count = _sweep(compact, border, region, limits.regions)
    if count < 0:
        return TOO_MANY_REGIONS, 0, _no_layers()
    facts = _facts(compact, border, region, count, limits)
    lowest, highest, _, above, crowded = facts
    layer, is_base = np.full(count, _NOTHING, np.int32), np.zeros(count, np.bool_)
    fits: AnyBool = not _any_over(above, limits.above)
    fits = fits and _gather(facts, layer, is_base, limits.above)
    fits = fits and _merge(facts, layer, is_base, _MERGE_HEIGHTS * height_vx, limits.above)
    if not fits:
        return TOO_MANY_ABOVE, crowded, _no_layers()
    layers = _compacted(layer)
    for k in range(count):
        if is_base[k] and highest[k] - lowest[k] >= MOST_HEIGHTS:
            return TOO_TALL, crowded, _no_layers()
    return DONE, crowded, _grids(compact, border, region, facts, layer, is_base, layers)


@kernel
def _no_layers() -> Layers:
    none = np.empty((0, 0), np.uint8)
    return Layers(none, none, none, np.empty((0, 6), np.int32))


@kernel
def _sweep(compact: CompactHeightfield, border: int, region: I32, most: int) -> int:
    """Runs of ground along x that follow a single region become part of it; how many regions there are, or -1."""
    width, depth, first = compact.width, compact.depth, compact.first
    neighbors, area = compact.neighbors, compact.area
    room = min(most, region.shape[0]) + 1
    behind, contacts, id_of = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    followers = np.zeros(room, np.int32)
    count = 0
    for z in range(border, depth - border):
        begin, end, runs = first[border + z * width], first[width - border + z * width], 0
        followers[:count] = 0
        for span in range(begin, end):
            if area[span] == NOT_WALKABLE:
                continue
            left, run = neighbors[span, LEFT], np.int32(_NOTHING)
            # What lies left of the border has no region; nor has, in a row, what comes after this span.
            if left >= begin and area[left] != NOT_WALKABLE and region[left] != _NOTHING:
                run = region[left]
            if run == _NOTHING:
                if runs == most:
                    return -1
                run = np.int32(runs)
                behind[runs], contacts[runs] = _NOTHING, 0
                runs += 1
            back = neighbors[span, BEFORE]
            if back >= 0 and region[back] != _NOTHING:
                other = region[back]
                if contacts[run] == 0:
                    behind[run] = other
                if behind[run] == other:
                    contacts[run] += 1
                    followers[other] += 1
                else:
                    behind[run] = _NOTHING
            region[span] = run
        for k in range(runs):
            if behind[k] != _NOTHING and followers[behind[k]] == contacts[k]:
                id_of[k] = behind[k]
            elif count == most:
                return -1
            else:
                id_of[k] = count
                count += 1
        for span in range(begin, end):
            if region[span] != _NOTHING:
                region[span] = id_of[region[span]]
    return count


@kernel
def _facts(compact: CompactHeightfield, border: int, region: I32, count: int, limits: LayerLimits) -> _RegionFacts:
    """How high regions lie, which they touch (in the order of a scan), which lie above or below each other."""
    width, depth, first = compact.width, compact.depth, compact.first
    lowest, highest = np.full(count, 1 << 30, np.int32), np.full(count, -1, np.int32)
    neighbors, above = np.full((count, _MOST_NEIGHBORS), _NOTHING, np.int32), np.zeros((count, count), np.uint8)
    crowded = 0
    for z in range(border, depth - border):
        for x in range(border, width - border):
            begin, end = first[x + z * width], first[x + z * width + 1]
            for span in range(begin, end):
                own = region[span]
                if own == _NOTHING:
                    continue
                floor = np.int32(compact.floor[span])
                lowest[own], highest[own] = min(lowest[own], floor), max(highest[own], floor)
                for direction in range(4):
                    there = compact.neighbors[span, direction]
                    if there >= 0 and region[there] != _NOTHING and region[there] != own:
                        _add_neighbor(neighbors, own, region[there])
            if end - begin > 1:
                crowded += _mark_above(region, begin, end, above, limits.column)
    return lowest, highest, neighbors, above, crowded


@borrowing
def _add_neighbor(neighbors: I32, own: np.int32, other: np.int32) -> None:
    for k in range(_MOST_NEIGHBORS):
        if neighbors[own, k] == other:
            return
        if neighbors[own, k] == _NOTHING:
            neighbors[own, k] = other
            return


@borrowing
def _mark_above(region: I32, begin: np.int32, end: np.int32, above: U8, most: int) -> int:
    """Mark the regions of one column as lying above each other; returns how many spans were too many for that."""
    seen = 0
    for upper in range(begin, end):
        if region[upper] == _NOTHING:
            continue
        if seen < most:
            for lower in range(begin, upper):
                if region[lower] != _NOTHING and region[lower] != region[upper]:
                    above[region[upper], region[lower]] = above[region[lower], region[upper]] = 1
        seen += 1
    return max(0, seen - most)


@kernel
def _any_over(above: U8, most: int) -> bool:
    """Whether more regions than that lie above or below one."""
    if above.shape[0] <= most:
        return False
    largest = 0
    for k in range(above.shape[0]):
        largest = max(largest, _ones(above, k))
    return largest > most


@borrowing
def _ones(above: U8, row: AnyInt) -> int:
    count = 0
    for k in range(above.shape[1]):
        count += above[row, k]
    return count


@kernel
def _union(facts: _RegionFacts, root: AnyInt, other: AnyInt, most: int) -> bool:
    """Let a root stand for another region, too; False where more than `most` then lie above or below it."""
    lowest, highest, _, above, _ = facts
    for k in range(above.shape[1]):
        above[root, k] |= above[other, k]
    lowest[root], highest[root] = min(lowest[root], lowest[other]), max(highest[root], highest[other])
    return above.shape[1] <= most or _ones(above, root) <= most


@kernel
def _gather(facts: _RegionFacts, layer: I32, is_base: Bools, most: int) -> bool:
    """Breadth first from each region that is in no layer yet, to all it reaches that does not lie above or below."""
    lowest, highest, neighbors, above, _ = facts
    waiting, layers = np.empty(_MOST_WAITING, np.int32), 0
    for root in range(len(layer)):
        if layer[root] != _NOTHING:
            continue
        layer[root], is_base[root], waiting[0], head, size = layers, True, root, 0, 1
        while size > 0:
            own = waiting[head % _MOST_WAITING]
            head, size = head + 1, size - 1
            for k in range(_MOST_NEIGHBORS):
                other = neighbors[own, k]
                if other == _NOTHING:
                    break
                if layer[other] != _NOTHING or above[root, other] or size == _MOST_WAITING:
                    continue
                if max(highest[root], highest[other]) - min(lowest[root], lowest[other]) >= MOST_HEIGHTS:
                    continue
                waiting[(head + size) % _MOST_WAITING] = other
                size += 1
                layer[other] = layers
                if not _union(facts, root, other, most):
                    return False
        layers += 1
    return True


@kernel
def _merge(facts: _RegionFacts, layer: I32, is_base: Bools, reach: AnyInt, most: int) -> bool:
    """Join layers whose heights come close and none of which lies above the other."""
    for base in range(len(layer)):
        if not is_base[base]:
            continue
        while True:
            other = _joinable(facts, layer, is_base, base, reach)
            if other < 0:
                break
            gone = layer[other]
            for k in range(len(layer)):
                if layer[k] == gone:
                    is_base[k], layer[k] = False, layer[base]
                    if not _union(facts, base, k, most):
                        return False
    return True


@kernel
def _joinable(facts: _RegionFacts, layer: I32, is_base: Bools, base: int, reach: AnyInt) -> int:
    """The first layer's base that can be joined to that of `base`, or -1."""
    lowest, highest, _, above, _ = facts
    blocked = np.zeros(len(layer), np.bool_)  # by layer
    for k in range(len(layer)):
        if above[base, k]:
            blocked[layer[k]] = True
    for other in range(len(layer)):
        if other == base or not is_base[other] or blocked[layer[other]]:
            continue
        if lowest[base] > highest[other] + reach or highest[base] + reach < lowest[other]:
            continue
        if max(highest[base], highest[other]) - min(lowest[base], lowest[other]) < MOST_HEIGHTS:
            return other
    return -1


@kernel
def _compacted(layer: I32) -> int:
    """Close the gaps in the numbers of layers; returns how many there are."""
    number, layers = np.full(len(layer) + 1, _NOTHING, np.int32), 0
    for k in range(len(layer)):
        number[layer[k]] = 0
    for old in range(len(layer)):
        if number[old] == 0:
            number[old] = layers
            layers += 1
    for k in range(len(layer)):
        layer[k] = number[layer[k]]
    return layers


@kernel
def _grids(
    compact: CompactHeightfield, border: int, region: I32, facts: _RegionFacts, layer: I32, is_base: Bools,
    layers: int,
) -> Layers:  # fmt: skip
    """Heights, areas and sides of every layer."""
    width, depth, first = compact.width - 2 * border, compact.depth - 2 * border, compact.first
    cells = width * depth
    heights, areas = np.full((layers, cells), NO_GROUND, np.uint8), np.zeros((layers, cells), np.uint8)
    sides, spans = np.zeros((layers, cells), np.uint8), np.zeros((layers, 6), np.int32)
    for k in range(len(layer)):
        if is_base[k]:
            spans[layer[k], 0], spans[layer[k], 1] = facts[0][k], facts[1][k]
    for own in range(layers):
        spans[own, 2], spans[own, 4] = width, depth
    for z in range(depth):
        for x in range(width):
            column, cell = (x + border) + (z + border) * compact.width, x + z * width
            for span in range(first[column], first[column + 1]):
                if region[span] == _NOTHING:
                    continue
                own = layer[region[span]]
                lowest = spans[own, 0]
                spans[own, 2], spans[own, 3] = min(spans[own, 2], x), max(spans[own, 3], x)
                spans[own, 4], spans[own, 5] = min(spans[own, 4], z), max(spans[own, 5], z)
                height, portals, goes_on = np.int32(compact.floor[span]) - lowest, 0, 0
                for direction in range(4):
                    there = compact.neighbors[span, direction]
                    if there < 0 or compact.area[there] == NOT_WALKABLE:
                        continue
                    if region[there] == _NOTHING or layer[region[there]] != own:
                        portals |= 1 << direction
                        beside = np.int32(compact.floor[there]) - lowest
                        if beside > 0:
                            height = max(height, beside & 255)
                    else:
                        goes_on |= 1 << direction  # what has a region lies inside the border
                heights[own, cell], areas[own, cell] = height, compact.area[span]
                sides[own, cell] = portals << PORTAL_SHIFT | goes_on
    for own in range(layers):
        if spans[own, 2] > spans[own, 3]:
            spans[own, 2:] = 0
    return Layers(heights, areas, sides, spans)
