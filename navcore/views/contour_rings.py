"""Contours in metres: every point with the one that follows it around its ring."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..build_warning import Point
from ..geometry.grid import without_border
from ..geometry.polygon_rings import next_corners
from ..types import F32, I32, I64, LINK, U8, U16, Bools, Contours, X, Z
from .outline_picture import is_shown
from .picture import Shown, ViewedPiece

_ON_LINE = 1.0  # cells: how far from a line a place may lie that is on it


class Rings(NamedTuple):
    """N points of K contours."""

    first: I64  # (K + 1,)
    points: F32  # (N, 3) metres
    cells: I32  # (N, 4) as the stage has them
    after: I64  # (N,) the point that follows around the ring
    contour: I64  # (N,)
    region: U16  # (K,)
    area: U8  # (K,)

    @property
    def edges(self) -> F32:
        """(N, 2, 3) from each point to the next."""
        return np.stack([self.points, self.points[self.after]], axis=1)


def rings_of(piece: ViewedPiece, raw: bool = False) -> Rings:
    """The contours of a piece: walked cell by cell, or simplified with their holes joined to them."""
    contours: Contours = piece.stages["contours"]
    cells, first = (contours.raw, contours.raw_first) if raw else (contours.points, contours.first)
    begins = first.astype(np.int64)
    owner = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
    place, after = metres_of(piece, cells), next_corners(begins)
    return Rings(begins, place, cells, after, owner, contours.region, contours.area)


def metres_of(piece: ViewedPiece, cells: I32) -> F32:
    """Where points of contours lie. They are counted from the grid without its border."""
    grid = without_border(piece.stages["grid"])
    step = np.array([grid.cell_size, grid.cell_height, grid.cell_size], np.float64)
    return (grid.bounds_min.astype(np.float64) + cells[:, :LINK] * step).astype(np.float32)


def bridges_of(rings: Rings) -> Bools:
    """Of each edge whether it is one side of a bridge to a hole: it is walked to and fro, in a region that had holes.

    A hole that was joined to its outline leaves an empty slot with the same region.
    """
    empty = np.diff(rings.first) == 0
    holed = np.isin(rings.region, rings.region[empty])[rings.contour]
    found = np.zeros(len(rings.points), bool)
    rows = np.flatnonzero(holed)
    if len(rows) == 0:
        return found
    places, number = np.unique(rings.cells[:, :LINK], axis=0, return_inverse=True)
    number = number.reshape(-1)
    span = np.int64(len(places))
    start, end, owner = number[rows], number[rings.after[rows]], rings.contour[rows]
    there = (owner * span + start) * span + end
    back = (owner * span + end) * span + start
    found[rows] = np.isin(there, back)
    return found


def _lies_next_door(piece: ViewedPiece, point: Point) -> bool:
    """Whether a place is on another tile, whose own contours lie there."""
    grid = without_border(piece.stages["grid"])
    inside = all(grid.bounds_min[axis] <= point[axis] <= grid.bounds_max[axis] for axis in (X, Z))
    return piece.tile is not None and not inside


def contour_at(rings: Rings, piece: ViewedPiece, shown: Shown, point: Point) -> int:
    """The contour whose region lies above or below a point, that of the nearest floor; -1 where there is none.

    Where no region lies there, it is the contour whose line lies near.
    """
    edges = rings.edges.astype(np.float64)
    if len(edges) == 0 or _lies_next_door(piece, point):
        return -1
    (ax, ay, az), (bx, by, bz) = edges[:, 0].T, edges[:, 1].T
    x, y, z = point
    across = (az > z) != (bz > z)
    flat = np.where(across, bz - az, 1.0)
    crossed = across & (x < ax + (z - az) * (bx - ax) / flat)
    inside = np.bincount(rings.region[rings.contour][crossed], minlength=int(rings.region.max()) + 1) % 2 == 1
    square = np.maximum((bx - ax) ** 2 + (bz - az) ** 2, 1e-30)
    along = np.clip(((x - ax) * (bx - ax) + (z - az) * (bz - az)) / square, 0, 1)
    away = np.hypot(x - ax - along * (bx - ax), z - az - along * (bz - az))
    away[~is_shown(rings.edges, shown)] = np.inf
    used = np.diff(rings.first) > 0
    nearest = np.full(len(used), np.inf)
    nearest[used] = np.minimum.reduceat(away, rings.first[:-1][used])
    settings = piece.settings
    candidates = np.isfinite(nearest) & (inside[rings.region] | (nearest <= _ON_LINE * settings.cell_size))
    best, best_rank = -1, (True, np.inf, np.inf)
    heights = ay + along * (by - ay)
    for contour in np.flatnonzero(candidates).tolist():
        own = slice(int(rings.first[contour]), int(rings.first[contour + 1]))
        at = int(np.argmin(away[own])) + own.start
        rank = (not inside[rings.region[contour]], abs(float(heights[at]) - y), float(away[at]))
        if rank < best_rank:
            best, best_rank = contour, rank
    return best
