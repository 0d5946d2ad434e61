"""A navmesh that is followed: what is to be looked at, built, finished and written, and when.

Nothing of Blender's is kept from one call to the next but what a look that is not done holds, and undo drops that.
Nothing here knows timers or handlers: `step` is called by one, and `settle` does all at once.
"""

from __future__ import annotations

import json
import math
import time
from enum import Enum
from typing import TYPE_CHECKING

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import mesh_of, scene_of
from ..builds import active_build, finished_navmeshes
from ..builds.request_and_result import BuiltNavmesh
from ..builds.threads_and_kernel_folder import usual_means
from ..errors import sentence
from ..objects.blender_mesh import fill_mesh
from ..objects.built_from import are_sizes_of, remember
from ..objects.face_colors import show_colors
from ..objects.hand_edits import is_edited
from ..objects.kept_outcome import keep_outcome
from ..objects.navmesh_objects import (
    AREA_TYPES,
    BUILD,
    FINGERPRINT,
    METRES,
    PRUNED,
    SETTINGS,
    STAMP,
    navmesh_objects,
)
from ..sliced_work import SLICE
from ..stored.area_types import area_rows, area_table
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH
from ..stored.setting_properties import read_values
from ..stored.setups import find_setup, new_uid, scene_properties, setup_sources
from .live_delays import DELAY_UNTIL_FINISHED, DELAY_UNTIL_WRITTEN, Times
from .live_level import Changes, LiveJob, LiveLevel, TilePicture, tile_picture
from .look import Looking, view_center

if TYPE_CHECKING:
    from ...navcore.geometry.tile_key import TileKey
    from ..objects.navmesh_to_arrays import Surface
    from ..scene_update import SceneUpdate
    from ..views.fresh_links import FreshLinks

# --- A finished navmesh into the mesh objects that are there, from a timer: nothing is created, assigned or removed.
#
# Whatever creates datablocks is an operator with an undo step; this rewrites geometry and attributes, and pushes none.

Targets = dict[str, bpy.types.Object]  # by role
_PRESS_BUILD = "Press Build once: then it can be followed"


def targets_of(scene: bpy.types.Scene, setup: str) -> Targets:
    """What a setup's navmesh is written into. (To find it, all objects of a scene may be gone through.)"""
    objects = navmesh_objects(scene, setup).items()
    return {role: object_ for (_, role), object_ in objects if role in (POLYGON_MESH, DETAIL_MESH)}


def why_not_written(targets: Targets, with_detail: bool) -> str:
    """Why a navmesh can't be written now, "" where it can."""
    if POLYGON_MESH not in targets or with_detail != (DETAIL_MESH in targets):
        return _PRESS_BUILD
    for object_ in targets.values():
        mesh = mesh_of(object_)
        if not object_.is_editable or not mesh.is_editable or mesh.library is not None:
            return f"“{object_.name}” is of another file: it can't be written"
        if object_.mode != "OBJECT" or mesh.is_editmode:
            return f"“{object_.name}” is being edited: it is written when you are done"
        if mesh.shape_keys is not None:
            return f"“{object_.name}” has shape keys: remove them, or it can't be written"
        if mesh.users > 1:
            return f"The mesh of “{object_.name}” is used by other objects: it can't be written"
        if is_edited(object_):
            return f"“{object_.name}” was edited by hand: undo that, or press Rebuild"
    return ""


def is_written(targets: Targets, built: BuiltNavmesh) -> bool:
    """Whether the mesh objects hold this navmesh already. Only what lies on the mesh tells, after an undo."""
    request, object_ = built.request, targets.get(POLYGON_MESH)
    if object_ is None or finished_navmeshes.find(str(object_.get(BUILD, ""))) is None:
        return False
    wanted: dict[str, object] = {
        FINGERPRINT: built.fingerprint,
        SETTINGS: json.dumps(request.settings.to_mapping()),
        PRUNED: request.prune,
        METRES: request.gathered.metres,
        AREA_TYPES: json.dumps(area_table(request.area_types)),
    }
    if any(object_.get(name) != value for name, value in wanted.items()) or not are_sizes_of(object_, request.sizes):
        return False
    return all(mesh_of(one).get(STAMP) == object_[BUILD] for one in targets.values())


def write_in_place(scene: bpy.types.Scene, targets: Targets, built: BuiltNavmesh, before: str) -> str:
    """Write it; `before` is the build that it is compared with. Returns the new build. To be asked for first:
    `why_not_written`."""
    from ..objects.navmesh_to_arrays import surfaces
    from ..objects.write_links import write_built_links

    metres = built.request.gathered.metres
    polygons, detail = surfaces(built.navmesh, built.islands, built.values, area_rows(scene), metres)
    meshes: dict[str, Surface | None] = {POLYGON_MESH: polygons, DETAIL_MESH: detail}
    build = new_uid()
    finished_navmeshes.doubt([str(targets[POLYGON_MESH].get(BUILD, ""))])  # which is shown no longer
    for role, surface in meshes.items():
        if surface is not None:
            fill_mesh(targets[role], surface)
    remember({role: targets[role] for role, surface in meshes.items() if surface is not None}, built, build)
    write_built_links(None, targets[POLYGON_MESH], built, metres)
    show_colors(targets[POLYGON_MESH], targets.get(DETAIL_MESH), scene_properties(scene).color_by)
    finished_navmeshes.keep(build, built, scene.session_uid, before)
    keep_outcome(scene, built.request.setup, build, built.checked)
    return build


