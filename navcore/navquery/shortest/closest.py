"""Where a way ends whose end cannot be reached: the closest point of all that can be."""

from __future__ import annotations

import numpy as np

from ...jit import inlined, kernel
from ...types import F32, I32, AnyInt
from ..kernels.points import FAR, ZERO, Float, Point, closest_point, distance
from ..query_mesh import QueryMesh
from .shortest_mesh import ACROSS, ALSO, POLYGON, ShortestMesh


@kernel
def closest_within_reach(
    mesh: QueryMesh, flat: ShortestMesh, start: AnyInt, there: Point, seen: I32, row: AnyInt, waiting: I32
) -> tuple[AnyInt, Point]:
    """The polygon and the point; of equals the one that was reached first. `seen` is marked with the row."""
    edges = flat.edges
    waiting[0], count, done = start, 1, 0
    seen[start] = row
    best, closest, smallest = np.int32(start), there, FAR
    while done < count:
        polygon = waiting[done]
        done += 1
        if _away_from_box(mesh.boxes, polygon, there) < smallest:
            _, point = closest_point(mesh.outline, mesh.facts, mesh.triangles, mesh.marks, polygon, there)
            away = distance(point, there)
            if away < smallest:
                best, closest, smallest = polygon, point, away
        for each in range(flat.first[polygon], flat.first[polygon + 1]):
            edge = np.int32(each)
            while edge >= 0:
                if edges[edge, ACROSS] >= 0:
                    count = _reach(edges[edges[edge, ACROSS], POLYGON], seen, row, waiting, count)
                edge = edges[edge, ALSO]
        for jump in range(flat.first_jump[polygon], flat.first_jump[polygon + 1]):
            count = _reach(flat.jumps[jump, 2], seen, row, waiting, count)
    return best, closest


@inlined
def _reach(polygon: AnyInt, seen: I32, row: AnyInt, waiting: I32, count: int) -> int:
    if seen[polygon] == row:
        return count
    seen[polygon] = row
    waiting[count] = polygon
    return count + 1


@inlined
def _away_from_box(boxes: F32, polygon: AnyInt, point: Point) -> Float:
    """At most the distance to what is in the box."""
    total = ZERO
    for axis in range(3):
        away = max(boxes[polygon, axis] - point[axis], point[axis] - boxes[polygon, axis + 3], ZERO)
        total += away * away
    return np.sqrt(total) * np.float32(0.9999)
