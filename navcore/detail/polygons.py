"""The detail mesh of one polygon after the other, into buffers of one job."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..types import I32, NO_INDEX
from .delaunay import Mesh, clear
from .deviation import insert_samples
from .heights import CLAMPED, Patch, fill_patch
from .hull import edge_flags, link_ring, triangulate_hull
from .sample import Outline, Samples, grid_span, minimum_extent, sample_edges, sample_inside

MOST_TRIANGLES = 255  # of one polygon. Recast: MAX_TRIS
TOO_FEW_CORNERS, NO_SUCH_VERTEX, OUTSIDE_GRID = -1, -2, -3
_TWO = np.float32(2)


class Scratch(NamedTuple):
    """What one thread needs to work on a polygon; used again for the next."""

    corners: I32  # (3, N) x, y, z of the polygon's corners, vx
    patch: Patch
    outline: Outline
    samples: Samples
    mesh: Mesh


class Ground(NamedTuple):
    """What is given: polygons, and where their ground is."""

    vertices: np.ndarray  # (V, 3) U16, vx
    polygons: np.ndarray  # (P, N) U16
    region: np.ndarray  # (P,) U16
    border: int  # vx between the grid of the heightfield and that of the polygons
    origin: np.ndarray  # (3,) F32 where the polygons' grid lies


@kernel
def measure_polygons(vertices, polygons, width, depth, sampling, cells, samples):
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
        if sampling.distance > np.float32(0):
            cell_size = sampling.cell_size
            begin_x, end_x = grid_span(np.float32(low_x) * cell_size, np.float32(high_x) * cell_size, sampling.distance)
            begin_z, end_z = grid_span(np.float32(low_z) * cell_size, np.float32(high_z) * cell_size, sampling.distance)
            samples[polygon] = (end_x - begin_x) * (end_z - begin_z)
        else:
            samples[polygon] = 0
    return 0


@kernel
def build_polygons(ground, compact, regions, sampling, scratch, chosen, counts, vertices, triangles, found):
    """Build the polygons `chosen`; returns how many vertices and triangles were written. `counts` is by polygon."""
    total_vertices, total_triangles = 0, 0
    for i in range(chosen.shape[0]):
        polygon = chosen[i]
        vertex_count, ring_size, face_count = _build_polygon(
            ground, compact, regions, sampling, scratch, polygon, found
        )
        _write_vertices(
            vertices, total_vertices, scratch.outline.points, vertex_count, ground.origin, sampling.cell_height
        )
        _write_triangles(triangles, total_triangles, scratch.mesh.faces, face_count, scratch.outline.ring, ring_size)
        counts[polygon, 0], counts[polygon, 1] = vertex_count, face_count
        total_vertices += vertex_count
        total_triangles += face_count
    return total_vertices, total_triangles


@kernel
def _build_polygon(ground, compact, regions, sampling, scratch, polygon, found):
    """Returns the counts of vertices, of those on the boundary, and of faces."""
    outline, mesh = scratch.outline, scratch.mesh
    points, corners = outline.points, scratch.corners
    count = _gather_corners(ground.vertices, ground.polygons, polygon, corners, points, sampling)
    if sampling.distance == np.float32(0):
        for k in range(count):
            outline.ring[0, k] = k - 1 if k > 0 else count - 1
        link_ring(outline.ring, count)
        return count, count, triangulate_hull(points, outline.ring, count, count, mesh.faces)
    region = np.int32(ground.region[polygon])
    fill_patch(scratch.patch, compact, regions, corners, count, region, ground.border, found)
    ring_size = sample_edges(outline, count, scratch.patch, compact, sampling, found)
    link_ring(outline.ring, ring_size)
    face_count = triangulate_hull(points, outline.ring, ring_size, count, mesh.faces)
    if minimum_extent(points, count) < sampling.distance * _TWO:
        return ring_size, ring_size, face_count
    clear(mesh)
    inside = sample_inside(scratch.samples, points, count, scratch.patch, compact, sampling, found)
    vertex_count, face_count = insert_samples(
        scratch.samples, inside, mesh, face_count, outline, ring_size, ring_size, sampling.max_error, found
    )
    face_count = _without_dangling(mesh.faces, face_count)
    if face_count > MOST_TRIANGLES:
        found[CLAMPED] += 1
        face_count = MOST_TRIANGLES
    return vertex_count, ring_size, face_count


@kernel
def _gather_corners(vertices, polygons, polygon, corners, points, sampling):
    count = 0
    while count < polygons.shape[1] and np.int32(polygons[polygon, count]) != NO_INDEX:
        for axis in range(3):
            value = np.int32(vertices[polygons[polygon, count], axis])
            corners[axis, count] = value
            points[axis, count] = np.float32(value) * (sampling.cell_height if axis == 1 else sampling.cell_size)
        count += 1
    return count


@kernel
def _without_dangling(faces, count):
    """Each face that dangles is replaced by the last one."""
    face = 0
    while face < count:
        if faces[3, face]:
            face += 1
        else:
            count -= 1
            for k in range(4):
                faces[k, face] = faces[k, count]
    return count


@kernel
def _write_vertices(vertices, begin, points, count, origin, cell_height):
    """In world space. Recast adds one cell height, as floors are the tops of voxels."""
    up = origin[1] + cell_height
    for i in range(count):
        vertices[begin + i, 0] = points[0, i] + origin[0]
        vertices[begin + i, 1] = points[1, i] + up
        vertices[begin + i, 2] = points[2, i] + origin[2]


@kernel
def _write_triangles(triangles, begin, faces, count, ring, ring_size):
    for i in range(count):
        a, b, c = faces[0, i], faces[1, i], faces[2, i]
        triangles[begin + i, 0] = a
        triangles[begin + i, 1] = b
        triangles[begin + i, 2] = c
        triangles[begin + i, 3] = edge_flags(ring, ring_size, a, b, c)


@kernel
def place_polygons(chosen, meshes, from_vertices, from_triangles, vertices, triangles):
    """Copy what one job built to where it belongs."""
    vertex, triangle = 0, 0
    for i in range(chosen.shape[0]):
        polygon = chosen[i]
        to = np.int64(meshes[polygon, 0])
        for k in range(np.int64(meshes[polygon, 1])):
            for axis in range(3):
                vertices[to + k, axis] = from_vertices[vertex, axis]
            vertex += 1
        to = np.int64(meshes[polygon, 2])
        for k in range(np.int64(meshes[polygon, 3])):
            for axis in range(4):
                triangles[to + k, axis] = from_triangles[triangle, axis]
            triangle += 1
