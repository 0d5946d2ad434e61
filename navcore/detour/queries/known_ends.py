"""Which links are attached, taken over from the navmesh before where nothing near them has changed.

The tile in which a link starts stores it, and has room for so many links; those around it take its room, too. So what
became of a link depends on that tile and the eight around it, and on the tile in which it ends; what is said of one
that fails on ground within REACH of both ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...geometry.tile_grid import TileGrid
from ...result.navmesh import NavMesh, Tile
from ...scene import Link
from ...types import F64, I64
from ..link_ends import REACH, LinkEnds
from ..off_mesh_links import LinkTable, link_table
from .walk_graph import WalkGraph, walk_graph

Place = tuple[int, int]
Flags = npt.NDArray[np.bool_]
_SLACK = 0.1  # metres: borders of tiles are rounded


class KnownEnds(NamedTuple):
    """What became of links, and on which tiles."""

    links: tuple[Link, ...]
    rows: Mapping[int, int]  # of each link, by the id of the object
    points: F64  # (., 4) x and z of starts and ends
    failing: Flags  # (., 2)
    tile_grid: TileGrid | None
    tiles: Mapping[Place, Tile]


def known_ends(navmesh: NavMesh, before: KnownEnds | None) -> KnownEnds:
    """Which ends of the links of a navmesh fail; those that nothing has changed for are taken over."""
    links, tiles = navmesh.links, {(tile.x, tile.y): tile for tile in navmesh.tiles}
    rows = dict(zip(map(id, links), range(len(links)), strict=True))
    if before is None or navmesh.tile_grid is None or not _same_grid(before.tile_grid, navmesh.tile_grid):
        failing = _ends_now(navmesh).failing()
        return KnownEnds(links, rows, _points(links), failing, navmesh.tile_grid, tiles)
    had = np.array([*map(before.rows.get, map(id, links), repeat(-1))], np.int64)
    points, failing = np.empty((len(links), 4)), np.ones((len(links), 2), bool)
    points[had >= 0], failing[had >= 0] = before.points[had[had >= 0]], before.failing[had[had >= 0]]
    points[had < 0] = _points([links[number] for number in np.flatnonzero(had < 0).tolist()])
    changed = {place for place in {*tiles, *before.tiles} if tiles.get(place) is not before.tiles.get(place)}
    gone = np.ones(len(before.links), bool)
    gone[had[had >= 0]] = False
    grid = _Marks(navmesh.tile_grid)
    grid.mark(changed)
    grid.mark_around(np.concatenate([points[had < 0], before.points[gone]]).reshape(-1, 2), _SLACK)
    grid.grow()
    asked = (had < 0) | grid.touched_by(points.reshape(-1, 2), _SLACK).reshape(-1, 2).any(axis=1)
    ends, numbers = ends_of_some(navmesh, points, asked, 0.0, changed)
    failing[asked] = ends.failing()[asked[numbers]]
    return KnownEnds(links, rows, points, failing, navmesh.tile_grid, tiles)


def ends_of_some(
    navmesh: NavMesh, points: F64, asked: Flags, reach: float = REACH, also: Iterable[Place] = ()
) -> tuple[LinkEnds, I64]:
    """What tiles say of the links that are asked about, and which links those are that it has: some others as well.

    `reach`: how far around the ends ground is looked for, to say how far it is. `also` are tiles that are looked at in
    any case: those that are new may be more than runtime data can hold.
    """
    if navmesh.tile_grid is None or (len(asked) and asked.all()):
        return _ends_now(navmesh), np.arange(len(asked))
    grid = _Marks(navmesh.tile_grid)
    grid.mark(also)
    grid.mark_around(points[asked, :2], max(grid.side, reach) + _SLACK)
    grid.mark_around(points[asked, 2:], reach + _SLACK)
    tiles = tuple(tile for tile in navmesh.tiles if grid.is_marked(tile.x, tile.y))
    numbers = np.flatnonzero(grid.touched_by(points.reshape(-1, 2), _SLACK).reshape(-1, 2).any(axis=1) | asked)
    part = replace(navmesh, tiles=tiles, links=tuple(navmesh.links[number] for number in numbers.tolist()))
    return _ends_now(part, numbers, asked[numbers]), numbers


def _ends_now(navmesh: NavMesh, numbers: I64 | None = None, asked: Flags | None = None) -> LinkEnds:
    """Those of a navmesh as it is, whose links are made a table once."""
    table = link_table(navmesh.links)
    return link_ends(navmesh, walk_graph(navmesh, table), numbers, asked, table)


def link_ends(
    navmesh: NavMesh,
    graph: WalkGraph,
    numbers: I64 | None = None,
    asked: Flags | None = None,
    table: LinkTable | None = None,
) -> LinkEnds:
    """The ends of all links of a navmesh, as the tiles of its graph have them."""
    ends = LinkEnds(navmesh.links, numbers, asked, table)
    for data in graph.tiles:
        ends.read(data)
    for data in graph.tiles:
        ends.look(data, around=False)
    if not ends.all_land:
        for data in graph.tiles:
            ends.look(data)
    return ends


def _points(links: Sequence[Link]) -> F64:
    """(., 4) x and z of starts and ends."""
    return np.array([(*link.start[::2], *link.end[::2]) for link in links], np.float64).reshape(-1, 4)


def _same_grid(one: TileGrid | None, other: TileGrid) -> bool:
    """Whether there are the same tiles."""
    return (
        one is not None
        and [np.asarray(value).tolist() for value in one[:5]] == [np.asarray(value).tolist() for value in other[:5]]
        and one.cell_size == other.cell_size
    )


class _Marks:
    """Tiles of a grid, some of them marked."""

    def __init__(self, tile_grid: TileGrid) -> None:
        self.side = tile_grid.size * float(tile_grid.cell_size)
        self._origin = tile_grid.bounds_min[[0, 2]].astype(np.float64)
        self._marks = np.zeros((tile_grid.columns, tile_grid.rows), np.bool_)

    def is_marked(self, x: int, y: int) -> bool:
        return bool(self._marks[x, y])

    def mark(self, places: Iterable[Place]) -> None:
        """These."""
        for place in places:
            self._marks[place] = True

    def mark_around(self, points: F64, metres: float) -> None:
        """Those that come so near to a point."""
        for left, near, right, far in np.unique(np.concatenate(self._ranges(points, metres), axis=1), axis=0).tolist():
            self._marks[left:right, near:far] = True

    def grow(self) -> None:
        """The tiles around those that are marked are marked, too."""
        for axis in (0, 1):
            marks = np.moveaxis(self._marks, axis, 0)
            before = marks.copy()
            marks[1:] |= before[:-1]
            marks[:-1] |= before[1:]

    def touched_by(self, points: F64, metres: float) -> Flags:
        """Which points come so near to a tile that is marked."""
        sums = np.zeros(np.add(self._marks.shape, 1), np.int64)
        sums[1:, 1:] = self._marks.cumsum(axis=0).cumsum(axis=1)
        (left, near), (right, far) = (edges.T for edges in self._ranges(points, metres))
        count = sums[right, far] - sums[left, far] - sums[right, near] + sums[left, near]
        touched: Flags = count > 0
        return touched

    def _ranges(self, points: F64, metres: float) -> tuple[I64, I64]:
        """The first tile and the one beyond the last that come so near to each point."""
        away = points - self._origin
        low, high = (np.floor((away + shift) / self.side) for shift in (-metres, metres))
        first = np.clip(low, 0, self._marks.shape).astype(np.int64)
        return first, np.maximum(np.clip(high + 1, 0, self._marks.shape).astype(np.int64), first)
