"""Volumes (boxes, cylinders, prisms) give their area to the walkable spans inside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...jit import kernel
from ...scene import BoxVolume, CylinderVolume, KeepEdit, PatchEdit, Volume, marks_ground
from ...threads import Workers
from ...types import F32, I64, NOT_WALKABLE, U8, CompactHeightfield, Grid
from .erode_and_median import copied

_MIN_WORK, _MAX_WORK = 100_000, 1_000_000  # in one band, in cells; for polygons times corners
_FARTHEST_VX = float(1 << 30)  # beyond any grid


class _Footprint(NamedTuple):
    """The cells and heights that a volume's box touches, all inclusive, and where the centers of those cells lie."""

    columns: tuple[int, int]
    rows: tuple[int, int]
    floors_vx: tuple[int, int]
    center_x: F32  # one a column
    center_z: F32  # one a row


class Boxes(NamedTuple):
    """The boxes around volumes."""

    low: F32  # (volumes, 3) metres
    high: F32


def boxes_around(volumes: Sequence[Volume]) -> Boxes:
    """One box for each volume, in order."""
    corners = np.array([_bounds(volume) for volume in volumes], np.float32).reshape(-1, 2, 3)
    return Boxes(corners[:, 0], corners[:, 1])


def touching_numbers(grid: Grid, boxes: Boxes) -> list[int]:
    """Which of the boxes lie above or below the grid's columns."""
    (x0, _, z0), (x1, _, z1) = (_whole(_in_cells(grid, corners)).T for corners in boxes)
    beside = (x0 >= grid.width) | (x1 < 0) | (z0 >= grid.depth) | (z1 < 0) | (x0 > x1) | (z0 > z1)
    numbers: list[int] = np.flatnonzero(~beside).tolist()
    return numbers


def touching(grid: Grid, volumes: Sequence[Volume]) -> Sequence[Volume]:
    """Those of the volumes that mark ground, and lie above or below the grid's columns."""
    marks = list(filter(marks_ground, volumes))
    return [marks[number] for number in touching_numbers(grid, boxes_around(marks))] if marks else []


def mark_volumes(
    grid: Grid,
    compact: CompactHeightfield,
    volumes: Sequence[Volume],
    workers: Workers,
    corner: tuple[int, int] = (0, 0),
    areas: Sequence[int | None] | None = None,
) -> CompactHeightfield:
    """Give the walkable spans inside each volume its area, in order: of two volumes that overlap, the later one counts.

    Where `compact` is a window of the grid alone, its first column is the one at `corner`. `areas`: in place of those
    that the volumes have; one whose area is None marks nothing. Recast: rcMarkBoxArea,
    rcMarkCylinderArea, rcMarkConvexPolyArea.
    """
    area = copied(compact.area, workers)
    for number, volume in enumerate(volumes):
        if isinstance(volume, (KeepEdit, PatchEdit)):
            continue  # where they lie is known by their own ground alone
        area_id = volume.area if areas is None else areas[number]
        if area_id is None:
            continue
        footprint = _in_window(_footprint(grid, *_bounds(volume)), compact, corner)
        if footprint is not None:
            inside = _cells_inside(volume, footprint, workers)
            shared = (compact, area, area_id, inside, footprint)
            workers.run(_mark, [(*shared, *band) for band in _bands_of_rows(len(inside), inside.shape[1], workers)])
    return compact._replace(area=area)


