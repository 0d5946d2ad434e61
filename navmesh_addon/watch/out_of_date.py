"""Whether a navmesh still is that of its level and its setup. Nothing is built to find out.

While a file is open, changes are watched. Where that is not enough (a file was opened, something was undone, an object
came or went) the level is gathered again and its fingerprint compared with the one that the navmesh remembers.
"""

from __future__ import annotations

import json
from collections.abc import Container
from typing import TYPE_CHECKING

import bpy

from ...navcore.errors import NavmeshError
from ...navcore.settings import Settings
from .. import events
from ..blender_types import has_property, scene_of
from ..builds import active_build, finished_navmeshes
from ..good_moment import Hindrance, hindrance
from ..objects.built_from import are_sizes_of, remembered, sources_now, values_beside_setup
from ..objects.navmesh_objects import (
    AREA_TYPES,
    BUILD,
    BY_HAND,
    FINGERPRINT,
    PRUNED,
    SETTINGS,
    SETUP,
    metres_on,
    navmesh_objects,
    read_report,
    scale_of,
)
from ..redraw import redraw, start_timer, stop_timer
from ..stored.area_types import area_table, runtime_area_types
from ..stored.links_mesh import edits_changed
from ..stored.object_properties import POLYGON_MESH
from ..stored.setup_properties import LISTED, NavmeshSetup
from ..stored.setups import setup_settings, setup_sizes, setup_sources
from . import level_changes

if TYPE_CHECKING:
    from ..gather.gathered_level import Gathered

_DELAY = 0.5  # seconds after the last change
MAX_TRIANGLES = 300_000  # of a level that is gathered again unasked while somebody works: takes 0.1 s or so


def out_of_date(object_: bpy.types.Object, setup: NavmeshSetup) -> str:
    """Why a navmesh should be built again, "" where it need not (or nobody has looked yet: that is asked for)."""
    level_changes.heed_layer(bpy.context)
    if bpy.app.background:  # no timer ever looks
        level_changes.look_now()
    build, scene = str(object_.get(BUILD, "")), setup.id_data
    if build not in finished_navmeshes.known(scene.session_uid) and has_property(object_, FINGERPRINT):
        _ask(object_)
    if build in finished_navmeshes.stale(scene.session_uid):
        return "Out of date: the level changed"
    if object_.get(AREA_TYPES, "") != json.dumps(area_table(runtime_area_types(scene))):
        return "Out of date: an area type changed"
    try:
        built, now = {**Settings().to_mapping(), **json.loads(object_[SETTINGS])}, setup_settings(setup).to_mapping()
        given, sizes = values_beside_setup(object_, setup), setup_sizes(setup)
    except (NavmeshError, KeyError, TypeError, ValueError):  # settings that can't be built with are shown elsewhere
        return ""
    built["prune"], now["prune"] = bool(object_.get(PRUNED, False)), bool(setup.prune)
    if object_.get(BY_HAND, False):
        now["prune"] = built["prune"]
    scale = setup_sources(setup).scale
    is_to_scale = scale_of(object_) == scale and metres_on(scene, object_) == scene.unit_settings.scale_length * scale
    as_said = is_to_scale and are_sizes_of(object_, sizes)
    if built != {**now, **given} or not as_said:
        return "Out of date: a setting changed"
    return "Out of date: a found link was changed" if built["generate_links"] and edits_changed(object_) else ""


def _ask(object_: bpy.types.Object) -> None:
    """Compare soon; at once where no timer would ever fire."""
    if bpy.app.background:
        compare(bpy.context, object_)
    else:
        start_timer(_compare_next, _DELAY)


def _compare_next() -> float | None:
    """Called by a timer, outside of drawing: one navmesh a time."""
    context = bpy.context
    why = hindrance(context)
    if why is Hindrance.NO_SCENE:
        return None
    if why is not None or active_build.current() is not None:
        return _DELAY
    scene = scene_of(context)
    builds = {str(object_.get(BUILD)) for object_ in navmesh_objects(scene).values()}
    unknown = builds - set(finished_navmeshes.known(scene.session_uid))
    waiting = [object_ for object_ in _navmeshes(scene, unknown) if has_property(object_, FINGERPRINT)]
    if waiting:
        compare(context, waiting[0])
        redraw()
    return 0.0 if len(waiting) > 1 else None


