"""Flat arrays of tiles that come, go and change at the cost of what changes: each slot has its ranges of them.

A tile that needs more than its slot has goes to the end. What lies between is no polygon that any filter passes, and
has no reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..detour.byte_layout import header_of, sections
from ..geometry.arrays import numbers_in_ranges
from ..types import F32, I64, U8, AnyArray
from .box_blocks import block_count
from .query_mesh import POLYGON, TILE, QueryMesh, References, handed, put_links, put_portals, put_tile

_POLYGONS, _LINKS, _TRIANGLES, _NODES, _BLOCKS = range(5)
_ARRAYS = (
    ("outline", "neighbors", "polygons", "boxes"), ("links", "portals", "middles"), ("triangles", "marks"), ("nodes",),
    ("blocks", "below"),
)  # fmt: skip
_FIRST, _ROOM = 0, 1
_NOTHING = np.zeros((), POLYGON)
_SPARE = 1024  # polygons between tiles that are not worth to be taken out


class NamedTile(NamedTuple):
    """A tile's bytes with its links, and its reference."""

    reference: int
    data: U8
    connections: int


_NONE = np.empty(0, np.int64), np.empty(0, np.float32)


class TileChange(NamedTuple):
    """What became of tiles."""

    gone: Sequence[int]  # references
    put: Sequence[NamedTile]  # tiles that are new
    touched: Sequence[NamedTile]  # tiles whose links have changed, or where their connections end
    raised: tuple[I64, F32] = _NONE  # references of tiles that are the same but for how high the level is, and that

    @property
    def is_any(self) -> bool:
        """Whether anything has changed."""
        return any((self.gone, self.put, self.touched, len(self.raised[0])))


