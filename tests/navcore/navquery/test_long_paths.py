"""Long ways over districts: found where the whole search finds one, nearly as cheap, and right after every change."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    Level,
    NavMesh,
    NavQuery,
    PathStatus,
    QueryFilter,
    Settings,
    TileCache,
    build_navmesh,
    read_navmesh,
    write_navmesh,
)
from navcore.navquery import districts, long_paths
from navcore.navquery.answers import LongPaths
from navcore.types import F32
from tests import scenes
from tests.navcore.navquery.query_examples import random_points, town

FILTERS = [QueryFilter(), QueryFilter({1: 10.0, 5: 1.5}), QueryFilter({1: 0.1, 5: 0.0}), QueryFilter(exclude=8)]
EACH_FILTER = pytest.mark.parametrize("who", FILTERS, ids=["plain", "dear", "cheap", "no links"])


@pytest.fixture
def small_districts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that levels of a few tiles have many, and nothing is near."""
    monkeypatch.setattr(districts, "_POLYGONS", 4)
    monkeypatch.setattr(long_paths, "_NEAR", 0)


def whole(query: NavQuery, starts: Any, ends: Any, who: QueryFilter | None = None) -> Any:
    unlimited: Any = {"max_nodes": None, "max_path": None, "max_points": None}
    return query.find_paths(starts, ends, who or QueryFilter(), heuristic="least_cost", partial="closest", **unlimited)


def check_sound(query: NavQuery, starts: F32, ends: F32, who: QueryFilter) -> LongPaths:
    """Each way that is found leads to its end over links that are there; none is missed."""
    long, known = query.find_long_paths(starts, ends, who), whole(query, starts, ends, who)
    paths = long.paths
    assert paths.status.tolist() == known.status.tolist()
    here, there = query.nearest(starts, filter=who).references, query.nearest(ends, filter=who).references
    mesh, names = query._mesh, query._names
    for row in np.flatnonzero(long.by_districts).tolist():
        references = paths.polygons[paths.polygon_offsets[row] : paths.polygon_offsets[row + 1]]
        if paths.status[row] == PathStatus.PARTIAL:  # at the closest point of the same ground
            assert references[-1] != there[row] and paths.missing[row] == pytest.approx(known.missing[row], rel=1e-6)
        else:
            assert paths.status[row] == PathStatus.COMPLETE and paths.missing[row] == 0
            assert references[-1] == there[row]
        assert references[0] == here[row]
        assert query.is_valid(references, who).all()
        polygons = names.polygons(references)
        for a, b in itertools.pairwise(polygons.tolist()):
            links = mesh.links["target"][mesh.polygons["first_link"][a] : mesh.polygons["end_link"][a]]
            assert b in links
    rest = ~long.by_districts
    assert paths.length[rest].tobytes() == known.length[rest].tobytes()
    assert paths.cost[rest].tobytes() == known.cost[rest].tobytes()
    return long


def same(one: LongPaths, other: LongPaths) -> bool:
    """But for the names of polygons."""
    return one.by_districts.tobytes() == other.by_districts.tobytes() and all(
        getattr(one.paths, name).tobytes() == getattr(other.paths, name).tobytes()
        for name in one.paths._fields
        if name not in ("polygons", "references")
    )


@EACH_FILTER
@pytest.mark.usefixtures("small_districts")
def test_a_way_is_found_where_there_is_one(who: QueryFilter) -> None:
    query, points = NavQuery(town(16)), random_points(800, 4)
    long = check_sound(query, points[:400], points[400:], who)
    assert long.by_districts.sum() > 60
    known = whole(query, points[:400], points[400:], who)
    partial = long.by_districts & (long.paths.status == PathStatus.PARTIAL)
    assert partial.sum() > 30
    chosen = long.by_districts & (known.cost > 1)
    ratio = long.paths.cost[chosen] / known.cost[chosen]
    assert ratio.mean() < 1.05 and ratio.min() > 0.5


def wild(seed: int) -> NavMesh:
    """Boxes and slabs on a plain that links, most of them one way only, lead over; and cliffs to drop from."""
    rng = np.random.default_rng(seed)
    parts = [scenes.flat(30.0), scenes.slabs(seed, 30, 90)]
    parts += [scenes.box(*rng.uniform([0, 0, 0], [26, 2, 26]), *rng.uniform([1, 0.2, 1], [9, 2, 9])) for _ in range(14)]
    links = [
        {"start": rng.uniform([0, 0, 0], [30, 4, 30]).tolist(), "end": rng.uniform([0, 0, 0], [30, 4, 30]).tolist(),
         "radius": 2.0, "bidirectional": bool(rng.random() < 0.3), "area": 5, "flags": 8, "id": k + 1}
        for k in range(25)
    ]  # fmt: skip
    water = {"shape": "box", "area": 1, "min": [6, -1, 6], "max": [14, 3, 26]}
    settings = Settings(tile_size=16, agent_height=1.0, agent_radius=0.3, region_min_size=2)
    return build_navmesh(*scenes.join(parts), settings, links=links, volumes=[water])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.usefixtures("small_districts")
