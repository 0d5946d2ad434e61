"""`NavQuery`: a navmesh, made ready once, and the questions it answers. Recast: dtNavMeshQuery."""

from __future__ import annotations

from .of_clearance import ClearanceQuestions
from .of_places import PlaceQuestions, SurroundingsQuestions
from .of_polygons import PolygonQuestions
from .of_ways import ComparisonQuestions, ManyEndsQuestions, WayQuestions


class NavQuery(
    PlaceQuestions, PolygonQuestions, WayQuestions, SurroundingsQuestions, ManyEndsQuestions, ClearanceQuestions,
    ComparisonQuestions,
):  # fmt: skip
    """Answers questions about a navmesh that was built, or that `read_navmesh` has read.

    Each question takes N rows and returns N answers; a single point is one row. The answers are Detour's, bit for bit,
    unless an option says otherwise, and the same for every number of `threads` (None: as many as there are cores).
    A row that cannot be answered, because a number in it is not finite or a reference names no polygon, gets a status
    that says so; the others are answered. The navmesh is read once, here: what happens to it afterwards is
    seen by `update`.
    """
