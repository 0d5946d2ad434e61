"""What lies around a point, against brute force: walls, shapes, neighborhoods, pieces of outlines."""

from __future__ import annotations

import heapq
import math
from collections import deque
from functools import cache

import numpy as np
import pytest

from navcore import NavQuery, QueryFilter, Settings, build_navmesh
from navcore.navquery.answers import WallSegments
from navcore.navquery.batches import in_pieces, offsets_of, row_counts
from navcore.navquery.kernels.wall_segments import segment_rows
from navcore.navquery.query_mesh import BORDER, WALL
from navcore.types import F32
from tests import scenes
from tests.navcore.navquery.plain_graph import PlainGraph, area, clipped, inside, to_segment
from tests.navcore.navquery.query_examples import by_hand, town

SUCCESS, INVALID, BUFFER_TOO_SMALL = 1 << 30, 1 << 31 | 8, 16
LEVELS = ["town", "tiles", "tower", "spiral"]
FILTERS = [QueryFilter(), QueryFilter({1: 4.0, 5: 0.5}, exclude=2), QueryFilter({0: 2.0}, include=0xFFFF, exclude=8)]


@cache
def level(name: str) -> NavQuery:
    if name in ("town", "tiles"):
        return NavQuery(town(32 if name == "tiles" else 0))
    mesh = scenes.tower(3) if name == "tower" else scenes.spiral()
    return NavQuery(build_navmesh(*mesh, Settings(tile_size=24)))


def places(query: NavQuery, count: int, seed: int) -> tuple[list[int], F32]:
    found = query.random_points(count, seed=seed)
    return found.references.tolist(), found.points


def _walls(graph: PlainGraph, polygon: int) -> list[int]:
    """Edges that nobody passes; on a border the first link across an edge decides."""
    found = []
    for edge, across in enumerate(graph.neighbors[polygon]):
        if across == BORDER:
            behind = [link.target for link in graph.links[polygon] if link.edge == edge]
            across = behind[0] if behind else WALL
        if across == WALL or not graph.passes[across]:
            found.append(edge)
    return found


@pytest.mark.parametrize("rule", FILTERS)
@pytest.mark.parametrize("name", LEVELS)
def test_the_distance_to_the_wall(name: str, rule: QueryFilter) -> None:
    """Of all polygons that edges within the radius lead to, none has a nearer wall."""
    query, radius = level(name), 3.0
    graph, (references, points) = PlainGraph(query, rule), places(query, 60, 1)
    found = query.distance_to_wall(references, points, radius, rule)
    hits = 0
    for row, reference in enumerate(references):
        point = tuple(map(float, points[row]))

        def nearest(within: float, point=point, reference=reference) -> float:
            def leads(polygon, link) -> bool:
                return (
                    not graph.is_link[link.target] and to_segment(point, *graph.edge(polygon, link.edge))[0] <= within
                )

            ground = graph.flooded(graph.number(reference), leads)
            away = [to_segment(point, *graph.edge(p, e))[0] for p in ground for e in _walls(graph, p)]
            return min([radius, *away])

        assert nearest(radius) - 1e-4 <= found.distances[row] <= nearest(float(found.distances[row])) + 1e-4
        assert found.distances[row] == pytest.approx(nearest(radius), abs=1e-4)
        if found.hit[row]:
            hits += 1
            away = points[row].astype(float) - found.points[row]
            assert math.hypot(away[0], away[2]) == pytest.approx(found.distances[row], abs=1e-4)
            if found.distances[row] > 0.01:
                assert found.normals[row] == pytest.approx(away / np.linalg.norm(away), abs=1e-3)
        else:
            assert found.distances[row] == radius
    assert hits > 20


