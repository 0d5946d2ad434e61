"""The answer to “Why not here?” drawn over the viewport: the column, the culprit, and what a change would do."""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ...blender_types import known, scene_of
from ...redraw import redraw, redraw_views
from ...stored.setups import scene_properties
from ...views import said_once
from ..asked_navmesh import build_of
from . import shown_reason

_LINE = 3.0  # pixels
_AT_ONCE = 0.01  # seconds of uploading in one drawing
_LOOKS = 0.05  # seconds between looks at a preview that is on its way
_handles: list[object] = []
_uploads: dict[str, tuple[object, object]] = {}  # by part: the picture, and where it is


def shown_in(scene: bpy.types.Scene) -> shown_reason.Shown | None:
    """The answer that the scene stores, if it was given in this session and its navmesh is still the same."""
    text = scene_properties(scene).why_answer
    return shown_reason.shown(text, build_of(scene)) if text else None


def watch_preview() -> None:
    """Draw it as soon as it is there."""
    if not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=_LOOKS)


def _look() -> float | None:
    scene = bpy.context.scene
    shown = shown_in(scene) if scene is not None else None
    if shown is not None and shown.is_coming:
        return _LOOKS
    redraw()
    redraw_views()
    return None


@said_once.said_once
def _draw() -> None:
    """Called by Blender for each 3D view."""
    context = bpy.context
    scene = scene_of(context)
    shown = shown_in(scene)
    if shown is None:
        _uploads.clear()
        return
    from ...views.gpu_layers import Upload  # here: Blender's start does not wait for NumPy

    region, preview = known(context.region), shown.preview()
    pictures = {"place": shown.picture} | ({} if preview is None else {"preview": preview.picture})
    for part, picture in pictures.items():
        kept = _uploads.get(part)
        upload = kept[1] if kept is not None and kept[0] is picture else None
        if not isinstance(upload, Upload):
            upload = Upload(picture, scene.unit_settings.scale_length, _LINE)
            _uploads[part] = picture, upload
        if not upload.step(_AT_ONCE):
            region.tag_redraw()
        upload.draw((region.width, region.height), x_ray=part == "place")


@persistent  # type: ignore[untyped-decorator,unused-ignore]
def _after_undo(*_: object) -> None:
    """What was answered may no longer be so."""
    shown_reason.forget()


@persistent  # type: ignore[untyped-decorator,unused-ignore]
def _before_load(*_: object) -> None:
    shown_reason.stop()


def register() -> None:
    bpy.app.handlers.load_pre.append(_before_load)
    for handlers in (bpy.app.handlers.undo_post, bpy.app.handlers.redo_post):
        handlers.append(_after_undo)
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    bpy.app.handlers.load_pre.remove(_before_load)
    for handlers in (bpy.app.handlers.undo_post, bpy.app.handlers.redo_post):
        handlers.remove(_after_undo)
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
    _uploads.clear()
    shown_reason.stop()
