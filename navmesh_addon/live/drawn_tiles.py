"""Tiles that were built and are not written yet, drawn over the viewport. In background mode nothing is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import bpy

from ..blender_types import known, scene_of
from ..stored.setups import scene_properties
from ..views import said_once
from . import live_mode

if TYPE_CHECKING:
    from ...navcore.geometry.tile_key import TileKey
    from ..views.gpu_layers import Upload
    from .followed_setups import FollowedSetups
    from .tile_pictures import TilePicture

_LINE = 2.0  # pixels
_LIFT = 0.15  # metres: above the mesh objects, which are older
_AT_ONCE = 0.01  # seconds of uploading in one drawing
_handles: list[object] = []
_uploads: dict[tuple[str, TileKey], tuple[TilePicture, Upload]] = {}  # by setup and tile


@said_once.said_once
def _draw() -> None:
    """Called by Blender for each 3D view."""
    context = bpy.context
    now, space = live_mode.following(), cast("bpy.types.SpaceView3D", context.space_data)
    if now is None or context.scene is None or now.scene != context.scene.session_uid:
        _uploads.clear()
        return
    stored = scene_properties(context.scene)
    if stored.show_navmesh and stored.view == "NONE" and space.overlay.show_overlays:
        _draw_tiles(context, now, stored.draw_x_ray)


def _draw_tiles(context: bpy.types.Context, followed: FollowedSetups, x_ray: bool) -> None:
    from ..views.gpu_layers import Upload  # here: Blender's start does not wait for NumPy

    region, metres = known(context.region), scene_of(context).unit_settings.scale_length
    pictures = {(one.setup, place): shown for one in followed for place, shown in one.pictures.items()}
    for place in _uploads.keys() - pictures.keys():
        del _uploads[place]
    is_all_there = True
    for place, shown in pictures.items():
        if shown.picture is None:
            _uploads.pop(place, None)
            continue
        if place not in _uploads or _uploads[place][0] is not shown:
            _uploads[place] = shown, Upload(shown.picture, metres, _LINE)
        upload = _uploads[place][1]
        is_all_there &= upload.step(_AT_ONCE)
        upload.draw((region.width, region.height), x_ray=x_ray, lift=_LIFT / metres)
    if not is_all_there:
        region.tag_redraw()


def register() -> None:
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    _uploads.clear()