@pytest.mark.parametrize("name", LEVELS)
def test_the_closest_point_of_an_outline(name: str) -> None:
    query = level(name)
    graph, (references, points) = PlainGraph(query), places(query, 100, 2)
    points = points + np.random.default_rng(2).uniform(-4, 4, points.shape).astype(np.float32)
    found = query.closest_points(references, points, boundary=True)
    outside = 0
    for row, reference in enumerate(references):
        corners, point = graph.corners[graph.number(reference)], tuple(map(float, points[row]))
        if inside(point, corners) > 1e-5:
            assert found.points[row].tolist() == points[row].tolist()
        elif inside(point, corners) < -1e-5:
            outside += 1
            on_edges = [to_segment(point, a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
            away, place = min(on_edges)
            assert math.hypot(*(found.points[row] - points[row])[::2].tolist()) == pytest.approx(away, abs=1e-4)
            assert found.points[row] == pytest.approx(place, abs=1e-3)
    assert outside > 50


def _dijkstra(graph: PlainGraph, start: int, center, touches) -> dict[int, tuple[float, int]]:
    """Of each polygon the cost of the way there, by the middle of what is shared where it is first seen; from where."""
    places, best, done = {start: center}, {start: (0.0, -1)}, set()
    waiting = [(0.0, start)]
    while waiting:
        cost, polygon = heapq.heappop(waiting)
        if polygon in done:
            continue
        done.add(polygon)
        for link in graph.links[polygon]:
            if link.target in done or not graph.passes[link.target] or not touches(link):
                continue
            middle = tuple((a + b) / 2 for a, b in zip(link.left, link.right, strict=True))
            place = places.setdefault(link.target, middle)
            way = cost + math.dist(places[polygon], place) * graph.filter.costs.get(graph.areas[polygon], 1.0)
            if way < best.get(link.target, (math.inf, 0))[0]:
                best[link.target] = way, polygon
                heapq.heappush(waiting, (way, link.target))
    return best


def _margin(link, corners) -> float:
    """How far what polygons share reaches into a shape; below 0: how far it stays away."""
    low, high = 0.0, 1.0  # the depth has one summit along a line

    def depth(t: float) -> float:
        return inside(tuple(a + (b - a) * t for a, b in zip(link.left, link.right, strict=True)), corners)

    for _ in range(80):
        third = (high - low) / 3
        low, high = (low + third, high) if depth(low + third) < depth(high - third) else (low, high - third)
    return depth(low)


@pytest.mark.parametrize("rule", FILTERS)
@pytest.mark.parametrize("name", LEVELS)
def test_polygons_around_a_shape(name: str, rule: QueryFilter) -> None:
    query = level(name)
    graph, (references, points) = PlainGraph(query, rule), places(query, 30, 3)
    rng = np.random.default_rng(3)
    shapes = []
    for row, point in enumerate(points.astype(float)):
        angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 8)))[:: 1 if row % 2 else -1]
        ring = np.stack([np.cos(angles), rng.uniform(-0.1, 0.1, len(angles)), np.sin(angles)], axis=1)
        shapes.append((point + ring * rng.uniform(1, 6)).astype(np.float32))
    found = query.polygons_around_shape(references, shapes, rule, max_polygons=None)
    assert (found.status == SUCCESS).all() and np.diff(found.offsets).max() > 2
    for row, reference in enumerate(references):
        part = slice(found.offsets[row], found.offsets[row + 1])
        ours = dict(zip(graph.names.polygons(found.references[part]).tolist(), found.costs[part].tolist(), strict=True))
        corners = [tuple(map(float, corner)) for corner in shapes[row]][:: 1 if row % 2 == 0 else -1]
        assert area(corners) > 0 and inside(tuple(np.mean(corners, axis=0)), corners) > 0
        twin = _dijkstra(
            graph,
            graph.number(reference),
            tuple(np.mean(shapes[row].astype(float), axis=0)),
            lambda link, c=corners: _margin(link, c) >= 0,
        )
        assert set(ours) == set(twin)
        assert all(ours[polygon] == pytest.approx(twin[polygon][0], rel=1e-4, abs=1e-4) for polygon in twin)
        assert np.all(np.diff(found.costs[part]) >= 0)


def _neighborhood(graph: PlainGraph, start: int, center, radius: float) -> list[tuple[int, int]]:
    """Breadth first; what shares more than a sliver of ground with what is there, and no edge, stays out."""
    found, seen, waiting = [(start, -1)], {start}, deque([start])
    while waiting:
        polygon = waiting.popleft()
        for link in graph.links[polygon]:
            new = link.target
            if (
                new in seen
                or graph.is_link[new]
                or not graph.passes[new]
                or to_segment(center, link.left, link.right)[0] > radius
            ):
                continue
            seen.add(new)
            beside = {link.target for link in graph.links[new]}
            if any(
                area(clipped(graph.corners[new], graph.corners[old])) > 1e-3 for old, _ in found if old not in beside
            ):
                continue
            found.append((new, polygon))
            waiting.append(new)
    return found


@pytest.mark.parametrize("rule", FILTERS)
@pytest.mark.parametrize("name", LEVELS)
def test_the_flat_neighborhood(name: str, rule: QueryFilter) -> None:
    query, radius = level(name), 6.0
    graph, (references, points) = PlainGraph(query, rule), places(query, 60, 4)
    found = query.flat_neighborhood(references, points, radius, rule, max_polygons=None)
    left_out = 0
    for row, reference in enumerate(references):
        part = slice(found.offsets[row], found.offsets[row + 1])
        center = tuple(map(float, points[row]))
        twin = _neighborhood(graph, graph.number(reference), center, radius)
        assert graph.names.polygons(found.references[part]).tolist() == [polygon for polygon, _ in twin]
        assert graph.names.polygons(found.parents[part]).tolist() == [parent for _, parent in twin]
        left_out += len(
            query.polygons_around(reference, points[row], radius, rule, max_polygons=None).references
        ) > len(twin)
    assert left_out > 0 if name == "spiral" else len(found.references) > 60
    few = query.flat_neighborhood(references, points, radius, rule, max_polygons=2)
    assert np.diff(few.offsets).max() == 2
    assert (few.status == np.where(np.diff(found.offsets) > 2, SUCCESS | BUFFER_TOO_SMALL, SUCCESS)).all()


