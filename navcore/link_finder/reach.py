"""How far the links of a tile depend on what is around it, so that others stay as they are when a level is edited.

A link starts at a wall of its tile. What is solid counts within `Rules.reach_cells` of it, and polygons where it lands.
The way on foot counts as well: a search that gives up after so many metres stays in an ellipse around both ends of the
link. Walls themselves depend on the tiles beside theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..geometry.tile_grid import TileGrid
from .fields import Place, Window
from .ground import Walls
from .landings import _FARTHEST_WALK
from .rules import Rules
from .walking import _FARTHER


def reach_in_cells(rules: Rules) -> int:
    """How far from a tile anything matters to the links that start in it."""
    aside = rules.ledge_reach + rules.landing_reach + rules.step
    up_or_down = max(rules.drop_height, rules.jump_height, rules.climb_height) + 2 * rules.voxel
    longest = float(np.hypot(aside, up_or_down))
    limit = min(rules.detour * longest, _FARTHEST_WALK)
    walked = (_FARTHER * limit + min(longest, limit)) / 2  # from the start of a link to the end of the ellipse
    return max(rules.reach_cells, int(np.ceil(walked / rules.cell)) + 2)


def tiles_beside(places: Iterable[Place]) -> set[Place]:
    """These tiles and the eight around each: their walls depend on each other."""
    return {(x + dx, y + dy) for x, y in places for dx in (-1, 0, 1) for dy in (-1, 0, 1)}


def window_of_tile(place: Place, tile_grid: TileGrid) -> Window:
    """The cells of a tile."""
    x, y = (number * tile_grid.size for number in place)
    return Window(x, y, x + tile_grid.size, y + tile_grid.size)


def windows_of_walls(walls: Walls, places: Sequence[Place], cell: float) -> dict[Place, Window]:
    """The cells around the walls of each tile that has any. Walls are sorted by tile."""
    tiles, starts = np.unique(walls.tile, return_index=True)
    if len(tiles) == 0:
        return {}
    low, high = (
        np.floor(reduce.reduceat(reduce.reduce(walls.ends[:, :, [0, 2]], axis=1), starts) / cell).astype(np.int64)
        for reduce in (np.minimum, np.maximum)
    )
    edges = np.concatenate([low, high + 1], axis=1).tolist()
    return {places[tile]: Window(*window) for tile, window in zip(tiles.tolist(), edges, strict=True)}


def grown(window: Window, cells: int) -> Window:
    """So many cells wider on each side."""
    return Window(window.left - cells, window.near - cells, window.right + cells, window.far + cells)


def those_touching(
    windows: Mapping[Place, Window], cells: int, places: Iterable[Place], tile_grid: TileGrid
) -> set[Place]:
    """The tiles whose windows come within so many cells of any of these places."""
    if not windows:
        return set()
    columns, rows = tile_grid.columns, tile_grid.rows
    marks = np.zeros((columns + 1, rows + 1), np.int64)
    for x, y in places:
        if x < columns and y < rows:
            marks[x + 1, y + 1] = 1
    sums = marks.cumsum(axis=0).cumsum(axis=1)
    edges = np.array(list(windows.values()), np.int64)
    low = np.maximum((edges[:, :2] - cells) // tile_grid.size, 0)
    high = np.minimum((edges[:, 2:] + cells - 1) // tile_grid.size + 1, [columns, rows])
    (left, near), (right, far) = np.minimum(low, high).T, high.T
    marked = sums[right, far] - sums[left, far] - sums[right, near] + sums[left, near]
    return {place for place, count in zip(windows, marked.tolist(), strict=True) if count}
