"""Meadow mapping: outlines with holes, divided into convex pieces; many islands at once."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from ..errors import BadInput
from ..geometry.polygon_rings import next_corners
from ..navquery.batches import offsets_of
from ..progress import Progress
from ..threads import Workers
from ..types import I32, I64, U8, AnyArray, ArrayLike, Contours, X, Z
from . import meadow_kernel

MAX_CORNERS, MAX_HOLES = 20_000, 4_096  # of an island
FARTHEST = 1 << 30  # coordinates stay below, so that products are exact
_MIN_CORNERS = 3


class MeadowStatus(IntEnum):
    """What became of an island."""

    DIVIDED = meadow_kernel.DIVIDED
    """Its pieces cover it."""
    TOO_FEW_CORNERS = meadow_kernel.TOO_FEW_CORNERS
    """Its outline or one of its holes has fewer than three corners, or no area."""
    HOLE_NOT_SEEN = meadow_kernel.HOLE_NOT_SEEN
    """No corner of the outline sees one of its holes: the hole lies outside, or rings cross."""
    NOT_SIMPLE = meadow_kernel.NOT_SIMPLE
    """Its outline crosses or covers itself, as where floors lie above each other."""
    TOO_LARGE = 5
    """It has more corners or holes than are divided."""
    TOO_FAR = 6
    """A coordinate is 2³⁰ or more, or -2³⁰ or less."""


class Meadow(NamedTuple):
    """Islands as convex pieces. What is longer than one row for each island or piece is cut by offsets.

    Bridges to holes double corners, and a double has a number of its own, so that pieces on either side of a bridge do
    not share it by mistake; `given` says which corner of the question each one is.
    """

    status: U8  # (islands,) a `MeadowStatus`
    pieces: I64  # (islands + 1,) the pieces of island k are pieces[k] to pieces[k + 1]
    offsets: I64  # (pieces + 1,) the corners of each piece
    corners: I32  # in turning order, x to z
    neighbors: I32  # the piece across the edge from each corner to the next, -1 for none
    diagonal_offsets: I64  # (islands + 1,)
    diagonals: I32  # (D, 2) corners, in the order in which islands were split
    given: I32  # (C,) the row of each corner in the question


def divide_rings(
    places: ArrayLike, ring_offsets: ArrayLike, island_offsets: ArrayLike | None = None, *,
    vertices_per_polygon: int = 6, threads: int | None = None, progress: Progress | None = None,
) -> Meadow:  # fmt: skip
    """Divide islands into convex pieces of so many corners at most, on a lattice of whole numbers.

    Ring r has the places (x, z) ring_offsets[r] to ring_offsets[r + 1]; island k has the rings island_offsets[k] to
    island_offsets[k + 1], its outline first and then its holes, in either direction. Without `island_offsets` all rings
    are one island. What cannot be divided gets a status of its own; the other islands are divided.
    """
    points, rings = _places(places), _offsets("ring_offsets", ring_offsets)
    whole = [0, len(rings) - 1] if island_offsets is None else island_offsets
    islands = _offsets("island_offsets", whole)
    if rings[-1] != len(points) or islands[-1] != len(rings) - 1:
        raise BadInput(
            f"The offsets end at {rings[-1]:,} places and {islands[-1]:,} rings, and there are {len(points):,} and "
            f"{len(rings) - 1:,}. Let them end where the rows end.", "WRONG_QUESTION",
        )  # fmt: skip
    if vertices_per_polygon < _MIN_CORNERS:
        raise BadInput(f"vertices_per_polygon is {vertices_per_polygon}. Give 3 or more.", "WRONG_QUESTION")
    x, z = points[:, 0].copy(), points[:, 1].copy()
    status = _unfit(points, rings, islands)
    chosen = np.flatnonzero(status == MeadowStatus.DIVIDED)
    progress = progress or Progress()
    jobs = []
    for island in chosen.tolist():
        own = rings[islands[island] : islands[island + 1] + 1]
        part = slice(own[0], own[-1])
        jobs.append((x[part], z[part], own - own[0], int(vertices_per_polygon), progress.cancelled))
    with Workers(threads, progress) as workers:
        found = workers.run(meadow_kernel.meadow, jobs)
    progress.check()
    status[chosen] = [part[0] for part in found]
    return _put_together(status, chosen, found, rings[islands])


def divide_contours(contours: Contours, *, vertices_per_polygon: int = 6, threads: int | None = None) -> Meadow:
    """Divide the simplified outlines of regions, as a build keeps them with `keep_stages`: each is an island.

    Their holes were bridged by the build already. `given` numbers the rows of `contours.points`.
    """
    used = np.diff(contours.first) > 0
    first = np.append(contours.first[:-1][used], contours.first[-1])
    places = contours.points[:, [X, Z]]
    return divide_rings(
        places, first, np.arange(len(first)), vertices_per_polygon=vertices_per_polygon, threads=threads
    )


def _places(given: ArrayLike) -> I64:
    places = np.array(given, ndmin=2)
    if places.size == 0:
        return np.zeros((0, 2), np.int64)
    if places.ndim != 2 or places.shape[1] != 2 or places.dtype.kind not in "iu":
        raise BadInput("places are not (N, 2) whole numbers. Give x and z on a lattice.", "WRONG_QUESTION")
    return places.astype(np.int64)


def _offsets(name: str, given: ArrayLike) -> I64:
    offsets = np.array(given, ndmin=1)
    if offsets.ndim != 1 or offsets.dtype.kind not in "iu" or offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise BadInput(f"{name} do not cut rows: they begin at 0 and never fall.", "WRONG_QUESTION")
    return offsets.astype(np.int64)


def _unfit(points: I64, rings: I64, islands: I64) -> U8:
    """DIVIDED, for now, where an island may be tried."""
    status = np.full(len(islands) - 1, MeadowStatus.DIVIDED, np.uint8)
    ends = rings[islands]
    far = np.concatenate([[0], np.cumsum((np.abs(points) >= FARTHEST).any(axis=1))])
    status[np.diff(ends) > MAX_CORNERS] = MeadowStatus.TOO_LARGE
    status[np.diff(islands) > MAX_HOLES + 1] = MeadowStatus.TOO_LARGE
    status[np.diff(far[ends]) > 0] = MeadowStatus.TOO_FAR
    status[np.diff(islands) == 0] = MeadowStatus.TOO_FEW_CORNERS
    return status


def _put_together(status: U8, chosen: I64, found: list[tuple[Any, ...]], begins: I64) -> Meadow:
    """The islands that were divided, one after the other, corners numbered through."""
    pieces, diagonal_counts = np.zeros((2, len(status)), np.int64)
    sizes, corners, diagonals, bridges, given = [], [], [], [], []
    known = 0
    for island, (became, ends, own, cuts, joints, rows) in zip(chosen.tolist(), found, strict=True):
        if became != MeadowStatus.DIVIDED:
            continue
        pieces[island], diagonal_counts[island] = len(ends), len(cuts)
        sizes.append(np.diff(ends, prepend=0))
        corners.append(own + known)
        diagonals.append(cuts + known)
        bridges.append(joints + known)
        given.append(rows + begins[island])
        known += len(rows)
    offsets = offsets_of(_joined(sizes))
    ids, joints = _joined(corners), _joined(bridges, 4)
    return Meadow(
        status, offsets_of(pieces), offsets, ids, _neighbors(offsets, ids, joints, known), offsets_of(diagonal_counts),
        _joined(diagonals, 2), _joined(given),
    )  # fmt: skip


def _joined(parts: list[AnyArray], width: int = 0) -> I32:
    none = np.zeros((0, width) if width else 0, np.int32)
    return np.concatenate([none, *parts]).astype(np.int32)


def _neighbors(offsets: I64, corners: I32, bridges: I32, known: int) -> I32:
    """The piece across each edge. Both sides of a bridge lie between doubles of its ends."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    start, end = corners.astype(np.int64), corners[next_corners(offsets)].astype(np.int64)
    keys, across = start * known + end, end * known + start
    v, h, h_again, v_again = bridges.astype(np.int64).T
    one, other = v * known + h, h_again * known + v_again
    order = np.argsort(keys)
    for mine, its in ((one, other), (other, one)):
        across[order[np.searchsorted(keys, mine, sorter=order)]] = its
    place = np.searchsorted(keys, across, sorter=order)
    place[place == len(keys)] = 0
    found = order[place]
    return np.where(keys[found] == across, owner[found], -1).astype(np.int32)
