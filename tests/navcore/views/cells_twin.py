"""A slow and obvious judge: draws cell by cell, side by side, layer by layer."""

from __future__ import annotations

from itertools import pairwise

from navcore.views.cell_frame import Cells
from navcore.views.merged_cells import LOOKS, OTHER_SHADE, TOP, TOWARDS_X, TOWARDS_Z, UNDERSIDE
from tests.navcore.views.cell_worlds import Flat, Sides

STEP_UNDERNEATH = 4
Box = tuple[int, int, int]  # low, high, paint


def columns_of(cells: Cells) -> list[list[Box]]:
    boxes = list(zip(cells.low.tolist(), cells.high.tolist(), cells.paint.tolist(), strict=True))
    return [boxes[a:b] for a, b in pairwise(cells.first.tolist())]


def drawn_columns(cells: Cells) -> list[tuple[int, int]]:
    near = cells.margin
    return [(x, z) for z in range(near, cells.depth - near) for x in range(near, cells.width - near)]


def flat_twin(cells: Cells, looks: list[list[int]], side: int = TOP) -> Flat:
    columns, flat = columns_of(cells), {}
    for x, z in drawn_columns(cells):
        for number, (low, high, paint) in enumerate(columns[x + z * cells.width]):
            if paint and not (side == UNDERSIDE and number == 0):
                height = low if side == UNDERSIDE else high
                flat[x, z, height] = tuple(looks[paint * LOOKS + side + OTHER_SHADE * (height % 2)])
    return flat


def sides_twin(cells: Cells, looks: list[list[int]]) -> Sides:
    columns, sides = columns_of(cells), {}
    solid = [{layer for low, high, paint in column if paint for layer in range(low, high)} for column in columns]
    for x, z in drawn_columns(cells):
        for step_x, step_z in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            bx, bz = x + step_x, z + step_z
            inside = 0 <= bx < cells.width and 0 <= bz < cells.depth
            beside = columns[bx + bz * cells.width] if inside else []
            hidden = solid[bx + bz * cells.width] if inside else set()
            for number, (low, high, paint) in enumerate(columns[x + z * cells.width]):
                for layer in range(low, high) if paint else ():
                    if layer in hidden:
                        continue
                    if number == 0 and is_underneath(low, high, layer, beside):
                        continue
                    if step_x:
                        key = ("x", x + (step_x > 0), z, layer)
                    else:
                        key = ("z", z + (step_z > 0), x, layer)
                    sides[key] = tuple(looks[paint * LOOKS + (TOWARDS_X if step_x else TOWARDS_Z)])
    return sides


def is_underneath(low: int, high: int, layer: int, beside: list[Box]) -> bool:
    """Whether this layer is of a small step of the level's underside."""
    if not beside or not beside[0][2]:
        return False
    bottom, top, _ = beside[0]
    return top > low and layer < bottom < high and bottom - low <= STEP_UNDERNEATH
