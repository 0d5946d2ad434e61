"""Volumes that mark nothing, and indices that count from 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...build_warning import BuildWarning, Point
from ...jit import kernel
from ...scene import Volume, door_of, marks_ground
from ...settings import Voxels
from ...stages.areas import boxes_around
from ...types import F32, F64, I32, NOT_WALKABLE, U8, Geometry
from .survey import Survey

_SQUARES = 64  # along each side of the box around all volumes
_SHIFTED = 0.6  # of the lengths of edges: so much shorter they are where indices are shifted back
_SOME = 4096  # triangles that are enough to tell


def unused_volumes(geometry: Geometry, volumes: Sequence[Volume], voxels: Voxels) -> list[BuildWarning]:
    """A warning for all volumes together that no walkable triangle reaches into; `geometry` is what stage 1 made.

    Doors have one each, as agents may be too wide for a door where there is ground: door_ground.tell_doors.
    """
    if not volumes:
        return []
    reached = used_volumes(geometry, volumes, voxels)
    return unused_warning(
        volumes, [one or bool(door_of(volume)) for one, volume in zip(reached, volumes, strict=True)]
    )  # fmt: skip


def used_volumes(geometry: Geometry, volumes: Sequence[Volume], voxels: Voxels) -> list[bool]:
    """Which volumes a walkable triangle reaches into, or say nothing of the ground."""
    low, high = (corners.astype(np.float64) for corners in boxes_around(volumes))
    room = np.array([voxels.cell_size, voxels.cell_height, voxels.cell_size], np.float64)
    used = np.array([not marks_ground(volume) for volume in volumes], np.uint8)
    _reach_kernel(geometry, low - room, high + room, used)
    found: list[bool] = (used != 0).tolist()
    return found


def unused_warning(volumes: Sequence[Volume], used: Sequence[bool]) -> list[BuildWarning]:
    """A warning for all volumes together that are not used."""
    unused = [number for number, is_used in enumerate(used) if not is_used]
    if not unused:
        return []
    number = unused[0]
    what = type(volumes[number]).__name__.removesuffix("Volume").lower()
    more = f" (and {len(unused) - 1:,} more)" if len(unused) > 1 else ""
    return [
        BuildWarning(
            "VOLUME_UNUSED",
            f"Volume {number + 1} ({what}){more} marks nothing: no walkable ground lies in it. Move it to the ground, "
            "make it taller, or leave it out.",
            middle_of(volumes[number]),
        )
    ]


def middle_of(volume: Volume) -> Point:
    """Where a warning of a volume lies: the middle of its box, to the millimetre."""
    low, high = (corners[0].astype(np.float64) for corners in boxes_around([volume]))
    x, y, z = ((low + high) / 2).round(3).tolist()
    return x, y, z


@kernel
def _reach_kernel(geometry: Geometry, low: F64, high: F64, used: U8) -> None:
    """Mark the boxes that a walkable triangle reaches into."""
    vertices, triangles, area = geometry
    corner, scale = np.empty(2), np.empty(2)
    for k in range(2):
        corner[k] = low[:, 2 * k].min()
        wide = high[:, 2 * k].max() - corner[k]
        scale[k] = _SQUARES / wide if wide > 0 else 0.0
    first = np.zeros(_SQUARES * _SQUARES + 1, np.int32)
    boxes = np.empty(0, np.int32)
    for filling in range(2):
        for box in range(low.shape[0]):
            for square in _squares(low[box, 0], high[box, 0], low[box, 2], high[box, 2], corner, scale):
                if filling == 0:
                    first[square + 1] += 1
                else:
                    boxes[first[square]] = box
                    first[square] += 1
        if filling == 0:
            for square in range(_SQUARES * _SQUARES):
                first[square + 1] += first[square]
            boxes = np.empty(first[-1], np.int32)
    left = np.count_nonzero(used == 0)
    around = np.empty((4, 3))
    for t in range(triangles.shape[0]):
        if area[t] == NOT_WALKABLE:
            continue
        for axis in range(3):
            a, b, c = (
                float(vertices[triangles[t, 0], axis]), float(vertices[triangles[t, 1], axis]),
                float(vertices[triangles[t, 2], axis]),
            )  # fmt: skip
            around[0, axis], around[1, axis] = min(a, min(b, c)), max(a, max(b, c))
        for square in _squares(around[0, 0], around[1, 0], around[0, 2], around[1, 2], corner, scale):
            begin = first[square - 1] if square > 0 else 0
            for i in range(begin, first[square]):
                box = boxes[i]
                if used[box] == 0 and _reaches(vertices, triangles[t], low[box], high[box]):
                    used[box] = 1
                    left -= 1
        if left == 0:
            return


@kernel
def _squares(low_x: float, high_x: float, low_z: float, high_z: float, corner: F64, scale: F64) -> I32:
    """The squares that a rectangle touches; none where it lies beside all of them."""
    x0, x1 = int(np.floor((low_x - corner[0]) * scale[0])), int(np.floor((high_x - corner[0]) * scale[0]))
    z0, z1 = int(np.floor((low_z - corner[1]) * scale[1])), int(np.floor((high_z - corner[1]) * scale[1]))
    last = _SQUARES - 1
    if x0 > last + 1 or x1 < 0 or z0 > last + 1 or z1 < 0:
        return np.empty(0, np.int32)
    x0, x1, z0, z1 = min(max(x0, 0), last), min(x1, last), min(max(z0, 0), last), min(z1, last)
    squares = np.empty((x1 - x0 + 1) * (z1 - z0 + 1), np.int32)
    count = 0
    for z in range(z0, z1 + 1):
        for x in range(x0, x1 + 1):
            squares[count] = x + z * _SQUARES
            count += 1
    return squares


@kernel
def _reaches(vertices: F32, triangle: I32, low: F64, high: F64) -> bool:
    """Whether a triangle reaches into a box: it is cut off at each of its six sides."""
    points, cut = np.empty((10, 3)), np.empty((10, 3))
    count = 3
    for corner in range(3):
        for axis in range(3):
            points[corner, axis] = float(vertices[triangle[corner], axis])
    for side in range(6):
        axis, sign = side // 2, 1.0 if side % 2 == 0 else -1.0
        limit = low[axis] if side % 2 == 0 else -high[axis]
        kept = 0
        for i in range(count):
            j = i + 1 if i + 1 < count else 0
            here, there = sign * points[i, axis] - limit, sign * points[j, axis] - limit
            if here >= 0:
                cut[kept] = points[i]
                kept += 1
            if (here >= 0) != (there >= 0):
                cut[kept] = points[i] + (points[j] - points[i]) * (here / (here - there))
                kept += 1
        points, cut, count = cut, points, kept
        if count == 0:
            return False
    return True


def counted_from_one(geometry: Geometry, found: Survey) -> BuildWarning | None:
    """Where no triangle uses vertex 0 and all others are used, or where indices less 1 make much shorter edges."""
    vertices, triangles = geometry.vertices, geometry.triangles
    if found.used[0] or len(vertices) < 4:
        return None
    used = np.zeros(len(vertices), bool)
    used[triangles.ravel()] = True
    some = triangles[:: max(1, len(triangles) // _SOME)]
    shifted = _edges(vertices, some - 1) < _SHIFTED * _edges(vertices, some)
    if not (used[1:].all() or shifted):
        return None
    x, y, z = vertices[0].tolist()
    way_out = "Subtract 1 from all indices." if shifted else "Subtract 1 from them if so, or leave vertex 0 out."
    others = ", and all others are used" if used[1:].all() else ""
    said = f"Do the indices count from 1? No triangle uses vertex 0{others}. {way_out}"
    return BuildWarning("INDICES_FROM_ONE", said, (round(x, 3), round(y, 3), round(z, 3)))


def _edges(vertices: F32, triangles: I32) -> float:
    """The length of all edges."""
    corners = vertices[triangles].astype(np.float64)
    return float(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).sum())
