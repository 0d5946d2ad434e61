"""The level's own triangles: how steep each is, which is nearest to a point, and what of them lies within a box."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..build_warning import Point
from ..geometry.arrays import grown
from ..jit import kernel
from ..types import F32, F64, I32

_MAX_CORNERS = 10  # of a triangle that six planes have cut


def angles_of(triangles: F32) -> F32:
    """(T,) degrees between each triangle's normal and up: above 90 it faces down. NaN where it has no area."""
    angles = np.empty(len(triangles), np.float32)
    _write_angles(triangles, angles)
    return angles


@kernel
def _write_angles(triangles: F32, angles: F32) -> None:
    for t in range(triangles.shape[0]):
        angles[t] = np.float32(_angle(triangles[t]))


@kernel
def _angle(corners: F32) -> Any:
    ex, ey, ez = _step(corners, 1)
    fx, fy, fz = _step(corners, 2)
    x, y, z = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
    length = np.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return np.nan
    return np.degrees(np.arccos(min(max(y / length, -1.0), 1.0)))


@kernel
def _step(corners: F32, corner: int) -> tuple[np.float64, np.float64, np.float64]:
    """From the first corner to another one."""
    x = np.float64(corners[corner, 0]) - np.float64(corners[0, 0])
    y = np.float64(corners[corner, 1]) - np.float64(corners[0, 1])
    return x, y, np.float64(corners[corner, 2]) - np.float64(corners[0, 2])


def nearest_triangle(triangles: F32, point: Point) -> int:
    """The triangle nearest to a point, -1 where there is none. Of equals it is the first one."""
    return int(_nearest(triangles, np.array(point, np.float64)))


def angle_at(triangles: F32, point: Point) -> float | None:
    """How steep the level is at a point, in degrees; None where there are no triangles."""
    found = nearest_triangle(triangles, point)
    return None if found < 0 else float(angles_of(triangles[found : found + 1])[0])


@kernel
def _nearest(triangles: F32, point: F64) -> int:
    chosen, nearest = -1, np.inf
    for t in range(triangles.shape[0]):
        box: Any = 0.0  # the square of the way to the triangle's box: never longer than that to the triangle
        for axis in range(3):
            a, b, c = triangles[t, 0, axis], triangles[t, 1, axis], triangles[t, 2, axis]
            low, high = np.float64(min(a, b, c)), np.float64(max(a, b, c))
            away = max(low - point[axis], point[axis] - high, 0.0)
            box += away * away
        if box < nearest:
            away = _squared_distance(triangles[t], point)
            if away < nearest:
                chosen, nearest = t, away
    return chosen


@kernel
def _squared_distance(corners: F32, point: F64) -> Any:
    """To the inside where the point lies above or below it, else to the nearest edge."""
    least: Any = np.inf
    ux, uy, uz = _step(corners, 1)
    vx, vy, vz = _step(corners, 2)
    wx, wy, wz = point[0] - corners[0, 0], point[1] - corners[0, 1], point[2] - corners[0, 2]
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    wu, wv = wx * ux + wy * uy + wz * uz, wx * vx + wy * vy + wz * vz
    whole = uu * vv - uv * uv
    if whole > 0.0:
        s, t = (vv * wu - uv * wv) / whole, (uu * wv - uv * wu) / whole
        if s >= 0.0 and t >= 0.0 and s + t <= 1.0:
            x, y, z = wx - s * ux - t * vx, wy - s * uy - t * vy, wz - s * uz - t * vz
            least = x * x + y * y + z * z
    for i in range(3):
        j = (i + 1) % 3
        along: Any = 0.0
        away: Any = 0.0
        length: Any = 0.0
        for axis in range(3):
            step = np.float64(corners[j, axis]) - np.float64(corners[i, axis])
            along += step * (point[axis] - corners[i, axis])
            length += step * step
        share = min(max(along / length, 0.0), 1.0) if length > 0.0 else 0.0
        for axis in range(3):
            step = np.float64(corners[j, axis]) - np.float64(corners[i, axis])
            gap = point[axis] - corners[i, axis] - share * step
            away += gap * gap
        least = min(least, away)
    return least


@kernel
def cut_to_box(triangles: F32, looks: I32, box: F64, begin: int, end: int) -> tuple[F32, I32]:
    """What of the triangles begin:end lies within a box (2, 3), as faces of four corners, and the look of each face.

    Triangles whose look is below 0 are left out.
    """
    faces, count = np.empty((256, 12), np.float32), 0
    face_looks = np.empty((256, 1), np.int32)
    here, there = np.empty((_MAX_CORNERS, 3)), np.empty((_MAX_CORNERS, 3))
    for t in range(begin, end):
        if looks[t] < 0:
            continue
        corners = 3
        for i in range(3):
            for axis in range(3):
                here[i, axis] = triangles[t, i, axis]
        for axis in range(3):
            for far in range(2):
                if corners > 0 and _is_crossed(here, corners, axis, far, box):
                    corners = _cut(here, corners, axis, box[far, axis], far == 1, there)
                    here, there = there, here
        # A fan of pieces with four corners each; what is left over is a triangle, whose last corner is there twice.
        for i in range(1, corners - 1, 2):
            if count == faces.shape[0]:
                faces, face_looks = grown(faces, count, count + 1), grown(face_looks, count, count + 1)
            for axis in range(3):
                faces[count, axis] = here[0, axis]
                faces[count, 3 + axis] = here[i, axis]
                faces[count, 6 + axis] = here[i + 1, axis]
                faces[count, 9 + axis] = here[min(i + 2, corners - 1), axis]
            face_looks[count, 0] = looks[t]
            count += 1
    return faces[:count].copy(), face_looks[:count, 0].copy()


@kernel
def _is_crossed(corners: F64, count: int, axis: int, far: int, box: F64) -> bool:
    """Whether a corner lies outside of one side of the box."""
    for i in range(count):
        if (far == 1 and corners[i, axis] > box[1, axis]) or (far == 0 and corners[i, axis] < box[0, axis]):
            return True
    return False


@kernel
def _cut(corners: F64, count: int, axis: int, limit: np.float64, keep_below: bool, kept: F64) -> int:
    """Write the part of a convex polygon on one side of a plane; returns how many corners it has, 0 for no area."""
    new = 0
    for i in range(count):
        j = (i + 1) % count
        a, b = corners[i, axis] - limit, corners[j, axis] - limit
        if keep_below:
            a, b = -a, -b
        if a >= 0.0:
            kept[new] = corners[i]
            new += 1
        if (a > 0.0 and b < 0.0) or (a < 0.0 and b > 0.0):
            share = a / (a - b)
            for k in range(3):
                kept[new, k] = corners[i, k] + share * (corners[j, k] - corners[i, k])
            kept[new, axis] = limit
            new += 1
    return new if new >= 3 else 0
