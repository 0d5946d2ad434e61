"""The finished ground as the finder asks it: which polygon is where, where it ends, and what leads on to what."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..detour.queries.walk_graph import walk_graph
from ..geometry.connected_parts import strong_parts
from ..jit import borrowing, kernel
from ..result.navmesh import NavMesh
from ..types import F64, I32, I64, U8, U16, AnyInt
from .ground_in_tiles import CORNERS, END_TRIANGLE, FIRST_TRIANGLE, ground_in_tiles, joined_tiles

_BUCKET_CELLS = 6
_OUTSIDE = 1e-4  # metres beside a polygon that count as inside: corners are rounded
_BESIDE = 1e-3  # metres beside a polygon that count as covered by it
_SLACK = 0.01  # metres around the box of a polygon
_ALL_HEIGHTS = np.uint16(0xFFFF)


class Ground(NamedTuple):
    """P polygons with L links and D detail triangles, in metres from the level's corner."""

    outline: F64  # (P, 6, 3)
    facts: I32  # (P, 5) as in `ground_in_tiles`
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


class Walls(NamedTuple):
    """W edges at which the ground ends, directed as their polygons are walked around."""

    ends: F64  # (W, 2, 3) metres from the level's corner
    polygon: I32  # (W,)
    tile: I32  # (W,) number of the tile
    area: I32  # (W,)


class GroundFound(NamedTuple):
    """The ground of a navmesh without its links, its walls, and its tiles as they were read."""

    ground: Ground
    walls: Walls
    tiles: U8  # runtime data, one after the other
    first: I64  # (tiles + 1,)
    links_left: tuple[int, ...]  # of each tile
    unlinked: int  # polygons that meet across a tile border, and have no link left for that


