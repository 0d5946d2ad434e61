"""Stage 2 against worked examples, at its limits, and while it is cancelled."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from navcore.errors import BadInput, Cancelled, TooLarge
from navcore.progress import Progress
from navcore.stages.rasterize import rasterize_level as stage
from navcore.stages.rasterize import rasterize_triangles
from navcore.stages.rasterize.clipping import MAX_CORNERS, split
from navcore.threads import Workers

from .raster_worlds import UNIT, F, grid_of, rasterized, spans_by_column

# --- worked examples of the specification


def test_a_slope_fills_the_cells_it_crosses():
    spans = spans_by_column(rasterized(UNIT, [[(0.5, 0, 0.5), (0.5, 0, 3.5), (3.5, 3, 0.5)]]))
    want = {(0, z): [(0, 1, 63)] for z in range(4)}
    want |= {(1, z): [(1, 3, 63)] for z in range(3)}
    want |= {(2, z): [(3, 5, 63)] for z in range(2)}
    want |= {(3, 0): [(5, 6, 63)]}
    assert spans == want


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
    spans = spans_by_column(rasterized(UNIT, [[(1, 1, 1), (1, 1, 2), (2, 1, 1)]]))
    assert spans == {(1, 1): [(2, 3, 63)]}


def test_areas_are_taken_modulo_64():
    field = rasterized(UNIT, [[(1.2, 0, 1.2), (1.2, 0, 1.8), (1.8, 2.5, 1.2)]], [70])
    assert spans_by_column(field) == {(1, 1): [(0, 5, 6)]}


# --- limits


def test_no_triangles_are_no_spans():
    field = rasterized(UNIT, np.empty((0, 3, 3)), threads=2)
    assert field.first.tolist() == [0] * 17
    assert len(field.bottom) == len(field.top) == len(field.area) == 0


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
    assert split(zigzag, MAX_CORNERS, F(1), 0, low, high) == (MAX_CORNERS * 3 // 2,) * 2
    assert split(zigzag, MAX_CORNERS + 1, F(1), 0, low, high) == (-1, -1)


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
