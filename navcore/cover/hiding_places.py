"""What stands behind a place at a wall, as the triangles of the level have it: how high it hides, and where it is.

A place is cut upright along the way to the wall. What the triangles leave on that cut are lines, and each line hides
some heights. So heights are exact, of slopes, steps and rocks as well as of walls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, kernel
from ..types import F64, I64, AnyInt
from .rays import is_blocked, new_waiting, triangles_in_box
from .triangle_tree import WIDE, TriangleTree

LOW, HIGH = 0.8, 1.6  # metres from which on cover is low, and high
NONE, IS_LOW, IS_HIGH = 0, 1, 2
_FOOT = 0.3  # metres: what lies lower neither hides nor has to
_GAP = 0.01  # metres: lower gaps are closed
_MIDDLE = 0.6  # metres: at this height one looks which face stands before a place
_UPRIGHT = 0.8  # the y of a normal up to which a face is one to stand at
_TURN = 0.5  # the cosine of the farthest turn from the navmesh's own wall to straight towards a face
_ASLANT = 0.7  # likewise, where nothing stands straight ahead: farther away one looks along a wall, past its end
_ROOMS = (4.0, 1e30)  # metres above a place that are looked at: all where what stands there fills the first
LEAN = 0.5  # metres that a body leans aside
_LEAN_HEIGHTS = (0.7, 1.5)  # metres at which it looks past low cover, and past high cover
_PAST = 2.0  # metres beyond the reach that it then sees at least
_THOUSANDTHS = 1000.0


class CoverReach(NamedTuple):
    """How far from a place its matter is looked for, in metres."""

    back: float  # on the near side, where a navmesh touches its walls or stands in them
    ahead: float
    near: float  # so far at most is what a navmesh keeps away from
    up_or_down: float  # between the navmesh and the level's ground


class HidingPlaces(NamedTuple):
    """M places at walls of a navmesh."""

    point: F64  # (M, 3) on the navmesh
    out: F64  # (M, 2) x and z of the way off it, of length 1


class Looked(NamedTuple):
    """What `look_rows` writes of M places."""

    floor: F64  # (M,) height of the level's ground; NaN where there is none
    towards: F64  # (M, 2) x and z of the way to what stands there, of length 1
    height: F64  # (M,) metres above the ground up to which it hides; 0: nothing
    away: F64  # (M,) metres to its face on that way, where it stands before the middle of who crouches


class Wall(NamedTuple):
    """What stands on one way from a place."""

    height: float
    x: float  # of the upright face's normal, seen from above, turned along the way; (0, 0) for none
    z: float
    away: float  # metres to that face


def kinds_of(height: F64) -> I64:
    """NONE, IS_LOW or IS_HIGH."""
    return np.where(height >= HIGH, IS_HIGH, np.where(height >= LOW, IS_LOW, NONE)).astype(np.int64)


@kernel
def look_rows(tree: TriangleTree, places: HidingPlaces, reach: CoverReach, begin: int, end: int, rows: Looked) -> None:
    """What stands behind each place."""
    tree, places, reach, rows = TriangleTree(*tree), HidingPlaces(*places), CoverReach(*reach), Looked(*rows)
    waiting, found, lines = new_waiting(), np.empty((256, 9)), np.empty((256, 2))
    for row in range(begin, end):
        x, y, z = places.point[row]
        dx, dz = places.out[row]
        for above in _ROOMS:  # of a tower the lowest storey mostly says all
            low = (x - reach.ahead, y - reach.up_or_down, z - reach.ahead)
            high = (x + reach.ahead, y + above, z + reach.ahead)
            found, count = triangles_in_box(tree, waiting, low, high, found)
            if len(lines) < count:
                lines = np.empty((len(found), 2))
            floor = _floor_at(found, count, x, y, z, reach.up_or_down)
            foot = y if np.isnan(floor) else floor
            wall = _wall_ahead(found, count, (x, foot, z), (dx, dz), reach, lines)
            straight = wall
            if wall.height >= LOW and wall.x * wall.x + wall.z * wall.z > 0:
                straight = _wall_ahead(found, count, (x, foot, z), (wall.x, wall.z), reach, lines)
            if foot + max(wall.height, straight.height) + _GAP < y + above:
                break
        rows.floor[row], rows.height[row], rows.away[row] = floor, wall.height, wall.away
        rows.towards[row, 0], rows.towards[row, 1] = dx, dz
        turn, is_upright = wall.x * dx + wall.z * dz, wall.x * wall.x + wall.z * wall.z > 0
        if is_upright and turn >= _TURN and straight.height >= LOW:
            rows.height[row], rows.away[row] = straight.height, straight.away
            rows.towards[row, 0], rows.towards[row, 1] = wall.x, wall.z
        elif is_upright and turn < _ASLANT and wall.away > reach.near:
            rows.height[row] = 0.0


@borrowing
def _floor_at(found: F64, count: AnyInt, x: float, y: float, z: float, within: float) -> float:
    """The height of the triangle at (x, z) that is nearest to y; NaN where there is none within so many metres."""
    best, nearest = within, np.nan
    for t in range(count):
        ax, az, bx, bz = found[t, 0] - x, found[t, 2] - z, found[t, 3] - x, found[t, 5] - z
        cx, cz = found[t, 6] - x, found[t, 8] - z
        u, v, w = bx * cz - bz * cx, cx * az - cz * ax, ax * bz - az * bx
        if ((u >= 0 and v >= 0 and w >= 0) or (u <= 0 and v <= 0 and w <= 0)) and u + v + w != 0:
            height = (u * found[t, 1] + v * found[t, 4] + w * found[t, 7]) / (u + v + w)
            if abs(height - y) <= best:
                best, nearest = abs(height - y), height
    return nearest


@kernel
def _wall_ahead(
    found: F64, count: int, foot: tuple[float, float, float], way: tuple[float, float], reach: CoverReach, lines: F64
) -> Wall:  # fmt: skip
    """How high what stands on a way hides, without a gap, and where its face looks."""
    used, nearest, face = 0, np.inf, -1
    for t in range(count):
        crossed, s, y, s1, y1 = _cut_of(found, t, foot, way)
        if not crossed or max(s, s1) < -reach.back or min(s, s1) > reach.ahead:
            continue
        slope = (y1 - y) / (s1 - s) if s1 != s else 0.0
        if s1 != s:
            if s < -reach.back:
                s, y = -reach.back, y + slope * (-reach.back - s)
            if s1 > reach.ahead:
                y1 = y + slope * (reach.ahead - s)
        low, high = min(y, y1), max(y, y1)
        if high <= _FOOT:
            continue
        lines[used, 0], lines[used, 1] = low, high
        used += 1
        if low <= _MIDDLE <= high:
            here = s + (_MIDDLE - y) / slope if slope != 0 else s
            if here < nearest:
                nearest, face = here, t
    order, top = np.argsort(lines[:used, 0]), _FOOT
    for k in order:
        if lines[k, 0] > top + _GAP:
            break
        top = max(top, lines[k, 1])
    height = np.floor(top * _THOUSANDTHS + 0.5) / _THOUSANDTHS if top > _FOOT else 0.0
    x, z = _looks(found, face, way)
    return Wall(height, x, z, nearest)


@borrowing
def _cut_of(
    found: F64, t: AnyInt, foot: tuple[float, float, float], way: tuple[float, float]
) -> tuple[bool, float, float, float, float]:  # fmt: skip
    """The line that a triangle leaves on the upright cut along a way: how far away and how high both ends are."""
    seen, s0, y0, s1, y1 = 0, 0.0, 0.0, 0.0, 0.0
    for corner in range(3):
        i, j = 3 * corner, 3 * (corner + 1) % 9
        ax, az, bx, bz = (
            found[t, i] - foot[0],
            found[t, i + 2] - foot[2],
            found[t, j] - foot[0],
            found[t, j + 2] - foot[2],
        )
        aside, beside = ax * way[1] - az * way[0], bx * way[1] - bz * way[0]
        if (aside >= 0) != (beside >= 0):
            part = aside / (aside - beside)
            s = ax * way[0] + az * way[1] + part * ((bx - ax) * way[0] + (bz - az) * way[1])
            y = found[t, i + 1] + part * (found[t, j + 1] - found[t, i + 1]) - foot[1]
            if seen == 0:
                s0, y0 = s, y
            else:
                s1, y1 = s, y
            seen += 1
    if s0 > s1:
        s0, y0, s1, y1 = s1, y1, s0, y0
    return seen == 2, s0, y0, s1, y1


@borrowing
def _looks(found: F64, t: AnyInt, way: tuple[float, float]) -> tuple[float, float]:
    """The normal of a triangle from above, turned along a way; (0, 0) for none, and for ground."""
    if t < 0:
        return 0.0, 0.0
    ax, ay, az = found[t, 3] - found[t, 0], found[t, 4] - found[t, 1], found[t, 5] - found[t, 2]
    bx, by, bz = found[t, 6] - found[t, 0], found[t, 7] - found[t, 1], found[t, 8] - found[t, 2]
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    flat = np.sqrt(x * x + z * z)
    if not flat > 0 or abs(y) > _UPRIGHT * np.sqrt(flat * flat + y * y):
        return 0.0, 0.0
    turn = 1.0 if x * way[0] + z * way[1] > 0 else -1.0
    return turn * x / flat, turn * z / flat


@kernel
def lean_rows(
    tree: TriangleTree, at: F64, towards: F64, kinds: I64, ahead: float, begin: int, end: int, leans: F64
) -> None:  # fmt: skip
    """Whether who faces the wall at each place sees past it with a lean to the left, and to the right: 1 or 0."""
    tree = TriangleTree(*tree)
    waiting, ways = new_waiting(), np.empty(WIDE)
    for row in range(begin, end):
        x, z = at[row, 0], at[row, 2]
        y = at[row, 1] + (_LEAN_HEIGHTS[0] if kinds[row] == IS_LOW else _LEAN_HEIGHTS[1])
        dx, dz = towards[row, 0], towards[row, 2]
        for side in range(2):
            aside = LEAN if side == 0 else -LEAN
            bx, bz = x + aside * dz, z - aside * dx
            far = ahead + _PAST
            free = not is_blocked(tree, waiting, ways, (x, y, z), (bx, y, bz))
            free = free and not is_blocked(tree, waiting, ways, (bx, y, bz), (bx + far * dx, y, bz + far * dz))
            leans[row, side] = 1 if free else 0
