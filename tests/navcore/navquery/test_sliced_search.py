"""A search in slices finds what one in a piece finds; what is cut off and what is partial is as Detour says."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest

from navcore import BadInput, NavQuery, QueryFilter, Settings, build_navmesh
from navcore.navquery.sliced_search import SlicedSearch
from navcore.types import U32
from tests import scenes
from tests.navcore.navquery.plain_graph import Corner, PlainGraph
from tests.navcore.navquery.query_examples import by_hand, random_points, town
from tests.navcore.navquery.sliced_twin import Node, corridor

SUCCESS, IN_PROGRESS, INVALID = 1 << 30, 1 << 29, 1 << 31 | 8
BUFFER_TOO_SMALL, OUT_OF_NODES, PARTIAL = 16, 32, 64
FILTERS = [QueryFilter(), QueryFilter({1: 8.0, 0: 0.5}, exclude=8), QueryFilter({1: 3.0}, exclude=2)]


@cache
def level(name: str) -> NavQuery:
    if name == "spiral":
        return NavQuery(build_navmesh(*scenes.spiral(), Settings(tile_size=24)))
    return NavQuery(town(32 if name == "tiles" else 0))


def pairs(query: NavQuery, count: int, seed: int) -> list[tuple[int, int, list[float], list[float]]]:
    low, high = query._mesh.boxes[:, :3].min(), query._mesh.boxes[:, 3:].max()
    near = query.nearest(random_points(2 * count, seed, low, high))
    both = (near.references[:count] != 0) & (near.references[count:] != 0)
    ends = zip(near.references[:count], near.references[count:], near.points[:count], near.points[count:], strict=True)
    return [(int(a), int(b), p.tolist(), q.tolist()) for (a, b, p, q), found in zip(ends, both, strict=True) if found]


def finished(search: SlicedSearch, steps: int) -> SlicedSearch:
    while not search.done:
        assert 0 <= search.update(steps) <= steps
    return search


def plain(found: tuple[U32, np.uint32]) -> tuple[list[int], int]:
    return found[0].tolist(), int(found[1])


def straight(query: NavQuery, graph: PlainGraph, longest: float, whole: bool):
    """What a line crosses, as a ray says; Detour's ray ends with its first polygon, whichever floor that is on."""

    def line(parent: Node, node: Node, place: Corner, target: int) -> tuple[list[int], float] | None:
        if math.dist(parent.place, node.place) >= longest or (whole and graph.is_link[parent.polygon]):
            return None
        ray = query.raycast(int(graph.names.of_polygon[parent.polygon]), parent.place, place, graph.filter)
        crossed = graph.names.polygons(ray.references).tolist()
        arrives = (
            ray.parts[0] > 1
            and len(crossed)
            and (crossed[-1] in (node.polygon, target) if whole else len(crossed) == 1)
        )
        return (crossed, float(ray.costs[0])) if arrives else None

    return line


@pytest.mark.parametrize("any_angle", ["no", "detour", "yes"])
@pytest.mark.parametrize("rule", FILTERS)
@pytest.mark.parametrize("name", ["town", "tiles", "spiral"])
def test_the_twin_finds_the_same(name: str, rule: QueryFilter, any_angle: str) -> None:
    query = level(name)
    graph = PlainGraph(query, rule)
    line = straight(query, graph, 50 * 0.6, any_angle == "yes") if any_angle != "no" else None
    shortcuts = 0
    for start, end, here, there in pairs(query, 30, 11):
        search = query.sliced_search(start, end, here, there, rule, any_angle=any_angle)
        looked_at = 0
        while not search.done:
            looked_at += search.update(7)
        found, status = search.finalize(None)
        ends = graph.number(start), graph.number(end), tuple(here), tuple(there)
        twin, steps = corridor(graph, *ends, line)
        assert graph.names.polygons(found).tolist() == twin
        assert looked_at == steps or start == end
        assert (status & PARTIAL != 0) == (twin[-1] != graph.number(end))
        shortcuts += line is not None and twin != corridor(graph, *ends)[0]
        if any_angle == "yes":
            assert all(b in [link.target for link in graph.links[a]] for a, b in itertools.pairwise(twin))
    assert shortcuts > 0 if any_angle == "yes" and name == "tiles" else shortcuts == 0 or any_angle == "yes"


def test_no_corridor_is_longer_than_asked_for() -> None:
    """Where a ray fills the path exactly Recast writes one polygon more than there is room for."""
    query, cut = level("tiles"), 0
    for row in pairs(query, 30, 15):
        search = finished(query.sliced_search(*row, any_angle="yes"), 100)
        whole, _ = search.finalize(None)
        for most in range(1, len(whole) + 2):
            found, status = search.finalize(most)
            assert found.tolist() == whole[:most].tolist()
            assert (status & BUFFER_TOO_SMALL != 0) == (len(whole) >= most and row[0] != row[1])
            cut += len(found) < len(whole)
    assert cut > 50


