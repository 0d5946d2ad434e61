"""Where the mouse is over the viewport, and what the view says of the ground there.

A gizmo that is never hit is asked about each place that the mouse comes to: so no operator has to run for it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy

from ..blender_types import known, scene_of, view_layer_of
from ..redraw import redraw_views
from ..stored.setups import scene_properties
from . import stage_view

_REST = 0.08  # seconds without a move after which the ground is looked up


class _Place(NamedTuple):
    """Of the mouse, in pixels of a region, which is known by its number."""

    region: int
    x: int
    y: int


_mouse: list[_Place] = []
_value: list[str] = [""]


def value() -> str:
    """What the view says of the place under the mouse, "" for nothing."""
    return _value[0]


class NAVMESH_GT_mouse(bpy.types.Gizmo):
    """Notes where the mouse is"""

    bl_idname = "NAVMESH_GT_mouse"

    def draw(self, _context: bpy.types.Context) -> None:
        """It is not seen."""

    def test_select(self, context: bpy.types.Context, location: Any) -> int:
        place = _Place(known(context.region).as_pointer(), int(location[0]), int(location[1]))
        if _mouse != [place]:
            _mouse[:] = [place]
            if bpy.app.timers.is_registered(_look_up):
                bpy.app.timers.unregister(_look_up)
            bpy.app.timers.register(_look_up, first_interval=_REST)
        return -1


class NAVMESH_GGT_mouse(bpy.types.GizmoGroup):
    """Where the mouse is while a view is shown"""

    bl_idname = "NAVMESH_GGT_mouse"
    bl_label = "Value Under the Mouse"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return scene_properties(scene_of(context)).view != "NONE"

    def setup(self, _context: bpy.types.Context) -> None:
        self.gizmos.new(NAVMESH_GT_mouse.bl_idname)


def _look_up() -> None:
    """The mouse rests: look up what is there, and draw the view again where that is something else."""
    found = _value_under_mouse()
    if found != _value[0]:
        _value[0] = found
        redraw_views()


def _value_under_mouse() -> str:
    one = stage_view.shown()
    if one is None or not one.made.pieces or not _mouse:
        return ""
    for window in known(bpy.context.window_manager).windows:
        for area in window.screen.areas:
            for region in area.regions if area.type == "VIEW_3D" else ():
                if region.as_pointer() == _mouse[0].region:
                    return _value_in(window, region, area.spaces.active.region_3d)  # type: ignore[union-attr]
    return ""


def _value_in(window: bpy.types.Window, region: bpy.types.Region, eye: bpy.types.RegionView3D) -> str:
    from bpy_extras import view3d_utils

    from .stage_worker import value_at

    place, scene = _mouse[0][1:], window.scene
    origin = view3d_utils.region_2d_to_origin_3d(region, eye, place)
    ray = view3d_utils.region_2d_to_vector_3d(region, eye, place)
    with bpy.context.temp_override(window=window):
        depsgraph = known(view_layer_of(bpy.context).depsgraph)
    found: Any = scene.ray_cast(depsgraph, origin, ray)  # the stubs know nothing of what comes back
    hit, point = found[:2]
    one = stage_view.shown()
    if not hit or one is None:
        return ""
    metres = scene.unit_settings.scale_length
    return value_at(one.made, (point[0] * metres, point[2] * metres, -point[1] * metres))


CLASSES = (NAVMESH_GT_mouse, NAVMESH_GGT_mouse)


def register() -> None:
    _mouse.clear()
    _value[0] = ""


def unregister() -> None:
    if bpy.app.timers.is_registered(_look_up):
        bpy.app.timers.unregister(_look_up)
    _mouse.clear()
    _value[0] = ""
