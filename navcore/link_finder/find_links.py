"""The way in: the links of a finished navmesh, or of one that was edited, where only those in reach are found anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..build_warning import BuildWarning
from ..detour.queries.landed_ends import LinkedGround, PolygonBuckets
from ..geometry.tile_grid import TileGrid
from ..geometry.tile_key import TileKey, tiles_beside
from ..result.navmesh import NavMesh, tiles_by_key
from ..surroundings.solid_matter import CellWindow, Field, Matter, tiles_in
from ..surroundings.walkable_ground import Ground, WallEdges, ground_of
from ..surroundings.wall_chains import Chains, chains_of, place_counts
from ..threads import Workers
from ..types import F64, I32, Bools, Grid
from ..wide_links import LinkEdits, WideLink
from .along_walls import links_along_walls
from .doubles import says_something, widths_of
from .edited import FINE, NOWHERE, KeptState, checked_kept, state_of_kept, without_those_near
from .finished_links import finished_links, in_order
from .found_rows import (
    FoundRows,
    grown,
    places_that_changed,
    reach_in_cells,
    those_touching,
    window_of_tile,
    windows_of_walls,
)
from .rules import LinkRules, rules_of
from .wide import CHAIN

MAX_LINKS = 50_000
_COLUMNS_AT_ONCE = 4_000_000
_MIN_PLACES = 200  # a thread is not worth waking for fewer


class FoundLinks(NamedTuple):
    """What was found, what there is to say about it, and what the next build of the level can take over."""

    links: tuple[WideLink, ...]
    warnings: list[BuildWarning]
    rows: FoundRows
    ground: LinkedGround | None  # what was looked at for them; None where there was none


def find_links(
    navmesh: NavMesh,
    field: Field,
    edits: LinkEdits,
    workers: Workers,
    before: FoundRows | None = None,
    touched: Iterable[TileKey] = (),
) -> FoundLinks:
    """The links along the edges of a navmesh, the same for any number of threads.

    `field` is what is solid in the level. `before`: what was found on a navmesh of which this one has all tiles but
    some that it can tell by itself, and those that were `touched`. The result is the same without.
    """
    one = found_for_one(navmesh, field, edits, workers, before, touched)
    origin, states = field.grid.bounds_min.astype(np.float64), [one.rows.kept[wide] for wide in edits.kept]
    kept, more = checked_kept(edits.kept, states, origin, navmesh.settings)
    return FoundLinks((*one.made, *kept), [*one.warnings, *more], one.rows, one.ground)


class FoundForOne(NamedTuple):
    """What was found for one size of agents: FoundLinks, but for links that are kept."""

    made: list[WideLink]
    warnings: list[BuildWarning]
    rows: FoundRows
    ground: LinkedGround | None


def found_for_one(
    navmesh: NavMesh, field: Field, edits: LinkEdits, workers: Workers, before: FoundRows | None = None,
    touched: Iterable[TileKey] = (), taken: Iterable[int] = (),
) -> FoundForOne:  # fmt: skip
    """What `find_links` finds: without the links that are kept, whose states are in its rows.

    Those that this size can take stand in the place of what is found there. Ids that are `taken` are not given.
    """
    settings, origin = navmesh.settings, field.grid.bounds_min.astype(np.float64)
    rules, warnings = rules_of(settings, navmesh.tile_grid)
    found, ground = _found_rows(navmesh, field, edits.kept, rules, workers, before, touched)
    by_tile, links = found.all_rows()
    own = says_something(links, 2 * rules.radius) & without_those_near(links, origin, edits.rejected, rules, False)
    stands = edits.kept
    if navmesh.sizes:
        stands = tuple(wide for wide in edits.kept if found.kept[wide].state == FINE)
    own &= without_those_near(links, origin, stands, rules, True)
    own, more = _few_enough(links, own)
    had = before.made if before is not None and before.settings == settings else None
    ids = {wide.id for wide in edits.kept}.union(taken)
    made, known = finished_links(by_tile, own, origin, settings, ids, had)
    return FoundForOne(made, [*warnings, *more], found._replace(made=known, settings=settings), ground)


def _few_enough(links: F64, own: Bools) -> tuple[Bools, list[BuildWarning]]:
    """The widest links where there are more than are kept, and what to say then."""
    rows = np.flatnonzero(own)
    if len(rows) <= MAX_LINKS:
        return own, []
    order = np.argsort(-np.round(widths_of(links[rows]), 6), kind="stable")
    few = np.zeros(len(own), bool)
    few[rows[order[:MAX_LINKS]]] = True
    text = f"{len(rows):,} links were found; the {MAX_LINKS:,} widest were kept. Raise link_detour or cell_size."
    return few, [BuildWarning("LINKS_THINNED", text)]


# --- tile by tile


class _Found(NamedTuple):
    """What was found on some tiles, as FoundRows has it, and on what ground."""

    rows: dict[TileKey, F64]
    walls: dict[TileKey, CellWindow]
    kept: dict[WideLink, KeptState]
    unlinked: int
    ground: LinkedGround | None


def _found_rows(
    navmesh: NavMesh,
    field: Field,
    kept: Sequence[WideLink],
    rules: LinkRules,
    workers: Workers,
    before: FoundRows | None,
    touched: Iterable[TileKey],
) -> tuple[FoundRows, LinkedGround | None]:
    """The rows of all tiles, those taken over of which nothing in reach has changed; and the ground around others."""
    tile_grid, tiles = navmesh.tile_grid, tiles_by_key(navmesh)
    changed = None if before is None else places_that_changed(before, navmesh, rules, touched)
    if before is None or changed is None or tile_grid is None:
        whole = _found_on(navmesh, field, set(tiles), kept, rules, workers)
        return FoundRows(rules, tile_grid, tiles, whole.rows, whole.walls, whole.kept, whole.unlinked), whole.ground
    reach, beside = reach_in_cells(rules), tiles_beside(changed)
    again = beside.union(those_touching(before.walls, reach, changed, tile_grid)) & tiles.keys()
    kept_again = [
        wide
        for wide in kept
        if wide not in before.kept or tiles_in([_window_of(wide, field.grid, rules)], tile_grid) & changed
    ]
    windows = [
        grown(window_of_tile(place, tile_grid) if place in beside else before.walls[place], reach) for place in again
    ]
    windows += [_window_of(wide, field.grid, rules) for wide in kept_again]
    needed = tiles_in(windows, tile_grid) | tiles_beside(again)
    part = replace(navmesh, tiles=tuple([tile for key, tile in tiles.items() if key in needed]))
    found = _found_on(part, field, again, kept_again, rules, workers)
    if found.unlinked:
        return _found_rows(navmesh, field, kept, rules, workers, None, ())
    rows, walls = {**before.rows}, {**before.walls}
    for place in again.union(before.walls.keys() - tiles.keys()):
        rows.pop(place, None)
        walls.pop(place, None)
    rows.update(found.rows)
    walls.update(found.walls)
    states = {wide: found.kept[wide] if wide in found.kept else before.kept[wide] for wide in kept}
    return FoundRows(rules, tile_grid, tiles, rows, walls, states, 0), found.ground


def _found_on(
    navmesh: NavMesh, field: Field, wanted: set[TileKey], kept: Sequence[WideLink], rules: LinkRules, workers: Workers
) -> _Found:
    """What is found in the tiles that are wanted, and what became of links that are kept."""
    if not navmesh.tiles:
        return _Found({}, {}, dict.fromkeys(kept, NOWHERE), 0, None)
    grid, places = field.grid, [*tiles_by_key(navmesh)]
    origin = grid.bounds_min.astype(np.float64)
    whole = ground_of(navmesh, origin, (grid.width, grid.depth))
    ground, walls = whole.ground, _of_tiles(whole.walls, places, wanted)
    around, rows = windows_of_walls(walls, places, rules.cell), dict[TileKey, F64]()
    for strip in _strips(navmesh.tile_grid, grid, around):
        windows = [grown(around[place], rules.reach_cells) for place in strip]
        if navmesh.tile_grid is not None:
            field.passed(min(window.near for window in windows) // navmesh.tile_grid.size)
        links, owners = _in_strip(field.around(windows), rules, ground, _of_tiles(walls, places, strip), workers)
        rows.update(_by_tile(links, owners, places))
    states: dict[WideLink, KeptState] = {}
    for wide in kept:
        matter = field.around([_window_of(wide, grid, rules)])
        states[wide] = state_of_kept(wide, matter, rules, ground, origin)
    buckets = PolygonBuckets(
        whole.first_polygon, ground.bucket_first, ground.bucket, ground.columns, ground.rows, ground.side, origin
    )
    linked = LinkedGround.of(navmesh.tiles, (whole.tiles, whole.first), buckets, whole.links_left, wanted)
    return _Found(rows, around, states, whole.unlinked, linked)


def _by_tile(links: F64, owners: I32, places: Sequence[TileKey]) -> Mapping[TileKey, F64]:
    """Rows that were found together, each tile's sorted."""
    if len(links) == 0:
        return {}
    order = in_order(links, owners, np.array(places, np.int64))
    links = links[order]
    if len(places) == 1:
        return {places[0]: links}
    owners = owners[order]
    starts = [0, *(np.flatnonzero(owners[1:] != owners[:-1]) + 1).tolist(), len(owners)]
    return {places[owners[begin]]: links[begin:end] for begin, end in pairwise(starts)}


