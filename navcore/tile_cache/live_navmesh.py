"""The navmesh of a tile cache as it is now, for all who take one: live bytes, and the meshes that they hold."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..build_warning import BuildWarning
from ..detour.byte_layout import AREA_MASK, EXTERNAL, LAST_SIDE, sections
from ..geometry.tile_key import TileKey, row_by_row
from ..report import Report
from ..result.navmesh import LiveTile, LiveTiles, NavMesh, Tile, TileDoor
from ..types import NO_INDEX, PORTAL, U8, WALKABLE, Grid, PolygonMesh
from .cache_content import CacheContent
from .cache_doors import doors_under
from .linked_layers import LinkedLayers

_PORTAL_OF_SIDE = np.zeros(LAST_SIDE + 1, np.uint16)  # eighths from +x as directions −x, +z, +x, −z
_PORTAL_OF_SIDE[[4, 2, 0, 6]] = PORTAL | np.arange(4)


class LayerTile(Tile):
    """A tile of one of several layers of a place; it has four parts as every tile."""

    layer: int

    def __new__(cls, key: TileKey, mesh: PolygonMesh, doors: tuple[TileDoor, ...] = ()) -> LayerTile:
        tile = super().__new__(cls, *key.place, mesh, None, doors)
        tile.layer = key.layer
        return tile

    def __getnewargs__(self) -> tuple[TileKey, PolygonMesh, tuple[TileDoor, ...]]:
        """What copies and pickles make it of: a tuple's own way is all of its parts, one after the other."""
        return self.key, self.polygon_mesh, self.doors

    @property
    def key(self) -> TileKey:
        """Which tile of the level it is."""
        return TileKey(self.x, self.y, self.layer)


class LiveNavmesh:
    """What was last handed out of each tile, by layer."""

    def __init__(self, content: CacheContent, linked: LinkedLayers, warnings: Sequence[BuildWarning]) -> None:
        self._content, self._linked, self._warnings = content, linked, warnings  # which grow
        self._references: dict[int, int] = {}  # in the order in which they were added
        self._made_as: dict[int, int] = {}
        self._count, self._name = 0, uuid.uuid4().hex
        self._tiles: dict[int, Tile] = {}  # that were made already; without those that changed since
        self._live: dict[int, LiveTile] = {}
        self._navmesh: NavMesh | None = None

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy is another cache: both number what they make from now on alike, and mean different tiles."""
        self.__dict__.update(state, _name=uuid.uuid4().hex, _navmesh=None)

    def put(self, layer: int, reference: int) -> None:
        """A tile is made anew, and linked."""
        self.drop(layer)
        self._references[layer], self._made_as[layer] = reference, self._count
        self._count += 1

    def drop(self, layer: int) -> None:
        """A tile is gone."""
        for kept in (self._references, self._made_as, self._tiles, self._live):
            kept.pop(layer, None)
        self._navmesh = None

    def relinked(self, layers: Iterable[int]) -> None:
        """The links of their tiles have changed."""
        if self._live:
            for layer in layers:
                self._live.pop(layer, None)

    @property
    def navmesh(self) -> NavMesh:
        """The navmesh; the same one until something changes."""
        if self._navmesh is None:
            self._navmesh = self._made()
        return self._navmesh

    def _made(self) -> NavMesh:
        layers = self._content.set.layers
        for layer, reference in self._references.items():
            key = layers[layer].key
            if layer not in self._live:
                data = self._linked.data(layer).copy()
                self._live[layer] = LiveTile(key, reference, data, self._made_as[layer])
            if layer not in self._tiles:
                self._tiles[layer] = self._tile(key, self._live[layer].data, layers[layer].lowest)
        live = LiveTiles(self._content.set.mesh, tuple(self._live[layer] for layer in self._references), self._name)
        tiles = tuple(sorted((self._tiles[layer] for layer in self._references), key=lambda tile: row_by_row(tile.key)))
        content = self._content
        report = Report(content.settings, content.settings.in_voxels())
        report.counts["tiles"] = len(tiles)
        report.counts["polygons"] = sum(len(tile.polygon_mesh.polygons) for tile in tiles)
        report.counts["vertices"] = sum(len(tile.polygon_mesh.vertices) for tile in tiles)
        report.warnings, report.edits = list(self._warnings), list(content.edits)
        return NavMesh(content.settings, tiles, content.tile_grid, content.links, report, content.area_types, live=live)

    def _tile(self, key: TileKey, data: U8, lowest: int) -> Tile:
        """The polygons of a tile, counted from the level's floor, as those of a build are."""
        tile, grid = sections(data), self._content.tile_grid
        header = tile.header[0]
        ground, size = int(header["first_connection"]), grid.size
        low, high = header["bounds_min"].astype(np.float32), header["bounds_max"].astype(np.float32)
        step = np.array([grid.cell_size, grid.cell_height, grid.cell_size], np.float32)
        count = len(tile.vertices) - 2 * int(header["connections"])
        vertices = np.rint((tile.vertices[:count] - low) / step).astype(np.uint16)
        vertices[:, 1] += np.uint16(lowest)
        stored = tile.polygons[:ground]
        used = np.arange(stored["vertices"].shape[1]) < stored["corners"][:, None]
        polygons = np.where(used, stored["vertices"], np.uint16(NO_INDEX)).astype(np.uint16)
        across = stored["neighbors"]
        portal = _PORTAL_OF_SIDE[across & LAST_SIDE]
        inside = np.where(across == 0, np.uint16(NO_INDEX), across - np.uint16(1))
        neighbors = np.where(used, np.where(across >= EXTERNAL, portal, inside), np.uint16(NO_INDEX)).astype(np.uint16)
        area = stored["area_and_kind"] & np.uint8(AREA_MASK)
        area = np.where(area == 0, np.uint8(WALKABLE), area).astype(np.uint8)
        low[1] = grid.bounds_min[1]
        frame = Grid(size, size, 0, low, high, grid.cell_size, grid.cell_height)
        error = np.float32(self._content.set.cache.max_edge_error)
        mesh = PolygonMesh(vertices, polygons, neighbors, np.zeros(ground, np.uint16), area, ground, error, frame)
        return LayerTile(key, mesh, doors_under(area, self._content.doors))
