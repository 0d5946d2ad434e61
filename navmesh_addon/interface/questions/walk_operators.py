"""Agents walk the tested way: at once in the viewport, or baked to actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatProperty, IntProperty

from ....navcore.errors import Cancelled, NavmeshError
from ... import good_moment
from ...ask.asked_navmesh import build_of
from ...ask.walking import current_walk
from ...blender_types import not_none, scene_of
from ...kept_value import KeptValue
from ...operator_types import Acting, Answer, report_error
from ...stored.setups import scene_properties
from ...stored.view_properties import MOST

if TYPE_CHECKING:
    from ...ask.walking.baked_walk import Baked, BakeOrder
    from ...ask.walking.walk_job import Computing

_TICK = 0.1  # seconds between two looks at the thread
_baking: KeptValue[tuple[Computing[Baked], int, str] | None] = KeptValue(None)  # with its scene and build


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
    """Keep the walk as animation until all have arrived: a capsule for each agent, with keyframes at the scene's frame
    rate, in the collection “Navmesh Walk”"""

    bl_idname = "navmesh.bake_walk"
    bl_label = "Bake to Action"

    if TYPE_CHECKING:
        agents: int
        seconds: float
        speed: float
        seed: int
        _timer: bpy.types.Timer | None
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

    _timer = None  # without a type here, which would make a setting of it

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return _baking.value is None

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Answer:
        """What the panel says; on a thread, while Blender stays usable."""
        stored = scene_properties(scene_of(context))
        for name in self.__annotations__:
            setattr(self, name, getattr(stored, f"walk_{name}"))
        if bpy.app.background or context.window is None:
            return self.execute(context)
        from ...ask.walking.baked_walk import bake_job

        try:
            current_walk.stop()
            order = self._order(context)
            _baking.value = bake_job(scene_of(context), order), scene_of(context).session_uid, order.build
        except NavmeshError as error:
            return report_error(self, error)
        self._timer = not_none(context.window_manager).event_timer_add(_TICK, window=context.window)
        not_none(context.window_manager).modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        baking = _baking.value
        if baking is None:
            return self._end(context, {"CANCELLED"})
        job, scene_uid, build = baking
        if event.type == "ESC" and event.value == "PRESS":
            job.cancel()
            self.report({"WARNING"}, "Stopped: nothing was baked.")
            return self._end(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if job.running or good_moment.is_rendering():
            if context.workspace is not None:
                context.workspace.status_text_set(_progress_of(job))
            return {"PASS_THROUGH"}
        if job.error is not None or job.result is None:
            self._end(context, {"CANCELLED"})
            return report_error(self, job.error or Cancelled())
        scene = scene_of(context)
        if scene.session_uid != scene_uid or build_of(scene) != build:
            self.report({"WARNING"}, "Nothing was baked: the navmesh is gone, or was built again meanwhile.")
            return self._end(context, {"CANCELLED"})
        self._write(scene, job.result)
        return self._end(context, {"FINISHED"})

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator: its window was closed, or another file is loaded."""
        if _baking.value is not None:
            _baking.value[0].cancel()
        self._end(context, {"CANCELLED"})

    def act(self, context: bpy.types.Context) -> None:
        from ...ask.walking.baked_walk import bake_walk  # here: Blender's start does not wait for NumPy

        current_walk.stop()
        baked = bake_walk(scene_of(context), self._order(context))
        self.say(*baked.said)

    def _order(self, context: bpy.types.Context) -> BakeOrder:
        from ...ask.walking.baked_walk import order_of

        return order_of(scene_of(context), self.agents, self.seconds, self.speed, self.seed)

    def _write(self, scene: bpy.types.Scene, baked: Baked) -> None:
        from ...ask.walking.baked_walk import write_walk

        write_walk(scene, baked)
        self.say(*baked.said)

    def _end(self, context: bpy.types.Context, answer: Answer) -> Answer:
        _baking.forget()
        if self._timer is not None:
            not_none(context.window_manager).event_timer_remove(self._timer)
            self._timer = None
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        return answer


def _progress_of(job: Computing[Baked]) -> str:
    """One line for the status bar. (How long it takes nobody knows: it ends when all have arrived.)"""
    if job.stage != "walking":
        return "Bake to Action: preparing the walk …  (Esc: stop)"
    return f"Bake to Action: {job.fraction:.0%} of the longest walk, {job.seconds:.0f} s  (Esc: stop)"


def _forget_baking(*_: object) -> None:
    if _baking.value is not None:
        _baking.value[0].cancel()
    _baking.forget()


HANDLERS = (("load_pre", _forget_baking),)
unregister = _forget_baking


CLASSES = (NAVMESH_OT_walk, NAVMESH_OT_walk_add, NAVMESH_OT_walk_stop, NAVMESH_OT_bake_walk)
