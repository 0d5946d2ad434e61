"""The finished navigation mesh: one tile, or many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..above import from_above
from ..agent_sizes import AgentSize
from ..area_types import AREA_TYPES, AreaType
from ..errors import BadInput
from ..geometry.tile_grid import TileGrid
from ..geometry.tile_key import TileKey
from ..report import Report
from ..scene import Link
from ..settings import Settings
from ..stages.detail import merge_detail_meshes
from ..stages.polygons import merge_polygon_meshes
from ..types import F32, FIRST_VERTEX, I64, TRIANGLE_COUNT, U8, U16, AnyArray, DetailMesh, PolygonMesh
from ..wide_links import WideLink

# --- Finished meshes in metres: what writers and viewers need of the voxel bundles.


def world_vertices(mesh: PolygonMesh) -> F32:
    """(V, 3) polygon vertices in metres. Recast: the vertices of dtCreateNavMeshData."""
    step = np.array([mesh.grid.cell_size, mesh.grid.cell_height, mesh.grid.cell_size], np.float32)
    return mesh.grid.bounds_min + mesh.vertices.astype(np.float32) * step


def detail_triangles(detail: DetailMesh) -> tuple[I64, I64]:
    """(., 3) vertex ids into `detail.vertices`, and the polygon of each triangle."""
    polygon = np.repeat(np.arange(len(detail.meshes)), detail.meshes[:, TRIANGLE_COUNT].astype(np.int64))
    first_vertex = detail.meshes[:, FIRST_VERTEX].astype(np.int64)
    return detail.triangles[:, :3].astype(np.int64) + first_vertex[polygon, None], polygon


class TileDoor(NamedTuple):
    """The polygons of a tile that lie under a door."""

    name: str
    polygons: tuple[int, ...]  # their numbers in the tile, rising
    closed: bool = False
    ability: int = 0  # the flag that it asks for while it is open; 0: the flags are those of each polygon's area


class Door(NamedTuple):
    """What a game has to know of a door: it opens and closes with `set_flags`. A door on areas of several flags has a
    row for each."""

    name: str
    polygons: tuple[int, ...]  # references, as a `.bin` of the navmesh with 32 bits has them
    open: int  # flags
    closed: int
    is_closed: bool  # in the navmesh


class Tile(NamedTuple):
    """The meshes of one tile; a level built in one piece is a single tile at (0, 0)."""

    x: int
    y: int  # counts along z, as Recast names it
    polygon_mesh: PolygonMesh
    detail_mesh: DetailMesh | None  # None where `detail_mesh` is off
    doors: tuple[TileDoor, ...] = ()
    too_small: U16 | None = None  # (P,) the flags that keep sizes of agents out; None where there is one size

    @property
    def key(self) -> TileKey:
        """Which tile of the level it is."""
        return TileKey(self.x, self.y)


class LiveTile(NamedTuple):
    """One tile of runtime data with its links, as it is in a navmesh that changes while a game runs."""

    key: TileKey
    reference: int
    data: U8
    made: int  # which of all tiles that the cache ever made it is; its links may have changed since


class LiveTiles(NamedTuple):
    """The runtime data of a navmesh that a tile cache made: nothing is made of its meshes anew. Recast: dtNavMesh."""

    parameters: tuple[F32, np.float32, np.float32, int, int]  # SetParameters
    tiles: tuple[LiveTile, ...]  # in the order in which they were added
    cache: str  # which one; no other says the same


class ShownPage(Protocol):
    """A page that was opened."""

    @property
    def path(self) -> Path: ...
    @property
    def text(self) -> str: ...


class TakenOver(Protocol):
    """What was found on tiles, and the next build of their level takes over; who made it knows the rest of it."""

    @property
    def tile_grid(self) -> TileGrid | None: ...
    @property
    def tiles(self) -> Mapping[TileKey, Tile]: ...


@dataclass(frozen=True)
class NavMesh:
    """A finished navigation mesh and how it was made."""

    settings: Settings
    tiles: tuple[Tile, ...]  # those that hold polygons, row by row
    tile_grid: TileGrid | None  # how the level was cut; None where it was built in one piece
    links: tuple[Link, ...]
    report: Report
    area_types: Mapping[int, AreaType] = field(default_factory=lambda: AREA_TYPES)  # flags of areas, for runtime data
    stages: Mapping[str, Any] = field(default_factory=dict, repr=False)  # every bundle, with `keep_stages`
    failing_ends: tuple[tuple[bool, bool], ...] = ()  # of each link: attached to nothing; () where not known
    # Those that were found; `links` holds their points after those that were given.
    wide_links: tuple[WideLink, ...] = ()
    kept_links: frozenset[int] = frozenset()  # ids of wide links that somebody keeps, even where nothing joins them
    by_hand: bool = False  # its polygons are a mesh's own faces: there is no level that it was built from
    # What the next build of the level takes over: links as they were found tile by tile, and which ends are attached.
    found_rows: TakenOver | None = field(default=None, repr=False, compare=False)
    known_ends: tuple[TakenOver, TakenOver] | None = field(default=None, repr=False, compare=False)
    sizes: tuple[AgentSize, ...] = ()  # of agents, where it is for several: each with the flag that its filter excludes
    before_drops: NavMesh | None = field(default=None, repr=False, compare=False)  # with islands that were dropped
    live: LiveTiles | None = field(default=None, repr=False, compare=False)  # where a tile cache made it

    @cached_property
    def given_links(self) -> tuple[Link, ...]:
        """The links that the build was given, without the points of those that it found."""
        found = sum([len(wide.points) for wide in self.wide_links])
        return self.links[: len(self.links) - found]

    @cached_property
    def doors(self) -> tuple[Door, ...]:
        """The doors of the level, with the polygons under each and the flags of its states."""
        doors: tuple[Door, ...] = from_above("doors_of_navmesh")(self)
        return doors

    def show(self, level: tuple[F32, AnyArray] | None = None, before: NavMesh | None = None) -> ShownPage:
        """Open it as a page in the browser; in a notebook, below the cell whose last line calls this.

        `level`: vertices and triangles of what lies beneath. `before`: another navmesh, and what changed since. What
        is returned has the `path` of the page.
        """
        page: ShownPage = from_above("show")(self, level, before)
        return page

    @cached_property
    def polygon_mesh(self) -> PolygonMesh:
        """All tiles as one mesh, welded and connected across tile borders. Recast: rcMergePolyMeshes."""
        if self.tile_grid is None:
            return self.tiles[0].polygon_mesh
        return merge_polygon_meshes([tile.polygon_mesh for tile in self.tiles])

    @cached_property
    def detail_mesh(self) -> DetailMesh | None:
        """The detail of all tiles, polygon for polygon. Recast: rcMergePolyMeshDetails."""
        if self.tile_grid is None:
            return self.tiles[0].detail_mesh
        meshes = [tile.detail_mesh for tile in self.tiles if tile.detail_mesh is not None]
        return merge_detail_meshes(meshes) if meshes else None


def tiles_by_key(navmesh: NavMesh) -> Mapping[TileKey, Tile]:
    """The tiles of a navmesh by their keys, put together once."""
    known: dict[TileKey, Tile] | None = navmesh.__dict__.get("_tiles_by_key")
    if known is None:
        known = navmesh.__dict__["_tiles_by_key"] = {tile.key: tile for tile in navmesh.tiles}
    return known


def with_same_tiles(navmesh: NavMesh, **changed: Any) -> NavMesh:
    """A navmesh with something else about it, but for its tiles, whose keys stay known."""
    made = replace(navmesh, **changed)
    made.__dict__["_tiles_by_key"] = tiles_by_key(navmesh)
    return made


def check_built(function: str, navmesh: object) -> None:
    """Refuse, for a public function, what is no built navmesh: one that was read from a file for example."""
    if not isinstance(navmesh, NavMesh):
        raise BadInput(
            f"{function} takes a navmesh that was built, not {type(navmesh).__name__}. What is read from a file does "
            "not hold the build: build the level again.",
            "NOT_BUILT",
        )


def check_has_level(function: str, navmesh: NavMesh) -> None:
    """Refuse, for a public function that builds parts of a level again, a navmesh that was made of no level."""
    if navmesh.by_hand:
        raise BadInput(
            f"{function} builds what a level is made of, and this navmesh is somebody's own mesh. Change that "
            "mesh, and make the navmesh of it again.",
            "NOT_BUILT",
        )
