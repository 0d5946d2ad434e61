"""What changed between two navmeshes as a picture: cells of ground as faces, green, red and gray, and a legend."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..build_warning import Point
from ..jit import borrowing, kernel
from ..types import F32, F64, I32, I64, U8, AnyInt
from ..views.picture import EMPTY, Color, LegendRow, Picture
from .compare import ADDED, KINDS, MOVED, REMOVED, Difference
from .floors import first_of

COLORS: dict[int, Color] = {ADDED: (20, 200, 70, 190), REMOVED: (225, 35, 30, 190), MOVED: (230, 230, 230, 215)}
_FLAT = 1 / 6  # of a cell: how far ground may lie beside the face that stands for it
_STEEPEST = 1.2  # rise over run of a face; steeper neighbors are drawn as steps


class _Cells(NamedTuple):
    """Cells that changed, sorted by column, and which of them a face covers."""

    columns: I64
    heights: F64
    kinds: U8
    covered: U8


class _Faces:
    """Room for faces, each a rectangle of cells on a plane."""

    def __init__(self, most: int) -> None:
        self.first = np.empty(most, np.int32)  # the cell in its low corner
        self.sizes = np.empty((most, 2), np.int32)  # cells along x and z
        self.rises = np.empty((most, 2), np.float32)  # metres from one cell to the next, along x and z


def difference_picture(found: Difference) -> Picture:
    """Faces over all cells that changed; those of a kind that lie on a plane side by side are one face."""
    if not len(found.kinds):
        return EMPTY._replace(notes=(f"No difference, looked at in cells of {found.cell:g} m",))
    faces = _Faces(len(found.kinds))
    count = int(
        _merge(
            found.columns, found.heights, found.kinds, found.cell * _FLAT, found.cell * _STEEPEST,
            faces.first, faces.sizes, faces.rises,
        )
    )  # fmt: skip
    colors = np.zeros((len(KINDS), 4), np.uint8)
    for kind, color in COLORS.items():
        colors[kind] = color
    kinds = found.kinds[faces.first[:count]]
    return Picture(_corners(found, faces, count), colors[kinds], EMPTY.lines, EMPTY.line_colors, legend=_legend(found))


def value_at(found: Difference, point: Point) -> str:
    """What became of the ground nearest to a point in its column, "" where nothing changed."""
    x, z = (int(np.floor(point[axis] / found.cell)) for axis in (0, 2))
    here = np.flatnonzero((found.columns == (x, z)).all(axis=1))
    if not len(here):
        return ""
    nearest = here[np.abs(found.heights[here] - point[1]).argmin()]
    return f"{KINDS[found.kinds[nearest]].capitalize()}, at a height of {found.heights[nearest]:.2f} m"


def _legend(found: Difference) -> tuple[LegendRow, ...]:
    """All three kinds, also those of which there is nothing: that is an answer."""
    return tuple(
        LegendRow(f"{KINDS[kind].capitalize()} {metres:,.1f} m²", COLORS[kind], int((found.kinds == kind).sum()))
        for kind, metres in ((ADDED, found.added), (REMOVED, found.removed), (MOVED, found.moved))
    )


def _corners(found: Difference, faces: _Faces, count: int) -> F32:
    """(F, 4, 3) metres, around each face."""
    first, sizes = faces.first[:count], faces.sizes[:count].astype(np.float64)
    rises, low = faces.rises[:count].astype(np.float64), found.columns[first]
    corners = np.empty((count, 4, 3), np.float32)
    for corner, (x, z) in enumerate(((0, 0), (0, 1), (1, 1), (1, 0))):
        along, across = sizes[:, 0] * x, sizes[:, 1] * z
        corners[:, corner, 0] = (low[:, 0] + along) * found.cell
        corners[:, corner, 2] = (low[:, 1] + across) * found.cell
        corners[:, corner, 1] = found.heights[first] + rises[:, 0] * (along - 0.5) + rises[:, 1] * (across - 0.5)
    return corners


@kernel
def _merge(
    columns: I64, heights: F64, kinds: U8, flat: float, steepest: float, first: I32, sizes: I32, rises: F32
) -> int:
    """Cover all cells with faces, each grown along z as far as it goes and then along x; returns how many."""
    covered, row = np.zeros(len(kinds), np.uint8), np.empty(len(kinds), np.int32)
    cells = _Cells(columns, heights, kinds, covered)
    count = 0
    for k in range(len(kinds)):
        if covered[k]:
            continue
        covered[k] = 1
        x, z, height, kind = columns[k, 0], columns[k, 1], heights[k], kinds[k]
        other = _free_cell(cells, k + 1, x, z + 1, kind, height, steepest)
        rise_z = heights[other] - height if other >= 0 else 0.0
        depth = 1
        while other >= 0:
            covered[other] = 1
            depth += 1
            onwards = height + rise_z * depth
            other = _free_cell(cells, other + 1, x, z + depth, kind, onwards, flat)
        begin = first_of(columns, x + 1, z)
        other = _free_cell(cells, begin, x + 1, z, kind, height, steepest)
        rise_x = heights[other] - height if other >= 0 else 0.0
        width = 1
        while other >= 0:
            other = begin - 1
            for cell in range(depth):
                onwards = height + rise_x * width + rise_z * cell
                other = _free_cell(cells, other + 1, x + width, z + cell, kind, onwards, flat)
                if other < 0:
                    break
                row[cell] = other
            if other >= 0:
                for cell in range(depth):
                    covered[row[cell]] = 1
                width += 1
                begin = first_of(columns, x + width, z)
        first[count], sizes[count, 0], sizes[count, 1] = k, width, depth
        rises[count, 0], rises[count, 1] = rise_x, rise_z
        count += 1
    return count


@borrowing
def _free_cell(
    cells: _Cells, begin: AnyInt, x: AnyInt, z: AnyInt, kind: AnyInt, height: float, apart: float
) -> int:  # fmt: skip
    """The cell of a kind in a column that is nearest to a height and not covered yet; -1 for none so near.

    It is looked for from `begin` on, which lies in the column or shortly before it.
    """
    columns, heights, kinds, covered = cells.columns, cells.heights, cells.kinds, cells.covered
    best, other = -1, int(begin)
    while other < len(columns) and (columns[other, 0] < x or (columns[other, 0] == x and columns[other, 1] <= z)):
        away = abs(heights[other] - height)
        is_there = columns[other, 0] == x and columns[other, 1] == z
        if is_there and kinds[other] == kind and away <= apart and not covered[other]:
            best, apart = other, away
        other += 1
    return best
