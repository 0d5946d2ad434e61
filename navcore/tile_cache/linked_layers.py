"""The tiles of a cache with their links, in one piece of memory: one kernel call replaces a tile there.

What it does to links is what `detour/tile_links.py` does one tile after the other, in the order of Detour at run time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..detour.tile_links import AROUND
from ..geometry.tile_key import TileKey
from ..types import I64, U8, U32, AnyInt

_EDGES = ((1, 0), (0, 1), (-1, 0), (0, -1))  # the sides along which tiles share an edge
_LITTLE = 512  # bytes

NearTiles = tuple[tuple[U8, I64, U32, I64], tuple[int, int, int]]
"""What a kernel that replaces a tile is given of all tiles, and of the one before: see `replace_linked`."""


class LinkedLayers:
    """Which layers have a tile, and its bytes. Recast: dtNavMesh, as a tile cache fills it."""

    def __init__(self, keys: Sequence[TileKey], most_layers: int, with_corners: bool) -> None:
        """`most_layers`: at one place that are looked at; without corners where no link of a scene is."""
        count, self._most_layers = len(keys), most_layers
        self.work = np.full(1, 2**62, np.int64)  # that finding the ground under links may take: as much as it takes
        self._memory = np.empty(0, np.uint8)
        self._filled = 0
        self._places = np.zeros((count, 2), np.int64)  # where each begins, and how many bytes it has
        self._numbers = np.zeros(2 * count, np.uint32)  # its next unused link, its reference
        self._rooms, self._references, self._polygons = [0] * count, [0] * count, [0] * count
        at: dict[tuple[int, int], list[int]] = {key.place: [] for key in keys}  # tiles, the one that came last first
        sides = ((0, 0), *(AROUND if with_corners else _EDGES))
        self._own = [at[key.place] for key in keys]
        self._near = [
            [at[place] for dx, dy in sides if (place := (key.x + dx, key.y + dy)) in at] for key in keys
        ]  # fmt: skip

    def reference(self, layer: int) -> int:
        """Of the tile of a layer; 0: there is none."""
        return self._references[layer]

    def data(self, layer: int) -> U8:
        """The bytes of its tile, which go on changing."""
        begin, size = self._places[layer].tolist()
        return self._memory[begin : begin + size]

    def around(self, layer: int) -> list[int]:
        """The other tiles at its place, then those on its sides; at each place the one that came last first."""
        return [other for there in self._near[layer] for other in there if other != layer]

    def given(self, layer: int, around: Sequence[int]) -> NearTiles:
        """What a kernel is given that replaces the tile of a layer."""
        gone = self._references[layer], self._polygons[layer], min(self._most_layers, len(around))
        return (self._memory, self._places, self._numbers, np.array(around, np.int64)), gone

    def put(self, layer: int, data: U8, reference: int, linked: tuple[AnyInt, int]) -> None:
        """Take over the tile that a kernel has made and linked; `linked` is what it returned of it."""
        self.drop(layer)
        size = len(data)
        if size > self._rooms[layer]:
            self._make_room(layer, size)
        begin = self._places[layer, 0]
        self._memory[begin : begin + size] = data
        self._places[layer, 1] = size
        self._numbers[2 * layer], self._numbers[2 * layer + 1] = linked[0], reference
        self._references[layer], self._polygons[layer] = reference, linked[1]
        self._own[layer].insert(0, layer)

    def drop(self, layer: int) -> None:
        """The tile of a layer is gone, if there was one."""
        if self._references[layer]:
            self._own[layer].remove(layer)
            self._references[layer] = self._polygons[layer] = 0

    def _make_room(self, layer: int, size: int) -> None:
        """At the end, and more than is needed: its next tile may be larger."""
        room = size + size // 4 + _LITTLE
        if self._filled + room > len(self._memory):
            longer = np.zeros(2 * len(self._memory) + room, np.uint8)
            longer[: self._filled] = self._memory[: self._filled]
            self._memory = longer
        self._places[layer, 0], self._rooms[layer] = self._filled, room
        self._filled += room
