"""What became of paths and places that must be there: kept with a setup after every build, asked again without one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import bpy

from ...navcore.errors import NavmeshError
from ..builds import finished_navmeshes
from ..gather.scene_intent import wanted_of
from ..stored.intent_results import Results, read_results, results_json
from ..stored.setup_properties import NavmeshSetup
from ..stored.setups import find_setup
from .navmesh_objects import build_of, navmesh_of_setup, polygon_mesh_of

if TYPE_CHECKING:
    from ...navcore.questions.nav_query import NavQuery
    from ...navcore.result.navmesh import NavMesh
    from ..builds.request_and_result import Checked

_MOST_SAID = 1  # failures that the line of a build names


def keep_outcome(scene: bpy.types.Scene, setup: str, build: str, checked: Checked) -> None:
    """Of the build of a setup, by its identity: the panel shows it, and the next build is compared with it."""
    row = find_setup(scene, setup)
    if row is not None:
        tests = [path.to_mapping() for path in checked.paths]
        places = [place.to_mapping() for place in checked.places]
        row.outcome = results_json(build, tests, places) if tests or places else ""


def outcome_of(scene: bpy.types.Scene, setup: NavmeshSetup) -> Results:
    """What became of them in the navmesh that is there; nothing where it is another build's, or gone."""
    object_ = navmesh_of_setup(scene, setup)
    results = read_results(setup.outcome)
    return results if object_ is not None and build_of(object_) == results.build else Results()


def failures_in_words(checked: Iterable[Checked]) -> str:
    """The end of the line that says what was built: nothing where all is there."""
    rows = [row for one in checked for row in one.rows]
    failed = [row for row in rows if not row["ok"]]
    if not failed:
        return ""
    more = f" And {len(failed) - _MOST_SAID:,} more: see the tab Test." if len(failed) > _MOST_SAID else ""
    wanted = "as wanted" if _expects_none(rows) else "there"
    counted = f"{len(failed):,} of {len(rows):,} paths and places {is_or_are(failed)} not {wanted}"
    return f" But {counted}: “{failed[0]['name']}”: {failed[0]['why']}{more}"


def none_fails(checked: Checked) -> str:
    """The same where all is there."""
    rows = checked.rows
    if not rows:
        return "There are no path tests and no places yet."
    wanted = "as wanted" if _expects_none(rows) else "there"
    return f"{len(rows):,} of {len(rows):,} paths and places {is_or_are(rows)} {wanted}."


def _expects_none(rows: Iterable[Mapping[str, object]]) -> bool:
    """Whether a test says that no way leads there: where it passes no path is there."""
    return any("expect" in row for row in rows)


def is_or_are(rows: Sequence[object]) -> str:
    """What so many do."""
    return "is" if len(rows) == 1 else "are"


def recheck(
    context: bpy.types.Context,
    scene: bpy.types.Scene,
    setup: NavmeshSetup,
    navmesh: NavMesh | None = None,
    query: NavQuery | None = None,
    *,
    reasons: bool = False,
) -> Checked:
    """Ask the navmesh of a setup for all paths and places again, without a build, and keep what comes of it.

    `navmesh`: as it is now, where that is not what the last build left in memory: so who builds tiles while somebody
    works hands it in after each update, and what is the same made ready for questions, `query`, if there is one. Costs
    a few milliseconds for a level of some thousand polygons, and nothing where nothing is asked for. With `reasons` the
    level is asked why: milliseconds more for each failure. `warnings` of the answer are what was there before.
    To be called on the main thread; creates nothing. Raises NavmeshError where there is no navmesh to ask.
    """
    from ..builds.intent_check import check, check_request  # here: Blender's start does not wait for NumPy

    build = build_of(polygon_mesh_of(scene, setup.uid))
    built = finished_navmeshes.find(build)
    if built is None:
        raise NavmeshError(
            f"There is no navmesh of “{setup.name}” of this session to ask. Build it first.", "NOTHING_TO_ASK"
        )
    wanted = wanted_of(context, scene, setup.uid, built.request.gathered.metres)
    request = built.request._replace(wanted=wanted)
    asked = built.navmesh if navmesh is None else navmesh
    checked = check_request(request, asked, query=query) if reasons else check(request, asked, None, query)
    keep_outcome(scene, setup.uid, build, checked)
    return checked
