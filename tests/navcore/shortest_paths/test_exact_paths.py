"""`find_paths(exact=True)`: never longer than the funnel, the same both ways, and honest about what it cannot do."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from navcore import BadInput, Cancelled, NavQuery, PathStatus, Progress, QueryFilter, Settings, build_navmesh
from tests import scenes
from tests.navcore.navquery.query_examples import by_hand, random_points, town
from tests.navcore.shortest_paths.shortest_examples import (
    length_from_above,
    line_of,
    longest_gain,
    on_corners_and_edges,
    pairs_in,
    rounding_of,
)

FLOAT = 1e-5  # metres: points of lines are float32, at most 40 m from the origin
NOWHERE = {"max_nodes": None, "max_path": None, "max_points": None}
LEVELS = {
    "terrain": (lambda: scenes.terrain(100, 0.45, 0.07), 0),
    "terrain in tiles": (lambda: scenes.terrain(100, 0.45, 0.07), 32),
    "plaza": (lambda: scenes.plaza(6), 0),
    "plaza in tiles": (lambda: scenes.plaza(6), 24),
    "city": (lambda: scenes.city(2), 0),
    "city in tiles": (lambda: scenes.city(2), 32),
    "stairs": (scenes.stairs, 0),
    "spiral": (scenes.spiral, 0),
    "spiral in tiles": (scenes.spiral, 24),
    "tower": (lambda: scenes.tower(4), 0),
}


@pytest.mark.parametrize("name", LEVELS)
def test_never_longer_than_the_funnel_and_the_same_backwards(name: str) -> None:
    make, tile_size = LEVELS[name]
    mesh = make()
    query = NavQuery(build_navmesh(*mesh, Settings(tile_size=tile_size)))
    starts, ends = pairs_in(mesh, 500, 7)
    corners = on_corners_and_edges(query, 200, 8)
    starts, ends = np.concatenate([starts, corners[:100]]), np.concatenate([ends, corners[100:]])
    funnel = query.find_paths(starts, ends, **NOWHERE)
    exact, back = query.find_paths(starts, ends, exact=True), query.find_paths(ends, starts, exact=True)
    assert (exact.status == funnel.status).all()
    complete = exact.status == PathStatus.COMPLETE
    assert complete.sum() > 100
    longer = length_from_above(exact) - length_from_above(funnel)
    gain = longest_gain(query, funnel, exact)
    assert (longer <= gain + rounding_of(exact))[complete].all()
    assert (gain > 0).mean() < 0.2, "for most rows there is no excuse"
    assert length_from_above(back)[complete] == pytest.approx(length_from_above(exact)[complete], abs=FLOAT)
    assert exact.expanded.max() < 64 * len(query._mesh.polygons), "no search runs away"


def test_a_detour_around_a_pillar_is_not_taken_on_the_wrong_side() -> None:
    """Detour walks around the large room of a plaza; the straight line is free."""
    mesh = scenes.plaza(6)
    query = NavQuery(build_navmesh(*mesh))
    starts, ends = pairs_in(mesh, 400, 3)
    shorter = length_from_above(query.find_paths(starts, ends)) - length_from_above(
        query.find_paths(starts, ends, exact=True)
    )
    assert (shorter > 0.1).mean() > 0.2


def test_corridors_and_lines_belong_together() -> None:
    query, points = NavQuery(town(32)), random_points(400, 4)
    paths = query.find_paths(points[:200], points[200:], exact=True)
    starts, ends = query.nearest(points[:200]), query.nearest(points[200:])
    complete = np.flatnonzero(paths.status == PathStatus.COMPLETE)
    assert len(complete) > 60
    polygons, links = query._mesh.polygons, query._mesh.links
    for row in complete.tolist():
        names = paths.polygons[paths.polygon_offsets[row] : paths.polygon_offsets[row + 1]]
        assert names[0] == starts.references[row] and names[-1] == ends.references[row]
        numbers = query._names.polygons(names)
        for here, there in pairwise(numbers):
            assert there in links["target"][polygons[here].first_link : polygons[here].end_link]
        line = line_of(paths, row)
        assert line[0].tolist() == starts.points[row].tolist() and line[-1].tolist() == ends.points[row].tolist()
        entered = paths.references[paths.offsets[row] : paths.offsets[row + 1]]
        assert entered[0] == names[0] and entered[-1] == 0 and set(entered[:-1]) <= set(names)
        steps = np.sqrt((np.diff(line.astype(np.float64), axis=0) ** 2).sum(axis=1))
        assert paths.length[row] == pytest.approx(steps.sum(), rel=1e-6)
    assert (paths.missing[complete] == 0).all() and paths.cost[complete].tolist() == paths.length[complete].tolist()


def test_the_funnel_through_the_same_corridor_is_the_same_line() -> None:
    query, points = NavQuery(build_navmesh(*scenes.city(2))), random_points(300, 9)
    exact = query.find_paths(points[:150], points[150:], exact=True)
    rows = np.flatnonzero(exact.status == PathStatus.COMPLETE)
    here, there = query.nearest(points[:150]).points, query.nearest(points[150:]).points
    funnel = query.straight_paths(here, there, exact.polygon_offsets, exact.polygons, max_points=None)
    ours, theirs = (
        length_from_above(exact),
        length_from_above(exact._replace(**funnel._asdict() | {"status": exact.status})),
    )
    assert len(rows) > 50 and ours[rows] == pytest.approx(theirs[rows], abs=1e-3)


@pytest.mark.parametrize("tile_size", [0, 32])
@pytest.mark.parametrize("partial", ["detour", "closest"])
def test_what_cannot_be_reached_is_approached_as_far_as_can_be(tile_size: int, partial: str) -> None:
    query, points = NavQuery(town(tile_size)), random_points(400, 3)
    ours = query.find_paths(points[:200], points[200:], exact=True, partial=partial)
    theirs = query.find_paths(points[:200], points[200:], partial="closest", **NOWHERE)
    assert (ours.status == theirs.status).all()
    partial_rows = np.flatnonzero(ours.status == PathStatus.PARTIAL)
    assert len(partial_rows) > 10
    assert ours.missing[partial_rows] == pytest.approx(theirs.missing[partial_rows], abs=1e-4)
    same_end = [np.abs(line_of(ours, row)[-1] - line_of(theirs, row)[-1]).max() < 1e-3 for row in partial_rows]
    longer = (length_from_above(ours) - length_from_above(theirs))[partial_rows[same_end]]
    assert sum(same_end) > 10 and longer.max() <= FLOAT


PLATES = scenes.join([scenes.box(14.0 * k, -1, 0, 10, 1, 10) for k in range(3)])


def over_links(**more: Any) -> NavQuery:
    """Three plates in a row; the link from the first to the second leads both ways, the next one does not."""
    links = [
        {"start": [8 + 14 * k, 0, 5], "end": [16 + 14 * k, 0, 5], "radius": 1.0, "area": 5, "flags": 8, "id": 7 + k,
         "bidirectional": k == 0} for k in range(2)
    ]  # fmt: skip
    return NavQuery(build_navmesh(*PLATES, links=links, **more))


@pytest.mark.parametrize("tile_size", [0, 24])
def test_links_are_ways_and_lead_one_way_only_where_they_are_to(tile_size: int) -> None:
    query, left, right = over_links(settings=Settings(tile_size=tile_size)), [2, 0, 2], [36, 0, 8]
    there, back = (query.find_paths(a, b, exact=True) for a, b in ((left, right), (right, left)))
    funnel = query.find_paths(left, right)
    assert there.status[0] == PathStatus.COMPLETE and back.status[0] == PathStatus.PARTIAL
    assert there.points == pytest.approx(funnel.points, abs=1e-4) and there.flags.tolist() == funnel.flags.tolist()
    assert there.references.tolist() == funnel.references.tolist()
    assert there.polygons.tolist() == funnel.polygons.tolist()
    assert query.link_ids(there.polygons)[query.is_link(there.polygons)].tolist() == [7, 8]
    half = query.find_paths([22, 0, 5], left, exact=True)
    assert half.status[0] == PathStatus.COMPLETE and query.link_ids(half.polygons).max() == 7
    no_links = query.find_paths(left, right, QueryFilter(exclude=8), exact=True)
    assert no_links.status[0] == PathStatus.PARTIAL and not query.is_link(no_links.polygons).any()


def test_a_link_is_taken_where_it_is_shorter_and_no_more_where_it_costs_more() -> None:
    """A wall with a way around it, and a link through it."""
    wall = scenes.join([scenes.flat(20.0), scenes.box(9, 0, 3, 2, 3, 17)])
    link = {"start": [8, 0, 12], "end": [12, 0, 12], "radius": 1.0, "area": 5, "flags": 8, "id": 3}
    query = NavQuery(build_navmesh(*wall, links=[link]))
    cheap, dear = (query.find_paths([6, 0, 12], [14, 0, 12], costs, exact=True)
                   for costs in (QueryFilter(), QueryFilter({5: 50.0})))  # fmt: skip
    assert cheap.status.tolist() == dear.status.tolist() == [PathStatus.COMPLETE]
    assert cheap.length[0] == pytest.approx(8, abs=0.01) and query.is_link(cheap.polygons).sum() == 1
    assert dear.length[0] > 15 and not query.is_link(dear.polygons).any() and len(dear.points) == 5
    double = query.find_paths([6, 0, 12], [14, 0, 12], QueryFilter({5: 1.5}), exact=True)
    assert double.cost[0] == pytest.approx(4 + 4 * 1.5, abs=0.01)


def test_what_a_filter_keeps_out_is_a_wall() -> None:
    """A pond in the middle of a floor: around it, and straight through where water passes."""
    water = {"shape": "box", "area": 1, "min": [6, -1, 6], "max": [14, 3, 14]}
    query = NavQuery(build_navmesh(*scenes.flat(20.0), volumes=[water]))
    through = query.find_paths([3, 0, 10], [17, 0, 10], exact=True)
    around = query.find_paths([3, 0, 10], [17, 0, 10], QueryFilter(exclude=2), exact=True)
    funnel = query.find_paths([3, 0, 10], [17, 0, 10], QueryFilter(exclude=2))
    assert through.length[0] == pytest.approx(14, abs=1e-5) and len(through.points) == 2
    assert around.status[0] == PathStatus.COMPLETE and len(around.points) == 4
    assert 16 < around.length[0] <= funnel.length[0] + FLOAT
    assert query.find_paths([10, 0, 3], [10, 0, 17], QueryFilter(include=1), exact=True).length[0] > 16


def test_unequal_costs_are_refused_with_a_way_out() -> None:
    water = {"shape": "box", "area": 1, "min": [6, -1, 6], "max": [14, 3, 14]}
    query = NavQuery(build_navmesh(*scenes.flat(20.0), volumes=[water]))
    with pytest.raises(BadInput, match=r"costs 1 in area 0 and 10 in area 1.*exact=False") as refused:
        query.find_paths([3, 0, 10], [17, 0, 10], QueryFilter({1: 10.0}), exact=True)
    assert refused.value.code == "UNEQUAL_COSTS"
    equal = query.find_paths([3, 0, 10], [17, 0, 10], QueryFilter({0: 3.0, 1: 3.0}), exact=True)
    assert equal.cost[0] == pytest.approx(3 * equal.length[0])
    kept_out = query.find_paths([3, 0, 10], [17, 0, 10], QueryFilter({1: 10.0}, exclude=2), exact=True)
    assert kept_out.status[0] == PathStatus.COMPLETE, "what does not pass may cost what it likes"
    with pytest.raises(BadInput, match=r"links in area 5 costs 0\.5.*exact=False"):
        over_links().find_paths([2, 0, 2], [36, 0, 8], QueryFilter({5: 0.5}), exact=True)
    with pytest.raises(BadInput, match="crossings"):
        query.find_paths([3, 0, 10], [17, 0, 10], crossings="all", exact=True)
    with pytest.raises(BadInput, match="partial is 'far'"):
        query.find_paths([3, 0, 10], [17, 0, 10], partial="far", exact=True)


def test_rows_that_cannot_be_answered_say_why_and_harm_no_other() -> None:
    far = [500, 0, 500]
    starts = [[0.5, 0.4, 0.5], [np.nan, 0, 0], far, [0.5, 0.4, 0.5]]
    ends = [[5, 0.5, 2.5], [5, 0.5, 2.5], [5, 0.5, 2.5], far]
    paths = by_hand().find_paths(starts, ends, exact=True)
    assert [PathStatus(status).name for status in paths.status] == ["COMPLETE", "NOT_FINITE", "NO_START", "NO_END"]
    assert np.diff(paths.offsets).tolist() == [2, 0, 0, 0] and paths.polygons.tolist() == [256, 257, 321]
    assert paths.length[0] == pytest.approx(np.hypot(4.5, 2), abs=0.01)
    assert np.isnan(paths.missing[1:]).all() and (paths.detour_status[1:] == 1 << 31 | 8).all()
    assert len(by_hand().find_paths(np.zeros((0, 3)), np.zeros((0, 3)), exact=True).status) == 0
    nothing = NavQuery(build_navmesh(*scenes.flat(20.0))).find_paths([[1e30] * 3], [[0, 0, 0]], exact=True)
    assert nothing.status.tolist() == [PathStatus.NOT_FINITE]


def test_limits_that_are_asked_for_are_told() -> None:
    query, points = NavQuery(town(32)), random_points(400, 5)
    whole = query.find_paths(points[:200], points[200:], exact=True)
    few = query.find_paths(points[:200], points[200:], exact=True, max_nodes=8)
    out = few.status == PathStatus.OUT_OF_NODES
    assert out.sum() > 30 and (np.diff(few.offsets)[out] == 2).all() and (few.length[out] == 0).all()
    assert (few.detour_status[out] & (32 | 64) == 32 | 64).all() and not (whole.status == PathStatus.OUT_OF_NODES).any()
    cut = query.find_paths(points[:200], points[200:], exact=True, max_path=4)
    long = np.diff(whole.polygon_offsets) > 4
    assert long.sum() > 30 and (cut.status[long] == PathStatus.TRUNCATED).all()
    assert np.diff(cut.polygon_offsets).max() == 4 and (cut.detour_status[long] & 16 != 0).all()
    assert (cut.missing[long] > 0).all() and (cut.length[~long] == whole.length[~long]).all()
    short = query.find_paths(points[:200], points[200:], exact=True, max_points=2)
    bent = np.diff(whole.offsets) > 2
    assert bent.sum() > 30 and (short.status[bent] == PathStatus.TRUNCATED).all() and np.diff(short.offsets).max() == 2


def test_the_same_bytes_for_any_number_of_threads_and_one_row_as_in_a_batch() -> None:
    query, points = NavQuery(town(32)), random_points(1200, 1)
    one, three = (query.find_paths(points[:600], points[600:], exact=True, threads=threads) for threads in (1, 3))
    assert [a.tobytes() for a in one] == [b.tobytes() for b in three]
    for row in range(0, 600, 60):
        alone = query.find_paths(points[row], points[600 + row], exact=True)
        assert alone.points.tobytes() == line_of(one, row).tobytes()
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        query.find_paths(points[:600], points[600:], exact=True, progress=progress)


def test_start_and_end_in_one_polygon_or_at_one_place() -> None:
    path = by_hand().find_paths([0.5, 0.4, 0.5], [1, 0.4, 2], exact=True)
    assert path.polygons.tolist() == [256] and path.flags.tolist() == [1, 2]
    assert path.length[0] == pytest.approx(np.hypot(0.5, 1.5))
    same = by_hand().find_paths([0.5, 0.4, 0.5], [0.5, 0.4, 0.5], exact=True)
    assert same.length[0] == 0 and same.status[0] == PathStatus.COMPLETE


def test_no_point_twice() -> None:
    """A path from a corner of a wall, or to one, does not turn there a second time."""
    query = NavQuery(build_navmesh(*scenes.plaza(6)))
    corners = on_corners_and_edges(query, 400, 11)
    paths = query.find_paths(corners[:200], corners[200:], exact=True)
    steps = np.abs(np.diff(paths.points[:, ::2], axis=0)).max(axis=1)
    inside = paths.flags[:-1] & 2 == 0
    assert (np.diff(paths.offsets) > 2).sum() > 50 and steps[inside].min() > 1e-4


def test_floors_above_each_other_stay_apart() -> None:
    """From floor to floor of a spiral: the way leads around, never through the ceiling."""
    query = NavQuery(build_navmesh(*scenes.spiral(3.0)))
    points = query._mesh.outline[:, 0]
    low, high = points[points[:, 1].argmin()], points[points[:, 1].argmax()]
    path = query.find_paths(low, high, exact=True)
    assert path.status[0] == PathStatus.COMPLETE and len(path.points) > 20
    assert (np.diff(path.points[:, 1]) > -0.5).all()


@pytest.mark.parametrize(("seed", "repair", "tile_size"), [(62, True, 40), (47, False, 40)])
def test_floors_that_wind_around_one_corner(seed: int, repair: bool, tile_size: int) -> None:
    """Stairs and slabs whose ways turn at one corner by half a turn and more: as Detour, never longer."""
    settings = Settings(tile_size=tile_size, agent_radius=0.3, repair=repair, region_min_size=2)
    query = NavQuery(build_navmesh(*scenes.city(2, seed=seed), settings))
    starts, ends = pairs_in(scenes.city(2, seed=seed), 1500, 3)
    funnel, exact = query.find_paths(starts, ends, **NOWHERE), query.find_paths(starts, ends, exact=True)
    assert (exact.status == funnel.status).all()
    vertices = query._shortest.for_flags(0xFFFF, 0).mesh.vertices
    assert (vertices["wall_behind"] == np.arange(len(vertices))).any(), "there is such a corner"
    complete = exact.status == PathStatus.COMPLETE
    longer = length_from_above(exact) - length_from_above(funnel)
    assert (longer <= longest_gain(query, funnel, exact) + rounding_of(exact))[complete].all()


def test_polygons_without_area_are_crossed() -> None:
    """Where nothing is mended, some polygons are but a line."""
    mesh = scenes.snapped_soup(400, 261)
    query = NavQuery(build_navmesh(*mesh, Settings(agent_radius=0.3, repair=False, region_min_size=2)))
    starts, ends = pairs_in(mesh, 4000, 3)
    funnel, exact = query.find_paths(starts, ends, **NOWHERE), query.find_paths(starts, ends, exact=True)
    assert (exact.status == funnel.status).all()


def test_a_search_that_outgrows_its_room_begins_again_as_if_nothing_had_been() -> None:
    """The first of two equal rows makes room for more nodes, and the second finds it there."""
    mesh = scenes.city(10)
    query, rng = NavQuery(build_navmesh(*mesh, Settings(tile_size=64))), np.random.default_rng(3)
    points = rng.uniform(mesh[0].min(0), mesh[0].max(0), (3000, 3)).astype(np.float32)
    starts, ends = points[:1500], points[1500:]
    paths = query.find_paths(starts, ends, exact=True)
    large = np.flatnonzero((paths.status == PathStatus.PARTIAL) & (paths.expanded > 4096))
    assert len(large)
    for row in large.tolist():
        twice = query.find_paths(starts[[row, row]], ends[[row, row]], exact=True, threads=1)
        assert twice.length[0] == twice.length[1] == paths.length[row]
        assert twice.missing[0] == twice.missing[1] == paths.missing[row]
