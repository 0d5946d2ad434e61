"""What runtime data cannot hold, refused by name: before the build where settings decide, before the tile otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..errors import BadSettings, TooLarge
from ..geometry.tile_grid import TileGrid, select_triangles
from ..scene import Link
from ..settings import Settings, setting_info
from ..threads import Workers
from ..types import NO_INDEX, VERTEX_COUNT, DetailMesh, Geometry, PolygonMesh
from .off_mesh_links import FARTHEST, link_table
from .polygon_references import MOST_TILE_BITS, SetParameters, bits

MOST_CORNERS = 6
MOST_TILES = 1 << MOST_TILE_BITS
MOST_GROUND_POLYGONS = 0x7FFF  # neighbors are written as polygon + 1 in fifteen bits
MOST_POLYGONS = 0xFFFF  # connections included
MOST_VERTICES = 0xFFFE
MOST_DETAIL_VERTICES = 0xFFFF  # beyond the polygons' own corners


def check_settings(settings: Settings) -> None:
    """Refuse settings that no runtime data can follow."""
    if settings.vertices_per_polygon > MOST_CORNERS:
        raise BadSettings(
            f"vertices_per_polygon is {settings.vertices_per_polygon}, and Detour files hold polygons of at most "
            f"{MOST_CORNERS}. Lower it to {MOST_CORNERS}.",
            "DETOUR_VERTICES_PER_POLYGON",
        )


def check_inputs(settings: Settings, links: Sequence[Link]) -> None:
    """Refuse, before anything is built, settings and links that no runtime data can hold."""
    check_settings(settings)
    link_table(links)


def check_tile_grid(tile_grid: TileGrid, geometry: Geometry, workers: Workers) -> None:
    """Refuse, before anything is built, a level with ground in more tiles than references can number.

    Tiles that no walkable triangle reaches come out empty and need no number; its areas tell which are walkable.
    """
    if tile_grid.columns * tile_grid.rows <= MOST_TILES:
        return
    walkable = geometry.triangles[geometry.area != 0]
    own = tile_grid.plain._replace(border=0)  # what lies in the border of a tile makes no polygon in it
    chosen = select_triangles(own, geometry.vertices, walkable, (0, 0), (tile_grid.columns, tile_grid.rows), workers)
    check_tile_count(int(np.count_nonzero(np.diff(chosen.first))), tile_grid)


def check_tile_count(tiles: int, tile_grid: TileGrid | None = None) -> None:
    """Refuse more tiles than references can number, with the tile size that would do for the whole of `tile_grid`."""
    if tiles > MOST_TILES:
        larger = None if tile_grid is None else _fewer_tiles(tile_grid)
        raise TooLarge(
            f"The level has ground in {tiles:,} tiles; Detour files hold {MOST_TILES:,}. "
            f"Raise tile_size{f' to {larger}' if larger else ''} or cell_size, or build the level in parts. An engine "
            "that was built for 64-bit references reads a file with more: --references 64.",
            "TOO_MANY_TILES",
        )


def _fewer_tiles(tile_grid: TileGrid) -> int | None:
    """The smallest tile size that cuts the level into few enough tiles; None where even the largest does not."""
    metres = tile_grid.bounds_max - tile_grid.bounds_min
    width, depth = (math.ceil(float(metres[axis]) / float(tile_grid.cell_size)) for axis in (0, 2))
    largest = int(setting_info("tile_size").high or 0)
    fits = (size for size in range(tile_grid.size, largest + 1) if -(-width // size) * -(-depth // size) <= MOST_TILES)
    return next(fits, None)


def check_corners(mesh: PolygonMesh) -> None:
    """Refuse polygons of more corners than runtime data has."""
    if mesh.polygons.shape[1] > MOST_CORNERS:
        raise BadSettings(
            f"The polygons have up to {mesh.polygons.shape[1]} vertices; Detour files hold at most {MOST_CORNERS}. "
            f"Build with vertices_per_polygon {MOST_CORNERS}.",
            "DETOUR_VERTICES_PER_POLYGON",
        )


def check_meshes(mesh: PolygonMesh, detail: DetailMesh | None, where: str) -> None:
    """Refuse meshes that are too large for one tile of runtime data."""
    _check(len(mesh.polygons), MOST_GROUND_POLYGONS, "polygons", where, "DETOUR_POLYGONS")
    _check(len(mesh.vertices), MOST_VERTICES, "vertices", where, "DETOUR_VERTICES")
    if detail is not None:
        corners = int(np.count_nonzero(mesh.polygons != NO_INDEX))
        own = int(detail.meshes[:, VERTEX_COUNT].sum(dtype=np.int64)) - corners
        _check(own, MOST_DETAIL_VERTICES, "detail vertices", where, "DETOUR_DETAIL_VERTICES")
    grid = mesh.grid
    if max(np.abs(grid.bounds_min).max(), np.abs(grid.bounds_max).max()) > FARTHEST:
        raise TooLarge(f"{where} reaches beyond {FARTHEST:g} m, the most a Detour file holds. Scale the level down.")


def check_with_links(polygons: int, vertices: int, where: str) -> None:
    """Refuse more links than the rest of a tile leaves room for: each takes one polygon and two vertices."""
    if polygons > MOST_POLYGONS or vertices > MOST_POLYGONS + 1:
        raise TooLarge(
            f"{where} would hold {polygons:,} polygons and {vertices:,} vertices, links included (limit "
            f"{MOST_POLYGONS:,} and {MOST_POLYGONS + 1:,}). Lower tile_size or use fewer links.",
            "DETOUR_LINKS",
        )


def check_bits(parameters: SetParameters, slot: int, polygons: int, where: str) -> None:
    """Refuse a tile that the set's references cannot number."""
    if slot >= parameters.most_tiles:
        check_tile_count(slot + 1)
        raise TooLarge(f"The file was announced with {parameters.most_tiles:,} tiles and got more.", "TOO_MANY_TILES")
    if bits(polygons) > parameters.polygon_bits:
        raise TooLarge(
            f"{where} has {polygons:,} polygons; with {parameters.most_tiles:,} tiles a reference leaves room for "
            f"{1 << parameters.polygon_bits:,}. Raise cell_size or edge_max_error, or cut the level into another "
            "number of tiles with tile_size. An engine that was built for 64-bit references reads a file with more: "
            "--references 64.",
            "DETOUR_POLYGON_BITS",
        )


def _check(count: int, maximum: int, what: str, where: str, code: str) -> None:
    if count > maximum:
        raise TooLarge(
            f"{where} has {count:,} {what}; a tile of Detour data holds {maximum:,}. Set tile_size (or lower it), or "
            "raise cell_size.",
            code,
        )
