"""The key of a tile: a hash of everything that decides what is built there, and of nothing else.

That is this package's sources, all settings but those of links, how wide the tile and its border are and where they
lie, the volumes that touch it, and the triangles that touch it, corner by corner, in their order. File times, Numba,
NumPy, threads and processors are left out: results don't depend on them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...agent_sizes import AgentSize
from ...geometry.tile_grid import Selection, TileGrid, grid_of_tile
from ...geometry.tile_key import TileKey
from ...jit import kernel
from ...progress import Progress
from ...resolution import settings_at_resolution
from ...scene import marks_ground
from ...settings import Settings
from ...stages.areas import boxes_around, touching_numbers
from ...threads import Workers
from ...types import F32, I32, U8
from ...version import code_fingerprint
from ..checked_input import CheckedLevel
from ..edit_marks import content_of

SIZE = 32  # bytes of a key
_BLOCK = 1 << 16  # triangles that are gathered at a time: 2.4 MB
_BYTES = 1 << 25  # that are hashed between two looks at the cancel flag


def level_key(
    places: Sequence[TileKey], tile_grid: TileGrid, level: CheckedLevel, settings: Settings, progress: Progress
) -> bytes:
    """The key of all of `places` together, without asking which triangles touch which."""
    whole = _begun(tile_grid, settings, level.sizes)
    whole.update(_text([tile_grid.columns, tile_grid.rows, [content_of(volume) for volume in level.volumes]]))
    for some in tile_grid.scaled:
        whole.update(_text([some.scale, some.border, sorted(some.tiles)]))
    corners = np.concatenate([tile_grid.bounds_min, tile_grid.bounds_max])
    for array in (np.array([place.packed for place in places], np.int32), corners, *level.geometry):
        content = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        whole.update(len(content).to_bytes(8, "little"))
        for begin in range(0, len(content), _BYTES):
            progress.check()
            whole.update(content[begin : begin + _BYTES])
    return whole.digest()


def tile_keys(
    places: Sequence[TileKey],
    tile_grid: TileGrid,
    level: CheckedLevel,
    selection: Selection,
    settings: Settings,
    workers: Workers,
) -> list[bytes]:
    """The keys of the tiles at `places`, in that order."""
    shared = _Shared(tile_grid, level, selection, settings)
    keys = workers.run(shared.keys_of, [(block,) for block in _blocks(places, selection)]) if places else []
    return [key for block in keys for key in block]


class _Shared:
    """What the keys of a level have in common, hashed once."""

    def __init__(self, tile_grid: TileGrid, level: CheckedLevel, selection: Selection, settings: Settings) -> None:
        self._tile_grid, self._selection = tile_grid, selection
        self._geometry = level.geometry
        marks = list(filter(marks_ground, level.volumes))
        self._boxes = boxes_around(marks)
        self._volumes = [_text(content_of(volume)) for volume in marks]
        self._begun = {1.0: _begun(tile_grid.plain, settings, level.sizes)}
        for some in tile_grid.scaled:  # as the tiles of a level that has such cells everywhere
            alike = settings_at_resolution(settings, some.scale)
            self._begun[some.scale] = _begun(tile_grid.all_as(some), alike, level.sizes)

    def keys_of(self, places: Sequence[TileKey]) -> list[bytes]:
        """Those of some tiles, whose triangles are gathered together."""
        chosen = [self._selection.of(place) for place in places]
        corners, area = _corners_kernel(*self._geometry, np.concatenate(chosen))
        keys, first = [], 0
        for place, tile in zip(places, chosen, strict=True):
            end = first + len(tile)
            keys.append(self._key(place, corners[first:end], area[first:end]))
            first = end
        return keys

    def _key(self, place: TileKey, corners: F32, area: U8) -> bytes:
        grid = grid_of_tile(self._tile_grid, place)
        whole = self._begun[self._tile_grid.scale_of(place)].copy()
        whole.update(grid.bounds_min.tobytes() + grid.bounds_max.tobytes() + len(area).to_bytes(8, "little"))
        if place.layer:
            whole.update(place.layer.to_bytes(4, "little"))
        if self._volumes:
            for number in touching_numbers(grid, self._boxes):
                whole.update(self._volumes[number])
        whole.update(area.data)
        whole.update(corners.data)
        return whole.digest()


def _begun(tile_grid: TileGrid, settings: Settings, of_agents: Sequence[AgentSize]) -> hashlib._Hash:
    """What the keys of all tiles begin with."""
    sizes = [tile_grid.size, tile_grid.border, float(tile_grid.cell_size), float(tile_grid.cell_height)]
    content = [settings.without_links().to_mapping(), sizes]
    if of_agents:  # what they are called decides nothing
        content.append([[size.radius, size.height] for size in of_agents])
    return hashlib.sha256(code_fingerprint().encode() + _text(content))


def _text(content: Any) -> bytes:
    """JSON that ends with a line break, so that two of them are never read as one."""
    return json.dumps(content, sort_keys=True).encode() + b"\n"


def _blocks(places: Sequence[TileKey], selection: Selection) -> Iterator[list[TileKey]]:
    """Tiles that see about so many triangles together."""
    block: list[TileKey] = []
    triangles = 0
    for place in places:
        block.append(place)
        triangles += len(selection.of(place))
        if triangles >= _BLOCK:
            yield block
            block, triangles = [], 0
    if block:
        yield block


@kernel
def _corners_kernel(vertices: F32, triangles: I32, area: U8, chosen: I32) -> tuple[F32, U8]:
    """The nine coordinates of each chosen triangle, and its area."""
    corners, areas = np.empty((len(chosen), 9), np.float32), np.empty(len(chosen), np.uint8)
    for i in range(len(chosen)):
        t = chosen[i]
        areas[i] = area[t]
        for corner in range(3):
            v = triangles[t, corner]
            corners[i, 3 * corner] = vertices[v, 0]
            corners[i, 3 * corner + 1] = vertices[v, 1]
            corners[i, 3 * corner + 2] = vertices[v, 2]
    return corners, areas
