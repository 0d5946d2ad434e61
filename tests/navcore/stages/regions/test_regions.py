"""Regions: the worked examples of the rules, what is refused, and what must not depend on size or threads."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest

from navcore.errors import Cancelled, TooLarge
from navcore.stages.regions import build_regions, overlapping_regions
from navcore.threads import Workers
from navcore.types import WALKABLE, CompactHeightfield, DistanceField

from .distance_field_twin import distance_field_twin
from .merging_twin import MergingTwin
from .region_worlds import RING, drawn, field, flat, random_field, rows

PARTITIONS = ("watershed", "monotone", "layers")
DUMBBELL = "#####....#####/#####....#####/##############/#####....#####/#####....#####"
ISLANDS = "########.##/########.##/########.../########.../########.##"


def regions(compact, partition, border=0, min_area=0, merge_area=0, workers=None):
    distance = distance_field_twin(compact) if partition == "watershed" else None
    return build_regions(compact, distance, partition, border, min_area, merge_area, workers or Workers(1))


def test_the_twin_measures_distances_as_the_rules_show():
    distance = distance_field_twin(flat(7, 7))
    assert distance.maximum == 6
    assert distance.distance.reshape(7, 7)[:4].tolist() == [
        [0, 0, 0, 0, 0, 0, 0],
        [0, 2, 2, 2, 2, 2, 0],
        [0, 2, 3, 4, 3, 2, 0],
        [0, 2, 4, 4, 4, 2, 0],
    ]


# --- watershed (T-9)


def test_watershed_of_a_square_is_one_region():
    result = regions(flat(7, 7), "watershed")
    assert (result.region == 1).all()
    assert result.region.dtype == np.uint16
    assert result.count == 2


@pytest.mark.parametrize("partition", PARTITIONS)
def test_a_border_is_painted_side_by_side(partition):
    square = flat(7, 7)
    result = regions(square, partition, border=2)
    middle = "aa555bb"
    assert rows(square, result) == "/".join(["ccccccc"] * 2 + [middle] * 3 + ["ddddddd"] * 2)
    assert result.count == 6


def test_watershed_without_distance_finds_nothing():
    result = regions(flat(6, 2), "watershed")
    assert (result.region == 0).all()
    assert result.count == 1


def test_watershed_splits_two_rooms_in_the_middle_of_their_corridor():
    room, door = "#########....#########", "######################"
    rooms = drawn("/".join([room] * 3 + [door] * 3 + [room] * 3))
    assert distance_field_twin(rooms).maximum == 8
    result = regions(rooms, "watershed")
    assert result.count == 3
    x = np.concatenate([np.flatnonzero([c == "#" for c in row]) for row in [room] * 3 + [door] * 3 + [room] * 3])
    assert (result.region == np.where(x <= 10, 1, 2)).all()
    assert np.bincount(result.region).tolist() == [0, 87, 87]
    assert (regions(rooms, "watershed", merge_area=86).region == result.region).all()
    merged = regions(rooms, "watershed", merge_area=87)
    assert (merged.region == 1).all()
    assert merged.count == 2


def test_watershed_keeps_areas_apart():
    pond = drawn("#########/#########/####5####/#########/#########")
    result = regions(pond, "watershed")
    assert rows(pond, result) == "111111111/111111111/111121111/111111111/111111111"
    assert result.count == 3


# --- merging (T-10)


def test_small_islands_go():
    islands = drawn(ISLANDS)
    result = regions(islands, "watershed", min_area=5)
    assert rows(islands, result) == "11111111.00/11111111.00/11111111.../11111111.../11111111.00"
    assert result.count == 2


def test_islands_at_the_border_stay():
    strip = drawn("#.#####.#")
    assert rows(strip, regions(strip, "monotone", min_area=9)) == "0.00000.0"
    # A border of one column takes all of a single row, so this one has three.
    block = drawn("#####/#####/#####")
    assert rows(block, regions(block, "monotone", border=1, min_area=99)) == "ccccc/a555b/ddddd"


def test_monotone_takes_the_cell_in_a_ring_for_an_island():
    ring = drawn(RING)
    result = regions(ring, "monotone")
    assert rows(ring, result) == "11111/2...3/2.4.3/2...3/55555"
    assert result.count == 6
    result = regions(ring, "monotone", min_area=3)
    assert rows(ring, result) == "11111/2...3/2.0.3/2...3/44444"
    assert result.count == 5


def test_monotone_merges_the_arms_of_a_u():
    letter = drawn("###.###/###.###/#######")
    result = regions(letter, "monotone")
    assert rows(letter, result) == "111.222/111.222/3333333"
    assert result.count == 4
    result = regions(letter, "monotone", merge_area=100)
    assert rows(letter, result) == "111.111/111.111/1111111"
    assert result.count == 2


# --- monotone (T-11)


def test_monotone_starts_anew_where_runs_join_or_part():
    dumbbell = drawn(DUMBBELL)
    result = regions(dumbbell, "monotone")
    assert rows(dumbbell, result) == ("11111....22222/11111....22222/33333333333333/44444....55555/44444....55555")
    assert result.count == 6
    result = regions(dumbbell, "monotone", merge_area=200)
    assert set(result.region) == {1}
    assert result.count == 2


def test_monotone_goes_around_another_area():
    pond = drawn("#########/#########/####5####/#########/#########")
    result = regions(pond, "monotone")
    assert rows(pond, result) == "111111111/111111111/222234444/555555555/555555555"
    assert result.count == 6


# --- layers (T-12)


@pytest.mark.parametrize(
    ("picture", "min_area", "expected", "count"),
    [
        (DUMBBELL, 0, DUMBBELL.replace("#", "1"), 2),
        (RING, 0, "11111/1...1/1.2.1/1...1/11111", 3),
        (ISLANDS, 4, "11111111.22/11111111.22/11111111.../11111111.../11111111.00", 3),
    ],
)
def test_layers_join_all_they_reach(picture, min_area, expected, count):
    compact = drawn(picture)
    result = regions(compact, "layers", min_area=min_area)
    assert rows(compact, result) == expected
    assert result.count == count


@pytest.mark.parametrize("partition", PARTITIONS)
def test_two_storeys_are_two_regions(partition):
    columns = [[(0, 9, WALKABLE)] + [(10, 255, WALKABLE)] * (x >= 2) for _ in range(3) for x in range(6)]
    house = field(6, 3, columns, height_vx=5)
    result = regions(house, partition)
    expected = [[1] + [2] * (x >= 2) for _ in range(3) for x in range(6)]
    assert result.region.tolist() == [r for column in expected for r in column]
    assert result.count == 3
    assert overlapping_regions(house, result) == []


# --- beyond Recast


@pytest.mark.parametrize("storeys", [25, 70])
@pytest.mark.parametrize("partition", ["monotone", "layers"])
def test_rows_of_many_storeys(partition, storeys):
    """Recast writes beyond its table of runs here: it has as many entries as the grid has columns on a side."""
    tower = drawn("/".join(["####"] * 4), storeys)
    result = regions(tower, partition)
    assert result.count == storeys + 1
    assert (result.region.reshape(16, storeys) == np.arange(1, storeys + 1)).all()


def test_an_outline_of_more_than_39999_steps_is_followed_to_its_end():
    """Recast gives up before it has met the neighbor, so that the two are never joined."""
    teeth, depth = 1000, 20
    comb = drawn("/".join(["#" * (2 * teeth)] + ["#." * teeth] * depth))
    distance = np.zeros(len(comb.floor), np.uint16)
    distance[[0, 2 * teeth - 1]] = 8  # a seed at each end, so that they meet in the middle

    def build(merge_area):
        field = DistanceField(distance, 8)
        return build_regions(comb, field, "watershed", 0, 0, merge_area, Workers(1))

    halves = build(merge_area=0)
    assert np.bincount(halves.region).tolist() == [0, 11000, 11000]
    recast = MergingTwin(comb, 0)
    recast.region = halves.region.tolist()
    assert recast.walk(0, 0) == [0]
    assert recast.walk(teeth, 0) == [1, 0]
    assert set(build(merge_area=11000).region) == {1}


@pytest.mark.parametrize("partition", PARTITIONS)
def test_ids_that_would_look_like_a_border_are_refused(partition):
    side = 182  # 182² = 33,124 islands
    picture = np.full((2 * side, 2 * side), ".")
    picture[::2, ::2] = "#"
    islands = drawn("/".join("".join(row) for row in picture))
    distance = DistanceField(np.full(side * side, 2, np.uint16), 2)
    with pytest.raises(TooLarge, match="more than 32,767 regions"):
        build_regions(islands, distance, partition, 0, 0, 0, Workers(1))
    fewer = islands._replace(area=np.where(np.arange(side * side) < 32767, WALKABLE, 0).astype(np.uint8))
    result = build_regions(fewer, distance, partition, 0, 0, 0, Workers(1))
    assert (result.region == np.where(fewer.area, np.arange(1, side * side + 1), 0)).all()
    assert result.count == 32767  # the id behind the last one would be a border's and is not counted


def three_bands(_: Workers, length: int, *_limits: int, **_named: int) -> list[tuple[int, int]]:
    return [(length * k // 3, length * (k + 1) // 3) for k in range(3)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("partition", PARTITIONS)
def test_large_fields_are_divided_in_parts_with_the_same_ids(partition, threads, monkeypatch):
    """Only they are worth several threads; here the smallest field counts as large."""
    for seed in range(3):
        storeys = random_field(random.Random(seed), 9, 8)
        at_once = regions(storeys, partition, min_area=3, merge_area=9)
        with monkeypatch.context() as patched, Workers(threads) as workers:
            patched.setattr(Workers, "in_one_call", lambda *_: False)
            patched.setattr(Workers, "bands", three_bands)
            in_parts = regions(storeys, partition, min_area=3, merge_area=9, workers=workers)
        assert in_parts.region.tobytes() == at_once.region.tobytes() and in_parts.count == at_once.count
        assert at_once.count > 2


# --- limits and conduct


@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize(("border", "count"), [(0, 1), (3, 5)])
def test_no_spans(partition, border, count):
    nothing = drawn("..../....")
    result = regions(nothing, partition, border)
    assert len(result.region) == 0
    assert result.count == count


@pytest.mark.parametrize("partition", PARTITIONS)
def test_a_border_can_take_everything(partition):
    square = flat(4, 4)
    assert rows(square, regions(square, partition, border=2)) == "cccc/cccc/dddd/dddd"
    assert rows(square, regions(square, partition, border=9)) == "dddd/dddd/dddd/dddd"


def test_watershed_without_a_distance_field_is_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="distance"):
        build_regions(flat(3, 3), None, "watershed", 0, 0, 0, Workers(1))


@pytest.mark.parametrize("partition", PARTITIONS)
def test_cancelled(partition):
    workers = Workers(1)
    workers.progress.cancel()
    with pytest.raises(Cancelled):
        regions(flat(9, 9), partition, workers=workers)


def plain(size, blocked):
    """Single spans, linked to all four sides but where `blocked` (size, size) says so."""
    index = np.arange(size * size, dtype=np.int32).reshape(size, size)
    neighbors = np.full((size, size, 4), -1, np.int32)
    free = ~(blocked[:, 1:] | blocked[:, :-1])
    neighbors[:, 1:, 0] = np.where(free, index[:, :-1], -1)
    neighbors[:, :-1, 2] = np.where(free, index[:, 1:], -1)
    free = ~(blocked[1:] | blocked[:-1])
    neighbors[1:, :, 3] = np.where(free, index[:-1], -1)
    neighbors[:-1, :, 1] = np.where(free, index[1:], -1)
    spans = size * size
    return CompactHeightfield(
        size, size, np.arange(spans + 1, dtype=np.int32), np.zeros(spans, np.uint16),
        np.full(spans, 255, np.uint8), neighbors.reshape(-1, 4), np.full(spans, WALKABLE, np.uint8),
    )  # fmt: skip


@pytest.mark.parametrize("partition", PARTITIONS)
def test_more_than_ten_thousand_regions_in_two_seconds_of_the_processor(partition):
    """Watershed: 15,625 hills that are nearly all joined. Rows: a field full of holes."""
    size = 500 if partition == "watershed" else 400
    x, z = np.meshgrid(np.arange(size), np.arange(size))
    holes = np.random.default_rng(1).random((size, size)) < 0.07
    ground = plain(size, holes & (partition != "watershed"))
    hills = DistanceField(np.where((x % 4 == 2) & (z % 4 == 2), 8, 0).ravel().astype(np.uint16), 8)
    results = []
    for threads in (1, 1, 3):
        with Workers(threads) as workers:
            began = time.process_time()
            results.append(build_regions(ground, hills, partition, 0, 0, 9, workers))
            seconds = time.process_time() - began
    assert results[0].count > {"watershed": 400, "monotone": 10_000, "layers": 10_000}[partition]
    assert results[1].region.tobytes() == results[2].region.tobytes()
    assert seconds < 2  # compiled by the first one


@pytest.mark.parametrize("partition", ["watershed", "monotone"])
def test_a_build_can_be_cancelled_while_it_runs(partition):
    """Else the load of the flag has been moved out of the loop. (Tried often, as a busy machine may wake up late.)"""
    size = 1500
    ground = plain(size, np.zeros((size, size), bool))
    ring = np.minimum.reduce(np.meshgrid(*[np.minimum(np.arange(size), np.arange(size)[::-1])] * 2))
    distance = DistanceField(ring.ravel().astype(np.uint16), int(ring.max()))
    build_regions(ground, distance, partition, 0, 0, 0, Workers(1))  # compiled
    for _ in range(20):
        workers = Workers(1)
        threading.Timer(0.002, workers.progress.cancel).start()
        try:
            build_regions(ground, distance, partition, 0, 0, 0, workers)
        except Cancelled:
            return
    pytest.fail("never stopped")
