"""Operators on the list of setups. One verb each, all of them undoable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from ..blender_types import scene_of
from ..operator_types import Answer
from ..stored.setups import add_setup, scene_properties


class NAVMESH_OT_setup_add(bpy.types.Operator):
    """Add a setup: settings for one more agent"""

    bl_idname = "navmesh.setup_add"
    bl_label = "Add Setup"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        name: str
    __annotations__ = {"name": StringProperty(name="Name", options={"SKIP_SAVE"})}

    def execute(self, context: bpy.types.Context) -> Answer:
        add_setup(scene_of(context), self.name)
        return {"FINISHED"}


class NAVMESH_OT_setup_remove(bpy.types.Operator):
    """Remove the setup. Its navmesh stays"""

    bl_idname = "navmesh.setup_remove"
    bl_label = "Remove Setup"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and len(scene_properties(scene_of(context)).setups) > 0

    def execute(self, context: bpy.types.Context) -> Answer:
        stored = scene_properties(scene_of(context))
        number = min(stored.active, len(stored.setups) - 1)
        stored.setups.remove(number)
        stored.active = max(0, number - 1)
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_setup_add, NAVMESH_OT_setup_remove)
