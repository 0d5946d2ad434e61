"""Live mode in Blender: handlers that note what changed, a timer that follows it in slices, and when it has to wait.

In background mode no timer ever fires: there nothing is followed.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import bpy

from .. import events
from ..background import is_main_thread
from ..blender_types import scene_of
from ..builds import active_build
from ..good_moment import Hindrance, hindrance, is_dragging
from ..objects.face_colors import add_all_slots
from ..objects.materials import tint_object
from ..objects.navmesh_objects import metres_on, navmesh_objects
from ..operator_types import Acting
from ..redraw import redraw, redraw_views, start_timer, stop_timer
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH
from ..stored.setup_properties import NavmeshSetup
from ..stored.setups import scene_properties
from ..views.drawn_links import show_fresh
from .live_delays import TICK_BUSY, TICK_IDLE, TICK_REST

if TYPE_CHECKING:
    from ..scene_update import SceneUpdate
    from .followed_setups import FollowedSetups

# --- The button that switches live mode on and off.


class NAVMESH_OT_live(Acting, bpy.types.Operator):
    """Follow the level while you work: what changed is built again and shown at once, and written when you rest"""

    bl_idname = "navmesh.live"
    bl_label = "Live"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and scene_of(context).is_editable

    def act(self, context: bpy.types.Context) -> None:
        """Also gives navmeshes all colors that they may ever show: what follows creates nothing."""
        scene = scene_of(context)
        stored = scene_properties(scene)
        stored.live, stored.live_paused = not stored.live, False
        for setup in stored.setups if stored.live else ():
            _make_room(scene, setup)


def _make_room(scene: bpy.types.Scene, setup: NavmeshSetup) -> None:
    for (_, role), object_ in navmesh_objects(scene, setup.uid).items():
        if object_.mode == "OBJECT" and role in (POLYGON_MESH, DETAIL_MESH):
            add_all_slots(scene, object_)
            tint_object(object_, setup)
        if role == POLYGON_MESH and setup.generate_links:
            from ..objects.write_links import make_room_for_links  # here: it needs NumPy

            make_room_for_links(object_.users_collection[0], object_, metres_on(scene, object_))


_UNDO_LASTS = 1.0  # seconds at most after an undo until Blender has updated the scene, if it does at all
_PASSING = 15  # calls in which a line on work has to hold until it is drawn: a short job ends before it could be read
_PRESS_BUILD = "Live: press Build once, then it follows"
_WAITS_FOR = {
    Hindrance.NO_SCENE: "Live: paused",
    Hindrance.RENDERING: "Live: paused while rendering",
    Hindrance.PLAYING: "Live: paused while an animation plays",
}


class _LiveMode:
    """What this Blender follows, and what was drawn of it last."""

    def __init__(self) -> None:
        self.followed: FollowedSetups | None = None
        self.undoing_since: float | None = None  # from before an undo to the first update after it
        self.passing = 0  # calls since there is another line to be drawn
        self.forget_drawn()

    @property
    def is_undoing(self) -> bool:
        """Whether nothing may be written. Where nothing is updated after an undo, it is over all the same."""
        return self.undoing_since is not None and time.monotonic() - self.undoing_since < _UNDO_LASTS

    def forget_drawn(self) -> None:
        self.drawn_line: str | None = None
        self.drawn_pictures: object = None


_mode = _LiveMode()


def following() -> FollowedSetups | None:
    """What is followed now."""
    return _mode.followed


def state(scene: bpy.types.Scene) -> str:
    """One line on what live mode does, "" where it is off."""
    stored, now = scene_properties(scene), following()
    if not stored.live:
        return ""
    if stored.live_paused:
        return "Live: paused"
    if why := _why_waiting(bpy.context):
        return why
    return now.status_line(scene, _PRESS_BUILD) if now is not None else _PRESS_BUILD


def settle(*_: object) -> None:
    """Bring the scene's navmeshes up to date at once, if they are followed."""
    now = following()
    if now is not None and not _mode.is_undoing and not _why_waiting(bpy.context) and _is_wanted(bpy.context):
        now.look_at_settings(bpy.context, time.monotonic(), at_once=True)  # one may have changed this moment
        now.settle(bpy.context)


def end(*_: object) -> None:
    """Another scene, another file, or it is switched off."""
    followed, _mode.followed = _mode.followed, None
    if followed is not None:
        followed.end()
    _mode.forget_drawn()
    show_fresh({})


