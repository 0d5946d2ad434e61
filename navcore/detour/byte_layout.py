"""The headers and records of a Detour .bin file: how runtime data lies in bytes, for writers, kernels and the reader.

A file is SET_HEADER, then TILE_ENTRY and the tile, again and again; a tile is HEADER and the sections of `Sections`, in
that order and without gaps. All numbers are little-endian, all sizes multiples of four. Recast: DetourNavMesh.h, the
header of RecastDemo's navmesh files.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..types import F32, I64, U8, AnyArray, Records

TILE_MAGIC, TILE_VERSION = 0x444E4156, 7  # the file says "VAND"
SET_MAGIC, SET_VERSION = 0x4D534554, 1  # the file says "TESM"
CACHE_MAGIC = 0x54534554  # a set of layers, not of tiles: the file says "TEST"

NO_LINK = 0xFFFFFFFF  # end of a list of links
INSIDE = 0xFF  # a side: no tile border is crossed. Other sides: 0 … 7 around the tile, +x first, then towards +z
EXTERNAL = 0x8000  # in a neighbor: the edge lies on the tile border, its side in the low byte
HALF_TURN, LAST_SIDE = 4, 7  # (side + HALF_TURN) & LAST_SIDE is the side of the tile across
GROUND, CONNECTION = 0, 1  # what a polygon is
AREA_MASK, KIND_SHIFT = 63, 6  # in `area_and_kind`: area | kind << KIND_SHIFT
BOUNDARY_BITS = 0b010101  # in a detail triangle's fourth byte: which of its edges lie on the polygon's outline

SET_HEADER = np.dtype(
    [
        ("magic", "<i4"), ("version", "<i4"), ("tiles", "<i4"),
        ("origin", "<f4", (3,)), ("tile_width", "<f4"), ("tile_depth", "<f4"),  # metres
        ("most_tiles", "<i4"), ("most_polygons", "<i4"),  # of one tile; both decide the bits of a reference
    ]
)  # fmt: skip
"""Recast: NavMeshSetHeader with dtNavMeshParams."""

TILE_ENTRY = np.dtype([("reference", "<u4"), ("size", "<i4")])
"""Stands before each tile of a set. Recast: NavMeshTileHeader."""

HEADER = np.dtype(
    [
        ("magic", "<i4"), ("version", "<i4"), ("x", "<i4"), ("y", "<i4"), ("layer", "<i4"), ("user_id", "<u4"),
        ("polygons", "<i4"), ("vertices", "<i4"), ("links", "<i4"),
        ("detail_meshes", "<i4"), ("detail_vertices", "<i4"), ("detail_triangles", "<i4"),
        ("nodes", "<i4"), ("connections", "<i4"), ("first_connection", "<i4"),  # polygons from there on are connections
        ("agent_height", "<f4"), ("agent_radius", "<f4"), ("agent_max_climb", "<f4"),  # metres
        ("bounds_min", "<f4", (3,)), ("bounds_max", "<f4", (3,)), ("cells_per_metre", "<f4"),
    ]
)  # fmt: skip
"""Recast: dtMeshHeader."""

POLYGON = np.dtype(
    [
        ("first_link", "<u4"),
        ("vertices", "<u2", (6,)),
        ("neighbors", "<u2", (6,)),  # across edge j → j + 1: 0 wall, polygon + 1, or EXTERNAL | side
        ("flags", "<u2"), ("corners", "u1"), ("area_and_kind", "u1"),  # area | kind << KIND_SHIFT
    ]
)  # fmt: skip
"""Recast: dtPoly."""

LINK = np.dtype(
    [
        ("target", "<u4"), ("next", "<u4"),  # the polygon's next link
        ("edge", "u1"), ("side", "u1"), ("low", "u1"), ("high", "u1"),  # the part of the edge that is shared, in 255ths
    ]
)  # fmt: skip
"""Recast: dtLink."""

DETAIL_MESH = np.dtype(
    [("first_vertex", "<u4"), ("first_triangle", "<u4"), ("vertices", "u1"), ("triangles", "u1"), ("padding", "<u2")]
)
"""Recast: dtPolyDetail."""

NODE = np.dtype(
    [
        ("box", "<u2", (6,)),  # cells from bounds_min: low corner, high corner
        ("polygon", "<i4"),  # of a leaf; otherwise minus the number of nodes in this subtree
    ]
)
"""Recast: dtBVNode."""

CONNECTION_RECORD = np.dtype(
    [
        ("points", "<f4", (6,)), ("radius", "<f4"), ("polygon", "<u2"),
        ("flags", "u1"),  # 1: both ways
        ("side", "u1"),  # where the end lies
        ("user_id", "<u4"),
    ]
)  # fmt: skip
"""Recast: dtOffMeshConnection."""

COUNTS = (
    "vertices", "polygons", "links", "detail_meshes", "detail_vertices", "detail_triangles", "nodes", "connections",
)  # fmt: skip
"""The header's counts, in the order of the sections."""
ITEM_SIZES = (
    12, POLYGON.itemsize, LINK.itemsize, DETAIL_MESH.itemsize, 12, 4, NODE.itemsize, CONNECTION_RECORD.itemsize,
)  # fmt: skip
"""Bytes of one item of each section."""

