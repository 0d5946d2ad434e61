"""Stage 3: worked examples, and random levels against a twin that follows the rules word by word."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.errors import Cancelled
from navcore.geometry.columns import agent_of
from navcore.stages import filters
from navcore.stages.filters import (
    filter_ledge_spans,
    filter_low_hanging_obstacles,
    filter_walkable_low_height_spans,
    null_ledges_for_all,
)
from navcore.threads import Workers
from navcore.types import Heightfield

from .solid_worlds import OPEN, STEPS, Span, ceilings_of, columns_of, random_level, solid


def low_hanging_twin(columns: list[list[Span]], climb: int) -> list[int]:
    areas = []
    for column in columns:
        for k, (_, top, area) in enumerate(column):
            below_walkable = k > 0 and column[k - 1][2] != 0
            promoted = area == 0 and below_walkable and top - column[k - 1][1] <= climb
            areas.append(column[k - 1][2] if promoted else area)
    return areas


def low_height_twin(columns: list[list[Span]], height: int) -> list[int]:
    areas = []
    for column in columns:
        pairs = zip(column, ceilings_of(column), strict=True)
        areas += [area if ceiling - top >= height else 0 for (_, top, area), ceiling in pairs]
    return areas


def ledges_twin(width: int, columns: list[list[Span]], height: int, climb: int) -> list[int]:
    areas = []
    for index, column in enumerate(columns):
        for (_, floor, area), ceiling in zip(column, ceilings_of(column), strict=True):
            null = is_ledge_twin(width, columns, index, floor, ceiling, height, climb)
            areas.append(0 if null else area)
    return areas


def is_ledge_twin(
    width: int, columns: list[list[Span]], index: int, floor: int, ceiling: int, height: int, climb: int
) -> bool:
    x, z = index % width, index // width
    reachable = [floor]
    for dx, dz in STEPS:
        if not (0 <= x + dx < width and 0 <= z + dz < len(columns) // width):
            return True
        beside = columns[index + dx + dz * width]
        lowest_ceiling = beside[0][0] if beside else OPEN
        if min(ceiling, lowest_ceiling) - floor >= height:
            return True
        for (_, other, _), other_ceiling in zip(beside, ceilings_of(beside), strict=True):
            if min(ceiling, other_ceiling) - max(floor, other) >= height:
                if other - floor < -climb:
                    return True
                if abs(other - floor) <= climb:
                    reachable.append(other)
    return max(reachable) - min(reachable) > climb


def square(areas_of: Heightfield) -> list[list[int]]:
    return areas_of.area.reshape(areas_of.depth, areas_of.width).tolist()


@pytest.fixture(scope="module")
def workers():
    with Workers(1) as one:
        yield one


# --- worked examples


def test_only_one_obstacle_is_promoted(workers: Workers) -> None:
    level = solid(1, [[(0, 2, 63), (3, 4, 0), (5, 6, 0)]])
    assert filter_low_hanging_obstacles(level, 2, workers).area.tolist() == [63, 63, 0]


def test_an_obstacle_takes_the_area_below_it(workers: Workers) -> None:
    level = solid(2, [[(0, 2, 7), (3, 4, 0)], [(0, 2, 7), (3, 5, 0)]])
    assert filter_low_hanging_obstacles(level, 2, workers).area.tolist() == [7, 7, 7, 0]


def test_a_column_is_not_promoted_by_the_one_before(workers: Workers) -> None:
    level = solid(2, [[(0, 2, 63)], [(0, 2, 0)]])
    assert filter_low_hanging_obstacles(level, 2, workers).area.tolist() == [63, 0]


def test_the_grids_edge_is_a_ledge(workers: Workers) -> None:
    level = solid(3, [[(0, 10, 63)]] * 9)
    assert square(filter_ledge_spans(level, 5, 2, workers)) == [[0, 0, 0], [0, 63, 0], [0, 0, 0]]


@pytest.mark.parametrize(("tops", "center"), [((8, 10, 12), 0), ((9, 10, 11), 63)])
def test_a_slope_steeper_than_the_climb_is_a_ledge(tops: tuple[int, int, int], center: int, workers: Workers) -> None:
    level = solid(3, [[(0, top, 63)] for top in tops] * 3)
    assert filter_ledge_spans(level, 5, 2, workers).area[4] == center


@pytest.mark.parametrize(("bottom", "center"), [(14, 63), (15, 0)])
def test_room_under_a_neighbor_is_a_drop(bottom: int, center: int, workers: Workers) -> None:
    columns: list[list[Span]] = [[(0, 10, 63)] for _ in range(9)]
    columns[5] = [(bottom, 20, 63)]
    assert filter_ledge_spans(solid(3, columns), 5, 2, workers).area[4] == center


def test_an_empty_neighbor_is_a_drop(workers: Workers) -> None:
    columns: list[list[Span]] = [[(0, 10, 63)] for _ in range(9)]
    columns[7] = []
    assert filter_ledge_spans(solid(3, columns), 5, 2, workers).area[4] == 0


def test_spans_without_room_survive_the_ledge_filter_and_not_the_next(workers: Workers) -> None:
    columns: list[list[Span]] = [[(0, 10, 63)] for _ in range(9)]
    columns[4], columns[7] = [(0, 10, 63), (13, 14, 0)], []
    after = filter_ledge_spans(solid(3, columns), 5, 2, workers)
    assert after.area[4] == 63
    assert filter_walkable_low_height_spans(after, 5, workers).area[4] == 0


def test_a_lower_storey_is_judged_by_its_own_storey(workers: Workers) -> None:
    storeys: list[Span] = [(0, 2, 63), (10, 11, 63), (20, 21, 63)]
    columns = [list(storeys) for _ in range(9)]
    assert filter_ledge_spans(solid(3, columns), 5, 2, workers).area[12:15].tolist() == [63, 63, 63]
    del columns[3][1]  # a hole in the middle storey's neighbor: one drops through to the lowest
    assert filter_ledge_spans(solid(3, columns), 5, 2, workers).area[11:14].tolist() == [63, 0, 63]


@pytest.mark.parametrize(("bottom", "lower"), [(6, 0), (7, 63)])
def test_a_low_ceiling_nulls_what_is_under_it(bottom: int, lower: int, workers: Workers) -> None:
    level = solid(1, [[(0, 2, 63), (bottom, 8, 63)]])
    assert filter_walkable_low_height_spans(level, 5, workers).area.tolist() == [lower, 63]


# --- against the twin


@pytest.mark.parametrize("seed", range(80))
def test_random_levels(seed: int, workers: Workers) -> None:
    level = random_level(seed)
    rng = np.random.default_rng(seed)
    height, climb = int(rng.integers(1, 8)), int(rng.integers(0, 5))
    columns = columns_of(level)
    assert filter_low_hanging_obstacles(level, climb, workers).area.tolist() == low_hanging_twin(columns, climb)
    assert filter_walkable_low_height_spans(level, height, workers).area.tolist() == low_height_twin(columns, height)
    ours = filter_ledge_spans(level, height, climb, workers)
    assert ours.area.tolist() == ledges_twin(level.width, columns, height, climb)


@pytest.mark.parametrize("height", [0, 255, 57344, 57345, 65530, 65536, 2**31 - 1])
@pytest.mark.parametrize("climb", [0, 70000, 2**31 - 1])
def test_extreme_heights_and_climbs(height: int, climb: int, workers: Workers) -> None:
    level = solid(3, [[(0, 8190 - k, 63)] if k % 4 else [(0, 3 + k, 63), (8191, 8191, 63)] for k in range(15)])
    columns = columns_of(level)
    assert filter_low_hanging_obstacles(level, climb, workers).area.tolist() == low_hanging_twin(columns, climb)
    assert filter_walkable_low_height_spans(level, height, workers).area.tolist() == low_height_twin(columns, height)
    assert filter_ledge_spans(level, height, climb, workers).area.tolist() == ledges_twin(3, columns, height, climb)


def ledges_for_all(level: Heightfield, heights: list[int], climb: int) -> list[list[int]]:
    capped = [agent_of(height, climb) for height in heights]
    areas = np.full((len(heights), len(level.area)), 77, np.uint8)
    null_ledges_for_all(level, np.array([height for height, _ in capped], np.int32), capped[0][1], areas)
    return areas.tolist()


@pytest.mark.parametrize("seed", range(80))
def test_ledges_for_several_heights_are_those_of_each(seed: int, workers: Workers) -> None:
    level, rng = random_level(seed), np.random.default_rng(seed)
    heights, climb = sorted(rng.integers(1, 12, int(rng.integers(1, 5))).tolist()), int(rng.integers(0, 5))
    own = [filter_ledge_spans(level, height, climb, workers).area.tolist() for height in heights]
    assert ledges_for_all(level, heights, climb) == own


@pytest.mark.parametrize("climb", [0, 70000, 2**31 - 1])
def test_ledges_for_extreme_heights(climb: int, workers: Workers) -> None:
    level = solid(3, [[(0, 8190 - k, 63)] if k % 4 else [(0, 3 + k, 63), (8191, 8191, 63)] for k in range(15)])
    for heights in ([0, 255, 57344, 57345, 65536], [57345, 65530], [5]):
        own = [filter_ledge_spans(level, height, climb, workers).area.tolist() for height in heights]
        assert ledges_for_all(level, heights, climb) == own


# --- whatever the number of threads


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_change_nothing(threads: int, workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "MIN_SIMPLE", 1)
    monkeypatch.setattr(filters, "MIN_LEDGES", 1)
    with Workers(threads) as many:
        for seed in range(20):
            level = random_level(seed)
            one = [
                filter_low_hanging_obstacles(level, 2, workers),
                filter_ledge_spans(level, 4, 2, workers),
                filter_walkable_low_height_spans(level, 4, workers),
            ]
            several = [
                filter_low_hanging_obstacles(level, 2, many),
                filter_ledge_spans(level, 4, 2, many),
                filter_walkable_low_height_spans(level, 4, many),
            ]
            assert [a.area.tobytes() for a in one] == [a.area.tobytes() for a in several]


# --- edges


def test_inputs_are_left_alone(workers: Workers) -> None:
    level = random_level(2)
    before = level.area.tobytes()
    results = [
        filter_low_hanging_obstacles(level, 3, workers),
        filter_ledge_spans(level, 4, 2, workers),
        filter_walkable_low_height_spans(level, 4, workers),
    ]
    assert level.area.tobytes() == before
    assert all(result.area is not level.area and result.area.tobytes() != before for result in results)
    assert all(result._replace(area=level.area) == level for result in results)  # all else is shared


def test_a_level_without_spans(workers: Workers) -> None:
    level = solid(3, [[] for _ in range(12)])
    assert len(filter_low_hanging_obstacles(level, 2, workers).area) == 0
    assert len(filter_ledge_spans(level, 5, 2, workers).area) == 0
    assert len(filter_walkable_low_height_spans(level, 5, workers).area) == 0


def test_cancelling_stops_the_filters() -> None:
    with Workers(1) as stopped:
        stopped.progress.cancel()
        with pytest.raises(Cancelled):
            filter_ledge_spans(random_level(1), 5, 2, stopped)