@kernel
def _mark(
    compact: CompactHeightfield, area: U8, area_id: int, inside: npt.NDArray[np.bool_], footprint: _Footprint,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Give the spans of rows begin:end of the footprint their area."""
    width, first, floor = compact.width, compact.first, compact.floor
    columns, first_row, floors_vx = footprint.columns, footprint.rows[0], footprint.floors_vx
    for row in range(begin, end):
        for cell in range(columns[1] - columns[0] + 1):
            column = (first_row + row) * width + columns[0] + cell
            if inside[row, cell]:
                for span in range(first[column], first[column + 1]):
                    if floors_vx[0] <= np.int32(floor[span]) <= floors_vx[1] and area[span] != NOT_WALKABLE:
                        area[span] = area_id


def _bounds(volume: Volume) -> tuple[F32, F32]:
    """The (3,) corners of the box around a volume, as Recast computes them."""
    f32 = np.float32
    if isinstance(volume, BoxVolume):
        return np.array(volume.min, f32), np.array(volume.max, f32)
    if isinstance(volume, CylinderVolume):
        (x, y, z), radius, height = np.array(volume.base, f32), f32(volume.radius), f32(volume.height)
        with np.errstate(over="ignore"):
            return np.array([x - radius, y, z - radius]), np.array([x + radius, y + height, z + radius])
    if isinstance(volume, (KeepEdit, PatchEdit)):
        corners = np.array([volume.at] if isinstance(volume, KeepEdit) else volume.vertices, f32)
        around = np.array(volume.outline, f32).reshape(-1, 2) if isinstance(volume, PatchEdit) else corners[:, [0, 2]]
        flat = np.concatenate([corners[:, [0, 2]], around])
        (low_x, low_z), (high_x, high_z) = flat.min(0), flat.max(0)
        low_y, high_y = corners[:, 1].min(), corners[:, 1].max()
        return np.array([low_x, low_y, low_z], f32), np.array([high_x, high_y, high_z], f32)
    points = np.array(volume.points, f32)
    (low_x, low_z), (high_x, high_z) = points.min(0), points.max(0)
    return np.array([low_x, volume.min_height, low_z], f32), np.array([high_x, volume.max_height, high_z], f32)


def _footprint(grid: Grid, low: F32, high: F32) -> _Footprint | None:
    """Where a box lies in the grid; None where it lies beside it.

    Recast cuts off fractions, so that what lies less than a cell outside the low edge counts as the first cell.
    """
    (x0, y0, z0), (x1, y1, z1) = (_whole(_in_cells(grid, corner)).tolist() for corner in (low, high))
    columns, rows = (max(x0, 0), min(x1, grid.width - 1)), (max(z0, 0), min(z1, grid.depth - 1))
    if columns[0] > columns[1] or rows[0] > rows[1]:
        return None
    return _Footprint(columns, rows, (y0, y1), _centers(grid, 0, columns), _centers(grid, 2, rows))


def _in_window(footprint: _Footprint | None, compact: CompactHeightfield, corner: tuple[int, int]) -> _Footprint | None:
    """The part of a footprint in a grid's window, in the window's own columns."""
    if footprint is None:
        return footprint
    (x0, x1), (z0, z1) = footprint.columns, footprint.rows
    columns = max(x0, corner[0]), min(x1, corner[0] + compact.width - 1)
    rows = max(z0, corner[1]), min(z1, corner[1] + compact.depth - 1)
    if columns[0] > columns[1] or rows[0] > rows[1]:
        return None
    return _Footprint(
        (columns[0] - corner[0], columns[1] - corner[0]),
        (rows[0] - corner[1], rows[1] - corner[1]),
        footprint.floors_vx,
        footprint.center_x[columns[0] - x0 : columns[1] - x0 + 1],
        footprint.center_z[rows[0] - z0 : rows[1] - z0 + 1],
    )


def _in_cells(grid: Grid, corners: F32) -> F32:
    """(…, 3) corners counted in cells from the grid's own."""
    with np.errstate(over="ignore"):
        cells: F32 = (corners - grid.bounds_min) / np.array(
            [grid.cell_size, grid.cell_height, grid.cell_size], np.float32
        )
    return cells


def _whole(cells: F32) -> I64:
    return np.clip(cells.astype(np.float64), -_FARTHEST_VX, _FARTHEST_VX).astype(np.int64)


def _centers(grid: Grid, axis: int, cells: tuple[int, int]) -> F32:
    numbers = np.arange(cells[0], cells[1] + 1, dtype=np.float32)
    centers: F32 = grid.bounds_min[axis] + (numbers + np.float32(0.5)) * grid.cell_size
    return centers


def _cells_inside(volume: Volume, footprint: _Footprint, workers: Workers) -> npt.NDArray[np.bool_]:
    """(rows, columns) of the footprint: whether the center of the cell is in the volume."""
    rows, columns = len(footprint.center_z), len(footprint.center_x)
    inside = np.empty((rows, columns), np.bool_)
    if isinstance(volume, BoxVolume):
        for begin, end in _bands_of_rows(rows, columns, workers):
            workers.progress.check()
            inside[begin:end] = True
    elif isinstance(volume, CylinderVolume):
        (x, _, z), radius = np.array(volume.base, np.float32), np.float32(volume.radius)
        with np.errstate(over="ignore"):
            from_x, from_z = footprint.center_x - x, footprint.center_z - z
            squares = (from_x * from_x, from_z * from_z, radius * radius)
        bands = _bands_of_rows(rows, columns, workers)
        workers.run(_fill_circle, [(*squares, inside, *band) for band in bands])
    elif not isinstance(volume, (KeepEdit, PatchEdit)):
        points = np.array(volume.points, np.float32)
        bands = _bands_of_rows(rows, columns * len(points), workers)
        workers.run(_fill_polygon, [(points, footprint.center_x, footprint.center_z, inside, *band) for band in bands])
    return inside


def _bands_of_rows(rows: int, work: int, workers: Workers) -> list[tuple[int, int]]:
    """Bands for rows of so much work each."""
    return workers.bands(rows, 1 + _MIN_WORK // work, 1 + _MAX_WORK // work)


@kernel
def _fill_circle(
    from_x: F32, from_z: F32, radius: np.float32, inside: npt.NDArray[np.bool_], begin: int, end: int
) -> None:
    """The first three are squares of distances from the center."""
    for row in range(begin, end):
        for column in range(from_x.shape[0]):
            inside[row, column] = not from_x[column] + from_z[row] >= radius


@kernel
def _fill_polygon(
    points: F32, center_x: F32, center_z: F32, inside: npt.NDArray[np.bool_], begin: int, end: int
) -> None:
    """Even-odd: each edge that crosses a row of centers flips the cells to its left."""
    for row in range(begin, end):
        z = center_z[row]
        last = points.shape[0] - 1
        for column in range(center_x.shape[0]):
            inside[row, column] = False
        for corner in range(points.shape[0]):
            x0, z0, x1, z1 = points[corner, 0], points[corner, 1], points[last, 0], points[last, 1]
            last = corner
            if (z0 > z) != (z1 > z):
                crossing = (x1 - x0) * (z - z0) / (z1 - z0) + x0
                for column in range(center_x.shape[0]):
                    inside[row, column] ^= center_x[column] < crossing