def compare(context: bpy.types.Context, object_: bpy.types.Object) -> bool:
    """Gather again what a navmesh was built from. Returns whether it is the same."""
    from ..gather.gather_scene import gather

    try:
        prune = bool(object_.get(PRUNED, False))
        setup = str(object_.get(SETUP, ""))
        level = gather(context, sources_now(object_), prune=prune, setup=setup)
    except NavmeshError:  # its sources are gone, or it has forgotten them
        return _known_to_be(object_, False, frozenset(), scene_of(context))
    return is_as_built(object_, level, scene_of(context))


def is_as_built(object_: bpy.types.Object, level: Gathered, scene: bpy.types.Scene) -> bool:
    """Whether this, which was gathered in a scene just now, is the level that a navmesh was built from. It is watched
    from now on.

    A navmesh of before fingerprints is taken for one of this level.
    """
    from ..gather.gathered_level import is_level_of

    known = object_.get(FINGERPRINT)
    same = known is None or is_level_of(level, bool(object_.get(PRUNED, False)), known)
    return _known_to_be(object_, same and metres_on(scene, object_) == level.metres, level.watched, scene)


def _known_to_be(object_: bpy.types.Object, same: bool, uids: frozenset[int], scene: bpy.types.Scene) -> bool:
    level_changes.begin_anew(uids)
    finished_navmeshes.watch(str(object_[BUILD]), uids, scene.session_uid, stale=not same)
    return same


# ---------------------------------------------------------------- what happened


def something_was_undone(scene: bpy.types.Scene) -> None:
    """What was out of date may no longer be."""
    active_build.level_changed("undo")
    stale = finished_navmeshes.stale(scene.session_uid)
    finished_navmeshes.doubt(object_[BUILD] for object_ in _navmeshes(scene, stale) if _is_small(object_))


def a_mark_changed() -> None:
    """An area, or what an object is for."""
    active_build.level_changed("mark")
    for scene in bpy.data.scenes:
        for object_ in _navmeshes(scene, finished_navmeshes.known(scene.session_uid)):
            doubt(object_, scene)


def objects_changed(came_or_went: frozenset[int], something_else: bool) -> None:
    """Whatever is shown now and was not before, or the other way around, may belong to a level."""
    scene = scene_of(bpy.context)
    uid = scene.session_uid
    for object_ in _navmeshes(scene, finished_navmeshes.known(uid)):
        build = object_[BUILD]
        if something_else or (
            came_or_went and (_scope(object_) != LISTED or finished_navmeshes.is_made_of(build, came_or_went, uid))
        ):
            doubt(object_, scene)
    redraw()


def _navmeshes(scene: bpy.types.Scene, builds: Container[object]) -> list[bpy.types.Object]:
    return [
        object_
        for (_, role), object_ in navmesh_objects(scene).items()
        if role == POLYGON_MESH and object_.get(BUILD) in builds
    ]


def doubt(object_: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Compare anew; but a level that takes long to gather is taken for changed."""
    build = str(object_[BUILD])
    if _is_small(object_):
        finished_navmeshes.doubt([build])
    else:
        finished_navmeshes.watch(build, (), scene.session_uid, stale=True)


def _scope(object_: bpy.types.Object) -> str:
    try:
        return str(remembered(object_)[1].scope)
    except NavmeshError:
        return ""


def _is_small(object_: bpy.types.Object) -> bool:
    """Whether it takes little time to gather its level again."""
    return int(read_report(object_).get("triangles", 0)) <= MAX_TRIANGLES


SUBSCRIBERS = ((events.mark_changed, a_mark_changed), (events.objects_changed, objects_changed))


def unregister() -> None:
    level_changes.forget()
    stop_timer(_compare_next)
