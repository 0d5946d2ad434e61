"""Contours drawn: where the stage has them, with what lies across, and bridges in a color of their own."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.geometry.grid import without_border
from navcore.types import AREA_BORDER, BORDER_REGION, BORDER_VERTEX, Contours
from navcore.views.contour_view import BRIDGE_COLOR, across
from navcore.views.picture import Shown
from tests.navcore.views.outline_examples import LEVELS, VIEWS, counts, drawn, level, pieces, said

BRIDGES = Shown(variant="bridges")


def joined_holes(contours: Contours) -> int:
    return int((np.diff(contours.first) == 0).sum())


def test_a_square_has_four_simplified_points() -> None:
    picture = drawn("square", "CONTOURS")
    assert counts(picture) == {"Corners": 4, "Region 1": 4}
    assert len(picture.lines) == 4 + 2 * 4  # edges, and a cross on every corner
    ends = np.unique(np.rint(picture.lines[:4].reshape(-1, 3)[:, ::2] / 0.3).astype(int), axis=0)
    assert ends.tolist() == [[3, 3], [3, 24], [24, 3], [24, 24]]  # 27 cells, without a ledge of one and two of radius
    assert said("square", "CONTOURS", (2, 0.2, 2)) == "Contour of region 1, 4 points"
    both = Shown(variant="both")
    assert said("square", "CONTOURS", (2, 0.2, 2), both) == "Contour of region 1, 4 points, 84 before simplifying"
    assert len(drawn("square", "CONTOURS", both).lines) == 84 + 4 + 2 * 4


def test_nothing_is_said_of_places_off_the_ground() -> None:
    for view in ("RAW_CONTOURS", "CONTOURS"):
        assert said("square", view, (-3, 0.2, 2)) == said("square", view, (20, 0.2, 20)) == ""
        assert said("hole", view, (3.3, 0.2, 3.3)) == "", "in a hole"
        assert said("hole", view, (6.0, 0.2, 6.0)).startswith("Contour of region 1, ")


@pytest.mark.parametrize("name", ["hole", "plaza", "square", "town", "town in tiles"])
def test_each_joined_hole_has_a_bridge_walked_to_and_fro(name: str) -> None:
    holes = sum(joined_holes(piece.stages["contours"]) for piece in pieces(level(name), VIEWS["CONTOURS"]))
    assert holes == {"hole": 1, "plaza": 35}.get(name, 0)
    picture = drawn(name, "CONTOURS", BRIDGES)
    colored = picture.lines[(picture.line_colors == BRIDGE_COLOR).all(axis=1)]
    assert len(colored) == 2 * holes == counts(picture).get("Bridges to holes", 0)
    ways = {tuple(map(tuple, line)) for line in colored.tolist()}
    assert {(b, a) for a, b in ways} == ways
    assert not (drawn(name, "CONTOURS").line_colors == BRIDGE_COLOR).all(axis=1).any()


@pytest.mark.parametrize("view", ["RAW_CONTOURS", "CONTOURS"])
@pytest.mark.parametrize("name", LEVELS)
def test_lines_are_the_points_of_the_stage_raised_by_less_than_a_voxel(name: str, view: str) -> None:
    """One edge a point, in the order of the stage, from each to the next one around its ring."""
    for piece in pieces(level(name), VIEWS[view]):
        contours = piece.stages["contours"]
        first, points = (
            (contours.raw_first, contours.raw) if view == "RAW_CONTOURS" else (contours.first, contours.points)
        )
        grid = without_border(piece.stages["grid"])
        wanted = []
        for k in range(len(first) - 1):
            ring = points[first[k] : first[k + 1], :3] * [grid.cell_size, grid.cell_height, grid.cell_size]
            wanted += [np.stack([a, b]) for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True)]
        lines = VIEWS[view].draw(piece, Shown()).lines[: len(points)].astype(np.float64)
        lift = lines - (np.array(wanted) + grid.bounds_min)
        assert np.abs(lift[:, :, [0, 2]]).max() < 1e-4
        assert (lift[:, :, 1] > 0).all() and (lift[:, :, 1] < grid.cell_height).all()


def test_what_lies_across_is_told_in_numbers() -> None:
    assert across(0) == "0" and across(12) == "12"
    assert across(3 | AREA_BORDER) == "3 A"
    assert across(BORDER_REGION | 2 | BORDER_VERTEX) == "B2 V"
    labels = drawn("two tiles", "RAW_CONTOURS").labels
    assert {"B1", "B2", "B3", "B4"} <= {label.text.split()[0] for label in labels}
    assert [label.text for label in drawn("square", "RAW_CONTOURS").labels] == ["0 A"]


def test_vertices_on_borders_of_tiles_are_marked() -> None:
    found = counts(drawn("two tiles", "RAW_CONTOURS"))["Vertices on a tile's border"]
    raw = [piece.stages["contours"].raw for piece in pieces(level("two tiles"), VIEWS["RAW_CONTOURS"])]
    assert found == sum(int((points[:, 3] & BORDER_VERTEX != 0).sum()) for points in raw) > 0


def test_floors_are_told_apart_and_cut_away() -> None:
    heights = [said("storeys", "CONTOURS", (4.0, y, 4.0)) for y in (0.2, 3.2, 6.2)]
    assert len(set(heights)) == 3 and all(heights)
    ground = drawn("storeys", "CONTOURS", Shown(highest=1.0))
    assert 0 < len(ground.lines) < len(drawn("storeys", "CONTOURS").lines)
    assert ground.lines[:, :, 1].max() < 1.5
    assert said("storeys", "CONTOURS", (4.0, 6.2, 4.0), Shown(highest=1.0)) == heights[0]
