"""The polygon nearest to a point, and all polygons in a box."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...detour.byte_layout import BOUNDARY_BITS
from ...jit import borrowing, inlined, kernel
from ...types import F32, I32, U8, AnyInt
from ..box_blocks import BLOCK, Corner, touched
from ..query_filter import Rule
from ..query_mesh import NO_POLYGON, PolygonRows, QueryMesh, TileRows
from .points import (
    FAR,
    ONE,
    ZERO,
    Float32,
    Point32,
    between,
    corner,
    height_at,
    is_finite,
    passes,
    put,
    row_of,
    to_segment,
)

_LOW_16_BITS = np.int32(0xFFFF)
_EVEN = np.int32(0xFFFE)
_LESS = np.float32(0.999)
_ROUNDED = np.float32(1e-6)  # part of a coordinate
_NEAR_OUTLINE, _TINY = np.float32(0.002), np.float32(1e-12)
_OUTLINE_BITS = 2  # of each edge in a detail triangle's fourth byte
_FARTHEST_TILE = np.float32(1 << 30)


class Candidates(NamedTuple):
    """Polygons in a box, and what is needed to find them."""

    polygons: I32
    blocks: I32  # on one level
    below: I32  # on the next one
    hits: I32  # (16,) of one block


class NearestRows(NamedTuple):
    """What `nearest_rows` writes."""

    polygons: I32  # or NO_POLYGON
    points: F32  # (N, 3) on them
    over: U8  # 1: the asked point is above or below the polygon


@kernel
def nearest_rows(mesh: QueryMesh, points: F32, half: F32, rule: Rule, begin: int, end: int, rows: NearestRows) -> None:
    """The nearest polygon of each point. Recast: dtNavMeshQuery::findNearestPoly."""
    mesh, rule, rows = QueryMesh(*mesh), Rule(*rule), NearestRows(*rows)
    room = _room_for_candidates(mesh)
    candidates = room.polygons
    bounds = np.empty(len(candidates), np.float32)
    outline, records, triangles, marks = mesh.outline, mesh.polygons, mesh.triangles, mesh.marks  # once: it is not free
    tiles, boxes = mesh.tiles, mesh.boxes
    polygons, nearest, over = rows
    for row in range(begin, end):
        center = row_of(points, row)
        polygons[row], over[row] = NO_POLYGON, 0
        put(nearest, row, (ZERO, ZERO, ZERO))
        if not is_finite(center):
            continue
        count = candidates_in(mesh, center, half, rule, room)
        slack = (abs(center[0]) + abs(center[2])) * _ROUNDED
        best, smallest = -1, FAR
        likely, nearest_box = -1, FAR  # of those that are beside; they are looked at where theirs is near enough
        for k in range(count):
            polygon = candidates[k]
            x, y, z = _gaps(boxes, polygon, center)
            if max(x, z) <= slack:
                climb = tiles[records[polygon].tile].agent_max_climb
                up = max(y - climb, ZERO)
                if up * up * _LESS > smallest:
                    bounds[k] = FAR
                    continue
                above, height = height_at(outline, records, triangles, marks, polygon, center)
                if above:
                    bounds[k] = FAR
                    away = _above(center[1] - height, climb)
                    if away < smallest:
                        best, smallest = k, away
                        polygons[row], over[row] = polygon, 1
                        put(nearest, row, (center[0], height, center[2]))
                    continue
            x, y, z = max(x, ZERO), max(y, ZERO), max(z, ZERO)
            bounds[k] = (x * x + y * y + z * z) * _LESS
            if bounds[k] < nearest_box:
                nearest_box, likely = bounds[k], k
        for turn in range(-1, count):
            k = likely if turn < 0 else turn
            if k < 0 or turn == likely or bounds[k] > smallest or bounds[k] == FAR:
                continue
            if smallest == ZERO and k > best:  # nothing is nearer, and of equals the first one counts
                break
            if best >= 0 and _aside(outline, boxes, candidates[k], center, slack) > smallest:
                continue
            found, point = _on_outline(records, triangles, marks, candidates[k], center, smallest, slack)
            x, y, z = center[0] - point[0], center[1] - point[1], center[2] - point[2]
            away = x * x + y * y + z * z
            if found and (away < smallest or (away == smallest and k < best)):
                best, smallest = k, away
                polygons[row], over[row] = candidates[k], 0
                put(nearest, row, point)


@inlined
def at_least(boxes: F32, polygon: AnyInt, center: Point32) -> Float32:
    """Not more than the squared way to a polygon's ground: that to its box, and a little less for rounding."""
    x, y, z = _gaps(boxes, polygon, center)
    x, y, z = max(x, ZERO), max(y, ZERO), max(z, ZERO)
    return (x * x + y * y + z * z) * _LESS