@pytest.mark.parametrize("steps", [1, 3, 1000])
def test_how_it_is_sliced_changes_nothing(steps: int) -> None:
    query = NavQuery(town(32))
    for start, end, here, there in pairs(query, 40, 12):
        whole = finished(query.sliced_search(start, end, here, there), 10**9)
        search = finished(query.sliced_search(start, end, here, there), steps)
        assert search.finalize()[0].tolist() == whole.finalize()[0].tolist() and search.expanded == whole.expanded
        assert search.update() == 0 and search.status == SUCCESS


def test_as_find_corridors_in_one_piece() -> None:
    """Without tiles each polygon is one node in both."""
    query, asked = NavQuery(town(0)), pairs(NavQuery(town(0)), 200, 13)
    starts, ends, here, there = (np.array(column) for column in zip(*asked, strict=True))
    corridors = query.find_corridors(starts, ends, here, there, max_path=None)
    same = 0
    for row, (start, end, a, b) in enumerate(asked):
        found, status = finished(query.sliced_search(start, end, a, b), 50).finalize(None)
        whole = corridors.references[corridors.offsets[row] : corridors.offsets[row + 1]]
        # What has one parent with the node that leads to it is passed over: rarely another way is found.
        same += found.tolist() == whole.tolist() and status == corridors.status[row]
    assert same > 0.95 * len(asked) > 100


def test_searches_do_not_disturb_each_other() -> None:
    query = NavQuery(town(32))
    asked = pairs(query, 30, 14)
    searches = [query.sliced_search(*row) for row in asked]
    while not all(search.done for search in searches):
        for search in searches:
            search.update(2)
    for row, search in zip(asked, searches, strict=True):
        alone = finished(query.sliced_search(*row), 10**6)
        assert search.finalize()[0].tolist() == alone.finalize()[0].tolist()


def test_by_hand() -> None:
    query = by_hand()
    search = query.sliced_search(256, 321, [0.5, 0.4, 0.5], [5, 0.6, 2.5])
    assert not search.done and search.status == IN_PROGRESS and search.finalize()[0].tolist() == [256]
    assert search.update(1) == 1 and plain(search.finalize()) == ([256, 257], SUCCESS | PARTIAL)
    assert search.update() == 2 and search.done and search.status == SUCCESS
    assert plain(search.finalize()) == ([256, 257, 321], SUCCESS)
    assert search.finalize(4)[1] == SUCCESS and search.finalize(3)[1] == SUCCESS | BUFFER_TOO_SMALL
    assert plain(search.finalize(2)) == ([256, 257], SUCCESS | BUFFER_TOO_SMALL)


def test_along_a_path_that_is_there() -> None:
    """The last of its polygons that was reached is where the corridor ends; what names no polygon is passed over."""
    query = by_hand()
    search = finished(query.sliced_search(256, 321, [0.5, 0.4, 0.5], [5, 0.6, 2.5]), 10)
    assert plain(search.finalize_partial([256, 257, 999])) == ([256, 257], SUCCESS)
    assert plain(search.finalize_partial([999, 0])) == ([256, 257, 321], SUCCESS | PARTIAL)
    assert plain(search.finalize_partial([])) == ([256, 257, 321], SUCCESS | PARTIAL)
    assert search.finalize_partial([257, 321, 257])[0].tolist() == [256, 257]


def test_what_cannot_be_searched() -> None:
    query = by_hand()
    start, end = [0.5, 0.4, 0.5], [5, 0.6, 2.5]
    for row in (
        (999, 321, start, end),
        (256, 0, start, end),
        (256, 321, [np.nan, 0, 0], end),
        (256, 321, start, [0, 3e38, 0]),
    ):
        search = query.sliced_search(*row)
        assert search.done and search.status == INVALID and search.update() == 0
        references, status = search.finalize()
        assert len(references) == 0 and status == INVALID and search.finalize_partial([256])[1] == INVALID
    same = query.sliced_search(256, 256, start, [1, 0.4, 1])
    assert same.done and plain(same.finalize(1)) == ([256], SUCCESS)
    small = finished(query.sliced_search(256, 321, start, end, max_nodes=2), 5)
    assert small.status == SUCCESS | OUT_OF_NODES and small.finalize()[1] == SUCCESS | OUT_OF_NODES | PARTIAL
    with pytest.raises(BadInput, match="max_iterations is 0"):
        small.update(0)
    with pytest.raises(BadInput, match="end have 2 rows"):
        query.sliced_search(256, 321, start, [start, end])
    with pytest.raises(BadInput, match="start_reference have 1 rows"):
        query.sliced_search(256, 321, [start, end], end)
