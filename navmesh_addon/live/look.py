"""Looks at the scene: what of the level came, went, moved or has another shape. In slices, or at once."""

from __future__ import annotations

import gc
import math
import time
from typing import TYPE_CHECKING, cast

import bpy
import numpy as np

from ...navcore.errors import NavmeshError
from ..axes import all_to_navcore
from ..blender_types import not_none, scene_of, view_layer_of
from ..errors import sentence
from ..gather.gather_scene import Gathering
from ..gather.gathered_level import for_pruning
from ..gather.placed_level import PlacedLevel
from ..objects.built_from import plans_again
from ..stored.setups import find_setup
from ..watch.listed_changes import ChangedIdentities
from .following_collector import FollowingCollector, Known, Placed, TooLargeToFollow
from .live_delays import DELAY_AFTER_CHANGE, DELAY_IN_DRAG
from .live_level import Changes, Piece

if TYPE_CHECKING:
    from ..builds.level_gathering import Plan
    from ..scene_update import SceneUpdate
    from .live_delays import Times

TOO_LONG, TOO_OFTEN = 0.05, 2  # seconds of a slice, and how many such are too many


class Look:
    """One look. Where the scene changes meanwhile it has to be dropped, with a new one in its place."""

    def __init__(self, plan: Plan, before: Known, hints: ChangedIdentities) -> None:
        self._plan, self._before, self._hints = plan, before, hints
        self._collectors: list[FollowingCollector] = []
        self._gathering = Gathering(plan.sources, self._new_collector)
        self._gathering.counts = False
        self._gathering.missing = before.missing  # to look for it anew holds people up

    def _new_collector(self, metres: float) -> FollowingCollector:
        self._collectors[:] = [FollowingCollector(metres, self._before, self._hints)]
        return self._collectors[0]

    def go_on(self, context: bpy.types.Context, seconds: float = math.inf) -> bool:
        """Look for about so long. Returns whether it is done. Raises NavmeshError where there is nothing."""
        return self._gathering.go_on(context, seconds)

    def changes(self) -> Changes:
        """What it found; from now on that is known."""
        gathered, seen = self._gathering.gathered(), self._collectors[0]
        self._before.follow(seen)
        self._before.missing = self._gathering.missing
        level = for_pruning(gathered) if self._plan.prune else gathered
        return Changes(seen.changed, tuple(seen.order), self._plan.request(level))


