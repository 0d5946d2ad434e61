"""Where the cells of a piece lie, which of them are cut away, and which one lies at a point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..build_warning import Point
from ..jit import kernel
from ..threads import SMALL, Workers
from ..types import F32, F64, I32, I64, U8, U16, CompactHeightfield, Grid
from .picture import Color, LegendRow, Shown, Stages, ViewedPiece

# --- Colors of cells: of each paint four sides in two shades, and rows of the legend.

LOOKS = 8  # of one paint: four sides, each in two shades
_LIGHT = (1.0, 0.78, 0.62, 0.45)  # on tops, on sides that look along x and along z, and on undersides
_OTHER_LIGHT = 0.86  # of every other layer of voxels, times that


class Paint(NamedTuple):
    """What cells of one kind are called, and their color."""

    label: str
    color: Color


def looks_of(colors: Sequence[Color], layered: bool = False) -> U8:
    """(paints × LOOKS, 4) colors of all sides; `colors` are those of the paints from 1 on. 0 is what is not drawn."""
    paints = np.array([(0, 0, 0, 0), *colors], np.float64)
    light = np.outer((1.0, _OTHER_LIGHT if layered else 1.0), _LIGHT).ravel()
    looks = np.repeat(paints[:, None], LOOKS, axis=1)
    looks[:, :, :3] *= light[:, None]
    return np.round(looks).astype(np.uint8).reshape(-1, 4)


def legend_of(paints: Sequence[Paint], counts: I64) -> tuple[LegendRow, ...]:
    """A row for each paint that occurs; `counts` begins with what is not drawn."""
    return tuple(
        LegendRow(paint.label, paint.color, int(count))
        for paint, count in zip(paints, counts[1:], strict=True)
        if count
    )


def counts_of(cells: Cells, paints: int) -> I64:
    """How many drawn cells have each paint; the first number is of those that are not drawn."""
    counts = np.zeros(paints + 1, np.int64)
    _count_paints(cells, counts)
    return counts


@kernel
def _count_paints(cells: Cells, counts: I64) -> None:
    width, depth, margin, first, _, _, paint = cells
    for z in range(margin, depth - margin):
        for span in range(first[z * width + margin], first[z * width + max(width - margin, margin)]):
            counts[paint[span]] += 1


HIDDEN = 0  # the paint of what is not drawn
LIFT_VX = 1  # a face for a floor lies one voxel above it, out of the level's own surface
_HIGHEST_LIMIT_VX = 1 << 17  # above every voxel
_ROUNDING_VX = 1e-4  # a limit that is meant to be at a voxel's edge is


class Cells(NamedTuple):
    """What is drawn of each column, from the lowest up: boxes from `low` to `high`, or faces at `high`."""

    width: int  # columns along x
    depth: int  # columns along z
    margin: int  # so many columns on each side are a tile's border: they hide what lies behind, and are not drawn
    first: I32  # (C + 1,)
    low: U16  # (S,) vx
    high: U16  # (S,) vx
    paint: U16  # (S,) which look; HIDDEN for none


class CellFrame(NamedTuple):
    """A piece's place in the world, and the slice that is shown of it."""

    origin: F64  # (3,) metres
    cell_size: float  # metres
    cell_height: float
    width: int
    depth: int
    margin: int
    lowest_vx: int  # what lies below it is cut away
    highest_vx: int

    def middle_of(self, column: int, voxel: float) -> Point:
        """The middle of a column at a height in voxels, in metres."""
        x, z = column % self.width + 0.5, column // self.width + 0.5
        across, up = self.cell_size, self.cell_height
        place = self.origin.tolist()
        return place[0] + x * across, place[1] + voxel * up, place[2] + z * across

    def column_at(self, point: Point) -> int:
        """The column that a point lies in; -1 outside of what is drawn."""
        x = math.floor((point[0] - self.origin[0]) / self.cell_size)
        z = math.floor((point[2] - self.origin[2]) / self.cell_size)
        near = self.margin
        inside = near <= x < self.width - near and near <= z < self.depth - near
        return x + z * self.width if inside else -1

    def nearest(self, first: I32, low: U16, high: U16, point: Point, thick: bool = False) -> int:
        """The span in the point's column that is shown and whose `high` is nearest to it; -1 where there is none.

        What is `thick` is shown where a part of it lies within the slice, and not if it only touches that.
        """
        column = self.column_at(point)
        if column < 0:
            return -1
        begin, end = int(first[column]), int(first[column + 1])
        lows, highs = low[begin:end].astype(np.int64), high[begin:end].astype(np.int64)
        spans = np.flatnonzero((highs >= self.lowest_vx + thick) & (lows <= self.highest_vx - thick))
        if len(spans) == 0:
            return -1
        heights = self.origin[1] + highs[spans] * self.cell_height
        return begin + int(spans[np.argmin(np.abs(heights - point[1]))])


