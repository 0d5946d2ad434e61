"""The navmesh of a tile cache as it is now, for all who take one: live bytes, and the meshes that they hold."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

import numpy as np

from ..build_warning import BuildWarning
from ..detour.byte_layout import AREA_MASK, EXTERNAL, LAST_SIDE, sections
from ..detour.tile_links import LinkedTile
from ..geometry.tile_key import TileKey, row_by_row
from ..report import Report
from ..result.navmesh import LiveTile, LiveTiles, NavMesh, Tile, TileDoor
from ..types import NO_INDEX, PORTAL, U8, WALKABLE, Grid, PolygonMesh
from .cache_content import CacheContent
from .cache_doors import doors_under

_PORTAL_OF_SIDE = np.zeros(LAST_SIDE + 1, np.uint16)  # eighths from +x as directions −x, +z, +x, −z
_PORTAL_OF_SIDE[[4, 2, 0, 6]] = PORTAL | np.arange(4)


class LayerTile(Tile):
    """A tile of one of several layers of a place; it has four parts as every tile."""

    layer: int

    def __new__(cls, key: TileKey, mesh: PolygonMesh, doors: tuple[TileDoor, ...] = ()) -> LayerTile:
        tile = super().__new__(cls, *key.place, mesh, None, doors)
        tile.layer = key.layer
        return tile

    @property
    def key(self) -> TileKey:
        """Which tile of the level it is."""
        return TileKey(self.x, self.y, self.layer)


class LiveNavmesh:
    """Tiles as they are linked, and what was last handed out of each."""

    def __init__(self, content: CacheContent, warnings: Sequence[BuildWarning]) -> None:
        self._content, self._warnings = content, warnings  # which grow
        self._linked: dict[TileKey, LinkedTile] = {}  # in the order in which they were added
        self._references: dict[TileKey, int] = {}
        self._made_as: dict[TileKey, int] = {}
        self._count, self._name = 0, uuid.uuid4().hex
        self._lowest = {layer.key: layer.lowest for layer in content.set.layers}
        self._tiles: dict[TileKey, Tile] = {}  # that were made already; without those that changed since
        self._live: dict[TileKey, LiveTile] = {}
        self._navmesh: NavMesh | None = None

    def put(self, linked: LinkedTile, reference: int) -> None:
        """A tile is made anew, and linked."""
        self.drop(linked.key)
        self._linked[linked.key], self._references[linked.key] = linked, reference
        self._made_as[linked.key], self._count = self._count, self._count + 1

    def drop(self, key: TileKey) -> None:
        """A tile is gone."""
        for kept in (self._linked, self._references, self._made_as, self._tiles, self._live):
            kept.pop(key, None)
        self._navmesh = None

    def relinked(self, tiles: Iterable[LinkedTile]) -> None:
        """The links of these have changed."""
        for tile in tiles:
            self._live.pop(tile.key, None)

    @property
    def navmesh(self) -> NavMesh:
        """The navmesh; the same one until something changes."""
        if self._navmesh is None:
            self._navmesh = self._made()
        return self._navmesh

    def _made(self) -> NavMesh:
        for key, linked in self._linked.items():
            if key not in self._live:
                self._live[key] = LiveTile(key, self._references[key], linked.data.copy(), self._made_as[key])
            if key not in self._tiles:
                self._tiles[key] = self._tile(key, linked.data)
        live = LiveTiles(self._content.set.mesh, tuple(self._live[key] for key in self._linked), self._name)
        tiles = tuple(self._tiles[key] for key in sorted(self._linked, key=row_by_row))
        content = self._content
        report = Report(content.settings, content.settings.in_voxels())
        report.counts["tiles"] = len(tiles)
        report.counts["polygons"] = sum(len(tile.polygon_mesh.polygons) for tile in tiles)
        report.counts["vertices"] = sum(len(tile.polygon_mesh.vertices) for tile in tiles)
        report.warnings, report.edits = list(self._warnings), list(content.edits)
        return NavMesh(content.settings, tiles, content.tile_grid, content.links, report, content.area_types, live=live)

    def _tile(self, key: TileKey, data: U8) -> Tile:
        """The polygons of a tile, counted from the level's floor, as those of a build are."""
        tile, grid = sections(data), self._content.tile_grid
        header = tile.header[0]
        ground, size = int(header["first_connection"]), grid.size
        low, high = header["bounds_min"].astype(np.float32), header["bounds_max"].astype(np.float32)
        step = np.array([grid.cell_size, grid.cell_height, grid.cell_size], np.float32)
        count = len(tile.vertices) - 2 * int(header["connections"])
        vertices = np.rint((tile.vertices[:count] - low) / step).astype(np.uint16)
        vertices[:, 1] += np.uint16(self._lowest[key])
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
