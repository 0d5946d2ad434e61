"""The largest grids: plain numbers, so that a panel need not wait for Numba."""

from __future__ import annotations

MOST_COLUMNS = 30_000_000  # in one piece; beyond it a build takes gigabytes and minutes
MOST_TILE_SIZE = 4096  # cells along one side of a tile
MOST_TILES = 1 << 20  # one build; runtime data holds fewer and says so itself