@inlined
def _gaps(boxes: F32, polygon: AnyInt, center: Point32) -> Point32:
    """How far a point lies outside of a polygon's box, along each axis; below 0: inside."""
    return (
        max(boxes[polygon, 0] - center[0], center[0] - boxes[polygon, 3]),
        max(boxes[polygon, 1] - center[1], center[1] - boxes[polygon, 4]),
        max(boxes[polygon, 2] - center[2], center[2] - boxes[polygon, 5]),
    )


@borrowing
def _aside(outline: F32, boxes: F32, polygon: AnyInt, center: Point32, slack: Float32) -> Float32:
    """Not more than the squared way to the edges of a polygon's detail on its outline: they lie on it to a millimetre.

    Rows of corners that a polygon has not hold its first one. Without branches.
    """
    smallest = FAR
    ax, az = outline[polygon, 5, 0], outline[polygon, 5, 2]
    for k in range(6):
        bx, bz = outline[polygon, k, 0], outline[polygon, k, 2]
        ex, ez, px, pz = bx - ax, bz - az, center[0] - ax, center[2] - az
        part = min(max((ex * px + ez * pz) / max(ex * ex + ez * ez, _TINY), ZERO), ONE)
        x, z = px - ex * part, pz - ez * part
        smallest = min(smallest, x * x + z * z)
        ax, az = bx, bz
    aside = max(np.sqrt(smallest) - (_NEAR_OUTLINE + slack), ZERO)
    y = max(boxes[polygon, 1] - center[1], center[1] - boxes[polygon, 4], ZERO)
    return (aside * aside + y * y) * _LESS


@inlined
def _above(y: Float32, climb: Float32) -> Float32:
    """How far away a polygon counts that is above or below, squared: what an agent climbs is nothing."""
    beyond = abs(y) - climb
    return beyond * beyond if beyond > ZERO else ZERO


@borrowing
def _on_outline(
    polygons: PolygonRows, triangles: F32, marks: U8, polygon: AnyInt, point: Point32, within: Float32, slack: Float32
) -> tuple[bool, Point32]:
    """The closest point on the outline of a polygon's detail, where it is seen from above not farther than `within`.

    Of the points that `closest_point` finds beside a polygon. Triangles whose boxes are farther away than an edge that
    was found are passed over; `slack` is what rounding may take from the way to an edge.
    """
    smallest, found, has_outline, closest = FAR, False, False, point
    for number in range(polygons[polygon].first_triangle, polygons[polygon].end_triangle):
        flags = np.int32(marks[number, 3])
        if flags & BOUNDARY_BITS == 0:
            continue
        has_outline = True
        x = max(_gap_to(triangles, number, 0, point[0]) - slack, ZERO)
        z = max(_gap_to(triangles, number, 2, point[2]) - slack, ZERO)
        if (x * x + z * z) * _LESS > min(smallest, within):
            continue
        for turn in range(3):
            a, b = (turn + 2) % 3, turn
            if (flags >> (_OUTLINE_BITS * a)) & 1 == 0:
                continue
            start, end = corner(triangles, number, a), corner(triangles, number, b)
            away, t = to_segment(point, start, end)
            if away < smallest:
                smallest, found, closest = away, True, between(start, end, t)
    return found or not has_outline, closest


