"""One mesh of all tiles: shared edges, no T-junctions, the same ground, the same reachability."""

from __future__ import annotations

import time
from collections import Counter
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.geometry.tile_grid import TileGrid
from navcore.report import Report
from navcore.result.navmesh import Tile, world_vertices
from navcore.result.stitch import edge_violations, stitch_tiles, triangulated
from navcore.types import NO_INDEX, Grid, PolygonMesh, StitchedMesh
from tests import scenes

LEVELS = {
    "yard": scenes.join([scenes.box(0, -1, 0, 9, 1, 9), scenes.box(3, 0, 3, 2.4, 0.7, 2.4)]),  # first: it takes no time
    "city": scenes.city(3),
    "terrain": scenes.terrain(120, 0.3),
    "steep": scenes.terrain(120, 0.3, seed=5),
    "stairs": scenes.stairs(),
    "tower": scenes.tower(4, 20.0),
    "soup": scenes.snapped_soup(1500),
    "spiral": scenes.spiral(),
}
BUILDS = [(level, size, "watershed") for level in LEVELS for size in (16, 32, 48)]
BUILDS += [(level, 32, partition) for level in LEVELS for partition in ("monotone", "layers")]


@cache
def built(level: str, size: int, partition: str, radius: float = 0.6) -> NavMesh:
    return build_navmesh(*LEVELS[level], Settings(tile_size=size, partition=partition, agent_radius=radius))


def polygon(mesh: StitchedMesh, p: int) -> list[int]:
    return mesh.corners[mesh.first[p] : mesh.first[p + 1]].tolist()


def links(mesh: StitchedMesh) -> set[tuple[int, int]]:
    owner = np.repeat(np.arange(len(mesh.area)), np.diff(mesh.first))
    return {(a, b) for a, b in zip(owner.tolist(), mesh.neighbors.tolist(), strict=True) if b >= 0}


def ground(mesh: StitchedMesh) -> npt.NDArray[np.float64]:
    """Square metres of each polygon."""
    found = []
    for p in range(len(mesh.area)):
        x, _, z = mesh.vertices[polygon(mesh, p)].astype(np.float64).T
        found.append(float(x @ np.roll(z, 1) - z @ np.roll(x, 1)) / 2)
    return np.array(found)


