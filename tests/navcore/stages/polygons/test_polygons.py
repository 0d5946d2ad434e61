"""Stage 9: the worked examples of the specification, invariants, limits, and merging the meshes of tiles."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from navcore.build_warning import BuildWarning
from navcore.errors import BadInput, Cancelled, TooLarge
from navcore.progress import Progress
from navcore.stages.polygons import build_polygon_mesh, merge_polygon_meshes
from navcore.stages.polygons.adjacency import connect_polygons
from navcore.stages.polygons.triangulate import triangulate_ring
from navcore.stages.polygons.weld import bucket_of
from navcore.threads import Workers
from navcore.types import BORDER_VERTEX, NO_INDEX, PORTAL, WALKABLE, Contours, Grid, PolygonMesh

NONE = NO_INDEX
L_SHAPE = [(0, 0), (0, 4), (2, 4), (2, 2), (6, 2), (6, 0)]
KEYHOLE = [(0, 0), (0, 6), (6, 6), (6, 0), (0, 0), (2, 2), (4, 2), (4, 4), (2, 4), (2, 2)]


def contours_of(*loops: list[tuple[int, ...]], height: int = 1) -> Contours:
    """Contours of loops of (x, z) or (x, z, link), one region each."""
    first = np.concatenate([[0], np.cumsum([len(loop) for loop in loops])]).astype(np.int32)
    points = [(p[0], height, p[1], p[2] if len(p) > 2 else 0) for loop in loops for p in loop]
    region = np.arange(1, len(loops) + 1, dtype=np.uint16)
    array = np.array(points, np.int32).reshape(-1, 4)
    return Contours(first, array, first, array, region, np.full(len(loops), WALKABLE, np.uint8))


def grid_of(width: int, depth: int, border: int = 0, corner: tuple[float, float] = (0.0, 0.0)) -> Grid:
    """A grid of 1 m cells whose inside, without the border, begins at `corner`."""
    low = np.array([corner[0] - border, 0, corner[1] - border], np.float32)
    high = low + np.array([width + 2 * border, 2, depth + 2 * border], np.float32)
    return Grid(width + 2 * border, depth + 2 * border, border, low, high, np.float32(1), np.float32(1))


def build(
    grid: Grid, contours: Contours, most: int = 6, threads: int = 1, notes: list[BuildWarning] | None = None
) -> PolygonMesh:
    with Workers(threads) as workers:
        return build_polygon_mesh(grid, contours, most, np.float32(1.3), workers, notes)


def rows_of(array: np.ndarray) -> list[list[int]]:
    return [[int(v) for v in row if v != NONE] for row in array]


def places(mesh: PolygonMesh) -> list[tuple[int, int]]:
    return [(int(x), int(z)) for x, _, z in mesh.vertices]


def doubled_area(loop: list[tuple[int, int]]) -> int:
    return sum(a[1] * b[0] - a[0] * b[1] for a, b in zip(loop, loop[1:] + loop[:1], strict=True))


def test_buckets() -> None:
    assert [bucket_of(x, z, 4096) for x, z in ((1, 0), (0, 1), (10, 20), (4096, 0))] == [835, 799, 3850, 0]


def test_triangles_of_an_l() -> None:
    triangles, good = triangulate_ring(np.array(L_SHAPE))
    assert good
    assert triangles.tolist() == [[1, 2, 3], [0, 1, 3], [3, 4, 5], [0, 3, 5]]


def test_triangles_of_a_keyhole() -> None:
    triangles, good = triangulate_ring(np.array(KEYHOLE))
    assert good
    expected = [[3, 4, 5], [3, 5, 6], [2, 3, 6], [2, 6, 7], [1, 2, 7], [1, 7, 8], [0, 1, 8], [0, 8, 9]]
    assert triangles.tolist() == expected


def test_polygons_of_a_keyhole() -> None:
    mesh = build(grid_of(6, 6), contours_of(KEYHOLE))
    assert places(mesh) == [(0, 0), (0, 6), (6, 6), (6, 0), (2, 2), (4, 2), (4, 4), (2, 4)]
    assert rows_of(mesh.polygons) == [[3, 0, 4, 5], [7, 4, 0, 1], [2, 3, 5, 6], [6, 7, 1, 2]]
    links = [[NONE, 1, NONE, 2], [NONE, 0, NONE, 3], [NONE, 0, NONE, 3], [NONE, 1, NONE, 2]]
    assert mesh.neighbors[:, :4].tolist() == links
    assert (mesh.neighbors[:, 4:] == NONE).all()
    assert mesh.capacity == 8
    assert mesh.max_edge_error == np.float32(1.3)


def test_polygons_of_an_l() -> None:
    mesh = build(grid_of(4, 3), contours_of([(0, 0), (0, 3), (2, 3), (2, 1), (4, 1), (4, 0)]))
    assert rows_of(mesh.polygons) == [[3, 4, 5, 0], [1, 2, 3, 0]]
    assert mesh.neighbors[:, :4].tolist() == [[NONE, NONE, NONE, 1], [NONE, NONE, 0, NONE]]
    assert mesh.capacity == 4


def test_a_hole_that_counts_as_an_outline() -> None:
    notes: list[BuildWarning] = []
    outline, hole = [(0, 0), (0, 3), (3, 3), (3, 0)], [(1, 1), (2, 1), (2, 2), (1, 2)]
    mesh = build(grid_of(3, 3), contours_of(outline, hole), notes=notes)
    assert len(mesh.vertices) == 8
    assert rows_of(mesh.polygons) == [[0, 1, 2, 3]]
    assert len(notes) == 1
    assert notes[0].message.startswith("Contour 1 (4 corners) could not be triangulated")
    assert notes[0].place is not None


def tile_contours() -> Contours:
    gone = BORDER_VERTEX
    contours = contours_of(
        [(0, 3), (3, 3), (5, 3), (8, 3, gone), (8, 0), (0, 0)],
        [(0, 5), (3, 5), (3, 3), (0, 3)],
        [(5, 5), (8, 5, gone), (8, 3, gone), (5, 3)],
        [(0, 8), (8, 8), (8, 5, gone), (5, 5), (3, 5), (0, 5)],
    )
    return contours._replace(region=np.array([5, 6, 7, 8], np.uint16))


def test_a_tile_loses_border_vertices_and_gains_portals() -> None:
    mesh = build(grid_of(8, 8, border=3), tile_contours())
    assert places(mesh) == [(0, 3), (3, 3), (5, 3), (8, 0), (0, 0), (0, 5), (3, 5), (5, 5), (0, 8), (8, 8)]
    assert mesh.capacity == 12
    polygons = [[8, 9, 7, 6], [4, 0, 1], [1, 2, 3, 4], [5, 6, 1, 0], [6, 5, 8], [3, 2, 7, 9]]
    links = [
        [0x8001, 5, NONE, 4], [0x8000, 3, 2], [NONE, 5, 0x8003, 1], [4, NONE, 1, 0x8000], [3, 0x8000, 0],
        [2, NONE, 0, 0x8002],
    ]  # fmt: skip
    assert rows_of(mesh.polygons) == polygons
    assert [row[: len(p)].tolist() for row, p in zip(mesh.neighbors, polygons, strict=True)] == links
    assert mesh.region.tolist() == [8, 5, 5, 6, 8, 0]
    assert mesh.grid.border == 3
    assert (mesh.grid.width, mesh.grid.depth) == (8, 8)
    assert mesh.grid.bounds_min.tolist() == [0, 0, 0]


def test_border_vertices_stay_where_too_little_would_remain() -> None:
    mesh = build(grid_of(8, 8, border=1), contours_of([(0, 0), (0, 8), (8, 8, BORDER_VERTEX)]))
    assert len(mesh.vertices) == 3
    assert len(mesh.polygons) == 1


@pytest.mark.parametrize("most", [3, 4, 6, 12])
def test_polygons_cover_their_contour_and_are_convex(most: int) -> None:
    random = np.random.default_rng(most)
    for _ in range(20):
        angles = np.sort(random.random(40))[::-1] * 2 * np.pi
        radius = random.uniform(40, 500, 40)
        loop = [(int(500 + np.cos(a) * r), int(500 + np.sin(a) * r)) for a, r in zip(angles, radius, strict=True)]
        notes: list[BuildWarning] = []
        mesh = build(grid_of(1000, 1000), contours_of(loop), most, notes=notes)
        assert not notes
        where = places(mesh)
        shapes = [[where[v] for v in row] for row in rows_of(mesh.polygons)]
        assert sum(doubled_area(shape) for shape in shapes) == doubled_area(loop)
        for shape in shapes:
            around = zip(shape, shape[1:] + shape[:1], shape[2:] + shape[:2], strict=True)
            assert all(doubled_area(list(corner)) >= 0 for corner in around)


def test_neighbors_agree_with_each_other() -> None:
    mesh = build(grid_of(8, 8, border=3), tile_contours(), most=3)
    polygons = rows_of(mesh.polygons)
    inner = 0
    for polygon, (corners, links) in enumerate(zip(polygons, mesh.neighbors.tolist(), strict=True)):
        for i, neighbor in enumerate(links):
            if neighbor < PORTAL:
                inner += 1
                edge = corners[(i + 1) % len(corners)], corners[i]
                theirs = polygons[neighbor]
                back = [j for j in range(len(theirs)) if (theirs[j], theirs[(j + 1) % len(theirs)]) == edge]
                assert polygon in [mesh.neighbors[neighbor, j] for j in back]
    assert inner == 2 * 10


def test_neighbors_are_found_beyond_65535_edges() -> None:
    """Recast's edge numbers wrap there."""
    side = 200
    corner = np.arange(side * side).reshape(side, side)
    quads = np.stack([corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]], axis=2)
    number = np.full((side + 1, side + 1), NONE)
    number[1:-1, 1:-1] = np.arange((side - 1) ** 2).reshape(side - 1, side - 1)
    expected = np.stack([number[1:-1, :-2], number[2:, 1:-1], number[1:-1, 2:], number[:-2, 1:-1]], axis=2)
    polygons = quads.reshape(-1, 4).astype(np.uint16)
    neighbors = np.full(polygons.shape, NONE, np.uint16)
    connect_polygons(polygons, neighbors, side * side)
    assert 2 * len(polygons) > 65_536
    np.testing.assert_array_equal(neighbors, expected.reshape(-1, 4))


