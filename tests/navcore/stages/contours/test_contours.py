"""Stage 8: contours, against worked examples of the specification and its plain-Python twin."""

from __future__ import annotations

import time
import zlib
from itertools import pairwise
from threading import Thread

import numpy as np
import pytest

from navcore.errors import Cancelled
from navcore.progress import Progress
from navcore.stages.contours import build_contours
from navcore.stages.contours.farthest import cover_blocks, distance2, farthest
from navcore.stages.contours.holes import merge_holes
from navcore.stages.contours.ranking import clear_ranking, empty_ranking, next_keys, rank_anew, ranked
from navcore.stages.contours.simplify import simplify_all
from navcore.stages.contours.trace import trace_outlines
from navcore.threads import Workers
from navcore.types import AREA_BORDER, BORDER_REGION, BORDER_VERTEX, CompactHeightfield, Contours, Grid, Regions
from tests.navcore.stages.contours import contours_twin as naive

ARRAYS = Contours._fields


@pytest.fixture(autouse=True)
def _shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several threads share the smallest scenes, too."""
    monkeypatch.setattr("navcore.stages.contours._SHARED_FROM", 0)


def flat(mask: np.ndarray, area: np.ndarray | int = 63, floor: np.ndarray | int = 1) -> CompactHeightfield:
    """One storey: a span in each cell of `mask` (depth, width), linked to its four neighbors."""
    mask = np.asarray(mask, bool)
    depth, width = mask.shape
    number = np.where(mask, np.cumsum(mask).reshape(mask.shape) - 1, -1)
    padded = np.pad(number, 1, constant_values=-1)
    around = np.stack([padded[1:-1, :-2], padded[2:, 1:-1], padded[1:-1, 2:], padded[:-2, 1:-1]], axis=-1)
    first = np.concatenate([[0], np.cumsum(mask)]).astype(np.int32)
    floors = np.broadcast_to(floor, mask.shape)[mask].astype(np.uint16)
    areas = np.broadcast_to(area, mask.shape)[mask].astype(np.uint8)
    clearance = np.full(len(floors), 255, np.uint8)
    return CompactHeightfield(width, depth, first, floors, clearance, around[mask].astype(np.int32), areas)


def build(
    compact: CompactHeightfield, region: np.ndarray | int = 1, error: float = 1.3, length: int = 0, walls: bool = True,
    areas: bool = False, border: int = 0, threads: int = 1, notes: list[str] | None = None,
) -> Contours:  # fmt: skip
    region = np.broadcast_to(np.asarray(region, np.uint16), compact.floor.shape).copy()
    zero = np.zeros(3, np.float32)
    grid = Grid(compact.width, compact.depth, border, zero, zero, np.float32(1), np.float32(1))
    regions = Regions(region, int(region[region < BORDER_REGION].max(initial=0)))
    with Workers(threads) as workers:
        return build_contours(grid, compact, regions, np.float32(error), length, walls, areas, workers, notes)


def corners(contours: Contours, k: int) -> list[tuple[int, int]]:
    return [(x, z) for x, _, z, _ in contours.points[contours.first[k] : contours.first[k + 1]].tolist()]


def walked(contours: Contours, k: int) -> list[tuple[int, int]]:
    return [(x, z) for x, _, z, _ in contours.raw[contours.raw_first[k] : contours.raw_first[k + 1]].tolist()]


def assert_as_naive(
    compact: CompactHeightfield, region: np.ndarray, error: float, length: int, walls: bool, areas: bool
) -> dict:
    notes: list[str] = []
    ours = build(compact, region, error, length, walls, areas, notes=notes)
    theirs, log = naive.contours(compact, region, error, length, walls, areas)
    assert ours.region.tolist() == [c.region for c in theirs]
    assert ours.area.tolist() == [c.area for c in theirs]
    assert np.diff(ours.raw_first).tolist() == [len(c.raw) for c in theirs]
    assert list(map(tuple, ours.raw.tolist())) == [p for c in theirs for p in c.raw]
    assert np.diff(ours.first).tolist() == [len(c.points) for c in theirs]
    assert list(map(tuple, ours.points.tolist())) == [p for c in theirs for p in c.points]
    assert len(notes) == sum(n > 0 for n in log.values())
    return log


# --- worked examples of the specification


L_SHAPE = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]])


@pytest.mark.parametrize(
    ("error", "expected"),
    [(1.3, [(0, 0), (0, 3), (4, 1)]), (0.7, [(0, 0), (0, 3), (2, 3), (2, 1), (4, 1), (4, 0)])],
)
def test_l_shape(error: float, expected: list[tuple[int, int]]) -> None:
    """T2-1.1."""
    contours = build(flat(L_SHAPE), error=error)
    raw = [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 3),
        (2, 3),
        (2, 2),
        (2, 1),
        (3, 1),
        (4, 1),
        (4, 0),
        (3, 0),
        (2, 0),
        (1, 0),
        (0, 0),
    ]
    assert walked(contours, 0) == raw
    assert set(contours.raw[:, 1]) == {1}
    assert set(contours.raw[:, 3]) == {0}
    assert corners(contours, 0) == expected
    assert contours.region.tolist() == [1]
    assert contours.area.tolist() == [63]


def ring(size: int, low: int, high: int) -> np.ndarray:
    mask = np.ones((size, size), bool)
    mask[low:high, low:high] = False
    return mask


def test_a_hole_is_joined_by_a_bridge() -> None:
    """T2-1.2."""
    contours = build(flat(ring(6, 2, 4)))
    assert len(walked(contours, 0)) == 24
    assert walked(contours, 0)[0] == (0, 1)
    assert walked(contours, 1) == [(3, 2), (4, 2), (4, 3), (4, 4), (3, 4), (2, 4), (2, 3), (2, 2)]
    assert corners(contours, 0) == [(0, 0), (0, 6), (6, 6), (6, 0), (0, 0), (2, 2), (4, 2), (4, 4), (2, 4), (2, 2)]
    assert corners(contours, 1) == []


def test_a_hole_of_one_cell_counts_as_an_outline() -> None:
    """T2-1.3: half of −1 is rounded toward zero."""
    notes: list[str] = []
    contours = build(flat(ring(3, 1, 2)), error=0.5, notes=notes)
    assert corners(contours, 0) == [(0, 0), (0, 3), (3, 3), (3, 0)]
    assert corners(contours, 1) == [(1, 1), (2, 1), (2, 2), (1, 2)]
    assert notes == []
    assert len(build(flat(ring(3, 1, 2)), error=1.3).region) == 1


def test_a_tile_with_a_border() -> None:
    """T2-1.4."""
    mask, region = np.zeros((14, 14), bool), np.zeros((14, 14), np.uint16)
    mask[3:, 3:] = True
    mask[6:8, 6:8] = False
    region[3:6], region[8:11] = 5, 8
    region[6:8, :6], region[6:8, 8:] = 6, 7
    region[:, 11:], region[11:, :] = 0x8002, 0x8004
    contours = build(flat(mask), region[mask], border=3)
    edge = [[x, 0, 0] for x in range(7, -1, -1)]
    assert contours.raw[: contours.raw_first[1], [0, 2, 3]].tolist() == [
        [0, 1, 0], [0, 2, 0], [0, 3, 0], [1, 3, 6], [2, 3, 6], [3, 3, 6], [4, 3, 0], [5, 3, 0], [6, 3, 7], [7, 3, 7],
        [8, 3, 0x10007], [8, 2, 0x18002], [8, 1, 0x18002], [8, 0, 0x8002], *edge,
    ]  # fmt: skip
    assert contours.points[: contours.first[1], [0, 2, 3]].tolist() == [
        [0, 3, 6], [3, 3, 0], [5, 3, 7], [8, 3, 0x18002], [8, 0, 0], [0, 0, 0],
    ]  # fmt: skip
    assert contours.region.tolist()[3] == 8
    assert contours.points[contours.first[3] : contours.first[4], [0, 2, 3]].tolist() == [
        [0, 8, 0x8004], [8, 8, 0x8002], [8, 5, 0x10007], [5, 5, 0], [3, 5, 6], [0, 5, 0],
    ]  # fmt: skip


def test_distances_are_rounded_to_float32_at_every_step() -> None:
    """T2-1.5: not 1/53."""
    assert np.float32(distance2(0, 0, 7, 2, 3, 1)) == np.float32(0.018867917)
    assert np.float32(0.018867917) != np.float32(1 / 53)


APPENDIX_A = """\
###.##.##.###########.#.......
.#.########.#.####.#####...#.#
##.###########.##.############
#.###..######..###..#.###.#...
#.###..###..#####....######..#
#.###.###.#######.#..###.#####
#####.#####.#.##############..
##.#..####..###.##.#######..##
#####.######..#######.#####.#.
#####.#####.###.#####..####.#.
.###.###.#.####....####..#..##
#..#######.#....#.#.###.######
##.#.#.##.#####.#####..######.
.#.#...#..#.##.####.###.#..###
##.##.##..###.####.####.#####.
##.#.######.#..#..#.#########.
#.#..#.####.################..
####.##..####.#..###...##...##
.#.#.#.#.######..##.#.#.#####.
#..#.####.#.#######.###.####..
#.####...#.##...#.#...#######.
####.##.##....#.##.#######.#..
#.#.#.###.#############.####..
######.####.######.##.##.##.##
###.##.####.###..#...##.####.#
###.#...#.#.##.##.####.#######
.#######.##..###.####....##..#
########.##...########.#######
..###.####.#.##..#######.#.###
###..#######.....#####....##.#
"""


def appendix_mask() -> np.ndarray:
    return np.array([[c == "#" for c in line] for line in APPENDIX_A.splitlines()])


def test_the_skip_index_of_a_bridge_is_the_holes_number() -> None:
    """T2-1.6: with the index that is evidently meant the checksum would be 0xa9ca4f19."""
    contours = build(flat(appendix_mask()))
    assert contours.first[1] == 169
    assert contours.first[-1] == 169
    assert zlib.crc32(contours.points[:, [0, 2]].astype("<i4").tobytes()) == 0xEF3C2C7D


# --- against the plain twin


def random_field(rng: np.random.Generator, size: int) -> tuple[CompactHeightfield, np.ndarray]:
    """A field with holes, patches of areas and regions (some of them in several pieces), uneven floors."""
    mask = rng.random((size, size)) < rng.choice([0.7, 0.85, 0.95])
    patch = int(rng.integers(2, size))
    blocks = (np.arange(size) // patch)[:, None] * size + (np.arange(size) // patch)[None, :]
    area = rng.choice([63, 63, 1], size * size).astype(np.uint8)[blocks]
    region = rng.integers(0, rng.integers(2, 6), size * size).astype(np.uint16)[blocks]
    region[:, : rng.integers(0, 3)] = BORDER_REGION | 1
    region[: rng.integers(0, 3)] = BORDER_REGION | 2
    return flat(mask, area, rng.integers(1, 4, (size, size))), region[mask]


@pytest.mark.parametrize("seed", range(40))
def test_random_fields_are_as_the_twins(seed: int) -> None:
    rng = np.random.default_rng(seed)
    compact, region = random_field(rng, int(rng.integers(3, 22)))
    for error, length, walls, areas in (
        (1.3, 0, True, False),
        (0.3, 3, True, True),
        (3.0, 4, False, True),
        (0, 2, True, False),
    ):
        assert_as_naive(compact, region, error, length, walls, areas)


@pytest.mark.parametrize("seed", range(25))
def test_many_holes_in_one_region_are_as_the_twins(seed: int) -> None:
    rng = np.random.default_rng(seed + 100)
    size = int(rng.integers(8, 40))
    mask = np.ones((size, size), bool)
    mask[1:-1, 1:-1] = rng.random((size - 2, size - 2)) < rng.choice([0.75, 0.9, 0.95])
    for _ in range(rng.integers(0, 12)):
        x, z = rng.integers(1, size - 3, 2)
        mask[z : z + rng.integers(1, 4), x : x + rng.integers(1, 4)] = False
    compact = flat(mask)
    region = np.full(compact.floor.shape, 1, np.uint16)
    for error in (0.5, 1.3):
        assert_as_naive(compact, region, error, 0, True, False)


def test_links_that_are_not_mutual_are_as_the_twins() -> None:
    """Two storeys with random links: walks end where there is no link, or turn for ever without a new point."""
    trapped = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        width, depth = (int(n) for n in rng.integers(2, 7, 2))
        spans = 2 * width * depth
        column = np.arange(spans) // 2
        neighbors = np.full((spans, 4), -1, np.int32)
        for d in range(4):
            x, z = column % width + naive.DX[d], column // width + naive.DZ[d]
            inside = (x >= 0) & (x < width) & (z >= 0) & (z < depth) & (rng.random(spans) < 0.95)
            neighbors[inside, d] = (2 * (x + z * width) + rng.integers(0, 2, spans))[inside]
        floor = rng.integers(0, 50, spans).astype(np.uint16)
        compact = CompactHeightfield(
            width, depth, np.arange(0, spans + 1, 2, dtype=np.int32), floor, floor.astype(np.uint8), neighbors,
            np.full(spans, 63, np.uint8),
        )  # fmt: skip
        region = rng.integers(1, 3, spans).astype(np.uint16)
        with Workers(1) as workers:
            outlines = trace_outlines(compact, Regions(region, 2), workers)
        steps: list[int] = []
        expected = naive.walks(compact, region, 2000, steps)
        assert np.diff(outlines.first).tolist() == [len(raw) for raw, _ in expected]
        assert list(map(tuple, outlines.points.tolist())) == [p for raw, _ in expected for p in raw]
        trapped += steps.count(1999)
    assert trapped > 10


@pytest.mark.parametrize(("size", "threads"), [(60, 2), (900, 2), (900, 3), (900, 8)])
def test_bytes_do_not_depend_on_threads(size: int, threads: int) -> None:
    rng = np.random.default_rng(5)
    mask = rng.random((size, size)) < 0.93
    region = (1 + np.arange(size)[:, None] // 30 * 30 + np.arange(size)[None, :] // 30).astype(np.uint16)
    compact = flat(mask, rng.choice([63, 1], (size, size), p=[0.9, 0.1]))
    one, many = (build(compact, region[mask], 1.3, 12, True, True, threads=n) for n in (1, threads))
    assert len(one.region) > size**2 // 900
    for name in ARRAYS:
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes(), name


# --- properties and edge cases


def test_a_comb_of_more_than_40000_steps_is_one_contour() -> None:
    """Recast cuts it in two and leaves a crack; the deviation is wanted."""
    mask = np.zeros((402, 401), bool)
    mask[0] = True
    mask[:, ::2] = True
    contours = build(flat(mask), error=0.5)
    assert len(contours.region) == 1
    ring = walked(contours, 0)
    assert (
        len(ring) == 201 * 401 * 2 + 2 * 401 + 2 > 40000
    )  # teeth, their ends and what is between, the two ends of row 0
    assert all(abs(ax - bx) + abs(az - bz) == 1 for (ax, az), (bx, bz) in pairwise([*ring, ring[0]]))
    assert len(corners(contours, 0)) == 201 * 4


def long_outline(shape: str) -> np.ndarray:
    """Points of an outline above 1,024 points, where blocks of points are skipped. A comb has many ties."""
    mask = np.zeros((60, 41), bool)
    mask[0] = mask[:, ::2] = True
    if shape == "noise":
        mask = np.random.default_rng(8).random((140, 140)) < 0.66
    contours = build(flat(mask), error=0)
    k = int(np.diff(contours.raw_first).argmax())
    return contours.raw[contours.raw_first[k] : contours.raw_first[k + 1]]


@pytest.mark.parametrize("far", [0, 30000])
@pytest.mark.parametrize("shape", ["comb", "noise"])
def test_the_farthest_point_of_a_long_outline_is_the_first_of_the_farthest(shape: str, far: int) -> None:
    walked = long_outline(shape) + np.array([far, 0, far, 0], np.int32)
    n = len(walked)
    assert n > 1024
    circles = np.empty((n // 64 + 1, 3))
    cover_blocks(walked, circles)
    rng = np.random.default_rng(0)
    for _ in range(150):
        a, b = (int(i) for i in rng.integers(0, n, 2))
        limit = np.float32(rng.choice([0, 0.49, 1.69, 100, 2000]))
        ax, _, az, _ = walked[a].tolist()
        bx, _, bz, _ = walked[b].tolist()
        upward = bx > ax or (bx == ax and bz > az)
        between = [(a + k) % n for k in range(1, ((b - a) % n or n))]
        most, expected = limit, -1
        for k in between if upward else between[::-1]:
            ends = (ax, az, bx, bz) if upward else (bx, bz, ax, az)
            distance = np.float32(distance2(*ends, walked[k, 0], walked[k, 2]))
            if distance > most:
                most, expected = distance, k
        assert farthest(walked, circles, a, b, limit) == expected


def test_walks_are_closed_and_shared_edges_are_simplified_alike() -> None:
    mask = np.ones((60, 60), bool)
    mask[20:24, 3:10] = mask[40:43, 48:52] = False
    wave = np.arange(60)[None, :] + (6 * np.sin(np.arange(60) / 5)[:, None]).astype(int)
    region = np.where(wave < 30, 1, 2).astype(np.uint16)
    contours = build(flat(mask, np.where(wave < 30, 63, 2)), region[mask], areas=True, length=8)
    for k in range(len(contours.region)):
        ring = walked(contours, k)
        assert all(abs(ax - bx) + abs(az - bz) == 1 for (ax, az), (bx, bz) in pairwise([*ring, ring[0]]))
    shared: list[set] = [set(), set()]
    for k, region_id in enumerate(contours.region):
        points = contours.points[contours.first[k] : contours.first[k + 1]].tolist()
        for a, b in pairwise([*points, *points[:1]]):
            if a[3] & 0xFFFF == 3 - region_id:
                shared[region_id - 1].add(frozenset([(a[0], a[2]), (b[0], b[2])]))
    assert len(shared[0]) > 5
    assert shared[0] == shared[1]


def test_a_walk_takes_the_area_of_its_first_span() -> None:
    contours = build(flat(np.ones((1, 5)), np.array([[7, 7, 7, 7, 9]])), np.array([1, 1, 1, 2, 2]), error=0)
    assert contours.area.tolist() == [7, 7]
    links = contours.raw[contours.raw_first[1] : contours.raw_first[2], 3]
    assert AREA_BORDER not in (links & AREA_BORDER)  # both spans across it have area 7
    assert 1 in links


def test_corner_height_is_the_highest_of_the_floors_around() -> None:
    contours = build(flat(np.ones((2, 2)), floor=np.array([[1, 2], [3, 9]])), np.array([1, 2, 1, 2]), error=0)
    height = {(x, z): y for x, y, z, _ in contours.raw[: contours.raw_first[1]].tolist()}
    assert height == {(0, 0): 1, (0, 1): 3, (0, 2): 3, (1, 2): 9, (1, 1): 9, (1, 0): 2}


@pytest.mark.parametrize("mask", [np.zeros((4, 4)), np.eye(4), np.ones((1, 1))])
def test_nothing_and_regions_of_one_cell_give_no_contour(mask: np.ndarray) -> None:
    compact = flat(mask)
    contours = build(compact, np.arange(1, compact.floor.shape[0] + 1))
    assert contours.first.tolist() == contours.raw_first.tolist() == [0]
    assert contours.points.shape == contours.raw.shape == (0, 4)
    assert contours.region.dtype == np.uint16
    assert contours.area.dtype == np.uint8


def test_an_outline_of_two_corners_vanishes_and_others_move_up() -> None:
    mask = np.zeros((9, 9))
    mask[0, :2] = mask[3:8, 3:8] = 1
    contours = build(flat(mask))
    assert len(contours.region) == 1
    assert walked(contours, 0)[0] == (3, 4)
    assert corners(contours, 0) == [(3, 3), (3, 8), (8, 8), (8, 3)]


def test_border_vertices_need_ground_of_one_area_inside() -> None:
    region = np.array([[0x8001] * 4, [1, 1, 2, 2], [1, 1, 2, 2]])
    same = build(flat(np.ones((3, 4))), region.ravel(), error=0)
    other = build(flat(np.ones((3, 4)), np.array([[63] * 4, [63, 63, 2, 2], [63, 63, 2, 2]])), region.ravel(), error=0)
    assert (2, 1) in {(x, z) for x, _, z, link in same.points.tolist() if link & BORDER_VERTEX}
    assert (2, 1) not in {(x, z) for x, _, z, link in other.points.tolist() if link & BORDER_VERTEX}


def contours_of(*rings: tuple[int, list[tuple[int, int]]]) -> Contours:
    first = np.cumsum([0, *(len(r) for _, r in rings)]).astype(np.int32)
    points = np.array([(x, 0, z, 0) for _, r in rings for x, z in r], np.int32)
    region = np.array([n for n, _ in rings], np.uint16)
    return Contours(first, points, first, points, region, np.full(len(rings), 63, np.uint8))


SQUARE = [(0, 0), (0, 9), (9, 9), (9, 0)]
HOLE = [(3, 3), (7, 3), (7, 6), (3, 6)]
ELSEWHERE = [(20, 0), (20, 5), (25, 5), (25, 0)]


def test_what_cannot_be_joined_is_left_and_told() -> None:
    notes: list[str] = []
    with Workers(1) as workers:
        alone = contours_of((1, SQUARE), (2, HOLE))
        assert merge_holes(alone, workers, notes).points.tobytes() == alone.points.tobytes()
        assert [note.split()[:2] for note in notes] == [["1", "hole"]]
        notes.clear()
        several = merge_holes(contours_of((1, ELSEWHERE), (1, SQUARE), (1, HOLE)), workers, notes)
        assert np.diff(several.first).tolist() == [4, 10, 0]
        assert [note.split()[:2] for note in notes] == [["1", "region"]]
        notes.clear()
        within = [(4, 4), (6, 4), (6, 5), (4, 5)]  # sees nothing but the hole around it, from behind
        stuck = merge_holes(contours_of((1, SQUARE), (1, within), (1, HOLE)), workers, notes)
        assert np.diff(stuck.first).tolist() == [10, 4, 0]
        assert [note.split()[:2] for note in notes] == [["1", "hole"]]


def random_rings(rng: np.random.Generator) -> list[tuple[int, list[tuple[int, int]]]]:
    """A square with many holes, crossing each other, some edges of length zero: harder than anything that is walked."""
    size = int(rng.integers(6, 40))
    square = [(0, 0), (0, size), (size, size), (size, 0)]
    rings = [(1, square)]
    for _ in range(rng.integers(1, 14)):
        low = rng.integers(0, size, 2)
        corners = [tuple(p) for p in (low + rng.integers(0, 6, (rng.integers(3, 6), 2))).tolist()]
        rings.append((1, corners if naive._winding([(x, 0, z, 0) for x, z in corners]) < 0 else corners[::-1]))
    if rng.random() < 0.3:
        _, ring = rings[rng.integers(0, len(rings))]
        at = int(rng.integers(0, len(ring)))
        ring.insert(at, ring[at])
    return rings


def test_random_rings_are_joined_as_by_the_twin() -> None:
    stuck = 0
    with Workers(1) as workers:
        for seed in range(400):
            rings = random_rings(np.random.default_rng(seed))
            contours = merge_holes(contours_of(*rings), workers)
            twin = [naive.Contour([], [(x, 0, z, 0) for x, z in ring], region, 63) for region, ring in rings]
            stuck += naive.merge_holes(twin)["stuck"]
            assert np.diff(contours.first).tolist() == [len(c.points) for c in twin], seed
            assert list(map(tuple, contours.points.tolist())) == [p for c in twin for p in c.points], seed
    assert stuck > 400


@pytest.mark.parametrize("seed", range(30))
def test_a_ranking_answers_like_sorted_lists_laid_over_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    capacity = int(rng.integers(1, 120))
    ranking, literal = empty_ranking(capacity), []
    for round_number in range(60):
        if round_number % 20 == 0:
            asked = int(rng.integers(1, capacity + 1))
            clear_ranking(ranking, asked)
            literal = []
        count = int(rng.integers(0, capacity + 1))
        numbers = np.sort(rng.choice(capacity, count, replace=False))
        distances = rng.integers(0, 9, count)
        keys = distances * capacity + numbers
        next_keys(ranking)[:count] = keys
        rank_anew(ranking, count, int(keys.argmin()) if count else 0)
        literal[:count] = [int(n) for _, n in sorted(zip(distances, numbers, strict=True), key=lambda pair: pair[0])]
        for rank in rng.integers(0, max(asked, count), rng.integers(0, 6)):
            expected = literal[rank] if rank < len(literal) else -1
            assert ranked(ranking, rank) == expected


def test_the_cancel_flag_is_seen_inside_one_long_outline() -> None:
    """The kernel is in the middle of a comb when the flag is raised; a finished outline would have corners."""
    mask = np.zeros((1000, 1001), bool)
    mask[0] = mask[:, ::2] = True
    compact = flat(mask)
    with Workers(1) as workers:
        outlines = trace_outlines(compact, Regions(np.ones(compact.floor.shape, np.uint16), 1), workers)
    kept, counts, cancelled = np.empty(len(outlines.points), np.int32), np.zeros(1, np.int32), np.zeros(1, np.uint8)
    job = (outlines, np.float32(1), (0, True, False), kept, counts, cancelled)
    simplify_all(*job, 0, 0)  # compiles
    thread = Thread(target=simplify_all, args=(*job, 0, 1))
    thread.start()
    time.sleep(0.005)
    cancelled[0] = 1
    thread.join()
    assert counts[0] == 0
    simplify_all(*job[:-1], np.zeros(1, np.uint8), 0, 1)
    assert counts[0] > 1000


def test_cancelling_stops_the_walk_and_the_bridges() -> None:
    progress = Progress()
    compact = flat(ring(6, 2, 4))
    progress.cancel()
    with Workers(1, progress) as workers:
        with pytest.raises(Cancelled):
            trace_outlines(compact, Regions(np.ones(compact.floor.shape, np.uint16), 1), workers)
        with pytest.raises(Cancelled):
            merge_holes(contours_of((1, SQUARE), (1, HOLE)), workers)
