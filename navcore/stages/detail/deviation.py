"""Inserts the samples that deviate most from the mesh, one by one, until none deviates too much.

A sample's deviation is a minimum over all triangles, so their order is free, and corners never move, so a triangle that
is still there after an insertion deviates by the same as before. Only triangles that came are measured (against all
samples at once), and those that went, to see which samples they may have been the minimum of.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ...geometry.segments import FARTHEST
from ...jit import borrowing, kernel
from ...types import F32, I32, I64, U8
from .delaunay import Faces, Triangulation, triangulate
from .edge_and_inner_samples import MAX_VERTICES, Boundary, Samples
from .sampling import CLAMPED

Plane: TypeAlias = tuple[np.float32, ...]  # what `_plane` returns

MAX_TRIANGLES = 255  # of one polygon. Recast: MAX_TRIS
_ONE = np.float32(1)
_SLACK = np.float32(1e-4)  # a point this far outside of a triangle still counts as over it
_UNSURE = np.float32(-1)
_FARTHEST_BITS = FARTHEST.view(np.int32)


class Beginning(NamedTuple):
    """How many there are before any sample is inserted."""

    samples: int
    ring: int  # vertices
    faces: int  # of the hull


@borrowing
def insert_samples(
    samples: Samples, bits: I32, boundary: Boundary, triangulation: Triangulation, begin: Beginning,
    max_error: np.float32, tally: I64, cancelled: U8,
) -> tuple[int, int]:  # fmt: skip
    """Returns the vertex and face counts, of a mesh that is not right once `cancelled` is set.

    `triangulation.faces` holds the triangles of the hull at first; `bits` are the errors' as integers.
    """
    points, place, error, hits = boundary.points, samples.place, samples.error, samples.hits
    count, ring_size, face_count = begin
    vertex_count, went, came = ring_size, 0, face_count
    for face in range(face_count):
        triangulation.fresh[face] = face
    _forget(error, hits, count)
    first = True
    while True:
        _account(samples, count, triangulation, points, (went, came, face_count), cancelled)
        if vertex_count >= MAX_VERTICES or cancelled[0] != 0:
            break
        worst = _worst(bits, count)
        if worst < 0 or error[worst] <= max_error:
            break
        for axis in range(3):
            points[axis, vertex_count] = place[axis, worst]
        place[0, worst] = np.float32(np.nan)  # over no triangle from now on
        error[worst] = FARTHEST
        vertex_count += 1
        went, came = triangulate(triangulation, points, vertex_count, boundary.ring, ring_size, tally)
        face_count = triangulation.size[0].faces
        if first:  # the triangles of the hull are gone, all at once
            _forget(error, hits, count)
            first = False
    face_count = _without_dangling(triangulation.faces, face_count)
    if face_count > MAX_TRIANGLES:
        tally[CLAMPED] += 1
    return vertex_count, min(face_count, MAX_TRIANGLES)


@kernel
def _without_dangling(faces: Faces, count: int) -> int:
    """Each face that dangles is replaced by the last one."""
    face = 0
    while face < count:
        here = faces[np.uint32(face)]
        if here.attached:
            face += 1
        else:
            count -= 1
            last = faces[np.uint32(count)]
            here.a, here.b, here.c, here.attached = last.a, last.b, last.c, last.attached
    return count


@kernel
def _forget(error: F32, hits: I32, count: int) -> None:
    for i in range(count):
        error[i] = FARTHEST
        hits[i] = 0


@kernel
def _worst(bits: I32, count: int) -> int:
    """The first sample with the largest deviation above 0, −1 if none. Floats of 0 and more sort as integers do."""
    largest = np.int32(0)
    for i in range(count):
        deviation = bits[i] if bits[i] < _FARTHEST_BITS else np.int32(0)
        largest = max(largest, deviation)
    if largest > 0:
        for i in range(count):
            if bits[i] == largest:
                return i
    return -1


@borrowing
def _account(
    samples: Samples, count: int, triangulation: Triangulation, points: F32, changes: tuple[int, int, int],
    cancelled: U8,
) -> None:  # fmt: skip
    """Bring deviations up to date with the triangles that went and came; `changes` counts these, and all.

    With millions of samples each triangle takes a hundredth of a second: the cancel flag is looked at between them.
    """
    place, error, hits = samples
    former, faces, fresh = triangulation.former, triangulation.faces, triangulation.fresh
    went, came, face_count = changes
    unsure = np.int32(0)
    if went > 0:
        for i in range(went):
            if cancelled[0] != 0:
                return
            _take_back(place, error, hits, count, _plane(points, former[np.uint32(i)]))
        for i in range(count):
            lost = error[i] == _UNSURE
            unsure |= np.int32(lost & (hits[i] > 0))
            error[i] = FARTHEST if lost & (hits[i] == 0) else error[i]
    for i in range(came):
        if cancelled[0] != 0:
            return
        _add(place, error, hits, count, _plane(points, faces[np.uint32(fresh[i])]))
    if unsure:
        for i in range(count):
            if error[i] == _UNSURE and cancelled[0] == 0:
                error[i] = _least(points, faces, face_count, place[0, i], place[1, i], place[2, i])


@kernel
def _least(points: F32, faces: Faces, face_count: int, x: np.float32, y: np.float32, z: np.float32) -> np.float32:
    """The deviation of one sample from all triangles."""
    least = FARTHEST
    for face in range(face_count):
        if faces[np.uint32(face)].attached:
            plane = _plane(points, faces[np.uint32(face)])
            least = min(least, _deviation(plane, x, y, z))
    return least


@kernel
def _take_back(place: F32, error: F32, hits: I32, count: int, plane: Plane) -> None:
    """A triangle went: samples that it may have been nearest to are unsure."""
    for i in range(count):
        new = _deviation(plane, place[0, i], place[1, i], place[2, i])
        hits[i] -= np.int32(new < FARTHEST)
        error[i] = _UNSURE if (new < FARTHEST) & (new == error[i]) else error[i]


@kernel
def _add(place: F32, error: F32, hits: I32, count: int, plane: Plane) -> None:
    for i in range(count):
        new = _deviation(plane, place[0, i], place[1, i], place[2, i])
        hits[i] += np.int32(new < FARTHEST)
        error[i] = new if new < error[i] else error[i]


@kernel
def _plane(points: F32, face: np.record) -> Plane:
    """What the deviation from a triangle needs; a triangle without area has an infinite last number, and is missed."""
    a, b, c = face.a, face.b, face.c
    ax, ay, az = points[0, a], points[1, a], points[2, a]
    v0x, v0y, v0z = points[0, c] - ax, points[1, c] - ay, points[2, c] - az
    v1x, v1y, v1z = points[0, b] - ax, points[1, b] - ay, points[2, b] - az
    d00, d01, d11 = v0x * v0x + v0z * v0z, v0x * v1x + v0z * v1z, v1x * v1x + v1z * v1z
    return ax, ay, az, v0x, v0y, v0z, v1x, v1y, v1z, d00, d01, d11, _ONE / (d00 * d11 - d01 * d01)


@kernel
def _deviation(plane: Plane, x: np.float32, y: np.float32, z: np.float32) -> np.float32:
    """How far a point is above or below a triangle; FARTHEST if it is not over it."""
    ax, ay, az, v0x, v0y, v0z, v1x, v1y, v1z, d00, d01, d11, inverse = plane
    v2x, v2z = x - ax, z - az
    d02, d12 = v0x * v2x + v0z * v2z, v1x * v2x + v1z * v2z
    u, v = (d11 * d02 - d01 * d12) * inverse, (d00 * d12 - d01 * d02) * inverse
    over = (u >= -_SLACK) & (v >= -_SLACK) & (u + v <= _ONE + _SLACK)
    return abs(((ay + v0y * u) + v1y * v) - y) if over else FARTHEST
