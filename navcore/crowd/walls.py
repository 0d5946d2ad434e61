"""The walls of every polygon, looked up once for each filter."""

from __future__ import annotations

import numpy as np

from ..navquery.batches import in_pieces, joined, offsets_of
from ..navquery.kernels.wall_segments import segment_rows
from ..navquery.query_filter import QueryFilter
from ..navquery.query_mesh import QueryMesh
from ..types import F64, I64
from .agents import Walls

_UNLIMITED = 2**62


def no_walls(mesh: QueryMesh) -> Walls:
    """As long as there is no filter."""
    return Walls(np.zeros((0, len(mesh.polygons) + 1), np.int64), np.zeros((0, 6)))


def with_filter(walls: Walls, mesh: QueryMesh, chosen: QueryFilter) -> Walls:
    """The same and after them the walls of one more filter."""
    offsets, ends = _walls_of(mesh, chosen)
    first = offsets + len(walls.ends)
    return Walls(np.concatenate([walls.first, first[None]]), np.concatenate([walls.ends, ends]))


def _walls_of(mesh: QueryMesh, chosen: QueryFilter) -> tuple[I64, F64]:
    rule, count = chosen.rule(), len(mesh.polygons)
    polygons, status, counts = np.arange(count, dtype=np.int32), np.empty(count, np.uint32), np.empty(count, np.int32)
    before = (mesh, polygons, rule.include, rule.exclude, False, _UNLIMITED)
    pieces = in_pieces(segment_rows, count, before, (status, counts), 1, None)
    segments = joined([piece[0] for piece in pieces])[:, :, ::2].astype(np.float64)
    corners = np.arange(6)[None, :, None] < mesh.polygons["corners"][:, None, None]
    middles = (
        np.where(corners, mesh.outline[:, :, ::2], 0).sum(axis=1) / np.maximum(mesh.polygons["corners"], 1)[:, None]
    )
    start, end = segments[:, 0], segments[:, 1]
    along = end - start
    normals = np.stack([-along[:, 1], along[:, 0]], axis=1)
    normals /= np.maximum(np.sqrt((normals**2).sum(axis=1)), 1e-12)[:, None]
    inward = ((middles[np.repeat(np.arange(count), counts)] - start) * normals).sum(axis=1)
    normals[inward < 0] *= -1
    return offsets_of(counts), np.concatenate([start, end, normals], axis=1)
