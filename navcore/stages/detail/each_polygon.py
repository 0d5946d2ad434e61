"""The detail mesh of one polygon after the other, into buffers of one job."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import borrowing, kernel
from ...types import (
    EDGE_FLAGS,
    F32,
    FIRST_TRIANGLE,
    FIRST_VERTEX,
    I32,
    I64,
    NO_INDEX,
    TRIANGLE_COUNT,
    U8,
    U16,
    U32,
    VERTEX_COUNT,
    AnyInt,
)
from .delaunay import Faces, TriangulationRoom, clear, new_triangulation, opened, triangulate_hull
from .deviation import MAX_TRIANGLES, Beginning, insert_samples
from .edge_and_inner_samples import (
    MAX_VERTICES,
    NEXT,
    VERTEX,
    Boundary,
    Samples,
    grid_span,
    minimum_extent,
    new_boundary,
    new_samples,
    sample_edges,
    sample_inside,
)
from .heights import HeightSource, Patch, begin_patch, new_patch
from .sampling import KINDS, TALLY_SLOTS, Sampling

TOO_FEW_CORNERS, NO_SUCH_VERTEX, OUTSIDE_GRID = -1, -2, -3
COUNTED_VERTICES, COUNTED_TRIANGLES = 0, 1  # columns of `counts`
_ZERO, _TWO = np.float32(0), np.float32(2)


class Scratch(NamedTuple):
    """What one thread needs to work on a polygon; used again for the next."""

    corners: I32  # (3, N) x, y, z of the polygon's corners, vx
    patch: Patch
    boundary: Boundary
    samples: Samples
    triangulation: TriangulationRoom


class PolygonsToDetail(NamedTuple):
    """What stage 10 has to know of a polygon mesh."""

    vertices: U16  # (V, 3) vx
    polygons: U16  # (P, N)
    region: U16  # (P,)
    origin: F32  # (3,) where the polygons' grid lies


class DetailOut(NamedTuple):
    """What one job writes."""

    counts: I32  # (P, 2) vertices and triangles of each polygon of the mesh
    vertices: F32  # (., 3) of the job's polygons, one after the other
    triangles: U8  # (., 4)
    tally: I64


@kernel
def new_scratch(corners: int, cells: AnyInt, samples: AnyInt) -> Scratch:
    """Scratch for polygons of up to so many corners, with so many cells around them and samples inside."""
    corners_vx = np.empty((3, corners), np.int32)
    return Scratch(corners_vx, new_patch(cells), new_boundary(), new_samples(samples), new_triangulation())


@kernel
def measure_polygons(
    vertices: U16, polygons: U16, width: int, depth: int, sampling: Sampling, cells: I64, samples: I64
) -> int:
    """How many cells the patch of each polygon has, and how many grid samples at most. A negative status refuses."""
    for polygon in range(polygons.shape[0]):
        low_x, high_x, low_z, high_z = np.int32(width), np.int32(0), np.int32(depth), np.int32(0)
        corners = 0
        for k in range(polygons.shape[1]):
            vertex = np.int32(polygons[polygon, k])
            if vertex == NO_INDEX:
                break
            if vertex >= vertices.shape[0]:
                return NO_SUCH_VERTEX
            x, z = np.int32(vertices[vertex, 0]), np.int32(vertices[vertex, 2])
            low_x, high_x, low_z, high_z = min(low_x, x), max(high_x, x), min(low_z, z), max(high_z, z)
            corners += 1
        if corners < 3:
            return TOO_FEW_CORNERS
        if high_x > width or high_z > depth:
            return OUTSIDE_GRID
        cells[polygon] = np.int64(high_x - low_x + 2) * (high_z - low_z + 2)
        if sampling.distance > _ZERO:
            cell_size = sampling.cell_size
            begin_x, end_x = grid_span(np.float32(low_x) * cell_size, np.float32(high_x) * cell_size, sampling.distance)
            begin_z, end_z = grid_span(np.float32(low_z) * cell_size, np.float32(high_z) * cell_size, sampling.distance)
            samples[polygon] = (end_x - begin_x) * (end_z - begin_z)
        else:
            samples[polygon] = 0
    return 0


@kernel
def build_polygons(
    mesh: PolygonsToDetail, source: HeightSource, sampling: Sampling, scratch: Scratch, chosen: I32, out: DetailOut
) -> tuple[int, int]:
    """Build the polygons `chosen`; returns how many vertices and triangles were written."""
    counts, vertices, triangles, tally = out
    corners, patch, boundary, samples, room = scratch
    triangulation, bits = opened(room), samples.error.view(np.int32)
    points, ring, faces = boundary.points, boundary.ring, triangulation.faces
    total_vertices, total_triangles = 0, 0
    counted = np.zeros(KINDS, np.int64)
    for i in range(chosen.shape[0]):
        polygon = chosen[i]
        count = _gather_corners(mesh.vertices, mesh.polygons, polygon, corners, points, sampling)
        if sampling.distance > _ZERO:
            region = np.int32(mesh.region[polygon])
            begin_patch(patch, source, corners, count, region, tally)
            ring_size = sample_edges(boundary, count, patch, source, sampling, tally)
        else:
            ring_size = count
            for k in range(count):
                ring[VERTEX, k] = k - 1 if k > 0 else count - 1
        vertex_count, face_count = ring_size, triangulate_hull(points, ring, ring_size, count, faces)
        # Polygons narrower than two samples get none inside. (Without samples, no polygon is that narrow.)
        if sampling.distance > _ZERO and not minimum_extent(points, count) < sampling.distance * _TWO:
            inside = sample_inside(samples, points, count, patch, source, sampling, tally)
            clear(triangulation)
            begin = Beginning(inside, ring_size, face_count)
            vertex_count, face_count = insert_samples(
                samples, bits, boundary, triangulation, begin, sampling.max_error, tally, source.cancelled
            )
        _write_polygon(
            vertices[total_vertices:], triangles[total_triangles:], boundary, ring_size, faces,
            (vertex_count, face_count), mesh.origin, sampling.cell_height,
        )  # fmt: skip
        counts[polygon, COUNTED_VERTICES], counts[polygon, COUNTED_TRIANGLES] = vertex_count, face_count
        total_vertices += vertex_count
        total_triangles += face_count
        for kind in range(KINDS):
            if tally[kind] > counted[kind]:
                counted[kind] = tally[kind]
                if tally[KINDS + kind] == 0 or tally[KINDS + kind] > polygon + 1:
                    tally[KINDS + kind] = polygon + 1
    return total_vertices, total_triangles


@kernel
def _gather_corners(vertices: U16, polygons: U16, polygon: int, corners: I32, points: F32, sampling: Sampling) -> int:
    count = 0
    while count < polygons.shape[1] and np.int32(polygons[polygon, count]) != NO_INDEX:
        for axis in range(3):
            value = np.int32(vertices[polygons[polygon, count], axis])
            corners[axis, count] = value
            points[axis, count] = np.float32(value) * (sampling.cell_height if axis == 1 else sampling.cell_size)
        count += 1
    return count


@borrowing
def _write_polygon(
    vertices: F32, triangles: U8, boundary: Boundary, ring_size: int, faces: Faces, counts: tuple[int, int],
    origin: F32, cell_height: np.float32,
) -> None:  # fmt: skip
    """Vertices in the world, triangles with bits 0, 2 and 4 where edge ab, bc, ca is one of the boundary's."""
    points, ring, (vertex_count, face_count) = boundary.points, boundary.ring, counts
    up = origin[1] + cell_height  # Recast's extra cell height
    for i in range(vertex_count):
        vertices[i, 0] = points[0, i] + origin[0]
        vertices[i, 1] = points[1, i] + up
        vertices[i, 2] = points[2, i] + origin[2]
    before = ring[VERTEX, ring_size - 1]
    for i in range(ring_size):
        ring[NEXT, before] = ring[VERTEX, i]
        before = ring[VERTEX, i]
    for face in range(face_count):
        here, flags = faces[np.uint32(face)], 0
        corners = here.a, here.b, here.c, here.a
        for k in range(3):
            a, b = corners[k], corners[k + 1]
            triangles[face, k] = a
            if a < ring_size and ring[NEXT, a] == b:
                flags |= 1 << (2 * k)
        triangles[face, EDGE_FLAGS] = flags


