"""One layer with its obstacles → a tile of runtime data, its links still empty. Recast: dtTileCache::buildNavMeshTile.

The tile is what `detour/tile_data.py` makes of a polygon mesh without detail and without a tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..detour.byte_layout import AREA_MASK, EXTERNAL, GROUND, KIND_SHIFT, Sections, split_sections
from ..detour.limits import MOST_GROUND_POLYGONS, MOST_POLYGONS, MOST_VERTICES
from ..detour.off_mesh_links import LinkTable
from ..detour.tile_links import replace_linked
from ..detour.tile_parts import TileCounts, TilePlace, begun_tile, links_of_tile, write_connections
from ..jit import borrowing, kernel
from ..stages.polygons.adjacency import corner_count
from ..types import F32, I32, I64, PORTAL, PORTAL_SIDE_MASK, U8, U16, U32
from .fastlz import decompress
from .layer_polygons import LayerPolygons, polygons_of
from .layer_regions import LayerCells, LayerOutlines, outlines_of, regions_of
from .obstacles import HITS, mark_obstacles

BUILT, EMPTY, TOO_MANY_REGIONS, TOO_LONG_AN_OUTLINE, TOO_LARGE, NO_NUMBERS, NO_SLOT = range(7)  # how a tile came out
NO_MEMORY = 7  # it was made, and there is no room for its bytes
_SIDE_OF_PORTAL = np.array([4, 2, 0, 6], np.int32)  # directions −x, +z, +x, −z as eighths from +x
_FIRST_EDGE, _MIDDLE_EDGE, _LAST_EDGE = 1, 4, 16  # which edges of a triangle lie on its polygon's outline


class CacheRules(NamedTuple):
    """What all tiles of a cache are made with."""

    cell_size: np.float32
    cell_height: np.float32
    agent_height: np.float32  # metres
    agent_radius: np.float32
    agent_max_climb: np.float32
    max_edge_error: np.float32  # cells
    climb_vx: int
    exact: bool  # whether upstream's limits hold
    areas: U8  # (256,) area of runtime data
    flags: U16  # (256,) its flags


class MadeTile(NamedTuple):
    """What comes of a layer."""

    status: int
    data: U8  # empty unless it is BUILT
    hits: I32  # cells with ground under each obstacle
    bytes_needed: int  # of the allocator of Recast's sample, which has 32,000


@kernel
def unpacked(packed: U8, cells: int) -> U8:
    """The grids of a layer of so many cells: heights, areas, sides; nothing where the packed bytes are damaged."""
    grids = np.empty(3 * cells, np.uint8)
    return grids if decompress(packed, grids) else grids[:0]


class CacheArrays(NamedTuple):
    """What kernels are given of a whole cache, in as few arrays as can be: to hand one over takes 0.1 µs."""

    rest: U8  # areas and flags of runtime data, then the links of the level: see `rest_of`
    # (layers + 1, 6); the last row: cell size and height, the agent's height, radius, climb, most edge error
    boxes: F32
    tiles: I64  # (layers + 1, 7) see the columns; the last row is of the whole
    numbers: U32  # (2 · layers,) the next unused link of each tile, its reference
    memory: U8  # the bytes of all tiles


# Of the whole: cells of a side, climb in voxels, whether upstream's limits hold, polygons of a tile and layers of a
# place at most, the work that finding ground under links may take, how many bytes of the memory are taken.
WIDTH, CLIMB, EXACT, MOST_OF_A_TILE, MOST_AT_A_PLACE, WORK, FILLED = range(7)
BEGIN, BYTES, POLYGONS, ROOM, COLUMN, ROW, LAYER = range(7)  # columns of tiles; the first two: see `replace_linked`
_AREAS, _FLAGS = 256, 768  # bytes of `rest` until where areas lie, and flags
_OF_LINK = 36  # bytes of one link
_LITTLE = 512  # bytes


def rest_of(areas: U8, flags: U16, links: LinkTable) -> U8:
    """Areas, flags and links as bytes, one after the other."""
    parts = (areas, flags, links.points, links.radius, links.id, links.flags, links.area, links.both_ways)
    return np.frombuffer(b"".join(part.tobytes() for part in parts), np.uint8).copy()


@kernel
def _links_in(rest: U8) -> LinkTable:
    links = rest[_FLAGS:]
    n = len(links) // _OF_LINK
    return LinkTable(
        links[: 24 * n].view(np.float32).reshape(n, 6), links[24 * n : 28 * n].view(np.float32),
        links[34 * n : 35 * n], links[32 * n : 34 * n].view(np.uint16), links[35 * n : 36 * n],
        links[28 * n : 32 * n].view(np.uint32),
    )  # fmt: skip


@kernel
def replace_tile_of_layer(
    layer: int, grids: U8, around: I64, obstacles: F32, references: tuple[int, int], cache: tuple[Any, ...]
) -> tuple[int, int, int]:
    """Make the tile of a layer anew and link it in place of the one before; one that cannot be made changes nothing.

    `around`: the tiles beside it; `references`: of the tile (0: there is no slot) and of the one before (0: none);
    `cache`: CacheArrays. In `obstacles` the last column says on how many cells each stands. Returns how the tile came
    out, how much the allocator of Recast's sample needs, and the bytes of the tile.
    """
    rest, boxes, tiles, numbers, memory = cache
    whole, floats = tiles[len(tiles) - 1], boxes[len(boxes) - 1]
    reference, before = references
    rules = CacheRules(
        floats[0], floats[1], floats[2], floats[3], floats[4], floats[5], whole[CLIMB], whole[EXACT] != 0,
        rest[:_AREAS], rest[_AREAS:_FLAGS].view(np.uint16),
    )  # fmt: skip
    place = TilePlace(tiles[layer, COLUMN], tiles[layer, ROW], tiles[layer, LAYER], boxes[layer, :3], boxes[layer, 3:])
    made = tile_of_layer(grids, (whole[WIDTH], whole[WIDTH]), place, obstacles, rules, _links_in(rest))
    for row in range(len(obstacles)):
        obstacles[row, HITS] = made.hits[row]
    status, size = made.status, len(made.data)
    if status == BUILT:
        if split_sections(made.data).header[0]["polygons"] > whole[MOST_OF_A_TILE]:
            status = NO_NUMBERS
        elif reference == 0:
            status = NO_SLOT
        elif size > tiles[layer, ROOM]:
            room = size + size // 4 + _LITTLE & ~7  # more than is needed: its next tile may be larger
            if whole[FILLED] + room > len(memory):
                return NO_MEMORY, made.bytes_needed, room
            tiles[layer, BEGIN], tiles[layer, ROOM] = whole[FILLED], room
            whole[FILLED] += room
    if status != BUILT and status != EMPTY:
        return status, made.bytes_needed, size
    own = memory[tiles[layer, BEGIN] : tiles[layer, BEGIN] + size]
    own[:] = made.data
    gone = np.uint32(before), tiles[layer, POLYGONS] if before else np.int64(0), whole[MOST_AT_A_PLACE]
    free, polygons = replace_linked(
        own, np.uint32(reference), (memory, tiles, numbers, around), gone, whole[WORK : WORK + 1]
    )
    tiles[layer, BYTES], tiles[layer, POLYGONS] = size, polygons
    numbers[2 * layer], numbers[2 * layer + 1] = free, reference
    return status, made.bytes_needed, size


@kernel
def tile_of_layer(
    grids: U8, size: tuple[int, int], place: TilePlace, obstacles: F32, rules: CacheRules, links: LinkTable
) -> MadeTile:
    """Cut the obstacles out of an unpacked layer of width × depth cells, and make a tile of what is left."""
    width, depth = size
    count = width * depth
    cells = LayerCells(width, depth, grids[:count], grids[count : 2 * count].copy(), grids[2 * count :])
    hits = mark_obstacles(cells, obstacles, place.bounds_min, rules.cell_size, rules.cell_height)
    region = np.empty(width * depth, np.int32)
    swept, starts = regions_of(cells, rules.climb_vx, region, rules.exact)
    if swept < 0:
        return MadeTile(TOO_MANY_REGIONS, grids[:0], hits, 0)
    fits, outlines = outlines_of(cells, region, starts, (rules.climb_vx, rules.max_edge_error, rules.exact))
    if not fits:
        return MadeTile(TOO_LONG_AN_OUTLINE, grids[:0], hits, 0)
    if len(outlines.corners) > MOST_VERTICES:
        return MadeTile(TOO_LARGE, grids[:0], hits, 0)
    mesh = polygons_of(outlines)
    needed = bytes_needed(width, depth, (swept, len(starts)), outlines, (len(mesh.vertices), len(mesh.areas)))
    if len(mesh.areas) == 0:
        return MadeTile(EMPTY, grids[:0], hits, needed)
    data = _written(mesh, place, rules, links)
    return MadeTile(TOO_LARGE if len(data) == 0 else BUILT, data, hits, needed)


@kernel
def bytes_needed(
    width: int, depth: int, regions: tuple[int, int], outlines: LayerOutlines, made: tuple[int, int]
) -> int:  # fmt: skip
    """Of the allocator that Recast's sample gives to one tile and that takes nothing back."""
    swept, left = regions
    vertices, polygons = made
    corners, usable, triangles, largest = 0, 0, 0, 0
    for k in range(len(outlines.areas)):
        size = outlines.first[k + 1] - outlines.first[k]
        corners += size
        if size >= 3:
            usable += size
            triangles += size - 2
            largest = max(largest, size)
    grids = 104 + 4 * width * depth + 4 * width + 24 * swept
    outlined = 16 + 24 * left + 24 * (width + depth) + 4 * corners
    return grids + outlined + 48 + 9 * usable + 27 * triangles + 20 * largest + 2 * vertices + 84 * polygons


