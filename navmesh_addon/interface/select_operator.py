"""Select the object that a line of a panel names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from ..blender_types import view_layer_of
from ..operator_types import Answer


class NAVMESH_OT_select_object(bpy.types.Operator):
    """Select the object that is meant, and look at it"""

    bl_idname = "navmesh.select_object"
    bl_label = "Select Object"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    if TYPE_CHECKING:
        name: str
    __annotations__ = {"name": StringProperty(options={"SKIP_SAVE"})}

    def execute(self, context: bpy.types.Context) -> Answer:
        object_ = view_layer_of(context).objects.get(self.name)
        if object_ is None:
            self.report({"WARNING"}, f"“{self.name}” is no longer in this view layer.")
            return {"CANCELLED"}
        for other in context.selected_objects:
            other.select_set(False)
        if object_.visible_get():
            object_.select_set(True)
        view_layer_of(context).objects.active = object_
        if context.area is not None and context.area.type == "VIEW_3D":
            region = next(r for r in context.area.regions if r.type == "WINDOW")
            with context.temp_override(region=region):
                view: Any = bpy.ops.view3d  # the stubs know no `poll` of operators
                if view.view_selected.poll():
                    view.view_selected()
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_select_object,)
