"""Tops and undersides of cells, merged: cells of one height and look become rectangles.

Runs along x first, then runs of following rows that are equal. Faces are (x0, x1, z0, z1, y0, y1, look) in cells and
voxels. Bands of rows are merged each by itself, and are the same ones for any number of threads.
"""

from __future__ import annotations

import numpy as np

from ...geometry.arrays import grown
from ...jit import kernel
from ...types import I32, U16
from .frame import HIDDEN, Cells

X0, X1, Z0, Z1, Y0, Y1, LOOK = range(7)  # columns of a face
LOOKS = 8  # of one paint: four sides, each in two shades
TOP, TOWARDS_X, TOWARDS_Z, UNDERSIDE, OTHER_SHADE = 0, 1, 2, 3, 4
_ROOM = 256  # faces that there is room for at first


@kernel
def flat_faces(cells: Cells, side: int, begin: int, end: int) -> I32:
    """The tops of the cells in rows begin:end, or their undersides but for the lowest in a column."""
    width, _, margin, first, low, high, paint = cells
    skipped, heights = 0, high
    if side == UNDERSIDE:
        skipped, heights = 1, low
    longest = 0
    for z in range(begin, end):
        longest = max(longest, first[(z + 1) * width] - first[z * width])
    faces, count = np.empty((_ROOM, 7), np.int32), 0
    runs, run_count = np.empty((longest + 1, 4), np.int32), 0  # first column, end, first span, of this row
    run_of = np.empty(longest + 1, np.int32)  # of each span of this row
    here, above = np.empty(longest + 1, np.int32), np.empty(longest + 1, np.int32)  # the face that begins at a span
    for z in range(begin, end):
        row, row_above = first[z * width], first[max(z - 1, begin) * width]
        columns = z * width, margin, width - margin
        run_count = _runs_of_row(first, heights, paint, columns, skipped, run_of, runs)
        here[: first[(z + 1) * width] - row] = -1
        for r in range(run_count):
            x0, x1, span = runs[r, 0], runs[r, 1], np.int64(runs[r, 2])
            face = np.int64(-1)
            if z > begin:
                column = (z - 1) * width + x0
                for other in range(first[column] + skipped, first[column + 1]):
                    if heights[other] == heights[span] and paint[other] == paint[span]:
                        face = np.int64(above[other - row_above])
            if face < 0 or faces[face, X1] != x1:
                if count == faces.shape[0]:
                    faces = grown(faces, count, count + 1)
                face = np.int64(count)
                count += 1
                faces[face, X0], faces[face, X1], faces[face, Z0] = x0, x1, z
                faces[face, Y0] = faces[face, Y1] = heights[span]
                shade = OTHER_SHADE if heights[span] & 1 else 0
                faces[face, LOOK] = np.int32(paint[span]) * LOOKS + side + shade
            faces[face, Z1] = z + 1
            here[span - row] = face
        here, above = above, here
    return faces[:count].copy()


@kernel
def _runs_of_row(
    first: I32, heights: U16, paint: U16, columns: tuple[int, int, int], skipped: int, run_of: I32, runs: I32
) -> int:
    """The longest runs of cells of one height and paint in a row; returns how many there are.

    `columns` are the row's first in the grid, and where it begins and ends, counted from there.
    """
    row, begin, end = columns
    count, origin = 0, first[row]
    for x in range(begin, end):
        column = row + x
        other = first[column - 1] + skipped if x > begin else 0
        other_end = first[column] if x > begin else 0
        for span in range(first[column] + skipped, first[column + 1]):
            if paint[span] == HIDDEN:
                run_of[span - origin] = -1
                continue
            while other < other_end and (paint[other] == HIDDEN or heights[other] < heights[span]):
                other += 1
            run = np.int32(-1)
            if other < other_end and heights[other] == heights[span] and paint[other] == paint[span]:
                run = run_of[other - origin]
            if run < 0:
                run = np.int32(count)
                runs[run, 0], runs[run, 2] = x, span
                count += 1
            runs[run, 1] = x + 1
            run_of[span - origin] = run
    return count
