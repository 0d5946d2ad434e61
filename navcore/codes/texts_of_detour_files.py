"""Codes of Detour files that break a rule of their format: every one of them is refused before anything is computed."""

WAY_OUT = (
    "Export the file again from its source. If that does not help, the program that wrote it has a fault: report it "
    "there, or here if Navmesh wrote it."
)

TABLE = """
BAD_FILE: A file is no sound Detour navmesh
    What every code of this list has in common.

BIG_ENDIAN: The file is of a machine with the other byte order
    Only little-endian files are read, as all engines write them.

REFERENCES_64_BIT: The file has 64-bit references
    Detour was built with DT_POLYREF64 where it was written; files with 32-bit references are read.
    -> Export it from a Detour with 32-bit references.

TRAILING_BYTES: Bytes follow the last tile
    A file ends with its last tile; this one was glued together or counts wrongly.

TOO_MANY_BITS: References would need more bits than there are
    The header announces more tiles and polygons than a reference can number.

TOO_MANY_LINKS: To land its links would take minutes
    The file has so many off-mesh links over so many polygons that looking for their ground is refused.

TOO_MANY_BORDER_EDGES: To join its tiles would take minutes
    So many edges lie along tile borders that comparing them is refused.

TOO_MANY_POLYGONS: A tile has more polygons than references can number
    The header leaves fewer bits for polygons.

BAD_ORIGIN: The origin is no point to compute with
    It is not finite, or too far away.

BAD_TILE_SIZE: Tiles have a size that cannot be
    Width and height must be finite and above 0.

BAD_TILE_COUNT: The count of tiles is not possible
    The header says that it holds more than it has room for.

BAD_MOST_TILES: The room for tiles is not possible
    It must be at least 1, and at most what references can number.

BAD_MOST_POLYGONS: The room for polygons is not possible
    It must be at least 1, and at most what references can number.

DOUBLE_TILE: Two tiles lie in one place
    The same column, row and layer.

DOUBLE_SLOT: Two tiles have one reference
    Links would lead to both.

BAD_REFERENCE: A tile has a reference that names no tile
    Its bits lead outside of the file.

BAD_DATA_SIZE: A tile is smaller than its header
    The size that the file gives for it is wrong.

BAD_TILE_MAGIC: A tile does not begin as tiles do
    The file is damaged, or its sizes are wrong.

BAD_TILE_VERSION: A tile has another version
    Version 7 is read, which is Detour's.

BAD_SECTIONS: A tile's parts do not fill it
    Counts in its header and its size differ.

BAD_TILE_PLACE: A tile lies in an impossible place
    Column, row or layer are out of range.

BAD_COUNT: A count in a tile's header is not possible
    Below 0, or more than the format can number.

BAD_CONNECTION_COUNT: The count of a tile's links is wrong
    Ground and links together must be its polygons.

BAD_DETAIL_COUNT: A tile has too few detail meshes
    There must be one for each polygon of its ground.

BAD_AGENT: A tile was built for an impossible agent
    Its height, radius or climb is not finite, or radius or climb lie below 0.

BAD_BOUNDS: A tile's bounds are not possible
    The high corner lies below the low one, or a number is not finite.

BAD_QUANTIZATION: A tile's cells per metre are not possible
    The number must be finite and above 0.

BAD_POLYGON_KIND: Ground and links are out of order
    Polygons of the ground come first, links follow.

BAD_CORNER_COUNT: A polygon has too few or too many corners
    From 3 to 6 are possible, 2 for a link.

BAD_CORNER: A corner has no vertex
    It leads outside of the tile's vertices.

BAD_NEIGHBOR: An edge has a neighbor that does not exist
    It leads outside of the tile's polygons.

BAD_DETAIL_VERTEX: A detail vertex is no finite point
    It is infinite, no number, or too far away.

BAD_DETAIL_VERTICES: A detail mesh has vertices that do not exist
    They lead outside of the tile's detail vertices.

BAD_DETAIL_TRIANGLES: A detail mesh has triangles that do not exist
    They lead outside of the tile's detail triangles.

NO_DETAIL_TRIANGLES: A polygon has no detail triangles
    Its height would be unknown.

BAD_DETAIL_CORNER: A detail triangle has a corner that does not exist
    It leads outside of its polygon's vertices.

NO_OUTLINE: No detail triangle lies on its polygon's outline
    Heights along the edges would be unknown.

BAD_TREE: The search tree leads nowhere
    A node's index is out of range.

BAD_CONNECTION_POLYGON: A link names another polygon than its own
    Links and their polygons come in the same order.

BAD_CONNECTION_SIDE: A link ends on a side that does not exist
    Tiles have eight sides.

BAD_CONNECTION_FLAGS: A link has unknown flags
    It goes in one direction or in both.

BAD_CONNECTION_POINT: A link's ends are no finite points
    They are infinite, no numbers, or too far away.

BAD_CONNECTION_RADIUS: A link's radius is not possible
    It must be finite and not below 0.
"""
