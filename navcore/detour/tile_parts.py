"""What every tile of runtime data has, whatever it is made of: its header, and the links that start in it. Kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, kernel
from ..types import F32, I64, U8, AnyInt
from .byte_layout import (
    AREA_MASK,
    CONNECTION,
    CONNECTION_RECORD,
    DETAIL_MESH,
    HEADER,
    INSIDE,
    KIND_SHIFT,
    LINK,
    NODE,
    POLYGON,
    TILE_MAGIC,
    TILE_VERSION,
    Sections,
)
from .off_mesh_links import SIDE_OF, LinkTable

_HEADER, _POLYGON, _LINK, _DETAIL = HEADER.itemsize, POLYGON.itemsize, LINK.itemsize, DETAIL_MESH.itemsize
_NODE, _RECORD = NODE.itemsize, CONNECTION_RECORD.itemsize
_INSIDE = np.uint8(INSIDE)
_ONE = np.float32(1)


class TilePlace(NamedTuple):
    """Which tile it is, and where."""

    x: int
    y: int
    layer: int
    bounds_min: F32  # (3,)
    bounds_max: F32  # (3,)


class TileCounts(NamedTuple):
    """How many items the sections hold."""

    vertices: int
    ground: int  # polygons that are no connections
    links: int
    detail_vertices: AnyInt
    detail_triangles: int
    nodes: int
    connections: int


@kernel
def begun_tile(
    place: TilePlace, counts: TileCounts, agent: tuple[np.float32, np.float32, np.float32], cell_size: np.float32
) -> U8:
    """A tile with its header; the rest is 0. `agent`: height, radius and climb."""
    polygons = counts.ground + counts.connections
    size = _HEADER + 12 * counts.vertices + _POLYGON * polygons + _LINK * counts.links + _DETAIL * counts.ground
    size += 12 * counts.detail_vertices + 4 * counts.detail_triangles + _NODE * counts.nodes
    data = np.zeros(size + _RECORD * counts.connections, np.uint8)
    header = data[:_HEADER].view(HEADER)
    header["magic"][0], header["version"][0] = TILE_MAGIC, TILE_VERSION
    header["x"][0], header["y"][0], header["layer"][0] = place.x, place.y, place.layer
    header["polygons"][0], header["vertices"][0], header["links"][0] = polygons, counts.vertices, counts.links
    header["detail_meshes"][0], header["detail_vertices"][0] = counts.ground, counts.detail_vertices
    header["detail_triangles"][0], header["nodes"][0] = counts.detail_triangles, counts.nodes
    header["connections"][0], header["first_connection"][0] = counts.connections, counts.ground
    header["agent_height"][0], header["agent_radius"][0], header["agent_max_climb"][0] = agent[0], agent[1], agent[2]
    for axis in range(3):
        header["bounds_min"][0, axis] = place.bounds_min[axis]
        header["bounds_max"][0, axis] = place.bounds_max[axis]
    header["cells_per_metre"][0] = _ONE / cell_size
    return data


@kernel
def links_of_tile(
    links: LinkTable, place: TilePlace, lowest: np.float32, highest: np.float32
) -> tuple[I64, U8, int]:  # fmt: skip
    """Which links start in a tile, on which side they end, and how many points of any links need a place in its list.

    Those start there that are not above or below all its ground (`lowest` … `highest`). Ends count as inside whatever
    their height and wherever they come from, as Recast has it. Recast: the first part of dtCreateNavMeshData.
    """
    count = len(links.radius)
    rows, sides, used, inside = np.empty(count, np.int64), np.empty(count, np.uint8), 0, 0
    for row in range(count):
        start, end = _side_of(links.points, row, 0, place), _side_of(links.points, row, 3, place)
        if start == _INSIDE and lowest <= links.points[row, 1] <= highest:
            rows[used], sides[used] = row, end
            used += 1
        inside += end == _INSIDE
    return rows[:used], sides[:used], used + inside


@borrowing
def _side_of(points: F32, row: int, first: int, place: TilePlace) -> np.uint8:
    x, z = points[row, first], points[row, first + 2]
    low, high = place.bounds_min, place.bounds_max
    beyond = (1 if x >= high[0] else 0) | (2 if z >= high[2] else 0) | (4 if x < low[0] else 0)
    return SIDE_OF[beyond | (8 if z < low[2] else 0)]


@kernel
def write_connections(
    tile: Sections, links: LinkTable, rows: I64, sides: U8, first_vertex: AnyInt, first_polygon: AnyInt
) -> None:
    """Each of these links is a polygon of two corners, and a record."""
    written, records = tile.polygons, tile.connections
    for k in range(len(rows)):
        row, vertex, polygon = rows[k], first_vertex + 2 * k, first_polygon + k
        for axis in range(3):
            tile.vertices[vertex, axis] = links.points[row, axis]
            tile.vertices[vertex + 1, axis] = links.points[row, axis + 3]
        written["vertices"][polygon, 0], written["vertices"][polygon, 1] = vertex, vertex + 1
        written["corners"][polygon], written["flags"][polygon] = 2, links.flags[row]
        written["area_and_kind"][polygon] = links.area[row] & AREA_MASK | CONNECTION << KIND_SHIFT
        for number in range(6):
            records["points"][k, number] = links.points[row, number]
        records["radius"][k], records["polygon"][k] = links.radius[row], polygon
        records["flags"][k], records["side"][k] = links.both_ways[row], sides[k]
        records["user_id"][k] = links.id[row]
