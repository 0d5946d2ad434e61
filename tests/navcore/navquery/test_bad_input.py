"""Every question, asked with what cannot be answered: that row says so, and the others are answered as if alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from navcore import BadInput, NavQuery, PathStatus, QueryFilter, Settings, build_navmesh, read_navmesh
from navcore.formats.mset import mset_bytes
from navcore.types import F32
from tests import scenes
from tests.navcore.navquery.query_examples import by_hand

INVALID = 1 << 31 | 8
HERE, THERE = [0.5, 0.4, 0.5], [5.0, 0.5, 2.5]
SHAPE = np.array([[-1, 0, -1], [-1, 0, 1], [1, 0, 1]], np.float32)

Rows = tuple[list[int], F32]
BY_REFERENCE: dict[str, Callable[[NavQuery, Rows], Any]] = {
    "closest_points": lambda q, r: q.closest_points(*r),
    "boundary": lambda q, r: q.closest_points(*r, boundary=True),
    "heights": lambda q, r: q.heights(*r),
    "raycast": lambda q, r: q.raycast(*r, [THERE] * len(r[0])),
    "ray_to": lambda q, r: q.raycast([256] * len(r[0]), [HERE] * len(r[0]), r[1]),
    "move": lambda q, r: q.move_along_surface(*r, [THERE] * len(r[0])),
    "move_to": lambda q, r: q.move_along_surface([256] * len(r[0]), [HERE] * len(r[0]), r[1]),
    "distance_to_wall": lambda q, r: q.distance_to_wall(*r, 5),
    "polygons_around": lambda q, r: q.polygons_around(*r, 5),
    "polygons_around_shape": lambda q, r: q.polygons_around_shape(r[0], r[1][:, None] + SHAPE),
    "local_neighborhood": lambda q, r: q.local_neighborhood(*r, 5),
    "corridors_from": lambda q, r: q.find_corridors(r[0], [321] * len(r[0]), r[1], [THERE] * len(r[0])),
    "corridors_to": lambda q, r: q.find_corridors([256] * len(r[0]), r[0], [HERE] * len(r[0]), r[1]),
}
BY_POINT: dict[str, Callable[[NavQuery, F32], Any]] = {
    "nearest": lambda q, p: q.nearest(p),
    "polygons_in_box": lambda q, p: q.polygons_in_box(p),
    "find_paths": lambda q, p: q.find_paths(p, [THERE] * len(p)),
    "find_paths_to": lambda q, p: q.find_paths([HERE] * len(p), p),
}
NOT_FINITE = [np.nan, np.inf, -np.inf, 3e38, -1e19]
DEAD = [0, 1, 255, 258, 322, 384, 512, 256 + (1 << 31), 2**32 - 1, -1, 2**40]
"""Null, other salts, polygons and tiles that are not there, what no reference can be."""


def failed(answer: Any) -> list[bool]:
    status = answer.detour_status if hasattr(answer, "detour_status") else answer.status
    return (status == INVALID).tolist()


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("question", [*BY_REFERENCE, *BY_POINT])
def test_points_that_are_not_finite(question: str, axis: int) -> None:
    points = np.tile(np.array(HERE, np.float32), (len(NOT_FINITE) + 2, 1))
    points[1:-1, axis] = NOT_FINITE
    if question in BY_POINT:
        answer = BY_POINT[question](by_hand(), points)
    else:
        answer = BY_REFERENCE[question](by_hand(), ([256] * len(points), points))
    expected = [False] + [axis != 1 or question != "heights"] * len(NOT_FINITE) + [False]
    assert failed(answer) == expected
    if question.startswith("find_paths"):
        assert set(answer.status[1:-1].tolist()) == {PathStatus.NOT_FINITE}
    if hasattr(answer, "offsets"):
        assert np.diff(answer.offsets)[1:-1].max() == 0 < np.diff(answer.offsets)[[0, -1]].min()


@pytest.mark.parametrize("question", [name for name in BY_REFERENCE if name not in ("ray_to", "move_to")])
def test_references_that_are_dead(question: str) -> None:
    points = np.tile(np.array(HERE, np.float32), (len(DEAD) + 2, 1))
    answer = BY_REFERENCE[question](by_hand(), ([256, *DEAD, 256], points))
    assert failed(answer) == [False] + [True] * len(DEAD) + [False]


def test_what_takes_references_alone() -> None:
    segments = by_hand().wall_segments([256, *DEAD])
    assert failed(segments) == [False] + [True] * len(DEAD) and np.diff(segments.offsets)[1:].max() == 0
    assert by_hand().is_link(DEAD).tolist() == [False] * len(DEAD) and not by_hand().link_ids(DEAD).any()
    line = by_hand().straight_paths([HERE] * 2, [THERE] * 2, [0, 2, 4], [256, 257, 256, 999])
    assert failed(line) == [False, True]


@pytest.mark.parametrize(
    "shape",
    [
        np.zeros((0, 3)), [[0, 0, 0], [1, 0, 1]], [[0, 0, 0], [1, 0, 1], [2, 0, 2]], [[0, 0, 0]] * 3,
        [[0, 0, 0], [2, 0, 0], [2, 0, 2], [1.5, 0, 0.5]], [[0, 0, 0], [2, 0, 2], [2, 0, 0], [0, 0, 2]],
        [[0, 0, 0], [np.nan, 0, 0], [2, 0, 2]], [[0, 0, 0], [0, np.inf, 2], [2, 0, 2]],
        [[np.cos(a), 0, np.sin(a)] for a in np.arange(5) * 4 * np.pi / 5],
    ],
    ids=["nothing", "line", "flat", "point", "dent", "crossed", "nan", "inf", "star"],
)  # fmt: skip
def test_shapes_that_are_not_convex(shape: Any) -> None:
    around = by_hand().polygons_around_shape([256] * 3, [SHAPE, np.asarray(shape, np.float32), SHAPE])
    assert failed(around) == [False, True, False] and around.offsets.tolist() == [0, 1, 1, 2]


def test_shapes_that_are_none() -> None:
    query = by_hand()
    with pytest.raises(BadInput, match=r"shapes have the shape \(2,\)"):
        query.polygons_around_shape(256, [1.0, 2.0])
    with pytest.raises(BadInput, match=r"corners of a shape have the shape \(1, 2\)"):
        query.polygons_around_shape([256, 256], [SHAPE, [[1.0, 2.0]]])
    with pytest.raises(BadInput, match="corners of a shape are not numbers"):
        query.polygons_around_shape(256, "square")
    with pytest.raises(BadInput, match="references have 1 rows, and there are 2"):
        query.polygons_around_shape(256, [SHAPE, SHAPE])
    assert len(query.polygons_around_shape([], []).status) == 0


@pytest.mark.parametrize("cost", [-1.0, -1e-9, np.nan, np.inf, 1e39])
def test_negative_costs(cost: float) -> None:
    with pytest.raises(BadInput, match="Give a finite cost of 0 or more") as refused:
        QueryFilter({3: cost})
    assert refused.value.code == "BAD_FILTER"


@pytest.mark.parametrize("costs", [[1.0, 2.0], None, {1: "dear"}, {1: None}, {"1": 2.0}])
def test_costs_that_are_none(costs: Any) -> None:
    with pytest.raises(BadInput, match=r"Give what a metre costs|Give a finite cost|Areas are 0 to 63") as refused:
        QueryFilter(costs)
    assert refused.value.code == "BAD_FILTER"
    assert QueryFilter({1: np.float32(2), 2: np.int64(3), 3: True}).rule().costs[1:4].tolist() == [2, 3, 1]


BY_ONE_FILTER: dict[str, Callable[[NavQuery, Any], Any]] = {
    "distance_to_wall": lambda q, f: q.distance_to_wall(256, HERE, 3, f),
    "filter_of_size": lambda q, f: q.filter_of_size("ogre", f),
    "find_long_paths": lambda q, f: q.find_long_paths(HERE, THERE, f),
    "find_path": lambda q, f: q.find_path(HERE, THERE, f),
    "find_paths_to_many": lambda q, f: q.find_paths_to_many(HERE, [THERE], f),
    "is_valid": lambda q, f: q.is_valid(256, f),
    "islands": lambda q, f: q.islands(256, f),
    "narrowest": lambda q, f: q.narrowest(HERE, THERE, f),
    "polygons_around": lambda q, f: q.polygons_around(256, HERE, 3, f),
    "polygons_in_box": lambda q, f: q.polygons_in_box(HERE, (1, 1, 1), f),
    "random_points": lambda q, f: q.random_points(3, f),
    "reachable_from": lambda q, f: q.reachable_from(256, f),
}


@pytest.mark.parametrize("question", sorted(BY_ONE_FILTER))
def test_filters_that_are_none_or_too_many(question: str) -> None:
    for filters in ([QueryFilter(), QueryFilter()], {1: 5.0}):
        with pytest.raises(BadInput, match="Give one QueryFilter") as refused:
            BY_ONE_FILTER[question](by_hand(), filters)
        assert refused.value.code == "WRONG_QUESTION"


@pytest.mark.parametrize("place", [3.0, [3.0], "3", [[1, 0, 1]], (1, 2), (1, 2, 3, 4)])
def test_one_path_from_what_is_no_place(place: Any) -> None:
    """One number stood for all three."""
    for ends in ((place, THERE), (HERE, place)):
        with pytest.raises(BadInput, match="must be three numbers each") as refused:
            by_hand().find_path(*ends)
        assert refused.value.code == "WRONG_QUESTION"


def test_states_of_what_is_no_tile() -> None:
    query = by_hand()
    for reference in ("x", 2.5, None, 0, -3):
        with pytest.raises(BadInput, match="is no tile of this navmesh"):
            query.tile_state(reference)  # type: ignore[arg-type]
    for state in (None, 3, query.tile_state(256)._replace(areas=None)):
        with pytest.raises(BadInput, match="restore_tile_state takes what tile_state gave") as refused:
            query.restore_tile_state(state)  # type: ignore[arg-type]
        assert refused.value.code == "WRONG_KIND"


@pytest.mark.parametrize("extents", [(0, 1, 1), (1, 0, 1), (1, 1, -1), (1, 1, np.nan), (1, np.inf, 1), (1, 1), 1])
def test_extents_of_zero(extents: Any) -> None:
    query = by_hand()
    for ask in (query.nearest, query.polygons_in_box, lambda p, e: query.find_paths(p, p, extents=e)):
        with pytest.raises(BadInput, match="Give three finite numbers above 0") as refused:
            ask(HERE, extents)
        assert refused.value.code == "WRONG_QUESTION"


def empty_navmeshes() -> list[NavQuery]:
    """Without a tile, as built and as read."""
    built = build_navmesh(*scenes.flat(8.0), Settings(tile_size=16))
    whole = build_navmesh(*scenes.flat(8.0))
    file = read_navmesh(mset_bytes(built))
    return [NavQuery(replace(built, tiles=())), NavQuery(replace(whole, tiles=())), NavQuery(file._replace(tiles=()))]


@pytest.mark.parametrize("question", [*BY_REFERENCE, *BY_POINT])
def test_a_navmesh_without_polygons(question: str) -> None:
    points = np.tile(np.array(HERE, np.float32), (3, 1))
    for query in empty_navmeshes():
        if question in BY_REFERENCE:
            assert failed(BY_REFERENCE[question](query, ([256, 0, 321], points))) == [True] * 3
            continue
        answer = BY_POINT[question](query, points)
        if question.startswith("find_paths"):
            assert answer.status.tolist() == [PathStatus.NO_START] * 3
        else:
            assert not answer.references.any() and (answer.status == 1 << 30).all()


def test_what_else_an_empty_navmesh_is_asked() -> None:
    for query in empty_navmeshes():
        assert failed(query.wall_segments([256, 0])) == [True] * 2
        search = query.sliced_search(256, 321, HERE, THERE)
        assert search.done and search.status == INVALID and len(search.finalize()[0]) == 0
        assert failed(query.straight_paths([HERE], [THERE], [0, 1], [256])) == [True]
        assert query.random_points(2).status.tolist() == [1 << 31] * 2
        assert query.random_points(2, like_detour=True).status.tolist() == [1 << 31] * 2
        assert failed(query.random_points_around(2, 256, HERE, 3.0)) == [True] * 2
