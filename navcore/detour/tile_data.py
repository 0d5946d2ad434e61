"""A tile's runtime data from its meshes: the very bytes that Detour builds, its links still empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..area_types import AREA_TYPES, AreaType, area_flags, runtime_areas
from ..jit import kernel
from ..result.navmesh import world_vertices
from ..settings import Settings
from ..types import (
    F32,
    FIRST_TRIANGLE,
    FIRST_VERTEX,
    I64,
    NO_INDEX,
    PORTAL,
    PORTAL_SIDE_MASK,
    TRIANGLE_COUNT,
    U8,
    U16,
    U32,
    VERTEX_COUNT,
    DetailMesh,
    PolygonMesh,
)
from .bounding_tree import build_tree, leaf_boxes
from .byte_layout import (
    AREA_MASK,
    BOUNDARY_BITS,
    CONNECTION,
    COUNTS,
    EXTERNAL,
    GROUND,
    KIND_SHIFT,
    TILE_MAGIC,
    TILE_VERSION,
    Sections,
    header_of,
    sections,
    split_sections,
    tile_size,
)
from .limits import check_meshes, check_with_links
from .off_mesh_links import LinkTable, Stored, link_table, stored_links

_SIDE_OF_PORTAL = np.zeros(16, np.uint16)  # a polygon mesh counts −x, +z, +x, −z; runtime data eighths from +x
_SIDE_OF_PORTAL[:4] = EXTERNAL | np.array([4, 2, 0, 6])
_NO_PORTAL = NO_INDEX & PORTAL_SIDE_MASK
_FIRST_EDGE, _MIDDLE_EDGE, _LAST_EDGE = 1, 4, 16  # BOUNDARY_BITS one by one, for edges 0 → 1 → 2 → 0 of a triangle
_LOW_BYTE = 255


class Agent(NamedTuple):
    """Who the mesh was built for, in metres."""

    height: np.float32
    radius: np.float32
    max_climb: np.float32

    @classmethod
    def of(cls, settings: Settings) -> Agent:
        return cls(*map(np.float32, (settings.agent_height, settings.agent_radius, settings.agent_max_climb)))


NO_LINKS = link_table(())
_NOTHING_STORED = Stored(np.zeros(0, np.int64), np.zeros(0, np.uint8), 0)


def tile_data(
    mesh: PolygonMesh,
    detail: DetailMesh | None,
    agent: Agent,
    links: LinkTable = NO_LINKS,
    x: int = 0,
    y: int = 0,
    types: Mapping[int, AreaType] = AREA_TYPES,
    has_tree: bool = True,
) -> U8:
    """The bytes of one tile, as a writable array.

    Of `links` those are kept that start in the tile. Without a tree its nodes stay zero. Raises TooLarge or BadSettings
    where the format has no room. Recast: dtCreateNavMeshData.
    """
    where = f"Tile ({x}, {y})"
    check_meshes(mesh, detail, where)
    corners = np.empty(len(mesh.polygons), np.int64)
    edges, portals = _count_kernel(mesh.polygons, mesh.neighbors, corners)
    if detail is not None:
        detail = _usable(detail, corners)
    stored = _stored(mesh, detail, agent, links)
    counts = _counts(mesh, detail, edges, portals, stored)
    check_with_links(counts["polygons"], counts["vertices"], where)

    data = np.zeros(tile_size(counts), np.uint8)
    _write_header(data, mesh, agent, counts, (x, y))
    tile = sections(data)
    tile.vertices[: len(mesh.vertices)] = world_vertices(mesh)
    areas = runtime_areas(mesh.area)
    _polygons_kernel(data, mesh.polygons, mesh.neighbors, corners, areas, area_flags(areas, types))
    _write_detail(tile, detail, corners)
    if has_tree:
        build_tree(leaf_boxes(mesh, detail, corners), tile.nodes)
    if len(stored.rows):
        _write_connections(tile, links, stored, len(mesh.vertices), len(corners))
    return data


def _stored(mesh: PolygonMesh, detail: DetailMesh | None, agent: Agent, links: LinkTable) -> Stored:
    if len(links.points) == 0:
        return _NOTHING_STORED
    return stored_links(links, (mesh.grid.bounds_min, mesh.grid.bounds_max), *lowest_and_highest(mesh, detail, agent))


def lowest_and_highest(mesh: PolygonMesh, detail: DetailMesh | None, agent: Agent) -> tuple[np.float32, np.float32]:
    """The heights within which links that start in a tile are stored there."""
    heights = world_vertices(mesh)[:, 1] if detail is None or not len(detail.vertices) else detail.vertices[:, 1]
    return heights.min() - agent.max_climb, heights.max() + agent.max_climb


def write_tree(data: U8, mesh: PolygonMesh, detail: DetailMesh | None) -> None:
    """Fill in the tree of a tile that was made without."""
    tile = sections(data)
    build_tree(leaf_boxes(mesh, detail, tile.polygons["corners"].astype(np.int64)), tile.nodes)


@kernel
def _count_kernel(polygons: U16, neighbors: U16, corners: I64) -> tuple[int, int]:
    """Count the corners of each polygon; returns those of all, and the edges that lead on into a tile beside it."""
    edges, portals = 0, 0
    for polygon in range(len(polygons)):
        corners[polygon] = 0
        for corner in range(polygons.shape[1]):
            across = neighbors[polygon, corner]
            corners[polygon] += polygons[polygon, corner] != NO_INDEX
            portals += (across & PORTAL != 0) and (across & PORTAL_SIDE_MASK != _NO_PORTAL)
        edges += corners[polygon]
    return edges, portals


def _counts(
    mesh: PolygonMesh, detail: DetailMesh | None, edges: int, portals: int, stored: Stored
) -> dict[str, int]:  # fmt: skip
    """How many items each section holds."""
    ground, connections = len(mesh.polygons), len(stored.rows)
    if detail is None:
        detail_vertices, detail_triangles = 0, edges - 2 * ground
    else:
        detail_vertices, detail_triangles = int(detail.meshes[:, VERTEX_COUNT].sum()) - edges, len(detail.triangles)
    return {
        "vertices": len(mesh.vertices) + 2 * connections,
        "polygons": ground + connections,
        "links": edges + 2 * portals + 2 * stored.points_inside,
        "detail_meshes": ground,
        "detail_vertices": detail_vertices,
        "detail_triangles": detail_triangles,
        "nodes": 2 * ground,
        "connections": connections,
    }


def _write_header(data: U8, mesh: PolygonMesh, agent: Agent, counts: dict[str, int], place: tuple[int, int]) -> None:
    header = header_of(data)
    header["magic"], header["version"] = TILE_MAGIC, TILE_VERSION
    header["x"], header["y"] = place
    for name in COUNTS:
        header[name] = counts[name]
    header["first_connection"] = counts["detail_meshes"]
    header["agent_height"], header["agent_radius"], header["agent_max_climb"] = agent
    header["bounds_min"], header["bounds_max"] = mesh.grid.bounds_min, mesh.grid.bounds_max
    header["cells_per_metre"] = np.float32(1) / mesh.grid.cell_size


@kernel
def _polygons_kernel(data: U8, polygons: U16, neighbors: U16, corners: I64, areas: U8, flags: U16) -> None:
    """Write the polygons of the ground; areas and flags are those of runtime data."""
    written = split_sections(data).polygons
    for polygon in range(len(corners)):
        for corner in range(corners[polygon]):
            across = neighbors[polygon, corner]
            written["vertices"][polygon, corner] = polygons[polygon, corner]
            written["neighbors"][polygon, corner] = (
                _SIDE_OF_PORTAL[across & PORTAL_SIDE_MASK] if across & PORTAL != 0 else across + 1
            )
        written["corners"][polygon], written["flags"][polygon] = corners[polygon], flags[polygon]
        written["area_and_kind"][polygon] = areas[polygon] & AREA_MASK | GROUND << KIND_SHIFT


def _write_connections(tile: Sections, links: LinkTable, stored: Stored, vertex: int, polygon: int) -> None:
    """Each stored link is a polygon of two corners, and a record."""
    count = len(stored.rows)
    points = links.points[stored.rows]
    tile.vertices[vertex:] = points.reshape(-1, 3)
    polygons = tile.polygons[polygon:]
    polygons["vertices"][:, :2] = np.arange(vertex, vertex + 2 * count).reshape(-1, 2)
    polygons["corners"] = 2
    polygons["flags"] = links.flags[stored.rows]
    polygons["area_and_kind"] = links.area[stored.rows] & AREA_MASK | CONNECTION << KIND_SHIFT
    records = tile.connections
    records["points"], records["radius"] = points, links.radius[stored.rows]
    records["polygon"] = np.arange(polygon, polygon + count)
    records["flags"], records["side"] = links.both_ways[stored.rows], stored.end_side
    records["user_id"] = links.id[stored.rows]


# --- detail


def _write_detail(tile: Sections, detail: DetailMesh | None, corners: npt.NDArray[Any]) -> None:
    """Detail vertices beyond the polygons' corners, and all triangles; fans where there is no detail mesh."""
    records = tile.detail_meshes
    if detail is None:
        records["triangles"] = corners - 2
        records["first_triangle"] = np.cumsum(corners - 2) - (corners - 2)
        _fan_kernel(corners, tile.detail_triangles)
        return
    own = detail.meshes[:, VERTEX_COUNT].astype(np.int64) - corners
    records["first_vertex"], records["vertices"] = np.cumsum(own) - own, own & _LOW_BYTE
    records["first_triangle"] = detail.meshes[:, FIRST_TRIANGLE]
    records["triangles"] = detail.meshes[:, TRIANGLE_COUNT] & _LOW_BYTE
    tile.detail_triangles[:] = detail.triangles
    _copy_kernel(detail.meshes, corners, detail.vertices, tile.detail_vertices)


