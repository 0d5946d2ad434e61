"""Pictures of whole levels, in one piece and in tiles: what each cell's color is, judged cell by cell, and refusals."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from navcore import BadInput, NavMesh, Settings, build_navmesh
from navcore.scene import BoxVolume
from navcore.types import BORDER_REGION
from navcore.views.catalog import VIEWS, pieces_of, stage_picture
from navcore.views.cell_frame import CellFrame, frame_of
from navcore.views.picture import Shown, ViewedPiece
from navcore.views.region_colors import color_of_region
from tests import scenes
from tests.navcore.views.cell_worlds import Color, Flat, taken_apart
from tests.navcore.views.test_reasons import judged

CELL_VIEWS = ("VOXELS", "COMPACT", "REASONS", "DISTANCE", "WATER", "REGIONS", "CONNECTIONS")
BLACK = (0, 0, 0, 64)
AGENT = (10, 4)  # vx: height and climb by default
WATER_LEVEL = 0.7


@cache
def built(level: str, tile_size: int, partition: str = "watershed") -> NavMesh:
    make = {"city": lambda: scenes.city(1), "terrain": lambda: scenes.terrain(40, 0.5, 0.1)}[level]
    settings = Settings(cell_size=0.4, tile_size=tile_size, partition=partition)
    volumes = [BoxVolume(area=5, min=(1, -5, 1), max=(4, 9, 4)), BoxVolume(area=0, min=(7, -5, 7), max=(9, 9, 9))]
    return build_navmesh(*make(), settings, volumes=volumes if level == "terrain" else (), keep_stages=True)


def pieces(navmesh: NavMesh, name: str) -> list[ViewedPiece]:
    return list(pieces_of(navmesh, VIEWS[name]))


def color_of_cell(piece: ViewedPiece, name: str, span: int) -> Color:
    """The twin, for open spans."""
    stages = piece.stages
    area = int(next(stages[stage] for stage in ("marked", "median", "eroded") if stage in stages).area[span])
    if name == "COMPACT":
        return {0: BLACK, 63: (0, 192, 255, 64)}.get(area, (*color_of_region(area)[:3], 64))
    if name == "DISTANCE":
        white = stages["distance"].maximum if piece.tile is None else stages["grid"].width
        grey = int(stages["distance"].distance[span]) * 255 // white
        return (grey, grey, grey, 255)
    region = int(stages["regions"].region[span])
    assert region < BORDER_REGION
    shore = stages["distance"].maximum * (1 - WATER_LEVEL)
    if name == "WATER" and stages["distance"].distance[span] <= shore:
        return (104, 96, 84, 255)
    alpha = 64 if name == "CONNECTIONS" else 255
    return (*color_of_region(region, piece.tile)[:3], alpha) if region else BLACK


def open_twin(piece: ViewedPiece, name: str) -> Flat:
    """Every open cell of a piece by itself, but for its border; floors are drawn one voxel above them."""
    ground, grid, flat = piece.stages["eroded"], piece.stages["grid"], {}
    for column, (begin, end) in enumerate(pairwise(ground.first.tolist())):
        x, z = column % grid.width, column // grid.width
        near = grid.border
        if near <= x < grid.width - near and near <= z < grid.depth - near:
            for span in range(begin, end):
                flat[x, z, int(ground.floor[span]) + 1] = color_of_cell(piece, name, span)
    return flat


@pytest.mark.parametrize("tile_size", [0, 16, 33])
@pytest.mark.parametrize("level", ["city", "terrain"])
@pytest.mark.parametrize("name", ["COMPACT", "DISTANCE", "WATER", "REGIONS", "CONNECTIONS"])
def test_every_open_cell_has_the_color_of_the_twin(name: str, level: str, tile_size: int) -> None:
    for piece in pieces(built(level, tile_size), name):
        picture = VIEWS[name].draw(piece, Shown(level=WATER_LEVEL))
        flat, sides = taken_apart(picture.corners, picture.face_colors, frame_of(piece, Shown()))
        assert flat == open_twin(piece, name) and not sides
        if name == "COMPACT":
            counts = {row.color: row.count for row in picture.legend}
            assert sum(counts.values()) == len(flat)
            assert all(count == list(flat.values()).count(color) for color, count in counts.items())


@pytest.mark.parametrize("tile_size", [0, 16])
def test_every_surface_has_the_color_of_its_reason(tile_size: int) -> None:
    colors: dict[str, set[Any]] = {}
    for piece in pieces(built("city", tile_size), "REASONS"):
        picture = VIEWS["REASONS"].draw(piece, Shown())
        flat, _ = taken_apart(picture.corners, picture.face_colors, frame_of(piece, Shown()))
        solid, grid, reasons = piece.stages["low_height"], piece.stages["grid"], judged(piece, *AGENT)
        seen = 0
        for column, (begin, end) in enumerate(pairwise(solid.first.tolist())):
            x, z, near = column % grid.width, column // grid.width, grid.border
            if near <= x < grid.width - near and near <= z < grid.depth - near:
                for span in range(begin, end):
                    colors.setdefault(reasons[span], set()).add(flat[x, z, int(solid.top[span]) + 1])
                    seen += 1
        assert seen == len(flat) == sum(row.count for row in picture.legend)
    assert all(len(of_one) == 1 for of_one in colors.values())
    assert len({next(iter(of_one)) for of_one in colors.values()}) == len(colors) >= 6


@pytest.mark.parametrize("name", CELL_VIEWS)
def test_tiles_join_without_a_gap_and_without_a_cell_twice(name: str) -> None:
    """Away from the rim, where tiles reach beyond the level, they cover what one piece covers."""
    whole, tiled = built("city", 0), built("city", 16)
    frame = frame_of(pieces(whole, name)[0], Shown())
    one, many = (inner_cells(stage_picture(navmesh, name).corners, frame) for navmesh in (whole, tiled))
    assert one == many and len(one) > 300


def inner_cells(corners: Any, frame: CellFrame) -> set[tuple[int, int, int]]:
    """What lies flat, more than five cells from the rim."""
    level = np.ptp(np.asarray(corners)[:, :, 1], axis=1) == 0
    flat, _ = taken_apart(corners[level], np.zeros((int(level.sum()), 4)), frame)
    return {(x, z, y) for x, z, y in flat if 5 <= x < frame.width - 5 and 5 <= z < frame.depth - 5}


def test_legends_of_tiles_are_added_up() -> None:
    tiled = built("city", 16)
    rows = stage_picture(tiled, "COMPACT").legend
    parts = [VIEWS["COMPACT"].draw(piece, Shown()).legend for piece in pieces(tiled, "COMPACT")]
    assert {row.label: row.count for row in rows} == {
        label: sum(row.count for part in parts for row in part if row.label == label)
        for label in ("Walkable", "Open, but not walkable any more")
    }


@pytest.mark.parametrize("name", CELL_VIEWS)
@pytest.mark.parametrize("tile_size", [0, 16])
def test_a_budget_of_faces_is_kept_by_all_tiles_together(name: str, tile_size: int) -> None:
    navmesh = built("city", tile_size)
    whole = stage_picture(navmesh, name)
    most = len(whole.corners) // 2
    picture = stage_picture(navmesh, name, Shown(most_faces=most))
    assert len(picture.corners) <= max(most, len(pieces(navmesh, name)))
    assert any(note.startswith("Cells are drawn ") or "greys" in note for note in picture.notes)


def test_border_regions_are_shown_where_they_are_asked_for() -> None:
    navmesh = built("city", 16)
    picture = stage_picture(navmesh, "REGIONS", Shown(variant="border"))
    assert len(picture.corners) > len(stage_picture(navmesh, "REGIONS").corners)
    assert {"Border 1", "Border 2", "Border 3", "Border 4"} <= {label.text for label in picture.labels}
    said = set()
    for piece in pieces(navmesh, "REGIONS"):
        near, side = piece.stages["grid"].border, piece.stages["grid"].width
        last, far, half = near - 1, side - near, side // 2  # of what erosion leaves of the border
        for flag, cell in enumerate(((last, half), (far, half), (half, last), (half, far)), 1):
            column = cell[0] + cell[1] * side
            span, end = piece.stages["eroded"].first[column : column + 2]
            if span == end or piece.stages["regions"].region[span] != BORDER_REGION | flag:
                continue
            place = frame_of(piece, Shown()).middle_of(column, float(piece.stages["eroded"].floor[span]))
            assert VIEWS["REGIONS"].value_at(piece, Shown(), place) == ""
            said.add(VIEWS["REGIONS"].value_at(piece, Shown(variant="border"), place))
    assert said == {"Border 1 towards −x", "Border 2 towards +x", "Border 3 towards −z", "Border 4 towards +z"}
    assert said <= {row.label for row in picture.legend}


def test_a_build_without_stages_is_refused_with_a_way_out() -> None:
    navmesh = build_navmesh(*scenes.flat(9))
    for name in CELL_VIEWS:
        with pytest.raises(BadInput, match=r"needs what stages made.*build with keep_stages=True") as refused:
            stage_picture(navmesh, name)
        assert refused.value.code == "NO_STAGES"


@pytest.mark.parametrize("tile_size", [0, 16])
def test_a_partition_without_distances_is_named(tile_size: int) -> None:
    navmesh = built("city", tile_size, "monotone")
    for name in ("DISTANCE", "WATER"):
        with pytest.raises(BadInput, match=r"the partition 'monotone' does without\. Build with partition='watershed'"):
            stage_picture(navmesh, name)
    assert len(stage_picture(navmesh, "REGIONS").corners)


def test_views_and_variants_that_there_are_not() -> None:
    with pytest.raises(BadInput, match=r"There is no view named 'FOG'\. There are SLOPE, VOXELS"):
        stage_picture(built("city", 0), "FOG")
    with pytest.raises(BadInput, match=r"VOXELS has no variant 'wet'\. It has walkable, dense, solid, compact"):
        stage_picture(built("city", 0), "VOXELS", Shown(variant="wet"))
    with pytest.raises(BadInput, match=r"COMPACT has no variant 'wet'\. It has no variants: leave it empty"):
        stage_picture(built("city", 0), "COMPACT", Shown(variant="wet"))
