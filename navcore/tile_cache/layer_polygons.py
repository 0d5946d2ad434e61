"""LayerOutlines of a layer → convex polygons, as tile caches make them. Recast: dtBuildTileCachePolyMesh.

What differs from stage 9 of a build: only proper ears are clipped; corners on a portal that the other side does not
have go only where few polygons meet; edges that run against the order of their vertices may pair with each other; and
portals are where outlines say so, not where the tile ends.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..geometry.predicates import in_cone, meets
from ..jit import borrowing, kernel
from ..stages.polygons.adjacency import corner_count
from ..stages.polygons.merge import SIZE, MergeRoom, merge_polygons, merge_room
from ..stages.polygons.weld import WELD_HEIGHT, vertex_table, weld
from ..types import I32, I64, NO_INDEX, PORTAL, U8, U16, AnyInt
from .layer_regions import MARK, NO_PORTAL, REMOVABLE, LayerOutlines, X, Y, Z

CORNERS = 6  # of a polygon at most
MOST_AROUND = 48  # edges and corners around a vertex that is taken out; with more it stays
_NEVER = 1 << 62
_FIRST, _SECOND, _OWNER, _OWN_EDGE, _OTHER, _OTHER_EDGE, _NEXT = 0, 1, 2, 3, 4, 5, 6  # columns of edges
_NO_EDGE = 255


class LayerPolygons(NamedTuple):
    """Polygons of one layer, in cells from its corner."""

    vertices: U16  # (V, 3)
    polygons: U16  # (P, 6) vertices, padded with NO_INDEX
    neighbors: U16  # (P, 6) polygon across each edge, PORTAL | direction, or NO_INDEX
    areas: U8  # (P,)


class _Room(NamedTuple):
    """Scratch for outlines of up to N corners, made once a tile."""

    ring: I32  # (N, 2) x, z
    names: I32  # (N,)
    lengths: I64  # (N,) of ears
    regions: U16  # (N,)
    areas: U8  # (N,)
    edges: I32  # (MOST_AROUND, 3) of the rim of a hole: start, end, area
    ends: I32  # (MOST_AROUND, 2) of edges at a vertex: the other end, how many edges
    rim: I32  # (2 · MOST_AROUND + 3, 2) vertex, area; grows from the middle to both sides


class _Growing(NamedTuple):
    """Polygons in the making; there is room for as many as the outlines have triangles."""

    corners: U16  # (T, 6)
    areas: U8  # (T,)
    cancelled: U8  # (1,) 0: merging asks for it


@kernel
def polygons_of(outlines: LayerOutlines) -> LayerPolygons:
    """Convex polygons that fill the outlines."""
    first, corners = outlines.first, outlines.corners
    room, triangles = 0, 0
    largest: Any = np.int64(3)
    for k in range(len(outlines.areas)):
        size = first[k + 1] - first[k]
        if size >= 3:
            room += size
            triangles += size - 2
            largest = max(largest, np.int64(size))
    vertices, heads, links = vertex_table(max(room, 1))
    removable = np.zeros(room, np.uint8)
    made = _Growing(np.empty((triangles, CORNERS), np.uint16), np.empty(triangles, np.uint8), np.zeros(1, np.uint8))
    merging = merge_room(max(largest - 2, MOST_AROUND), CORNERS)
    most = largest + 2 * MOST_AROUND
    scratch = _Room(
        np.empty((most, 2), np.int32), np.empty(most, np.int32), np.empty(most, np.int64), np.empty(most, np.uint16),
        np.empty(most, np.uint8), np.empty((MOST_AROUND, 3), np.int32), np.empty((MOST_AROUND, 2), np.int32),
        np.empty((2 * MOST_AROUND + 3, 2), np.int32),
    )  # fmt: skip
    count, used = 0, 0
    for k in range(len(outlines.areas)):
        size = first[k + 1] - first[k]
        if size < 3:
            continue
        ring = corners[first[k] : first[k + 1]]
        for i in range(size):
            vertex = weld(vertices, heads, links, used, ring[i, X], ring[i, Y], ring[i, Z], WELD_HEIGHT)
            used += vertex == used
            scratch.names[i] = vertex
            if ring[i, MARK] & REMOVABLE:
                removable[vertex] = 1
            scratch.ring[i, 0], scratch.ring[i, 1] = ring[i, X], ring[i, Z]
        added = _clip(scratch, size, merging.rows)
        for row in range(added):
            scratch.areas[row] = outlines.areas[k]
        count = _add_merged(merging, scratch, added, vertices, made, count)
    vertices = vertices[:used]
    gone = np.zeros(used, np.uint8)
    for corner in range(used):
        if removable[corner]:
            count = _take_out(corner, vertices, made, count, merging, scratch, gone)
    vertices = _without(vertices, gone, made.corners[:count])
    polygons, areas = made.corners[:count], made.areas[:count]
    return LayerPolygons(vertices, polygons, _neighbors(polygons, vertices, outlines), areas)


# --- triangles, and what they are merged to


@borrowing
def _clip(room: _Room, count: AnyInt, rows: I32) -> int:
    """Clip a ring of (x, z) into triangles of names, the shortest proper ear first, as long as there is any.

    Ring and names lose what is clipped: the corners that are left lie side by side.
    """
    ring, names, lengths = room.ring, room.names, room.lengths
    n, written = np.int64(count), 0
    for i in range(n if n > 3 else 0):
        lengths[i] = _length_of_ear(ring, n, np.int64(i))
    while n > 3:
        best, ear = lengths[0], np.int64(0)  # of equal ones the first counts from place 1 on
        for i in range(n - 1, 0, -1):
            if lengths[i] <= best:
                best, ear = lengths[i], np.int64(i)
        if best == _NEVER:
            return written
        before, after = ear - 1 if ear > 0 else n - 1, ear + 1 if ear + 1 < n else np.int64(0)
        _put_triangle(rows, written, names[before], names[ear], names[after])
        written += 1
        n -= 1
        for k in range(ear, n):
            names[k], lengths[k], ring[k, 0], ring[k, 1] = names[k + 1], lengths[k + 1], ring[k + 1, 0], ring[k + 1, 1]
        after = ear if ear < n else np.int64(0)
        for place in (after - 1 if after > 0 else n - 1, after):
            lengths[place] = _length_of_ear(ring, n, np.int64(place))
    _put_triangle(rows, written, names[0], names[1], names[2])
    return written + 1


@borrowing
def _length_of_ear(ring: I32, n: np.int64, ear: np.int64) -> np.int64:
    """How long the edge is that clips the corner at a place off, squared; _NEVER where that is no proper ear."""
    i, j = ear - 1 if ear > 0 else n - 1, ear + 1 if ear + 1 < n else np.int64(0)
    if not _is_diagonal(ring, n, i, j):
        return np.int64(_NEVER)
    dx, dz = np.int64(ring[j, 0] - ring[i, 0]), np.int64(ring[j, 1] - ring[i, 1])
    return dx * dx + dz * dz


@borrowing
def _put_triangle(rows: I32, row: int, a: np.int32, b: np.int32, c: np.int32) -> None:
    rows[row, 0], rows[row, 1], rows[row, 2], rows[row, SIZE] = a, b, c, 3


@borrowing
def _is_diagonal(ring: I32, n: np.int64, i: np.int64, j: np.int64) -> bool:
    """Does the segment between places i and j lie inside, and meet no edge that does not end at i or j?"""
    before, after = i - 1 if i > 0 else n - 1, i + 1 if i + 1 < n else np.int64(0)
    ax, az, bx, bz = ring[i, 0], ring[i, 1], ring[j, 0], ring[j, 1]
    if not in_cone(ring[before, 0], ring[before, 1], ax, az, ring[after, 0], ring[after, 1], bx, bz):
        return False
    low_x, high_x, low_z, high_z = min(ax, bx), max(ax, bx), min(az, bz), max(az, bz)
    dx, dz = ring[n - 1, 0], ring[n - 1, 1]
    for k in range(n):
        cx, cz, dx, dz = dx, dz, ring[k, 0], ring[k, 1]
        if max(cz, dz) < low_z or min(cz, dz) > high_z:
            continue  # most edges lie apart; `meets` says so, too, but is called
        if (max(cx, dx) < low_x or min(cx, dx) > high_x) and (ax != bx or az != bz) and (cx != dx or cz != dz):
            continue
        if (cx == ax and cz == az) or (cx == bx and cz == bz) or (dx == ax and dz == az) or (dx == bx and dz == bz):
            continue
        if meets(ax, az, bx, bz, cx, cz, dx, dz):
            return False
    return True


@borrowing
def _add_merged(merging: MergeRoom, room: _Room, added: int, vertices: U16, made: _Growing, count: int) -> int:
    """Merge the rows that are in `merging`, and append them; what is beyond the room is left out, as upstream."""
    rows, left, areas, regions = merging.rows, np.int64(added), room.areas, room.regions
    if left > 1:
        for row in range(left):
            regions[row] = 0
        left = np.int64(merge_polygons(merging, left, vertices, regions, areas, made.cancelled))
    for row in range(left):
        if count == len(made.areas):
            break
        for i in range(CORNERS):
            made.corners[count, i] = rows[row, i] if i < rows[row, SIZE] else NO_INDEX
        made.areas[count] = areas[row]
        count += 1
    return count


# --- corners on portals that the other side does not have


@borrowing
def _take_out(
    vertex: AnyInt, vertices: U16, made: _Growing, count: int, merging: MergeRoom, scratch: _Room, gone: U8
) -> int:
    """Take a vertex out where that is possible, and fill its hole; how many polygons there are then."""
    corners, rim = made.corners, scratch.rim
    rim_edges = _edges_of_hole(corners, made.areas, count, vertex, scratch)
    if rim_edges < 0:
        return count
    gone[vertex] = 1
    polygon = 0
    while polygon < count:
        if _place_in(corners, polygon, vertex) < 0:
            polygon += 1
            continue
        count -= 1
        made.areas[polygon] = made.areas[count]
        for i in range(CORNERS):
            corners[polygon, i] = corners[count, i]
    if rim_edges == 0:
        return count
    begin, end = _chained(scratch.edges, rim_edges, rim)
    size = end - begin
    if size < 3:
        return count
    for k in range(size):
        scratch.names[k] = k
        scratch.ring[k, 0], scratch.ring[k, 1] = vertices[rim[begin + k, 0], 0], vertices[rim[begin + k, 0], 2]
    rows = merging.rows
    added = _clip(scratch, size, rows)
    for row in range(added):
        scratch.areas[row] = rim[begin + rows[row, 0], 1]
        for i in range(3):
            rows[row, i] = rim[begin + rows[row, i], 0]
    return _add_merged(merging, scratch, added, vertices, made, count)


@borrowing
def _place_in(corners: U16, polygon: int, vertex: AnyInt) -> int:
    """At which corner a polygon has a vertex, or -1."""
    for i in range(CORNERS):
        if corners[polygon, i] == vertex:
            return i
    return -1


@borrowing
def _edges_of_hole(corners: U16, areas: U8, count: int, vertex: AnyInt, room: _Room) -> int:
    """Write the edges around the polygons of a vertex; how many there are, or -1 where the vertex has to stay.

    It stays where too little would remain, where more than two of its edges are open, where too much meets.
    """
    touching, remaining, used, spokes = 0, 0, 0, 0
    edges, ends = room.edges, room.ends
    for polygon in range(count):
        if _place_in(corners, polygon, vertex) < 0:
            continue
        here, size = 0, corner_count(corners, polygon)
        for i in range(size):
            a, b = corners[polygon, i - 1 if i > 0 else size - 1], corners[polygon, i]
            here += b == vertex
            if a != vertex and b != vertex:
                if used == MOST_AROUND:
                    return -1
                edges[used, 0], edges[used, 1], edges[used, 2] = a, b, areas[polygon]
                used += 1
                continue
            other, k = np.int32(a if b == vertex else b), 0
            while k < spokes and ends[k, 0] != other:
                k += 1
            if k == MOST_AROUND:
                return -1
            if k == spokes:
                ends[k, 0], ends[k, 1] = other, 0
                spokes += 1
            ends[k, 1] += 1
        touching += here
        remaining += size - (here + 1)
    open_ends = 0
    for k in range(spokes):
        open_ends += ends[k, 1] < 2
    if remaining <= 2 or open_ends > 2 or 2 * touching > MOST_AROUND:
        return -1
    return used


@borrowing
def _chained(edges: I32, count: int, rim: I32) -> tuple[int, int]:
    """String edges together, at the front first; returns the range of `rim` that they fill."""
    begin = rim.shape[0] // 2
    end = begin + 1
    rim[begin, 0], rim[begin, 1] = edges[0, 0], edges[0, 2]
    added = True
    while count > 0 and added:
        added, i = False, 0
        while i < count:
            if rim[begin, 0] == edges[i, 1]:
                begin -= 1
                place, vertex = begin, edges[i, 0]
            elif rim[end - 1, 0] == edges[i, 0]:
                place, vertex = end, edges[i, 1]
                end += 1
            else:
                i += 1
                continue
            rim[place, 0], rim[place, 1] = vertex, edges[i, 2]
            added = True
            count -= 1
            edges[i, 0], edges[i, 1], edges[i, 2] = edges[count, 0], edges[count, 1], edges[count, 2]
    return begin, end


@kernel
def _without(vertices: U16, gone: U8, corners: U16) -> U16:
    """Vertices without those that are gone; `corners` get their new numbers."""
    number, left = np.empty(len(vertices), np.uint16), 0
    for vertex in range(len(vertices)):
        number[vertex] = left
        if not gone[vertex]:
            for axis in range(3):
                vertices[left, axis] = vertices[vertex, axis]
            left += 1
    for polygon in range(len(corners)):
        for i in range(corner_count(corners, polygon)):
            corners[polygon, i] = number[corners[polygon, i]]
    return vertices[:left]


# --- what lies across edges


@kernel
def _neighbors(polygons: U16, vertices: U16, outlines: LayerOutlines) -> U16:
    """The polygon, or the portal, across each edge. Recast: buildMeshAdjacency of tile caches."""
    neighbors = np.full(polygons.shape, NO_INDEX, np.uint16)
    edges, heads, used = np.empty((polygons.size, 7), np.int32), np.full(len(vertices), -1, np.int32), 0
    for turn in range(2):  # edges along the order of their vertices first
        for polygon in range(len(polygons)):
            size = corner_count(polygons, polygon)
            for i in range(size):
                a, b = np.int32(polygons[polygon, i]), np.int32(polygons[polygon, i + 1 if i + 1 < size else 0])
                if (a < b) != (turn == 0) or a == b:
                    continue
                low, high = min(a, b), max(a, b)
                edge = heads[low] if turn == 1 else np.int32(-1)
                while edge >= 0 and (edges[edge, _SECOND] != high or edges[edge, _OTHER] >= 0):
                    edge = edges[edge, _NEXT]
                if edge >= 0:
                    edges[edge, _OTHER], edges[edge, _OTHER_EDGE] = polygon, i
                    continue
                edges[used, _FIRST], edges[used, _SECOND], edges[used, _OWNER], edges[used, _OWN_EDGE] = (
                    low,
                    high,
                    polygon,
                    i,
                )
                edges[used, _OTHER], edges[used, _OTHER_EDGE], edges[used, _NEXT] = -1, _NO_EDGE, heads[low]
                heads[low] = used
                used += 1
    _mark_portals(edges[:used], vertices, outlines)
    for edge in range(used):
        owner, own, other = edges[edge, _OWNER], edges[edge, _OWN_EDGE], edges[edge, _OTHER]
        if other >= 0 and other != owner:
            neighbors[owner, own], neighbors[other, edges[edge, _OTHER_EDGE]] = other, owner
        elif other < 0 and edges[edge, _OTHER_EDGE] != _NO_EDGE:
            neighbors[owner, own] = PORTAL | edges[edge, _OTHER_EDGE]
    return neighbors


@borrowing
def _mark_portals(edges: I32, vertices: U16, outlines: LayerOutlines) -> None:
    """Give open edges that lie on a portal of an outline its direction, as their `_OTHER_EDGE`."""
    first, corners, lone = outlines.first, outlines.corners, 0
    for edge in range(len(edges)):  # from here on the column of the next edge lists the open ones
        if edges[edge, _OTHER] < 0:
            edges[lone, _NEXT] = edge
            lone += 1
    for outline in range(len(outlines.areas)):
        begin_corner, end_corner = first[outline], first[outline + 1]
        if end_corner - begin_corner < 3:
            continue
        for m in range(begin_corner, end_corner):  # the edge that closes the outline first: later ones win
            k = m - 1 if m > begin_corner else end_corner - 1
            direction = corners[k, MARK] & NO_PORTAL
            if direction == NO_PORTAL:
                continue
            across, along = (X, Z) if direction % 2 == 0 else (Z, X)
            plane = corners[k, across]
            low, high = min(corners[k, along], corners[m, along]), max(corners[k, along], corners[m, along])
            for row in range(lone):
                edge = edges[row, _NEXT]
                a, b = edges[edge, _FIRST], edges[edge, _SECOND]
                if vertices[a, across] != plane or vertices[b, across] != plane:
                    continue
                begin = np.int32(min(vertices[a, along], vertices[b, along]))
                end = np.int32(max(vertices[a, along], vertices[b, along]))
                if low < end and begin < high:
                    edges[edge, _OTHER_EDGE] = direction
