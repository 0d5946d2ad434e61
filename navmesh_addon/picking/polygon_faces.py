"""The polygons of a navmesh as arrays, in the scene's coordinates: which lies under a ray, or within a box on the
screen. Needs NumPy alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]
_NO_WAY = 1e-12  # of a ray along a triangle's plane
_RIM = 1e-9  # of a triangle: rays between two triangles hit one of them


class PolygonFaces(NamedTuple):
    """F polygons."""

    points: F64  # (V, 3)
    corners: I32  # the point of every corner, face after face
    starts: I32  # (F,) the first corner of each face
    islands: I32  # (F,)

    @property
    def sizes(self) -> I32:
        """How many corners each has."""
        return np.diff(self.starts, append=len(self.corners)).astype(np.int32)

    def ring(self, face: int) -> list[int]:
        """The points of one face."""
        ring: list[int] = self.corners[self.starts[face] :][: self.sizes[face]].tolist()
        return ring

    def middles(self) -> F64:
        """(F, 3) the mean of the corners of each."""
        if not len(self.starts):
            return np.empty((0, 3))
        sums: F64 = np.add.reduceat(self.points[self.corners], self.starts)
        return sums / self.sizes[:, None]


def under_ray(faces: PolygonFaces, origin: Sequence[float], way: Sequence[float]) -> tuple[int, float]:
    """The face that a ray meets first, and how many times `way` from `origin`; -1 where it meets none."""
    triangles, owner = _fans(faces)
    if not len(triangles):
        return -1, np.inf
    a, b, c = (faces.points[triangles[:, k]] for k in range(3))
    start, along = np.array(origin, np.float64), np.array(way, np.float64)
    one, other = b - a, c - a
    across = np.cross(along, other)
    turn = (one * across).sum(axis=1)
    flat = np.abs(turn) < _NO_WAY
    turn[flat] = 1.0
    from_a = start - a
    u = (from_a * across).sum(axis=1) / turn
    beside = np.cross(from_a, one)
    v = (along * beside).sum(axis=1) / turn
    distance = (other * beside).sum(axis=1) / turn
    hit = ~flat & (u >= -_RIM) & (v >= -_RIM) & (u + v <= 1 + _RIM) & (distance > 0)
    if not hit.any():
        return -1, np.inf
    nearest = int(np.argmin(np.where(hit, distance, np.inf)))
    return int(owner[nearest]), float(distance[nearest])


def _fans(faces: PolygonFaces) -> tuple[I32, I32]:
    """(T, 3) points of triangles, from the first corner of each face, and the face of each."""
    counts = faces.sizes - 2
    owner = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    first = faces.starts[owner]
    places = np.stack([first, first + step + 1, first + step + 2], axis=1)
    return faces.corners[places].astype(np.int32), owner


def within_box(
    faces: PolygonFaces, to_clip: npt.ArrayLike, size: tuple[int, int], box: tuple[float, float, float, float]
) -> list[int]:
    """The faces whose middle is seen within (left, bottom, right, top), in pixels of a view of this size; `to_clip` is
    its (4, 4) perspective."""
    middles = faces.middles()
    seen = np.column_stack([middles, np.ones(len(middles))]) @ np.array(to_clip, np.float64).T
    before = seen[:, 3] > 0
    depth = np.where(before, seen[:, 3], 1.0)
    x, y = ((seen[:, k] / depth + 1) / 2 * side for k, side in enumerate(size))
    left, bottom, right, top = box
    inside = before & (x >= left) & (x <= right) & (y >= bottom) & (y <= top)
    found: list[int] = np.flatnonzero(inside).tolist()
    return found


def on_islands_of(faces: PolygonFaces, chosen: Iterable[int]) -> list[int]:
    """All faces of the islands of those that are chosen."""
    islands = np.unique(faces.islands[list(chosen)])
    found: list[int] = np.flatnonzero(np.isin(faces.islands, islands)).tolist()
    return found


def shape_of(faces: PolygonFaces, chosen: Iterable[int]) -> tuple[list[tuple[float, ...]], list[list[int]]]:
    """The points of chosen faces, each once, and these faces as numbers of them."""
    numbers: dict[int, int] = {}
    rings = [[numbers.setdefault(corner, len(numbers)) for corner in faces.ring(face)] for face in sorted(chosen)]
    return [tuple(faces.points[corner].tolist()) for corner in numbers], rings


def square_metres(faces: PolygonFaces, chosen: Iterable[int]) -> dict[int, float]:
    """How much ground each of the chosen has, seen from above, in square units."""
    found = {}
    for face in chosen:
        x, y, _ = faces.points[faces.ring(face)].T
        found[face] = abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2
    return found
