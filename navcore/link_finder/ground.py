"""The finished ground as the finder asks it: which polygon is where, where it ends, and what leads on to what."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import header_of
from ..detour.polygon_references import SetParameters
from ..detour.queries.walk_graph import WalkGraph, walk_graph
from ..geometry.islands import joined_parts
from ..jit import inlined, kernel
from ..navquery.kernels.wall_segments import segment_rows
from ..navquery.query_mesh import (
    AREA,
    CORNERS,
    END_LINK,
    END_TRIANGLE,
    FIRST_LINK,
    FIRST_TRIANGLE,
    FLAGS,
    TARGET,
    QueryMesh,
    query_mesh,
)
from ..result.navmesh import NavMesh
from ..types import F64, I32, I64, AnyInt

_BUCKET_CELLS = 6
_ALL = 0xFFFF
_OUTSIDE = 1e-4  # metres beside a polygon that count as inside: corners are rounded


class Ground(NamedTuple):
    """P polygons with L links and D detail triangles, in metres from the level's corner."""

    outline: F64  # (P, 6, 3)
    facts: I32  # (P, 9) as QueryMesh has them
    targets: I32  # (L,) polygon that a link leads to
    portals: F64  # (L, 2, 3)
    triangles: F64  # (D, 3, 3)
    part: I32  # (P,) polygons of one part can be reached from each other
    bucket_first: I64  # (buckets + 1,)
    bucket: I32  # polygons that touch a bucket
    columns: int  # buckets along x
    rows: int
    side: float  # metres of a bucket
    turn: float  # 1 where outlines turn one way seen from above, -1 the other way


class Walls(NamedTuple):
    """W edges at which the ground ends, directed as their polygons are walked around."""

    ends: F64  # (W, 2, 3) metres from the level's corner
    polygon: I32  # (W,)
    tile: I32  # (W,) number of the tile
    area: I32  # (W,)


