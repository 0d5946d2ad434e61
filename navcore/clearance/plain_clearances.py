"""How wide agents may be on polygons that are plain arrays, wherever they came from: borders without runtime data."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..geometry.polygon_rings import next_corners
from ..navquery.batches import in_pieces
from ..progress import Progress
from ..types import F32, F64, I32, I64, AnyArray, Bools
from .kept_places import Room, RoomiestPlaces, roomiest_places
from .largest import AskedPolygons, polygon_rows
from .polygon_borders import NO_PIECE, PIECE, CellLattice, PolygonBorders

_CLOSE, _PART = 0.5, 0.1  # cells, and part: ten times as fast as the twentieth of a cell that NavQuery asks for


class PlainGround(NamedTuple):
    """Polygon p is corners[first[p]:first[p + 1]]; across the edge from each corner to the next is neighbors[…], -1 for
    a wall.
    """

    vertices: F32  # (V, 3) metres
    first: I32
    corners: I32
    neighbors: I32


class LastClearances:
    """What was found last time: of a navmesh that changes, most is kept."""

    def __init__(self) -> None:
        self.places: RoomiestPlaces | None = None


def plain_clearances(
    ground: PlainGround, radius: float, cell: float, threads: int | None = None, progress: Progress | None = None,
    last: LastClearances | None = None,
) -> F32:  # fmt: skip
    """(P,) the radius in metres of the widest agent whose center can stand in each polygon.

    That is `radius`, the one that the navmesh was built for, and the way from the widest place to the nearest wall.
    The place is found to within half a cell and a tenth of that way: no wider agent can stand there by more than that.
    Links are no ways here. With `last`, only what a wall that changed since then is near enough to is looked for; what
    is found is the same.
    """
    room = _room(ground, cell)
    names = np.zeros(len(room.counts), np.int64) if last is None else _names(ground)
    found = roomiest_places(room, names, None if last is None else last.places, _CLOSE, _PART)
    unknown = np.flatnonzero(~found.known).astype(np.int32)
    widths, places = np.empty(len(unknown)), np.empty((len(unknown), 2))
    asked = AskedPolygons(room.corners, room.counts, unknown, _CLOSE, _PART)
    in_pieces(polygon_rows, len(unknown), (room.borders, asked), (widths, places), threads, progress)
    found.widths[unknown], found.places[unknown], found.known[unknown] = widths, places, True
    if last is not None:
        last.places = found
    clearances: F32 = (radius + np.maximum(found.widths, 0) * cell).astype(np.float32)
    return clearances


def _room(ground: PlainGround, cell: float) -> Room:
    """The polygons with their borders."""
    vertices, first, corners, neighbors = ground
    sizes = np.diff(first).astype(np.int32)
    owners = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    low = vertices.min(axis=0, initial=np.inf) if len(vertices) else np.zeros(3)
    plan = (vertices[:, [0, 2]].astype(np.float64) - low[[0, 2]]) / cell
    following = next_corners(first)
    here, there = plan[corners], plan[corners[following]]
    turned = 1.0
    if (here[:, 0] * there[:, 1] - here[:, 1] * there[:, 0]).sum() < 0:  # polygons lie on the left of their edges
        turned = -1.0
        plan[:, 1] *= turned
        here, there = plan[corners], plan[corners[following]]
    twins = _twins(corners, corners[following], owners, neighbors)
    across = np.where(twins == NO_PIECE, -1, neighbors).astype(np.int32)  # what does not lead back is a wall
    pieces = np.zeros(len(corners), PIECE)
    for names, ends in ((("ax", "az"), here), (("bx", "bz"), there)):
        pieces[names[0]], pieces[names[1]] = ends.T
    pieces["across"], pieces["twin"], pieces["owner"] = across, twins, owners
    lattice = CellLattice(float(low[0]), float(low[2]), cell, turned)
    return Room(PolygonBorders(first.astype(np.int64), pieces), lattice, _padded(here, first), sizes)


def _names(ground: PlainGround) -> I64:
    """(P,) one for each polygon with other corners: their bits, each times another odd number."""
    corners = _padded(ground.vertices[ground.corners], ground.first)
    bits = corners.reshape(len(corners), -1).view(np.uint64)
    odd = np.random.default_rng(1).integers(0, 1 << 63, bits.shape[1], np.uint64) * np.uint64(2) + np.uint64(1)
    return (bits * odd).sum(axis=1, dtype=np.uint64).view(np.int64)


def _twins(begins: I32, ends: I32, owners: I32, neighbors: I32) -> I32:
    """Of each edge the number of the same edge as the polygon across has it; NO_PIECE where that has none."""
    twins = np.full(len(begins), NO_PIECE, np.int32)
    inside = np.flatnonzero(neighbors >= 0)
    order = inside[_sorted(begins[inside], ends[inside], owners[inside], neighbors[inside])]
    back = inside[_sorted(ends[inside], begins[inside], neighbors[inside], owners[inside])]
    if len(order) and _same(begins, ends, owners, neighbors, order, back).all():
        twins[back] = order  # the usual case: all lead back
        return twins
    known = {key: k for k, key in enumerate(zip(*(a.tolist() for a in (begins, ends, owners, neighbors)), strict=True))}
    for k in inside.tolist():
        key = (int(ends[k]), int(begins[k]), int(neighbors[k]), int(owners[k]))
        twins[k] = known.get(key, NO_PIECE)
    return twins


def _sorted(begins: I32, ends: I32, owners: I32, neighbors: I32) -> npt.NDArray[np.intp]:
    pairs = [a.astype(np.int64) << 32 | b for a, b in ((begins, ends), (owners, neighbors))]
    return np.lexsort(pairs)


def _same(begins: I32, ends: I32, owners: I32, neighbors: I32, order: AnyArray, back: AnyArray) -> Bools:
    """Which edges of `back` are those of `order` seen from the other side."""
    return (
        (begins[order] == ends[back])
        & (ends[order] == begins[back])
        & (owners[order] == neighbors[back])
        & (neighbors[order] == owners[back])
    )


def _padded(places: F32 | F64, first: I32) -> F64:
    """(P, most corners, axes) the corners of each polygon in a row of its own."""
    sizes = np.diff(first)
    padded = np.zeros((len(sizes), int(sizes.max(initial=3)), places.shape[1]))
    padded[np.arange(padded.shape[1]) < sizes[:, None]] = places
    return padded
