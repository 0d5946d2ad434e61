"""What is drawn of a tile that was built just now. Made on the thread: nothing here may touch bpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..views.overlay_colors import FRESH_TILE_OPACITY, INNER_EDGE, PORTAL, WALL

if TYPE_CHECKING:
    from ...navcore.geometry.tile_key import TileKey
    from ...navcore.result.navmesh import Tile
    from ...navcore.views.picture import Picture

AreaColor = tuple[float, float, float]
_PLAIN: AreaColor = (0.0, 0.69, 0.87)
_EDGES = INNER_EDGE, WALL, PORTAL  # by the kind of edge


class TilePicture(NamedTuple):
    """A tile by its key; no picture where nothing is left of it."""

    key: TileKey
    picture: Picture | None


def tile_picture(key: TileKey, tile: Tile | None, colors: Mapping[int, AreaColor]) -> TilePicture:
    """`colors` are those of areas as people see them, 0 to 1."""
    from ...navcore.result.draped_edges import draped_edges
    from ...navcore.result.navmesh import detail_triangles, world_vertices
    from ...navcore.types import NO_INDEX
    from ...navcore.views.picture import EMPTY

    if tile is None:
        return TilePicture(key, None)
    if tile.detail_mesh is not None:
        triangles, polygon = detail_triangles(tile.detail_mesh)
        corners = tile.detail_mesh.vertices[triangles]
    else:
        polygons = tile.polygon_mesh.polygons
        rows, corner = np.nonzero(polygons[:, 2:] != NO_INDEX)
        fans = np.stack([polygons[rows, 0], polygons[rows, corner + 1], polygons[rows, corner + 2]], axis=1)
        corners, polygon = world_vertices(tile.polygon_mesh)[fans.astype(np.int64)], rows
    table = np.full((256, 4), (*_PLAIN, FRESH_TILE_OPACITY / 255), np.float32)
    for area, color in colors.items():
        table[area, :3] = color
    faces = np.round(table[tile.polygon_mesh.area[polygon]] * 255).astype(np.uint8)
    edges = draped_edges(tile)
    lines = np.array(_EDGES, np.uint8)[edges.kind]
    picture = EMPTY._replace(
        corners=np.ascontiguousarray(corners[:, [0, 1, 2, 2]], np.float32), face_colors=faces,
        lines=edges.points, line_colors=np.ascontiguousarray(lines),
    )  # fmt: skip
    return TilePicture(key, picture)
