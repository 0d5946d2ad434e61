"""From cells to faces with colors: merged, and several cells at a time where there would be too many faces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...jit import kernel
from ...threads import Workers
from ...types import F32, I32, U8
from .box_sides import side_faces
from .flat_faces import LOOK, TOP, TOWARDS_X, TOWARDS_Z, UNDERSIDE, X0, X1, Y0, Y1, Z0, Z1, flat_faces
from .frame import LIFT_VX, CellFrame, Cells, edges_of, workers_for
from .joined_cells import join_cells

_ROWS = 128  # in one band, whose faces are merged
_FACES_AT_ONCE = 1 << 17


class Drawn(NamedTuple):
    """The faces of cells."""

    corners: F32  # (F, 4, 3) metres
    colors: U8  # (F, 4)
    notes: tuple[str, ...]


def draw_flat(frame: CellFrame, cells: Cells, looks: U8, most_faces: int) -> Drawn:
    """Faces above floors; `looks` are (paints × LOOKS, 4) colors."""
    return _drawn(frame, cells, looks, most_faces, False, False)


def draw_boxes(frame: CellFrame, cells: Cells, looks: U8, most_faces: int, layered: bool = False) -> Drawn:
    """Boxes with what is visible of their sides; an underside has only what lies above something else."""
    return _drawn(frame, cells, looks, most_faces, True, layered)


def _drawn(frame: CellFrame, cells: Cells, looks: U8, most_faces: int, boxes: bool, layered: bool) -> Drawn:
    with workers_for(len(cells.paint)) as workers:
        factor = 1
        notes: tuple[str, ...] = ()
        parts = _merged(cells, boxes, layered, workers)
        whole = total = sum(len(part) for part in parts)
        while total > max(most_faces, 1) and cells.width * cells.depth > 1:
            cells, factor = join_cells(cells, boxes, workers), 2 * factor
            parts = _merged(cells, boxes, layered, workers)
            total = sum(len(part) for part in parts)
        if factor > 1:
            notes = (f"Cells are drawn {factor} × {factor} at a time: {whole:,} faces would be too many.",)
        edges = edges_of(frame, cells.width, 0, factor), edges_of(frame, cells.depth, 2, factor)
        heights = float(frame.origin[1]), frame.cell_height, 0 if boxes else LIFT_VX
        corners, colors = np.empty((total, 4, 3), np.float32), np.empty((total, 4), np.uint8)
        ends = np.cumsum([0, *(len(part) for part in parts)]).tolist()
        jobs = [
            (part[i : i + _FACES_AT_ONCE], *edges, heights, looks, corners[begin + i :], colors[begin + i :])
            for part, begin in zip(parts, ends[:-1], strict=True)
            for i in range(0, len(part), _FACES_AT_ONCE)
        ]
        workers.run(_write_faces, jobs)
    return Drawn(corners, colors, notes)


def _merged(cells: Cells, boxes: bool, layered: bool, workers: Workers) -> list[npt.NDArray[np.int32]]:
    """The faces of all cells, band by band."""
    begin, end = cells.margin, cells.depth - cells.margin
    bands = [(row, min(row + _ROWS, end)) for row in range(begin, end, _ROWS)]
    faces: list[npt.NDArray[np.int32]] = workers.run(flat_faces, [(cells, TOP, *band) for band in bands])
    if boxes:
        faces += workers.run(flat_faces, [(cells, UNDERSIDE, *band) for band in bands])
        for towards in (TOWARDS_X, TOWARDS_Z):
            faces += workers.run(side_faces, [(cells, towards, layered, *band) for band in bands])
    return faces


@kernel
def _write_faces(
    faces: I32, edges_x: F32, edges_z: F32, heights: tuple[float, float, int], looks: U8, corners: F32, colors: U8
) -> None:
    """Corners in metres and colors; a face that lies flat goes around counter-clockwise as seen from above."""
    origin, cell_height, lift = heights
    for i in range(faces.shape[0]):
        x0, x1 = edges_x[faces[i, X0]], edges_x[faces[i, X1]]
        z0, z1 = edges_z[faces[i, Z0]], edges_z[faces[i, Z1]]
        low = np.float32(origin + (faces[i, Y0] + lift) * cell_height)
        high = np.float32(origin + (faces[i, Y1] + lift) * cell_height)
        corners[i, 0, 0], corners[i, 1, 0], corners[i, 2, 0], corners[i, 3, 0] = x0, x0, x1, x1
        corners[i, 0, 1], corners[i, 1, 1], corners[i, 2, 1], corners[i, 3, 1] = low, low, high, high
        corners[i, 0, 2], corners[i, 1, 2], corners[i, 2, 2], corners[i, 3, 2] = z0, z1, z1, z0
        if (
            faces[i, Y0] != faces[i, Y1] and faces[i, X0] != faces[i, X1]
        ):  # it stands along x: both lower corners lie at its ends
            corners[i, 1, 0], corners[i, 3, 0] = x1, x0
        look = faces[i, LOOK]
        for channel in range(4):
            colors[i, channel] = looks[look, channel]
