"""A reason for each surface: by hand, and against a slow and obvious judge."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from navcore.types import BORDER_REGION, CompactHeightfield
from navcore.views.picture import ViewedPiece
from navcore.views.reason_cells import REASONS, drop_beside, reason_of_span, reasons_of
from tests.navcore.stages.solid_worlds import Span, columns_of, random_level
from tests.navcore.views.cell_worlds import SETTINGS, floor, piece_from, piece_of

OPEN, BOTTOMLESS = 65535, -100_000
HEIGHT, CLIMB = 4, 2  # vx, of SETTINGS


def reasons(piece: ViewedPiece) -> list[str]:
    return [REASONS[number] for number in reasons_of(piece.stages, piece.navmesh.settings)]


def around(middle: list[Span], side: int = 3) -> list[list[Span]]:
    """Flat ground at 10 vx with other spans in its middle column."""
    columns: list[list[Span]] = [[(0, 10, 63)] for _ in range(side * side)]
    columns[side * side // 2] = middle
    return columns


def test_even_ground_is_walkable_but_for_the_rim_of_the_grid() -> None:
    assert reasons(piece_of(3, floor(3, 3))) == ["LEDGE"] * 4 + ["WALKABLE"] + ["LEDGE"] * 4


def test_what_had_no_area_from_the_beginning_is_too_steep() -> None:
    assert reasons(piece_of(3, around([(0, 13, 0)])))[4] == "TOO_STEEP"


def test_what_a_low_obstacle_lends_its_area_to_is_walkable() -> None:
    assert reasons(piece_of(3, around([(0, 9, 63), (10, 11, 0)])))[4:6] == ["LOW_CEILING", "WALKABLE"]


def test_a_drop_is_a_ledge() -> None:
    assert reasons(piece_of(3, around([(0, 13, 63)])))[4] == "LEDGE"


def test_floors_in_reach_that_lie_too_far_apart_are_uneven() -> None:
    columns: list[list[Span]] = [[(0, top, 63)] for top in (8, 10, 12)] * 3
    assert reasons(piece_of(3, columns))[4] == "UNEVEN"


def test_a_room_that_is_too_low_has_a_low_ceiling() -> None:
    assert reasons(piece_of(3, around([(0, 10, 63), (13, 14, 63)])))[4] == "LOW_CEILING"


def test_what_erosion_took_is_too_close() -> None:
    piece = piece_of(7, floor(7, 7), replace(SETTINGS, agent_radius=1.0))
    square = np.array(reasons(piece)).reshape(7, 7)
    assert set(square[0]) == {"LEDGE"} and square[1, 3] == "TOO_CLOSE" and square[3, 3] == "WALKABLE"


def without(compact: CompactHeightfield, span: int) -> CompactHeightfield:
    area = compact.area.copy()
    area[span] = 0
    return compact._replace(area=area)


@pytest.mark.parametrize(("stage", "reason"), [("median", "SMOOTHED"), ("marked", "MARKED")])
def test_what_a_later_stage_of_areas_took(stage: str, reason: str) -> None:
    piece = piece_of(4, floor(4, 4))  # four walkable cells
    changed = piece._replace(stages={**piece.stages, stage: without(piece.stages["eroded"], 3)})
    assert [reasons(changed)[k] for k in (5, 6, 9, 10)] == ["WALKABLE"] * 3 + [reason]


def test_the_first_stage_that_took_it_is_the_reason() -> None:
    piece = piece_of(4, floor(4, 4))
    taken = without(piece.stages["eroded"], 3)
    assert reasons(piece._replace(stages={**piece.stages, "eroded": taken, "marked": taken}))[10] == "TOO_CLOSE"


def test_no_region_and_a_tiles_border() -> None:
    piece = piece_of(4, floor(4, 4))
    region = np.array([1, 0, BORDER_REGION | 2, 1], np.uint16)
    piece = piece._replace(stages={**piece.stages, "regions": piece.stages["regions"]._replace(region=region)})
    assert [reasons(piece)[k] for k in (5, 6, 9, 10)] == ["WALKABLE", "REGION_TOO_SMALL", "BORDER", "WALKABLE"]


def test_small_regions_vanish() -> None:
    piece = piece_of(4, floor(4, 4), replace(SETTINGS, region_min_size=3))
    assert [reasons(piece)[k] for k in (5, 6, 9, 10)] == ["REGION_TOO_SMALL"] * 4


def test_how_deep_it_is_beside_a_ledge() -> None:
    piece = piece_of(3, around([(0, 13, 63)]))
    assert drop_beside(piece.stages["low_height"], SETTINGS, 4, 4) == 3
    assert drop_beside(piece.stages["low_height"], SETTINGS, 0, 0) is None


def judged(piece: ViewedPiece, height: int = HEIGHT, climb: int = CLIMB) -> list[str]:
    """The twin: what each stage says of each span, one after the other. Height and climb are in voxels."""
    stages, found, open_number = piece.stages, [], 0
    columns = columns_of(stages["low_height"])
    number = 0
    for column, spans in enumerate(columns):
        for k in range(len(spans)):
            areas = {name: int(stages[name].area[number]) for name in ("low_hanging", "ledges", "low_height")}
            if not areas["low_hanging"]:
                found.append("TOO_STEEP")
            elif not areas["ledges"]:
                drop = is_drop(columns, stages["grid"].width, column, k, height, climb)
                found.append("LEDGE" if drop else "UNEVEN")
            elif not areas["low_height"]:
                found.append("LOW_CEILING")
            else:
                region = int(stages["regions"].region[open_number])
                if not stages["eroded"].area[open_number]:
                    found.append("TOO_CLOSE")
                else:
                    found.append("WALKABLE" if region else "REGION_TOO_SMALL")
                open_number += 1
            number += 1
    return found


def is_drop(columns: list[list[Span]], width: int, column: int, k: int, height: int, climb: int) -> bool:
    """Whether one can get from a span's top to more than the climb below it, or to where nothing is."""
    floor_here = columns[column][k][1]
    ceiling = columns[column][k + 1][0] if k + 1 < len(columns[column]) else OPEN
    x, z, depth = column % width, column // width, len(columns) // width
    for bx, bz in ((x - 1, z), (x + 1, z), (x, z - 1), (x, z + 1)):
        if not (0 <= bx < width and 0 <= bz < depth):
            return True
        spans = columns[bx + bz * width]
        floors = [BOTTOMLESS, *(top for _, top, _ in spans)]
        ceilings = [*(bottom for bottom, _, _ in spans), OPEN]
        for low, high in zip(floors, ceilings, strict=True):
            if min(ceiling, high) - max(floor_here, low) >= height and floor_here - low > climb:
                return True
    return False


def random_piece(seed: int) -> ViewedPiece:
    return piece_from(random_level(seed), replace(SETTINGS, agent_radius=float(seed % 2), region_min_size=2))


@pytest.mark.parametrize("seed", range(40))
def test_random_levels_have_the_reasons_of_the_twin(seed: int) -> None:
    piece = random_piece(seed)
    assert reasons(piece) == judged(piece) == one_by_one(piece)


def one_by_one(piece: ViewedPiece) -> list[str]:
    first = piece.stages["low_height"].first.tolist()
    spans = [(column, span) for column, ends in enumerate(pairwise(first)) for span in range(*ends)]
    return [REASONS[reason_of_span(piece.stages, piece.navmesh.settings, *place)] for place in spans]


def test_the_random_levels_have_every_reason_of_a_plain_build() -> None:
    found = {reason for seed in range(40) for reason in reasons(random_piece(seed))}
    assert found == {
        "WALKABLE", "TOO_STEEP", "LEDGE", "UNEVEN", "LOW_CEILING", "TOO_CLOSE", "REGION_TOO_SMALL",
    }  # fmt: skip
