"""Narrow ways: where the navmesh leaves no room for two to pass each other, as straight pieces between mouths.

They are looked for where paths lead: at what two polygons share. Across is the direction in which there is the least
room; along the other one a piece goes on as far as there is too little. Where it ends in the open it has a mouth; where
two ends lie so close before each other that nobody could wait between them, both pieces are one passage.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import CONNECTION
from ..navquery.query_filter import QueryFilter
from ..navquery.query_mesh import QueryMesh
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..types import F64, I32, I64, U32, Bools

_TURNS = 12  # directions in which room is looked for
_INTO = 0.01  # metres: looks begin so far within a polygon
_STEP, _BLOCK, _BLOCKS = 0.1, 16, 24  # metres, steps at once and how often: along a piece
_FLOOR = 0.8  # metres up and down from one step to the next
_WIDER = 2.0  # times the room: what two polygons share may be so much wider where it lies askew
_ASKEW = 0.3  # cosine between a way and a piece
_NO_ROOM_BETWEEN = 3.3  # bodies between two mouths that look at each other
INNER = -1


class NarrowWays(NamedTuple):
    """M straight pieces with K mouths, in passages; and J places at which pieces are joined."""

    middle: F64  # (M, 2) x and z
    height: F64  # (M,) y
    along: F64  # (M, 2) a unit vector
    low: F64  # (M,) metres along it, negative
    high: F64
    half: F64  # (M,) metres to each side
    passage: I64  # (M,)
    ends: I64  # (M, 2) the mouths at low and at high; INNER: none
    mouth: F64  # (K, 2) x and z
    mouth_height: F64  # (K,)
    out: F64  # (K, 2) from a mouth into the open
    mouth_half: F64  # (K,) metres
    mouth_passage: I64  # (K,)
    beside: F64  # (K, 2) metres of room to the right and to the left of who comes out
    joint: F64  # (J, 2)
    joint_passage: I64  # (J,)
    keys: I64  # sorted: here · polygons + there, of two polygons on a path
    leads: I64  # for each key: 2 · piece, and 1 more where it is crossed towards high


def no_narrow_ways() -> NarrowWays:
    """Where there is room everywhere."""
    flat, none, whole = np.zeros((0, 2)), np.zeros(0), np.zeros(0, np.int64)
    return NarrowWays(
        flat, none, flat, none, none, none, whole, np.zeros((0, 2), np.int64), flat, none, flat, none, whole, flat,
        flat, whole, whole, whole,
    )  # fmt: skip


class _Portals(NamedTuple):
    """What two polygons share."""

    here: I64
    there: I64
    middle: F64  # (N, 3)
    onward: F64  # (N, 2) from here to there


def narrow_ways(query: NavQuery, polygons: I32, room: float, width: float, chosen: QueryFilter) -> NarrowWays:
    """Those between these polygons with less room than that, for agents of so many metres."""
    mesh, names = mesh_of(query)
    found = _portals(mesh, polygons, _WIDER * room)
    if not len(found.here):
        return no_narrow_ways()
    inner = _middles(mesh, found.here) - found.middle[:, ::2]
    begin = found.middle.copy()
    begin[:, ::2] += inner * (_INTO / np.maximum(np.hypot(*inner.T), _INTO))[:, None]
    look = _GroundRays(query, chosen)
    turns = np.arange(_TURNS) * np.pi / _TURNS
    across = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    references = names.of_polygon[found.here]
    n = len(begin)
    sides = [
        look.room(np.repeat(references, _TURNS), np.repeat(begin, _TURNS, axis=0), np.tile(sign * across, (n, 1)), room)
        .reshape(n, _TURNS)
        for sign in (1, -1)
    ]  # fmt: skip
    best = np.argmin(sides[0] + sides[1], axis=1)
    rows = np.arange(n)
    wide = (sides[0] + sides[1])[rows, best]
    aside = across[best]
    along = np.stack([-aside[:, 1], aside[:, 0]], axis=1)
    crossed = (along * found.onward).sum(axis=1)
    good = (wide < room) & (np.abs(crossed) > _ASKEW)
    begin[:, ::2] += aside * ((sides[0] - sides[1])[rows, best] / 2)[:, None]
    rows = np.flatnonzero(good)
    return _pieces(look, _PlacesAcross(begin[rows], along[rows], wide[rows]), found, rows, room, width)


def _portals(mesh: QueryMesh, polygons: I32, widest: float) -> _Portals:
    """What ground polygons among these share, where it is not wider."""
    chosen = np.zeros(len(mesh.polygons), bool)
    chosen[polygons] = True
    chosen &= mesh.polygons["kind"] != CONNECTION
    first, end = mesh.polygons["first_link"], mesh.polygons["end_link"]
    mine = np.flatnonzero(chosen)
    counts = (end - first)[mine]
    here = np.repeat(mine, counts)
    links = np.arange(counts.sum()) + np.repeat(first[mine] - np.cumsum(counts) + counts, counts)
    there = mesh.links["target"][links].astype(np.int64)
    left, right = mesh.portals[links, 0].astype(np.float64), mesh.portals[links, 1].astype(np.float64)
    apart = (right - left)[:, ::2]
    wide = np.hypot(*apart.T)
    good = chosen[there] & (wide < widest) & (wide > 0)
    here, there, left, right, apart, wide = (v[good] for v in (here, there, left, right, apart, wide))
    onward = np.stack([-apart[:, 1], apart[:, 0]], axis=1) / wide[:, None]
    apart = _middles(mesh, there) - _middles(mesh, here)
    onward *= np.where((apart * onward).sum(axis=1) < 0, -1.0, 1.0)[:, None]
    return _Portals(here.astype(np.int64), there, (left + right) / 2, onward)


def _middles(mesh: QueryMesh, polygons: I64) -> F64:
    """Of polygons, from above."""
    counts = mesh.polygons["corners"][polygons]
    corners = np.arange(mesh.outline.shape[1])[None, :, None] < counts[:, None, None]
    middles: F64 = (
        np.where(corners, mesh.outline[polygons][:, :, ::2], 0.0).sum(axis=1) / np.maximum(counts, 1)[:, None]
    )
    return middles


class _GroundRays:
    """Looks along the ground."""

    def __init__(self, query: NavQuery, chosen: QueryFilter) -> None:
        self._query, self._chosen = query, chosen

    def room(self, references: U32, points: F64, way: F64, most: float) -> F64:
        """How far the ground goes on from points, at most so far."""
        ends = points.copy()
        ends[:, ::2] += way * most
        if not len(points):
            return np.zeros(0)
        parts = self._query.raycast(references, points, ends, self._chosen, max_polygons=None).parts
        return np.minimum(np.nan_to_num(parts.astype(np.float64)), 1.0) * most

    def ground(self, points: F64) -> tuple[U32, F64]:
        """The polygon below or above each, and the ground there."""
        near = self._query.nearest(points, (0.1, _FLOOR, 0.1), filter=self._chosen)
        return near.references, near.points.astype(np.float64)


class _PlacesAcross(NamedTuple):
    """Narrow ones."""

    middle: F64  # (N, 3)
    along: F64  # (N, 2)
    wide: F64  # (N,)


def _pieces(
    look: _GroundRays, places: _PlacesAcross, found: _Portals, rows: I64, room: float, width: float
) -> NarrowWays:
    """Straight pieces of narrow places, joined to passages."""
    n = len(rows)
    reach, ends = np.zeros((n, 2)), np.zeros((n, 2, 3))
    open_ends = np.zeros((n, 2), bool)
    for side, sign in enumerate((-1.0, 1.0)):
        reach[:, side], ends[:, side], open_ends[:, side] = _reach(look, places, sign * places.along, room)
    leader = _leaders(places, reach, room)
    kept = np.unique(leader[open_ends[leader].all(axis=1)])
    number = np.full(n, -1)
    number[kept] = np.arange(len(kept))
    piece = number[leader]
    middle, along = places.middle[kept], places.along[kept]
    at = ends[kept][:, :, ::2].reshape(-1, 2)  # two mouths each
    out = np.stack([-along, along], axis=1).reshape(-1, 2)
    heights = ends[kept][:, :, 1].reshape(-1)
    joined, inner, joints = _joined(at, out, heights, _NO_ROOM_BETWEEN * width)
    mouth = np.flatnonzero(~inner)
    of_end = np.full(2 * len(kept), INNER)
    of_end[mouth] = np.arange(len(mouth))
    crossed = (found.onward[rows] * along[piece]).sum(axis=1) if len(kept) else np.zeros(n)
    good = piece >= 0
    mesh = mesh_of(look._query)[0]
    keys = (found.here * len(mesh.polygons) + found.there)[rows][good]
    leads = (2 * piece + (crossed > 0))[good]
    order = np.argsort(keys, kind="stable")
    keys, first = np.unique(keys[order], return_index=True)
    beside = _beside(look, ends[kept].reshape(-1, 3)[mouth], out[mouth], 3 * width)
    return NarrowWays(
        middle[:, ::2], middle[:, 1], along, -reach[kept, 0], reach[kept, 1], places.wide[kept] / 2, joined,
        of_end.reshape(-1, 2), at[mouth], heights[mouth], out[mouth], np.repeat(places.wide[kept] / 2, 2)[mouth],
        np.repeat(joined, 2)[mouth], beside, np.array([j[0] for j in joints]).reshape(-1, 2),
        np.array([joined[j[1] // 2] for j in joints], np.int64), keys, leads[order][first],
    )  # fmt: skip


def _reach(look: _GroundRays, places: _PlacesAcross, way: F64, room: float) -> tuple[F64, F64, Bools]:
    """How far pieces go on in one direction, where that is, and whether there is the open."""
    n = len(way)
    reach, last, ended, is_open = np.zeros(n), places.middle.copy(), np.zeros(n, bool), np.zeros(n, bool)
    across = np.stack([-way[:, 1], way[:, 0]], axis=1)
    for block in range(_BLOCKS):
        for step in range(_BLOCK):
            rows = np.flatnonzero(~ended)
            if not len(rows):
                return reach, last, is_open
            far = (block * _BLOCK + step + 1) * _STEP
            points = places.middle[rows].copy()
            points[:, ::2] += way[rows] * far
            points[:, 1] = last[rows, 1]
            references, ground = look.ground(points)
            gone = (references == 0) | (np.hypot(*(ground - points)[:, ::2].T) > _STEP / 2)
            ended[rows[gone]] = True
            rows, references, ground = rows[~gone], references[~gone], ground[~gone]
            wide = look.room(references, ground, across[rows], room) + look.room(
                references, ground, -across[rows], room
            )
            reach[rows], last[rows] = far, ground
            opens = wide >= room
            ended[rows[opens]] = is_open[rows[opens]] = True
    return reach, last, is_open


def _leaders(places: _PlacesAcross, reach: F64, room: float) -> I64:
    """For each place the narrowest one on whose piece it lies."""
    order = np.lexsort((np.arange(len(reach)), np.round(places.wide, 3)))
    leader = np.full(len(reach), -1)
    for row in order.tolist():
        if leader[row] >= 0:
            continue
        apart = places.middle - places.middle[row]
        along = apart[:, ::2] @ places.along[row]
        aside = np.abs(apart[:, 0] * places.along[row, 1] - apart[:, 2] * places.along[row, 0])
        on = (along >= -reach[row, 0] - _STEP) & (along <= reach[row, 1] + _STEP) & (aside < room / 2)
        on &= np.abs(apart[:, 1]) < 1.0 + np.abs(along)
        on &= np.abs(places.along @ places.along[row]) > 0.8
        leader[on & (leader < 0)] = row
        leader[row] = row
    return leader


def _joined(at: F64, out: F64, heights: F64, near: float) -> tuple[I64, Bools, list[tuple[F64, int]]]:
    """The passage of each piece, which of its ends are no mouths, and the places between two ends."""
    count = len(at) // 2
    passages, inner, joints = np.arange(count), np.zeros(len(at), bool), list[tuple[F64, int]]()
    for a in range(len(at)):
        apart = at - at[a]
        close = (np.hypot(*apart.T) < near) & (np.abs(heights - heights[a]) < _FLOOR) & (out @ out[a] < 0.5)
        close &= (apart @ out[a] >= -_STEP) & ((apart * out).sum(axis=1) <= _STEP)
        for b in np.flatnonzero(close).tolist():
            if b // 2 > a // 2:
                passages[passages == passages[b // 2]] = passages[a // 2]
                inner[a] = inner[b] = True
                joints.append(((at[a] + at[b]) / 2, a))
    return np.unique(passages, return_inverse=True)[1].ravel().astype(np.int64), inner, joints


def _beside(look: _GroundRays, at: F64, out: F64, most: float) -> F64:
    """How much room there is to the right and to the left of who comes out of a mouth, a body before it."""
    before = at.copy()
    before[:, ::2] += out * (most / 3)
    references, ground = look.ground(before)
    right = np.stack([-out[:, 1], out[:, 0]], axis=1)
    return np.stack([look.room(references, ground, side, most) for side in (right, -right)], axis=1)
