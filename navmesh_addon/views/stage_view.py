"""The chosen view of a stage, drawn over the viewport: wished for, made on a thread, uploaded a little each redraw.

In background mode nothing is drawn, and there is no thread.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import not_none
from ..builds import finished_navmeshes
from ..objects.navmesh_objects import active_navmesh, metres_of, shown_build
from ..stored.preferences import stage_memory
from ..stored.setups import scene_properties
from ..stored.view_properties import FORMS, LEVELED, form_of
from .overlay import Overlay, Viewport, draw_again
from .stage_worker import Made, StageWorker, Wish, places_near

if TYPE_CHECKING:
    from ...navcore.views.picture import Picture
    from ..builds.request_and_result import BuiltNavmesh
    from .gpu_layers import Upload

NO_NAVMESH = "There is no navmesh yet: build one to see its stages."
NOT_IN_MEMORY = "Build again to see how this navmesh came about."
OLDER = "The level has changed since this navmesh was built. Build again to see the level as it is."
NEEDS_TILES = "This navmesh is one piece. Set Tile Size and build again to see tiles."
BEING_MADE = "This view is being made …"
_MAX_MEMORY = 384 << 20  # bytes on the GPU of pictures that are kept


class ShownStage(NamedTuple):
    """A picture on the GPU, and what to write beside it."""

    made: Made
    upload: Upload


class _StageState:
    """What is shown and what is on its way. Everything of it is known by the main thread alone."""

    def __init__(self) -> None:
        self.worker = StageWorker()
        self.pictures: OrderedDict[tuple[Wish, float], ShownStage] = OrderedDict()
        self.wish: Wish | None = None
        self.asked: Wish | None = None
        self.failed: Made | None = None
        self.said = ""  # in the viewport, in one line
        self.uploading = False

    def forget(self) -> None:
        """Pictures, stages and wishes."""
        self.worker.forget()
        self.pictures.clear()
        self.wish = self.asked = self.failed = None
        self.said, self.uploading = "", False


state = _StageState()


def shown() -> ShownStage | None:
    """The picture of what is wished for, as far as it is there."""
    return next((one for (wish, _), one in state.pictures.items() if wish == state.wish), None)


def wish_of(scene: bpy.types.Scene, build: str, built: BuiltNavmesh, middle: tuple[float, float]) -> Wish:
    """What the scene's properties ask for; `middle` is the place that is looked at, x and z in metres."""
    from ...navcore.views.catalog import VIEWS

    stored, metres = scene_properties(scene), metres_of(scene)
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


def _draw(view: Viewport) -> None:
    try:
        _draw_view(view)
    except Exception:
        state.said = "This view failed. Choose another one, and report what the console says."
        raise


def _draw_view(view: Viewport) -> None:
    shown_of, eye = view.properties, not_none(view.space.region_3d)
    if shown_of.view == "NONE":
        if state.wish is not None:
            state.forget()
        return
    if not view.shows_overlays:
        return
    metres = view.metres
    place = view.scene.cursor.location if shown_of.view_tile_only else eye.view_location
    _wish_for(view.scene, (place[0] * metres, -place[1] * metres))
    is_coming = state.worker.busy
    _take(metres)
    if (one := shown()) is not None:
        state.uploading = not OVERLAY.show(view, one.upload, lift=_lift(view.scene))
    if is_coming:  # also where it has come now: what is said of it changes
        draw_again()


def _lift(scene: bpy.types.Scene) -> float:
    """Above the mesh objects of all setups, which lie half a cell's height above each other."""
    built = finished_navmeshes.find(shown_build(scene))
    if built is None:
        return 0.0
    stored = scene_properties(scene)
    return (0.75 + 0.5 * len(stored.setups)) * built.request.settings.cell_height / metres_of(scene)


def _wish_for(scene: bpy.types.Scene, middle: tuple[float, float]) -> None:
    """Ask for what is not there yet; or say why it cannot be had."""
    from ..builds.threads_and_kernel_folder import load_builder  # here: Blender's start does not wait for it

    build = shown_build(scene)
    built = finished_navmeshes.find(build)
    if built is None:
        state.forget()
        state.said = NO_NAVMESH if active_navmesh(scene) is None else NOT_IN_MEMORY
        return
    try:
        load_builder()
    except NavmeshError as reason:
        state.forget()
        state.said = str(reason)
        return
    wish = wish_of(scene, build, built, middle)
    state.said = ""
    if build in finished_navmeshes.stale(scene.session_uid):
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
    state.pictures[key] = ShownStage(text, Upload(made.picture, metres) if there is None else there.upload)
    while len(state.pictures) > 1 and sum(one.upload.memory() for one in state.pictures.values()) > _MAX_MEMORY:
        state.pictures.popitem(last=False)


def _text_of(made: Made) -> Picture:
    """A picture's legend, notes and labels without its faces, which are on the GPU."""
    from ...navcore.views.picture import EMPTY

    picture = not_none(made.picture)
    return EMPTY._replace(labels=picture.labels, legend=picture.legend, notes=picture.notes)


OVERLAY = Overlay(_draw, forget=state.forget)


def unregister() -> None:
    state.worker.stop()