@kernel
def detail_in_one_call(
    mesh: PolygonsToDetail, source: HeightSource, sampling: Sampling, width: int, depth: int, most_samples: int
) -> tuple[AnyInt, U32, F32, U8, I64]:
    """All polygons in their order: a status (below 0, or more samples than there may be in a polygon), and the mesh."""
    count = mesh.polygons.shape[0]
    chosen, counts, meshes = np.empty(count, np.int32), np.empty((count, 2), np.int32), np.empty((count, 4), np.uint32)
    cells, samples = np.empty(count, np.int64), np.empty(count, np.int64)
    tally = np.zeros(TALLY_SLOTS, np.int64)
    no_vertices, no_triangles = np.empty((0, 3), np.float32), np.empty((0, 4), np.uint8)
    status = measure_polygons(mesh.vertices, mesh.polygons, width, depth, sampling, cells, samples)
    largest, most = np.int64(0), np.int64(0)
    for polygon in range(count):
        chosen[polygon] = polygon
        largest, most = max(largest, cells[polygon]), max(most, samples[polygon])
    if status < 0 or most > most_samples:
        return min(np.int64(status), np.int64(0)) or most, meshes, no_vertices, no_triangles, tally
    scratch = new_scratch(mesh.polygons.shape[1], largest, most)
    vertices = np.empty((count * MAX_VERTICES, 3), np.float32)
    triangles = np.empty((count * MAX_TRIANGLES, 4), np.uint8)
    out = DetailOut(counts, vertices, triangles, tally)
    v, t = build_polygons(mesh, source, sampling, scratch, chosen, out)
    vertex, triangle = 0, 0
    for polygon in range(count):
        meshes[polygon, FIRST_VERTEX], meshes[polygon, VERTEX_COUNT] = vertex, counts[polygon, COUNTED_VERTICES]
        meshes[polygon, FIRST_TRIANGLE], meshes[polygon, TRIANGLE_COUNT] = triangle, counts[polygon, COUNTED_TRIANGLES]
        vertex += counts[polygon, COUNTED_VERTICES]
        triangle += counts[polygon, COUNTED_TRIANGLES]
    return np.int64(0), meshes, vertices[:v].copy(), triangles[:t].copy(), tally


@kernel
def place_polygons(
    chosen: I32, meshes: U32, from_vertices: F32, from_triangles: U8, vertices: F32, triangles: U8
) -> None:
    """Copy what one job built to where it belongs."""
    vertex, triangle = 0, 0
    for i in range(chosen.shape[0]):
        polygon = chosen[i]
        to = np.int64(meshes[polygon, FIRST_VERTEX])
        for k in range(np.int64(meshes[polygon, VERTEX_COUNT])):
            for axis in range(3):
                vertices[to + k, axis] = from_vertices[vertex, axis]
            vertex += 1
        to = np.int64(meshes[polygon, FIRST_TRIANGLE])
        for k in range(np.int64(meshes[polygon, TRIANGLE_COUNT])):
            for axis in range(4):
                triangles[to + k, axis] = from_triangles[triangle, axis]
            triangle += 1
