"""Which layers an obstacle touches. Recast: dtTileCache::queryTiles, calcTightTileBounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..jit import borrowing, kernel
from ..types import F32, I64
from .cache_sets import CacheParameters, PackedLayer
from .obstacles import box_around
from .tile_layers import MOST_LAYERS

_A_LITTLE = np.float32(0.01)  # cells
# Columns of layers; the last one counts those of a place, the one that came last first.
_SLOT, _X, _Z, _RANK = range(4)
_FAR = np.float32(1 << 30)  # tiles


class LayerIndex:
    """The layers of a cache by place, and the boxes around their ground."""

    def __init__(self, cache: CacheParameters, layers: Sequence[PackedLayer]) -> None:
        self._at: dict[tuple[int, int], list[int]] = {}  # the one that came last first
        cs, count = cache.cell_size, len(layers)
        low, high = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
        for slot, layer in enumerate(layers):
            self._at.setdefault(layer.key.place, []).insert(0, slot)
            x0, x1, z0, z1 = layer.inner
            corner = layer.bounds_min
            low[slot] = corner[0] + np.float32(x0) * cs, corner[1], corner[2] + np.float32(z0) * cs
            high[slot] = (
                corner[0] + np.float32(x1 + 1) * cs, layer.bounds_max[1], corner[2] + np.float32(z1 + 1) * cs,
            )  # fmt: skip
        rows = [
            (slot, *layers[slot].key.place, rank) for there in self.by_place() for rank, slot in enumerate(there)
        ]  # fmt: skip
        self._layers = np.array(rows, np.int64).reshape(-1, 4)
        side = np.float32(cache.size) * cs
        last = np.array([[*cache.origin, side, cache.cell_height, _A_LITTLE * cs]], np.float32)
        self._boxes = np.concatenate([np.concatenate([low, high], axis=1), last])
        self._found = np.empty(16, np.int64)

    def by_place(self) -> list[list[int]]:
        """The layers of each place, row by row, the last one first, as upstream builds them."""
        rows = sorted(self._at, key=lambda place: place[::-1])
        return [self._at[place] for place in rows]

    def touched(self, obstacle: F32, most: int | None) -> list[int]:
        """Slots of the layers whose box an obstacle touches, `most` at most.

        Without that number a height below its foot counts, too: a floor is taken away by what begins within it.
        """
        count = _touched(obstacle, self._layers, self._boxes, -1 if most is None else most, self._found)
        if count > len(self._found):
            self._found = np.empty(count, np.int64)
            _touched(obstacle, self._layers, self._boxes, -1 if most is None else most, self._found)
        found: list[int] = self._found[:count].tolist()
        return found


@kernel
def _touched(obstacle: F32, layers: I64, boxes: F32, most: int, found: I64) -> int:
    """Write slots of layers, row by row and place by place, as many as there is room for; how many there are.

    `obstacle`: (1, NUMBERS). The last of the boxes: the level's corner, a tile's side, a cell's height, a little.
    """
    whole = boxes[len(boxes) - 1]
    origin, side, cell_height, around = whole[:3], whole[3], whole[4], whole[5]
    low, high = box_around(obstacle[0])
    if most < 0:
        low[1] -= cell_height
        for axis in (0, 2):
            low[axis] -= around
            high[axis] += around
    x0, x1 = _place(low[0], origin[0], side), _place(high[0], origin[0], side)
    z0, z1 = _place(low[2], origin[2], side), _place(high[2], origin[2], side)
    begin, end = 0, len(layers)
    while begin < end:  # layers lie in order of their rows
        middle = (begin + end) // 2
        if layers[middle, _Z] < z0:
            begin = middle + 1
        else:
            end = middle
    count = 0
    for row in range(begin, len(layers)):
        if layers[row, _Z] > z1 or count == most:
            break
        if not x0 <= layers[row, _X] <= x1 or (most >= 0 and layers[row, _RANK] >= MOST_LAYERS):
            continue
        slot = layers[row, _SLOT]
        touches = True
        for axis in range(3):
            touches &= low[axis] <= boxes[slot, axis + 3] and high[axis] >= boxes[slot, axis]
        if touches:
            if count < len(found):
                found[count] = slot
            count += 1
    return count


@borrowing
def _place(corner: np.float32, origin: np.float32, side: np.float32) -> np.int64:
    return np.int64(np.floor(min(max((corner - origin) / side, -_FAR), _FAR)))
