"""A navmesh that is followed: what is to be looked at, built, finished and written, and when.

Nothing of Blender's is kept from one call to the next but what a look that is not done holds, and undo drops that.
Nothing here knows timers or handlers: `step` is called by one, and `settle` does all at once.
"""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, cast

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import scene_of
from ..builds import active_build, finished_navmeshes
from ..builds.request_and_result import BuiltNavmesh
from ..builds.threads_and_kernel_folder import usual_means
from ..errors import sentence
from ..objects.built_from import plans_again
from ..objects.navmesh_objects import BUILD
from ..stored.area_types import area_rows
from ..stored.object_properties import POLYGON_MESH
from ..stored.setting_properties import read_values
from ..stored.setups import find_setup, setup_sources
from . import write_in_place
from .following_collector import Known, TooLargeToFollow
from .hints import Hints
from .live_level import Changes, LiveLevel
from .live_thread import LiveThread
from .look import Look, view_center, where_moved
from .tile_pictures import TilePicture, tile_picture

if TYPE_CHECKING:
    from ...navcore.geometry.tile_key import TileKey
    from ..builds.level_gathering import Plan
    from ..scene_update import SceneUpdate
    from ..views.found_links.fresh_links import FreshLinks

SLICE = 0.007  # seconds of looking at once: with its last step it takes eight milliseconds
DEBOUNCE, DRAGGING, RESTS = 0.2, 0.25, 1.0  # seconds: after a change, at least between looks in a drag, until writing
TOO_LONG, TOO_OFTEN = 0.05, 2  # seconds of a slice, and how many such are too many
_FINISHES = 0.4  # seconds of rest until the whole navmesh is put together