def ground_of(navmesh: NavMesh, origin: F64, size: tuple[int, int]) -> tuple[Ground, Walls, int]:
    """The ground of a navmesh without its links, its walls, and how many polygons stay unlinked across tile borders.

    `size` is that of the level, in cells along x and z.
    """
    graph = walk_graph(replace(navmesh, links=(), wide_links=()))
    mesh = _mesh_of(graph)
    facts = mesh.facts.copy()
    facts[:, FLAGS] = _ALL  # what nobody may walk on is ground all the same
    mesh = mesh._replace(facts=facts)
    outline, triangles, portals = (
        np.asarray(points, np.float64) - origin for points in (mesh.outline, mesh.triangles, mesh.portals)
    )
    targets = np.ascontiguousarray(mesh.links[:, TARGET])
    owner = np.repeat(np.arange(len(facts)), facts[:, END_LINK] - facts[:, FIRST_LINK])
    part = joined_parts(len(facts), owner, targets)
    side = _BUCKET_CELLS * float(navmesh.settings.cell_size)
    columns, rows = (cells // _BUCKET_CELLS + 1 for cells in size)
    first, bucket = _bucket_kernel(outline, facts, columns, rows, side)
    turn = float(np.sign(_doubled_areas(outline, facts).sum())) or 1.0
    ground = Ground(outline, facts, targets, portals, triangles, part, first, bucket, columns, rows, side, turn)
    return ground, _walls(mesh, graph, origin), graph.unlinked


def _mesh_of(graph: WalkGraph) -> QueryMesh:
    """The tiles of a graph, under the references that it gave them."""
    most = max((int(header_of(data)["polygons"][0]) for data in graph.tiles), default=1)
    parameters = SetParameters(np.zeros(3, np.float32), np.float32(1), np.float32(1), len(graph.tiles), most)
    references = [number << parameters.polygon_bits for number in range(len(graph.tiles))]
    return query_mesh(parameters, references, graph.tiles)[0]


def _walls(mesh: QueryMesh, graph: WalkGraph, origin: F64) -> Walls:
    count = len(mesh.facts)
    polygons, status, counts = np.arange(count, dtype=np.int32), np.zeros(count, np.uint32), np.zeros(count, np.int32)
    ends, _ = segment_rows(mesh, polygons, _ALL, 0, False, 1 << 30, 0, count, status, counts)
    polygon = np.repeat(polygons, counts)
    tile = np.searchsorted(graph.first, polygon, side="right").astype(np.int32) - 1
    return Walls(ends.astype(np.float64) - origin, polygon, tile, mesh.facts[polygon, AREA])


def _doubled_areas(outline: F64, facts: I32) -> F64:
    used = np.arange(6) < facts[:, CORNERS, None]
    x, z = (np.where(used, outline[..., axis], outline[:, :1, axis]) for axis in (0, 2))
    doubled: F64 = (x * np.roll(z, -1, axis=1) - np.roll(x, -1, axis=1) * z).sum(axis=1)
    return doubled


@kernel
def _bucket_kernel(outline: F64, facts: I32, columns: int, rows: int, side: float) -> tuple[I64, I32]:
    """Polygons by the buckets that their boxes touch."""
    first = np.zeros(columns * rows + 1, np.int64)
    ranges = np.empty((len(facts), 4), np.int64)
    for polygon in range(len(facts)):
        corners = facts[polygon, CORNERS]
        x, z = outline[polygon, :corners, 0], outline[polygon, :corners, 2]
        ranges[polygon, 0] = min(max(int(np.floor((x.min() - _OUTSIDE) / side)), 0), columns - 1)
        ranges[polygon, 1] = min(max(int(np.floor((x.max() + _OUTSIDE) / side)), 0), columns - 1)
        ranges[polygon, 2] = min(max(int(np.floor((z.min() - _OUTSIDE) / side)), 0), rows - 1)
        ranges[polygon, 3] = min(max(int(np.floor((z.max() + _OUTSIDE) / side)), 0), rows - 1)
        for row in range(ranges[polygon, 2], ranges[polygon, 3] + 1):
            for column in range(ranges[polygon, 0], ranges[polygon, 1] + 1):
                first[column + row * columns + 1] += 1
    for i in range(1, len(first)):
        first[i] += first[i - 1]
    place, bucket = first[:-1].copy(), np.empty(first[-1], np.int32)
    for polygon in range(len(facts)):
        for row in range(ranges[polygon, 2], ranges[polygon, 3] + 1):
            for column in range(ranges[polygon, 0], ranges[polygon, 1] + 1):
                bucket[place[column + row * columns]] = polygon
                place[column + row * columns] += 1
    return first, bucket


@kernel
def polygon_at(ground: Ground, x: float, y: float, z: float, within: float) -> int:
    """The polygon above or below a place whose ground is nearest in height; -1 for none within so many metres."""
    column, row = int(np.floor(x / ground.side)), int(np.floor(z / ground.side))
    if column < 0 or row < 0 or column >= ground.columns or row >= ground.rows:
        return -1
    outline, facts, triangles, turn = ground.outline, ground.facts, ground.triangles, ground.turn
    at, nearest, best = column + row * ground.columns, -1, within
    for k in range(ground.bucket_first[at], ground.bucket_first[at + 1]):
        polygon = ground.bucket[k]
        if _is_inside(outline, polygon, facts[polygon, CORNERS], turn, x, z):
            away = _height_apart(triangles, facts[polygon, FIRST_TRIANGLE], facts[polygon, END_TRIANGLE], x, y, z)
            if away < best:
                nearest, best = polygon, away
    return nearest


@inlined
def _is_inside(outline: F64, polygon: AnyInt, corners: AnyInt, turn: float, x: float, z: float) -> bool:
    for i in range(corners):
        j = i + 1 if i + 1 < corners else 0
        ax, az = outline[polygon, i, 0], outline[polygon, i, 2]
        along_x, along_z = outline[polygon, j, 0] - ax, outline[polygon, j, 2] - az
        length = np.sqrt(along_x * along_x + along_z * along_z)
        if turn * (along_x * (z - az) - along_z * (x - ax)) < -_OUTSIDE * length:
            return False
    return True


@inlined
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
