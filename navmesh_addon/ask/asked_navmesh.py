"""The navmesh that questions go to: that of the active setup, made ready once, on a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import not_none
from ..builds import finished_navmeshes
from ..kept_value import KeptValue
from ..objects.built_from import request_again
from ..objects.navmesh_objects import SIZES, active_navmesh, build_of, metres_of, polygon_mesh_of, shown_build
from ..stored.area_types import area_rows
from ..stored.links_mesh import edits_changed
from ..stored.object_properties import PLAIN
from ..stored.setups import active_setup, scene_properties
from ..watch import out_of_date
from .door_states import DoorStates, states_since

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...navcore.navquery.query_filter import QueryFilter
    from ...navcore.questions.nav_query import NavQuery
    from ..builds.request_and_result import BuiltNavmesh
    from ..builds.run_builds import BuildJob
    from ..stored.setup_properties import NavmeshSetup
    from .question_thread import QuerySoon

_MOST = 2  # navmeshes that are kept ready
_Key = tuple[str, int]  # build, and number of what is newer than it
_again: dict[str, BuildJob] = {}  # by build: those of another session that are built again
_ready: dict[_Key, QuerySoon] = {}
_with_doors: KeptValue[tuple[_Key, DoorStates, QuerySoon] | None] = KeptValue(None)  # asked last


def newer_than_build(scene: bpy.types.Scene) -> int:
    """The number of the navmesh that follows the level and is asked in the place of the build's; 0: there is none."""
    setup = active_setup(scene)
    fresh = None if setup is None else finished_navmeshes.fresh(setup.uid)
    return 0 if fresh is None else fresh.number


def doors_now(scene: bpy.types.Scene) -> DoorStates:
    """Doors that are drawn in another state than the navmesh has that is asked."""
    setup = active_setup(scene)
    if setup is None or finished_navmeshes.fresh(setup.uid) is not None:  # what follows the level has its doors
        return ()
    built = finished_navmeshes.find(build_of(polygon_mesh_of(scene, setup.uid)))
    return () if built is None else states_since(scene, built.request.gathered)


def asked_navmesh(scene: bpy.types.Scene) -> NavQuery:
    """The navmesh of the active setup, with doors as they are drawn, ready for questions. Raises NavmeshError with the
    way to get there."""
    return soon_ready(scene).result()


def soon_ready(scene: bpy.types.Scene) -> QuerySoon:
    """The same, without waiting for it."""
    key, query = _as_built(scene)
    states = doors_now(scene)
    if not states:
        return query
    before = _with_doors.value
    if before is not None and before[:2] == (key, states):
        return before[2]
    from .question_thread import make_ready_with

    changed = make_ready_with(query, states)
    _with_doors.value = key, states, changed
    return changed


def _as_built(scene: bpy.types.Scene) -> tuple[_Key, QuerySoon]:
    """Which navmesh is asked, and itself, with doors as it has them."""
    setup = active_setup(scene)
    build = shown_build(scene)
    if setup is None or not build:
        raise NavmeshError("There is no navmesh to ask yet. Press Build Navmesh first.", "NOTHING_TO_ASK")
    _take_built()
    fresh = finished_navmeshes.fresh(setup.uid)
    key = build, 0 if fresh is None else fresh.number
    if key in _ready:
        return key, _ready[key]
    from .question_thread import make_ready, make_ready_after  # here: Blender's start does not wait for it

    while len(_ready) >= _MOST:
        del _ready[next(iter(_ready))]
    if fresh is not None:
        _ready[key] = make_ready(fresh.navmesh)
    elif bpy.app.background or finished_navmeshes.find(build) is not None:
        _ready[key] = make_ready(built_navmesh(scene, setup).navmesh)
    else:
        _ready[key] = make_ready_after(_build_again(scene, setup))
    return key, _ready[key]


def built_navmesh(scene: bpy.types.Scene, setup: NavmeshSetup) -> BuiltNavmesh:
    """The navmesh of a setup with all that it was built from: from memory, else built again as it was.

    Raises NavmeshError, also where its level is another one by now.
    """
    build = build_of(polygon_mesh_of(scene, setup.uid))
    if not build:
        raise NavmeshError("There is no navmesh to ask yet. Press Build Navmesh first.", "NOTHING_TO_ASK")
    built = finished_navmeshes.find(build)
    if built is not None:
        return built
    if build not in _again:
        _build_again(scene, setup)
    job = _again[build]
    job.wait()
    if job.error is not None:
        del _again[build]
        raise job.error
    _take_built()
    return not_none(job.result)[0]


def _build_again(scene: bpy.types.Scene, setup: NavmeshSetup) -> BuildJob:
    """What was built in another session, once more on a thread: what is shown and exported can be asked."""
    from ..builds.run_builds import BuildJob  # here: Blender's start does not wait for it
    from ..builds.threads_and_kernel_folder import usual_means

    object_ = not_none(polygon_mesh_of(scene, setup.uid))
    build = build_of(object_)
    changed = NavmeshError(
        f"“{setup.name}” was built in another session, and its level or its links have changed since. "
        "Build it again to ask it.",
        "NOTHING_TO_ASK",
    )
    if build in finished_navmeshes.stale(scene.session_uid):
        raise changed
    request = request_again(bpy.context, object_)
    edited = request.settings.generate_links and edits_changed(object_)
    if not out_of_date.is_as_built(object_, request.gathered, scene) or edited:
        raise changed
    _again[build] = BuildJob([request], usual_means())
    return _again[build].start()


def _take_built() -> None:
    """Those that were built again are in memory from now on."""
    for build, job in list(_again.items()):
        if job.result is not None:
            finished_navmeshes.recall(build, job.result[0])
            del _again[build]


def all_ready() -> bool:
    """Whether nothing is being made ready."""
    changed = _with_doors.value
    return all(query.done() for query in _ready.values()) and (changed is None or changed[2].done())


def usual_filter(scene: bpy.types.Scene) -> QueryFilter:
    """What the scene's area types cost."""

    from ...navcore.navquery.query_filter import QueryFilter

    return QueryFilter({0 if row.area == PLAIN else row.area: row.cost for row in area_rows(scene)})


def asked_size(scene: bpy.types.Scene) -> str:
    """The size of agents that the scene asks about; "" where its navmesh is for one, or none is chosen."""
    return str(scene_properties(scene).test_size) if is_for_sizes(scene) else ""


def is_for_sizes(scene: bpy.types.Scene) -> bool:
    """Whether the navmesh that is asked is for several sizes of agents."""
    object_ = active_navmesh(scene)
    return object_ is not None and object_.get(SIZES) is not None


def snapped(scene: bpy.types.Scene, places: Sequence[Sequence[float]]) -> list[tuple[float, float, float] | None]:
    """The nearest ground of the navmesh for each place, None where there is none within reach of Detour's own search.
    Raises NavmeshError where there is no navmesh to ask."""
    from ..axes import to_blender
    from ..gather.scene_intent import in_metres  # here: Blender's start does not wait for NumPy

    query, metres = asked_navmesh(scene), metres_of(scene)
    found = query.nearest([in_metres(place, metres) for place in places])
    points = zip(found.references.tolist(), to_blender(found.points, metres).tolist(), strict=True)
    return [(x, y, z) if reference else None for reference, (x, y, z) in points]


def forget() -> None:
    """Another file, or the extension is disabled."""
    if _ready:
        from .question_thread import worker

        for job in _again.values():
            job.cancel()
        worker.forget()
    _ready.clear()
    _with_doors.forget()
    _again.clear()
