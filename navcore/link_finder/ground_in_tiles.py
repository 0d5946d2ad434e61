"""What the finder needs of linked tiles, read from their bytes: outlines, what leads on to what, heights and walls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import AREA_MASK, EXTERNAL, INSIDE, NO_LINK, Sections, split_sections
from ..detour.queries.walk_graph import WalkGraph
from ..jit import kernel
from ..types import F64, I32, I64, U8, U32, AnyInt

# Columns of `facts`.
CORNERS, FIRST_LINK, END_LINK, FIRST_TRIANGLE, END_TRIANGLE = range(5)
_FACTS = 5
_MOST_CORNERS = 6
_WHOLE = 255  # of an edge, in a link
_PART = np.float32(1) / np.float32(_WHOLE)


class GroundInTiles(NamedTuple):
    """P polygons with L links, D detail triangles and W walls, in metres from the level's corner."""

    outline: F64  # (P, 6, 3) beyond the last corner: the first once more
    facts: I32  # (P, 5)
    portals: F64  # (L, 2, 3) what the first link to the same polygon shares
    triangles: F64  # (D, 3, 3)
    wall_ends: F64  # (W, 2, 3) directed as polygons are walked around
    wall_polygon: I32  # (W,)
    wall_tile: I32  # (W,) number of the tile
    wall_area: I32  # (W,)


def joined_tiles(tiles: Sequence[U8]) -> tuple[U8, I64]:
    """Tiles one after the other, and where each begins."""
    first = np.concatenate([[0], np.cumsum([len(data) for data in tiles])]).astype(np.int64)
    return np.concatenate(tiles) if len(tiles) != 1 else tiles[0], first


def ground_in_tiles(data: U8, first: I64, graph: WalkGraph, origin: F64) -> GroundInTiles:
    """The ground of a graph without links between places, whose tiles are joined."""
    counts = _counts_kernel(data, first)
    polygons, triangles, walls = counts.tolist()
    ground = GroundInTiles(
        np.empty((polygons, _MOST_CORNERS, 3)), np.zeros((polygons, _FACTS), np.int32),
        np.empty((len(graph.targets), 2, 3)), np.empty((triangles, 3, 3)), np.empty((walls, 2, 3)),
        np.empty(walls, np.int32), np.empty(walls, np.int32), np.empty(walls, np.int32),
    )  # fmt: skip
    used = _fill_kernel(data, first, graph.starts, graph.targets, origin, ground)
    return ground._replace(
        wall_ends=ground.wall_ends[:used], wall_polygon=ground.wall_polygon[:used], wall_tile=ground.wall_tile[:used],
        wall_area=ground.wall_area[:used],
    )  # fmt: skip


@kernel
def _counts_kernel(data: U8, first: I64) -> I64:
    """How many polygons and detail triangles there are, and walls at most."""
    counts = np.zeros(3, np.int64)
    for number in range(len(first) - 1):
        tile = split_sections(data[first[number] : first[number + 1]])
        counts[0] += len(tile.polygons)
        counts[1] += len(tile.detail_triangles)
        neighbors, corners = tile.polygons["neighbors"], tile.polygons["corners"]
        for polygon in range(len(corners)):
            for edge in range(np.int32(corners[polygon])):
                counts[2] += neighbors[polygon, edge] == 0 or neighbors[polygon, edge] >= EXTERNAL
        for link in range(len(tile.links)):
            counts[2] += tile.links["side"][link] != INSIDE  # each may leave a wall on its either side
    return counts


@kernel
def _fill_kernel(data: U8, first: I64, starts: I64, targets: I32, origin: F64, ground: GroundInTiles) -> int:
    """Fill in the ground of all tiles; returns how many walls there are."""
    polygons, triangles, walls = 0, 0, 0
    for number in range(len(first) - 1):
        tile = split_sections(data[first[number] : first[number + 1]])
        points = tile.vertices.astype(np.float64) - origin
        details = tile.detail_vertices.astype(np.float64) - origin
        _fill_outlines(tile, points, polygons, triangles, starts, ground)
        _fill_triangles(tile, points, details, triangles, ground.triangles)
        links = np.empty(starts[polygons + len(tile.polygons)] - starts[polygons], np.uint32)
        _list_links(tile, links)
        _fill_portals(tile, links, polygons, starts, targets, origin, ground.portals)
        walls = _fill_walls(tile, links, polygons, number, walls, starts, origin, ground)
        polygons += len(tile.polygons)
        triangles += len(tile.detail_triangles)
    return walls


@kernel
def _fill_outlines(
    tile: Sections, points: F64, begin: int, triangle: int, starts: I64, ground: GroundInTiles
) -> None:  # fmt: skip
    corner_of, corners = tile.polygons["vertices"], tile.polygons["corners"]
    first, count = tile.detail_meshes["first_triangle"], tile.detail_meshes["triangles"]
    outline, facts = ground.outline, ground.facts
    for polygon in range(len(corners)):
        here = begin + polygon
        for corner in range(_MOST_CORNERS):
            vertex = corner_of[polygon, corner if corner < np.int32(corners[polygon]) else 0]
            for axis in range(3):
                outline[here, corner, axis] = points[vertex, axis]
        facts[here, CORNERS] = corners[polygon]
        facts[here, FIRST_LINK], facts[here, END_LINK] = starts[here], starts[here + 1]
        facts[here, FIRST_TRIANGLE] = triangle + np.int64(first[polygon])
        facts[here, END_TRIANGLE] = triangle + np.int64(first[polygon]) + np.int64(count[polygon])


