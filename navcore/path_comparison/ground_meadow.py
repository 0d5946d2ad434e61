"""Meadow mapping of a navmesh's ground, beside the polygons that are there, and its outlines as whole numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import GROUND
from ..geometry.arrays import numbers_in_ranges
from ..geometry.polygon_rings import next_corners
from ..jit import inlined, kernel
from ..navquery.batches import offsets_of
from ..navquery.query_mesh import PolygonRows, QueryMesh
from ..progress import Progress
from ..types import F32, F64, I32, I64, U8, AnyBool, AnyInt, Bools
from .meadow import Meadow, MeadowStatus, divide_rings

_OFF_LATTICE = 0.02  # cells; float32 leaves less
_FINE_STEPS = 4096  # to a cell, where corners do not lie on cells


class GroundMeadow(NamedTuple):
    """A navmesh's ground as Meadow mapping divides it."""

    meadow: Meadow
    points: F32  # (C, 3) metres, of each corner
    areas: U8  # (islands,) area id
    polygons: I64  # (islands,) how many polygons of the navmesh each island has


def ground_meadow(
    mesh: QueryMesh, include: int, exclude: int, vertices_per_polygon: int, threads: int | None,
    progress: Progress | None,
) -> GroundMeadow:  # fmt: skip
    """Divide all ground that a filter lets pass."""
    outlines = outlines_of(mesh, include, exclude)
    meadow = divide_rings(
        outlines.places, outlines.ring_offsets, outlines.island_offsets, vertices_per_polygon=vertices_per_polygon,
        threads=threads, progress=progress,
    )  # fmt: skip
    meadow.status[~outlines.simple] = MeadowStatus.NOT_SIMPLE
    polygon, number = outlines.corners[meadow.given].T
    used = outlines.island >= 0
    islands = len(meadow.status)
    areas = np.zeros(islands, np.uint8)
    areas[outlines.island[used]] = mesh.polygons["area"][used]
    counts = np.bincount(outlines.island[used], minlength=islands).astype(np.int64)
    return GroundMeadow(meadow, mesh.outline[polygon, number], areas, counts)


class GroundOutlines(NamedTuple):
    """Islands: polygons of one tile and one area that hang together and do not lie above each other.

    Each has its outer ring first, then its holes.
    """

    island: I32  # (P,) of each polygon, -1 for what is left out
    island_offsets: I64  # rings of each island
    ring_offsets: I64  # corners of each ring
    corners: I32  # (C, 2) polygon and number of its corner
    places: I64  # (C, 2) x and z, steps from the low corner of the tile
    simple: Bools  # (islands,) whether the rings enclose the polygons and no more; if not, there are none


def outlines_of(mesh: QueryMesh, include: int, exclude: int) -> GroundOutlines:
    """The outlines of all ground that a filter lets pass, tile by tile."""
    flags = mesh.polygons["flags"]
    used = (mesh.polygons["kind"] == GROUND) & (flags & include != 0) & (flags & exclude == 0)
    places, across = _places(mesh), np.full(mesh.outline.shape[:2], -1, np.int32)
    _open_edges(mesh.outline, mesh.polygons, mesh.neighbors, used, across)
    island, islands = _sheets(places, mesh.outline, mesh.polygons, used, across)
    corners, ends = _walls(mesh.polygons, across, used)
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
    return GroundOutlines(
        island, np.searchsorted(owner[order], np.arange(islands + 1)), offsets_of(lengths), corners[rows],
        ring_places[rows], simple,
    )  # fmt: skip


