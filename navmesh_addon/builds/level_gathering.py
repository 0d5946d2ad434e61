"""Gathering for one or several builds: at once, or a slice at a time while Blender's window goes on answering."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import scene_of, view_layer_of

if TYPE_CHECKING:
    from ...navcore.settings import Settings
    from ..gather.gather_scene import Gathering
    from ..gather.gathered_level import Gathered
    from ..stored.setup_properties import Sources
    from .request_and_result import Request

PATIENCE = 3  # times that it begins anew because the scene has changed; then it is done at once


class Plan(NamedTuple):
    """One navmesh that is to be built of a level which was not gathered yet."""

    sources: Sources
    settings: Settings
    prune: bool
    request: Callable[[Gathered], Request]  # once the level is there
    setup: str = ""  # whose marks count


class LevelGathering:
    """The levels of some plans while they are gathered. Plans with the same sources share one."""

    stage = "gathering"

    def __init__(self, plans: list[Plan]) -> None:
        self._plans = plans
        self._levels: dict[Sources, Gathering] = {}
        self._has_changed = False
        self._begun_anew = 0
        self._shown: tuple[int, str] | None = None  # scene and view layer
        self._frame: float | None = None

    def go_on(self, context: bpy.types.Context, seconds: float = math.inf) -> bool:
        """Work for about so long. Returns whether everything is gathered; raises NavmeshError."""
        from ..gather.gather_scene import Gathering  # here: Blender's start does not wait for it

        until = time.perf_counter() + seconds
        self._look_for_changes(context)
        patient = self._begun_anew < PATIENCE
        for sources in dict.fromkeys(plan.sources for plan in self._plans):
            if sources not in self._levels:
                self._levels[sources] = Gathering(sources)
            if not self._levels[sources].go_on(context, until - time.perf_counter() if patient else math.inf):
                break
        else:
            return True
        self._has_changed = False  # what was told of meanwhile is what gathering did itself
        return False

    def _look_for_changes(self, context: bpy.types.Context) -> None:
        """Begin anew where the level is another one now. Raises NavmeshError where another scene is shown."""
        context.evaluated_depsgraph_get()  # what is out of date is brought up to date, and told of, now
        scene, layer = scene_of(context), view_layer_of(context)
        shown, frame = (scene.session_uid, layer.name), scene.frame_current_final
        if self._shown not in (None, shown):
            raise NavmeshError(
                "Another scene is shown now than the one that was being gathered. Nothing was changed: go back to it "
                "and build again.",
                "SCENE_CHANGED",
            )
        if self._has_changed or self._frame not in (None, frame):
            self._begun_anew += 1
            for level in self._levels.values():
                level.begin_anew()
        self._shown, self._frame = shown, frame

    def level_changed(self) -> None:
        """What was gathered of a level so far is that of another one now."""
        self._has_changed = True

    def requests(self) -> list[Request]:
        """One for every plan, when all is gathered."""
        from ..gather.gathered_level import as_wanted

        levels = [(plan, self._levels[plan.sources].gathered()) for plan in self._plans]
        return [plan.request(as_wanted(level, plan.prune, plan.setup)) for plan, level in levels]

    @property
    def counts(self) -> tuple[int, int]:
        """Objects that were looked at, and how many there are."""
        level = next(reversed(self._levels.values()), None)
        return (0, 0) if level is None else (level.done, level.total)

    @property
    def fraction(self) -> float:
        """How far it is."""
        parts = [level.done / max(1, level.total) for level in self._levels.values()]
        return sum(parts) / len({plan.sources for plan in self._plans})


def gather_at_once(context: bpy.types.Context, plans: list[Plan]) -> list[Request]:
    """Requests for these plans. Raises NavmeshError."""
    gathering = LevelGathering(plans)
    gathering.go_on(context)
    return gathering.requests()
