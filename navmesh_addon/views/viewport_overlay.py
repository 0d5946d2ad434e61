"""Drawing over the viewport: the finished navmeshes of the scene. In background mode nothing is drawn."""

from __future__ import annotations

from typing import cast

import bpy
from bpy.app.handlers import persistent

from ..blender_types import known, scene_of, view_layer_of
from ..redraw import redraw_views
from ..stored.setups import NavmeshScene, scene_properties
from . import said_once

PARTS = ("surface", "edges", "walls", "vertices", "links", "dead_ends", "helpers")
_SWITCH = {"dead_ends": "links"}  # parts that another one's switch stands for
_AT_ONCE = 0.01  # seconds of uploading in one drawing
_LATER = 0.03  # seconds until what is computed may be there
_WEAKER = 0.45  # the opacity of navmeshes of other setups than the active one
_handles: list[object] = []


@said_once.said_once
def _draw() -> None:
    """Called by Blender for each 3D view."""
    context = bpy.context
    _draw_view(context, scene_of(context), cast("bpy.types.SpaceView3D", context.space_data))


def _draw_view(context: bpy.types.Context, scene: bpy.types.Scene, space: bpy.types.SpaceView3D) -> None:
    from . import drawn_navmeshes  # here: Blender's start does not wait for NumPy

    shown = scene_properties(scene)
    drawn_navmeshes.forget_unused()
    if not shown.show_navmesh or not space.overlay.show_overlays:
        return
    region, is_all_there = known(context.region), True
    metres = scene.unit_settings.scale_length
    for one in drawn_navmeshes.found(scene, space, view_layer_of(context)):
        if not one.shows_itself and not shown.draw_hidden and drawn_navmeshes.isolated_island(scene, one) is None:
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
        _look_again()


def _is_wanted(shown: NavmeshScene, name: str, shows_itself: bool) -> bool:
    """The mesh objects are the surface where they are seen: two of them would be darker than their colors."""
    if shown.view != "NONE" and name != "helpers":
        return False  # a stage is looked at
    if name == "surface" and shows_itself:
        return False
    return bool(getattr(shown, f"draw_{_SWITCH.get(name, name)}"))


def _look_again() -> None:
    """Draw again in a moment: something is on its way."""
    if not bpy.app.timers.is_registered(redraw_views):
        bpy.app.timers.register(redraw_views, first_interval=_LATER)


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
    if bpy.app.timers.is_registered(redraw_views):
        bpy.app.timers.unregister(redraw_views)
    from . import drawn_navmeshes, gpu_shaders

    drawn_navmeshes.forget()
    gpu_shaders.forget()
    said_once.forget()