def portals(navmesh: NavMesh) -> list[tuple[int, int, int, npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """(number of the polygon, side, border, one end, other end) of every edge on a tile border, ends in voxels."""
    assert navmesh.tile_grid is not None
    size, before, found = navmesh.tile_grid.size, 0, []
    for tile in navmesh.tiles:
        mesh = tile.polygon_mesh
        points = mesh.vertices.astype(np.int64) + np.array([tile.x * size, 0, tile.y * size])
        for p, row in enumerate(mesh.polygons.tolist()):
            corners = [v for v in row if v != NO_INDEX]
            for i, v in enumerate(corners):
                link = int(mesh.neighbors[p, i])
                if link != NO_INDEX and link & 0x8000:
                    ends = points[v], points[corners[(i + 1) % len(corners)]]
                    found.append((before + p, link & 15, int(ends[0][2 if link & 1 else 0]), *ends))
        before += len(mesh.polygons)
    return found


def linked(navmesh: NavMesh) -> set[tuple[int, int]]:
    """The rule itself: neighbors inside tiles, and what Detour links across borders (without its limit of four)."""
    found, before = set(), 0
    for tile in navmesh.tiles:
        own = tile.polygon_mesh.neighbors
        for p, i in zip(*np.nonzero(own < 0x8000), strict=True):
            if tile.polygon_mesh.polygons[p, i] != NO_INDEX:
                found.add((before + int(p), before + int(own[p, i])))
        before += len(own)
    scale, edges = tile.polygon_mesh.grid, portals(navmesh)
    for p, side, border, *ends in edges:
        for q, facing, other_border, *other in edges:
            if side in (1, 2) and facing == (side ^ 2) and border == other_border:
                along = 0 if side == 1 else 2
                if meet(slab(ends, along, scale), slab(other, along, scale), navmesh.settings.agent_max_climb):
                    found |= {(p, q), (q, p)}
    return found


def slab(ends: list[npt.NDArray[np.int64]], along: int, scale: Grid) -> list[list[float]]:
    return sorted([float(e[along] * scale.cell_size), float(e[1] * scale.cell_height)] for e in ends)


def meet(a: list[list[float]], b: list[list[float]], climb: float) -> bool:
    low, high = max(a[0][0], b[0][0]) + 0.01, min(a[1][0], b[1][0]) - 0.01
    if low > high:
        return False
    gaps = [np.interp(at, *np.transpose(b)) - np.interp(at, *np.transpose(a)) for at in (low, high)]
    return bool(gaps[0] * gaps[1] < 0 or min(map(abs, gaps)) <= 2 * climb)


def islands(count: int, pairs: set[tuple[int, int]]) -> set[frozenset[int]]:
    group = list(range(count))

    def root(p: int) -> int:
        while group[p] != p:
            p = group[p]
        return p

    for a, b in sorted(pairs):
        group[root(a)] = root(b)
    found: dict[int, set[int]] = {}
    for p in range(count):
        found.setdefault(root(p), set()).add(p)
    return {frozenset(members) for members in found.values()}


@pytest.mark.parametrize(("level", "size", "partition"), BUILDS)
def test_reachability_is_detours(level: str, size: int, partition: str) -> None:
    navmesh = built(level, size, partition)
    mesh = stitch_tiles(navmesh)
    assert links(mesh) >= linked(navmesh)
    assert islands(len(mesh.area), links(mesh)) == islands(len(mesh.area), linked(navmesh))


@pytest.mark.parametrize(("level", "size", "partition"), BUILDS)
def test_every_edge_belongs_to_one_polygon_or_to_two_that_face_it(level: str, size: int, partition: str) -> None:
    mesh = stitch_tiles(built(level, size, partition))
    for m in (mesh, triangulated(mesh)):
        uses: Counter[tuple[int, int]] = Counter()
        for p in range(len(m.area)):
            ring = polygon(m, p)
            uses.update(zip(ring, [*ring[1:], ring[0]], strict=True))
        assert max(uses.values()) == 1 and edge_violations(m) == 0
        for p in range(len(m.area)):
            ring = polygon(m, p)
            for i, (a, b) in enumerate(zip(ring, [*ring[1:], ring[0]], strict=True)):
                across = int(m.neighbors[m.first[p] + i])
                assert (across >= 0) == ((b, a) in uses)
                assert across < 0 or {a, b} <= set(polygon(m, across))


@pytest.mark.parametrize(("level", "size", "partition"), BUILDS)
def test_no_vertex_lies_within_an_edge(level: str, size: int, partition: str) -> None:
    """Seen in cells on tile borders; heights within a climb."""
    navmesh = built(level, size, partition)
    mesh = stitch_tiles(navmesh)
    grid = navmesh.tile_grid
    assert grid is not None
    cells = np.round((mesh.vertices - grid.bounds_min) / grid.cell_size).astype(int)
    for axis, along in ((0, 2), (2, 0)):
        starts = mesh.corners
        ends = np.concatenate([np.roll(polygon(mesh, p), -1) for p in range(len(mesh.area))])
        border = (cells[starts, axis] == cells[ends, axis]) & (cells[starts, axis] % size == 0)
        for a, b in zip(starts[border], ends[border], strict=True):
            low, high = sorted((cells[a, along], cells[b, along]))
            same = cells[:, axis] == cells[a, axis]
            inside = np.flatnonzero(same & (cells[:, along] > low) & (cells[:, along] < high))
            part = (cells[inside, along] - cells[a, along]) / (cells[b, along] - cells[a, along])
            height = mesh.vertices[a, 1] + part * (mesh.vertices[b, 1] - mesh.vertices[a, 1])
            assert not (abs(mesh.vertices[inside, 1] - height) <= 0.9).any()


@pytest.mark.parametrize(("level", "size", "partition"), BUILDS)
def test_the_ground_plan_does_not_change(level: str, size: int, partition: str) -> None:
    navmesh = built(level, size, partition)
    mesh = stitch_tiles(navmesh)
    cell = navmesh.tiles[0].polygon_mesh.grid.cell_size
    before = []
    for tile in navmesh.tiles:
        for row in tile.polygon_mesh.polygons:
            x, _, z = tile.polygon_mesh.vertices[row[row != NO_INDEX]].astype(np.int64).T
            before.append(float(x @ np.roll(z, 1) - z @ np.roll(x, 1)) / 2 * float(cell) ** 2)
    assert np.allclose(ground(mesh), before, rtol=1e-4, atol=1e-4)
    assert mesh.area.tolist() == [a for tile in navmesh.tiles for a in tile.polygon_mesh.area.tolist()]
    triangles = triangulated(mesh)
    assert (np.diff(triangles.first) == 3).all()
    assert ground(triangles).min() > 0.4 * float(cell) ** 2
    assert ground(triangles).sum() == pytest.approx(sum(before), rel=1e-5)
    assert set(triangles.corners.tolist()) == set(mesh.corners.tolist()) == set(range(len(mesh.vertices)))


def test_vertices_at_one_place_are_one() -> None:
    for level in LEVELS:
        vertices = stitch_tiles(built(level, 16, "watershed")).vertices
        assert len(np.unique(vertices, axis=0)) == len(vertices)


@pytest.mark.parametrize("radius", [0.0, 0.3])
@pytest.mark.parametrize("level", list(LEVELS))
def test_ground_that_was_not_eroded(level: str, radius: float) -> None:
    """Where ramps pass walls, edges part along the border; nothing is ever joined that Detour would not link."""
    navmesh = built(level, 16, "watershed", radius)
    mesh = stitch_tiles(navmesh)
    assert edge_violations(mesh) == 0
    assert islands(len(mesh.area), links(mesh)) == islands(len(mesh.area), linked(navmesh))


def test_one_piece_passes_through() -> None:
    navmesh = build_navmesh(*LEVELS["city"])
    mesh, own = stitch_tiles(navmesh), navmesh.polygon_mesh
    places = world_vertices(own)
    for p, row in enumerate(own.polygons):
        assert np.array_equal(mesh.vertices[polygon(mesh, p)], places[row[row != NO_INDEX]])
        across = own.neighbors[p][row != NO_INDEX].astype(int)
        assert mesh.neighbors[mesh.first[p] : mesh.first[p + 1]].tolist() == [
            -1 if n == NO_INDEX else n for n in across.tolist()
        ]


def test_the_same_bytes_every_time() -> None:
    navmesh = built("city", 16, "watershed")
    once, again = stitch_tiles(navmesh), stitch_tiles(navmesh)
    assert all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in zip(once, again, strict=True))


# --- by hand


def made(*tiles: tuple[int, int, list[list[tuple[int, int, int]]]]) -> NavMesh:
    """Tiles of 16 cells from polygons whose corners are given in each tile's own voxels (1 m wide, 1 m high)."""
    one = np.float32(1)
    cut = TileGrid(9, 9, 16, 3, np.zeros(3, np.float32), np.full(3, 144, np.float32), one, one)
    found = []
    for x, y, polygons in tiles:
        corners = sorted({c for ring in polygons for c in ring})
        rows = np.full((len(polygons), 6), NO_INDEX, np.uint16)
        neighbors = rows.copy()
        for p, ring in enumerate(polygons):
            rows[p, : len(ring)] = [corners.index(c) for c in ring]
            for i, a in enumerate(ring):
                b = ring[(i + 1) % len(ring)]
                across = [q for q, other in enumerate(polygons) if q != p and {a, b} <= set(other)]
                sides = [a[0] == b[0] == 0, a[2] == b[2] == 16, a[0] == b[0] == 16, a[2] == b[2] == 0]
                if across:
                    neighbors[p, i] = across[0]
                elif any(sides):
                    neighbors[p, i] = 0x8000 | sides.index(True)
        low = np.array([16 * x, 0, 16 * y], np.float32)
        grid = Grid(16, 16, 0, low, low + 16, one, one)
        none = np.zeros(len(polygons), np.uint16)
        mesh = PolygonMesh(
            np.array(corners, np.uint16), rows, neighbors, none, none.astype(np.uint8), len(polygons), one, grid
        )
        found.append(Tile(x, y, mesh, None))
    settings = Settings(tile_size=16, cell_size=1, cell_height=1, agent_height=5, agent_max_climb=1, agent_radius=1)
    report = Report(settings, settings.in_voxels(), 1)
    return NavMesh(settings, tuple(found), cut, (), report, {})


def strip(x0: int, x1: int, z0: int, z1: int, *heights: int) -> list[tuple[int, int, int]]:
    """A rectangle, turning as Recast's polygons do; heights from its low corner on, one for all where one is given."""
    a, b, c, d = heights * 4 if len(heights) == 1 else heights
    return [(x0, a, z0), (x0, b, z1), (x1, c, z1), (x1, d, z0)]


def test_a_corner_across_the_border_is_inserted_with_its_height() -> None:
    mesh = stitch_tiles(
        made((0, 0, [strip(8, 16, 0, 16, 2)]), (1, 0, [strip(0, 4, 0, 6, 2), strip(0, 4, 6, 16, 2, 1, 1, 2)]))
    )
    # The border runs z+ seen from the right, z− from the left. At (16, 16) the left tile's height wins.
    assert mesh.vertices[polygon(mesh, 0)].tolist() == [[8, 2, 0], [8, 2, 16], [16, 2, 16], [16, 2, 6], [16, 2, 0]]
    assert mesh.neighbors[:5].tolist() == [-1, -1, 2, 1, -1]
    assert mesh.vertices[polygon(mesh, 2)].tolist() == [[16, 2, 6], [16, 2, 16], [20, 1, 16], [20, 2, 6]]
    triangles = triangulated(mesh)
    assert len(triangles.area) == 3 + 2 + 2 and edge_violations(triangles) == 0
    assert ground(triangles).sum() == 8 * 16 + 4 * 16


def test_storeys_are_joined_each_to_its_own() -> None:
    left = [strip(8, 16, 0, 16, 0), strip(8, 16, 0, 16, 6)]
    right = [strip(0, 8, 0, 7, 6), strip(0, 8, 0, 9, 0)]
    mesh = stitch_tiles(made((0, 0, left), (1, 0, right)))
    assert links(mesh) == {(0, 3), (3, 0), (1, 2), (2, 1)}
    assert [len(polygon(mesh, p)) for p in range(4)] == [5, 5, 4, 4]


def test_of_two_storeys_within_reach_the_nearer_is_joined() -> None:
    left = [strip(8, 16, 0, 16, 3)]
    right = [strip(0, 8, 0, 16, 2), strip(0, 8, 0, 16, 5)]
    assert links(stitch_tiles(made((0, 0, left), (1, 0, right)))) == {(0, 1), (1, 0)}


def test_four_tiles_share_one_vertex() -> None:
    tiles = [(x, y, [strip(0, 16, 0, 16, 1 + x + y)]) for y in (0, 1) for x in (0, 1)]
    mesh = stitch_tiles(made(*tiles))
    assert len(mesh.vertices) == 9 and len(links(mesh)) == 8
    middle = [v for v in mesh.vertices.tolist() if v[0] == v[2] == 16]
    assert middle == [[16, 1, 16]]


def test_ground_that_parts_along_the_border_is_shared_as_far_as_an_agent_steps() -> None:
    flat, ramp = strip(8, 16, 0, 16, 0), strip(0, 8, 0, 16, 0, 8, 8, 0)
    mesh = stitch_tiles(made((0, 0, [flat]), (1, 0, [ramp])))
    assert links(mesh) == {(0, 1), (1, 0)}
    assert sorted(v[2] for v in mesh.vertices.tolist() if v[0] == 16) == [0, 4, 16, 16]  # 2 × climb apart at z = 4
    assert edge_violations(mesh) == 0


def test_a_stair_around_a_tile_corner_does_not_close_on_itself() -> None:
    """Four landings, each a step above the last; the fifth lies above the first, in the same tile."""
    steps = [(0, 0, 0), (1, 0, 2), (1, 1, 4), (0, 1, 6)]
    tiles = {(x, y): [strip(0, 16, 0, 16, height)] for x, y, height in steps}
    tiles[0, 0].append(strip(0, 16, 0, 16, 8))
    mesh = stitch_tiles(made(*((x, y, tiles[x, y]) for y in (0, 1) for x in (0, 1))))
    assert edge_violations(mesh) == 0
    lower, upper, east, north, far = range(5)
    expected = {(lower, east), (east, far), (far, north), (north, upper)}
    assert links(mesh) == expected | {(b, a) for a, b in expected}


def test_a_vertex_that_only_touches_becomes_a_corner_too() -> None:
    touching = [(0, 1, 7), (4, 1, 9), (4, 1, 5)]
    mesh = stitch_tiles(made((0, 0, [strip(8, 16, 0, 16, 1)]), (1, 0, [touching])))
    assert links(mesh) == set() and len(mesh.vertices) == 7
    assert polygon(mesh, 1)[0] in polygon(mesh, 0)


def test_an_edge_walked_twice_one_way_is_a_violation() -> None:
    mesh = stitch_tiles(built("tower", 32, "watershed"))
    ring = polygon(mesh, 0)
    twice = mesh._replace(
        first=np.append(mesh.first, mesh.first[-1] + len(ring)).astype(np.int32),
        corners=np.append(mesh.corners, ring).astype(np.int32),
    )
    assert edge_violations(mesh) == 0 and edge_violations(twice) == len(ring)


def test_many_polygons_are_stitched_in_no_time() -> None:
    tiles = [(x, y, [strip(0, 16, z, z + 2, 1) for z in range(0, 16, 2)]) for y in range(9) for x in range(9)]
    navmesh = made(*tiles)
    stitch_tiles(navmesh)
    began = time.process_time()
    mesh = stitch_tiles(navmesh)
    assert time.process_time() - began < 0.5  # it takes 3 ms; this only finds what is quadratic
    assert len(mesh.area) == 648 and edge_violations(mesh) == 0
