"""Gaps: where two walls face each other and a disc is between both before it is past them.

A gap joins a corner of walls and the nearest point of another wall, and in the circle that has it as its diameter there
is no wall (a Gabriel graph; Gabriel and Sokal, 1969). The distance to the nearest wall has its passes in the middles of
such lines and nowhere else: a disc that is moved from one side of a gap to the other is no wider than the gap, and on
one side of all gaps nothing is in its way. No two gaps cross.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel
from ..types import F64, I32, I64
from .rims import Rims
from .sight import (
    BEFORE,
    BEGIN_HIDDEN,
    END_HIDDEN,
    HIDDEN,
    INTO,
    PIECE,
    SAME,
    SEEN_IN,
    TOUCHED,
    VIA,
    View,
    cross,
    look_around,
    nearest_on,
    new_view,
)

# Columns of `cuts`: the gap, the polygon that it cuts, and whether the place that comes first on its rim is the one
# nearer to the begin of the gap.
GAP, CUT_POLYGON, FORWARD = range(3)
_MOST_TURNS = 64  # polygons around a corner
_ON_LINE = 1e-9
_EXACT = 1e-12  # of what numbers of the lattice come to in float64


class Gaps(NamedTuple):
    """G gaps, the M polygons that they cut, and the N portals that they cross."""

    lines: F64  # (G, 4) x and z of both ends, cells
    middles: I32  # (G,) the polygon in which the middle lies
    cuts: I32  # (M, 3)
    places: F64  # (M, 2) on the polygon's rim where the cut begins and ends, the smaller one first
    crossed: I32  # (N,) pieces; of a piece and its twin the one with the smaller number
    parts: F64  # (N,) of that piece up to where it is crossed


@kernel
def gap_rows(rims: Rims, counts: I32, corners: I64, begin: int, end: int) -> Gaps:
    """The gaps of corners of walls: `corners` are walls, each stands for the corner at which it begins."""
    lines, middles = np.empty((64, 4)), np.empty(64, np.int32)
    cuts, places = np.empty((256, 3), np.int32), np.empty((256, 2))
    crossed, parts = np.empty(256, np.int32), np.empty(256)
    n = np.zeros(3, np.int64)
    view = new_view()
    for row in range(begin, end):
        piece = corners[row]
        x, z = rims.ends[piece, 0], rims.ends[piece, 1]
        if _is_inner_corner(rims, piece):
            continue
        view, walls = look_around(rims, view, rims.owners[piece], x, z)
        for wall in range(walls):
            for which in range(3):
                good, fx, fz = _opposite(view, walls, wall, which)
                if not good:
                    continue
                room = len(view.steps)  # no line leads through more
                while n[0] + 1 > len(lines):
                    lines, middles = _longer(lines), _longer_row(middles)
                while n[1] + room > len(cuts):
                    cuts, places = _longer_whole(cuts), _longer(places)
                while n[2] + room > len(crossed):
                    crossed, parts = _longer_row(crossed), _longer_part(parts)
                _write(rims, view, counts, piece, wall, fx, fz, lines, middles, cuts, places, crossed, parts, n)
    return Gaps(
        lines[: n[0]].copy(), middles[: n[0]].copy(), cuts[: n[1]].copy(), places[: n[1]].copy(),
        crossed[: n[2]].copy(), parts[: n[2]].copy(),
    )  # fmt: skip


@kernel
def _longer(old: F64) -> F64:
    new = np.empty((2 * len(old), old.shape[1]))
    new[: len(old)] = old
    return new


@kernel
def _longer_whole(old: I32) -> I32:
    new = np.empty((2 * len(old), old.shape[1]), np.int32)
    new[: len(old)] = old
    return new


@kernel
def _longer_row(old: I32) -> I32:
    new = np.empty(2 * len(old), np.int32)
    new[: len(old)] = old
    return new


@kernel
def _longer_part(old: F64) -> F64:
    new = np.empty(2 * len(old))
    new[: len(old)] = old
    return new


@kernel
def _is_inner_corner(rims: Rims, piece: int) -> bool:
    """Whether the walls that meet where this one begins turn towards the ground: no disc passes between such."""
    first, owner = rims.first, rims.owners[piece]
    x, z = rims.ends[piece, 0], rims.ends[piece, 1]
    other = piece
    for _ in range(_MOST_TURNS):
        other = other - 1 if other > first[owner] else first[owner + 1] - 1
        if rims.across[other] < 0:
            ax, az = rims.ends[piece, 2] - x, rims.ends[piece, 3] - z
            bx, bz = rims.ends[other, 0] - x, rims.ends[other, 1] - z
            return cross(ax, az, bx, bz) > SAME * (abs(ax) + abs(az)) * (abs(bx) + abs(bz))
        other = rims.twins[other]
        owner = rims.owners[other]
    return False


@kernel
def _opposite(view: View, walls: int, wall: int, which: int) -> tuple[bool, float, float]:
    """Whether there is a gap to the begin (0) or the end (1) of a wall, or to what is nearest on it (2); and where.

    Of two corners the one with the smaller coordinates finds the gap.
    """
    px, pz, qx, qz = view.walls[wall, 0], view.walls[wall, 1], view.walls[wall, 2], view.walls[wall, 3]
    hidden = view.marks[wall, HIDDEN]
    if which == 0:
        fx, fz, part = px, pz, 0.0
        good = hidden & BEGIN_HIDDEN == 0
    elif which == 1:
        fx, fz, part = qx, qz, 1.0
        good = hidden & END_HIDDEN == 0
    else:
        fx, fz, part = nearest_on(px, pz, qx, qz)
        good = (part > 0 or hidden & BEGIN_HIDDEN != 0) and (part < 1 or hidden & END_HIDDEN != 0)
    length2 = fx * fx + fz * fz
    if not good or length2 <= SAME * SAME or (which < 2 and not (fx > 0 or (fx == 0 and fz > 0))):
        return False, fx, fz
    ux, uz = qx - px, qz - pz
    if which == 2 and abs(fx * ux + fz * uz) > _EXACT * np.sqrt(length2 * (ux * ux + uz * uz)):
        return False, fx, fz  # the nearest that is seen, but not the nearest of the wall
    for other in range(walls):
        if not _leaves_free(view, other, fx, fz, length2):
            return False, fx, fz
    return True, fx, fz


@inlined
def _leaves_free(view: View, wall: int, fx: float, fz: float, length2: float) -> bool:
    """Whether a wall is not in the circle around the gap."""
    px, pz, qx, qz = view.walls[wall, 0], view.walls[wall, 1], view.walls[wall, 2], view.walls[wall, 3]
    mx, mz = fx / 2, fz / 2
    nx, nz, _ = nearest_on(px - mx, pz - mz, qx - mx, qz - mz)
    if nx * nx + nz * nz > length2 / 4 * (1 + _EXACT):
        return True
    # What touches the circle at an end of the gap is the wall there; anywhere else it is another one.
    along = (nx + mx) * fx + (nz + mz) * fz
    return along <= _EXACT * length2 or along >= length2 * (1 - _EXACT)


@kernel
def _write(
    rims: Rims, view: View, counts: I32, corner: int, wall: int, fx: float, fz: float, lines: F64, middles: I32,
    cuts: I32, places: F64, crossed: I32, parts: F64, n: I64,
) -> None:  # fmt: skip
    """Note a gap, the polygons that it cuts and the portals that it crosses, from its end to its begin."""
    x, z = rims.ends[corner, 0], rims.ends[corner, 1]
    gap = n[0]
    lines[gap, 0], lines[gap, 1], lines[gap, 2], lines[gap, 3] = x, z, x + fx, z + fz
    n[0] += 1
    piece = view.marks[wall, PIECE]
    out = _place_along(rims, piece, _part_at(rims, piece, x + fx, z + fz))
    step, before_middle = view.marks[wall, SEEN_IN], False
    while view.steps[step, TOUCHED] == 0:
        via = view.steps[step, VIA]
        kept = min(via, rims.twins[via])
        ax, az = rims.ends[kept, 0] - x, rims.ends[kept, 1] - z
        bx, bz = rims.ends[kept, 2] - x, rims.ends[kept, 3] - z
        a, b = cross(ax, az, fx, fz), cross(bx, bz, fx, fz)
        at = min(max(a / (a - b), 0.0), 1.0) if a != b else 0.0
        cx, cz = ax + at * (bx - ax), az + at * (bz - az)
        if not before_middle and 2 * (cx * fx + cz * fz) <= fx * fx + fz * fz:
            before_middle, middles[gap] = True, view.steps[step, INTO]
        if at < _ON_LINE or at > 1 - _ON_LINE:
            at = np.round(at)
        else:
            crossed[n[2]], parts[n[2]] = kept, at
            n[2] += 1
        forth, back = _place_along(rims, kept, at), _place_along(rims, rims.twins[kept], 1 - at)
        if kept != via:
            forth, back = back, forth
        _cut(counts, view.steps[step, INTO], back, out, gap, cuts, places, n)
        out = forth
        step = view.steps[step, BEFORE]
    polygon = view.steps[step, INTO]
    if not before_middle:
        middles[gap] = polygon
    _cut(counts, polygon, _corner_on(rims, polygon, x, z), out, gap, cuts, places, n)


@inlined
def _cut(counts: I32, polygon: int, near: float, far: float, gap: int, cuts: I32, places: F64, n: I64) -> None:
    """Note that a gap cuts a polygon from one place on its rim to another, of which one is nearer to its begin."""
    near = near if near < counts[polygon] else 0.0
    far = far if far < counts[polygon] else 0.0
    if near == far:
        return
    k = n[1]
    cuts[k, GAP], cuts[k, CUT_POLYGON], cuts[k, FORWARD] = gap, polygon, 1 if near < far else 0
    places[k, 0], places[k, 1] = min(near, far), max(near, far)
    n[1] += 1


@inlined
def _place_along(rims: Rims, piece: int, part: float) -> float:
    low, high = rims.along[piece, 0], rims.along[piece, 1]
    return high if part >= 1 else low + (high - low) * part


@inlined
def _part_at(rims: Rims, piece: int, x: float, z: float) -> float:
    """What part of a piece lies before a point of it."""
    ax, az = rims.ends[piece, 0] - x, rims.ends[piece, 1] - z
    bx, bz = rims.ends[piece, 2] - x, rims.ends[piece, 3] - z
    _, _, part = nearest_on(ax, az, bx, bz)
    return np.round(part) if part < _ON_LINE or part > 1 - _ON_LINE else part


@inlined
def _corner_on(rims: Rims, polygon: int, x: float, z: float) -> float:
    """The place on a polygon's rim of a point of it."""
    best, place = np.inf, 0.0
    for piece in range(rims.first[polygon], rims.first[polygon + 1]):
        ax, az = rims.ends[piece, 0] - x, rims.ends[piece, 1] - z
        bx, bz = rims.ends[piece, 2] - x, rims.ends[piece, 3] - z
        nx, nz, part = nearest_on(ax, az, bx, bz)
        away = nx * nx + nz * nz
        if away < best:
            best, place = away, _place_along(rims, piece, part)
    return place
