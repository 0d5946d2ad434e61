"""What is seen from a place on the ground: the walls around it, polygon after polygon.

As visibility polygons are found by triangular expansion (Bungiu and others, 2014), here over convex polygons. Looking
goes from polygon to polygon, so that what lies on other floors at the same place is not seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel
from ..types import F64, I32, AnyInt
from .rims import Rims

# Columns of `steps`: a polygon that is looked into, the piece it is entered by, the step before and its piece, and
# whether the place touches the polygon, so that all of it is seen.
INTO, BY, BEFORE, VIA, TOUCHED = range(5)
# Columns of `marks`: the step in which a wall is seen, its piece, and which of its ends are hidden.
SEEN_IN, PIECE, HIDDEN = range(3)
BEGIN_HIDDEN, END_HIDDEN = 1, 2
SAME = 1e-6  # cells, and parts: what is nearer together is one
_MOST_BOUNDS = 64
_STEPS_OF_A_PIECE = 16


class View(NamedTuple):
    """Room for what one look finds."""

    steps: I32  # (., 5)
    cones: F64  # (., 4) the right and the left end of what is seen of the piece by which a step enters
    walls: F64  # (., 4) both ends of what is seen of a wall, the begin first, from the place
    marks: I32  # (., 3)
    bounds: F64  # (64, 3) (a, b, c): of what lies at a·x + b·z > c nothing is wanted


@kernel
def new_view() -> View:
    return View(
        np.empty((256, 5), np.int32), np.empty((256, 4)), np.empty((256, 4)), np.empty((256, 3), np.int32),
        np.empty((_MOST_BOUNDS, 3)),
    )  # fmt: skip


@kernel
def _roomier(view: View) -> View:
    """The same with twice the room."""
    n = len(view.steps)
    steps, cones = np.empty((2 * n, 5), np.int32), np.empty((2 * n, 4))
    walls, marks = np.empty((2 * n, 4)), np.empty((2 * n, 3), np.int32)
    steps[:n], cones[:n], walls[:n], marks[:n] = view.steps, view.cones, view.walls, view.marks
    return View(steps, cones, walls, marks, view.bounds)


@inlined
def cross(ax: float, az: float, bx: float, bz: float) -> float:
    return ax * bz - az * bx


@inlined
def nearest_on(ax: float, az: float, bx: float, bz: float) -> tuple[float, float, float]:
    """The point of segment a → b nearest to the place itself, and what part of the way along it lies."""
    ux, uz = bx - ax, bz - az
    length2 = ux * ux + uz * uz
    part = -(ax * ux + az * uz) / length2 if length2 > 0 else 0.0
    part = min(max(part, 0.0), 1.0)
    if part == 1.0:
        return bx, bz, part
    return ax + part * ux, az + part * uz, part


@kernel
def look_around(rims: Rims, view: View, polygon: AnyInt, x: float, z: float) -> tuple[View, int]:
    """Look from a corner of walls in `polygon` for all walls that may be opposite: those are noted in the view.

    Nothing is opposite beyond another wall's nearest point: that would lie in the circle around the gap.
    """
    first, across, twins = rims.first, rims.across, rims.twins
    steps, bounds = 1, 0
    walls, k, most_steps = 0, 0, _most_steps(across)
    _enter(view.steps, 0, polygon, -1, -1, -1, 1)
    while k < steps and steps < most_steps:
        here = view.steps[k, INTO]
        for piece in range(first[here], first[here + 1]):
            if piece == view.steps[k, BY]:
                continue
            seen, px, pz, qx, qz, hidden, touching = _seen_of(rims.ends, across, view.steps, view.cones, k, piece, x, z)
            if not seen:
                continue
            if max(steps, walls) + 1 >= len(view.steps):
                view = _roomier(view)
            if across[piece] < 0:
                view.walls[walls, 0], view.walls[walls, 1] = px, pz
                view.walls[walls, 2], view.walls[walls, 3] = qx, qz
                view.marks[walls, SEEN_IN], view.marks[walls, PIECE], view.marks[walls, HIDDEN] = k, piece, hidden
                walls += 1
                bounds = _bound(view.bounds, bounds, px, pz, qx, qz)
            elif touching:
                if _step_touching(view.steps, steps, across[piece]) < 0:
                    _enter(view.steps, steps, across[piece], twins[piece], k, piece, 1)
                    steps += 1
            elif not _is_beyond(view.bounds, bounds, px, pz, qx, qz):
                _enter(view.steps, steps, across[piece], twins[piece], k, piece, 0)
                view.cones[steps, 0], view.cones[steps, 1] = px, pz
                view.cones[steps, 2], view.cones[steps, 3] = qx, qz
                steps += 1
        k += 1
    return view, walls


@kernel
def wall_distance(
    rims: Rims, view: View, polygon: AnyInt, x: float, z: float, most: float, enough: float
) -> tuple[View, float]:
    """How far the nearest wall is from a place in a polygon, in cells; `most` where there is none nearer.

    What is seen of that wall is the first of the view's walls. Who only wants to know whether a wall is as near as
    `enough` gets the first one that is.
    """
    first, ends, across, twins = rims.first, rims.ends, rims.across, rims.twins
    entered, cones, nearest = (
        view.steps,
        view.cones,
        view.walls,
    )  # taken out of their bundles once: that takes longer than a step
    reach, steps, k, most_steps = most, 1, 0, _most_steps(across)
    _enter(entered, 0, polygon, -1, -1, -1, 1)
    while k < steps and steps < most_steps and reach > enough:
        here = entered[k, INTO]
        for piece in range(first[here], first[here + 1]):
            if piece == entered[k, BY]:
                continue
            seen, px, pz, qx, qz, _, touching = _seen_of(ends, across, entered, cones, k, piece, x, z)
            if not seen:
                continue
            nx, nz, _ = nearest_on(px, pz, qx, qz)
            away = np.sqrt(nx * nx + nz * nz)
            if away >= reach:
                continue
            if across[piece] < 0:
                reach = away
                nearest[0, 0], nearest[0, 1], nearest[0, 2], nearest[0, 3] = px, pz, qx, qz
                continue
            if touching and _step_touching(entered, steps, across[piece]) >= 0:
                continue
            if steps + 1 >= len(entered):
                view = _roomier(view)
                entered, cones, nearest = view.steps, view.cones, view.walls
            _enter(entered, steps, across[piece], twins[piece], k, piece, 1 if touching else 0)
            cones[steps, 0], cones[steps, 1], cones[steps, 2], cones[steps, 3] = px, pz, qx, qz
            steps += 1
        k += 1
    return view, reach


@inlined
def _most_steps(across: I32) -> int:
    """More steps than there can be on sound ground: polygons of a damaged file may lead around in circles."""
    return _STEPS_OF_A_PIECE * len(across) + _MOST_BOUNDS


@inlined
def _enter(steps: I32, step: int, into: AnyInt, by: AnyInt, before: AnyInt, via: AnyInt, touched: AnyInt) -> None:
    steps[step, INTO], steps[step, BY], steps[step, BEFORE] = into, by, before
    steps[step, VIA], steps[step, TOUCHED] = via, touched


@inlined
def _step_touching(steps: I32, count: int, polygon: AnyInt) -> int:
    """The step in which a polygon that the place touches is looked into; -1: it is not yet."""
    for step in range(count):
        if steps[step, TOUCHED] == 1 and steps[step, INTO] == polygon:
            return step
    return -1


@inlined
def _seen_of(
    ends: F64, across: I32, steps: I32, cones: F64, step: int, piece: int, x: float, z: float
) -> tuple[bool, float, float, float, float, int, bool]:
    """What is seen of a piece: its ends from the place, which of them are hidden, and whether the place touches it."""
    ax, az = ends[piece, 0] - x, ends[piece, 1] - z
    bx, bz = ends[piece, 2] - x, ends[piece, 3] - z
    turn = cross(ax, az, bx, bz)
    wall = across[piece] < 0
    if steps[step, TOUCHED] == 1:
        flat = turn <= SAME * (abs(bx - ax) + abs(bz - az))
        touching = flat and ax * bx + az * bz <= SAME
        return wall or touching or not flat, ax, az, bx, bz, 0, touching
    rx, rz, lx, lz = cones[step, 0], cones[step, 1], cones[step, 2], cones[step, 3]
    right, left = cross(rx, rz, bx, bz), cross(ax, az, lx, lz)
    if turn < 0 or right < 0 or left < 0 or (not wall and (turn == 0 or right == 0 or left == 0)):
        return False, ax, az, bx, bz, 0, False
    hidden = 0
    px, pz, qx, qz = ax, az, bx, bz
    before = cross(rx, rz, ax, az)
    if before < 0 and turn > 0:
        part = before / (before - right)
        px, pz = ax + part * (bx - ax), az + part * (bz - az)
        hidden |= BEGIN_HIDDEN
    after = cross(bx, bz, lx, lz)
    if after < 0 and turn > 0:
        part = left / (left - after)
        qx, qz = ax + part * (bx - ax), az + part * (bz - az)
        hidden |= END_HIDDEN
    return True, px, pz, qx, qz, hidden, False


@inlined
def _bound(bounds: F64, count: int, px: float, pz: float, qx: float, qz: float) -> int:
    """Note what a wall hides from its nearest point on."""
    if count >= _MOST_BOUNDS:
        return count
    nx, nz, _ = nearest_on(px, pz, qx, qz)
    limit = nx * nx + nz * nz
    if limit <= SAME * SAME:  # the wall begins here: the way along it
        far_begin = px * px + pz * pz > qx * qx + qz * qz
        nx, nz, limit = (px, pz, 0.0) if far_begin else (qx, qz, 0.0)
    bounds[count, 0], bounds[count, 1], bounds[count, 2] = nx, nz, limit
    return count + 1


@inlined
def _is_beyond(bounds: F64, count: int, px: float, pz: float, qx: float, qz: float) -> bool:
    """Whether nothing is wanted behind p → q."""
    for k in range(count):
        a, b, limit = bounds[k, 0], bounds[k, 1], bounds[k, 2]
        most = limit + SAME * (limit + abs(a) + abs(b))
        if a * px + b * pz > most and a * qx + b * qz > most:
            return True
    return False
