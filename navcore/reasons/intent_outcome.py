"""What became of a level's intent in a navmesh: which paths and places are there, and why the others are not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..build_warning import Point, place_in_words
from ..builder.build_level import build_navmesh
from ..builder.checked_input import checked_geometry
from ..detour.queries.islands import find_islands
from ..detour.queries.seeds import seed_reach
from ..detour.queries.why_off_navmesh import why_off_navmesh
from ..errors import BadInput, TooLarge
from ..formats.plain_navmesh import plain_navmesh
from ..level_source import LevelSource, Links, Seeds, Volumes
from ..navquery.query_filter import QueryFilter
from ..navquery.status import PathStatus
from ..progress import Progress
from ..questions.island_joins import IslandJoin, Missing, island_join
from ..questions.nav_query import NavQuery
from ..questions.nearest_pair import IslandGround
from ..result.navmesh import NavMesh
from ..scene import Seed, as_seeds
from ..settings import Settings
from ..types import ArrayLike, Geometry
from .intent import CLOSED, REACHABLE, Intent, MustReach, PathTest
from .reason import Reason
from .standing_places import Limits, Stand, is_place, stands, without_solids
from .why import WhyHere

_MAX_REASONS = 20  # places that the level is asked about; others are told how far away the navmesh is
_MAX_JOINS = 3  # failures for which settings and links are tried
_ORDINARY = QueryFilter()
_STAGE = "navmesh"  # what is asked after all others


class BuiltFrom(NamedTuple):
    """The level that a navmesh was built from, as `build_navmesh` takes it: reasons are asked of it."""

    vertices: ArrayLike
    triangles: ArrayLike
    areas: ArrayLike | None = None
    volumes: Volumes = ()
    links: Links = ()
    bounds: Sequence[float] | None = None
    threads: int | None = None

    @classmethod
    def of(cls, source: LevelSource, threads: int | None = None) -> BuiltFrom:
        """The same of a bundle."""
        return cls(
            source.vertices, source.triangles, source.areas, source.volumes, source.links, source.bounds, threads
        )  # fmt: skip

    @property
    def source(self) -> LevelSource:
        """The level as a bundle."""
        return LevelSource(*self[:-1])

    def try_build(self, settings: Settings, bounds: tuple[float, ...]) -> NavMesh:
        """A piece of the level with other settings."""
        if self.bounds is not None:
            low = [max(a, b) for a, b in zip(bounds[:3], self.bounds[:3], strict=True)]
            bounds = (*low, *(min(a, b) for a, b in zip(bounds[3:], self.bounds[3:], strict=True)))
        piece = replace(self.source, links=(), bounds=bounds)
        return build_navmesh(piece, settings=replace(settings, detail_mesh=False), threads=self.threads)


class PathOutcome(NamedTuple):
    """What became of a path."""

    test: PathTest
    ok: bool
    status: str  # a name of PathStatus in small letters; "too_large" where nothing could be asked
    length: float | None = None  # metres, as far as it leads; None where it does not begin
    missing: float | None = None  # metres from there to its end
    reason: Reason | None = None  # None where all is well
    join: IslandJoin | None = None  # what would join both ends, where that is known
    aside: tuple[float | None, float | None] = (None, None)  # metres from start and end to the navmesh, seen from above

    def to_mapping(self) -> dict[str, Any]:
        """A row of a report."""
        join = self.join
        link = None if join is None or join.missing is not Missing.LINK else {"start": join.start, "end": join.end}
        return {
            "name": self.test.name, "from": list(self.test.start), "to": list(self.test.end),
            "ok": self.ok, "status": self.status, "length": self.length, "missing": self.missing,
            "aside": list(self.aside),
            **self.test.states(), **_reason_in_row(self.reason), "link": link,
            "setting": None if join is None else join.setting, "suggested": None if join is None else join.value,
        }  # fmt: skip


class PlaceOutcome(NamedTuple):
    """What became of a place."""

    place: MustReach
    ok: bool
    reason: Reason | None = None
    stand: Stand = Stand()  # how far it lies from the navmesh

    def to_mapping(self) -> dict[str, Any]:
        """A row of a report."""
        name = self.place.name or place_in_words(self.place.point)
        far = {"aside": self.stand.aside, "above": self.stand.above}
        return {"name": name, "point": list(self.place.point), "ok": self.ok, **far, **_reason_in_row(self.reason)}


def _reason_in_row(reason: Reason | None) -> dict[str, str]:
    return {"code": "", "why": ""} if reason is None else {"code": reason.code, "why": reason.sentence}


class IntentOutcome(NamedTuple):
    """What became of each, in the order of the intent."""

    paths: tuple[PathOutcome, ...] = ()
    points: tuple[PlaceOutcome, ...] = ()


def check_intent(
    navmesh: NavMesh,
    intent: Intent,
    *,
    seeds: Seeds = (),
    level: BuiltFrom | None = None,
    query_filter: QueryFilter = _ORDINARY,
    query: NavQuery | None = None,
    progress: Progress | None = None,
    refuse_unknown_doors: bool = True,
) -> IntentOutcome:
    """Whether every path and place of an intent is there.

    A path is there where agents get from its start to its end, over links, too, with doors as its test says; one that
    must not be there holds where both ends are on the navmesh and no way leads from one to the other. `query_filter`
    says what areas cost. A place is there where agents can stand, and, where there are `seeds`, if one of them gets
    there. Places and ends may lie aside of the navmesh by the agent's radius and a cell, or what they say themselves,
    and above or below it by its climb; with `level`, none inside of a solid is there.
    With `level` a failure has the first rule that removed its place, and what would join both ends of a path: that
    takes milliseconds for each, or as long as a tile takes to build. `query`: the same navmesh, ready for questions.
    A test of a door that there is not is refused, or fails. Raises BadInput, Cancelled.
    """
    reasons = _Reasons(navmesh, level, query, progress or Progress(None))
    try:
        return IntentOutcome(
            _paths(reasons, intent.paths, query_filter, refuse_unknown_doors) if intent.paths else (),
            _places(reasons, intent.points, as_seeds(seeds)) if intent.points else (),
        )
    except TooLarge as error:  # of tiles that runtime data cannot hold nothing can be asked
        reason = Reason(error.code, _STAGE, str(error))
        return IntentOutcome(
            tuple(PathOutcome(test, False, "too_large", reason=reason) for test in intent.paths),
            tuple(PlaceOutcome(place, False, reason) for place in intent.points),
        )


def _paths(reasons: _Reasons, tests: Sequence[PathTest], rule: QueryFilter, refuse: bool) -> tuple[PathOutcome, ...]:
    """Each test with its doors as it says; the query that was given keeps its own."""
    found: dict[int, PathOutcome] = {}
    for state in dict.fromkeys(test.doors for test in tests):
        numbers = [number for number, test in enumerate(tests) if test.doors == state]
        try:
            query = _with_doors(reasons.query, tests[numbers[0]]) if state else reasons.query
        except BadInput as error:
            if refuse:
                raise BadInput(f"Path test “{tests[numbers[0]].name}”: {error}", error.code) from None
            unknown = Reason(error.code, _STAGE, str(error))
            found.update((n, PathOutcome(tests[n], False, "no_door", reason=unknown)) for n in numbers)
            continue
        rows = _paths_of(reasons, query, [tests[n] for n in numbers], rule)
        found.update(zip(numbers, map(_expected, rows), strict=True))
    return tuple(found[number] for number in range(len(tests)))


def _with_doors(query: NavQuery, test: PathTest) -> NavQuery:
    own = query.as_it_is()
    for name, state in test.doors:
        own.set_door(name, closed=state == CLOSED)
    return own


def _expected(row: PathOutcome) -> PathOutcome:
    """The outcome by what the test expects: a path that must not be there, between ends that are."""
    if row.test.expect == REACHABLE:
        if row.ok or not row.test.doors or row.reason is None:
            return row
        return row._replace(
            reason=row.reason._replace(sentence=f"{_in_words(row.test).rstrip()}: {row.reason.sentence}")
        )
    if row.ok:
        said = f"{_in_words(row.test)}the end can be reached in {row.length or 0:.2f} m, and must not be."
        said = said[:1].upper() + said[1:]
        way_out = "Look for another way around, or at whether the door is as wide as its opening."
        return row._replace(ok=False, reason=Reason("REACHABLE", _STAGE, f"{said} {way_out}"))
    is_cut_off = row.aside != (None, None) and row.reason is not None and row.reason.code == "NO_WAY"
    return row._replace(ok=True, reason=None, join=None) if is_cut_off else row


def _in_words(test: PathTest) -> str:
    """The doors of a test, to begin a sentence with."""
    return f"With {' and '.join(f'“{name}” {state}' for name, state in test.doors)} " if test.doors else ""


def _paths_of(
    reasons: _Reasons, query: NavQuery, tests: Sequence[PathTest], rule: QueryFilter
) -> tuple[PathOutcome, ...]:
    paths = query.find_paths(
        [test.start for test in tests], [test.end for test in tests], rule, partial="closest", max_nodes=None,
        max_path=None, max_points=None, threads=None if reasons.level is None else reasons.level.threads,
    )  # fmt: skip
    found = reasons.standing([MustReach("", p, test.within) for test in tests for p in (test.start, test.end)])
    ends = zip(found[::2], found[1::2], strict=True)
    rows = zip(tests, ends, paths.status.tolist(), paths.length.tolist(), paths.missing.tolist(), strict=True)
    return tuple(
        _path(reasons, test, PathStatus(status), length, missing)._replace(aside=(start.aside, end.aside))
        if status == PathStatus.NOT_FINITE or (start.polygon and end.polygon)
        else _off(reasons, test, start, end, None if math.isnan(missing) else missing)
        for test, (start, end), status, length, missing in rows
    )


def _off(reasons: _Reasons, test: PathTest, start: Stand, end: Stand, far: float | None) -> PathOutcome:
    """A path one end of which nobody stands on."""
    which, point, stand = ("end", test.end, end) if start.polygon else ("start", test.start, start)
    reason = reasons.off_navmesh(point, stand)
    said = f"There is no navmesh near the {which}. {reason.sentence}"
    aside = (start.aside, end.aside)
    return PathOutcome(test, False, f"no_{which}", None, far, reason._replace(sentence=said), aside=aside)


def _path(reasons: _Reasons, test: PathTest, status: PathStatus, length: float, missing: float) -> PathOutcome:
    word, far = status.name.lower(), None if math.isnan(missing) else missing
    if status is PathStatus.COMPLETE:
        return PathOutcome(test, True, word, length, far)
    if status in (PathStatus.NO_START, PathStatus.NO_END):
        end, point = ("start", test.start) if status is PathStatus.NO_START else ("end", test.end)
        reason = reasons.off_navmesh(point, Stand())  # the filter keeps agents out
        said = f"There is no navmesh near the {end}. {reason.sentence}"
        return PathOutcome(test, False, word, None, far, reason._replace(sentence=said))
    if status is PathStatus.NOT_FINITE:
        lost = Reason("NOT_FINITE", _STAGE, "The start or the end is no place, or too far away. Move it to the level.")
        return PathOutcome(test, False, word, reason=lost)
    join = reasons.join(test.end, [test.start])
    missed = "" if far is None else f", {far:.2f} m are missing"
    what = "" if join is None else f" What would do: {join.sentence}."
    cut_off = Reason("NO_WAY", _STAGE, f"The end cannot be reached{missed}.{what}")
    return PathOutcome(test, False, word, length, far, cut_off, join)


def _places(reasons: _Reasons, places: Sequence[MustReach], seeds: Sequence[Seed]) -> tuple[PlaceOutcome, ...]:
    on_it = [seed for seed, on in zip(seeds, _standing(reasons, [seed.point for seed in seeds]), strict=True) if on]
    reached = _reached(reasons.query, _standing(reasons, [seed.point for seed in on_it]))
    found = []
    for place, stand in zip(places, reasons.standing(places), strict=True):
        if not stand.polygon:
            found.append(PlaceOutcome(place, False, reasons.off_navmesh(place.point, stand), stand))
        elif seeds and stand.polygon not in reached:
            reason = Reason("UNREACHABLE", _STAGE, _cut_off(reasons, place, on_it))
            found.append(PlaceOutcome(place, False, reason, stand))
        else:
            found.append(PlaceOutcome(place, True, None, stand))
    return tuple(found)


def _cut_off(reasons: _Reasons, place: MustReach, seeds: Sequence[Seed]) -> str:
    """Why nobody comes to a place on the navmesh; `seeds` are those that stand on it."""
    if not seeds:
        return "No seed stands on the navmesh, so nobody sets out for here. Move the seeds to ground."
    join = reasons.join(place.point, [seed.point for seed in seeds])
    what = "Add a link or a seed." if join is None else f"What would do: {join.sentence}."
    whom = "the seed that stands" if len(seeds) == 1 else f"any of the {len(seeds):,} seeds that stand"
    return f"No way leads here from {whom} on the navmesh. {what}"


def _standing(reasons: _Reasons, points: Sequence[Point]) -> list[int]:
    """The polygon that a seed stands on at each point, 0 for none."""
    aside, above = seed_reach(reasons.navmesh.settings)
    asked = np.array([point if is_place(point) else (0.0, 0.0, 0.0) for point in points]).reshape(-1, 3)
    found = reasons.query.nearest(asked, (aside, above, aside))
    near = (np.abs(found.points - asked) <= (aside, above, aside)).all(axis=1)  # the box is that of whole polygons
    on = np.where(near, found.references, 0).tolist()
    return [polygon if is_place(point) else 0 for point, polygon in zip(points, on, strict=True)]


def _reached(query: NavQuery, polygons: Iterable[int]) -> set[int]:
    """All that agents reach who set out from these."""
    reached: set[int] = set()
    for polygon in polygons:
        if polygon not in reached:
            reached.update(query.reachable_from(np.array([polygon], np.uint32)).references.tolist())
    return reached


class _Reasons:
    """Why something is not there. What takes long is computed when it is first asked for."""

    def __init__(self, navmesh: NavMesh, level: BuiltFrom | None, query: NavQuery | None, progress: Progress) -> None:
        self.navmesh, self.level, self._given, self._progress = navmesh, level, query, progress
        self._asked = self._joined = 0

    @cached_property
    def query(self) -> NavQuery:
        return self._given or NavQuery(self.navmesh)

    @cached_property
    def _here(self) -> WhyHere | None:
        level = self.level
        return level and WhyHere(level.source, settings=self.navmesh.settings, threads=level.threads)

    @cached_property
    def _geometry(self) -> Geometry | None:
        level = self.level
        return None if level is None else checked_geometry(level.vertices, level.triangles, level.areas)

    def standing(self, places: Sequence[MustReach]) -> list[Stand]:
        """Where places stand, by their limits."""
        points, settings = [place.point for place in places], self.navmesh.settings
        found = stands(self.query, points, [Limits.of(settings, place.within, place.above) for place in places])
        if self._geometry is None:
            return found
        return without_solids(self.query, points, found, self._geometry, settings, lambda: self._ground)

    def off_navmesh(self, point: Point, stand: Stand) -> Reason:
        """The first rule that removed a place; without a level how far the navmesh is."""
        self._progress.check()
        if stand.solid:
            return Reason("INSIDE_SOLID", _STAGE, stand.distance)
        reason = self._removed(point, stand)
        said = f"{reason.sentence} {stand.distance}".rstrip()
        return reason._replace(sentence=said)

    def _removed(self, point: Point, stand: Stand) -> Reason:
        if not is_place(point):
            return Reason("NOT_FINITE", _STAGE, "Its location is no number, or too far away. Move it to the level.")
        self._asked += 1
        here = self._here if self._asked <= _MAX_REASONS else None
        if here is not None:
            reason = here.ask(point)
            if not reason.walkable:
                return reason
            if self.navmesh.report.counts.get("pruned_polygons"):
                left_out = "It was left out, because no way leads here from any seed. Add a link or a seed."
                return Reason("UNREACHABLE", "pruned", left_out)
        if stand.distance:
            return Reason("OFF_NAVMESH", _STAGE, "It is not on the navmesh. Move it there, or raise the limit.")
        why = why_off_navmesh(self.navmesh, point, self._geometry)
        return Reason("OFF_NAVMESH", _STAGE, why[:1].upper() + why[1:])

    def join(self, point: Point, others: Sequence[Point]) -> IslandJoin | None:
        """What would join the island of a place to that of one of the others, None where nobody knows."""
        self._progress.check()
        if self.level is None or self._joined >= _MAX_JOINS:
            return None
        island, goals = self._island(point), {self._island(other) for other in others}
        if island < 0 or island in goals:
            return None
        self._joined += 1
        for here, there in ((island, goals), *((goal, {island}) for goal in sorted(goals))):
            if (found := self._nearest(here, there)) is not None:
                return found
        return None

    def _nearest(self, island: int, goals: Set[int]) -> IslandJoin | None:
        """To the island that is nearest, if it is one of the goals."""
        assert self.level is not None
        ground = self._ground
        try:
            join = island_join(ground, island, self.navmesh.settings)
            if join is None or join.other not in goals:
                return None
            return island_join(ground, island, self.navmesh.settings, self.level.try_build)
        except (BadInput, TooLarge):  # a piece of the level that cannot be built by itself tells nothing
            return None

    @cached_property
    def _ground(self) -> IslandGround:
        plain = plain_navmesh(self.navmesh)
        islands = find_islands(self.navmesh).of_polygon
        return IslandGround(plain.vertices, plain.first, plain.corners, plain.neighbors, islands)

    def _island(self, point: Point) -> int:
        """The island below the end of a path, as `find_islands` numbers them; below 0 for none."""
        return int(self.query.islands(self.query.nearest(point).references).numbers[0])
