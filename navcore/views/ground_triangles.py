"""The finished tiles of a piece as triangles on the ground: the detail mesh, or fans where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..area_types import runtime_areas, type_of
from ..result.draped_edges import BORDER, INNER, WALL, draped_edges
from ..result.navmesh import Tile, detail_triangles, world_vertices
from ..types import F32, F64, FIRST_VERTEX, I64, NO_INDEX, U8, PolygonMesh
from .outline_picture import INNER_COLOR, PORTAL_COLOR, WALL_COLOR, areas_of
from .picture import Color, ViewedPiece

EDGE_NAMES: tuple[tuple[str, Color], ...] = (
    ("Edges between polygons", INNER_COLOR), ("Walls", WALL_COLOR), ("Edges on a tile's border", PORTAL_COLOR),
)  # fmt: skip
assert (INNER, WALL, BORDER) == (0, 1, 2)


class GroundTriangles(NamedTuple):
    """T triangles."""

    triangles: F32  # (T, 3, 3) metres
    polygon: I64  # (T,) number in its tile
    tile: I64  # (T,) which of the tiles


def tiles_of(piece: ViewedPiece) -> list[Tile]:
    """The tiles of a piece that hold polygons."""
    return [tile for tile in piece.navmesh.tiles if piece.tile in (None, tile.key)]


def ground_of(tiles: Sequence[Tile]) -> GroundTriangles:
    """All triangles of tiles."""
    parts = [_triangles_of(tile) for tile in tiles]
    counts = [len(polygon) for _, polygon in parts]
    return GroundTriangles(
        np.concatenate([np.zeros((0, 3, 3), np.float32), *(triangles for triangles, _ in parts)]),
        np.concatenate([np.zeros(0, np.int64), *(polygon for _, polygon in parts)]),
        np.repeat(np.arange(len(tiles)), counts),
    )


def _triangles_of(tile: Tile) -> tuple[F32, I64]:
    if tile.detail_mesh is None:
        return fans_of(tile.polygon_mesh)
    triangles, polygon = detail_triangles(tile.detail_mesh)
    return tile.detail_mesh.vertices[triangles], polygon


def fans_of(mesh: PolygonMesh) -> tuple[F32, I64]:
    """Triangles around each polygon's first corner, and the polygon of each."""
    last = mesh.polygons[:, 2:]
    polygon, corner = np.nonzero(last != NO_INDEX)
    corners = np.stack(
        [mesh.polygons[polygon, 0], mesh.polygons[polygon, corner + 1], mesh.polygons[polygon, corner + 2]], axis=1
    )
    return world_vertices(mesh)[corners], polygon.astype(np.int64)


def edges_of(tiles: Sequence[Tile]) -> tuple[F32, U8]:
    """The edges of all polygons along the ground, and which kind each is."""
    edges = [draped_edges(tile) for tile in tiles]
    return (
        np.concatenate([np.zeros((0, 2, 3), np.float32), *(found.points for found in edges)]),
        np.concatenate([np.zeros(0, np.uint8), *(found.kind for found in edges)]),
    )


def corners_of(tile: Tile) -> F32:
    """(V, 3) the vertices of a tile's polygons, as high as its detail mesh has them."""
    mesh, places = tile.polygon_mesh, world_vertices(tile.polygon_mesh)
    if tile.detail_mesh is not None:
        owner, corner = np.nonzero(mesh.polygons != NO_INDEX)
        first = tile.detail_mesh.meshes[owner, FIRST_VERTEX].astype(np.int64)
        places[mesh.polygons[owner, corner]] = tile.detail_mesh.vertices[first + corner]
    return places


def polygon_areas(ground: GroundTriangles, tile: int, polygon: int) -> float:
    """Square metres of a polygon as seen from above."""
    areas: F64 = areas_of(ground.triangles[(ground.tile == tile) & (ground.polygon == polygon)])
    return float(areas.sum())


def area_name(piece: ViewedPiece, area: int) -> str:
    """What the build's table calls an area."""
    number = int(runtime_areas(np.array([area], np.uint8))[0])
    return type_of(number, piece.navmesh.area_types).name


def named_polygon(piece: ViewedPiece, tile: Tile, polygon: int) -> str:
    """A polygon by its number, and by its tile where there are several."""
    where = "" if piece.navmesh.tile_grid is None else f" of tile {tile.key}"
    return f"Polygon {polygon}{where}"
