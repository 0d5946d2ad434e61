"""Where edges of two tiles are shared: which corners each one lacks, and which vertices become one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.arrays import flatten, root_of
from ...jit import kernel
from ...types import I32, I64
from .stitched_borders import BorderEdges, Corners, height_at


class Welds(NamedTuple):
    """What the borders need. New vertices are numbered behind those of the tiles."""

    points: I32  # (V, 3) vx, with the new ones
    vertex: I32  # (V,) the vertex that each one becomes
    corner_at: I32  # (cells + E,) vertex at each cell's end along each edge, -1 for none


def welded(corners: Corners, edges: BorderEdges, partner: I32, climb: float) -> Welds:
    """Weld the ends of what partners share, and give each edge the corners it lacks."""
    count, room = len(corners.points), len(partner)
    heights = np.stack([corners.points[edges.near, 1], corners.points[edges.far, 1]], axis=1)
    points = np.concatenate([corners.points, np.empty((room, 3), np.int32)])
    vertex, ring = (np.arange(count + room, dtype=np.int32) for _ in range(2))
    corner_at = np.full(room + len(edges.corner), -1, np.int32)
    state = _State(points, corners.tile, vertex, ring, corner_at, np.array([count], np.int64))
    _weld_kernel(edges, heights, partner, climb, state)
    _touch_kernel(edges, heights, partner, climb, state)
    total = int(state.total[0])
    flatten(vertex[:total])
    return Welds(points[:total], vertex[:total], corner_at)


class _State(NamedTuple):
    points: I32
    tile: I32
    vertex: I32  # a vertex that it is welded to, itself at the end of the chain: the lowest of all
    ring: I32  # the next vertex welded to the same, in a circle
    corner_at: I32
    total: I64  # (1,) vertices so far


@kernel
def _weld(state: _State, p: np.int32, q: np.int32, climb: float) -> bool:
    """Make two vertices one, unless that would join two storeys of one tile."""
    points, tile, vertex, ring = state.points, state.tile, state.vertex, state.ring
    a, b = root_of(vertex, p), root_of(vertex, q)
    if a == b:
        return True
    one = a
    while True:
        other = b
        while True:
            if one < len(tile) and other < len(tile) and tile[one] == tile[other]:
                if abs(points[one, 1] - points[other, 1]) > climb:
                    return False
            other = ring[other]
            if other == b:
                break
        one = ring[one]
        if one == a:
            break
    vertex[max(a, b)] = min(a, b)
    ring[a], ring[b] = ring[b], ring[a]
    return True


@kernel
def _weld_at(edges: BorderEdges, heights: I32, climb: float, state: _State, a: int, b: int, at: int) -> bool:
    """Give both edges one vertex at a place; False where they are too far apart there."""
    here, there = edges.cell[a] + a + at - edges.low[a], edges.cell[b] + b + at - edges.low[b]
    corner_at, points = state.corner_at, state.points
    p, q = corner_at[here], corner_at[there]
    if p >= 0 and q >= 0:
        both = p < len(state.tile) and q < len(state.tile)
        if both and abs(points[p, 1] - points[q, 1]) > 2 * climb:
            return False
        return _weld(state, p, q, climb)
    if p < 0 and q < 0:
        height = height_at(edges.low, edges.high, heights, a, at)
        if abs(height - height_at(edges.low, edges.high, heights, b, at)) > 2 * climb:
            return False
        q = np.int32(state.total[0])
        state.total[0] += 1
        end = edges.near[a]
        for axis in range(3):
            points[q, axis] = points[end, axis]
        along = 0 if points[edges.near[a], 0] != points[edges.far[a], 0] else 2
        points[q, 1], points[q, along] = np.int32(np.floor(height + 0.5)), at
    corner_at[here] = corner_at[there] = max(p, q)
    return True


@kernel
def _weld_kernel(edges: BorderEdges, heights: I32, partner: I32, climb: float, state: _State) -> None:
    """Weld both ends of every run of cells that two edges share.

    An end that can't be welded (ground that parts along the border) moves inwards, and the edges part there.
    """
    group, low, high, cell = edges.group, edges.low, edges.high, edges.cell
    near, far, corner_at = edges.near, edges.far, state.corner_at
    for a in range(len(group)):
        corner_at[cell[a] + a], corner_at[cell[a + 1] + a] = near[a], far[a]
    for a in range(len(group)):
        if group[a] & 1:
            continue
        start = low[a]
        while start < high[a]:
            b = partner[cell[a] + start - low[a]]
            stop = start + 1
            while stop < high[a] and partner[cell[a] + stop - low[a]] == b:
                stop += 1
            following = stop
            if b >= 0:
                while start < stop and not _weld_at(edges, heights, climb, state, a, b, start):
                    start += 1
                while start < stop and not _weld_at(edges, heights, climb, state, a, b, stop):
                    stop -= 1
            start = following


@kernel
def _touch_kernel(edges: BorderEdges, heights: I32, partner: I32, climb: float, state: _State) -> None:
    """A vertex of the tile across that merely touches an edge becomes a corner of it."""
    low, high, cell, touching, beside = edges.low, edges.high, edges.cell, edges.touching, edges.beside
    corner_at, points = state.corner_at, state.points
    for edge in range(len(low)):
        along = 0 if points[edges.near[edge], 0] != points[edges.far[edge], 0] else 2
        for k in range(touching[edge, 0], touching[edge, 1]):
            v = beside[k]
            at = points[v, along]
            here = cell[edge] + at - low[edge]
            if corner_at[here + edge] < 0 and partner[here] < 0 and partner[here - 1] < 0:
                if abs(height_at(low, high, heights, edge, at) - points[v, 1]) <= climb:
                    corner_at[here + edge] = v
