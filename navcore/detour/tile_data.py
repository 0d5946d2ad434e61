"""A tile's runtime data from its meshes: the very bytes that Detour builds, its links still empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..area_types import AREA_TYPES, AreaType, flags_by_area
from ..jit import borrowing, kernel
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
    WALKABLE,
    AnyArray,
    AnyInt,
    Bools,
    DetailMesh,
    PolygonMesh,
)
from .bounding_tree import build_tree, corner_boxes, detail_boxes, leaf_boxes, tree_of_boxes
from .byte_layout import AREA_MASK, BOUNDARY_BITS, EXTERNAL, GROUND, KIND_SHIFT, Sections, sections, split_sections
from .limits import (
    MOST_DETAIL_VERTICES,
    MOST_GROUND_POLYGONS,
    MOST_POLYGONS,
    MOST_VERTICES,
    check_corners,
    check_meshes,
    check_with_links,
)
from .off_mesh_links import FARTHEST, LinkTable, link_table
from .tile_parts import TileCounts, TilePlace, begun_tile, links_of_tile, write_connections

_SIDE_OF_PORTAL = np.zeros(16, np.uint16)  # a polygon mesh counts −x, +z, +x, −z; runtime data eighths from +x
_SIDE_OF_PORTAL[:4] = EXTERNAL | np.array([4, 2, 0, 6])
_NO_PORTAL = NO_INDEX & PORTAL_SIDE_MASK
_FIRST_EDGE, _MIDDLE_EDGE, _LAST_EDGE = 1, 4, 16  # BOUNDARY_BITS one by one, for edges 0 → 1 → 2 → 0 of a triangle
_LOW_BYTE, _ONE = 255, np.float32(1)


class Agent(NamedTuple):
    """Who the mesh was built for, in metres."""

    height: np.float32
    radius: np.float32
    max_climb: np.float32

    @classmethod
    def of(cls, settings: Settings) -> Agent:
        return cls(*map(np.float32, (settings.agent_height, settings.agent_radius, settings.agent_max_climb)))


NO_LINKS = link_table(())
_NO_CORNERS = np.empty(0, np.int64)
WRITTEN, TOO_LARGE, NO_OUTLINE = 0, 1, 2  # how a tile came out


class _Mesh(NamedTuple):
    """Of a PolygonMesh what is written."""

    vertices: U16
    polygons: U16
    neighbors: U16
    area: U8


class _Detail(NamedTuple):
    """A DetailMesh, or none."""

    is_there: bool
    meshes: U32
    vertices: F32
    triangles: U8


_NO_DETAIL = _Detail(False, np.empty((0, 4), np.uint32), np.empty((0, 3), np.float32), np.empty((0, 4), np.uint8))


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
    check_corners(mesh)
    grid, shape = mesh.grid, tuple(_NO_DETAIL if detail is None else (True, *detail))
    bounds = (*grid.bounds_min.tolist(), *grid.bounds_max.tolist())
    if max(map(abs, bounds)) > FARTHEST:
        check_meshes(mesh, detail, where)
    place = bounds, (np.float32(grid.cell_size), np.float32(grid.cell_height)), int(x), int(y)
    given = mesh.vertices, mesh.polygons, mesh.neighbors, mesh.area
    rules, table = (tuple(agent), flags_by_area(types), has_tree), tuple(links)
    status, polygons, vertices, data = _written(place, given, shape, rules, table)
    if status == NO_OUTLINE and detail is not None:
        usable = tuple(_usable(detail, np.count_nonzero(mesh.polygons != NO_INDEX, axis=1)))
        status, polygons, vertices, data = _written(place, given, usable, rules, table)
    if status == TOO_LARGE:
        check_meshes(mesh, detail, where)
        check_with_links(polygons, vertices, where)
    return data


def lowest_and_highest(mesh: PolygonMesh, detail: DetailMesh | None, agent: Agent) -> tuple[np.float32, np.float32]:
    """The heights within which links that start in a tile are stored there."""
    heights = world_vertices(mesh)[:, 1] if detail is None or not len(detail.vertices) else detail.vertices[:, 1]
    return heights.min() - agent.max_climb, heights.max() + agent.max_climb


def write_tree(data: U8, mesh: PolygonMesh, detail: DetailMesh | None) -> None:
    """Fill in the tree of a tile that was made without."""
    build_tree(boxes_of(data, mesh, detail), sections(data).nodes)


def boxes_of(data: U8, mesh: PolygonMesh, detail: DetailMesh | None) -> U16:
    """The boxes of the polygons of a tile, as its tree has them."""
    corners = _NO_CORNERS if detail is not None else sections(data).polygons["corners"].astype(np.int64)
    return leaf_boxes(mesh, detail, corners)


@kernel
def _written(
    place: tuple[Any, ...], mesh: Any, detail: Any, rules: tuple[Any, ...], links: Any
) -> tuple[int, int, int, U8]:
    """How a tile came out, its polygons and vertices with all connections, and its bytes.

    `place`: both bounds, the sizes of cells, x and y; `rules`: the agent, flags by area, whether it has a tree.
    """
    mesh, detail, links = _Mesh(*mesh), _Detail(*detail), LinkTable(*links)
    bounds, sizes, x, y = place
    agent, flags, has_tree = rules
    corners, nothing = np.empty(len(mesh.polygons), np.int64), np.empty(0, np.uint8)
    edges, portals = _count_kernel(mesh.polygons, mesh.neighbors, corners)
    ground, own = len(mesh.polygons), _own_vertices(detail, edges)
    if ground > MOST_GROUND_POLYGONS or len(mesh.vertices) > MOST_VERTICES or own > MOST_DETAIL_VERTICES:
        return TOO_LARGE, 0, 0, nothing
    if detail.is_there and not _all_outlined(detail):
        return NO_OUTLINE, 0, 0, nothing
    low, high = np.empty(3, np.float32), np.empty(3, np.float32)
    for axis in range(3):
        low[axis], high[axis] = np.float32(bounds[axis]), np.float32(bounds[axis + 3])
    where = TilePlace(x, y, 0, low, high)
    lowest, highest = _lowest_and_highest(mesh, detail, low[1], sizes[1])
    rows, sides, inside = links_of_tile(links, where, lowest - agent[2], highest + agent[2])
    connections = len(rows)
    polygons, vertices = ground + connections, len(mesh.vertices) + 2 * connections
    if polygons > MOST_POLYGONS or vertices > MOST_POLYGONS + 1:
        return TOO_LARGE, polygons, vertices, nothing
    triangles = len(detail.triangles) if detail.is_there else edges - 2 * ground
    counts = TileCounts(vertices, ground, edges + 2 * portals + 2 * inside, own, triangles, 2 * ground, connections)
    data = begun_tile(where, counts, agent, sizes[0])
    tile = split_sections(data)
    for vertex in range(len(mesh.vertices)):
        for axis in range(3):
            step = sizes[1] if axis == 1 else sizes[0]
            tile.vertices[vertex, axis] = low[axis] + np.float32(mesh.vertices[vertex, axis]) * step
    _write_polygons(tile, mesh, corners, flags)
    _write_detail(tile, detail, corners)
    if has_tree:
        _write_tree(tile, mesh, detail, corners, (low, sizes))
    write_connections(tile, links, rows, sides, len(mesh.vertices), ground)
    return WRITTEN, polygons, vertices, data


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


@borrowing
def _write_polygons(tile: Sections, mesh: _Mesh, corners: I64, flags: U16) -> None:
    """Write the polygons of the ground; areas and flags are those of runtime data."""
    written, polygons, neighbors = tile.polygons, mesh.polygons, mesh.neighbors
    for polygon in range(len(corners)):
        for corner in range(corners[polygon]):
            across = np.int32(neighbors[polygon, corner])
            written["vertices"][polygon, corner] = polygons[polygon, corner]
            written["neighbors"][polygon, corner] = (
                _SIDE_OF_PORTAL[across & PORTAL_SIDE_MASK] if across & PORTAL != 0 else across + 1
            )
        area = np.int32(mesh.area[polygon])
        area = np.int32(0) if area == WALKABLE else area
        written["corners"][polygon], written["flags"][polygon] = corners[polygon], flags[area]
        written["area_and_kind"][polygon] = area & AREA_MASK | GROUND << KIND_SHIFT


@kernel
def _own_vertices(detail: _Detail, edges: AnyInt) -> AnyInt:
    """How many vertices the detail has beyond the polygons' corners."""
    own: AnyInt = 0
    for polygon in range(len(detail.meshes)):
        own += np.int64(detail.meshes[polygon, VERTEX_COUNT])
    return own - edges if detail.is_there else 0


