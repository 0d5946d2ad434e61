"""What questions are answered with: one row for each question; of what is longer, all rows one after the other.

`offsets` cut such an array: row r has the items offsets[r] to offsets[r + 1]. References are Detour's, 0 for none.
`status` is Detour's status word unless said otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

from ..types import F32, F64, I32, I64, U8, U32, Bools
from .status import PathStatus


class Nearest(NamedTuple):
    """Of each point the nearest polygon. Recast: dtNavMeshQuery::findNearestPoly."""

    references: U32  # (N,); 0: none near enough
    points: F32  # (N, 3) the point of that polygon
    over: U8  # (N,) 1: the asked point is above or below the polygon
    status: U32


class RandomPoints(NamedTuple):
    """Points of the navmesh, and their polygons."""

    references: U32
    points: F32
    status: U32


class ClosestPoints(NamedTuple):
    """Of each polygon the point closest to another."""

    points: F32
    over: U8  # likewise
    status: U32


class Heights(NamedTuple):
    """Of each polygon its height at a point. Recast: dtNavMeshQuery::getPolyHeight."""

    heights: F32
    status: U32  # a failure where the point is not above or below the polygon


class Polygons(NamedTuple):
    """Polygons of each row."""

    offsets: I64
    references: U32
    status: U32


class Outlines(NamedTuple):
    """The corners of each polygon, one after the other."""

    offsets: I64
    points: F32  # (., 3)


class Draped(NamedTuple):
    """The triangles of each polygon as they lie on the ground, one after the other."""

    offsets: I64
    triangles: F32  # (., 3, 3) corners


class Corridors(NamedTuple):
    """The polygons of each path. Recast: dtNavMeshQuery::findPath."""

    offsets: I64
    references: U32
    status: U32
    aims: F32  # (N, 3) the end, or what of the last polygon is closest to it
    expanded: I32  # (N,) nodes that the search has used


class PathCosts(NamedTuple):
    """What the cheapest way costs from each start to each end, over the middles of what polygons share."""

    costs: F32  # (N, M); infinite where no way leads, NaN where that cannot be said
    status: U8  # (N, M) a `PathStatus`: complete, unreachable, or why it cannot be said


class Within(NamedTuple):
    """The polygons whose entrances cost no more than was asked for, of each start the cheapest first."""

    offsets: I64
    references: U32
    parents: U32  # from which each is entered; 0 for the first
    costs: F32  # of the way to the entrance
    status: U32


class IslandNumbers(NamedTuple):
    """The island that each polygon is on, numbered by how much ground they have."""

    numbers: I32  # (N,); -1 for what is on none
    square_metres: F64  # (islands,) of all islands
    status: U32


class StraightPaths(NamedTuple):
    """The line through each corridor. Recast: dtNavMeshQuery::findStraightPath."""

    offsets: I64
    points: F32  # (., 3)
    flags: U8  # 1 start, 2 end, 4 a link begins
    references: U32  # the polygon that is entered; 0 at the end
    status: U32


class Paths(NamedTuple):
    """Ways from starts to ends: what became of each, its line, and the polygons it leads through."""

    status: U8  # (N,) a `PathStatus`
    length: F32  # (N,) metres
    offsets: I64  # of `points`, `flags` and `references`
    points: F32
    flags: U8
    references: U32
    polygon_offsets: I64
    polygons: U32
    cost: F32  # (N,) what the line costs, area by area: with a point where areas meet, so longer on uneven ground
    missing: F32  # (N,) metres from where it ends to the navmesh at the asked end; NaN where there is none
    detour_status: U32  # of finding the polygons
    straight_status: U32  # of pulling the line
    expanded: I32  # (N,) nodes that the search has used


class LongPaths(NamedTuple):
    """Ways over many tiles."""

    paths: Paths
    by_districts: Bools  # (N,) which were found over districts; the others are as by `find_paths`


class FoundPath(NamedTuple):
    """One way: what became of it, its line, how long it is and what it costs, and the polygons it leads through."""

    status: PathStatus
    points: F32  # (K, 3)
    length: float  # metres
    cost: float
    polygons: U32


class BothEnds(NamedTuple):
    """Where links begin and end."""

    starts: F32  # (N, 3)
    ends: F32
    status: U32


class TilesThere(NamedTuple):
    """Tiles of a navmesh, by row, column and layer."""

    references: U32
    x: I32
    y: I32
    layers: I32
    polygons: I32  # how many, links included
    low: F32  # (N, 3) their bounds
    high: F32


class TilePlaces(NamedTuple):
    """The tile of each polygon, and which of its polygons it is; -1 where there is none."""

    x: I32
    y: I32
    layers: I32
    numbers: I32
    status: U32


class Rays(NamedTuple):
    """How far one comes that goes straight on. Recast: dtNavMeshQuery::raycast."""

    parts: F32  # (N,) of the way to the end, up to the wall; the largest float: nothing is in the way
    normals: F32  # (N, 3) of the wall
    costs: F32
    edges: I32  # the edge of the last polygon in which it ends; -1: inside
    offsets: I64
    references: U32
    status: U32


class Moves(NamedTuple):
    """Where short walks end; heights are not those of the ground. Recast: dtNavMeshQuery::moveAlongSurface."""

    points: F32
    offsets: I64
    references: U32
    status: U32


class Walls(NamedTuple):
    """The wall nearest to each point. Recast: dtNavMeshQuery::findDistanceToWall."""

    distances: F32
    points: F32  # NaN where there is no wall within the radius
    normals: F32
    hit: Bools
    status: U32


class Around(NamedTuple):
    """The polygons around each point or in each shape. Recast: dtNavMeshQuery::findPolysAroundCircle and …Shape."""

    offsets: I64
    references: U32
    parents: U32  # from which each is entered
    costs: F32
    status: U32


class Neighborhoods(NamedTuple):
    """Polygons near each point, none above another."""

    offsets: I64
    references: U32
    parents: U32  # from which each is entered
    status: U32


class WallSegments(NamedTuple):
    """The pieces of each polygon's outline. Recast: dtNavMeshQuery::getPolyWallSegments."""

    offsets: I64
    segments: F32  # (., 2, 3) both ends of each
    references: U32  # the polygon behind it; 0: a wall
    status: U32
