"""Stage 9, removal: vertices on a tile's border that exist on this side only are taken out and their holes filled.

A vertex keeps its number until all are done; taking out a number at once, as Recast does, would not change any choice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...types import I32, NO_INDEX, U8, U16, AnyInt
from .adjacency import corner_count
from .merge import SIZE, MergeRoom, merge_polygons, merge_room
from .triangulate import EarRoom, X, Z, ear_room, triangulate

START, END, REGION, AREA = 0, 1, 2, 3  # columns of edges
RIM_VERTEX, RIM_REGION, RIM_AREA = 0, 1, 2  # columns of a rim
_SEVERAL_REGIONS = 0


class PolygonsInTheMaking(NamedTuple):
    """Polygons in the making; the arrays may have room for more than there are."""

    corners: U16  # (P, N) vertex ids, padded with NO_INDEX
    region: U16  # (P,)
    area: U8  # (P,)


class HoleRoom(NamedTuple):
    """Scratch for filling a hole whose rim has up to E edges."""

    around: I32  # (E,) polygons around the hole
    edges: I32  # (E, 4) start, end, region, area
    rim: I32  # (2 · E + 3, 3) vertex, region, area; grows from the middle to both sides
    region: U16  # (E,) of the new polygons
    area: U8  # (E,)
    ears: EarRoom
    merge: MergeRoom


@kernel
def hole_room(edges: int, vertices_per_polygon: int) -> HoleRoom:
    """Room for every hole of a mesh with that many edges (memory that is never touched costs nothing)."""
    return HoleRoom(
        np.empty(edges, np.int32),
        np.empty((edges, 4), np.int32),
        np.empty((2 * edges + 3, 3), np.int32),
        np.empty(edges, np.uint16),
        np.empty(edges, np.uint8),
        ear_room(edges + 1),
        merge_room(edges, vertices_per_polygon),
    )


@kernel
def _find_around(corners: U16, count: int, vertex: int, around: I32) -> int:
    """List the polygons that have a vertex; returns how many."""
    size = 0
    for polygon in range(count):
        for i in range(corners.shape[1]):
            if corners[polygon, i] == vertex:
                around[size] = polygon
                size += 1
                break
    return size


@kernel
def _can_remove(corners: U16, around: I32, vertex: int, tally: I32) -> bool:
    """May a vertex go? Not if too little would remain, nor if more than two of its edges are open ends.

    `around` are its polygons; `tally` counts by vertex, all 0 between calls. Recast: canRemoveVertex.
    """
    remaining, open_ends = 0, 0
    for step in (1, -1):  # once to count, once to set the tally to 0 again
        for polygon in around:
            touching, size = 0, corner_count(corners, polygon)
            for i in range(size):
                a, b = corners[polygon, i], corners[polygon, i - 1 if i > 0 else size - 1]
                if a == vertex:
                    touching += 1
                if a == vertex or b == vertex:
                    other = a if b == vertex else b
                    tally[other] += step
                    if step > 0 and tally[other] == 1:
                        open_ends += 1
                    elif step > 0 and tally[other] == 2:
                        open_ends -= 1
            if step > 0:
                remaining += size - (touching + 1)
    return remaining > 2 and open_ends <= 2


@kernel
def _cut_out(corners: U16, region: U16, area: U8, count: int, vertex: int, edges: I32) -> tuple[int, int]:
    """Take out the polygons around a vertex, keeping the edges that face it; returns (polygons, edges)."""
    polygon, used = 0, 0
    while polygon < count:
        touching, size = False, corner_count(corners, polygon)
        for i in range(size):
            touching |= corners[polygon, i] == vertex
        if not touching:
            polygon += 1
            continue
        for i in range(size):
            a, b = corners[polygon, i - 1 if i > 0 else size - 1], corners[polygon, i]
            if a != vertex and b != vertex:
                edges[used, START], edges[used, END] = a, b
                edges[used, REGION], edges[used, AREA] = region[polygon], area[polygon]
                used += 1
        count -= 1
        for i in range(corners.shape[1]):
            corners[polygon, i] = corners[count, i]
        region[polygon], area[polygon] = region[count], area[count]
    return count, used


@kernel
def _chain_rim(edges: I32, count: int, rim: I32) -> tuple[int, int]:
    """String edges together, at the front first; returns the range of `rim` that they fill."""
    begin = rim.shape[0] // 2
    end = begin + 1
    rim[begin, RIM_VERTEX] = edges[0, START]
    rim[begin, RIM_REGION], rim[begin, RIM_AREA] = edges[0, REGION], edges[0, AREA]
    added = True
    while count > 0 and added:
        added, i = False, 0
        while i < count:
            if rim[begin, RIM_VERTEX] == edges[i, END]:
                begin -= 1
                place, vertex = begin, edges[i, START]
            elif rim[end - 1, RIM_VERTEX] == edges[i, START]:
                place, vertex = end, edges[i, END]
                end += 1
            else:
                i += 1
                continue
            rim[place, RIM_VERTEX] = vertex
            rim[place, RIM_REGION], rim[place, RIM_AREA] = edges[i, REGION], edges[i, AREA]
            added = True
            count -= 1
            for column in range(4):
                edges[i, column] = edges[count, column]
    return begin, end


@kernel
def _fill_hole(room: HoleRoom, rim: I32, vertices: U16, most: int, cancelled: U8) -> tuple[AnyInt, int]:
    """Fill a hole with polygons, left in the room's merge rows; their number, and 1 if its rim was not triangulated."""
    ring, triangles, rows = room.ears.ring, room.ears.triangles, room.merge.rows
    if rim.shape[0] < 3:
        return 0, 0
    for i in range(rim.shape[0]):
        ring[i, X], ring[i, Z] = vertices[rim[i, RIM_VERTEX], 0], vertices[rim[i, RIM_VERTEX], 2]
    triangle_count = triangulate(ring, room.ears.ears, room.ears.boxes, triangles, rim.shape[0], cancelled)
    count: AnyInt = abs(triangle_count)
    for t in range(count):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        rows[t, 0], rows[t, 1], rows[t, 2] = rim[a, RIM_VERTEX], rim[b, RIM_VERTEX], rim[c, RIM_VERTEX]
        rows[t, SIZE] = 3
        same = rim[a, RIM_REGION] == rim[b, RIM_REGION] and rim[b, RIM_REGION] == rim[c, RIM_REGION]
        room.region[t] = rim[a, RIM_REGION] if same else _SEVERAL_REGIONS
        room.area[t] = rim[a, RIM_AREA]
    if most > 3 and count > 1:
        count = merge_polygons(room.merge, count, vertices, room.region, room.area, cancelled)
    return count, 1 if triangle_count <= 0 else 0


