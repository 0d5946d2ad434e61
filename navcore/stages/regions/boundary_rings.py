"""What each region meets along its boundary, as closed chains: joining two regions splices two chains.

A chain may name regions that have been joined to others since, and so name the same region twice in a row: it is tidied
before it is read. (Recast tidies all chains after each join. The outcome is the same: what remains is the circle of
regions without repetition, beginning with the one that was first.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.arrays import root_of
from ...jit import kernel
from ...types import I32
from .boundary_walks import BoundaryWalks


class Rings(NamedTuple):
    """The chains of all regions; `owner` says which region each one has been joined to (see geometry/union_find)."""

    head: I32  # (N,) the first link of each region's chain, -1 for none
    following: I32  # (L,) the next link, from the last to the first
    met: I32  # (L,) as in BoundaryWalks


@kernel
def rings_of(walks: BoundaryWalks) -> Rings:
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
    return Rings(head, following, met)


@kernel
def tidy_ring(rings: Rings, owner: I32, region: int) -> None:
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
def times_in_ring(rings: Rings, region: int, other: int) -> int:
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
def splice_rings(rings: Rings, region: int, target: int) -> None:
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
def _link_before(rings: Rings, region: int, other: int) -> int:
    """The link before one at which `region` meets `other`: the first one behind the head."""
    head, following, met = rings
    link = head[region]
    while met[following[link]] != other:
        link = following[link]
    return link