def _strips(tile_grid: TileGrid | None, grid: Grid, places: Iterable[TileKey]) -> Iterator[set[TileKey]]:
    """Tiles whose links are found together: some rows of them."""
    if tile_grid is None:
        yield {*places}
        return
    rows, left = max(_COLUMNS_AT_ONCE // (grid.width * tile_grid.size), 1), {*places}
    while left:
        first = min(place.y for place in left)
        strip = {place for place in left if place.y < first + rows}
        yield strip
        left -= strip


def _window_of(wide: WideLink, grid: Grid, rules: LinkRules) -> CellWindow:
    """What is looked at around a link that is kept, however long it is."""
    corners = (np.array(wide.corners, np.float64) - grid.bounds_min)[:, [0, 2]]
    margin = max(rules.ledge_reach, rules.radius) + 2 * rules.cell
    cells = np.floor([(corners.min(axis=0) - margin) / rules.cell, (corners.max(axis=0) + margin) / rules.cell])
    (left, near), (right, far) = np.clip(cells, 0, [grid.width - 1, grid.depth - 1]).astype(int).tolist()
    return CellWindow(left, near, right + 1, far + 1)


def _of_tiles(walls: WallEdges, places: Sequence[TileKey], wanted: set[TileKey]) -> WallEdges:
    """The walls of these tiles."""
    if wanted.issuperset(places):
        return walls
    inside = np.array([place in wanted for place in places], bool)[walls.tile]
    return WallEdges(*(part[inside] for part in walls))


def _in_strip(matter: Matter, rules: LinkRules, ground: Ground, walls: WallEdges, workers: Workers) -> tuple[F64, I32]:
    """The links from these walls, and the tile of each."""
    chains = chains_of(walls)
    bands = _shares(walls, chains, rules, workers)
    found = workers.run(links_along_walls, [(matter, rules, ground, walls, chains, *band) for band in bands])
    links = np.concatenate(found)
    return links, walls.tile[chains.walls[chains.first[links[:, CHAIN].astype(np.int64)]]]


def _shares(walls: WallEdges, chains: Chains, rules: LinkRules, workers: Workers) -> list[tuple[int, int]]:
    """Chains for each thread, of about as many places."""
    count = len(chains.first) - 1
    if workers.count == 1 or count < 2:
        return [(0, count)]
    first = place_counts(walls, chains, rules.spacing)
    cuts = [cut for cut, _ in workers.bands(int(first[-1]), _MIN_PLACES)]
    numbers = sorted({*np.searchsorted(first, cuts).tolist(), count})
    return [*pairwise(numbers)]
