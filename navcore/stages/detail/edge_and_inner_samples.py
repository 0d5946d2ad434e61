"""Points that may go into the detail mesh: samples along the polygon's edges, and a grid of samples inside it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...geometry.segments import FARTHEST, part_along, squared_distance
from ...jit import inlined, kernel
from ...types import F32, I32, I64, AnyInt
from .heights import HeightSource, Patch, look_up
from .sampling import Sampling

MAX_VERTICES = 127  # of one polygon's detail mesh. Recast: MAX_VERTS
MAX_EDGE_SAMPLES = 32  # Recast: MAX_VERTS_PER_EDGE
VERTEX, NEXT = 0, 1  # rows of a boundary's ring
_LOW_16_BITS = 0xFFFF
_JITTER_X, _JITTER_Z = 0xB343, 0x3841  # the low 16 bits of Recast's factors
_ZERO, _ONE, _TWO, _HALF, _TENTH = np.float32(0), np.float32(1), np.float32(2), np.float32(0.5), np.float32(0.1)
_SAME_X = np.float32(1e-6)


class Boundary(NamedTuple):
    """Scratch: the polygon in metres without the grid's origin, and the ring of its boundary."""

    points: F32  # (3, 128) x, y, z: corners, samples of edges, inserted samples
    ring: I32  # (2, 128) boundary vertices in order, and for each of them the next one
    edge: F32  # (3, 33) samples of one edge
    needed: I32  # (33,) which of them are needed


class Samples(NamedTuple):
    """Scratch: the samples inside the polygon; x is NaN for a used one."""

    place: F32  # (3, .) x, y, z
    error: F32  # (.,) deviation from the mesh, FARTHEST over no triangle
    hits: I32  # (.,) how many triangles the sample lies over


@kernel
def new_boundary() -> Boundary:
    """A boundary for a polygon with as many points as there may be."""
    return Boundary(
        np.empty((3, MAX_VERTICES), np.float32),
        np.empty((2, MAX_VERTICES), np.int32),
        np.empty((3, MAX_EDGE_SAMPLES + 1), np.float32),
        np.empty(MAX_EDGE_SAMPLES + 1, np.int32),
    )


@kernel
def new_samples(count: AnyInt) -> Samples:
    """Samples for polygons with up to so many inside."""
    return Samples(np.empty((3, count), np.float32), np.empty(count, np.float32), np.empty(count, np.int32))


@kernel
def minimum_extent(points: F32, count: int) -> np.float32:
    """The width of the polygon where it is narrowest."""
    x, z = points[0], points[2]
    smallest = FARTHEST
    for i in range(count):
        following = i + 1 if i + 1 < count else 0
        largest = _ZERO
        for j in range(count):
            if j != i and j != following:
                distance = squared_distance(x[j], z[j], x[i], z[i], x[following], z[following])
                if distance > largest:
                    largest = distance
        if largest < smallest:
            smallest = largest
    return np.float32(math.sqrt(smallest))


@kernel
def sample_edges(
    boundary: Boundary, corners: int, patch: Patch, source: HeightSource, sampling: Sampling, tally: I64
) -> int:
    """Append the samples that each edge needs to follow the ground, and string up the ring. Returns the vertex count.

    An edge is sampled from its lexicographically lower end, so that both polygons beside it keep the same samples.
    """
    points, ring, edge, needed = boundary
    x, y, z = points[0], points[1], points[2]
    count = corners
    on_ring = 0
    for i in range(corners):
        j = i - 1 if i > 0 else corners - 1
        a, b = j, i
        if abs(x[a] - x[b]) < _SAME_X:
            swapped = z[a] > z[b]
        else:
            swapped = x[a] > x[b]
        if swapped:
            a, b = i, j
        pieces = _sample_edge(x, y, z, a, b, count, edge, sampling.distance)
        look_up(edge, pieces + 1, patch, source, sampling, tally)
        size = _simplify(edge, needed, pieces, sampling.max_error * sampling.max_error)
        ring[VERTEX, on_ring] = j
        on_ring += 1
        for k in range(1, size - 1):
            m = needed[size - 1 - k] if swapped else needed[k]
            x[count], y[count], z[count] = edge[0, m], edge[1, m], edge[2, m]
            ring[VERTEX, on_ring] = count
            on_ring += 1
            count += 1
    return count


@kernel
def _sample_edge(x: F32, y: F32, z: F32, a: int, b: int, count: int, edge: F32, distance: np.float32) -> int:
    """Spread samples evenly from a to b; returns the number of pieces between them."""
    dx, dy, dz = x[b] - x[a], y[b] - y[a], z[b] - z[a]
    pieces = 1 + math.floor(np.float32(math.sqrt(dx * dx + dz * dz)) / distance)
    if pieces >= MAX_EDGE_SAMPLES:
        pieces = MAX_EDGE_SAMPLES - 1
    if count + pieces >= MAX_VERTICES:
        pieces = MAX_VERTICES - 1 - count
    for k in range(pieces + 1):
        u = np.float32(k) / np.float32(pieces)
        edge[0, k], edge[1, k], edge[2, k] = x[a] + dx * u, y[a] + dy * u, z[a] + dz * u
    return pieces