@kernel
def _fan_kernel(corners: npt.NDArray[Any], triangles: U8) -> None:
    """Triangles around each polygon's first corner; the bits say which edges lie on its outline."""
    place = 0
    for polygon in range(len(corners)):
        for corner in range(2, corners[polygon]):
            triangles[place, 0] = 0
            triangles[place, 1] = corner - 1
            triangles[place, 2] = corner
            bits = _MIDDLE_EDGE + (_FIRST_EDGE if corner == 2 else 0)
            triangles[place, 3] = bits + (_LAST_EDGE if corner == corners[polygon] - 1 else 0)
            place += 1


@kernel
def _copy_kernel(meshes: U32, corners: npt.NDArray[Any], source: F32, vertices: F32) -> None:
    place = 0
    for polygon in range(len(corners)):
        first = np.int64(meshes[polygon, FIRST_VERTEX])
        for v in range(first + corners[polygon], first + np.int64(meshes[polygon, VERTEX_COUNT])):
            for axis in range(3):
                vertices[place, axis] = source[v, axis]
            place += 1


@kernel
def _outlined_kernel(meshes: U32, triangles: U8, outlined: npt.NDArray[np.bool_]) -> int:
    """Mark the polygons that have a triangle on their outline; returns how many those are."""
    for polygon in range(len(outlined)):
        first = np.int64(meshes[polygon, FIRST_TRIANGLE])
        for triangle in range(first, first + np.int64(meshes[polygon, TRIANGLE_COUNT])):
            if triangles[triangle, 3] & BOUNDARY_BITS != 0:
                outlined[polygon] = True
                break
    return np.count_nonzero(outlined)


