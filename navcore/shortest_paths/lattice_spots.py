"""The records that the search for the shortest path reads, and which spots of the lattice lie inside of a polygon."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..jit import inlined, kernel
from ..types import I32, AnyBool, AnyInt

Records: TypeAlias = npt.NDArray[np.void]
# A vertex: where it is in steps of the lattice, and where a shortest path can turn, at a wall's corner that stands out,
# the wall's vertices beside it.
VERTEX = np.dtype((np.record, [(name, np.int32) for name in ("x", "z", "wall_behind", "wall_ahead")]))
# Where an edge begins, the next around its polygon, the polygon, the edge across, another copy of this edge with
# something else across (tiles may meet twice), and whether a dead end lies across.
_EDGE = ("vertex", "following", "polygon", "across", "also", "dead_end")
EDGE = np.dtype((np.record, [(name, np.int32) for name in _EDGE]))
# A polygon's edges and jumps; its number and the end of the numbers of what is reached through it alone; polygons of
# one island are connected, perhaps one way only.
_POLYGON_64, _POLYGON_32 = ("first_edge", "end_edge", "first_jump", "end_jump"), ("number", "end_number", "island", "_")
POLYGON = np.dtype((np.record, [(n, np.int64) for n in _POLYGON_64] + [(n, np.int32) for n in _POLYGON_32]))
# A jump over an off-mesh link, one way: the link's polygon, from which to which, where it begins (the vertex after that
# is where it lands), and how long it is in metres.
_JUMP = ("link", "start", "end", "vertex")
JUMP = np.dtype((np.record, [(n, np.int32) for n in _JUMP] + [("length", np.float64)]))
NOTHING = -1
_NEAR = 2  # steps around a spot in which one inside of its polygon is looked for


class LatticePoint(NamedTuple):
    """A place in steps of the lattice."""

    x: np.int64
    z: np.int64


@inlined
def spot_of(vertices: Records, vertex: AnyInt) -> LatticePoint:
    return LatticePoint(np.int64(vertices[vertex].x), np.int64(vertices[vertex].z))


@inlined
def cross(a: LatticePoint, b: LatticePoint, c: LatticePoint) -> np.int64:
    """Above 0: c lies to the left of the line from a to b; below 0 to its right; exactly."""
    return (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x)


@inlined
def is_ahead(a: LatticePoint, b: LatticePoint, c: LatticePoint) -> AnyBool:
    """Whether going on from b to c leads forward for who came from a."""
    return (b.x - a.x) * (c.x - b.x) + (b.z - a.z) * (c.z - b.z) > 0


@inlined
def steps_between(a: LatticePoint, b: LatticePoint) -> float:
    dx, dz = np.float64(b.x - a.x), np.float64(b.z - a.z)
    return np.sqrt(dx * dx + dz * dz)


@kernel
def inside(vertices: Records, edges: Records, first: AnyInt, end: AnyInt, spot: LatticePoint) -> LatticePoint:
    """A spot of the polygon that has these edges; where it is outside by rounding, the one nearby that is not."""
    if _holds(vertices, edges, first, end, spot):
        return spot
    best, least = spot, 2 * _NEAR * _NEAR + 1
    for dx in range(-_NEAR, _NEAR + 1):
        for dz in range(-_NEAR, _NEAR + 1):
            other = LatticePoint(spot.x + dx, spot.z + dz)
            if dx * dx + dz * dz < least and _holds(vertices, edges, first, end, other):
                best, least = other, dx * dx + dz * dz
    if least > 2 * _NEAR * _NEAR:  # a polygon without an inside
        best = spot_of(vertices, _nearest_corner(vertices, edges, first, end, spot))
    return best


@inlined
def _holds(vertices: Records, edges: Records, first: AnyInt, end: AnyInt, spot: LatticePoint) -> AnyBool:
    """Whether a spot lies inside a polygon or on its outline."""
    for edge in range(first, end):
        a, b = edges[edge].vertex, edges[edges[edge].following].vertex
        if cross(spot_of(vertices, a), spot_of(vertices, b), spot) < 0:
            return False
    return True


@kernel
def _nearest_corner(vertices: Records, edges: Records, first: AnyInt, end: AnyInt, spot: LatticePoint) -> np.int32:
    nearest, least = edges[first].vertex, np.inf
    for edge in range(first, end):
        corner = edges[edge].vertex
        away = steps_between(spot, spot_of(vertices, corner))
        if away < least:
            nearest, least = corner, away
    return nearest


@kernel
def settle(vertices: Records, edges: Records, polygons: Records, owners: I32, begin: int) -> None:
    """Moves vertices, from `begin` on, inside of the polygons that own them."""
    for k in range(len(owners)):
        owner, spot = polygons[owners[k]], spot_of(vertices, begin + k)
        spot = inside(vertices, edges, owner.first_edge, owner.end_edge, spot)
        vertices[begin + k].x, vertices[begin + k].z = spot.x, spot.z