def crowd_pieces(query: NavQuery, rule: QueryFilter, portals: bool = False, most: int = 2**62) -> WallSegments:
    """The pieces of all polygons as crowds take them."""
    count = len(query._mesh.polygons)
    rows, polygons = row_counts(count), np.arange(count, dtype=np.int32)
    before = (query._mesh, polygons, rule.rule(), portals, most)
    segments, behind = in_pieces(segment_rows, count, before, (rows,), 1, None, count)[0]
    return WallSegments(offsets_of(rows.counts), segments, query._names.names(behind), rows.status)


@pytest.mark.parametrize("rule", FILTERS)
@pytest.mark.parametrize("name", LEVELS)
def test_the_pieces_of_outlines(name: str, rule: QueryFilter) -> None:
    """Each of the 255 parts of an edge is a wall unless a neighbor that passes the filter lies behind it."""
    query = level(name)
    graph = PlainGraph(query, rule)
    walls, all_pieces = crowd_pieces(query, rule), crowd_pieces(query, rule, portals=True)
    assert (walls.references == 0).all() and (all_pieces.status == SUCCESS).all()
    solid = all_pieces.references == 0
    assert walls.segments.tobytes() == all_pieces.segments[solid].tobytes() and 0 < solid.sum() < len(solid)
    for polygon, corners in enumerate(graph.corners):
        part = slice(all_pieces.offsets[polygon], all_pieces.offsets[polygon + 1])
        pieces = all_pieces.segments[part].astype(float)
        if graph.is_link[polygon]:
            assert len(pieces) == 0
            continue
        lengths = np.sqrt(((pieces[:, 1] - pieces[:, 0]) ** 2).sum(axis=1))
        behind = graph.names.polygons(all_pieces.references[part])
        expected = {-1: 0.0}
        for edge, across in enumerate(graph.neighbors[polygon]):
            a, b = graph.edge(polygon, edge)
            cells = np.full(255, -1)
            for link in graph.links[polygon]:
                if link.edge == edge and not graph.is_link[link.target] and graph.passes[link.target]:
                    low, high = (link.low, link.high) if across == BORDER else (0, 255)
                    cells[low:high] = link.target
            for target, count in zip(*np.unique(cells, return_counts=True), strict=True):
                expected[int(target)] = expected.get(int(target), 0.0) + math.dist(a, b) * count / 255
        ours = {-1: 0.0} | {int(target): float(lengths[behind == target].sum()) for target in set(behind.tolist())}
        assert ours == pytest.approx(expected, abs=1e-3)
        for piece in pieces:
            assert (
                max(
                    min(
                        to_segment(tuple(end), a, b)[0] for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
                    )
                    for end in piece
                )
                < 1e-4
            )
    few = crowd_pieces(query, rule, portals=True, most=1)
    cut = np.diff(all_pieces.offsets) > 1
    assert np.diff(few.offsets).max() == 1 and (few.status[cut] == SUCCESS | BUFFER_TOO_SMALL).all() and cut.any()


def test_by_hand() -> None:
    """Two tiles of two polygons: what a square and a triangle reach, and an edge with two neighbors behind it."""
    query = by_hand()
    square = np.array([[-5, 0, -5], [-5, 0, 5], [2.5, 0, 5], [2.5, 0, -5]])
    for shape in (square, square[::-1]):
        around = query.polygons_around_shape(256, shape)
        assert around.references.tolist() == [256, 257] and around.parents.tolist() == [0, 256]
        assert around.costs[0] == 0 and around.costs[1] == pytest.approx(np.linalg.norm([3.05, 0.4, 1.5]))
    triangle = [[1, 0, 2], [5, 0, 2], [5, 0, 2.5]]
    assert query.polygons_around_shape(256, triangle).references.tolist() == [256, 257, 321]
    near = query.local_neighborhood(256, [0.5, 0.4, 0.5], 5)
    assert near.references.tolist() == [256, 257, 321, 320] and near.parents.tolist() == [0, 256, 257, 257]
    pieces = query.wall_segments(257, portals=True)
    assert pieces.references.tolist() == [0, 256, 0, 321, 320]
    assert pieces.segments[3:, :, 2] == pytest.approx(np.array([[3, 1.2], [1.2, 0]]))
    alone = query.wall_segments([257, 5, 256], QueryFilter(include=2), max_segments=3)
    assert alone.offsets.tolist() == [0, 3, 3, 6] and alone.status.tolist() == [
        SUCCESS | BUFFER_TOO_SMALL,
        INVALID,
        SUCCESS | BUFFER_TOO_SMALL,
    ]


def test_the_same_bytes_for_any_number_of_threads() -> None:
    query = level("tiles")
    references, points = places(query, 1500, 9)
    shapes = points[:, None] + np.array([[-2, 0, -2], [-2, 0, 2], [3, 0, 0]], np.float32)

    def asked(threads: int) -> list[tuple[bytes, ...]]:
        answers = (
            query.polygons_around_shape(references, shapes, threads=threads),
            query.local_neighborhood(references, points, 4.0, threads=threads),
            query.flat_neighborhood(references, points, 4.0, threads=threads),
            query.wall_segments(references, portals=True, threads=threads),
        )
        return [tuple(values.tobytes() for values in answer) for answer in answers]

    assert asked(1) == asked(2) == asked(5)
