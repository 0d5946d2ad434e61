"""`partial="closest"` ends where the ground that can be reached comes closest to the end, in space."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from navcore import NavQuery, PathStatus, QueryFilter
from navcore.types import F64
from tests.navcore.navquery.plain_graph import Link, PlainGraph
from tests.navcore.navquery.query_examples import town
from tests.soak.queries import Draw, query_of

FILTERS = [QueryFilter(), QueryFilter(exclude=8), QueryFilter({1: 9.0}, include=0xFFFF, exclude=2)]
SEEDS = [1, 2, 8, 10, 11, 24, 26, 31, 41, 58]  # levels of the soak with links, most of which lead one way


@cache
def level(name: int | str) -> NavQuery:
    if isinstance(name, str):
        return NavQuery(town(32 if name == "tiles" else 0))
    query = query_of(name)
    assert query is not None
    return query


def closest(triangles: F64, point: F64) -> float:
    """How far the nearest of all points of the triangles is: inside, on an edge or at a corner of one."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    found = []
    for p, q in ((a, b), (b, c), (c, a)):
        way = q - p
        lengths = np.maximum((way**2).sum(axis=1), 1e-300)
        part = np.clip(((point - p) * way).sum(axis=1) / lengths, 0, 1)
        found.append(np.sqrt(((p + part[:, None] * way - point) ** 2).sum(axis=1)).min())
    normal = np.cross(b - a, c - a)
    size = np.sqrt((normal**2).sum(axis=1))
    flat = size > 1e-12
    normal, corners = normal[flat] / size[flat, None], triangles[flat]
    height = ((point - corners[:, 0]) * normal).sum(axis=1)
    foot = point - height[:, None] * normal
    inside = np.ones(len(corners), bool)
    for k in range(3):
        edge, way = corners[:, (k + 1) % 3] - corners[:, k], foot - corners[:, k]
        inside &= (np.cross(edge, way) * normal).sum(axis=1) >= 0
    return min(*found, np.abs(height[inside]).min(initial=np.inf))


def _everywhere(_polygon: int, _link: Link) -> bool:
    return True


@pytest.mark.parametrize("rule", FILTERS)
@pytest.mark.parametrize("name", ["town", "tiles", *SEEDS])
def test_no_point_that_can_be_reached_is_closer(name: int | str, rule: QueryFilter) -> None:
    """Links over which one comes, but not back, count as the way they lead; what the filter excludes does not."""
    query = level(name)
    graph, draw = PlainGraph(query, rule), Draw(query, 3)
    (first, here), (last, there) = draw.on_ground(80), draw.on_ground(80)
    found = query.find_corridors(first, last, here, there, rule, partial="closest", max_nodes=None)
    detour = query.find_corridors(first, last, here, there, rule, max_nodes=None)
    polygons, triangles = query._mesh.polygons, query._mesh.triangles.astype(np.float64)
    for row in np.flatnonzero(found.status == 1 << 30 | 64).tolist():
        reached = graph.flooded(graph.number(int(first[row])), _everywhere)
        assert graph.number(int(last[row])) not in reached
        ground = np.concatenate(
            [np.arange(polygons[p].first_triangle, polygons[p].end_triangle) for p in sorted(reached)]
        )
        if not len(ground):
            continue
        away = np.linalg.norm(found.aims[row].astype(np.float64) - there[row])
        assert away == pytest.approx(closest(triangles[ground], there[row].astype(np.float64)), rel=1e-5, abs=1e-4)
        own = graph.number(int(found.references[found.offsets[row + 1] - 1]))
        on_it = closest(
            triangles[polygons["first_triangle"][own] : polygons["end_triangle"][own]],
            found.aims[row].astype(np.float64),
        )
        assert on_it < 1e-4 * (1 + np.abs(found.aims[row]).max())
    same = found.status & 64 == 0
    assert (found.status[same] == detour.status[same]).all() and found.aims[same].tobytes() == detour.aims[
        same
    ].tobytes()


def test_there_is_something_to_see() -> None:
    """Many of the paths above are partial, and Detour's end farther away in a part of them."""
    partial = farther = 0
    for name in ("town", "tiles", *SEEDS):
        query = level(name)
        draw = Draw(query, 3)
        (first, here), (last, there) = draw.on_ground(80), draw.on_ground(80)
        ours, theirs = (
            query.find_corridors(first, last, here, there, partial=how, max_nodes=None) for how in ("closest", "detour")
        )
        rows = np.flatnonzero(ours.status == 1 << 30 | 64)
        rows = rows[~query.is_link(theirs.references[theirs.offsets[1:][rows] - 1])]  # Detour may end in the air
        gaps = [np.linalg.norm(each.aims[rows].astype(np.float64) - there[rows], axis=1) for each in (ours, theirs)]
        partial += len(rows)
        farther += int((gaps[1] > gaps[0] + 1e-3).sum())
        assert (gaps[0] <= gaps[1] + 1e-4).all()
    assert partial > 100 and farther > 20


def test_lines_end_there() -> None:
    query = NavQuery(town(32))
    draw = Draw(query, 5)
    paths = query.find_paths(draw.points(200), draw.points(200), partial="closest", max_nodes=None)
    partial = np.flatnonzero(paths.status == PathStatus.PARTIAL)
    assert len(partial) > 20
    ends = paths.points[paths.offsets[1:][partial] - 1]
    on = query.closest_points(paths.polygons[paths.polygon_offsets[1:][partial] - 1], ends)
    assert np.abs(on.points - ends)[:, [0, 2]].max() < 1e-3
