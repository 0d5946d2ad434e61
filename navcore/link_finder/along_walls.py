"""From walls to links: places, landings and wide links of some chains at a time, while what was looked at is near."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..surroundings.solid_matter import Matter
from ..surroundings.walkable_ground import Ground, WallEdges
from ..surroundings.wall_chains import Chains, Places, Walker, fill_places, place_counts, room_for_places
from ..types import F64, I32
from .landings import NO_KIND, fill_landings, no_landings
from .rules import LinkRules
from .walking_distance import new_search
from .wide import CHAIN, COLUMNS, wide_links

_PLACES_AT_ONCE = 512  # or those of one chain: room for all of a level took longer to get than to fill
_SOME_LINKS = 64


@kernel
def links_along_walls(
    matter: Matter, rules: LinkRules, ground: Ground, walls: WallEdges, chains: Chains, begin: int, end: int
) -> F64:  # fmt: skip
    """(., 14) the links of chains begin:end, chain after chain."""
    walker = Walker(rules.cell, rules.voxel, rules.radius, rules.height, rules.climb)
    first = place_counts(walls, Chains(chains.first[begin : end + 1], chains.walls), rules.spacing)
    most = _PLACES_AT_ONCE
    for chain in range(end - begin):
        most = max(most, first[chain + 1] - first[chain])
    room, landings, search = room_for_places(most), no_landings(most), new_search(len(ground.part))
    links, total, at = np.empty((_SOME_LINKS, COLUMNS)), 0, 0
    while at < end - begin:
        last = at + 1
        while last < end - begin and first[last + 1] - first[at] <= most:
            last += 1
        own, places = Chains(chains.first[begin + at : begin + last + 1], chains.walls), _some(room, first, at, last)
        count, before = first[last] - first[at], total
        landings.kind[:count] = NO_KIND
        fill_places(matter, walker, ground, walls, own, places)
        fill_landings(matter, rules, ground, places, landings, search)
        links, total = wide_links(matter, rules, ground, places, landings, links, total)
        links[before:total, CHAIN] += begin + at
        at = last
    return links[:total].copy()


@kernel
def _some(room: Places, first: I32, begin: int, end: int) -> Places:
    """Room for the places of chains begin:end, and beyond: parts of arrays are not known to be in one piece."""
    own = np.empty(end - begin + 1, np.int32)
    for chain in range(begin, end + 1):
        own[chain - begin] = first[chain] - first[begin]
    return Places(own, room.point, room.ends, room.out, room.polygon, room.stretch)
