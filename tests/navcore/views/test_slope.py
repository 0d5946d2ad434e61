"""SLOPE: triangles in the color of their steepness, cut at tiles and slices."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from navcore.views.catalog import VIEWS, pieces_of, stage_picture
from navcore.views.level_triangles import angles_of, nearest_triangle
from navcore.views.picture import Shown
from tests import scenes
from tests.navcore.views.cell_worlds import floor, piece_of

FLAT, STEEP = (225, 225, 225, 255), (142, 126, 94, 255)  # grey 125 of 60° to 75°, a quarter of it amber
RAMP = [[[0, 0, 0], [0, 0, 4], [4, 4 * 3**0.5, 0]]]  # 60°
GROUND = [[[0, 0, 0], [0, 0, 4], [4, 0, 0]]]


def sloped(triangles: object, areas: object = ()):  # type: ignore[no-untyped-def]
    return piece_of(4, floor(4, 4), triangles=triangles, triangle_areas=np.array(areas, np.uint8))


def test_steep_ground_is_amber() -> None:
    picture = VIEWS["SLOPE"].draw(sloped([*GROUND, *RAMP], [63, 0]), Shown())
    assert picture.face_colors.tolist() == [list(FLAT), list(STEEP)]
    assert [(row.label, row.count) for row in picture.legend] == [("0° to 15°", 1), ("Too steep: 60° to 75°", 1)]
    assert picture.corners[0].tolist() == [[0, 0, 0], [0, 0, 4], [4, 0, 0], [4, 0, 0]]


def test_what_faces_down_what_is_upright_and_what_has_no_area() -> None:
    down = [GROUND[0][::-1]]
    wall = [[[0, 0, 0], [4, 0, 0], [0, 4, 0]]]
    nothing = [[[0, 0, 0], [1, 0, 0], [2, 0, 0]]]
    picture = VIEWS["SLOPE"].draw(sloped([*down, *wall, *nothing], [0, 0, 0]), Shown())
    assert [(row.label, row.count) for row in picture.legend] == [("Too steep: 75° to 90°", 1), ("Faces down", 1)]
    assert len(picture.corners) == 2


def test_flat_ground_that_was_marked() -> None:
    picture = VIEWS["SLOPE"].draw(sloped(GROUND, [0]), Shown())
    assert [(row.label, row.count) for row in picture.legend] == [("Marked as not walkable", 1)]


def test_a_slice_cuts_triangles() -> None:
    picture = VIEWS["SLOPE"].draw(sloped(RAMP, [0]), Shown(lowest=1.0, highest=3.0))
    assert picture.corners[:, :, 1].min() == 1.0 and picture.corners[:, :, 1].max() == 3.0
    whole = area_of(VIEWS["SLOPE"].draw(sloped(RAMP, [0]), Shown()).corners)
    parts = [
        area_of(VIEWS["SLOPE"].draw(sloped(RAMP, [0]), Shown(lowest=low, highest=high)).corners)
        for low, high in ((-np.inf, 1.0), (1.0, 3.0), (3.0, np.inf))
    ]
    assert sum(parts) == pytest.approx(whole, rel=1e-5)


def area_of(corners: object) -> float:
    """Of faces with four corners, of which the last may be there twice."""
    faces = np.asarray(corners, np.float64)
    halves = [np.cross(faces[:, k] - faces[:, 0], faces[:, k + 1] - faces[:, 0]) for k in (1, 2)]
    return float(sum(np.linalg.norm(half, axis=1).sum() / 2 for half in halves))


@pytest.mark.parametrize("tile_size", [0, 16, 40])
def test_tiles_show_the_level_once(tile_size: int) -> None:
    """Cut at their edges, they cover together what the level covers, and count each triangle once."""
    level = scenes.city(1)
    settings = Settings(tile_size=tile_size)
    navmesh = build_navmesh(*level, settings, keep_stages=True)
    picture = stage_picture(navmesh, "SLOPE", level=level)
    corners = level[0][level[1]].astype(np.float64)
    if tile_size == 0:
        assert area_of(picture.corners) == pytest.approx(area_of(corners[:, [0, 1, 2, 2]]), rel=1e-5)
    else:
        low, high = navmesh.tile_grid.bounds_min, navmesh.tile_grid.bounds_max  # type: ignore[union-attr]
        assert (corners >= low - 1e-3).all() and (corners <= high + 1e-3).all()
        assert area_of(picture.corners) == pytest.approx(area_of(corners[:, [0, 1, 2, 2]]), rel=1e-4)
    assert sum(row.count for row in picture.legend) == len(level[1])


def test_what_is_said_of_a_slope() -> None:
    piece = sloped([*GROUND, *RAMP], [63, 0])
    assert VIEWS["SLOPE"].value_at(piece, Shown(), (1, 0, 1)) == "Slope 0.0°"
    assert VIEWS["SLOPE"].value_at(piece, Shown(), (1, 3**0.5, 1)) == "Too steep: 60.0° > 45°"
    assert VIEWS["SLOPE"].value_at(piece, Shown(highest=-1), (1, 0, 1)) == ""
    assert VIEWS["SLOPE"].value_at(sloped(np.zeros((0, 3, 3))), Shown(), (1, 0, 1)) == ""
    down = sloped([GROUND[0][::-1]], [0])
    assert VIEWS["SLOPE"].value_at(down, Shown(), (1, 0, 1)) == "Faces down: 180.0°"
    assert VIEWS["SLOPE"].value_at(sloped([[[1, 0, 1]] * 3], [0]), Shown(), (1, 0, 1)) == "A triangle without area"


def test_without_triangles_it_says_so() -> None:
    assert VIEWS["SLOPE"].draw(sloped(np.zeros((0, 3, 3))), Shown()).notes == (
        "This view shows the level's own triangles, and there are none here.",
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_nearest_triangle_is_that_of_the_twin(seed: int) -> None:
    """The twin samples every triangle densely."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-5, 5, (30, 1, 3)) + rng.uniform(-2, 2, (30, 3, 3))
    triangles = corners.astype(np.float32)
    steps = np.array([(a, b) for a in np.linspace(0, 1, 60) for b in np.linspace(0, 1, 60) if a + b <= 1])
    weights = np.column_stack([1 - steps.sum(axis=1), steps])
    samples = np.einsum("sk,tkd->tsd", weights, triangles.astype(np.float64))
    for point in rng.uniform(-6, 6, (20, 3)):
        distances = np.linalg.norm(samples - point, axis=2).min(axis=1)
        found = nearest_triangle(triangles, tuple(point.tolist()))
        assert distances[found] <= distances.min() + 0.1


def test_angles() -> None:
    assert angles_of(np.array([*GROUND, *RAMP], np.float32)) == pytest.approx([0, 60], abs=1e-4)


def test_a_level_beyond_the_budget_is_drawn_whole_and_said() -> None:
    picture = VIEWS["SLOPE"].draw(sloped([*GROUND, *RAMP], [63, 0]), Shown(most_faces=1))
    assert len(picture.corners) == 2
    assert picture.notes == ("All 2 triangles of the level are drawn: they can't be put together as cells can.",)


def test_each_tile_gets_the_triangles_that_touch_it() -> None:
    level = scenes.city(1)
    navmesh = build_navmesh(*level, Settings(tile_size=32), keep_stages=True)
    pieces = list(pieces_of(navmesh, VIEWS["SLOPE"], level))
    assert len(pieces) == len(navmesh.stages)
    assert all(len(piece.triangles) == len(piece.stages["triangle_areas"]) for piece in pieces)
