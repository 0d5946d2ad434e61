"""What Blender reports: another file, a changed object, the end. Registered last, unregistered first."""

from __future__ import annotations

import atexit

import bpy

from .. import events
from ..builds import active_build, finished_navmeshes
from ..good_moment import is_rendering
from ..objects.built_from import follow_all_names, forget_names, learn_names
from ..scene_update import SceneUpdate
from ..stored.setups import migrate
from . import level_changes, out_of_date


def _before_load(*_: object) -> None:
    active_build.cancel()
    finished_navmeshes.clear()
    level_changes.forget()
    forget_names()


def _after_undo(scene: bpy.types.Scene, *_: object) -> None:
    events.level_changed.happened()
    out_of_date.something_was_undone(scene)


def _after_load(*_: object) -> None:
    for scene in bpy.data.scenes:
        if scene.library is None:
            migrate(scene)
    learn_names()


def _after_update(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Called after every click: whatever takes longer waits until nothing happens any more."""
    events.level_changed.happened()
    active_build.scene_updated()
    update = SceneUpdate(depsgraph)
    level_changes.note(update)
    events.scene_updated.happened(update)


def _after_frame(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Of another frame nothing else tells. What renders frames calls this too, from a thread of its own."""
    if depsgraph.mode != "VIEWPORT" or is_rendering():
        return
    events.level_changed.happened()
    update = SceneUpdate(depsgraph)
    level_changes.note_frame(update)
    events.scene_updated.happened(update)


HANDLERS = (
    ("load_pre", _before_load),
    ("load_post", _after_load),
    ("save_pre", follow_all_names),
    ("undo_post", _after_undo),
    ("redo_post", _after_undo),
    ("depsgraph_update_post", _after_update),
    ("frame_change_post", _after_frame),
)


def register() -> None:
    atexit.register(active_build.shut_down)


def unregister() -> None:
    atexit.unregister(active_build.shut_down)
    active_build.shut_down()
    finished_navmeshes.clear()
    forget_names()
