"""All tiles of a navmesh as flat arrays that kernels ask: made once, never changed.

Polygons are numbered through, tile after tile; in each the ground comes before the connections. Kernels know polygons
by these numbers; outside they are Detour's references. Recast: dtNavMesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..detour.byte_layout import (
    AREA_MASK,
    CONNECTION,
    EXTERNAL,
    INSIDE,
    KIND_SHIFT,
    NO_LINK,
    Sections,
    corners_of,
    sections,
    split_sections,
)
from ..detour.polygon_references import SetParameters
from ..geometry.arrays import numbers_in_ranges
from ..jit import kernel
from ..types import F32, I32, I64, U8, U32

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
            ("x", _I), ("y", _I), ("first_polygon", _I), ("first_connection", _I), ("first_node", _I),
            ("end_node", _I), ("low", _F, 3), ("high", _F, 3), ("cells_per_metre", _F), ("agent_max_climb", _F),
            ("agent_radius", _F),
        ],
    )
)  # fmt: skip
PolygonRows: TypeAlias = npt.NDArray[np.void]  # (P,) of POLYGON
LinkRows: TypeAlias = npt.NDArray[np.void]  # (L,) of LINK
NodeRows: TypeAlias = npt.NDArray[np.void]  # (N,) of NODE
TileRows: TypeAlias = npt.NDArray[np.void]  # (R,) of TILE


class Tiling(NamedTuple):
    """Where tile (0, 0) begins, and how large tiles are."""

    origin_x: np.float32
    origin_z: np.float32
    width: np.float32
    depth: np.float32


class QueryMesh(NamedTuple):
    """P polygons with L links and D detail triangles, in R tiles with N tree nodes."""

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
    tiles: TileRows  # (R,) by row, then column, then the tile that was added last
    tiling: Tiling


class References(NamedTuple):
    """Detour's names of polygons, and back. Recast: dtPolyRef."""

    of_polygon: U32  # (P,)
    user_ids: U32  # (P,) of connections; 0 for ground
    tile_of_slot: U32  # reference of the tile in each slot; 0: none
    first_of_slot: I64  # its first polygon
    count_of_slot: I64  # its polygons
    polygon_bits: int
    slot_mask: int

    def polygons(self, references: npt.NDArray[Any]) -> I32:
        """The polygon of each reference; NO_POLYGON for what names none: salt, tile or polygon are wrong.

        Recast: dtNavMesh::isValidPolyRef.
        """
        given = references.astype(np.int64)
        slot = given >> self.polygon_bits & self.slot_mask
        number = given & ((1 << self.polygon_bits) - 1)
        known = slot < len(self.tile_of_slot)
        slot = np.where(known, slot, 0)
        if not len(self.tile_of_slot):
            return np.full(given.shape, NO_POLYGON, np.int32)
        known &= (self.tile_of_slot[slot] == given - number) & (number < self.count_of_slot[slot]) & (given > 0)
        return np.where(known, self.first_of_slot[slot] + number, NO_POLYGON).astype(np.int32)

    def tiles(self) -> tuple[I64, I64]:
        """First and last polygon of each tile, slot after slot; the last one is not of the tile any more."""
        taken = np.flatnonzero(self.tile_of_slot)
        return self.first_of_slot[taken], self.first_of_slot[taken] + self.count_of_slot[taken]

    def names(self, polygons: I32) -> U32:
        """The reference of each polygon; 0 for NO_POLYGON. Recast: a null dtPolyRef."""
        if not len(self.of_polygon):
            return np.zeros(polygons.shape, np.uint32)
        return np.where(polygons >= 0, self.of_polygon[polygons], np.uint32(0))


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
    tile_number = np.empty(len(parts), np.int64)
    tile_number[order] = np.arange(len(parts))
    polygons = np.zeros(int(count.sum()), POLYGON)
    polygon_parts = [_polygons(part, int(first[k]), int(tile_number[k]), polygons) for k, part in enumerate(parts)]
    triangles, marks = _detail(parts, polygon_parts, first, polygons)
    links = _links(tiles, parts, first, polygons, names)
    nodes, placed = _trees(parts, order, first)
    begin, size = parameters.origin, (parameters.tile_width, parameters.tile_depth)
    tiling = Tiling(*(np.float32(number) for number in (begin[0], begin[2], *size)))
    outline = np.concatenate([np.zeros((0, 6, 3), np.float32), *(p[0] for p in polygon_parts)])
    neighbors = np.concatenate([np.zeros((0, 6), np.int32), *(p[1] for p in polygon_parts)])
    portals = np.empty((len(links), 2, 3), np.float32)
    _portals_kernel(outline, polygons, links, portals)
    middles = np.where(np.isnan(portals[:, 0]), np.float32(0), (portals[:, 0] + portals[:, 1]) * np.float32(0.5))
    boxes = _boxes(outline, polygons, triangles)
    mesh = QueryMesh(
        outline, neighbors, polygons, links, portals, middles, boxes, triangles, marks, nodes, placed, tiling
    )
    return mesh, names


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
    return References(of_polygon, user_ids, tile_of_slot, first_of_slot, count_of_slot, bits, mask)


def _row_order(parts: Sequence[Sections]) -> I64:
    """Tiles by y, then x, then the one that was added last: in this order Detour looks at them."""
    x, y = (np.array([int(part.header[0][axis]) for part in parts], np.int64) for axis in ("x", "y"))
    return np.lexsort((-np.arange(len(parts)), x, y))


