"""Agents walk the tested way: at once in the viewport, or baked to actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatProperty, IntProperty

from ....navcore.errors import NavmeshError
from ...ask.walking import current_walk
from ...blender_types import scene_of
from ...errors import report_error
from ...operator_types import Answer
from ...stored.setups import scene_properties
from ...stored.view_properties import MOST


class NAVMESH_OT_walk(bpy.types.Operator):
    """Let an agent of the navmesh's size walk the tested way, or end the walk"""

    bl_idname = "navmesh.walk"
    bl_label = "Walk"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and not bpy.app.background

    def execute(self, context: bpy.types.Context) -> Answer:
        if current_walk.current() is not None:
            current_walk.stop()
            return {"FINISHED"}
        try:
            current_walk.start(scene_of(context), 1)
        except NavmeshError as error:
            return report_error(self, error)
        return {"FINISHED"}


class NAVMESH_OT_walk_add(bpy.types.Operator):
    """Let more agents walk the tested way, from free ground near the start"""

    bl_idname = "navmesh.walk_add"
    bl_label = "Add Agents"
    bl_options = {"REGISTER"}

    if TYPE_CHECKING:
        count: int
    __annotations__ = {
        "count": IntProperty(
            name="Agents", description="How many more", default=1, min=1, max=MOST, options={"SKIP_SAVE"}
        )
    }

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and not bpy.app.background

    def execute(self, context: bpy.types.Context) -> Answer:
        try:
            current_walk.add(scene_of(context), self.count)
        except NavmeshError as error:
            return report_error(self, error)
        return {"FINISHED"}


class NAVMESH_OT_walk_stop(bpy.types.Operator):
    """End the walk"""

    bl_idname = "navmesh.walk_stop"
    bl_label = "Stop"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return current_walk.current() is not None

    def execute(self, _context: bpy.types.Context) -> Answer:
        current_walk.stop()
        return {"FINISHED"}


class NAVMESH_OT_bake_walk(bpy.types.Operator):
    """Keep the walk as animation: a capsule for each agent in the collection “Navmesh Walk”, with keyframes at the
    scene's frame rate"""

    bl_idname = "navmesh.bake_walk"
    bl_label = "Bake to Action"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        agents: int
        seconds: float
        speed: float
        seed: int
    __annotations__ = {
        "agents": IntProperty(name="Agents", description="How many walk", default=1, min=1, max=MOST),
        "seconds": FloatProperty(
            name="Seconds", description="How long the walk is", default=20.0, min=0.1, max=600.0, precision=1
        ),
        "speed": FloatProperty(
            name="Speed (m/s)", description="The most that agents walk", default=1.5, min=0.01, soft_max=10.0, max=100.0
        ),
        "seed": IntProperty(name="Seed", description="The same seed, the same keyframes", min=0),
    }

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Answer:
        """What the panel says."""
        stored = scene_properties(scene_of(context))
        for name in self.__annotations__:
            setattr(self, name, getattr(stored, f"walk_{name}"))
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> Answer:
        from ...ask.walking.baked_walk import bake_walk  # here: Blender's start does not wait for NumPy

        current_walk.stop()
        try:
            count, longest = bake_walk(scene_of(context), self.agents, self.seconds, self.speed, self.seed)
        except NavmeshError as error:
            return report_error(self, error)
        said = f"{count} agent{'s' * (count != 1)} baked; the longest walk is {longest:.1f} m."
        if count < self.agents:
            self.report({"WARNING"}, f"{said} For {self.agents - count} there is no free ground near the start.")
        else:
            self.report({"INFO"}, said)
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_walk, NAVMESH_OT_walk_add, NAVMESH_OT_walk_stop, NAVMESH_OT_bake_walk)