class InPlaceWriter:
    """Writes the navmesh of one setup again and again."""

    def __init__(self, setup: str) -> None:
        self._setup = setup
        self._mine = ""  # the build that was written here last

    def write(self, scene: bpy.types.Scene, built: BuiltNavmesh) -> str:
        """Write it where that is to be done. Returns why it can't be done now, "" where it is written."""
        targets = targets_of(scene, self._setup)
        if is_written(targets, built):
            return ""
        why = why_not_written(targets, built.request.settings.detail_mesh)
        if not why:
            shown = str(targets[POLYGON_MESH].get(BUILD, ""))
            before = finished_navmeshes.before(shown) if shown == self._mine else shown
            self._mine = write_in_place(scene, targets, built, before)
        return why


# --- What a navmesh that is followed is doing, from a change that was found to the mesh that is written.


class FollowingState(Enum):
    """The usual course is from top to bottom; whatever is found goes back to FOUND, once the thread has ended."""

    EMPTY = "nothing was found yet"
    FOUND = "changes wait for the thread"
    BUILDING = "the thread builds tiles"
    SHOWN = "tiles are drawn; the whole is not put together"
    FINISHING = "the thread puts the whole together"
    FINISHED = "the whole waits to be written"
    AT_REST = "written, or nothing can be built until something changes"
    FAILED = "not followed further"

    @property
    def is_on_thread(self) -> bool:
        """Whether a thread is at work."""
        return self in (FollowingState.BUILDING, FollowingState.FINISHING)


