"""Stage 5: erosion, at its edges and limits, on random fields and while it is cancelled."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from navcore.errors import BadInput, Cancelled
from navcore.geometry import edge_distance as chamfer
from navcore.stages.areas import erode_walkable_area
from navcore.threads import Workers
from navcore.types import WALKABLE, CompactHeightfield

from ...geometry.compact_worlds import plain, random_field, step
from ...geometry.edge_distance_twin import edge_distance_twin
from .area_rows import as_rows


@pytest.fixture
def workers():
    with Workers(1) as pool:
        yield pool


def test_erosion_takes_rings(workers):  # T-7.1
    for radius in range(5):
        eroded = erode_walkable_area(plain(7, 7), radius, workers)
        ring = [[min(x, z, 6 - x, 6 - z) for x in range(7)] for z in range(7)]
        assert as_rows(eroded) == [[WALKABLE if r >= radius else 0 for r in row] for row in ring]


@pytest.mark.parametrize("radius", [0, 1, 127, 128, 129, 300])
def test_erosion_of_a_square_for_any_radius(radius, workers):
    side = 2 * radius + 7
    eroded = erode_walkable_area(plain(side, side), radius, workers)
    assert np.count_nonzero(eroded.area) == 7 * 7
    assert not erode_walkable_area(plain(side, 2 * radius or 1), radius, workers).area.any() or radius == 0


@pytest.mark.parametrize("radius", [33_000, 2**31 - 1])
def test_erosion_by_more_than_any_distance(radius, workers):
    assert not erode_walkable_area(plain(9, 9), radius, workers).area.any()


def erosion_twin(compact: CompactHeightfield, radius: int) -> list[int]:
    def edge(span: int) -> bool:
        around = [step(compact, span, direction) for direction in range(4)]
        return compact.area[span] == 0 or min(around) < 0 or not all(compact.area[a] for a in around)

    distance = edge_distance_twin(compact, [edge(span) for span in range(len(compact.floor))], 255)
    return [0 if d < 2 * radius else int(a) for d, a in zip(distance, compact.area, strict=True)]


@pytest.mark.parametrize("seed", range(60))
def test_erosion_is_as_specified(seed, workers):
    compact = random_field(seed)
    for radius in (0, 1, 2, 3, 7):
        assert erode_walkable_area(compact, radius, workers).area.tolist() == erosion_twin(compact, radius)


@pytest.mark.parametrize("rows_at_once", [1, 3, 16])
def test_erosion_is_the_same_for_any_number_of_threads(rows_at_once, monkeypatch):
    monkeypatch.setattr(chamfer, "MIN_SPANS", 1)
    monkeypatch.setattr(chamfer, "ROWS_AT_ONCE", rows_at_once)
    fields = [random_field(seed) for seed in range(40)] + [plain(40, 90), plain(3, 50), plain(50, 3)]
    for compact in fields:
        results = set()
        for threads in (1, 2, 3, 8):
            with Workers(threads) as pool:
                results.add(chamfer.edge_distance(compact, False, pool).tobytes())
                results.add(chamfer.edge_distance(compact, False, pool).tobytes())
        assert len(results) == 1


def test_erosion_leaves_its_input_alone(workers):
    compact = plain(7, 7)
    for radius in (0, 2):
        eroded = erode_walkable_area(compact, radius, workers)
        assert eroded.area is not compact.area
        assert eroded.area.dtype == np.uint8
        assert compact.area.all()


def test_a_negative_radius_is_refused(workers):
    with pytest.raises(BadInput, match="at least 0 voxels, not -1"):
        erode_walkable_area(plain(3, 3), -1, workers)


# --- cancelling


def test_sweeps_see_the_flag_between_rows():
    """The flag is a byte of the sweep's own output: the sweep itself raises it, and must read it anew to stop."""
    compact = plain(5, 9)
    sides, starts = chamfer.sides_of(compact), compact.first[::5].copy()
    distance = np.zeros((9, 5), np.uint16)
    cancelled = distance[3, 2:3].view(np.uint8)[:1]
    chamfer._sweep_forward(False, compact.area, starts, sides, distance.reshape(-1), cancelled, (0, 9), False)
    assert distance[1:4, 1:4].all()
    assert not distance[4:].any()

    distance[1:8, 1:4] = 9 << 8  # whose lower byte, the flag, is 0
    cancelled = distance[5, 2:3].view(np.uint8)[:1]
    chamfer._sweep_back(starts, sides, distance.reshape(-1), cancelled, (8, -1), False)
    assert (distance[5:8, 1:4] < 9).all()
    assert (distance[1:5, 1:4] == 9 << 8).all()


def _again_and_again(work: Callable[[], object]) -> None:
    for _ in range(1000):
        work()


def test_erosion_is_cancelled_in_good_time():
    compact = plain(1500, 1500)
    with Workers(1) as pool:
        erode_walkable_area(plain(3, 3), 1, pool)  # compiles
        stopped: list[float] = []

        def stop() -> None:
            stopped.append(time.process_time())
            pool.progress.cancel()

        timer = threading.Timer(0.002, stop)
        timer.start()
        with pytest.raises(Cancelled):
            _again_and_again(lambda: erode_walkable_area(compact, 2, pool))
        assert time.process_time() - stopped[0] < 0.2
        timer.join()