@kernel
def _written(mesh: LayerPolygons, place: TilePlace, rules: CacheRules, links: LinkTable) -> U8:
    """The bytes of a tile; none where it is too large for the format. Recast: dtCreateNavMeshData."""
    rows, sides, points_inside = _stored_links(mesh, place, rules, links)
    ground, connections = len(mesh.areas), len(rows)
    vertices, polygons = len(mesh.vertices) + 2 * connections, ground + connections
    edges, portals = 0, 0
    for polygon in range(ground):
        size = corner_count(mesh.polygons, polygon)
        edges += size
        for k in range(size):
            across = np.int32(mesh.neighbors[polygon, k])
            portals += across & PORTAL != 0 and across & PORTAL_SIDE_MASK != PORTAL_SIDE_MASK
    triangles, count = edges - 2 * ground, edges + 2 * portals + 2 * points_inside
    if ground > MOST_GROUND_POLYGONS or polygons > MOST_POLYGONS or vertices > MOST_POLYGONS + 1:
        return np.empty(0, np.uint8)
    counts = TileCounts(vertices, ground, count, 0, triangles, 0, connections)
    data = begun_tile(place, counts, (rules.agent_height, rules.agent_radius, rules.agent_max_climb), rules.cell_size)
    tile = split_sections(data)
    _write_ground(tile, mesh, place, rules)
    write_connections(tile, links, rows, sides, len(mesh.vertices), ground)
    return data


