"""Stage 2 against the twin: random scenes, terrain, many storeys, triangles far away; rows of polygons."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from navcore.stages.rasterize import rasterize_level, rasterize_triangles, row_walk, spans
from navcore.stages.rasterize import rasterize_level as stage
from navcore.stages.rasterize.clipping import MAX_CORNERS
from navcore.stages.rasterize.grid_frame import frame_of
from navcore.threads import Workers

from . import rasterize_twin as twin
from .raster_worlds import GO_ON, UNIT, F, grid_of, random_scene, rolling_hills, same

uncached = numba.njit(error_model="numpy")  # a cached kernel would not notice changes in navcore, only in this file


@pytest.fixture
def eager(monkeypatch):
    """As many bands as threads however small the scene, and (as plain Python) columns that have to grow."""
    with Workers(1) as workers:  # compiled before, as it can't be with a function that is no kernel
        rasterize_triangles(*random_scene(np.random.default_rng(0)), workers)
    monkeypatch.setattr(rasterize_level, "_MIN_RECORDS", 1e-9)
    monkeypatch.setattr(
        stage, "empty_columns", lambda count, spare, cancelled: spans.empty_columns(count, spare - count, cancelled)
    )


RARE_SEEDS = [30397]  # the lowest corner lies beyond the end of its own column, which is the last one


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_random_scenes_equal_the_twin(threads):
    with Workers(threads) as workers:
        for seed in [*range(250), *RARE_SEEDS]:
            scene = random_scene(np.random.default_rng(seed))
            assert same(rasterize_triangles(*scene, workers), twin.rasterize(*scene)), seed


@pytest.mark.usefixtures("eager")
def test_random_floors_equal_the_twin():
    with Workers(1) as workers:
        for seed in range(1000):
            scene = random_scene(np.random.default_rng(seed), level=True)
            assert same(rasterize_triangles(*scene, workers), twin.rasterize(*scene)), seed


def test_terrain_with_corners_on_the_lines_equals_the_twin():
    vertices, triangles = rolling_hills(120)
    area = (np.arange(len(triangles)) % 64).astype(np.uint8)
    for shift in (0.0, 0.15, -108.6):
        moved = vertices + F(shift)
        grid = grid_of(120, 120, moved.min(0), moved.max(0), 0.3, 0.2)
        scene = grid, moved, triangles, area, 4
        for threads in (1, 2):
            with Workers(threads) as workers:
                assert same(rasterize_triangles(*scene, workers), twin.rasterize(*scene))


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
    assert same(field, twin.rasterize(*scene))


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
        assert same(field, twin.rasterize(*scene))
        filled += len(field.bottom) > 0
    assert filled > 1000


@uncached
def fast_row(xs, ys, count, frame, cells, pool, work):
    return row_walk.rasterize_row(row_walk.RowPolygon(xs, ys, count), frame, spans.Columns(cells, pool), 0, 5, work)


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


@pytest.mark.parametrize("level", [False, True])
def test_random_row_polygons_equal_those_of_the_twin(level):
    work, polygon = np.empty((6, 2 * MAX_CORNERS, 3), F), np.zeros((twin.MOST_CORNERS, 3), F)
    records = np.empty((64, 4), np.int32)
    for seed in range(6000):
        rng = np.random.default_rng(seed)
        low = F(rng.choice([0, 0.1, -3.7, 1e5]))
        cs = F(rng.choice([0.05, 0.3, 0.35, 1]))
        width = int(rng.integers(1, 40 if level and seed % 2 else 9))
        grid = grid_of(width, 1, (low, 0, 0), (low + width * cs, 9, cs), cs, 0.5)
        xs, ys = random_row_polygon(rng, grid)
        if level:
            ys[:] = ys[0]
        polygon[: len(xs), 0], polygon[: len(xs), 1] = xs, ys
        count = twin.clip_row(
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
        want = twin.replay(width, records[:count], 1)
        columns = spans.empty_columns(width, width, GO_ON)
        assert fast_row(xs, ys, len(xs), frame_of(grid, 1), columns.cells, columns.pool, work) == 0
        got = [columns.cells[x] for x in range(width) if columns.cells[x]]
        assert len(got) == count, seed
        assert [int(cell) >> 50 for cell in got] == want[1].tolist(), seed
        assert [(int(cell) >> 37) & 8191 for cell in got] == want[2].tolist(), seed
        assert [x for x in range(width) if columns.cells[x]] == sorted(records[:count, 0].tolist()), seed
