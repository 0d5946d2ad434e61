"""What each region meets along its boundary: walks around it, and the chains of ids that they leave.

A chain is closed: joining two regions splices two chains. It may name regions that have been joined to others since,
and so name the same region twice in a row: it is tidied before it is read. (Recast tidies all chains after each join.
The outcome is the same: what remains is the circle of regions without repetition, beginning with the one that was
first.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.arrays import grown, root_of
from ...jit import kernel
from ...threads import Workers
from ...types import I16, I32, U8, CompactHeightfield
from .region_facts import RegionFacts

_MIN_BAND = 1000  # regions; fewer are not worth a thread
STRAY_STEPS = 39_999  # of a walk that never comes back to its start. Recast: of any walk


class BoundaryWalks(NamedTuple):
    """Region r meets met[first[r]:first[r + 1]]: ids, 0 for nothing, below 0 for a tile's border."""

    first: I32  # (N + 1,)
    met: I32


def walk_shared(compact: CompactHeightfield, region: I16, facts: RegionFacts, workers: Workers) -> BoundaryWalks:
    """`walk_boundaries` by all threads."""
    bands = workers.bands(len(facts.start), least=_MIN_BAND)
    cancelled = workers.progress.cancelled
    walked = workers.run(walk_boundaries, [(compact.neighbors, region, facts.start[a:b], cancelled) for a, b in bands])
    before = np.cumsum([0, *(len(part.met) for part in walked)], dtype=np.int32)
    first = [part.first[:-1] + base for part, base in zip(walked, before[:-1], strict=True)]
    return BoundaryWalks(np.concatenate([*first, before[-1:]]), np.concatenate([part.met for part in walked]))


@kernel
def walk_boundaries(neighbors: I32, region: I16, start: I32, cancelled: U8) -> BoundaryWalks:
    """Walk once around each of the regions that begin at `start`; around none any more once `cancelled` is set.

    What lies in its holes is not met. Recast: walkContour in RecastRegion.cpp.
    """
    first, met = np.zeros(start.shape[0] + 1, np.int32), np.empty(16 * start.shape[0], np.int32)
    end = 0
    for k in range(start.shape[0]):
        if start[k] >= 0 and cancelled[0] == 0:
            after = _walk(neighbors, region, start[k], met, end)
            while after < 0:
                met = grown(met, end, met.shape[0] + 1)
                after = _walk(neighbors, region, start[k], met, end)
            end = after
        first[k + 1] = end
    return BoundaryWalks(first, met[:end].copy())


@kernel
def _across(neighbors: I32, region: I16, span: int, direction: int) -> np.int32:
    """The region next to `span` in that direction, 0 for none."""
    neighbor = neighbors[span, direction]
    return np.int32(region[neighbor]) if neighbor >= 0 else np.int32(0)


@kernel
def _walk(neighbors: I32, region: I16, start: int, met: I32, begin: int) -> int:
    """Walk around one region from the left side of its first span; returns the end of `met`, -1 if there is no room.

    On layered floors a walk can stray: a step leads to a span that has no step back. It then ends in a circle that
    misses the start, and what counts is what Recast has met when it gives up. Such a circle shows when the walk comes
    to a place it has remembered, the 64th, 128th, 256th … one.
    """
    own, span, direction = region[start], start, 0
    latest = _across(neighbors, region, start, 0)
    if begin == met.shape[0]:
        return -1
    met[begin] = latest
    end, end_of_stray = begin + 1, 0
    steps, seen, see_next = 0, np.int64(-1), 64
    astray = False
    while not (astray and steps >= STRAY_STEPS):
        other = _across(neighbors, region, span, direction)
        if other != own:
            if other != latest:
                if end == met.shape[0]:
                    return -1
                met[end] = other
                end += 1
                latest = other
            direction = (direction + 1) & 3
        else:
            span = neighbors[span, direction]
            direction = (direction + 3) & 3
        steps += 1
        if span == start and direction == 0:
            end_of_stray = end
            break
        if steps == STRAY_STEPS:
            end_of_stray = end
        place = 4 * np.int64(span) + direction
        if place == seen:
            astray = True
        elif steps == see_next:
            seen = place
            see_next *= 2
    end = end_of_stray
    if end - begin > 1 and met[end - 1] == met[begin]:
        end -= 1
    return end


class RegionRings(NamedTuple):
    """The chains of all regions; `owner` says which region each one has been joined to (see geometry/union_find)."""

    head: I32  # (N,) the first link of each region's chain, -1 for none
    following: I32  # (L,) the next link, from the last to the first
    met: I32  # (L,) as in BoundaryWalks


@kernel
def rings_of(walks: BoundaryWalks) -> RegionRings:
    """Close each walk to a ring."""
    first, met = walks
    head, following = np.empty(first.shape[0] - 1, np.int32), np.empty(met.shape[0], np.int32)
    for region in range(head.shape[0]):
        begin, end = first[region], first[region + 1]
        head[region] = -1
        for link in range(begin, end):
            following[link] = link + 1
        if begin < end:
            following[end - 1] = begin
            head[region] = begin
    return RegionRings(head, following, met)


@kernel
def tidy_ring(rings: RegionRings, owner: I32, region: int) -> None:
    """Replace what was joined by what it was joined to, and drop links that repeat their neighbor."""
    head, following, met = rings
    first = head[region]
    if first < 0:
        return
    link = first
    while True:
        if met[link] > 0:
            met[link] = root_of(owner, met[link])
        link = following[link]
        if link == first:
            break
    before = first
    while following[link] != first:
        after = following[link]
        if met[after] == met[link]:
            following[link] = following[after]
        else:
            before = link
            link = after
    if link != first and met[link] == met[first]:
        following[before] = first


@kernel
def times_in_ring(rings: RegionRings, region: int, other: int) -> int:
    """How often `region` meets `other`."""
    head, following, met = rings
    first = head[region]
    times = 0
    link = first
    while link >= 0:
        times += met[link] == other
        link = following[link]
        if link == first:
            break
    return times


@kernel
def splice_rings(rings: RegionRings, region: int, target: int) -> None:
    """Join the ring of `region` into that of `target`, at the links (one in each) where they meet each other.

    The ring then begins behind the link where `target` met `region`.
    """
    head, following = rings.head, rings.following
    here, there = _link_before(rings, target, region), _link_before(rings, region, target)
    after_here, after_there = following[following[here]], following[following[there]]
    head[region] = -1
    if after_here == following[here] and after_there == following[there]:
        head[target] = -1  # they met nothing but each other
    elif after_here == following[here]:
        following[there] = after_there
        head[target] = after_there
    elif after_there == following[there]:
        following[here] = after_here
        head[target] = after_here
    else:
        following[here] = after_there
        following[there] = after_here
        head[target] = after_here


@kernel
def _link_before(rings: RegionRings, region: int, other: int) -> int:
    """The link before one at which `region` meets `other`: the first one behind the head."""
    head, following, met = rings
    link = head[region]
    while met[following[link]] != other:
        link = following[link]
    return link
