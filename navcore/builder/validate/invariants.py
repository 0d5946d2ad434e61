"""The invariants of a finished mesh: a code, a bit and a sentence for each way to break one, and where it is broken."""

from __future__ import annotations

from typing import NamedTuple

from ...build_warning import Point
from ...types import U8, U32

# Bits of a polygon
CORNERS, BOUNDS, ZERO_AREA, FLIPPED, CONCAVE, SHARED_EDGE = 1, 2, 4, 8, 16, 32
NEIGHBORS, AREA_ID, OVERLAP, OFF_GROUND, DETAIL, DETAIL_BOUNDS = 64, 128, 256, 512, 1024, 2048
# Bits of a vertex
UNUSED, DOUBLE = 1, 2
# Bits of a region
LOST, CUT_OFF, MIXED, SHRUNK, SHUT = 1, 2, 4, 8, 16


class Invariant(NamedTuple):
    """One invariant, or a part of one."""

    invariant: str  # I1 … I14
    bit: int
    code: str
    text: str  # after “Polygon 12”, “Vertex 12” or “Region 12”


POLYGON_RULES = (
    Invariant("I1", CORNERS, "BAD_CORNERS", "has a corner twice, too few corners, or one that does not exist"),
    Invariant("I2", BOUNDS, "OUT_OF_BOUNDS", "has a corner outside the bounds"),
    Invariant("I3", ZERO_AREA, "ZERO_AREA", "has no area"),
    Invariant("I3", FLIPPED, "FLIPPED", "faces down"),
    Invariant("I4", CONCAVE, "CONCAVE", "is not convex"),
    Invariant("I5", SHARED_EDGE, "SHARED_EDGE", "runs along an edge in the same direction as another polygon"),
    Invariant("I6", NEIGHBORS, "BAD_NEIGHBORS", "names a wrong neighbor"),
    Invariant("I14", AREA_ID, "BAD_AREA_ID", "has an area id above 63"),
    Invariant("I8", OVERLAP, "OVERLAP", "overlaps another polygon of its region"),
    Invariant("I9", OFF_GROUND, "OFF_GROUND", "has a corner away from the ground of its region"),
    Invariant("I13", DETAIL, "BAD_DETAIL", "is not covered by its detail triangles"),
    Invariant("I2", DETAIL_BOUNDS, "DETAIL_OUT_OF_BOUNDS", "has detail vertices outside the bounds"),
)
VERTEX_RULES = (
    Invariant("I7", UNUSED, "UNUSED_VERTEX", "belongs to no polygon"),
    Invariant("I7", DOUBLE, "DOUBLE_VERTEX", "lies where another vertex lies"),
)
REGION_RULES = (
    Invariant("I10", LOST, "REGION_LOST", "has an outline and no polygon"),
    Invariant("I10", SHRUNK, "AREA_CHANGED", "has polygons of a very different area"),
    Invariant("I11", SHUT, "PORTAL_LOST", "goes on into the next tile and has no portal there"),
    Invariant("I12", CUT_OFF, "DISCONNECTED", "is connected on the ground and not by polygons"),
    Invariant("I14", MIXED, "MIXED_AREAS", "has ground of several area types"),
)


class Findings(NamedTuple):
    """The bits of every polygon, vertex and region; `any` tells whether there is a single one."""

    polygons: U32  # (P,)
    vertices: U8  # (V,)
    regions: U8  # (R,) empty where nothing is known about the ground
    any: bool


class Violation(NamedTuple):
    """One broken invariant at one place."""

    code: str
    message: str
    place: Point  # metres, y up
    polygon: int  # -1 where it is no polygon's
    region: int  # 0 where none is known
    invariant: str