@inlined
def _gap_to(triangles: F32, number: AnyInt, axis: int, at: Float32) -> Float32:
    """How far a place lies outside of a triangle along an axis; below 0: inside."""
    a, b, c = triangles[number, 0, axis], triangles[number, 1, axis], triangles[number, 2, axis]
    return max(min(min(a, b), c) - at, at - max(max(a, b), c))


@kernel
def box_rows(
    mesh: QueryMesh, points: F32, half: F32, rule: Rule, max_polygons: int, begin: int, end: int, counts: I32
) -> I32:
    """The polygons in the box around each point, of the first `max_polygons`. Recast: dtNavMeshQuery::queryPolygons.

    `counts` says how many there are, which may be more than were kept.
    """
    mesh, rule = QueryMesh(*mesh), Rule(*rule)
    found, candidates = np.empty(256, np.int32), _room_for_candidates(mesh)
    total = 0
    for row in range(begin, end):
        center = row_of(points, row)
        counts[row] = 0
        if not is_finite(center):
            continue
        count = candidates_in(mesh, center, half, rule, candidates)
        counts[row] = count
        kept = min(count, max_polygons)
        found = roomy(found, total, total + kept)
        found[total : total + kept] = candidates.polygons[:kept]
        total += kept
    return found[:total].copy()


@kernel
def roomy(values: I32, used: int, wanted: int) -> I32:
    """`values` itself, or a larger copy of its used part where it has no room for `wanted`."""
    if wanted <= len(values):
        return values
    larger = np.empty(max(2 * len(values), wanted), np.int32)
    larger[:used] = values[:used]
    return larger


@inlined
def _room_for_candidates(mesh: QueryMesh) -> Candidates:
    """Room for all leaves of all trees, or polygons where there is no tree, and one more; likewise for blocks."""
    blocks = len(mesh.blocks) + 1
    return Candidates(
        np.empty(len(mesh.polygons) + len(mesh.nodes) + 1, np.int32), np.empty(blocks, np.int32),
        np.empty(blocks, np.int32), np.empty(BLOCK, np.int32),
    )  # fmt: skip


@borrowing
def candidates_in(mesh: QueryMesh, center: Point32, half: F32, rule: Rule, found: Candidates) -> AnyInt:
    """Write the ground polygons whose boxes touch a box, tile after tile in Detour's order; returns how many."""
    candidates, polygons = found.polygons, mesh.polygons
    tiles, tiling = mesh.tiles, mesh.tiling[0]
    low_x = _tile_at(center[0] - half[0], tiling.origin_x, tiling.width)
    high_x = _tile_at(center[0] + half[0], tiling.origin_x, tiling.width)
    low_y = _tile_at(center[2] - half[2], tiling.origin_z, tiling.depth)
    high_y = _tile_at(center[2] + half[2], tiling.origin_z, tiling.depth)
    count: AnyInt = 0
    tile = _first_from(tiles, low_y, low_x)
    while tile < len(tiles) and tiles[tile].y <= high_y:
        if tiles[tile].x < low_x:
            tile = _first_from(tiles, tiles[tile].y, low_x)
        elif tiles[tile].x > high_x:
            tile = _first_from(tiles, tiles[tile].y + 1, low_x)
        else:
            before = count
            count = _in_tile(mesh, tile, center, half, found, count)
            kept = before
            for k in range(before, count):
                candidates[kept] = candidates[k]
                kept += passes(polygons, candidates[k], rule.include, rule.exclude)
            count = kept
            tile += 1
    return count


@inlined
def _tile_at(value: Float32, origin: Float32, size: Float32) -> np.int64:
    """Recast: dtNavMesh::calcTileLoc; nothing lies beyond the farthest tile."""
    number = np.floor((value - origin) / size)
    return np.int64(min(max(number, -_FARTHEST_TILE), _FARTHEST_TILE))


@kernel
def _first_from(tiles: TileRows, y: AnyInt, x: AnyInt) -> int:
    """The first tile at or after a place, in the order of the table."""
    low, high = 0, len(tiles)
    while low < high:
        middle = (low + high) // 2
        if tiles[middle].y < y or (tiles[middle].y == y and tiles[middle].x < x):
            low = middle + 1
        else:
            high = middle
    return low


