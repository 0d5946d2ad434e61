"""What must hold of every navmesh, checked slowly and in Python's integers: a twin of the checks that ship."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from navcore import NavMesh, Settings
from navcore.builder.validate import PolygonSources
from navcore.result.navmesh import Tile
from navcore.types import NO_INDEX, DetailMesh, PolygonMesh
from tests.validated import validate

Corner = tuple[int, int, int]


def violations(navmesh: NavMesh) -> list[str]:
    """Every broken invariant, by both: the checks that ship, against the ground where it was kept, and those here."""
    found: list[str] = []
    for tile in navmesh.tiles:
        kept = navmesh.stages if navmesh.tile_grid is None else navmesh.stages.get(f"t{tile.x}_{tile.y}", {})
        found += tile_violations(tile, kept, navmesh.settings)
    return found


def tile_violations(tile: Tile, kept: Mapping[str, Any], settings: Settings) -> list[str]:
    """Those of one piece; `kept` holds its stages, where they were kept."""
    found = [f"{name} (twin)" for name in shape_violations(tile.polygon_mesh)]
    if tile.detail_mesh is not None:
        found += [f"{name} (twin)" for name in detail_violations(tile.polygon_mesh, tile.detail_mesh)]
    compact = next((kept[name] for name in ("marked", "median", "eroded") if name in kept), None)
    ground = None if compact is None else PolygonSources(compact, kept["regions"], kept["contours"])
    climb_vx = settings.in_voxels().climb_vx
    return found + [v.code for v in validate(tile.polygon_mesh, tile.detail_mesh, ground, climb_vx)]


def shape_violations(mesh: PolygonMesh) -> Iterator[str]:
    """I1 to I7 and I14."""
    points: list[Corner] = [(x, y, z) for x, y, z in mesh.vertices.tolist()]
    rings = [[v for v in row if v != NO_INDEX] for row in mesh.polygons.tolist()]
    if any(len(ring) < 3 or len(set(ring)) < len(ring) or max(ring) >= len(points) for ring in rings):
        yield "I1 corners"
        return
    grid = mesh.grid
    if any(x > grid.width or z > grid.depth for x, _, z in points):
        yield "I2 bounds"
    for ring in rings:
        turns = [_turn(*(points[ring[(i + k) % len(ring)]] for k in range(3))) for i in range(len(ring))]
        if _area(ring, points) <= 0:
            yield "I3 area or winding"
        elif min(turns) < 0:
            yield "I4 concave"
    yield from _edge_violations(mesh, points, rings)
    used = {v for ring in rings for v in ring}
    if len(used) < len(points):
        yield "I7 unused vertex"
    if len(set(points)) < len(points):
        yield "I7 double vertex"
    if mesh.area.max(initial=0) > 63:
        yield "I14 area id"


def _edge_violations(mesh: PolygonMesh, points: list[Corner], rings: list[list[int]]) -> Iterator[str]:
    grid = mesh.grid
    edges: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, ring in enumerate(rings):
        for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
            edges[a, b].append(number)
    if any(len(owners) > 1 for owners in edges.values()):
        yield "I5 an edge twice in one direction"
    for number, ring in enumerate(rings):
        for i, (a, b) in enumerate(zip(ring, ring[1:] + ring[:1], strict=True)):
            named = int(mesh.neighbors[number, i])
            across = edges.get((b, a), [])
            if named & 0x8000 and named != NO_INDEX and named >= len(rings):  # one piece may have as many polygons
                if across or not _on_side(points[a], points[b], named & 0xF, grid.width, grid.depth):
                    yield "I6 portal"
            elif across != ([] if named == NO_INDEX else [named]):
                yield "I6 neighbors"


def detail_violations(mesh: PolygonMesh, detail: DetailMesh) -> Iterator[str]:
    """I13, and the heights of I2."""
    low, high = float(mesh.grid.bounds_min[1]), float(mesh.grid.bounds_max[1])
    slack = 64 * float(mesh.grid.cell_height) + abs(high) * 1e-6
    if not ((detail.vertices[:, 1] >= low - slack) & (detail.vertices[:, 1] <= high + slack)).all():
        yield "I2 detail height"
    for first, count, begin, made in detail.meshes.tolist():
        if not (0 < made <= 255 and 3 <= count <= 127):
            yield "I13 counts"
            continue
        faces = detail.triangles[begin : begin + made, :3].tolist()
        if len(faces) != made or max(map(max, faces)) >= count or first + count > len(detail.vertices):
            yield "I13 indices"
            continue
        edges = Counter((face[k], face[(k + 1) % 3]) for face in faces for k in range(3))
        if max(edges.values()) > 1:
            yield "I13 an edge twice in one direction"


def _area(ring: list[int], points: list[Corner]) -> int:
    """Twice the area; positive for polygons that face up."""
    corners = [points[v] for v in ring]
    return sum(a[2] * b[0] - a[0] * b[2] for a, b in zip(corners, corners[1:] + corners[:1], strict=True))


def _turn(a: Corner, b: Corner, c: Corner) -> int:
    """Positive where a path bends as the rims of polygons that face up do."""
    return (b[2] - a[2]) * (c[0] - b[0]) - (b[0] - a[0]) * (c[2] - b[2])


def _on_side(a: Corner, b: Corner, side: int, width: int, depth: int) -> bool:
    axis, line = {0: (0, 0), 1: (2, depth), 2: (0, width), 3: (2, 0)}[side]
    return a[axis] == b[axis] == line
