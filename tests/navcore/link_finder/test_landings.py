"""Landings as a slow twin finds them: it looks at every half cell, and remembers every level of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from navcore.jit import kernel
from navcore.link_finder import find_links
from navcore.link_finder.arcs import Position, ledge_distance
from navcore.link_finder.landings import (
    MAX_LANDINGS,
    NO_KIND,
    Landings,
    _Heights,
    _land,
    _Levels,
    _Look,
    _try,
    no_landings,
)
from navcore.link_finder.rules import LinkRules
from navcore.link_finder.walking_distance import new_search
from navcore.surroundings.solid_matter import TINY, Matter, column_at, room_above
from navcore.surroundings.walkable_ground import Ground, heights_between
from navcore.surroundings.wall_chains import Places, Walker, fill_places, place_counts, room_for_places
from navcore.types import F64, AnyInt
from tests import scenes

MAX_LEVELS, TRIES = 16, 2
FAR = {"link_jump_distance": 4.0, "link_jump_height": 1.4, "link_drop_height": 6.0, "link_climb_height": 2.0}
LEVELS: list[tuple[scenes.Mesh, dict[str, Any]]] = [
    (scenes.city(2, 60), {}),
    (scenes.city(1, 30, 7), {**FAR, "cell_size": 0.15, "agent_radius": 0.2}),
    (scenes.slabs(8, 80, 30), {**FAR, "agent_height": 0.6, "agent_max_climb": 0.9, "agent_radius": 0.2}),
    (scenes.slabs(9, 80, 30), {**FAR, "agent_height": 0.9, "agent_max_climb": 0.9, "agent_radius": 0.3}),
]


class Around(NamedTuple):
    """What places look at."""

    matter: Matter
    rules: LinkRules
    ground: Ground
    places: Places


@pytest.fixture(params=range(len(LEVELS)))
def around(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Around]:
    mesh, settings = LEVELS[request.param]
    asked, real = list[Any](), find_links.links_along_walls

    def told(*arguments: Any) -> F64:
        asked.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(find_links, "links_along_walls", told)
    build_navmesh(*mesh, Settings(generate_links=True, **settings), threads=1)
    matter, rules, ground, walls, chains, _, _ = asked[-1]
    first = place_counts(walls, chains, rules.spacing)
    places = room_for_places(int(first[-1]))._replace(first=first)
    walker = Walker(rules.cell, rules.voxel, rules.radius, rules.height, rules.climb)
    fill_places(matter, walker, ground, walls, chains, places)
    return Around(matter, rules, ground, places)


@kernel
def every_half_cell(look: _Look, row: AnyInt, ledge: float, heights: _Heights) -> None:
    """The twin: landings of a place behind its ledge."""
    matter, rules, ground, places, landings = look.matter, look.rules, look.ground, look.places, look.landings
    within, away = rules.climb + rules.voxel, ledge
    while away < ledge + rules.radius - TINY:
        away += rules.step
    floors, tries, found = [0.0][:0], [0][:0], 0
    while away <= ledge + rules.landing_reach + TINY:
        x, z = places.point[row, 0] + places.out[row, 0] * away, places.point[row, 2] + places.out[row, 1] * away
        away += rules.step
        column = column_at(matter, x, z)
        if column < 0:
            return
        now, now_tries = [0.0][:0], [0][:0]
        last, covered = matter.first[column + 1], ground.covered[column + matter.begin * matter.width]
        for span in range(matter.first[column], last):
            floor = matter.top[span] * matter.voxel
            if floor < heights.lowest or floor > heights.highest or len(now) == MAX_LEVELS:
                continue
            if room_above(matter, span, last) < rules.height - TINY:
                continue
            tried = 0
            for level in range(len(floors)):
                if abs(floors[level] - floor) <= rules.climb + TINY:
                    tried = max(tried, tries[level])
            is_there = covered & heights_between(floor - within, floor + within) != 0
            if is_there and tried < TRIES and found < MAX_LANDINGS:
                tried, kind = _try(look, row, ledge, Position(x, floor, z), tried)
                if kind != NO_KIND:
                    landings.kind[row, found] = kind
                    landings.point[row, found, 0] = x
                    landings.point[row, found, 1] = floor
                    landings.point[row, found, 2] = z
                    found += 1
            now.append(floor)
            now_tries.append(tried)
        floors, tries = now, now_tries


@kernel
def both(around: Around, landings: Landings, slowly: Landings) -> int:
    """Landings of all places by the finder and by its twin; returns of how many places the floor ends."""
    matter, rules, ground, places = around
    search, count = new_search(len(ground.part)), 0
    look = _Look(matter, rules, ground, places, landings, search)
    slow = _Look(matter, rules, ground, places, slowly, search)
    levels = _Levels(np.empty((2, MAX_LEVELS)), np.empty((2, MAX_LEVELS), np.int64))
    for row in range(places.first[-1]):
        x, y, z = places.point[row]
        ledge = -1.0
        if not np.isnan(y):
            ledge = ledge_distance(matter, rules, Position(x, y, z), places.out[row, 0], places.out[row, 1])
        if ledge <= 0:
            continue
        count += 1
        highest = y + rules.jump_height + rules.voxel + TINY
        lowest = y - max(rules.drop_height, rules.jump_height, rules.climb_height) - rules.voxel - TINY
        away, within = ledge, rules.climb + rules.voxel
        while away < ledge + rules.radius - TINY:
            away += rules.step
        heights = _Heights(lowest, highest, heights_between(lowest - within, highest + within))
        _land(look, row, ledge, away, heights, levels)
        every_half_cell(slow, row, ledge, heights)
    return count


def test_landings_are_those_of_every_half_cell(around: Around) -> None:
    count = len(around.places.polygon)
    landings, slowly = no_landings(count), no_landings(count)
    assert both(around, landings, slowly) > 100
    assert (landings.kind == slowly.kind).all() and (landings.kind != NO_KIND).any(axis=1).sum() > 5
    found = landings.kind != NO_KIND
    assert landings.point[found].tobytes() == slowly.point[found].tobytes()


def test_bits_of_heights_are_those_of_each_metre() -> None:
    rng = np.random.default_rng(3)
    for low, more in zip(rng.uniform(-40, 40, 2000), rng.uniform(0, 18, 2000), strict=True):
        metres = range(int(np.floor(low)), int(np.floor(low + more)) + 1)
        assert bits_between(low, low + more) == sum({1 << (metre % 16) for metre in metres})


@kernel
def bits_between(low: float, high: float) -> int:
    return int(heights_between(low, high))


@kernel
def slow_ledge(matter: Matter, rules: LinkRules, at: Position, out: F64) -> float:
    """The twin: every column is looked for, and all of its spans are looked at."""
    floor, away = at.y, rules.step
    while away <= rules.ledge_reach + TINY:
        column = column_at(matter, at.x + out[0] * away, at.z + out[1] * away)
        if column < 0:
            return -1.0
        following = np.nan
        for span in range(matter.first[column], matter.first[column + 1]):
            height = matter.top[span] * matter.voxel
            if abs(height - floor) <= rules.climb + TINY:
                following = height
            elif height > floor and matter.bottom[span] * matter.voxel < floor + rules.height - TINY:
                return -1.0
        if np.isnan(following):
            return away
        floor = following
        away += rules.step
    return -1.0


@kernel
def ledges(around: Around) -> F64:
    """(., 2) of all places and of some beyond the level, by the finder and by its twin."""
    matter, rules, places = around.matter, around.rules, around.places
    found = np.empty((3 * places.first[-1], 2))
    for k in range(len(found)):
        row, aside = k // 3, k % 3 - 1
        x, y, z = places.point[row]
        side = matter.width * rules.cell
        at = Position(x + aside * (side - x), y, z + aside * (side - z))
        found[k, 0] = ledge_distance(matter, rules, at, places.out[row, 0], places.out[row, 1])
        found[k, 1] = slow_ledge(matter, rules, at, places.out[row])
    return found


def test_floors_end_where_a_look_at_every_column_says(around: Around) -> None:
    found = ledges(around)
    assert (found[:, 0] == found[:, 1]).all()
    assert (found > 0).sum() > 100 and (found < 0).sum() > 100
