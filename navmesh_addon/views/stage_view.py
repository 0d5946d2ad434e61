"""The chosen view of a stage, drawn over the viewport: wished for, made on a thread, uploaded a little each redraw.

In background mode nothing is drawn, and there is no thread.
"""

from __future__ import annotations

import math
import sys
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple, cast

import bpy
from bpy.app.handlers import persistent

from ...navcore.errors import NavmeshError
from ..blender_types import known, scene_of
from ..builds import finished_navmeshes
from ..objects.navmesh_objects import BUILD, polygon_mesh_of
from ..redraw import redraw_views
from ..stored.preferences import stage_memory
from ..stored.setups import active_setup, scene_properties
from ..stored.view_properties import FORMS, LEVELED, form_of
from .stage_worker import Made, Wish, Worker, places_near

if TYPE_CHECKING:
    from ...navcore.views.picture import Picture
    from ..builds.request_and_result import BuiltNavmesh
    from .gpu_layers import Upload

NO_NAVMESH = "There is no navmesh yet: build one to see its stages."
NOT_IN_MEMORY = "Build again to see how this navmesh came about."
OLDER = "The level has changed since this navmesh was built. Build again to see the level as it is."
NEEDS_TILES = "This navmesh is one piece. Set Tile Size and build again to see tiles."
BEING_MADE = "This view is being made …"
_SECONDS = 0.01  # of uploading in each redraw
_LOOKS = 0.03  # seconds between redraws while something is under way
_MOST_MEMORY = 384 << 20  # bytes on the GPU of pictures that are kept


class Shown(NamedTuple):
    """A picture on the GPU, and what to write beside it."""

    made: Made
    upload: Upload


class State:
    """What is shown and what is on its way. Everything of it is known by the main thread alone."""

    def __init__(self) -> None:
        self.worker = Worker()
        self.pictures: OrderedDict[tuple[Wish, float], Shown] = OrderedDict()
        self.wish: Wish | None = None
        self.asked: Wish | None = None
        self.failed: Made | None = None
        self.said = ""  # in the viewport, in one line
        self.uploading = False
        self.faults: set[str] = set()  # that were said

    def forget(self) -> None:
        """Pictures, stages and wishes."""
        self.worker.forget()
        self.pictures.clear()
        self.wish = self.asked = self.failed = None
        self.said, self.uploading = "", False


state = State()
_handles: list[object] = []


def shown() -> Shown | None:
    """The picture of what is wished for, as far as it is there."""
    return next((one for (wish, _), one in state.pictures.items() if wish == state.wish), None)


def build_of(scene: bpy.types.Scene) -> str | None:
    """The build whose navmesh the active setup shows; "" where it is not known, None where there is no navmesh."""
    setup = active_setup(scene)
    object_ = polygon_mesh_of(scene, setup.uid) if setup is not None else None
    return None if object_ is None else str(object_.get(BUILD, ""))


def wish_of(scene: bpy.types.Scene, build: str, built: BuiltNavmesh, middle: tuple[float, float]) -> Wish:
    """What the scene's properties ask for; `middle` is the place that is looked at, x and z in metres."""
    from ...navcore.views.catalog import VIEWS

    stored, metres = scene_properties(scene), scene.unit_settings.scale_length
    view = stored.view
    return Wish(
        build,
        view,
        stored.view_lowest * metres if stored.view_cut_below else -math.inf,
        stored.view_highest * metres if stored.view_cut_above else math.inf,
        round(stored.view_level, 3) if view in LEVELED else 1.0,
        getattr(stored, form_of(view)) if view in FORMS else "",
        places_near(built, middle, stored.view_tile_only) if VIEWS[view].needs else None,
    )


def _draw() -> None:
    """Called by Blender for each 3D view. A fault is said once."""
    try:
        _draw_view(bpy.context)
    except Exception as reason:  # noqa: BLE001 - Blender would print it at every redraw
        text = f"{type(reason).__name__}: {reason}"
        state.said = "This view failed. Choose another one, and report what the console says."
        if text not in state.faults:
            state.faults.add(text)
            sys.excepthook(type(reason), reason, reason.__traceback__)


