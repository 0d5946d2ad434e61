"""Whether a navmesh has what its scene wants of it: on the thread that builds it. Nothing here may touch bpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..gather.gathered_level import Wanted
from ..stored.intent_results import AskedPath, path_key, place_key
from .request_and_result import Checked, Request

if TYPE_CHECKING:
    from ...navcore.build_warning import BuildWarning
    from ...navcore.navquery.query_filter import QueryFilter
    from ...navcore.progress import Progress
    from ...navcore.questions.nav_query import NavQuery
    from ...navcore.reasons.intent import Intent, PathTest
    from ...navcore.reasons.intent_outcome import BuiltFrom, IntentOutcome, PathOutcome, PlaceOutcome
    from ...navcore.result.navmesh import NavMesh

ReportRow = dict[str, Any]


def check_request(
    request: Request,
    navmesh: NavMesh,
    threads: int | None = None,
    query: NavQuery | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Of a navmesh that was just built: with reasons that are asked of its level."""
    level = None if request.gathered.own else level_of(request, threads)
    return check(request, navmesh, level, query, progress)


def rows_of_file(request: Request, navmesh: NavMesh, intent: Intent) -> tuple[list[ReportRow], list[ReportRow]]:
    """The same of what files ask for, as a report has it: paths and places."""
    if not (intent.paths or intent.points):
        return [], []
    from ...navcore.reasons.intent import OF_FILE
    from ...navcore.reasons.intent_outcome import check_intent

    level, seeds = None if request.gathered.own else level_of(request, None), request.gathered.seeds
    outcome = check_intent(navmesh, intent, seeds=seeds, level=level, query_filter=_costs(request))
    paths, places = ([{**row.to_mapping(), "origin": OF_FILE} for row in rows] for rows in outcome)
    return paths, places


def check(
    request: Request,
    navmesh: NavMesh,
    level: BuiltFrom | None,
    query: NavQuery | None = None,
    progress: Progress | None = None,
) -> Checked:
    """The same of any navmesh of a request's level; without `level` no reasons are looked for, so that it is cheap."""
    wanted, seeds = request.wanted, request.gathered.seeds
    intent = None if wanted is None else _with_seeds(wanted, request)
    if wanted is None or intent is None or not (intent.paths or intent.points):
        return Checked()
    from ...navcore.reasons.intent_outcome import check_intent

    outcome = check_intent(
        navmesh, intent, seeds=seeds, level=level, query_filter=_costs(request), query=query, progress=progress,
        refuse_unknown_doors=False,
    )  # fmt: skip
    return Checked(outcome.paths, outcome.points, tuple(_lost(outcome, wanted.passed)))


def level_of(request: Request, threads: int | None) -> BuiltFrom:
    """The level of a request, of which pieces can be tried with other settings."""
    from ...navcore.reasons.intent_outcome import BuiltFrom

    return BuiltFrom.of(request.level, threads)


def _with_seeds(wanted: Wanted, request: Request) -> Intent:
    """Seeds are places that must be walkable, too."""
    from ...navcore.reasons.intent import Intent, MustReach

    named = {place.name for place in wanted.intent.points}
    seeds = [MustReach(str(seed["name"]), tuple(seed["point"])) for seed in request.gathered.seeds]
    return Intent(wanted.intent.paths, (*wanted.intent.points, *(seed for seed in seeds if seed.name not in named)))


def _costs(request: Request) -> QueryFilter:
    from ...navcore.navquery.query_filter import QueryFilter

    return QueryFilter({row.area: row.cost for row in request.area_types})


def _lost(outcome: IntentOutcome, passed: frozenset[str]) -> list[BuildWarning]:
    """What was there before this build."""
    from ...navcore.build_warning import BuildWarning

    paths = [row for row in outcome.paths if not row.ok and path_key(_question(row.test)) in passed]
    places = [row for row in outcome.points if not row.ok and place_key(row.place.name) in passed]
    told = [
        BuildWarning("PATH_LOST", f"{_held(row)} before this build. {_why(row)} Change that, or remove the test.")
        for row in paths
    ]
    told += [
        BuildWarning(
            "PLACE_LOST",
            f"“{row.place.name}” was walkable before this build. {_why(row)} Change that, or move it.",
            name=row.place.name,
        )
        for row in places
    ]
    return told


def _held(row: PathOutcome) -> str:
    name = f"“{row.test.name}”"
    return f"The path {name} was there" if _question(row.test).wants_a_way else f"The path test {name} held"


def _question(test: PathTest) -> AskedPath:
    return AskedPath((test.start, test.end), test.doors, test.expect)


def _why(row: PathOutcome | PlaceOutcome) -> str:
    return "" if row.reason is None else row.reason.sentence
