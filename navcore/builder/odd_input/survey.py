"""One look at all triangles: which way they face, where they lie, and whether there are any that look down.

It costs a few nanoseconds a triangle. Where it finds nothing odd nobody looks again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import borrowing, kernel
from ...types import F32, F64, I32, NOT_WALKABLE, U8, Geometry

CUBES = 10  # along each side of the box around a level
_SOME = 2_048  # triangles, at least, that areas are estimated from
_HEIGHTS = 256  # classes of heights of walls, eight to each doubling
_OCTAVE, _LOWEST = 8, 10  # they begin at 2^−10 m
_UPRIGHT = 0.1  # the y of a normal up to which a triangle is a wall


class Survey(NamedTuple):
    """What a look at all triangles has found. Six axes are +x, −x, +y, −y, +z, −z."""

    box: F64  # (2, 3) lowest and highest corner around all triangles, whatever vertices there are beside them
    # (2, 3) the box that is cut into cubes: that of all vertices; (…) and how many cubes there are to a metre
    cubes: F64
    facing: F64  # (6,) of triangles, by the axis that they face most: m² as seen along it
    ground: F64  # (2,) m² seen from above of what is flat enough to walk on: of what looks up, and down
    corners: I32  # (CUBES³,) how many vertices lie in each cube: x, y, z
    walkable: F64  # (CUBES³,) m² of ground there
    touched: U8  # (CUBES³,) whether anything reaches into it
    walls: I32  # how many upright triangles there are of each height; see `height_of_walls`
    used: U8  # (1,) whether any triangle uses vertex 0

    @property
    def low(self) -> F64:
        low: F64 = self.box[0]
        return low

    @property
    def high(self) -> F64:
        high: F64 = self.box[1]
        return high

    @property
    def size(self) -> F64:
        """(3,) metres."""
        size: F64 = self.box[1] - self.box[0]
        return size

    @property
    def side(self) -> F64:
        """(3,) metres of a cube."""
        scale = self.cubes[1]
        side: F64 = np.where(scale > 0, 1.0 / np.where(scale > 0, scale, 1.0), 0.0)
        return side

    def height_of_walls(self, share: float) -> float:
        """The height in metres that this share of all upright triangles does not exceed; 0 where there are none."""
        counts = np.cumsum(self.walls)
        if counts[-1] == 0:
            return 0.0
        return float(2.0 ** ((int(np.searchsorted(counts, share * counts[-1])) + 0.5) / _OCTAVE - _LOWEST))


def survey(geometry: Geometry, box: tuple[F32, F32], least_normal_y: float) -> Survey:
    """Look at all triangles; `box` is around what is to be cut into cubes.

    Those that are given area 0 are no ground, whichever way they face. Of many triangles areas and walls are estimated
    from some; what looks down is looked for among all.
    """
    cubes = np.array(box, np.float64)
    size = cubes[1] - cubes[0]
    cubes[1] = np.where(size > 0, CUBES / np.where(size > 0, size, 1.0), 0.0)
    found = Survey(
        np.array([[np.inf] * 3, [-np.inf] * 3]), cubes, np.zeros(6), np.zeros(2), np.zeros(CUBES**3, np.int32),
        np.zeros(CUBES**3), np.zeros(CUBES**3, np.uint8), np.zeros(_HEIGHTS, np.int32), np.zeros(1, np.uint8),
    )  # fmt: skip
    _survey_kernel(geometry, least_normal_y, found, max(1, len(geometry.triangles) // _SOME))
    return found


@borrowing
def _cube(place: F64, x: np.float32, y: np.float32, z: np.float32) -> int:
    """The cube that holds a place."""
    i = min(max(int((float(x) - place[0, 0]) * place[1, 0]), 0), CUBES - 1)
    j = min(max(int((float(y) - place[0, 1]) * place[1, 1]), 0), CUBES - 1)
    k = min(max(int((float(z) - place[0, 2]) * place[1, 2]), 0), CUBES - 1)
    return (i * CUBES + j) * CUBES + k


@kernel
def _survey_kernel(geometry: Geometry, least_normal_y: float, found: Survey, every: int) -> None:
    vertices, triangles, area = geometry
    cubes, corners, touched, walkable = found.cubes, found.corners, found.touched, found.walkable
    for v in range(vertices.shape[0]):
        cube = _cube(cubes, vertices[v, 0], vertices[v, 1], vertices[v, 2])
        corners[cube] += 1
        touched[cube] = 1
    scale_x, scale_y, scale_z = cubes[1, 0], cubes[1, 1], cubes[1, 2]
    low_x, low_y, low_z = np.float32(np.inf), np.float32(np.inf), np.float32(np.inf)
    high_x, high_y, high_z = -low_x, -low_y, -low_z
    down, square, least = 0.0, least_normal_y * least_normal_y, triangles.shape[0]
    first_before, last_before = -1, -1
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        least = min(least, min(a, min(b, c)))
        ax, ay, az = vertices[a, 0], vertices[a, 1], vertices[a, 2]
        bx, by, bz = vertices[b, 0], vertices[b, 1], vertices[b, 2]
        cx, cy, cz = vertices[c, 0], vertices[c, 1], vertices[c, 2]
        x0, x1 = min(ax, min(bx, cx)), max(ax, max(bx, cx))
        y0, y1 = min(ay, min(by, cy)), max(ay, max(by, cy))
        z0, z1 = min(az, min(bz, cz)), max(az, max(bz, cz))
        low_x, high_x = min(low_x, x0), max(high_x, x1)
        low_y, high_y = min(low_y, y0), max(high_y, y1)
        low_z, high_z = min(low_z, z0), max(high_z, z1)
        if (x1 - x0) * scale_x > 1 or (y1 - y0) * scale_y > 1 or (z1 - z0) * scale_z > 1:
            first, last = _cube(cubes, x0, y0, z0), _cube(cubes, x1, y1, z1)
            if first != first_before or last != last_before:  # both halves of a quad have one box
                _touch(touched, first, last)
                first_before, last_before = first, last
        ex, ey, ez, fx, fy, fz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        y = float(ez * fx - ex * fz)
        if y >= 0 and t % every != 0:
            continue
        x, z = float(ey * fz - ez * fy), float(ex * fy - ey * fx)
        flat = y * y > square * (x * x + y * y + z * z) and (area.shape[0] == 0 or area[t] != NOT_WALKABLE)
        if flat and y < 0:
            down -= y / 2
        if t % every == 0:
            _add(found, (x, y, z), flat, every, float(y1 - y0))
            if flat and y > 0:
                walkable[_cube(cubes, ax, ay, az)] += every * y / 2
    found.ground[1] = down
    found.box[0, 0], found.box[0, 1], found.box[0, 2] = low_x, low_y, low_z
    found.box[1, 0], found.box[1, 1], found.box[1, 2] = high_x, high_y, high_z
    if least == 0:
        found.used[0] = 1


@borrowing
def _touch(touched: U8, first: int, last: int) -> None:
    """All cubes between two."""
    x, y, z = first // (CUBES * CUBES), first // CUBES % CUBES, first % CUBES
    for i in range(x, last // (CUBES * CUBES) + 1):
        for j in range(y, last // CUBES % CUBES + 1):
            for k in range(z, last % CUBES + 1):
                touched[(i * CUBES + j) * CUBES + k] = 1


@borrowing
def _add(found: Survey, normal: tuple[float, float, float], flat: bool, every: int, tall: float) -> None:
    """One triangle to the sums; it stands for `every`."""
    x, y, z = normal
    if abs(y) >= abs(x) and abs(y) >= abs(z):
        found.facing[2 if y > 0 else 3] += every * abs(y) / 2
    elif abs(x) >= abs(z):
        found.facing[0 if x > 0 else 1] += every * abs(x) / 2
    else:
        found.facing[4 if z > 0 else 5] += every * abs(z) / 2
    if flat and y > 0:
        found.ground[0] += every * y / 2
    if tall > 0 and abs(y) < _UPRIGHT * max(abs(x), abs(z)):
        found.walls[max(min(int((np.log2(tall) + _LOWEST) * _OCTAVE), _HEIGHTS - 1), 0)] += 1
