"""Loops with whole arrays in the place of kernels: what they make and return is what the compiled ones do."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from navcore.builder import loops_by_arrays
from navcore.builder.validate import ground_checks
from navcore.kernels import plain_python
from navcore.kernels.plain_python import NotByPython, stand_in
from navcore.stages.contours import simplify
from navcore.stages.detail import delaunay, deviation
from navcore.stages.polygons import triangulate
from navcore.stages.regions import region_facts

RNG = np.random.default_rng(41)
NONE, SET = np.zeros(1, np.uint8), np.ones(1, np.uint8)


def same(kernel: Any, *arguments: Any) -> Any:
    """What both return; what both leave in their arguments is compared, too."""
    given = [copy.deepcopy(arguments) for _ in range(2)]
    compiled, by_arrays = kernel(*given[0]), stand_in(kernel)(*given[1])
    assert compiled == by_arrays and type(compiled) is type(by_arrays)
    for one, other in zip(*given, strict=True):
        assert isinstance(one, np.ndarray) == isinstance(other, np.ndarray)
        if isinstance(one, np.ndarray):
            assert one.tobytes() == other.tobytes()
    return compiled


@pytest.mark.parametrize(
    ("kernel", "by_arrays"),
    [
        (region_facts._tallest, loops_by_arrays._tallest),
        (ground_checks._count_cells, loops_by_arrays._count_cells),
        (simplify._farthest_within, loops_by_arrays._farthest_within),
        (triangulate._is_clear, loops_by_arrays._is_clear),
        (deviation._add, loops_by_arrays._add),
        (deviation._take_back, loops_by_arrays._take_back),
    ],
)
def test_they_are_called_in_the_place_of_kernels(kernel: Any, by_arrays: Callable[..., Any]) -> None:
    assert plain_python._plain(kernel) is by_arrays


def test_the_tallest_column() -> None:
    first = np.cumsum([0, 1, 0, 3, 2, 0, 0]).astype(np.int32)
    found = [same(region_facts._tallest, first, begin, end) for begin in range(6) for end in range(begin, 7)]
    assert set(found) == {0, 1, 2, 3}


@pytest.mark.parametrize("mixed", [False, True])
def test_cells_of_regions(mixed: bool) -> None:
    region = np.repeat(RNG.integers(-2, 6, 300), RNG.integers(1, 9, 300)).astype(np.int16)
    area = np.where(region > 0, 10 + region, 0).astype(np.uint8)
    if mixed:
        area[np.flatnonzero(region > 0)[::40]] = 63
    for cancelled in (NONE, SET):
        room = np.zeros((7, 3)), np.zeros(7, np.uint8), np.zeros(7, np.uint8)
        assert same(ground_checks._count_cells, region, area, *room, cancelled) == (mixed and cancelled is NONE)


def test_a_region_with_spans_that_have_no_area_is_left_to_the_compiler() -> None:
    with pytest.raises(NotByPython, match="without an area"):
        stand_in(ground_checks._count_cells)(
            np.ones(3, np.int16), np.array([5, 0, 5], np.uint8), np.zeros((2, 3)), *np.zeros((2, 2), np.uint8), NONE
        )


@pytest.mark.parametrize("size", [3, 40, 2000])
@pytest.mark.parametrize("upward", [True, False])
def test_the_farthest_point_of_an_outline(size: int, upward: bool) -> None:
    """Few places, so that several are equally far; edges of no length; long outlines, whose blocks are skipped."""
    answers = []
    for reach in (3, 40, 30_000):
        walked = np.zeros((size, 4), np.int32)
        walked[:, [0, 2]] = RNG.integers(-reach, reach, (size, 2))
        circles = np.zeros((size // simplify.POINTS_PER_BLOCK + 1, 3))
        simplify.cover_blocks(walked, circles)
        for begin, end, a, b in RNG.integers(0, size, (12, 4)).tolist():
            limit = np.float32(RNG.choice([0, 1.69, reach]))
            best = np.float32(0), -1
            answers.append(same(simplify._farthest_within, walked, circles, (begin, end), (a, b), upward, limit, best))
    assert {point < 0 for _, point in answers} == {False, True}


@pytest.mark.parametrize("loose", [True, False])
@pytest.mark.parametrize("most", [9, 400])
def test_whether_a_diagonal_is_clear(loose: bool, most: int) -> None:
    """Of rings whose corners lie on each other, of some that are clipped, and of such long ones that boxes count."""
    answers = []
    for reach in (2, 4, 1000, 1_000_000):
        for _ in range(40):
            size = int(RNG.integers(4, most))
            ring, boxes = np.zeros((size, 4), np.int32), triangulate.ear_room(size).boxes
            ring[:, :2] = RNG.integers(-reach, reach, (size, 2)) if size % 2 else around(size, reach)
            triangulate._link_ring(ring, boxes, size)
            for corner in np.flatnonzero(RNG.random(size) < 0.2):
                if np.count_nonzero(ring[:, triangulate.AFTER] >= 0) > 3:
                    clip(ring, boxes, int(corner))
            left = np.flatnonzero(ring[:, triangulate.AFTER] >= 0)
            i, j = RNG.choice(left, 2, replace=False).tolist()
            answers.append(same(triangulate._is_clear, ring, boxes, size, i, j, loose))
    assert set(answers) == {False, True}


def around(size: int, reach: int) -> Any:
    """Corners of a round outline, most of whose diagonals are clear."""
    angles = np.linspace(0, 2 * np.pi, size, endpoint=False)
    return np.round(reach * np.stack([np.cos(angles), np.sin(angles)], axis=1))


def clip(ring: Any, boxes: Any, corner: int) -> None:
    """As triangulating does: the corners beside it are joined."""
    before, after = ring[corner, [triangulate.BEFORE, triangulate.AFTER]]
    ring[before, triangulate.AFTER], ring[after, triangulate.BEFORE] = after, before
    ring[corner, triangulate.AFTER] = -1
    triangulate._grow_boxes(ring, boxes, len(ring), int(before))


@pytest.mark.parametrize("kernel", [deviation._add, deviation._take_back])
def test_deviations_from_a_triangle(kernel: Any) -> None:
    """Of samples that are over it, beside it, used up (no number), and from triangles without an area."""
    changed = set()
    for number, corners in enumerate(RNG.uniform(-9, 9, (20, 3, 3)).astype(np.float32)):
        points = np.ascontiguousarray((corners if number else corners[[0, 0, 0]]).T)
        face = np.array([(0, 1, 2, 1)], delaunay.FACE)[0]
        plane = tuple(map(np.float32, deviation._plane(points, face)))
        place = RNG.uniform(-9, 9, (3, 50)).astype(np.float32)
        place[0, 7] = np.nan
        error, hits = np.full(50, deviation.FARTHEST), np.zeros(50, np.int32)
        deviation._add(place, error, hits, 30, plane)  # so that there is something to take back
        same(kernel, place, error, hits, 40, plane)
        changed.add(int(hits.sum()))
    assert len(changed) > 3
