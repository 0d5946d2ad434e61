"""The ground of a navmesh as samples: every column of a grid over the whole world, and the heights of its floors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import TooLarge
from ..formats.gltf.glb import owned_triangles
from ..formats.plain_navmesh import PlainNavmesh
from ..jit import inlined, kernel
from ..types import F64, I64, AnyInt

MAX_SAMPLES = 100_000_000
_SAME_FLOOR = 1e-3  # metres: where tiles meet, both may hold a column's middle


class Floors(NamedTuple):
    """N samples, column by column, from below to above. The middle of column (x, z) is (x + ½, z + ½) cells."""

    columns: I64  # (N, 2)
    heights: F64  # (N,) metres


def floors_of(navmesh: PlainNavmesh, cell: float) -> Floors:
    """The ground where the middles of cells are, as its detail has it. Raises TooLarge for too small a cell."""
    triangles = _triangles(navmesh)
    flat = triangles[:, :, [0, 2]] / cell
    count = int(_count(flat))
    if count > MAX_SAMPLES:
        raise TooLarge(
            f"The ground has more than {MAX_SAMPLES:,} cells of {cell:g} m. Compare in larger cells.", "TOO_MANY_CELLS"
        )
    columns, heights = np.empty((count, 2), np.int64), np.empty(count)
    _fill(flat, triangles[:, :, 1].copy(), columns, heights)
    order = order_of_cells(columns, heights)
    columns, heights = columns[order], heights[order]
    twice = (columns[1:] == columns[:-1]).all(axis=1) & (np.diff(heights) < _SAME_FLOOR)
    kept = np.concatenate([np.ones(min(count, 1), bool), ~twice])
    return Floors(columns[kept], heights[kept])


def order_of_cells(columns: I64, heights: F64) -> I64:
    """Column by column, from below to above. (Sorting by three keys at once takes four times as long.)"""
    if not len(columns):
        return np.zeros(0, np.int64)
    low, high = columns.min(axis=0), columns.max(axis=0)
    keys = (columns[:, 0] - low[0]) * (high[1] - low[1] + 1) + (columns[:, 1] - low[1])
    order = np.argsort(keys, kind="stable")
    _sort_floors(keys, heights, order)
    return order


@kernel
def _sort_floors(keys: I64, heights: F64, order: I64) -> None:
    """What is in order by columns, by heights within each: they have few floors."""
    for i in range(1, len(order)):
        moved, j = order[i], i
        while j > 0 and keys[order[j - 1]] == keys[moved] and heights[order[j - 1]] > heights[moved]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = moved


def _triangles(navmesh: PlainNavmesh) -> F64:
    """(T, 3, 3) corners: of the detail, and of polygons where there is none, cut as in a .glb, which has no others."""
    detail = navmesh.detail_there
    if detail is not None:
        return detail.vertices[detail.triangles].astype(np.float64)
    return navmesh.vertices[owned_triangles(navmesh)[0]].astype(np.float64)


@kernel
def _count(triangles: F64) -> int:
    count = 0
    for t in range(len(triangles)):
        first, last = _rows(triangles, t)
        for row in range(first, last):
            begin, end = _span(triangles, t, row)
            count += max(end - begin, 0)
        if count > MAX_SAMPLES:
            break
    return count


@kernel
def _fill(triangles: F64, heights: F64, columns: I64, found: F64) -> None:
    count = 0
    for t in range(len(triangles)):
        ax, az = triangles[t, 0, 0], triangles[t, 0, 1]
        ux, uz = triangles[t, 1, 0] - ax, triangles[t, 1, 1] - az
        vx, vz = triangles[t, 2, 0] - ax, triangles[t, 2, 1] - az
        twice = ux * vz - uz * vx
        low, high = heights[t].min(), heights[t].max()
        first, last = _rows(triangles, t)
        for row in range(first, last):
            begin, end = _span(triangles, t, row)
            for column in range(begin, end):
                x, z = column + 0.5 - ax, row + 0.5 - az
                u, v = (x * vz - z * vx) / twice, (ux * z - uz * x) / twice
                height = heights[t, 0] + u * (heights[t, 1] - heights[t, 0]) + v * (heights[t, 2] - heights[t, 0])
                columns[count, 0], columns[count, 1] = column, row
                found[count] = min(max(height, low), high)  # of a sliver, the sums are not exact
                count += 1


@inlined
def _rows(triangles: F64, t: AnyInt) -> tuple[int, int]:
    """The rows of cells whose middles a triangle may hold."""
    low = min(triangles[t, 0, 1], triangles[t, 1, 1], triangles[t, 2, 1])
    high = max(triangles[t, 0, 1], triangles[t, 1, 1], triangles[t, 2, 1])
    return int(np.ceil(low - 0.5)), int(np.ceil(high - 0.5))


@inlined
def _span(triangles: F64, t: AnyInt, row: AnyInt) -> tuple[int, int]:
    """The columns whose middles lie in a triangle, in one row.

    An edge is cut the same way for both triangles that share it, and a middle on it belongs to one of them.
    """
    z = row + 0.5
    left, right = np.inf, -np.inf
    for k in range(3):
        j = k + 1 if k < 2 else 0
        ax, az, bx, bz = triangles[t, k, 0], triangles[t, k, 1], triangles[t, j, 0], triangles[t, j, 1]
        if az > bz:
            ax, az, bx, bz = bx, bz, ax, az
        if az <= z < bz:
            x = ax + (z - az) * ((bx - ax) / (bz - az))
            left, right = min(left, x), max(right, x)
    if not left < right:
        return 0, 0
    return int(np.ceil(left - 0.5)), int(np.ceil(right - 0.5))


@inlined
def first_of(columns: I64, x: AnyInt, z: AnyInt) -> int:
    """The first sample of a column, or of the one that comes after."""
    low, high = 0, len(columns)
    while low < high:
        middle = (low + high) // 2
        if columns[middle, 0] < x or (columns[middle, 0] == x and columns[middle, 1] < z):
            low = middle + 1
        else:
            high = middle
    return low
