"""What can be said before a build is kept up to date here, and the button that checks everything.

The panel asks for the forecast while drawing and gets the last one; a timer makes a new one when something has changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...navcore.errors import NavmeshError
from .. import events
from ..blender_types import scene_of, view_layer_of
from ..builds import active_build
from ..operator_types import Answer
from ..redraw import redraw
from ..stored.setting_properties import NAMES
from ..stored.setups import NavmeshSetup, fill_draft, setup_sources, shown_setup

if TYPE_CHECKING:
    from ..gather.level_forecast import LevelForecast

MOST_OBJECTS = 4000  # beyond it only on request
_DELAY = 0.3  # seconds after the last change
_HARMLESS = {"SCALE", "HELPER"}  # hints on what may well be meant so
_Key = tuple[object, ...]
_latest: list[tuple[_Key, LevelForecast]] = []  # the one last made, and what it was made for
_changed = [True]


def check(context: bpy.types.Context, setup: NavmeshSetup) -> LevelForecast:
    """Look at the boxes, and at what only the triangles can tell. Raises NavmeshError."""
    from ..gather.gather_scene import gather
    from ..gather.level_forecast import forecast_level, forecast_of_triangles

    boxes = forecast_level(context, setup)
    forecast = forecast_of_triangles(boxes, gather(context, setup_sources(setup)))
    _latest[:] = [(_key(scene_of(context), setup), forecast)]
    _changed[0] = False
    return forecast


def latest(scene: bpy.types.Scene) -> LevelForecast | None:
    """The last forecast for the setup that is shown; asks for a new one where something has changed since."""
    setup = shown_setup(scene)
    fits = bool(_latest) and _latest[0][0] == _key(scene, setup)
    if (_changed[0] or not fits) and not bpy.app.timers.is_registered(_refresh):
        bpy.app.timers.register(_refresh, first_interval=_DELAY)
    return _latest[0][1] if fits else None


def something_changed() -> None:
    _changed[0] = True


def _key(scene: bpy.types.Scene, setup: NavmeshSetup) -> _Key:
    return scene.session_uid, setup.uid, setup_sources(setup), *(getattr(setup, name) for name in NAMES)


def _refresh() -> None:
    """Called by a timer, outside of drawing."""
    context = bpy.context
    if context.scene is None or context.view_layer is None or active_build.current() is not None:
        return
    if context.screen is not None and context.screen.is_animation_playing:
        return
    if len(view_layer_of(context).objects) > MOST_OBJECTS and _latest:
        return
    from ..gather.level_forecast import forecast_level  # here: Blender's start does not wait for it

    fill_draft(scene_of(context))
    setup = shown_setup(scene_of(context))
    _latest[:] = [(_key(scene_of(context), setup), forecast_level(context, setup))]
    _changed[0] = False
    redraw()


class NAVMESH_OT_check(bpy.types.Operator):
    """Look at everything that would be built, without building"""

    bl_idname = "navmesh.check"
    bl_label = "Check"
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> Answer:
        try:
            forecast = check(context, shown_setup(scene_of(context)))
        except NavmeshError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        serious = [hint for hint in forecast.hints if hint.code not in _HARMLESS]
        self.report(
            {"WARNING"} if serious else {"INFO"}, f"{len(serious)} warnings" if serious else "Nothing looks wrong"
        )
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_check,)


def register() -> None:
    something_changed()
    events.level_changed.subscribe(something_changed)


def unregister() -> None:
    events.level_changed.unsubscribe(something_changed)
    if bpy.app.timers.is_registered(_refresh):
        bpy.app.timers.unregister(_refresh)
    _latest.clear()
