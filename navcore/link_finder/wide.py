"""Landings of places side by side made one wide link, and every half cell of it looked at anew."""

from __future__ import annotations

import numpy as np

from ..jit import borrowing, kernel
from ..surroundings.solid_matter import Matter, nearest_floor
from ..surroundings.walkable_ground import Ground, polygon_at
from ..surroundings.wall_chains import Places
from ..types import F64, I32, AnyInt, Bools
from .arcs import Position, can_be_taken
from .landings import MAX_LANDINGS, NO_KIND, Landings
from .rules import JUMP, LinkRules

_STARTS_APART, _LANDINGS_APART = 1.0, 1.5  # cells that places may leave the straight line of their link
_DROPS_APART = 1.25  # likewise, both together: one drops straight down near the wall only
_BEND = 0.25  # cells: what is farther off its straight line is bent
_MAX_PLACES = 256  # of one link
_NARROWEST = 0.125  # cells: the width of a link of which one place is left
# Columns of a link: its kind, its four corners as WideLink has them, the number of its chain.
KIND, CORNERS, CHAIN, COLUMNS = 0, 1, 13, 14


@kernel
def wide_links(
    matter: Matter, rules: LinkRules, ground: Ground, places: Places, landings: Landings, links: F64, total: int
) -> tuple[F64, int]:  # fmt: skip
    """Append the links (., 14) of all of these chains, chain after chain; their landings are used up."""
    run = np.empty((_MAX_PLACES, 2), np.int32)
    for chain in range(len(places.first) - 1):
        for row in range(places.first[chain], places.first[chain + 1]):
            for k in range(MAX_LANDINGS):
                if landings.kind[row, k] == NO_KIND:
                    continue
                count = _run_from(rules, places, landings, row, k, places.first[chain + 1], run)
                before = total
                links, total = _add_run(matter, rules, ground, places, landings, run[:count], links, total)
                links[before:total, CHAIN] = chain
                for i in range(count):
                    landings.kind[run[i, 0], run[i, 1]] = NO_KIND  # taken
    return links, total


@borrowing
def _run_from(
    rules: LinkRules, places: Places, landings: Landings, row: AnyInt, k: AnyInt, end: AnyInt, run: I32
) -> int:  # fmt: skip
    """The landings that one link can have, beginning with landing k of place `row`; returns how many."""
    run[0, 0], run[0, 1] = row, k
    count, kind = 1, landings.kind[row, k]
    while row + count < end and count < _MAX_PLACES:
        last, following = landings.point[run[count - 1, 0], run[count - 1, 1]], row + count
        nearest, best = -1, rules.climb + 1e-6
        for other in range(MAX_LANDINGS):
            away = abs(landings.point[following, other, 1] - last[1])
            if landings.kind[following, other] == kind and away < best:
                nearest, best = other, away
        if nearest < 0:
            break
        run[count, 0], run[count, 1] = following, nearest
        if not _is_straight(rules, places, landings, run, count + 1):
            break
        count += 1
    return count


@borrowing
def _is_straight(rules: LinkRules, places: Places, landings: Landings, run: I32, count: int) -> bool:
    """Whether all places and landings lie near the straight lines between the first and the last ones."""
    first, last = run[0], run[count - 1]
    both = _DROPS_APART if landings.kind[first[0], first[1]] != JUMP else _STARTS_APART + _LANDINGS_APART
    for i in range(1, count - 1):
        row, k = run[i]
        start, part = _off(places.point[first[0]], places.point[last[0]], places.point[row])
        if abs(start) > _STARTS_APART * rules.cell:
            return False
        one, other, here = landings.point[first[0], first[1]], landings.point[last[0], last[1]], landings.point[row, k]
        landing, part = _off(one, other, here)
        if abs(landing) > _LANDINGS_APART * rules.cell or abs(start) + abs(landing) > both * rules.cell:
            return False
        if abs(one[1] + (other[1] - one[1]) * part - here[1]) > rules.climb:
            return False
    return True


@borrowing
def _off(a: F64, b: F64, point: F64) -> tuple[float, float]:
    """How far beside the line from a to b a point lies, seen from above, and how far along it as a part of it."""
    along_x, along_z = b[0] - a[0], b[2] - a[2]
    square = along_x * along_x + along_z * along_z
    x, z = point[0] - a[0], point[2] - a[2]
    if square < 1e-12:
        return np.sqrt(x * x + z * z), 0.0
    return (along_x * z - along_z * x) / np.sqrt(square), (x * along_x + z * along_z) / square


