"""Whether a navmesh still is that of its level and its setup. Nothing is built to find out.

While a file is open, changes are watched. Where that is not enough (a file was opened, something was undone, an object
came or went) the level is gathered again and its fingerprint compared with the one that the navmesh remembers.
"""

from __future__ import annotations

import json
from collections.abc import Container

import bpy

from ...navcore.errors import NavmeshError
from .. import events
from ..blender_types import has_property, scene_of
from ..builds import active_build, finished_navmeshes
from ..objects.built_from import remembered, values_beside_setup
from ..objects.navmesh_objects import (
    AREA_TYPES,
    BUILD,
    BY_HAND,
    FINGERPRINT,
    PRUNED,
    REPORT,
    SETTINGS,
    navmesh_objects,
)
from ..redraw import redraw
from ..stored.area_types import area_table, runtime_area_types
from ..stored.object_properties import MARKERS, POLYGON_MESH, is_ours, object_use
from ..stored.setups import NavmeshSetup, setup_settings
from ..stored.source_objects import KINDS, LISTED

_DELAY = 0.5  # seconds after the last change
MOST_TRIANGLES = 300_000  # of a level that is gathered again unasked while somebody works: takes 0.1 s or so
_visible: list[frozenset[str]] = []  # objects that could be walked on, when last looked at


def out_of_date(object_: bpy.types.Object, setup: NavmeshSetup) -> str:
    """Why a navmesh should be built again, "" where it need not (or nobody has looked yet: that is asked for)."""
    build = str(object_.get(BUILD, ""))
    if build not in finished_navmeshes.known() and has_property(object_, FINGERPRINT):
        _ask(object_)
    if build in finished_navmeshes.stale():
        return "Out of date: the level changed"
    if object_.get(AREA_TYPES, "") != json.dumps(area_table(runtime_area_types(setup.id_data))):
        return "Out of date: an area type changed"
    try:
        built, now = json.loads(object_[SETTINGS]), setup_settings(setup).to_mapping()
        given = values_beside_setup(object_, setup)
    except (NavmeshError, KeyError, TypeError, ValueError):  # settings that can't be built with are shown elsewhere
        return ""
    built["prune"], now["prune"] = bool(object_.get(PRUNED, False)), bool(setup.prune)
    if object_.get(BY_HAND, False):
        now["prune"] = built["prune"]
    return "" if built == {**now, **given} else "Out of date: a setting changed"


def _ask(object_: bpy.types.Object) -> None:
    """Compare soon; at once where no timer would ever fire."""
    if bpy.app.background:
        compare(bpy.context, object_)
    elif not bpy.app.timers.is_registered(_compare_next):
        bpy.app.timers.register(_compare_next, first_interval=_DELAY)


def _compare_next() -> float | None:
    """Called by a timer, outside of drawing: one navmesh a time."""
    context = bpy.context
    if context.scene is None or context.view_layer is None:
        return None
    if active_build.current() is not None or bpy.app.is_job_running("RENDER"):
        return _DELAY
    if context.screen is not None and context.screen.is_animation_playing:
        return _DELAY
    builds = {str(object_.get(BUILD)) for object_ in navmesh_objects(scene_of(context)).values()}
    unknown = builds - set(finished_navmeshes.known())
    waiting = [object_ for object_ in _navmeshes(scene_of(context), unknown) if has_property(object_, FINGERPRINT)]
    if waiting:
        compare(context, waiting[0])
        redraw()
    return 0.0 if len(waiting) > 1 else None


def compare(context: bpy.types.Context, object_: bpy.types.Object) -> bool:
    """Gather again what a navmesh was built from. Returns whether it is the same."""
    from ..gather.gather_scene import gather
    from ..gather.gathered_level import fingerprint

    try:
        prune = bool(object_.get(PRUNED, False))
        gathered = gather(context, remembered(object_)[1], prune=prune)
        same, names = fingerprint(gathered, prune) == object_[FINGERPRINT], gathered.watched
    except NavmeshError:  # its sources are gone, or it has forgotten them
        same, names = False, frozenset()
    finished_navmeshes.watch(str(object_[BUILD]), names, stale=not same)
    return same


# ---------------------------------------------------------------- what happened


def something_was_undone(scene: bpy.types.Scene) -> None:
    """What was out of date may no longer be."""
    active_build.level_changed("undo")
    finished_navmeshes.doubt(
        object_[BUILD] for object_ in _navmeshes(scene, finished_navmeshes.stale()) if _is_small(object_)
    )


def a_mark_changed() -> None:
    """An area, or what an object is for."""
    active_build.level_changed("mark")
    for scene in bpy.data.scenes:
        for object_ in _navmeshes(scene, finished_navmeshes.known()):
            doubt(object_)


def objects_may_have_come_or_gone(scene: bpy.types.Scene, layer: bpy.types.ViewLayer) -> None:
    """Whatever is shown now and was not before, or the other way around, may belong to a level."""
    now = frozenset(
        object_.name
        for object_ in layer.objects
        if (object_.type in KINDS or object_use(object_) in MARKERS)
        and not is_ours(object_)
        and object_.visible_get(view_layer=layer)
    )
    before = _visible[0] if _visible else now
    _visible[:] = [now]
    if now == before:
        return
    active_build.level_changed("objects")
    for object_ in _navmeshes(scene, finished_navmeshes.known()):
        if _scope(object_) != LISTED or finished_navmeshes.is_made_of(object_[BUILD], now ^ before):
            doubt(object_)


def forget() -> None:
    """Another file."""
    _visible.clear()


def _navmeshes(scene: bpy.types.Scene, builds: Container[object]) -> list[bpy.types.Object]:
    return [
        object_
        for (_, role), object_ in navmesh_objects(scene).items()
        if role == POLYGON_MESH and object_.get(BUILD) in builds
    ]


def doubt(object_: bpy.types.Object) -> None:
    """Compare anew; but a level that takes long to gather is taken for changed."""
    build = str(object_[BUILD])
    if _is_small(object_):
        finished_navmeshes.doubt([build])
    else:
        finished_navmeshes.watch(build, (), stale=True)


def _scope(object_: bpy.types.Object) -> str:
    try:
        return str(remembered(object_)[1].scope)
    except NavmeshError:
        return ""


def _is_small(object_: bpy.types.Object) -> bool:
    return _triangles(object_) <= MOST_TRIANGLES


def _triangles(object_: bpy.types.Object) -> int:
    try:
        return int(json.loads(object_[REPORT])["triangles"])
    except (KeyError, TypeError, ValueError):
        return 0


def register() -> None:
    events.mark_changed.subscribe(a_mark_changed)


def unregister() -> None:
    events.mark_changed.unsubscribe(a_mark_changed)
    forget()
    if bpy.app.timers.is_registered(_compare_next):
        bpy.app.timers.unregister(_compare_next)
