"""The answer drawn over the viewport while the tool is active. In background mode nothing is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.app.handlers import persistent

from ..blender_types import known, scene_of
from ..objects.navmesh_objects import polygon_mesh_of
from ..redraw import redraw_views
from ..stored.setups import active_setup
from ..views import said_once
from ..watch.out_of_date import out_of_date
from . import current_answer

if TYPE_CHECKING:
    from ..views.gpu_layers import Upload

TOOL = "navmesh.test"
_LINE = 4.0  # pixels
_AT_ONCE = 0.01  # seconds of uploading in one drawing
_handles: list[object] = []
_uploaded: list[tuple[object, Upload]] = []  # at most one: what it shows, and where it is


def is_tool_active(context: bpy.types.Context) -> bool:
    """Whether the mouse asks the navmesh."""
    workspace = context.workspace
    tool = workspace.tools.from_space_view3d_mode(context.mode, create=False) if workspace else None
    return tool is not None and tool.idname == TOOL


@said_once.said_once
def _draw() -> None:
    """Called by Blender for each 3D view."""
    context = bpy.context
    if scene_of(context) is not None and is_tool_active(context):
        _draw_answer(context)


def _draw_answer(context: bpy.types.Context) -> None:
    from ..views.gpu_layers import Upload  # here: Blender's start does not wait for NumPy

    scene = scene_of(context)
    known_now = current_answer.current(scene)
    if known_now.picture is None:
        return
    key = known_now.key
    if not _uploaded or _uploaded[0][0] != key:
        _uploaded[:] = [(key, Upload(known_now.picture, scene.unit_settings.scale_length, _LINE))]
    upload, region = _uploaded[0][1], known(context.region)
    if not upload.step(_AT_ONCE):
        region.tag_redraw()
    upload.draw((region.width, region.height), x_ray=True)


def _draw_status(header: bpy.types.Header, context: bpy.types.Context) -> None:
    """What is answered, in the status bar."""
    if context.scene is not None and is_tool_active(context):
        known(header.layout).label(text=status(context.scene), icon="MOD_DYNAMICPAINT")


def status(scene: bpy.types.Scene) -> str:
    """What is answered, and whether that is of a level that has changed since."""
    said, setup = current_answer.current(scene).sentence, active_setup(scene)
    object_ = None if setup is None else polygon_mesh_of(scene, setup.uid)
    why = "" if object_ is None or setup is None else out_of_date(object_, setup)
    return f"{said} ({why})" if why else said


def redraw_answer() -> None:
    """Wherever it is drawn or said."""
    redraw_views("STATUSBAR")


@persistent  # type: ignore[untyped-decorator,unused-ignore]
def _before_load(*_: object) -> None:
    """Nobody asks the navmeshes of the file that is left."""
    current_answer.forget()


def register() -> None:
    bpy.app.handlers.load_pre.append(_before_load)
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))
        bpy.types.STATUSBAR_HT_header.append(_draw_status)


def unregister() -> None:
    bpy.app.handlers.load_pre.remove(_before_load)
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
        bpy.types.STATUSBAR_HT_header.remove(_draw_status)
    _uploaded.clear()
    said_once.forget()
    current_answer.forget()
