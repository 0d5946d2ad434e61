"""Names of the rules that every mesh must keep; they stand in sentences of REPAIRED, BROKEN and BROKEN_MESH."""

WAY_OUT = (
    "Nothing, where the warning is REPAIRED. Where it is BROKEN, turn *Repair* on. Where a build fails over it, change "
    "Cell Size or Edge Max Error a little, and please report it, with the files that `--failures FOLDER` keeps."
)

TABLE = """
BAD_CORNERS: A polygon has a wrong corner
    A corner twice, fewer than three of them, or one that does not exist.

OUT_OF_BOUNDS: A polygon leaves the bounds
    A corner lies outside of the level's box.

ZERO_AREA: A polygon has no area
    Its corners lie on one line.

CONCAVE: A polygon is not convex
    Paths through it could leave it.

SHARED_EDGE: Two polygons run along an edge in the same direction
    One of them must overlap the other, or face down.

BAD_NEIGHBORS: A polygon names a wrong neighbor
    The other side does not name it, or has no such edge.

BAD_AREA_ID: An area id is above 63
    Areas have six bits.

OVERLAP: Polygons of a region overlap
    An agent could be in two places at once.

OFF_GROUND: A corner lies away from the ground of its region
    More than climbing height above or below the cells that the region has there.

BAD_DETAIL: Detail triangles do not cover their polygon
    Heights within the gap would be those of nothing.

DETAIL_OUT_OF_BOUNDS: Detail vertices leave the bounds
    A height lies outside of the level's box.

UNUSED_VERTEX: A vertex belongs to no polygon
    It does no harm, and shows that something was lost.

DOUBLE_VERTEX: Two vertices are the same place
    Polygons around them would not be connected.

REGION_LOST: A region has an outline and no polygon
    Its ground would be missing.

AREA_CHANGED: Polygons cover another area than their outline
    Ground is missing, or is there that is none.

PORTAL_LOST: Ground goes on into the next tile without a portal
    An agent could not cross the border.

DISCONNECTED: Ground is connected and its polygons are not
    An agent could not go where it could walk.

MIXED_AREAS: A region has several area types
    A part of it would be water that is road, or the like.
"""
