"""Islands of a navmesh: ground on which agents get from everywhere to everywhere and back, over ground and over links.

What leads one way only, as a drop does, makes one island of two only where another way leads back. It is the graph by
which ground is pruned and seeds are asked whether they reach each other: seeds on one island do, there and back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import BadInput
from ...geometry.connected_parts import joined_parts, numbered_by_ground, sizes_from_above, strong_parts
from ...result.navmesh import NavMesh, world_vertices
from ...types import F64, I32, NO_INDEX, U8, PolygonMesh
from ..byte_layout import corners_of, sections
from ..reader import NavmeshFile
from .walk_graph import WalkGraph, graph_of_file, walk_graph


class Islands(NamedTuple):
    """Island 0 has the most ground; of those with as much, the one whose first polygon comes first."""

    of_tile: tuple[I32, ...]  # of each tile (P,): the island of each polygon
    square_metres: F64  # (islands,) of each island, seen from above

    @property
    def of_polygon(self) -> I32:
        """The same for all polygons, tile after tile."""
        return np.concatenate([*self.of_tile, np.zeros(0, np.int32)])


def find_islands(navmesh: NavMesh | NavmeshFile) -> Islands:
    """The islands of a navmesh that was built, or that `read_navmesh` has read; both give the same.

    Tiles and links hang together as Detour links them. Raises TooLarge where tiles are more than runtime data can hold.
    """
    if isinstance(navmesh, NavmeshFile):
        return islands_of(graph_of_file(navmesh))
    if not isinstance(navmesh, NavMesh):
        raise BadInput(
            f"find_islands takes a navmesh that was built, or what read_navmesh returns, not {type(navmesh).__name__}.",
            "WRONG_KIND",
        )
    if navmesh.tile_grid is None and not navmesh.links:
        return _of_one_piece(navmesh.tiles[0].polygon_mesh)
    return islands_of(walk_graph(navmesh))


def islands_of(graph: WalkGraph) -> Islands:
    """The islands of a graph."""
    number, square_metres = numbered_by_ground(
        strong_parts(graph.starts, graph.targets), graph.polygon >= 0, sizes_of_nodes(graph)
    )
    tiles = []
    for begin, end in zip(graph.first[:-1], graph.first[1:], strict=True):
        polygon, islands = graph.polygon[begin:end], number[begin:end]
        of_polygons = np.empty(int(polygon.max(initial=-1)) + 1, np.int32)
        of_polygons[polygon[polygon >= 0]] = islands[polygon >= 0]  # pieces of one polygon lead to each other
        tiles.append(of_polygons)
    return Islands(tuple(tiles), square_metres)


def sizes_of_nodes(graph: WalkGraph) -> F64:
    """(nodes,) square metres of the polygon, or piece of one, that each node is; 0 for links."""
    return np.concatenate([*map(_sizes, graph.tiles), np.zeros(0)])


def _sizes(data: U8) -> F64:
    """Square metres of each polygon of a tile; 0 for links."""
    part = sections(data)
    return sizes_from_above(part.vertices[corners_of(part.polygons)], part.polygons["corners"])


def _of_one_piece(mesh: PolygonMesh) -> Islands:
    """Without tiles and links the edges say all, and no runtime data is needed; NumPy alone."""
    polygon, side = np.nonzero(mesh.neighbors < len(mesh.polygons))
    part = joined_parts(len(mesh.polygons), polygon, mesh.neighbors[polygon, side].astype(np.int64))
    used = mesh.polygons != NO_INDEX
    outlines = world_vertices(mesh)[np.where(used, mesh.polygons, mesh.polygons[:, :1])]
    number, square_metres = numbered_by_ground(
        part, np.ones(len(part), bool), sizes_from_above(outlines, used.sum(axis=1))
    )
    return Islands((number,), square_metres)
