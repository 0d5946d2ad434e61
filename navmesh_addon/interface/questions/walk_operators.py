"""Agents walk the tested way: at once in the viewport, or baked to actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatProperty, IntProperty

from ... import good_moment
from ...ask.walking import current_walk
from ...blender_types import scene_of
from ...kept_value import KeptValue
from ...objects.navmesh_objects import shown_build
from ...operator_types import Acting, Answer
from ...stored.setups import scene_properties
from ...stored.view_properties import MOST
from ..job_operator import RunsJob

if TYPE_CHECKING:
    from ... import background
    from ...ask.walking.baked_walk import Baked

_baking: KeptValue[background.Job[Baked] | None] = KeptValue(None)


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


class NAVMESH_OT_bake_walk(RunsJob, bpy.types.Operator):
    """Keep the walk as animation until all have arrived: a capsule for each agent, with keyframes at the scene's frame
    rate, in the collection “Navmesh Walk”"""

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
            name="Seconds",
            description="How long the walk is; 0 until all have arrived, ten minutes at most",
            default=0.0,
            min=0.0,
            max=600.0,
            precision=1,
        ),
        "speed": FloatProperty(
            name="Speed (m/s)", description="The most that agents walk", default=1.5, min=0.01, soft_max=10.0, max=100.0
        ),
        "seed": IntProperty(name="Seed", description="The same seed, the same keyframes", min=0),
    }

    stopped, is_fine_to_stop = "Stopped: nothing was baked.", False
    _scene = 0  # without a type here, which would make a setting of it

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return _baking.value is None

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        """What the panel says; on a thread, while Blender stays usable."""
        stored = scene_properties(scene_of(context))
        for name in self.__annotations__:
            setattr(self, name, getattr(stored, f"walk_{name}"))
        return super().invoke(context, event)

    def new_job(self, context: bpy.types.Context) -> background.Job[Baked]:
        from ...ask.walking.baked_walk import bake_job, order_of  # here: Blender's start does not wait for NumPy

        current_walk.stop()
        scene = scene_of(context)
        self._scene = scene.session_uid
        return bake_job(scene, order_of(scene, self.agents, self.seconds, self.speed, self.seed))

    def begin(self, job: background.Job[Baked]) -> None:
        _baking.value = job.start()

    def goes_on(self, job: background.Job[Baked]) -> bool:
        """Nothing is written into a scene that renders."""
        _say_below(_progress_of(job))
        return job.running or good_moment.is_rendering()

    def let_go(self, _job: background.Job[Baked]) -> None:
        _baking.forget()
        _say_below(None)

    def show(self, baked: Baked) -> Answer:
        from ...ask.walking.baked_walk import write_walk

        scene = scene_of(bpy.context)
        if scene.session_uid != self._scene or shown_build(scene) != baked.order.build:
            return self.refuse("Nothing was baked: the navmesh is gone, or was built again meanwhile.")
        write_walk(scene, baked)
        self.say(*baked.said)
        return {"FINISHED"}


def _say_below(text: str | None) -> None:
    """In the status bar."""
    if bpy.context.workspace is not None:
        bpy.context.workspace.status_text_set(text)


def _progress_of(job: background.Job[Baked]) -> str:
    """One line for the status bar. (How long it takes nobody knows: it ends when all have arrived.)"""
    if job.stage != "walking":
        return "Bake to Action: preparing the walk …  (Esc: stop)"
    return f"Bake to Action: {job.fraction:.0%} of the longest walk, {job.seconds:.0f} s  (Esc: stop)"


def _forget_baking(*_: object) -> None:
    if _baking.value is not None:
        _baking.value.cancel()
    _baking.forget()


HANDLERS = (("load_pre", _forget_baking),)
unregister = _forget_baking
