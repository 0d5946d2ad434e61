"""Merged faces cover what the twin draws cell by cell, in the same colors, and are few."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.views.cell_frame import Cells
from navcore.views.merged_cells import LOOKS, UNDERSIDE, draw_boxes, draw_flat
from tests.navcore.stages.solid_worlds import Span, random_level, solid
from tests.navcore.views.cell_worlds import taken_apart, unit_frame
from tests.navcore.views.cells_twin import columns_of, drawn_columns, flat_twin, sides_twin

PAINTS = 4
LOOK_COLORS = np.random.default_rng(0).integers(0, 256, (PAINTS * LOOKS, 4)).astype(np.uint8)
ONE_SHADE = LOOK_COLORS.copy().reshape(PAINTS, 2, 4, 4)
ONE_SHADE[:, 1] = ONE_SHADE[:, 0]
PLAIN = ONE_SHADE.reshape(-1, 4)
MANY = 1 << 30


def cells_of(width: int, columns: list[list[Span]], margin: int = 0) -> Cells:
    """Boxes whose areas are their paints."""
    matter = solid(width, columns)
    return Cells(width, matter.depth, margin, matter.first, matter.bottom, matter.top, matter.area.astype(np.uint16))


def random_cells(seed: int) -> Cells:
    matter = random_level(seed)
    rng = np.random.default_rng(seed)
    thick = np.maximum(matter.top, matter.bottom + 1)
    room = np.append(matter.bottom[1:], 0)
    thick = np.where((room > matter.bottom) & (thick > room), room, thick)  # never into the next one
    paint = rng.choice(PAINTS, len(thick), p=[0.1, 0.7, 0.1, 0.1]).astype(np.uint16)
    margin = int(seed % 3 == 0) if min(matter.width, matter.depth) > 2 else 0
    return Cells(matter.width, matter.depth, margin, matter.first, matter.bottom, thick.astype(np.uint16), paint)


@pytest.mark.parametrize("seed", range(40))
def test_tops_are_those_of_the_twin(seed: int) -> None:
    cells = random_cells(seed)
    frame = unit_frame(cells)
    drawn = draw_flat(frame, cells, LOOK_COLORS, MANY)
    flat, sides = taken_apart(drawn.corners - np.array([0, 1, 0], np.float32), drawn.colors, frame)
    assert flat == flat_twin(cells, LOOK_COLORS.tolist())
    assert not sides and len(drawn.corners) <= len(flat) and not drawn.notes


@pytest.mark.parametrize("layered", [False, True])
@pytest.mark.parametrize("seed", [seed for seed in range(40) if seed % 5])  # the others are wide: too much for the twin
def test_boxes_are_those_of_the_twin(seed: int, layered: bool) -> None:
    cells = random_cells(seed)
    frame = unit_frame(cells)
    drawn = draw_boxes(frame, cells, PLAIN, MANY, layered)
    tops, unders = flat_twin(cells, PLAIN.tolist()), flat_twin(cells, PLAIN.tolist(), UNDERSIDE)
    flat_count = (drawn.corners[:, :, 1].max(axis=1) == drawn.corners[:, :, 1].min(axis=1)).nonzero()[0]
    standing = np.setdiff1d(np.arange(len(drawn.corners)), flat_count)
    _, sides = taken_apart(drawn.corners[standing], drawn.colors[standing], frame)
    assert sides == sides_twin(cells, PLAIN.tolist())
    areas = np.prod(np.ptp(drawn.corners[flat_count], axis=1)[:, [0, 2]], axis=1)
    assert areas.sum() == len(tops) + len(unders)


def test_layers_have_two_shades() -> None:
    cells = cells_of(1, [[(0, 3, 1)]])
    drawn = draw_boxes(unit_frame(cells), cells, LOOK_COLORS, MANY, True)
    shades = {(color, y) for color, y in zip(map(tuple, drawn.colors.tolist()), drawn.corners[:, 0, 1], strict=True)}
    looks = LOOK_COLORS.reshape(PAINTS, 2, 4, 4)[1]
    expected = {(tuple(looks[y % 2, side].tolist()), y) for y in (0, 1, 2) for side in (1, 2)}
    assert shades == {*expected, (tuple(looks[1, 0].tolist()), 3)}  # and the top


def test_even_ground_is_one_face() -> None:
    cells = cells_of(5, [[(0, 2, 1)]] * 20)
    drawn = draw_flat(unit_frame(cells), cells, LOOK_COLORS, MANY)
    assert drawn.corners.tolist() == [[[0, 3, 0], [0, 3, 4], [5, 3, 4], [5, 3, 0]]]  # one voxel above the floor


def test_an_even_block_has_a_top_and_four_sides() -> None:
    cells = cells_of(5, [[(0, 2, 1)]] * 20)
    assert len(draw_boxes(unit_frame(cells), cells, LOOK_COLORS, MANY).corners) == 5


def test_a_crate_leaves_a_frame_of_four_faces_around_it() -> None:
    columns: list[list[Span]] = [[(0, 2, 1)] for _ in range(25)]
    columns[12] = [(0, 5, 1)]
    cells = cells_of(5, columns)
    assert len(draw_flat(unit_frame(cells), cells, LOOK_COLORS, MANY).corners) == 5  # with its own top
    assert len(draw_boxes(unit_frame(cells), cells, LOOK_COLORS, MANY).corners) == 5 + 4 + 4  # and sides of both


def test_rows_of_other_length_are_not_joined() -> None:
    cells = cells_of(3, [[(0, 1, 1)]] * 3 + [[(0, 1, 1)]] * 2 + [[]])
    assert len(draw_flat(unit_frame(cells), cells, LOOK_COLORS, MANY).corners) == 2


def test_a_ceiling_has_an_underside_and_ground_has_none() -> None:
    cells = cells_of(1, [[(0, 1, 1), (5, 6, 2)]])
    drawn = draw_boxes(unit_frame(cells), cells, LOOK_COLORS, MANY)
    flat = [face[0][1] for face in drawn.corners.tolist() if len({corner[1] for corner in face}) == 1]
    assert sorted(flat) == [1, 5, 6]


def test_a_border_hides_sides_and_is_not_drawn() -> None:
    cells = cells_of(3, [[(0, 2, 1)]] * 9, margin=1)
    drawn = draw_boxes(unit_frame(cells), cells, LOOK_COLORS, MANY)
    assert drawn.corners.tolist() == [[[1, 2, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]]]


@pytest.mark.parametrize("seed", range(12))
def test_too_many_faces_are_drawn_several_cells_at_a_time(seed: int) -> None:
    """The note names how many; what is drawn covers the columns that had something, and nothing else."""
    cells = random_cells(seed)
    frame = unit_frame(cells)
    whole = draw_flat(frame, cells, LOOK_COLORS, MANY)
    if len(whole.corners) < 12:
        pytest.skip("nothing to put together")
    most = len(whole.corners) // 3
    drawn = draw_flat(frame, cells, LOOK_COLORS, most)
    assert len(drawn.corners) <= most
    factor = int(drawn.notes[0].split()[3])
    assert drawn.notes == (
        f"Cells are drawn {factor} × {factor} at a time: {len(whole.corners):,} faces would be too many.",
    )
    flat, _ = taken_apart(drawn.corners - np.array([0, 1, 0], np.float32), drawn.colors, frame)
    filled = {
        place
        for place in drawn_columns(cells)
        if any(p for _, _, p in columns_of(cells)[place[0] + place[1] * cells.width])
    }
    near = cells.margin
    blocks = {((x - near) // factor, (z - near) // factor) for x, z in filled}
    covered = {((x - near) // factor, (z - near) // factor) for x, z, _ in flat}
    assert covered == blocks and {(x, z) for x, z, _ in flat} <= set(drawn_columns(cells))


def test_cells_that_are_joined_take_the_paint_of_most_and_the_height_of_the_highest() -> None:
    cells = cells_of(2, [[(0, 4, 2)], [(1, 5, 1)], [(2, 6, 2)], [(3, 7, 3)]])
    drawn = draw_flat(unit_frame(cells), cells, LOOK_COLORS, 1)
    assert drawn.corners.tolist() == [[[0, 8, 0], [0, 8, 2], [2, 8, 2], [2, 8, 0]]]
    assert drawn.colors.tolist() == [LOOK_COLORS.reshape(PAINTS, 2, 4, 4)[2, 1, 0].tolist()]


def test_storeys_stay_apart_when_cells_are_joined() -> None:
    storeys: list[Span] = [(0, 2, 1), (10, 12, 2)]
    cells = cells_of(2, [[*storeys], [*storeys], [(1, 3, 1), (11, 13, 2)], [(1, 3, 1)]])
    drawn = draw_flat(unit_frame(cells), cells, LOOK_COLORS, 2)
    assert sorted(drawn.corners[:, 0, 1].tolist()) == [4, 14]


def test_what_has_nothing_drawn_is_empty() -> None:
    cells = cells_of(2, [[(0, 1, 0)], []])
    for drawn in (draw_flat(unit_frame(cells), cells, LOOK_COLORS, 1), draw_boxes(unit_frame(cells), cells, PLAIN, 1)):
        assert drawn.corners.shape == (0, 4, 3) and drawn.colors.shape == (0, 4) and not drawn.notes