class MeshInTiles:
    """A mesh that is changed in place; `mesh` and `names` are what it is now."""

    def __init__(self, mesh: QueryMesh, names: References) -> None:
        self.mesh, self.names = mesh, names
        self.is_shared = False  # somebody else looks at the same arrays: they are copied before they are changed
        self._ranges, self._row = _ranges_of(mesh, names)  # (slots, 5, 2) first and room; (slots,) row of `tiles`
        self._added = np.zeros(len(self._row), np.int64)  # when each slot was taken: later ones come first
        self._added[names.order] = names.first_of_slot[names.order]
        self._now = len(names.of_polygon)

    is_in_order = True  # whether all polygons lie one behind the other, in the order of the navmesh

    @property
    def is_wasteful(self) -> bool:
        """Whether more than half of it is no polygon of any tile."""
        return len(self.names.of_polygon) > 2 * int(self.names.count_of_slot.sum()) + _SPARE

    def own_arrays(self) -> None:
        """Before anything is changed: nobody else looks at these arrays."""
        if self.is_shared:
            copies: Any = [array.copy() for array in self.mesh]
            self.mesh, names = QueryMesh(*copies), self.names
            self.names = names._replace(
                user_ids=names.user_ids.copy(), tile_of_slot=names.tile_of_slot.copy(),
                first_of_slot=names.first_of_slot.copy(), count_of_slot=names.count_of_slot.copy(),
            )  # fmt: skip
            self.is_shared = False

    def change(self, change: TileChange) -> None:
        """Take tiles out, put others in, and bring links up to date."""
        self.own_arrays()
        self.is_in_order = False
        # A search in slices compares these with those that it began with.
        self.names = self.names._replace(of_polygon=self.names.of_polygon.copy())
        places = [self._take_out(reference) for reference in change.gone]
        headers = [header_of(tile.data)[0] for tile in change.put]
        for tile, header in zip(change.put, headers, strict=True):
            self._make_room(tile, header)
        self._order_rows(places, change.put, headers)
        for tile in change.put:
            self._put(tile)
        for tile in change.touched:
            if tile.connections:
                self._put_ends(tile)
        for tile in (*change.put, *change.touched):
            self._put_links(tile)
        slots = [self._slot(tile.reference) for tile in (*change.put, *change.touched)]
        first = self.names.first_of_slot[slots]
        put_portals(handed(self.mesh), np.stack([first, first + self.names.count_of_slot[slots]], axis=1))
        references, tops = change.raised
        self.mesh.tiles["high"][self._row[references >> self.names.polygon_bits & self.names.slot_mask], 1] = tops
        self.names = self.names._replace(order=np.flatnonzero(self.names.tile_of_slot))

    def _slot(self, reference: int) -> int:
        return reference >> self.names.polygon_bits & self.names.slot_mask

    def _polygons_of(self, slot: int) -> tuple[int, int]:
        first = int(self.names.first_of_slot[slot])
        return first, first + int(self.names.count_of_slot[slot])

    def _take_out(self, reference: int) -> tuple[int, int]:
        """Nothing has a reference of this tile any more; where it was."""
        slot, names = self._slot(reference), self.names
        own = slice(*self._polygons_of(slot))
        self.mesh.polygons[own] = _NOTHING
        names.of_polygon[own] = names.user_ids[own] = names.tile_of_slot[slot] = names.count_of_slot[slot] = 0
        row = self._row[slot]
        return int(self.mesh.tiles["x"][row]), int(self.mesh.tiles["y"][row])

    def _make_room(self, tile: NamedTile, header: Any) -> None:
        reference, slot = tile.reference, self._slot(tile.reference)
        if slot >= len(self._row):
            more = slot + 1 - len(self._row)
            self._ranges = np.concatenate([self._ranges, np.zeros((more, len(_ARRAYS), 2), np.int64)])
            self._row, self._added = (
                np.append(self._row, np.zeros(more, np.int64)),
                np.append(self._added, np.zeros(more, np.int64)),
            )
            names = self.names
            self.names = names._replace(
                tile_of_slot=np.append(names.tile_of_slot, np.zeros(more, np.uint32)),
                first_of_slot=np.append(names.first_of_slot, np.zeros(more, np.int64)),
                count_of_slot=np.append(names.count_of_slot, np.zeros(more, np.int64)),
            )
        count = int(header["polygons"])
        first = self._room(_POLYGONS, slot, count)
        self._room(_TRIANGLES, slot, int(header["detail_triangles"]))
        self._room(_NODES, slot, int(header["nodes"]))
        self._room(_BLOCKS, slot, block_count(int(header["nodes"])))
        missing = len(self.mesh.polygons) - len(self.names.of_polygon)
        if missing:
            names, nothing = self.names, np.zeros(missing, np.uint32)
            self.names = names._replace(
                of_polygon=np.append(names.of_polygon, nothing), user_ids=np.append(names.user_ids, nothing)
            )
        names = self.names
        names.tile_of_slot[slot], names.first_of_slot[slot], names.count_of_slot[slot] = reference, first, count
        names.of_polygon[first : first + count] = np.uint32(reference) + np.arange(count, dtype=np.uint32)
        if tile.connections:
            connections = sections(tile.data).connections
            names.user_ids[first + connections["polygon"].astype(np.int64)] = connections["user_id"]

    def _room(self, kind: int, slot: int, count: int) -> int:
        """Where a slot has room for so many items."""
        first, room = self._ranges[slot, kind].tolist()
        if count <= room:
            return int(first)
        begin = len(getattr(self.mesh, _ARRAYS[kind][0]))
        room = count + count // 4 + 4
        longer = {name: _longer(getattr(self.mesh, name), begin + room) for name in _ARRAYS[kind]}
        self.mesh = self.mesh._replace(**longer)
        self._ranges[slot, kind] = begin, room
        return begin

    def _order_rows(self, gone: Sequence[tuple[int, int]], put: Sequence[NamedTile], headers: Sequence[Any]) -> None:
        """Each new tile has its row; rows stay where a tile only takes the place of another one."""
        x, y, names = self.mesh.tiles["x"], self.mesh.tiles["y"], self.names
        new = [(int(header["x"]), int(header["y"])) for header in headers]
        slots = [self._slot(tile.reference) for tile in put]
        for slot in slots:
            self._added[slot], self._now = self._now, self._now + 1
        rows = {place: np.flatnonzero((x == place[0]) & (y == place[1])) for place in {*gone, *new}}
        if sorted(gone) == sorted(new) and all(len(found) == 1 for found in rows.values()):
            for slot, place in zip(slots, new, strict=True):
                self._row[slot] = rows[place][0]
            return
        taken = np.flatnonzero(names.tile_of_slot)
        table = (
            self.mesh.tiles[np.minimum(self._row[taken], max(len(x) - 1, 0))] if len(x) else np.zeros(len(taken), TILE)
        )
        for slot, place in zip(slots, new, strict=True):
            table["x"][np.searchsorted(taken, slot)], table["y"][np.searchsorted(taken, slot)] = place
        order = np.lexsort((-self._added[taken], table["x"], table["y"]))
        self._row[taken[order]] = np.arange(len(taken))
        self.mesh = self.mesh._replace(tiles=np.ascontiguousarray(table[order]))
        first, count = names.first_of_slot[taken], names.count_of_slot[taken]
        self.mesh.polygons["tile"][numbers_in_ranges(first, count)] = np.repeat(self._row[taken], count)

    def _put(self, tile: NamedTile) -> None:
        slot = self._slot(tile.reference)
        firsts = self._ranges[slot, :, _FIRST].tolist()
        tree, row = (firsts[_NODES], firsts[_BLOCKS]), int(self._row[slot])
        put_tile(tile.data, handed(self.mesh), firsts[_POLYGONS], firsts[_TRIANGLES], tree, row)

    def _put_ends(self, tile: NamedTile) -> None:
        """Where connections end now; what was set of polygons stays."""
        own = self.mesh.polygons[slice(*self._polygons_of(self._slot(tile.reference)))]
        flags, areas = own["flags"].copy(), own["area"].copy()
        self._put(tile)
        own["flags"], own["area"] = flags, areas

    def _put_links(self, tile: NamedTile) -> None:
        slot, names = self._slot(tile.reference), self.names
        first, room = self._ranges[slot, _LINKS].tolist()
        bits, own = (names.polygon_bits, names.slot_mask), int(names.first_of_slot[slot])
        end = put_links(
            tile.data, own, (first, room), names.first_of_slot, bits, self.mesh.polygons, self.mesh.links
        )  # fmt: skip
        if end < 0:
            first = self._room(_LINKS, slot, -end)
            put_links(tile.data, own, (first, -end), names.first_of_slot, bits, self.mesh.polygons, self.mesh.links)


