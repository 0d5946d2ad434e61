"""The tiles of a built navmesh as they are linked, and what of them changes when the navmesh is built again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import is_
from typing import TypeAlias

import numpy as np

from ..detour.byte_layout import HEADER, NO_LINK, header_of
from ..detour.doors import data_of_tile
from ..detour.limits import check_bits, check_settings, check_tile_count
from ..detour.link_order import replace_all_in_order
from ..detour.off_mesh_links import LinkTable, link_table
from ..detour.polygon_references import SetParameters, Slots, solo_parameters, tiled_parameters
from ..detour.tile_data import Agent
from ..detour.tile_links import LinkedTile, Linker
from ..geometry.tile_key import TileKey
from ..result.navmesh import LiveTile, LiveTiles, NavMesh, Tile
from ..types import U8
from .mesh_in_tiles import NamedTile, TileChange

_TOP = slice(HEADER.itemsize - 12, HEADER.itemsize - 8)  # how high the level is: bytes of a tile
_NEAR = 0.01  # metres: an end that lies so near to a tile's border may count for the tile beside it


class FollowedTiles:
    """Tiles with their links and references, as a `.bin` of this navmesh holds them. Recast: dtNavMesh."""

    def __init__(self, navmesh: NavMesh, above: int = 0) -> None:
        """`above`: all references are higher than this one."""
        check_settings(navmesh.settings)
        check_tile_count(len(navmesh.tiles), navmesh.tile_grid)
        self._navmesh, self._table = navmesh, link_table(navmesh.links)
        data = [self._data(navmesh, tile) for tile in navmesh.tiles]
        self.parameters = _parameters(navmesh, data)
        salt = (above >> self.parameters.tile_bits + self.parameters.polygon_bits) + 1
        self._slots, self._linker = Slots(self.parameters, salt), Linker()
        self._is_behind = False  # headers do not say yet how high the level is
        self._linked: dict[TileKey, LinkedTile] = {}
        for slot, (tile, its) in enumerate(zip(navmesh.tiles, data, strict=True)):
            self._check(slot, its, tile)
            reference = self._slots.take()
            assert reference is not None  # there are slots for all
            self._linked[tile.key] = self._linker.add(its, reference)

    def tiles(self) -> list[NamedTile]:
        """All of them, in the order of the navmesh."""
        self._catch_up()
        return [_named(self._linked[tile.key]) for tile in self._navmesh.tiles]

    def follow(self, navmesh: NavMesh) -> TileChange | None:
        """What of the tiles has to change for them to be those of another build; None: all of it.

        Links are in the order of a fresh build afterwards. Raises TooLarge before anything is changed.
        """
        if not self._is_alike(navmesh):
            return None
        table = self._table if _same_links(self._navmesh, navmesh) else link_table(navmesh.links)
        raised, alone = list[Tile](), len(self._table.points) + len(table.points) == 0  # else links may land elsewhere
        pairs = _changed(self._navmesh.tiles, navmesh.tiles, raised if alone else None)
        if alone:
            others = [tile for old, tile in pairs.values() if old and tile and _only_raised(old, tile)]
            for tile in others:
                del pairs[tile.key]
            raised += others
        else:
            self._catch_up()
        wanted = {key: tile for key, (_, tile) in pairs.items()}
        if table is not self._table:
            touched = self._with_ends(_changed_ends(self._table, table))
            wanted = {**{tile.key: tile for tile in navmesh.tiles if tile.key in touched}, **wanted}
        before, self._table = self._table, table
        try:
            check_tile_count(len(navmesh.tiles), navmesh.tile_grid)
            made = {key: None if tile is None else self._data(navmesh, tile) for key, tile in wanted.items()}
            for key, data in made.items():
                if data is not None:
                    self._check(self.parameters.most_tiles - 1, data, wanted[key])
        except BaseException:
            self._table = before
            raise
        self._navmesh = navmesh
        return self._replaced(made, raised)

    def _is_alike(self, navmesh: NavMesh) -> bool:
        before = self._navmesh
        if navmesh.tile_grid is None or before.tile_grid is None:
            return False
        old, new = tiled_parameters(before.tile_grid), tiled_parameters(navmesh.tile_grid)
        return (
            old.origin.tobytes() == new.origin.tobytes() and old[1:] == new[1:]
            and Agent.of(before.settings) == Agent.of(navmesh.settings) and before.area_types == navmesh.area_types
        )  # fmt: skip

    def _data(self, navmesh: NavMesh, tile: Tile) -> U8:
        """A tile without its links."""
        return data_of_tile(tile, Agent.of(navmesh.settings), self._table, navmesh.area_types)

    def _check(self, slot: int, data: U8, tile: Tile | None) -> None:
        where = "" if tile is None else f"Tile ({tile.x}, {tile.y})"
        check_bits(self.parameters, slot, int(header_of(data)["polygons"][0]), where)

    def _with_ends(self, places: Iterable[tuple[float, float]]) -> set[TileKey]:
        """The tiles in which links begin or end, or hard by."""
        origin, parameters, found = self.parameters.origin, self.parameters, set()
        for x, z in places:
            for dx in (-_NEAR, _NEAR):
                for dz in (-_NEAR, _NEAR):
                    column = np.floor((x + dx - float(origin[0])) / float(parameters.tile_width))
                    row = np.floor((z + dz - float(origin[2])) / float(parameters.tile_depth))
                    found.add(TileKey(int(column), int(row)))
        return found

    def _replaced(self, made: dict[TileKey, U8 | None], raised: Sequence[Tile]) -> TileChange:
        gone = [self._linked.pop(key) for key in made if key in self._linked]
        for before in gone:
            self._slots.give_back(int(before.base))
        given: dict[TileKey, tuple[U8, int] | None] = {}
        for key, data in made.items():
            given[key] = None
            if data is not None:
                reference = self._slots.take()
                assert reference is not None  # there are slots for all
                given[key] = data, reference
        new, around = replace_all_in_order(self._linker, given)
        self._linked.update(new)
        # Where a list of links is full, now or before, a fresh build may leave out others.
        if any(tile.free[0] == NO_LINK for tile in (*gone, *new.values(), *around.values())):
            self._link_all()
            around = {key: tile for key, tile in self._linked.items() if key not in made}
        self._is_behind |= len(raised) > 0
        bases = np.array([self._linked[tile.key].base for tile in raised], np.int64)
        tops = bases, np.array([tile.polygon_mesh.grid.bounds_max[1] for tile in raised], np.float32)
        put = [_named(self._linked[key]) for key in new]
        return TileChange([int(tile.base) for tile in gone], put, [_named(tile) for tile in around.values()], tops)

    def _catch_up(self) -> None:
        """Say in the header of each tile how high the level is: where it grows these are all, and few are looked at."""
        if self._is_behind:
            for tile in self._navmesh.tiles:
                top = tile.polygon_mesh.grid.bounds_max[1:2]
                self._linked[tile.key].data[_TOP] = top.view(np.uint8)
            self._is_behind = False

    def _link_all(self) -> None:
        """All links anew, in the order of a fresh build."""
        self._linker = Linker()
        for tile in self._navmesh.tiles:
            reference = int(self._linked[tile.key].base)
            self._linked[tile.key] = self._linker.add(self._data(self._navmesh, tile), reference)


def _named(tile: LinkedTile) -> NamedTile:
    return NamedTile(int(tile.base), tile.data, tile.connections)


def _parameters(navmesh: NavMesh, tiles: list[U8]) -> SetParameters:
    if navmesh.tile_grid is not None:
        return tiled_parameters(navmesh.tile_grid)
    if not tiles:
        return SetParameters(np.zeros(3, np.float32), np.float32(1), np.float32(1), 1, 1)
    return solo_parameters(navmesh.tiles[0].polygon_mesh.grid, int(header_of(tiles[0])["polygons"][0]))


_Pair: TypeAlias = tuple[Tile | None, Tile | None]


def _changed(before: Sequence[Tile], after: Sequence[Tile], raised: list[Tile] | None) -> dict[TileKey, _Pair]:
    """The tiles that differ, as they were and as they are; None: there is none. Most are the same objects.

    Those whose meshes are, in a level that is higher or lower now, go to `raised`, if that is there.
    """
    if len(before) == len(after):
        pairs = [(old, new) for old, new in zip(before, after, strict=True) if old is not new]
        if all(old.key == new.key for old, new in pairs):
            if raised is not None:
                all_pairs, pairs = pairs, []
                for pair in all_pairs:
                    if _is_raised(*pair):
                        raised.append(pair[1])
                    else:
                        pairs.append(pair)
            return {new.key: (old, new) for old, new in pairs if not _same_tile(old, new)}
    old_tiles = {tile.key: tile for tile in before}
    found: dict[TileKey, _Pair] = {}
    for tile in after:
        old = old_tiles.pop(tile.key, None)
        if old is None or (old is not tile and not _same_tile(old, tile)):
            found[tile.key] = old, tile
    return {**{key: (tile, None) for key, tile in old_tiles.items()}, **found}


def _same_tile(one: Tile, other: Tile) -> bool:
    """Whether two tiles hold the same meshes, and doors in the same states."""
    if one.doors != other.doors:
        return False
    meshes = (
        (one.polygon_mesh, other.polygon_mesh), (one.detail_mesh, other.detail_mesh), (one.too_small, other.too_small),
    )  # fmt: skip
    return all(a is b or (a is not None and b is not None and _same_values(a, b)) for a, b in meshes)


def _is_raised(old: Tile, new: Tile) -> bool:
    """Whether a tile is the same, object by object, but for how high the level is. That is seen quickly."""
    one, other = old.polygon_mesh, new.polygon_mesh
    if not (all(map(is_, one[:-1], other[:-1])) and all(map(is_, old[3:], new[3:]))):
        return False
    a, b = one.grid, other.grid
    (x, y, z), (x_now, y_now, z_now) = a.bounds_max.tolist(), b.bounds_max.tolist()
    return (
        a.bounds_min is b.bounds_min and a[:3] == b[:3] and a[5:] == b[5:] and x == x_now and z == z_now and y != y_now
    )


def _only_raised(before: Tile, tile: Tile) -> bool:
    """Whether a tile is the same but for how high the level is."""
    old, new = before.polygon_mesh.grid, tile.polygon_mesh.grid
    if old.bounds_max[1] == new.bounds_max[1]:
        return False
    high = old.bounds_max.copy()
    high[1] = new.bounds_max[1]
    mesh = before.polygon_mesh._replace(grid=old._replace(bounds_max=high))
    return _same_tile(before._replace(polygon_mesh=mesh), tile)


def _same_values(one: object, other: object) -> bool:
    """Whether two bundles, or two of their values, are the same to the bit."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(_same_values(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one is other or (
            one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
        )
    return bool(one == other)


