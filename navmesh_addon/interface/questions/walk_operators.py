"""Agents walk the tested way: at once in the viewport, or baked to actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatProperty, IntProperty

from ...ask.walking import current_walk
from ...blender_types import scene_of
from ...operator_types import Acting, Answer
from ...stored.setups import scene_properties
from ...stored.view_properties import MOST


class _InWindow(Acting):
    """Agents walk only where somebody can see it."""

    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and not bpy.app.background


class NAVMESH_OT_walk(_InWindow, bpy.types.Operator):
    """Let an agent of the navmesh's size walk the tested way, or end the walk"""

    bl_idname = "navmesh.walk"
    bl_label = "Walk"

    def act(self, context: bpy.types.Context) -> None:
        if current_walk.current() is not None:
            current_walk.stop()
        else:
            current_walk.start(scene_of(context), 1)


class NAVMESH_OT_walk_add(_InWindow, bpy.types.Operator):
    """Let more agents walk the tested way, from free ground near the start"""

    bl_idname = "navmesh.walk_add"
    bl_label = "Add Agents"

    if TYPE_CHECKING:
        count: int
    __annotations__ = {
        "count": IntProperty(
            name="Agents", description="How many more", default=1, min=1, max=MOST, options={"SKIP_SAVE"}
        )
    }

    def act(self, context: bpy.types.Context) -> None:
        current_walk.add(scene_of(context), self.count)


class NAVMESH_OT_walk_stop(Acting, bpy.types.Operator):
    """End the walk"""

    bl_idname = "navmesh.walk_stop"
    bl_label = "Stop"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return current_walk.current() is not None

    def act(self, _context: bpy.types.Context) -> None:
        current_walk.stop()


class NAVMESH_OT_bake_walk(Acting, bpy.types.Operator):
    """Keep the walk as animation: a capsule for each agent in the collection “Navmesh Walk”, with keyframes at the
    scene's frame rate"""

    bl_idname = "navmesh.bake_walk"
    bl_label = "Bake to Action"

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

    def act(self, context: bpy.types.Context) -> None:
        from ...ask.walking.baked_walk import bake_walk  # here: Blender's start does not wait for NumPy

        current_walk.stop()
        count, longest = bake_walk(scene_of(context), self.agents, self.seconds, self.speed, self.seed)
        said = f"{count} agent{'s' * (count != 1)} baked; the longest walk is {longest:.1f} m."
        missing = self.agents - count
        self.say(not missing, f"{said} For {missing} there is no free ground near the start." if missing else said)


CLASSES = (NAVMESH_OT_walk, NAVMESH_OT_walk_add, NAVMESH_OT_walk_stop, NAVMESH_OT_bake_walk)
