"""Edges of polygons as they lie on the ground: along the detail mesh, not straight through hills and over hollows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..types import EDGE_FLAGS, F32, F64, I32, I64, NO_INDEX, U8
from .navmesh import Tile, detail_triangles, world_vertices

INNER, WALL, BORDER = range(3)
_ON_OUTLINE, _BITS = 3, 2  # of each edge in a detail triangle's flags


class DrapedEdges(NamedTuple):
    """E pieces of edges; an edge that two polygons share is there once, as the first of them has it."""

    points: F32  # (E, 2, 3) metres
    polygon: I32  # (E,)
    kind: U8  # (E,) INNER: another polygon lies across it, WALL: none, BORDER: the border of a tile


def draped_edges(tile: Tile) -> DrapedEdges:
    """The edges of a tile's polygons. Without a detail mesh they are straight."""
    owner, ends = _straight(tile) if tile.detail_mesh is None else _pieces(tile)
    edge = _edge_below(tile, owner, ends.mean(axis=1))
    mesh = tile.polygon_mesh
    across = mesh.neighbors[owner, edge].astype(np.int64)
    kind = np.where(across == NO_INDEX, WALL, np.where(across < len(mesh.polygons), INNER, BORDER)).astype(np.uint8)
    kept = (kind != INNER) | (across > owner)
    return DrapedEdges(np.ascontiguousarray(ends[kept]), owner[kept].astype(np.int32), kind[kept])


def _pieces(tile: Tile) -> tuple[I64, F32]:
    """Edges of detail triangles on the outline of their polygon: its number, and both ends."""
    detail = tile.detail_mesh
    assert detail is not None
    triangles, polygon = detail_triangles(detail)
    flags = detail.triangles[:, EDGE_FLAGS]
    owners, ends = [np.zeros(0, np.int64)], [np.zeros((0, 2, 3), np.float32)]
    for k in range(3):
        outer = np.flatnonzero(flags >> (_BITS * k) & _ON_OUTLINE)
        owners.append(polygon[outer])
        ends.append(detail.vertices[triangles[outer][:, [k, (k + 1) % 3]]])
    return np.concatenate(owners), np.concatenate(ends).astype(np.float32)


def _straight(tile: Tile) -> tuple[I64, F32]:
    mesh = tile.polygon_mesh
    corners, following = _corners(tile)
    owner, corner = np.nonzero(mesh.polygons != NO_INDEX)
    points = world_vertices(mesh)
    return owner, np.stack([points[corners[owner, corner]], points[following[owner, corner]]], axis=1)


def _corners(tile: Tile) -> tuple[I64, I64]:
    """(P, N) each corner's vertex and that of the next one; where there is no corner, the polygon's first."""
    polygons = tile.polygon_mesh.polygons
    filled = np.where(polygons == NO_INDEX, polygons[:, :1], polygons).astype(np.int64)
    return filled, np.roll(filled, -1, axis=1)


def _edge_below(tile: Tile, owner: I64, middles: F32) -> I64:
    """Of each point of a polygon's outline the edge it lies on, seen from above."""
    corners, following = _corners(tile)
    points = world_vertices(tile.polygon_mesh)[:, ::2].astype(np.float64)
    a, b, p = points[corners[owner]], points[following[owner]], middles[:, None, ::2].astype(np.float64)
    away = _squared_distances(p, a, b)
    away[tile.polygon_mesh.polygons[owner] == NO_INDEX] = np.inf
    return away.argmin(axis=1)


def _squared_distances(p: F64, a: F64, b: F64) -> F64:
    """Of points to segments in the plane, the last axis being that of coordinates."""
    along, to = b - a, p - a
    part = (along * to).sum(axis=-1) / np.maximum((along * along).sum(axis=-1), 1e-30)
    apart: F64 = to - np.clip(part, 0, 1)[..., None] * along
    return np.asarray((apart * apart).sum(axis=-1))
