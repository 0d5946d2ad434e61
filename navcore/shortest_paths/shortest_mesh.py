"""What the search for the shortest path walks on: polygons with every edge, whole or a piece, and what lies across.

Made for what one filter lets pass; what it keeps out is wall. Neighbors come from the navmesh, never from positions:
floors may lie above each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..detour.byte_layout import GROUND
from ..geometry.arrays import flatten, join, numbers_in_ranges
from ..jit import kernel
from ..navquery.query_mesh import PolygonRows, QueryMesh
from ..types import F32, F64, I32, I64
from .dead_ends import marked_dead_ends
from .jumps import jumps_of
from .lattice import Lattice, lattice_of
from .lattice_spots import EDGE, JUMP, NOTHING, POLYGON, VERTEX, Records, settle
from .seams import CORNERS_MOST, Pairs, cuts_of, ends_of, key_of, pairs_of

_VERTEX, _FOLLOWING, _POLYGON, _ACROSS, _ALSO, _DEAD_END = range(6)
_STRAIGHT, _WHOLE_TURN = np.pi - 1e-9, 2 * np.pi - 1e-9


class ShortestMesh(NamedTuple):
    """V vertices, E edges, P polygons, J jumps (an off-mesh link, one way)."""

    vertices: Records  # (V,) the last 2 J are where jumps begin and end
    places: F32  # (V, 3) metres
    edges: Records  # (E,) polygon after polygon; copies lie behind
    polygons: Records  # (P,)
    jumps: Records  # (J,) sorted by where they begin
    prices: F64  # (J,) in steps of ground, as a question has it
    copies: int


def shortest_mesh(mesh: QueryMesh, include: int, exclude: int) -> tuple[ShortestMesh, Lattice]:
    """The mesh of what a filter lets pass."""
    passing = _passing(mesh.polygons, include, exclude)
    ground = passing & (mesh.polygons["kind"] == GROUND)
    corners = np.where(ground, mesh.polygons["corners"], 0).astype(np.int32)
    lattice = lattice_of(mesh, np.arange(CORNERS_MOST) < corners[:, None])
    spots = lattice.of_corners(mesh.outline)
    pairs = pairs_of(mesh, spots, ground, lattice.cell)
    edges, spot, place, first, across = _edges(mesh, spots, corners, pairs)
    jumps = jumps_of(mesh, passing, ground)
    vertex, kept = _welded(edges, across)
    turns = _turning(edges, across, spot, vertex, len(kept))
    edges[:, _VERTEX] = vertex
    edges = _with_copies(edges, across)
    ends = jumps.ends.reshape(-1, 3)
    vertices = np.empty(len(kept) + len(ends), VERTEX)
    vertices["x"], vertices["z"] = np.concatenate([spot[kept], lattice.of(ends)]).T
    walls = np.concatenate([turns, np.full((len(ends), 2), NOTHING, np.int32)])
    vertices["wall_behind"], vertices["wall_ahead"] = walls.T
    polygons = np.zeros(len(corners), POLYGON)
    polygons["first_edge"], polygons["end_edge"] = first[:-1], first[1:]
    first_jump = np.searchsorted(jumps.rows[:, 1], np.arange(len(corners) + 1))
    polygons["first_jump"], polygons["end_jump"] = first_jump[:-1], first_jump[1:]
    polygons["island"] = _islands(edges, jumps.rows, len(corners))
    polygons["number"], polygons["end_number"] = marked_dead_ends(edges, first, jumps.rows[:, 1], len(corners)).T
    jump_rows = np.empty(len(jumps.rows), JUMP)
    jump_rows["link"], jump_rows["start"], jump_rows["end"] = jumps.rows.T
    jump_rows["vertex"], jump_rows["length"] = len(kept) + 2 * np.arange(len(jumps.rows)), jumps.lengths
    all_edges = np.ascontiguousarray(edges).view(EDGE).reshape(-1)
    settle(vertices, all_edges, polygons, jumps.rows[:, 1:].reshape(-1), len(kept))
    places = np.concatenate([place[kept], ends]).astype(np.float32)
    return ShortestMesh(
        vertices, places, all_edges, polygons, jump_rows, np.zeros(len(jump_rows)), len(edges) - int(first[-1])
    ), lattice


def _passing(polygons: PolygonRows, include: int, exclude: int) -> npt.NDArray[np.bool_]:
    passing: npt.NDArray[np.bool_] = (polygons["flags"] & include != 0) & (polygons["flags"] & exclude == 0)
    return passing


def _edges(mesh: QueryMesh, spots: I32, corners: I32, pairs: Pairs) -> tuple[I32, I64, F64, I64, tuple[I64, I64]]:
    """Edges in the order of polygons, where each begins, the first of each polygon, and which lie across from which."""
    cut, along = cuts_of(pairs, spots, corners)
    polygon = np.repeat(np.arange(len(corners)), corners)
    whole = polygon * CORNERS_MOST + numbers_in_ranges(np.zeros(len(corners), np.int64), corners)
    a, b = ends_of(spots, corners, cut)
    axis = np.abs(b - a).argmax(axis=1)
    rows = np.arange(len(cut))
    part = (along - a[rows, axis]) / np.where(len(cut), b[rows, axis] - a[rows, axis], 1)
    inside = a + np.rint((b - a) * part[:, None]).astype(np.int64)
    inside[rows, axis] = along
    low, high = _ends_in_metres(mesh.outline, corners, cut)
    names = np.concatenate([whole, cut])
    order = np.lexsort((np.concatenate([np.zeros(len(whole)), part]), names))
    number = whole % CORNERS_MOST
    spot = np.concatenate([spots[polygon, number].astype(np.int64), inside])[order]
    place = np.concatenate([mesh.outline[polygon, number], low + (high - low) * part[:, None]])[order]
    owner = (names // CORNERS_MOST)[order]
    first = np.searchsorted(owner, np.arange(len(corners) + 1)).astype(np.int64)
    edges = np.full((len(owner), 6), NOTHING, np.int32)
    edges[:, _FOLLOWING] = np.arange(1, len(owner) + 1)
    last = first[1:][np.diff(first) > 0] - 1
    edges[last, _FOLLOWING] = first[:-1][np.diff(first) > 0]
    edges[:, _POLYGON], edges[:, _DEAD_END] = owner, 0
    return edges, spot, place, first, _across(mesh, spots, corners, pairs, edges, spot, names[order])


def _ends_in_metres(outline: F32, corners: I32, edges: I64) -> tuple[F64, F64]:
    polygon, number = edges // CORNERS_MOST, edges % CORNERS_MOST
    following = np.where(number + 1 < corners[polygon], number + 1, 0)
    return outline[polygon, number].astype(np.float64), outline[polygon, following].astype(np.float64)


def _across(
    mesh: QueryMesh, spots: I32, corners: I32, pairs: Pairs, edges: I32, spot: I64, names: I64
) -> tuple[I64, I64]:
    """Pairs of edges, from and to: inside tiles first, then over their borders in the order of links."""
    begins = np.flatnonzero(np.concatenate([[True], names[1:] != names[:-1]])[: len(names)])
    number_of = np.full(len(corners) * CORNERS_MOST, NOTHING, np.int64)
    number_of[names[begins]] = begins
    polygon, number = names[begins] // CORNERS_MOST, names[begins] % CORNERS_MOST
    neighbor = mesh.neighbors[polygon, number].astype(np.int64)
    inner = neighbor >= 0
    inner[inner] = corners[neighbor[inner]] > 0
    here = np.repeat(names[begins][inner], CORNERS_MOST)
    target = np.repeat(neighbor[inner], CORNERS_MOST)
    edge = np.tile(np.arange(CORNERS_MOST), int(inner.sum()))
    there = target * CORNERS_MOST + edge
    a, b = ends_of(spots, corners, here)
    c, d = ends_of(spots, corners, there)
    fits = (edge < corners[target]) & (mesh.neighbors[target, edge] == here // CORNERS_MOST)
    fits &= (a == d).all(axis=1) & (b == c).all(axis=1)
    _, once = np.unique(here[fits], return_index=True)
    inside = number_of[here[fits][once]], number_of[there[fits][once]]
    over = _over_borders(pairs, edges, spot, names)
    return np.concatenate([inside[0], over[0]]), np.concatenate([inside[1], over[1]])


def _over_borders(pairs: Pairs, edges: I32, spot: I64, names: I64) -> tuple[I64, I64]:
    """Pieces of edges on both sides of a border that are the same."""
    pieces = np.flatnonzero(np.isin(names, np.concatenate([pairs.here, pairs.there])))
    a, b = spot[pieces], spot[edges[pieces, _FOLLOWING]]
    axis = np.abs(b - a).argmax(axis=1)[:, None]
    ends = np.concatenate([np.take_along_axis(a, axis, 1), np.take_along_axis(b, axis, 1)], axis=1)
    keys, far = key_of(names[pieces], ends.min(axis=1)), ends.max(axis=1)
    order = np.argsort(keys)
    pieces, keys, far = pieces[order], keys[order], far[order]
    first = np.searchsorted(keys, key_of(pairs.here, pairs.low), "left")
    last = np.searchsorted(keys, key_of(pairs.here, pairs.high), "left")
    here = numbers_in_ranges(first, last - first)
    wanted = keys[here] + np.repeat((pairs.there - pairs.here) << 32, last - first)
    there = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    same = (keys[there] == wanted) & (far[there] == far[here])
    return pieces[here[same]], pieces[there[same]]


def _welded(edges: I32, across: tuple[I64, I64]) -> tuple[I32, I64]:
    """The vertex at which each edge begins, and for each vertex an edge that begins there."""
    parents = np.arange(len(edges), dtype=np.int32)
    _weld(edges, *across, parents)
    kept, vertex = np.unique(parents, return_inverse=True)
    return vertex.astype(np.int32), kept.astype(np.int64)


@kernel
def _weld(edges: I32, here: I64, there: I64, parents: I32) -> None:
    """Corners at both ends of edges that lie across from each other are one."""
    for k in range(len(here)):
        a, b = np.int32(here[k]), np.int32(there[k])
        join(parents, a, edges[b, _FOLLOWING])
        join(parents, edges[a, _FOLLOWING], b)
    flatten(parents)


def _turning(edges: I32, across: tuple[I64, I64], spot: I64, vertex: I32, count: int) -> I32:
    """For vertices at walls around which the ground goes by more than half a turn those beside it along the wall.

    Where several walls meet, and where floors wind around a vertex like stairs, so that a path may turn there by more
    than half a turn, it is the vertex itself twice. NOTHING where no shortest path turns.
    """
    passable = np.zeros(len(edges), bool)
    both = np.isin(across[0] * len(edges) + across[1], across[1] * len(edges) + across[0])
    passable[across[0][both]] = True
    ahead, behind = vertex[~passable], vertex[edges[~passable, _FOLLOWING]]
    walls = np.full((count, 2), NOTHING, np.int32)
    walls[ahead, 0], walls[behind, 1] = behind, ahead
    simple = (np.bincount(ahead, minlength=count) == 1) & (np.bincount(behind, minlength=count) == 1)
    several = (walls >= 0).any(axis=1) & ~simple
    walls[several] = np.flatnonzero(several)[:, None]
    after = (spot[edges[:, _FOLLOWING]] - spot).astype(np.float64)
    before = np.empty_like(after)
    before[edges[:, _FOLLOWING]] = -after
    cross = np.abs(after[:, 0] * before[:, 1] - after[:, 1] * before[:, 0])
    angles = np.arctan2(cross, (after * before).sum(axis=1))
    around = np.bincount(vertex, angles, minlength=count)
    winds = (walls >= 0).any(axis=1) & (around > _WHOLE_TURN)
    walls[winds] = np.flatnonzero(winds)[:, None]
    walls[around <= _STRAIGHT] = NOTHING
    return walls


def _with_copies(edges: I32, across: tuple[I64, I64]) -> I32:
    """What lies across each edge; where that is more than one, copies of the edge have the others."""
    here, there = across
    _, once = np.unique(here, return_index=True)
    edges[here[once], _ACROSS] = there[once]
    more = np.setdiff1d(np.arange(len(here)), once)
    copies = edges[here[more]].copy()
    copies[:, _ACROSS] = there[more]
    edges = np.concatenate([edges, copies])
    for copy, edge in zip(range(len(edges) - len(copies), len(edges)), here[more].tolist(), strict=True):
        edges[copy, _ALSO] = edges[edge, _ALSO]
        edges[edge, _ALSO] = copy
    return edges


def _islands(edges: I32, jumps: I32, polygons: int) -> I32:
    parents = np.arange(polygons, dtype=np.int32)
    led = edges[:, _ACROSS] >= 0
    here = np.concatenate([edges[led, _POLYGON], jumps[:, 1]])
    there = np.concatenate([edges[edges[led, _ACROSS], _POLYGON], jumps[:, 2]])
    _join_all(here, there, parents)
    return parents


@kernel
def _join_all(here: I32, there: I32, parents: I32) -> None:
    for k in range(len(here)):
        join(parents, here[k], there[k])
    flatten(parents)
