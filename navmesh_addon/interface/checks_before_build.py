"""What can be said before a build is kept up to date here, and the button that checks everything.

The panel asks for the forecast while drawing and gets the last one; a timer makes a new one in slices when something
has changed, and begins again where something changes meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...navcore.build_warning import counted
from ...navcore.errors import NavmeshError
from .. import events
from ..blender_types import scene_of
from ..objects.built_from import rebuilt_from
from ..objects.navmesh_objects import build_of, navmesh_of_setup
from ..operator_types import Acting
from ..redraw import redraw
from ..sliced_work import SlicedWork, Steps
from ..stored.setting_properties import NAMES
from ..stored.setup_properties import NavmeshSetup
from ..stored.setups import fill_draft, setup_sources, shown_setup

if TYPE_CHECKING:
    from ..gather.before_build.level_forecast import LevelForecast, Taken

_DELAY = 0.3  # seconds after the last change
_HARMLESS = {"SCALE", "HELPER"}  # hints on what may well be meant so
ForecastKey = tuple[object, ...]


class _Forecasts:
    """The one last made, what it was made for, and what is asked for."""

    def __init__(self) -> None:
        self.has_changed = True
        self.asked_for: ForecastKey = ()
        self.forget()

    def forget(self) -> None:
        self.made_for: ForecastKey = ()
        self.latest: LevelForecast | None = None

    def keep(self, key: ForecastKey, forecast: LevelForecast) -> None:
        self.made_for, self.latest, self.has_changed = key, forecast, False


_forecasts = _Forecasts()


def check(context: bpy.types.Context, setup: NavmeshSetup) -> LevelForecast:
    """Look at the boxes, and at what only the triangles can tell. Raises NavmeshError."""
    from ..gather.before_build.level_forecast import forecast_level, forecast_of_triangles
    from ..gather.gather_scene import gather

    taken = _taken_by(scene_of(context), setup)
    forecast = forecast_level(context, setup, taken)
    if forecast.looked:  # there is something to gather
        forecast = forecast_of_triangles(forecast, gather(context, taken.sources))
    _forecasts.keep(key_of(scene_of(context), setup), forecast)
    return forecast


def latest(scene: bpy.types.Scene) -> LevelForecast | None:
    """The last complete forecast for the setup that is shown; asks for a new one where something has changed since."""
    setup = shown_setup(scene)
    key = key_of(scene, setup)
    if _survey.asked and _forecasts.asked_for == key:
        pass  # it is being made
    elif _survey.asked or _forecasts.has_changed or _forecasts.made_for != key:
        _forecasts.has_changed, _forecasts.asked_for = False, key
        _survey.ask()
    return _forecasts.latest if _forecasts.made_for[:2] == key[:2] else None


def key_of(scene: bpy.types.Scene, setup: NavmeshSetup) -> ForecastKey:
    """What a forecast depends on beside the level. It begins with whose it is."""
    build = build_of(navmesh_of_setup(scene, setup))
    return scene.session_uid, setup.uid, build, setup_sources(setup), *(getattr(setup, name) for name in NAMES)


def _taken_by(scene: bpy.types.Scene, setup: NavmeshSetup) -> Taken:
    """What the button takes: Rebuild the same as before, and Build what the setup says."""
    from ..gather.before_build.level_forecast import Taken

    object_ = navmesh_of_setup(scene, setup)
    try:
        given, sources = ({}, setup_sources(setup)) if object_ is None else rebuilt_from(object_, setup)
    except NavmeshError:  # it was imported, or is damaged, which is said where somebody rebuilds
        given, sources = {}, setup_sources(setup)
    given.pop("prune", None)
    return Taken(given, sources)


def something_changed() -> None:
    """Called after every click: does next to nothing. The panel, when it is drawn, asks for what it shows."""
    _forecasts.has_changed = True
    if _survey.asked:
        _survey.ask()


def _make() -> Steps:
    """Called by a timer, outside of drawing."""
    from ..gather.before_build.level_forecast import forecast_in_steps  # here: Blender's start does not wait for it

    scene = scene_of(bpy.context)
    fill_draft(scene)
    setup = shown_setup(scene)
    key = key_of(scene, setup)
    forecast = yield from forecast_in_steps(bpy.context, setup, _taken_by(scene, setup))
    _forecasts.keep(key, forecast)
    redraw()


_survey = SlicedWork(_make, _DELAY)


class NAVMESH_OT_check(Acting, bpy.types.Operator):
    """Look at everything that would be built, without building"""

    bl_idname = "navmesh.check"
    bl_label = "Check"
    bl_options = {"INTERNAL"}

    def act(self, context: bpy.types.Context) -> None:
        forecast = check(context, shown_setup(scene_of(context)))
        serious = [hint for hint in forecast.hints if hint.code not in _HARMLESS]
        self.say(not serious, counted(len(serious), "warning") if serious else "Nothing looks wrong")


SUBSCRIBERS = ((events.level_changed, something_changed),)
register = something_changed


def unregister() -> None:
    _survey.forget()
    _forecasts.forget()