@kernel
def put_row(rows: I32, row: int, corners: U16, polygon: int) -> None:
    """Copy a polygon from merge rows to its place in a mesh."""
    for i in range(corners.shape[1]):
        corners[polygon, i] = rows[row, i] if i < rows[row, SIZE] else NO_INDEX


@kernel
def _renumber(corners: U16, count: int, vertices: U16, gone: U8) -> int:
    """Close the gaps in the vertices; returns how many are left."""
    number, left = np.empty(vertices.shape[0], np.uint16), 0
    for vertex in range(vertices.shape[0]):
        number[vertex] = left
        if not gone[vertex]:
            for axis in range(3):
                vertices[left, axis] = vertices[vertex, axis]
            left += 1
    for polygon in range(count):
        for i in range(corner_count(corners, polygon)):
            corners[polygon, i] = number[corners[polygon, i]]
    return left


@kernel
def remove_vertices(
    polygons: PolygonsInTheMaking, count: int, vertices: U16, removable: U8, cancelled: U8
) -> tuple[int, int, int]:
    """Remove the marked vertices where that is possible, changing all arrays but `cancelled` in place.

    Returns how many polygons and vertices are left and how many holes could not be filled. Polygons beyond the room in
    `polygons` are dropped, as in Recast. Recast: removeVertex.
    """
    corners, region, area = polygons.corners, polygons.region, polygons.area
    marked = 0
    for vertex in range(vertices.shape[0]):
        marked += removable[vertex]
    if marked == 0:
        return count, vertices.shape[0], 0
    tally, room = np.zeros(vertices.shape[0], np.int32), hole_room(corners.size, corners.shape[1])
    edges, new_region, new_area, rows = room.edges, room.region, room.area, room.merge.rows
    bad = 0
    for vertex in range(vertices.shape[0]):
        if cancelled[0]:
            break
        if not removable[vertex]:
            continue
        around = room.around[: _find_around(corners, count, vertex, room.around)]
        if not _can_remove(corners, around, vertex, tally):
            removable[vertex] = 0
            continue
        count, used = _cut_out(corners, region, area, count, vertex, edges)
        if used == 0:
            continue
        begin, end = _chain_rim(edges, used, room.rim)
        added, failed = _fill_hole(room, room.rim[begin:end], vertices, corners.shape[1], cancelled)
        bad += failed
        for i in range(added):
            if count < corners.shape[0]:
                put_row(rows, i, corners, count)
                region[count], area[count] = new_region[i], new_area[i]
                count += 1
    return count, _renumber(corners, count, vertices, removable), bad
