"""What is kept of a level that changes fits its grid, and an update that changes neither looks at no tile."""

from __future__ import annotations

from typing import Any

import numpy as np

from navcore import Level, Settings
from tests import scenes


class Counted(dict[Any, Any]):
    """Counts how often somebody goes through all of it."""

    times = 0

    def items(self) -> Any:
        self.times += 1
        return super().items()


def test_tiles_are_gone_through_only_where_grid_or_top_are_others() -> None:
    level = Level(Settings(tile_size=32, cell_size=0.3))
    level.set_part("floor", *scenes.flat(30.0, 12))
    level.update()
    tiles, grid = level._tiles, level._seen.grid
    kept = tiles._kept = Counted(tiles._kept)
    top = tiles.tiles()[0].polygon_mesh.grid.bounds_max[1]
    tiles.fit(grid, top)
    assert kept.times == 0
    tiles.fit(grid, np.float32(top + 1))
    assert kept.times == 1
    assert {tile.polygon_mesh.grid.bounds_max[1] for tile in tiles.tiles()} == {np.float32(top + 1)}
    tiles.fit(grid._replace(columns=grid.columns - 1), np.float32(top + 1))
    assert kept.times == 2
    assert max(tile.x for tile in tiles.tiles()) == grid.columns - 2