class Following:
    """The navmesh of one setup, from switching on to switching off."""

    def __init__(self, scene: bpy.types.Scene, setup: str) -> None:
        self.scene, self.setup = scene.session_uid, setup
        self.hints = Hints(everything=True)
        self.pictures: dict[TileKey, TilePicture] = {}  # of tiles that are not written yet
        self.fresh_links: FreshLinks | None = None  # likewise
        self.changed_pictures = 0  # counts, so that whoever draws sees that they changed
        self.problem = ""  # why it is not followed further, for people
        self.why_not_seen = ""  # why the level can't be looked at as it is
        self.why_waiting = ""  # why it is not written
        self.last_change = self.last_look = 0.0
        self.slices: list[float] = []  # seconds; the longest few
        self.ready_after: list[float] = []  # seconds from a change to the pictures of its tiles, the last few
        self.shown_after: list[float] = []  # and until Blender's main loop took them: it may be drawing
        self._slow = 0
        self._known, self._level = Known(), LiveLevel(usual_means())
        self._look: Look | None = None
        self._is_looking = False
        self._doubts = False  # whether the mesh objects may hold what was not written last
        self._looked_for = Hints()  # what the look that runs is about
        self._settings: object = None
        self._last: Changes | None = None  # what was found last: where objects only move, all else is as it was
        self._waiting: Changes | None = None
        self._thread: LiveThread | None = None
        self._finishing = False  # what the thread does: put the whole together
        self._is_finished = False  # nothing was found since then
        self._built: BuiltNavmesh | None = None
        self._mine = ""  # the build that was written here last
        self._seconds = 0.0  # that the last update took
        self.announced = 0.0  # when the change came that is being followed

    # --- what others tell

    def note(self, update: SceneUpdate, now: float) -> None:
        """Blender updated something. Called after every click: does next to nothing."""
        if self._is_looking:
            return  # which brings up to date what is being edited
        fresh = Hints()
        fresh.note(update)
        if fresh:
            self.hints.add(fresh)
            self.something_changed(now)

    def something_changed(self, now: float) -> None:
        """Called by handlers: hints are noted already."""
        self.last_change = now
        self.announced = self.announced or now

    def undone(self, now: float) -> None:
        """References of before are gone, and the mesh may be an older one."""
        self._look = None
        self.hints.tell_all()
        self._doubts = True
        self.something_changed(now)

    def asked_for(self, context: bpy.types.Context) -> object:
        """All that decides on the navmesh beside the level."""
        setup = find_setup(scene_of(context), self.setup)
        if setup is None:
            return None
        scale, sources = scene_of(context).unit_settings.scale_length, setup_sources(setup)
        return read_values(setup, scale), setup.prune, sources, area_rows(scene_of(context)), scale

    def end(self) -> None:
        """Switched off: what runs ends by itself."""
        self._look = None
        finished_navmeshes.show_fresh(self.setup, None)
        if self._thread is not None:
            self._thread.cancel()

    # --- what is said

    @property
    def is_working(self) -> bool:
        """Whether a look or the thread goes on."""
        return self._look is not None or self._thread is not None or bool(self.hints)

    @property
    def is_at_rest(self) -> bool:
        """Whether all that is known is built and written."""
        return not (self.hints or self._look or self._waiting or self._thread or self._built or not self._is_finished)

    def state(self) -> str:
        """One line for people."""
        if self.problem:
            return self.problem
        if self._thread is not None and not self._finishing:
            count = self._level.missing
            return f"Live: {count:,} tile{'s' * (count != 1)} to build" if count else "Live: building"
        if self._look is not None or self.hints:
            return "Live: looking at what changed"
        if why := self.why_not_seen or self.why_waiting:
            return f"Live: {why}"
        return "Live: following" if self.is_at_rest else "Live: shown; written when you rest or save"

    # --- the work

    def step(self, context: bpy.types.Context, now: float, dragging: bool) -> None:
        """Do what is due, for some milliseconds at most."""
        self._take_from_thread(now)
        if self.problem or active_build.current() is not None:
            return
        if self._is_due(now, dragging):
            self._look_on(context, SLICE)
        if self._thread is None:
            self._start_next(context, now)
        if self._built is not None and not dragging and now - self.last_change >= RESTS:
            self.write(context)

    def settle(self, context: bpy.types.Context) -> None:
        """Follow and write at once: before saving, exporting, and in tests."""
        if self.problem:
            return
        while not self.problem and (self.hints or self._look is not None):
            self._look_on(context, None)
        while not self.problem and (self._thread is not None or self._waiting is not None or not self._is_finished):
            if self._thread is None:
                self._start_next(context, float("inf"))
            if self._thread is None:
                break
            self._thread.wait()
            self._take_from_thread(time.monotonic())
        if self._built is not None:
            self.write(context)

    def _is_due(self, now: float, dragging: bool) -> bool:
        if self._look is not None:
            return True
        if not self.hints:
            return False
        if dragging:
            return now - self.last_look >= max(DRAGGING, 2 * self._seconds)
        return now - self.last_change >= DEBOUNCE

    def _look_on(self, context: bpy.types.Context, seconds: float | None) -> None:
        """Look at what changed, for so long or until all is seen."""
        context.evaluated_depsgraph_get()  # what is out of date is told of now
        began, collections, is_first = time.thread_time(), _full_collections(), self._last is None
        try:
            if self._look is not None and self.hints:  # the scene is another one by now
                self._look = None
            found = self._found(context, float("inf") if seconds is None else seconds)
        except NavmeshError as error:
            self.why_not_seen, self._look, found = sentence(error), None, None  # the next change may mend it
            self._is_finished = True
        except TooLargeToFollow as error:
            self.problem, self._look, found = str(error), None, None
        except ReferenceError:  # what was looked at is gone
            self._look, found = None, None
            self.hints.tell_all()
        if found is not None:
            self._take(found)
        if seconds is not None:
            self._judge(time.thread_time() - began, is_first or _full_collections() > collections)

    def _found(self, context: bpy.types.Context, seconds: float) -> Changes | None:
        """What changed, once that is known."""
        if self._look is None:
            self.hints.add(self._looked_for)  # a look that was not done has to look for the same again
            hints, self.hints = self.hints, Hints()
            self._looked_for = hints
            plan = plans_again(context, _name(context, self.setup))[0]
            if hints.only_moved and self._last is not None and self._settings == _settings_of(plan):
                found = where_moved(context, self._known, hints.moved, self._last)
                if found is not None:
                    self._looked_for = Hints()
                    return found
            self._settings = _settings_of(plan)
            self._look = Look(plan, self._known, hints)
        self._is_looking = True
        try:
            if not self._look.go_on(context, seconds):
                return None
        finally:
            self._is_looking = False
        found, self._look, self._looked_for = self._look.changes(), None, Hints()
        return found

    def _take(self, found: Changes) -> None:
        """Let the thread build what was found."""
        self.last_look, self.why_not_seen = time.monotonic(), ""
        if not self._doubts and self._last is not None and found.is_same(self._last):
            self.announced = 0.0  # somebody selected something
            return
        self._doubts = False
        if self._waiting is not None:
            found = found._replace(pieces={**self._waiting.pieces, **found.pieces})
        self._last, self._waiting, self._built, self._is_finished = found._replace(pieces={}), found, None, False

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
            self._look = None

    # --- what the thread does

    def _start_next(self, context: bpy.types.Context, now: float) -> None:
        if self._waiting is not None:
            changes, self._waiting = self._waiting._replace(near=view_center(context)), None
            colors = {
                row.area: cast("tuple[float, float, float]", tuple(row.color)) for row in area_rows(scene_of(context))
            }
            level = self._level

            def update(thread: LiveThread) -> int:
                def on_tile(key: TileKey, tile: object) -> None:
                    thread.pictures.append(tile_picture(key, tile, colors))  # type: ignore[arg-type]

                return level.update(changes, thread, on_tile)

            self._finishing, self._thread = False, LiveThread(update)
        elif not self._is_finished and self._last is not None and now - self.last_change >= _FINISHES:
            self._finishing, self._thread = True, LiveThread(self._level.finish)

    def _take_from_thread(self, now: float) -> None:
        """Tiles that can be shown, and the end of what it did."""
        thread = self._thread
        if thread is None:
            return
        ended = not thread.running
        while thread.pictures:
            picture = cast("TilePicture", thread.pictures.popleft())
            self.pictures[picture.key] = picture
            self.changed_pictures += 1
        if not ended:
            return
        self._thread = None
        if thread.error is not None:
            self._fail(thread.error)
        elif self._finishing:
            if self._waiting is None:
                self._built, self._is_finished = cast("BuiltNavmesh", thread.result), True
        else:
            self.why_waiting = ""
            self.fresh_links = self._level.links
            finished_navmeshes.show_fresh(self.setup, self._level.asked)
            self.changed_pictures += 1
            self._seconds = thread.seconds
            if self.announced:
                self.ready_after = [*self.ready_after[-99:], thread.ended - self.announced]
                self.shown_after = [*self.shown_after[-99:], now - self.announced]
            self.announced = 0.0

    def _fail(self, error: Exception) -> None:
        """What a level or a setting is to blame for may be mended by the next change."""
        self._is_finished, self.announced = True, 0.0
        if isinstance(error, NavmeshError):
            self.why_waiting = sentence(error)
        else:
            self.problem = sentence(error)

    def write(self, context: bpy.types.Context) -> None:
        """The finished navmesh into the mesh objects that are there, if that can be done now."""
        built, scene = self._built, scene_of(context)
        if built is None or scene.session_uid != self.scene:
            return
        targets = write_in_place.targets_of(scene, self.setup)
        if write_in_place.is_written(targets, built):
            self._done()
            return
        self.why_waiting = write_in_place.why_not_written(targets, built.request.settings.detail_mesh)
        if self.why_waiting:
            return
        shown = str(targets[POLYGON_MESH].get(BUILD, ""))
        before = finished_navmeshes.before(shown) if shown == self._mine else shown
        self._mine = write_in_place.write_in_place(scene, targets, built, before)
        self._done()

    def _done(self) -> None:
        self._built, self.why_waiting, self.fresh_links = None, "", None
        finished_navmeshes.show_fresh(self.setup, None)
        self.pictures.clear()
        self.changed_pictures += 1


def _full_collections() -> int:
    return int(gc.get_stats()[-1]["collections"])


def _settings_of(plan: Plan) -> object:
    return plan.settings, plan.sources, plan.prune


def _name(context: bpy.types.Context, uid: str) -> str:
    setup = find_setup(scene_of(context), uid)
    return "" if setup is None else setup.name