@kernel
def _simplify(edge: F32, needed: I32, pieces: int, most: np.float32) -> int:
    """Keep both ends and, again and again, the sample farthest from the line so far. Returns how many stay."""
    needed[0], needed[1] = 0, pieces
    size, k = 2, 0
    while k < size - 1:
        worst, where = _ZERO, -1
        for m in range(needed[k] + 1, needed[k + 1]):
            distance = _distance_in_space(edge, m, needed[k], needed[k + 1])
            if distance > worst:
                worst, where = distance, m
        if where >= 0 and worst > most:
            for m in range(size, k + 1, -1):
                needed[m] = needed[m - 1]
            needed[k + 1] = where
            size += 1
        else:
            k += 1
    return size


@kernel
def _distance_in_space(s: F32, m: int, p: int, q: int) -> np.float32:
    """The squared distance of sample m to the segment between samples p and q."""
    u, v, w = s[0, q] - s[0, p], s[1, q] - s[1, p], s[2, q] - s[2, p]
    dx, dy, dz = s[0, m] - s[0, p], s[1, m] - s[1, p], s[2, m] - s[2, p]
    t = part_along((u * dx + v * dy) + w * dz, (u * u + v * v) + w * w)
    ex, ey, ez = (s[0, p] + t * u) - s[0, m], (s[1, p] + t * v) - s[1, m], (s[2, p] + t * w) - s[2, m]
    return (ex * ex + ey * ey) + ez * ez


@kernel
def grid_span(low: np.float32, high: np.float32, distance: np.float32) -> tuple[int, int]:
    """The first sample of a row, and one past the last."""
    return math.floor(low / distance), math.ceil(high / distance)


@kernel
def sample_inside(
    samples: Samples, points: F32, corners: int, patch: Patch, source: HeightSource, sampling: Sampling, tally: I64
) -> int:
    """Lay the sample grid over the polygon, look up the heights, jitter the places. Returns the number of samples.

    The grid is anchored at the origin of the navmesh, so neighboring polygons share it.
    """
    place = samples.place
    low_x, high_x, low_z, high_z = points[0, 0], points[0, 0], points[2, 0], points[2, 0]
    low_y, high_y = points[1, 0], points[1, 0]
    for i in range(1, corners):
        low_x, high_x = min(low_x, points[0, i]), max(high_x, points[0, i])
        low_y, high_y = min(low_y, points[1, i]), max(high_y, points[1, i])
        low_z, high_z = min(low_z, points[2, i]), max(high_z, points[2, i])
    middle = (high_y + low_y) * _HALF
    begin_x, end_x = grid_span(low_x, high_x, sampling.distance)
    begin_z, end_z = grid_span(low_z, high_z, sampling.distance)
    margin = sampling.distance / _TWO
    count = 0
    for row in range(begin_z, end_z):
        if source.cancelled[0] != 0:
            break
        z = np.float32(row) * sampling.distance
        low, high = _row_range(points, corners, z, sampling.distance)
        for column in range(max(begin_x, low), min(end_x, high)):
            x = np.float32(column) * sampling.distance
            if _well_inside(points, corners, x, z, margin):
                place[0, count], place[1, count], place[2, count] = x, middle, z
                count += 1
    look_up(place, count, patch, source, sampling, tally)
    for i in range(count):
        # −1 … 1 from the low 16 bits of multiples: places that do not repeat, so that few points lie on one circle.
        shift_x = np.float32(i * _JITTER_X & _LOW_16_BITS) / np.float32(_LOW_16_BITS) * _TWO - _ONE
        shift_z = np.float32(i * _JITTER_Z & _LOW_16_BITS) / np.float32(_LOW_16_BITS) * _TWO - _ONE
        place[0, i] += shift_x * sampling.cell_size * _TENTH
        place[2, i] += shift_z * sampling.cell_size * _TENTH
    return count


@inlined
def _row_range(points: F32, corners: int, z: np.float32, distance: np.float32) -> tuple[AnyInt, AnyInt]:
    """Columns of samples that hold all samples of a row inside the polygon: between its outermost crossings.

    As `_well_inside` computes them; left of all or right of all the number of crossings ahead is even.
    """
    low, high = FARTHEST, -FARTHEST
    xj, zj = points[0, corners - 1], points[2, corners - 1]
    for i in range(corners):
        xi, zi = points[0, i], points[2, i]
        if (zi > z) != (zj > z):
            crossing = (xj - xi) * (z - zi) / (zj - zi) + xi
            low, high = min(low, crossing), max(high, crossing)
        xj, zj = xi, zi
    if low > high:
        return np.int64(0), np.int64(0)
    # Two more on each side, and what float32 may be wrong by: nothing inside must be missed.
    first, last = math.floor(low / distance), math.ceil(high / distance)
    return first - 2 - (abs(first) >> 20), last + 3 + (abs(last) >> 20)


@kernel
def _well_inside(points: F32, corners: int, px: np.float32, pz: np.float32, margin: np.float32) -> bool:
    """Inside the polygon, no edge nearer than the margin (compared with the *squared* distance, as Recast does)."""
    inside = False
    xj, zj = points[0, corners - 1], points[2, corners - 1]
    for i in range(corners):
        xi, zi = points[0, i], points[2, i]
        if (zi > pz) != (zj > pz) and px < (xj - xi) * (pz - zi) / (zj - zi) + xi:
            inside = not inside
        xj, zj = xi, zi
    if not inside:
        return False
    for i in range(corners):
        xi, zi = points[0, i], points[2, i]
        if squared_distance(px, pz, xj, zj, xi, zi) < margin:
            return False
        xj, zj = xi, zi
    return True