_LINKS, _MESHES, _NODES, _CONNECTIONS = ITEM_SIZES[2], ITEM_SIZES[3], ITEM_SIZES[6], ITEM_SIZES[7]
_HEADER, _POLYGONS = HEADER.itemsize, POLYGON.itemsize


class Sections(NamedTuple):
    """One tile's bytes as arrays. Positions are float32 (., 3), triangles uint8 (., 4), all else records."""

    header: Records
    vertices: F32
    polygons: Records
    links: Records
    detail_meshes: Records
    detail_vertices: F32
    detail_triangles: U8
    nodes: Records
    connections: Records


def sections(data: U8) -> Sections:
    """The parts of a tile as views on its bytes; the header's counts must be true."""
    header = data[:_HEADER].view(HEADER)
    counts = header[0]
    a = _HEADER + np.int64(counts["vertices"]) * 12
    b = a + np.int64(counts["polygons"]) * _POLYGONS
    c = b + np.int64(counts["links"]) * _LINKS
    d = c + np.int64(counts["detail_meshes"]) * _MESHES
    e = d + np.int64(counts["detail_vertices"]) * 12
    f = e + np.int64(counts["detail_triangles"]) * 4
    g = f + np.int64(counts["nodes"]) * _NODES
    h = g + np.int64(counts["connections"]) * _CONNECTIONS
    return Sections(
        header,
        data[_HEADER:a].view(np.float32).reshape(-1, 3),
        data[a:b].view(POLYGON),
        data[b:c].view(LINK),
        data[c:d].view(DETAIL_MESH),
        data[d:e].view(np.float32).reshape(-1, 3),
        data[e:f].reshape(-1, 4),
        data[f:g].view(NODE),
        data[g:h].view(CONNECTION_RECORD),
    )


def corners_of(polygons: AnyArray) -> I64:
    """(P, 6) the vertex of each corner; of what is no corner, and may hold anything in a file, the first one's."""
    vertices = polygons["vertices"].astype(np.int64)
    used = np.arange(vertices.shape[1]) < polygons["corners"][:, None]
    return np.where(used, vertices, vertices[:, :1])


def header_of(data: U8) -> AnyArray:
    """A tile's header alone, as one record that shares its bytes."""
    return data[:_HEADER].view(HEADER)


split_sections = kernel(sections)
"""The same, for kernels."""


def tile_size(counts: dict[str, int]) -> int:
    """Bytes of a tile with so many items in each section."""
    return HEADER.itemsize + sum(counts[name] * size for name, size in zip(COUNTS, ITEM_SIZES, strict=True))
