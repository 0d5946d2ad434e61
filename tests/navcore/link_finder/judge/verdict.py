"""What found links are worth: how many possible ones are there, how many are wrong, needless, or there twice."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from navcore import NavMesh, NavQuery, Settings
from navcore.navquery.status import PathStatus
from navcore.result.wide_link_records import wide_link_points

from .distances import F64, Bools
from .edges import ledges, possible_links, standing
from .swept import Agent, Solid, both_ways_free, wall_free, ways_free

_ENOUGH = 10.0  # metres: whoever walks so far is glad of a link
_CLEARLY = 1.2  # times the limit: walking that is clearly long, or clearly short below the limit divided by it
_SIDE_BY_SIDE = 0.5  # metres
_NEAR = 1.0  # metres: links whose ends lie nearer to each other are doubles


class Verdict(NamedTuple):
    """Counts, so that those of many levels can be added."""

    possible: int
    covered: int
    places: int
    false: int
    other_arc: int  # free straight down only, though a little too far out for that
    needless: int
    links: int
    doubles: int

    def __add__(self, other: object) -> Verdict:
        assert isinstance(other, Verdict)
        return Verdict(*(a + b for a, b in zip(self, other, strict=True)))

    def in_words(self) -> str:
        def share(part: int, whole: int) -> float:
            return 100 * part / whole if whole else 0.0

        return (
            f"{self.links} links; "
            f"covered {self.covered} of {self.possible} ({share(self.covered, self.possible):.2f} %), "
            f"false {self.false} of {self.places} ({share(self.false, self.places):.2f} %), "
            f"and {self.other_arc} straight down only, "
            f"needless {self.needless} ({share(self.needless, self.places):.2f} %), "
            f"doubles {self.doubles} ({share(self.doubles, self.links):.2f} %)"
        )


class Case(NamedTuple):
    """One thing that is wrong."""

    what: str
    start: tuple[float, ...]
    end: tuple[float, ...]


def judge(
    navmesh: NavMesh, vertices: npt.ArrayLike, triangles: npt.ArrayLike, cases: list[Case] | None = None
) -> Verdict:
    """A build with links; `cases` grows by what is wrong."""
    told = [] if cases is None else cases
    solid = Solid(vertices, triangles)
    walking = NavQuery(replace(navmesh, links=navmesh.given_links, wide_links=()))
    starts, ends = possible_links(navmesh, solid, walking)
    with_links = NavQuery(_with_points_side_by_side(navmesh))
    possible, covered = _coverage(starts, ends, walking, with_links, navmesh.settings, told)
    places, false, other_arc, needless = _places(navmesh, solid, walking, told)
    doubles = _doubles(navmesh, told)
    return Verdict(possible, covered, places, false, other_arc, needless, len(navmesh.wide_links), doubles)


def _with_points_side_by_side(navmesh: NavMesh) -> NavMesh:
    """Found links as wide as they are: a point every half metre, whatever files are meant to have."""
    points = [
        point
        for wide in navmesh.wide_links
        for point in wide_link_points(
            wide.corners,
            _SIDE_BY_SIDE,
            bidirectional=wide.bidirectional,
            area=wide.area,
            flags=wide.flags,
            number=wide.id,
        )
    ]
    return replace(navmesh, links=navmesh.given_links + tuple(points), wide_links=())


def _walks(query: NavQuery, starts: F64, ends: F64, settings: Settings) -> F64:
    """Metres; infinite where no way leads there."""
    up = max(settings.agent_max_climb, 2 * settings.cell_height) + settings.cell_height
    extents = (2 * settings.cell_size, up, 2 * settings.cell_size)
    paths = query.find_paths(starts, ends, extents=extents, exact=True, max_nodes=None, max_path=None, max_points=None)
    return np.where(paths.status == PathStatus.COMPLETE, paths.length, np.inf)


def _limits(starts: F64, ends: F64, settings: Settings) -> F64:
    return np.minimum(settings.link_detour * np.sqrt(((ends - starts) ** 2).sum(axis=1)), _ENOUGH)


def _coverage(
    starts: F64, ends: F64, walking: NavQuery, with_links: NavQuery, settings: Settings, told: list[Case]
) -> tuple[int, int]:
    """How many possible links are far on foot, and for how many of those the links that were found do."""
    if not len(starts):
        return 0, 0
    fair = _walks(walking, starts, ends, settings) >= _CLEARLY * _limits(starts, ends, settings)
    starts, ends = starts[fair], ends[fair]
    if not len(starts):
        return 0, 0
    length = np.sqrt(((ends - starts) ** 2).sum(axis=1))
    bound = np.minimum(_ENOUGH, np.maximum(4.0, 3 * length))
    missing = np.flatnonzero(_walks(with_links, starts, ends, settings) > bound)
    told += [_case("missing", starts[k], ends[k]) for k in missing]
    return len(starts), len(starts) - len(missing)


def _places(navmesh: NavMesh, solid: Solid, walking: NavQuery, told: list[Case]) -> tuple[int, int, int, int]:
    """A place for every cell along links: how many there are, are false, are free one way only, and are needless."""
    settings, kinds, two_way = navmesh.settings, list[str](), list[bool]()
    rows: list[tuple[F64, F64]] = []
    for wide in navmesh.wide_links:
        a, b, c, d = (np.array(corner, np.float64) for corner in wide.corners)
        count = max(int(np.linalg.norm(b - a) / settings.cell_size), 1)
        rows += [(a + part * (b - a), c + part * (d - c)) for part in (np.arange(count) + 0.5) / count]
        kinds += [wide.kind] * count
        two_way += [wide.bidirectional] * count
    if not rows:
        return 0, 0, 0, 0
    starts, ends = (np.array([row[k] for row in rows]) for k in (0, 1))
    strict, free = _are_free(starts, ends, kinds, two_way, solid, settings)
    on_ground = _are_near(walking, starts, settings) & _are_near(walking, ends, settings)
    false = np.flatnonzero(~(free & on_ground))
    for k in false:
        why = "through matter, or without a ledge" if on_ground[k] else "beside the navmesh"
        told.append(_case(f"false {kinds[k]}, {why}", starts[k], ends[k]))
    needless = np.flatnonzero(_walks(walking, starts, ends, settings) < _limits(starts, ends, settings) / _CLEARLY)
    told += [_case(f"needless {kinds[k]}", starts[k], ends[k]) for k in needless]
    return len(rows), len(false), int((free & ~strict & on_ground).sum()), len(needless)


def _are_free(
    starts: F64, ends: F64, kinds: list[str], two_way: list[bool], solid: Solid, settings: Settings
) -> tuple[Bools, Bools]:
    """Of each place whether agents get across along its arc, and along any that it may mean; every way that it goes.

    Over what rises by a voxel more than they climb, they may or may not get: navmeshes know heights no better.
    """
    starts, ends = standing(solid, starts, settings), standing(solid, ends, settings)
    strict, free = np.zeros(len(starts), bool), np.zeros(len(starts), bool)
    for up in (settings.agent_max_climb, Agent.of(settings).climb):
        for all_, found in zip(
            (strict, free), _free_with(up, starts, ends, kinds, two_way, solid, settings), strict=True
        ):
            all_ |= found
    return strict, free


def _free_with(
    up: float, starts: F64, ends: F64, kinds: list[str], two_way: list[bool], solid: Solid, settings: Settings
) -> tuple[Bools, Bools]:
    """The same where what rises by more than `up` is a wall."""
    out, back = (_edges(solid, *both, settings, up) for both in ((starts, ends), (ends, starts)))
    strict, free = np.zeros(len(starts), bool), np.zeros(len(starts), bool)
    for k, kind in enumerate(kinds):
        there, here = (starts[k], ends[k], float(out[k])), (ends[k], starts[k], float(back[k]))
        if starts[k, 1] < ends[k, 1] and (kind == "climb" or two_way[k]):
            there, here = here, there
        if kind == "climb":
            strict[k] = free[k] = settings.link_climb_height > 0 and wall_free(solid, *there, settings)
        elif not two_way[k]:
            strict[k], free[k] = ways_free(solid, *there, settings, Agent.of(settings))
        else:
            strict[k], free[k] = both_ways_free(solid, there, here, settings)
    return strict, free


def _edges(solid: Solid, starts: F64, ends: F64, settings: Settings, up: float) -> F64:
    """How far the floor goes on from each start towards its end; infinite where it does not end on the way."""
    across = (ends - starts)[:, ::2]
    lengths = np.sqrt((across**2).sum(axis=1))
    edges = ledges(solid, starts, across / np.maximum(lengths, 1e-9)[:, None], settings, up)
    return np.where(edges <= lengths, edges, np.inf)


def _are_near(query: NavQuery, points: F64, settings: Settings) -> Bools:
    """Whether ground is under or over each point, or within a cell."""
    up = max(settings.agent_max_climb, 2 * settings.cell_height)
    return np.asarray(query.nearest(points, (settings.cell_size, up, settings.cell_size)).references != 0)


def _case(what: str, start: F64, end: F64) -> Case:
    return Case(what, tuple(start.round(2).tolist()), tuple(end.round(2).tolist()))


def _doubles(navmesh: NavMesh, told: list[Case]) -> int:
    """Links both of whose ends lie near those of another of their kind, whichever way that goes."""
    middles = [np.array(wide.corners).reshape(2, 2, 3).mean(axis=1) for wide in navmesh.wide_links]
    count = 0
    for k, (wide, ends) in enumerate(zip(navmesh.wide_links, middles, strict=True)):
        for other, there in zip(navmesh.wide_links[:k], middles[:k], strict=True):
            ways = [there, there[::-1]] if wide.bidirectional else [there]
            if other.kind == wide.kind and any(np.linalg.norm(ends - way, axis=1).max() <= _NEAR for way in ways):
                count += 1
                told.append(_case(f"double {wide.kind}", ends[0], ends[1]))
                break
    return count
