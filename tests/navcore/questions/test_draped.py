"""Polygons as they lie on the ground: what is drawn of a corridor."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import Link, NavQuery, Settings, build_navmesh
from tests import scenes

LINK = Link(start=(4, 0, 4), end=(20, 0, 4))


@pytest.fixture(scope="module", params=[True, False])
def query(request: pytest.FixtureRequest) -> NavQuery:
    settings = Settings(tile_size=32, detail_mesh=request.param, detail_sample_distance=3.0)
    return NavQuery(build_navmesh(*scenes.terrain(80, rise=0.06), settings, links=[LINK]))


def ground_of(query: NavQuery) -> np.ndarray:
    return query.reachable_from(query.nearest((12, 2, 12), (2, 9, 2)).references).references


def test_triangles_cover_each_polygon(query: NavQuery) -> None:
    references = ground_of(query)
    ground = references[~query.is_link(references)]
    draped = query.draped(references)
    assert len(draped.offsets) == len(references) + 1 and np.diff(draped.offsets)[query.is_link(references)].sum() == 0
    outlines = query.outlines(ground)
    for number, (first, last) in enumerate(zip(outlines.offsets[:-1], outlines.offsets[1:], strict=True)):
        row = references.tolist().index(ground[number])
        triangles = draped.triangles[draped.offsets[row] : draped.offsets[row + 1]]
        assert seen_from_above(triangles).sum() == pytest.approx(area_of(outlines.points[first:last]), rel=1e-3)


def test_they_lie_where_heights_are(query: NavQuery) -> None:
    references = ground_of(query)
    references = references[~query.is_link(references)]
    draped = query.draped(references)
    owner = np.repeat(references, np.diff(draped.offsets))
    middles = draped.triangles.mean(axis=1)
    heights = query.heights(owner, middles).heights
    known = np.isfinite(heights)
    assert known.mean() > 0.95 and np.abs(heights[known] - middles[known, 1]).max() < 0.02


def test_what_is_no_polygon_has_none(query: NavQuery) -> None:
    draped = query.draped([0, 12345678])
    assert draped.offsets.tolist() == [0, 0, 0] and draped.triangles.shape == (0, 3, 3)


def seen_from_above(triangles: np.ndarray) -> np.ndarray:
    a, b, c = (triangles[:, k, ::2].astype(np.float64) for k in range(3))
    return np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2


def area_of(corners: np.ndarray) -> float:
    x, z = corners[:, 0].astype(np.float64), corners[:, 2].astype(np.float64)
    return float(abs((x * np.roll(z, -1) - np.roll(x, -1) * z).sum()) / 2)
