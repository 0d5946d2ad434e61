"""Where one comes down: from each place straight out, over the end of the floor, to the first landing of each level."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, kernel
from ..surroundings.solid_matter import TINY, Matter, column_at, room_above
from ..surroundings.walkable_ground import Ground, heights_between, is_covered, polygon_at
from ..surroundings.wall_chains import Places
from ..types import F64, I32, I64, AnyInt
from .arcs import Position, kind_between, ledge_distance
from .rules import LinkRules
from .walking_distance import WalkSearch, is_walked

MAX_LANDINGS = 4  # of one place
_MAX_LEVELS = 16
_TRIES = 2  # behind a landing that nobody gets to, half a cell farther each
_DONE = 100
FARTHEST_WALK = 10.0  # metres: a link that saves so much is worth having, however long it is
NO_KIND = -1


class Landings(NamedTuple):
    """Of each place, at most so many."""

    kind: I32  # (S, MAX_LANDINGS), NO_KIND for none
    point: F64  # (S, MAX_LANDINGS, 3)


@kernel
def no_landings(count: int) -> Landings:
    """Room for those of so many places."""
    return Landings(np.full((count, MAX_LANDINGS), NO_KIND, np.int32), np.empty((count, MAX_LANDINGS, 3)))


class _Look(NamedTuple):
    """Where landings are looked for, and how."""

    matter: Matter
    rules: LinkRules
    ground: Ground
    places: Places
    landings: Landings
    search: WalkSearch


class _Levels(NamedTuple):
    """Floors at one step and at the step before that were tried, and how often."""

    floors: F64  # (2, _MAX_LEVELS)
    tries: I64  # (2, _MAX_LEVELS)


class _Heights(NamedTuple):
    """Between which heights one may land."""

    lowest: float
    highest: float
    bits: np.uint16  # of `heights_between`


@kernel
def fill_landings(
    matter: Matter, rules: LinkRules, ground: Ground, places: Places, landings: Landings, search: WalkSearch
) -> None:  # fmt: skip
    """Find the landings of all of these places, which have none."""
    look = _Look(matter, rules, ground, places, landings, search)
    levels = _Levels(np.empty((2, _MAX_LEVELS)), np.empty((2, _MAX_LEVELS), np.int64))
    for row in range(places.first[-1]):
        _look_out(look, row, levels)


@borrowing
def _look_out(look: _Look, row: AnyInt, levels: _Levels) -> None:
    """Find the landings of a place, if the ground ends there and goes on behind."""
    matter, rules, ground = look.matter, look.rules, look.ground
    x, y, z = look.places.point[row]
    out_x, out_z = look.places.out[row]
    ledge = -1.0 if np.isnan(y) else ledge_distance(matter, rules, Position(x, y, z), out_x, out_z)
    if ledge > 0:
        highest = y + rules.jump_height + rules.voxel + TINY
        lowest = y - max(rules.drop_height, rules.jump_height, rules.climb_height) - rules.voxel - TINY
        within = rules.climb + rules.voxel
        heights = _Heights(lowest, highest, heights_between(lowest - within, highest + within))
        away = _first_ground(rules, ground, x, z, out_x, out_z, ledge, heights.bits)
        if away < np.inf:
            _land(look, row, ledge, away, heights, levels)


@borrowing
def _first_ground(
    rules: LinkRules, ground: Ground, x: float, z: float, out_x: float, out_z: float, ledge: float, heights: np.uint16
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
def _land(look: _Look, row: AnyInt, ledge: float, away: float, heights: _Heights, levels: _Levels) -> None:
    """Look at each level from so far away on, as long as it goes on without a step that is too high.

    Only levels that were tried are remembered: of the others there is nothing to know. Where none of a column can be
    tried any more, half a cell farther in the same column all is as before.
    """
    matter, rules, ground, places, landings = look.matter, look.rules, look.ground, look.places, look.landings
    floors, tries = levels.floors, levels.tries
    within, are_apart = rules.climb + rules.voxel, rules.height > rules.climb + 3 * TINY
    now, known, found, settled = 0, 0, 0, -1  # the column of which that is so
    while away <= ledge + rules.landing_reach + TINY:
        x, z = places.point[row, 0] + places.out[row, 0] * away, places.point[row, 2] + places.out[row, 1] * away
        column = column_at(matter, x, z)
        if column < 0:
            return
        away += rules.step
        if column == settled:
            continue
        settled = column if are_apart else -1
        covered = ground.covered[column + matter.begin * matter.width]
        if covered & heights.bits == 0 and known == 0:
            continue
        last, before, count = matter.first[column + 1], known, 0
        known = 0
        for span in range(matter.first[column], last):
            floor = matter.top[span] * matter.voxel
            if floor > heights.highest or count == _MAX_LEVELS:
                break
            if floor < heights.lowest or room_above(matter, span, last) < rules.height - TINY:
                continue
            count += 1
            tried = 0
            for level in range(before):
                if abs(floors[now, level] - floor) <= rules.climb + TINY:
                    tried = max(tried, tries[now, level])
            if tried < _TRIES and covered & heights_between(floor - within, floor + within) != 0:
                tried, kind = _try(look, row, ledge, Position(x, floor, z), tried)
                if kind != NO_KIND:
                    landings.kind[row, found] = kind
                    landings.point[row, found, 0] = x
                    landings.point[row, found, 1] = floor
                    landings.point[row, found, 2] = z
                    found += 1
                    if found == MAX_LANDINGS:
                        return
                if tried < _TRIES:
                    settled = -1
            if tried > 0:
                floors[1 - now, known], tries[1 - now, known] = floor, tried
                known += 1
        now = 1 - now


@borrowing
def _try(look: _Look, row: AnyInt, ledge: float, at: Position, tried: int) -> tuple[int, int]:
    """How often a level was tried after this, and the kind of link that leads there."""
    rules, places = look.rules, look.places
    polygon = polygon_at(look.ground, at.x, at.y, at.z, rules.climb + rules.voxel)
    if polygon < 0:
        return tried, NO_KIND
    x, y, z = places.point[row]
    start = Position(x, y, z)
    kind = kind_between(look.matter, rules, start, at, ledge, True)
    if kind == NO_KIND:
        return tried + 1, NO_KIND
    straight = np.sqrt((at.x - x) ** 2 + (at.y - y) ** 2 + (at.z - z) ** 2)
    limit = min(rules.detour * straight, FARTHEST_WALK)
    if is_walked(look.ground, look.search, places.polygon[row], polygon, start, at, limit):
        return _DONE, NO_KIND
    return _DONE, kind
