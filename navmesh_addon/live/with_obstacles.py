"""The active setup's navmesh with the obstacles of the scene cut out, drawn while they are dragged.

Nothing of it is in the file but the switch: the navmesh that is built, exported and asked is the one without.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import bpy

from ...navcore.build_warning import counted
from ...navcore.errors import BadInput
from .. import events
from ..blender_types import mesh_of, not_none, scene_of, view_layer_of
from ..builds import finished_navmeshes
from ..errors import sentence
from ..good_moment import hindrance
from ..kept_value import KeptValue
from ..objects.navmesh_objects import lift_above, metres_of, navmesh_objects, polygon_mesh_of, shown_build
from ..operator_types import Acting
from ..redraw import redraw_all, redraw_views, start_timer, stop_timer
from ..stored.area_types import area_rows
from ..stored.object_properties import marks_of, object_use
from ..stored.setups import active_setup, scene_properties
from ..views.drawn_marks import marks_in
from ..views.overlay import Overlay, Viewport
from ..views.viewport_overlay import replaced

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...navcore.geometry.tile_key import TileKey
    from ...navcore.views.picture import Picture
    from ..gather.gathered_level import SceneItem
    from .obstacle_cache import FollowedObstacles, FollowJob, Standing

_TICK, _REST = 0.03, 0.2  # seconds
_WIDTH = 1.5  # pixels


class _Shown:
    """What is shown of one build. Known by the main thread alone."""

    def __init__(self, scene: int, setup: str, build: str, followed: FollowedObstacles) -> None:
        self.scene, self.setup, self.build, self.followed = scene, setup, build, followed
        self.pictures: dict[TileKey, Picture] = {}
        self.standing: Standing | None = None  # what the pictures show; None: there are none yet
        self.asked: Standing | None = None  # of the job, or of the last one
        self.job: FollowJob | None = None
        self.rebuilt = 0  # tiles, by the last change
        self.error = ""
        self.looks: dict[Hashable, tuple[object, tuple[SceneItem, ...]]] = {}  # of obstacles, and what they come to

    def step(self, context: bpy.types.Context) -> bool:
        """Take what a job has made, and start the next where something stands elsewhere. Whether something is new."""
        taken = self._take()
        if self.job is None and self.followed.can_begin:
            wanted = self._wanted(context)
            if wanted != (self.asked if self.error else self.standing):  # what was refused may be mended by now
                self.asked = wanted
                colors = {row.area: row.color for row in area_rows(scene_of(context))}
                self.job = self.followed.start(wanted, colors)
        return taken

    def _take(self) -> bool:
        job = self.job
        if job is None or job.running:
            return False
        self.job = None
        if job.error is not None:
            self.error = sentence(job.error)
        elif job.result is not None:
            self.error = ""
            self.standing, self.rebuilt = job.result.standing, len(job.result.pictures)
            for key, picture in job.result.pictures:
                if picture is None:
                    self.pictures.pop(key, None)
                else:
                    self.pictures[key] = picture
        return True

    def _wanted(self, context: bpy.types.Context) -> Standing:
        """All obstacles as they stand: of instances, as they stood at the last build."""
        built = finished_navmeshes.find(self.build)
        instances = () if built is None else [one for one in built.request.gathered.obstacles if one.shown_by]
        found: dict[Hashable, tuple[SceneItem, ...]] = {(one.uid, one.shown_by): one.items for one in instances}
        for object_ in marks_in(scene_of(context)):
            if object_use(object_) == "OBSTACLE" and object_.visible_get(view_layer=view_layer_of(context)):
                key, look = (object_.session_uid, ""), _look(object_)
                if key not in self.looks or self.looks[key][0] != look:
                    self.looks[key] = look, _items_of(context, object_)
                found[key] = self.looks[key][1]
        return found


def _look(object_: bpy.types.Object) -> object:
    """What decides how an obstacle stands in the way."""
    shape = (mesh_of(object_).session_uid, len(mesh_of(object_).vertices)) if object_.type == "MESH" else ()
    place = tuple(value for row in object_.matrix_world for value in row)  # type: ignore[attr-defined] # the stubs know no rows
    return place, shape, tuple(map(tuple, object_.bound_box)), marks_of(object_).obstacle_shape


def _items_of(context: bpy.types.Context, object_: bpy.types.Object) -> tuple[SceneItem, ...]:
    from ..gather.volumes_links_and_seeds import Markers  # here: Blender's start does not wait for NumPy

    markers = Markers(metres_of(scene_of(context)))
    evaluated = object_.evaluated_get(context.evaluated_depsgraph_get())
    markers.add(object_, evaluated, evaluated.matrix_world)
    return tuple(item for one in markers.obstacles for item in one.items)


_shown: KeptValue[_Shown | None] = KeptValue(None)  # by this Blender


def end(*_: object) -> None:
    """It is switched off, or another file is opened."""
    if _shown.value is not None and _shown.value.job is not None:
        _shown.value.job.cancel()
    _shown.forget()
    replaced.forget()


def _begin(context: bpy.types.Context) -> _Shown | None:
    """What is shown of the active setup's last build; None where there is none in memory."""
    scene = scene_of(context)
    setup = active_setup(scene)
    build = shown_build(scene)
    built = finished_navmeshes.find(build)
    if setup is None or built is None:
        end()
        return None
    shown = _shown.value
    if shown is None or (shown.scene, shown.setup, shown.build) != (scene.session_uid, setup.uid, build):
        end()
        from ..builds.threads_and_kernel_folder import usual_means  # here: Blender's start does not wait for it
        from .obstacle_cache import FollowedObstacles

        shown = _shown.value = _Shown(
            scene.session_uid, setup.uid, build, FollowedObstacles(built.request, usual_means())
        )
    return shown