class FollowedNavmesh:
    """The navmesh of one setup, from switching on to switching off."""

    def __init__(self, scene: bpy.types.Scene, setup: str) -> None:
        self.scene, self.setup = scene.session_uid, setup
        self.state = FollowingState.EMPTY
        self.looking, self.times = Looking(setup), Times()
        self.pictures: dict[TileKey, TilePicture] = {}  # of tiles that are not written yet
        self.fresh_links: FreshLinks | None = None  # likewise
        self.changed_pictures = 0  # counts, so that whoever draws sees that they changed
        self.problem = ""  # why it is not followed further, for people
        self.why_waiting = ""  # why it is not written
        self._level, self._writer = LiveLevel(usual_means()), InPlaceWriter(setup)
        self._waiting: Changes | None = None  # what was found while a thread was at work, or just now
        self._job: LiveJob | None = None
        self._built: BuiltNavmesh | None = None  # what waits to be written

    def _become(self, state: FollowingState) -> None:
        """The one place where the state changes. What has failed stays so."""
        if self.state is not FollowingState.FAILED:
            self.state = state

    # --- what others tell

    def note(self, update: SceneUpdate, now: float) -> None:
        """Blender updated something. Called after every click: does next to nothing."""
        if self.looking.note(update):
            self.times.changed(now)

    def look_again(self, now: float) -> None:
        """Something changed of which Blender says too little."""
        self.looking.hints.something = True
        self.times.changed(now)

    def undone(self, now: float) -> None:
        """References of before are gone, and the mesh may be an older one."""
        self.looking.undone()
        self.times.changed(now)

    def asked_for(self, context: bpy.types.Context) -> object:
        """All that decides on the navmesh beside the level."""
        setup = find_setup(scene_of(context), self.setup)
        if setup is None:
            return None
        scale, sources = scene_of(context).unit_settings.scale_length, setup_sources(setup)
        others = scene_properties(scene_of(context)).setups if setup.as_one else ()
        each = [(other.name, read_values(other, scale)) for other in others]
        sizes = [(name, values["agent_radius"], values["agent_height"]) for name, values in each]
        return read_values(setup, scale), setup.prune, sources, area_rows(scene_of(context)), scale, sizes

    def metres(self, scene: bpy.types.Scene) -> float:
        """Metres in a unit, of what is drawn now."""
        last = self.looking.last
        return scene.unit_settings.scale_length if last is None else last.request.gathered.metres

    def end(self) -> None:
        """Switched off: what runs ends by itself."""
        self.looking.look = None
        finished_navmeshes.show_fresh(self.setup, None)
        if self._job is not None:
            self._job.cancel()

    # --- what is said

    @property
    def is_working(self) -> bool:
        """Whether a look or the thread goes on."""
        return self.looking.is_needed or self._job is not None

    @property
    def is_at_rest(self) -> bool:
        """Whether all that is known is built and written."""
        return self.state is FollowingState.AT_REST and not self.looking.is_needed

    def status_line(self) -> str:
        """One line for people."""
        if self.problem:
            return self.problem
        if self.state is FollowingState.BUILDING:
            count = self._level.missing
            return f"Live: {count:,} tile{'s' * (count != 1)} to build" if count else "Live: building"
        if self.looking.is_needed:
            return "Live: looking at what changed"
        if why := self.looking.why_not_seen or self.why_waiting:
            return f"Live: {why}"
        return "Live: following" if self.is_at_rest else "Live: shown; written when you rest or save"

    # --- the work

    def step(self, context: bpy.types.Context, now: float, dragging: bool) -> None:
        """Do what is due, for some milliseconds at most."""
        self._take_from_thread(now)
        if self.problem or active_build.current() is not None:
            return
        if self.looking.is_due(now, self.times, dragging):
            self._look_on(context, SLICE)
        if self._job is None:
            self._start_next(context, now)
        if self._built is not None and not dragging and now - self.times.last_change >= DELAY_UNTIL_WRITTEN:
            self.write(context)

    def settle(self, context: bpy.types.Context) -> None:
        """Follow and write at once: before saving, exporting, and in tests."""
        if self.problem:
            return
        while not self.problem and self.looking.is_needed:
            self._look_on(context, None)
        while self.state not in (FollowingState.FINISHED, FollowingState.AT_REST, FollowingState.FAILED):
            if self._job is None:
                self._start_next(context, math.inf)
            if self._job is None:
                break
            self._job.wait()
            self._take_from_thread(time.monotonic())
        if self._built is not None:
            self.write(context)

    def _look_on(self, context: bpy.types.Context, seconds: float | None) -> None:
        """Look at what changed, for so long or until all is seen."""
        found = self.looking.go_on(context, seconds)
        if found is not None:
            if self._waiting is not None:
                found = found._replace(pieces={**self._waiting.pieces, **found.pieces})
            self._waiting, self._built = found, None
            if not self.state.is_on_thread:
                self._become(FollowingState.FOUND)
        elif self.looking.why_not_seen:
            if self.state in (FollowingState.EMPTY, FollowingState.SHOWN):
                self._become(FollowingState.AT_REST)
        elif not self.looking.is_needed:
            self.times.announced = 0.0  # nothing is new
        if self.looking.problem:
            self._give_up(self.looking.problem)

    # --- what the thread does

    def _start_next(self, context: bpy.types.Context, now: float) -> None:
        if self._waiting is not None:
            changes, self._waiting = self._waiting, None
            changes = changes._replace(near=view_center(context, changes.request.gathered.metres))
            colors = {row.area: row.color for row in area_rows(scene_of(context))}
            level = self._level

            def update(job: LiveJob) -> int:
                def on_tile(key: TileKey, tile: object) -> None:
                    job.pictures.append(tile_picture(key, tile, colors))  # type: ignore[arg-type]

                return level.update(changes, job, on_tile)

            self._job = LiveJob(update).start()
            self._become(FollowingState.BUILDING)
        elif self.state is FollowingState.SHOWN and now - self.times.last_change >= DELAY_UNTIL_FINISHED:
            self._job = LiveJob(self._level.finish).start()
            self._become(FollowingState.FINISHING)

    def _take_from_thread(self, now: float) -> None:
        """Tiles that can be shown, and the end of what it did."""
        job = self._job
        if job is None:
            return
        ended = not job.running
        while job.pictures:
            picture = job.pictures.popleft()
            self.pictures[picture.key] = picture
            self.changed_pictures += 1
        if ended:
            self._job = None
            self._end_of_thread(job, now)

    def _end_of_thread(self, job: LiveJob, now: float) -> None:
        """What comes next; but what was found meanwhile is built first."""
        then = FollowingState.AT_REST
        if job.error is not None:
            self.times.announced = 0.0
            if not isinstance(job.error, NavmeshError):
                self._give_up(sentence(job.error))
            else:  # what a level or a setting is to blame for may be mended by the next change
                self.why_waiting = sentence(job.error)
        elif isinstance(job.result, BuiltNavmesh):  # it was put together
            if self._waiting is None:
                self._built, then = job.result, FollowingState.FINISHED
        else:
            self._show_built(job, now)
            if not self.looking.why_not_seen:
                then = FollowingState.SHOWN
        self._become(then if self._waiting is None else FollowingState.FOUND)

    def _show_built(self, job: LiveJob, now: float) -> None:
        """All tiles are built: questions may be put to them."""
        self.why_waiting = ""
        self.fresh_links = self._level.links
        finished_navmeshes.show_fresh(self.setup, self._level.asked)
        self.changed_pictures += 1
        self.times.updated(job.seconds, job.ended, now)

    def _give_up(self, problem: str) -> None:
        self.problem = problem
        self._become(FollowingState.FAILED)

    def write(self, context: bpy.types.Context) -> None:
        """The finished navmesh into the mesh objects that are there, if that can be done now."""
        built, scene = self._built, scene_of(context)
        if built is None or scene.session_uid != self.scene:
            return
        self.why_waiting = self._writer.write(scene, built)
        if self.why_waiting:
            return
        self._built, self.fresh_links = None, None
        finished_navmeshes.show_fresh(self.setup, None)
        self.pictures.clear()
        self.changed_pictures += 1
        self._become(FollowingState.AT_REST)
