"""Invariant 13, and 2 for heights: detail triangles cover their polygons and nothing else."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...types import F32, F64, NO_INDEX, U8, U16, U32, DetailMesh, Grid, PolygonMesh
from .invariants import CORNERS, DETAIL, DETAIL_BOUNDS

MOST_DETAIL_VERTICES, MOST_DETAIL_TRIANGLES = 127, 255
_TOLERANCE = 0.01  # of a polygon's area and rim


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
    farthest = max(abs(float(grid.bounds_min[0])), abs(float(grid.bounds_max[0])))
    farthest = max(farthest, abs(float(grid.bounds_min[2])), abs(float(grid.bounds_max[2])))
    rounding = 2 * float(np.spacing(np.float32(farthest))) / float(grid.cell_size)
    size, height = float(grid.cell_size), float(grid.cell_height)
    return DetailFrame(grid.bounds_min, size, height, float(bottom_vx), float(top_vx), rounding)


@kernel
def check_details(
    vertices: U16, polygons: U16, meshes: U32, points: F32, triangles: U8, frame: DetailFrame, flags: U32
) -> bool:
    """`check_detail`, as other kernels call it."""
    origin, cell_size, cell_height, bottom, top, rounding = frame
    bad, local = False, np.empty((2, 256))
    for polygon in range(polygons.shape[0]):
        if flags[polygon] & CORNERS != 0:
            continue
        first, count = np.int64(meshes[polygon, 0]), np.int64(meshes[polygon, 1])
        first_triangle, made = np.int64(meshes[polygon, 2]), np.int64(meshes[polygon, 3])
        found = DETAIL
        if (
            3 <= count <= MOST_DETAIL_VERTICES
            and 1 <= made <= MOST_DETAIL_TRIANGLES
            and first + count <= points.shape[0]
            and first_triangle + made <= triangles.shape[0]
        ):
            found = 0
            for i in range(count):
                local[0, i] = (float(points[first + i, 0]) - float(origin[0])) / cell_size
                local[1, i] = (float(points[first + i, 2]) - float(origin[2])) / cell_size
                y = (float(points[first + i, 1]) - float(origin[1])) / cell_height
                if not bottom <= y <= top:
                    found = DETAIL_BOUNDS
            faces = triangles[first_triangle : first_triangle + made]
            if not _covers(vertices, polygons, polygon, local, count, faces, rounding):
                found |= DETAIL
        flags[polygon] |= found
        bad |= found != 0
    return bad


@kernel
def _covers(
    vertices: U16, polygons: U16, polygon: int, local: F64, count: np.int64, triangles: U8, rounding: float
) -> bool:
    """Do the triangles add up to the polygon's area and rim, none facing down, each inner edge run once either way?"""
    area, rim, size = 0.0, 0.0, 0
    while size < polygons.shape[1] and polygons[polygon, size] != NO_INDEX:
        size += 1
    if count < size:
        return False
    for i in range(size):
        a, b = polygons[polygon, i], polygons[polygon, i + 1 if i + 1 < size else 0]
        ax, az, bx, bz = float(vertices[a, 0]), float(vertices[a, 2]), float(vertices[b, 0]), float(vertices[b, 2])
        if abs(ax - local[0, i]) > 0.5 or abs(az - local[1, i]) > 0.5:
            return False  # the polygon's own corners come first
        area += az * bx - ax * bz
        rim += math.sqrt((bx - ax) * (bx - ax) + (bz - az) * (bz - az))
    inner = np.int64(0)  # a sum to which an edge and its reverse add nothing
    slack, found, length = _TOLERANCE * area + 2.0 * rounding * rim, 0.0, 0.0
    for t in range(triangles.shape[0]):
        doubled = 0.0
        for k in range(3):
            a, b = np.int64(triangles[t, k]), np.int64(triangles[t, (k + 1) % 3])
            if a >= count or b >= count:
                return False
            ax, az, bx, bz = local[0, a], local[1, a], local[0, b], local[1, b]
            doubled += az * bx - ax * bz
            if triangles[t, 3] >> (2 * k) & 1:
                length += math.sqrt((bx - ax) * (bx - ax) + (bz - az) * (bz - az))
            elif a < b:
                inner += ((a << 7 | b) * 0x9E3779B1) & 0x7FFFFFFF
            else:
                inner -= ((b << 7 | a) * 0x9E3779B1) & 0x7FFFFFFF
        if doubled < -slack:
            return False
        found += doubled
    return inner == 0 and abs(found - area) <= slack and abs(length - rim) <= (_TOLERANCE + rounding) * rim
