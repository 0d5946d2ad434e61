"""Stage 2 against worked examples, against the literal twin on random scenes, and at its limits."""

from __future__ import annotations

import threading
import time

import numba
import numpy as np
import pytest

from navcore.errors import BadInput, Cancelled, TooLarge
from navcore.progress import Progress
from navcore.stages import rasterize as stage
from navcore.stages.rasterize import bands, rasterize_triangles, rows, spans
from navcore.stages.rasterize.clipping import MOST_CORNERS, split
from navcore.stages.rasterize.frame import frame_of
from navcore.threads import Workers
from navcore.types import Geometry, Grid, Heightfield

from . import rasterize_twin as literal

GO_ON = np.zeros(1, np.uint8)  # a cancel flag that nobody sets

F = np.float32
uncached = numba.njit(error_model="numpy")  # a cached kernel would not notice changes in navcore, only in this file
ARRAYS = ("first", "bottom", "top", "area")


def grid_of(width, depth, low, high, cs, ch) -> Grid:
    return Grid(width, depth, 0, np.array(low, F), np.array(high, F), F(cs), F(ch))


def rasterized(grid, corners, areas=None, threshold=1, threads=1) -> Heightfield:
    """Triangles given by their corners, (T, 3, 3)."""
    vertices = np.ascontiguousarray(np.array(corners, F).reshape(-1, 3))
    triangles = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
    area = np.full(len(triangles), 63, np.uint8) if areas is None else np.array(areas, np.uint8)
    with Workers(threads) as workers:
        return rasterize_triangles(grid, vertices, triangles, area, threshold, workers)


