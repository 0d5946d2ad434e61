"""Many rows at once: threads, rows that cannot be answered, links, filters, what is refused, cancelling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    Cancelled,
    NavQuery,
    PathStatus,
    Progress,
    QueryFilter,
    Settings,
    build_navmesh,
    read_navmesh,
)
from navcore.clearance.clearance_answers import NarrowestAt
from navcore.formats.mset import mset_bytes
from tests import scenes
from tests.navcore.clearance.levels import two_rooms
from tests.navcore.navquery.query_examples import random_points, town

INVALID = 1 << 31 | 8
LINK = {"start": [8, 0, 5], "end": [16, 0, 1.5], "radius": 1.0, "area": 5, "flags": 8, "id": 7, "bidirectional": False}


def same(ours: Any, theirs: Any) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True))


def plates() -> NavQuery:
    """Two squares of 10 m, their outermost cells ledges; a one-way link leads from the first to the second."""
    level = scenes.join([scenes.box(14.0 * k, -1, 0, 10, 1, 10) for k in range(2)])
    return NavQuery(build_navmesh(*level, Settings(), links=[LINK]))


@pytest.mark.parametrize("tile_size", [0, 32])
def test_the_same_bytes_for_any_number_of_threads(tile_size: int) -> None:
    points = random_points(600, 1)
    answers = []
    for threads in (1, 2, 5):
        query = NavQuery(town(tile_size))
        ways = query.narrowest(points[:300], points[300:], threads=threads)
        corridors = query.corridor_clearances(points[:300], points[300:], ways.offsets, ways.polygons, threads=threads)
        answers.append([*ways, *corridors, *query.polygon_clearances(threads=threads), *query.portals(threads=threads)])
    assert (answers[0][0] == PathStatus.COMPLETE).sum() > 100
    assert same(answers[0], answers[1]) and same(answers[0], answers[2])


def test_a_row_that_cannot_be_answered_says_why_and_harms_no_other() -> None:
    query, nan = plates(), np.nan
    starts = [[2, 0, 5], [nan, 0, 0], [90, 0, 90], [2, 0, 5], [22, 0, 5]]
    ends = [[8, 0, 5], [2, 0, 5], [2, 0, 5], [0, 90, 0], [2, 0, 5]]
    ways = query.narrowest(starts, ends)
    said = [PathStatus(status).name for status in ways.status]
    assert said == ["COMPLETE", "NOT_FINITE", "NO_START", "NO_END", "PARTIAL"]
    assert np.isfinite(ways.clearances[0]) and np.isnan(ways.clearances[1:]).all() and np.isnan(ways.points[1:]).all()
    assert np.diff(ways.offsets).tolist()[1:] == [0] * 4 and (ways.references[1:] == 0).all()
    near = query.nearest(starts[:1]).references
    stand = query.clearances([int(near[0]), 0], [[2, 0, 5]] * 2)
    assert stand.status.tolist() == [1 << 30, INVALID] and np.isnan(stand.clearances[1])
    dead = query.corridor_clearances(starts[:3], ends[:3], [0, 1, 2, 2], [int(near[0]), 0])
    assert dead.status.tolist() == [1 << 30, INVALID, INVALID] and np.isnan(dead.clearances[1:]).all()


def test_a_corridor_whose_polygons_do_not_touch_has_no_width() -> None:
    query = plates()
    near = query.nearest([[2, 0, 5], [22, 0, 5]]).references
    apart = query.corridor_clearances([[2, 0, 5]], [[22, 0, 5]], [0, 2], near)
    assert apart.status.tolist() == [INVALID] and np.isnan(apart.clearances).all()


def test_a_link_is_as_wide_as_the_room_at_its_ends() -> None:
    query = plates()
    there, back = query.narrowest([[4, 0, 5], [19, 0, 5]], [[19, 0, 5], [4, 0, 5]]).status.tolist()
    assert (there, back) == (PathStatus.COMPLETE, PathStatus.PARTIAL)
    way = query.narrowest([4, 0, 5], [19, 0, 5])
    assert way.narrowest_at.tolist() == [NarrowestAt.LINK] and query.is_link(way.polygons).sum() == 1
    assert way.clearances == pytest.approx(1.2, abs=0.02) and way.points[0] == pytest.approx([16, 0.2, 1.5], abs=0.31)


def test_no_wall_no_gap() -> None:
    query = plates()
    way = query.narrowest([3, 0, 4], [6, 0, 6])
    assert way.gaps.tolist() == [np.inf] and np.isnan(way.gap_points).all()
    assert way.narrowest_at.tolist() == [NarrowestAt.START] and way.clearances == pytest.approx(2.7, abs=0.02)


def test_a_filter_keeps_ways_out_of_polygons() -> None:
    water = {"shape": "box", "area": 1, "min": [12, -1, 9], "max": [12.9, 2, 12]}
    query = NavQuery(build_navmesh(*two_rooms([(5.1, 1.8), (9, 2.4)]), Settings(), volumes=[water]))
    asked = [3, 0, 6], [21, 0, 6]
    wide, narrow = query.narrowest(*asked), query.narrowest(*asked, QueryFilter(exclude=2))
    assert wide.gap_points[0, 2] > 9 and narrow.gap_points[0, 2] < 7 and wide.gaps > narrow.gaps


def test_what_is_refused_and_cancelled() -> None:
    query, progress = plates(), Progress()
    with pytest.raises(BadInput, match="ends have 2 rows"):
        query.narrowest([1, 0, 1], [[1, 0, 1]] * 2)
    with pytest.raises(BadInput, match="offsets do not cut"):
        query.corridor_clearances([1, 0, 1], [1, 0, 1], [0, 5], [1, 2])
    progress.cancel()
    with pytest.raises(Cancelled):
        query.narrowest([1, 0, 1], [1, 0, 1], progress=progress)


def test_no_rows_and_no_polygons() -> None:
    none = np.zeros((0, 3))
    assert len(plates().narrowest(none, none).status) == 0
    navmesh = build_navmesh(*scenes.flat(8.0), Settings(tile_size=16))
    empty = NavQuery(read_navmesh(mset_bytes(navmesh))._replace(tiles=()))
    assert empty.narrowest([1, 0, 1], [5, 0, 5]).status.tolist() == [PathStatus.NO_START]
    assert len(empty.polygon_clearances().status) == len(empty.portals().references) == 0


def test_links_have_no_clearance_of_their_own() -> None:
    query = plates()
    rooms = query.polygon_clearances()
    assert np.isnan(rooms.clearances).sum() == 1 and (rooms.status == INVALID).sum() == 1
    assert rooms.clearances[0] == pytest.approx(4.7, abs=0.1)
