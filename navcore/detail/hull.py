"""The simplest triangulation: the polygon's boundary alone, cut off ear by ear from both sides."""

from __future__ import annotations

import math

import numpy as np

from ..jit import kernel
from .heights import FARTHEST


@kernel
def length_between(px, pz, qx, qz):
    dx, dz = qx - px, qz - pz
    return math.sqrt(dx * dx + dz * dz)


@kernel
def triangulate_hull(points, ring, size, corners, faces):
    """Start at the corner with the shortest triangle, then always take the shorter of the two next diagonals."""
    x, z, ring = points[0], points[2], ring[0]
    start, left, right, best = 0, 1, size - 1, FARTHEST
    for i in range(size):
        if ring[i] < corners:
            before, after = (i + size - 1) % size, (i + 1) % size
            p, c, n = ring[before], ring[i], ring[after]
            around = length_between(x[p], z[p], x[c], z[c]) + length_between(x[c], z[c], x[n], z[n])
            around += length_between(x[n], z[n], x[p], z[p])
            if around < best:
                start, left, right, best = i, after, before, around
    _write_face(faces, 0, ring[start], ring[left], ring[right])
    count = 1
    while (left + 1) % size != right:
        next_left, next_right = (left + 1) % size, (right + size - 1) % size
        l, nl, r, nr = ring[left], ring[next_left], ring[right], ring[next_right]
        by_left = length_between(x[l], z[l], x[nl], z[nl]) + length_between(x[nl], z[nl], x[r], z[r])
        by_right = length_between(x[r], z[r], x[nr], z[nr]) + length_between(x[l], z[l], x[nr], z[nr])
        if by_left < by_right:
            _write_face(faces, count, l, nl, r)
            left = next_left
        else:
            _write_face(faces, count, l, nr, r)
            right = next_right
        count += 1
    return count


@kernel
def _write_face(faces, face, a, b, c):
    faces[0, face] = a
    faces[1, face] = b
    faces[2, face] = c
    faces[3, face] = 1


@kernel
def link_ring(ring, size):
    """Note for each boundary vertex which one follows."""
    for i in range(size):
        ring[1, ring[0, i]] = ring[0, i + 1 if i + 1 < size else 0]


@kernel
def edge_flags(ring, size, a, b, c):
    """Bits 0, 2 and 4: edge ab, bc, ca lies on the boundary."""
    flags = np.int32(0)
    if a < size and ring[1, a] == b:
        flags |= 1
    if b < size and ring[1, b] == c:
        flags |= 4
    if c < size and ring[1, c] == a:
        flags |= 16
    return flags
