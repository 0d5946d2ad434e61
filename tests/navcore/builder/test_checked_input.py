"""What is refused at the border, by code, number and way out."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.builder.checked_input import checked_bounds, checked_geometry
from navcore.errors import BadInput, TooLarge
from navcore.geometry.grid import bounds_of, check_height, check_precision, solo_grid

SQUARE = np.array([[0, 0, 0], [0, 0, 9], [9, 0, 9], [9, 0, 0]], np.float32)
FACES = np.array([[0, 1, 2], [0, 2, 3]], np.int32)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint32, np.uint64, list])
def test_indices_of_any_kind_are_taken(kind: type) -> None:
    faces = FACES.tolist() if kind is list else FACES.astype(kind)
    geometry = checked_geometry(SQUARE.astype(np.float64), faces, None)
    assert geometry.vertices.dtype == np.float32 and geometry.triangles.dtype == np.int32
    assert geometry.triangles.tolist() == FACES.tolist()


@pytest.mark.parametrize("wrong", [4, -1, 2**31, 2**32, -(2**32), 2**63 - 1])
def test_an_index_out_of_range_is_counted_and_placed(wrong: int) -> None:
    faces = FACES.astype(np.int64)
    faces[1, 2] = wrong
    with pytest.raises(BadInput, match=r"1 of 2 triangles .* \(there are 4\); the first is triangle 1") as caught:
        checked_geometry(SQUARE, faces, None)
    assert caught.value.code == "INDEX_OUT_OF_RANGE"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_coordinate_that_is_not_finite_is_counted_and_placed(value: float, axis: int) -> None:
    vertices = SQUARE.copy()
    vertices[3, axis] = value
    with pytest.raises(
        BadInput, match=r"1 of 4 vertices .* first of 1 triangles that use them is triangle 1"
    ) as caught:
        checked_geometry(vertices, FACES, None)
    assert caught.value.code == "NOT_FINITE"


def test_an_unused_vertex_that_is_not_finite_is_refused_too() -> None:
    with pytest.raises(BadInput, match="1 of 5 vertices"):
        checked_geometry(np.vstack([SQUARE, [[np.nan, 0, 0]]]), FACES, None)


def test_float64_beyond_float32_is_not_finite() -> None:
    with pytest.raises(BadInput, match="not a finite number"), np.errstate(over="ignore"):
        checked_geometry(SQUARE.astype(np.float64) * 1e300, FACES, None)


@pytest.mark.parametrize("faces", [[], np.empty((0, 3), np.int32)])
def test_no_triangles(faces: object) -> None:
    with pytest.raises(BadInput, match="no triangles") as caught:
        checked_geometry(SQUARE, faces, None)
    assert caught.value.code == "NO_TRIANGLES"


@pytest.mark.parametrize(
    ("vertices", "faces"),
    [
        (SQUARE[:, :2], FACES),
        (SQUARE, FACES[:, :2]),
        (SQUARE, FACES.astype(np.float32)),
        (SQUARE.ravel(), FACES),
        ([["a"] * 3], FACES),
    ],
)
def test_arrays_of_another_form_are_refused(vertices: object, faces: object) -> None:
    with pytest.raises(BadInput, match=r"must be numbers of shape \(n, 3\)"):
        checked_geometry(vertices, faces, None)


@pytest.mark.parametrize("areas", [[1], [0.5, 1], [[1, 2]], [-1, 2], [64, 0]])
def test_bad_areas(areas: object) -> None:
    with pytest.raises(BadInput, match="area"):
        checked_geometry(SQUARE, FACES, areas)


@pytest.mark.parametrize(
    "bounds", [[0, 0, 0, 1, 1], "bounds", [0, 0, 0, np.nan, 1, 1], [2, 0, 0, 1, 1, 1], [[0, 0], [1, 1]]]
)
def test_bad_bounds(bounds: object) -> None:
    with pytest.raises(BadInput, match="bounds must be"):
        checked_bounds(bounds)


def test_bounds_are_those_of_all_vertices() -> None:
    low, high = bounds_of(np.array([[3, -1, 2], [0, 5, 9], [-7, 0, 0]], np.float32))
    assert low.tolist() == [-7, -1, 0] and high.tolist() == [3, 5, 9]


def test_the_grid_rounds_half_up() -> None:
    def size(extent: float) -> int:
        low, high = np.zeros(3, np.float32), np.full(3, extent, np.float32)
        return solo_grid(low, high, np.float32(1), np.float32(1)).width

    assert [size(x) for x in (0.5, 1.49, 1.5, 2.5, 7.25)] == [1, 1, 2, 3, 7]


def test_bounds_smaller_than_a_cell_are_refused() -> None:
    low = np.zeros(3, np.float32)
    with pytest.raises(BadInput, match="less than one cell") as caught:
        solo_grid(low, np.array([9, 1, 0.1], np.float32), np.float32(0.3), np.float32(0.2))
    assert caught.value.code == "EMPTY_BOUNDS"


@pytest.mark.parametrize(("size", "cell"), [(20.0, 1e-6), (20000.0, 0.1), (3e38, 0.3), (50000.0, 1e-30)])
def test_a_grid_too_large_is_refused_with_a_cell_size_that_works(size: float, cell: float) -> None:
    low, high = np.zeros(3, np.float32), np.full(3, size, np.float32)
    with pytest.raises(TooLarge, match=r"limit 30 million.*Raise Cell Size to ([0-9.e+-]+) m") as caught:
        solo_grid(low, high, np.float32(cell), np.float32(1))
    suggested = str(caught.value).split("Raise Cell Size to ")[1].split(" m")[0]
    assert solo_grid(low, high, np.float32(suggested), np.float32(1)).width > 1000


def test_a_level_too_tall_is_refused_with_a_cell_height_that_works() -> None:
    low, high = np.zeros(3, np.float32), np.array([9, 2000, 9], np.float32)
    grid = solo_grid(low, high, np.float32(1), np.float32(0.2))
    with pytest.raises(TooLarge, match=r"10,000 voxels .* Raise Cell Height to 0.25 m"):
        check_height(2000.0, grid)
    check_height(2000.0, grid._replace(cell_height=np.float32(0.25)))


@pytest.mark.parametrize(("far", "accepted"), [(1e3, True), (1e6, True), (1e7, False), (1e9, False)])
def test_a_level_too_far_from_the_origin_is_refused(far: float, accepted: bool) -> None:
    low = np.array([far, 0, 0], np.float32)
    grid = solo_grid(low, low + np.float32(100), np.float32(0.3), np.float32(0.2))
    if accepted:
        check_precision(grid)
    else:
        with pytest.raises(BadInput, match="from the origin along x") as caught:
            check_precision(grid)
        assert caught.value.code == "TOO_FAR"
