"""Where to cut the rows so that every thread has the same work."""

# mypy: disable-error-code="call-overload, operator"
# (Python's types can't tell the integers and floats of kernels apart; annotations of kernels are for readers.)
from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...jit import kernel
from ...types import F64, Geometry
from .grid_frame import RasterFrame

_MIN_RECORDS = 20_000  # a thread is not worth waking for fewer spans to insert
_SAMPLES = 4096  # triangles looked at, at least, where there are that many
_ROW_COST = 4.0  # of a row polygon, in records


def cut_rows(frame: RasterFrame, geometry: Geometry, count: int) -> list[tuple[int, int]]:
    """`count` bands of rows, or fewer, with about as many records each, estimated from a sample of the triangles."""
    count = min(count, frame.depth)
    if count < 2:
        return [(0, frame.depth)]
    step = max(1, len(geometry.triangles) // _SAMPLES)
    cost = np.zeros(frame.depth + 1, np.float64)
    _estimate_kernel(frame, geometry, step, np.float64(_ROW_COST), cost)
    done = np.cumsum(np.cumsum(cost[:-1]) * step + frame.width / 16)  # each cell is also laid out
    count = int(min(count, max(1, done[-1] // _MIN_RECORDS)))
    cuts = [0, *(int(np.searchsorted(done, done[-1] * i / count)) for i in range(1, count)), frame.depth]
    return [(begin, end) for begin, end in pairwise(cuts) if begin < end]


@kernel
def _estimate_kernel(frame: RasterFrame, geometry: Geometry, step: int, row_cost: np.float64, cost: F64) -> None:
    """Add each sampled triangle's cost per row to `cost` (rows + 1,), as differences from row to row."""
    vertices, triangles = geometry.vertices, geometry.triangles
    for triangle in range(step // 2, len(triangles), step):
        a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
        x_least = min(vertices[a, 0], min(vertices[b, 0], vertices[c, 0]))
        x_most = max(vertices[a, 0], max(vertices[b, 0], vertices[c, 0]))
        z_least = min(vertices[a, 2], min(vertices[b, 2], vertices[c, 2]))
        z_most = max(vertices[a, 2], max(vertices[b, 2], vertices[c, 2]))
        if not (x_least <= frame.x_end and x_most >= frame.x and z_least <= frame.z_end and z_most >= frame.z):
            continue
        columns = (min(x_most, frame.x_end) - max(x_least, frame.x)) * frame.columns_per_metre
        first = (max(z_least, frame.z) - frame.z) * frame.columns_per_metre
        last = (min(z_most, frame.z_end) - frame.z) * frame.columns_per_metre
        begin = min(np.int64(first), frame.depth - 1)
        end = min(np.int64(last), frame.depth - 1) + 1
        # A triangle covers about half of its box, and every row has two ends.
        weight = row_cost + 0.5 * np.float64(columns)
        cost[begin] += weight
        cost[end] -= weight
