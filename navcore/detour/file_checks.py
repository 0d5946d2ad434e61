"""Is a Detour .bin file sound? The rules for one tile of it, each with a code of its own.

After all of them no index can leave its array.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import NavmeshError
from ..geometry.arrays import numbers_in_ranges
from ..types import U8, AnyArray
from .byte_layout import (
    BOUNDARY_BITS,
    CONNECTION,
    COUNTS,
    EXTERNAL,
    GROUND,
    HEADER,
    INSIDE,
    KIND_SHIFT,
    LAST_SIDE,
    TILE_MAGIC,
    TILE_VERSION,
    Sections,
    tile_size,
)
from .limits import MOST_CORNERS, MOST_GROUND_POLYGONS, MOST_POLYGONS
from .off_mesh_links import FARTHEST
from .polygon_references import bits

_FARTHEST_TILE = 1 << 30
_LOW_BYTE = 0xFF
_SIDES = np.zeros(_LOW_BYTE + 1, bool)
_SIDES[[0, 2, 4, 6]] = True  # a border edge's; a connection's may be any
_CORNER = np.arange(MOST_CORNERS)


class BadFile(NavmeshError):
    """A file that is no sound Detour navmesh; the code names the rule it breaks."""

    code = "BAD_FILE"


class Where(NamedTuple):
    """Which tile of the file is looked at, for messages."""

    number: int

    def bad(self, what: str, code: str) -> BadFile:
        return BadFile(f"Tile {self.number} {what}.", code)


def checked_header(data: U8, polygon_bits: int, where: Where) -> dict[str, Any]:
    """The header's numbers by name; its counts fit the tile's bytes exactly."""
    if len(data) < HEADER.itemsize:
        raise where.bad(f"has {len(data)} bytes, and its header alone takes {HEADER.itemsize}", "TRUNCATED")
    assert HEADER.names is not None
    header = dict(zip(HEADER.names, data[: HEADER.itemsize].view(HEADER)[0].item(), strict=True))
    if header["magic"] != TILE_MAGIC:
        raise where.bad("does not begin as Detour tiles do", "BAD_TILE_MAGIC")
    if header["version"] != TILE_VERSION:
        raise where.bad(f"has version {header['version']}, not {TILE_VERSION}", "BAD_TILE_VERSION")
    _check_counts(header, polygon_bits, where)
    size = tile_size(header)
    if size != len(data):
        raise where.bad(f"needs {size:,} bytes for what it says it holds, and has {len(data):,}", "BAD_SECTIONS")
    if max(abs(header["x"]), abs(header["y"]), abs(header["layer"])) >= _FARTHEST_TILE:
        raise where.bad(f"lies at ({header['x']}, {header['y']}), layer {header['layer']}", "BAD_TILE_PLACE")
    _check_world(header, where)
    return header


def _check_counts(header: dict[str, Any], polygon_bits: int, where: Where) -> None:
    negative = next((name for name in (*COUNTS, "first_connection") if header[name] < 0), None)
    if negative:
        raise where.bad(f"says it holds {header[negative]} {negative.replace('_', ' ')}", "BAD_COUNT")
    polygons, ground = header["polygons"], header["first_connection"]
    for name, low, high in (("polygons", 1, MOST_POLYGONS), ("vertices", 1, MOST_POLYGONS + 1), ("links", 1, None)):
        if header[name] < low or (high is not None and header[name] > high):
            raise where.bad(f"says it holds {header[name]} {name}", "BAD_COUNT")
    if bits(polygons) > polygon_bits:
        raise where.bad(
            f"has {polygons} polygons, more than references leave bits for ({polygon_bits})", "TOO_MANY_POLYGONS"
        )
    if ground + header["connections"] != polygons or ground > MOST_GROUND_POLYGONS:
        counts = f"{ground} ground polygons and {header['connections']} connections for {polygons} polygons"
        raise where.bad(f"has {counts}", "BAD_CONNECTION_COUNT")
    if header["detail_meshes"] < ground:
        raise where.bad(f"has {header['detail_meshes']} detail meshes for {ground} polygons", "BAD_DETAIL_COUNT")


def _check_world(header: dict[str, Any], where: Where) -> None:
    agent = header["agent_height"], header["agent_radius"], header["agent_max_climb"]
    if not all(abs(value) <= FARTHEST for value in agent) or agent[1] < 0 or agent[2] < 0:
        raise where.bad(f"was built for an impossible agent {agent}", "BAD_AGENT")
    low, high = header["bounds_min"], header["bounds_max"]
    if not all(-FARTHEST <= a <= b <= FARTHEST for a, b in zip(low, high, strict=True)):
        raise where.bad(f"has impossible bounds {tuple(low)} to {tuple(high)}", "BAD_BOUNDS")
    if not 1 / FARTHEST <= header["cells_per_metre"] <= FARTHEST:  # cells, too, are no larger than the world
        raise where.bad(f"has {header['cells_per_metre']} cells a metre", "BAD_QUANTIZATION")


def check_tile(tile: Sections, header: dict[str, Any], where: Where) -> None:
    """Every section of a tile whose header is sound."""
    ground = header["first_connection"]
    _check_polygons(tile, ground, where)
    _check_detail(tile, ground, where)
    if header["nodes"]:
        _check_tree(tile.nodes["polygon"], ground, where)
    if header["connections"]:
        _check_connections(tile, ground, where)


def _check_polygons(tile: Sections, ground: int, where: Where) -> None:
    if not _near(tile.vertices):
        raise where.bad("has a vertex that is not finite or too far away", "BAD_VERTEX")
    polygons = tile.polygons
    kind, corners = polygons["area_and_kind"] >> KIND_SHIFT, polygons["corners"]
    if (kind[:ground] != GROUND).any() or (kind[ground:] != CONNECTION).any():
        raise where.bad("has ground and connections out of order", "BAD_POLYGON_KIND")
    few = corners[:ground].min(initial=3) < 3 or corners[:ground].max(initial=3) > MOST_CORNERS
    if few or (corners[ground:] != 2).any():
        raise where.bad(f"has a polygon with fewer than 3 or more than {MOST_CORNERS} corners", "BAD_CORNER_COUNT")
    used = corners[:, None] > _CORNER
    if (used & (polygons["vertices"] >= len(tile.vertices))).any():
        raise where.bad("has a polygon corner without a vertex", "BAD_CORNER")
    neighbors = polygons["neighbors"][:ground]
    outside = neighbors >= EXTERNAL
    good = np.where(outside, _SIDES[neighbors & _LOW_BYTE], neighbors <= ground)
    if (used[:ground] & ~good).any():
        raise where.bad("has an edge whose neighbor does not exist", "BAD_NEIGHBOR")


def _check_detail(tile: Sections, ground: int, where: Where) -> None:
    if not _near(tile.detail_vertices):
        raise where.bad("has a detail vertex that is not finite or too far away", "BAD_DETAIL_VERTEX")
    meshes, triangles = tile.detail_meshes, tile.detail_triangles
    vertices, count = meshes["vertices"].astype(np.int64), meshes["triangles"].astype(np.int64)
    first = meshes["first_triangle"].astype(np.int64)
    if (meshes["first_vertex"] + vertices > len(tile.detail_vertices)).any():
        raise where.bad("has a detail mesh whose vertices do not exist", "BAD_DETAIL_VERTICES")
    if (first + count > len(triangles)).any():
        raise where.bad("has a detail mesh whose triangles do not exist", "BAD_DETAIL_TRIANGLES")
    first, count = first[:ground], count[:ground]
    if not count.all():
        raise where.bad("has a polygon without detail triangles", "NO_DETAIL_TRIANGLES")
    # Meshes may share triangles: what is looked at twice is bounded by the 255 that a polygon can have.
    known = np.repeat(tile.polygons["corners"][:ground] + vertices[:ground], count)
    chosen = triangles[numbers_in_ranges(first, count)]
    if (chosen[:, :3] >= known[:, None]).any():
        raise where.bad("has a detail triangle with a corner that does not exist", "BAD_DETAIL_CORNER")
    if ground and not np.logical_or.reduceat(chosen[:, 3] & BOUNDARY_BITS != 0, np.cumsum(count) - count).all():
        raise where.bad("has a polygon none of whose detail triangles lies on its outline", "NO_OUTLINE")


def _check_tree(leaves: AnyArray, ground: int, where: Where) -> None:
    """A walk always moves forward and never leaves the array."""
    left = np.arange(len(leaves), 0, -1)
    if (leaves >= ground).any() or (-leaves.astype(np.int64) > left).any():
        raise where.bad("has a tree node that leads nowhere", "BAD_TREE")


def _check_connections(tile: Sections, ground: int, where: Where) -> None:
    records = tile.connections
    if (records["polygon"] != np.arange(ground, ground + len(records))).any():
        raise where.bad("has a connection that names another polygon than its own", "BAD_CONNECTION_POLYGON")
    side = records["side"]
    if ((side > LAST_SIDE) & (side != INSIDE)).any():
        raise where.bad("has a connection that ends on a side that does not exist", "BAD_CONNECTION_SIDE")
    if (records["flags"] > 1).any():
        raise where.bad("has a connection with unknown flags", "BAD_CONNECTION_FLAGS")
    if not _near(records["points"]):
        raise where.bad("has a connection whose ends are not finite or too far away", "BAD_CONNECTION_POINT")
    if not ((records["radius"] >= 0) & (records["radius"] <= FARTHEST)).all():
        raise where.bad("has a connection with an impossible radius", "BAD_CONNECTION_RADIUS")


def _near(numbers: AnyArray) -> bool:
    """Whether all are finite and not too far from 0."""
    return bool((np.abs(numbers) <= FARTHEST).all())
