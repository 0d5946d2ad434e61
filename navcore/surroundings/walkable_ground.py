"""Walkable ground of a finished navmesh: which polygon is where, where it ends, and what leads on to what.

It is read from the bytes of linked tiles: outlines, links, heights and walls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ..detour.byte_layout import AREA_MASK, EXTERNAL, INSIDE, NO_LINK, Sections, split_sections
from ..detour.queries.walk_graph import WalkGraph, walk_graph
from ..detour.tile_data import NO_LINKS
from ..geometry.connected_parts import strong_parts
from ..jit import borrowing, kernel
from ..result.navmesh import NavMesh
from ..types import F64, I32, I64, U8, U16, U32, AnyInt, Records

# What is known of a polygon; its links and triangles lie together.
GROUND_POLYGON = np.dtype(
    (np.record, [(name, np.int32) for name in ("corners", "first_link", "end_link", "first_triangle", "end_triangle")])
)
GroundPolygons: TypeAlias = Records  # (P,) of GROUND_POLYGON

_BUCKET_CELLS = 6
_OUTSIDE = 1e-4  # metres beside a polygon that count as inside: corners are rounded
_BESIDE = 1e-3  # metres beside a polygon that count as covered by it
_SLACK = 0.01  # metres around the box of a polygon
_ALL_HEIGHTS = np.uint16(0xFFFF)
_MAX_CORNERS = 6
_WHOLE = 255  # of an edge, in a link
_PART = np.float32(1) / np.float32(_WHOLE)


class Ground(NamedTuple):
    """P polygons with L links and D detail triangles, in metres from the level's corner."""

    outline: F64  # (P, 6, 3)
    polygons: GroundPolygons  # (P,)
    targets: I32  # (L,) polygon that a link leads to
    portals: F64  # (L, 2, 3)
    triangles: F64  # (D, 3, 3)
    part: I32  # (P,) polygons of one part can be reached from each other
    box: F64  # (P, 6) around each polygon with its triangles and some slack: lowest x, y, z, highest x, y, z
    bucket_first: I64  # (buckets + 1,)
    bucket: I32  # polygons that touch a bucket
    columns: int  # buckets along x
    rows: int
    side: float  # metres of a bucket
    covered: U16  # of each column of the level: the heights, as `heights_between` has them, at which polygons may be
    width: int  # columns along x
    depth: int
    cell: float  # metres of a column
    turn: float  # 1 where outlines turn one way seen from above, -1 the other way


class WallEdges(NamedTuple):
    """W edges at which the ground ends, directed as their polygons are walked around."""

    ends: F64  # (W, 2, 3) metres from the level's corner
    polygon: I32  # (W,)
    tile: I32  # (W,) number of the tile
    area: I32  # (W,)


class GroundFound(NamedTuple):
    """The ground of a navmesh without its links, its walls, and its tiles as they were read."""

    ground: Ground
    walls: WallEdges
    tiles: U8  # runtime data, one after the other
    first: I64  # (tiles + 1,)
    first_polygon: I64  # (tiles + 1,)
    links_left: tuple[int, ...]  # of each tile
    unlinked: int  # polygons that meet across a tile border, and have no link left for that


