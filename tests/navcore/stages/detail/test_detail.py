"""Stage 10: worked examples, the twin on random scenes, threads, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from navcore.build_warning import BuildWarning
from navcore.errors import BadInput, BadSettings, Cancelled, TooLarge
from navcore.progress import Progress
from navcore.stages.detail import build_detail_mesh, merge_detail_meshes
from navcore.stages.detail.each_polygon import Scratch, new_scratch
from navcore.stages.detail.heights import IS_WHOLE, Patch
from navcore.threads import Workers
from navcore.types import NO_INDEX, DetailMesh

from ....dumps import same_bytes
from . import detail_twin as twin
from . import triangulation_twin, twin_log
from .detail_scenes import Scene, ground, large_scene, polygon_mesh, random_scene

SQUARE = [(0, 1, 0), (0, 1, 8), (8, 1, 8), (8, 1, 0)]
NOTE_OF = {
    twin_log.WALKS_FAILED: "Walks towards the center",
    twin_log.NOTHING_FOUND: "without ground near any corner",
    twin_log.HEIGHTS_UNKNOWN: "without any ground around",
    twin_log.DANGLING: "Dangling faces",
    twin_log.TABLE_FULL: "table of edges was full",
    twin_log.CLAMPED: "cut off at 255",
}


@pytest.fixture(autouse=True)
def _shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several threads share the smallest scenes, too."""
    monkeypatch.setattr("navcore.stages.detail.build_detail._SHARED_FROM", 0)


def build(scene: Scene, threads: int = 1, notes: list[BuildWarning] | None = None) -> DetailMesh:
    with Workers(threads) as workers:
        return build_detail_mesh(*scene, workers, notes)


@cache
def twin_of_random_scene(seed: int) -> tuple[DetailMesh, np.ndarray]:
    return twin.build(*random_scene(seed))


def assert_same(ours: DetailMesh, theirs: DetailMesh, what: object = "") -> None:
    for name, a, b in zip(DetailMesh._fields, ours, theirs, strict=True):
        assert same_bytes(a, b), f"{what} {name}"


def flat_scene(
    heights: np.ndarray, polygons: list[list[tuple[int, int, int]]], distance: float, error: float, region: int = 1,
    cell_height: float = 0.5,
) -> Scene:  # fmt: skip
    compact, regions = ground([heights], [np.ones_like(heights)])
    depth, width = heights.shape
    mesh = polygon_mesh(polygons, [region] * len(polygons), width, depth, cell_height=cell_height)
    return Scene(mesh, compact, regions, np.float32(distance), np.float32(error))


# --- worked examples


def test_jitter() -> None:
    x = [float(twin.jitter(i, 0x8DA6B343)) for i in range(6)]
    z = [float(twin.jitter(i, 0xD8163841)) for i in range(6)]
    expected_x = [-1, 0.400503516, -0.199023426, -0.798550367, 0.601953149, 0.00242614746]
    assert np.float32(x).tolist() == np.float32(expected_x).tolist()
    expected_z = [-1, -0.560509682, -0.121019304, 0.318471074, 0.757961392, -0.802578807]
    assert np.float32(z).tolist() == np.float32(expected_z).tolist()


def test_hull_and_one_point_inside() -> None:
    v = np.zeros((128, 3), np.float32)
    v[:5, 0], v[:5, 2] = [0, 0, 4, 4, 1], [0, 4, 4, 0, 2.5]
    hull, log = np.array([3, 0, 1, 2]), np.zeros(twin_log.LOG_SIZE, np.int64)
    triangles = np.zeros((200, 3), np.int64)
    count = triangulation_twin.triangulate(v, 5, hull, 4, triangles, log)
    assert triangles[:count].tolist() == [[2, 3, 4], [3, 0, 4], [0, 1, 4], [1, 2, 4]]
    assert triangulation_twin.circle(v, 0, 1, 4) == (np.float32(-1.375), np.float32(2), np.float32(2.42706108))
    count = triangulation_twin.triangulate_hull(v, hull, 4, 4, triangles)
    assert triangles[:count].tolist() == [[3, 0, 2], [0, 1, 2]]
    assert twin.poly_distance(v, 4, np.float32(1), np.float32(2)) == -1
    assert twin.poly_distance(v, 4, np.float32(5), np.float32(2)) == 1
    assert twin.triangle_distance(v, 0, 1, 3, np.float32(1), np.float32(3), np.float32(1)) == 3


