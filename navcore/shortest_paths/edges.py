"""What kernels know of edges: the columns of their table, and which spots lie inside of a polygon's."""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from ..types import I32, I64, AnyBool, AnyInt
from .cones import cross, steps_between

# Where each begins, the next around its polygon, the polygon, the edge across, another copy of this edge with something
# else across (tiles may meet twice), and whether a dead end lies across.
VERTEX, FOLLOWING, POLYGON, ACROSS, ALSO, DEAD_END = range(6)
EDGE_COLUMNS = 6
NOTHING = -1
_NEAR = 2  # steps around a spot in which one inside of its polygon is looked for


@kernel
def inside(spots: I32, edges: I32, first: I64, polygon: AnyInt, x: AnyInt, z: AnyInt) -> tuple[AnyInt, AnyInt]:
    """A spot of a polygon; where it is outside by rounding, the one nearby that is not."""
    if _holds(spots, edges, first, polygon, x, z):
        return x, z
    best_x, best_z, least = x, z, 2 * _NEAR * _NEAR + 1
    for dx in range(-_NEAR, _NEAR + 1):
        for dz in range(-_NEAR, _NEAR + 1):
            if dx * dx + dz * dz < least and _holds(spots, edges, first, polygon, x + dx, z + dz):
                best_x, best_z, least = x + dx, z + dz, dx * dx + dz * dz
    if least > 2 * _NEAR * _NEAR:  # a polygon without an inside
        corner = _nearest_corner(spots, edges, first, polygon, x, z)
        return int(spots[corner, 0]), int(spots[corner, 1])
    return best_x, best_z


@inlined
def _holds(spots: I32, edges: I32, first: I64, polygon: AnyInt, x: AnyInt, z: AnyInt) -> AnyBool:
    """Whether a spot lies inside a polygon or on its outline."""
    for edge in range(first[polygon], first[polygon + 1]):
        a, b = edges[edge, VERTEX], edges[edges[edge, FOLLOWING], VERTEX]
        if cross(spots[a, 0], spots[a, 1], spots[b, 0], spots[b, 1], x, z) < 0:
            return False
    return True


@kernel
def _nearest_corner(spots: I32, edges: I32, first: I64, polygon: AnyInt, x: AnyInt, z: AnyInt) -> np.int32:
    nearest, least = edges[first[polygon], VERTEX], np.inf
    for edge in range(first[polygon], first[polygon + 1]):
        corner = edges[edge, VERTEX]
        away = steps_between(x, z, spots[corner, 0], spots[corner, 1])
        if away < least:
            nearest, least = corner, away
    return nearest


@kernel
def settle(spots: I32, edges: I32, first: I64, polygons: I32, begin: int) -> None:
    """Moves spots, from `begin` on, inside of their polygons."""
    for k in range(len(polygons)):
        x, z = inside(spots, edges, first, polygons[k], int(spots[begin + k, 0]), int(spots[begin + k, 1]))
        spots[begin + k, 0], spots[begin + k, 1] = x, z
