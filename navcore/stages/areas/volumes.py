"""Stage 5: what each open span is for: kept clear of edges by the agent's radius, smoothed, and marked by volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import BadInput
from ..geometry.columns import copy
from ..geometry.edge_distance import LEAST_SPANS, distance_alone, edge_distance, sides_of
from ..jit import kernel
from ..scene import BoxVolume, CylinderVolume, Volume
from ..threads import Workers
from ..types import F32, NOT_WALKABLE, U8, CompactHeightfield, Grid

_LEAST_SPANS, _MOST_SPANS = 100_000, 500_000  # in one band
_LEAST_WORK, _MOST_WORK = 100_000, 1_000_000  # likewise, in cells; for polygons times corners
_FARTHEST_VX = float(1 << 30)  # beyond any grid


def erode_walkable_area(compact: CompactHeightfield, radius_vx: int, workers: Workers) -> CompactHeightfield:
    """Take away the spans nearer than `radius_vx` to an edge, so that an agent's center may stand on all that are left.

    Right for any radius; Recast's own is for less than 128. Recast: rcErodeWalkableArea.
    """
    if radius_vx < 0:
        raise BadInput(f"The agent's radius must be at least 0 voxels, not {radius_vx}.")
    if radius_vx == 0:
        return compact._replace(area=_copied(compact.area, workers))
    shortest = np.uint16(min(2 * radius_vx, 0xFFFF))
    if workers.alone(len(compact.area), 2 * LEAST_SPANS):
        return compact._replace(area=eroded_alone(compact, sides_of(compact), shortest, workers.progress.cancelled))
    distance, area = edge_distance(compact, False, workers), np.empty_like(compact.area)
    bands = workers.bands(len(area), _LEAST_SPANS, _MOST_SPANS)
    workers.run(_keep, [(compact.area, distance, shortest, area, *band) for band in bands])
    return compact._replace(area=area)


def _copied(area: U8, workers: Workers) -> U8:
    """A copy, made band by band: cancelling is seen."""
    copied = np.empty_like(area)
    bands = workers.bands(len(area), _LEAST_SPANS, _MOST_SPANS)
    workers.run(copy, [(area[begin:end], copied[begin:end]) for begin, end in bands])
    return copied


@kernel
def eroded_alone(compact, sides, shortest, cancelled):
    distance, old = distance_alone(compact, sides, False, cancelled), compact.area
    area = np.empty(old.shape[0], np.uint8)
    _keep(old, distance, shortest, area, 0, old.shape[0])
    return area


@kernel
def _keep(old, distance, shortest, area, begin, end):
    """What is far enough from every edge keeps its area."""
    for span in range(np.uint64(begin), np.uint64(end)):
        area[span] = old[span] if distance[span] >= shortest else NOT_WALKABLE


def median_filter_walkable_area(compact: CompactHeightfield, workers: Workers) -> CompactHeightfield:
    """Give each walkable span the median of its area and its neighbors', so that specks vanish.

    Recast: rcMedianFilterWalkableArea.
    """
    links = compact.neighbors.reshape(-1)
    area = np.empty_like(compact.area)
    bands = workers.bands(len(area), _LEAST_SPANS, _MOST_SPANS)
    workers.run(_median, [(links, compact.area, area, *band) for band in bands])
    return compact._replace(area=area)


@kernel
def _median(links, old, new, begin, end):
    """`links[4 * span + direction]` is a neighbor: a flat array is faster to read than an (O, 4) one."""
    around = np.empty(9, np.uint8)
    for span in range(begin, end):
        own = old[span]
        new[span] = own
        if own == NOT_WALKABLE:
            continue
        around[:] = own
        others = 0
        for direction in range(4):
            near = links[4 * span + direction]
            for place in range(2 * direction, 2 * direction + 2):  # the neighbor, then the corner reached through it
                if near >= 0:
                    area = old[near]
                    if area != NOT_WALKABLE and area != own:
                        around[place] = area
                        others += 1
                    near = links[4 * near + ((direction + 1) & 3)]
        if others > 4:  # else at least five of the nine are its own
            new[span] = _middle_of_nine(around)


@kernel
def _middle_of_nine(values):
    for i in range(1, 9):
        value = values[i]
        place = i
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value
    return values[4]


class _Footprint(NamedTuple):
    """The cells and heights that a volume's box touches, all inclusive, and where the centers of those cells lie."""

    columns: tuple[int, int]
    rows: tuple[int, int]
    floors_vx: tuple[int, int]
    center_x: F32  # one a column
    center_z: F32  # one a row


def touching(grid: Grid, volumes: Sequence[Volume]) -> Sequence[Volume]:
    """Those of the volumes that lie above or below the grid's columns."""
    return [volume for volume in volumes if _footprint(grid, *_bounds(volume)) is not None]


def mark_volumes(
    grid: Grid, compact: CompactHeightfield, volumes: Sequence[Volume], workers: Workers
) -> CompactHeightfield:
    """Give the walkable spans inside each volume its area, in order: of two volumes that overlap, the later one counts.

    Recast: rcMarkBoxArea, rcMarkCylinderArea, rcMarkConvexPolyArea.
    """
    area = _copied(compact.area, workers)
    for volume in volumes:
        found = _footprint(grid, *_bounds(volume))
        if found is not None:
            inside = _cells_inside(volume, found, workers)
            shared = (compact, area, volume.area, inside, found.columns, found.rows[0], found.floors_vx)
            workers.run(_mark, [(*shared, *band) for band in _bands_of_rows(len(inside), inside.shape[1], workers)])
    return compact._replace(area=area)


