"""What polygons and tiles are, and what of them a game changes while it runs: areas and flags."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..agent_sizes import AgentSize, size_called
from ..detour.byte_layout import CONNECTION
from ..detour.doors import CLOSED
from ..errors import BadInput
from ..geometry.arrays import numbers_in_ranges
from ..navquery.answers import BothEnds, TilePlaces, TilesThere
from ..navquery.batches import as_points, as_references, usable
from ..navquery.query_filter import AREAS, QueryFilter, checked_filter, rule_of
from ..navquery.query_mesh import handed, refresh_flags
from ..navquery.status import INVALID, SUCCESS
from ..types import I32, U8, U16, U32, ArrayLike, Bools
from .asked import AskedMesh, DoorPlaces

_MOST_FLAGS = 0xFFFF
_FARTHEST_TILE = float(1 << 30)


class TileState(NamedTuple):
    """The areas and flags of a tile's polygons, under the tile's reference. Recast: dtTileState."""

    reference: int
    areas: U8
    flags: U16


def known_doors(names: Iterable[str]) -> str:
    """Which doors there are, as a sentence."""
    called = ", ".join(f"“{name}”" for name in names)
    if called:
        return f"Known are {called}."
    return "It has none: a volume of the level that has a door's name is one, and .json, .glb and .tscn keep them."


class PolygonQuestions(AskedMesh):
    """Questions about polygons and tiles by their references."""

    def references(self) -> U32:
        """The references of all polygons, tile after tile; links behind the ground of their tile."""
        names = self._names
        first, end = names.tiles()
        found: U32 = names.of_polygon[numbers_in_ranges(first, end - first)]
        return found

    def is_valid(self, references: ArrayLike, filter: QueryFilter | None = None) -> Bools:
        """Whether each reference names a polygon, and one that the filter lets pass. Recast: isValidPolyRef."""
        polygons = self._names.polygons(as_references("references", references))
        valid: Bools = polygons >= 0
        rule = None if filter is None else rule_of(filter)
        if rule is not None and valid.any():
            flags = self._mesh.polygons["flags"][np.maximum(polygons, 0)]
            valid &= (flags & rule.include != 0) & (flags & rule.exclude == 0)
        return valid

    def flags(self, references: ArrayLike) -> U16:
        """The flags of each polygon; 0 for what is no polygon. Recast: getPolyFlags."""
        return self._of_polygons(self._mesh.polygons["flags"], references, 0).astype(np.uint16)

    def areas(self, references: ArrayLike) -> U8:
        """The area id of each polygon; 255 for what is no polygon. Recast: getPolyArea."""
        return self._of_polygons(self._mesh.polygons["area"], references, 255).astype(np.uint8)

    def set_flags(self, references: ArrayLike, flags: ArrayLike) -> U32:
        """Give polygons other flags, one number or one for each: a door that closes. Recast: setPolyFlags.

        All questions heed them from now on, islands as well, until the tile changes. Returns Detour's status word for
        each: a reference that names no polygon is refused alone. Do not ask while another thread sets them.
        """
        return self._set("flags", references, flags, _MOST_FLAGS)

    def set_areas(self, references: ArrayLike, areas: ArrayLike) -> U32:
        """Give polygons other areas, which cost what a filter says: likewise. Recast: setPolyArea."""
        return self._set("area", references, areas, AREAS - 1)

    @property
    def doors(self) -> tuple[str, ...]:
        """The names of the doors that the navmesh was built with. A `.bin` names none."""
        return tuple(self._doors)

    def set_door(self, name: str, closed: bool) -> None:
        """Close a door or open it: no filter lets pass a closed one. Raises BadInput for one that there is not.

        It stays so until its tile is built anew: `set_flags` of its polygons.
        """
        polygons, flags, rows = self._door_places.get(name) or self._find_door(name)
        self._own_polygons()
        self._mesh.polygons["flags"][polygons] = CLOSED if closed else flags
        refresh_flags(handed(self._mesh), rows)
        self._changed_flags()

    @property
    def sizes(self) -> tuple[AgentSize, ...]:
        """The sizes of agents that the navmesh is for, where it is for several. A `.bin` names none."""
        return self._sizes

    def size_called(self, name: str) -> AgentSize:
        """The size of this name. Raises BadInput for one that there is not."""
        return size_called(self._sizes, name)

    def filter_of_size(self, name: str, filter: QueryFilter | None = None) -> QueryFilter:
        """A filter, or the one that lets everybody pass, that also keeps off polygons which this size does not fit on.

        Raises BadInput for a size that there is not.
        """
        given = checked_filter(filter or QueryFilter())
        return replace(given, exclude=given.exclude | self.size_called(name).exclude)

    def tile_state(self, reference: int) -> TileState:
        """The areas and flags of a tile as they are, to be stored. Recast: storeTileState.

        `reference`: the tile's, which is that of its first polygon. Raises BadInput where it names no tile.
        """
        own = self._tile(reference) if isinstance(reference, (int, np.integer)) else None
        if own is None:
            raise BadInput(
                f"{reference!s:.40} is no tile of this navmesh. Take one of tiles().references.", "WRONG_QUESTION"
            )
        polygons = self._mesh.polygons[own]
        return TileState(int(reference), polygons["area"].astype(np.uint8), polygons["flags"].astype(np.uint16))

    def restore_tile_state(self, state: TileState) -> np.uint32:
        """Give a tile the areas and flags that were stored. Recast: restoreTileState.

        Returns Detour's status word: a failure where the tile has changed since, and nothing is set. Raises BadInput
        for what is no state.
        """
        if not (isinstance(state, TileState) and all(isinstance(part, np.ndarray) for part in state[1:])):
            raise BadInput("restore_tile_state takes what tile_state gave.", "WRONG_KIND")
        own = self._tile(state.reference)
        if own is None or not len(state.areas) == len(state.flags) == own.stop - own.start:
            return INVALID
        references = self._names.of_polygon[own]
        self.set_areas(references, state.areas)
        self.set_flags(references, state.flags)
        return SUCCESS

    def connection_ends(self, previous_references: ArrayLike, references: ArrayLike) -> BothEnds:
        """Where each link begins and ends for who comes from a polygon. Recast: getOffMeshConnectionPolyEndPoints.

        A row fails whose polygon is no link, or that names no polygon.
        """
        links = self._names.polygons(as_references("references", references))
        before = self._names.polygons(as_references("previous_references", previous_references, len(links)))
        records, mesh = self._mesh.polygons, self._mesh
        valid = (links >= 0) & (before >= 0)
        valid[valid] = records["kind"][links[valid]] == CONNECTION
        starts, ends = np.zeros((len(links), 3), np.float32), np.zeros((len(links), 3), np.float32)
        for row in np.flatnonzero(valid).tolist():
            link = records[links[row]]
            of_start = [k for k in range(link.first_link, link.end_link) if mesh.links[k].edge == 0][:1]
            swapped = bool(of_start) and mesh.links[of_start[0]].target != before[row]
            starts[row], ends[row] = mesh.outline[links[row], [1, 0] if swapped else [0, 1]]
        return BothEnds(starts, ends, np.where(valid, SUCCESS, INVALID))

    def tiles(self) -> TilesThere:
        """All tiles, by row, column and layer: references, places, polygons and bounds. Recast: getTile, getTileRef.

        A tile without polygons, which only a file may hold, has the reference 0.
        """
        rows = self._mesh.tiles
        first, some = rows["first_polygon"], rows["end_polygon"] > rows["first_polygon"]
        references = np.zeros(len(rows), np.uint32)
        references[some] = self._names.of_polygon[first[some]]
        return TilesThere(
            references, rows["x"].copy(), rows["y"].copy(), rows["layer"].copy(),
            rows["end_polygon"] - first, rows["low"].copy(), rows["high"].copy(),
        )  # fmt: skip

    def tile_at(self, points: ArrayLike) -> I32:
        """(N, 2) column and row in which each point lies, whether there is a tile or not. Recast: calcTileLoc.

        -1 for what is not finite.
        """
        asked, tiling = as_points("points", points), self._mesh.tiling[0]
        good = usable(asked)
        place = np.where(good[:, None], asked[:, ::2], np.float32(0))
        origin = np.array([tiling.origin_x, tiling.origin_z], np.float32)
        size = np.array([tiling.width, tiling.depth], np.float32)
        found = np.clip(np.floor((place - origin) / size), -_FARTHEST_TILE, _FARTHEST_TILE).astype(np.int32)
        return np.where(good[:, None], found, np.int32(-1))

    def tile_of(self, references: ArrayLike) -> TilePlaces:
        """The tile of each polygon, and which of its polygons it is. Recast: decodePolyId, getTileAndPolyByRef."""
        polygons = self._names.polygons(as_references("references", references))
        valid = polygons >= 0
        tiles = self._mesh.tiles[self._mesh.polygons["tile"][np.maximum(polygons, 0)]] if valid.any() else None
        columns = [
            np.full(len(polygons), -1, np.int32) if tiles is None else np.where(valid, tiles[name], np.int32(-1))
            for name in ("x", "y", "layer", "first_polygon")
        ]
        numbers = np.where(valid, polygons - columns[3], np.int32(-1))
        return TilePlaces(columns[0], columns[1], columns[2], numbers, np.where(valid, SUCCESS, INVALID))

    def _find_door(self, name: str) -> DoorPlaces:
        """The polygons of a door, which stay where they are until tiles change. Raises BadInput."""
        parts = self._doors.get(name)
        if parts is None:
            raise BadInput(f"There is no door “{name}” in this navmesh. {known_doors(self._doors)}", "NO_DOOR")
        tiles, rows = self._mesh.tiles, list[int]()
        for x, y, layer in (part.key for part in parts):
            rows += np.flatnonzero((tiles["x"] == x) & (tiles["y"] == y) & (tiles["layer"] == layer))[:1].tolist()
        first = tiles["first_polygon"][rows]
        polygons = np.concatenate([own + part.polygons for own, part in zip(first, parts, strict=True)])
        places = DoorPlaces(polygons, np.concatenate([part.flags for part in parts]), np.unique(rows).astype(np.int32))
        self._door_places[name] = places
        return places

    def _tile(self, reference: int) -> slice | None:
        """The polygons of a tile, by its reference."""
        names = self._names
        slot = int(reference) >> names.polygon_bits & names.slot_mask
        if reference <= 0 or slot >= len(names.tile_of_slot) or names.tile_of_slot[slot] != reference:
            return None
        first = int(names.first_of_slot[slot])
        return slice(first, first + int(names.count_of_slot[slot]))

    def _set(self, name: str, references: ArrayLike, values: ArrayLike, most: int) -> U32:
        polygons = self._names.polygons(as_references("references", references))
        given = np.asarray(values)
        if given.dtype.kind not in "iu" or given.shape not in ((), polygons.shape):
            raise BadInput(
                f"{name} must be a whole number, or one for each of the {len(polygons):,} references.", "WRONG_QUESTION"
            )
        if given.size and not (given.min() >= 0 and given.max() <= most):
            raise BadInput(
                f"{name} holds {given.max() if given.min() >= 0 else given.min()}. Give 0 to {most}.", "WRONG_QUESTION"
            )
        valid = polygons >= 0
        self._own_polygons()
        chosen = polygons[valid]
        self._mesh.polygons[name][chosen] = np.broadcast_to(given, polygons.shape)[valid]
        refresh_flags(handed(self._mesh), np.unique(self._mesh.polygons["tile"][chosen]))
        self._changed_flags()
        self._areas_there = None
        return np.where(valid, SUCCESS, INVALID)