# ---------------------------------------------------------------- the timer


def tick() -> float | None:
    """Called by a timer, outside of drawing."""
    context = bpy.context
    if context.scene is None or context.view_layer is None:
        return TICK_IDLE
    if not scene_properties(context.scene).live:
        end()
        redraw()
        return None
    if _mode.is_undoing or not _is_wanted(context) or _why_waiting(context):
        _show(context.scene)
        return TICK_IDLE
    now = _begin(context)
    if now is None:
        _show(context.scene)
        return TICK_IDLE
    seconds = time.monotonic()
    now.look_at_settings(context, seconds)
    now.step(context, seconds, is_dragging(context))
    _show(context.scene)
    if now.is_working:
        return TICK_BUSY
    return TICK_IDLE if now.is_at_rest else TICK_REST


def _begin(context: bpy.types.Context) -> FollowedSetups | None:
    """What is followed, once there is a navmesh."""
    from .followed_setups import begin  # here: Blender's start does not wait for it

    now = begin(context, following())
    if now is None:
        end()
    else:
        _mode.followed = now
    return now


def _is_wanted(context: bpy.types.Context) -> bool:
    stored = scene_properties(scene_of(context))
    return stored.live and not stored.live_paused


def _why_waiting(context: bpy.types.Context) -> str:
    """What has to end before anything is looked at or written, "" for nothing."""
    if why := hindrance(context):
        return _WAITS_FOR[why]
    return "Live: waiting for the build" if active_build.current() is not None else ""


def _show(scene: bpy.types.Scene) -> None:
    """Draw what is another one now. To draw a line that passes would only hold up the picture that comes after it."""
    now, line = following(), state(scene)
    pictures = (id(now), now.pictures) if now is not None else None
    if _mode.drawn_pictures != pictures:
        show_fresh({one.setup: one.fresh_links for one in now or () if one.fresh_links is not None})
        redraw_views("STATUSBAR")
    elif _mode.drawn_line != line:
        _mode.passing += 1
        if now is not None and now.is_working and _mode.passing < _PASSING:
            return
        redraw()
    _mode.drawn_pictures, _mode.drawn_line, _mode.passing = pictures, line, 0


# ---------------------------------------------------------------- what happens


def _after_update(update: SceneUpdate) -> None:
    _mode.undoing_since = None
    for one in following() or ():
        one.note(update, time.monotonic())


def _before_undo(*_: object) -> None:
    _mode.undoing_since = math.inf
    for one in following() or ():
        one.undone(time.monotonic())


def _after_undo(*_: object) -> None:
    _mode.undoing_since = time.monotonic()
    now = following()
    for one in now or ():
        one.undone(time.monotonic())
    if now is None and bpy.context.scene is not None and scene_properties(bpy.context.scene).live:
        _wake()  # undone and done again, it is on, and the timer had ended meanwhile


def _after_load(*_: object) -> None:
    _mode.undoing_since = None
    _wake()


def _before_render(*_: object) -> None:
    """A script renders. What F12 starts calls this from a thread, where nothing of Blender may be written."""
    if is_main_thread():
        settle()


def _something_changed(*_: object) -> None:
    """Of marks, and of objects that came or went, Blender says too little."""
    for one in following() or ():
        one.look_again(time.monotonic())


def _objects_changed(came_or_went: frozenset[int], something_else: bool) -> None:
    if came_or_went or something_else:
        _something_changed()


def _wake(*_: object) -> None:
    """Somebody switched it on, or off."""
    start_timer(tick, TICK_BUSY, persistent=True)
    redraw()


HANDLERS = (
    ("undo_pre", _before_undo), ("redo_pre", _before_undo),
    ("undo_post", _after_undo), ("redo_post", _after_undo), ("load_pre", end), ("load_post", _after_load),
    ("save_pre", settle), ("render_init", _before_render),
)  # fmt: skip
SUBSCRIBERS = (
    (events.scene_updated, _after_update), (events.mark_changed, _something_changed),
    (events.objects_changed, _objects_changed), (events.live_switched, _wake), (events.navmesh_wanted, settle),
)  # fmt: skip


register = _wake  # the file that is open may have it switched on


def unregister() -> None:
    end()
    stop_timer(tick)