@kernel
def _mark(compact, area, area_id, inside, columns, first_row, floors_vx, begin, end):
    width, first, floor = compact.width, compact.first, compact.floor
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
    points = np.array(volume.points, f32)
    (low_x, low_z), (high_x, high_z) = points.min(0), points.max(0)
    return np.array([low_x, volume.min_height, low_z], f32), np.array([high_x, volume.max_height, high_z], f32)


def _footprint(grid: Grid, low: F32, high: F32) -> _Footprint | None:
    """Where a box lies in the grid; None where it lies beside it.

    Recast cuts off fractions, so that what lies less than a cell outside the low edge counts as the first cell.
    """
    with np.errstate(over="ignore"):
        steps = np.array([grid.cell_size, grid.cell_height, grid.cell_size], np.float32)
        (x0, y0, z0), (x1, y1, z1) = (_whole((corner - grid.bounds_min) / steps) for corner in (low, high))
    columns, rows = (max(x0, 0), min(x1, grid.width - 1)), (max(z0, 0), min(z1, grid.depth - 1))
    if columns[0] > columns[1] or rows[0] > rows[1]:
        return None
    return _Footprint(columns, rows, (y0, y1), _centers(grid, 0, columns), _centers(grid, 2, rows))


def _whole(cells: F32) -> list[int]:
    return [int(min(max(float(c), -_FARTHEST_VX), _FARTHEST_VX)) for c in cells]


def _centers(grid: Grid, axis: int, cells: tuple[int, int]) -> F32:
    numbers = np.arange(cells[0], cells[1] + 1, dtype=np.float32)
    centers: F32 = grid.bounds_min[axis] + (numbers + np.float32(0.5)) * grid.cell_size
    return centers


def _cells_inside(volume: Volume, found: _Footprint, workers: Workers) -> npt.NDArray[np.bool_]:
    """(rows, columns) of the footprint: whether the center of the cell is in the volume."""
    rows, columns = len(found.center_z), len(found.center_x)
    inside = np.empty((rows, columns), np.bool_)
    if isinstance(volume, BoxVolume):
        for begin, end in _bands_of_rows(rows, columns, workers):
            workers.progress.check()
            inside[begin:end] = True
    elif isinstance(volume, CylinderVolume):
        (x, _, z), radius = np.array(volume.base, np.float32), np.float32(volume.radius)
        with np.errstate(over="ignore"):
            from_x, from_z = found.center_x - x, found.center_z - z
            squares = (from_x * from_x, from_z * from_z, radius * radius)
        bands = _bands_of_rows(rows, columns, workers)
        workers.run(_fill_circle, [(*squares, inside, *band) for band in bands])
    else:
        points = np.array(volume.points, np.float32)
        bands = _bands_of_rows(rows, columns * len(points), workers)
        workers.run(_fill_polygon, [(points, found.center_x, found.center_z, inside, *band) for band in bands])
    return inside


def _bands_of_rows(rows: int, work: int, workers: Workers) -> list[tuple[int, int]]:
    """Bands for rows of so much work each."""
    return workers.bands(rows, 1 + _LEAST_WORK // work, 1 + _MOST_WORK // work)


@kernel
def _fill_circle(from_x, from_z, radius, inside, begin, end):
    """All three are squares."""
    for row in range(begin, end):
        for column in range(from_x.shape[0]):
            inside[row, column] = not from_x[column] + from_z[row] >= radius


@kernel
def _fill_polygon(points, center_x, center_z, inside, begin, end):
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


def offset_polygon(points: F32, offset: float, capacity: int | None = None) -> F32:
    """(N, 3) corners → (M, 3) corners `offset` metres farther out (for one order of the corners; in for the other).

    Sharp corners are beveled into two. With a `capacity` that is less than what comes out, nothing does.
    Recast: rcOffsetPoly.
    """
    corners = np.asarray(points, np.float32)
    if corners.ndim != 2 or corners.shape[1] != 3:
        raise BadInput(f"A polygon to offset must be an array of (N, 3) corners, not {corners.shape}.")
    far = np.float32(offset)
    xz = corners[:, ::2]
    toward, onward = _directions(xz - np.roll(xz, 1, 0)), _directions(np.roll(xz, -1, 0) - xz)
    before, after = _across(toward), _across(onward)
    middle = (before + after) * np.float32(0.5)
    squares = _dots(middle, middle)
    turn = onward[:, 0] * toward[:, 1] - toward[:, 0] * onward[:, 1]
    beveled = (squares * np.float32(1.2) * np.float32(1.2) < 1) & (turn < 0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # where it isn't taken
        middle = np.where(_apart(squares), middle * (np.float32(1) / squares)[:, None], middle)
    cut = ((np.float32(1) - _dots(toward, onward)) * np.float32(0.5))[:, None]
    first = xz + np.where(beveled[:, None], (-before + toward * cut) * far, -(middle * far))
    second = xz + (-after - onward * cut) * far
    places = np.cumsum(1 + beveled) - 1
    result = np.repeat(corners, 1 + beveled, 0)
    result[places, ::2] = np.where(beveled[:, None], second, first)
    result[places[beveled] - 1, ::2] = first[beveled]
    return result if capacity is None or len(result) <= capacity else result[:0]


def _directions(steps: F32) -> F32:
    """(N, 2) vectors at length one; those that have next to none as they are."""
    squares = _dots(steps, steps)
    with np.errstate(divide="ignore", invalid="ignore"):  # where it isn't taken
        return np.where(_apart(squares), steps * (np.float32(1) / np.sqrt(squares))[:, None], steps)


def _apart(squares: F32) -> npt.NDArray[np.bool_]:
    return (squares > np.float32(1e-6))[:, None]


def _across(directions: F32) -> F32:
    return np.stack([-directions[:, 1], directions[:, 0]], 1)


def _dots(a: F32, b: F32) -> F32:
    products: F32 = a * b
    return products[:, 0] + products[:, 1]
