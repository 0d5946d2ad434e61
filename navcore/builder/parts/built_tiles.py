"""What was built of a level that changes: its tiles, and what the report says of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...build_warning import BuildWarning
from ...errors import NothingWalkable
from ...geometry.tile_grid import TileGrid
from ...geometry.tile_key import TileKey, row_by_row
from ...report import Report
from ...result.navmesh import Tile


class KeptTile(NamedTuple):
    """One tile, or why there is none."""

    tile: Tile | None
    counts: dict[str, int]
    warnings: tuple[BuildWarning, ...]
    nothing: NothingWalkable | None = None


class BuiltTiles:
    """Tiles by their places. Sums over all of them are kept up to date, so that they cost nothing."""

    def __init__(self) -> None:
        self._kept: dict[TileKey, KeptTile] = {}
        self._counts: dict[str, int] = {}
        self._seconds: dict[tuple[int, int], float] = {}
        self._fits: tuple[int, int, np.float32] | None = None  # what all tiles fit: columns, rows and the top

    def put(self, place: TileKey, kept: KeptTile) -> None:
        """Instead of what was there."""
        self.drop(place)
        self._kept[place] = kept
        for name, count in kept.counts.items():
            self._counts[name] = self._counts.get(name, 0) + count

    def drop(self, place: TileKey) -> None:
        """Forget what was there, if anything was."""
        before = self._kept.pop(place, None)
        for name, count in (before.counts if before else {}).items():
            self._counts[name] -= count

    def fit(self, grid: TileGrid, top: np.float32) -> None:
        """The level may have grown or shrunk at its far ends: tiles beyond are gone, and it is as high as `top`.

        Tiles that are put afterwards have to be built for this grid and top. Where both stay nothing is looked at.
        """
        wanted = grid.columns, grid.rows, top
        if wanted == self._fits:
            return
        for place, kept in list(self._kept.items()):
            if place.x >= grid.columns or place.y >= grid.rows:
                self.drop(place)
            elif kept.tile is not None and kept.tile.polygon_mesh.grid.bounds_max[1] != top:
                self._kept[place] = kept._replace(tile=_raised(kept.tile, top))
        self._fits = wanted

    def tiles(self) -> tuple[Tile, ...]:
        """Those that hold polygons, row by row."""
        found = [kept.tile for kept in self._kept.values() if kept.tile is not None]
        return tuple(sorted(found, key=lambda tile: row_by_row(tile.key)))

    def why_nothing(self) -> NothingWalkable:
        """Why no tile holds a polygon: the reason of the first one that has any."""
        rows = sorted(self._kept.items(), key=lambda item: row_by_row(item[0]))
        reasons: Iterable[NothingWalkable] = (kept.nothing for _, kept in rows if kept.nothing is not None)
        return next(iter(reasons), NothingWalkable("No triangle lies within the bounds. Check the bounds."))

    def tell(self, report: Report) -> None:
        """Put the sums and the warnings of all tiles into a report, in place of what it has."""
        self._seconds.update(report.tile_seconds)
        places = [key.place for key in self._kept]
        report.tile_seconds = {place: self._seconds[place] for place in places if place in self._seconds}
        report.counts = {name: count for name, count in self._counts.items() if self._counts["tiles"]}
        told = sorted(
            (kept.tile.y, kept.tile.x, kept.warnings) for kept in self._kept.values() if kept.tile and kept.warnings
        )
        report.warnings = [warning for _, _, warnings in told for warning in warnings]


def _raised(tile: Tile, top: np.float32) -> Tile:
    grid = tile.polygon_mesh.grid
    high = grid.bounds_max.copy()
    high[1] = top
    return tile._replace(polygon_mesh=tile.polygon_mesh._replace(grid=grid._replace(bounds_max=high)))