def test_on_levels_made_at_random(seed: int) -> None:
    query, points = NavQuery(wild(seed)), random_points(600, seed, 0, 30)
    found = [check_sound(query, points[:300], points[300:], who).by_districts.sum() for who in FILTERS]
    assert min(found) > 30


def test_costs_little_more_on_average_than_the_cheapest() -> None:
    """A city of 10 × 10 tiles; the benchmark is `benchmarks/long_ways.py`."""
    query = NavQuery(build_navmesh(*scenes.city(12), Settings(tile_size=64)))
    points = random_points(800, 3, 0, 192) * np.float32([1, 0, 1])
    long, known = query.find_long_paths(points[:400], points[400:]), whole(query, points[:400], points[400:])
    assert long.paths.status.tolist() == known.status.tolist() and long.by_districts.sum() > 150
    ratio = long.paths.cost[long.by_districts] / known.cost[long.by_districts]
    assert ratio.mean() < 1.02 and ratio.max() < 1.5
    assert long.paths.expanded[long.by_districts].sum() < 0.5 * known.expanded[long.by_districts].sum()


@pytest.mark.usefixtures("small_districts")
def test_the_same_bytes_for_any_number_of_threads_and_a_second_time() -> None:
    query, points = NavQuery(town(16)), random_points(600, 7)
    asked = points[:300], points[300:]
    first = query.find_long_paths(*asked, threads=1)
    for threads in (1, 2, 5):
        for each in (query, NavQuery(town(16))):
            again = each.find_long_paths(*asked, threads=threads)
            assert same(first, again) and again.paths.polygons.tobytes() == first.paths.polygons.tobytes()


@pytest.mark.usefixtures("small_districts")
def test_after_every_edit_it_answers_as_a_new_one() -> None:
    rng = np.random.default_rng(5)
    level = Level(Settings(tile_size=24), bounds=(0, -1, 0, 30, 6, 30))
    level.set_part("ground", *scenes.flat(30.0))
    level.links = [{"start": [3, 0, 3], "end": [12, 0, 12], "radius": 2.0, "flags": 8, "id": 7, "bidirectional": False}]
    query = NavQuery(level.update())
    districts_found = 0
    for edit in range(8):
        level.set_part(f"box {edit % 3}", *scenes.box(*rng.uniform(0, 24, 3) * [1, 0, 1], *rng.uniform(0.5, 6, 3)))
        navmesh = level.update()
        query.update(navmesh)
        points = random_points(200, edit, 0, 30)
        for who in (QueryFilter(), QueryFilter(exclude=8)):
            ours, new = (each.find_long_paths(points[:100], points[100:], who) for each in (query, NavQuery(navmesh)))
            assert same(ours, new)
        districts_found += int(check_sound(query, points[:100], points[100:], QueryFilter()).by_districts.sum())
    assert districts_found > 200


@pytest.mark.usefixtures("small_districts")
def test_among_obstacles_that_come_and_after_pickling() -> None:
    rng, cache = np.random.default_rng(0), TileCache(*scenes.city(2, seed=5), Settings(tile_size=24))
    query, points = NavQuery(cache.navmesh), random_points(200, 3)
    for _ in range(3):
        cache.add_cylinder(tuple(rng.uniform([2, 0, 2], [30, 0, 30])), 2.0, 3.0)
        cache.update()
        query.update(cache.navmesh)
        long = check_sound(query, points[:100], points[100:], QueryFilter())
        for other in (NavQuery(cache.navmesh), pickle.loads(pickle.dumps(query))):
            assert same(long, other.find_long_paths(points[:100], points[100:]))
        assert long.by_districts.sum() > 20


@pytest.mark.usefixtures("small_districts")
def test_a_door_that_closes_flags_and_areas_that_change() -> None:
    gate = {"shape": "box", "door": "gate", "min": [0, -1, 14], "max": [30, 2, 16]}
    query = NavQuery(build_navmesh(*scenes.flat(30.0), Settings(tile_size=16), volumes=[gate]))
    start, end = [[5, 0, 5]], [[25, 0, 25]]

    def status() -> PathStatus:
        return PathStatus(query.find_long_paths(start, end).paths.status[0])

    assert status() == PathStatus.COMPLETE and query.find_long_paths(start, end).by_districts[0]
    query.set_door("gate", closed=True)
    assert status() == PathStatus.PARTIAL and query.find_long_paths(start, end).paths.points[-1, 2] < 14.5
    query.set_door("gate", closed=False)
    assert status() == PathStatus.COMPLETE
    references = query.references()
    before = query.flags(references)
    query.set_flags(references, 4)
    assert query.find_long_paths(start, end, QueryFilter(exclude=4)).paths.status[0] == PathStatus.NO_START
    query.set_flags(references, before)
    cheap = query.find_long_paths(start, end, QueryFilter({7: 5.0})).paths.cost[0]
    query.set_areas(references, 7)
    assert query.find_long_paths(start, end, QueryFilter({7: 5.0})).paths.cost[0] == pytest.approx(5 * cheap, rel=0.05)


