"""Where one comes down: from each place straight out, over the end of the floor, to the first landing of each level."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, kernel
from ..types import F64, I32, I64, AnyInt
from .arcs import kind_between, ledge_distance
from .chains import Places
from .ground import Ground, heights_between, is_covered, polygon_at
from .matter import TINY, Matter, column_at, room_above
from .rules import Rules
from .walking import Search, Way, is_walked

MOST_LANDINGS = 4  # of one place
_MOST_LEVELS = 16
_TRIES = 2  # behind a landing that nobody gets to, half a cell farther each
_DONE = 100
FARTHEST_WALK = 10.0  # metres: a link that saves so much is worth having, however long it is
NO_KIND = -1


class Landings(NamedTuple):
    """Of each place, at most so many."""

    kind: I32  # (S, MOST_LANDINGS), NO_KIND for none
    point: F64  # (S, MOST_LANDINGS, 3)


def no_landings(count: int) -> Landings:
    """Room for those of so many places."""
    return Landings(np.full((count, MOST_LANDINGS), NO_KIND, np.int32), np.zeros((count, MOST_LANDINGS, 3)))


@kernel
def fill_landings(
    matter: Matter, rules: Rules, ground: Ground, places: Places, landings: Landings, search: Search, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Find the landings of places begin:end."""
    floors, tries = np.empty((2, _MOST_LEVELS)), np.empty((2, _MOST_LEVELS), np.int64)
    for row in range(begin, end):
        _look_out(matter, rules, ground, places, landings, search, row, floors, tries)


@borrowing
def _look_out(
    matter: Matter, rules: Rules, ground: Ground, places: Places, landings: Landings, search: Search, row: AnyInt,
    floors: F64, tries: I64,
) -> None:  # fmt: skip
    """Find the landings of a place, if the ground ends there and goes on behind."""
    x, y, z = places.point[row]
    out_x, out_z = places.out[row]
    ledge = -1.0 if np.isnan(y) else ledge_distance(matter, rules, x, y, z, out_x, out_z)
    if ledge > 0:
        highest = y + rules.jump_height + rules.voxel + TINY
        lowest = y - max(rules.drop_height, rules.jump_height, rules.climb_height) - rules.voxel - TINY
        within = rules.climb + rules.voxel
        heights = heights_between(lowest - within, highest + within)
        away = _first_ground(rules, ground, x, z, out_x, out_z, ledge, heights)
        if away < np.inf:
            _land(
                matter, rules, ground, places, landings, search, row, ledge, away, lowest, highest, heights, floors,
                tries,
            )  # fmt: skip


@borrowing
def _first_ground(
    rules: Rules, ground: Ground, x: float, z: float, out_x: float, out_z: float, ledge: float, heights: np.uint16
) -> float:
    """How far away the first step is at which one may land at these heights; infinitely far where there is none."""
    nearest, farthest = ledge + rules.radius - TINY, ledge + rules.landing_reach + TINY
    away = ledge
    while away <= farthest:
        if away >= nearest and is_covered(ground, x + out_x * away, z + out_z * away, heights):
            return away
        away += rules.step
    return np.inf


@borrowing
def _land(
    matter: Matter, rules: Rules, ground: Ground, places: Places, landings: Landings, search: Search, row: AnyInt,
    ledge: float, away: float, lowest: float, highest: float, heights: np.uint16, floors: F64, tries: I64,
) -> None:  # fmt: skip
    """Look at each level from so far away on, as long as it goes on without a step that is too high."""
    within = rules.climb + rules.voxel
    now, levels, found, is_tried = 0, 0, 0, False
    while away <= ledge + rules.landing_reach + TINY:
        x, z = places.point[row, 0] + places.out[row, 0] * away, places.point[row, 2] + places.out[row, 1] * away
        column, before, count = column_at(matter, x, z), levels, 0
        if column < 0:
            return
        away += rules.step
        last, covered = matter.first[column + 1], ground.covered[column + matter.begin * matter.width]
        if covered & heights == 0 and not is_tried:  # there is nothing to remember of any level
            levels = 0
            continue
        is_tried = False
        for span in range(matter.first[column], last):
            floor = matter.top[span] * matter.voxel
            if floor < lowest or floor > highest or count == _MOST_LEVELS:
                continue
            if room_above(matter, span, last) < rules.height - TINY:
                continue
            tried = 0
            for level in range(before):
                if abs(floors[now, level] - floor) <= rules.climb + TINY:
                    tried = max(tried, tries[now, level])
            is_there = covered & heights_between(floor - within, floor + within) != 0
            if is_there and tried < _TRIES and found < MOST_LANDINGS:
                tried, kind = _try(matter, rules, ground, places, search, row, ledge, x, floor, z, tried)
                if kind != NO_KIND:
                    landings.kind[row, found] = kind
                    landings.point[row, found, 0] = x
                    landings.point[row, found, 1] = floor
                    landings.point[row, found, 2] = z
                    found += 1
            floors[1 - now, count], tries[1 - now, count] = floor, tried
            is_tried |= tried > 0
            count += 1
        now, levels = 1 - now, count


@borrowing
def _try(
    matter: Matter, rules: Rules, ground: Ground, places: Places, search: Search, row: AnyInt, ledge: float, x: float,
    y: float, z: float, tried: int,
) -> tuple[int, int]:  # fmt: skip
    """How often a level was tried after this, and the kind of link that leads there."""
    polygon = polygon_at(ground, x, y, z, rules.climb + rules.voxel)
    if polygon < 0:
        return tried, NO_KIND
    start_x, start_y, start_z = places.point[row]
    kind = kind_between(matter, rules, start_x, start_y, start_z, x, y, z, ledge, True)
    if kind == NO_KIND:
        return tried + 1, NO_KIND
    straight = np.sqrt((x - start_x) ** 2 + (y - start_y) ** 2 + (z - start_z) ** 2)
    limit = min(rules.detour * straight, FARTHEST_WALK)
    way = Way(start_x, start_y, start_z, x, y, z)
    if is_walked(ground, search, places.polygon[row], polygon, way, limit):
        return _DONE, NO_KIND
    return _DONE, kind