def _same_links(before: NavMesh, after: NavMesh) -> bool:
    return before.links is after.links or before.links == after.links


def _changed_ends(before: LinkTable, after: LinkTable) -> list[tuple[float, float]]:
    """Where the links begin and end that came, went or changed; all of them where others changed their order."""
    old, new = _rows(before), _rows(after)
    came, went = Counter(new) - Counter(old), Counter(old) - Counter(new)
    stayed = [row for row in old if row not in went], [row for row in new if row not in came]
    all_of_them = stayed[0] != stayed[1]
    found = []
    for table, rows, changed in ((before, old, went), (after, new, came)):
        chosen = [k for k, row in enumerate(rows) if all_of_them or row in changed]
        ends = table.points[chosen].reshape(-1, 3)[:, ::2]
        found += [(float(x), float(z)) for x, z in ends.tolist()]
    return found


def _rows(table: LinkTable) -> list[bytes]:
    """Each link as bytes."""
    count = len(table.points)
    columns = [np.ascontiguousarray(values).view(np.uint8).reshape(count, -1) for values in table] if count else []
    return [row.tobytes() for row in np.concatenate(columns, axis=1)] if count else []


# --- The navmesh of a tile cache as a query follows it: tiles as the cache links them, under its own references.


class FollowedCache:
    """What was asked last of the navmeshes of one cache. Links keep the order that Detour has at run time."""

    def __init__(self, live: LiveTiles) -> None:
        self._live = live

    @property
    def parameters(self) -> SetParameters:
        """What all its navmeshes share."""
        return SetParameters(*self._live.parameters)

    def tiles(self) -> list[NamedTile]:
        """All of them, in the order in which they were added."""
        return [_of_cache(tile) for tile in self._live.tiles]

    def is_of(self, navmesh: NavMesh) -> bool:
        """Whether a navmesh is of the same cache."""
        return navmesh.live is not None and navmesh.live.cache == self._live.cache

    def follow(self, navmesh: NavMesh) -> TileChange | None:
        """What has to change for the tiles to be those of another navmesh of the cache; None: all of it.

        Tiles that stayed are the same objects. A tile whose links alone have changed was made at the same time.
        """
        if navmesh.live is None:
            return None
        before, self._live = {tile.made: tile for tile in self._live.tiles}, navmesh.live
        put, touched = list[NamedTile](), list[NamedTile]()
        for tile in navmesh.live.tiles:
            old = before.pop(tile.made, None)
            if old is None:
                put.append(_of_cache(tile))
            elif old is not tile:
                touched.append(_of_cache(tile))
        return TileChange([old.reference for old in before.values()], put, touched)


def _of_cache(tile: LiveTile) -> NamedTile:
    return NamedTile(tile.reference, tile.data, int(header_of(tile.data)["connections"][0]))
