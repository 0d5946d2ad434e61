"""What a walker meets that goes straight on along the ground."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...detour.byte_layout import CONNECTION, INSIDE
from ...jit import borrowing, inlined, kernel
from ...types import F32, I32, U32, AnyBool, AnyInt
from ..query_filter import Rule
from ..query_mesh import BORDER, NO_POLYGON, PolygonRows, QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, PARTIAL, SUCCESS
from .nearest_polygon import roomy
from .points import (
    FAR,
    ONE,
    ZERO,
    Float32,
    LinesFrom,
    Point32,
    admits,
    cost_of,
    edge_of,
    is_finite,
    passes,
    put,
    row_of,
)

_FLAT = np.float32(1e-6)
_PART = np.float32(1) / np.float32(255)
_WHOLE, _HALF_TURN = 255, 4


class RayRows(NamedTuple):
    """What `ray_rows` writes, beside the polygons."""

    status: U32
    parts: F32  # of the line up to the wall, or the largest float where nothing is in the way
    normals: F32
    cost: F32
    edges: I32
    counts: I32  # polygons


@kernel
def ray_rows(
    mesh: QueryMesh, asked: LinesFrom, rule: Rule, with_costs: AnyBool, max_path: int, begin: int, end: int,
    rows: RayRows,
) -> I32:  # fmt: skip
    """How far each ray comes, and through which polygons, one ray after the other. Recast: dtNavMeshQuery::raycast."""
    mesh, asked, rule, rows = QueryMesh(*mesh), LinesFrom(*asked), Rule(*rule), RayRows(*rows)
    found = np.empty(1024, np.int32)
    total = 0
    outline, polygons, costs = mesh.outline, mesh.polygons, rule.costs  # once: it is not free
    starts, from_points, to_points = asked.polygons, asked.starts, asked.ends
    status, parts, normals, cost, edges, counts = rows
    for row in range(begin, end):
        status[row], parts[row], cost[row], edges[row], counts[row] = INVALID, ZERO, ZERO, 0, 0
        put(normals, row, (ZERO, ZERO, ZERO))
        here, there = row_of(from_points, row), row_of(to_points, row)
        if starts[row] < 0 or not (is_finite(here) and is_finite(there)):
            continue
        ended, polygon, place = SUCCESS, starts[row], here
        part, so_far, count = ZERO, ZERO, 0
        while True:
            hits, leaves, edge = _leaves(outline, polygons, polygon, here, there)
            if not hits:
                break
            edges[row], part = edge, max(part, leaves)
            if count < max_path:
                if total + count == len(found):
                    found = roomy(found, total + count, total + count + 1)
                found[total + count] = polygon
                count += 1
            else:
                ended |= BUFFER_TOO_SMALL
            if edge < 0:
                part = FAR
                if with_costs:
                    so_far += cost_of(place, there, polygons, polygon, costs)
                break
            a, b = edge_of(outline, polygons, polygon, edge)
            following = _through(mesh, rule, polygon, edge, here, there, leaves)
            if with_costs:
                before = place
                place = _on_edge(here, there, part, a, b)
                so_far += cost_of(before, place, polygons, polygon, costs)
            if following < 0:
                dx, dz = b[0] - a[0], b[2] - a[2]
                scale = ONE / np.sqrt(dz * dz + dx * dx)
                put(normals, row, (dz * scale, ZERO * scale, -dx * scale))
                break
            polygon = following
            if ended & BUFFER_TOO_SMALL:
                ended |= PARTIAL
                break
        status[row], parts[row], cost[row], counts[row] = ended, part, so_far, count
        total += count
    return found[:total].copy()


@inlined
def _on_edge(here: Point32, there: Point32, part: Float32, a: Point32, b: Point32) -> Point32:
    """Where the ray leaves a polygon, with the height of the edge."""
    x, z = here[0] + (there[0] - here[0]) * part, here[2] + (there[2] - here[2]) * part
    gx, gy, gz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    along = (x - a[0]) / gx if gx * gx > gz * gz else (z - a[2]) / gz
    return x, a[1] + gy * along, z


@inlined
def _leaves(
    outline: F32, polygons: PolygonRows, polygon: AnyInt, here: Point32, there: Point32
) -> tuple[AnyBool, Float32, int]:
    """Whether a line meets a polygon, at which part of it it leaves it, and across which edge; -1: it ends inside.

    Recast: dtIntersectSegmentPoly2D.
    """
    enters, leaves = ZERO, ONE
    edge, misses = -1, np.bool_(False)
    dx, dz = there[0] - here[0], there[2] - here[2]
    count = polygons[polygon].corners
    j = count - 1
    for i in range(count):  # without branches: which way an edge looks is hard to foresee
        ax, az = outline[polygon, j, 0], outline[polygon, j, 2]
        ex, ez = outline[polygon, i, 0] - ax, outline[polygon, i, 2] - az
        n = ez * (here[0] - ax) - ex * (here[2] - az)
        d = dz * ex - dx * ez
        part = n / d
        parallel = abs(d) < _FLAT
        misses |= parallel & (n < ZERO)
        enters = part if (not parallel) & (d < ZERO) & (part > enters) else enters
        first = (not parallel) & (d >= ZERO) & (part < leaves)
        leaves, edge = part if first else leaves, j if first else edge
        j = i
    return not misses and enters <= leaves, leaves, edge


@borrowing
def _through(
    mesh: QueryMesh, rule: Rule, polygon: AnyInt, edge: AnyInt, here: Point32, there: Point32, part: Float32
) -> AnyInt:
    """The polygon behind an edge where the ray crosses it, or NO_POLYGON.

    As in Detour a ray leaves a link over the edge that begins at one of its ends, into the ground that is linked there.
    """
    polygons, links, include, exclude = mesh.polygons, mesh.links, rule.include, rule.exclude
    across = mesh.neighbors[polygon, edge]
    if across >= 0:
        return across if passes(polygons, across, include, exclude) else np.int32(NO_POLYGON)
    if across != BORDER and polygons[polygon].kind != CONNECTION:
        return np.int32(NO_POLYGON)
    for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
        target = links[link].target
        if (
            links[link].edge != edge
            or polygons[target].kind == CONNECTION
            or not admits(links[link].flags_there, include, exclude)
        ):
            continue
        low, high, side = links[link].low, links[link].high, links[link].side
        if side == INSIDE or (low == 0 and high == _WHOLE):
            return target
        if side % 2 == 1:  # of tiles that touch at a corner: only links lead there
            continue
        axis = 2 if side % _HALF_TURN == 0 else 0
        a, b = edge_of(mesh.outline, polygons, polygon, edge)
        begins = a[axis] + (b[axis] - a[axis]) * (np.float32(low) * _PART)
        ends = a[axis] + (b[axis] - a[axis]) * (np.float32(high) * _PART)
        if begins > ends:
            begins, ends = ends, begins
        crosses = here[axis] + (there[axis] - here[axis]) * part
        if begins <= crosses <= ends:
            return target
    return np.int32(NO_POLYGON)