@borrowing
def _in_tile(mesh: QueryMesh, tile: AnyInt, center: Point32, half: F32, found: Candidates, count: AnyInt) -> AnyInt:
    """Append the ground polygons of one tile whose boxes touch a box. Recast: dtNavMesh::queryPolygonsInTile."""
    it, boxes, below = mesh.tiles[tile], mesh.blocks, mesh.below
    if it.first_node == it.end_node:
        return _scanned(mesh, tile, center, half, found.polygons, count)
    low_x, high_x = _cells(it, 0, center[0] - half[0], center[0] + half[0])
    low_y, high_y = _cells(it, 1, center[1] - half[1], center[1] + half[1])
    low_z, high_z = _cells(it, 2, center[2] - half[2], center[2] + half[2])
    box = (low_x, low_y, low_z), (high_x, high_y, high_z)
    if it.depth == 0:
        return _walked(mesh, tile, box, found.polygons, count)
    blocks, further_blocks, hits = found.blocks, found.below, found.hits
    blocks[0] = it.top_block
    there: AnyInt = 1
    for _ in range(1, it.depth):
        further: AnyInt = 0
        for k in range(there):
            further = touched(boxes, below, blocks[k], box, hits, further_blocks, further)
        blocks, further_blocks, there = further_blocks, blocks, further
    for k in range(there):
        count = touched(boxes, below, blocks[k], box, hits, found.polygons, count)
    return count


@borrowing
def _walked(mesh: QueryMesh, tile: AnyInt, box: tuple[Corner, Corner], candidates: I32, count: AnyInt) -> AnyInt:
    """The same by a walk through a tree that Detour would not have built."""
    nodes, node, end = mesh.nodes, mesh.tiles[tile].first_node, mesh.tiles[tile].end_node
    low, high = box
    while node < end:
        it = nodes[node]
        touches = (
            (low[0] <= it.high_x) & (high[0] >= it.low_x)
            & (low[1] <= it.high_y) & (high[1] >= it.low_y)
            & (low[2] <= it.high_z) & (high[2] >= it.low_z)
        )  # fmt: skip
        leaf = it.polygon
        is_leaf = leaf >= 0
        candidates[count] = leaf
        count += is_leaf & touches
        node += np.int32(1) if is_leaf | touches else -leaf
    return count


@inlined
def _cells(tile: np.record, axis: AnyInt, low: Float32, high: Float32) -> tuple[np.int32, np.int32]:
    """A range of metres in cells of a tile's tree; ranges of a tree begin at even numbers and end at odd ones."""
    near, far = tile.low[axis], tile.high[axis]
    a = min(max(low, near), far) - near
    b = min(max(high, near), far) - near
    scale = tile.cells_per_metre
    return _low_16_bits(scale * a) & _EVEN, _low_16_bits(scale * b + ONE) | np.int32(1)


@inlined
def _low_16_bits(value: Float32) -> np.int32:
    """As the reference platform turns a float into 16 bits; what 32 bits cannot hold becomes 0."""
    if not abs(value) < np.float32(2147483648.0):
        return np.int32(0)
    return np.int32(value) & _LOW_16_BITS


@borrowing
def _scanned(mesh: QueryMesh, tile: AnyInt, center: Point32, half: F32, candidates: I32, count: AnyInt) -> AnyInt:
    """The same for a tile without a tree: by the corners of polygons, in their order."""
    outline, polygons, tiles = mesh.outline, mesh.polygons, mesh.tiles
    for polygon in range(tiles[tile].first_polygon, tiles[tile].first_connection):
        touches = True
        for axis in range(3):
            low = high = outline[polygon, 0, axis]
            for k in range(1, polygons[polygon].corners):
                low, high = min(low, outline[polygon, k, axis]), max(high, outline[polygon, k, axis])
            if center[axis] - half[axis] > high or center[axis] + half[axis] < low:
                touches = False
        if touches:
            candidates[count] = polygon
            count += 1
    return count
