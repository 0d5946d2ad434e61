"""All tiles of a navmesh as flat arrays that kernels ask: made once, never changed.

Polygons are numbered through, tile after tile; in each the ground comes before the connections. Kernels know polygons
by these numbers; outside they are Detour's references. Recast: dtNavMesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..detour.byte_layout import (
    AREA_MASK,
    EXTERNAL,
    KIND_SHIFT,
    NO_LINK,
    Sections,
    sections,
    split_sections,
)
from ..detour.polygon_references import SetParameters
from ..geometry.ranges import numbers_in_ranges
from ..jit import kernel
from ..types import F32, I32, I64, U8, U32

NO_POLYGON = -1
WALL, BORDER = -1, -2  # in `neighbors`: no polygon across this edge; perhaps polygons of other tiles, see the links
# Columns of `facts`.
CORNERS, FLAGS, AREA, KIND, TILE, FIRST_LINK, END_LINK, FIRST_TRIANGLE, END_TRIANGLE = range(9)
_FACTS = 9
# Columns of `links`.
TARGET, EDGE, SIDE, LOW, HIGH = range(5)
# Columns of `nodes`: a box in six numbers, then a polygon, or minus the number of nodes of the subtree.
LEAF = 6
# Columns of `places`.
X, Y, FIRST_POLYGON, FIRST_CONNECTION, FIRST_NODE, END_NODE = range(6)
# Columns of `frames`: low corner, high corner, then these.
SCALE, CLIMB, RADIUS = 6, 7, 8
# Columns of `grid`.
ORIGIN_X, ORIGIN_Z, TILE_WIDTH, TILE_DEPTH = range(4)


class QueryMesh(NamedTuple):
    """P polygons with L links and D detail triangles, in R tiles with N tree nodes."""

    outline: F32  # (P, 6, 3) the corners of each polygon, metres; of a connection its start and its end
    neighbors: I32  # (P, 6) the polygon across edge j → j + 1, WALL or BORDER
    facts: I32  # (P, 9)
    links: I32  # (L, 5) each polygon's from FIRST_LINK to END_LINK, in Detour's order
    triangles: F32  # (D, 3, 3) corners
    marks: U8  # (D, 4) corner numbers, and in the last which edges lie on the polygon's outline
    nodes: I32  # (N, 7)
    places: I32  # (R, 6) by row, then column, then the tile that was added last
    frames: F32  # (R, 9)
    grid: F32  # (4,) origin and size of the tiles


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
    polygon_parts = [_polygons(part, int(first[k]), int(tile_number[k])) for k, part in enumerate(parts)]
    facts = np.concatenate([np.zeros((0, _FACTS), np.int32), *(p[2] for p in polygon_parts)])
    triangles, marks = _detail(parts, polygon_parts, first, facts)
    links = _links(tiles, first, facts, names)
    nodes, places, frames = _trees(parts, order, first)
    grid = np.array(
        [parameters.origin[0], parameters.origin[2], parameters.tile_width, parameters.tile_depth], np.float32
    )
    mesh = QueryMesh(
        np.concatenate([np.zeros((0, 6, 3), np.float32), *(p[0] for p in polygon_parts)]),
        np.concatenate([np.zeros((0, 6), np.int32), *(p[1] for p in polygon_parts)]),
        facts, links, triangles, marks, nodes, places, frames, grid,
    )  # fmt: skip
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


def _polygons(part: Sections, first: int, tile: int) -> tuple[F32, I32, I32]:
    polygons = part.polygons
    outline: F32 = part.vertices[polygons["vertices"].astype(np.int64)].astype(np.float32)
    across = polygons["neighbors"].astype(np.int32)
    neighbors = np.where(across >= EXTERNAL, BORDER, np.where(across > 0, first + across - 1, WALL)).astype(np.int32)
    facts = np.zeros((len(polygons), _FACTS), np.int32)
    kind = polygons["area_and_kind"]
    columns = (polygons["corners"], polygons["flags"], kind & AREA_MASK, kind >> KIND_SHIFT)
    for column, values in zip((CORNERS, FLAGS, AREA, KIND), columns, strict=True):
        facts[:, column] = values
    facts[:, TILE] = tile
    return outline, neighbors, facts


def _detail(
    parts: Sequence[Sections], polygon_parts: Sequence[tuple[F32, I32, I32]], first: I64, facts: I32
) -> tuple[F32, U8]:
    """Triangles of all polygons, with the positions of their corners."""
    corners, marks, done = [np.zeros((0, 3, 3), np.float32)], [np.zeros((0, 4), np.uint8)], 0
    for part, (outline, _, own), begin in zip(parts, polygon_parts, first.tolist(), strict=True):
        ground = min(int(part.header[0]["first_connection"]), len(part.detail_meshes))
        meshes = part.detail_meshes[:ground]
        count = meshes["triangles"].astype(np.int64)
        owner = np.repeat(np.arange(ground), count)
        rows = part.detail_triangles[numbers_in_ranges(meshes["first_triangle"].astype(np.int64), count)]
        local, polygon_corners = rows[:, :3].astype(np.int64), own[owner, CORNERS][:, None]
        extra = meshes["first_vertex"].astype(np.int64)[owner][:, None] + local - polygon_corners
        positions = outline[owner[:, None], np.where(local < polygon_corners, local, 0)]
        if len(part.detail_vertices):
            inside = np.where(local < polygon_corners, 0, extra)
            positions = np.where((local < polygon_corners)[:, :, None], positions, part.detail_vertices[inside])
        facts[begin : begin + ground, FIRST_TRIANGLE] = done + np.cumsum(count) - count
        facts[begin : begin + ground, END_TRIANGLE] = done + np.cumsum(count)
        corners.append(positions.astype(np.float32))
        marks.append(rows)
        done += len(rows)
    return np.concatenate(corners), np.concatenate(marks)


def _links(tiles: Sequence[U8], first: I64, facts: I32, names: References) -> I32:
    rows, done = [np.zeros((0, 5), np.int32)], 0
    for data, begin in zip(tiles, first.tolist(), strict=True):
        found = _tile_links(data, begin, done, names.first_of_slot, names.polygon_bits, names.slot_mask, facts)
        rows.append(found)
        done += len(found)
    return np.concatenate(rows)


@kernel
def _tile_links(
    data: U8, first: int, done: int, first_of_slot: I64, polygon_bits: int, slot_mask: int, facts: I32
) -> I32:
    """The links of a tile's polygons, list after list; where each list lies goes to `facts`."""
    tile = split_sections(data)
    links = tile.links
    found = np.empty((len(links), 5), np.int32)
    count = 0
    for polygon in range(len(tile.polygons)):
        facts[first + polygon, FIRST_LINK] = done + count
        k = tile.polygons["first_link"][polygon]
        while k != NO_LINK:
            target = np.int64(links["target"][k])
            slot, number = target >> polygon_bits & slot_mask, target & ((1 << polygon_bits) - 1)
            found[count, TARGET] = first_of_slot[slot] + number
            found[count, EDGE], found[count, SIDE] = links["edge"][k], links["side"][k]
            found[count, LOW], found[count, HIGH] = links["low"][k], links["high"][k]
            count += 1
            k = links["next"][k]
        facts[first + polygon, END_LINK] = done + count
    return found[:count].copy()


def _trees(parts: Sequence[Sections], order: I64, first: I64) -> tuple[I32, I32, F32]:
    nodes = [np.zeros((0, 7), np.int32)]
    places, frames = np.zeros((len(parts), 6), np.int32), np.zeros((len(parts), 9), np.float32)
    done = 0
    for row, k in enumerate(order.tolist()):
        part = parts[k]
        header, begin = part.header[0], int(first[k])
        own = np.empty((len(part.nodes), 7), np.int32)
        own[:, :LEAF] = part.nodes["box"]
        own[:, LEAF] = np.where(part.nodes["polygon"] >= 0, part.nodes["polygon"] + begin, part.nodes["polygon"])
        places[row] = header["x"], header["y"], begin, begin + header["first_connection"], done, done + len(own)
        frames[row, :3], frames[row, 3:SCALE] = header["bounds_min"], header["bounds_max"]
        frames[row, SCALE:] = header["cells_per_metre"], header["agent_max_climb"], header["agent_radius"]
        nodes.append(own)
        done += len(own)
    return np.concatenate(nodes), places, frames
