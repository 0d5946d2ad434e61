"""Many questions at once: any number of threads, rows that cannot be answered, what is refused, cancelling."""

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
from navcore.formats.mset import mset_bytes
from navcore.questions.question_files import Questions, answers_to
from tests import scenes
from tests.navcore.navquery.query_examples import by_hand, random_points, town

INVALID = 1 << 31 | 8


def same(ours: Any, theirs: Any) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("tile_size", [0, 32])
def test_the_same_bytes_for_any_number_of_threads_and_for_the_file(tile_size: int) -> None:
    query = NavQuery(town(tile_size))
    read = NavQuery(read_navmesh(mset_bytes(town(tile_size))))
    points = random_points(1200, 1)
    costs = QueryFilter({1: 10.0, 5: 1.5})
    asked = Questions(points[:600], points[600:], np.array([2, 4, 2]), costs, 2048, 256)
    one = answers_to(query, asked, threads=1)
    assert one["path_refs"].size > 1000 and (one["start_ref"] == 0).any()
    for other in (answers_to(query, asked, threads=2), answers_to(query, asked, threads=5), answers_to(read, asked)):
        assert list(one) == list(other) and same(one.values(), other.values())
    paths = [query.find_paths(points[:600], points[600:], costs, threads=threads) for threads in (1, 3)]
    assert same(*paths)


def test_one_row_is_answered_as_in_a_batch() -> None:
    query, points = NavQuery(town()), random_points(60, 2)
    paths = query.find_paths(points[:30], points[30:])
    for row in range(30):
        alone = query.find_paths(points[row], points[30 + row])
        part = slice(paths.offsets[row], paths.offsets[row + 1])
        assert alone.points.tolist() == paths.points[part].tolist() and alone.status[0] == paths.status[row]


def test_a_row_that_cannot_be_answered_says_why_and_harms_no_other() -> None:
    nan, far = np.nan, [500, 0, 500]
    starts = [[0.5, 0.4, 0.5], [nan, 0, 0], far, [0.5, 0.4, 0.5], [0.5, 0.4, 0.5], [-3e38, 0, 3e38]]
    ends = [[5, 0.5, 2.5], [5, 0.5, 2.5], [5, 0.5, 2.5], far, [5, np.inf, 2.5], [5, 0.5, 2.5]]
    paths = by_hand().find_paths(starts, ends)
    said = [PathStatus(status).name for status in paths.status]
    assert said == ["COMPLETE", "NOT_FINITE", "NO_START", "NO_END", "NOT_FINITE", "NOT_FINITE"]
    assert np.diff(paths.offsets).tolist()[1:] == [0] * 5 and (paths.detour_status[1:] == INVALID).all()
    assert paths.missing[0] == 0 and np.isnan(paths.missing[1:]).all()
    near = by_hand().nearest(starts)
    assert near.references.tolist() == [256, 0, 0, 256, 256, 0] and near.status[1] == INVALID


@pytest.mark.parametrize("dead", [0, 1, 258, 322, 384, 512, 256 + (1 << 31), 2**32 - 1])
def test_references_that_name_no_polygon(dead: int) -> None:
    """Null, another salt, a polygon or a tile that is not there."""
    query, here, there = by_hand(), [[0.5, 0.4, 0.5]] * 2, [[5, 0.5, 2.5]] * 2
    asked = [dead, 256]
    answers = [
        query.closest_points(asked, here), query.heights(asked, here), query.raycast(asked, here, there),
        query.move_along_surface(asked, here, there), query.distance_to_wall(asked, here, 5),
        query.polygons_around(asked, here, 5), query.find_corridors(asked, [256, 321], here, there),
    ]  # fmt: skip
    assert [answer.status[0] == INVALID and answer.status[1] != INVALID for answer in answers] == [True] * 7
    corridor = query.straight_paths(here[:1], there[:1], [0, 2], [256, dead])
    assert corridor.status.tolist() == [INVALID] and len(corridor.points) == 0


def test_what_is_refused() -> None:
    query, point = by_hand(), [0.5, 0.4, 0.5]
    with pytest.raises(BadInput, match=r"points have the shape \(1, 2\)"):
        query.nearest([[1, 2]])
    with pytest.raises(BadInput, match="extents are"):
        query.nearest(point, (1, 0, 1))
    with pytest.raises(BadInput, match="ends have 2 rows, and there are 1 questions"):
        query.find_paths(point, [point, point])
    with pytest.raises(BadInput, match="Choose one of detour, closest"):
        query.find_paths(point, point, partial="nearest")
    with pytest.raises(BadInput, match="max_nodes is 0"):
        query.find_paths(point, point, max_nodes=0)
    with pytest.raises(BadInput, match="radius is -1"):
        query.distance_to_wall(256, point, -1)
    with pytest.raises(BadInput, match="references are not whole numbers"):
        query.heights([256.5], [point])
    with pytest.raises(BadInput, match="offsets do not cut"):
        query.straight_paths(point, point, [0, 3], [256, 257])
    with pytest.raises(BadInput, match="NavQuery takes a navmesh"):
        NavQuery("level.bin")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given", [{"costs": {1: -1}}, {"costs": {64: 1}}, {"costs": {1: np.nan}}, {"include": -1}, {"exclude": 1 << 16}]
)
def test_filters_that_are_not_possible(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as refused:
        QueryFilter(**given)
    assert refused.value.code == "BAD_FILTER"


def test_cancelling() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        by_hand().nearest(random_points(10, 1), progress=progress)


def test_no_rows_and_no_polygons() -> None:
    assert len(by_hand().find_paths(np.zeros((0, 3)), np.zeros((0, 3))).status) == 0
    navmesh = build_navmesh(*scenes.flat(8.0), Settings(tile_size=16))
    empty = NavQuery(read_navmesh(mset_bytes(navmesh))._replace(tiles=()))
    assert empty.find_paths([1, 0, 1], [5, 0, 5]).status.tolist() == [PathStatus.NO_START]
    assert empty.heights([256], [[1, 0, 1]]).status.tolist() == [INVALID]
