"""Stage 9 on random contours, tidy and tangled, against its slow twin."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.build_warning import BuildWarning
from navcore.stages.polygons import build_polygon_mesh
from navcore.stages.polygons.triangulate import triangulate_ring
from navcore.threads import Workers
from navcore.types import BORDER_VERTEX, NO_INDEX, Contours, Grid, PolygonMesh

from . import polygons_twin as twin

Loop = list[tuple[int, int]]
Outline = tuple[list[list[int]], int, int]


def star(random: np.random.Generator, size: int, corners: int) -> Loop:
    """A polygon around the middle of a square, from z to x as outlines of contours run; it may touch itself."""
    angles = np.sort(random.random(corners))[::-1] * 2 * np.pi
    radius = random.uniform(0.1, 0.5, corners) * size
    x, z = size / 2 + np.cos(angles) * radius, size / 2 + np.sin(angles) * radius
    return [(round(float(a)), round(float(b))) for a, b in zip(x, z, strict=True)]


def with_hole(random: np.random.Generator, size: int, corners: int) -> Loop:
    """A star with a small star inside out, joined by a bridge as merged holes are: two places come twice."""
    outline, hole = star(random, size, corners), star(random, max(size // 3, 2), max(corners // 3, 3))[::-1]
    a, b = int(random.integers(len(outline))), int(random.integers(len(hole)))
    hole = [(x + size // 3, z + size // 3) for x, z in hole]
    return [*outline[a:], *outline[: a + 1], *hole[b:], *hole[: b + 1]]


def walk(random: np.random.Generator, size: int, corners: int) -> Loop:
    """A closed walk in steps of one cell that crosses, touches and retraces itself."""
    steps = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])[random.integers(4, size=corners)]
    path = np.clip(np.cumsum(steps, axis=0) + size // 2, 0, size)
    return [(int(x), int(z)) for x, z in path]


def scatter(random: np.random.Generator, size: int, corners: int) -> Loop:
    return [(int(x), int(z)) for x, z in random.integers(0, size + 1, (corners, 2))]


LOOPS = (star, with_hole, walk, scatter)


def pieces(random: np.random.Generator, size: int, cuts: int) -> list[Outline]:
    """A square cut into rectangles that share their corners, as regions of a tile do; some border corners may go."""
    boxes = [(0, 0, size, size)]
    for _ in range(cuts):
        x0, z0, x1, z1 = boxes.pop(int(random.integers(len(boxes))))
        if random.random() < 0.5 and x1 - x0 > 1:
            x = int(random.integers(x0 + 1, x1))
            boxes += [(x0, z0, x, z1), (x, z0, x1, z1)]
        elif z1 - z0 > 1:
            z = int(random.integers(z0 + 1, z1))
            boxes += [(x0, z0, x1, z), (x0, z, x1, z1)]
        else:
            boxes.append((x0, z0, x1, z1))
    places = {(x, z) for x0, z0, x1, z1 in boxes for x in (x0, x1) for z in (z0, z1)}
    outlines = []
    for number, (x0, z0, x1, z1) in enumerate(boxes):
        rim = [(x0, z) for z in range(z0, z1)] + [(x, z1) for x in range(x0, x1)]
        rim += [(x1, z) for z in range(z1, z0, -1)] + [(x, z0) for x in range(x1, x0, -1)]
        points = []
        for x, z in rim:
            if (x, z) in places:
                corner = x in (0, size) and z in (0, size)
                outer = x in (0, size) or z in (0, size)
                mark = BORDER_VERTEX if (outer and not corner) or random.random() < 0.1 else 0
                points.append([x, int(random.integers(3)), z, mark])
        outlines.append((points, number + 1, int(random.integers(1, 4))))
    return outlines


def tangle(random: np.random.Generator, size: int, count: int) -> list[Outline]:
    """Unrelated loops in one small square: they overlap, share vertices and edges, and some are too short."""
    outlines = []
    for number in range(count):
        loop = LOOPS[int(random.integers(len(LOOPS)))](random, size, int(random.integers(1, 12)))
        if not number:
            loop = loop[: int(random.integers(3))]
        marks = np.where(random.random(len(loop)) < 0.2, BORDER_VERTEX, 0)
        points = [[x, int(random.integers(6)), z, int(m)] for (x, z), m in zip(loop, marks, strict=True)]
        outlines.append((points, int(random.integers(1, 4)), int(random.integers(1, 4))))
    return outlines


def bundle(outlines: list[Outline]) -> Contours:
    first = np.concatenate([[0], np.cumsum([len(points) for points, _, _ in outlines])]).astype(np.int32)
    points = np.array([p for points, _, _ in outlines for p in points], np.int32).reshape(-1, 4)
    region, area = (np.array([o[i] for o in outlines]) for i in (1, 2))
    return Contours(first, points, first, points, region.astype(np.uint16), area.astype(np.uint8))


def square_grid(size: int, border: int) -> Grid:
    side = size + 2 * border
    return Grid(side, side, border, np.zeros(3, np.float32), np.full(3, side, np.float32), np.float32(1), np.float32(1))


def assert_like_twin(outlines: list[Outline], size: int, border: int, most: int, workers: Workers) -> PolygonMesh:
    notes: list[BuildWarning] = []
    ours = build_polygon_mesh(square_grid(size, border), bundle(outlines), most, np.float32(1), workers, notes)
    vertices, rows, neighbors, bad, bad_holes = twin.build(outlines, most, border, size, size)
    assert ours.vertices.tolist() == vertices
    assert [row[row != NO_INDEX].tolist() for row in ours.polygons] == [row[0] for row in rows]
    assert ours.region.tolist() == [row[1] for row in rows]
    assert ours.area.tolist() == [row[2] for row in rows]
    theirs = [links + [NO_INDEX] * (most - len(links)) for links in neighbors]
    assert ours.neighbors.tolist() == theirs
    assert [int(n.message.split()[1]) for n in notes if n.message.startswith("Contour")] == bad
    assert any("border" in note.message for note in notes) == bool(bad_holes)
    return ours


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
def test_triangles_are_the_twins(loop) -> None:
    random = np.random.default_rng(1)
    finished = 0
    for _ in range(60):
        points = loop(random, int(random.integers(2, 40)), int(random.integers(3, 40)))
        triangles, good = triangulate_ring(np.array(points))
        expected, expected_good = twin.triangulate(points)
        assert triangles.tolist() == [list(t) for t in expected]
        assert good == expected_good
        finished += good
    assert finished > 3
    if loop in (walk, scatter):
        assert finished < 40  # tangled enough for the loose rule and for giving up


def test_meshes_of_tidy_tiles_are_the_twins() -> None:
    random = np.random.default_rng(2)
    removed = 0
    with Workers(1) as workers:
        for _ in range(60):
            size, cuts = int(random.integers(2, 12)), int(random.integers(0, 12))
            outlines = pieces(random, size, cuts)
            most = int(random.choice([3, 4, 6, 12]))
            mesh = assert_like_twin(outlines, size, int(random.integers(0, 3)), most, workers)
            removed += len({(p[0], p[2]) for o in outlines for p in o[0]}) > len(mesh.vertices)
    assert removed > 20


def test_meshes_of_tangles_are_the_twins() -> None:
    random = np.random.default_rng(3)
    with Workers(1) as workers:
        for _ in range(150):
            size = int(random.integers(2, 12))
            outlines = tangle(random, size, int(random.integers(1, 7)))
            most = int(random.choice([3, 4, 6, 12]))
            assert_like_twin(outlines, size, int(random.integers(0, 3)), most, workers)


def test_large_contours_are_the_twins() -> None:
    """Large enough for several runs of boxes, and for polygons to move between slots many times."""
    random = np.random.default_rng(4)
    with Workers(1) as workers:
        for loop in (star, with_hole):
            points = [[x, 0, z, 0] for x, z in loop(random, 400, 160)]
            assert_like_twin([(points, 1, 1)], 400, 0, 6, workers)