def _usable(detail: DetailMesh, corners: npt.NDArray[Any]) -> DetailMesh:
    """`detail` with fans for polygons that have no triangle or none on their outline.

    Detour reads through a null pointer when it asks for the nearest point on such a polygon, and readers refuse it.
    """
    outlined = np.zeros(len(corners), bool)
    if _outlined_kernel(detail.meshes, detail.triangles, outlined) == len(corners):
        return detail
    count, first = (detail.meshes[:, column].astype(np.int64) for column in (TRIANGLE_COUNT, FIRST_TRIANGLE))
    rows: list[U8] = []
    for polygon in range(len(corners)):
        begin = int(first[polygon])
        triangles = detail.triangles[begin : begin + int(count[polygon])]
        if not outlined[polygon]:
            triangles = np.zeros((int(corners[polygon]) - 2, 4), np.uint8)
            _fan_kernel(corners[polygon : polygon + 1], triangles)
        rows.append(triangles)
    meshes = detail.meshes.copy()
    meshes[:, TRIANGLE_COUNT] = [len(row) for row in rows]
    meshes[:, FIRST_TRIANGLE] = np.cumsum(meshes[:, TRIANGLE_COUNT]) - meshes[:, TRIANGLE_COUNT]
    return DetailMesh(meshes, detail.vertices, np.concatenate(rows))
