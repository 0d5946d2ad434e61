"""The way in: the links of a finished navmesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..build_warning import BuildWarning
from ..geometry.tile_grid import TileGrid
from ..result.navmesh import NavMesh
from ..result.wide_links import LinkEdits, WideLink
from ..threads import Workers
from ..types import F64, I32, I64, Geometry, Grid, Heightfield
from .chains import Places, chains_of, fill_places, place_counts
from .doubles import says_something, widths_of
from .edited import checked_kept, without_those_near
from .finished_links import finished_links, in_order
from .ground import Ground, Walls, ground_of
from .landings import fill_landings, no_landings
from .matter import Matter, grid_of_level, matter_in_rows, matter_of
from .rules import Rules, rules_of
from .walking import new_search
from .wide import CHAIN, COLUMNS, wide_links

MOST_LINKS = 50_000
_COLUMNS_AT_ONCE = 4_000_000
_CHAINS_AT_LEAST, _PLACES_AT_LEAST = 16, 200  # a thread is not worth waking for fewer


class FoundLinks(NamedTuple):
    """What was found, and what there is to say about it."""

    links: tuple[WideLink, ...]
    warnings: list[BuildWarning]


def find_links(
    navmesh: NavMesh, geometry: Geometry, edits: LinkEdits, workers: Workers, solid: Heightfield | None = None
) -> FoundLinks:
    """The links along the edges of a navmesh built from these triangles, the same for any number of threads.

    `solid`: the spans of all columns, where they are known: those of a level in one piece.
    """
    settings, tile_grid = navmesh.settings, navmesh.tile_grid
    geometry = geometry._replace(area=np.zeros(len(geometry.triangles), np.uint8))  # nobody asks which
    rules, warnings = rules_of(settings, tile_grid)
    grid = grid_of_level(tile_grid, navmesh.tiles[0].polygon_mesh.grid)
    origin = grid.bounds_min.astype(np.float64)
    ground, walls = ground_of(navmesh, origin, (grid.width, grid.depth))
    places = np.array([(tile.x, tile.y) for tile in navmesh.tiles], np.int64)
    found, tiles = [np.zeros((0, COLUMNS))], [np.zeros((0, 2), np.int64)]
    for first, last in _strips(tile_grid, grid):
        matter = _matter_of(tile_grid, grid, geometry, (first, last), rules, navmesh, workers, solid)
        rows, owners = _in_strip(matter, rules, ground, _between(walls, places, first, last), workers)
        found.append(rows)
        tiles.append(places[owners])
    links, places = np.concatenate(found), np.concatenate(tiles)
    order = in_order(links, places)
    links, places = links[order], places[order]
    own = says_something(links, 2 * rules.radius) & without_those_near(links, origin, edits.rejected, rules, False)
    own &= without_those_near(links, origin, edits.kept, rules, True)
    own, more = _few_enough(links, own)
    warnings += more
    taken = {wide.id for wide in edits.kept}
    made = finished_links(links[own], places[own], origin, settings, taken)
    if edits.kept:
        matter = _matter_around(edits.kept, grid, geometry, rules, navmesh, workers)
        kept, more = checked_kept(edits.kept, matter, rules, ground, origin, settings)
        made, warnings = [*made, *kept], [*warnings, *more]
    return FoundLinks(tuple(made), warnings)


def _few_enough(links: F64, own: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], list[BuildWarning]]:
    """The widest links where there are more than are kept, and what to say then."""
    rows = np.flatnonzero(own)
    if len(rows) <= MOST_LINKS:
        return own, []
    order = np.argsort(-np.round(widths_of(links[rows]), 6), kind="stable")
    few = np.zeros(len(own), bool)
    few[rows[order[:MOST_LINKS]]] = True
    text = f"{len(rows):,} links were found; the {MOST_LINKS:,} widest were kept. Raise link_detour or cell_size."
    return few, [BuildWarning("LINKS_THINNED", text)]


def _strips(tile_grid: TileGrid | None, grid: Grid) -> list[tuple[int, int]]:
    """Rows of tiles that are looked at together: one where the level is in one piece."""
    if tile_grid is None:
        return [(0, 1)]
    rows = max(_COLUMNS_AT_ONCE // (grid.width * tile_grid.size), 1)
    return [(row, min(row + rows, tile_grid.rows)) for row in range(0, tile_grid.rows, rows)]


def _matter_of(
    tile_grid: TileGrid | None,
    grid: Grid,
    geometry: Geometry,
    rows: tuple[int, int],
    rules: Rules,
    navmesh: NavMesh,
    workers: Workers,
    solid: Heightfield | None,
) -> Matter:
    """What is solid around rows of tiles, as far as links from there reach."""
    climb_vx, reach = navmesh.settings.in_voxels().climb_vx, rules.reach_cells
    if solid is not None:
        return matter_of(solid, grid)
    if tile_grid is None:
        return matter_in_rows(grid, geometry, climb_vx, 0, grid.depth, workers)
    begin, end = (row * tile_grid.size for row in rows)
    return matter_in_rows(grid, geometry, climb_vx, max(begin - reach, 0), min(end + reach, grid.depth), workers)


def _matter_around(
    kept: Sequence[WideLink], grid: Grid, geometry: Geometry, rules: Rules, navmesh: NavMesh, workers: Workers
) -> Matter:
    """What is solid around links that are kept, however long they are."""
    along = np.array([wide.corners for wide in kept])[:, :, 2] - float(grid.bounds_min[2])
    margin = rules.radius + 2 * rules.cell
    rows = (along.min() - margin) / rules.cell, (along.max() + margin) / rules.cell + 1
    begin, end = (int(np.clip(row, 0, grid.depth - 1)) for row in rows)
    return matter_in_rows(grid, geometry, navmesh.settings.in_voxels().climb_vx, begin, end + 1, workers)


def _between(walls: Walls, places: I64, first: int, last: int) -> Walls:
    """The walls of the tiles in rows first:last."""
    row = places[walls.tile, 1]
    inside = (row >= first) & (row < last)
    return Walls(*(part[inside] for part in walls))


def _in_strip(matter: Matter, rules: Rules, ground: Ground, walls: Walls, workers: Workers) -> tuple[F64, I32]:
    """The links from these walls, and the tile of each."""
    chains = chains_of(walls)
    first = place_counts(walls, chains, rules.spacing)
    count, chain_count = int(first[-1]), len(first) - 1
    places = Places(
        first, np.zeros((count, 3)), np.zeros((count, 2, 2)), np.zeros((count, 2)), np.zeros(count, np.int32),
        np.zeros(count),
    )  # fmt: skip
    by_chains = workers.bands(chain_count, _CHAINS_AT_LEAST)
    workers.run(fill_places, [(matter, rules, ground, walls, chains, places, *band) for band in by_chains])
    landings, polygons = no_landings(count), len(ground.part)
    bands = workers.bands(count, _PLACES_AT_LEAST)
    workers.run(
        fill_landings,
        [(matter, rules, ground, places, landings, new_search(polygons), *band) for band in bands],
    )
    found = workers.run(wide_links, [(matter, rules, ground, places, landings, *band) for band in by_chains])
    links = np.concatenate(found)
    return links, walls.tile[chains.walls[chains.first[links[:, CHAIN].astype(np.int64)]]]
