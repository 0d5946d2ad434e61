"""What is solid in the tiles of a level, for links that are found on it: kept from builds, or rasterized alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np

from ..geometry.tile_grid import TileGrid, chosen_triangles, grid_of_tile, select_triangles
from ..geometry.tile_key import TileKey, rectangle_around
from ..geometry.tile_spans import TileSpans, no_spans, own_spans
from ..stages.rasterize import rasterize_triangles
from ..threads import Workers
from ..types import I32, Geometry

GeometryAround = Callable[[set[TileKey]], Geometry]  # what these tiles see, and perhaps more, in the order of the level


class LevelSpans:
    """Solid spans by tile. What is not there is unknown: a tile that came out of a store, say."""

    def __init__(self, side: int) -> None:
        self._kept: dict[TileKey, TileSpans] = {}
        self._nothing = no_spans(side)

    def put(self, place: TileKey, spans: TileSpans) -> None:
        """Instead of what was there."""
        self._kept[place] = spans

    def put_nothing(self, places: Iterable[TileKey]) -> None:
        """No triangle touches these."""
        for place in places:
            self._kept[place] = self._nothing

    def get(self, place: TileKey) -> TileSpans | None:
        """What is known of a place."""
        return self._kept.get(place)

    def drop(self, places: Iterable[TileKey]) -> None:
        """These are no longer known."""
        for place in places:
            self._kept.pop(place, None)

    def drop_above(self, row: int) -> None:
        """Forget all rows before this one."""
        self.drop([place for place in self._kept if place.y < row])

    @property
    def bytes(self) -> int:
        """What all of it takes."""
        return sum(array.nbytes for spans in self._kept.values() for array in spans)


class SpansAround:
    """The spans of a level as its links are found: those that are unknown are rasterized, tile by tile, when asked."""

    def __init__(
        self, spans: LevelSpans, tile_grid: TileGrid, climb_vx: int, geometry: GeometryAround, workers: Workers,
        stay: bool,
    ) -> None:  # fmt: skip
        """`stay`: they are wanted again later; else what was passed is forgotten."""
        # Links are found on the level's own cells: tiles that have others are rasterized here once more.
        self._spans, self._tile_grid, self._climb_vx = spans, tile_grid.plain, climb_vx
        self._geometry, self._workers, self._stay = geometry, workers, stay

    def around(self, places: set[TileKey]) -> Mapping[TileKey, TileSpans]:
        """Those of these places."""
        missing = sorted(place for place in places if self._spans.get(place) is None)
        if missing:
            self._rasterize(missing)
        known = ((place, self._spans.get(place)) for place in places)
        return {place: spans for place, spans in known if spans is not None}

    def passed(self, row: int) -> None:
        """No row of tiles before this one is asked for again soon."""
        if not self._stay:
            self._spans.drop_above(row)

    def _rasterize(self, places: list[TileKey]) -> None:
        geometry = self._geometry(set(places))
        geometry = geometry._replace(area=np.zeros(len(geometry.triangles), np.uint8))  # nobody asks which
        corners = rectangle_around(places)
        selection = select_triangles(self._tile_grid, geometry.vertices, geometry.triangles, *corners, self._workers)
        touched = [place for place in places if len(selection.of(place))]
        self._spans.put_nothing(set(places).difference(touched))
        jobs = [(place, selection.of(place)) for place in touched]
        rasterized = partial(_rasterized, self._tile_grid, self._climb_vx, geometry, self._workers)
        for place, spans in zip(touched, self._workers.run(rasterized, jobs), strict=True):
            self._spans.put(place, spans)


def _rasterized(
    tile_grid: TileGrid, climb_vx: int, geometry: Geometry, workers: Workers, place: TileKey, chosen: I32
) -> TileSpans:
    """As the build of the tile rasterizes it: the same bytes."""
    grid = grid_of_tile(tile_grid, place)
    with Workers(1, workers.progress) as alone:
        return own_spans(rasterize_triangles(grid, *chosen_triangles(geometry, chosen), climb_vx, alone), grid.border)
