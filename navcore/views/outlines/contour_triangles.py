"""Contours as triangles, each by itself, as the polygons stage cuts them before it merges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...stages.polygons.triangulate import X, Z, ear_room, triangulate
from ...types import I32, U8, AnyInt


class ContourTriangles(NamedTuple):
    """T triangles."""

    corners: I32  # (T, 3) rows of the contours' points
    contour: I32  # (T,)
    unfinished: U8  # (contours,) 1 where no further ear was found


@kernel
def triangulate_contours(first: I32, points: I32, cancelled: U8) -> ContourTriangles:
    """The triangles of all contours, one after the other."""
    contours, largest = first.shape[0] - 1, np.int64(3)
    for k in range(contours):
        largest = max(largest, np.int64(first[k + 1] - first[k]))
    room = ear_room(largest)
    ring, triangles = room.ring, room.triangles
    corners, contour = np.empty((points.shape[0], 3), np.int32), np.empty(points.shape[0], np.int32)
    unfinished, used = np.zeros(contours, np.uint8), 0
    for k in range(contours):
        begin, size = first[k], first[k + 1] - first[k]
        if size < 3:
            continue
        for i in range(size):
            ring[i, X], ring[i, Z] = points[begin + i, 0], points[begin + i, 2]
        made = triangulate(ring, room.ears, room.boxes, triangles, size, cancelled)
        unfinished[k] = 1 if made <= 0 else 0
        count: AnyInt = abs(made)
        for t in range(count):
            for i in range(3):
                corners[used, i] = begin + triangles[t, i]
            contour[used] = k
            used += 1
    return ContourTriangles(corners[:used].copy(), contour[:used].copy(), unfinished)
