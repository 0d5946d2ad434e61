"""Stage 4: the worked example, random levels against a twin that follows the rules by the word, and Recast's limits."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.errors import TooLarge
from navcore.stages import compact
from navcore.stages.compact import build_compact_heightfield
from navcore.threads import Workers
from navcore.types import WALKABLE, CompactHeightfield, Heightfield

from .solid_worlds import STEPS, Span, ceilings_of, columns_of, random_level, solid

FIELDS = ("first", "floor", "clearance", "neighbors", "area")


def compact_twin(level: Heightfield, height: int, climb: int) -> CompactHeightfield:
    """Rules 6.2 to 6.4, without Recast's limits of 255 spans and 63 layers a column."""
    cells: list[list[tuple[int, int, int]]] = []  # (floor, clearance, area) of each column
    for column in columns_of(level):
        pairs = zip(column, ceilings_of(column), strict=True)
        cells.append([(top, max(0, min(ceiling - top, 255)), area) for (_, top, area), ceiling in pairs if area])
    first = np.concatenate([[0], np.cumsum([len(cell) for cell in cells])]).astype(np.int32)
    neighbors = [
        [neighbor_twin(level, cells, first, index, span, step, height, climb) for step in STEPS]
        for index, cell in enumerate(cells)
        for span in cell
    ]
    spans = np.array([span for cell in cells for span in cell], np.int64).reshape(-1, 3)
    return CompactHeightfield(
        level.width, level.depth, first, spans[:, 0].astype(np.uint16), spans[:, 1].astype(np.uint8),
        np.array(neighbors, np.int32).reshape(-1, 4), spans[:, 2].astype(np.uint8),
    )  # fmt: skip


def neighbor_twin(level, cells, first, index, span, step, height, climb) -> int:
    x, z = index % level.width + step[0], index // level.width + step[1]
    if not (0 <= x < level.width and 0 <= z < level.depth):
        return -1
    beside = x + z * level.width
    floor, clearance, _ = span
    for k, (other, other_clearance, _) in enumerate(cells[beside]):
        room = min(floor + clearance, other + other_clearance) - max(floor, other)
        if room >= height and abs(other - floor) <= climb:
            return int(first[beside]) + k
    return -1


def assert_same(ours: CompactHeightfield, theirs: CompactHeightfield) -> None:
    assert (ours.width, ours.depth) == (theirs.width, theirs.depth)
    for name in FIELDS:
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape), name
        assert np.array_equal(mine, other), name


@pytest.fixture(scope="module")
def workers():
    with Workers(1) as one:
        yield one


def test_worked_example(workers: Workers) -> None:
    level = solid(3, [[(0, 2, 63), (20, 21, 63)], [(0, 3, 63), (9, 10, 0)], [(0, 6, 0)]])
    ours = build_compact_heightfield(level, 5, 2, workers)
    assert ours.first.tolist() == [0, 2, 3, 3]
    assert ours.floor.tolist() == [2, 21, 3]
    assert ours.clearance.tolist() == [18, 255, 6]
    assert ours.neighbors.tolist() == [[-1, -1, 2, -1], [-1, -1, -1, -1], [0, -1, -1, -1]]
    assert ours.area.tolist() == [63, 63, 63]


def test_the_lowest_fit_is_taken_and_need_not_be_mutual(workers: Workers) -> None:
    level = solid(2, [[(0, 4, 1)], [(0, 3, 3), (8, 9, 4)]])
    across = build_compact_heightfield(level, 4, 5, workers).neighbors[:, [0, 2]]
    assert across.tolist() == [[-1, 1], [0, -1], [0, -1]]
    across = build_compact_heightfield(level, 5, 5, workers).neighbors[:, [0, 2]]  # too tall for the room above floor 3
    assert across.tolist() == [[-1, 2], [-1, -1], [0, -1]]


@pytest.mark.parametrize(("height", "linked"), [(255, True), (256, False), (2**31 - 1, False)])
def test_clearance_ends_at_255_and_so_do_connections(height: int, linked: bool, workers: Workers) -> None:
    level = solid(2, [[(0, 4, 63)], [(0, 4, 63)]])
    ours = build_compact_heightfield(level, height, 2**31 - 1, workers)
    assert ours.clearance.tolist() == [255, 255]
    assert ours.neighbors[:, [0, 2]].tolist() == ([[-1, 1], [0, -1]] if linked else [[-1, -1], [-1, -1]])


