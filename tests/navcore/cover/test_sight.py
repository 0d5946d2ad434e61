"""What `Sight` sees, beside a slow and obvious judge: all triangles one after the other, in whole numbers or NumPy."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from navcore import BadInput, Sight
from navcore.types import F64, I32
from tests import scenes

SOUP = np.random.default_rng(5)


def exactly_hidden(corners: npt.NDArray[np.object_], start: list[int], end: list[int]) -> bool:
    """Whether a triangle lies across a line, its corners and edges included; in whole numbers of any size."""
    for a, b, c in corners.tolist():
        normal = cross(minus(b, a), minus(c, a))
        here, there = dot(normal, minus(start, a)), dot(normal, minus(end, a))
        if here * there >= 0:
            continue
        way = minus(end, start)
        turns = [dot(way, cross(minus(p, start), minus(q, start))) for p, q in ((a, b), (b, c), (c, a))]
        if min(turns) >= 0 or max(turns) <= 0:
            return True
    return False


def minus(a: list[int], b: list[int]) -> list[int]:
    return [p - q for p, q in zip(a, b, strict=True)]


def cross(a: list[int], b: list[int]) -> list[int]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: list[int], b: list[int]) -> int:
    return sum(p * q for p, q in zip(a, b, strict=True))


def hidden(corners: F64, starts: F64, ends: F64) -> npt.NDArray[np.bool_]:
    """The same by plain NumPy, another way: where the line meets the plane, and what part of it each corner has."""
    answers = np.zeros(len(starts), bool)
    e, f = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals = np.cross(e, f)
    for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
        way = end - start
        with np.errstate(all="ignore"):
            along = (normals * (corners[:, 0] - start)).sum(1) / (normals @ way)
            place = start + along[:, None] * way - corners[:, 0]
            size = (normals**2).sum(1)
            v = (np.cross(place, f) * normals).sum(1) / size
            w = (np.cross(e, place) * normals).sum(1) / size
            answers[row] = ((along > 0) & (along < 1) & (v >= 0) & (w >= 0) & (v + w <= 1)).any()
    return answers


def soup(count: int, size: float) -> tuple[F64, I32]:
    """Triangles anywhere in a box of 10 m, every tenth without area."""
    points = SOUP.random((count, 1, 3)) * 10 + SOUP.normal(size=(count, 3, 3)) * size
    points[1::10, 2] = points[1::10, 1]
    points[5::50] = points[5::50, :1]
    return points.astype(np.float32).reshape(-1, 3).astype(np.float64), np.arange(3 * count, dtype=np.int32).reshape(
        -1, 3
    )


@pytest.mark.parametrize(("count", "size"), [(1, 5.0), (3, 5.0), (5, 3.0), (40, 1.5), (3000, 0.3)])
def test_random_triangles_hide_what_they_hide(count: int, size: float) -> None:
    vertices, triangles = soup(count, size)
    starts, ends = SOUP.random((2, 400, 3)) * 10
    seen = Sight(vertices, triangles).can_see(starts, ends)
    assert (seen == ~hidden(vertices[triangles], starts, ends)).all()
    assert 0 < seen.sum() < len(seen)


@pytest.mark.parametrize("seed", range(6))
def test_lines_through_corners_and_along_edges_are_met_as_whole_numbers_say(seed: int) -> None:
    """On a lattice of few places every line meets corners, runs along edges, lies in planes and ends on triangles."""
    rng = np.random.default_rng(seed)
    vertices = rng.integers(0, 4, (60, 3))
    triangles = rng.integers(0, len(vertices), (25, 3)).astype(np.int32)
    starts, ends = rng.integers(-1, 5, (2, 500, 3))
    starts[:200], ends[:200] = vertices[rng.integers(0, 60, (2, 200))]
    corners = vertices.astype(object)[triangles]
    wanted = [not exactly_hidden(corners, a, b) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    seen = Sight(vertices.astype(np.float32), triangles).can_see(starts, ends)
    assert seen.tolist() == wanted
    assert 100 < seen.sum() < 450


def test_no_ray_slips_through_where_triangles_meet() -> None:
    """From the middle of a closed ball, through its corners, through its edges, and anywhere else."""
    rng = np.random.default_rng(1)
    corners = np.array([p for p in product((-1, 0, 1), repeat=3) if sum(map(abs, p)) == 1], np.float64)
    ring = [0, 2, 5, 3]  # around the lowest and the highest
    faces = [[end, ring[k - 1], ring[k]] for end in (1, 4) for k in range(4)]
    turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    ball = Sight(corners @ turned.T, faces)
    points = ball.vertices.astype(np.float64)[faces]
    part = rng.random((2000, 1))
    face, edge = rng.integers(0, 8, 2000), rng.integers(0, 3, 2000)
    through = points[face, edge] * part + points[face, (edge + 1) % 3] * (1 - part)
    outward = np.concatenate([3 * points.reshape(-1, 3), 3 * through, rng.normal(size=(2000, 3)) * 100])
    outward = outward[np.linalg.norm(outward, axis=1) > 2]
    assert not ball.can_see(rng.normal(size=outward.shape) * 0.01, outward).any()


def test_both_ways_the_answer_is_the_same_with_any_number_of_threads() -> None:
    vertices, triangles = soup(300, 1.0)
    starts, ends = SOUP.random((2, 40_000, 3)) * 10
    sight = Sight(vertices, triangles)
    seen = sight.can_see(starts, ends, threads=1)
    assert (seen == sight.can_see(ends, starts, threads=3)).all()
    assert 0 < seen.mean() < 1


def test_a_triangle_hides_from_both_sides_and_not_from_what_is_on_it() -> None:
    wall = Sight([[0, 0, 0], [0, 4, 0], [0, 0, 4]], [[0, 1, 2]])
    assert not wall.can_see([[-1, 1, 1], [1, 1, 1]], [[1, 1, 1], [-1, 1, 1]]).any()
    assert wall.can_see([0, 1, 1], [[1, 1, 1], [-1, 1, 1], [0, 3, 1]]).all()  # begins on it; lies in it
    assert wall.can_see([[-1, 1, 1], [-1, 3, 3]], [[0, 1, 1], [1, 3, 3]]).all()  # ends on it; passes beside it
    assert not wall.can_see([-1, 0, 0], [1, 0, 0]).any()  # through its corner


def test_one_point_is_asked_against_many_and_none_is_no_error() -> None:
    wall = Sight(*scenes.box(0, 0, 0, 1, 2, 1))
    assert wall.can_see([3, 1, 0.5], [[2, 1, 0.5], [-2, 1, 0.5]]).tolist() == [True, False]
    assert wall.can_see([[2, 1, 0.5], [-2, 1, 0.5]], (3, 1, 0.5)).tolist() == [True, False]
    assert wall.can_see([], []).shape == wall.can_see(np.zeros((0, 3)), [1, 1, 1]).shape == (0,)
    assert wall.can_see([np.nan, 0, 0], [[5, 5, 5]]).tolist() == [False]
    assert Sight(np.zeros((0, 3)), []).can_see([0, 0, 0], [1, 1, 1]).all()


@pytest.mark.parametrize(
    ("vertices", "triangles", "code", "said"),
    [
        ([[0, 0, np.inf]], [], "NOT_FINITE", "not a finite number"),
        ([[0, 0, 0]], [[0, 0, 1]], "INDEX_OUT_OF_RANGE", "from 0 to 1, and there are 1"),
        ([[0, 0, 0]], [[0, -1, 0]], "INDEX_OUT_OF_RANGE", "from -1 to 0"),
        ([[0, 0]], [[0, 0, 0]], "BAD_INPUT", "vertices must be"),
        ([[0, 0, 0]], [[0.0, 0.5, 0.0]], "BAD_INPUT", "triangles must be"),
        ("level.obj", [[0, 0, 0]], "BAD_INPUT", "vertices must be"),
    ],
)
def test_what_is_no_level_is_refused(vertices: object, triangles: object, code: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as refused:
        Sight(vertices, triangles)  # type: ignore[arg-type]
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("starts", "ends", "said"),
    [
        ([[0, 0, 0]] * 2, [[1, 1, 1]] * 3, "starts have 2 rows, and the others 3"),
        ([0, 0], [1, 1, 1], "starts have the shape"),
        ([0, 0, 0], "there", "ends are not numbers"),
    ],
)
def test_what_are_no_lines_is_refused(starts: object, ends: object, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Sight(*scenes.box(0, 0, 0, 1, 2, 1)).can_see(starts, ends)  # type: ignore[arg-type]


def test_many_triangles_in_one_place_make_a_tree_that_ends() -> None:
    """Nothing tells them apart by where they are."""
    vertices = np.tile(np.array([[0, 0, 0], [0, 4, 0], [0, 0, 4]], np.float32), (20_000, 1))
    began = time.monotonic()
    wall = Sight(vertices, np.arange(60_000).reshape(-1, 3))
    assert wall.can_see([[-1, 1, 1], [-1, 3, 3]], [[1, 1, 1], [1, 3, 3]]).tolist() == [False, True]
    assert time.monotonic() - began < 60
