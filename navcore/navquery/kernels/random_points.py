"""Points at random as Detour chooses them, with the generator of the peer, so that sequences can be compared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...detour.byte_layout import GROUND
from ...jit import inlined, kernel
from ...types import F32, I32, I64, U32, AnyBool, AnyInt
from ..query_filter import AREAS, Rule
from ..query_mesh import NO_POLYGON, PolygonRows, QueryMesh
from ..status import FAILURE, INVALID, OUT_OF_NODES, SUCCESS
from .around import flood
from .node_pool import NodePool, new_pool, polygon_of
from .points import ONE, ZERO, Float32, Point32, closest_point, corner, is_finite, passes, put, row_of, turn

_LEAST_AREA = np.float32(0.001)
_FACTOR, _SUMMAND, _WORD = 214013, 2531011, 0xFFFFFFFF
_MOST = np.float32(0x7FFF)


class RandomRows(NamedTuple):
    """What is drawn."""

    status: U32
    polygons: I32
    points: F32  # (N, 3)


@inlined
def _draw(seed: I64) -> Float32:
    """A number from 0 to 1, both included. The peer: FastRand."""
    seed[0] = (_FACTOR * seed[0] + _SUMMAND) & _WORD
    return np.float32((seed[0] >> 16) & 0x7FFF) / _MOST


@kernel
def random_rows(mesh: QueryMesh, firsts: I64, ends: I64, rule: Rule, seed: I64, rows: RandomRows) -> None:
    """Any tile, a polygon of it by its area, a point of that. Recast: dtNavMeshQuery::findRandomPoint.

    `firsts` and `ends` cut the polygons into tiles, slot after slot.
    """
    mesh, rule, rows = QueryMesh(*mesh), Rule(*rule), RandomRows(*rows)
    outline, records, (status, polygons, points) = mesh.outline, mesh.polygons, rows
    for row in range(len(polygons)):
        status[row], polygons[row] = FAILURE, NO_POLYGON
        put(points, row, (ZERO, ZERO, ZERO))
        tile, tiles = -1, ZERO
        for k in range(len(firsts)):
            tiles += ONE
            if _draw(seed) * tiles <= ONE:
                tile = k
        if tile < 0:
            continue
        total = ZERO
        for polygon in range(firsts[tile], ends[tile]):
            if records[polygon].kind == GROUND and passes(records, polygon, rule.include, rule.exclude):
                area = _area_of(outline, records, polygon)
                total += area
                if _draw(seed) * total <= area:
                    polygons[row] = polygon
        if polygons[row] >= 0:
            status[row] = SUCCESS
            put(points, row, _point_in(mesh, polygons[row], seed))


@inlined
def _area_of(outline: F32, polygons: PolygonRows, polygon: AnyInt) -> Float32:
    """Twice the area of a polygon seen from above."""
    area = ZERO
    for k in range(2, polygons[polygon].corners):
        area += turn(corner(outline, polygon, 0), corner(outline, polygon, k - 1), corner(outline, polygon, k))
    return area


@kernel
def _point_in(mesh: QueryMesh, polygon: AnyInt, seed: I64) -> Point32:
    """A point of a polygon. Recast: dtRandomPointInConvexPoly."""
    outline, polygons = mesh.outline, mesh.polygons
    s, t = _draw(seed), _draw(seed)
    count = polygons[polygon].corners
    first = corner(outline, polygon, 0)
    total = ZERO
    for k in range(2, count):
        area = turn(first, corner(outline, polygon, k - 1), corner(outline, polygon, k))
        total += max(_LEAST_AREA, area)
    threshold = s * total
    before, part, chosen = ZERO, ONE, count - 1
    for k in range(2, count):
        area = turn(first, corner(outline, polygon, k - 1), corner(outline, polygon, k))
        if before <= threshold < before + area:
            part, chosen = (threshold - before) / area, k
            break
        before += area
    root = np.sqrt(t)
    a, b, c = ONE - root, (ONE - part) * root, part * root
    second, third = corner(outline, polygon, chosen - 1), corner(outline, polygon, chosen)
    place = (
        a * first[0] + b * second[0] + c * third[0],
        a * first[1] + b * second[1] + c * third[1],
        a * first[2] + b * second[2] + c * third[2],
    )
    return closest_point(outline, polygons, mesh.triangles, mesh.marks, polygon, place)[1]


@kernel
def random_around_rows(
    mesh: QueryMesh, start: int, centers: F32, radius: Float32, rule: Rule, max_nodes: int, seed: I64, rows: RandomRows
) -> None:
    """A polygon that a circle reaches, by its area, and a point of that. Recast: findRandomPointAroundCircle.

    The point may lie outside of the circle, as in Detour.
    """
    mesh, rule, rows = QueryMesh(*mesh), Rule(*rule), RandomRows(*rows)
    pool = new_pool(mesh, max_nodes)
    flat = Rule(np.ones(AREAS, np.float32), rule.include, rule.exclude)  # a metre is a metre everywhere
    status, polygons, points = rows
    for row in range(len(polygons)):
        status[row], polygons[row] = INVALID, NO_POLYGON
        put(points, row, (ZERO, ZERO, ZERO))
        center = row_of(centers, 0)
        if start < 0 or not is_finite(center) or not passes(mesh.polygons, start, rule.include, rule.exclude):
            continue
        full, polygons[row] = _reservoir(mesh, pool, flat, start, center, radius, seed)
        status[row] = FAILURE
        if polygons[row] >= 0:
            status[row] = SUCCESS | (OUT_OF_NODES if full else np.uint32(0))
            put(points, row, _point_in(mesh, polygons[row], seed))


@kernel
def _reservoir(
    mesh: QueryMesh, pool: NodePool, rule: Rule, start: AnyInt, center: Point32, radius: Float32, seed: I64
) -> tuple[AnyBool, np.int32]:
    """Whether the pool was too small, and one of the polygons that the circle reaches."""
    outline, polygons = mesh.outline, mesh.polygons
    chosen, total = np.int32(NO_POLYGON), ZERO
    circle = np.empty((0, 3), np.float32)
    full, count = flood(mesh, pool, rule, start, center, radius, circle)
    for k in range(count):
        polygon = polygon_of(pool, pool.heap[k])
        if polygons[polygon].kind == GROUND:
            area = _area_of(outline, polygons, polygon)
            total += area
            if _draw(seed) * total <= area:
                chosen = polygon
    return full, chosen