@pytest.mark.usefixtures("small_districts")
def test_links_that_lead_one_way() -> None:
    plates = scenes.join([scenes.box(14.0 * k, -1, 0, 10, 1, 10) for k in range(3)])
    links = [
        {"start": [8 + 14 * k, 0, 5], "end": [16 + 14 * k, 0, 5], "radius": 1.0, "area": 5, "flags": 8, "id": 7 + k,
         "bidirectional": k == 0} for k in range(2)
    ]  # fmt: skip
    query = NavQuery(build_navmesh(*plates, Settings(tile_size=32), links=links))
    left, right = [[2, 0, 5]], [[36, 0, 5]]
    there, back = query.find_long_paths(left, right), query.find_long_paths(right, left)
    assert query.link_ids(there.paths.polygons)[query.is_link(there.paths.polygons)].tolist() == [7, 8]
    assert there.by_districts.tolist() == [True] and there.paths.status[0] == PathStatus.COMPLETE
    assert back.by_districts.tolist() == [False] and back.paths.status[0] == PathStatus.PARTIAL
    assert query.find_long_paths(left, right, QueryFilter(exclude=8)).paths.status[0] == PathStatus.PARTIAL


@pytest.mark.usefixtures("small_districts")
def test_of_a_file_with_references_of_64_bits(tmp_path: Path) -> None:
    points = random_points(200, 9)
    found = []
    for bits in (32, 64):
        write_navmesh(town(16), tmp_path / f"{bits}.bin", reference_bits=bits)
        query = NavQuery(read_navmesh(tmp_path / f"{bits}.bin"))
        found.append(check_sound(query, points[:100], points[100:], QueryFilter()))
    assert same(*found) and found[0].by_districts.sum() > 20


@pytest.mark.usefixtures("small_districts")
def test_for_each_size_of_agents() -> None:
    sizes = [("small", 0.3, 1.0), ("large", 0.9, 2.5)]
    query = NavQuery(build_navmesh(*scenes.city(2, seed=4), Settings(tile_size=16), sizes=sizes))
    points = random_points(300, 11)
    for name, *_ in sizes:
        long = check_sound(query, points[:150], points[150:], query.filter_of_size(name))
        assert long.by_districts.sum() > 20


def test_of_one_piece_and_of_what_lies_near_all_is_the_whole_search_s() -> None:
    points = random_points(200, 2)
    for tile_size in (0, 64):
        query = NavQuery(town(tile_size))
        long, known = query.find_long_paths(points[:100], points[100:]), whole(query, points[:100], points[100:])
        assert not long.by_districts.any()
        assert all(a.tobytes() == b.tobytes() for a, b in zip(long.paths, known, strict=True))


@pytest.mark.usefixtures("small_districts")
def test_rows_that_cannot_be_answered_and_what_is_refused() -> None:
    query = NavQuery(town(16))
    points = np.array([[2, 0, 2], [90, 0, 90], [np.nan, 0, 0], [2, 0, 2]], np.float32)
    paths = query.find_long_paths(points, points[::-1]).paths
    assert [PathStatus(status).name for status in paths.status.tolist()] == [
        "COMPLETE", "NOT_FINITE", "NOT_FINITE", "COMPLETE",
    ]  # fmt: skip
    assert query.find_long_paths([[2, 0, 2]], [[90, 0, 90]]).paths.status[0] == PathStatus.NO_END
    assert len(query.find_long_paths(np.zeros((0, 3)), np.zeros((0, 3))).by_districts) == 0
    with pytest.raises(BadInput, match="crossings is 'some'"):
        query.find_long_paths([[2, 0, 2]], [[4, 0, 4]], crossings="some")
    nothing = query.find_long_paths(points[:1], points[3:], QueryFilter(exclude=0xFFFF))
    assert nothing.paths.status[0] == PathStatus.NO_START


def test_only_some_filters_are_kept() -> None:
    query, kept = NavQuery(town(16)), long_paths._KEPT
    for cost in range(kept + 3):
        query.find_long_paths([[2, 0, 2]], [[30, 0, 30]], QueryFilter({1: float(cost)}))
    assert len(query._made["districts"]._of) == kept
