"""Rows with filters of their own are answered as if each were asked alone with its filter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from navcore import BadInput, NavQuery, QueryFilter
from navcore.navquery.query_filter import QueryFilter as Filter
from tests.navcore.navquery.query_examples import by_hand, random_points, town

FILTERS = [QueryFilter(), QueryFilter({1: 10.0}, exclude=8), QueryFilter(include=2), QueryFilter({5: 0.5})]
COUNT = 240
WHICH = np.random.default_rng(1).integers(0, 3, COUNT)  # nobody has the last one


def _cut(answer: Any, row: int) -> list[list[Any]]:
    """What one row was answered."""
    found = []
    for name, values in zip(answer._fields, answer, strict=True):
        if name.endswith("offsets"):
            continue
        by = "polygon_offsets" if name == "polygons" else "offsets"
        long = name in ("references", "points", "flags", "polygons") and by in answer._fields
        cuts = getattr(answer, by)[row : row + 2] if long else (row, row + 1)
        found.append(values[cuts[0] : cuts[1]].tolist())
    return found


def test_as_if_each_was_asked_alone() -> None:
    query, points = NavQuery(town(32)), random_points(2 * COUNT, 21)
    here, there = points[:COUNT], points[COUNT:]
    near, far = query.nearest(here), query.nearest(there)

    def asked(filters: Filter | list[Filter], rows: Any, **more: Any) -> list[Any]:
        ends = near.references[rows], far.references[rows], near.points[rows], far.points[rows]
        return [
            query.nearest(here[rows], (2, 4, 2), filters, **more),
            query.find_paths(here[rows], there[rows], filters, partial="closest", crossings="areas", **more),
            query.find_corridors(*ends, filters, max_path=9, **more),
            query.raycast(ends[0], *ends[2:], filters, **more),
        ]

    for answer, *alone in zip(
        asked(FILTERS, slice(None), filter_of=WHICH), *(asked(own, slice(None)) for own in FILTERS), strict=True
    ):
        different = 0
        for row, which in enumerate(WHICH.tolist()):
            assert str(_cut(answer, row)) == str(_cut(alone[which], row))
            different += str(_cut(answer, row)) != str(_cut(alone[0], row))
        assert different > 20
        assert type(answer) is type(alone[0])
        assert all(a.dtype == b.dtype for a, b in zip(answer, alone[0], strict=True))
    none = asked(FILTERS, slice(0, 0), filter_of=[])
    assert [len(answer.status) for answer in none] == [0] * 4


def test_one_row() -> None:
    query = by_hand()
    path = query.find_paths([0.5, 0.4, 0.5], [5, 0.5, 2.5], [QueryFilter(), QueryFilter({0: 2.0})], filter_of=1)
    assert path.cost[0] == pytest.approx(2 * path.length[0])


def test_what_is_refused() -> None:
    query, two = by_hand(), np.zeros((2, 3))
    with pytest.raises(BadInput, match="Give one QueryFilter, or several and in filter_of"):
        query.nearest(two, filter=FILTERS)
    with pytest.raises(BadInput, match="Give one QueryFilter, or several and in filter_of"):
        query.nearest(two, filter_of=[0, 0])
    with pytest.raises(BadInput, match="no list of filters"):
        query.nearest(two, filter=[], filter_of=[0, 0])
    with pytest.raises(BadInput, match="no list of filters"):
        query.find_paths(two, two, [FILTERS[0], None], filter_of=[0, 0])  # type: ignore[list-item]
    with pytest.raises(BadInput, match="names filter 4, and there are 4"):
        query.raycast([256, 256], two, two, FILTERS, filter_of=[0, 4])
    with pytest.raises(BadInput, match="filter_of have 1 rows, and there are 2"):
        query.nearest(two, filter=FILTERS, filter_of=[0])
