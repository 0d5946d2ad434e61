"""Codes of navmesh files of all formats, read and written."""

WAY_OUT = ""

TABLE = """
CANNOT_WRITE: The file was not written
    The folder is not there, may not be written to, or the disk is full. What was there before is untouched.
    -> The sentence has the system's reason. In Blender, save the .blend file before you write beside it (`//`).

UNKNOWN_TARGET: There is no such target
    A target is what an export is for, such as `pathfinding`.
    -> Take one of the names in the sentence.

WRONG_ENDING: The ending does not fit the target
    Each target has files of one ending.
    -> Give the file the ending in the sentence, or choose another target.

UNSOUND_NAVMESH: A navmesh contradicts itself
    Indices lead nowhere, neighbors do not know each other, or numbers are not finite. The sentence says where. Files
    are checked when they are read, and every export before it replaces a file.
    -> Export the file again from its source. If Navmesh wrote it, please report it.

NOT_A_NAVMESH: The file is no navmesh
    It does not begin as files of this format do.
    -> Check that the ending is right: `.bin` holds Detour data, `.json` Navmesh's own JSON, `.tres` a Godot
    NavigationMesh. A `.glb` or a `.tscn` is read where Navmesh wrote it.

BAD_VERSION: The file has a version that is not read
    It was written by a newer or a much older program.
    -> Export it again with the versions at hand.

BAD_UNIT: A JSON navmesh is not in metres with y up
    Other units are not converted, so that nobody has to guess.
    -> Convert it before you read it.

BAD_VERTEX: A vertex is not a finite point
    A coordinate is infinite, no number, or too far away to compute with.
    -> Export the file again from its source.

NO_POLYGONS: The navmesh is empty
    There is no polygon in it.
    -> Export it from a build that has walkable ground.

TRUNCATED: The file ends too early
    It was cut off: a download or a copy that was not finished.
    -> Fetch or export it again.

CANNOT_CARRY: The format has no place for something
    The file, or the engine that reads it, could not hold what the navmesh has. Nothing was written.
    -> The sentence says what, and which setting helps. Another format may hold it.

NEEDS_THE_BUILD: The format needs what only a build has
    Detour files are written from a build or another Detour file, RecastDemo's cases from the level itself.
    -> Build the navmesh again and export then.

NEEDS_THE_LEVEL: The format holds the level, and it is not at hand
    RecastDemo builds from triangles, and a file or an older build has none.
    -> Build again and export then.

LOST_IN_EXPORT: The format holds less than the navmesh
    The sentence names what was left out, such as area types, their costs, or links.
    -> Nothing, if the engine does not need it; else choose a format that holds it (`.bin`, `.json`, `.glb`).

BAD_AREA_NAME: An area's name does not fit into the file
    A name in an `.obj` is one line of text.
    -> Rename the area.

BAD_FILE_NAME: RecastDemo cannot read a file of this name
    Its names are one line of plain ASCII.
    -> Choose another name.

BAD_NODE_NAME: A name does not fit Godot's nodes
    Some characters are not allowed there.
    -> Rename what the sentence names.

RECASTDEMO_LIMITS: RecastDemo holds less than the level has
    Its cases have a most number of volumes, of their corners, and of links.
    -> Leave some out, or simplify the volume that the sentence names.

NOT_IN_GSET: A .gset does not hold some settings
    RecastDemo keeps them in its sliders.
    -> Set the values in the sentence by hand in RecastDemo.

CYLINDER_AS_PRISM: Cylinders became prisms
    A `.gset` knows convex prisms only.
    -> Nothing; the difference is a sliver at the rim.

EDGE_OF_THREE: Three polygons meet at one edge
    Engines join two at most, and would lose a connection.
    -> Build with *Repair* on, or with a larger Agent Radius.

CORNERS_TOO_NEAR: Corners are too near for three-pathfinding
    It makes corners within a small distance one, and polygons would vanish.
    -> Raise Cell Size.

YUKA_ISLANDS: Of several islands yuka keeps one
    Its path search does not know of others.
    -> Prune with a seed, or join the islands.

GODOT_CELLS: Godot's cells must be smaller
    Vertices nearer than a cell of Godot's map are merged there and edges are lost.
    -> Set the cell size in the sentence in Godot's project settings (Navigation > 3D), or build with a larger Cell
    Size.

LINK_TOO_FAR: A link's end lies too far from the ground
    In Detour data an end beyond the numbers of a tile is refused; in Godot an end that is not near a polygon joins
    nothing.
    -> Move the ends onto walkable ground.

LINK_UNATTACHED: A link joins nothing
    In the finished navmesh an end of the link finds no ground within its radius, so that no agent can take it.
    -> Move that end onto walkable ground, or raise the radius. The sentence names the link and the end.

LINKS_LEFT_OUT: Points of links that were found are not in the file
    A `.bin` holds only those that Detour joins to the ground at both ends, and a `.gset` holds 256 links at most. Wide
    links keep their middle points first; links that were given are never left out. A link that somebody keeps although
    nothing joins it has no point in any file.
    -> Raise link_spacing, so that there are fewer points. Raise tile_size where links are longer than a tile.

LINKS_NOT_CHECKED: Links were not checked
    Whether links join ground is looked at in runtime data, and there could be none.
    -> The sentence has the reason. The navmesh itself is built.

LINKS_NOT_FOUND: No links were looked for
    Links are found on runtime data and on the level's voxels, and there could be none.
    -> The sentence has the reason. The navmesh itself is built.

LINKS_THINNED: There were more links than are kept
    A level with so many edges has links by the hundred thousand; the widest were kept.
    -> Raise Link Detour, lower the distances, or raise Cell Size.

LINK_DISTANCE_SHORTENED: Links are shorter than was asked for
    Detour joins a tile with the eight around it, so no link is longer than a tile.
    -> Raise Tile Size, or lower Link Jump Distance.

LINK_BLOCKED: A link that was kept can no longer be taken
    The agent, swept along the link, touches something, or the floor does not end where the link begins.
    -> Move the link or delete it. The sentence names it.

LINK_ENDS_NOWHERE: A link that was kept joins nothing
    One of its ends lies on no walkable ground any more, or Detour cannot join its ends: they lie more than a tile
    apart, or where no seed reaches.
    -> Move the link or delete it. The sentence names it.

BORDER_LINKS: Ground at tile borders is not connected
    Outlines of neighboring tiles were simplified differently and do not overlap enough for a link.
    -> Raise Edge Max Error or choose another Tile Size.

GLB_TOO_LARGE: The .glb would be too large
    Sizes in its header have 32 bits.
    -> Raise Cell Size, or export tiles as `.bin`.

DETOUR_VERTICES_PER_POLYGON: Detour polygons have six vertices at most
    The format of the file says so.
    -> Build with `vertices_per_polygon` 6 or less.

DETOUR_POLYGONS: A tile has too many polygons for a Detour file
    The format counts them up to the limit in the sentence.
    -> Lower Tile Size, or raise Cell Size or Edge Max Error.

DETOUR_VERTICES: A tile has too many vertices for a Detour file
    The format counts them up to the limit in the sentence.
    -> Lower Tile Size, or raise Cell Size or Edge Max Error.

DETOUR_DETAIL_VERTICES: A tile has too many detail vertices for a Detour file
    The format counts them up to the limit in the sentence.
    -> Lower Tile Size, or raise Detail Sample Distance or Detail Sample Max Error.

DETOUR_LINKS: Links make a tile too large for a Detour file
    Every link is a polygon with two vertices of its tile.
    -> Lower Tile Size or use fewer links.

DETOUR_POLYGON_BITS: Tiles and polygons do not fit into a reference
    A Detour reference has 32 bits for both.
    -> Raise Cell Size or Edge Max Error, or choose another Tile Size.

TOO_MANY_TILES: There are more tiles than can be numbered
    A Detour file has references of 32 bits for tiles and polygons together.
    -> Raise Tile Size to the value in the sentence, or Cell Size, or build the level in parts.
"""
