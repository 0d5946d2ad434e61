"""All tiles of a navmesh as flat arrays that kernels ask; `mesh_in_tiles.py` changes them tile by tile.

Polygons are numbered through, tile after tile; in each the ground comes before the connections. Kernels know polygons
by these numbers; outside they are Detour's references. Recast: dtNavMesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from ..detour.byte_layout import (
    AREA_MASK,
    CONNECTION,
    EXTERNAL,
    INSIDE,
    KIND_SHIFT,
    NO_LINK,
    Sections,
    sections,
    split_sections,
)
from ..detour.polygon_references import SetParameters
from ..jit import borrowing, kernel
from ..types import F32, I32, I64, U8, U16, U32, AnyArray, AnyInt, Records
from .box_blocks import BLOCK, SIDES_OF_BOX, block_count, put_blocks

_Bundle = TypeVar("_Bundle", bound=tuple[Any, ...])
NO_POLYGON = -1
WALL, BORDER = -1, -2  # in `neighbors`: no polygon across this edge; perhaps polygons of other tiles, see the links
_PART, _WHOLE = np.float32(1) / np.float32(255), 255  # of an edge, in a link
SIDES = 4  # key of a link: target · SIDES + which of these the target is entered from, for the nodes of a search
_I, _F = np.int32, np.float32
POLYGON = np.dtype(
    (
        np.record,
        [
            ("corners", _I), ("flags", _I), ("area", _I), ("kind", _I), ("tile", _I), ("first_link", _I),
            ("end_link", _I), ("first_triangle", _I), ("end_triangle", _I),
        ],
    )
)  # fmt: skip
LINK = np.dtype(
    (
        np.record,
        [
            ("target", _I), ("edge", _I), ("side", _I), ("low", _I), ("high", _I), ("key", _I),
            ("flags_there", _I),  # those of the target
            ("spare", _I),  # half a cache line
        ],
    )
)  # fmt: skip
NODE = np.dtype(
    (
        np.record,
        [
            ("low_x", _I), ("low_y", _I), ("low_z", _I), ("high_x", _I), ("high_y", _I), ("high_z", _I),
            ("polygon", _I),  # or minus the number of nodes of the subtree
        ],
    )
)  # fmt: skip
TILE = np.dtype(
    (
        np.record,
        [
            ("x", _I), ("y", _I), ("layer", _I), ("first_polygon", _I), ("first_connection", _I),
            ("end_polygon", _I), ("first_node", _I), ("end_node", _I), ("low", _F, 3), ("high", _F, 3),
            ("first_block", _I), ("top_block", _I), ("depth", _I),  # levels of blocks; 0: the tile has none
            ("cells_per_metre", _F), ("agent_max_climb", _F), ("agent_radius", _F),
        ],
    )
)  # fmt: skip
TILING = np.dtype((np.record, [("origin_x", _F), ("origin_z", _F), ("width", _F), ("depth", _F)]))
PolygonRows: TypeAlias = Records  # (P,) of POLYGON
LinkRows: TypeAlias = Records  # (L,) of LINK
NodeRows: TypeAlias = Records  # (N,) of NODE
TileRows: TypeAlias = Records  # (R,) of TILE
TilingRow: TypeAlias = Records  # (1,) of TILING


class QueryMesh(NamedTuple):
    """P polygons with L links and D detail triangles, in R tiles with N tree nodes and B blocks of boxes."""

    outline: F32  # (P, 6, 3) the corners of each polygon, metres; of a connection its start and its end
    neighbors: I32  # (P, 6) the polygon across edge j → j + 1, WALL or BORDER
    polygons: PolygonRows  # (P,)
    links: LinkRows  # (L,) each polygon's from first_link to end_link, in Detour's order
    portals: F32  # (L, 2, 3) left and right end of what the first link to the same target shares; NaN: nothing
    middles: F32  # (L, 3) of the portals; the origin where there is none
    boxes: F32  # (P, 6) around each polygon and its detail: low corner, high corner
    triangles: F32  # (D, 3, 3) corners
    marks: U8  # (D, 4) corner numbers, and in the last which edges lie on the polygon's outline
    nodes: NodeRows  # (N,) of the tiles' trees
    blocks: U16  # (B, 6, 16) the same trees, sixteen boxes side by side: see `box_blocks.py`
    below: I32  # (B, 16) what each of these boxes is of: a block, on the last level a polygon
    tiles: TileRows  # (R,) by row, then column, then the tile that was added last
    tiling: TilingRow  # where tile (0, 0) begins, and how large tiles are


class References(NamedTuple):
    """Detour's names of polygons, and back. Recast: dtPolyRef."""

    of_polygon: U32  # (P,)
    user_ids: U32  # (P,) of connections; 0 for ground
    tile_of_slot: U32  # reference of the tile in each slot; 0: none
    first_of_slot: I64  # its first polygon
    count_of_slot: I64  # its polygons
    polygon_bits: int
    slot_mask: int
    order: I64  # the slots that are taken, in the order in which Detour looks at them

    def polygons(self, references: AnyArray) -> I32:
        """The polygon of each reference; NO_POLYGON for what names none: salt, tile or polygon are wrong.

        Recast: dtNavMesh::isValidPolyRef.
        """
        if not len(self.tile_of_slot):
            return np.full(references.shape, NO_POLYGON, np.int32)
        given = references.astype(np.int64, copy=False)
        number = given & ((1 << self.polygon_bits) - 1)
        slot = given >> self.polygon_bits & self.slot_mask
        # A slot that is not there is taken for the last one, whose reference is another; empty ones have no polygons.
        known = self.tile_of_slot.take(slot, mode="clip") == given - number
        known &= number < self.count_of_slot.take(slot, mode="clip")
        return np.where(known, self.first_of_slot.take(slot, mode="clip") + number, NO_POLYGON).astype(np.int32)

    def tiles(self) -> tuple[I64, I64]:
        """First and last polygon of each tile, slot after slot; the last one is not of the tile any more."""
        return self.first_of_slot[self.order], self.first_of_slot[self.order] + self.count_of_slot[self.order]

    def names(self, polygons: I32) -> U32:
        """The reference of each polygon; 0 for NO_POLYGON. Recast: a null dtPolyRef."""
        if not len(self.of_polygon):
            return np.zeros(polygons.shape, np.uint32)
        names: U32 = self.of_polygon.take(polygons, mode="wrap")
        if polygons.min(initial=0) < 0:
            names[polygons < 0] = 0
        return names


