"""A navmesh seen from above: what lies over what, walls, links, islands, legend."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import BadInput
from navcore.geometry.polygon_rings import parts_by_edges
from navcore.pictures.colors import INNER_EDGE, LINK, WALL, color_of_area, color_of_link
from navcore.pictures.drawing import Dots, Labels, Lines, Patches
from navcore.pictures.marks import LEGEND_WIDTH, laid_out, round_length
from navcore.pictures.plan_view import WideLinkFromAbove, plan_view
from tests.navcore.pictures.plans import nothing, two_squares


def test_upper_floors_cover_lower_ones() -> None:
    patches = [shape for shape in plan_view("level", two_squares()).shapes if isinstance(shape, Patches)]
    assert [patch.fill for patch in patches] == [color_of_area(0), color_of_area(1), color_of_area(0)]
    assert patches[2].points.tolist() == [[2.5, 0.5], [3.5, 0.5], [3.5, 1.5], [2.5, 1.5]]
    assert {patch.edge for patch in patches} == {INNER_EDGE}


def test_walls_are_what_no_polygon_lies_across() -> None:
    [walls] = [shape for shape in plan_view("level", two_squares()).shapes if isinstance(shape, Lines)]
    assert walls.color == WALL and len(walls.first) - 1 == 3 + 3 + 4
    pairs = walls.points.reshape(-1, 2, 2).tolist()
    assert [[0, 0], [2, 0]] in pairs and [[0, 2], [0, 0]] in pairs
    assert [[2, 0], [2, 2]] not in pairs and [[2, 2], [2, 0]] not in pairs


def test_links_widen_the_picture() -> None:
    link = ((0.5, 0, 0.5), (9, 0, 1))
    drawing = plan_view("level", two_squares(links=[link]))
    lines = [shape for shape in drawing.shapes if isinstance(shape, Lines) and shape.color == LINK]
    assert lines[0].points.tolist() == [[0.5, 0.5], [9, 1]] and lines[0].dashed
    assert sum(isinstance(shape, Dots) for shape in drawing.shapes) == 1
    assert drawing.low == pytest.approx((-0.18, -0.18)) and drawing.high == pytest.approx((9.18, 2.18))


def test_islands_are_numbered_from_the_largest_on() -> None:
    plan = two_squares()
    assert parts_by_edges(plan.first, plan.neighbors).tolist() == [0, 0, 1]
    [labels] = [shape for shape in plan_view("level", plan).shapes if isinstance(shape, Labels)]
    assert labels.texts == ("1: 8 m²", "2: 1 m²") and labels.points[1].tolist() == [3, 1]


def test_one_island_has_no_number() -> None:
    plan = two_squares()
    alone = plan._replace(
        first=plan.first[:3], corners=plan.corners[:8], neighbors=plan.neighbors[:8], area=plan.area[:2]
    )
    assert not [shape for shape in plan_view("level", alone).shapes if isinstance(shape, Labels)]


def test_islands_of_a_long_row() -> None:
    """As many as 500 polygons, each beside the next, and numbered in any order."""
    order = np.random.default_rng(1).permutation(500)
    neighbors = np.full((500, 3), -1, np.int32)
    for spot, polygon in enumerate(order.tolist()):
        neighbors[polygon, 0] = order[spot - 1] if spot else -1
        neighbors[polygon, 1] = order[spot + 1] if spot < 499 and spot != 249 else -1
    neighbors[order[250], 0] = -1
    labels = parts_by_edges(np.arange(0, 1501, 3, dtype=np.int32), neighbors.ravel())
    assert len(np.unique(labels)) == 2
    assert len(np.unique(labels[order[:250]])) == 1 and len(np.unique(labels[order[250:]])) == 1


def test_the_legend_names_what_is_there() -> None:
    link = ((0.5, 0, 0.5), (1, 0, 1))
    said = [entry.text for entry in plan_view("level", two_squares(links=[link])).legend]
    assert said == ["ground (2)", "water (1)", "walls", "links (1)"]
    odd = two_squares(area=np.array([0, 40, 0], np.uint8))
    assert [entry.text for entry in plan_view("level", odd).legend][1] == "area 40 (1)"


def test_a_navmesh_without_polygons() -> None:
    drawing = plan_view("empty", nothing())
    assert [entry.text for entry in drawing.legend] == ["walls"] and drawing.high > drawing.low


def test_layouts_keep_the_plan_left_of_the_legend() -> None:
    for width in (400, 1000, 3000):
        layout = laid_out(plan_view("level", two_squares()), width)
        left, top, right, bottom = layout.plan
        assert 0 < left < right < width - LEGEND_WIDTH and 0 < top < bottom < layout.height
        corners = layout.placed(np.array([[0, 0], [4, 2]], np.float64))
        assert left <= corners[0, 0] < corners[1, 0] <= right and top <= corners[0, 1] < corners[1, 1] <= bottom
    for width in (399, 20_001):
        with pytest.raises(BadInput, match="points wide"):
            laid_out(plan_view("level", two_squares()), width)


@pytest.mark.parametrize(("most", "length"), [(7, 5), (5, 5), (4.9, 2), (1, 1), (0.3, 0.2), (260, 200)])
def test_scale_bars_are_round(most: float, length: float) -> None:
    assert round_length(most) == pytest.approx(length)


def test_wide_links_are_quads_with_arrows() -> None:
    """A jump both ways from x 2 to 4, and a drop one way from z 2 to 6."""
    jump = WideLinkFromAbove("jump", [(2, 0, 0), (2, 0, 2), (4, 1, 0), (4, 1, 2)], True)
    drop = WideLinkFromAbove("drop", [(1, 0, 2), (0, 0, 2), (1, -2, 6), (0, -2, 6)], False)
    drawing = plan_view("level", two_squares(wide_links=[jump, drop]))
    assert drawing.high[1] == pytest.approx(6.12)
    quads = [shape for shape in drawing.shapes if isinstance(shape, Patches) and shape.edge == LINK]
    assert [quad.fill for quad in quads] == [color_of_link("drop"), color_of_link("jump")]
    assert quads[1].points.tolist() == [[2, 0], [2, 2], [4, 2], [4, 0]] and quads[1].first.tolist() == [0, 4]
    lines = [shape for shape in drawing.shapes if isinstance(shape, Lines) and shape.color == LINK]
    ways, heads = lines[2:], lines[1::2]
    assert [line.points.tolist() for line in (lines[0], ways[0])] == [[[0.5, 2], [0.5, 6]], [[2, 1], [4, 1]]]
    down, both = (head.points.reshape(-1, 3, 2) for head in heads)
    assert [head[1].tolist() for head in down] == [[0.5, 6]]
    assert [head[1].tolist() for head in both] == [[4, 1], [2, 1]]
    assert (down[0, [0, 2], 1] < 6).all() and (both[0, [0, 2], 0] < 4).all() and (both[1, [0, 2], 0] > 2).all()
    said = [entry.text for entry in drawing.legend]
    assert said == ["ground (2)", "water (1)", "walls", "drops (1)", "jumps (1)"]
