"""Codes of reasons: what `navcore why` answers, in the order of the stages."""

WAY_OUT = ""

TABLE = """
WALKABLE: The place is part of the navmesh
    No rule removed it: an agent's center may stand there.
    -> Nothing. If agents do not get there, look at islands and links.

OUTSIDE_BOUNDS: The place is outside of the bounds
    The bounds of the build end before it, or it lies in the outermost ring of cells, which is never walkable.
    -> Give wider bounds in the scene file, or leave them out. At the rim of a level let the ground reach a cell
    farther.

NOTHING_HERE: There is no surface at the place
    Neither a triangle nor the cell that it fills lies at the point or below it within the agent's height.
    -> Check that the object is part of the level, and the scale and up axis of the level.

TOO_STEEP: The ground is too steep
    The slope of the triangle is as large as Max Slope, or larger.
    -> Raise Max Slope to the suggested value, or make the ground flatter.

FACES_DOWN: The face looks down
    Only the front of a triangle can be stood on: its corners are counter-clockwise seen from above. Flipped normals and
    negative scales turn it over.
    -> Flip the face (in Blender: Mesh > Normals > Recalculate Outside), or apply the scale.

DEGENERATE: The triangle has no area
    Its corners lie on one line or in one point, so that it has no normal and no slope.
    -> Merge its vertices (in Blender: Mesh > Clean Up > Degenerate Dissolve).

COVERED: Something else covers the surface
    Matter that touches becomes one solid span, and its highest surface counts: a pillar on the floor, a thin object
    just above the ground, the inside of a wall.
    -> Look at the triangle that is named, and remove or move its object. A higher Max Climb counts both as one
    surface.

LEDGE: The place is beside a drop
    The ground falls by more than Max Climb within one cell, or ends.
    -> Raise Max Climb to the suggested value, or let the ground reach a cell farther. *Filter Ledge Spans*
    turns this off.

UNEVEN: The ground around the place is too uneven
    The lowest and the highest floor that can be entered from it lie farther apart than Max Climb, as on slopes of small
    cells.
    -> Raise Max Climb to the suggested value, or use smaller cells.

LOW_CEILING: There is too little room above the floor
    Heights are rounded up to whole cells, so that the room that is needed may be a little more than Agent Height.
    -> Lower Agent Height to the suggested value, raise the ceiling, or use a smaller Cell Height.

TOO_CLOSE: The place is too close to an edge
    An agent's center keeps its radius, rounded up to whole cells, from walls, drops and the end of the ground.
    -> Lower Agent Radius to the suggested value, use smaller cells, or widen the passage.

MARKED: The place is marked as not walkable
    A volume of area 0 contains it, or the triangle was given the area 0.
    -> Move the volume, or give another area to it or to the triangle.

SMOOTHED: Smoothing changed the area of the place
    The median filter gives each place the area that most of its neighbors have. The place stays walkable.
    -> Turn *Median Filter* off, or make the area wider.

HOVERING: The navmesh lies above or below the ground
    The place is walkable, but polygons are flat: between their corners, and between the samples of the detail mesh,
    the ground leaves them by more than Max Climb and two cell heights.
    -> Turn *Detail Mesh* on, or lower Detail Max Error or Detail Sample Distance to the suggested value.

INSIDE_SOLID: The place lies inside of a closed body
    The place is walkable, but every way out of it, up and to the sides, leads through the back of a face: it is the
    inside of a rock or a block that is hollow for a build, where there is floor and room.
    -> Let a volume of area 0 mark the inside, add a seed outside and prune what it does not reach, or close the floor.

REGION_TOO_SMALL: The island is too small
    Regions with fewer cells than Region Min Size squared are removed, and strips so narrow that none begins in them.
    -> Lower Region Min Size to the suggested value, or use smaller cells.

OUTLINE_SIMPLIFIED: A straighter outline left the place out
    Polygon edges may leave the true outline of the ground by Edge Max Error.
    -> Lower Edge Max Error to the suggested value, or use smaller cells.

POLYGON_DROPPED: No sound polygon could be made here
    The outline could not be divided into polygons, or was given up by a repair.
    -> Use a smaller Cell Size or Edge Max Error. The warnings of the build name such places.

UNREACHABLE: No way leads to the place
    It is walkable, but on an island that agents cannot reach from any of the seeds, so that pruning removes it.
    -> Add a seed on the island or a link to it, or make the way wider: ask for the reason at the gap.

NO_WAY: The end of a path cannot be reached
    Both ends of a tested path are on the navmesh, and no ground and no link leads from one to the other.
    -> The sentence says how many metres are missing, and what would join them where that is known: a link, a higher
    climb, a thinner agent.

OFF_NAVMESH: The place is on no navmesh
    Nothing of it is within the agent's radius of the place, or as far above or below it as the agent is high.
    -> The sentence names what is nearest, or what stands in the way. Move the place, or change the level there.

NOT_GATHERED: What lies there was not built from
    In Blender an object lies at the place that the navmesh is not built from: it is left out by its mark or its name,
    hidden, or not selected.
    -> Let it be used (*Use* in the panel *Object*, or the setup's rules) and build again.

STALE: The level changed since the navmesh was built
    In Blender something was moved, edited or set differently since. What held for the level as it was stands behind.
    -> Build again, then ask again.
"""
