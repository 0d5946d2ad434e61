"""The edges on tile borders, and which of them meet: seen along the border, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...geometry.polygon_rings import next_corners
from ...jit import kernel
from ...types import F32, I32, I64, NO_INDEX, PORTAL, PORTAL_SIDE_MASK
from ..navmesh import Tile

_NO_SIDE = -1
_ROW_BITS, _ROW_MASK = 22, (1 << 22) - 1  # in the number of a border
_NEAR, _FAR = 0, 1  # columns of heights: those of an edge's ends
_PLACE_BITS = 13  # a place along one side of a tile
_MARGIN = 0.01  # metres from both ends of an overlap: where Detour compares heights


class Corners(NamedTuple):
    """The polygons of all tiles, one after the other; edge c runs from corner c to the next of its polygon."""

    points: I32  # (V, 3) vx from the level's corner
    tile: I32  # (V,) number of the tile
    place: I32  # (V, 2) its x and y
    first: I32  # (P + 1,)
    vertex: I32  # (.,) of each corner
    after: I32  # (.,) the corner that follows
    side: I32  # (.,) of the tile's border on which the edge lies, -1 for none


class BorderEdges(NamedTuple):
    """Edges on borders between two tiles, border by border: those of the lower tile, then those of the higher one."""

    group: I64  # (E,) number of the border × 2, + 1 for the higher tile
    corner: I32  # (E,)
    near: I32  # (E,) vertex at the lower end along the border
    far: I32  # (E,)
    low: I32  # (E,) vx along the border
    high: I32  # (E,)
    cell: I64  # (E + 1,) each edge has high - low cells, numbered through
    touching: I64  # (E, 2) range in `beside` of what lies strictly between its ends
    beside: I32  # (.,) vertices on borders, as the tile across sees them


def gathered(tiles: Sequence[Tile], size: int, cell_size: np.float32) -> Corners:
    """Put the polygon meshes of all tiles end to end, in cells of which a tile has `size`: the smallest of any tile."""
    meshes = [tile.polygon_mesh for tile in tiles]
    counts = np.array([len(mesh.vertices) for mesh in meshes])
    number = np.repeat(np.arange(len(tiles), dtype=np.int32), counts)
    points = np.concatenate([mesh.vertices for mesh in meshes]).astype(np.int32)
    place = np.array([(tile.x, tile.y) for tile in tiles], np.int32)[number]
    wide = np.array([round(float(mesh.grid.cell_size / cell_size)) for mesh in meshes], np.int32)
    points[:, 0::2] = points[:, 0::2] * wide[number, None] + place * np.int32(size)

    polygons = np.concatenate([mesh.polygons for mesh in meshes])
    used = polygons != NO_INDEX
    first = np.concatenate([[0], np.cumsum(used.sum(axis=1))]).astype(np.int32)
    offset = np.repeat(np.cumsum(counts) - counts, [len(mesh.polygons) for mesh in meshes])
    vertex = (polygons + offset[:, None])[used].astype(np.int32)
    link = np.concatenate([mesh.neighbors for mesh in meshes])[used].astype(np.int32)
    portal = (link != NO_INDEX) & (link & PORTAL != 0)
    side = np.where(portal, link & PORTAL_SIDE_MASK, _NO_SIDE).astype(np.int32)
    return Corners(points, number, place, first, vertex, next_corners(first), side)


def border_edges(corners: Corners, size: int) -> BorderEdges:
    """Sort the edges on borders by border, tile and place."""
    corner = np.flatnonzero(corners.side >= 0)
    side, start, end = corners.side[corner], corners.vertex[corner], corners.vertex[corners.after[corner]]
    axis = np.where(side & 1, 0, 2)
    at_start, at_end = corners.points[start, axis], corners.points[end, axis]
    group, low = _group(corners.place[start], side), np.minimum(at_start, at_end)
    # Polygons turn one way, so each side of a tile is walked one way; only an edge without area behind it is not.
    sound = np.where(side < 2, at_start < at_end, at_start > at_end)
    order = np.lexsort((low, group))
    order = order[sound[order]]
    side, start, end, group, low = side[order], start[order], end[order], group[order], low[order]
    high = np.maximum(at_start, at_end)[order]
    cell = np.concatenate([[0], np.cumsum(high - low)]).astype(np.int64)
    near, far = np.where(side < 2, start, end), np.where(side < 2, end, start)
    touching, beside = _beside(corners, group, low, high, size)
    return BorderEdges(group, corner[order].astype(np.int32), near, far, low, high, cell, touching, beside)


def _group(place: I32, side: I32) -> I64:
    """The number of a border × 2, + 1 as seen from the tile behind it (the border is its side x− or z−)."""
    upright = side & 1 == 0
    column, row = place[:, 0].astype(np.int64), place[:, 1].astype(np.int64)
    ahead = (side == 1) | (side == 2)
    across = np.where(upright, column, row) + ahead
    line = (upright.astype(np.int64) << _ROW_BITS) | across
    return (line << _ROW_BITS | np.where(upright, row, column)) << 1 | ~ahead


def _beside(corners: Corners, group: I64, low: I32, high: I32, size: int) -> tuple[I64, I32]:
    """For each edge, which vertices of the tile across lie on the border strictly between its ends."""
    inside = corners.points[:, 0::2] - corners.place * size
    keys, vertices = [], []
    for side, (axis, value) in enumerate([(0, 0), (1, size), (0, size), (1, 0)]):
        vertex = np.flatnonzero(inside[:, axis] == value)
        border = _group(corners.place[vertex], np.full(len(vertex), side, np.int32))
        keys.append(border << _PLACE_BITS | inside[vertex, 1 - axis])
        vertices.append(vertex)
    key, vertex = np.concatenate(keys), np.concatenate(vertices)
    order = np.lexsort((vertex, key))
    key, across = key[order], (group ^ 1) << _PLACE_BITS
    row = (group >> 1 & _ROW_MASK) * size
    ends = [np.searchsorted(key, across | (low - row), "right"), np.searchsorted(key, across | (high - row), "left")]
    return np.stack(ends, axis=1).astype(np.int64), vertex[order].astype(np.int32)


def partners(corners: Corners, edges: BorderEdges, climb: float, cell_size: float) -> I32:
    """For each cell of each edge the edge of the other tile that it is shared with, -1 for none; `climb` in vx.

    Detour says which edges meet; of several that meet at one cell, those nearest in height become partners.
    """
    heights = np.stack([corners.points[edges.near, 1], corners.points[edges.far, 1]], axis=1)
    margin = _MARGIN / cell_size
    pairs = np.empty((4 * len(edges.corner), 2), np.int32)
    count = _pairs_kernel(edges, heights, climb, margin, pairs)
    if count > len(pairs):
        pairs = np.empty((count, 2), np.int32)
        _pairs_kernel(edges, heights, climb, margin, pairs)
    partner = np.full(int(edges.cell[-1]), -1, np.int32)
    _partners_kernel(edges, heights, pairs[:count], partner, np.full(len(partner), np.inf, np.float32))
    return partner


@kernel
def height_at(low: I32, high: I32, heights: I32, edge: int, at: float) -> float:
    """The height of an edge at a place between its ends, in vx."""
    part = (at - low[edge]) / (high[edge] - low[edge])
    return heights[edge, _NEAR] + part * (heights[edge, _FAR] - heights[edge, _NEAR])


@kernel
def _pairs_kernel(edges: BorderEdges, heights: I32, climb: float, margin: float, pairs: I32) -> int:
    """Write every pair of edges that meet while there is room; returns how many there are."""
    group, low, high = edges.group, edges.low, edges.high
    count, end = 0, 0
    while end < len(group):
        begin = end
        while end < len(group) and group[end] == group[begin]:
            end += 1
        middle = end
        if group[begin] & 1:
            continue  # nothing on the lower side
        while end < len(group) and group[end] == group[begin] + 1:
            end += 1
        for a in range(begin, middle):
            for b in range(middle, end):
                if low[b] >= high[a]:
                    break
                if high[b] > low[a] and _meet(low, high, heights, a, b, climb, margin):
                    if count < len(pairs):
                        pairs[count, 0], pairs[count, 1] = a, b
                    count += 1
    return count


@kernel
def _meet(low: I32, high: I32, heights: I32, a: int, b: int, climb: float, margin: float) -> bool:
    """Whether an agent can step from one edge to the other near either end of their overlap. Recast: overlapSlabs."""
    start, stop = max(low[a], low[b]), min(high[a], high[b])
    inset = min(margin, (stop - start) / 2)
    at_start = height_at(low, high, heights, a, start + inset) - height_at(low, high, heights, b, start + inset)
    at_stop = height_at(low, high, heights, a, stop - inset) - height_at(low, high, heights, b, stop - inset)
    return at_start * at_stop < 0 or min(abs(at_start), abs(at_stop)) <= 2 * climb


@kernel
def _partners_kernel(edges: BorderEdges, heights: I32, pairs: I32, partner: I32, apart: F32) -> None:
    """Give each cell its nearest partner. A nearer pair parts those before it, until none is left that would."""
    low, high, cell = edges.low, edges.high, edges.cell
    changed = True
    while changed:
        changed = False
        for pair in range(len(pairs)):
            a, b = pairs[pair, 0], pairs[pair, 1]
            for at in range(max(low[a], low[b]), min(high[a], high[b])):
                here, there = cell[a] + at - low[a], cell[b] + at - low[b]
                if partner[here] == b:
                    continue
                middle = at + 0.5
                gap = np.float32(
                    abs(height_at(low, high, heights, a, middle) - height_at(low, high, heights, b, middle))
                )
                if gap < apart[here] and gap < apart[there]:
                    _part(low, cell, partner, apart, here, at)
                    _part(low, cell, partner, apart, there, at)
                    partner[here], partner[there] = b, a
                    apart[here] = apart[there] = gap
                    changed = True


@kernel
def _part(low: I32, cell: I64, partner: I32, apart: F32, here: int, at: int) -> None:
    """Free the partner of a cell."""
    other = partner[here]
    if other >= 0:
        there = cell[other] + at - low[other]
        partner[there], apart[there] = -1, np.float32(np.inf)
