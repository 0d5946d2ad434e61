"""Neighborhoods, walls, rays from links and what searches say of themselves, against twins of Detour's rules."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from navcore import NavMesh, NavQuery, QueryFilter, Settings, build_navmesh
from navcore.types import F32
from tests import scenes
from tests.navcore.navquery import detour_twin
from tests.navcore.navquery.query_examples import town

SUCCESS, INVALID, IN_PROGRESS, BUFFER_TOO_SMALL, PARTIAL = 1 << 30, 1 << 31 | 8, 1 << 29, 16, 64
LEVELS = ["town", "tiles", "tower", "spiral", "far away"]
FILTERS = [QueryFilter(), QueryFilter({1: 4.0, 5: 0.5}, exclude=2), QueryFilter({0: 2.0}, include=0xFFFF, exclude=8)]


@cache
def navmesh(name: str) -> NavMesh:
    if name in ("town", "tiles"):
        return town(32 if name == "tiles" else 0)
    vertices, triangles = scenes.tower(3) if name == "tower" else scenes.spiral()
    aside = np.array([900, 0, -700], np.float32) if name == "far away" else np.zeros(3, np.float32)
    return build_navmesh(vertices + aside, triangles, Settings(tile_size=24))


@cache
def level(name: str) -> NavQuery:
    return NavQuery(navmesh(name))


def places(query: NavQuery, count: int, seed: int) -> tuple[list[int], F32]:
    """On the ground, and on some links."""
    found = query.random_points(count, seed=seed)
    every = query._names.of_polygon
    links = every[query.is_link(every)][:10]
    middles = query.outlines(links).points.reshape(-1, 2, 3).mean(axis=1, dtype=np.float32)
    return [*found.references.tolist(), *links.tolist()], np.concatenate([found.points, middles])


@pytest.mark.parametrize("rule", FILTERS)
@pytest.mark.parametrize("name", LEVELS)
def test_the_local_neighborhood(name: str, rule: QueryFilter) -> None:
    query = level(name)
    plain, (references, points) = detour_twin.Plain(query, rule), places(query, 40, 4)
    numbers = query._names.polygons(np.array(references))
    for radius, most in ((6.0, None), (25.0, 12)):
        found = query.local_neighborhood(references, points, radius, rule, max_polygons=most)
        for row, start in enumerate(numbers.tolist()):
            part = slice(found.offsets[row], found.offsets[row + 1])
            twin, full = detour_twin.neighborhood(plain, start, points[row], radius, most or 2**62)
            ours = zip(
                *(query._names.polygons(n[part]).tolist() for n in (found.references, found.parents)), strict=True
            )
            assert list(ours) == twin
            assert found.status[row] == SUCCESS | (BUFFER_TOO_SMALL if full else 0)


def test_where_detour_and_the_sound_neighborhood_part() -> None:
    """Far from the origin Detour takes neighbors for polygons above each other; the other one stays as it is."""
    query, radius = level("spiral"), 6.0
    there = level("far away")
    _, points = places(query, 40, 4)
    aside = points + np.array([900, 0, -700], np.float32)
    again = there.nearest(aside).references
    assert len(there.local_neighborhood(again, aside, radius).references) < len(
        there.flat_neighborhood(again, aside, radius).references
    )
    wide = NavQuery(build_navmesh(*scenes.city(4, 40), Settings(tile_size=32)))
    start, point = wide.random_points(1, seed=1)[:2]
    assert len(wide.local_neighborhood(start, point, 90.0, max_polygons=None).references) <= 64
    assert len(wide.flat_neighborhood(start, point, 90.0, max_polygons=None).references) > 64


@pytest.mark.parametrize("portals", [False, True])
@pytest.mark.parametrize("rule", FILTERS)
@pytest.mark.parametrize("name", [*LEVELS, "overlapping"])
def test_the_walls_of_polygons(name: str, rule: QueryFilter, portals: bool) -> None:
    query = overlapping() if name == "overlapping" else level(name)
    plain = detour_twin.Plain(query, rule)
    every = query._names.of_polygon
    found = query.wall_segments(every, rule, portals=portals)
    few = query.wall_segments(every, rule, portals=portals, max_segments=2)
    backwards = 0
    for polygon in range(len(every)):
        part = slice(found.offsets[polygon], found.offsets[polygon + 1])
        twin = detour_twin.walls(plain, polygon, portals)
        assert query._names.polygons(found.references[part]).tolist() == [behind for _, behind in twin]
        ends = np.array([ends for ends, _ in twin], np.float32).reshape(-1, 2, 3)
        assert found.segments[part].tobytes() == ends.tobytes()
        assert few.segments[few.offsets[polygon] : few.offsets[polygon + 1]].tobytes() == ends[:2].tobytes()
        assert few.status[polygon] == SUCCESS | (BUFFER_TOO_SMALL if len(twin) > 2 else 0)
        backwards += sum(lengths_turn(plain.corners[polygon], ends))
    assert name != "overlapping" or backwards > 0


def lengths_turn(corners: F32, segments: F32) -> list[bool]:
    """Which segments lead against the edge that they lie on."""
    turned = []
    for a, b in segments.astype(float):
        edges = [(p, q) for p, q in zip(corners.astype(float), np.roll(corners, -1, 0).astype(float), strict=True)]
        on = min(edges, key=lambda e: np.linalg.norm(a - e[0]) + np.linalg.norm(a - e[1]) - np.linalg.norm(e[1] - e[0])
                 + np.linalg.norm(b - e[0]) + np.linalg.norm(b - e[1]) - np.linalg.norm(e[1] - e[0]))  # fmt: skip
        turned.append(bool((b - a) @ (on[1] - on[0]) < 0))
    return turned


@cache
def overlapping() -> NavQuery:
    """Links along borders that begin and end anywhere, as those of floors that lie over each other may."""
    query, rng = NavQuery(navmesh("tiles")), np.random.default_rng(8)
    links = query._mesh.links.copy()
    ends = np.sort(rng.integers(0, 256, (len(links), 2)), axis=1)
    links["low"], links["high"] = ends.T
    query._mesh = query._mesh._replace(links=links)
    return query


@pytest.mark.parametrize("name", ["town", "tiles"])
def test_rays_from_links(name: str) -> None:
    """They leave over an edge into the ground that is linked at that end."""
    query, rule = level(name), QueryFilter()
    plain, every = detour_twin.Plain(query, rule), query._names.of_polygon
    links = np.repeat(every[query.is_link(every)], 40)
    ends = query.outlines(links).points.reshape(-1, 2, 3)
    rng = np.random.default_rng(6)
    starts = ends[np.arange(len(ends)), rng.integers(0, 2, len(ends))]
    aims = (starts + rng.uniform(-6, 6, starts.shape)).astype(np.float32)
    along = rng.random(len(ends)) < 0.5  # half of them along the link, or on beyond one of its ends
    aims[along] = (ends[along, 0] + (ends[along, 1] - ends[along, 0]) * rng.uniform(-1, 2, (along.sum(), 1))).astype(
        np.float32
    )
    found = query.raycast(links, starts, aims, rule)
    longest = 0
    for row, start in enumerate(query._names.polygons(links).tolist()):
        crossed, part, edge = detour_twin.ray(plain, start, starts[row], aims[row])
        references = found.references[found.offsets[row] : found.offsets[row + 1]]
        assert query._names.polygons(references).tolist() == crossed
        assert found.parts[row] == part and found.edges[row] == edge
        longest = max(longest, len(crossed))
    assert longest > 1


def test_a_ray_that_comes_from_nowhere_fails() -> None:
    query = level("tiles")
    near = query.random_points(3, seed=2)
    before = [0, int(near.references[0]), 99]
    rays = query.raycast(near.references, near.points, near.points + 1, previous_references=before)
    plain = query.raycast(near.references, near.points, near.points + 1)
    assert rays.status.tolist() == [*plain.status[:2].tolist(), INVALID] and rays.offsets[2] == rays.offsets[3]
    assert rays.costs[:2].tolist() == plain.costs[:2].tolist()
    filters = query.raycast(
        near.references, near.points, near.points + 1, [QueryFilter()], filter_of=[0, 0, 0], previous_references=before
    )
    assert filters.status.tolist() == rays.status.tolist()


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5, 256])
def test_a_line_never_has_more_points_than_asked_for(most: int) -> None:
    """Where a corridor breaks off Recast writes one more than there is room for."""
    query = level("tiles")
    points = query.random_points(400, seed=7)
    a, b = slice(0, 200), slice(200, 400)
    way = query.find_corridors(points.references[a], points.references[b], points.points[a], points.points[b])
    broken, offsets = [], [0]
    rng = np.random.default_rng(7)
    for row in range(200):
        corridor = way.references[way.offsets[row] : way.offsets[row + 1]].tolist()
        if len(corridor) > 2:
            del corridor[rng.integers(1, len(corridor) - 1)]
        broken += corridor
        offsets.append(len(broken))
    for crossings in ("none", "areas", "all"):
        ask = {"crossings": crossings, "max_points": most}
        line = query.straight_paths(points.points[a], points.points[b], offsets, broken, **ask)
        whole = query.straight_paths(
            points.points[a], points.points[b], offsets, broken, crossings=crossings, max_points=None
        )
        assert np.diff(line.offsets).max() <= most
        for row in range(200):
            part, rest = (w.points[w.offsets[row] : w.offsets[row + 1]] for w in (line, whole))
            assert part.tobytes() == rest[: len(part)].tobytes()
            assert (line.status[row] & BUFFER_TOO_SMALL != 0) == (len(rest) >= most)
        assert (whole.status & PARTIAL != 0).sum() > 50


def test_a_corridor_with_a_dead_polygon_fails() -> None:
    """Recast pulls a line as far as the polygon before it."""
    query = level("tiles")
    points = query.random_points(60, seed=9)
    a, b = slice(0, 30), slice(30, 60)
    way = query.find_corridors(points.references[a], points.references[b], points.points[a], points.points[b])
    row = int(np.argmax(np.diff(way.offsets)))
    corridor = way.references[way.offsets[row] : way.offsets[row + 1]].copy()
    assert len(corridor) > 2
    ends = points.points[a][row : row + 1], way.aims[row : row + 1], [0, len(corridor)]
    assert query.straight_paths(*ends, corridor).status[0] == SUCCESS
    corridor[len(corridor) // 2] += 1 << 22  # another salt
    line = query.straight_paths(*ends, corridor)
    assert line.status[0] == INVALID and len(line.points) == 0


def test_a_search_is_over_in_the_call_that_looks_at_the_last_node() -> None:
    query = level("tiles")
    near = query.random_points(60, seed=3)
    alone = QueryFilter(include=0x8000)  # nobody passes: only the start is looked at
    search = query.sliced_search(near.references[0], near.references[1], near.points[0], near.points[1], alone)
    assert search.status == IN_PROGRESS and search.update(1) == 1
    assert search.done and search.status == SUCCESS
    for start, end in zip(range(30), range(30, 60), strict=True):
        ends = near.references[start], near.references[end], near.points[start], near.points[end]
        search = query.sliced_search(*ends)
        while not search.done:
            search.update(1)
        steps = query.sliced_search(*ends)
        count = steps.update(10**6)
        again = query.sliced_search(*ends)
        assert steps.done and (again.update(count) if count else 0) == count and again.done
        corridor, _ = steps.finalize(None)
        first, was = steps.finalize_partial(corridor[:1], None)
        assert first.tolist() == corridor[:1].tolist() and not was & PARTIAL
        nothing, was = steps.finalize_partial([], None)
        assert nothing.tolist() == corridor.tolist() and (was & PARTIAL != 0) == (ends[0] != ends[1])