@borrowing
def _write_ground(tile: Sections, mesh: LayerPolygons, place: TilePlace, rules: CacheRules) -> None:
    """Vertices in metres, polygons, and the fans of triangles that stand for their detail."""
    for vertex in range(len(mesh.vertices)):
        for axis in range(3):
            step = rules.cell_height if axis == 1 else rules.cell_size
            tile.vertices[vertex, axis] = place.bounds_min[axis] + np.float32(mesh.vertices[vertex, axis]) * step
    written, details, triangle = tile.polygons, tile.detail_meshes, 0
    for polygon in range(len(mesh.areas)):
        size = corner_count(mesh.polygons, polygon)
        for k in range(size):
            across = np.int32(mesh.neighbors[polygon, k])
            side, there = across & PORTAL_SIDE_MASK, np.int32(across + 1 & 0xFFFF)
            if across & PORTAL:
                there = np.int32(EXTERNAL | _SIDE_OF_PORTAL[side] if side < len(_SIDE_OF_PORTAL) else 0)
            written["vertices"][polygon, k], written["neighbors"][polygon, k] = mesh.polygons[polygon, k], there
        area = rules.areas[mesh.areas[polygon]]
        written["corners"][polygon], written["flags"][polygon] = size, rules.flags[mesh.areas[polygon]]
        written["area_and_kind"][polygon] = area & AREA_MASK | GROUND << KIND_SHIFT
        details["first_triangle"][polygon], details["triangles"][polygon] = triangle, size - 2
        for k in range(2, size):
            bits = _MIDDLE_EDGE + (_FIRST_EDGE if k == 2 else 0) + (_LAST_EDGE if k == size - 1 else 0)
            tile.detail_triangles[triangle, 1], tile.detail_triangles[triangle, 2] = k - 1, k
            tile.detail_triangles[triangle, 3] = bits
            triangle += 1


@kernel
def _stored_links(
    mesh: LayerPolygons, place: TilePlace, rules: CacheRules, links: LinkTable
) -> tuple[I64, U8, int]:  # fmt: skip
    """Which links start on a layer, on which side they end, and how many points need a place in its list."""
    if len(links.radius) == 0:
        return np.empty(0, np.int64), np.empty(0, np.uint8), 0
    low_vx, high_vx = mesh.vertices[0, 1], mesh.vertices[0, 1]
    for vertex in range(len(mesh.vertices)):
        low_vx, high_vx = min(low_vx, mesh.vertices[vertex, 1]), max(high_vx, mesh.vertices[vertex, 1])
    floor = place.bounds_min[1]
    lowest = floor + np.float32(low_vx) * rules.cell_height - rules.agent_max_climb
    highest = floor + np.float32(high_vx) * rules.cell_height + rules.agent_max_climb
    return links_of_tile(links, place, lowest, highest)