@kernel
def _add_run(
    matter: Matter, rules: LinkRules, ground: Ground, places: Places, landings: Landings, run: I32, links: F64,
    total: int,
) -> tuple[F64, int]:  # fmt: skip
    """Append the links of one run. Where it is bent and its quad is not good everywhere, it is cut at the bend."""
    waiting, left = np.empty((_MAX_PLACES, 2), np.int64), 1
    waiting[0, 0], waiting[0, 1] = 0, len(run)
    quad = np.empty((4, 3))
    while left > 0:
        left -= 1
        first, last = waiting[left]
        bend = _quad_of(rules, places, landings, run[first:last], quad)
        found, is_good = _looked_at_anew(matter, rules, ground, landings.kind[run[0, 0], run[0, 1]], quad)
        if bend > 0 and not is_good.all():
            waiting[left, 0], waiting[left, 1] = first + bend, last
            waiting[left + 1, 0], waiting[left + 1, 1] = first, first + bend
            left += 2
            continue
        links, total = _add_pieces(rules, landings.kind[run[0, 0], run[0, 1]], quad, found, is_good, links, total)
    return links, total


@kernel
def _looked_at_anew(
    matter: Matter, rules: LinkRules, ground: Ground, kind: AnyInt, quad: F64
) -> tuple[F64, Bools]:  # fmt: skip
    """Every half cell of a link: where it starts and ends there, and whether it can be taken."""
    steps = max(int(np.ceil(max(_plan(quad[0], quad[1]), _plan(quad[2], quad[3])) / rules.step)), 1)
    found, is_good = np.empty((steps + 1, 2, 3)), np.empty(steps + 1, np.bool_)
    for m in range(steps + 1):
        is_good[m] = looked_at(matter, rules, ground, kind, quad, m / steps, found[m])
    return found, is_good


@kernel
def _add_pieces(
    rules: LinkRules, kind: AnyInt, quad: F64, found: F64, is_good: Bools, links: F64, total: int
) -> tuple[F64, int]:  # fmt: skip
    """Append a link for each stretch that can be taken and whose floors are even."""
    begin = 0
    while begin < len(is_good):
        if not is_good[begin]:
            begin += 1
            continue
        last = begin
        while last + 1 < len(is_good) and is_good[last + 1] and _is_even(rules, found, begin, last + 1):
            last += 1
        if total == len(links):
            links = _longer(links)
        _write(links[total], kind, quad, found, begin, last, rules.cell * _NARROWEST)
        total += 1
        begin = last + 1
    return links, total


@kernel
def _longer(links: F64) -> F64:
    larger = np.empty((2 * len(links), COLUMNS))
    larger[: len(links)] = links
    return larger


@borrowing
def _quad_of(rules: LinkRules, places: Places, landings: Landings, run: I32, quad: F64) -> int:
    """Start left, start right, end left, end right: through the innermost place and the farthest landing.

    Returns the number of the place or landing that is farthest from where they would be without a bend; 0: none is.
    """
    count = len(run)
    first, last = run[0], run[count - 1]
    a, b = places.ends[first[0], 0], places.ends[last[0], 1]
    c, d = landings.point[first[0], first[1]], landings.point[last[0], last[1]]
    out_x, out_z = 0.0, 0.0
    for i in range(count):
        out_x, out_z = out_x + places.out[run[i, 0], 0], out_z + places.out[run[i, 0], 1]
    inner, outer, bend, farthest = 0.0, 0.0, 0, _BEND * rules.cell
    along_x, along_z = _direction(b[0] - a[0], b[1] - a[1], out_x, out_z)
    far_x, far_z = _direction(d[0] - c[0], d[2] - c[2], out_x, out_z)
    # To the right of a link that looks out lies (-out_z, out_x).
    sign = 1.0 if along_x * -out_z + along_z * out_x > 0 else -1.0
    far_sign = 1.0 if far_x * along_x + far_z * along_z > 0 else -1.0
    for i in range(count):
        row, k = run[i]
        # Out is to the left of the way along the start edge from left to right.
        p, q = places.ends[row, 0], landings.point[row, k]
        start = -sign * ((p[0] - a[0]) * along_z - (p[1] - a[1]) * along_x)
        landing = sign * far_sign * ((q[0] - c[0]) * far_z - (q[2] - c[2]) * far_x)
        inner, outer = max(inner, start), max(outer, landing)
        if abs(start) + abs(landing) > farthest and i > 0:
            bend, farthest = i, abs(start) + abs(landing)
    far_half = far_sign * places.stretch[first[0]] / 2
    left, right = (0, 1) if sign > 0 else (1, 0)
    inner_x, inner_z = -sign * inner * along_z, sign * inner * along_x
    _put(quad[left], a[0] + inner_x, places.point[first[0], 1], a[1] + inner_z)
    _put(quad[right], b[0] + inner_x, places.point[last[0], 1], b[1] + inner_z)
    outer *= sign * far_sign
    outer_x, outer_z = outer * far_z, -outer * far_x
    _put(quad[2 + left], c[0] - far_x * far_half + outer_x, c[1], c[2] - far_z * far_half + outer_z)
    _put(quad[2 + right], d[0] + far_x * far_half + outer_x, d[1], d[2] + far_z * far_half + outer_z)
    return bend