def _ranges_of(mesh: QueryMesh, names: References) -> tuple[I64, I64]:
    """The ranges of each slot, as long as what lies there, and the row of its tile."""
    count_of_slots = len(names.tile_of_slot)
    ranges, row = np.zeros((count_of_slots, len(_ARRAYS), 2), np.int64), np.zeros(count_of_slots, np.int64)
    slots = names.order
    first, count = names.first_of_slot[slots], names.count_of_slot[slots]
    some = count > 0
    begin, last = first[some], first[some] + count[some] - 1
    polygons = mesh.polygons
    row[slots[some]] = rows = polygons["tile"][begin].astype(np.int64)
    ranges[slots, _POLYGONS] = np.stack([first, count], axis=1)
    links = polygons["first_link"][begin], polygons["end_link"][last]
    ranges[slots[some], _LINKS] = np.stack([links[0], links[1] - links[0]], axis=1)
    ground = np.maximum(mesh.tiles["first_connection"][rows] - 1, begin)  # connections have no detail
    triangles = polygons["first_triangle"][begin], polygons["end_triangle"][ground]
    ranges[slots[some], _TRIANGLES] = np.stack([triangles[0], triangles[1] - triangles[0]], axis=1)
    nodes = mesh.tiles["first_node"][rows], mesh.tiles["end_node"][rows]
    ranges[slots[some], _NODES] = np.stack([nodes[0], nodes[1] - nodes[0]], axis=1)
    blocks = [block_count(int(count)) for count in nodes[1] - nodes[0]]
    ranges[slots[some], _BLOCKS] = np.stack([mesh.tiles["first_block"][rows], np.array(blocks, np.int64)], axis=1)
    return ranges, row


def _longer(array: AnyArray, size: int) -> AnyArray:
    """An array of so many items, the first ones its own; in place where there is room behind it."""
    whole = array.base
    if isinstance(whole, np.ndarray) and whole.dtype == array.dtype and whole.shape[1:] == array.shape[1:]:
        if len(whole) >= size and whole.ctypes.data == array.ctypes.data:
            return whole[:size]
    longer = np.zeros((size + size // 4, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer[:size]
