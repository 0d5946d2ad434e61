"""Joining small regions to a neighbor and giving up small islands. For watershed and monotone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...geometry.arrays import root_of
from ...jit import kernel
from ...types import I32, U8
from .boundaries import BoundaryWalks, RegionRings, rings_of, splice_rings, tidy_ring, times_in_ring
from .region_facts import RegionFacts
from .renumber import GONE

_LARGEST = 0xFFFFFFF  # spans in a region that another can be joined to


@kernel
def merge_regions(facts: RegionFacts, walks: BoundaryWalks, min_area: int, merge_area: int, cancelled: U8) -> I32:
    """The region (N,) that each region ends up in, GONE for small islands; not complete once `cancelled` is set.

    Recast: mergeAndFilterRegions.
    """
    ids = facts.size.shape[0]
    owner, gone = np.empty(ids, np.int32), np.zeros(ids, np.bool_)
    for region in range(ids):
        owner[region] = region
    _give_up_islands(walks, facts.size, min_area, gone)
    _merge_all(facts, rings_of(walks), owner, merge_area, cancelled)
    for region in range(ids):
        if gone[region]:
            owner[region] = GONE
    return owner


@kernel
def _give_up_islands(walks: BoundaryWalks, size: I32, min_area: int, gone: npt.NDArray[np.bool_]) -> None:
    """Depth first over what regions meet; together too small and away from borders: all of them go, with size 0.

    A region does not meet those in its holes, though they meet it, so it matters where the search begins.
    """
    first, met = walks
    visited = np.zeros(size.shape[0], np.bool_)
    stack, island = np.empty_like(size), np.empty_like(size)
    for seed in range(1, size.shape[0]):
        if size[seed] == 0 or visited[seed]:
            continue
        visited[seed] = True
        stack[0] = seed
        waiting, count, total, at_border = 1, 0, 0, False
        while waiting > 0:
            waiting -= 1
            region = stack[waiting]
            island[count] = region
            count += 1
            total += size[region]
            for link in range(first[region], first[region + 1]):
                other = met[link]
                at_border |= other < 0
                if other > 0 and not visited[other] and not gone[other]:
                    visited[other] = True
                    stack[waiting] = other
                    waiting += 1
        if total < min_area and not at_border:
            for k in range(count):
                gone[island[k]] = True
                size[island[k]] = 0


@kernel
def _merge_all(facts: RegionFacts, rings: RegionRings, owner: I32, merge_area: int, cancelled: U8) -> None:
    """Sweeps over all regions, each joined to its smallest fitting neighbor, until none is."""
    size, overlapping = facts.size, facts.overlapping
    next_part = np.empty(size.shape[0], np.int32)  # the regions that were joined, as chains
    last_part = np.empty(size.shape[0], np.int32)
    for region in range(size.shape[0]):
        next_part[region], last_part[region] = -1, region
    times = np.zeros(size.shape[0], np.int32)
    merges = 1
    while merges > 0:
        merges = 0
        for region in range(1, size.shape[0]):
            if cancelled[0] != 0:
                return
            if size[region] == 0 or overlapping[region]:
                continue
            target = _target(facts, rings, owner, next_part, times, region, merge_area)
            if target > 0:
                splice_rings(rings, region, target)
                size[target] += size[region]
                size[region] = 0
                owner[region] = target
                next_part[last_part[target]] = region
                last_part[target] = last_part[region]
                merges += 1
    for region in range(size.shape[0]):
        owner[region] = root_of(owner, np.int32(region))


@kernel
def _target(
    facts: RegionFacts, rings: RegionRings, owner: I32, next_part: I32, times: I32, region: int, merge_area: int
) -> int:
    """The region to join this one to, 0 for none: the smallest that fits, the first of equals.

    Two fit if they have the same area, neither meets the other twice (that would enclose something), and none lies
    above the other. The smallest may fit without meeting this one, as what is in a hole of it: then none is joined.
    """
    size, area, overlapping = facts.size, facts.area, facts.overlapping
    head, following, met = rings
    tidy_ring(rings, owner, region)
    first = head[region]
    if first < 0:
        return 0
    beside_nothing = False
    link = first
    while True:
        if met[link] > 0:
            times[met[link]] += 1
        beside_nothing |= met[link] == 0
        link = following[link]
        if link == first:
            break
    best, best_meets, least = 0, 0, _LARGEST
    while size[region] <= merge_area or not beside_nothing:
        other = met[link]
        if other > 0 and 0 < size[other] < least and area[other] == area[region]:
            if times[other] == 1 and not overlapping[other]:
                tidy_ring(rings, owner, other)
                meets = times_in_ring(rings, other, region)
                if meets <= 1 and not _share_column(facts, owner, next_part, region, other):
                    best, best_meets, least = other, meets, size[other]
        link = following[link]
        if link == first:
            break
    while True:
        if met[link] > 0:
            times[met[link]] = 0
        link = following[link]
        if link == first:
            break
    return best if best_meets == 1 else 0


@kernel
def _share_column(facts: RegionFacts, owner: I32, next_part: I32, region: int, other: int) -> bool:
    """Does a part of one lie above or below a part of the other? (This is mutual: ask the smaller one.)"""
    first_floor, floor = facts.floors
    if facts.size[other] < facts.size[region]:
        region, other = other, region
    part = region
    while part >= 0:
        for k in range(first_floor[part], first_floor[part + 1]):
            if root_of(owner, floor[k]) == other:
                return True
        part = next_part[part]
    return False
