"""Every bundle that travels between stages, in travelling order.

Shapes are written with one letter each:

    T triangles   C columns (width × depth)   S solid spans   O open spans   K contours
    P polygons    V vertices                  N vertices per polygon

Columns are numbered x + z · width. Spans of a column lie together, bottom to top; `first[c]:first[c + 1]` is the range
of column c. Directions 0 … 3 are (−1, 0), (0, +1), (+1, 0), (0, −1) in (x, z). `…_vx` counts voxels.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

U8: TypeAlias = npt.NDArray[np.uint8]
I16: TypeAlias = npt.NDArray[np.int16]
U16: TypeAlias = npt.NDArray[np.uint16]
U32: TypeAlias = npt.NDArray[np.uint32]
I32: TypeAlias = npt.NDArray[np.int32]
I64: TypeAlias = npt.NDArray[np.int64]
F32: TypeAlias = npt.NDArray[np.float32]
F64: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Records: TypeAlias = npt.NDArray[np.void]  # rows with named fields
AnyArray: TypeAlias = npt.NDArray[Any]
ArrayLike: TypeAlias = npt.ArrayLike  # what callers hand in
AnyInt: TypeAlias = int | np.integer[Any]  # a whole number in a kernel, as wide as its caller has it
AnyBool: TypeAlias = bool | np.bool_  # likewise

NOT_WALKABLE = 0  # area id. Recast: RC_NULL_AREA
WALKABLE = 63  # area id. Recast: RC_WALKABLE_AREA
BORDER_REGION = 0x8000  # flag in a region id: a span of the tile's border. Recast: RC_BORDER_REG
REGION_MASK = 0xFFFF  # the region id in a contour point's fourth number. Recast: RC_CONTOUR_REG_MASK
BORDER_VERTEX = 0x10000  # flag there: a removable vertex on a tile border. Recast: RC_BORDER_VERTEX
AREA_BORDER = 0x20000  # flag there: the neighbor has another area. Recast: RC_AREA_BORDER
# | side in a polygon's neighbor: 0 … 3 for x−, z+, x+, z−, an edge on a tile's border. (A level in one piece may have
# more polygons than that: a number that a polygon has means that polygon.)
PORTAL = 0x8000
PORTAL_SIDE_MASK = 0xF  # the side in such a neighbor
NO_INDEX = 0xFFFF  # no vertex, no neighbor. Recast: RC_MESH_NULL_IDX
X, Y, Z, LINK = 0, 1, 2, 3  # columns of a contour's points; X, Y and Z of vertices, too
FIRST_VERTEX, VERTEX_COUNT, FIRST_TRIANGLE, TRIANGLE_COUNT = 0, 1, 2, 3  # columns of a detail mesh's `meshes`
EDGE_FLAGS = 3  # column of a detail mesh's triangles
HIGHEST_VX = 8191  # the highest voxel a solid span can reach. Recast: RC_SPAN_MAX_HEIGHT


class Geometry(NamedTuple):
    """A triangle soup, y up, that is safe to index: what comes in, and what stage 1 makes of it."""

    vertices: F32  # (V, 3) metres
    triangles: I32  # (T, 3) vertex ids, counter-clockwise seen from above
    area: U8  # (T,) area ids; (0,) before stage 1 where the user gave none


class Grid(NamedTuple):
    """Where the columns lie in the world. Recast: the header of rcHeightfield."""

    width: int  # columns along x, border included
    depth: int  # columns along z, border included
    border: int  # vx of padding on each side (tiles), else 0
    bounds_min: F32  # (3,) border included
    bounds_max: F32  # (3,)
    cell_size: np.float32  # metres along x and z
    cell_height: np.float32  # metres along y


class Heightfield(NamedTuple):
    """Matter: the solid spans of each column. Recast: rcHeightfield."""

    width: int  # columns along x
    depth: int  # columns along z
    first: I32  # (C + 1,) where each column's spans begin
    bottom: U16  # (S,) vx
    top: U16  # (S,) vx
    area: U8  # (S,) area id of the surface on top


class CompactHeightfield(NamedTuple):
    """Open space above walkable spans. Recast: rcCompactHeightfield."""

    width: int  # columns along x
    depth: int  # columns along z
    first: I32  # (C + 1,) where each column's spans begin
    floor: U16  # (O,) vx
    clearance: U8  # (O,) vx up to the next ceiling, 255 at most
    neighbors: I32  # (O, 4) open span in each direction, -1 for none
    area: U8  # (O,) area id


class DistanceField(NamedTuple):
    """How far each open span is from the nearest edge, times two. Recast: rcCompactHeightfield.dist."""

    distance: U16  # (O,) smoothed
    maximum: int  # before smoothing


class Regions(NamedTuple):
    """Which region each open span belongs to. Recast: rcCompactSpan.reg."""

    region: U16  # (O,) 0 for none, BORDER_REGION | 1 … 4 on a tile's border
    count: int  # type: ignore[assignment]  # hides tuple.count. Ids are not above this. Recast: maxRegions


class Contours(NamedTuple):
    """Outlines of regions, all concatenated. Points are (x, y, z, link): vx and a bit field. Recast: rcContourSet.

    Contour k is points[first[k]:first[k + 1]]; a hole that was merged into its outline keeps an empty slot. In `raw`
    the link tells what lies across the edge that ends at the point, in `points` across the edge that starts there.
    """

    first: I32  # (K + 1,)
    points: I32  # (., 4) simplified, holes merged
    raw_first: I32  # (K + 1,)
    raw: I32  # (., 4) every step of the walk
    region: U16  # (K,)
    area: U8  # (K,)


class PolygonMesh(NamedTuple):
    """Convex polygons in voxel coordinates. Recast: rcPolyMesh."""

    vertices: U16  # (V, 3) vx, from `grid.bounds_min`
    polygons: U16  # (P, N) vertex ids, padded with NO_INDEX
    neighbors: U16  # (P, N) polygon across edge j → j + 1, NO_INDEX for none, 0x8000 | side for a tile portal
    region: U16  # (P,) 0 where several were joined
    area: U8  # (P,)
    capacity: int  # polygons before merging at most. Recast: maxpolys
    max_edge_error: np.float32  # vx, as simplified
    grid: Grid  # without the border; `bounds_max` is raised by the agent's height


class DetailMesh(NamedTuple):
    """Triangles with exact heights inside each polygon, in metres. Recast: rcPolyMeshDetail."""

    meshes: U32  # (P, 4) first vertex, vertex count, first triangle, triangle count
    vertices: F32  # (., 3) the polygon's own come first
    triangles: U8  # (., 4) three vertex ids local to the polygon, then edge flags


class StitchedMesh(NamedTuple):
    """All tiles as one plain mesh: every edge inside it belongs to exactly two polygons."""

    vertices: F32  # (V, 3) metres
    first: I32  # (P + 1,) polygon p is corners[first[p]:first[p + 1]]
    corners: I32  # (.,) vertex ids
    neighbors: I32  # (.,) polygon across the edge from each corner to the next, -1 for none
    area: U8  # (P,) area id
    cell_size: np.float32  # metres; x and z are whole cells apart
