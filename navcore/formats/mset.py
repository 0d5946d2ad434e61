"""MSET: Detour tiles with their live links, the bytes that RecastDemo saves and engines load. One tile at a time."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from ..area_types import AREA_TYPES, AreaType, runtime_areas
from ..build_warning import BuildWarning, Point
from ..detour.byte_layout import SET_HEADER, SET_MAGIC, SET_VERSION, TILE_ENTRY, header_of
from ..detour.doors import data_of_tile
from ..detour.limits import check_bits, check_settings, check_tile_count
from ..detour.link_ends import LinkEnds, link_warnings
from ..detour.off_mesh_links import link_table
from ..detour.polygon_references import SetParameters, solo_parameters, tiled_parameters, wide_parameters
from ..detour.queries.checked_links import joined_links
from ..detour.reader import TileRecord, open_set
from ..detour.tile_data import Agent
from ..detour.tile_links import Linker
from ..detour.wide_references import in_memory, widened, widened_entry
from ..errors import NothingWalkable
from ..files.atomic_write import replaced_file, write_whole
from ..geometry.tile_grid import TileGrid
from ..scene import Link
from ..settings import Settings
from ..types import U8
from .mesh_checks import CannotCarry, lost_costs
from .plain_navmesh import PlainNavmesh

if TYPE_CHECKING:
    from ..result.navmesh import LiveTile, LiveTiles, NavMesh, Tile


WIDE = 64  # bits of references that only engines read which were built for them


class MsetWriter:
    """Writes tiles as they come, row by row; only those that a later tile can still be linked to are held in memory."""

    def __init__(
        self,
        file: BinaryIO,
        settings: Settings,
        tile_grid: TileGrid | None,
        links: Sequence[Link] = (),
        types: Mapping[int, AreaType] = AREA_TYPES,
        check_links: bool = False,
        reference_bits: int = 32,
        most_tiles: int | None = None,
    ) -> None:
        """`tile_grid` None: one tile is the whole level. With `check_links` warnings tell which are not attached.

        `most_tiles`: no more come, of a file that holds a part of the grid.
        """
        check_settings(settings)
        self._wide, self._tile_grid = reference_bits == WIDE, tile_grid
        self.count, self._most_tiles = 0, most_tiles
        self._file, self._types = file, types
        self._agent, self._links = Agent.of(settings), link_table(links)
        self._areas = {link.area for link in links}
        self._parameters = None if tile_grid is None else self._of_grid(tile_grid)
        self._linker, self._link_ends = Linker(), LinkEnds(links) if check_links and links else None
        self._waiting: deque[tuple[int, int, int, U8]] = deque()  # y, x, reference, data
        self._last = (-1, -1)

    def add(self, tile: Tile) -> None:
        """Append a tile, which must come after all earlier ones in row order."""
        if (tile.y, tile.x) <= self._last:
            raise ValueError(f"tile ({tile.x}, {tile.y}) came after {self._last[::-1]}: tiles are written row by row")
        self._last = tile.y, tile.x
        data = data_of_tile(tile, self._agent, self._links, self._types)
        polygons = int(header_of(data)["polygons"][0])
        if self.count == 0:
            self._parameters = self._parameters or solo_parameters(tile.polygon_mesh.grid, polygons)
            self._file.write(_header(self._told(), 0))
        assert self._parameters is not None
        check_bits(self._parameters, self.count, polygons, f"Tile ({tile.x}, {tile.y})")
        reference = self._parameters.reference(self.count)
        self._linker.add(data, reference)
        self._areas.update(np.unique(runtime_areas(tile.polygon_mesh.area)).tolist())
        if self._link_ends is not None:
            self._link_ends.look(data)
        self._waiting.append((tile.y, tile.x, reference, data))
        self.count += 1
        while (self._waiting[0][0] + 1, self._waiting[0][1] + 1) <= self._last:
            self._write_first()

    def finish(self) -> None:
        """Write what was held back, and the number of tiles where the header has room for it."""
        if self.count == 0:
            raise NothingWalkable("No tile holds a walkable polygon, so there is nothing to write.")
        self.end_tiles()
        self._file.seek(_offset("tiles"))
        self._file.write(np.int32(self.count).astype("<i4").tobytes())

    def end_tiles(self) -> None:
        """Write what was held back: no tile follows."""
        while self._waiting:
            self._write_first()

    @property
    def warnings(self) -> list[BuildWarning]:
        """What a person should know: of links between polygons, lost costs, `check_links`; once no tile follows."""
        unattached = [] if self._link_ends is None else link_warnings(self._link_ends, float(self._agent.max_climb))
        costs = lost_costs(self._areas, self._types, "A .bin holds")
        return [*border_warnings(self._linker.unlinked, self._linker.unlinked_at), *costs, *unattached]

    def _write_first(self) -> None:
        y, x, reference, data = self._waiting.popleft()
        self._linker.forget(x, y)
        if self._link_ends is not None:
            self._link_ends.read(data)
        assert self._parameters is not None
        self._file.write(_entry(reference, data, self._parameters, self._wide))

    def _of_grid(self, tile_grid: TileGrid) -> SetParameters:
        """What links are made with."""
        usual = tiled_parameters(tile_grid)
        return in_memory(usual, self._most_tiles or tile_grid.columns * tile_grid.rows) if self._wide else usual

    def _told(self) -> SetParameters:
        """What the file says."""
        assert self._parameters is not None
        return wide_parameters(self._tile_grid) if self._wide and self._tile_grid is not None else self._parameters


def border_warnings(unlinked: int, place: Point | None) -> list[BuildWarning]:
    """What is said of polygons that meet across a tile border without a link."""
    if unlinked == 0:
        return []
    neighbors = "1 neighbor" if unlinked == 1 else f"{unlinked:,} neighbors"
    stay = "stays" if unlinked == 1 else "stay"
    text = f"{neighbors} beyond the four that an edge on a tile border can be linked to {stay} unconnected."
    return [BuildWarning("BORDER_LINKS", f"{text} Raise edge_max_error or choose another tile_size.", place)]


def _header(parameters: SetParameters, tiles: int) -> bytes:
    return np.array((SET_MAGIC, SET_VERSION, tiles, *parameters), SET_HEADER).tobytes()


def _entry(reference: int, data: U8, parameters: SetParameters, wide: bool) -> bytes:
    """A tile with what stands before it."""
    if not wide:
        return np.array((reference, len(data)), TILE_ENTRY).tobytes() + data.tobytes()
    data = widened(data, parameters)
    return widened_entry(reference, len(data), parameters) + data.tobytes()


def _set_of(parameters: SetParameters, tiles: Sequence[LiveTile | TileRecord], wide: bool) -> bytes:
    """A whole file."""
    entries = [_entry(tile.reference, tile.data, parameters, wide) for tile in tiles]
    return b"".join([_header(parameters, len(tiles)), *entries])


def _offset(field: str) -> int:
    assert SET_HEADER.fields is not None
    return SET_HEADER.fields[field][1]


@contextmanager
def mset_file(
    path: Path,
    settings: Settings,
    tile_grid: TileGrid | None,
    links: Sequence[Link] = (),
    types: Mapping[int, AreaType] = AREA_TYPES,
    check_links: bool = False,
    reference_bits: int = 32,
    most_tiles: int | None = None,
) -> Iterator[MsetWriter]:
    """A writer whose file appears at `path` when the block ends without an error, and not at all otherwise."""
    with replaced_file(path, check_set) as file:
        writer = MsetWriter(file, settings, tile_grid, links, types, check_links, reference_bits, most_tiles)
        yield writer
        writer.finish()


def check_set(file: BinaryIO) -> None:
    """Read a written file back, by every rule for files of unknown origin; one tile at a time."""
    deque(open_set(file)[1], maxlen=0)


def write_mset(
    navmesh: NavMesh | PlainNavmesh, path: Path, reference_bits: int | None = None
) -> list[BuildWarning]:  # fmt: skip
    """Write a built navmesh, or one that was read from such a file; returns what a person should know.

    Without `reference_bits` what was read keeps its kind, and what was built has 32.
    """
    if isinstance(navmesh, PlainNavmesh):
        write_whole(path, set_bytes(navmesh, reference_bits))
        return []
    if navmesh.live is not None:
        write_whole(path, live_bytes(navmesh.live, reference_bits))
        return []
    if reference_bits != WIDE:
        check_tile_count(len(navmesh.tiles), navmesh.tile_grid)
    links, kind = joined_links(navmesh), reference_bits or 32
    with mset_file(
        path, navmesh.settings, navmesh.tile_grid, links, navmesh.area_types, reference_bits=kind
    ) as writer:  # fmt: skip
        for tile in navmesh.tiles:
            writer.add(tile)
    return [*writer.warnings, *_unjoined(navmesh, links)]


def _unjoined(navmesh: NavMesh, joined: Sequence[Link]) -> list[BuildWarning]:
    """What is said of points of links that were found, and that Detour would attach to nothing."""
    count = len(navmesh.links) - len(joined)
    if count == 0:
        return []
    held = set(map(id, joined))
    first = next(link for link in navmesh.links if id(link) not in held)
    points = sum(len(wide.points) for wide in navmesh.wide_links)
    text = (
        f"{count:,} of the {points:,} points of links that were found are left out of the .bin: Detour joins them to no"
    )
    way_out = "Raise tile_size where links are longer than a tile, and link_spacing where there are many."
    return [BuildWarning("LINKS_LEFT_OUT", f"{text} ground. {way_out}", first.start)]


def set_bytes(navmesh: PlainNavmesh, reference_bits: int | None = None) -> bytes:
    """The file that a navmesh was read from, byte for byte; a single tile stays one. Or with wider references."""
    if navmesh.file is None:
        raise CannotCarry(
            "Detour files are written from a build or from another Detour file; this navmesh was read from a format "
            "without tiles. Build it again, or make one of its polygons: navcore convert FILE -o navmesh.bin, or Take "
            "Over by Hand and Build in Blender.",
            "NEEDS_THE_BUILD",
        )
    file = navmesh.file
    if file.wide is not None and reference_bits == 32:
        raise CannotCarry(
            "This file was read with 64-bit references, and a tile that was rebuilt often may have none of 32 bits. "
            "Write it with reference_bits=64, or build the level again.",
            "REFERENCES_64_BIT",
        )
    if file.wide is not None:
        return file.wide.content
    if file.kind == "DNAV" and reference_bits != WIDE:
        return file.tiles[0].data.tobytes()
    return _set_of(file.parameters, file.tiles, reference_bits == WIDE)


def live_bytes(live: LiveTiles, reference_bits: int | None = None) -> bytes:
    """The navmesh of a tile cache as it is now, by slot. Recast: saveAll of its samples."""
    parameters = SetParameters(*live.parameters)
    slots = (1 << parameters.tile_bits) - 1
    by_slot = sorted(live.tiles, key=lambda tile: tile.reference >> parameters.polygon_bits & slots)
    return _set_of(parameters, by_slot, reference_bits == WIDE)


def mset_bytes(navmesh: NavMesh) -> bytes:
    """The same as `write_mset` writes, in memory."""
    if navmesh.live is not None:
        return live_bytes(navmesh.live)
    file = io.BytesIO()
    writer = MsetWriter(file, navmesh.settings, navmesh.tile_grid, joined_links(navmesh), navmesh.area_types)
    for tile in navmesh.tiles:
        writer.add(tile)
    writer.finish()
    return file.getvalue()


def tile_blobs(navmesh: NavMesh) -> list[bytes]:
    """Each tile as it is before linking, for games that keep tiles on their own. Recast: dtCreateNavMeshData."""
    check_settings(navmesh.settings)
    agent, links, types = Agent.of(navmesh.settings), link_table(joined_links(navmesh)), navmesh.area_types
    return [data_of_tile(tile, agent, links, types).tobytes() for tile in navmesh.tiles]
