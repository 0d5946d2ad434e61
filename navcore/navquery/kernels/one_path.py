"""One path as a game asks for it: nearest polygons, corridor, line, length and cost in one call, without a batch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...types import F32, F64, I64, U32
from ..query_filter import Rule
from ..query_mesh import QueryMesh
from ..status import BUFFER_TOO_SMALL, INVALID, OUT_OF_NODES, PARTIAL, PathStatus
from .find_path import CorridorRows, PathLimits, path_rows
from .nearest_polygon import NearestRows, nearest_rows
from .points import Float32, PointPairs, RowCounts, is_finite, row_of
from .straight_path import AREA_CROSSINGS, LinesThrough, straight_rows

_COMPLETE, _PARTIAL, _OUT_OF_NODES = int(PathStatus.COMPLETE), int(PathStatus.PARTIAL), int(PathStatus.OUT_OF_NODES)
_TRUNCATED, _NOT_FINITE = int(PathStatus.TRUNCATED), int(PathStatus.NOT_FINITE)
_NO_START, _NO_END = int(PathStatus.NO_START), int(PathStatus.NO_END)
_UNLIMITED, _ENDLESS = 2**62, np.float64(np.inf)


class OneAsked(NamedTuple):
    """What one path is asked for."""

    ends: F32  # (2, 3) start and end
    half: F32  # (3,) the box around them
    areas: I64  # that there are
    scale: Float32  # of the heuristic
    max_nodes: int
    max_path: int
    max_points: int


@kernel
def one_path(
    mesh: QueryMesh, of_polygon: U32, rule: Rule, asked: OneAsked
) -> tuple[int, Float32, Float32, F32, U32]:  # fmt: skip
    """What became of it, length, cost, points and references: the row of `find_paths`."""
    mesh, rule, asked = QueryMesh(*mesh), Rule(*rule), OneAsked(*asked)
    near = NearestRows(np.empty(2, np.int32), np.empty((2, 3), np.float32), np.empty(2, np.uint8))
    nearest_rows(mesh, asked.ends, asked.half, rule, 0, 2, near)
    pairs = PointPairs(near.polygons[:1], near.polygons[1:], near.points[:1], near.points[1:])
    found = CorridorRows(
        np.empty(1, np.uint32), np.empty(1, np.int32), np.empty((1, 3), np.float32), np.empty(1, np.int32)
    )
    limits = PathLimits(asked.scale, asked.max_nodes, asked.max_path, False)
    polygons = path_rows(mesh, pairs, rule, limits, 0, 1, found)
    cuts = np.zeros(2, np.int64)
    cuts[1] = len(polygons)
    through = LinesThrough(pairs.starts, found.aims, cuts, polygons)
    line = RowCounts(np.empty(1, np.uint32), np.empty(1, np.int32))
    points, _, _ = straight_rows(mesh, through, 0, asked.max_points, 0, 1, line)
    length = np.float32(_measured(points, np.ones(len(points), np.float64), _ENDLESS))
    is_cut = line.status[0] & BUFFER_TOO_SMALL != 0
    cost = _cost(mesh, rule, through, asked.areas, length, is_cut)
    references = np.empty(len(polygons), np.uint32)
    for k in range(len(polygons)):
        references[k] = of_polygon[polygons[k]]
    status = _COMPLETE
    if not (is_finite(row_of(asked.ends, 0)) and is_finite(row_of(asked.ends, 1))):
        status = _NOT_FINITE
    elif near.polygons[0] < 0:
        status = _NO_START
    elif near.polygons[1] < 0:
        status = _NO_END
    else:
        status = _became(found.status[0], line.status[0])
    return status, length, cost, points, references


@kernel
def _became(found: np.uint32, line: np.uint32) -> int:
    """What became of a path between two polygons."""
    if found == INVALID:
        return _COMPLETE
    is_partial = found & PARTIAL != 0
    if is_partial and found & OUT_OF_NODES != 0:
        return _OUT_OF_NODES
    if (found | line) & BUFFER_TOO_SMALL != 0:
        return _TRUNCATED
    return _PARTIAL if is_partial else _COMPLETE


@kernel
def _cost(mesh: QueryMesh, rule: Rule, through: LinesThrough, areas: I64, length: Float32, is_cut: bool) -> Float32:
    """What the line costs, as far as it goes; where areas cost differently, it is cut where they meet."""
    if len(areas) == 0:
        return length
    price, is_even = rule.costs[areas[0]], True
    for area in areas:
        is_even &= rule.costs[area] == price
    if is_even:
        return length * price
    line = RowCounts(np.empty(1, np.uint32), np.empty(1, np.int32))
    points, _, entered = straight_rows(mesh, through, AREA_CROSSINGS, _UNLIMITED, 0, 1, line)
    weights = np.zeros(len(points), np.float64)
    for k in range(len(points)):
        if entered[k] >= 0:
            weights[k] = rule.costs[mesh.polygons[entered[k]].area]
    return np.float32(_measured(points, weights, np.float64(length) if is_cut else _ENDLESS))


@kernel
def _measured(points: F32, weights: F64, most: np.float64) -> float:
    """The length of a line, each piece weighted; `most`: so many metres of it count, without weights."""
    total, so_far = 0.0, 0.0
    for k in range(len(points) - 1):
        x = np.float64(points[k + 1, 0]) - np.float64(points[k, 0])
        y = np.float64(points[k + 1, 1]) - np.float64(points[k, 1])
        z = np.float64(points[k + 1, 2]) - np.float64(points[k, 2])
        step = np.sqrt(x * x + y * y + z * z)
        total += min(max(most - so_far, 0.0), step) * weights[k]
        so_far += step
    return total