@kernel
def _lowest_and_highest(
    mesh: _Mesh, detail: _Detail, floor: np.float32, cell_height: np.float32
) -> tuple[np.float32, np.float32]:
    """The heights of the ground, in metres."""
    low, high = np.float32(np.inf), np.float32(-np.inf)
    if len(detail.vertices):
        for vertex in range(len(detail.vertices)):
            low, high = min(low, detail.vertices[vertex, 1]), max(high, detail.vertices[vertex, 1])
        return low, high
    for vertex in range(len(mesh.vertices)):
        height = floor + np.float32(mesh.vertices[vertex, 1]) * cell_height
        low, high = min(low, height), max(high, height)
    return low, high


@kernel
def _write_tree(tile: Sections, mesh: _Mesh, detail: _Detail, corners: I64, frame: tuple[F32, Any]) -> None:
    low, sizes = frame
    boxes = np.empty((len(corners), 6), np.uint16)
    if detail.is_there:
        detail_boxes(detail.meshes, detail.vertices, low, _ONE / sizes[0], boxes)
    else:
        corner_boxes(mesh.vertices, mesh.polygons, corners, sizes[0], sizes[1], boxes)
    order, scratch = np.empty(len(boxes), np.int32), np.empty(len(boxes), np.int32)
    for polygon in range(len(boxes)):
        order[polygon] = polygon
    tree_of_boxes(boxes, order, scratch, tile.nodes["box"], tile.nodes["polygon"])