def handed(bundle: _Bundle) -> _Bundle:
    """A bundle as kernels are given it that make one of it again: a plain tuple, which is cheaper to hand over."""
    return cast("_Bundle", tuple(bundle))


def query_mesh(
    parameters: SetParameters, references: Sequence[int], tiles: Sequence[U8]
) -> tuple[QueryMesh, References]:
    """Flat arrays of linked tiles, given in the order in which they were added."""
    parts = [sections(data) for data in tiles]
    count = np.array([len(part.polygons) for part in parts], np.int64)
    first = np.cumsum(count) - count
    bits, mask = parameters.polygon_bits, (1 << parameters.tile_bits) - 1
    slots = np.array([reference >> bits & mask for reference in references], np.int64)
    names = _references(references, slots, first, count, parts, bits, mask)
    order = _row_order(parts)
    triangles = [int(part.detail_meshes["triangles"][: ground_of(part)].sum(dtype=np.int64)) for part in parts]
    mesh = _empty_mesh(
        int(count.sum()), sum(len(part.links) for part in parts), sum(triangles), [len(p.nodes) for p in parts]
    )  # fmt: skip
    begin, size = parameters.origin, (parameters.tile_width, parameters.tile_depth)
    mesh.tiling[0] = (begin[0], begin[2], *size)
    triangle, node, block, link = np.cumsum(triangles) - triangles, 0, 0, 0
    for row, k in enumerate(order.tolist()):
        put_tile(tiles[k], handed(mesh), int(first[k]), int(triangle[k]), (node, block), row)
        node, block = node + len(parts[k].nodes), block + block_count(len(parts[k].nodes))
    for data, place in zip(tiles, first.tolist(), strict=True):
        room = link, len(mesh.links) - link
        link = put_links(data, place, room, names.first_of_slot, (bits, mask), mesh.polygons, mesh.links)
    mesh = mesh._replace(links=mesh.links[:link], portals=mesh.portals[:link], middles=mesh.middles[:link])
    put_portals(handed(mesh), np.array([[0, len(mesh.polygons)]], np.int64))
    return mesh, names


