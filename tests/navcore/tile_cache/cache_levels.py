"""Levels for tile caches, and how two states of one are compared."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from navcore import Settings, TileCache
from navcore.detour.byte_layout import NO_LINK, sections
from navcore.formats.mset import mset_bytes
from navcore.geometry.tile_key import TileKey
from navcore.result.navmesh import LiveTile
from navcore.types import F32, I32

PLAIN = np.float32([[0, 0, 0], [0, 0, 24], [24, 0, 24], [24, 0, 0]]), np.int32([[0, 1, 2], [0, 2, 3]])
SETTINGS = Settings(tile_size=24, cell_size=0.3)
Links: TypeAlias = dict[TileKey, list[set[tuple[int, int, int, int, int, TileKey, int]]]]


def with_deck() -> tuple[F32, I32]:
    """The plain, and above the middle of it a deck with a ramp on either side."""
    vertices, triangles = PLAIN[0].tolist(), PLAIN[1].tolist()
    deck = [[8, 3, 6], [8, 3, 18], [16, 3, 18], [16, 3, 6], [1, 0, 9], [1, 0, 15], [8, 3, 15], [8, 3, 9]]
    deck += [[16, 3, 9], [16, 3, 15], [23, 0, 15], [23, 0, 9]]
    for a, b, c, d in ((0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)):
        triangles += [[4 + a, 4 + b, 4 + c], [4 + a, 4 + c, 4 + d]]
    return np.float32([*vertices, *deck]), np.int32(triangles)


def before_linking(tile: LiveTile) -> bytes:
    """A tile's bytes without links."""
    data = tile.data.copy()
    parts = sections(data)
    parts.polygons["first_link"] = 0
    parts.links["target"], parts.links["next"] = 0, 0
    for name in ("edge", "side", "low", "high"):
        parts.links[name] = 0
    return data.tobytes()


def tiles_of(cache: TileCache) -> dict[TileKey, bytes]:
    live = cache.navmesh.live
    assert live is not None
    return {tile.key: before_linking(tile) for tile in live.tiles}


def links_of(cache: TileCache) -> Links:
    """What each polygon is linked to: tile and polygon, whatever their references."""
    live = cache.navmesh.live
    assert live is not None
    whose = {tile.reference: tile for tile in live.tiles}
    bits = int(live.parameters[4]) - 1
    found: Links = {}
    for tile in live.tiles:
        parts, rows = sections(tile.data), []
        for k in parts.polygons["first_link"].tolist():
            row = set()
            while k != NO_LINK:
                target, k, edge, side, low, high = parts.links[k].item()
                row.add((edge, side, low, high, target & bits, whose[target & ~bits].key, 0))
            rows.append(row)
        found[tile.key] = rows
    return found


def live_bytes_of(cache: TileCache) -> bytes:
    return mset_bytes(cache.navmesh)
