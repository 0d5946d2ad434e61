"""Inserts the samples that deviate most from the mesh, one by one, until none deviates too much.

A sample's deviation is a minimum over all triangles, so the order of the triangles is free, and corners never move, so a
triangle that is still there after an insertion still deviates by the same. Only triangles that came are measured
(all samples at once), and those that went, to see which samples they may have been the minimum of.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .delaunay import triangulate
from .heights import FARTHEST
from .sample import MOST_VERTICES

_ZERO, _ONE = np.float32(0), np.float32(1)
_SLACK = np.float32(1e-4)  # a point this far outside of a triangle still counts as over it
_UNSURE = np.float32(-1)


@kernel
def insert_samples(samples, count, mesh, face_count, outline, vertex_count, ring_size, max_error, found):
    """Returns the vertex and face counts. `mesh.faces` holds the triangles of the hull at first."""
    points, place, error = outline.points, samples.place, samples.error[0]
    for face in range(face_count):
        mesh.fresh[face] = face
    _forget(samples, count)
    _account(samples, count, mesh, points, 0, face_count, face_count)
    first = True
    while vertex_count < MOST_VERTICES:
        worst, where = _ZERO, -1
        for i in range(count):
            if error[i] < FARTHEST and error[i] > worst:
                worst, where = error[i], i
        if where < 0 or worst <= max_error:
            break
        for axis in range(3):
            points[axis, vertex_count] = place[axis, where]
        place[0, where] = np.float32(np.nan)  # over no triangle from now on
        error[where] = FARTHEST
        vertex_count += 1
        went, came = triangulate(mesh, points, vertex_count, outline.ring, ring_size, found)
        if first:  # the triangles of the hull are gone, all at once
            _forget(samples, count)
            first = False
        _account(samples, count, mesh, points, went, came, mesh.size[1])
        face_count = mesh.size[1]
    return vertex_count, face_count


@kernel
def _forget(samples, count):
    for i in range(count):
        samples.error[0, i] = FARTHEST
        samples.hits[i] = 0


@kernel
def _account(samples, count, mesh, points, went, came, face_count):
    """Bring deviations up to date with the triangles that went and came."""
    former, faces, fresh = mesh.former, mesh.faces, mesh.fresh
    x, y, z = samples.place[0], samples.place[1], samples.place[2]
    error, new, hits = samples.error[0], samples.error[1], samples.hits
    for i in range(went):
        _measure(points, former[0, i], former[1, i], former[2, i], x, y, z, count, new)
        _take_back(error, new, hits, count)
    unsure = False
    for i in range(count):
        if error[i] == _UNSURE:
            if hits[i] == 0:
                error[i] = FARTHEST
            else:
                unsure = True
    for i in range(came):
        face = fresh[i]
        _measure(points, faces[0, face], faces[1, face], faces[2, face], x, y, z, count, new)
        _add(error, new, hits, count)
    if unsure:
        for i in range(count):
            if error[i] == _UNSURE:
                error[i] = _least(points, faces, face_count, x[i:], y[i:], z[i:], new[i:])


@kernel
def _least(points, faces, face_count, x, y, z, new):
    """The deviation of one sample from all triangles."""
    least = FARTHEST
    for face in range(face_count):
        if faces[3, face]:
            _measure(points, faces[0, face], faces[1, face], faces[2, face], x, y, z, 1, new)
            least = min(least, new[0])
    return least


@kernel
def _take_back(error, new, hits, count):
    for i in range(count):
        hit = new[i] < FARTHEST
        hits[i] -= np.int32(hit)
        error[i] = _UNSURE if hit & (new[i] == error[i]) else error[i]


@kernel
def _add(error, new, hits, count):
    for i in range(count):
        hits[i] += np.int32(new[i] < FARTHEST)
        error[i] = new[i] if new[i] < error[i] else error[i]


@kernel
def _measure(points, a, b, c, x, y, z, count, new):
    """How far each sample is above or below the triangle; FARTHEST where it is not over it. A flat triangle has none."""
    ax, ay, az = points[0, a], points[1, a], points[2, a]
    v0x, v0y, v0z = points[0, c] - ax, points[1, c] - ay, points[2, c] - az
    v1x, v1y, v1z = points[0, b] - ax, points[1, b] - ay, points[2, b] - az
    d00, d01, d11 = v0x * v0x + v0z * v0z, v0x * v1x + v0z * v1z, v1x * v1x + v1z * v1z
    inverse = _ONE / (d00 * d11 - d01 * d01)
    for i in range(count):
        v2x, v2z = x[i] - ax, z[i] - az
        d02, d12 = v0x * v2x + v0z * v2z, v1x * v2x + v1z * v2z
        u = (d11 * d02 - d01 * d12) * inverse
        v = (d00 * d12 - d01 * d02) * inverse
        over = (u >= -_SLACK) & (v >= -_SLACK) & (u + v <= _ONE + _SLACK)
        new[i] = abs(((ay + v0y * u) + v1y * v) - y[i]) if over else FARTHEST
