"""A slow and obvious judge: a fine grid of places, each with its distance to all walls, and a sweep over radii.

For levels of one floor only. Places nearer together than `step` are one: what it says is wrong by less than that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from navcore import NavQuery
from navcore.types import F64, I32


class Sweep(NamedTuple):
    """Places of a grid: how far walls are from each, and which polygon it is in."""

    low: F64  # (2,) x and z of the first place
    step: float
    away: F64  # (columns, rows) metres from a wall; -1 where there is no ground
    polygon: I32  # (columns, rows)
    radius: float


def wall_segments(query: NavQuery) -> F64:
    """(W, 4) x and z of both ends of all walls."""
    borders, lattice = query._walls()[1:3]
    walls = borders.pieces[borders.pieces["across"] < 0]
    walls = np.stack([walls[name] for name in ("ax", "az", "bx", "bz")], axis=1)
    ends = [lattice.in_metres(walls[:, k : k + 2])[:, [0, 2]] for k in (0, 2)]
    return np.concatenate(ends, axis=1)


def distances(points: F64, walls: F64) -> F64:
    """(N,) from each point (x, z) to the nearest wall."""
    a, u = walls[:, :2], walls[:, 2:] - walls[:, :2]
    nearest = np.full(len(points), np.inf)
    for k in range(len(walls)):
        part = np.clip(((points - a[k]) @ u[k]) / max(u[k] @ u[k], 1e-30), 0, 1)
        nearest = np.minimum(nearest, np.hypot(*(a[k] + part[:, None] * u[k] - points).T))
    return nearest


def sweep_of(query: NavQuery, step: float) -> Sweep:
    outlines = query._mesh.outline[..., [0, 2]].astype(np.float64)
    corners = query._mesh.polygons["corners"]
    used = np.arange(6) < corners[:, None]
    low, high = outlines[used].min(axis=0), outlines[used].max(axis=0)
    axes = [np.arange(low[k] + step / 2, high[k], step) for k in (0, 1)]
    x, z = np.meshgrid(*axes, indexing="ij")
    points = np.stack([x.ravel(), z.ravel()], axis=1)
    polygon = np.full(len(points), -1, np.int32)
    for number, (outline, count) in enumerate(zip(outlines, corners, strict=True)):
        if query._mesh.outline[number, 0, 1] > 1:
            continue  # on top of something
        a = outline[:count]
        b = np.roll(a, -1, axis=0)
        side = (b[:, 0] - a[:, 0]) * (points[:, 1:] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (points[:, :1] - a[:, 0])
        polygon[(side >= 0).all(axis=1) | (side <= 0).all(axis=1)] = number
    away = np.where(polygon >= 0, distances(points, wall_segments(query)), -1)
    radius = float(query._mesh.tiles["agent_radius"][0])
    return Sweep(low + step / 2, step, away.reshape(x.shape), polygon.reshape(x.shape), radius)


def widest_between(sweep: Sweep, starts: F64, ends: F64) -> F64:
    """(N,) the largest radius at which the grid still leads from each start to its end; NaN where it never does.

    Places are added from the widest to the narrowest; two are joined when the second of two neighbors is added.
    """
    columns, rows = sweep.away.shape
    away = sweep.away.ravel()
    group = np.arange(len(away))
    asked = [_cells(sweep, places) for places in (starts, ends)]
    found = np.full(len(starts), np.nan)
    added = np.zeros(len(away), bool)

    def leader(cell: int) -> int:
        while group[cell] != cell:
            group[cell] = group[group[cell]]
            cell = int(group[cell])
        return cell

    order = np.argsort(-away, kind="stable")[: int((away >= 0).sum())].tolist()
    for count, cell in enumerate(order):
        added[cell] = True
        x, z = divmod(cell, rows)
        for i in (x - 1, x, x + 1):
            for j in (z - 1, z, z + 1):
                if 0 <= i < columns and 0 <= j < rows and added[i * rows + j]:
                    group[leader(i * rows + j)] = leader(cell)
        if count % 50 == 0 or count + 1 == len(order):  # joined since the last time: a hair wider than this
            for row in np.flatnonzero(np.isnan(found)).tolist():
                a, b = asked[0][row], asked[1][row]
                if added[a] and added[b] and leader(a) == leader(b):
                    found[row] = sweep.radius + away[cell]
    return found


def _cells(sweep: Sweep, places: F64) -> list[int]:
    x, z = np.round((places - sweep.low) / sweep.step).astype(int).T
    cells: list[int] = (x * sweep.away.shape[1] + z).tolist()
    return cells
