"""What came, went, was moved or edited since somebody looked last.

Blender's handler runs after every update, clicks included. There only a few entries are read of what Blender lists as
changed, and none of them after a click. What is not read (and what no list says: objects that came, went, were hidden
or renamed) a timer finds out some time after the last change, by comparing all objects with what they were.
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import bpy

from .. import events
from ..blender_types import not_none, scene_of, view_layer_of
from ..builds import active_build, finished_navmeshes
from ..redraw import redraw
from ..scene_update import MAX_READ, SceneUpdate
from ..sliced_work import GO_ON, PAUSE, QUIET, SlicedWork, Steps
from ..stored.object_properties import MARKERS, is_ours, object_use
from ..stored.setup_properties import KINDS
from .listed_changes import SHAPELESS, ToldChanges


class _Object(NamedTuple):
    """What is compared of one object."""

    place: object  # its matrix
    data: int  # session_uid
    modifiers: tuple[tuple[str, bool], ...]
    slots: int
    size: float  # of an empty


class _Level:
    """All objects of a scene, as they were when somebody looked."""

    def __init__(self, layer: str, frame: float) -> None:
        self.layer, self.frame = layer, frame  # in which they were looked at
        self.shown: dict[int, _Object] = {}  # by session_uid: what could be walked on, or marks something
        self.others: dict[int, _Object] = {}  # what shapes may depend on, or what only instances show
        self.names: set[tuple[int, str]] = set()  # of everything, lamps included
        self.changed: set[int] = set()  # since the look before

    def add(self, object_: bpy.types.Object, shown: bool, before: _Level) -> None:
        """Look at one object, and compare it."""
        uid, now = object_.session_uid, _look_of(object_)
        (self.shown if shown else self.others)[uid] = now
        if (before.shown if shown else before.others).get(uid, now) != now:
            self.changed.add(uid)


class _Memory:
    """What is known from the last look."""

    def __init__(self) -> None:
        self.since_then = ToldChanges()
        self.forget()

    def forget(self) -> None:
        self.seen: dict[int, _Level] = {}  # by the session_uid of the scene
        self.about_to_be_watched: frozenset[int] = frozenset()
        self.reshaped: set[int] = set()  # what a frame has given another shape since the last look
        self.since_then.forget()


_memory = _Memory()


def note(update: SceneUpdate) -> None:
    """Blender updated something. Called after every click: does next to nothing."""
    _look.ask()
    if not finished_navmeshes.is_any_known() and active_build.current() is None:
        return
    tell(_memory.since_then.note(update))


def note_frame(update: SceneUpdate) -> None:
    """Another frame is shown: things may stand elsewhere or have other shapes. Called while animations play."""
    _look.ask()
    if not finished_navmeshes.is_any_known():
        return
    if len(update.entries) > MAX_READ:
        _memory.since_then.note(update)
        return
    _memory.reshaped |= {
        not_none(not_none(entry.id).original).session_uid for entry in update.entries if entry.is_updated_geometry
    }


def heed_layer(context: bpy.types.Context) -> None:
    """Another view layer may show other objects, of which Blender tells nobody. Called while drawing."""
    seen = _memory.seen.get(scene_of(context).session_uid)
    if seen is not None and seen.layer != view_layer_of(context).name and not _look.asked:
        _look.ask()


def tell(uids: Set[int]) -> None:
    """These objects changed: what was built from them is out of date, and so is what is being built from them."""
    if active_build.is_building_from(uids):
        active_build.level_changed("object")
    if finished_navmeshes.changed(uids):
        redraw()


def look_now() -> None:
    """Compare at once, if anything happened since the last look."""
    _look.finish()


def begin_anew(uids: frozenset[int]) -> None:
    """These objects are watched from now on: compare at once, so that later changes are those since now."""
    _memory.about_to_be_watched = uids
    _look.ask()
    _look.finish()


def forget() -> None:
    """Another file."""
    _look.forget()
    _memory.forget()


def _compare_all() -> Steps:
    """A step for each object of the view layer that is worked in."""
    scene, layer = scene_of(bpy.context), view_layer_of(bpy.context)
    now = _Level(layer.name, scene.frame_current_final)
    before = _memory.seen.get(scene.session_uid, now)
    objects = [object_ for object_ in layer.objects.values() if object_ is not None]  # None: removed just now
    for object_ in objects:
        now.names.add((object_.session_uid, object_.name))
        if object_.type not in SHAPELESS and not is_ours(object_):
            now.add(object_, _can_matter(object_) and object_.visible_get(view_layer=layer), before)
        yield GO_ON
    watched = {*finished_navmeshes.watched(), *active_build.building_from(), *_memory.about_to_be_watched}
    yield PAUSE
    elsewhere = watched - now.shown.keys() - now.others.keys()  # shown by instances alone, in another scene, or gone
    for other in map(not_none, bpy.data.objects.values()) if elsewhere else ():
        if other.session_uid in elsewhere:
            now.add(other, False, before)
        yield GO_ON
    yield PAUSE
    _memory.seen[scene.session_uid] = now
    _found(now, before, elsewhere - now.others.keys())


def _can_matter(object_: bpy.types.Object) -> bool:
    """Whether it could be walked on, shows something that could be, or marks something."""
    return object_.type in KINDS or object_.instance_type != "NONE" or object_use(object_) in MARKERS


def _look_of(object_: bpy.types.Object) -> _Object:
    data = object_.data or object_.instance_collection
    return _Object(
        object_.matrix_world.copy().freeze(),
        0 if data is None else data.session_uid,
        tuple((modifier.type, modifier.show_viewport) for modifier in object_.modifiers),
        len(object_.material_slots),
        object_.empty_display_size,
    )


def _found(now: _Level, before: _Level, gone: set[int]) -> None:
    """Say what is different from the last look."""
    renamed = {uid for uid, _ in now.names ^ before.names}  # which may leave it out: "-noimp"
    came_or_went = frozenset(now.shown.keys() ^ before.shown.keys()) | (renamed & now.shown.keys())
    # What nobody read of, and on which the shapes of others may depend.
    helpers = (now.changed - now.shown.keys()) | (before.others.keys() - now.others.keys() - now.shown.keys())
    # What another frame has changed, a frame may change back: that is compared anew, and not taken for changed.
    by_frame = (_memory.reshaped | (now.changed if now.frame != before.frame else set())) & finished_navmeshes.watched()
    _memory.reshaped.clear()
    came_or_went |= by_frame
    something = came_or_went or now.changed or renamed
    since_then = _memory.since_then
    unexplained = since_then.shapes_not_read and not something
    unexplained = unexplained or (since_then.not_read and not helpers <= since_then.told)
    since_then.forget()
    tell((now.changed - by_frame) | gone)
    if came_or_went or unexplained:
        active_build.level_changed("objects")
    if came_or_went or now.changed or gone or unexplained:
        events.objects_changed.happened(came_or_went, unexplained)


_look = SlicedWork(_compare_all, QUIET)
