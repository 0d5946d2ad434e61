"""Which layers an obstacle touches. Recast: dtTileCache::queryTiles, calcTightTileBounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..types import F32
from .cache_sets import CacheParameters, PackedLayer
from .obstacles import Obstacle
from .tile_layers import MOST_LAYERS

_A_LITTLE = np.float32(0.01)  # cells


class LayerIndex:
    """The layers of a cache by place, and the boxes around their ground."""

    def __init__(self, cache: CacheParameters, layers: Sequence[PackedLayer]) -> None:
        self._cache = cache
        self._at: dict[tuple[int, int], list[int]] = {}  # the one that came last first
        cs, count = cache.cell_size, len(layers)
        self._low, self._high = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
        for slot, layer in enumerate(layers):
            self._at.setdefault(layer.key.place, []).insert(0, slot)
            x0, x1, z0, z1 = layer.inner
            low = layer.bounds_min
            self._low[slot] = low[0] + np.float32(x0) * cs, low[1], low[2] + np.float32(z0) * cs
            self._high[slot] = low[0] + np.float32(x1 + 1) * cs, layer.bounds_max[1], low[2] + np.float32(z1 + 1) * cs
        places = np.array([*self._at], np.int64).reshape(-1, 2)
        self._first = places.min(axis=0) if count else np.zeros(2, np.int64)
        self._last = places.max(axis=0) if count else np.full(2, -1, np.int64)

    def by_place(self) -> list[list[int]]:
        """The layers of each place, row by row, the last one first, as upstream builds them."""
        rows = sorted(self._at, key=lambda place: place[::-1])
        return [self._at[place] for place in rows]

    def touched(self, obstacle: Obstacle, most: int | None) -> list[int]:
        """Slots of the layers whose box an obstacle touches, `most` at most.

        Without that number a height below its foot counts, too: a floor is taken away by what begins within it.
        """
        low, high = obstacle.box()
        if most is None:
            low[1] -= self._cache.cell_height
            around = _A_LITTLE * self._cache.cell_size
            low[[0, 2]] -= around
            high[[0, 2]] += around
        found: list[int] = []
        for place in self._places(low, high):
            for slot in self._at.get(place, ())[: MOST_LAYERS if most is not None else None]:
                if bool((low <= self._high[slot]).all() and (high >= self._low[slot]).all()):
                    found.append(slot)
        return found if most is None else found[:most]

    def _places(self, low: F32, high: F32) -> list[tuple[int, int]]:
        """The places between two corners that there are tiles around, row by row."""
        side = np.float32(self._cache.size) * self._cache.cell_size
        ends = [
            np.clip(
                np.floor((corner[[0, 2]] - self._cache.origin[[0, 2]]) / side).astype(np.float64),
                self._first - 1, self._last + 1,
            ).astype(np.int64).tolist()
            for corner in (low, high)
        ]  # fmt: skip
        (x0, z0), (x1, z1) = ends
        return [(x, z) for z in range(z0, z1 + 1) for x in range(x0, x1 + 1)]
