"""Invariant 13, and 2 for heights: detail triangles cover their polygons and nothing else."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...types import (
    EDGE_FLAGS,
    F32,
    F64,
    FIRST_TRIANGLE,
    FIRST_VERTEX,
    I32,
    NO_INDEX,
    TRIANGLE_COUNT,
    U8,
    U16,
    U32,
    VERTEX_COUNT,
    DetailMesh,
    Grid,
    PolygonMesh,
    X,
    Y,
    Z,
)
from .invariants import CORNERS, DETAIL, DETAIL_BOUNDS

MAX_DETAIL_VERTICES, MAX_DETAIL_TRIANGLES = 127, 255
_TOLERANCE = 0.01  # of a polygon's area and rim
_LOCAL_X, _LOCAL_Z = 0, 1  # rows of places, in cells


class DetailFrame(NamedTuple):
    """Where detail may lie."""

    origin: F32  # (3,) of the polygons' grid
    cell_size: float  # metres
    cell_height: float  # metres
    bottom: float  # vx
    top: float  # vx
    rounding: float  # of a place, in cells


def check_detail(mesh: PolygonMesh, detail: DetailMesh, bottom_vx: int, top_vx: int, flags: U32) -> bool:
    """Set the bits of polygons (P,) whose detail breaks an invariant; whether any does.

    Heights must lie between `bottom_vx` and `top_vx`.
    """
    if len(detail.meshes) != len(mesh.polygons):
        flags |= DETAIL
        return True
    frame = detail_frame(mesh.grid, bottom_vx, top_vx)
    return bool(check_details(mesh.vertices, mesh.polygons, *detail, frame, flags))


def detail_frame(grid: Grid, bottom_vx: int, top_vx: int) -> DetailFrame:
    """What the kernel has to know of the grid of the polygons."""
    size, height = float(grid.cell_size), float(grid.cell_height)
    return framed_at(DetailFrame(grid.bounds_min, size, height, float(bottom_vx), float(top_vx), 0.0), grid)


def framed_at(frame: DetailFrame, grid: Grid) -> DetailFrame:
    """The same frame where another grid of such cells and heights lies."""
    (left, _, near), (right, _, far) = grid.bounds_min.tolist(), grid.bounds_max.tolist()
    farthest = np.float32(max(abs(left), abs(right), abs(near), abs(far)))
    rounding = 2 * float(np.spacing(farthest)) / frame.cell_size
    return DetailFrame(grid.bounds_min, *frame[1:-1], rounding)


@kernel
def check_details(
    vertices: U16, polygons: U16, meshes: U32, points: F32, triangles: U8, frame: DetailFrame, flags: U32
) -> bool:
    """`check_detail`, as other kernels call it."""
    origin, cell_size, cell_height, bottom, top, rounding = frame
    bad, local = False, np.empty((2, 256))
    most = np.int64(1)
    for polygon in range(polygons.shape[0]):
        most = max(most, min(np.int64(meshes[polygon, VERTEX_COUNT]), np.int64(MAX_DETAIL_VERTICES)))
    edges = np.zeros((most, most), np.int32)
    for polygon in range(polygons.shape[0]):
        if flags[polygon] & CORNERS != 0:
            continue
        first, count = np.int64(meshes[polygon, FIRST_VERTEX]), np.int64(meshes[polygon, VERTEX_COUNT])
        first_triangle, triangle_count = (
            np.int64(meshes[polygon, FIRST_TRIANGLE]),
            np.int64(meshes[polygon, TRIANGLE_COUNT]),
        )
        broken = DETAIL
        if (
            3 <= count <= MAX_DETAIL_VERTICES
            and 1 <= triangle_count <= MAX_DETAIL_TRIANGLES
            and first + count <= points.shape[0]
            and first_triangle + triangle_count <= triangles.shape[0]
        ):
            broken = 0
            for i in range(count):
                local[_LOCAL_X, i] = (float(points[first + i, X]) - float(origin[X])) / cell_size
                local[_LOCAL_Z, i] = (float(points[first + i, Z]) - float(origin[Z])) / cell_size
                y = (float(points[first + i, Y]) - float(origin[Y])) / cell_height
                if not bottom <= y <= top:
                    broken = DETAIL_BOUNDS
            faces = triangles[first_triangle : first_triangle + triangle_count]
            if not _covers(vertices, polygons, polygon, local, edges[:count, :count], faces, rounding):
                broken |= DETAIL
        flags[polygon] |= broken
        bad |= broken != 0
    return bad


@kernel
def _covers(vertices: U16, polygons: U16, polygon: int, local: F64, edges: I32, triangles: U8, rounding: float) -> bool:
    """Do the triangles add up to the polygon's area and rim, none facing down, each inner edge run once either way?

    edges[a, b] says who ran from a to b last, and as what: it needs no clearing from polygon to polygon.
    """
    area, rim, size, count = 0.0, 0.0, 0, edges.shape[0]
    while size < polygons.shape[1] and polygons[polygon, size] != NO_INDEX:
        size += 1
    if count < size:
        return False
    for i in range(size):
        a, b = polygons[polygon, i], polygons[polygon, i + 1 if i + 1 < size else 0]
        ax, az, bx, bz = float(vertices[a, X]), float(vertices[a, Z]), float(vertices[b, X]), float(vertices[b, Z])
        if abs(ax - local[_LOCAL_X, i]) > 0.5 or abs(az - local[_LOCAL_Z, i]) > 0.5:
            return False  # the polygon's own corners come first
        area += az * bx - ax * bz
        rim += math.sqrt((bx - ax) * (bx - ax) + (bz - az) * (bz - az))
    inner, outer = np.int32(2 * polygon + 1), np.int32(2 * polygon + 2)
    slack, covered, length = _TOLERANCE * area + 2.0 * rounding * rim, 0.0, 0.0
    for t in range(triangles.shape[0]):
        doubled = 0.0
        for k in range(3):
            a, b = np.int64(triangles[t, k]), np.int64(triangles[t, (k + 1) % 3])
            if a >= count or b >= count or edges[a, b] == inner or edges[a, b] == outer:
                return False
            ax, az, bx, bz = local[_LOCAL_X, a], local[_LOCAL_Z, a], local[_LOCAL_X, b], local[_LOCAL_Z, b]
            doubled += az * bx - ax * bz
            if triangles[t, EDGE_FLAGS] >> (2 * k) & 1:
                edges[a, b] = outer
                length += math.sqrt((bx - ax) * (bx - ax) + (bz - az) * (bz - az))
            else:
                edges[a, b] = inner
        if doubled < -slack:
            return False
        covered += doubled
    for t in range(triangles.shape[0]):
        for k in range(3):
            a, b = triangles[t, k], triangles[t, (k + 1) % 3]
            if edges[a, b] == inner and edges[b, a] != inner:
                return False
    return abs(covered - area) <= slack and abs(length - rim) <= (_TOLERANCE + rounding) * rim
