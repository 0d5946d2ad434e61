"""Built tiles on disk, found again by what they were built from: a build leaves out what was built before."""

from __future__ import annotations

from .input_hashes import level_key, tile_keys
from .tile_records import StoredTile, TileList
from .tile_store import TileStore, opened_store

__all__ = ["StoredTile", "TileList", "TileStore", "level_key", "opened_store", "tile_keys"]
