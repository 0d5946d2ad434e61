"""The answer to “Why not here?” drawn over the viewport: the column, the culprit, and what a change would do."""

from __future__ import annotations

import bpy

from ..objects.navmesh_objects import shown_build
from ..redraw import redraw_all, start_timer, stop_timer
from ..stored.setups import scene_properties
from ..views.overlay import Overlay, Viewport
from . import shown_reason

_WIDTH = 3.0  # pixels
_LOOKS = 0.05  # seconds between looks at a preview that is on its way


def shown_in(scene: bpy.types.Scene) -> shown_reason.ShownReason | None:
    """The answer that the scene stores, if it was given in this session and its navmesh is still the same."""
    text = scene_properties(scene).why_answer
    return shown_reason.shown(text, shown_build(scene)) if text else None


def watch_preview() -> None:
    """Draw it as soon as it is there."""
    start_timer(_look, _LOOKS)


def _look() -> float | None:
    scene = bpy.context.scene
    shown = shown_in(scene) if scene is not None else None
    if shown is not None and shown.is_coming:
        return _LOOKS
    redraw_all()
    return None


def _draw(view: Viewport) -> None:
    shown = shown_in(view.scene)
    if shown is None:
        OVERLAY.keep_only()
        return
    preview = shown.preview()
    for part, picture in (("place", shown.picture), ("preview", preview and preview.picture)):
        if picture is not None:
            OVERLAY.show(view, OVERLAY.upload(part, picture, view.metres, _WIDTH), x_ray=part == "place")


def _forget() -> None:
    stop_timer(_look)
    shown_reason.stop()


OVERLAY = Overlay(_draw, forget=_forget)


HANDLERS = (("undo_post", shown_reason.forget), ("redo_post", shown_reason.forget))  # it may no longer be so
