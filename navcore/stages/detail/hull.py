"""The simplest triangulation: the polygon's boundary alone, cut off ear by ear from both sides."""

from __future__ import annotations

import math

import numpy as np

from ...geometry.segments import FARTHEST
from ...jit import kernel
from ...types import F32, I32
from .edge_and_inner_samples import VERTEX
from .triangle_table import ATTACHED, A, B, C


@kernel
def length_between(px: np.float32, pz: np.float32, qx: np.float32, qz: np.float32) -> np.float32:
    dx, dz = qx - px, qz - pz
    return np.float32(math.sqrt(dx * dx + dz * dz))


@kernel
def triangulate_hull(points: F32, ring: I32, size: int, corners: int, faces: I32) -> int:
    """Start at the corner with the shortest triangle, then always take the shorter of the two next diagonals."""
    x, z = points[0], points[2]
    start, left, right, best = 0, 1, size - 1, FARTHEST
    for i in range(size):
        if ring[VERTEX, i] < corners:
            before, after = (i + size - 1) % size, (i + 1) % size
            p, c, n = ring[VERTEX, before], ring[VERTEX, i], ring[VERTEX, after]
            around = length_between(x[p], z[p], x[c], z[c]) + length_between(x[c], z[c], x[n], z[n])
            around += length_between(x[n], z[n], x[p], z[p])
            if around < best:
                start, left, right, best = i, after, before, around
    a, b, c = ring[VERTEX, start], ring[VERTEX, left], ring[VERTEX, right]
    count = 0
    while True:
        faces[A, count], faces[B, count], faces[C, count], faces[ATTACHED, count] = a, b, c, 1
        count += 1
        next_left, next_right = (left + 1) % size, (right + size - 1) % size
        if next_left == right:
            return count
        a, c, p, q = ring[VERTEX, left], ring[VERTEX, right], ring[VERTEX, next_left], ring[VERTEX, next_right]
        by_left = length_between(x[a], z[a], x[p], z[p]) + length_between(x[p], z[p], x[c], z[c])
        by_right = length_between(x[c], z[c], x[q], z[q]) + length_between(x[a], z[a], x[q], z[q])
        if by_left < by_right:
            b, left = p, next_left
        else:
            b, right = q, next_right
