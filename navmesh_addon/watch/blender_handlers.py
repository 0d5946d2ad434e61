"""What Blender reports: another file, a changed object, the end. Registered last, unregistered first."""

from __future__ import annotations

import atexit

import bpy
from bpy.app.handlers import persistent

from ...navcore.compile_ahead import starter
from .. import events
from ..builds import active_build, finished_navmeshes
from ..builds.compile_after_install import begin_in_window
from ..redraw import redraw
from ..scene_update import SceneUpdate
from ..stored.setups import migrate
from . import level_changes, out_of_date


@persistent  # type: ignore[untyped-decorator,unused-ignore]
def _before_load(*_: object) -> None:
    active_build.cancel()
    finished_navmeshes.clear()
    level_changes.forget()


@persistent  # type: ignore[untyped-decorator,unused-ignore]
def _after_undo(scene: bpy.types.Scene, *_: object) -> None:
    events.level_changed.happened()
    out_of_date.something_was_undone(scene)


@persistent  # type: ignore[untyped-decorator,unused-ignore]
def _after_load(*_: object) -> None:
    for scene in bpy.data.scenes:
        if scene.library is None:
            migrate(scene)


@persistent  # type: ignore[untyped-decorator,unused-ignore]
def _after_update(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Called after every click: whatever takes longer waits until nothing happens any more."""
    events.level_changed.happened()
    active_build.scene_updated()
    update = SceneUpdate(depsgraph)
    level_changes.note(update)
    events.scene_updated.happened(update)


_FIRST_LOOK, _LOOKS = 0.5, 0.5  # seconds: Blender draws its window first
_begun = [False]
_HANDLERS = (
    (bpy.app.handlers.load_pre, _before_load),
    (bpy.app.handlers.load_post, _after_load),
    (bpy.app.handlers.undo_post, _after_undo),
    (bpy.app.handlers.redo_post, _after_undo),
    (bpy.app.handlers.depsgraph_update_post, _after_update),
)


def _compile() -> float | None:
    """Right after enabling: kernels are compiled in the background. Then the panel shows how far that is."""
    from ..builds.threads_and_kernel_folder import kernel_folder

    compiler = starter.current()
    if compiler is None and not _begun[0]:
        _begun[0] = True
        folder = kernel_folder()
        compiler = begin_in_window(folder) if folder is not None else None
    redraw()
    return _LOOKS if compiler is not None else None


def register() -> None:
    for handlers, handler in _HANDLERS:
        handlers.append(handler)
    if not bpy.app.background:
        _begun[0] = False
        bpy.app.timers.register(_compile, first_interval=_FIRST_LOOK, persistent=True)
    atexit.register(active_build.shut_down)


def unregister() -> None:
    if bpy.app.timers.is_registered(_compile):
        bpy.app.timers.unregister(_compile)
    atexit.unregister(active_build.shut_down)
    for handlers, handler in reversed(_HANDLERS):
        if handler in handlers:
            handlers.remove(handler)
    active_build.shut_down()
    finished_navmeshes.clear()