def ground_of(navmesh: NavMesh, origin: F64, size: tuple[int, int]) -> GroundFound:
    """What the finder asks of a navmesh; `size` is that of the level, in cells along x and z."""
    graph = walk_graph(replace(navmesh, links=(), wide_links=()), has_trees=False)
    tiles, begins = joined_tiles(graph.tiles)
    read = ground_in_tiles(tiles, begins, graph, origin)
    outline, facts = read.outline, read.facts
    part = strong_parts(graph.starts, graph.targets)
    side = _BUCKET_CELLS * float(navmesh.settings.cell_size)
    columns, rows = (cells // _BUCKET_CELLS + 1 for cells in size)
    box = np.empty((len(facts), 6))
    _box_kernel(outline, facts, read.triangles, box)
    first, bucket = _bucket_kernel(box, columns, rows, side)
    width, depth = size
    cell = float(navmesh.settings.in_voxels().cell_size)
    covered = np.zeros(width * depth, np.uint16)
    _cover_kernel(outline, facts, box, width, depth, cell, covered)
    ground = Ground(
        outline, facts, graph.targets, read.portals, read.triangles, part, box, first, bucket, columns, rows, side,
        covered, width, depth, cell, _turn_kernel(outline, facts),
    )  # fmt: skip
    walls = Walls(read.wall_ends, read.wall_polygon, read.wall_tile, read.wall_area)
    return GroundFound(ground, walls, tiles, begins, graph.links_left, graph.unlinked)


@kernel
def _turn_kernel(outline: F64, facts: I32) -> float:
    """Which way outlines turn, seen from above: by the sign of all their areas together."""
    doubled = 0.0
    for polygon in range(len(facts)):
        corners = facts[polygon, CORNERS]
        for i in range(corners):
            j = i + 1 if i + 1 < corners else 0
            doubled += outline[polygon, i, 0] * outline[polygon, j, 2] - outline[polygon, j, 0] * outline[polygon, i, 2]
    return -1.0 if doubled < 0 else 1.0


@kernel
def _box_kernel(outline: F64, facts: I32, triangles: F64, box: F64) -> None:
    for polygon in range(len(facts)):
        for axis in range(3):
            low, high = np.inf, -np.inf
            for corner in range(facts[polygon, CORNERS]):
                value = outline[polygon, corner, axis]
                low, high = min(low, value), max(high, value)
            if axis == 1:
                for triangle in range(facts[polygon, FIRST_TRIANGLE], facts[polygon, END_TRIANGLE]):
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
def _cover_kernel(outline: F64, facts: I32, box: F64, width: int, depth: int, cell: float, covered: U16) -> None:
    """Mark the columns that polygons touch, seen from above."""
    least, most = np.empty(depth), np.empty(depth)  # of a polygon, along x in each row
    for polygon in range(len(facts)):
        heights = heights_between(box[polygon, 1], box[polygon, 4])
        corners, near, far = facts[polygon, CORNERS], np.inf, -np.inf
        for i in range(corners):
            near, far = min(near, outline[polygon, i, 2]), max(far, outline[polygon, i, 2])
        first = max(int(np.floor((near - _BESIDE) / cell)), 0)
        last = min(int(np.floor((far + _BESIDE) / cell)), depth - 1)
        for row in range(first, last + 1):
            least[row], most[row] = np.inf, -np.inf
        for i in range(corners):
            _widen_by_edge(outline, polygon, i, i + 1 if i + 1 < corners else 0, first, last, cell, least, most)
        for row in range(first, last + 1):
            begin = max(int(np.floor((least[row] - _BESIDE) / cell)), 0)
            end = min(int(np.floor((most[row] + _BESIDE) / cell)), width - 1)
            for column in range(begin + row * width, end + row * width + 1):
                covered[column] |= heights


@borrowing
def _widen_by_edge(
    outline: F64, polygon: AnyInt, i: AnyInt, j: AnyInt, first: int, last: int, cell: float, least: F64, most: F64
) -> None:  # fmt: skip
    """From where to where along x an edge reaches in each row."""
    ax, az = outline[polygon, i, 0], outline[polygon, i, 2]
    bx, bz = outline[polygon, j, 0], outline[polygon, j, 2]
    slope = (bx - ax) / (bz - az) if az != bz else 0.0
    begin = max(int(np.ceil((min(az, bz) - _BESIDE) / cell)) - 1, first)
    end = min(int(np.floor((max(az, bz) + _BESIDE) / cell)), last)
    for row in range(begin, end + 1):
        low, high = row * cell - _BESIDE, (row + 1) * cell + _BESIDE
        one, other = ax + slope * (min(max(az, low), high) - az), bx + slope * (min(max(bz, low), high) - bz)
        least[row], most[row] = min(least[row], one, other), max(most[row], one, other)


@borrowing
def heights_between(low: float, high: float) -> np.uint16:
    """A bit for each metre between two heights; every sixteenth metre has the same."""
    first, last = int(np.floor(low)), int(np.floor(high))
    bits = _ALL_HEIGHTS
    if last - first < 15:
        bits = np.uint16(0)
        for metre in range(first, last + 1):
            bits |= np.uint16(1 << (metre & 15))
    return bits


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
    outline, facts, triangles, turn, box = ground.outline, ground.facts, ground.triangles, ground.turn, ground.box
    at, nearest, best = column + row * ground.columns, -1, within
    for k in range(ground.bucket_first[at], ground.bucket_first[at + 1]):
        polygon = ground.bucket[k]
        if (
            y < box[polygon, 1] - within or y > box[polygon, 4] + within
            or x < box[polygon, 0] or x > box[polygon, 3] or z < box[polygon, 2] or z > box[polygon, 5]
        ):  # fmt: skip
            continue
        if _is_inside(outline, polygon, facts[polygon, CORNERS], turn, x, z):
            away = _height_apart(triangles, facts[polygon, FIRST_TRIANGLE], facts[polygon, END_TRIANGLE], x, y, z)
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
    best, least = np.inf, -np.inf
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
        if inside > least:
            least, best = inside, abs(ay + (by - ay) * v + (cy - ay) * w - y)
        if inside >= 0:
            break
    return best
