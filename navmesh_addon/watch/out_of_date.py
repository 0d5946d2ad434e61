"""Whether a navmesh still is that of its level and its setup. Nothing is built to find out.

While a file is open, changes are watched. Where that is not enough (a file was opened, something was undone, an object
came or went) the level is gathered again and its fingerprint compared with the one that the navmesh remembers.
"""

from __future__ import annotations

import json
from typing import Any

import bpy

from ...navcore.errors import NavmeshError
from .. import events
from ..build import finished_navmeshes as results
from ..build import running_build as session
from ..gather.gathered import fingerprint
from ..objects.built_from import remembered
from ..objects.navmesh_objects import AREA_TYPES, BUILD, FINGERPRINT, PRUNED, REPORT, SETTINGS, navmesh_objects
from ..redraw import redraw
from ..stored.area_types import area_table, runtime_area_types
from ..stored.object_properties import MARKERS, POLYGON_MESH, is_ours, object_use
from ..stored.setups import setup_settings
from ..stored.sources import KINDS, LISTED

_DELAY = 0.5  # seconds after the last change
MOST_TRIANGLES = 300_000  # of a level that is gathered again unasked while somebody works: takes 0.1 s or so
_visible: list[frozenset[str]] = []  # objects that could be walked on, when last looked at


def out_of_date(thing: Any, setup: Any) -> str:
    """Why a navmesh should be built again, "" where it need not (or nobody has looked yet: that is asked for)."""
    build = str(thing.get(BUILD, ""))
    if build not in results.known() and FINGERPRINT in thing:
        _ask(thing)
    if build in results.stale():
        return "Out of date: the level changed"
    if thing.get(AREA_TYPES, "") != json.dumps(area_table(runtime_area_types(setup.id_data))):
        return "Out of date: an area type changed"
    try:
        built, now = json.loads(thing[SETTINGS]), setup_settings(setup).to_mapping()
    except (NavmeshError, KeyError, TypeError, ValueError):  # settings that can't be built with are told elsewhere
        return ""
    same = built == now and bool(thing.get(PRUNED, False)) == setup.prune
    return "" if same else "Out of date: a setting changed"


def _ask(thing: Any) -> None:
    """Compare soon; at once where no timer would ever fire."""
    if bpy.app.background:
        compare(bpy.context, thing)
    elif not bpy.app.timers.is_registered(_compare_next):
        bpy.app.timers.register(_compare_next, first_interval=_DELAY)


def _compare_next() -> float | None:
    """Called by a timer, outside of drawing: one navmesh a time."""
    context = bpy.context
    if context.scene is None or context.view_layer is None:
        return None
    if session.current() is not None or bpy.app.is_job_running("RENDER"):
        return _DELAY
    screen: Any = context.screen
    if screen is not None and screen.is_animation_playing:
        return _DELAY
    unknown = {str(thing.get(BUILD)) for thing in navmesh_objects(context.scene).values()} - set(results.known())
    waiting = [thing for thing in _navmeshes(context.scene, unknown) if FINGERPRINT in thing]
    if waiting:
        compare(context, waiting[0])
        redraw()
    return 0.0 if len(waiting) > 1 else None


def compare(context: Any, thing: Any) -> bool:
    """Gather again what a navmesh was built from. Returns whether it is the same."""
    from ..gather.gather_scene import gather

    try:
        prune = bool(thing.get(PRUNED, False))
        gathered = gather(context, remembered(thing)[1], prune=prune)
        same, names = fingerprint(gathered, prune) == thing[FINGERPRINT], gathered.watched
    except NavmeshError:  # its sources are gone, or it has forgotten them
        same, names = False, frozenset()
    results.watch(str(thing[BUILD]), names, stale=not same)
    return same


# ---------------------------------------------------------------- what happened


def something_was_undone(scene: Any) -> None:
    """What was out of date may no longer be."""
    session.level_changed("undo")
    results.doubt(thing[BUILD] for thing in _navmeshes(scene, results.stale()) if _is_small(thing))


def a_mark_changed() -> None:
    """An area, or what an object is for."""
    session.level_changed("mark")
    for scene in bpy.data.scenes:
        for thing in _navmeshes(scene, results.known()):
            doubt(thing)


def objects_may_have_come_or_gone(scene: Any, layer: Any) -> None:
    """Whatever is shown now and was not before, or the other way around, may belong to a level."""
    now = frozenset(
        thing.name
        for thing in layer.objects
        if (thing.type in KINDS or object_use(thing) in MARKERS)
        and not is_ours(thing)
        and thing.visible_get(view_layer=layer)
    )
    before = _visible[0] if _visible else now
    _visible[:] = [now]
    if now == before:
        return
    session.level_changed("objects")
    for thing in _navmeshes(scene, results.known()):
        if _scope(thing) != LISTED or results.is_made_of(thing[BUILD], now ^ before):
            doubt(thing)


def forget() -> None:
    """Another file."""
    _visible.clear()


def _navmeshes(scene: Any, builds: Any) -> list[Any]:
    return [
        thing
        for (_, role), thing in navmesh_objects(scene).items()
        if role == POLYGON_MESH and thing.get(BUILD) in builds
    ]


def doubt(thing: Any) -> None:
    """Compare anew; but a level that takes long to gather is taken for changed."""
    build = str(thing[BUILD])
    if _is_small(thing):
        results.doubt([build])
    else:
        results.watch(build, (), stale=True)


def _scope(thing: Any) -> str:
    try:
        return str(remembered(thing)[1].scope)
    except NavmeshError:
        return ""


def _is_small(thing: Any) -> bool:
    return _triangles(thing) <= MOST_TRIANGLES


def _triangles(thing: Any) -> int:
    try:
        return int(json.loads(thing[REPORT])["triangles"])
    except (KeyError, TypeError, ValueError):
        return 0


def register() -> None:
    events.mark_changed.subscribe(a_mark_changed)


def unregister() -> None:
    events.mark_changed.unsubscribe(a_mark_changed)
    forget()
    if bpy.app.timers.is_registered(_compare_next):
        bpy.app.timers.unregister(_compare_next)
