"""What is drawn over all 3D views: when Blender calls it, uploads in slices, faults said once, and drawing again.

An overlay is a function that draws a `Viewport`, and an `Overlay` of it whose `register` and `unregister` are the
module's own. In background mode nothing is drawn. Colors are in overlay_colors.py.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import bpy
from bpy.app.handlers import persistent

from ..blender_types import not_none
from ..objects.navmesh_objects import metres_of
from ..redraw import redraw_views, start_timer, stop_timer
from ..stored.setups import scene_properties

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...navcore.views.picture import Picture
    from ..stored.setups import NavmeshScene
    from .gpu_layers import Upload

BUDGET = 0.01  # seconds of uploading in one drawing
WEAKER = 0.45  # the opacity of what belongs to other setups than the active one
_LATER = 0.03  # seconds until what is on its way may be there
_said: set[str] = set()  # faults that were printed


class Viewport(NamedTuple):
    """The 3D view that is drawn now."""

    context: bpy.types.Context
    scene: bpy.types.Scene
    space: bpy.types.SpaceView3D
    region: bpy.types.Region

    @property
    def metres(self) -> float:
        """To one of Blender's units."""
        return metres_of(self.scene)

    @property
    def size(self) -> tuple[int, int]:
        """In pixels."""
        return self.region.width, self.region.height

    @property
    def properties(self) -> NavmeshScene:
        return scene_properties(self.scene)

    @property
    def shows_overlays(self) -> bool:
        """Blender's own switch of all overlays."""
        return self.space.overlay.show_overlays


Draw = Callable[[Viewport], None]


class _Kept(NamedTuple):
    made_of: tuple[object, ...]  # these very things
    beside: object  # or what equals it
    upload: Upload


class Overlay:
    """One thing that is drawn over all 3D views."""

    def __init__(
        self, draw: Draw | None = None, *, text: Draw | None = None, forget: Callable[[], None] | None = None,
        max_uploads: int = 0,
    ) -> None:  # fmt: skip
        """`draw` is called in the scene's coordinates, `text` in pixels; `forget` with another file, and at the end.

        Of more uploads than `max_uploads` those go that were drawn the longest time ago (0: none).
        """
        self._draws = [(one, when) for one, when in ((draw, "POST_VIEW"), (text, "POST_PIXEL")) if one is not None]
        self._forget, self._max_uploads = forget, max_uploads
        self._handles: list[object] = []
        self._uploads: dict[Hashable, _Kept] = {}

        @persistent  # type: ignore[untyped-decorator,unused-ignore]
        def before_load(*_: object) -> None:
            """What is drawn belongs to the file that is left."""
            self.forget()

        self._before_load: Callable[..., None] = before_load

    def upload(self, name: Hashable, picture: Picture, metres: float, width: float) -> Upload:
        """A picture on the GPU, or on its way there; the one before of this name goes. `width`: of lines, in pixels."""
        from .gpu_layers import Upload  # here: Blender's start does not wait for NumPy

        return self.kept(name, (picture,), metres, lambda: Upload(picture, metres, width))

    def kept(self, name: Hashable, made_of: tuple[object, ...], beside: object, make: Callable[[], Upload]) -> Upload:
        """The same where a picture is dear: made anew where it is of other things than these, or beside others."""
        kept = self._uploads.pop(name, None)
        if kept is None or kept.beside != beside or any(a is not b for a, b in zip(kept.made_of, made_of, strict=True)):
            before, kept = kept, _Kept(made_of, beside, make())
            if before is not None:
                kept.upload.replace(before.upload)
        while self._max_uploads and len(self._uploads) >= self._max_uploads:
            del self._uploads[next(iter(self._uploads))]
        self._uploads[name] = kept
        return kept.upload

    def keep_only(self, names: Collection[Hashable] = ()) -> None:
        """Give back what is drawn no longer."""
        for name in self._uploads.keys() - set(names):
            del self._uploads[name]

    def show(self, view: Viewport, upload: Upload, **look: Any) -> bool:
        """Upload a slice and draw what is there. Returns whether that is all; where not, it is drawn again soon."""
        is_all_there = upload.step(BUDGET)
        if not is_all_there:
            draw_again()
        upload.draw(view.size, **look)
        return is_all_there

    def forget(self) -> None:
        """Another file, or the extension is disabled."""
        self._uploads.clear()
        if self._forget is not None:
            self._forget()

    def register(self) -> None:
        bpy.app.handlers.load_pre.append(self._before_load)
        if not bpy.app.background:
            for draw, when in self._draws:
                called = said_once(lambda draw=draw: draw(viewport()))  # type: ignore[misc]
                self._handles.append(bpy.types.SpaceView3D.draw_handler_add(called, (), "WINDOW", when))

    def unregister(self) -> None:
        if self._before_load in bpy.app.handlers.load_pre:
            bpy.app.handlers.load_pre.remove(self._before_load)
        while self._handles:
            bpy.types.SpaceView3D.draw_handler_remove(self._handles.pop(), "WINDOW")
        stop_timer(redraw_views)
        self.forget()
        _said.clear()


def viewport() -> Viewport:
    """Blender draws it while it calls."""
    context = bpy.context
    space = cast("bpy.types.SpaceView3D", context.space_data)
    return Viewport(context, not_none(context.scene), space, not_none(context.region))


def draw_again() -> None:
    """All 3D views in a moment: something is on its way."""
    start_timer(redraw_views, _LATER)


def said_once(draw: Callable[[], None]) -> Callable[[], None]:
    """The same drawing; a fault of ours in it is printed when it happens first, not with every drawing."""

    def drawn() -> None:
        try:
            draw()
        except Exception:  # noqa: BLE001 - Blender would print it with every drawing
            text = traceback.format_exc()
            if text not in _said:
                _said.add(text)
                print(text)  # noqa: T201 - where Blender prints what goes wrong in handlers

    return drawn
