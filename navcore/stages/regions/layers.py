"""Layers: regions of the sweep are joined to all they reach, as long as no layer comes to lie above itself."""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...types import I16, I32, U8, CompactHeightfield
from .region_facts import (
    FEW_PAIRS,
    POLL_EVERY,
    PairsByRegion,
    RegionFacts,
    RegionPairs,
    add_pair,
    no_pairs,
    pairs_by_region,
    with_room,
)
from .renumber import GONE


@kernel
def group_layers(compact: CompactHeightfield, region: I16, facts: RegionFacts, min_area: int, cancelled: U8) -> I32:
    """The layer (N,) of each region, GONE where that is too small; not right once `cancelled` is set.

    Recast: mergeAndFilterLayerRegions.
    """
    neighbors, at_border = _neighbors(compact, region, facts.size.shape[0], cancelled)
    layer = np.zeros(facts.size.shape[0], np.int32)
    _group(facts, neighbors, at_border, min_area, layer)
    return layer


@kernel
def _neighbors(compact: CompactHeightfield, region: I16, ids: int, cancelled: U8) -> tuple[PairsByRegion, U8]:
    """The neighbors of each region in the order a raster scan meets them; and which regions touch a border."""
    at_border, pairs = np.zeros(ids, np.uint8), no_pairs(FEW_PAIRS)
    span = _meet_side_by_side(compact.neighbors, region, at_border, pairs, 0, cancelled)
    while span >= 0:
        pairs = with_room(pairs, 4)
        span = _meet_side_by_side(compact.neighbors, region, at_border, pairs, span, cancelled)
    return pairs_by_region(pairs, ids), at_border


@kernel
def _meet_side_by_side(
    neighbors: I32, region: I16, at_border: U8, pairs: RegionPairs, begin: int, cancelled: U8
) -> int:
    """Enter neighboring regions into `pairs`; returns -1, or the span to resume at where there was no room."""
    table, listed, used = pairs
    for block in range(begin, region.shape[0], POLL_EVERY):
        if cancelled[0] != 0:
            break
        for span in range(np.uint64(block), np.uint64(min(block + POLL_EVERY, region.shape[0]))):
            if region[span] <= 0:
                continue
            if listed.shape[0] - used[0] < 4:
                return span
            for direction in range(4):
                neighbor = neighbors[span, direction]
                if neighbor < 0:
                    continue
                if region[neighbor] < 0:
                    at_border[region[span]] = 1
                elif region[neighbor] > 0 and region[neighbor] != region[span]:
                    add_pair(table, listed, used, region[span], region[neighbor])
    return -1


@kernel
def _group(facts: RegionFacts, neighbors: PairsByRegion, at_border: U8, min_area: int, layer: I32) -> None:
    """Breadth first from each region without a layer. What stays too small is marked as gone, not as free."""
    size, area = facts.size, facts.area
    first_floor, floor = facts.floors
    first_neighbor, neighbor = neighbors
    covered_by = np.zeros(layer.shape[0], np.int32)  # the last root whose layer lies above or below
    queue = np.empty(layer.shape[0], np.int32)
    layers = 0
    for root in range(1, layer.shape[0]):
        if layer[root] != 0:
            continue
        layers += 1
        layer[root] = layers
        queue[0] = root
        head, tail, total, touches = 0, 1, 0, False
        _cover(first_floor, floor, root, root, covered_by)
        while head < tail:
            region = queue[head]
            head += 1
            total += size[region]
            touches |= at_border[region] != 0
            for k in range(first_neighbor[region], first_neighbor[region + 1]):
                other = neighbor[k]
                if layer[other] == 0 and area[other] == area[region] and covered_by[other] != root:
                    layer[other] = layers
                    queue[tail] = other
                    tail += 1
                    _cover(first_floor, floor, other, root, covered_by)
        if 0 < total < min_area and not touches:
            for k in range(tail):
                layer[queue[k]] = GONE


@kernel
def _cover(first_floor: I32, floor: I32, region: int, root: int, covered_by: I32) -> None:
    """Mark all that lies above or below `region` as out of reach for the layer of `root`."""
    for k in range(first_floor[region], first_floor[region + 1]):
        covered_by[floor[k]] = root
