"""Gaps: where two walls face each other and a disc is between both before it is past them.

A gap joins a corner of walls and the nearest point of another wall, and in the circle that has it as its diameter there
is no wall (a Gabriel graph; Gabriel and Sokal, 1969). The distance to the nearest wall has its passes in the middles of
such lines and nowhere else: a disc that is moved from one side of a gap to the other is no wider than the gap, and on
one side of all gaps nothing is in its way. No two gaps cross.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..geometry.arrays import grown
from ..jit import borrowing, inlined, kernel
from ..types import I32, I64, AnyInt, Records
from .polygon_borders import PlanPoint, PolygonBorders
from .wall_sight import BEGIN_HIDDEN, END_HIDDEN, SAME, WallView, cross, look_around, nearest_on, new_view

# Both ends of a gap, in cells, and the polygon in which its middle lies.
_GAP = [(name, np.float64) for name in ("ax", "az", "bx", "bz")]
GAP = np.dtype((np.record, [*_GAP, ("middle", np.int32), ("spare", np.int32)]))
# The gap, the polygon that it cuts, and whether the place that comes first on its border is the one nearer to the begin
# of the gap; these places.
_CUT, _PLACES = ("gap", "polygon", "forward", "spare"), ("low", "high")
CUT = np.dtype((np.record, [(n, np.int32) for n in _CUT] + [(n, np.float64) for n in _PLACES]))
# A piece that a gap crosses, of it and its twin the one with the smaller number, and how much of it lies before that.
CROSSING = np.dtype((np.record, [("part", np.float64), ("piece", np.int64)]))
_COUNTS = np.dtype((np.record, [(name, np.int64) for name in ("gaps", "cuts", "crossings")]))
_MAX_TURNS = 64  # polygons around a corner
_ON_LINE = 1e-9
_EXACT = 1e-12  # of what numbers of the lattice come to in float64


class Gaps(NamedTuple):
    """G gaps, the M polygons that they cut, and the N portals that they cross."""

    gaps: Records  # (G,)
    cuts: Records  # (M,)
    crossings: Records  # (N,)
    counts: Records  # (1,) of those


@kernel
def gap_rows(borders: PolygonBorders, counts: I32, corners: I64, begin: int, end: int) -> Gaps:
    """The gaps of corners of walls: `corners` are walls, each stands for the corner at which it begins."""
    borders = PolygonBorders(*borders)
    gaps, cuts, crossings = np.empty(64, GAP), np.empty(256, CUT), np.empty(256, CROSSING)
    used, view = np.zeros(1, _COUNTS), new_view()
    for row in range(begin, end):
        piece = borders.pieces[corners[row]]
        if _is_inner_corner(borders, corners[row]):
            continue
        view, walls = look_around(borders, view, piece.owner, piece.ax, piece.az)
        for wall in range(walls):
            for which in range(3):
                good, fx, fz = _opposite(view, walls, wall, which)
                if not good:
                    continue
                room = len(view.steps)  # no line leads through more
                gaps = grown(gaps, used[0].gaps, used[0].gaps + 1)
                cuts = grown(cuts, used[0].cuts, used[0].cuts + room)
                crossings = grown(crossings, used[0].crossings, used[0].crossings + room)
                _write(borders, view, counts, Gaps(gaps, cuts, crossings, used), corners[row], wall, (fx, fz))
    n = used[0]
    return Gaps(gaps[: n.gaps].copy(), cuts[: n.cuts].copy(), crossings[: n.crossings].copy(), used)


@kernel
def _is_inner_corner(borders: PolygonBorders, number: int) -> bool:
    """Whether the walls that meet where this one begins turn towards the ground: no disc passes between such."""
    first, pieces = borders.first, borders.pieces
    piece, other, owner = pieces[number], np.int64(number), pieces[number].owner
    for _ in range(_MAX_TURNS):
        other = other - 1 if other > first[owner] else first[owner + 1] - 1
        if pieces[other].across < 0:
            ax, az = piece.bx - piece.ax, piece.bz - piece.az
            bx, bz = pieces[other].ax - piece.ax, pieces[other].az - piece.az
            return cross(ax, az, bx, bz) > SAME * (abs(ax) + abs(az)) * (abs(bx) + abs(bz))
        other = np.int64(pieces[other].twin)
        owner = pieces[other].owner
    return False


@kernel
def _opposite(view: WallView, walls: int, wall: int, which: int) -> tuple[bool, float, float]:
    """Whether there is a gap to the begin (0) or the end (1) of a wall, or to what is nearest on it (2); and where.

    Of two corners the one with the smaller coordinates finds the gap.
    """
    seen = view.walls[wall]
    px, pz, qx, qz, hidden = seen.ax, seen.az, seen.bx, seen.bz, seen.hidden
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
def _leaves_free(view: WallView, wall: int, fx: float, fz: float, length2: float) -> bool:
    """Whether a wall is not in the circle around the gap."""
    seen = view.walls[wall]
    px, pz, qx, qz = seen.ax, seen.az, seen.bx, seen.bz
    mx, mz = fx / 2, fz / 2
    nx, nz, _ = nearest_on(px - mx, pz - mz, qx - mx, qz - mz)
    if nx * nx + nz * nz > length2 / 4 * (1 + _EXACT):
        return True
    # What touches the circle at an end of the gap is the wall there; anywhere else it is another one.
    along = (nx + mx) * fx + (nz + mz) * fz
    return along <= _EXACT * length2 or along >= length2 * (1 - _EXACT)


@borrowing
def _write(
    borders: PolygonBorders, view: WallView, counts: I32, found: Gaps, corner: int, wall: int, end: PlanPoint
) -> None:
    """Note a gap, the polygons that it cuts and the portals that it crosses, from its end to its begin."""
    pieces, used, fx, fz = borders.pieces, found.counts[0], end[0], end[1]
    x, z = pieces[corner].ax, pieces[corner].az
    gap = used.gaps
    line = found.gaps[gap]
    line.ax, line.az, line.bx, line.bz = x, z, x + fx, z + fz
    used.gaps += 1
    piece = pieces[view.walls[wall].piece]
    out = _place_along(piece, _part_at(piece, x + fx, z + fz))
    step, before_middle = view.steps[view.walls[wall].step], False
    while step.touched == 0:
        via = step.via
        kept = min(via, pieces[via].twin)
        own = pieces[kept]
        ax, az = own.ax - x, own.az - z
        bx, bz = own.bx - x, own.bz - z
        a, b = cross(ax, az, fx, fz), cross(bx, bz, fx, fz)
        at = min(max(a / (a - b), 0.0), 1.0) if a != b else 0.0
        cx, cz = ax + at * (bx - ax), az + at * (bz - az)
        if not before_middle and 2 * (cx * fx + cz * fz) <= fx * fx + fz * fz:
            before_middle, line.middle = True, step.into
        if at < _ON_LINE or at > 1 - _ON_LINE:
            at = np.round(at)
        else:
            found.crossings[used.crossings].piece, found.crossings[used.crossings].part = kept, at
            used.crossings += 1
        forth, back = _place_along(own, at), _place_along(pieces[own.twin], 1 - at)
        if kept != via:
            forth, back = back, forth
        _cut(found, counts[step.into], step.into, back, out, gap)
        out = forth
        step = view.steps[step.before]
    polygon = step.into
    if not before_middle:
        line.middle = polygon
    _cut(found, counts[polygon], polygon, _corner_on(borders, polygon, x, z), out, gap)


@borrowing
def _cut(found: Gaps, corners: AnyInt, polygon: AnyInt, near: float, far: float, gap: AnyInt) -> None:
    """Note that a gap cuts a polygon from one place on its border to another, of which one is nearer to its begin."""
    near = near if near < corners else 0.0
    far = far if far < corners else 0.0
    if near == far:
        return
    cut = found.cuts[found.counts[0].cuts]
    cut.gap, cut.polygon, cut.forward = gap, polygon, 1 if near < far else 0
    cut.low, cut.high, cut.spare = min(near, far), max(near, far), 0
    found.counts[0].cuts += 1


@inlined
def _place_along(piece: np.record, part: float) -> float:
    return piece.high if part >= 1 else piece.low + (piece.high - piece.low) * part


@inlined
def _part_at(piece: np.record, x: float, z: float) -> float:
    """What part of a piece lies before a point of it."""
    _, _, part = nearest_on(piece.ax - x, piece.az - z, piece.bx - x, piece.bz - z)
    return np.round(part) if part < _ON_LINE or part > 1 - _ON_LINE else part


@borrowing
def _corner_on(borders: PolygonBorders, polygon: AnyInt, x: float, z: float) -> float:
    """The place on a polygon's border of a point of it."""
    best, place = np.inf, 0.0
    for number in range(borders.first[polygon], borders.first[polygon + 1]):
        piece = borders.pieces[number]
        nx, nz, part = nearest_on(piece.ax - x, piece.az - z, piece.bx - x, piece.bz - z)
        away = nx * nx + nz * nz
        if away < best:
            best, place = away, _place_along(piece, part)
    return place