@pytest.mark.parametrize(("outlines", "corners_a_thread"), [(9, 20), (300, None)])
def test_the_same_bytes_with_any_number_of_threads(
    outlines: int, corners_a_thread: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if corners_a_thread is not None:  # as if it were many outlines
        monkeypatch.setattr("navcore.stages.polygons.mesh._CORNERS_A_THREAD", corners_a_thread)
    random = np.random.default_rng(7)
    loops = []
    for _ in range(outlines):
        corners = int(random.integers(3, 60))
        angles = np.sort(random.random(corners))[::-1] * 2 * np.pi
        radius, x, z = random.uniform(5, 50, corners), *random.integers(50, 900, 2)
        loops.append([(int(x + np.cos(a) * r), int(z + np.sin(a) * r)) for a, r in zip(angles, radius, strict=True)])
    contours = contours_of(*loops)
    notes: dict[int, list[BuildWarning]] = {1: [], 2: [], 5: []}
    meshes = [build(grid_of(1000, 1000), contours, 6, threads, notes[threads]) for threads in notes]
    for mesh in meshes[1:]:
        for ours, first in zip(mesh[:5], meshes[0][:5], strict=True):
            np.testing.assert_array_equal(ours, first, strict=True)
    assert notes[1] == notes[2] == notes[5]


def test_nothing_gives_an_empty_mesh() -> None:
    for contours in (contours_of(), contours_of([]), contours_of([(0, 0), (1, 1)])):
        mesh = build(grid_of(4, 4, border=2), contours)
        assert mesh.vertices.shape == (0, 3)
        assert mesh.polygons.shape == mesh.neighbors.shape == (0, 6)
        assert len(mesh.region) == len(mesh.area) == mesh.capacity == 0


def islands(count: int) -> Contours:
    return contours_of(
        *[[(x, z), (x, z + 1), (x + 1, z)] for x, z in ((2 * (i % 250), 2 * (i // 250)) for i in range(count))]
    )


def test_too_many_corners_are_refused() -> None:
    with pytest.raises(TooLarge, match=r"65,535 corners \(limit 65,533\): use tiles"):
        build(grid_of(600, 600), islands(65_535 // 3))
    mesh = build(grid_of(600, 600), islands(65_533 // 3))
    assert len(mesh.polygons) == 65_533 // 3


def test_vertices_beyond_16_bits_are_refused() -> None:
    with pytest.raises(TooLarge, match=r"65,536 × 4 cells \(limit 65,535 on each side\)"):
        build(grid_of(65_536, 4), contours_of([(0, 0), (0, 4), (65_536, 4), (65_536, 0)]))


def test_more_polygons_than_portals_leave_numbers_for_are_refused() -> None:
    comb = [(0, 0)] + [p for i in range(16_384) for p in ((3 * i, 9), (3 * i + 1, 2))] + [(49_152, 0)]
    contours = contours_of(comb)
    assert len(build(grid_of(50_000, 10), contours, most=3).polygons) == 32_768
    with pytest.raises(TooLarge, match=r"32,768 polygons \(limit 32,767\): use smaller tiles"):
        build(grid_of(50_000, 10, border=2), contours, most=3)


def test_cancelling_stops_in_the_middle_of_a_contour() -> None:
    """A walk that crosses itself everywhere would take many seconds: kernels must look at the flag as they run."""
    random = np.random.default_rng(8)
    steps = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])[random.integers(4, size=50_000)]
    path = np.clip(np.cumsum(steps, axis=0) + 100, 0, 200)
    contours = contours_of([(int(x), int(z)) for x, z in path])
    build(grid_of(6, 6), contours_of(KEYHOLE))  # so that no compiling is timed
    progress = Progress()
    with Workers(1, progress) as workers:
        threading.Timer(0.2, progress.cancel).start()
        began = time.process_time()
        with pytest.raises(Cancelled):
            build_polygon_mesh(grid_of(200, 200), contours, 6, np.float32(1), workers)
    assert time.process_time() - began < 5


def square_tile(x: int, z: int, size: int, height: int = 1, border: int = 2) -> PolygonMesh:
    """A tile that is one square, with portals all around."""
    loop = [(0, 0), (0, size), (size, size), (size, 0)]
    return build(grid_of(size, size, border, (float(x), float(z))), contours_of(loop, height=height))


def test_merging_tiles_welds_connects_and_keeps_outer_portals() -> None:
    mesh = merge_polygon_meshes([square_tile(10, 20, 4), square_tile(14, 20, 4, height=3), square_tile(10, 24, 4)])
    assert places(mesh) == [(0, 0), (0, 4), (4, 4), (4, 0), (8, 4), (8, 0), (0, 8), (4, 8)]
    assert mesh.vertices[:, 1].tolist() == [1, 1, 1, 1, 3, 3, 1, 1]
    assert rows_of(mesh.polygons) == [[0, 1, 2, 3], [3, 2, 4, 5], [1, 6, 7, 2]]
    # Edges run along x−, z+, x+, z−. Towards the missing fourth tile no portal is left.
    assert mesh.neighbors[:, :4].tolist() == [
        [0x8000, 2, 1, 0x8003],
        [0, NONE, 0x8002, 0x8003],
        [0x8000, 0x8001, NONE, 0],
    ]
    assert mesh.grid.bounds_min.tolist() == [10, 0, 20]
    assert mesh.grid.bounds_max.tolist() == [18, 2, 28]
    assert (mesh.grid.width, mesh.grid.depth, mesh.grid.border) == (8, 8, 0)
    assert (mesh.capacity, mesh.max_edge_error) == (0, 0)


def test_merging_keeps_floors_apart() -> None:
    mesh = merge_polygon_meshes([square_tile(0, 0, 4), square_tile(4, 0, 4, height=4)])
    assert len(mesh.vertices) == 8
    assert mesh.neighbors[:, :4].tolist() == [[0x8000, 0x8001, NONE, 0x8003], [NONE, 0x8001, 0x8002, 0x8003]]


def test_merging_nothing_is_refused() -> None:
    with pytest.raises(BadInput, match="no polygon meshes"):
        merge_polygon_meshes([])


def test_merging_too_much_is_refused() -> None:
    many = build(grid_of(600, 600), islands(17_000))
    with pytest.raises(TooLarge, match=r"68,000 polygons \(limit 65,534\)"):
        merge_polygon_meshes([many] * 4)
    # The same islands at other heights: 2 · 51,000 vertices, though fewer polygons than the limit.
    lifted = many._replace(vertices=many.vertices + np.array([0, 9, 0], np.uint16))
    with pytest.raises(TooLarge, match=r"102,000 vertices \(limit 65,534\)"):
        merge_polygon_meshes([many, lifted])
