"""The outlines of a navmesh's ground, as whole numbers: what Meadow mapping divides."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...detour.byte_layout import GROUND
from ...geometry.ranges import numbers_in_ranges
from ...geometry.union_find import flatten, join
from ...jit import inlined, kernel
from ...types import F32, F64, I32, I64, AnyBool, AnyInt
from ..batches import offsets_of
from ..query_mesh import AREA, CORNERS, FLAGS, KIND, SCALE, TILE, QueryMesh

Mask: TypeAlias = npt.NDArray[np.bool_]

_OFF_LATTICE = 0.02  # cells; float32 leaves less
_FINE_STEPS = 4096  # to a cell, where corners do not lie on cells


class Outlines(NamedTuple):
    """Islands: polygons of one tile and one area that hang together. Each has its outer ring first, then its holes."""

    island: I32  # (P,) of each polygon, -1 for what is left out
    island_offsets: I64  # rings of each island
    ring_offsets: I64  # corners of each ring
    corners: I32  # (C, 2) polygon and number of its corner
    places: I64  # (C, 2) x and z, steps from the low corner of the tile
    simple: npt.NDArray[
        np.bool_
    ]  # (islands,) whether the rings enclose the polygons and no more; if not, there are none


def outlines_of(mesh: QueryMesh, include: int, exclude: int) -> Outlines:
    """The outlines of all ground that a filter lets pass, tile by tile."""
    flags = mesh.facts[:, FLAGS]
    used = (mesh.facts[:, KIND] == GROUND) & (flags & include != 0) & (flags & exclude == 0)
    across, label = np.full(mesh.outline.shape[:2], -1, np.int32), np.arange(len(used), dtype=np.int32)
    _open_edges(mesh.outline, mesh.facts, mesh.neighbors, used, across, label)
    roots, root = np.unique(label[used], return_inverse=True)
    island, islands = np.full(len(used), -1, np.int32), len(roots)
    island[used] = root
    corners, ends = _walls(mesh.facts, across, used)
    places = _places(mesh)
    ring_places, rings = places[corners[:, 0], corners[:, 1]], np.concatenate([np.zeros(1, np.int64), ends])
    areas, owner = _ring_areas(ring_places, rings), island[corners[rings[:-1], 0]]
    order = np.lexsort((-areas, owner))  # the largest ring of an island first: holes are smaller than what they lie in
    outer = np.ones(len(order), bool)
    outer[1:] = owner[order[1:]] != owner[order[:-1]]
    enclosed = np.bincount(owner[order], np.where(outer, areas[order], -areas[order]), islands)
    simple = enclosed == _ground_areas(mesh, places, island, islands)
    order = order[simple[owner[order]] & (areas[order] > 0)]  # a wall without width on both sides encloses nothing
    lengths = np.diff(rings)[order]
    rows = numbers_in_ranges(rings[:-1][order], lengths)
    return Outlines(
        island, np.searchsorted(owner[order], np.arange(islands + 1)), offsets_of(lengths), corners[rows],
        ring_places[rows], simple,
    )  # fmt: skip


def _places(mesh: QueryMesh) -> I64:
    """(P, 6, 2) corners in cells, or in small parts of cells where they do not lie on whole ones."""
    frames = mesh.frames[mesh.facts[:, TILE]].astype(np.float64)
    exact: F64 = (mesh.outline[:, :, ::2] - frames[:, None, 0:3:2]) * frames[:, None, SCALE : SCALE + 1]
    exact = np.where(np.arange(exact.shape[1])[:, None] < mesh.facts[:, CORNERS, None, None], exact, 0)
    off = np.abs(exact - np.rint(exact)).max(initial=0)
    return np.rint(exact if off < _OFF_LATTICE else exact * _FINE_STEPS).astype(np.int64)


def _ring_areas(places: I64, rings: I64) -> I64:
    """Doubled, whichever way a ring goes."""
    x, z = places.T
    after = np.arange(1, len(places) + 1)
    after[rings[1:] - 1] = rings[:-1]
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(x * z[after] - z * x[after])])
    areas: I64 = np.abs(np.diff(sums[rings]))
    return areas


def _ground_areas(mesh: QueryMesh, places: I64, island: I32, islands: int) -> I64:
    """The doubled area of each island's polygons together."""
    count, number = mesh.facts[:, CORNERS, None], np.arange(places.shape[1])
    following = places[np.arange(len(places))[:, None], np.where(number + 1 < count, number + 1, 0)]
    parts = places[:, :, 0] * following[:, :, 1] - places[:, :, 1] * following[:, :, 0]
    own = np.abs(np.where(number < count, parts, 0).sum(axis=1))
    sums = np.zeros(islands, np.int64)
    np.add.at(sums, island[island >= 0], own[island >= 0])
    return sums


@kernel
def _open_edges(outline: F32, facts: I32, neighbors: I32, used: Mask, across: I32, label: I32) -> None:
    """Which edge lies across each open one, polygon · 6 + edge; all others are walls. And who hangs together."""
    corners = across.shape[1]
    for here in range(len(facts)):
        if not used[here]:
            continue
        for edge in range(facts[here, CORNERS]):
            there = neighbors[here, edge]
            if there <= here or not used[there] or facts[there, AREA] != facts[here, AREA]:
                continue
            for back in range(facts[there, CORNERS]):
                if neighbors[there, back] == here and across[there, back] < 0:
                    if _is_same_edge(outline, facts, here, edge, there, back):
                        across[here, edge], across[there, back] = there * corners + back, here * corners + edge
                        join(label, np.int32(here), np.int32(there))
                        break
    flatten(label)


@inlined
def _is_same_edge(outline: F32, facts: I32, here: AnyInt, edge: AnyInt, there: AnyInt, back: AnyInt) -> AnyBool:
    after = edge + 1 if edge + 1 < facts[here, CORNERS] else 0
    back_after = back + 1 if back + 1 < facts[there, CORNERS] else 0
    same = True
    for axis in range(3):
        same &= outline[here, edge, axis] == outline[there, back_after, axis]
        same &= outline[here, after, axis] == outline[there, back, axis]
    return same


@kernel
def _walls(facts: I32, across: I32, used: Mask) -> tuple[I32, I64]:
    """The rings of walls around all ground: (polygon, corner) of each corner, and where each ring ends.

    At its end a wall goes on with the first one that is met on the way around that corner, over open edges.
    """
    room = across.shape[1]
    seen = np.zeros(across.shape, np.uint8)
    corners, ends = np.empty((across.size, 2), np.int32), np.empty(across.size, np.int64)
    count = rings = 0
    for first in range(len(facts)):
        if not used[first]:
            continue
        for begin in range(facts[first, CORNERS]):
            if seen[first, begin] or across[first, begin] >= 0:
                continue
            here, edge = first, begin
            while not seen[here, edge]:
                seen[here, edge] = 1
                corners[count, 0], corners[count, 1] = here, edge
                count += 1
                edge = edge + 1 if edge + 1 < facts[here, CORNERS] else 0
                while across[here, edge] >= 0:
                    here, edge = across[here, edge] // room, across[here, edge] % room
                    edge = edge + 1 if edge + 1 < facts[here, CORNERS] else 0
            ends[rings] = count
            rings += 1
    return corners[:count].copy(), ends[:rings].copy()
