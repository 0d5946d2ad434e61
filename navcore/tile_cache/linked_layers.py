"""The tiles of a cache with their links, in one piece of memory: one kernel call replaces a tile there.

What it does to links is what `detour/tile_links.py` does one tile after the other, in the order of Detour at run time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..detour.nearest import ENDLESS
from ..detour.off_mesh_links import LinkTable
from ..detour.tile_links import AROUND
from ..types import F32, I64, U8
from .cache_sets import PackedLayer
from .layer_tiles import (
    BEGIN,
    BUILT,
    BYTES,
    COLUMN,
    EMPTY,
    NO_MEMORY,
    CacheArrays,
    CacheRules,
    replace_tile_of_layer,
    rest_of,
)

_EDGES = ((1, 0), (0, 1), (-1, 0), (0, -1))  # the sides along which tiles share an edge


class LinkedLayers:
    """Which layers have a tile, and its bytes. Recast: dtNavMesh, as a tile cache fills it."""

    def __init__(
        self, layers: Sequence[PackedLayer], size: int, rules: CacheRules, links: LinkTable, most: tuple[int, int]
    ) -> None:
        """`size`: cells of a side; `most`: polygons of a tile, and layers at one place that are looked at."""
        count, keys = len(layers), [layer.key for layer in layers]
        tiles = np.zeros((count + 1, 7), np.int64)
        tiles[:-1, COLUMN:] = np.array(keys, np.int64).reshape(-1, 3)
        tiles[-1] = size, rules.climb_vx, rules.exact, *most, ENDLESS, 0
        boxes = np.array([*((*layer.bounds_min, *layer.bounds_max) for layer in layers), rules[:6]], np.float32)
        rest, numbers = rest_of(rules.areas, rules.flags, links), np.zeros(2 * count, np.uint32)
        self._arrays = CacheArrays(rest, boxes, tiles, numbers, np.empty(0, np.uint8))
        self._handed = tuple(self._arrays)
        self._references = [0] * count
        at: dict[tuple[int, int], list[int]] = {key.place: [] for key in keys}  # tiles, the one that came last first
        # A link may end in a tile that touches at a corner only.
        sides = ((0, 0), *(AROUND if len(links.radius) else _EDGES))
        self._own = [at[key.place] for key in keys]
        places = [[(key.x + dx, key.y + dy) for dx, dy in sides] for key in keys]
        self._near = [[at[place] for place in there if place in at] for there in places]
        self._beside: dict[int, tuple[list[int], I64]] = {}  # what `around` has said; nothing once their order changes

    def reference(self, layer: int) -> int:
        """Of the tile of a layer; 0: there is none."""
        return self._references[layer]

    def data(self, layer: int) -> U8:
        """The bytes of its tile, which go on changing."""
        begin, size = self._arrays.tiles[layer, BEGIN : BYTES + 1].tolist()
        return self._arrays.memory[begin : begin + size]

    def around(self, layer: int) -> tuple[list[int], I64]:
        """The other tiles at its place, then those on its sides; at each place the one that came last first."""
        found = self._beside.get(layer)
        if found is None:
            others = [other for there in self._near[layer] for other in there if other != layer]
            found = self._beside[layer] = others, np.array(others, np.int64)
        return found

    def replace(self, layer: int, grids: U8, drawn: F32, reference: int) -> tuple[int, int]:
        """Make the tile of a layer anew, cut out what is drawn, and link it under a reference.

        Returns how it came out, and how much the allocator of Recast's sample needs for it. One that cannot be made
        changes nothing.
        """
        beside, references = self.around(layer)[1], (reference, self._references[layer])
        status, needed, room = replace_tile_of_layer(layer, grids, beside, drawn, references, self._handed)
        while status == NO_MEMORY:
            self._make_room(room)
            status, needed, room = replace_tile_of_layer(layer, grids, beside, drawn, references, self._handed)
        if status == BUILT:
            self._references[layer] = reference
            own = self._own[layer]
            if not own or own[0] != layer:
                if references[1]:
                    own.remove(layer)
                own.insert(0, layer)
                self._beside.clear()
        elif status == EMPTY and references[1]:
            self._own[layer].remove(layer)
            self._references[layer] = 0
            self._beside.clear()
        return status, needed

    def _make_room(self, room: int) -> None:
        memory = self._arrays.memory
        longer = np.zeros(2 * len(memory) + room, np.uint8)
        longer[: len(memory)] = memory
        self._arrays = self._arrays._replace(memory=longer)
        self._handed = tuple(self._arrays)
