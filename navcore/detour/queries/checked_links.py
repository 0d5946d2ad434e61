"""The links of a finished navmesh looked at as Detour attaches them: which fail, told, and which files are to hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress, repeat
from operator import is_
from typing import NamedTuple

import numpy as np

from ...build_warning import BuildWarning
from ...errors import NavmeshError
from ...geometry.tile_grid import TileGrid
from ...geometry.tile_key import TileKey, keys_of_others
from ...result.navmesh import NavMesh, Tile, tiles_by_key, with_same_tiles
from ...scene import Link
from ...types import F64, I64, Bools
from ...wide_links import WideLink, called
from ..link_ends import REACH, LinkEnds, kept_warning, link_warnings
from ..off_mesh_links import LinkTable, link_table
from ..tile_data import Agent
from .landed_ends import (
    UNKNOWN,
    Ends,
    LinkedGround,
    failing_by_landing,
    have_room,
    left_after,
    numbers_of,
    where_points_are,
)
from .walk_graph import WalkGraph, walk_graph

# --- Which links are attached, taken over from the navmesh before where nothing near them has changed.
#
# The tile in which a link starts stores it, and has room for so many links; those around it take its room, too. So what
# became of a link depends on that tile and the eight around it, and on the tile in which it ends; what is said of one
# that fails on ground within REACH of both ends.

_SLACK = 0.1  # metres: borders of tiles are rounded


class KnownEnds(NamedTuple):
    """What became of links, and on which tiles."""

    links: tuple[Link, ...]
    points: F64  # (., 4) x and z of starts and ends
    failing: Bools  # (., 2)
    tile_grid: TileGrid | None
    tiles: Mapping[TileKey, Tile]
    ends: Ends
    has_room: bool  # there is surely a link left for each end in every tile: they fail for want of ground alone


def known_ends(navmesh: NavMesh, before: KnownEnds | None, ground: LinkedGround | None = None) -> KnownEnds:
    """Which ends of the links of a navmesh fail; those that nothing has changed for are taken over.

    `ground`: the tiles around what has changed, where somebody has linked them.
    """
    if before is not None and not _same_grid(before.tile_grid, navmesh.tile_grid):
        before = None
    known, had = _taken_over(navmesh, before, ground)
    failing, changed = known.failing, keys_of_others({} if before is None else before.tiles, known.tiles)
    if ground is not None and known.has_room and (before is None or before.has_room):
        asked = had < 0 if before is None else (had < 0) | known.ends.are_in(changed)
        landed = _landed(navmesh, known, asked, ground)
        if landed is not None:
            failing[asked] = landed
            return known
    if before is None or navmesh.tile_grid is None:
        return known._replace(failing=_ends_now(navmesh).failing())
    gone = np.ones(len(before.links), bool)
    gone[had[had >= 0]] = False
    grid = _Marks(navmesh.tile_grid)
    grid.mark(changed)
    grid.mark_around(np.concatenate([known.points[had < 0], before.points[gone]]).reshape(-1, 2), _SLACK)
    grid.grow()
    asked = (had < 0) | grid.touched_by(known.points.reshape(-1, 2), _SLACK).reshape(-1, 2).any(axis=1)
    some, numbers = ends_of_some(navmesh, known.points, asked, 0.0, changed)
    failing[asked] = some.failing()[asked[numbers]]
    return known


def _taken_over(navmesh: NavMesh, before: KnownEnds | None, ground: LinkedGround | None) -> tuple[KnownEnds, I64]:
    """What is known before anything is looked at, and the number that each link had before, -1 for none."""
    links, tile_grid, tiles = navmesh.links, navmesh.tile_grid, tiles_by_key(navmesh)
    columns, rows = (1, 1) if tile_grid is None else (tile_grid.columns, tile_grid.rows)
    links_left, has_tile = np.full(columns * rows, UNKNOWN), np.zeros(columns * rows, bool)
    has_tile[numbers_of(tiles, columns)] = True
    if before is None or not before.links:
        had, points, failing = np.full(len(links), -1), _from_above(links), np.ones((len(links), 2), bool)
        where = where_points_are(points.reshape(-1, 2), tile_grid, navmesh.tiles).reshape(-1, 2)
    else:
        had = _numbers_before(before.links, links)
        points, failing, where = before.points[had], before.failing[had], before.ends.where[had]
        new = np.flatnonzero(had < 0)
        points[new], failing[new] = _from_above([links[number] for number in new.tolist()]), True
        where[new] = where_points_are(points[new].reshape(-1, 2), tile_grid, navmesh.tiles).reshape(-1, 2)
    if before is not None:
        links_left = left_after(before.ends.links_left, columns, before.tiles, tiles)
    if ground is not None:
        links_left[numbers_of(ground.links_left, columns)] = [*ground.links_left.values()]
    ends = Ends(where, links_left, has_tile, columns)
    return KnownEnds(links, points, failing, tile_grid, tiles, ends, have_room(ends, len(tiles))), had


def _from_above(links: Sequence[Link]) -> F64:
    """(., 4) x and z of starts and ends."""
    return np.array([(*link.start[::2], *link.end[::2]) for link in links], np.float64).reshape(-1, 4)


def _numbers_before(before: Sequence[Link], now: Sequence[Link]) -> I64:
    """The number that each link had, -1 for none. Links are told by the object, and most are where they were."""
    front = _alike(before, now)
    back = min(_alike(before[::-1], now[::-1]), len(now) - front, len(before) - front)
    then, end = len(before) - back, len(now) - back
    had = np.arange(len(now))
    had[end:] += len(before) - len(now)
    if front < end:
        rows = dict(zip(map(id, before[front:then]), range(front, then), strict=True))
        had[front:end] = [*map(rows.get, map(id, now[front:end]), repeat(-1))]
    return had


def _alike(one: Sequence[Link], other: Sequence[Link]) -> int:
    """How many are the same at the beginning of both."""
    same = bytes(map(is_, one, other)).find(0)
    return same if same >= 0 else min(len(one), len(other))


def known_of_those_left(known: KnownEnds, navmesh: NavMesh, is_left: Bools) -> KnownEnds | None:
    """The same of a navmesh without some of the links; None where that may change what became of the others.

    Where every tile has room for its links, before and after, it does not.
    """
    ends = known.ends.of_rows(is_left)
    if not (known.has_room and have_room(ends, len(known.tiles))):
        return None
    return known._replace(
        links=navmesh.links,
        points=known.points[is_left],
        failing=known.failing[is_left],
        ends=ends,
    )


def _landed(navmesh: NavMesh, known: KnownEnds, asked: Bools, ground: LinkedGround) -> Bools | None:
    """What landing tells of the links that are asked about; None where it does not tell enough.

    Links that somebody gave are told about where they fail: these are looked at as Detour does it.
    """
    numbers = np.flatnonzero(asked)
    table = link_table([navmesh.links[number] for number in numbers.tolist()])
    failing = failing_by_landing(navmesh.settings, known.tiles, known.ends.of_rows(numbers), table, ground)
    if failing is None or failing[numbers < len(navmesh.given_links)].any():
        return None
    return failing


def ends_of_some(
    navmesh: NavMesh, points: F64, asked: Bools, reach: float = REACH, also: Iterable[TileKey] = ()
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
    tiles = tuple(tile for tile in navmesh.tiles if grid.is_marked(tile.key))
    numbers = np.flatnonzero(grid.touched_by(points.reshape(-1, 2), _SLACK).reshape(-1, 2).any(axis=1) | asked)
    part = replace(navmesh, tiles=tiles, links=tuple(navmesh.links[number] for number in numbers.tolist()))
    return _ends_now(part, numbers, asked[numbers]), numbers


def _ends_now(navmesh: NavMesh, numbers: I64 | None = None, asked: Bools | None = None) -> LinkEnds:
    """Those of a navmesh as it is, whose links are made a table once."""
    table = link_table(navmesh.links)
    return link_ends(navmesh, walk_graph(navmesh, table), numbers, asked, table)


def link_ends(
    navmesh: NavMesh,
    graph: WalkGraph,
    numbers: I64 | None = None,
    asked: Bools | None = None,
    table: LinkTable | None = None,
) -> LinkEnds:
    """The ends of all links of a navmesh, as the tiles of its graph have them."""
    ends = LinkEnds(navmesh.links, numbers, asked, table)
    ends.by_hand = navmesh.by_hand
    for data in graph.tiles:
        ends.read(data)
    for data in graph.tiles:
        ends.look(data, around=False)
    if not ends.all_land:
        for data in graph.tiles:
            ends.look(data)
    return ends


def _same_grid(one: TileGrid | None, other: TileGrid | None) -> bool:
    """Whether there are the same tiles."""
    return (
        one is not None
        and other is not None
        and [np.asarray(value).tolist() for value in one[:5]] == [np.asarray(value).tolist() for value in other[:5]]
        and one.cell_size == other.cell_size
        and one.scaled == other.scaled
    )


class _Marks:
    """Tiles of a grid, some of them marked."""

    def __init__(self, tile_grid: TileGrid) -> None:
        self.side = tile_grid.size * float(tile_grid.cell_size)
        self._origin = tile_grid.bounds_min[[0, 2]].astype(np.float64)
        self._marks = np.zeros((tile_grid.columns, tile_grid.rows), np.bool_)

    def is_marked(self, key: TileKey) -> bool:
        return bool(self._marks[key.place])

    def mark(self, places: Iterable[TileKey]) -> None:
        """These."""
        for place in places:
            self._marks[place.place] = True

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

    def touched_by(self, points: F64, metres: float) -> Bools:
        """Which points come so near to a tile that is marked."""
        sums = np.zeros(np.add(self._marks.shape, 1), np.int64)
        sums[1:, 1:] = self._marks.cumsum(axis=0).cumsum(axis=1)
        (left, near), (right, far) = (edges.T for edges in self._ranges(points, metres))
        count = sums[right, far] - sums[left, far] - sums[right, near] + sums[left, near]
        touched: Bools = count > 0
        return touched

    def _ranges(self, points: F64, metres: float) -> tuple[I64, I64]:
        """The first tile and the one beyond the last that come so near to each point."""
        away = points - self._origin
        low, high = (np.floor((away + shift) / self.side) for shift in (-metres, metres))
        first = np.clip(low, 0, self._marks.shape).astype(np.int64)
        return first, np.maximum(np.clip(high + 1, 0, self._marks.shape).astype(np.int64), first)


_CODES = ("LINK_UNATTACHED", "LINKS_NOT_CHECKED")
_ATTACHED = False, False


def with_checked_links(navmesh: NavMesh, before: WalkGraph | None = None, known: KnownEnds | None = None) -> NavMesh:
    """The same navmesh: its `failing_ends` known, its report with a warning for each link that is not attached.

    `before`: its graph before ground was left out. What the report said of links then is replaced. `known`: which ends
    fail, where somebody has found out.
    """
    report = navmesh.report
    report.warnings = [warning for warning in report.warnings if warning.code not in _CODES]
    if not navmesh.links:
        return replace(navmesh, failing_ends=())
    try:
        known = known or known_ends(navmesh, None)
        asked = known.failing.any(axis=1)
        if asked.any():
            now, then, _ = _ends_told(navmesh, known, asked, before)
            report.warnings += link_warnings(now, _climb(navmesh), then)
    except NavmeshError as reason:
        text = f"Which links are attached to nothing cannot be told: {reason}"
        report.warnings.append(BuildWarning("LINKS_NOT_CHECKED", text))
        return replace(navmesh, failing_ends=())
    failing_ends = [_ATTACHED] * len(known.failing)
    for number in np.flatnonzero(asked).tolist():
        start, end = known.failing[number].tolist()
        failing_ends[number] = start, end
    return replace(navmesh, failing_ends=tuple(failing_ends))


def with_attached_links(
    navmesh: NavMesh, before: WalkGraph | None = None, ground: LinkedGround | None = None
) -> NavMesh:
    """The same, without the points of links that were found and would be attached to nothing; counted in the report.

    A link that somebody keeps stays without points where none of them is attached, with a warning that names it. What
    `NavMesh.known_ends` has of links that nothing has changed for is taken over. `ground`: what links were found on.
    """
    if not navmesh.links:
        return replace(with_checked_links(navmesh), known_ends=None)
    had = [known if isinstance(known, KnownEnds) else None for known in navmesh.known_ends or (None, None)]
    try:
        first = last = known_ends(navmesh, had[0], ground)
        attached, bare = _without_loose_points(navmesh, first)
        if attached is not navmesh:
            is_left = ~first.failing.any(axis=1) | (np.arange(len(navmesh.links)) < len(navmesh.given_links))
            last = known_of_those_left(first, attached, is_left) or known_ends(attached, had[1] or first)
        navmesh.report.warnings += _told_of_kept(navmesh, first, bare, before)
    except NavmeshError:  # which is told there
        return replace(with_checked_links(navmesh), known_ends=None)
    return replace(with_checked_links(attached, before, last), known_ends=(first, last))


def _without_loose_points(navmesh: NavMesh, known: KnownEnds) -> tuple[NavMesh, dict[int, WideLink]]:
    """The same navmesh where all points of links that were found are attached.

    And the links that are kept and have no point left, by the number that the middle one of their points had.
    """
    given = len(navmesh.given_links)
    loose = known.failing[given:].any(axis=1)
    if not loose.any():
        return navmesh, {}
    ends = np.cumsum([len(wide.points) for wide in navmesh.wide_links])
    left, bare = list[WideLink | None](navmesh.wide_links), dict[int, WideLink]()
    for number in np.unique(np.searchsorted(ends, np.flatnonzero(loose), side="right")).tolist():
        wide, end = navmesh.wide_links[number], int(ends[number])
        begin = end - len(wide.points)
        points = tuple(compress(wide.points, (~loose[begin:end]).tolist()))
        stays = points or wide.id in navmesh.kept_links
        left[number] = replace(wide, points=points) if stays else None
        if not points and wide.id in navmesh.kept_links:
            bare[given + begin + len(wide.points) // 2] = wide
    counts = navmesh.report.counts
    counts["links_unattached"] = counts.get("links_unattached", 0) + int(loose.sum())
    links = (*navmesh.links[:given], *compress(navmesh.links[given:], (~loose).tolist()))
    wide_links = tuple([wide for wide in left if wide is not None])
    return with_same_tiles(navmesh, wide_links=wide_links, links=links), bare


def _told_of_kept(
    navmesh: NavMesh, known: KnownEnds, bare: dict[int, WideLink], before: WalkGraph | None
) -> list[BuildWarning]:
    """What there is to say of links that are kept and have no point left."""
    if not bare:
        return []
    asked = np.zeros(len(navmesh.links), bool)
    asked[list(bare)] = True
    now, then, numbers = _ends_told(navmesh, known, asked, before)
    rows, climb = np.searchsorted(numbers, list(bare)).tolist(), _climb(navmesh)
    return [kept_warning(now, row, called(wide), climb, then) for row, wide in zip(rows, bare.values(), strict=True)]


def _ends_told(
    navmesh: NavMesh, known: KnownEnds, asked: Bools, before: WalkGraph | None
) -> tuple[LinkEnds, LinkEnds | None, I64]:
    """What tiles say of the links that are asked about, now and before, and the numbers of the links that it has."""
    if before is None:
        now, numbers = ends_of_some(navmesh, known.points, asked)
        return now, None, numbers
    then = link_ends(navmesh, before)
    then.is_dropped = navmesh.before_drops is not None
    return link_ends(navmesh, walk_graph(navmesh)), then, np.arange(len(asked))


def _climb(navmesh: NavMesh) -> float:
    return float(Agent.of(navmesh.settings).max_climb)


def joined_links(navmesh: NavMesh) -> tuple[Link, ...]:
    """What runtime data is to hold: links that were given, and those points of wide links that Detour really joins."""
    given = len(navmesh.given_links)
    fails = navmesh.failing_ends or ((False, False),) * len(navmesh.links)  # not known: all are tried
    return tuple(link for row, link in enumerate(navmesh.links) if row < given or not any(fails[row]))
