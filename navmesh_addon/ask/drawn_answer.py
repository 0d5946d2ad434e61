"""The answer drawn over the viewport while the tool is active. In background mode nothing is drawn."""

from __future__ import annotations

import bpy

from ..blender_types import not_none, tool_of
from ..objects.navmesh_objects import lift_above, polygon_mesh_of
from ..redraw import redraw_views
from ..stored.setups import active_setup
from ..views.overlay import Overlay, Viewport
from ..watch.out_of_date import out_of_date
from . import current_answer

TOOL = "navmesh.test"
_WIDTH = 4.0  # pixels


def is_tool_active(context: bpy.types.Context) -> bool:
    """Whether the mouse asks the navmesh."""
    return tool_of(context) == TOOL


def _draw(view: Viewport) -> None:
    if is_tool_active(view.context):
        now = current_answer.current(view.scene)
        if now.picture is not None:
            upload = OVERLAY.upload("answer", now.picture, view.metres, _WIDTH)
            OVERLAY.show(view, upload, x_ray=True, lift=lift_above(view.scene))


def _draw_status(header: bpy.types.Header, context: bpy.types.Context) -> None:
    """What is answered, in the status bar."""
    if context.scene is not None and is_tool_active(context):
        not_none(header.layout).label(text=status(context.scene), icon="MOD_DYNAMICPAINT")


def status(scene: bpy.types.Scene) -> str:
    """What is answered, and whether that is of a level that has changed since."""
    said, setup = current_answer.current(scene).sentence, active_setup(scene)
    object_ = None if setup is None else polygon_mesh_of(scene, setup.uid)
    why = "" if object_ is None or setup is None else out_of_date(object_, setup)
    return f"{said} ({why})" if why else said


def redraw_answer() -> None:
    """Wherever it is drawn or said."""
    redraw_views("STATUSBAR")


OVERLAY = Overlay(_draw, forget=current_answer.forget)


DRAWN_IN = {} if bpy.app.background else {"STATUSBAR_HT_header": _draw_status}
