"""Drawing over the viewport: the finished navmeshes of the scene. In background mode nothing is drawn."""

from __future__ import annotations

import traceback
from typing import cast

import bpy
from bpy.app.handlers import persistent

from ..blender_types import known, scene_of, view_layer_of
from ..stored.setups import scene_properties

PARTS = ("surface", "edges", "walls", "vertices", "links", "dead_ends", "helpers")
_SWITCH = {"dead_ends": "links"}  # parts that another one's switch stands for
_AT_ONCE = 0.01  # seconds of uploading in one drawing
_LOOK_AGAIN = 0.03  # seconds until what is computed may be there
_WEAKER = 0.45  # the opacity of navmeshes of other setups than the active one
_handles: list[object] = []
_failed: set[str] = set()  # what went wrong is said once, not at each drawing


def _draw() -> None:
    """Called by Blender for each 3D view."""
    context = bpy.context
    try:
        _draw_view(context, scene_of(context), cast("bpy.types.SpaceView3D", context.space_data))
    except Exception:  # noqa: BLE001 - an exception in here would be printed at each drawing
        if (text := traceback.format_exc()) not in _failed:
            _failed.add(text)
            traceback.print_exc()


def _draw_view(context: bpy.types.Context, scene: bpy.types.Scene, space: bpy.types.SpaceView3D) -> None:
    from . import drawn_navmeshes  # here: Blender's start does not wait for NumPy

    shown = scene_properties(scene)
    drawn_navmeshes.forget_unused()
    if not shown.show_navmesh or not space.overlay.show_overlays:
        return
    region, is_all_there = known(context.region), True
    metres = scene.unit_settings.scale_length
    for one in drawn_navmeshes.found(scene, space, view_layer_of(context)):
        if not one.shows_itself and not shown.draw_hidden:
            continue
        uploads = drawn_navmeshes.uploads_of(scene, one)
        for name in PARTS:
            if name not in uploads or not _is_wanted(shown, name, one.shows_itself):
                continue
            is_all_there &= uploads[name].step(_AT_ONCE)
            uploads[name].draw(
                (region.width, region.height),
                x_ray=shown.draw_x_ray or name == "dead_ends",
                fade=shown.draw_fade / metres,
                opacity=1.0 if one.is_active else _WEAKER,
            )
    if not is_all_there or drawn_navmeshes.is_coming():
        look_again()


def _is_wanted(shown: object, name: str, shows_itself: bool) -> bool:
    """The mesh objects are the surface where they are seen: two of them would be darker than their colors."""
    if getattr(shown, "view", "NONE") != "NONE" and name != "helpers":
        return False  # a stage is looked at
    if name == "surface" and shows_itself:
        return False
    return bool(getattr(shown, f"draw_{_SWITCH.get(name, name)}"))


def look_again() -> None:
    """Draw again in a moment: something is on its way."""
    if not bpy.app.timers.is_registered(_tag):
        bpy.app.timers.register(_tag, first_interval=_LOOK_AGAIN)


def _tag() -> None:
    for window in bpy.context.window_manager.windows if bpy.context.window_manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "WINDOW":
                        region.tag_redraw()


@persistent  # type: ignore[untyped-decorator,unused-ignore]
def _before_load(*_: object) -> None:
    """What was drawn belongs to the file that is left."""
    from . import drawn_navmeshes

    drawn_navmeshes.forget()


def register() -> None:
    if not bpy.app.background:
        bpy.app.handlers.load_pre.append(_before_load)
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    if not _handles:  # in the background there is none, and nothing of what follows
        return
    bpy.app.handlers.load_pre.remove(_before_load)
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    if bpy.app.timers.is_registered(_tag):
        bpy.app.timers.unregister(_tag)
    from . import drawn_navmeshes, gpu_shaders

    drawn_navmeshes.forget()
    gpu_shaders.forget()
    _failed.clear()