@borrowing
def _direction(along_x: float, along_z: float, out_x: float, out_z: float) -> tuple[float, float]:
    """The direction of a way, seen from above; of none, to the right of the way out."""
    length = np.sqrt(along_x * along_x + along_z * along_z)
    if length < 1e-6:
        along_x, along_z = -out_z, out_x
        length = np.sqrt(along_x * along_x + along_z * along_z)
    return along_x / length, along_z / length


@borrowing
def _put(corner: F64, x: float, y: float, z: float) -> None:
    corner[0], corner[1], corner[2] = x, y, z


@borrowing
def _plan(a: F64, b: F64) -> float:
    return np.sqrt((b[0] - a[0]) ** 2 + (b[2] - a[2]) ** 2)


@borrowing
def looked_at(
    matter: Matter, rules: LinkRules, ground: Ground, kind: AnyInt, quad: F64, part: float, found: F64
) -> bool:  # fmt: skip
    """Whether agents can take the link at this part of its width; writes where it starts and ends there."""
    within = rules.climb + rules.voxel
    for side in range(2):
        ax, ay, az = quad[2 * side]
        bx, by, bz = quad[2 * side + 1]
        x, y, z = ax + (bx - ax) * part, ay + (by - ay) * part, az + (bz - az) * part
        floor = nearest_floor(matter, x, z, y, within, rules.height)
        found[side, 0], found[side, 1], found[side, 2] = x, floor, z
        if np.isnan(floor) or polygon_at(ground, x, floor, z, within) < 0:
            return False
    ax, ay, az = found[0]
    bx, by, bz = found[1]
    return can_be_taken(matter, rules, kind, Position(ax, ay, az), Position(bx, by, bz))


@borrowing
def _is_even(rules: LinkRules, found: F64, begin: int, end: int) -> bool:
    """Whether floors between these places are near the straight lines between them."""
    within = max(rules.climb - rules.voxel, rules.voxel)
    for m in range(begin + 1, end):
        part = (m - begin) / (end - begin)
        for side in range(2):
            straight = found[begin, side, 1] + (found[end, side, 1] - found[begin, side, 1]) * part
            if abs(straight - found[m, side, 1]) > within:
                return False
    return True


@kernel
def _write(
    link: F64, kind: AnyInt, quad: F64, found: F64, begin: int, last: int, narrowest: float
) -> None:  # fmt: skip
    """The corners of what was good from one place to another; never without any width."""
    link[KIND] = kind
    for side in range(2):
        low, high = CORNERS + 6 * side, CORNERS + 6 * side + 3
        link[low : low + 3], link[high : high + 3] = found[begin, side], found[last, side]
        if begin == last:
            along = quad[2 * side + 1] - quad[2 * side]
            length = max(np.sqrt(along[0] ** 2 + along[2] ** 2), 1e-9)
            for axis in (0, 2):
                link[low + axis] -= along[axis] / length * narrowest / 2
                link[high + axis] += along[axis] / length * narrowest / 2