def _draw_view(context: bpy.types.Context) -> None:
    scene, space = scene_of(context), cast("bpy.types.SpaceView3D", context.space_data)
    if scene_properties(scene).view == "NONE":
        if state.wish is not None:
            state.forget()
        return
    if not space.overlay.show_overlays:
        return
    metres = scene.unit_settings.scale_length
    region, eye = known(context.region), known(space.region_3d)
    place = scene.cursor.location if scene_properties(scene).view_tile_only else eye.view_location
    _wish_for(scene, (place[0] * metres, -place[1] * metres))
    _take(metres)
    if (one := shown()) is None:
        return
    state.uploading = not one.upload.step(_SECONDS)
    if state.uploading:
        _look_again()
    one.upload.draw((region.width, region.height), lift=_lift(scene))


def _lift(scene: bpy.types.Scene) -> float:
    """Above the mesh objects of all setups, which lie half a cell's height above each other."""
    built = finished_navmeshes.find(build_of(scene) or "")
    if built is None:
        return 0.0
    stored = scene_properties(scene)
    return (0.75 + 0.5 * len(stored.setups)) * built.request.settings.cell_height / scene.unit_settings.scale_length


def _wish_for(scene: bpy.types.Scene, middle: tuple[float, float]) -> None:
    """Ask for what is not there yet; or say why it cannot be had."""
    from ..builds.threads_and_kernel_folder import load_builder  # here: Blender's start does not wait for it

    build = build_of(scene)
    built = finished_navmeshes.find(build) if build else None
    if build is None or built is None:
        state.forget()
        state.said = NO_NAVMESH if build is None else NOT_IN_MEMORY
        return
    try:
        load_builder()
    except NavmeshError as reason:
        state.forget()
        state.said = str(reason)
        return
    wish = wish_of(scene, build, built, middle)
    state.said = ""
    if build in finished_navmeshes.stale():
        state.said = OLDER
    elif wish.view == "TILES" and built.navmesh.tile_grid is None:
        state.said = NEEDS_TILES
    if state.wish is not None and state.wish.build != wish.build:
        state.forget()
    state.wish = wish
    one = shown()
    if (one is None or not one.made.pieces) and state.asked != wish:
        state.asked, state.failed = wish, None
        state.worker.ask(wish, built, stage_memory())
        _look_again()
    if one is None:
        state.said = state.failed.error if state.failed is not None else state.said or BEING_MADE


def _take(metres: float) -> None:
    """What the thread has made goes on its way to the GPU."""
    made = state.worker.take()
    if made is None or made.wish.build != (state.wish.build if state.wish is not None else ""):
        return
    if made.picture is None:
        state.failed = made
        state.said = made.error
        return
    from .gpu_layers import Upload

    key, text = (made.wish, metres), made._replace(picture=_text_of(made))
    there = state.pictures.pop(key, None)
    for other, one in state.pictures.items():  # values are looked up in one picture alone: pieces are large
        state.pictures[other] = one._replace(made=one.made._replace(pieces=()))
    state.pictures[key] = Shown(text, Upload(made.picture, metres) if there is None else there.upload)
    while len(state.pictures) > 1 and sum(one.upload.memory() for one in state.pictures.values()) > _MOST_MEMORY:
        state.pictures.popitem(last=False)


def _text_of(made: Made) -> Picture:
    """A picture's legend, notes and labels without its faces, which are on the GPU."""
    from ...navcore.views.picture import EMPTY

    picture = known(made.picture)
    return EMPTY._replace(labels=picture.labels, legend=picture.legend, notes=picture.notes)


def _look_again() -> None:
    if not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=_LOOKS)


def _tick() -> float | None:
    """Only tags: drawing takes what is there."""
    redraw_views()
    return _LOOKS if state.worker.busy or state.uploading else None


@persistent  # type: ignore[untyped-decorator,unused-ignore]
def _before_load(*_: object) -> None:
    state.forget()


def register() -> None:
    bpy.app.handlers.load_pre.append(_before_load)
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    if _before_load in bpy.app.handlers.load_pre:
        bpy.app.handlers.load_pre.remove(_before_load)
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    state.forget()
    state.worker.stop()
    state.faults.clear()