def ground_of(navmesh: NavMesh, origin: F64, size: tuple[int, int]) -> GroundFound:
    """What the finder asks of a navmesh; `size` is that of the level, in cells along x and z."""
    graph = walk_graph(navmesh, NO_LINKS, has_trees=False)
    tiles, begins = joined_tiles(graph.tiles)
    read = ground_in_tiles(tiles, begins, graph, origin)
    outline, polygons = read.outline, read.polygons
    part = strong_parts(graph.starts, graph.targets)
    side = _BUCKET_CELLS * float(navmesh.settings.cell_size)
    columns, rows = (cells // _BUCKET_CELLS + 1 for cells in size)
    box = np.empty((len(polygons), 6))
    _box_kernel(outline, polygons, read.triangles, box)
    first, bucket = _bucket_kernel(box, columns, rows, side)
    width, depth = size
    cell = float(navmesh.settings.in_voxels().cell_size)
    covered = np.zeros(width * depth, np.uint16)
    _cover_kernel(outline, polygons, box, width, depth, cell, covered)
    ground = Ground(
        outline, polygons, graph.targets, read.portals, read.triangles, part, box, first, bucket, columns, rows, side,
        covered, width, depth, cell, _turn_kernel(outline, polygons),
    )  # fmt: skip
    walls = WallEdges(read.wall_ends, read.wall_polygon, read.wall_tile, read.wall_area)
    return GroundFound(ground, walls, tiles, begins, graph.first, graph.links_left, graph.unlinked)


@kernel
def _turn_kernel(outline: F64, polygons: GroundPolygons) -> float:
    """Which way outlines turn, seen from above: by the sign of all their areas together."""
    doubled = 0.0
    for polygon in range(len(polygons)):
        corners = polygons[polygon].corners
        for i in range(corners):
            j = i + 1 if i + 1 < corners else 0
            doubled += outline[polygon, i, 0] * outline[polygon, j, 2] - outline[polygon, j, 0] * outline[polygon, i, 2]
    return -1.0 if doubled < 0 else 1.0


@kernel
def _box_kernel(outline: F64, polygons: GroundPolygons, triangles: F64, box: F64) -> None:
    for polygon in range(len(polygons)):
        for axis in range(3):
            low, high = np.inf, -np.inf
            for corner in range(polygons[polygon].corners):
                value = outline[polygon, corner, axis]
                low, high = min(low, value), max(high, value)
            if axis == 1:
                for triangle in range(polygons[polygon].first_triangle, polygons[polygon].end_triangle):
                    for corner in range(3):
                        value = triangles[triangle, corner, axis]
                        low, high = min(low, value), max(high, value)
            box[polygon, axis], box[polygon, axis + 3] = low - _SLACK, high + _SLACK


@kernel
def _bucket_kernel(box: F64, columns: int, rows: int, side: float) -> tuple[I64, I32]:
    """Polygons by the buckets that their boxes touch."""
    first = np.zeros(columns * rows + 1, np.int64)
    ranges = np.empty((len(box), 4), np.int64)
    for polygon in range(len(box)):
        ranges[polygon, 0] = min(max(int(np.floor(box[polygon, 0] / side)), 0), columns - 1)
        ranges[polygon, 1] = min(max(int(np.floor(box[polygon, 3] / side)), 0), columns - 1)
        ranges[polygon, 2] = min(max(int(np.floor(box[polygon, 2] / side)), 0), rows - 1)
        ranges[polygon, 3] = min(max(int(np.floor(box[polygon, 5] / side)), 0), rows - 1)
        for row in range(ranges[polygon, 2], ranges[polygon, 3] + 1):
            for column in range(ranges[polygon, 0], ranges[polygon, 1] + 1):
                first[column + row * columns + 1] += 1
    for i in range(1, len(first)):
        first[i] += first[i - 1]
    place, bucket = first[:-1].copy(), np.empty(first[-1], np.int32)
    for polygon in range(len(box)):
        for row in range(ranges[polygon, 2], ranges[polygon, 3] + 1):
            for column in range(ranges[polygon, 0], ranges[polygon, 1] + 1):
                bucket[place[column + row * columns]] = polygon
                place[column + row * columns] += 1
    return first, bucket


@kernel
def _cover_kernel(
    outline: F64, polygons: GroundPolygons, box: F64, width: int, depth: int, cell: float, covered: U16
) -> None:
    """Mark the columns that polygons touch, seen from above."""
    lows, highs = np.empty(depth), np.empty(depth)  # of a polygon, along x in each row
    for polygon in range(len(polygons)):
        heights = heights_between(box[polygon, 1], box[polygon, 4])
        corners, near, far, own = polygons[polygon].corners, np.inf, -np.inf, outline[polygon]
        for i in range(corners):
            near, far = min(near, own[i, 2]), max(far, own[i, 2])
        first = max(int(np.floor((near - _BESIDE) / cell)), 0)
        last = min(int(np.floor((far + _BESIDE) / cell)), depth - 1)
        for row in range(first, last + 1):
            lows[row], highs[row] = np.inf, -np.inf
        for i in range(corners):
            _widen_by_edge(own, i, i + 1 if i + 1 < corners else 0, first, last, cell, lows, highs)
        for row in range(first, last + 1):
            begin = max(int(np.floor((lows[row] - _BESIDE) / cell)), 0)
            end = min(int(np.floor((highs[row] + _BESIDE) / cell)), width - 1)
            for column in range(np.uint64(begin + row * width), np.uint64(end + row * width + 1)):
                covered[column] |= heights


@borrowing
def _widen_by_edge(
    outline: F64, i: AnyInt, j: AnyInt, first: int, last: int, cell: float, lows: F64, highs: F64
) -> None:  # fmt: skip
    """From where to where along x an edge reaches in each row."""
    ax, az = outline[i, 0], outline[i, 2]
    bx, bz = outline[j, 0], outline[j, 2]
    slope = (bx - ax) / (bz - az) if az != bz else 0.0
    begin = max(int(np.ceil((min(az, bz) - _BESIDE) / cell)) - 1, first)
    end = min(int(np.floor((max(az, bz) + _BESIDE) / cell)), last)
    for row in range(begin, end + 1):
        low, high = row * cell - _BESIDE, (row + 1) * cell + _BESIDE
        one, other = ax + slope * (min(max(az, low), high) - az), bx + slope * (min(max(bz, low), high) - bz)
        lows[row], highs[row] = min(lows[row], one, other), max(highs[row], one, other)


@borrowing
def heights_between(low: float, high: float) -> np.uint16:
    """A bit for each metre between two heights; every sixteenth metre has the same."""
    first, last = int(np.floor(low)), int(np.floor(high))
    if last - first >= 15:
        return _ALL_HEIGHTS
    turned = ((1 << (last - first + 1)) - 1) << (first & 15)  # what is shifted out comes in again from below
    return np.uint16((turned | turned >> 16) & 0xFFFF)


@borrowing
def is_covered(ground: Ground, x: float, z: float, heights: np.uint16) -> bool:
    """Whether a polygon may be there at one of these heights; where none may, it is not worth asking `polygon_at`."""
    column, row = int(np.floor(x * (1 / ground.cell))), int(np.floor(z * (1 / ground.cell)))
    if column < 0 or row < 0 or column >= ground.width or row >= ground.depth:
        return False
    return ground.covered[column + row * ground.width] & heights != 0


@borrowing
def polygon_at(ground: Ground, x: float, y: float, z: float, within: float) -> int:
    """The polygon above or below a place whose ground is nearest in height; -1 for none within so many metres."""
    column, row = int(np.floor(x * (1 / ground.side))), int(np.floor(z * (1 / ground.side)))
    if column < 0 or row < 0 or column >= ground.columns or row >= ground.rows:
        return -1
    outline, polygons, triangles, turn, box = ground.outline, ground.polygons, ground.triangles, ground.turn, ground.box
    at, nearest, best = column + row * ground.columns, -1, within
    for k in range(ground.bucket_first[at], ground.bucket_first[at + 1]):
        polygon = ground.bucket[k]
        if (
            y < box[polygon, 1] - within or y > box[polygon, 4] + within
            or x < box[polygon, 0] or x > box[polygon, 3] or z < box[polygon, 2] or z > box[polygon, 5]
        ):  # fmt: skip
            continue
        if _is_inside(outline, polygon, polygons[polygon].corners, turn, x, z):
            away = _height_apart(triangles, polygons[polygon].first_triangle, polygons[polygon].end_triangle, x, y, z)
            if away < best:
                nearest, best = polygon, away
    return nearest


@borrowing
def _is_inside(outline: F64, polygon: AnyInt, corners: AnyInt, turn: float, x: float, z: float) -> bool:
    for i in range(corners):
        j = i + 1 if i + 1 < corners else 0
        ax, az = outline[polygon, i, 0], outline[polygon, i, 2]
        along_x, along_z = outline[polygon, j, 0] - ax, outline[polygon, j, 2] - az
        length = np.sqrt(along_x * along_x + along_z * along_z)
        if turn * (along_x * (z - az) - along_z * (x - ax)) < -_OUTSIDE * length:
            return False
    return True


@borrowing
def _height_apart(triangles: F64, begin: AnyInt, end: AnyInt, x: float, y: float, z: float) -> float:
    """Metres between a place and the triangle above or below it; that of the least outside one where none is."""
    best, nearest = np.inf, -np.inf
    for number in range(begin, end):
        ax, ay, az = triangles[number, 0]
        bx, by, bz = triangles[number, 1]
        cx, cy, cz = triangles[number, 2]
        area = (bx - ax) * (cz - az) - (cx - ax) * (bz - az)
        if abs(area) < 1e-12:
            continue
        v = ((x - ax) * (cz - az) - (cx - ax) * (z - az)) / area
        w = ((bx - ax) * (z - az) - (x - ax) * (bz - az)) / area
        inside = min(v, w, 1 - v - w)
        if inside > nearest:
            nearest, best = inside, abs(ay + (by - ay) * v + (cy - ay) * w - y)
        if inside >= 0:
            break
    return best


# --- read from the bytes of linked tiles


class GroundInTiles(NamedTuple):
    """P polygons with L links, D detail triangles and W walls, in metres from the level's corner."""

    outline: F64  # (P, 6, 3) beyond the last corner: the first once more
    polygons: GroundPolygons  # (P,)
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
        np.empty((polygons, _MAX_CORNERS, 3)), np.zeros(polygons, GROUND_POLYGON),
        np.empty((len(graph.targets), 2, 3)), np.empty((triangles, 3, 3)), np.empty((walls, 2, 3)),
        np.empty(walls, np.int32), np.empty(walls, np.int32), np.empty(walls, np.int32),
    )  # fmt: skip
    used = _read_kernel(data, first, graph.starts, graph.targets, origin, ground)
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
def _read_kernel(data: U8, first: I64, starts: I64, targets: I32, origin: F64, ground: GroundInTiles) -> int:
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
    outline, own = ground.outline, ground.polygons
    for polygon in range(len(corners)):
        here = begin + polygon
        for corner in range(_MAX_CORNERS):
            vertex = corner_of[polygon, corner if corner < np.int32(corners[polygon]) else 0]
            for axis in range(3):
                outline[here, corner, axis] = points[vertex, axis]
        own["corners"][here] = corners[polygon]
        own["first_link"][here], own["end_link"][here] = starts[here], starts[here + 1]
        own["first_triangle"][here] = triangle + np.int64(first[polygon])
        own["end_triangle"][here] = triangle + np.int64(first[polygon]) + np.int64(count[polygon])


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
    begin, end = _WHOLE, _WHOLE
    for link in links:
        low, high = int(tile.links["low"][link]), int(tile.links["high"][link])
        if tile.links["side"][link] != INSIDE and tile.links["edge"][link] == edge and high > covered:
            low = max(low, covered)
            if low < begin or (low == begin and begin < _WHOLE and high > end):
                begin, end = low, high
    return begin, end


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