def _places(mesh: QueryMesh) -> I64:
    """(P, 6, 2) corners in cells, or in small parts of cells where they do not lie on whole ones."""
    tiles = mesh.tiles[mesh.polygons["tile"]]
    low, scale = tiles["low"].astype(np.float64), tiles["cells_per_metre"].astype(np.float64)
    exact: F64 = (mesh.outline[:, :, ::2] - low[:, None, ::2]) * scale[:, None, None]
    exact = np.where(np.arange(exact.shape[1])[:, None] < mesh.polygons["corners"][:, None, None], exact, 0)
    off = np.abs(exact - np.rint(exact)).max(initial=0)
    return np.rint(exact if off < _OFF_LATTICE else exact * _FINE_STEPS).astype(np.int64)


def _ring_areas(places: I64, rings: I64) -> I64:
    """Doubled, whichever way a ring goes."""
    x, z = places.T
    after = next_corners(rings)
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(x * z[after] - z * x[after])])
    areas: I64 = np.abs(np.diff(sums[rings]))
    return areas


def _ground_areas(mesh: QueryMesh, places: I64, island: I32, islands: int) -> I64:
    """The doubled area of each island's polygons together."""
    count, number = mesh.polygons["corners"][:, None], np.arange(places.shape[1])
    following = places[np.arange(len(places))[:, None], np.where(number + 1 < count, number + 1, 0)]
    parts = places[:, :, 0] * following[:, :, 1] - places[:, :, 1] * following[:, :, 0]
    own = np.abs(np.where(number < count, parts, 0).sum(axis=1))
    sums = np.zeros(islands, np.int64)
    np.add.at(sums, island[island >= 0], own[island >= 0])
    return sums


@kernel
def _open_edges(outline: F32, polygons: PolygonRows, neighbors: I32, used: Bools, across: I32) -> None:
    """Which edge lies across each open one, polygon · 6 + edge; all others are walls."""
    corners = across.shape[1]
    for here in range(len(polygons)):
        if not used[here]:
            continue
        for edge in range(polygons[here].corners):
            there = neighbors[here, edge]
            if there <= here or not used[there] or polygons[there].area != polygons[here].area:
                continue
            for back in range(polygons[there].corners):
                if neighbors[there, back] == here and across[there, back] < 0:
                    if _is_same_edge(outline, polygons, here, edge, there, back):
                        across[here, edge], across[there, back] = there * corners + back, here * corners + edge
                        break