def test_block_in_the_middle() -> None:
    heights = np.ones((8, 8), np.int64)
    heights[3:5, 3:5] = 3
    scene = flat_scene(heights, [SQUARE], 1, 0.05)
    vertices = [
        (0, 1, 0), (0, 1, 8), (8, 1, 8), (8, 1, 0),
        (2.94077206, 2, 3.0031755), (2.96043491, 1, 2.09553814), (2.00072479, 1, 2.95922637),
        (1.9613992, 1, 4.97450352), (4.98154402, 1, 4.90634775), (4.08082247, 2, 3.04712439),
        (5.04053259, 1, 1.98343325), (4.06115961, 2, 3.95476151), (2.92110944, 2, 3.91081262),
    ]  # fmt: skip
    triangles = [
        (2, 3, 8, 1), (3, 0, 10, 1), (0, 1, 7, 1), (1, 2, 8, 1), (8, 3, 10, 0), (10, 0, 5, 0), (7, 1, 8, 0),
        (0, 7, 6, 0), (8, 10, 9, 0), (5, 0, 6, 0), (10, 5, 9, 0), (7, 8, 11, 0), (6, 7, 12, 0), (8, 9, 11, 0),
        (5, 6, 4, 0), (9, 5, 4, 0), (7, 11, 12, 0), (6, 12, 4, 0), (11, 9, 12, 0), (9, 4, 12, 0),
    ]  # fmt: skip
    detail = build(scene)
    assert detail.meshes.tolist() == [[0, 13, 0, 20]]
    assert same_bytes(detail.vertices, np.array(vertices, np.float32))
    assert same_bytes(detail.triangles, np.array(triangles, np.uint8))


def test_ring_of_quads() -> None:
    heights = np.ones((6, 6), np.int64)
    heights[2:4, 2:4] = -1
    corners = [(0, 0), (0, 6), (6, 6), (6, 0), (2, 2), (4, 2), (4, 4), (2, 4)]
    polygons = [
        [(corners[i][0], 1, corners[i][1]) for i in p] for p in ((3, 0, 4, 5), (7, 4, 0, 1), (2, 3, 5, 6), (6, 7, 1, 2))
    ]
    detail = build(flat_scene(heights, polygons, 1, 0.5))
    assert detail.meshes[:, 1].tolist() == [4] * 4 and detail.meshes[:, 3].tolist() == [2] * 4
    assert detail.triangles[:2].tolist() == [[3, 0, 2, 17], [0, 1, 2, 5]]


# --- the twin


@pytest.mark.parametrize("begin", range(0, 240, 40))
def test_random_scenes_equal_the_twin(begin: int) -> None:
    for seed in range(begin, begin + 40):
        scene = random_scene(seed)
        notes: list[BuildWarning] = []
        expected, log = twin_of_random_scene(seed)
        assert_same(build(scene, notes=notes), expected, seed)
        for event, words in NOTE_OF.items():
            noted = [note.message.partition(": ")[2].split()[0] for note in notes if words in note.message]
            assert noted == ([f"{log[event]:,}."] if log[event] else []), (seed, words)


def test_random_scenes_reach_what_is_rare() -> None:
    """The scenes above are of no use unless they hold dangling faces, full polygons and failed walks."""
    fullest, log = 0, np.zeros(twin_log.LOG_SIZE, np.int64)
    for seed in range(240):
        detail, own = twin_of_random_scene(seed)
        fullest = max(fullest, int(detail.meshes[:, 1].max()))
        log += own
    assert fullest == 127
    assert log[twin_log.DANGLING] > 100
    assert log[twin_log.WALKS_FAILED] > 10
    assert log[twin_log.HEIGHTS_UNKNOWN] > 100


@pytest.mark.parametrize("seed", [3, 17, 31])
def test_threads_do_not_matter(seed: int) -> None:
    scene = random_scene(seed)
    many = 60
    mesh = scene.mesh._replace(
        polygons=np.tile(scene.mesh.polygons, (many, 1)), region=np.tile(scene.mesh.region, many),
        area=np.tile(scene.mesh.area, many),
    )  # fmt: skip
    scene = scene._replace(mesh=mesh)
    one = build(scene, 1)
    assert len(one.meshes) == len(mesh.polygons)
    for threads in (2, 5):
        assert_same(build(scene, threads), one, threads)


# --- large patches, of which only windows are filled