def state(scene: bpy.types.Scene) -> str:
    """One line on what is shown, "" where it is switched off."""
    if not scene_properties(scene).with_obstacles:
        return ""
    shown = _shown.value
    if shown is None:
        return "Build again to show it with obstacles"
    if shown.error:
        return shown.error
    if shown.standing is None:
        return "The tile cache is being made …"
    return f"{counted(len(shown.standing), 'obstacle')}, {counted(shown.rebuilt, 'tile')} built again"


def tick() -> float | None:
    """Called by a timer. It creates and removes nothing of Blender's."""
    context = bpy.context
    if context.scene is None or context.view_layer is None:
        return _REST
    if not scene_properties(context.scene).with_obstacles:
        end()
        redraw_views()
        return None
    if hindrance(context):
        return _REST
    shown = _begin(context)
    if shown is None:
        return _REST
    if shown.step(context):
        replaced.value = shown.setup if shown.standing is not None else ""
        redraw_all()
    return _TICK if shown.job is not None else _REST / 2


def settle(context: bpy.types.Context) -> _Shown | None:
    """Show what stands now, and wait for it: for scripts, as in background mode no timer ever fires."""
    view_layer_of(context).update()
    shown = _begin(context)
    while shown is not None:
        shown.step(context)
        if shown.job is None:
            return shown
        shown.job.wait()
    return None


class NAVMESH_OT_with_obstacles(Acting, bpy.types.Operator):
    """Show the navmesh with the obstacles cut out, as a game has it; its mesh objects are hidden meanwhile"""

    bl_idname = "navmesh.with_obstacles"
    bl_label = "With Obstacles"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and scene_of(context).is_editable

    def act(self, context: bpy.types.Context) -> None:
        scene, layer = scene_of(context), view_layer_of(context)
        stored, setup = scene_properties(scene), active_setup(scene)
        if stored.with_obstacles:
            for name in json.loads(stored.hidden_for_obstacles or "[]"):
                if (hidden := layer.objects.get(name)) is not None:  # it may have been deleted meanwhile
                    hidden.hide_set(False, view_layer=layer)
            stored.with_obstacles, stored.hidden_for_obstacles = False, ""
            return
        if setup is None or polygon_mesh_of(scene, setup.uid) is None:
            raise BadInput("There is no navmesh to show with obstacles yet. Press Build Navmesh first.", "NO_NAVMESH")
        objects = [one for (uid, _), one in navmesh_objects(scene).items() if uid == setup.uid]
        seen = [one.name for one in objects if one.name in layer.objects and not one.hide_get(view_layer=layer)]
        for name in seen:
            not_none(layer.objects[name]).hide_set(True, view_layer=layer)
        stored.with_obstacles, stored.hidden_for_obstacles = True, json.dumps(seen)
        stored.show_navmesh = True


def _draw(view: Viewport) -> None:
    shown, stored = _shown.value, view.properties
    if shown is None or shown.scene != view.scene.session_uid or not stored.with_obstacles:
        OVERLAY.keep_only()
        return
    if not stored.show_navmesh or stored.view != "NONE" or not view.shows_overlays:
        return
    OVERLAY.keep_only(list(shown.pictures))
    lift = lift_above(view.scene)
    for key, picture in shown.pictures.items():
        upload = OVERLAY.upload(key, picture, view.metres, _WIDTH)
        OVERLAY.show(view, upload, x_ray=stored.draw_x_ray, lift=lift)


OVERLAY = Overlay(_draw, forget=end)


def _wake(*_: object) -> None:
    """It may be switched on now."""
    start_timer(tick, _TICK, persistent=True)


SUBSCRIBERS = ((events.obstacles_switched, _wake),)
HANDLERS = (("load_post", _wake), ("undo_post", _wake), ("redo_post", _wake))


register = _wake  # the file that is open may have it switched on


def unregister() -> None:
    stop_timer(tick)
    end()
