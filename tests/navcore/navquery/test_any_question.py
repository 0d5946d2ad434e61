"""Whatever is asked of whatever level: few levels of the soak of questions, the same every time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from navcore import NavQuery
from tests.navcore.navquery.query_examples import by_hand, town
from tests.soak.queries import Draw, ask, query_of
from tests.soak.query_checks import sane, sane_line, sane_move, sane_points, sane_ray, sane_sliced

START, END = np.array([[0.5, 0.4, 0.5]], np.float32), np.array([[5, 0.6, 2.5]], np.float32)


@pytest.mark.parametrize("seed", [0, 2, 5, 8, 17, 24, 31, 145, 230])
def test_a_level_of_the_soak(seed: int) -> None:
    query = query_of(seed)
    assert query is not None
    told = list(ask(query, seed, 60))
    assert [(name, wrong) for name, _, wrong in told if wrong] == [] and len(told) == 25
    assert sum(rows for _, rows, _ in told) > 1200


def test_a_navmesh_without_polygons() -> None:
    query = NavQuery(replace(town(32), tiles=()))
    assert [(name, wrong) for name, _, wrong in ask(query, 1, 60) if wrong] == []


def test_the_same_number_asks_the_same() -> None:
    query = NavQuery(town(32))
    points = [Draw(query, seed).points(50).tobytes() for seed in (4, 4, 5)]
    assert points[0] == points[1] != points[2]


def test_wrong_answers_are_seen() -> None:
    query = by_hand()
    near = query.nearest(START)
    assert sane(query, near, 1) == [] == sane_points(query, near.references, near.points)
    assert sane(query, near, 2) and sane(query, near._replace(status=np.array([0], np.uint32)), 1)
    assert sane(query, near._replace(points=START * np.nan), 1) == ["points are not finite in item 0"]
    assert sane(query, near._replace(references=np.array([999], np.uint32)), 1) == ["references name no polygon"]
    assert sane_points(query, near.references, near.points - 3)
    box = query.polygons_in_box(START)
    assert sane(query, box, 1) == [] and sane(query, box._replace(offsets=box.offsets[::-1]), 1)


def test_ways_through_walls_are_seen() -> None:
    query = by_hand()
    paths = query.find_paths(START, END)
    assert sane_line(query, paths) == []
    through = np.array([START[0], [1.5, 0.4, 4.0], END[0]], np.float32)
    wrong = paths._replace(points=through, offsets=np.array([0, 3]), flags=np.zeros(3, np.uint8))
    assert sane_line(query, wrong) == ["row 0 leaves its corridor by 1 m"]
    assert sane_line(query, wrong._replace(flags=np.full(3, 4, np.uint8))) == []  # a link may
    rays = query.raycast([256], START, END)
    assert sane_ray(query, rays, [256], START, END) == []
    assert sane_ray(query, rays, [256], START, np.array([[5, 0.6, 11.5]])) == [
        "row 0: a ray ends 8.5 m beside its polygon"
    ]
    walk = query.move_along_surface([256], START, END)
    assert sane_move(query, walk, [256], START) == []
    assert sane_move(query, walk._replace(points=walk.points + 4), [256], START)


def test_searches_that_do_not_end_well_are_seen() -> None:
    search = by_hand().sliced_search(256, 321, START, END)
    assert sane_sliced(by_hand(), search, 2, None) == []
    search.finalize = lambda _most: (np.zeros(0, np.uint32), np.uint32(1 << 30))  # type: ignore[method-assign]
    assert sane_sliced(by_hand(), search, 2, None) == ["0 polygons with status 40000000"]
