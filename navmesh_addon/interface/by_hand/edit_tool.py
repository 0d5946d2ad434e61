"""The tool “Navmesh Edit”: pick polygons of the navmesh and change them, or paint along the ground."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import bpy

from ...blender_types import Icon, not_none, scene_of
from ...package_names import FOLDER
from ...picking.drawn_picks import draw_line
from ...picking.picked_polygons import TOOL, picked
from ...stored.area_types import area_name
from ...stored.setups import scene_properties
from ...stored.view_properties import PAINT_AREA, SELECT
from ..area_icons import icon_of_area

if TYPE_CHECKING:
    from ...stored.setups import NavmeshScene

_PRESS = "PRESS"
_SIDES = 32  # of the ring around the mouse
_LARGER = 1.25
_RADIUS = "scene.navmesh.edit_radius"
_ACTS: tuple[tuple[str, str, Icon], ...] = (
    ("BLOCK", "Block", "CANCEL"), ("KEEP", "Keep", "PINNED"), ("PATCH", "Edit Shape", "EDITMODE_HLT"),
)  # fmt: skip


class NavmeshEdit(bpy.types.WorkSpaceTool):
    """Change the navmesh by hand"""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = TOOL
    bl_label = "Navmesh Edit"
    bl_description = (
        "Change the navmesh by hand; every build heeds it. Click polygons, Shift-click for more, drag a box, L for "
        "whole islands; then X to block, A for an area, K to keep, E to edit their shape; Alt-click to hear why there "
        "is none.\nOr paint an area, blocks, or blocks away: [ and ] change the radius"
    )
    bl_icon = str(FOLDER / "icons/navmesh.edit")  # drawn by tools/tool_icons.py
    bl_keymap = (
        ("navmesh.why", {"type": "LEFTMOUSE", "value": _PRESS, "alt": True}, None),
        ("navmesh.pick_polygons", {"type": "LEFTMOUSE", "value": _PRESS}, None),
        ("navmesh.pick_polygons", {"type": "LEFTMOUSE", "value": _PRESS, "shift": True}, None),
        ("navmesh.pick_polygons", {"type": "LEFTMOUSE", "value": _PRESS, "ctrl": True}, None),
        ("navmesh.paint", {"type": "LEFTMOUSE", "value": _PRESS}, None),
        ("navmesh.pick_island", {"type": "L", "value": _PRESS}, None),
        ("navmesh.edit_polygons", {"type": "X", "value": _PRESS}, {"properties": [("kind", "BLOCK")]}),
        ("wm.call_menu", {"type": "A", "value": _PRESS}, {"properties": [("name", "NAVMESH_MT_area_of_polygons")]}),
        ("navmesh.edit_polygons", {"type": "K", "value": _PRESS}, {"properties": [("kind", "KEEP")]}),
        ("navmesh.edit_polygons", {"type": "E", "value": _PRESS}, {"properties": [("kind", "PATCH")]}),
        ("navmesh.pick_none", {"type": "ESC", "value": _PRESS}, None),
        (
            "wm.context_scale_float",
            {"type": "RIGHT_BRACKET", "value": _PRESS},
            {"properties": [("data_path", _RADIUS), ("value", _LARGER)]},
        ),
        (
            "wm.context_scale_float",
            {"type": "LEFT_BRACKET", "value": _PRESS},
            {"properties": [("data_path", _RADIUS), ("value", 1 / _LARGER)]},
        ),
    )

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: object) -> None:
        scene = scene_of(context)
        stored = scene_properties(scene)
        layout.row().prop(stored, "edit_brush", expand=True)
        if stored.edit_brush == SELECT:
            _draw_acts(layout, scene)
        else:
            _draw_brush(layout, scene, stored)

    @staticmethod
    def draw_cursor(context: bpy.types.Context, _tool: object, mouse: Any) -> None:
        """What the brush covers, as a ring on the ground."""
        scene, region = context.scene, context.region
        if scene is None or region is None or context.region_data is None:
            return
        stored = scene_properties(scene)
        if stored.edit_brush != SELECT:
            around = _ring(context, (mouse[0] - region.x, mouse[1] - region.y), stored.edit_radius)
            draw_line([(x + region.x, y + region.y, 0.0) for x, y in around], closed=True)


def _draw_acts(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    now = picked(scene)
    row = layout.row(align=True)
    row.enabled = now is not None
    for kind, text, icon in _ACTS:
        button: Any = row.operator("navmesh.edit_polygons", text=text, icon=icon)
        button.kind = kind
    row.menu("NAVMESH_MT_area_of_polygons", text="Area", icon="BRUSH_DATA")
    layout.label(text=f"{0 if now is None else len(now.faces):,} picked")


def _draw_brush(layout: bpy.types.UILayout, scene: bpy.types.Scene, stored: NavmeshScene) -> None:
    layout.prop(stored, "edit_radius")
    if stored.edit_brush == PAINT_AREA:
        icon = icon_of_area(scene, stored.edit_area)
        layout.menu("NAVMESH_MT_area_of_brush", text=area_name(scene, stored.edit_area), icon_value=icon)


def _ring(context: bpy.types.Context, mouse: tuple[float, float], radius: float) -> list[tuple[float, float]]:
    """Pixels around the mouse: a circle on level ground as high as what the view turns around."""
    from bpy_extras import view3d_utils

    region, view = not_none(context.region), cast("bpy.types.RegionView3D", context.region_data)
    middle = view3d_utils.region_2d_to_location_3d(region, view, mouse, view.view_location)
    ring = []
    for k in range(_SIDES):
        angle = 2 * math.pi * k / _SIDES
        place = middle.copy()
        place.x += radius * math.cos(angle)
        place.y += radius * math.sin(angle)
        seen = view3d_utils.location_3d_to_region_2d(region, view, place)
        ring += [] if seen is None else [(seen.x, seen.y)]
    return ring


TOOLS = ((NavmeshEdit, {"after": {"navmesh.test"}}),)