def _whole_if_at_most(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navcore.stages.detail.build_detail.WHOLE", cells)


@pytest.mark.parametrize("make", [random_scene, large_scene])
@pytest.mark.parametrize("begin", [1000, 1040])
def test_windows_equal_the_twin(make: Callable[[int], Scene], begin: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(begin, begin + 40):
        scene = make(seed)
        _whole_if_at_most(seed % 3 * 200, monkeypatch)
        notes: list[BuildWarning] = []
        expected, log = twin.build(*scene)
        assert_same(build(scene, notes=notes), expected, seed)
        for event, words in NOTE_OF.items():
            noted = [note.message.partition(": ")[2].split()[0] for note in notes if words in note.message]
            assert noted == ([f"{log[event]:,}."] if log[event] else []), (seed, words)


@pytest.mark.parametrize("gap", [0, 1, 2, 3, 7, 20])
@pytest.mark.parametrize("island", [False, True])
def test_a_flood_from_afar(gap: int, island: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wanted cells lie some steps from the region, behind corners, or where no step leads."""
    heights = np.add.outer(np.arange(48), np.arange(48)) % 7 + 3
    heights[20:40:4, 8:40] = heights[22:40:4, 12:] = -1  # a maze
    if island:
        heights[30:34, 30:34] += 100
    regions = np.where(np.arange(48)[:, None] + np.zeros(48) < 24 - gap, 1, 2)
    regions[0, 0] = 1
    compact, spans = ground([heights], [regions], 20)
    corners = [(0, 9, 0), (0, 9, 48), (48, 9, 48), (48, 9, 0)]
    mesh = polygon_mesh([corners, [corners[0], corners[1], corners[2]]], [1, 1], 48, 48)
    scene = Scene(mesh, compact, spans, np.float32(1), np.float32(0.1))
    expected, _ = twin.build(*scene)
    assert_same(build(scene), expected)
    _whole_if_at_most(0, monkeypatch)
    assert_same(build(scene), expected)


@pytest.mark.parametrize("region_rows", [1, 6])
def test_a_flood_over_a_few_cells(region_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first rows are of the region; windows around what is wanted grow until they reach them."""
    heights = np.add.outer(np.arange(11), np.arange(11)) % 5 + 3
    heights[5, 2:] = heights[8, :9] = -1  # walls with gaps at opposite ends
    compact, spans = ground([heights], [np.where(np.arange(11)[:, None] + np.zeros(11) < region_rows, 1, 2)], 20)
    outline = [(0, 5, 0), (0, 5, 11), (11, 5, 11), (11, 5, 0)]
    scene = Scene(polygon_mesh([outline], [1], 11, 11), compact, spans, np.float32(2), np.float32(0.3))
    expected, _ = twin.build(*scene)
    _whole_if_at_most(0, monkeypatch)
    assert expected.meshes[0, 1] > 4
    assert_same(build(scene), expected)


@pytest.mark.parametrize(("cells", "whole"), [(0, 0), (10**6, 1)])
def test_a_large_patch_is_not_filled(cells: int, whole: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or all of the above would test nothing."""
    _whole_if_at_most(cells, monkeypatch)
    patches: list[Patch] = []

    def spied(*sizes: int) -> Scratch:
        scratch: Scratch = new_scratch(*sizes)
        patches.append(scratch.patch)
        return scratch

    monkeypatch.setattr("navcore.stages.detail.build_detail.new_scratch", spied)
    build(
        flat_scene(np.ones((90, 90), np.int64), [[(5, 1, 5), (5, 1, 80), (80, 1, 80), (80, 1, 5)]], 2, 0.1), threads=2
    )
    assert [patch.window[IS_WHOLE] for patch in patches] == [whole]


# --- edge cases


def test_no_polygons() -> None:
    detail = build(flat_scene(np.ones((4, 4), np.int64), [], 1, 0.5))
    assert [a.shape for a in detail] == [(0, 4), (0, 3), (0, 4)]
    assert [a.dtype for a in detail] == [np.uint32, np.float32, np.uint8]


def test_without_samples_the_corners_are_triangulated() -> None:
    heights = np.random.default_rng(1).integers(0, 50, (8, 8))
    hexagon = [(0, 4, 3), (2, 9, 8), (6, 1, 8), (8, 0, 4), (6, 7, 0), (2, 2, 0)]
    notes: list[BuildWarning] = []
    detail = build(flat_scene(heights, [SQUARE, hexagon], 0, 0.1), notes=notes)
    assert detail.meshes.tolist() == [[0, 4, 0, 2], [4, 6, 2, 4]]
    scale = np.array([1, 0.5, 1], np.float32)
    assert (detail.vertices == np.array(SQUARE + hexagon, np.float32) * scale + np.array([0, 0.5, 0], np.float32)).all()
    for mesh in detail.meshes:
        inside = detail.triangles[mesh[2] : mesh[2] + mesh[3]]
        flagged = [(row[k], row[(k + 1) % 3]) for row in inside for k in range(3) if row[3] >> 2 * k & 1]
        assert sorted(flagged) == sorted((i, (i + 1) % mesh[1]) for i in range(mesh[1]))
    assert notes == []


def test_boundary_edges_are_flagged_once_each() -> None:
    checked = 0
    for seed in range(60):
        scene = random_scene(seed)
        notes: list[BuildWarning] = []
        detail = build(scene, notes=notes)
        for polygon, (_, vertices, begin, count) in enumerate(detail.meshes.tolist()):
            rows = detail.triangles[begin : begin + count].tolist()
            flagged = [(row[k], row[(k + 1) % 3]) for row in rows for k in range(3) if row[3] >> 2 * k & 1]
            assert len(flagged) == len(set(flagged)), (seed, polygon)
            assert all(index < vertices for row in rows for index in row[:3])
            checked += len(flagged)
    assert checked > 500


def test_nothing_near_uses_the_polygons_own_height() -> None:
    heights = np.full((30, 30), -1, np.int64)
    heights[0, 0] = 3
    polygon = [(10, 7, 10), (10, 7, 25), (25, 7, 25), (25, 7, 10)]
    notes: list[BuildWarning] = []
    detail = build(flat_scene(heights, [polygon], 1, 0.1), notes=notes)
    assert detail.meshes.tolist() == [[0, 4, 0, 2]]
    assert [note.message.partition(". ")[0] for note in notes] == [
        "Polygons without ground near any corner, which keep their own height: 1"
    ]


def test_heights_that_are_nowhere_are_kept_as_recast_has_them() -> None:
    """Ground of the region without any other region beside it seeds no flood: the hole in it stays unknown."""
    heights = np.ones((12, 12), np.int64)
    heights[3:9, 3:9] = -1
    notes: list[BuildWarning] = []
    square = [(0, 1, 0), (0, 1, 12), (12, 1, 12), (12, 1, 0)]
    detail = build(flat_scene(heights, [square], 1, 0.1), notes=notes)
    assert detail.vertices[:, 1].max() > 30_000
    assert any("without any ground around" in note.message for note in notes)


def test_merge() -> None:
    parts = [build(random_scene(seed)) for seed in (2, 5, 9)]
    merged = merge_detail_meshes(parts)
    assert [a.dtype for a in merged] == [np.uint32, np.float32, np.uint8]
    at = 0
    for part in parts:
        for own, row in zip(part.meshes.tolist(), merged.meshes[at : at + len(part.meshes)].tolist(), strict=True):
            assert row[1::2] == own[1::2]
            assert same_bytes(merged.vertices[row[0] : row[0] + row[1]], part.vertices[own[0] : own[0] + own[1]])
            assert same_bytes(merged.triangles[row[2] : row[2] + row[3]], part.triangles[own[2] : own[2] + own[3]])
        at += len(part.meshes)
    assert at == len(merged.meshes)
    assert [a.shape for a in merge_detail_meshes([])] == [(0, 4), (0, 3), (0, 4)]


# --- what is refused


@pytest.mark.parametrize(
    ("distance", "error"), [(-1, 0.1), (np.nan, 0.1), (np.inf, 0.1), (1, -0.1), (1, np.nan), (1, np.inf), (1e-9, 0.1)]
)
def test_bad_settings(distance: float, error: float) -> None:
    with pytest.raises(BadSettings, match="detail sample distance"):
        build(flat_scene(np.ones((8, 8), np.int64), [SQUARE], distance, error))


def test_too_many_samples() -> None:
    with pytest.raises(TooLarge, match="height samples"):
        build(flat_scene(np.ones((8, 8), np.int64), [SQUARE], 1e-4, 0.1))


def test_bad_polygons() -> None:
    scene = flat_scene(np.ones((8, 8), np.int64), [SQUARE], 1, 0.1)
    for row, match in (([0, 1, 9, 3], "does not exist"), ([0, 1, NO_INDEX, 3], "fewer than 3 corners")):
        polygons = np.full((1, 6), NO_INDEX, np.uint16)
        polygons[0, :4] = row
        with pytest.raises(BadInput, match=match):
            build(scene._replace(mesh=scene.mesh._replace(polygons=polygons)))
    vertices = scene.mesh.vertices.copy()
    vertices[2, 0] = 9
    with pytest.raises(BadInput, match="out of its grid"):
        build(scene._replace(mesh=scene.mesh._replace(vertices=vertices)))


def test_another_heightfield() -> None:
    scene = flat_scene(np.ones((8, 8), np.int64), [SQUARE], 1, 0.1)
    other, _ = ground([np.ones((8, 9), np.int64)], [np.ones((8, 9), np.int64)])
    with pytest.raises(BadInput, match="8 × 8 columns, the heightfield has 9 × 8"):
        build(scene._replace(compact=other))


def test_cancel() -> None:
    scene = flat_scene(np.ones((8, 8), np.int64), [SQUARE], 1, 0.1)
    progress = Progress()
    progress.cancel()
    with Workers(1, progress) as workers, pytest.raises(Cancelled):
        build_detail_mesh(*scene, workers)