# --- detail


@kernel
def _write_detail(tile: Sections, detail: _Detail, corners: I64) -> None:
    """Detail vertices beyond the polygons' corners, and all triangles; fans where there is no detail mesh."""
    records = tile.detail_meshes
    if not detail.is_there:
        triangle = 0
        for polygon in range(len(corners)):
            records["first_triangle"][polygon], records["triangles"][polygon] = triangle, corners[polygon] - 2
            triangle += corners[polygon] - 2
        _fan_kernel(corners, tile.detail_triangles)
        return
    place = 0
    for polygon in range(len(corners)):
        first = np.int64(detail.meshes[polygon, FIRST_VERTEX])
        own = np.int64(detail.meshes[polygon, VERTEX_COUNT]) - corners[polygon]
        records["first_vertex"][polygon], records["vertices"][polygon] = place, own & _LOW_BYTE
        records["first_triangle"][polygon] = detail.meshes[polygon, FIRST_TRIANGLE]
        records["triangles"][polygon] = np.int64(detail.meshes[polygon, TRIANGLE_COUNT]) & _LOW_BYTE
        for vertex in range(first + corners[polygon], first + corners[polygon] + own):
            for axis in range(3):
                tile.detail_vertices[place, axis] = detail.vertices[vertex, axis]
            place += 1
    for triangle in range(len(detail.triangles)):
        for corner in range(4):
            tile.detail_triangles[triangle, corner] = detail.triangles[triangle, corner]


@kernel
def _fan_kernel(corners: AnyArray, triangles: U8) -> None:
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
def _all_outlined(detail: _Detail) -> bool:
    """Whether every polygon has a triangle on its outline."""
    outlined = np.zeros(len(detail.meshes), np.bool_)
    return _outlined_kernel(detail.meshes, detail.triangles, outlined) == len(outlined)


@kernel
def _outlined_kernel(meshes: U32, triangles: U8, outlined: Bools) -> int:
    """Mark the polygons that have a triangle on their outline; returns how many those are."""
    for polygon in range(len(outlined)):
        first = np.int64(meshes[polygon, FIRST_TRIANGLE])
        for triangle in range(first, first + np.int64(meshes[polygon, TRIANGLE_COUNT])):
            if triangles[triangle, 3] & BOUNDARY_BITS != 0:
                outlined[polygon] = True
                break
    return np.count_nonzero(outlined)


def _usable(detail: DetailMesh, corners: AnyArray) -> _Detail:
    """`detail` with fans for polygons that have no triangle or none on their outline.

    Detour reads through a null pointer when it asks for the nearest point on such a polygon, and readers refuse it.
    """
    outlined = np.zeros(len(corners), bool)
    _outlined_kernel(detail.meshes, detail.triangles, outlined)
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
    return _Detail(True, meshes, detail.vertices, np.concatenate(rows))