def _empty_mesh(polygons: int, links: int, triangles: int, nodes: Sequence[int]) -> QueryMesh:
    """Arrays to be filled, with room behind them: tiles that change may need more. `nodes`: of each tile."""
    blocks = sum(block_count(count) for count in nodes)

    def room(count: int, kind: Any, *shape: int) -> Any:
        return np.zeros((count + count // 8 + 64, *shape), kind)[:count]

    return QueryMesh(
        room(polygons, np.float32, 6, 3), room(polygons, np.int32, 6), room(polygons, POLYGON), room(links, LINK),
        room(links, np.float32, 2, 3), room(links, np.float32, 3), room(polygons, np.float32, 6),
        room(triangles, np.float32, 3, 3), room(triangles, np.uint8, 4), room(sum(nodes), NODE),
        room(blocks, np.uint16, SIDES_OF_BOX, BLOCK), room(blocks, np.int32, BLOCK), np.zeros(len(nodes), TILE),
        np.zeros(1, TILING),
    )  # fmt: skip


def ground_of(part: Sections) -> int:
    """How many polygons of a tile have detail."""
    return min(int(part.header[0]["first_connection"]), len(part.detail_meshes))


def _references(
    references: Sequence[int], slots: I64, first: I64, count: I64, parts: Sequence[Sections], bits: int, mask: int
) -> References:
    room = int(slots.max(initial=-1)) + 1
    tile_of_slot, first_of_slot, count_of_slot = (
        np.zeros(room, np.uint32),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
    )
    tile_of_slot[slots], first_of_slot[slots], count_of_slot[slots] = np.array(references, np.uint32), first, count
    of_polygon = np.repeat(np.array(references, np.uint32), count)
    of_polygon |= (np.arange(len(of_polygon)) - np.repeat(first, count)).astype(np.uint32)
    user_ids = np.zeros(len(of_polygon), np.uint32)
    for k, part in enumerate(parts):
        user_ids[int(first[k]) + part.connections["polygon"].astype(np.int64)] = part.connections["user_id"]
    order = np.flatnonzero(tile_of_slot)
    return References(of_polygon, user_ids, tile_of_slot, first_of_slot, count_of_slot, bits, mask, order)


def _row_order(parts: Sequence[Sections]) -> I64:
    """Tiles by y, then x, then the one that was added last: in this order Detour looks at them."""
    x, y = (np.array([int(part.header[0][axis]) for part in parts], np.int64) for axis in ("x", "y"))
    return np.lexsort((-np.arange(len(parts)), x, y))


@kernel
def put_tile(data: U8, mesh: QueryMesh, first: int, triangle: int, tree: tuple[int, int], row: int) -> None:
    """Write a tile's polygons from number `first` on, its detail, its tree and its own row, all but the links.

    `tree`: where its nodes begin, and their blocks.
    """
    mesh = QueryMesh(*mesh)
    tile = split_sections(data)
    header, polygons = tile.header[0], mesh.polygons
    ground: AnyInt = min(int(header["first_connection"]), len(tile.detail_meshes))
    for k in range(len(tile.polygons)):
        own = first + k
        corners, area_and_kind = tile.polygons["corners"][k], tile.polygons["area_and_kind"][k]
        for corner in range(6):
            vertex = np.int64(tile.polygons["vertices"][k, corner if corner < corners else 0])
            for axis in range(3):
                mesh.outline[own, corner, axis] = tile.vertices[vertex, axis]
            across = np.int32(tile.polygons["neighbors"][k, corner])
            inside = np.int32(first + across - 1) if across > 0 else np.int32(WALL)
            mesh.neighbors[own, corner] = BORDER if across >= EXTERNAL else inside
        it = polygons[own]
        it.corners, it.flags, it.tile = corners, tile.polygons["flags"][k], row
        it.area, it.kind = area_and_kind & AREA_MASK, area_and_kind >> KIND_SHIFT
        it.first_triangle = it.end_triangle = 0
        if k < ground:
            it.first_triangle = triangle
            triangle = _put_detail(tile, mesh, k, own, triangle)
            it.end_triangle = triangle
        _put_box(mesh, own)
    begin, first_block = tree
    node = begin
    for k in range(len(tile.nodes)):
        into, box, leaf = mesh.nodes[node], tile.nodes["box"], tile.nodes["polygon"][k]
        into.low_x, into.low_y, into.low_z = box[k, 0], box[k, 1], box[k, 2]
        into.high_x, into.high_y, into.high_z = box[k, 3], box[k, 4], box[k, 5]
        into.polygon = leaf + first if leaf >= 0 else leaf
        node += 1
    it = mesh.tiles[row]
    it.first_block = first_block
    it.top_block, it.depth = put_blocks(mesh.nodes[begin:node], mesh.blocks, mesh.below, first_block)
    it.x, it.y, it.layer = header["x"], header["y"], header["layer"]
    it.first_polygon, it.first_connection = first, first + header["first_connection"]
    it.end_polygon, it.first_node, it.end_node = first + len(tile.polygons), begin, node
    it.cells_per_metre, it.agent_max_climb = header["cells_per_metre"], header["agent_max_climb"]
    it.agent_radius = header["agent_radius"]
    for axis in range(3):
        it.low[axis], it.high[axis] = header["bounds_min"][axis], header["bounds_max"][axis]


@borrowing
def _put_detail(tile: Sections, mesh: QueryMesh, polygon: int, own: int, triangle: int) -> int:
    """Write the triangles of a polygon with the positions of their corners; where they end."""
    corners = np.int64(tile.polygons["corners"][polygon])
    begin, further = np.int64(tile.detail_meshes["first_triangle"][polygon]), tile.detail_vertices
    for k in range(begin, begin + np.int64(tile.detail_meshes["triangles"][polygon])):
        for corner in range(3):
            local = np.int64(tile.detail_triangles[k, corner])
            extra = np.int64(tile.detail_meshes["first_vertex"][polygon]) + local - corners
            for axis in range(3):
                if local < corners or len(further) == 0:
                    place = mesh.outline[own, local if local < corners else 0, axis]
                else:
                    place = further[extra, axis]
                mesh.triangles[triangle, corner, axis] = place
        for corner in range(4):
            mesh.marks[triangle, corner] = tile.detail_triangles[k, corner]
        triangle += 1
    return triangle


@borrowing
def _put_box(mesh: QueryMesh, own: int) -> None:
    """Around the corners of a polygon and of its detail triangles."""
    it = mesh.polygons[own]
    for axis in range(3):
        low = high = mesh.outline[own, 0, axis]
        for corner in range(1, it.corners):
            low, high = min(low, mesh.outline[own, corner, axis]), max(high, mesh.outline[own, corner, axis])
        for k in range(it.first_triangle, it.end_triangle):
            for corner in range(3):
                low, high = min(low, mesh.triangles[k, corner, axis]), max(high, mesh.triangles[k, corner, axis])
        mesh.boxes[own, axis], mesh.boxes[own, 3 + axis] = low, high


@kernel
def put_links(
    data: U8, first: int, room: tuple[int, int], first_of_slot: I64, bits: tuple[int, int], polygons: PolygonRows,
    found: LinkRows,
) -> int:  # fmt: skip
    """Write the links of a tile's polygons; where they end. Where each list lies goes to `polygons`.

    `room`: from where on, and for how many there is room. Where they are more, nothing is written: minus how many they
    are. `bits`: of a polygon in a reference, and the mask of a tile's slot.
    """
    tile = split_sections(data)
    (count, most), (polygon_bits, slot_mask), links = room, bits, tile.links
    if _count_links(tile) > most:
        return -_count_links(tile)
    for polygon in range(len(tile.polygons)):
        polygons[first + polygon].first_link = count
        k = tile.polygons["first_link"][polygon]
        while k != NO_LINK:
            target = np.int64(links["target"][k])
            slot, number = target >> polygon_bits & slot_mask, target & ((1 << polygon_bits) - 1)
            found[count].target = first_of_slot[slot] + number
            found[count].edge, found[count].side = links["edge"][k], links["side"][k]
            found[count].low, found[count].high = links["low"][k], links["high"][k]
            entered = np.int32(0) if links["side"][k] == INSIDE else np.int32(links["side"][k] >> 1)
            found[count].flags_there = polygons[found[count].target].flags
            found[count].key = found[count].target * SIDES + entered
            count += 1
            k = links["next"][k]
        polygons[first + polygon].end_link = count
    return count


@borrowing
def _count_links(tile: Sections) -> int:
    """How many links the polygons of a tile have."""
    count = 0
    following = tile.links["next"]
    for k in tile.polygons["first_link"]:
        while k != NO_LINK:
            count += 1
            k = following[k]
    return count


@kernel
def put_portals(mesh: QueryMesh, ranges: I64) -> None:
    """What the polygons in these ranges share across each of their links, and its middle.

    Recast: dtNavMeshQuery::getPortalPoints.
    """
    mesh = QueryMesh(*mesh)
    outline, polygons, links, portals = mesh.outline, mesh.polygons, mesh.links, mesh.portals
    for row in range(len(ranges)):
        for here in range(ranges[row, 0], ranges[row, 1]):
            for k in range(polygons[here].first_link, polygons[here].end_link):
                there = links[k].target
                link = _link_to(polygons, links, here, there)
                edge = links[link].edge
                if polygons[here].kind == CONNECTION:
                    portals[k, 0], portals[k, 1] = outline[here, edge], outline[here, edge]
                elif polygons[there].kind == CONNECTION:
                    back = _link_to(polygons, links, there, here)
                    if back < 0:
                        portals[k] = np.float32(np.nan)
                    else:
                        portals[k, 0] = portals[k, 1] = outline[there, links[back].edge]
                else:
                    following = edge + 1 if edge + 1 < polygons[here].corners else 0
                    whole = links[link].side == INSIDE or (links[link].low == 0 and links[link].high == _WHOLE)
                    low, high = np.float32(links[link].low) * _PART, np.float32(links[link].high) * _PART
                    for axis in range(3):
                        a, b = outline[here, edge, axis], outline[here, following, axis]
                        portals[k, 0, axis] = a if whole else a + (b - a) * low
                        portals[k, 1, axis] = b if whole else a + (b - a) * high
                for axis in range(3):
                    middle = (portals[k, 0, axis] + portals[k, 1, axis]) * np.float32(0.5)
                    mesh.middles[k, axis] = np.float32(0) if np.isnan(portals[k, 0, axis]) else middle


@kernel
def refresh_flags(mesh: QueryMesh, rows: I32) -> None:
    """After flags of polygons in these tiles have changed: links say what their targets have.

    Links lead to a tile from itself and from those around it alone.
    """
    mesh = QueryMesh(*mesh)
    tiles, polygons, links = mesh.tiles, mesh.polygons, mesh.links
    for row in rows:
        for other in range(len(tiles)):
            if abs(tiles[other].x - tiles[row].x) > 1 or abs(tiles[other].y - tiles[row].y) > 1:
                continue
            for polygon in range(tiles[other].first_polygon, tiles[other].end_polygon):
                for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
                    links[link].flags_there = polygons[links[link].target].flags


@kernel
def _link_to(polygons: PolygonRows, links: LinkRows, here: int, there: int) -> int:
    """The first link from one polygon to another; -1 where there is none."""
    for link in range(polygons[here].first_link, polygons[here].end_link):
        if links[link].target == there:
            return link
    return -1