class Looking:
    """Looks at the level of one setup whenever something changed, in slices."""

    def __init__(self, setup: str) -> None:
        self._setup = setup
        self.hints = ChangedIdentities(everything=True)
        self.problem = ""  # why the level is too large to be looked at
        self.why_not_seen = ""  # why it can't be looked at as it is
        self.slices: list[float] = []  # seconds; the longest few
        self.last_look = 0.0
        self.last: Changes | None = None  # what was found last: where objects only move, all else is as it was
        self.known, self.look = Known(), cast("Look | None", None)
        self._is_looking = False
        self._doubts = False  # whether the mesh objects may hold what was not written last
        self._looked_for = ChangedIdentities()  # what the look that runs is about
        self._settings: object = None
        self._slow = 0

    @property
    def is_needed(self) -> bool:
        """Whether a look goes on, or is due."""
        return self.look is not None or bool(self.hints)

    def note(self, update: SceneUpdate) -> bool:
        """Blender updated something. Returns whether it is to be looked at."""
        if self._is_looking:
            return False  # which brings up to date what is being edited
        fresh = ChangedIdentities()
        fresh.note(update)
        self.hints.add(fresh)
        return bool(fresh)

    def undone(self) -> None:
        """References of before are gone, and the mesh may be an older one."""
        self.look = None
        self.hints.tell_all()
        self._doubts = True

    def is_due(self, now: float, times: Times, dragging: bool) -> bool:
        """Whether to look now."""
        if self.look is not None:
            return True
        if not self.hints:
            return False
        if dragging:
            return now - self.last_look >= max(DELAY_IN_DRAG, 2 * times.of_last_update)
        return now - times.last_change >= DELAY_AFTER_CHANGE

    def go_on(self, context: bpy.types.Context, seconds: float | None) -> Changes | None:
        """Look for so long, or until all is seen. Returns what was found, once that is known and is something new."""
        context.evaluated_depsgraph_get()  # what is out of date is told of now
        began, collections, is_first = time.thread_time(), _full_collections(), self.last is None
        try:
            if self.look is not None and self.hints:  # the scene is another one by now
                self.look = None
            found = self._found(context, math.inf if seconds is None else seconds)
        except NavmeshError as error:
            self.why_not_seen, self.look, found = sentence(error), None, None  # the next change may mend it
        except TooLargeToFollow as error:
            self.problem, self.look, found = str(error), None, None
        except ReferenceError:  # what was looked at is gone
            self.look, found = None, None
            self.hints.tell_all()
        news = found if found is not None and self._is_new(found) else None
        if seconds is not None:
            self._judge(time.thread_time() - began, is_first or _full_collections() > collections)
        return news

    def _found(self, context: bpy.types.Context, seconds: float) -> Changes | None:
        """What changed, once that is known."""
        if self.look is None:
            self.hints.add(self._looked_for)  # a look that was not done has to look for the same again
            hints, self.hints = self.hints, ChangedIdentities()
            self._looked_for = hints
            plan = plans_again(context, _name(context, self._setup))[0]
            if hints.only_moved and self.last is not None and self._settings == _settings_of(plan):
                found = where_moved(context, self.known, hints.moved, self.last)
                if found is not None:
                    self._looked_for = ChangedIdentities()
                    return found
            self._settings = _settings_of(plan)
            self.look = Look(plan, self.known, hints)
        self._is_looking = True
        try:
            if not self.look.go_on(context, seconds):
                return None
        finally:
            self._is_looking = False
        found, self.look, self._looked_for = self.look.changes(), None, ChangedIdentities()
        return found

    def _is_new(self, found: Changes) -> bool:
        """A look is done: whether it found anything."""
        self.last_look, self.why_not_seen = time.monotonic(), ""
        if not self._doubts and self.last is not None and found.is_same(self.last):
            return False  # somebody selected something
        self._doubts, self.last = False, found._replace(pieces={})
        return True

    def _judge(self, seconds: float, is_excused: bool) -> None:
        """Levels whose looks hold people up are followed no more. (Counted without what other programs take.)

        `is_excused`: it was the first look, or Python looked through all objects that it has: that says nothing.
        """
        self.slices = sorted([*self.slices, seconds], reverse=True)[:20]
        self._slow += seconds > TOO_LONG and not is_excused
        if self._slow >= TOO_OFTEN:
            self.problem = (
                f"Too large to follow: a look at the level took {1000 * seconds:.0f} ms. Press Rebuild instead, or "
                "switch Live off and on to try again"
            )
            self.look = None


def where_moved(context: bpy.types.Context, known_now: Known, moved: set[int], last: Changes) -> Changes | None:
    """What is known without a look where objects only moved; None where one is needed."""
    depsgraph, metres = context.evaluated_depsgraph_get(), scene_of(context).unit_settings.scale_length
    pieces: dict[str, Piece] = {}
    for uid in moved:
        key, name = known_now.single.get(uid, ("", ""))
        object_ = view_layer_of(context).objects.get(name) if key else None
        placed = known_now.placed.get(key)
        if object_ is None or object_.session_uid != uid or placed is None or not placed.size:
            return None
        mesh = known_now.meshes.find(placed.signature[0])
        if mesh is None:
            return None
        matrix = np.array(object_.evaluated_get(depsgraph).matrix_world, np.float64)[None]
        ways = all_to_navcore(matrix, metres)
        level = PlacedLevel([mesh], [(0, placed.signature[1])], ways)
        for _ in level.place():
            pass
        if not level.sound.all() or ways.flattens.any():
            return None
        rows = np.concatenate([ways.linear.reshape(-1, 9), ways.offset], axis=1).tobytes()
        signature = (placed.signature[0], placed.signature[1], rows)
        if signature != placed.signature:
            pieces[key] = Piece(*next(level.pieces()))
            known_now.placed[key] = Placed(signature, placed.size)
    return last._replace(pieces=pieces)


def view_center(context: bpy.types.Context) -> tuple[float, float, float] | None:
    """What the 3D view looks at, in metres and y up; None where there is none."""
    metres = scene_of(context).unit_settings.scale_length
    for window in context.window_manager.windows if context.window_manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                x, y, z = not_none(area.spaces.active).region_3d.view_location  # type: ignore[attr-defined]
                return x * metres, z * metres, -y * metres
    return None


def _full_collections() -> int:
    return int(gc.get_stats()[-1]["collections"])


def _settings_of(plan: Plan) -> object:
    return plan.settings, plan.sources, plan.prune


def _name(context: bpy.types.Context, uid: str) -> str:
    setup = find_setup(scene_of(context), uid)
    return "" if setup is None else setup.name
