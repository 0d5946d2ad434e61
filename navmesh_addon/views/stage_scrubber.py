"""Stepping through the views: arrows and a menu in the viewport's header, and keys with the wheel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty

from ..blender_types import layout_of, scene_of
from ..objects.navmesh_objects import active_navmesh
from ..operator_types import Acting
from ..redraw import redraw_views
from ..stored.setups import scene_properties
from ..stored.view_properties import VIEWS

_NAMES = [name for name, *_ in VIEWS]


class NAVMESH_OT_view_step(Acting, bpy.types.Operator):
    """Show the stage before or after the one that is shown"""

    bl_idname = "navmesh.view_step"
    bl_label = "Next or Previous Stage"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        way: str
    __annotations__ = {
        "way": EnumProperty(name="Way", items=(("NEXT", "Next", ""), ("PREVIOUS", "Previous", ""))),
    }

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return active_navmesh(scene_of(context)) is not None

    def act(self, context: bpy.types.Context) -> None:
        stored = scene_properties(scene_of(context))
        step = 1 if self.way == "NEXT" else -1
        stored.view = _NAMES[(_NAMES.index(stored.view) + step) % len(_NAMES)]
        redraw_views()


def draw_scrubber(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Both arrows, and the menu of views between them."""
    row = layout.row(align=True)
    row.operator("navmesh.view_step", text="", icon="TRIA_LEFT").way = "PREVIOUS"
    row.prop(scene_properties(scene), "view", text="")
    row.operator("navmesh.view_step", text="", icon="TRIA_RIGHT").way = "NEXT"


def _draw_header(header: Any, context: bpy.types.Context) -> None:
    """Only where there is a navmesh whose stages can be looked at."""
    if active_navmesh(scene_of(context)) is not None:
        draw_scrubber(layout_of(header), scene_of(context))


DRAWN_IN = {"VIEW3D_HT_header": _draw_header}
_HELD = {"ctrl": True, "shift": True, "alt": True}  # Blender itself turns the view with two of these keys
KEYS = (
    ("navmesh.view_step", "WHEELDOWNMOUSE", _HELD, ("way", "NEXT")),
    ("navmesh.view_step", "WHEELUPMOUSE", _HELD, ("way", "PREVIOUS")),
)
