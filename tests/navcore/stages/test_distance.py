"""Stage 6: the distance field."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest

from navcore.errors import Cancelled
from navcore.geometry import edge_distance as chamfer
from navcore.stages import distance
from navcore.stages.areas import erode_walkable_area
from navcore.stages.distance import build_distance_field
from navcore.threads import Workers
from navcore.types import CompactHeightfield

from ..geometry.compact_worlds import plain, random_field, step, with_area
from ..geometry.edge_distance_twin import edge_distance_twin


@pytest.fixture
def workers():
    with Workers(1) as pool:
        yield pool


def distances_twin(compact: CompactHeightfield) -> tuple[list[int], list[int]]:
    """R-8.1 to R-8.4 word for word: sharp and smooth."""

    def edge(span: int) -> bool:
        around = [step(compact, span, direction) for direction in range(4)]
        return sum(a >= 0 and compact.area[a] == compact.area[span] for a in around) != 4

    sharp = edge_distance_twin(compact, [edge(span) for span in range(len(compact.floor))], 65535)
    smooth = []
    for span, own in enumerate(sharp):
        total = own
        for direction in range(4):
            beside, corner = step(compact, span, direction), step(compact, span, direction, (direction + 1) % 4)
            total += (sharp[beside] + (sharp[corner] if corner >= 0 else own)) if beside >= 0 else 2 * own
        smooth.append(own if own <= 2 else (total + 5) // 9)
    return sharp, smooth


def test_rings_of_a_plain(workers):  # T-8.1
    compact = plain(7, 7)
    assert chamfer.edge_distance(compact, True, workers).reshape(7, 7)[3].tolist() == [0, 2, 4, 6, 4, 2, 0]
    field = build_distance_field(compact, workers)
    assert field.maximum == 6
    outer, second, third, middle = [0] * 7, [0, 2, 2, 2, 2, 2, 0], [0, 2, 3, 4, 3, 2, 0], [0, 2, 4, 4, 4, 2, 0]
    assert field.distance.reshape(7, 7).tolist() == [outer, second, third, middle, third, second, outer]


def test_rings_of_an_eroded_plain(workers):  # T-8.2
    field = build_distance_field(erode_walkable_area(plain(7, 7), 1, workers), workers)
    assert field.maximum == 4
    expected = np.zeros((7, 7), int)
    expected[2:5, 2:5] = 2
    assert field.distance.reshape(7, 7).tolist() == expected.tolist()


def test_areas_are_edges_and_what_is_not_walkable_has_distances(workers):
    half = with_area(plain(12, 9), {z * 12 + x: 0 for z in range(9) for x in range(6)})
    rows = chamfer.edge_distance(half, True, workers).reshape(9, 12)
    assert rows[4].tolist() == [0, 2, 4, 4, 2, 0, 0, 2, 4, 4, 2, 0]
    assert chamfer.edge_distance(half, False, workers).reshape(9, 12)[4].tolist() == [0] * 7 + [2, 4, 4, 2, 0]


@pytest.mark.parametrize("seed", range(60))
def test_distances_are_as_specified(seed, workers):
    compact = random_field(seed)
    sharp, smooth = distances_twin(compact)
    field = build_distance_field(compact, workers)
    assert chamfer.edge_distance(compact, True, workers).tolist() == sharp
    assert field.distance.tolist() == smooth
    assert field.maximum == max(sharp, default=0)
    assert field.distance.dtype == np.uint16


@pytest.mark.parametrize("seed", range(40))
def test_links_of_known_edges_do_not_matter(seed, workers):
    compact, rng = random_field(seed), np.random.default_rng(seed)
    compact = compact._replace(area=np.full_like(compact.area, 63))
    inner = (compact.neighbors >= 0).all(axis=1) & (rng.random(len(compact.area)) < 0.95)
    cut = np.where(inner[:, None], compact.neighbors, -1).astype(np.int32)
    sides, marked = chamfer.sides_of(compact), (inner * 4 + rng.integers(0, 4, len(inner))).astype(np.uint16)
    known = chamfer.distance_from_edges(compact, sides, marked, np.uint16(4), np.zeros(1, np.uint8))
    assert known.tolist() == chamfer.edge_distance(compact._replace(neighbors=cut), False, workers).tolist()


@pytest.mark.parametrize("rows_at_once", [1, 16])
def test_any_number_of_threads_gives_the_same(rows_at_once, monkeypatch):
    monkeypatch.setattr(chamfer, "MIN_SPANS", 1)
    monkeypatch.setattr(chamfer, "ROWS_AT_ONCE", rows_at_once)
    monkeypatch.setattr(distance, "_MIN_SPANS", 1)
    for compact in [random_field(seed) for seed in range(40)] + [plain(60, 90), plain(90, 7), plain(1, 1)]:
        results = []
        for threads in (1, 2, 3, 7):
            with Workers(threads) as pool:
                field = build_distance_field(compact, pool)
            results.append((field.distance.tobytes(), field.maximum))
        assert len(set(results)) == 1


def test_a_plain_longer_than_16_bits_can_count(monkeypatch):
    """In a band of its own the row's distances would pass 65,535; mended, they are as in one piece."""
    compact = plain(40_000, 7)
    with Workers(1) as one, Workers(3) as three:
        expected = chamfer.edge_distance(compact, True, one)
        monkeypatch.setattr(chamfer, "MIN_SPANS", 1)
        assert np.array_equal(chamfer.edge_distance(compact, True, three), expected)
    assert expected.max() == 6


def test_nothing_open(workers):
    empty = CompactHeightfield(
        2, 2, np.zeros(5, np.int32), np.zeros(0, np.uint16), np.zeros(0, np.uint8), np.zeros((0, 4), np.int32),
        np.zeros(0, np.uint8),
    )  # fmt: skip
    field = build_distance_field(empty, workers)
    assert (len(field.distance), field.maximum) == (0, 0)


def _again_and_again(work: Callable[[], object]) -> None:
    for _ in range(1000):
        work()


def test_cancelling():
    compact = plain(1200, 1200)
    with Workers(2) as pool:
        build_distance_field(plain(3, 3), pool)  # compiles
        timer = threading.Timer(0.002, pool.progress.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            _again_and_again(lambda: build_distance_field(compact, pool))
        timer.join()