def spans_by_column(field: Heightfield) -> dict[tuple[int, int], list[tuple[int, int, int]]]:
    found = {}
    for column in range(field.width * field.depth):
        rows = [
            (int(field.bottom[s]), int(field.top[s]), int(field.area[s]))
            for s in range(field.first[column], field.first[column + 1])
        ]
        if rows:
            found[column % field.width, column // field.width] = rows
    return found


def same(ours: Heightfield, theirs: Heightfield) -> bool:
    return all(
        getattr(ours, n).dtype == getattr(theirs, n).dtype and np.array_equal(getattr(ours, n), getattr(theirs, n))
        for n in ARRAYS
    )


# --- worked examples of the specification

UNIT = grid_of(4, 4, (0, 0, 0), (4, 4, 4), 1, 0.5)


def test_a_slope_fills_the_cells_it_crosses():
    found = spans_by_column(rasterized(UNIT, [[(0.5, 0, 0.5), (0.5, 0, 3.5), (3.5, 3, 0.5)]]))
    want = {(0, z): [(0, 1, 63)] for z in range(4)}
    want |= {(1, z): [(1, 3, 63)] for z in range(3)}
    want |= {(2, z): [(3, 5, 63)] for z in range(2)}
    want |= {(3, 0): [(5, 6, 63)]}
    assert found == want


@pytest.mark.parametrize(
    ("triangle", "want"),
    [
        ([(-0.9, 1, 1.2), (-0.9, 1, 1.8), (0, 1, 1.5)], {(0, 1): [(2, 3, 63)]}),
        ([(-1.5, 1, 1.2), (-1.5, 1, 1.8), (0, 1, 1.5)], {}),
        ([(-1.5, 1, 1.2), (-1.5, 1, 1.8), (0.25, 2, 1.5)], {(0, 1): [(3, 4, 63)]}),
    ],
)
def test_less_than_a_cell_outside_the_low_edge_leaks_and_more_is_cut(triangle, want):
    assert spans_by_column(rasterized(UNIT, [triangle])) == want


def test_a_corner_on_a_line_covers_both_columns_where_truncation_says_so():
    cs = F(0.35)
    grid = grid_of(40, 1, (0, 0, 0), (14, 4, 0.35), cs, 0.5)
    g = F(13) * cs
    triangle = [(g, 1, F(0.1) * cs), (g, 1, F(0.9) * cs), (g + F(0.5) * cs, 1, F(0.5) * cs)]
    assert spans_by_column(rasterized(grid, [triangle])) == {(12, 0): [(2, 3, 63)], (13, 0): [(2, 3, 63)]}


def test_a_triangle_on_grid_lines_covers_one_cell():
    found = spans_by_column(rasterized(UNIT, [[(1, 1, 1), (1, 1, 2), (2, 1, 1)]]))
    assert found == {(1, 1): [(2, 3, 63)]}


@pytest.mark.parametrize(
    ("inserted", "want"),
    [
        ([(0, 4, 63), (4, 5, 0)], [(0, 5, 63)]),
        ([(0, 4, 63), (4, 6, 0)], [(0, 6, 0)]),
        ([(4, 6, 0), (0, 4, 63)], [(0, 6, 63)]),
        ([(0, 4, 63), (5, 6, 0)], [(0, 4, 63), (5, 6, 0)]),
        ([(0, 2, 1), (6, 8, 2), (2, 6, 3)], [(0, 8, 3)]),
        ([(0, 2, 5), (6, 8, 7), (1, 9, 3)], [(0, 9, 7)]),
    ],
)
def test_spans_that_touch_merge_and_their_areas_depend_on_order(inserted, want):
    assert inserted_into_one_column(inserted, 1) == want


def test_areas_are_taken_modulo_64():
    field = rasterized(UNIT, [[(1.2, 0, 1.2), (1.2, 0, 1.8), (1.8, 2.5, 1.2)]], [70])
    assert spans_by_column(field) == {(1, 1): [(0, 5, 6)]}


# --- columns


def inserted_into_one_column(records, threshold):
    columns = spans.empty_columns(1, len(records), GO_ON)
    for bottom, top, area in records:
        insert(columns.cells, columns.pool, bottom, top, area, threshold)
    count = int(columns.pool[spans.LIVE])
    first, bottom = np.zeros(1, np.int32), np.empty(count, np.uint16)
    top, area = np.empty(count, np.uint16), np.empty(count, np.uint8)
    spans.lay_out(columns.cells, GO_ON, first, bottom, top, area)
    return list(zip(bottom.tolist(), top.tolist(), area.tolist(), strict=True))


@uncached
def insert(cells, pool, bottom, top, area, threshold):
    spans.insert_span(cells, pool, 0, bottom, top, area, threshold)


def test_columns_equal_the_literal_walk_for_random_records():
    rng = np.random.default_rng(4)
    for _ in range(400):
        count, highest = rng.integers(1, 60), rng.choice([6, 30, 400, 8191])
        bottom = rng.integers(0, highest, count)
        top = np.minimum(bottom + rng.integers(1, rng.choice([2, 5, 40]) + 1, count), 8191)
        area = rng.choice([0, 1, 63], count) if rng.random() < 0.5 else rng.integers(0, 64, count)
        threshold = int(rng.integers(0, 6))
        records = np.stack([np.zeros(count), bottom, top, area], 1).astype(np.int32)
        _, *want = literal.replay(1, records, threshold)
        got = inserted_into_one_column(records[:, 1:].tolist(), threshold)
        assert got == list(zip(*(array.tolist() for array in want), strict=True))


def test_cells_given_back_are_used_again():
    columns = spans.empty_columns(1, 3, GO_ON)
    for _ in range(50):
        for bottom in (0, 2, 4, 6):
            insert(columns.cells, columns.pool, bottom, bottom + 1, 1, 0)
        insert(columns.cells, columns.pool, 0, 8, 1, 0)
        assert columns.pool[spans.LIVE] == 1
        columns.cells[0] = 0
        columns.pool[spans.LIVE] = 0
    assert columns.pool[spans.USED] == 4


# --- random scenes


def random_scene(rng):
    """Corners on the grid, on tenths, on multiples of the cell size or free; bounds that may cut; any areas."""
    cs, ch = F(rng.choice([0.1, 0.2, 0.3, 0.35, 0.5, 1.0, rng.uniform(0.05, 2)])), F(rng.choice([0.1, 0.2, 0.25, 0.5]))
    width, depth = (int(n) for n in rng.integers(1, 26, 2))
    offset = rng.choice([0, 0, 0.1, rng.uniform(-5, 5), rng.uniform(-1000, 1000), rng.uniform(-1e5, 1e5)], 3)
    offset[1] = rng.choice([0, rng.uniform(-5, 5)])
    low = offset.astype(F)
    size = np.array([width * cs, rng.uniform(0.5, 12), depth * cs])
    count = int(rng.choice([1, 2, 5, 12, 40]))
    reach = rng.choice([0.0, 0.15, 1.5])  # how far triangles stick out of the bounds
    corners = low + (rng.uniform(-reach, 1 + reach, (count, 3, 3))) * size
    if rng.random() < 0.5:  # small triangles
        corners = corners[:, :1] + (corners - corners[:, :1]) * rng.choice([0.02, 0.1, 0.3])
    if rng.random() < 0.3:  # walls
        axis = rng.choice([0, 2])
        corners[:, 1, axis] = corners[:, 0, axis]
        if rng.random() < 0.5:
            corners[:, 2, axis] = corners[:, 0, axis]
    if rng.random() < 0.2:  # without area
        corners[:, 2] = corners[:, rng.integers(0, 2)]
    snap = rng.choice([0, 1, 2, 3, 4])
    exact = rng.random((count, 3, 1)) < rng.choice([0.5, 1.0])
    snapped = corners
    if snap == 1:
        snapped = low + np.round((corners - low) / cs) * cs
    elif snap == 2:
        snapped = np.round(corners * 10) / 10
    elif snap == 3:  # the lines themselves, with Recast's rounding
        k = np.round((corners - low) / cs).astype(F)
        snapped = ((low + (k - F(1)) * cs).astype(F) + cs).astype(F)
    elif snap == 4:
        snapped = np.round(corners / cs) * cs
    corners = np.where(exact, snapped, corners).astype(F)
    high = (low + size).astype(F)
    if rng.random() < 0.3:
        low, high = corners.min((0, 1)), corners.max((0, 1))
        width, depth = (max(1, min(60, int((high[a] - low[a]) / cs + F(0.5)))) for a in (0, 2))
    grid = grid_of(width, depth, low, high, cs, ch)
    vertices = np.ascontiguousarray(corners.reshape(-1, 3))
    triangles = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
    area = rng.choice([0, 1, 63], count) if rng.random() < 0.5 else rng.integers(0, 256, count)
    return grid, vertices, triangles, area.astype(np.uint8), int(rng.integers(0, 8))


@pytest.fixture
def eager(monkeypatch):
    """As many bands as threads however small the scene, and columns that have to grow."""
    monkeypatch.setattr(bands, "_FEWEST_RECORDS", 1e-9)
    monkeypatch.setattr(
        stage, "empty_columns", lambda count, spare, cancelled: spans.empty_columns(count, spare - count, cancelled)
    )


RARE_SEEDS = [30397]  # the lowest corner lies beyond the end of its own column, which is the last one


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_random_scenes_equal_the_literal_twin(threads):
    with Workers(threads) as workers:
        for seed in [*range(250), *RARE_SEEDS]:
            scene = random_scene(np.random.default_rng(seed))
            assert same(rasterize_triangles(*scene, workers), literal.rasterize(*scene)), seed


@uncached
def fast_row(xs, ys, count, frame, cells, pool, work):
    return rows.rasterize_row(xs, ys, count, frame, cells, pool, 0, 5, work)


def random_row_polygon(rng, grid):
    """Three to seven corners: most on lines, one rounding beside them or doubled; convex along x, or in any order."""
    count = int(rng.integers(3, 8))
    k = rng.integers(-2, grid.width + 2, count).astype(F)
    x = (grid.bounds_min[0] + k * grid.cell_size) + grid.cell_size
    free = (x + rng.uniform(-1, 1, count) * grid.cell_size).astype(F)
    beside = np.nextafter(x, np.where(rng.random(count) < 0.5, -np.inf, np.inf).astype(F))
    kind = rng.choice(3, count, p=rng.choice([[0.9, 0.1, 0.0], [0.4, 0.3, 0.3], [0.1, 0.9, 0.0]]))
    x = np.choose(kind, [x, free, beside]).astype(F)
    if rng.random() < 0.2:  # so far that crossings are rounded by about a cell
        x[rng.integers(count)] = rng.choice([-1, 1]) * grid.cell_size * 10.0 ** rng.uniform(5, 9)
    if rng.random() < 0.3:
        x[1] = x[0]
    if rng.random() < 0.8:
        x.sort()
        up = rng.integers(1, count + 1)
        x = np.roll(
            np.concatenate([x[::2], x[1::2][::-1]]) if rng.random() < 0.5 else np.concatenate([x[:up], x[up:][::-1]]),
            rng.integers(count),
        )
    return x.astype(F), rng.uniform(-0.2, 9.2, count).astype(F)


def test_random_row_polygons_equal_literal_cutting():
    work, polygon = np.empty((6, 2 * MOST_CORNERS, 3), F), np.zeros((literal.MOST_CORNERS, 3), F)
    records = np.empty((64, 4), np.int32)
    for seed in range(6000):
        rng = np.random.default_rng(seed)
        low = F(rng.choice([0, 0.1, -3.7, 1e5]))
        cs = F(rng.choice([0.05, 0.3, 0.35, 1]))
        width = int(rng.integers(1, 9))
        grid = grid_of(width, 1, (low, 0, 0), (low + width * cs, 9, cs), cs, 0.5)
        xs, ys = random_row_polygon(rng, grid)
        polygon[: len(xs), 0], polygon[: len(xs), 1] = xs, ys
        count = literal.clip_row(
            polygon,
            len(xs),
            0,
            width,
            grid.cell_size,
            grid.cell_height,
            grid.bounds_min,
            grid.bounds_max,
            5,
            records,
            0,
        )
        want = literal.replay(width, records[:count], 1)
        columns = spans.empty_columns(width, width, GO_ON)
        assert fast_row(xs, ys, len(xs), frame_of(grid, 1), columns.cells, columns.pool, work) == 0
        got = [columns.cells[x] for x in range(width) if columns.cells[x]]
        assert len(got) == count, seed
        assert [int(cell) >> 50 for cell in got] == want[1].tolist(), seed
        assert [(int(cell) >> 37) & 8191 for cell in got] == want[2].tolist(), seed
        assert [x for x in range(width) if columns.cells[x]] == sorted(records[:count, 0].tolist()), seed


def rolling_hills(side):
    k = np.arange(side + 1, dtype=F) * F(0.3)
    x, z = np.meshgrid(k, k)
    y = (4 * np.sin(x / 11) * np.cos(z / 13) + np.sin(x / 3.1 + z / 4.7)).astype(F)
    vertices = np.stack([x, y, z], -1).reshape(-1, 3)
    i = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    one, two = np.stack([i, i + side + 1, i + 1], 1), np.stack([i + 1, i + side + 1, i + side + 2], 1)
    return vertices, np.stack([one, two], 1).reshape(-1, 3).astype(np.int32)


def test_terrain_with_corners_on_the_lines_equals_the_literal_twin():
    vertices, triangles = rolling_hills(120)
    area = (np.arange(len(triangles)) % 64).astype(np.uint8)
    for shift in (0.0, 0.15, -108.6):
        moved = vertices + F(shift)
        grid = grid_of(120, 120, moved.min(0), moved.max(0), 0.3, 0.2)
        scene = grid, moved, triangles, area, 4
        for threads in (1, 2):
            with Workers(threads) as workers:
                assert same(rasterize_triangles(*scene, workers), literal.rasterize(*scene))


@pytest.mark.usefixtures("eager")
def test_columns_grow_for_many_storeys():
    storeys = [[(-1, y, -1), (-1, y, 40), (40, y, -1)] for y in np.arange(0.1, 60, 0.7)]
    grid = grid_of(16, 12, (0, 0, 0), (16, 64, 12), 1, 0.2)
    with Workers(2) as workers:
        vertices = np.array(storeys, F).reshape(-1, 3)
        triangles = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
        scene = grid, vertices, triangles, np.full(len(triangles), 63, np.uint8), 4
        field = rasterize_triangles(*scene, workers)
    assert len(field.bottom) == 16 * 12 * len(storeys)
    assert same(field, literal.rasterize(*scene))


# --- bands


def test_bands_cover_all_rows_and_follow_the_work():
    vertices, triangles = rolling_hills(200)
    crowded = np.concatenate([triangles] + [triangles[: len(triangles) // 4]] * 6)  # most work lies at low z
    soup = Geometry(vertices, crowded, np.zeros(len(crowded), np.uint8))
    frame = frame_of(grid_of(200, 200, vertices.min(0), vertices.max(0), 0.3, 0.2), 1)
    for count in (1, 2, 5):
        cut = bands.cut_rows(frame, soup, count)
        assert len(cut) == count
        assert [b for b, _ in cut] + [200] == [0] + [e for _, e in cut]
    (_, half), _ = bands.cut_rows(frame, soup, 2)
    assert 25 < half < 60


def test_a_small_scene_is_one_band():
    soup = Geometry(
        np.array([(0, 0, 0), (0, 0, 3), (3, 0, 0)], F), np.array([(0, 1, 2)], np.int32), np.zeros(1, np.uint8)
    )
    assert bands.cut_rows(frame_of(UNIT, 1), soup, 8) == [(0, 4)]


# --- limits


def test_no_triangles_are_no_spans():
    field = rasterized(UNIT, np.empty((0, 3, 3)), threads=2)
    assert field.first.tolist() == [0] * 17
    assert len(field.bottom) == len(field.top) == len(field.area) == 0


def test_triangles_far_beyond_the_bounds_are_cut_as_the_twin_does():
    rng = np.random.default_rng(2)
    filled = 0
    for scene in range(1500):
        far = 10.0 ** rng.uniform(2, 14)  # up to 50,000 times farther than an int32 counts in cells
        corners = np.where(rng.random((3, 3, 3)) < 0.5, rng.uniform(-far, far, (3, 3, 3)), rng.uniform(0, 4, (3, 3, 3)))
        if scene % 2:  # so far that crossings are rounded by about a cell
            far = 10.0 ** rng.uniform(6, 9)
            corners = rng.choice([-far, far, 0, 1, 2, 3, 4, rng.uniform(0, 4)], (3, 3, 3))
        vertices = corners.astype(F).reshape(-1, 3)
        triangles = np.arange(9, dtype=np.int32).reshape(-1, 3)
        scene = UNIT, vertices, triangles, np.array([1, 2, 3], np.uint8), 1
        with Workers(1) as workers:
            field = rasterize_triangles(*scene, workers)
        assert same(field, literal.rasterize(*scene))
        filled += len(field.bottom) > 0
    assert filled > 1000


def tower(height):
    """A flat triangle over the whole grid, at a height counted in voxels of 0.5 m."""
    return [[(-9, height * 0.5, -9), (-9, height * 0.5, 30), (30, height * 0.5, -9)]]


TALL = grid_of(4, 4, (0, 0, 0), (4, 10_000, 4), 1, 0.5)


def test_the_highest_voxel_can_be_reached():
    assert set(zip(*(getattr(rasterized(TALL, tower(8190)), n).tolist() for n in ("bottom", "top")), strict=True)) == {
        (8190, 8191)
    }
    assert rasterized(TALL, tower(8190.5)).top.max() == 8191


@pytest.mark.parametrize(
    ("voxels", "way_out"),
    [(8191, "Raise Cell Height"), (8191.2, "Raise Cell Height to 0.51"), (16000, "Raise Cell Height to 0.98 m")],
)
def test_what_is_too_tall_is_refused(voxels, way_out):
    for threads in (1, 2):
        with pytest.raises(TooLarge, match=way_out):
            rasterized(TALL, tower(voxels), threads=threads)


def test_what_is_too_tall_outside_the_bounds_does_not_matter():
    low = grid_of(4, 4, (0, 0, 0), (4, 4000, 4), 1, 0.5)
    assert len(rasterized(low, tower(20_000)).bottom) == 0
    beside = [[(40, 9000, 0), (40, 9000, 9), (60, 9000, 0)]]
    assert len(rasterized(TALL, beside).bottom) == 0
    slope = [[(-1, 0, -1), (-1, 0, 40), (80, 9999, -1)]]  # too tall only where it has left the grid
    assert rasterized(TALL, slope).top.max() < 2000


def test_a_polygon_with_too_many_corners_is_refused_not_written_past_the_buffer():
    zigzag = np.zeros((40, 3), F)
    zigzag[1::2, 0] = 2
    low, high = np.full((40, 3), np.nan, F), np.full((40, 3), np.nan, F)
    assert split(zigzag, MOST_CORNERS, F(1), 0, low, high) == (MOST_CORNERS * 3 // 2,) * 2
    assert split(zigzag, MOST_CORNERS + 1, F(1), 0, low, high) == (-1, -1)


@pytest.mark.parametrize(("status", "error"), [(stage.TOO_WILD, BadInput), (stage.TOO_TALL, TooLarge)])
def test_every_status_of_the_kernel_is_an_error_by_name(monkeypatch, status, error):
    monkeypatch.setattr(stage, "rasterize_rows", lambda *_: (status, ()))
    for threads in (1, 2):
        with pytest.raises(error):
            rasterized(UNIT, [[(1, 1, 1), (1, 1, 2), (2, 1, 1)]], threads=threads)


def test_more_floors_than_there_was_room_for():
    floors = [[(0, y, 0), (0, y, 40), (40, y, 0)] for y in range(1, 60, 2)]
    for threads in (1, 2):
        first, bottom = rasterized(grid_of(20, 20, (0, 0, 0), (20, 60, 20), 1, 0.5), floors, threads=threads)[2:4]
        assert (np.diff(first) == len(floors)).all()
        assert bottom[: len(floors)].tolist() == [2 * y for y in range(1, 60, 2)]


def test_a_cancelled_build_stops_within_one_large_triangle():
    side = 5000
    grid = grid_of(side, side, (0, 0, 0), (side, 9, side), 1, 0.5)
    sheet = np.array([[(-1, y, -1), (-1, y, 3 * side), (3 * side, y, -1)] for y in (1, 3, 5)], F).reshape(-1, 3)
    triangles = np.arange(9, dtype=np.int32).reshape(-1, 3)
    progress = Progress()
    called: list[float] = []

    def stop() -> None:
        called.append(time.process_time())
        progress.cancel()

    timer = threading.Timer(0.05, stop)
    with Workers(2, progress) as workers:
        timer.start()
        with pytest.raises(Cancelled):
            rasterize_triangles(grid, sheet, triangles, np.zeros(3, np.uint8), 1, workers)
    assert time.process_time() - called[0] < 0.5  # of both threads together; other processes don't count