@kernel
def _fill_triangles(tile: Sections, points: F64, details: F64, begin: int, triangles: F64) -> None:
    """The corners of detail triangles: corners of their polygon first, then detail vertices of its own."""
    corner_of, corners = tile.polygons["vertices"], tile.polygons["corners"]
    meshes, rows = tile.detail_meshes, tile.detail_triangles
    for polygon in range(len(corners)):
        first, own = np.int64(meshes["first_triangle"][polygon]), np.int64(corners[polygon])
        extra = np.int64(meshes["first_vertex"][polygon]) - own
        for triangle in range(first, first + np.int64(meshes["triangles"][polygon])):
            for k in range(3):
                local = np.int64(rows[triangle, k])
                for axis in range(3):
                    triangles[begin + triangle, k, axis] = (
                        points[corner_of[polygon, local], axis] if local < own else details[extra + local, axis]
                    )


@kernel
def _list_links(tile: Sections, links: U32) -> None:
    """The numbers of the links of all polygons, list after list."""
    count = 0
    for polygon in range(len(tile.polygons)):
        k = tile.polygons["first_link"][polygon]
        while k != NO_LINK:
            links[count] = k
            count += 1
            k = tile.links["next"][k]


@kernel
def _fill_portals(
    tile: Sections, links: U32, begin: int, starts: I64, targets: I32, origin: F64, portals: F64
) -> None:  # fmt: skip
    """What polygons share across each link. Recast: dtNavMeshQuery::getPortalPoints."""
    for polygon in range(len(tile.polygons)):
        for k in range(starts[begin + polygon], starts[begin + polygon + 1]):
            same = starts[begin + polygon]  # the first link to the same polygon
            while targets[same] != targets[k]:
                same += 1
            link = links[same - starts[begin]]
            edge, inside = np.int64(tile.links["edge"][link]), tile.links["side"][link] == INSIDE
            low, high = np.int64(tile.links["low"][link]), np.int64(tile.links["high"][link])
            _put(tile, polygon, edge, 0 if inside else low, origin, portals[k, 0])
            _put(tile, polygon, edge, _WHOLE if inside else high, origin, portals[k, 1])


@kernel
def _fill_walls(
    tile: Sections, links: U32, begin: int, number: int, count: int, starts: I64, origin: F64, ground: GroundInTiles
) -> int:  # fmt: skip
    """Append the walls of a tile, of each polygon the last edge first; returns how many there are then."""
    neighbors, corners = tile.polygons["neighbors"], tile.polygons["corners"]
    for polygon in range(len(corners)):
        first, end = starts[begin + polygon] - starts[begin], starts[begin + polygon + 1] - starts[begin]
        for i in range(np.int64(corners[polygon])):
            edge = i - 1 if i > 0 else np.int64(corners[polygon]) - 1
            across = neighbors[polygon, edge]
            covered = 0 if across == 0 or across >= EXTERNAL else _WHOLE
            while covered < _WHOLE:
                low, high = _next_opening(tile, links[first:end], edge, covered)
                if low > covered:
                    _put(tile, polygon, edge, covered, origin, ground.wall_ends[count, 0])
                    _put(tile, polygon, edge, low, origin, ground.wall_ends[count, 1])
                    ground.wall_polygon[count], ground.wall_tile[count] = begin + polygon, number
                    ground.wall_area[count] = tile.polygons["area_and_kind"][polygon] & AREA_MASK
                    count += 1
                covered = high
    return count


@kernel
def _next_opening(tile: Sections, links: U32, edge: AnyInt, covered: int) -> tuple[int, int]:
    """From where to where an edge on a tile's border leads on next, behind what is covered, in 255ths of the edge."""
    least, most = _WHOLE, _WHOLE
    for link in links:
        low, high = int(tile.links["low"][link]), int(tile.links["high"][link])
        if tile.links["side"][link] != INSIDE and tile.links["edge"][link] == edge and high > covered:
            low = max(low, covered)
            if low < least or (low == least and least < _WHOLE and high > most):
                least, most = low, high
    return least, most


@kernel
def _put(tile: Sections, polygon: int, edge: AnyInt, part: AnyInt, origin: F64, point: F64) -> None:
    """Write the point so many 255ths along an edge. As everywhere in runtime data, the ends are exact."""
    corner_of, corners, vertices = tile.polygons["vertices"], tile.polygons["corners"], tile.vertices
    a = corner_of[polygon, edge]
    b = corner_of[polygon, edge + 1 if edge + 1 < np.int64(corners[polygon]) else 0]
    along = np.float32(part) * _PART
    for axis in range(3):
        from_a = vertices[a, axis] + (vertices[b, axis] - vertices[a, axis]) * along
        point[axis] = np.float64(vertices[b, axis] if part == _WHOLE else from_a) - origin[axis]