def _polygons(part: Sections, first: int, tile: int, polygons: PolygonRows) -> tuple[F32, I32, PolygonRows]:
    """Corners and neighbors of a tile's polygons, and their rows of `polygons`, which are filled."""
    stored = part.polygons
    outline: F32 = part.vertices[corners_of(stored)].astype(np.float32)
    across = stored["neighbors"].astype(np.int32)
    neighbors = np.where(across >= EXTERNAL, BORDER, np.where(across > 0, first + across - 1, WALL)).astype(np.int32)
    own, area_and_kind = polygons[first : first + len(stored)], stored["area_and_kind"]
    own["corners"], own["flags"], own["tile"] = stored["corners"], stored["flags"], tile
    own["area"], own["kind"] = area_and_kind & AREA_MASK, area_and_kind >> KIND_SHIFT
    return outline, neighbors, own


def _detail(
    parts: Sequence[Sections], polygon_parts: Sequence[tuple[F32, I32, PolygonRows]], first: I64, polygons: PolygonRows
) -> tuple[F32, U8]:
    """Triangles of all polygons, with the positions of their corners."""
    corners, marks, done = [np.zeros((0, 3, 3), np.float32)], [np.zeros((0, 4), np.uint8)], 0
    for part, (outline, _, own), begin in zip(parts, polygon_parts, first.tolist(), strict=True):
        ground = min(int(part.header[0]["first_connection"]), len(part.detail_meshes))
        meshes = part.detail_meshes[:ground]
        count = meshes["triangles"].astype(np.int64)
        owner = np.repeat(np.arange(ground), count)
        rows = part.detail_triangles[numbers_in_ranges(meshes["first_triangle"].astype(np.int64), count)]
        local, polygon_corners = rows[:, :3].astype(np.int64), own["corners"][owner][:, None]
        extra = meshes["first_vertex"].astype(np.int64)[owner][:, None] + local - polygon_corners
        positions = outline[owner[:, None], np.where(local < polygon_corners, local, 0)]
        if len(part.detail_vertices):
            inside = np.where(local < polygon_corners, 0, extra)
            positions = np.where((local < polygon_corners)[:, :, None], positions, part.detail_vertices[inside])
        polygons["first_triangle"][begin : begin + ground] = done + np.cumsum(count) - count
        polygons["end_triangle"][begin : begin + ground] = done + np.cumsum(count)
        corners.append(positions.astype(np.float32))
        marks.append(rows)
        done += len(rows)
    return np.concatenate(corners), np.concatenate(marks)


def _boxes(outline: F32, polygons: PolygonRows, triangles: F32) -> F32:
    """Around the corners of each polygon and of its detail triangles."""
    boxes = np.empty((len(outline), 6), np.float32)
    padded = np.where(np.arange(6)[:, None] < polygons["corners"][:, None, None], outline, outline[:, :1])
    boxes[:, :3], boxes[:, 3:] = padded.min(axis=1), padded.max(axis=1)
    count = polygons["end_triangle"] - polygons["first_triangle"]
    owner = np.repeat(np.arange(len(outline)), count)  # triangles lie in the order of polygons
    np.minimum.at(boxes[:, :3], owner, triangles.min(axis=1))
    np.maximum.at(boxes[:, 3:], owner, triangles.max(axis=1))
    return boxes


def _links(
    tiles: Sequence[U8], parts: Sequence[Sections], first: I64, polygons: PolygonRows, names: References
) -> LinkRows:
    # What returns records to Python is not kept on disk. Joining records of tiles compares their fields by name: slow.
    found, done = np.zeros(sum(len(part.links) for part in parts), LINK), 0
    for data, begin in zip(tiles, first.tolist(), strict=True):
        done = _tile_links(data, begin, done, names.first_of_slot, names.polygon_bits, names.slot_mask, polygons, found)
    return found[:done].copy()


@kernel
def _tile_links(
    data: U8, first: int, done: int, first_of_slot: I64, polygon_bits: int, slot_mask: int, polygons: PolygonRows,
    found: LinkRows,
) -> int:  # fmt: skip
    """Write the links of a tile's polygons from `done` on; where they end. Where each list lies goes to `polygons`."""
    tile = split_sections(data)
    links, count = tile.links, done
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


@kernel
def _portals_kernel(outline: F32, polygons: PolygonRows, links: LinkRows, portals: F32) -> None:
    """What polygons share across each link. Recast: dtNavMeshQuery::getPortalPoints."""
    for here in range(len(polygons)):
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


@kernel
def _link_to(polygons: PolygonRows, links: LinkRows, here: int, there: int) -> int:
    """The first link from one polygon to another; -1 where there is none."""
    for link in range(polygons[here].first_link, polygons[here].end_link):
        if links[link].target == there:
            return link
    return -1


def _trees(parts: Sequence[Sections], order: I64, first: I64) -> tuple[NodeRows, TileRows]:
    nodes = np.empty((sum(len(part.nodes) for part in parts), len(NODE.names or ())), np.int32)
    tiles, done = np.zeros(len(parts), TILE), 0
    for row, k in enumerate(order.tolist()):
        part = parts[k]
        header, begin = part.header[0], int(first[k])
        own, polygon = nodes[done : done + len(part.nodes)], part.nodes["polygon"]
        own[:, :6], own[:, 6] = part.nodes["box"], np.where(polygon >= 0, polygon + begin, polygon)
        tiles[row] = (
            header["x"], header["y"], begin, begin + header["first_connection"], done, done + len(own),
            header["bounds_min"], header["bounds_max"], header["cells_per_metre"], header["agent_max_climb"],
            header["agent_radius"],
        )  # fmt: skip
        done += len(own)
    return nodes.view(NODE).reshape(-1), tiles
