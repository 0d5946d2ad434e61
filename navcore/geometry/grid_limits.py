"""The largest grids: plain numbers, so that a panel need not wait for Numba."""

from __future__ import annotations

MAX_COLUMNS = 30_000_000  # in one piece; beyond it a build takes gigabytes and minutes
MAX_TILE_SIZE = 4096  # cells along one side of a tile
MAX_TILES = 1 << 20  # one build; runtime data holds fewer and says so itself