@kernel
def _sheets(places: I64, outline: F32, polygons: PolygonRows, used: Bools, across: I32) -> tuple[I32, int]:
    """The island of each polygon, and how many there are.

    What lies above or below ground of the island, or so close that both touch, begins another one: the edges to it are
    walls from then on.
    """
    room = across.shape[1]
    island, waiting = np.full(len(polygons), -1, np.int32), np.empty(len(polygons), np.int32)
    boxes = _boxes(places, polygons)
    islands = 0
    for first in range(len(polygons)):
        if not used[first] or island[first] >= 0:
            continue
        waiting[0], island[first] = first, islands
        count, done = 1, 0
        while done < count:
            here = waiting[done]
            done += 1
            for edge in range(polygons[here].corners):
                there = across[here, edge] // room
                if across[here, edge] < 0 or island[there] >= 0:
                    continue
                if not _is_covered(places, boxes, outline, polygons, there, waiting[:count]):
                    waiting[count], island[there] = there, islands
                    count += 1
        islands += 1
    for here in range(len(polygons)):
        for edge in range(polygons[here].corners):
            if across[here, edge] >= 0 and island[across[here, edge] // room] != island[here]:
                across[here, edge] = -1
    return island, islands


@kernel
def _boxes(places: I64, polygons: PolygonRows) -> I64:
    """(P, 4): least x and z, largest x and z."""
    boxes = np.empty((len(polygons), 4), np.int64)
    for polygon in range(len(polygons)):
        for axis in range(2):
            own = places[polygon, : polygons[polygon].corners, axis]
            boxes[polygon, axis], boxes[polygon, 2 + axis] = own.min(), own.max()
    return boxes


@kernel
def _is_covered(places: I64, boxes: I64, outline: F32, polygons: PolygonRows, polygon: AnyInt, others: I32) -> bool:
    """Whether a polygon meets one of others from above or below: where they touch they must share a corner."""
    for other in others:
        if boxes[polygon, 0] > boxes[other, 2] or boxes[other, 0] > boxes[polygon, 2]:
            continue
        if boxes[polygon, 1] > boxes[other, 3] or boxes[other, 1] > boxes[polygon, 3]:
            continue
        away = max(_away(places, polygons, polygon, other), _away(places, polygons, other, polygon))
        if away < 0 or (away == 0 and not _share_corner(outline, polygons, polygon, other)):
            return True
    return False


@inlined
def _away(places: I64, polygons: PolygonRows, one: AnyInt, two: AnyInt) -> AnyInt:
    """Above 0 where an edge of one polygon keeps the other away, 0 where they may touch, below 0 where no edge does."""
    count = polygons[one].corners
    largest = _least_side(places, one, count - 1, 0, two, polygons[two].corners)
    for k in range(count - 1):
        largest = max(largest, _least_side(places, one, k, k + 1, two, polygons[two].corners))
    return largest


@inlined
def _least_side(places: I64, one: AnyInt, k: AnyInt, after: AnyInt, two: AnyInt, count: AnyInt) -> AnyInt:
    """How far all of a polygon lies outside an edge of another one: 0 or less where a corner reaches the edge.

    Detour's polygons have their ground on the negative side of each edge.
    """
    ax, az = places[one, k, 0], places[one, k, 1]
    ux, uz = places[one, after, 0] - ax, places[one, after, 1] - az
    smallest = ux * (places[two, 0, 1] - az) - uz * (places[two, 0, 0] - ax)
    for corner in range(1, count):
        smallest = min(smallest, ux * (places[two, corner, 1] - az) - uz * (places[two, corner, 0] - ax))
    return smallest


@inlined
def _share_corner(outline: F32, polygons: PolygonRows, one: AnyInt, two: AnyInt) -> AnyBool:
    shared = False
    for k in range(polygons[one].corners):
        for m in range(polygons[two].corners):
            same = True
            for axis in range(3):
                same &= outline[one, k, axis] == outline[two, m, axis]
            shared |= same
    return shared


@inlined
def _is_same_edge(
    outline: F32, polygons: PolygonRows, here: AnyInt, edge: AnyInt, there: AnyInt, back: AnyInt
) -> AnyBool:
    after = edge + 1 if edge + 1 < polygons[here].corners else 0
    back_after = back + 1 if back + 1 < polygons[there].corners else 0
    same = True
    for axis in range(3):
        same &= outline[here, edge, axis] == outline[there, back_after, axis]
        same &= outline[here, after, axis] == outline[there, back, axis]
    return same


@kernel
def _walls(polygons: PolygonRows, across: I32, used: Bools) -> tuple[I32, I64]:
    """The rings of walls around all ground: (polygon, corner) of each corner, and where each ring ends.

    At its end a wall goes on with the first one that is met on the way around that corner, over open edges.
    """
    room = across.shape[1]
    seen = np.zeros(across.shape, np.uint8)
    corners, ends = np.empty((across.size, 2), np.int32), np.empty(across.size, np.int64)
    count = rings = 0
    for first in range(len(polygons)):
        if not used[first]:
            continue
        for begin in range(polygons[first].corners):
            if seen[first, begin] or across[first, begin] >= 0:
                continue
            here, edge = first, begin
            while not seen[here, edge]:
                seen[here, edge] = 1
                corners[count, 0], corners[count, 1] = here, edge
                count += 1
                edge = edge + 1 if edge + 1 < polygons[here].corners else 0
                while across[here, edge] >= 0:
                    here, edge = across[here, edge] // room, across[here, edge] % room
                    edge = edge + 1 if edge + 1 < polygons[here].corners else 0
            ends[rings] = count
            rings += 1
    return corners[:count].copy(), ends[:rings].copy()