def frame_of(piece: ViewedPiece, shown: Shown, with_border: bool = False) -> CellFrame:
    """The frame of a piece; its border's columns are drawn where that is asked for."""
    grid: Grid = piece.stages["grid"]
    origin, height = grid.bounds_min.astype(np.float64), float(grid.cell_height)
    low, high = (
        min(max((limit - float(origin[1])) / height, -1.0), float(_HIGHEST_LIMIT_VX))
        for limit in (shown.lowest, shown.highest)
    )
    return CellFrame(
        origin, float(grid.cell_size), height, grid.width, grid.depth, 0 if with_border else grid.border,
        math.ceil(low - _ROUNDING_VX), math.floor(high + _ROUNDING_VX),
    )  # fmt: skip


def flat_cells(frame: CellFrame, first: I32, floor: U16, paint: U16, room_vx: int) -> Cells:
    """Faces at floors, those beyond the slice hidden. Floors closer than `room_vx` are one when cells are joined."""
    if _cuts(frame):
        paint = np.where((floor >= frame.lowest_vx) & (floor <= frame.highest_vx), paint, np.uint16(HIDDEN))
    low = floor - np.minimum(floor, np.uint16(room_vx - 1))
    return Cells(frame.width, frame.depth, frame.margin, first, low, floor, paint)


def box_cells(frame: CellFrame, first: I32, bottom: U16, top: U16, paint: U16) -> Cells:
    """Boxes, cut at both ends of the slice."""
    low, high = bottom, top
    if _cuts(frame):
        lowest, highest = (np.uint16(min(max(v, 0), 0xFFFF)) for v in (frame.lowest_vx, frame.highest_vx))
        low, high = np.maximum(bottom, lowest), np.minimum(top, highest)
        paint = np.where((high > low) & (frame.highest_vx > 0), paint, np.uint16(HIDDEN))
    return Cells(frame.width, frame.depth, frame.margin, first, low, high, paint)


def _cuts(frame: CellFrame) -> bool:
    return frame.lowest_vx > 0 or frame.highest_vx < _HIGHEST_LIMIT_VX


def workers_for(amount: int) -> Workers:
    """As many threads as are worth waking for so many cells or triangles."""
    return Workers(1 if amount <= SMALL else None)


def edges_of(frame: CellFrame, count: int, axis: int, factor: int) -> F32:
    """Metres of the edges between drawn cells along an axis, `factor` columns each; the last one may be narrower."""
    last = (frame.width, frame.depth)[axis // 2] - frame.margin
    first = frame.margin if factor > 1 else 0  # cells that were joined have no border any more
    columns = np.minimum(first + np.arange(count + 1, dtype=np.int64) * factor, max(last, 0) if factor > 1 else count)
    return (frame.origin[axis] + columns * frame.cell_size).astype(np.float32)


def open_spans(stages: Stages) -> CompactHeightfield:
    """The open spans with the areas that regions were made of."""
    return next(stages[name] for name in ("marked", "median", "eroded") if name in stages)
