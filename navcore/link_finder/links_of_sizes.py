"""Links of a navmesh for several sizes of agents: found for each on its own ground, with flags that keep others out.

A link that was found for one size is for all that are no wider and no higher than it: they fit wherever it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..agent_sizes import AgentSize, voxels_of_size
from ..build_warning import BuildWarning
from ..detour.queries.landed_ends import LinkedGround
from ..detour.queries.prune import tile_with
from ..geometry.tile_grid import TileGrid
from ..geometry.tile_key import TileKey
from ..result.navmesh import NavMesh, Tile
from ..surroundings.solid_matter import Field
from ..threads import Workers
from ..wide_links import LinkEdits, WideLink
from .edited import FINE, KeptState, checked_kept
from .find_links import FoundForOne, found_for_one
from .found_rows import FoundRows, same_tile

FieldOfSize = Callable[[bool], Field]  # what is solid; whether it is the last time that it is asked for
_WalkedTiles = Mapping[TileKey, tuple[Tile, Tile | None]]  # each tile, and what of it a size walks on


class RowsOfSizes(NamedTuple):
    """What was found for each size, and on what ground. It is never changed."""

    tile_grid: TileGrid | None
    tiles: Mapping[TileKey, Tile]
    rows: tuple[FoundRows, ...]
    grounds: tuple[_WalkedTiles, ...]


class LinksOfSizes(NamedTuple):
    """What was found, what there is to say about it, and what the next build of the level can take over."""

    links: tuple[WideLink, ...]
    warnings: list[BuildWarning]
    rows: RowsOfSizes
    ground: LinkedGround | None  # of the whole navmesh, where one size walks on all of it


def find_links_of_sizes(
    navmesh: NavMesh,
    field: FieldOfSize,
    edits: LinkEdits,
    workers: Workers,
    before: RowsOfSizes | None = None,
    touched: Iterable[TileKey] = (),
) -> LinksOfSizes:
    """The links of all sizes, the same for any number of threads; what `find_links` takes, and once for each size."""
    sizes, changed = navmesh.sizes, tuple(touched)
    if before is not None and len(before.rows) != len(sizes):
        before = None
    found, grounds, whole = list[FoundForOne](), list[_WalkedTiles](), None
    for number, size in enumerate(sizes):
        had = None if before is None else (before.rows[number], before.grounds[number])
        ground = _ground_of(navmesh, size, {} if had is None else had[1])
        own = _navmesh_on(navmesh, size, ground)
        taken = {wide.id for one in found for wide in one.made}
        is_last = number == len(sizes) - 1
        one = found_for_one(own, field(is_last), edits, workers, None if had is None else had[0], changed, taken)
        if all(tile is part for tile, part in ground.values()):
            whole = one.ground
        found.append(one)
        grounds.append(ground)
    kept, told = _kept_of(navmesh, edits.kept, [one.rows.kept for one in found])
    made = _without_doubles(navmesh, [one.made for one in found])
    warnings = list(dict.fromkeys(warning for one in found for warning in one.warnings))
    tiles = {tile.key: tile for tile in navmesh.tiles}
    rows = RowsOfSizes(navmesh.tile_grid, tiles, tuple(one.rows for one in found), tuple(grounds))
    return LinksOfSizes((*made, *kept), [*warnings, *told], rows, whole)


def _ground_of(navmesh: NavMesh, size: AgentSize, before: _WalkedTiles) -> _WalkedTiles:
    """The polygons that a size fits on. Tiles that have not changed are what they were."""
    ground: dict[TileKey, tuple[Tile, Tile | None]] = {}
    for tile in navmesh.tiles:
        had = before.get(tile.key)
        if had is not None and _is_same(had[0], tile):
            ground[tile.key] = had
            continue
        assert tile.too_small is not None, "tiles of a navmesh for several sizes know for whom each polygon is"
        fits = tile.too_small & size.exclude == 0
        ground[tile.key] = tile, tile if fits.all() else tile_with(tile, fits) if fits.any() else None
    return ground


def _is_same(one: Tile, other: Tile) -> bool:
    same = same_tile(one, other) and one.too_small is not None and other.too_small is not None
    return same and np.array_equal(one.too_small, other.too_small)  # type: ignore[arg-type]


def _navmesh_on(navmesh: NavMesh, size: AgentSize, ground: _WalkedTiles) -> NavMesh:
    """What a size walks on, with settings of its own."""
    tiles = tuple(part for _, part in ground.values() if part is not None)
    settings = replace(navmesh.settings, agent_radius=size.radius, agent_height=size.height)
    return replace(navmesh, tiles=tiles, settings=settings)


def _too_large(navmesh: NavMesh) -> list[int]:
    """For each size the flags of those that are wider or higher."""
    voxels = [voxels_of_size(navmesh.settings, size) for size in navmesh.sizes]
    return [
        sum(
            size.exclude
            for size, other in zip(navmesh.sizes, voxels, strict=True)
            if other.radius_vx > own.radius_vx or other.height_vx > own.height_vx
        )
        for own in voxels
    ]


def _without_doubles(navmesh: NavMesh, made: Sequence[Sequence[WideLink]]) -> list[WideLink]:
    """The links of all sizes with their flags; what is the same link for several is there once, for all of them."""
    links: dict[tuple[object, ...], tuple[WideLink, int]] = {}
    for own, too_large in zip(made, _too_large(navmesh), strict=True):
        for wide in own:
            first, keeps_out = links.get((wide.kind, wide.corners), (wide, too_large))
            links[wide.kind, wide.corners] = first, keeps_out & too_large
    return [with_flags_too(wide, keeps_out) for wide, keeps_out in links.values()]


def _kept_of(
    navmesh: NavMesh, kept: Sequence[WideLink], states: Sequence[Mapping[WideLink, KeptState]]
) -> tuple[list[WideLink], list[BuildWarning]]:
    """The links that are kept: each keeps out the sizes that cannot take it; where none can, it is told."""
    every = sum(size.exclude for size in navmesh.sizes)
    own, best = list[WideLink](), list[KeptState]()
    for wide in kept:
        keeps_out = sum(
            size.exclude for size, of_size in zip(navmesh.sizes, states, strict=True) if of_size[wide].state != FINE
        )
        best.append(min((of_size[wide] for of_size in states), key=lambda state: state.state))
        flags = wide.flags & ~every | keeps_out if keeps_out != every else wide.flags
        own.append(replace(wide, flags=flags))
    return checked_kept(own, best, np.zeros(3), navmesh.settings)


def with_flags_too(wide: WideLink, flags: int) -> WideLink:
    """The same link, and its points, with flags beside those that it has."""
    if not flags:
        return wide
    points = tuple(replace(point, flags=point.flags | flags) for point in wide.points)
    return replace(wide, flags=wide.flags | flags, points=points)
