"""What is seen from a place on the ground: the walls around it, polygon after polygon.

As visibility polygons are found by triangular expansion (Bungiu and others, 2014), here over convex polygons. Looking
goes from polygon to polygon, so that what lies on other floors at the same place is not seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..geometry.arrays import grown
from ..jit import inlined, kernel
from ..types import AnyInt, Records
from .polygon_borders import PolygonBorders

# A polygon that is looked into, the piece it is entered by, the step before and its piece, whether the place touches
# the polygon, so that all of it is seen; else the right and the left end of what is seen of the piece it is entered by.
_STEP, _CONE = ("into", "by", "before", "via", "touched", "spare"), ("right_x", "right_z", "left_x", "left_z")
STEP = np.dtype((np.record, [(n, np.int32) for n in _STEP] + [(n, np.float64) for n in _CONE]))
# Both ends of what is seen of a wall, the begin first, from the place; the step in which it is seen, its piece, and
# which of its ends are hidden.
_ENDS, _MARKS = ("ax", "az", "bx", "bz"), ("step", "piece", "hidden", "spare")
WALL = np.dtype((np.record, [(n, np.float64) for n in _ENDS] + [(n, np.int32) for n in _MARKS]))
# Of what lies at x·x + z·z > limit nothing is wanted.
_BOUND = np.dtype((np.record, [(name, np.float64) for name in ("x", "z", "limit")]))
BEGIN_HIDDEN, END_HIDDEN = 1, 2
SAME = 1e-6  # cells, and parts: what is nearer together is one
_MAX_BOUNDS = 64
_STEPS_OF_A_PIECE = 16


class WallView(NamedTuple):
    """Room for what one look finds."""

    steps: Records  # (.,)
    walls: Records  # (.,)
    bounds: Records  # (64,)


@kernel
def new_view() -> WallView:
    return WallView(np.empty(256, STEP), np.empty(256, WALL), np.empty(_MAX_BOUNDS, _BOUND))


@kernel
def _roomier(view: WallView) -> WallView:
    """The same with twice the room."""
    n = len(view.steps)
    return WallView(grown(view.steps, n, 2 * n), grown(view.walls, n, 2 * n), view.bounds)


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
def look_around(borders: PolygonBorders, view: WallView, polygon: AnyInt, x: float, z: float) -> tuple[WallView, int]:
    """Look from a corner of walls in `polygon` for all walls that may be opposite: those are noted in the view.

    Nothing is opposite beyond another wall's nearest point: that would lie in the circle around the gap.
    """
    first, pieces, entered = borders.first, borders.pieces, view.steps
    steps, bounds = 1, 0
    walls, k, max_steps = 0, 0, _max_steps(pieces)
    _enter(entered, 0, polygon, -1, -1, -1, 1)
    while k < steps and steps < max_steps:
        here = entered[k].into
        for number in range(first[here], first[here + 1]):
            if number == entered[k].by:
                continue
            piece = pieces[number]
            seen, px, pz, qx, qz, hidden, touching = _seen_of(piece, entered[k], x, z)
            if not seen:
                continue
            if max(steps, walls) + 1 >= len(entered):
                view = _roomier(view)
                entered = view.steps
            if piece.across < 0:
                wall = view.walls[walls]
                wall.ax, wall.az, wall.bx, wall.bz = px, pz, qx, qz
                wall.step, wall.piece, wall.hidden = k, number, hidden
                walls += 1
                bounds = _bound(view.bounds, bounds, px, pz, qx, qz)
            elif touching:
                if _step_touching(entered, steps, piece.across) < 0:
                    _enter(entered, steps, piece.across, piece.twin, k, number, 1)
                    steps += 1
            elif not _is_beyond(view.bounds, bounds, px, pz, qx, qz):
                _enter(entered, steps, piece.across, piece.twin, k, number, 0)
                _see(entered[steps], px, pz, qx, qz)
                steps += 1
        k += 1
    return view, walls


@kernel
def wall_distance(
    borders: PolygonBorders, view: WallView, polygon: AnyInt, x: float, z: float, farthest: float, enough: float
) -> tuple[WallView, float]:
    """How far the nearest wall is from a place in a polygon, in cells; `farthest` where there is none nearer.

    What is seen of that wall is the first of the view's walls. Who only wants to know whether a wall is as near as
    `enough` gets the first one that is.
    """
    # Taken out of their bundles once: that takes longer than a step.
    first, pieces, entered, nearest = borders.first, borders.pieces, view.steps, view.walls
    reach, steps, k, max_steps = farthest, 1, 0, _max_steps(pieces)
    _enter(entered, 0, polygon, -1, -1, -1, 1)
    while k < steps and steps < max_steps and reach > enough:
        here = entered[k].into
        for number in range(first[here], first[here + 1]):
            if number == entered[k].by:
                continue
            piece = pieces[number]
            seen, px, pz, qx, qz, _, touching = _seen_of(piece, entered[k], x, z)
            if not seen:
                continue
            nx, nz, _ = nearest_on(px, pz, qx, qz)
            away = np.sqrt(nx * nx + nz * nz)
            if away >= reach:
                continue
            if piece.across < 0:
                reach = away
                nearest[0].ax, nearest[0].az, nearest[0].bx, nearest[0].bz = px, pz, qx, qz
                continue
            if touching and _step_touching(entered, steps, piece.across) >= 0:
                continue
            if steps + 1 >= len(entered):
                view = _roomier(view)
                entered, nearest = view.steps, view.walls
            _enter(entered, steps, piece.across, piece.twin, k, number, 1 if touching else 0)
            _see(entered[steps], px, pz, qx, qz)
            steps += 1
        k += 1
    return view, reach


@inlined
def _max_steps(pieces: Records) -> int:
    """More steps than there can be on sound ground: polygons of a damaged file may lead around in circles."""
    return _STEPS_OF_A_PIECE * len(pieces) + _MAX_BOUNDS


@inlined
def _enter(steps: Records, number: int, into: AnyInt, by: AnyInt, before: AnyInt, via: AnyInt, touched: AnyInt) -> None:
    step = steps[number]
    step.into, step.by, step.before, step.via, step.touched = into, by, before, via, touched


@inlined
def _see(step: np.record, px: float, pz: float, qx: float, qz: float) -> None:
    step.right_x, step.right_z, step.left_x, step.left_z = px, pz, qx, qz


@inlined
def _step_touching(steps: Records, count: int, polygon: AnyInt) -> int:
    """The step in which a polygon that the place touches is looked into; -1: it is not yet."""
    for step in range(count):
        if steps[step].touched == 1 and steps[step].into == polygon:
            return step
    return -1


@inlined
def _seen_of(
    piece: np.record, step: np.record, x: float, z: float
) -> tuple[bool, float, float, float, float, int, bool]:
    """What is seen of a piece: its ends from the place, which of them are hidden, and whether the place touches it."""
    ax, az = piece.ax - x, piece.az - z
    bx, bz = piece.bx - x, piece.bz - z
    turn = cross(ax, az, bx, bz)
    wall = piece.across < 0
    if step.touched == 1:
        flat = turn <= SAME * (abs(bx - ax) + abs(bz - az))
        touching = flat and ax * bx + az * bz <= SAME
        return wall or touching or not flat, ax, az, bx, bz, 0, touching
    rx, rz, lx, lz = step.right_x, step.right_z, step.left_x, step.left_z
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
def _bound(bounds: Records, count: int, px: float, pz: float, qx: float, qz: float) -> int:
    """Note what a wall hides from its nearest point on."""
    if count >= _MAX_BOUNDS:
        return count
    nx, nz, _ = nearest_on(px, pz, qx, qz)
    limit = nx * nx + nz * nz
    if limit <= SAME * SAME:  # the wall begins here: the way along it
        far_begin = px * px + pz * pz > qx * qx + qz * qz
        nx, nz, limit = (px, pz, 0.0) if far_begin else (qx, qz, 0.0)
    bounds[count].x, bounds[count].z, bounds[count].limit = nx, nz, limit
    return count + 1


@inlined
def _is_beyond(bounds: Records, count: int, px: float, pz: float, qx: float, qz: float) -> bool:
    """Whether nothing is wanted behind p → q."""
    for k in range(count):
        x, z, limit = bounds[k].x, bounds[k].z, bounds[k].limit
        farthest = limit + SAME * (limit + abs(x) + abs(z))
        if x * px + z * pz > farthest and x * qx + z * qz > farthest:
            return True
    return False
