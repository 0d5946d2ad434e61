"""Regions as paints: which cell has which, what the legend says of them, and where the middle of each lies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..types import BORDER_REGION, F64, I64, U16
from .cell_frame import HIDDEN, LIFT_VX, CellFrame, Cells, Paint
from .picture import Color, Label, LegendRow, ViewedPiece
from .region_colors import BLACK, color_of_region, region_rows

NO_REGION = 1  # its paint; that of region r is NO_REGION + r, and borders come after the last one
BORDERS = ("towards −x", "towards +x", "towards −z", "towards +z")  # the sides of flags 1 to 4
_BORDER_COLORS: tuple[Color, ...] = ((230, 92, 60, 255), (240, 190, 60, 255), (70, 170, 230, 255), (160, 100, 220, 255))
_MAX_LABELS = 200


class PaintedRegions(NamedTuple):
    """The paint of each open span."""

    paint: U16  # (O,)
    paints: list[Paint]
    count: int  # type: ignore[assignment]  # regions

    def legend_of(self, piece: ViewedPiece, counts: I64) -> tuple[LegendRow, ...]:
        """Rows for no region, for borders, and for the largest regions; `counts` begins with what is not drawn."""
        cells, regions = counts[1:], np.arange(1, self.count + 1, dtype=np.uint16)
        shown = [(self.paints[k], int(cells[k])) for k in (0, *range(self.count + 1, len(self.paints))) if cells[k]]
        rows = [LegendRow(paint.label, paint.color, count) for paint, count in shown]
        return (*rows, *region_rows(piece, piece.tile, regions, cells[regions].tolist()))


def paint_regions(piece: ViewedPiece, alpha: int = 255) -> PaintedRegions:
    """A paint for each region, for none, and for the four borders of a tile."""
    region, count = piece.stages["regions"]
    count = int(count)
    paint = (region & (BORDER_REGION - 1)) + np.uint16(NO_REGION)
    if piece.stages["grid"].border > 0:
        paint = np.where(region >= BORDER_REGION, paint + np.uint16(count), paint)
    paints = [Paint("No region", BLACK)]
    for number in range(1, count + 1):
        paints.append(Paint(f"Region {number}", (*color_of_region(number, piece.tile)[:3], alpha)))
    borders = zip(BORDERS, _BORDER_COLORS, strict=True)
    paints += [Paint(f"Border {k} {side}", (*color[:3], alpha)) for k, (side, color) in enumerate(borders, 1)]
    return PaintedRegions(paint, paints, count)


class Middles(NamedTuple):
    """Of each paint."""

    counts: I64  # cells
    cells: I64  # the one nearest to the middle of them all, -1 for none
    columns: I64  # where it lies


def middles_of(cells: Cells, paints: int) -> Middles:
    """How many cells each paint has, and which of them lies in their middle; the first row is what is not drawn."""
    counts, sums = np.zeros(paints + 1, np.int64), np.zeros((paints + 1, 2))
    found = Middles(counts, np.full(paints + 1, -1, np.int64), np.full(paints + 1, -1, np.int64))
    _find_middles(cells, counts, sums, np.full(paints + 1, np.inf), found.cells, found.columns)
    return found


@kernel
def _find_middles(cells: Cells, counts: I64, sums: F64, nearest: F64, chosen: I64, columns: I64) -> None:
    """Add up the places of each paint's cells, then look for the one nearest to their mean."""
    width, depth, margin, first, _, _, paint = cells
    for z in range(margin, depth - margin):
        for x in range(margin, width - margin):
            for span in range(first[x + z * width], first[x + z * width + 1]):
                kind = paint[span]
                counts[kind] += 1
                sums[kind, 0] += x
                sums[kind, 1] += z
    for z in range(margin, depth - margin):
        for x in range(margin, width - margin):
            for span in range(first[x + z * width], first[x + z * width + 1]):
                kind = paint[span]
                if kind == HIDDEN:
                    continue
                away_x = x - sums[kind, 0] / counts[kind]
                away_z = z - sums[kind, 1] / counts[kind]
                away = away_x * away_x + away_z * away_z
                if away < nearest[kind]:
                    nearest[kind], chosen[kind], columns[kind] = away, span, x + z * width


def labels_of(frame: CellFrame, cells: Cells, middles: Middles, texts: dict[int, str]) -> tuple[Label, ...]:
    """A text in the middle of each of these paints, where they are few; none where they are many."""
    there = [paint for paint in texts if middles.cells[paint] >= 0]
    if len(there) > _MAX_LABELS:
        return ()
    places = [
        frame.middle_of(int(middles.columns[p]), float(cells.high[middles.cells[p]]) + 2 * LIFT_VX) for p in there
    ]
    return tuple(Label(place, texts[paint]) for place, paint in zip(places, there, strict=True))