@pytest.mark.parametrize("seed", range(80))
def test_random_levels(seed: int, workers: Workers) -> None:
    level = random_level(seed)
    rng = np.random.default_rng(seed)
    height, climb = int(rng.integers(1, 8)), int(rng.integers(0, 5))
    assert_same(build_compact_heightfield(level, height, climb, workers), compact_twin(level, height, climb))


def test_open_ground_in_whole_blocks(workers: Workers) -> None:
    """Rows of walkable columns with one span each, then the same with empty columns and a null one among them."""
    rng = np.random.default_rng(1)
    columns: list[list[Span]] = [[(0, int(top), 63)] for top in rng.integers(1, 5, 200 * 5)]
    level = solid(200, columns)
    assert_same(build_compact_heightfield(level, 5, 2, workers), compact_twin(level, 5, 2))
    columns[70], columns[330] = [(0, 3, 0)], []
    columns[400:600] = [[]] * 200
    level = solid(200, columns)
    assert_same(build_compact_heightfield(level, 5, 2, workers), compact_twin(level, 5, 2))


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_change_nothing(threads: int, workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact, "MIN_COLUMNS", 1)
    with Workers(threads) as many:
        for seed in range(20):
            level = random_level(seed)
            assert_same(build_compact_heightfield(level, 4, 2, many), build_compact_heightfield(level, 4, 2, workers))


# --- what Recast's packed bits cannot hold


@pytest.mark.parametrize("storeys", [63, 64, 100])
def test_every_storey_of_a_tower_is_connected(storeys: int, workers: Workers) -> None:
    level = solid(2, [[(10 * k, 10 * k + 1, 63) for k in range(storeys)]] * 4)
    ours = build_compact_heightfield(level, 5, 2, workers)
    across = ours.neighbors.reshape(2, 2, storeys, 4)
    assert np.array_equal(across[0, 0, :, 2], np.arange(storeys) + storeys)
    assert np.array_equal(across[0, 0, :, 1], np.arange(storeys) + 2 * storeys)
    assert np.array_equal(across[1, 1, :, 0], np.arange(storeys) + 2 * storeys)
    assert np.array_equal(across[1, 1, :, 3], np.arange(storeys) + storeys)


def test_a_column_of_more_than_255_spans(workers: Workers) -> None:
    level = solid(1, [[(8 * k, 8 * k + 1, 1 + k % 63) for k in range(1000)]] * 2)
    ours = build_compact_heightfield(level, 5, 2, workers)
    assert ours.first.tolist() == [0, 1000, 2000]
    assert np.array_equal(ours.floor[:1000], 8 * np.arange(1000) + 1)
    assert np.array_equal(ours.neighbors[:1000, 1], np.arange(1000, 2000))
    assert np.array_equal(ours.neighbors[1000:, 3], np.arange(1000))


def test_more_than_two_to_the_24_open_spans(workers: Workers) -> None:
    width, depth = 4100, 4100
    count = width * depth
    flat = Heightfield(
        width, depth, np.arange(count + 1, dtype=np.int32), np.zeros(count, np.uint16), np.full(count, 3, np.uint16),
        np.full(count, WALKABLE, np.uint8),
    )  # fmt: skip
    ours = build_compact_heightfield(flat, 5, 2, workers)
    assert len(ours.floor) == count > 2**24
    assert ours.neighbors[-1].tolist() == [count - 2, -1, -1, count - 1 - width]
    inner = count - width - 2
    assert ours.neighbors[inner].tolist() == [inner - 1, inner + width, inner + 1, inner - width]


def test_more_spans_than_an_index_can_hold_are_refused(workers: Workers) -> None:
    area = np.broadcast_to(np.uint8(WALKABLE), 2**31)
    level = solid(1, [[(0, 1, 63)]])._replace(area=area)
    with pytest.raises(TooLarge, match="2,147,483,648 spans") as refused:
        build_compact_heightfield(level, 5, 2, workers)
    assert refused.value.code == "TOO_MANY_SPANS"


# --- edges


def test_a_level_without_open_spans(workers: Workers) -> None:
    for level in (solid(3, [[] for _ in range(6)]), solid(3, [[(0, 1, 0)] for _ in range(6)])):
        ours = build_compact_heightfield(level, 5, 2, workers)
        assert ours.first.tolist() == [0] * 7
        assert [getattr(ours, name).shape for name in FIELDS[1:]] == [(0,), (0,), (0, 4), (0,)]
