"""Layers: regions of the sweep are joined to all they reach, as long as nothing comes to lie above itself."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..threads import Workers
from ..types import I32, U8, U16, CompactHeightfield
from .pairs import Others, add_pair, by_region, no_pairs, with_room
from .renumber import GONE
from .survey import survey_regions


def group_layers(compact: CompactHeightfield, region: U16, next_id: int, min_area_vx: int, workers: Workers) -> I32:
    """The layer (N,) of each region, GONE where that is too small. Recast: mergeAndFilterLayerRegions."""
    survey = survey_regions(compact, region, next_id)
    workers.progress.check()
    neighbors, at_border = _neighbors(compact, region, next_id + 1)
    workers.progress.check()
    layer = np.zeros(next_id + 1, np.int32)
    _group(survey, neighbors, at_border, min_area_vx, layer)
    return layer


def _neighbors(compact: CompactHeightfield, region: U16, ids: int) -> tuple[Others, U8]:
    """The neighbors of each region in the order a raster scan meets them; which touch a border."""
    signed, at_border = region.view(np.int16), np.zeros(ids, np.uint8)
    pairs, span = no_pairs(), 0
    while True:
        span = _meet_side_by_side(compact.neighbors, signed, at_border, pairs, span)
        if span < 0:
            return by_region(pairs, ids), at_border
        pairs = with_room(pairs, 4)


@kernel
def _meet_side_by_side(neighbors, region, at_border, pairs, begin):
    """Enter neighboring regions into `pairs`. Where there is no room: the span to resume at."""
    table, listed, used = pairs
    for span in range(begin, region.shape[0]):
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
def _group(survey, neighbors, at_border, min_area, layer):
    """Breadth first from each region without a layer. What stays too small is marked as gone, not as free."""
    size, area = survey.size, survey.area
    first_floor, floor = survey.floors
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
def _cover(first_floor, floor, region, root, covered_by):
    for k in range(first_floor[region], first_floor[region + 1]):
        covered_by[floor[k]] = root
